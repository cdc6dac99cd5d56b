//! The plans in `examples/` that work on the demonstration survey.

use std::path::Path;

use crate::support::{json, run_expecting};

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// The comparison of Bergeat 2015, section 5: rates are nearer with calibrated weights, intervals of
/// the model and the map with local suppression (spec/04, section 4).
#[test]
fn local_suppression_and_subsampling_stand_side_by_side() {
    let folder = tempfile::tempdir().unwrap();
    run_expecting(folder.path(), &["demo", "."], 0);
    let plans = [
        "local-suppression-or-subsampling-1.toml",
        "local-suppression-or-subsampling-2.toml",
    ];
    for plan in plans {
        std::fs::write(folder.path().join(plan), example(plan)).unwrap();
        run_expecting(folder.path(), &["run", plan], 0);
    }
    let records = [
        "survey-suppressed.record.json",
        "survey-subsample.record.json",
    ];
    let value = |record: &str, measure: &str| {
        let text = std::fs::read_to_string(folder.path().join(record)).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        let measures = record["measures"].as_array().unwrap().clone();
        let found = measures.iter().find(|found| found["id"] == measure);
        found.unwrap()["after"]["value"].as_f64().unwrap()
    };
    let both = |measure: &str| records.map(|record| value(record, measure));
    let [suppressed, subsample] = both("rates");
    assert!(subsample < suppressed, "{subsample} {suppressed}");
    let [suppressed, subsample] = both("logistic-regression");
    assert!(subsample < suppressed, "{subsample} {suppressed}");
    let [suppressed, subsample] = both("correspondence-analysis");
    assert!(suppressed < subsample, "{subsample} {suppressed}");
    let page = ["report", records[0], records[1], "-o", "page.html"];
    run_expecting(folder.path(), &page, 0);
    let text = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
    assert!(text.contains("Local suppression") && text.contains("Subsampling and calibration"));
    let output = run_expecting(
        folder.path(),
        &["report", records[0], records[1], "--json"],
        0,
    );
    assert!(json(&output).is_object());
}
