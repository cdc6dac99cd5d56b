//! The report of a calibration: complete for the committee, without a figure for the public.

use crate::support;

use bauta_methods::adjust::calibration::exhibits::evidence;
use bauta_methods::adjust::calibration::found::Calibration;
use bauta_report::{Audience, csv_tables, html};

use support::calibration::{calibrated, calibration};
use support::pages::{elements, keep, section};

#[test]
fn the_committee_reads_every_part_of_a_calibration() {
    let page = html(&calibrated(), Audience::Internal);
    keep("report-calibrated-internal", &page);
    elements(&page);
    let shown = section(&page, "calibration");
    for text in [
        "Subsampling and calibration: weight",
        "9 713 of 12 901",
        "γ = 1.463771",
        "Fewer than 3 records share the key.",
        "3 121",
        "missing",
        "Of 24 totals 22 are independent of each other",
        "age=7 and sex=2*region=8.",
        "✗ 1 total is missed",
        "✗ 0.000024",
        "raking (taken)",
        "logit between 0.25 and 3",
        "logit between 0.8 and 1.2</strong> has no solution: the totals cannot be reached",
        "L = 0.25",
        "U = 3",
        "1.238",
        "1.346",
        "no U will do",
        "L = 0.4144, U = 1.912",
        "−0.558 points",
        "multiples of 0.01",
    ] {
        assert!(shown.contains(text), "{text}");
    }
    insta::assert_snapshot!("calibration", shown);
}

#[test]
fn the_public_reads_that_weights_were_calibrated_and_no_figure() {
    let page = html(&calibrated(), Audience::External);
    keep("report-calibrated-external", &page);
    elements(&page);
    for shown in [
        "The weight <strong>weight</strong> was calibrated: weighted totals of age, sex*region and income",
        "equal those of the collected file",
        "Method: raking (entropy distance, the raking ratio).",
        "The weights are rounded.",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    let plain = page.replace('\u{202f}', "");
    let mut found = serde_json::to_value(calibration()).unwrap();
    // Whoever has the file can count its records.
    found["n_kept"].take();
    let mut secrets = figures_of(&found);
    secrets.sort();
    secrets.dedup();
    assert!(secrets.len() > 60, "the example has figures to hide");
    for secret in secrets {
        assert!(
            !plain.contains(&secret),
            "the public must not read {secret}"
        );
    }
    for secret in [
        "design_weight",
        "age=",
        "region=",
        "48226",
        "logit",
        "bounds",
        "Kish",
    ] {
        assert!(!plain.contains(secret), "the public must not read {secret}");
    }
}

/// Every figure of a value with at least four digits, as its first four significant digits stand
/// in a text; others occur anywhere.
fn figures_of(value: &serde_json::Value) -> Vec<String> {
    match value {
        serde_json::Value::Number(number) => {
            let digits: String = number.to_string();
            let digits = digits.split(['e', '-']).next().unwrap_or_default();
            let digits = digits.strip_suffix(".0").unwrap_or(digits);
            let n_digits = digits.trim_start_matches(['0', '.']).len();
            (n_digits >= 4)
                .then(|| digits.chars().take(6).collect())
                .into_iter()
                .collect()
        }
        serde_json::Value::Array(values) => values.iter().flat_map(figures_of).collect(),
        serde_json::Value::Object(fields) => fields.values().flat_map(figures_of).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_calibration_that_needed_no_step_and_has_no_figure_still_makes_a_page() {
    let mut record = calibrated();
    let step = record.steps.last_mut().unwrap();
    step.evidence = Some(Box::new(evidence(&Calibration::default()).unwrap()));
    for audience in [Audience::Internal, Audience::External] {
        elements(&html(&record, audience));
    }
    let mut found = calibration();
    found.scale = 1.0;
    found.solutions.truncate(1);
    found.solutions[0].iterations.clear();
    found.solutions[0].histogram.clear();
    found.solutions[0].density.clear();
    found.redundant.clear();
    found.margins.truncate(3);
    found.margins[0].relative_error = f64::NAN;
    let step = record.steps.last_mut().unwrap();
    step.evidence = Some(Box::new(evidence(&found).unwrap()));
    let page = html(&record, Audience::Internal);
    elements(&page);
    let shown = section(&page, "calibration");
    assert!(shown.contains("All 3 totals are independent"));
    assert!(shown.contains("no step was needed"));
    assert!(!shown.contains("Before, scaled") && !shown.contains("(taken)"));
    assert!(
        shown.contains("✗ 1 total is missed"),
        "an error that is no number is none that holds"
    );
}

#[test]
fn every_table_of_a_calibration_is_a_csv_file() {
    let tables = csv_tables(&calibrated());
    let text = |file: &str| {
        let found = tables.iter().find(|table| table.file == file);
        found.expect("it is always there").text.clone()
    };
    let margins = text("margins.csv");
    assert_eq!(margins.lines().count(), 1 + 24);
    let step = "subsample-calibrate sex age region";
    assert!(margins.contains(&format!(
        "{step},age,age=4,3600000,0.14285714285714285,2268000,"
    )));
    assert!(margins.contains(",0.000024,1843,1377,false\n"));
    assert!(
        margins.contains("age=7,") && margins.matches(",true\n").count() == 2,
        "two margins follow from others"
    );
    let weights = text("weights.csv");
    assert!(weights.starts_with(
        "step,solution,method,q,lower,upper,penalty,figure,mean,sd,q0,q1,q10,q25,q50,q75,q90,q99,q100\n"
    ));
    // Two solutions; the third failed.
    assert_eq!(weights.lines().count(), 1 + 4);
    assert!(
        text("solutions.csv")
            .contains(",0.8,1.2,,the totals cannot be reached within these bounds,,,,,,,\n")
    );
    assert_eq!(text("histogram.csv").lines().count(), 1 + 2 * 70);
    let bounds = text("bounds.csv");
    assert!(bounds.contains("frontier,0.7,\n") && bounds.contains("in use,0.25,3\n"));
    assert!(text("deletion.csv").contains("region,,288,288\n"));
    assert!(text("deletion.csv").contains(&format!("{step},2,,,,67\n")));
    assert_eq!(text("shares.csv").lines().count(), 4);
    // As many cells in every row as in the head; no cell here holds a comma.
    for table in &tables {
        let n_cells = |line: &str| line.matches(',').count();
        let mut lines = table.text.lines();
        let wanted = n_cells(lines.next().unwrap());
        for line in lines.filter(|line| !line.contains('"')) {
            assert_eq!(n_cells(line), wanted, "{}: {line}", table.file);
        }
    }
}
