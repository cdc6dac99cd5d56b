//! Plans on data in memory: no path anywhere, and nothing opened that is not asked for.

use std::path::Path;

use bauta_data::format::read_bytes;
use bauta_data::{HierarchySpec, Kind, Role, Unwatched};
use bauta_methods::RawValue;
use bauta_plan::ProblemKind;
use bauta_plan::check::{DataSchema, check};
use bauta_plan::draft::{Draft, GateDraft, HierarchyDraft, MeasureDraft, StepDraft, VariableDraft};
use bauta_plan::execute::execute;
use bauta_plan::output::Replace;
use bauta_plan::publish::publish;
use bauta_plan::run::{RunError, run};

use crate::support::{OUTPUT, Plain, VARIABLES, fine, folder, record_of, survey, ungated};

#[path = "../../examples/in_memory.rs"]
#[allow(dead_code)]
mod example;

fn draft() -> Draft {
    Draft::default()
        .seed(3)
        .variable(VariableDraft::new("id", Role::Identifier))
        .variable(VariableDraft::new("sex", Role::Key))
        .variable(VariableDraft::new("age", Role::Key).kind(Kind::Ordered))
        .variable(VariableDraft::new("income", Role::Sensitive).kind(Kind::Continuous))
        .variable(VariableDraft::new("w", Role::Weight))
        .step(
            StepDraft::mask("noise-additive")
                .on(["income"])
                .with("share", 0.5),
        )
        .measure(MeasureDraft::of(["k-anonymity", "individual-risk", "il1s"]))
        .gate(GateDraft::on("k-anonymity").at_least(2.0))
}

fn schema() -> DataSchema {
    DataSchema::new(["id", "sex", "age", "income", "w"])
}

#[test]
fn the_example_masks_a_table_in_memory() {
    let said = example::protect().unwrap();
    assert!(said.starts_with("100 records masked, il1s = 0."), "{said}");
}

#[test]
fn data_in_memory_come_out_as_the_file_does() {
    let plan = check(&draft(), &schema()).unwrap();
    let loaded = read_bytes(Path::new("x.csv"), survey(), &plan.read, &Unwatched).unwrap();
    let executed = execute(&plan, &loaded, ungated(), &Unwatched).unwrap();
    assert_eq!(executed.masked.n_records(), 30);
    assert_eq!(
        executed.released.names().collect::<Vec<_>>(),
        ["sex", "age", "income", "w"]
    );
    // Figures of single records are there, and not in the record.
    let risk = &executed.measured[1];
    let per_record = |found: &bauta_plan::measure::Measured| {
        found
            .found
            .as_ref()
            .unwrap()
            .per_record
            .as_ref()
            .map(Vec::len)
    };
    assert_eq!(
        (per_record(&risk.before), per_record(&risk.after)),
        (Some(30), Some(30))
    );
    let record = &executed.record;
    assert!(
        record.measures[1]
            .after
            .as_ref()
            .unwrap()
            .per_record
            .is_none()
    );
    assert_eq!(
        (record.input.file.as_str(), record.plan.file.as_str()),
        ("in memory", "")
    );
    let stages: Vec<&str> = record
        .times
        .stages
        .iter()
        .map(|time| time.stage.as_str())
        .collect();
    assert_eq!(
        stages,
        [
            "measure before",
            "noise-additive",
            "drop-identifiers (implied)",
            "measure after"
        ]
    );
    // The same plan from file to file.
    let folder = folder();
    let text = format!(
        "[plan]\nseed = 3\n{VARIABLES}[[step]]\nmask = \"noise-additive\"\non = [\"income\"]\nshare = 0.5\n\
        [[measure]]\nuse = [\"k-anonymity\", \"individual-risk\", \"il1s\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n{OUTPUT}"
    );
    let of_file = record_of(folder.path(), &text);
    assert_eq!(of_file.measures, record.measures);
    assert_eq!(of_file.steps, record.steps);
    // A plan without outputs publishes nothing; a run needs a file.
    assert!(
        publish(&plan, &executed, Replace::OwnFiles, &Plain, &Unwatched)
            .unwrap()
            .released
            .is_none()
    );
    let nothing = run(&plan, ungated(), &Unwatched, &Plain);
    assert!(nothing.is_err());
}

