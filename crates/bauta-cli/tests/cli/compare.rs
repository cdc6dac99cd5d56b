//! `bauta compare`: every measure, outliers, subpopulations; and `bauta reproduce`.

use std::path::Path;

use crate::support::{json, run_expecting, shared, stderr, stdout};

/// The measure with this id.
fn measure(found: &serde_json::Value, id: &str) -> serde_json::Value {
    let measures = found["measures"].as_array().expect("measures");
    let measure = measures.iter().find(|measure| measure["id"] == id);
    measure.unwrap_or_else(|| panic!("no {id}")).clone()
}

fn compared(folder: &Path, arguments: &[&str]) -> serde_json::Value {
    json(&run_expecting(folder, arguments, 0))
}

fn assert_near(what: &str, found: &serde_json::Value, expected: f64) {
    let found = found
        .as_f64()
        .unwrap_or_else(|| panic!("{what} has no value"));
    let slack = 1e-9 * expected.abs() + 1e-12;
    assert!(
        (found - expected).abs() <= slack,
        "{what}: {found}, not {expected}"
    );
}

/// Every figure of golden/census/golden.json that a comparison gives, for all four masked files.
/// Linkage is not what is looked at here, and an assignment takes the longest of all in a test build.
const QUICK: &str = "assignment=greedy";

#[test]
fn compare_gives_every_golden_figure_of_the_masked_census_files() {
    let (Some(original), Some(golden)) = (
        shared("data/census.csv"),
        shared("golden/census/golden.json"),
    ) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(golden).unwrap();
    let golden: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (name, expected) in golden["census_files"].as_object().unwrap() {
        let masked = shared(&format!("golden/census/{name}")).unwrap();
        let files = [original.to_str().unwrap(), masked.to_str().unwrap()];
        let own = [
            "compare",
            files[0],
            files[1],
            "--outliers",
            "0.05",
            "--set",
            QUICK,
            "--json",
        ];
        let own = compared(folder.path(), &own);
        let yancey = &expected["seed004"];
        for (id, figure) in [
            ("il1-symmetric", "IL1"),
            ("il1s", "IL1s"),
            ("il2", "IL2"),
            ("il3", "IL3"),
            ("il4", "IL4"),
            ("il5", "IL5"),
            ("s0", "s0"),
            ("s1", "s1"),
            ("s2", "s2"),
        ] {
            let expected = yancey[figure].as_f64().unwrap();
            assert_near(
                &format!("{name} {id}"),
                &measure(&own, id)["value"],
                expected,
            );
        }
        let mateo_sanz = &expected["seed003"];
        for (id, figure, scale) in [
            ("il1", "IL1", 0.01),
            ("il1s", "IL1s", 1.0),
            ("interval-rank", "RID", 0.01),
            ("interval-sd", "SDID", 0.01),
        ] {
            let found = measure(&own, id);
            for (field, group) in [("value", "overall"), ("outliers", "outliers")] {
                let expected = mateo_sanz[figure][group].as_f64().unwrap() * scale;
                assert_near(&format!("{name} {id} {group}"), &found[field], expected);
            }
            // 54 of 1080 records are outliers, so that the two groups add up to the whole.
            let [all, outliers, rest] =
                ["value", "outliers", "rest"].map(|field| found[field].as_f64().unwrap());
            assert!((0.05 * outliers + 0.95 * rest - all).abs() < 1e-9, "{id}");
        }
        let nearest = [
            "compare",
            files[0],
            files[1],
            "--correspondence",
            "nearest",
            "--set",
            QUICK,
            "--json",
        ];
        let nearest = compared(folder.path(), &nearest);
        let sebe = &expected["seed000"];
        for (id, figure) in [
            ("il1", "IL1_nearest"),
            ("il", "IL"),
            ("dld", "DLD"),
            ("interval-rank", "ID"),
            ("score", "Score"),
        ] {
            let expected = sebe[figure].as_f64().unwrap() / 100.0;
            assert_near(
                &format!("{name} {id}"),
                &measure(&nearest, id)["value"],
                expected,
            );
        }
    }
}

