//! All integration tests of the crate in one program: linking it once takes a fraction of linking two dozen.

mod support;

mod by_record;
mod calibration;
mod calibration_messages;
mod calibration_properties;
mod calibration_size;
mod conformance;
mod correspondence;
mod deletion;
mod distribution;
mod diversity;
mod exact_numbers;
mod few_records;
mod frequencies;
mod global_risk;
mod golden;
mod joint_distribution;
mod jpeg_codec;
mod key_contribution;
mod linkage;
mod linkage_samples;
mod linkage_ties;
mod logistic;
mod loglinear;
mod lost_categories;
mod microaggregation;
mod outliers;
mod rates;
mod recode_levels;
mod renumbering;
mod sampling_masks;
mod shared_facts;
mod subpopulations;
mod suppression;
mod suppression_search;
mod suppression_sets;
mod thresholds;
mod unique_sets;

/// A file that is not named above would never run.
#[test]
fn every_file_is_part_of_this_program() {
    let here = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests"));
    let named = include_str!("all.rs");
    for entry in std::fs::read_dir(here).expect("the folder of this file") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let is_source = path.extension().is_some_and(|ending| ending == "rs");
        assert!(
            !is_source || stem == "all" || named.contains(&format!("\nmod {stem};\n")),
            "tests/{stem}.rs is not named in tests/all.rs"
        );
    }
}
