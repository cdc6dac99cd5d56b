//! Advice: every combination of answers on every kind of file.

use std::path::Path;

use bauta_data::Unwatched;
use bauta_data::survey::survey_csv;
use bauta_plan::run::{RunOptions, run};
use bauta_plan::work::Reading;
use bauta_plan::work::advise::{
    Advised, Answers, QUESTIONS, advise, bounds_table, needs_table, questions_text,
};
use bauta_plan::work::init::propose;
use bauta_plan::work::inspect::{Inspected, inspect};
use bauta_plan::{Plan, RunRecord, check_text};
use sha2::{Digest as _, Sha256};

use crate::support::{Patience, Plain, fine};

/// Files of which each lacks something that others have.
fn files() -> Vec<(&'static str, String)> {
    let rows = |header: &str, row: &dyn Fn(usize) -> String| {
        let rows: String = (0..200).map(|i| format!("{}\n", row(i))).collect();
        format!("{header}\n{rows}")
    };
    let survey = String::from_utf8(survey_csv(600, 3)).unwrap();
    vec![
        ("survey", survey),
        (
            "numbers",
            rows("income,savings,rent", &|i| {
                format!(
                    "{}.5,{}.25,{}.75",
                    900 + i * i % 977,
                    i * 31 % 811,
                    300 + i * 7
                )
            }),
        ),
        (
            "categories",
            rows("sex,region,job,illness", &|i| {
                let region = ["north", "south", "east"][i * i % 3];
                format!(
                    "{},{region},j{},{}",
                    ["f", "m"][i % 2],
                    i % 17,
                    ["a", "b", "c"][i % 3]
                )
            }),
        ),
        (
            "households",
            rows("hid,sex,age,region,income,w", &|i| {
                let (household, age) = (i / 3, i * 7 % 90);
                format!(
                    "{household},{},{age},{},{}.5,{}.5",
                    ["f", "m"][i % 2],
                    ["north", "south"][household % 2],
                    1000 + i * 13,
                    5 + i % 3
                )
            }),
        ),
        (
            "dates",
            rows("name,born,sex,diagnosis", &|i| {
                let (year, month, day) = (1930 + i % 80, 1 + i % 12, 1 + i % 28);
                format!(
                    "N{i},{year}-{month:02}-{day:02},{},d{}",
                    ["f", "m"][i % 2],
                    i % 4
                )
            }),
        ),
        (
            "no keys",
            rows("diagnosis,threat,ind", &|i| {
                format!("d{},{},{}", i * i % 23, usize::from(i % 19 == 0), i % 3)
            }),
        ),
        (
            "few records",
            "sex,region,income\nf,north,1.5\nm,south,2.5\nf,south,3.5\nm,north,4.5\n\
             f,north,5.5\nm,south,6.5\nf,south,7.5\nm,north,8.5\n"
                .to_owned(),
        ),
        ("tiny", "sex,age\nf,20\nm,30\n".to_owned()),
    ]
}

/// Thirty regions of five records each: every one of them is rare, and what remains is one category.
fn all_rare() -> String {
    let ends = ["lder", "rook", "stone", "wich", "ham"];
    let row = |i: usize| {
        let (first, end) = ("abcdef".as_bytes()[i % 6] as char, ends[i / 6 % 5]);
        format!("{first}{end},{}.5\n", 1000 + i * i % 977)
    };
    let rows: String = (0..150).map(row).collect();
    format!("region,income\n{rows}")
}

/// The same beside a key of two values, which nothing happens to: on average, half of the categories is left.
fn one_rare() -> String {
    let text = all_rare();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let rows = lines.enumerate();
    let rows = rows.map(|(i, line)| format!("{},{line}\n", ["f", "m"][i % 2]));
    format!("sex,{header}\n{}", rows.collect::<String>())
}

/// Each record lacks one of three keys and is alone with the other two: all of its cells are blanked.
fn all_alone() -> String {
    let letter = |i: usize| "abcdefghijklmnopqrst".as_bytes()[i % 20] as char;
    let row = |i: usize| {
        let mut cells = [
            format!("s{}", letter(i)),
            format!("north{}", letter(i * 7)),
            format!("cook{}", letter(i * 3)),
        ];
        cells[i % 3].clear();
        format!("{}\n", cells.join(","))
    };
    let rows: String = (0..60).map(row).collect();
    format!("sex,region,job\n{rows}")
}