/// Forty records of two variables, and a masked version that moves them.
fn two_files(folder: &Path) {
    let row = |i: usize, shift: usize| format!("{},{}\n", 10 * i + shift, (i * i) % 17 + shift);
    let rows =
        |shift: fn(usize) -> usize| -> String { (0..40).map(|i| row(i, shift(i))).collect() };
    std::fs::write(folder.join("x.csv"), format!("a,b\n{}", rows(|_| 0))).unwrap();
    std::fs::write(folder.join("z.csv"), format!("a,b\n{}", rows(|i| i % 3))).unwrap();
}

#[test]
fn a_loss_on_a_subpopulation_is_that_of_its_records_alone() {
    let folder = tempfile::tempdir().unwrap();
    two_files(folder.path());
    // The same records as files of their own: a = 10 i > 200 are the last 19.
    for name in ["x", "z"] {
        let text = std::fs::read_to_string(folder.path().join(format!("{name}.csv"))).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let part = format!("{}\n{}\n", lines[0], lines[22..].join("\n"));
        std::fs::write(folder.path().join(format!("{name}-part.csv")), part).unwrap();
    }
    let whole = ["compare", "x.csv", "z.csv", "--where", "a > 200", "--json"];
    let whole = compared(folder.path(), &whole);
    let part = ["compare", "x-part.csv", "z-part.csv", "--json"];
    let part = compared(folder.path(), &part);
    assert_eq!(whole["where"], "a > 200");
    for id in [
        "il1",
        "il1s",
        "il2",
        "il3",
        "il4",
        "il5",
        "kolmogorov-smirnov",
    ] {
        let expected = measure(&part, id)["value"].as_f64().unwrap();
        assert_near(id, &measure(&whole, id)["value"], expected);
    }
    // A risk looks for the same records in the whole file, which holds more to confuse them with.
    let dld = |found: &serde_json::Value| measure(found, "dld")["value"].as_f64().unwrap();
    assert!(dld(&whole) <= dld(&part));
}

/// Rates of an answer by the keys; the key itself is no number, and no measure of numbers sees it.
#[test]
fn rates_are_compared_by_keys_and_answers() {
    let folder = tempfile::tempdir().unwrap();
    // Two hundred of each sex, weights 1 and 2: 50 and 100 say yes, then 50 and 80.
    let file = |name: &str, n_yes: [usize; 2]| {
        let row = |i: usize| {
            let answer = if i / 2 < n_yes[i % 2] { "yes" } else { "no" };
            format!("{},{answer},{},{}\n", ["m", "w"][i % 2], i % 2 + 1, 3 * i)
        };
        let rows: String = (0..400).map(row).collect();
        let text = format!("sex,answer,weight,income\n{rows}");
        std::fs::write(folder.path().join(name), text).unwrap();
    };
    file("x.csv", [50, 100]);
    file("z.csv", [50, 80]);
    let asked = "compare x.csv z.csv --keys sex --sensitive answer --weight weight \
                 --set of=answer --by-variable --json";
    let asked: Vec<&str> = asked.split_whitespace().collect();
    let found = compared(folder.path(), &asked);
    let rates = measure(&found, "rates");
    // Women: 100/200 and 80/200. All: 250/600 and 210/600.
    assert_near("rates", &rates["value"], 0.1);
    assert_near("sex", &rates["by_variable"]["sex"], 0.1);
    assert_near("answer", &rates["by_variable"]["answer"], 4.0 / 60.0);
    let series = rates["series"].as_array().unwrap();
    let of_women = series
        .iter()
        .find(|series| series["name"] == "answer = yes by sex: masked");
    let point = &of_women.expect("the rates")["points"][1];
    assert_eq!(point["name"], "w");
    assert_near("women", &point["value"], 0.4);
    // Incomes are as they were, and so are the intervals of all estimates.
    assert_near(
        "overlap",
        &measure(&found, "weighted-estimates")["value"],
        1.0,
    );
    let numbers = compared(folder.path(), &["compare", "x.csv", "z.csv", "--json"]);
    let measures = numbers["measures"].as_array().unwrap();
    assert!(measures.iter().all(|measure| measure["id"] != "rates"));
}

