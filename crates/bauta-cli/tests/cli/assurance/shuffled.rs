//! A masked file in another order than its original is not compared row by row as if nobody could be linked.

use std::path::Path;

use crate::support::{json, run, run_expecting, shared, stderr, stdout};

/// Three hundred people, with an id, a region by which they are sorted, and two numbers.
fn people() -> Vec<[String; 4]> {
    let draw = |i: usize, salt: usize| (i * i * 7919 + i * salt * 104_729 + salt) % 9_973;
    let person = |i: usize| {
        let region = ["north", "south", "west"][i / 100];
        let (age, income) = (18 + draw(i, 3) % 70, 900 + draw(i, 17));
        [
            i.to_string(),
            region.to_owned(),
            age.to_string(),
            income.to_string(),
        ]
    };
    (0..300).map(person).collect()
}

fn write(folder: &Path, name: &str, people: &[[String; 4]]) {
    let rows: String = people
        .iter()
        .map(|person| person.join(",") + "\n")
        .collect();
    std::fs::write(folder.join(name), format!("id,region,age,income\n{rows}")).unwrap();
}

/// The people in another order: 0, 7, 14, … of 300.
fn shuffled(people: &[[String; 4]]) -> Vec<[String; 4]> {
    (0..people.len())
        .map(|i| people[i * 7 % people.len()].clone())
        .collect()
}

fn figure(found: &serde_json::Value, id: &str) -> f64 {
    let measures = found["measures"].as_array().unwrap();
    let measure = measures.iter().find(|measure| measure["id"] == id).unwrap();
    measure["value"].as_f64().unwrap()
}

#[test]
fn a_shuffled_copy_is_refused_and_every_way_out_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let people = people();
    write(folder.path(), "x.csv", &people);
    write(folder.path(), "z.csv", &shuffled(&people));
    let told = stderr(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv"],
        2,
    ));
    for words in [
        "z.csv",
        "x.csv",
        "the same combinations of id, income, age, region stand in other rows",
        "300 records are alone with theirs",
        "--id",
        "record",
        "--by-row",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    // By id every record is linked; by row, which must be asked for, hardly any, and the line says so.
    let numbers = ["--on", "age,income", "--json"];
    let by_id = ["compare", "x.csv", "z.csv", "--id", "id"];
    let found = json(&run_expecting(
        folder.path(),
        &[&by_id[..], &numbers].concat(),
        0,
    ));
    assert_eq!(found["pairing"]["by"], "id");
    assert!(figure(&found, "dld") > 0.6, "{found}");
    assert!(figure(&found, "il1s").abs() < 1e-12);
    let by_row = ["compare", "x.csv", "z.csv", "--by-row"];
    let found = json(&run_expecting(
        folder.path(),
        &[&by_row[..], &numbers].concat(),
        0,
    ));
    assert_eq!(found["pairing"]["by"], "row");
    assert_eq!(found["pairing"]["verdict"], "contradicted");
    assert!(figure(&found, "dld") < 0.05, "{found}");
    let table = stdout(&run_expecting(folder.path(), &by_row, 0));
    assert!(table.contains("only because --by-row says so"), "{table}");
}

#[test]
fn sorted_and_masked_files_are_caught_too() {
    let folder = tempfile::tempdir().unwrap();
    let people = people();
    write(folder.path(), "x.csv", &people);
    // Sorted by age within the regions, which stand in place.
    let mut sorted = people.clone();
    sorted.sort_by_key(|person| (person[1].clone(), person[2].clone()));
    assert!(sorted.iter().zip(&people).all(|(a, b)| a[1] == b[1]));
    write(folder.path(), "sorted.csv", &sorted);
    run_expecting(folder.path(), &["compare", "x.csv", "sorted.csv"], 2);
    // Masked in every number, without an id, and sorted by income: nothing is the same any more.
    let mut masked = people.clone();
    for (i, person) in masked.iter_mut().enumerate() {
        let income: usize = person[3].parse().unwrap();
        person[3] = (income + 100 * (i * i % 11)).to_string();
        person[2] = (person[2].parse::<usize>().unwrap() + i % 3).to_string();
        person[0] = format!("{}", 1000 + i);
    }
    write(folder.path(), "masked.csv", &masked);
    let found = json(&run_expecting(
        folder.path(),
        &[
            "compare",
            "x.csv",
            "masked.csv",
            "--on",
            "age,income",
            "--json",
        ],
        0,
    ));
    assert_eq!(
        found["pairing"]["verdict"], "plausible",
        "{}",
        found["pairing"]
    );
    masked.sort_by_key(|person| person[3].parse::<usize>().unwrap());
    write(folder.path(), "masked.csv", &masked);
    let output = run_expecting(folder.path(), &["compare", "x.csv", "masked.csv"], 2);
    assert!(
        stderr(&output).contains("stand in other rows") || stderr(&output).contains("not nearer")
    );
}

