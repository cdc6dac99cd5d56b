use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use bauta_data::format::{Loaded, read_stored};
use bauta_data::store::Store;
use bauta_data::{Kind, Role, Unwatched};
use bauta_methods::card::Targets;
use bauta_methods::{RawValue, registry};

use super::*;
use crate::check::check_files;
use crate::draft::{Draft, MeasureDraft, StepDraft, VariableDraft};
use crate::execute::{RunOptions, execute_in};
use crate::measure::RecordFigures;
use crate::plan::EngineSettings;
use crate::stages::Stages;
use crate::within::error_of;

const N_RECORDS: usize = 400;

/// Numbers without pattern.
fn scattered(record: usize, purpose: u64, below: u64) -> u64 {
    let mut mixed = (record as u64 * 16 + purpose).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for factor in [0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb_u64] {
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(factor);
    }
    (mixed >> 33) % below
}

/// A file with a variable of every role.
fn write_file(folder: &Path) {
    let mut text = "id,sex,age,region,income,savings,debts,illness,w,house,stratum\n".to_owned();
    for record in 0..N_RECORDS {
        let of = |purpose, below| scattered(record, purpose, below);
        let income = 100 + of(4, 90_000);
        let _ = writeln!(
            text,
            "{record},{},{},{},{income},{},{},{},{},{},{}",
            of(1, 2),
            of(2, 20),
            of(3, 6),
            income / 3 + of(5, 10_000),
            of(6, 50_000),
            of(7, 3),
            1 + of(8, 200),
            record / 3,
            of(9, 4)
        );
    }
    std::fs::write(folder.join("x.csv"), text).expect("a file");
}

fn draft() -> Draft {
    let variable = |name: &str, role: Role| VariableDraft::new(name, role);
    let number = |name: &str| variable(name, Role::Sensitive).kind(Kind::Continuous);
    let mut draft = Draft::default()
        .seed(3)
        .variable(variable("id", Role::Identifier))
        .variable(variable("sex", Role::Key))
        .variable(variable("age", Role::Key).kind(Kind::Ordered))
        .variable(variable("region", Role::Key))
        .variable(number("income"))
        .variable(number("savings"))
        .variable(number("debts"))
        .variable(variable("illness", Role::Sensitive).kind(Kind::Unordered))
        .variable(variable("w", Role::Weight))
        .variable(variable("house", Role::Household))
        .variable(variable("stratum", Role::Stratum));
    draft.data.file = Some("x.csv".into());
    draft.output.file = Some("out.csv".into());
    draft
}

/// A mask or adjuster on the variables that it takes if none are named, or else on amounts, or on categories if it takes none.
fn step(id: &str, targets: &Targets, given: Vec<(&'static str, RawValue)>) -> StepDraft {
    let is_mask = registry::mask(id).is_some();
    let step = if is_mask {
        StepDraft::mask(id)
    } else {
        StepDraft::adjust(id)
    };
    let step = if !targets.default_roles.is_empty() {
        step
    } else if targets.kinds.contains(&Kind::Continuous) {
        step.on(["income", "savings", "debts"])
    } else {
        step.on(["age", "illness"])
    };
    given
        .into_iter()
        .fold(step, |step, (name, value)| step.with(name, value))
}

/// Something is masked already: each of these has one variable in memory at a time at the most.
fn masked_before(draft: Draft) -> Draft {
    draft
        .step(
            StepDraft::mask("noise-additive")
                .on(["income", "savings"])
                .with("share", 0.1),
        )
        .step(
            StepDraft::mask("recode-rare")
                .on(["age", "illness"])
                .with("below", 15)
                .with("into", "other"),
        )
}

/// A plan for every method, with nothing before it and after other steps.
fn plans(folder: &Path) -> Vec<(String, Plan)> {
    let masks = registry::MASKS.iter();
    let masks = masks.map(|mask| (mask.card(), mask.example()));
    let adjusters = registry::ADJUSTERS.iter();
    let adjusters = adjusters.map(|adjuster| (adjuster.card(), adjuster.example()));
    let mut drafts = Vec::new();
    for (card, given) in masks.chain(adjusters) {
        let step = step(card.id, &card.targets, given);
        drafts.push((card.id, draft().step(step.clone())));
        drafts.push((card.id, masked_before(draft()).step(step)));
    }
    for measure in registry::MEASURES {
        let asked = MeasureDraft::of([measure.card().id]);
        let given = measure.example().into_iter();
        let asked = given.fold(asked, |asked, (name, value)| asked.with(name, value));
        drafts.push((measure.card().id, draft().measure(asked.clone())));
        drafts.push((measure.card().id, masked_before(draft()).measure(asked)));
    }
    let plans = drafts.into_iter().enumerate().map(|(at, (id, mut draft))| {
        if draft.measures.is_empty() {
            draft.measures.push(MeasureDraft::of(Vec::<String>::new()));
        }
        let plan = check_files(&draft, "plan.toml", folder);
        let plan = plan.unwrap_or_else(|problems| panic!("{id}: {problems:#?}"));
        (format!("{id} {}", at % 2), plan)
    });
    plans.collect()
}

/// What comes of a plan whose file lies in a store, without a look ahead.
fn carried_out(plan: &Plan, loaded: &Loaded, store: &Store) -> Result<(), RunError> {
    let work = || {
        let mut stages = Stages::new(plan.steps.len() + 2, &Unwatched);
        let figures = RecordFigures::Dropped;
        let options = RunOptions::default();
        execute_in(plan, loaded, options, figures, Some(store), &mut stages).map(|_| ())
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|cause| {
        Err(RunError::Method {
            place: "the run".to_owned(),
            line: None,
            error: Box::new(error_of(cause)),
        })
    })
}

#[test]
fn no_plan_that_runs_within_a_limit_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    write_file(folder.path());
    let (mut n_within, mut n_refused, mut wrong) = (0, 0, Vec::new());
    for (name, mut plan) in plans(folder.path()) {
        let store = Store::with_blocks(folder.path(), 64).expect("a store");
        let path = folder.path().join("x.csv");
        let loaded = read_stored(&path, &plan.read, &store, &Unwatched).expect("a file");
        let columns = loaded.table.columns().iter();
        let all: u64 = columns.map(|column| column.bytes_to_read()).sum();
        store.allow(u64::MAX);
        if let Err(error) = carried_out(&plan, &loaded, &store) {
            wrong.push(format!("{name} does not run at all: {error}"));
        }
        for share in 1..=32 {
            let allowed = all * share / 16;
            store.allow(allowed);
            let before_it_runs = refuse_shortage(&plan, &loaded.table, allowed);
            plan.engine = EngineSettings {
                memory: Some(2 * allowed),
                spill: Some(PathBuf::from(folder.path())),
            };
            let before_it_is_read = shortages(&plan, false).expect("a file");
            let is_refused_unread = before_it_is_read.iter().any(Shortage::is_refused);
            if before_it_runs.is_ok() && !is_refused_unread {
                continue;
            }
            n_refused += 1;
            if carried_out(&plan, &loaded, &store).is_ok() {
                wrong.push(format!(
                    "{name} runs within {share}/16 of the file: {before_it_runs:?} {before_it_is_read:?}"
                ));
            }
        }
        store.allow(all / 2);
        n_within += usize::from(carried_out(&plan, &loaded, &store).is_ok());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Neither is said of all, or of none.
    assert!(n_within > 60 && n_refused > 100, "{n_within} {n_refused}");
}