/// Each option of a question alone, neighbours in pairs, and all together.
fn choices(question: usize) -> Vec<Vec<&'static str>> {
    let ids: Vec<&str> = QUESTIONS[question]
        .options
        .iter()
        .map(|option| option.id)
        .collect();
    let mut out: Vec<Vec<&str>> = ids.iter().map(|id| vec![*id]).collect();
    out.extend(ids.windows(2).map(<[&str]>::to_vec));
    out.push(ids);
    out
}

fn answers(recipient: &str, needs: &[&str], intruders: &[&str]) -> Answers {
    Answers::of(&[
        ("recipient", vec![recipient]),
        ("needs", needs.to_vec()),
        ("intruder", intruders.to_vec()),
    ])
    .unwrap()
}

fn looked_at(folder: &Path, text: &str) -> Inspected {
    let file = folder.join("x.csv");
    std::fs::write(&file, text).unwrap();
    inspect(&file, &Reading::default(), &Unwatched).unwrap()
}

fn advised(folder: &Path, inspected: &Inspected, answers: &Answers) -> Advised {
    let (file, plan) = (folder.join("x.csv"), folder.join("plan.toml"));
    let inspected = inspected.clone();
    advise(
        &file,
        &plan,
        Some(7),
        &Reading::default(),
        inspected,
        answers,
    )
}

/// Each plan passes the checker, has gates, and gives a reason for each of its parts.
#[test]
fn every_combination_of_answers_gives_a_plan_that_is_fine() {
    for (name, text) in files() {
        let folder = tempfile::tempdir().unwrap();
        let inspected = looked_at(folder.path(), &text);
        for recipient in QUESTIONS[0].options {
            for needs in choices(1) {
                for intruders in choices(2) {
                    let answers = answers(recipient.id, &needs, &intruders);
                    let advised = advised(folder.path(), &inspected, &answers);
                    let text = &advised.proposed.text;
                    let checked = check_text(text, "plan.toml", folder.path());
                    let about = format!("{name}: {answers:?}");
                    assert!(
                        checked.is_ok(),
                        "{about}\n{:#?}\n{text}",
                        checked.as_ref().err()
                    );
                    let draft = &advised.proposed.draft;
                    assert!(!draft.gates.is_empty(), "{about}");
                    let n_parts = draft.scenarios.len() + draft.steps.len() + draft.gates.len();
                    assert!(advised.because.len() >= n_parts, "{about}");
                }
            }
        }
    }
}

/// The plan with its steps comes to a verdict on every file, and never releases one of a key of which nothing is left.
#[test]
fn plans_run_on_every_file_and_none_releases_what_says_nothing() {
    let wholly_lost = [
        ("all rare", all_rare()),
        ("one rare", one_rare()),
        ("all alone", all_alone()),
    ];
    for (name, text) in files().into_iter().skip(1).chain(wholly_lost.clone()) {
        let folder = tempfile::tempdir().unwrap();
        let inspected = looked_at(folder.path(), &text);
        for recipient in QUESTIONS[0].options {
            let answers = answers(recipient.id, &["means"], &["journalist"]);
            let advised = advised(folder.path(), &inspected, &answers);
            let record = run_plan(&fine(folder.path(), &advised.proposed.text));
            let about = format!("{name}: {}", recipient.id);
            let is_lost = wholly_lost.iter().any(|(lost, _)| *lost == name);
            if is_lost || name == "tiny" {
                assert!(record.released.is_none(), "{about}");
            }
            if is_lost {
                let mut gates = record.gates.iter().filter(|gate| !gate.passed);
                assert!(gates.any(|gate| gate.measure == "recoding-loss"), "{about}");
            }
        }
    }
}

/// Without its steps the plan of a raw file fails a gate, so that no gate is one which every file meets.
#[test]
fn a_raw_file_meets_the_gates_of_no_answer() {
    for (name, text) in files() {
        let folder = tempfile::tempdir().unwrap();
        let inspected = looked_at(folder.path(), &text);
        for recipient in QUESTIONS[0].options {
            let answers = answers(recipient.id, &["counts", "means"], &["register"]);
            let mut draft = advised(folder.path(), &inspected, &answers).proposed.draft;
            draft.steps.clear();
            let raw = bauta_plan::toml::write::write(&draft);
            let record = run_plan(&fine(folder.path(), &raw));
            assert!(record.released.is_none(), "{name}: {}", recipient.id);
        }
    }
}

