//! Steps that change nothing say so, and what they left as it was is not called masked.

use bauta_data::Unwatched;
use bauta_methods::mask::Effect;
use bauta_methods::note::NoteRank;
use bauta_plan::execute::execute;
use bauta_plan::record::{Fate, RunRecord};

use crate::support::{OUTPUT, VARIABLES, fine, folder, record_of, released, ungated};

fn fate(record: &RunRecord, name: &str) -> Fate {
    let mut variables = record.variables.iter();
    let found = variables.find(|variable| variable.name == name);
    found.unwrap().fate
}

fn step(mask: &str, on: &str, params: &str) -> String {
    format!("[[step]]\nmask = \"{mask}\"\non = [{on}]\n{params}\n")
}

#[test]
fn a_step_that_changes_nothing_says_so_and_masks_nothing() {
    let folder = folder();
    let cases = [
        // Noise that rounding takes away; a window, a k and a base that do nothing; thresholds
        // beyond all values.
        step("noise-additive", "\"income\"", "share = 1e-6\nround = true"),
        step("rank-swap", "\"income\"", "window = 0"),
        step("mdav", "\"income\"", "k = 1"),
        step("round", "\"income\"", "base = 1"),
        step("top-bottom", "\"income\"", "top = 1e9"),
        step("recode", "\"income\"", "map = {}"),
    ];
    for case in &cases {
        let plan = format!("[plan]\nseed = 3\n{VARIABLES}{case}{OUTPUT}");
        let record = record_of(folder.path(), &plan);
        assert_eq!(fate(&record, "income"), Fate::Untouched, "{case}");
        let mut steps = record.steps.iter();
        let of_case = steps.rfind(|step| step.on == ["income"]).unwrap();
        assert_eq!(of_case.unchanged, ["income"], "{case}");
        let mut notes = of_case.notes.iter();
        let note = notes.find(|note| note.id == "changed-nothing").unwrap();
        assert_eq!(note.text, "changed nothing in income");
        assert!(note.rank == NoteRank::Warning && !note.public);
    }
}

#[test]
fn what_did_not_change_comes_out_as_the_text_it_came_in() {
    let folder = folder();
    // 1.50 would be written anew as 1.5, as the other variable is.
    let rows = "a,b\n1.50,1.50\n02,02\n3,3\n";
    std::fs::write(folder.path().join("x.csv"), rows).unwrap();
    let variables = "[data]\nfile = \"x.csv\"\n[variables]\na = { role = \"sensitive\", kind = \"continuous\" }\nb = { role = \"sensitive\", kind = \"continuous\" }\n";
    let steps =
        step("top-bottom", "\"a\", \"b\"", "top = 5") + &step("top-bottom", "\"b\"", "top = 2.5");
    let record = record_of(folder.path(), &format!("{variables}{steps}{OUTPUT}"));
    assert_eq!(released(folder.path(), "a"), ["1.50", "02", "3"]);
    assert_eq!(released(folder.path(), "b"), ["1.5", "2", "2.5"]);
    assert_eq!(record.steps[0].unchanged, ["a", "b"]);
    assert!(record.steps[1].unchanged.is_empty());
    assert_eq!(fate(&record, "a"), Fate::Untouched);
    assert_eq!(fate(&record, "b"), Fate::Masked);
}

#[test]
fn claims_survive_a_step_that_changes_nothing() {
    let folder = folder();
    let suppress = step("suppress-local", "\"sex\", \"age\"", "k = 2");
    let idle = step("top-bottom", "\"age\"", "top = 99");
    let plan = format!("{VARIABLES}{suppress}{idle}{OUTPUT}");
    let record = record_of(folder.path(), &plan);
    assert_eq!(record.claims.len(), 1, "{:?}", record.steps);
}

