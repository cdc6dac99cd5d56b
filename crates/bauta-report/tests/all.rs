//! All tests of the reports in one program, which is linked once.

mod calibration;
mod comparison;
mod exhibits;
mod first_and_last;
mod parts;
mod report;
mod support;

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