/// A plan with two models of an answer by all else, and the record of its run: 600 people, whose incomes
/// are exchanged and whose ages are recoded.
fn planned_models(folder: &Path) -> serde_json::Value {
    let draw = |i: usize, salt: usize, m: usize| (i * i * 7 + i * salt * 13 + salt) % 101 % m;
    let row = |i: usize| {
        let (age, sex) = (
            ["old", "mid", "young"][draw(i, 3, 3)],
            ["f", "m"][draw(i, 5, 2)],
        );
        let ind = usize::from(draw(i, 7, 10) < 3 + draw(i, 3, 3));
        format!("{age},{sex},{ind},{}\n", 100 + draw(i, 11, 97))
    };
    let rows: String = (0..600).map(row).collect();
    std::fs::write(folder.join("x.csv"), format!("age,sex,ind,income\n{rows}")).unwrap();
    let plan = r#"[plan]
seed = 3
[data]
file = "x.csv"
[variables]
age = { role = "key" }
sex = { role = "key" }
ind = { role = "sensitive" }
income = { role = "other", kind = "continuous" }
[[step]]
mask = "rank-swap"
on = ["income"]
window = 0.2
[[step]]
mask = "recode"
on = ["age"]
map = { mid = "old" }
[[measure]]
use = ["logistic-regression"]
response = "ind"
[[measure]]
use = ["linear-regression"]
response = "income"
[output]
release = "ungated"
file = "z.csv"
record = "z.json"
"#;
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
    run_expecting(folder, &["run", "plan.toml"], 0);
    let record = std::fs::read_to_string(folder.join("z.json")).unwrap();
    serde_json::from_str(&record).unwrap()
}

/// Figures of a record and of `--json`, by their names.
fn figures(found: &serde_json::Value) -> Vec<(String, Option<u64>)> {
    let bits = |value: &serde_json::Value| value.as_f64().map(f64::to_bits);
    let figures = found["figures"].as_array().into_iter().flatten();
    let named = figures.map(|figure| {
        let file = figure["file"].as_str().map(|file| format!(", {file}"));
        let id = figure["id"].as_str().unwrap();
        (
            format!("{id}{}", file.unwrap_or_default()),
            bits(&figure["value"]),
        )
    });
    let parts = found["parts"].as_object().into_iter().flatten();
    let mut all: Vec<_> = named
        .chain(parts.map(|(name, value)| (name.clone(), bits(value))))
        .chain([("value".to_owned(), bits(&found["value"]))])
        .collect();
    all.sort();
    all
}

#[test]
fn models_are_those_of_a_plan_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    let record = planned_models(folder.path());
    let of_plan = |id: &str| {
        let measures = record["measures"].as_array().unwrap();
        let found = measures.iter().find(|measure| measure["id"] == id);
        found.expect("it was measured")["after"].clone()
    };
    let ask = |options: &str| {
        let line = format!("compare x.csv z.csv {options} --json");
        compared(folder.path(), &line.split_whitespace().collect::<Vec<_>>())
    };
    // The answer is a sensitive one; or it is a column of 0 and 1 that nobody named; or nothing is a number.
    let all = ["age", "sex", "ind", "income"];
    for (options, id, on) in [
        (
            "--keys age,sex --sensitive ind --set response=ind",
            "logistic-regression",
            all.to_vec(),
        ),
        (
            "--keys age,sex --set response=ind",
            "logistic-regression",
            all.to_vec(),
        ),
        (
            "--keys age,sex --sensitive ind --set response=income",
            "linear-regression",
            all.to_vec(),
        ),
    ] {
        let found = measure(&ask(options), id);
        assert_eq!(found["on"], serde_json::json!(on), "{options}");
        assert_eq!(figures(&found), figures(&of_plan(id)), "{options}");
        assert!(figures(&found).len() > 5, "{options}");
    }
    // Where all that explains is categorical, nothing else is left to compare.
    let without_numbers = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).unwrap();
        let rows = text.lines().map(|row| row.rsplit_once(',').unwrap().0);
        std::fs::write(
            folder.path().join(name),
            rows.collect::<Vec<_>>().join("\n") + "\n",
        )
        .unwrap();
    };
    without_numbers("x.csv");
    without_numbers("z.csv");
    let found = ask("--keys age,sex --sensitive ind --set response=ind");
    assert_eq!(
        measure(&found, "logistic-regression")["on"],
        serde_json::json!(["age", "sex", "ind"])
    );
    assert!(measure(&found, "logistic-regression")["value"].is_number());
}

