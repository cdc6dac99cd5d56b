//! Grids of plans: what they refuse, what they find, and that they find what a run finds.

use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::format;
use bauta_data::{Unwatched, Watch};
use bauta_plan::check::DataSchema;
use bauta_plan::draft::{Draft, MeasureDraft, StepDraft, VariableDraft};
use bauta_plan::execute::in_memory;
use bauta_plan::output::Replace;
use bauta_plan::run::RunWatch;
use bauta_plan::sweep::{
    Axis, FigureChoice, Grid, Origin, Request, TradeOff, Variant, measure_original, run_variants,
    sweep,
};
use bauta_plan::{ProblemKind, RunRecord};

use crate::support::{OUTPUT, VARIABLES, check, fine, folder, record_of};

const SWEPT: &str = r#"
[plan]
seed = { sweep = [1, 2] }
[[step]]
on = ["income"]
sweep = [
  { mask = "rank-swap", window = { sweep = [0.1, 0.3] } },
  { mask = "mdav", k = { sweep = [3, 500] } },
]
[[measure]]
use = ["dld", "il1s"]
on = ["income"]
[[gate]]
measure = "dld"
at_most = 0.9
"#;

fn text() -> String {
    format!("{VARIABLES}{SWEPT}{OUTPUT}")
}

fn grid(text: &str) -> Grid {
    Grid::read(text).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

pub(crate) fn on_threads<T: Send>(n_threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build()
        .unwrap();
    pool.install(work)
}

#[test]
fn a_grid_cannot_be_run_as_one_plan() {
    let folder = folder();
    let problems = check(folder.path(), &text()).err().unwrap();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].kind, ProblemKind::Sweep);
    assert!(problems[0].hint.contains("bauta sweep"));
    let line = text().lines().position(|line| line.starts_with("seed"));
    assert_eq!(problems[0].line(&text()), line.map(|line| line + 1));
}

#[test]
fn a_parameter_that_only_some_methods_know_is_refused_with_the_variants() {
    let folder = folder();
    let plan = format!(
        "{VARIABLES}[[step]]\nmask = {{ sweep = [\"rank-swap\", \"mdav\"] }}\non = [\"income\"]\nwindow = 0.1\n{OUTPUT}"
    );
    let plan_file = folder.path().join("plan.toml");
    let problems = grid(&plan).check_in_folder(&plan_file).unwrap_err();
    let messages: Vec<&str> = problems.iter().map(|of| of.message.as_str()).collect();
    assert!(
        messages
            .iter()
            .any(|message| message.ends_with("(in 1 of 2 variants, the first with mask = mdav)")),
        "{messages:?}"
    );
    assert!(problems.iter().all(|problem| problem.span.is_some()));
}

/// What is compared of a record: everything but times, the file that a sweep does not write, and reports.
fn compared(record: &RunRecord) -> serde_json::Value {
    let mut record = record.clone().without_times();
    record.released = None;
    serde_json::to_value(record).unwrap()
}

#[test]
fn a_variant_finds_what_a_run_of_its_plan_finds() {
    let folder = folder();
    let plan = folder.path().join("plan.toml");
    std::fs::write(&plan, text()).unwrap();
    let grid = grid(&text());
    let records = folder.path().join("records");
    let request = Request {
        grid: &grid,
        plan: &plan,
        folder: &records,
        replace: Replace::default(),
        memory: None,
        figures: Some("dld,il1s"),
    };
    let swept = sweep(&request, &Unwatched).unwrap();
    assert_eq!((swept.outcomes.len(), swept.n_kept), (8, 0));
    for (variant, outcome) in grid.variants.iter().zip(&swept.outcomes) {
        let file = records.join(format!("{}.record.json", outcome.id));
        if variant.values[1] == "mdav k=500" {
            assert!(outcome.found.is_err() && !file.exists());
            continue;
        }
        let kept = RunRecord::read(&std::fs::read(file).unwrap()).unwrap();
        let run = record_of(folder.path(), &variant.text());
        assert_eq!(compared(&kept), compared(&run), "{:?}", variant.values);
        assert_eq!(outcome.passed(), Some(run.passed()));
    }
    // The released files are those of the runs above; a sweep writes none.
    let names = std::fs::read_dir(&records).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.into_iter().all(|name| !name.contains(".csv")));
    // Once more: nothing is run again.
    let again = sweep(&request, &Unwatched).unwrap();
    assert_eq!(again.n_kept, 8);
    assert_eq!(again.outcomes, swept.outcomes);
    // Other data are other variants.
    let data = folder.path().join("x.csv");
    let rows = std::fs::read_to_string(&data).unwrap();
    std::fs::write(&data, format!("{rows}99,f,21,77,1\n")).unwrap();
    let other = sweep(&request, &Unwatched).unwrap();
    assert_eq!(other.n_kept, 0);
}

