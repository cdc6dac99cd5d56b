//! The fixed points that scripts rely on.

use crate::support::{json, run_expecting, shared, stdout};

const TOY: &str = "sex,age,w\nf,1,10\nf,1,20\nm,1,30\nm,,40\n";

#[test]
fn risk_has_its_fixed_fields() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("toy.csv"), TOY).unwrap();
    let arguments = [
        "risk",
        "toy.csv",
        "--keys",
        "sex,age",
        "--weight",
        "w",
        "--per-record",
        "r.csv",
        "--json",
    ];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    // Visible: f,1 is there twice; m,1 once; m,? matches both men.
    assert_eq!(found["uniques"], 1.0);
    assert_eq!(found["k"]["2"], 1.0);
    assert_eq!(found["k"]["3"], 4.0);
    assert!(found["expected_reidentifications"].as_f64().unwrap() > 0.0);
    assert_eq!(found["measures"][0]["id"], "k-anonymity");
    assert_eq!(found["measures"][0]["value"], 1.0);
    assert!(found["measures"][1]["parts"].is_object());
    let rows = std::fs::read_to_string(folder.path().join("r.csv")).unwrap();
    assert_eq!(rows.lines().count(), 5);
    assert!(rows.starts_with("row,f,F,risk\n1,2,30,"));
    let own = json(&run_expecting(
        folder.path(),
        &[
            "risk",
            "toy.csv",
            "--keys",
            "sex,age",
            "--semantics",
            "own",
            "--json",
        ],
        0,
    ));
    assert_eq!(own["uniques"], 2.0);
}

#[test]
fn risk_tells_contributions_levels_and_rows_without_values() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "zip,sex\n11,m\n11,m\n12,m\n12,f\n21,f\n22,f\n";
    std::fs::write(folder.path().join("toy.csv"), rows).unwrap();
    let arguments = [
        "risk",
        "toy.csv",
        "--keys",
        "zip,sex",
        "--k",
        "2",
        "--hierarchy",
        "zip=prefix",
        "--json",
    ];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    // golden/key-contribution/by_hand.json has the arithmetic.
    let zip = &found["contributions"][0];
    assert_eq!(zip["left_out"], "zip");
    assert_eq!(zip["share"], 1.0);
    assert_eq!(found["contributions"][1]["below_k"], 2.0);
    let level = &found["levels"][0];
    assert_eq!((&level["key"], &level["level"]), (&"zip".into(), &1.into()));
    assert_eq!(level["expected_reidentifications"], 3.0);
    let riskiest = found["riskiest"].as_array().unwrap();
    let rows: Vec<u64> = riskiest
        .iter()
        .map(|record| record["row"].as_u64().unwrap())
        .collect();
    // Rows 3 to 6 are alone; rows 1 and 2 share their key and are one entry.
    assert_eq!(rows, [3, 4, 5, 6, 1]);
    // Row 3 is 12m: another has 12 and others are m. Row 5 alone has 21.
    assert_eq!(riskiest[0]["enough"], serde_json::json!(["zip", "sex"]));
    assert_eq!(riskiest[2]["enough"], serde_json::json!(["zip"]));
    assert_eq!(riskiest[4]["enough"], serde_json::json!([]));
    let ids: Vec<&str> = found["measures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|measure| measure["id"].as_str().unwrap())
        .collect();
    assert_eq!(
        ids[..3],
        ["k-anonymity", "individual-risk", "key-contribution"]
    );
}

#[test]
fn a_record_is_explained_by_names_of_keys() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("toy.csv"), TOY).unwrap();
    let explain = |rest: &[&str], code: i32| {
        let arguments = ["explain-record", "toy.csv", "--json"];
        let arguments = [&arguments[..], rest].concat();
        json(&run_expecting(folder.path(), &arguments, code))
    };
    // The man with an age: another man has none, which does not match; alone by both keys.
    let found = explain(&["--keys", "sex,age", "--row", "3", "--weight", "w"], 0);
    assert_eq!(found["f"], 1);
    assert_eq!(found["F"], 30.0);
    assert_eq!(found["sets"], serde_json::json!([["sex", "age"]]));
    // p = 1/30: -p ln(p)/q = ln(30)/29.
    assert!((found["risk"].as_f64().unwrap() - 30_f64.ln() / 29.0).abs() < 1e-12);
    for row in ["0", "5", "18446744073709551615"] {
        let errors = explain(&["--keys", "sex", "--row", row], 2);
        let hint = "rows go from 1, the first below the header, to 4";
        assert_eq!(errors["errors"][0]["hint"], hint);
    }
    let unknown = explain(&["--keys", "sexx", "--row", "1"], 2);
    assert_eq!(unknown["errors"].as_array().unwrap().len(), 1);
    assert!(unknown.to_string().contains("did you mean `sex`"));
}