#[test]
fn drawn_values_and_chosen_records_are_no_unchanged_variables() {
    let folder = folder();
    let of_records = |k: u32| {
        let drawn = step("synth-normal", "\"income\"", "");
        let chosen = step("suppress-records", "\"sex\", \"age\"", &format!("k = {k}"));
        let plan = fine(
            folder.path(),
            &format!("{VARIABLES}{drawn}{chosen}{OUTPUT}"),
        );
        let text = std::fs::read(folder.path().join("x.csv")).unwrap();
        let path = std::path::Path::new("x.csv");
        let loaded = bauta_data::format::read_bytes(path, text, &plan.read, &Unwatched).unwrap();
        let executed = execute(&plan, &loaded, ungated(), &Unwatched).unwrap();
        let steps = executed.record.steps;
        let unchanged = |method: &str| {
            let mut steps = steps.iter();
            let found = steps.find(|step| step.method == method);
            found.unwrap().unchanged.clone()
        };
        assert!(unchanged("synth-normal").is_empty());
        (executed.masked.n_records(), unchanged("suppress-records"))
    };
    let (n_left, unchanged) = of_records(7);
    assert!(
        n_left < 30 && unchanged.is_empty(),
        "{n_left}: {unchanged:?}"
    );
    // Where nobody goes, nothing was done.
    let (n_left, unchanged) = of_records(2);
    assert_eq!(n_left, 30);
    assert_eq!(unchanged, ["sex", "age"]);
}

#[test]
fn parameters_that_can_do_nothing_are_known_without_data() {
    let folder = folder();
    let effects = |steps: &str| -> Vec<Effect> {
        let plan = fine(folder.path(), &format!("{VARIABLES}{steps}{OUTPUT}"));
        let steps = plan.steps.iter().filter(|step| step.span.is_some());
        steps.map(bauta_plan::plan::Step::effect).collect()
    };
    let steps = step("rank-swap", "\"income\"", "window = 0")
        + &step("mdav", "\"income\"", "k = 1\nstandardise = false")
        + &step("suppress-records", "\"sex\"", "k = 1")
        + &step("rank-swap", "\"income\"", "window = 0.1")
        + &step("suppress-records", "\"sex\"", "k = 1\nrisk = 0.5");
    let (nothing, open) = (Effect::Nothing, Effect::Open);
    assert_eq!(effects(&steps), [nothing, nothing, nothing, open, open]);
}

#[test]
fn records_that_are_alone_in_their_stratum_are_counted_and_not_called_masked() {
    let folder = folder();
    // Every record is a stratum.
    let variables = VARIABLES.replace("age = { role = \"key\"", "age = { role = \"other\"")
        + "place = { role = \"stratum\" }\n";
    let survey = std::fs::read_to_string(folder.path().join("x.csv")).unwrap();
    let rows = survey.lines().enumerate().map(|(at, row)| {
        let place = if at == 0 {
            "place".to_owned()
        } else {
            format!("p{at}")
        };
        format!("{row},{place}\n")
    });
    std::fs::write(folder.path().join("x.csv"), rows.collect::<String>()).unwrap();
    let by_place = "strata = [\"place\"]";
    let cases = [
        (
            "rank-swap",
            "window = 0.5",
            "records-unswapped",
            Fate::Untouched,
        ),
        ("resample", "samples = 3", "records-alone", Fate::Untouched),
        (
            "noise-swap",
            "level = 0.01",
            "records-without-partner",
            Fate::Masked,
        ),
    ];
    for (mask, params, id, expected) in cases {
        let case = step(mask, "\"income\"", &format!("{params}\n{by_place}"));
        let plan = format!("[plan]\nseed = 3\n{variables}{case}{OUTPUT}");
        let record = record_of(folder.path(), &plan);
        let mut steps = record.steps.iter();
        let of_case = steps.find(|step| step.method == mask).unwrap();
        let mut notes = of_case.notes.iter();
        let note = notes.find(|note| note.id == id);
        let note = note.unwrap_or_else(|| panic!("{mask}: {:?}", of_case.notes));
        assert_eq!(fate(&record, "income"), expected, "{mask}");
        if expected == Fate::Untouched {
            assert_eq!(note.count("n_records"), Some(30), "{mask}");
            assert_eq!(of_case.unchanged, ["income"], "{mask}");
        }
    }
}
