use bauta_plan::record::{Fate, SeedSource};
use bauta_plan::run::run;

use crate::support::{
    OUTPUT, Patience, Plain, VARIABLES, check, fine, folder, record_of, released, ungated,
};

const NOISE: &str = "[[step]]\nmask = \"noise-additive\"\non = [\"income\"]\nshare = 0.5\n";
const TOP: &str = "[[step]]\nmask = \"top-bottom\"\non = [\"age\"]\ntop = 22\n";

#[test]
fn a_run_records_what_it_did() {
    let folder = folder();
    let record = record_of(
        folder.path(),
        &format!("[plan]\nseed = 3\n{VARIABLES}{NOISE}{TOP}{OUTPUT}"),
    );
    assert_eq!((record.seed, record.seed_source), (3, SeedSource::Plan));
    assert_eq!(record.input.n_records, 30);
    let fate = |name: &str| {
        record
            .variables
            .iter()
            .find(|variable| variable.name == name)
            .unwrap()
            .fate
    };
    assert_eq!(fate("id"), Fate::Dropped);
    assert_eq!(fate("sex"), Fate::Untouched);
    assert_eq!(fate("income"), Fate::Masked);
    // Ages 20 to 23; the missing cells stay, and 23 becomes 22.
    let changed = record
        .variables
        .iter()
        .find(|variable| variable.name == "age")
        .unwrap()
        .n_changed;
    assert_eq!(
        changed,
        Some((0..30).filter(|i| i % 10 != 0 && i % 4 == 3).count() as u64)
    );
    let measures: Vec<&str> = record
        .measures
        .iter()
        .map(|measure| measure.id.as_str())
        .collect();
    // A plan that names no measure takes the usual ones.
    let all: Vec<&str> = bauta_methods::registry::MEASURES
        .iter()
        .filter(|measure| measure.declared().usual)
        .map(|measure| measure.card().id)
        .collect();
    assert_eq!(measures, all);
    let before = |id: &str| {
        let measure = record.measures.iter().find(|measure| measure.id == id);
        measure.unwrap().before.is_some()
    };
    assert!(before("k-anonymity") && !before("il1s"));
    let released = record.released.unwrap();
    let print =
        bauta_data::Fingerprint::of(std::fs::File::open(folder.path().join("out.csv")).unwrap())
            .unwrap();
    assert_eq!(released.sha256, print.sha256);
}

#[test]
fn adding_a_step_does_not_change_the_draws_of_another() {
    let folder = folder();
    let seeded = format!("[plan]\nseed = 3\n{VARIABLES}");
    record_of(folder.path(), &format!("{seeded}{NOISE}{OUTPUT}"));
    let alone = released(folder.path(), "income");
    record_of(folder.path(), &format!("{seeded}{TOP}{NOISE}{OUTPUT}"));
    assert_eq!(alone, released(folder.path(), "income"));
    // The same mask again on the same variable draws anew.
    record_of(folder.path(), &format!("{seeded}{NOISE}{NOISE}{OUTPUT}"));
    let twice = released(folder.path(), "income");
    let original: Vec<f64> = (0..30).map(|i| f64::from(100 + i * i)).collect();
    let number = |text: &String| text.parse::<f64>().unwrap();
    let doubled = alone
        .iter()
        .zip(&original)
        .map(|(once, x)| 2.0 * (number(once) - x) + x);
    assert!(
        twice
            .iter()
            .zip(doubled)
            .any(|(twice, doubled)| (number(twice) - doubled).abs() > 1e-6)
    );
}

#[test]
fn without_a_seed_the_input_gives_one() {
    let folder = folder();
    let text = format!("{VARIABLES}{NOISE}{OUTPUT}");
    let first = record_of(folder.path(), &text);
    assert_eq!(first.seed_source, SeedSource::InputFile);
    let once = released(folder.path(), "income");
    assert_eq!(
        record_of(folder.path(), &text).without_times(),
        first.clone().without_times()
    );
    assert_eq!(once, released(folder.path(), "income"));
    let mut data = std::fs::read_to_string(folder.path().join("x.csv")).unwrap();
    data.push_str("30,f,20,5,1\n");
    std::fs::write(folder.path().join("x.csv"), data).unwrap();
    assert_ne!(record_of(folder.path(), &text).seed, first.seed);
}