#[test]
fn hierarchies_belong_to_keys_and_are_given_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("toy.csv"), TOY).unwrap();
    let risk = ["risk", "toy.csv", "--keys", "sex,age", "--json"];
    for rest in [
        &["--hierarchy", "agee=prefix"][..],
        &["--hierarchy", "age=prefix", "--hierarchy", "age=prefix"],
        &["--hierarchy", "age=nowhere.csv"],
        &["--hierarchy", "age"],
        &["--sensitive", "sex"],
        &["--sensitive", "nothing"],
    ] {
        let found = json(&run_expecting(
            folder.path(),
            &[&risk[..], rest].concat(),
            2,
        ));
        assert_eq!(found["errors"].as_array().unwrap().len(), 1, "{rest:?}");
    }
}

#[test]
fn compare_has_its_fixed_fields_and_agrees_with_the_golden_figures() {
    let (Some(original), Some(masked)) = (
        shared("data/census.csv"),
        shared("golden/census/census_rankswap14.csv"),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "compare",
        original.to_str().unwrap(),
        masked.to_str().unwrap(),
        "--json",
        "--by-variable",
    ];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    let measure = |id: &str| {
        let measures = found["measures"].as_array().unwrap();
        measures
            .iter()
            .find(|measure| measure["id"] == id)
            .unwrap()
            .clone()
    };
    // golden/census/golden.json, census_rankswap14.csv, seed003.
    assert!((measure("il1s")["value"].as_f64().unwrap() - 0.210_698_435_161_040_7).abs() < 1e-9);
    assert!(
        (measure("interval-sd")["value"].as_f64().unwrap() - 0.157_407_407_407_407_4).abs() < 1e-9
    );
    assert_eq!(
        measure("il1s")["by_variable"].as_object().unwrap().len(),
        13
    );
}

#[test]
fn files_of_different_length_are_compared_by_id() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "id,v\na,1\nb,2\nc,4\n").unwrap();
    std::fs::write(folder.path().join("z.csv"), "id,v\nc,4\na,1\n").unwrap();
    let found = json(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv", "--id", "id", "--json"],
        0,
    ));
    let il1s = found["measures"]
        .as_array()
        .unwrap()
        .iter()
        .find(|measure| measure["id"] == "il1s")
        .unwrap();
    assert_eq!(il1s["value"], 0.0);
    let found = json(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv", "--json"],
        0,
    ));
    assert_eq!(found["records"], "unrelated");
}

#[test]
fn mask_takes_the_parameters_of_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (1..=100).map(|i| format!("{i},{}\n", i * 10)).collect();
    std::fs::write(folder.path().join("x.csv"), format!("a,b\n{rows}")).unwrap();
    let arguments = [
        "mask",
        "rank-swap",
        "x.csv",
        "--on",
        "a,b",
        "--window",
        "0.14",
        "--seed",
        "7",
        "-o",
        "out.csv",
    ];
    run_expecting(folder.path(), &arguments, 0);
    let first = std::fs::read(folder.path().join("out.csv")).unwrap();
    run_expecting(
        folder.path(),
        &[&arguments[..], &["--threads", "1"]].concat(),
        0,
    );
    assert_eq!(first, std::fs::read(folder.path().join("out.csv")).unwrap());
    run_expecting(
        folder.path(),
        &[
            "mask",
            "top-bottom",
            "x.csv",
            "--on",
            "a",
            "--top",
            "90",
            "-o",
            "top.csv",
            "--record",
            "top.json",
        ],
        0,
    );
    let top = std::fs::read_to_string(folder.path().join("top.csv")).unwrap();
    assert!(top.contains("\n90,910\n") && !top.contains("\n91,"));
    run_expecting(folder.path(), &["verify", "top.json"], 0);
    run_expecting(
        folder.path(),
        &[
            "mask",
            "rank-swap",
            "x.csv",
            "--on",
            "a",
            "--window",
            "2",
            "-o",
            "no.csv",
        ],
        2,
    );
    assert!(!folder.path().join("no.csv").exists());
}