#[test]
fn a_setting_that_no_measure_uses_is_refused_with_the_reasons() {
    let folder = tempfile::tempdir().unwrap();
    two_files(folder.path());
    for (options, reasons) in [
        (
            "--set of=a",
            &["`of`", "rates: it needs --keys or --sensitive"][..],
        ),
        ("--set k=3", &["`k`", "k-anonymity: it needs --keys"]),
        ("--set links=all --on a", &[]),
        // All at once.
        (
            "--set of=a --set k=3 --set lnks=all",
            &["`of`", "`k`", "`lnks`", "did you mean `links`?"],
        ),
        (
            "--on a --set response=a",
            &[
                "`response`",
                "logistic-regression: `a` does not hold categories",
                "linear-regression: the model has no predictor",
            ],
        ),
        (
            "--set errors=robust",
            &[
                "`errors`",
                "linear-regression: it must be told `--set response=…`",
            ],
        ),
    ] {
        let line = format!("compare x.csv z.csv {options}");
        let arguments: Vec<&str> = line.split_whitespace().collect();
        let code = if reasons.is_empty() { 0 } else { 2 };
        let told = stderr(&run_expecting(folder.path(), &arguments, code));
        for reason in reasons {
            assert!(told.contains(reason), "{options}: {told}");
        }
    }
    // A model that the data do not allow says so, beside one that they do.
    let line = "compare x.csv z.csv --set response=b";
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let output = run_expecting(folder.path(), &arguments, 0);
    assert!(stdout(&output).contains("| linear-regression"));
    assert!(stderr(&output).contains("logistic-regression was not measured"));
}

#[test]
fn outliers_stand_beside_the_rest_in_the_table() {
    let folder = tempfile::tempdir().unwrap();
    two_files(folder.path());
    let arguments = ["compare", "x.csv", "z.csv", "--outliers", "0.1"];
    let table = stdout(&run_expecting(folder.path(), &arguments, 0));
    assert!(
        table.contains("outliers") && table.contains("rest"),
        "{table}"
    );
    for id in ["il1", "il3", "dld", "interval-rank", "score", "hellinger"] {
        // With its one figure behind it, or with its figures below it.
        let alone = table.contains(&format!("| {id}: "));
        assert!(
            alone || table.contains(&format!("| {id} ")),
            "{id} in {table}"
        );
    }
}

/// A loss of one record, beside the masked file, is its original value.
#[test]
fn figures_of_few_records_are_not_on_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    two_files(folder.path());
    // a = 10 i: one record lies above 380, nine above 300, ten above 290. Four of 40 are outliers.
    let values = |arguments: &[&str], figure: &str| -> Vec<serde_json::Value> {
        let files = ["compare", "x.csv", "z.csv", "--json"];
        let found = compared(folder.path(), &[&files[..], arguments].concat());
        ["il1", "il1s", "il2", "interval-rank"]
            .map(|id| measure(&found, id)[figure].clone())
            .to_vec()
    };
    let is_told = |values: Vec<serde_json::Value>| -> Vec<bool> {
        values.iter().map(serde_json::Value::is_number).collect()
    };
    assert_eq!(
        is_told(values(&["--where", "a > 300"], "value")),
        [false; 4]
    );
    assert_eq!(is_told(values(&["--where", "a > 290"], "value")), [true; 4]);
    let outliers = |figure: &str| values(&["--outliers", "0.1"], figure);
    assert!(is_told(outliers("outliers")).iter().all(|told| !told));
    assert_eq!(is_told(outliers("value")), [true; 4]);
    let arguments = ["compare", "x.csv", "z.csv", "--where", "a > 300"];
    let table = stdout(&run_expecting(folder.path(), &arguments, 0));
    let said = "figures of fewer than 10 records are not shown";
    assert!(table.contains(said), "{table}");
}