#[test]
fn what_the_files_do_not_tell_is_said_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "a\n1\n2\n3\n4\n").unwrap();
    std::fs::write(folder.path().join("z.csv"), "a\n2\n3\n4\n5\n").unwrap();
    let table = stdout(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv"],
        0,
    ));
    assert!(
        table.contains("nothing shows that rows correspond"),
        "{table}"
    );
    let found = json(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv", "--json"],
        0,
    ));
    assert_eq!(found["pairing"]["verdict"], "undecided");
    assert_eq!(found["records"], "correspond");
}

#[test]
fn ids_that_do_not_pair_are_counted_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("x.csv", "id,w,v\nCANARY,1,1\nCANARY,2,2\nc,1,4\n,2,5\n");
    write("z.csv", "id,w,v\nc,1,4\nCANARYTOO,1,1\nCANARY,2,2\n");
    let told = stderr(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv", "--id", "id"],
        2,
    ));
    for words in [
        "x.csv: 1 records have no `id`",
        "x.csv: 2 records share their `id`",
        "z.csv: 1 records have a `id` that no record of x.csv has",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert!(!told.contains("CANARY"), "{told}");
    // Several variables are one id together; those of the original that are gone are counted.
    write("x.csv", "id,w,v\na,1,1\na,2,2\nc,1,4\nc,2,5\n");
    write("z.csv", "id,w,v\nc,1,4\na,2,2\n");
    let arguments = ["compare", "x.csv", "z.csv", "--id", "id,w", "--json"];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    assert_eq!(found["pairing"]["not_in_masked"], 2);
    assert_eq!(found["variables"], serde_json::json!(["v"]));
    assert!(figure(&found, "il1s").abs() < 1e-12);
    let arguments = ["compare", "x.csv", "z.csv", "--id", "idd,ww"];
    let told = stderr(&run_expecting(folder.path(), &arguments, 2));
    assert!(told.contains("`idd`") && told.contains("`ww`"), "{told}");
}

/// A plan that deletes a tenth of the people, adds noise and shuffles.
const PLAN: &str = r#"[plan]
seed = 5
[data]
file = "x.csv"
[variables]
id = { role = "identifier" }
region = { role = "key" }
age = { role = "other", kind = "continuous" }
income = { role = "other", kind = "continuous" }
[[step]]
mask = "drop-identifiers"
[[step]]
mask = "sample"
share = 0.9
[[step]]
mask = "noise-additive"
on = ["age", "income"]
share = 0.1
[[measure]]
use = ["il1s", "dld"]
[[gate]]
measure = "dld"
at_most = 0.99
[output]
file = "z.csv"
record = "z.record.json"
shuffle = true
"#;

#[test]
fn the_record_of_a_run_pairs_its_files_though_they_were_shuffled() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "x.csv", &people());
    std::fs::write(folder.path().join("plan.toml"), PLAN).unwrap();
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    let record = std::fs::read_to_string(folder.path().join("z.record.json")).unwrap();
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    let arguments = ["compare", "z.record.json", "--on", "age,income", "--json"];
    let found = json(&run_expecting(folder.path(), &arguments, 0));
    assert_eq!(found["pairing"]["by"], "run");
    assert_eq!(found["pairing"]["not_in_masked"], 30);
    for (id, measure) in ["il1s", "dld"]
        .iter()
        .zip(record["measures"].as_array().unwrap())
    {
        let of_run = measure["after"]["value"].as_f64().unwrap();
        let slack = 1e-9 * of_run.abs();
        assert!((figure(&found, id) - of_run).abs() <= slack, "{id}");
    }
    let table = stdout(&run_expecting(
        folder.path(),
        &["compare", "z.record.json"],
        0,
    ));
    assert!(table.contains("paired as the run made them"), "{table}");
    // The two files alone differ in length, and nothing is taken by record.
    let found = json(&run_expecting(
        folder.path(),
        &["compare", "x.csv", "z.csv", "--json"],
        0,
    ));
    assert_eq!(found["records"], "unrelated");
    // Files that are not those of the run are refused, and so are words about two files.
    let arguments = ["compare", "z.record.json", "--delimiter", ";"];
    assert!(stderr(&run_expecting(folder.path(), &arguments, 2)).contains("--delimiter"));
    let released = std::fs::read_to_string(folder.path().join("z.csv")).unwrap();
    let mut rows: Vec<&str> = released.lines().collect();
    rows[1..].reverse();
    std::fs::write(folder.path().join("z.csv"), rows.join("\n") + "\n").unwrap();
    let told = stderr(&run_expecting(
        folder.path(),
        &["compare", "z.record.json"],
        2,
    ));
    assert!(told.contains("changed since the run"), "{told}");
}