#[test]
fn lists_and_pages_are_there_in_both_forms() {
    let folder = tempfile::tempdir().unwrap();
    let list = json(&run_expecting(folder.path(), &["list", "--json"], 0));
    for method in list["methods"].as_array().unwrap() {
        let id = method["id"].as_str().unwrap();
        let page = stdout(&run_expecting(folder.path(), &["explain", id], 0));
        assert!(page.contains("## Formula"), "{id}");
    }
    assert!(stdout(&run_expecting(folder.path(), &["explain", "plan"], 0)).contains("[[gate]]"));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        assert!(
            stdout(&run_expecting(folder.path(), &["completions", shell], 0)).contains("rank-swap")
        );
    }
}

#[test]
fn original_semantics_count_in_the_file_before_suppression() {
    let (Some(original), Some(masked)) = (
        shared("golden/vvs/original.csv"),
        shared("golden/vvs/localsupp_exact.csv"),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    // spec/04 section 5, exact original: violations own/visible/original/wild 1751/282/0/0.
    for (semantics, expected) in [
        ("own", 1751.0),
        ("visible", 282.0),
        ("original", 0.0),
        ("wild", 0.0),
    ] {
        let output = run_expecting(
            folder.path(),
            &[
                "compare",
                original.to_str().unwrap(),
                masked.to_str().unwrap(),
                "--keys",
                "gender,income,age,uu,qual,couple,hsize",
                "--semantics",
                semantics,
                "--json",
            ],
            0,
        );
        let found = json(&output);
        let measures = found["measures"].as_array().unwrap();
        let counted = measures
            .iter()
            .find(|measure| measure["id"] == "k-anonymity")
            .unwrap();
        assert_eq!(counted["parts"]["below_3"], expected, "{semantics}");
    }
}

#[test]
fn a_run_prints_its_figures_in_the_same_shape() {
    let folder = tempfile::tempdir().unwrap();
    let found = json(&run_expecting(folder.path(), &["demo", "d", "--json"], 0));
    let first = &found["measures"][0];
    assert_eq!(first["id"], "k-anonymity");
    assert_eq!(first["value"], 4.0);
    assert_eq!(first["parts"]["uniques"], 0.0);
    assert_eq!(first["before"]["parts"]["uniques"], 11.0);
    // The seed is in the record, not on the screen.
    assert!(found.get("seed").is_none() && !found.to_string().contains("20150129"));
}

#[test]
fn nothing_that_was_read_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let data = "a,b\n1,2\n3,4\n5,6\n";
    std::fs::write(folder.path().join("x.csv"), data).unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    std::fs::create_dir(folder.path().join("dir.csv")).unwrap();
    let here = folder.path().join("x.csv");
    let here = here.to_str().unwrap();
    let mask = ["mask", "rank-swap", "x.csv", "--on", "a", "--window", "0.5"];
    for rest in [
        &["-o", here][..],
        &["-o", "sub/../x.csv"],
        &["-o", "y.csv", "--record", "x.csv"],
        &["-o", "y.csv", "--record", "y.csv"],
        &["-o", "dir.csv"],
    ] {
        run_expecting(folder.path(), &[&mask[..], rest].concat(), 2);
    }
    run_expecting(
        folder.path(),
        &["risk", "x.csv", "--keys", "a", "--per-record", "./x.csv"],
        2,
    );
    run_expecting(
        folder.path(),
        &["init", "x.csv", "-o", "x.csv", "--force"],
        2,
    );
    let plan = "data.file = \"x.csv\"\noutput.file = \"o.csv\"\noutput.report = \"REPORT\"\n";
    for report in ["plan.toml", "o.record.json", "x.csv"] {
        std::fs::write(
            folder.path().join("plan.toml"),
            plan.replace("REPORT", report),
        )
        .unwrap();
        run_expecting(folder.path(), &["run", "plan.toml"], 2);
    }
    assert_eq!(std::fs::read_to_string(here).unwrap(), data);
    assert_eq!(
        crate::support::names(folder.path()),
        ["dir.csv", "plan.toml", "sub", "x.csv"]
    );
}

