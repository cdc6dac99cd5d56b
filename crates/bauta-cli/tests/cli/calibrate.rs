//! `bauta calibrate`: one step on the command line.

use crate::support::{json, names, run_expecting, shared, stderr, stdout};

/// Two women and three men of weight 10, with an income; w0 is the weight of the design.
const TOY: &str = "sex,age,income,w,w0\nf,1,100,10,8\nf,2,200,10,8\nm,1,100,10,12\nm,1,300,10,12\nm,2,100,10,12\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("toy.csv"), TOY).unwrap();
    folder
}

/// Ten of each of the five people, so that figures rest on enough of them to be told.
fn ten_of_each(folder: &std::path::Path) {
    let (header, people) = TOY.split_once('\n').unwrap();
    let text = format!("{header}\n{}", people.repeat(10));
    std::fs::write(folder.join("tens.csv"), text).unwrap();
}

fn weights(folder: &std::path::Path, file: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let rows = text.lines().skip(1);
    rows.map(|row| row.split(',').nth(3).unwrap().parse().unwrap())
        .collect()
}

#[test]
fn weights_reach_given_totals() {
    let folder = folder();
    let arguments = [
        "calibrate",
        "toy.csv",
        "--weight",
        "w",
        "--totals",
        "sex=f=40,sex=m=15",
        "--scale",
        "false",
        "-o",
        "out.csv",
    ];
    let output = run_expecting(folder.path(), &arguments, 0);
    // 40 / 20 = 2 and 15 / 30 = 0.5 times the weight.
    let expected = [20.0, 20.0, 5.0, 5.0, 5.0];
    let is_near = |found: &[f64]| {
        let pairs = found.iter().zip(expected);
        found.len() == 5
            && pairs
                .into_iter()
                .all(|(found, wanted)| (found - wanted).abs() < 1e-9)
    };
    let found = weights(folder.path(), "out.csv");
    assert!(is_near(&found), "{found:?}");
    // The user wrote the names and the totals; what rests on two women and three men is not told.
    let shown = stdout(&output);
    let row = shown.lines().find(|line| line.contains("sex=f")).unwrap();
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[1..6], ["sex=f", "40", "73 %", "-", "-"], "{shown}");
    let said = "figures of g rest on fewer than 10 records and stand in the record";
    assert!(shown.contains(said), "{shown}");
    assert!(stderr(&output).contains("calibrated: out.csv (5 records)"));
    assert_eq!(names(folder.path()), ["out.csv", "toy.csv"]);
    // The same totals by position, and from a file.
    let text = "margin,target\nsex=f,40\nsex=m,15\n";
    std::fs::write(folder.path().join("totals.csv"), text).unwrap();
    for totals in ["sex#1=40,sex#2=15", "totals.csv"] {
        let mut arguments = arguments;
        arguments[5] = totals;
        run_expecting(folder.path(), &arguments, 0);
        let found = weights(folder.path(), "out.csv");
        assert!(is_near(&found), "{totals}: {found:?}");
    }
    // What is read is never replaced.
    let mut arguments = arguments;
    (arguments[5], arguments[9]) = ("totals.csv", "totals.csv");
    run_expecting(folder.path(), &arguments, 2);
    let left = std::fs::read_to_string(folder.path().join("totals.csv")).unwrap();
    assert_eq!(left, text);
}

#[test]
fn figures_of_single_records_are_not_on_the_screen() {
    let folder = folder();
    ten_of_each(folder.path());
    // A man whose weight, age and income nobody shares.
    let file = folder.path().join("tens.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}m,97,7654321,98765,12\n")).unwrap();
    let arguments = [
        "calibrate",
        "tens.csv",
        "--weight",
        "w",
        "--margins",
        "sex,age",
        "-o",
        "out.csv",
        "--record",
        "out.json",
    ];
    let output = run_expecting(folder.path(), &arguments, 0);
    let shown = stdout(&output) + &stderr(&output);
    let digits = shown.replace(',', "");
    for text in ["98765", "97", "7654321", "| smallest weight", "100 % of g"] {
        assert!(!digits.contains(text), "{text}: {shown}");
    }
    for text in [
        "| category 3 of 3 of |",
        "sex=f",
        "age=1",
        "ten smallest g, mean",
        "50 % of g",
        "ten largest weights, mean",
        "Kish 1 + cv² after",
        "1 margin rests on fewer than 10 records",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    // Its own totals are its targets: every weight stays, and the record has what the screen has not.
    let record = std::fs::read_to_string(folder.path().join("out.json")).unwrap();
    assert!(record.contains("margin age=97 rests on 1 records"));
    run_expecting(folder.path(), &["report", "out.json", "-o", "out.html"], 0);
    let page = std::fs::read_to_string(folder.path().join("out.html")).unwrap();
    assert!(page.contains("margin age=97 rests on 1 records"));
}