#[test]
fn shuffling_keeps_the_records_and_moves_them() {
    let folder = folder();
    let keep = "[[measure]]\nuse = []\n";
    record_of(
        folder.path(),
        &format!("[plan]\nseed = 1\n{VARIABLES}{keep}{OUTPUT}"),
    );
    let in_order = released(folder.path(), "income");
    record_of(
        folder.path(),
        &format!("[plan]\nseed = 1\n{VARIABLES}{keep}{OUTPUT}shuffle = true\n"),
    );
    let mut shuffled = released(folder.path(), "income");
    assert_ne!(in_order, shuffled);
    shuffled.sort_by_key(|text| text.parse::<u32>().unwrap());
    assert_eq!(in_order, shuffled);
}

#[test]
fn gates_decide_over_the_release() {
    let folder = folder();
    let gate =
        |bound: &str| format!("{VARIABLES}[[gate]]\nmeasure = \"k-anonymity\"\n{bound}\n{OUTPUT}");
    let held = record_of(folder.path(), &gate("at_least = 2"));
    assert!(held.passed() && held.released.is_some());
    std::fs::remove_file(folder.path().join("out.csv")).unwrap();
    let failed = record_of(folder.path(), &gate("part = \"classes\"\nat_most = 1"));
    assert!(!failed.passed() && failed.released.is_none());
    assert!(!folder.path().join("out.csv").exists());
    assert!(folder.path().join("out.record.json").exists());
    // A figure that the measure does not give is told before any record is read.
    let misspelt = gate("part = \"below_9\"\nat_most = 0");
    let problems = check(folder.path(), &misspelt).err().unwrap();
    assert_eq!(problems.len(), 1);
    assert_eq!(
        problems[0].message,
        "`k-anonymity` gives no figure `below_9` here"
    );
    assert!(problems[0].hint.contains("below_"), "{}", problems[0].hint);
}

#[test]
fn a_cancelled_run_writes_nothing() {
    let folder = folder();
    let text = format!(
        "{VARIABLES}{NOISE}{TOP}{OUTPUT}report = \"r.html\"\nexternal_report = \"e.html\"\n"
    );
    let plan = fine(folder.path(), &text);
    let patient = Patience::default();
    run(&plan, ungated(), &patient, &Plain).unwrap();
    let outputs = [
        "out.csv",
        "out.record.json",
        "r.html",
        "e.html",
        ".bauta-written",
    ];
    for limit in 0..patient.asked() {
        for name in outputs {
            let _ = std::fs::remove_file(folder.path().join(name));
        }
        let error = run(&plan, ungated(), &Patience::of(limit), &Plain).unwrap_err();
        assert!(error.is_cancelled(), "{limit}: {error}");
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            1,
            "cancelled at {limit}"
        );
    }
}