#[test]
fn a_record_in_a_folder_of_its_own_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), TOY).unwrap();
    std::fs::create_dir(folder.path().join("evidence")).unwrap();
    let plan = "data.file = \"x.csv\"\n[output]\nrelease = \"ungated\"\nfile = \"o.csv\"\nrecord = \"evidence/run.json\"\n";
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    run_expecting(folder.path(), &["verify", "evidence/run.json"], 0);
}

#[test]
fn a_sample_needs_no_variables_and_scales_the_weight_that_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("toy.csv"), TOY).unwrap();
    let arguments = |more: &[&'static str]| -> Vec<&'static str> {
        let given = [
            "mask", "sample", "toy.csv", "--share", "0.5", "-o", "half.csv",
        ];
        given.into_iter().chain(more.iter().copied()).collect()
    };
    run_expecting(folder.path(), &arguments(&[]), 0);
    let half = std::fs::read_to_string(folder.path().join("half.csv")).unwrap();
    // The header and two of four records, as they were.
    assert_eq!(half.lines().count(), 3);
    assert!(half.lines().all(|line| TOY.contains(line)), "{half}");
    // By sex, one of the two women and one of the two men, of twice the weight.
    let by_sex = arguments(&["--on", "sex", "--weight", "w", "--at-least", "1"]);
    run_expecting(folder.path(), &by_sex, 0);
    let half = std::fs::read_to_string(folder.path().join("half.csv")).unwrap();
    let lines: Vec<&str> = half.lines().collect();
    assert!(["f,1,20", "f,1,40"].contains(&lines[1]), "{half}");
    assert!(["m,1,60", "m,,80"].contains(&lines[2]), "{half}");
}

#[test]
fn a_plan_whose_step_can_change_nothing_is_fine_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("toy.csv"), TOY).unwrap();
    let plan = "[data]\nfile = \"toy.csv\"\n[variables]\nage = { role = \"key\", kind = \"continuous\" }\n\
                [[step]]\nmask = \"rank-swap\"\non = [\"age\"]\nwindow = 0\nmissing = \"skip\"\n\
                [output]\nrelease = \"ungated\"\nfile = \"out.csv\"\n";
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let checked = run_expecting(folder.path(), &["check", "plan.toml"], 0);
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(
        said.contains("the step `rank-swap` changes nothing"),
        "{said}"
    );
    let checked = json(&run_expecting(
        folder.path(),
        &["check", "plan.toml", "--json"],
        0,
    ));
    assert_eq!(checked["idle"], serde_json::json!(["rank-swap"]));
    let run = stdout(&run_expecting(folder.path(), &["run", "plan.toml"], 0));
    assert!(run.contains("changed nothing in age"), "{run}");
}

#[test]
fn check_and_run_name_the_steps_that_are_switched_off() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("toy.csv"), TOY).unwrap();
    let plan = "[data]\nfile = \"toy.csv\"\n[variables]\nage = { role = \"key\", kind = \"continuous\" }\n\
                [[step]]\nmask = \"rank-swap\"\non = [\"age\"]\nwindow = 0.3\nmissing = \"skip\"\nname = \"try\"\noff = true\n\
                [output]\nrelease = \"ungated\"\nfile = \"out.csv\"\n";
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    let checked = run_expecting(folder.path(), &["check", "plan.toml"], 0);
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(
        said.contains("note: switched off: try (rank-swap)"),
        "{said}"
    );
    let checked = json(&run_expecting(
        folder.path(),
        &["check", "plan.toml", "--json"],
        0,
    ));
    assert_eq!(checked["switched_off"], serde_json::json!(["try"]));
    let run = stdout(&run_expecting(folder.path(), &["run", "plan.toml"], 0));
    assert!(run.contains("switched off: try (rank-swap)"), "{run}");
}