#[test]
fn a_number_is_not_taken_for_categories() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..500)
        .map(|i| format!("{},1\n", 20_000 + 7 * i))
        .collect();
    std::fs::write(folder.path().join("x.csv"), format!("inc,w\n{rows}")).unwrap();
    let mut arguments = vec![
        "calibrate",
        "x.csv",
        "--weight",
        "w",
        "--margins",
        "inc",
        "-o",
        "out.csv",
    ];
    let output = run_expecting(folder.path(), &arguments, 2);
    let said = stderr(&output);
    assert!(
        said.contains("E-CAL-MANY: calibration variable inc has 500 categories in 500 records"),
        "{said}"
    );
    assert!(said.contains("`--continuous inc`"), "{said}");
    assert_eq!(stdout(&output), "");
    arguments.extend(["--continuous", "inc"]);
    run_expecting(folder.path(), &arguments, 0);
}

#[test]
fn the_calibration_is_in_the_object_the_record_and_the_report() {
    let folder = folder();
    ten_of_each(folder.path());
    let arguments = [
        "calibrate",
        "tens.csv",
        "--weight",
        "w",
        "--start",
        "w0",
        "--margins",
        "sex,income",
        "--continuous",
        "income",
        "--method",
        "linear",
        "--also",
        "raking",
        "-o",
        "out.csv",
        "--record",
        "out.json",
        "--report",
        "out.html",
        "--json",
    ];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    let calibration = &found["calibration"];
    assert_eq!(calibration["start"], "w0");
    let margins = calibration["margins"].as_array().unwrap();
    let margin_names: Vec<&str> = margins
        .iter()
        .map(|margin| margin["name"].as_str().unwrap())
        .collect();
    assert_eq!(margin_names, ["sex=f", "sex=m", "income"]);
    assert_eq!(margins[2]["target"], 80_000.0);
    assert_eq!(calibration["solutions"].as_array().unwrap().len(), 2);
    let all = weights(folder.path(), "out.csv");
    let of_women: f64 = all.chunks(5).flat_map(|five| &five[..2]).sum();
    assert!((of_women - 200.0).abs() < 1e-9);
    let page = std::fs::read_to_string(folder.path().join("out.html")).unwrap();
    assert!(page.contains("Calibration of the weights"));
    run_expecting(folder.path(), &["verify", "out.json"], 0);
    run_expecting(folder.path(), &["report", "out.json", "--tables", "t"], 0);
    let table = std::fs::read_to_string(folder.path().join("t/margins.csv")).unwrap();
    assert_eq!(table.lines().count(), 4);
}

#[test]
fn records_at_risk_go_before_the_weights_of_the_others_change() {
    let folder = folder();
    let arguments = [
        "calibrate",
        "toy.csv",
        "--weight",
        "w",
        "--keys",
        "sex,age",
        "--k",
        "2",
        "--margins",
        "1",
        "-o",
        "out.csv",
        "--json",
    ];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    // Only the two men of age 1 share their key; they stand for all 50.
    assert_eq!(found["calibration"]["n_kept"], 2);
    assert_eq!(found["steps"][0]["method"], "subsample-calibrate");
    assert_eq!(found["claims"][0]["holds"], true);
    assert_eq!(weights(folder.path(), "out.csv"), [25.0, 25.0]);
}

#[test]
fn mistakes_are_named_and_nothing_is_written() {
    let folder = folder();
    let calibrate = [
        "calibrate",
        "toy.csv",
        "--weight",
        "w",
        "-o",
        "out.csv",
        "--json",
    ];
    for (rest, said) in [
        (&["--margins", "sexx"][..], "did you mean `sex`"),
        (&["--margins", "sex", "--k", "3"], "--keys"),
        (&[], "no margins"),
        (
            &["--margins", "sex", "--continuous", "nothing"],
            "no variable `nothing`",
        ),
        (
            &["--margins", "sex", "--method", "logit"],
            "need `lower` and `upper`",
        ),
        (&["--margins", "sex", "--start", "w00"], "did you mean `w0`"),
        (&["--totals", "sex=f=-4,sex=m=5"], "errors"),
    ] {
        let output = run_expecting(folder.path(), &[&calibrate[..], rest].concat(), 2);
        let found = json(&output).to_string();
        assert!(found.contains(said), "{said}: {found}");
    }
    assert_eq!(names(folder.path()), ["toy.csv"]);
}

#[test]
fn the_survey_of_the_paper_is_calibrated_in_one_command() {
    let Some(survey) = shared("golden/vvs/original.csv") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "calibrate",
        survey.to_str().unwrap(),
        "--weight",
        "d_fin",
        "--start",
        "d_init",
        "--keys",
        "gender,income,age,uu,qual,couple,hsize",
        "--k",
        "3",
        "--margins",
        "gender*ind,age*ind,uu*ind,qual*ind,hsize*ind",
        "-o",
        "out.csv",
        "--json",
    ];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    let calibration = &found["calibration"];
    // golden/vvs/calibration.json: raking.
    assert_eq!(calibration["n_kept"], 9640);
    assert_eq!(
        calibration["deletion"]["rounds"],
        serde_json::json!([3191, 70, 0])
    );
    let taken = &calibration["solutions"][0];
    let mean = taken["g"]["mean"].as_f64().unwrap();
    assert!((mean - 0.964_615_573_146_586).abs() < 1e-9, "{mean}");
}