#[test]
fn wrong_conditions_and_shares_are_told_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    two_files(folder.path());
    for (option, value, words) in [
        ("--where", "a >", "value should follow"),
        ("--outliers", "5", "share between 0 and 1"),
        ("--sample", "1", "2"),
        ("--where", "c > 1", "no variable of the file"),
        ("--where", "a > 1e9", "no record satisfies"),
        ("--set", "lnks=all", "did you mean `links`"),
        ("--set", "links=some", "links"),
    ] {
        let arguments = ["compare", "x.csv", "z.csv", option, value];
        let told = stderr(&run_expecting(folder.path(), &arguments, 2));
        assert!(told.contains(words), "{told}");
    }
    std::fs::write(folder.path().join("short.csv"), "a,b\n1,2\n").unwrap();
    let arguments = ["compare", "x.csv", "short.csv", "--correspondence", "own"];
    let told = stderr(&run_expecting(folder.path(), &arguments, 2));
    assert!(told.contains("original of its own"), "{told}");
}

#[test]
fn all_variables_with_missing_values_are_named_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "a,b\n1,\n,2\n3,4\n").unwrap();
    std::fs::write(folder.path().join("z.csv"), "a,b\n1,1\n2,2\n3,4\n").unwrap();
    let told = stderr(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv"],
        2,
    ));
    assert!(
        told.contains("`a` has 1") && told.contains("`b` has 1"),
        "{told}"
    );
    let skipping = ["compare", "x.csv", "z.csv", "--skip-missing", "--json"];
    let found = compared(folder.path(), &skipping);
    assert_near("il1s", &measure(&found, "il1s")["value"], 0.0);
}

#[test]
fn a_paper_with_simulated_records_needs_no_data() {
    let folder = tempfile::tempdir().unwrap();
    let truta = ["reproduce", "truta-2004", "--seed", "1", "-o", "truta"];
    run_expecting(folder.path(), &truta, 0);
    let text = std::fs::read_to_string(folder.path().join("truta/README.md")).unwrap();
    // 13 + 12 + 12 + 7 + 7 settings on three files.
    // Three more are lines of the summary at the head.
    assert_eq!(text.matches("\n| Figure 4.").count(), 3 * 37 + 3);
    assert!(text.contains("age and zip alone give more, and it stays as it is | holds"));
    assert!(folder.path().join("truta/figure-3-n25000.svg").is_file());
    // The page holds the pictures itself, three sizes side by side, and says the same at its head.
    let page = std::fs::read_to_string(folder.path().join("truta/truta-2004.html")).unwrap();
    assert_eq!(page.matches("<div class=\"charts three\">").count(), 5);
    assert_eq!(page.matches("<figure>").count(), 15);
    assert!(page.contains("disclosure risk, a fraction of the records"));
    assert!(
        text.contains("| Figure 4.2 | 1 sentence | 1 | 0 |"),
        "{text}"
    );
    let yancey = run_expecting(folder.path(), &["reproduce", "yancey-2002"], 2);
    assert!(stderr(&yancey).contains("--data"));
}

