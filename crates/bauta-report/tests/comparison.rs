//! Runs side by side.

use crate::support;

use bauta_methods::measure::{Measurement, Part, Series};
use bauta_methods::{FigureSpec, Side, Unit};
use bauta_plan::RunRecord;
use bauta_plan::record::{MeasureFamily, MeasureRecord};
use bauta_report::{Audience, Comparison, html};

use support::calibration::calibrated;
use support::pages::{elements, keep, section};

const RECORDS: FigureSpec = FigureSpec::count("records", "records").per_side();

/// A measure that compares and has the rates of both files in one measurement.
fn rates(masked: [f64; 2]) -> MeasureRecord {
    let series = |file: Side, values: [f64; 2]| {
        let points = ["f", "m"].into_iter().zip(values);
        let points = points.map(|(name, value)| Part::new(name, value));
        Series::new("victim by sex", "share", Unit::Share, points.collect())
            .of_side(file)
            .verbatim()
    };
    let mut found = Measurement {
        value: Some(masked[0] - 0.05),
        series: vec![
            series(Side::Original, [0.05, 0.04]),
            series(Side::Masked, masked),
        ],
        ..Measurement::default()
    };
    found.give(RECORDS.of_side(Side::Original), 12_901.0);
    found.give(RECORDS.of_side(Side::Masked), 9_713.0);
    MeasureRecord {
        id: "rates".to_owned(),
        title: "Rates".to_owned(),
        family: MeasureFamily::Loss,
        value: (&FigureSpec::value("largest difference", Unit::Number).lower_is_better()).into(),
        figures: vec![(&RECORDS).into()],
        scenario: None,
        on: vec!["victim".to_owned()],
        outliers: None,
        condition: None,
        params: [].into(),
        perturbed: Vec::new(),
        before: None,
        after: Some(found),
        notes: Vec::new(),
    }
}

/// Local suppression against subsampling and calibration.
fn two() -> [RunRecord; 2] {
    let mut suppressed = support::passed();
    suppressed.measures.push(rates([0.058, 0.047]));
    let mut calibrated = calibrated();
    calibrated.plan.title = Some("Subsample and calibrate".to_owned());
    calibrated.measures.push(rates([0.051, 0.041]));
    calibrated.variables[5].n_suppressed = 0;
    calibrated.gates[3].found = Some(0.4);
    calibrated.gates[3].passed = false;
    [suppressed, calibrated]
}

#[test]
fn runs_are_compared_column_by_column() {
    let [a, b] = two();
    let comparison = Comparison::new(&[("a.json", &a), ("b.json", &b)]);
    let page = comparison.html();
    keep("comparison", &page);
    elements(&page);
    assert!(comparison.same_input() && page.contains("The runs read the same file."));
    insta::assert_snapshot!("comparison-runs", section(&page, "runs"));
    insta::assert_snapshot!("comparison-gates", section(&page, "gates"));
    let loss = section(&page, "loss");
    insta::assert_snapshot!(
        "comparison-rates",
        &loss[loss.find("<h3>Rates</h3>").expect("the runs share it")..]
    );
    let object = comparison.json();
    let measures = object["measures"].as_array().unwrap();
    let rates = measures.iter().find(|one| one["id"] == "rates").unwrap();
    let names = [
        "Original",
        "Victimisation survey 2015, public use file",
        "Subsample and calibrate",
    ];
    assert_eq!(rates["columns"], serde_json::json!(names));
    let point = &rates["series"][0]["points"][0];
    assert_eq!(point["values"], serde_json::json!([0.05, 0.058, 0.051]));
    let records = &rates["figures"][1];
    assert_eq!(records["name"], "records");
    assert_eq!(records["values"][0], 12_901.0);
}

/// A scenario that only one run has is no part of what they are compared by.
#[test]
fn the_map_shows_what_all_runs_share() {
    let map = |runs: &[(&str, &RunRecord)]| {
        let page = Comparison::new(runs).html();
        let start = page
            .find("map-of-runs")
            .expect("the runs share a risk and a loss");
        page[start..][..page[start..].find("</svg>").unwrap()].to_owned()
    };
    let [a, b] = two();
    let alone = map(&[("a.json", &a), ("b.json", &b)]);
    let mut more = b.clone();
    for measure in &b.measures {
        let mut other = measure.clone();
        other.scenario = Some("another".to_owned());
        if let Some(after) = &mut other.after {
            after.value = after.value.map(|value| value / 2.0 + 0.4);
        }
        more.measures.push(other);
    }
    assert_eq!(map(&[("a.json", &a), ("b.json", &more)]), alone);
}

#[test]
fn other_inputs_other_originals_and_other_parameters_are_said() {
    let [a, mut b] = two();
    b.input.sha256 = "0".repeat(64);
    b.plan.title = a.plan.title.clone();
    for measure in &mut b.measures {
        if measure.id == "k-anonymity" {
            measure.params.insert("k".to_owned(), 5.into());
            if let Some(before) = &mut measure.before {
                before.value = Some(2.0);
            }
        }
    }
    b.measures.retain(|measure| measure.id != "il1s");
    let comparison = Comparison::new(&[("x/a.json", &a), ("y/a.json", &b), ("c.json", &a)]);
    let names: Vec<&str> = comparison
        .runs()
        .iter()
        .map(|run| run.name.as_str())
        .collect();
    let title = "Victimisation survey 2015, public use file";
    assert_eq!(
        names,
        [
            format!("{title} (a.json)"),
            format!("{title} (a.json) (2)"),
            format!("{title} (c.json)")
        ]
    );
    let page = comparison.html();
    elements(&page);
    for shown in [
        "The runs did not read the same file",
        "Original of Victimisation survey 2015, public use file (a.json) (2)",
        "The runs measured it with different parameters.",
        "(a.json) (2) does not measure it.",
    ] {
        assert!(page.contains(shown), "{shown}");
    }
    let alone = Comparison::new(&[("a.json", &a), ("b.json", &b)]);
    assert!(section(&alone.html(), "alone").contains("IL1s: "));
    assert_eq!(alone.json()["only_in_one"][0]["id"], "il1s");
}

#[test]
fn a_report_draws_both_files_of_a_comparing_measure_in_one_chart() {
    let [a, _] = two();
    let page = html(&a, Audience::Internal);
    assert_eq!(page.matches(">victim by sex</title>").count(), 1);
    let table = page
        .split("largest difference")
        .nth(1)
        .or(page.split("Largest difference").nth(1));
    let row = table.unwrap().split("Records</th>").nth(1).unwrap();
    let row = row.split("</tr>").next().unwrap().replace('\u{202f}', " ");
    assert!(row.contains(">12 901<") && row.contains(">9 713<"), "{row}");
}