/// A hierarchy that says something else makes other variants of the same text.
#[test]
fn a_variant_is_run_again_when_a_file_that_it_reads_changes() {
    let folder = folder();
    let ages = folder.path().join("ages.csv");
    std::fs::write(&ages, "20,low\n21,low\n22,high\n23,high\n").unwrap();
    let text = VARIABLES.replace(
        "kind = \"ordered\"",
        "kind = \"ordered\", hierarchy = { file = \"ages.csv\" }",
    );
    let text = format!(
        "{text}[[step]]\nmask = \"recode\"\non = [\"age\"]\nlevel = {{ sweep = [0, 1] }}\n\
         [[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n{OUTPUT}"
    );
    let plan = folder.path().join("plan.toml");
    std::fs::write(&plan, &text).unwrap();
    let (grid, records) = (grid(&text), folder.path().join("records"));
    let request = Request {
        grid: &grid,
        plan: &plan,
        folder: &records,
        replace: Replace::default(),
        memory: None,
        figures: None,
    };
    let first = sweep(&request, &Unwatched).unwrap();
    assert_eq!(sweep(&request, &Unwatched).unwrap().n_kept, 2);
    std::fs::write(&ages, "20,all\n21,all\n22,all\n23,all\n").unwrap();
    let other = sweep(&request, &Unwatched).unwrap();
    assert_eq!(other.n_kept, 0);
    let value = |swept: &bauta_plan::sweep::Swept| {
        let record = swept.outcomes[1].found.as_ref().unwrap();
        record.measures[0].after.as_ref().unwrap().value
    };
    // Of 30 records in two sexes and one class of ages or two.
    assert!(value(&other) > value(&first));
}

#[test]
fn a_record_that_was_changed_is_not_taken_for_a_variant() {
    let folder = folder();
    let plan = folder.path().join("plan.toml");
    std::fs::write(&plan, text()).unwrap();
    let (grid, records) = (grid(&text()), folder.path().join("records"));
    let request = Request {
        grid: &grid,
        plan: &plan,
        folder: &records,
        replace: Replace::default(),
        memory: None,
        figures: None,
    };
    let swept = sweep(&request, &Unwatched).unwrap();
    let file = records.join(format!("{}.record.json", swept.outcomes[0].id));
    let whole = std::fs::read(&file).unwrap();
    std::fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    // Somebody's file: it is neither believed nor replaced unasked.
    assert!(sweep(&request, &Unwatched).is_err());
    std::fs::remove_file(&file).unwrap();
    let again = sweep(&request, &Unwatched).unwrap();
    assert_eq!(again.n_kept, 7);
    assert_eq!(again.outcomes, swept.outcomes);
}

/// A grid of drafts that code builds, on data in memory.
fn built() -> (Grid, DataSchema, format::Loaded) {
    use bauta_data::{Kind, Role};
    let folder = folder();
    let plan = fine(
        folder.path(),
        &format!("{VARIABLES}[[measure]]\nuse = [\"il1s\"]\non = [\"income\"]\n{OUTPUT}"),
    );
    let loaded = format::read(&folder.path().join("x.csv"), &plan.read, &Unwatched).unwrap();
    let loaded = in_memory(loaded.table).unwrap();
    let base = Draft::default()
        .seed(3)
        .variable(VariableDraft::new("income", Role::Sensitive).kind(Kind::Continuous))
        .measure(MeasureDraft::of(["dld", "il1s"]).on(["income"]));
    let windows = [0.05, 0.2, 0.4];
    let variants = windows.map(|window| Variant {
        values: vec![window.to_string()],
        draft: base.clone().step(
            StepDraft::mask("rank-swap")
                .on(["income"])
                .with("window", window),
        ),
    });
    let axis = Axis {
        name: "window".to_owned(),
        values: windows.iter().map(ToString::to_string).collect(),
    };
    let grid = Grid::of_variants(vec![axis], variants.to_vec());
    let schema = DataSchema::of_table(&loaded.table);
    (grid, schema, loaded)
}

#[test]
fn one_thread_and_several_find_the_same_of_drafts_in_memory() {
    let (grid, schema, loaded) = built();
    let origin = Origin {
        file: "",
        surroundings: &schema,
    };
    let found = |n_threads| {
        let outcomes = on_threads(n_threads, || {
            run_variants(&loaded, &grid, &origin, &Unwatched).unwrap()
        });
        let records = outcomes.into_iter().map(|outcome| {
            let record = outcome.found.unwrap().without_times();
            (outcome.id, serde_json::to_value(record).unwrap())
        });
        records.collect::<Vec<_>>()
    };
    let one = found(1);
    assert_eq!(one, found(2));
    assert_eq!(one, found(5));
    assert_eq!(one.len(), 3);
}