#[test]
fn the_nine_records_of_a_paper_come_out_cell_by_cell() {
    let folder = tempfile::tempdir().unwrap();
    let text = stdout(&run_expecting(
        folder.path(),
        &["reproduce", "bergeat-2015"],
        0,
    ));
    for line in [
        "| Figure 2 | 36 cells | 36 | 0 |",
        "| Figure 3 | 24 cells | 24 | 0 |",
        "| Male | 25-49 | beef stew | 2900 |",
        "| Household size | 10 | 2296 | 2337 |",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn all_papers_need_their_files_before_the_first_begins() {
    let folder = tempfile::tempdir().unwrap();
    let without = stderr(&run_expecting(folder.path(), &["reproduce", "all"], 2));
    assert!(without.contains("--data"), "{without}");
    let absent = ["reproduce", "all", "--data", "nowhere", "-o", "pages"];
    let told = stderr(&run_expecting(folder.path(), &absent, 2));
    assert!(told.contains("census.csv"), "{told}");
    assert!(!folder.path().join("pages").exists());
    let other = stderr(&run_expecting(
        folder.path(),
        &["reproduce", "nobody-1999"],
        2,
    ));
    assert!(
        other.contains("bergeat-2015") && other.contains("all"),
        "{other}"
    );
}

#[test]
fn the_papers_are_reproduced() {
    let Some(data) = shared("data") else {
        return;
    };
    let data = data.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    // Linkage of a fifth of CENSUS, under two seeds: what is printed beside it stays the same.
    let census = std::fs::read_to_string(format!("{data}/census.csv")).unwrap();
    let some: Vec<&str> = census.lines().take(201).collect();
    std::fs::create_dir(folder.path().join("some")).unwrap();
    std::fs::write(folder.path().join("some/census.csv"), some.join("\n")).unwrap();
    let yancey = ["reproduce", "yancey-2002", "--data", "some", "--seeds", "2"];
    let small = [&yancey[..], &["--records", "2000"]].concat();
    let tables = stdout(&run_expecting(folder.path(), &small, 0));
    for part in [
        "| scalmixadd20 | s2 | 0.072 |",
        "13 are misprints",
        "## Table 2, l metric",
        "Of the 78 printed scores 11 do not follow",
        "a generated file of 2000 records",
        "## Table 9",
    ] {
        assert!(tables.contains(part), "{part}: {tables}");
    }
    let too_small = [&yancey[..], &["--records", "100"]].concat();
    run_expecting(folder.path(), &too_small, 2);
    let mateo_sanz = [
        "reproduce",
        "mateo-sanz-2004",
        "--data",
        data,
        "-o",
        "figures",
    ];
    run_expecting(folder.path(), &mateo_sanz, 0);
    let text = std::fs::read_to_string(folder.path().join("figures/README.md")).unwrap();
    // 70 settings on two files, and the sentence on resampling that everyone remembers.
    assert_eq!(
        text.matches("\n| CENSUS | ").count() + text.matches("\n| EIA | ").count(),
        140
    );
    assert!(text.contains("resampling has the highest SDID | holds"));
    let figure = std::fs::read_to_string(folder.path().join("figures/figure-10.svg")).unwrap();
    assert!(figure.starts_with("<svg xmlns=") && figure.contains("M20"));
    let absent = ["reproduce", "yancey-2002", "--data", "nowhere"];
    let told = stderr(&run_expecting(folder.path(), &absent, 2));
    assert!(told.contains("census.csv"), "{told}");
}

/// Categories that were recoded, a number that became intervals, and deleted records have losses of their own.
#[test]
fn losses_of_categories_cover_what_was_recoded_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let mut original = "id,job,age,note\n".to_owned();
    let mut masked = "id,job,age,note\n".to_owned();
    for (id, job) in "aabbcccccc".chars().enumerate() {
        original += &format!("{id},{job},{},{}\n", 20 + id, id % 3);
        if id < 8 {
            let job = if job == 'c' { "c" } else { "ab" };
            let age = if id < 4 { "young" } else { "old" };
            masked += &format!("{id},{job},{age},{}\n", id % 3);
        }
    }
    std::fs::write(folder.path().join("x.csv"), original).unwrap();
    std::fs::write(folder.path().join("z.csv"), masked).unwrap();
    let line = "compare x.csv z.csv --id id --keys job --by-variable --json";
    let arguments: Vec<&str> = line.split_whitespace().collect();
    let found = compared(folder.path(), &arguments);
    // Of the 8 records left, a a b b c c c c have 12 bits, of which merging a and b takes 4; 8 different ages have 3 bits
    // each, of which two halves take 2.
    let recoding = measure(&found, "recoding-loss");
    assert_eq!(recoding["on"], serde_json::json!(["job", "age"]));
    assert_near("recoding-loss", &recoding["value"], 0.5);
    // A fifth of the records is gone: 0.2 + 0.8 (1/3 + 2/3)/2.
    let file = measure(&found, "file-loss");
    assert_near("file-loss", &file["value"], 0.6);
    // At the coarser level ab has 4 of 10 and then 4 of 8.
    assert_near(
        "shares",
        &measure(&found, "category-distance")["value"],
        0.1,
    );
    assert_near("kappa", &measure(&found, "kappa")["value"], 1.0);
    let cells = measure(&found, "suppressed-cells");
    assert_near("cells", &cells["value"], 0.0);
    assert_near("records", &cells["parts"]["records_deleted"], 2.0);
}