/// Four hundred people of five regions, as many of the last one as asked for, and more.
fn regions(folder: &std::path::Path, n_last: usize, more: &str) {
    let mut text = "reg,age,inc,w\n".to_owned();
    for i in 0..400 {
        let region = if i < n_last { 5 } else { 1 + i % 4 };
        let income = 2_000 + 7 * i % 61;
        text += &format!("r{region},a{},{income},10\n", i % 4 % 2);
    }
    std::fs::write(folder.join("people.csv"), text + more).unwrap();
}

/// Calibrates `people.csv` on margins of income, once for the screen and once for scripts; the margins of
/// the object, and all that was shown.
fn told(
    folder: &std::path::Path,
    margins: &str,
    more: &[&str],
) -> (Vec<serde_json::Value>, String) {
    let arguments = [
        "calibrate",
        "people.csv",
        "--weight",
        "w",
        "--continuous",
        "inc",
        "--method",
        "linear",
        "--margins",
        margins,
        "-o",
        "out.csv",
        "--record",
        "out.json",
    ];
    let arguments = [&arguments[..], more].concat();
    let output = run_expecting(folder, &arguments, 0);
    let mut shown = stdout(&output) + &stderr(&output);
    let object = run_expecting(folder, &[&arguments[..], &["--json"]].concat(), 0);
    shown += &stdout(&object);
    let margins = json(&object)["calibration"]["margins"].clone();
    (margins.as_array().unwrap().clone(), shown)
}

#[test]
fn totals_with_and_without_one_record_are_not_both_told() {
    let folder = tempfile::tempdir().unwrap();
    // Nobody else is of this age: one of 401 records goes, with an income of 98,765 and a weight of 10.
    regions(folder.path(), 80, "r1,a9,98765,10\n");
    let (margins, shown) = told(folder.path(), "inc,reg*inc", &["--keys", "age", "--k", "2"]);
    let figure = |row: &serde_json::Value, name: &str| row[name].as_f64();
    for row in &margins {
        let (n_before, n_after) = (&row["n_before"], &row["n_after"]);
        if n_before != n_after {
            assert!(figure(row, "target").is_some(), "{row}");
            assert_eq!(figure(row, "before"), None, "{row}");
            assert_eq!(figure(row, "before_scaled"), None, "{row}");
        }
    }
    // Neither do differences of sums give it away: at least two parts have no total before.
    let parts = margins.iter().filter(|row| row["term"] == "reg*inc");
    let withheld = parts.filter(|row| figure(row, "before").is_none()).count();
    assert!(withheld >= 2, "{margins:?}");
    let record: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("out.json")).unwrap())
            .unwrap();
    let evidence = &record["steps"][0]["evidence"]["data"];
    let kept = &evidence["margins"][0];
    let gone = figure(kept, "target").unwrap() - figure(kept, "before").unwrap();
    assert!((gone - 987_650.0).abs() < 1e-3, "the record has both");
    let before = kept["before"].to_string();
    let before = before.trim_end_matches(".0");
    let digits = shown.replace(',', "");
    assert!(!digits.contains(before), "{before}: {shown}");
    // Factors and bounds are ratios of the two.
    assert!(
        shown.contains("\"scale\":null") || shown.contains("\"scale\": null"),
        "{shown}"
    );
    assert!(
        shown.contains("\"bounds\":null") || shown.contains("\"bounds\": null"),
        "{shown}"
    );
}

#[test]
fn a_total_less_the_parts_that_are_told_is_no_part_of_few_records() {
    let folder = tempfile::tempdir().unwrap();
    // Three people are of the last region. Its income is withheld; so is that of the smallest other.
    regions(folder.path(), 3, "");
    let (margins, _) = told(folder.path(), "reg*inc,inc", &[]);
    for name in ["target", "before", "after"] {
        let parts = margins.iter().filter(|row| row["term"] == "reg*inc");
        let (told, withheld): (Vec<_>, Vec<_>) = parts.partition(|row| row[name].is_number());
        assert_eq!((told.len(), withheld.len()), (3, 2), "{name}: {margins:?}");
        let n_within: u64 = withheld
            .iter()
            .map(|row| row["n_after"].as_u64().unwrap())
            .sum();
        assert!(n_within >= 10);
        assert!(margins[5][name].is_number(), "the sum is told");
    }
    // With enough of everybody all is told.
    regions(folder.path(), 80, "");
    let (margins, _) = told(folder.path(), "reg*inc,inc", &[]);
    let all = |name: &str| margins.iter().all(|row| row[name].is_number());
    assert!(
        ["target", "before", "after"].into_iter().all(all),
        "{margins:?}"
    );
}