#[test]
fn the_original_is_measured_against_itself() {
    let (grid, schema, loaded) = built();
    let origin = Origin {
        file: "",
        surroundings: &schema,
    };
    let plan = grid.plan(&grid.variants[0], &origin).unwrap();
    let original = measure_original(&plan, &loaded, &Unwatched).unwrap();
    let value = |measure: &str| {
        let figure = FigureChoice::value_of(measure).find(&original);
        figure.and_then(|figure| figure.value)
    };
    // Every income is another one, so that each record is linked to itself.
    assert_eq!((value("dld"), value("il1s")), (Some(1.0), Some(0.0)));
    let outcomes = run_variants(&loaded, &grid, &origin, &Unwatched).unwrap();
    let figures = ["dld", "il1s"].map(FigureChoice::value_of);
    let trade = TradeOff::of_outcomes([&figures[0], &figures[1]], &outcomes, &original, Some(0.25))
        .unwrap();
    assert_eq!(trade.risk.original, Some(1.0));
    assert_eq!(trade.tolerated, Some(0.25));
    assert!(trade.points.iter().any(|point| point.on_front));
    for point in &trade.points {
        let expected = 1.0 - point.loss.unwrap() / trade.no_utility;
        assert!((point.utility.unwrap() - expected).abs() < 1e-12);
    }
    assert!(FigureChoice::pair("dld,il1s", &original).is_ok());
    let mistake = FigureChoice::pair("dld,il1z", &original).unwrap_err();
    assert!(mistake.message.contains("il1z"), "{mistake:?}");
}

/// Cancels after some variants.
pub(crate) struct Impatient(pub(crate) AtomicUsize);

impl Watch for Impatient {
    fn progress(&self, done: u64, total: u64) {
        // Bytes of the file are told of too.
        if total == 8 {
            self.0.store(done as usize, Ordering::SeqCst);
        }
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 1
    }
}

impl RunWatch for Impatient {
    fn stage(&self, _name: &str, number: usize, total: usize) {
        assert!((1..=total).contains(&number));
    }
}

#[test]
fn a_sweep_that_is_cancelled_keeps_what_is_finished() {
    let folder = folder();
    let plan = folder.path().join("plan.toml");
    std::fs::write(&plan, text()).unwrap();
    let (grid, records) = (grid(&text()), folder.path().join("records"));
    let request = Request {
        grid: &grid,
        plan: &plan,
        folder: &records,
        replace: Replace::default(),
        memory: None,
        figures: None,
    };
    let watch = Impatient(AtomicUsize::new(0));
    let stopped = on_threads(1, || sweep(&request, &watch));
    assert!(stopped.is_err());
    let after = sweep(&request, &Unwatched).unwrap();
    assert_eq!(after.n_kept, 2);
    let elsewhere = folder.path().join("elsewhere");
    let whole = Request {
        folder: &elsewhere,
        ..request
    };
    let whole = sweep(&whole, &Unwatched).unwrap();
    let figures = |swept: &bauta_plan::sweep::Swept| {
        let outcomes = swept.outcomes.iter().map(|outcome| match &outcome.found {
            Ok(record) => serde_json::to_value(record.as_ref().clone().without_times()).unwrap(),
            Err(reason) => serde_json::json!(reason),
        });
        outcomes.collect::<Vec<_>>()
    };
    assert_eq!(figures(&after), figures(&whole));
}

#[test]
fn variants_may_read_the_data_in_different_ways() {
    let folder = folder();
    let plan = folder.path().join("plan.toml");
    let variables = VARIABLES.replace(
        "age = { role = \"key\", kind = \"ordered\" }",
        "age = { role = \"key\", kind = \"ordered\", hierarchy = { sweep = [{ intervals = [[22]] }, { intervals = [[21, 23]] }] } }",
    );
    assert_ne!(variables, VARIABLES);
    let steps = "[[step]]\nmask = \"recode\"\non = [\"age\"]\nlevel = 1\n[[measure]]\nuse = [\"k-anonymity\"]\n";
    let text = format!("{variables}{steps}{OUTPUT}");
    std::fs::write(&plan, &text).unwrap();
    let (grid, records) = (grid(&text), folder.path().join("records"));
    let request = Request {
        grid: &grid,
        plan: &plan,
        folder: &records,
        replace: Replace::default(),
        memory: None,
        figures: None,
    };
    let swept = sweep(&request, &Unwatched).unwrap();
    let classes: Vec<Option<f64>> = (swept.outcomes.iter())
        .map(|outcome| {
            let record = outcome.found.as_ref().unwrap();
            let value = FigureChoice::parse("k-anonymity:classes").find(&record.measures);
            value.and_then(|figure| figure.value)
        })
        .collect();
    for (variant, classes) in grid.variants.iter().zip(classes) {
        let run = record_of(folder.path(), &variant.text());
        let value = FigureChoice::parse("k-anonymity:classes").find(&run.measures);
        assert_eq!(classes, value.and_then(|figure| figure.value));
        assert!(classes.is_some());
    }
}

#[test]
fn counts_of_perturbed_keys_have_no_place_on_the_map() {
    let folder = folder();
    let steps = "[[step]]\nmask = \"rank-swap\"\non = [\"income\"]\nwindow = 0.3\n[[measure]]\nuse = [\"k-anonymity\"]\n";
    let of = |role: &str| {
        let variables = VARIABLES.replace("income = { role = \"sensitive\"", role);
        let text = format!("{variables}{steps}{OUTPUT}");
        let record = record_of(folder.path(), &text);
        let figure = FigureChoice::value_of("k-anonymity").find(&record.measures);
        figure.unwrap().value
    };
    assert!(of("income = { role = \"sensitive\"").is_some());
    assert_eq!(of("income = { role = \"key\""), None);
}