#[test]
fn synthetic_records_are_not_paired_even_by_the_record_of_their_run() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "x.csv", &people());
    let (before, after) = PLAN.split_once("[[step]]\nmask = \"sample\"").unwrap();
    let (_, after) = after.split_once("[[measure]]").unwrap();
    let plan = format!(
        "{before}[[step]]\nmask = \"synth-normal\"\non = [\"age\", \"income\"]\n[[measure]]{}",
        after.replace("\"il1s\", ", "")
    );
    std::fs::write(folder.path().join("plan.toml"), plan).unwrap();
    run_expecting(folder.path(), &["run", "plan.toml"], 0);
    let found = json(&run_expecting(
        folder.path(),
        &["compare", "z.record.json", "--json"],
        0,
    ));
    assert_eq!(found["records"], "unrelated");
    let said = found["pairing"]["said"].as_str().unwrap();
    assert!(said.contains("cannot be traced"), "{said}");
}

#[test]
fn a_file_of_data_is_no_record_and_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("x.csv"), "name,v\nCANARY,1\nCANARY,2\n").unwrap();
    let told = stderr(&run_expecting(folder.path(), &["compare", "x.csv"], 2));
    assert!(told.contains("is not a run record"), "{told}");
    assert!(!told.contains("CANARY"), "{told}");
}

/// The masked files of the field, as they are and in other orders.
#[test]
fn reference_files_are_accepted_in_their_order_and_in_no_other() {
    let Some(original) = shared("data/census.csv") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let verdict = |masked: &Path| {
        let files = [original.to_str().unwrap(), masked.to_str().unwrap()];
        let arguments = [
            "compare",
            files[0],
            files[1],
            "--on",
            "AGI,FEDTAX",
            // An assignment takes the longest of all in a test build.
            "--set",
            "assignment=greedy",
            "--json",
        ];
        let output = run(folder.path(), &arguments);
        let found = json(&output);
        found["pairing"]["verdict"].as_str().map_or_else(
            || {
                let said = found["errors"][0]["message"].as_str().unwrap();
                assert!(said.contains("do not seem to be those of"), "{said}");
                "refused".to_owned()
            },
            str::to_owned,
        )
    };
    for name in ["add10", "jpeg50", "md_445_k10", "rankswap14"] {
        let masked = shared(&format!("golden/census/census_{name}.csv")).unwrap();
        assert_eq!(verdict(&masked), "plausible", "{name}");
        let text = std::fs::read_to_string(&masked).unwrap();
        let (header, rows) = text.split_once('\n').unwrap();
        let rows: Vec<&str> = rows.lines().collect();
        // 1,080 and 7 have no common divisor.
        let shuffled = (0..rows.len()).map(|i| rows[i * 7 % rows.len()]).collect();
        let reversed = rows.iter().rev().copied().collect();
        let mut sorted = rows.clone();
        let agi = |row: &&str| row.split(',').nth(1).unwrap().parse::<f64>().unwrap();
        sorted.sort_by(|a, b| agi(a).total_cmp(&agi(b)));
        for (order, rows) in [
            ("shuffled", shuffled),
            ("reversed", reversed),
            ("sorted", sorted),
        ] {
            let rows: Vec<&str> = rows;
            let copy = folder.path().join("copy.csv");
            std::fs::write(&copy, format!("{header}\n{}\n", rows.join("\n"))).unwrap();
            assert_eq!(verdict(&copy), "refused", "{name}, {order}");
        }
    }
}