#[test]
fn what_was_executed_is_published_as_a_run_publishes_it() {
    let folder = folder();
    let plan = fine(
        folder.path(),
        &format!("[plan]\nseed = 3\n{VARIABLES}{OUTPUT}"),
    );
    let bytes = || std::fs::read(folder.path().join("out.csv")).unwrap();
    run(&plan, ungated(), &Unwatched, &Plain).unwrap();
    let by_run = bytes();
    std::fs::remove_file(folder.path().join("out.csv")).unwrap();
    let loaded = read_bytes(Path::new("x.csv"), survey(), &plan.read, &Unwatched).unwrap();
    let executed = execute(&plan, &loaded, ungated(), &Unwatched).unwrap();
    assert!(!folder.path().join("out.csv").exists());
    let record = publish(&plan, &executed, Replace::OwnFiles, &Plain, &Unwatched).unwrap();
    assert_eq!(bytes(), by_run);
    assert_eq!(record.times.stages.last().unwrap().stage, "write");
}

#[test]
fn a_table_that_the_plan_does_not_describe_is_refused() {
    let plan = check(&draft(), &schema()).unwrap();
    let other = read_bytes(
        Path::new("x.csv"),
        survey(),
        &bauta_data::format::ReadOptions::default(),
        &Unwatched,
    )
    .unwrap();
    let refused = execute(&plan, &other, ungated(), &Unwatched).unwrap_err();
    assert!(matches!(&refused, RunError::Data(_)), "{refused}");
    assert!(
        refused.to_string().contains("id, sex, age, income, w"),
        "{refused}"
    );
}

#[test]
fn problems_of_a_built_draft_are_all_told_without_a_place() {
    let wrong = draft().step(StepDraft::mask("rank-swp")).step(
        StepDraft::mask("rank-swap")
            .on(["incme"])
            .with("window", 0.1),
    );
    let problems = check(&wrong, &schema()).err().unwrap();
    let kinds: Vec<ProblemKind> = problems.iter().map(|problem| problem.kind).collect();
    assert_eq!(
        kinds,
        [ProblemKind::UnknownMethod, ProblemKind::UnknownVariable]
    );
    assert!(problems.iter().all(|problem| problem.span.is_none()));
}

#[test]
fn files_that_a_draft_names_are_given_by_their_content() {
    let mut wanted = draft();
    wanted.variables[2] = VariableDraft::new("age", Role::Key)
        .kind(Kind::Hierarchical)
        .hierarchy(HierarchyDraft::File("levels.csv".to_owned()));
    let absent = check(&wanted, &schema()).err().unwrap();
    assert_eq!((absent.len(), absent[0].kind), (1, ProblemKind::Data));
    let mut given = schema();
    let rows = vec![vec!["20".to_owned(), "young".to_owned()]];
    given
        .levels
        .insert("levels.csv".to_owned(), HierarchySpec::Levels { rows });
    assert!(check(&wanted, &given).is_ok());
}

#[test]
fn only_totals_are_read_from_a_file() {
    let calibrate = |param: &str, value: RawValue| {
        let step = StepDraft::adjust("calibrate").with("margins", ["sex"]);
        let mut wanted = draft();
        wanted.steps = vec![step.with(param, value)];
        wanted
    };
    let text = |text: &str| RawValue::Text(text.to_owned());
    let mut given = schema();
    let totals = vec![("sex=f".to_owned(), 30.0), ("sex=m".to_owned(), 30.0)];
    given.totals.insert("t.csv".to_owned(), totals);
    assert!(check(&calibrate("totals", text("t.csv")), &given).is_ok());
    let costs = check(&calibrate("costs", text("t.csv")), &given)
        .err()
        .unwrap();
    assert_eq!(costs[0].kind, ProblemKind::Parameter);
    assert!(
        costs[0].message.contains("`costs` must be a table"),
        "{costs:?}"
    );
}