/// Every gate has a figure to look at, and the file goes exactly where all of them hold.
#[test]
fn the_plan_of_each_recipient_judges_the_survey() {
    let folder = tempfile::tempdir().unwrap();
    let text = String::from_utf8(survey_csv(12_901, 20_150_129)).unwrap();
    let inspected = looked_at(folder.path(), &text);
    for recipient in QUESTIONS[0].options {
        let answers = answers(recipient.id, &["counts"], &["neighbour", "register"]);
        let advised = advised(folder.path(), &inspected, &answers);
        let record: RunRecord = run_plan(&fine(folder.path(), &advised.proposed.text));
        let without: Vec<_> = record
            .gates
            .iter()
            .filter(|gate| gate.found.is_none())
            .collect();
        assert!(without.is_empty(), "{}: {without:#?}", recipient.id);
        assert!(record.gates.len() >= 4, "{}", recipient.id);
        let all_hold = record.gates.iter().all(|gate| gate.passed);
        assert_eq!(record.released.is_some(), all_hold, "{}", recipient.id);
    }
}

#[test]
fn a_stricter_recipient_is_never_judged_more_leniently() {
    let folder = tempfile::tempdir().unwrap();
    let inspected = looked_at(folder.path(), &files()[3].1);
    let bounds = |recipient: &str| {
        let answers = answers(recipient, &["counts"], &["register", "household"]);
        let draft = advised(folder.path(), &inspected, &answers).proposed.draft;
        let gates = draft.gates.into_iter();
        let gates = gates.map(|gate| {
            let part = gate.part.map(|part| part.value.clone());
            let bound = gate.at_most.or_else(|| gate.at_least.map(|bound| -bound));
            ((gate.measure.value.clone(), part), bound.unwrap())
        });
        gates.collect::<std::collections::BTreeMap<_, _>>()
    };
    let order = ["public", "teaching", "scientific", "secure"];
    for pair in order.windows(2) {
        let (strict, mild) = (bounds(pair[0]), bounds(pair[1]));
        for (gate, bound) in mild {
            assert!(strict[&gate] <= bound, "{gate:?} of {}", pair[0]);
        }
    }
}

/// The hash is that of the plan before there was advice.
#[test]
fn a_plan_without_answers_is_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let inspected = looked_at(folder.path(), &files()[3].1);
    let (file, plan) = (folder.path().join("x.csv"), folder.path().join("plan.toml"));
    let proposed = propose(&file, &plan, None, &Reading::default(), inspected);
    let hash = Sha256::digest(proposed.text.as_bytes());
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        hash,
        "560390008c958e743c9f826a26bc8c4e68fea9bc1f878722ba046bbb602ff719"
    );
}

#[test]
fn the_page_of_advice_says_what_advice_does() {
    let page = include_str!("../../../../docs/concepts/advice.md");
    for table in [questions_text(), bounds_table(), needs_table()] {
        assert!(
            page.contains(table.trim_end()),
            "docs/concepts/advice.md lacks:\n{table}"
        );
    }
}

#[test]
fn every_reason_leads_to_a_page_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (_, text) in files() {
        let folder = tempfile::tempdir().unwrap();
        let inspected = looked_at(folder.path(), &text);
        let all = |question: usize| choices(question).pop().unwrap();
        let answers = answers("public", &all(1), &all(2));
        for because in advised(folder.path(), &inspected, &answers).because {
            let (page, anchor) = because.page.split_once('#').unwrap();
            let page = std::fs::read_to_string(root.join(page)).unwrap();
            let mut headings = page.lines().filter(|line| line.starts_with('#'));
            let is_it = |heading: &str| {
                let heading = heading.trim_start_matches(['#', ' ']).to_lowercase();
                heading.replace(' ', "-").replace(',', "") == anchor
            };
            assert!(headings.any(is_it), "{}", because.page);
        }
    }
}

fn run_plan(plan: &Plan) -> RunRecord {
    run(plan, RunOptions::default(), &Patience::default(), &Plain).unwrap()
}