#[test]
fn methods_that_fail_name_their_step() {
    let folder = folder();
    let text = format!(
        "{VARIABLES}[[step]]\nmask = \"rank-swap\"\non = [\"age\"]\nwindow = 0.2\n{OUTPUT}"
    );
    let plan = fine(folder.path(), &text);
    let error = run(&plan, ungated(), &Patience::default(), &Plain).unwrap_err();
    assert!(
        error.to_string().contains("step `rank-swap`") && error.to_string().contains("`age`"),
        "{error}"
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn outliers_and_subpopulations_are_measured_recorded_and_judged() {
    let folder = folder();
    let groups = r#"
[[measure]]
use = ["il1s", "interval-sd"]
outliers = 0.1
[[measure]]
use = ["il1s"]
where = "income > 300 and sex = 'm'"
[[gate]]
measure = "interval-sd"
part = "outliers"
at_most = 0.999
"#;
    let text = format!("[plan]\nseed = 3\n{VARIABLES}{NOISE}{groups}{OUTPUT}");
    let record = record_of(folder.path(), &text);
    let [apart, risk, part] = &record.measures[..] else {
        panic!("three measures");
    };
    assert_eq!((apart.outliers, &apart.condition), (Some(0.1), &None));
    // Three of thirty records are outliers, and with the others they make up the whole.
    let found = apart.after.as_ref().unwrap();
    let [all, outliers, rest] =
        [found.value, found.outliers, found.rest].map(|figure| figure.unwrap());
    assert!((0.1 * outliers + 0.9 * rest - all).abs() < 1e-12);
    assert!(risk.after.as_ref().unwrap().outliers.is_some());
    assert_eq!(
        part.condition.as_deref(),
        Some("income > 300 and sex = 'm'")
    );
    assert_ne!(part.after.as_ref().unwrap().value, found.value);
    assert!(record.passed());
    assert_eq!(record.gates[0].found, risk.after.as_ref().unwrap().outliers);
}

#[test]
fn gates_hold_at_equality() {
    let folder = folder();
    // Two classes of ten. Illness: three values, each as often, in both. Income: 8 and 2, 2 and 8,
    // which is 3/10 from the 10 and 10 of the file.
    let mut rows = String::from("sex,illness,income\n");
    for i in 0..20 {
        let (sex, place) = (["f", "m"][i / 10], i % 10);
        let is_low = (place < 8) == (sex == "f");
        // Nine of each class: three of each illness; the tenth has none.
        let illness = ["a", "b", "c", ""][if place == 9 { 3 } else { place % 3 }];
        rows.push_str(&format!(
            "{sex},{illness},{}\n",
            ["high", "low"][usize::from(is_low)]
        ));
    }
    std::fs::write(folder.path().join("x.csv"), rows).unwrap();
    let plan = r#"[data]
file = "x.csv"
[variables]
sex = { role = "key" }
illness = { role = "sensitive", kind = "unordered" }
income = { role = "sensitive", kind = "unordered" }
[[measure]]
use = ["l-diversity"]
sensitive = ["illness"]
missing_sensitive = "ignore"
kind = "entropy"
[[measure]]
use = ["t-closeness"]
sensitive = ["income"]
[[measure]]
use = ["individual-risk"]
[[gate]]
measure = "l-diversity"
at_least = 3
[[gate]]
measure = "t-closeness"
at_most = 0.3
[[gate]]
measure = "individual-risk"
at_most = 0.1
"#;
    let record = record_of(folder.path(), &format!("{plan}{OUTPUT}"));
    assert_eq!(record.gates.len(), 3);
    for gate in &record.gates {
        assert!(gate.passed, "{gate:?}");
    }
}

#[test]
fn the_loss_of_the_file_covers_a_number_that_became_intervals_and_says_what_it_does_not() {
    let folder = folder();
    let cut = "[[step]]\nmask = \"recode\"\non = [\"income\"]\nbreaks = [200, 500]\n";
    let text = format!("[plan]\nseed = 3\n{VARIABLES}{cut}{TOP}{OUTPUT}");
    let record = record_of(folder.path(), &text);
    let of = |id: &str| {
        let measure = record.measures.iter().find(|measure| measure.id == id);
        measure.unwrap_or_else(|| panic!("no {id}")).clone()
    };
    let value = |id: &str| of(id).after.and_then(|found| found.value);
    for id in ["file-loss", "recoding-loss"] {
        assert_eq!(of(id).on, ["age", "income"], "{id}");
        assert!(value(id).is_some_and(|value| value > 0.0), "{id}");
    }
    // Ages of 23 and more became 22, and are compared at that level.
    assert_eq!(of("category-distance").on, ["age"]);
    assert_eq!(value("category-distance"), Some(0.0));
    let notes = of("file-loss").notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert_eq!(
        notes[0].text,
        "the loss of the file does not cover id (dropped)"
    );
    // A plan that only deletes records has a loss of the file too.
    let sample = "[[step]]\nmask = \"sample\"\nshare = 0.5\n";
    let record = record_of(
        folder.path(),
        &format!("[plan]\nseed = 3\n{VARIABLES}{sample}{OUTPUT}"),
    );
    let file = record
        .measures
        .iter()
        .find(|measure| measure.id == "file-loss");
    let value = file
        .and_then(|file| file.after.as_ref())
        .and_then(|found| found.value);
    assert_eq!(value, Some(0.5));
}
