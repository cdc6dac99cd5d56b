//! A first plan for a file, with the reason of every proposal beside it.

pub(super) mod proposals;
pub(super) mod rules;
mod text;

use std::path::Path;

use bauta_data::format::{Encoding, Loaded};
use bauta_data::inspect::{ColumnProfile, FileProfile};
use bauta_data::number::DecimalMark;
use bauta_data::remark::THOUSANDS_SEPARATORS;
use bauta_data::{Kind, Role, Watch};

use super::inspect::{Inspected, inspect};
use super::{Reading, WorkError};
use crate::draft::{
    DataDraft, Draft, HierarchyDraft, OutputDraft, ScenarioDraft, StepDraft, VariableDraft,
};
use crate::output::{Access, Guard, Replace, folder_of, write_file};
use proposals::exact_dates;
use rules::{Rules, counted_keys, measures};
use text::first_body;

pub(super) use text::{Opening, commented, in_a_line, units_text, unlinked_text};

/// A plan that is proposed for a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Proposed {
    /// The plan.
    pub draft: Draft,
    /// The plan with its reasons.
    pub text: String,
    /// What the file seems to hold.
    pub profile: FileProfile,
}

impl Proposed {
    /// Lines of the plan that ask its author to look at something.
    pub fn n_to_look_at(&self) -> usize {
        let marked = self.text.lines().filter(|line| line.contains("# LOOK: "));
        marked.count()
    }
}

/// Looks at a file and writes a plan for it.
pub fn init(
    file: &Path,
    plan_file: &Path,
    seed: Option<u64>,
    replace: Replace,
    reading: &Reading,
    watch: &dyn Watch,
) -> Result<Proposed, WorkError> {
    let guard = Guard::new([file], replace);
    guard.check(&[plan_file])?;
    let inspected = inspect(file, reading, watch)?;
    let proposed = propose(file, plan_file, seed, reading, inspected);
    write_plan(plan_file, &proposed, &guard)?;
    Ok(proposed)
}

/// Writes a plan that was proposed.
pub(super) fn write_plan(
    plan_file: &Path,
    proposed: &Proposed,
    guard: &Guard,
) -> Result<(), WorkError> {
    // Its reasons are figures of the data, some of single records: confidential, with a seed or without.
    write_file(
        plan_file,
        proposed.text.as_bytes(),
        Access::OwnerOnly,
        guard,
    )?;
    Ok(())
}

/// The plan for a file that was looked at; `plan_file` is where it is to lie.
pub fn propose(
    file: &Path,
    plan_file: &Path,
    seed: Option<u64>,
    reading: &Reading,
    inspected: Inspected,
) -> Proposed {
    let Inspected { loaded, profile } = inspected;
    let place = Place {
        file,
        plan_file,
        seed,
        reading,
    };
    let draft = place.complete(proposed_draft(&profile), &loaded, &profile);
    let opening = Opening {
        by: "bauta init",
        remarks: String::new(),
    };
    let body = first_body(&draft, &profile, &loaded.table);
    Proposed {
        text: commented(&draft, &file_name(file), &profile, &opening, body),
        draft,
        profile,
    }
}

/// Where a plan and its data lie, and what was said of reading them.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) file: &'a Path,
    pub(super) plan_file: &'a Path,
    pub(super) seed: Option<u64>,
    pub(super) reading: &'a Reading,
}

impl Place<'_> {
    /// A draft with the sections that depend on where its files lie.
    pub(super) fn complete(
        &self,
        mut draft: Draft,
        loaded: &Loaded,
        profile: &FileProfile,
    ) -> Draft {
        let file = self.file;
        self.reading.fold_in(&mut draft.variables);
        draft.plan.title = Some(file_name(file));
        draft.plan.seed = self.seed;
        draft.data = data_draft(file, self.plan_file, self.reading, loaded, profile);
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let extension = file.extension().unwrap_or_default().to_string_lossy();
        draft.output = OutputDraft {
            // A name that claims nothing: whether the file protects anybody, its report says.
            file: Some(format!("{stem}-out.{extension}").into()),
            report: Some(format!("{stem}-report.html").into()),
            shuffle: Some(true),
            ..OutputDraft::default()
        };
        draft
    }
}

/// What a profile suggests of variables, intruders, steps, measures and conditions of release.
pub fn proposed_draft(profile: &FileProfile) -> Draft {
    let rules = Rules::of(profile);
    let mut draft = Draft {
        variables: profile.columns.iter().map(variable).collect(),
        measures: measures(profile),
        gates: rules.gates(profile),
        ..Draft::default()
    };
    let keys = counted_keys(profile);
    if !keys.is_empty() {
        let keys = keys.iter().map(|key| key.name.as_str());
        let mut scenario = ScenarioDraft::new("all keys", keys);
        scenario.why = Some("the worst case".to_owned());
        draft.scenarios.push(scenario);
    }
    if !names_of(profile, Role::Identifier).is_empty() {
        let step = StepDraft::mask("drop-identifiers").because("identifiers are never released");
        draft.steps.push(step);
    }
    let households = names_of(profile, Role::Household);
    if !households.is_empty() {
        let step = StepDraft::mask("renumber").on(households);
        draft
            .steps
            .push(step.because("the old numbers lead back to the source"));
    }
    draft
}

fn variable(column: &ColumnProfile) -> VariableDraft {
    let proposal = &column.proposal;
    let variable = VariableDraft::new(column.name.clone(), proposal.role);
    if let Some(dates) = exact_dates(column) {
        let of_calendar = variable.kind(Kind::Hierarchical).dates(dates);
        return of_calendar.hierarchy(HierarchyDraft::Dates(None));
    }
    let variable = variable.kind(proposal.kind);
    if proposal.kind == Kind::Hierarchical {
        variable.hierarchy(HierarchyDraft::Prefix(None))
    } else {
        variable
    }
}

fn names_of(profile: &FileProfile, role: Role) -> Vec<&str> {
    let columns = profile.columns.iter();
    columns
        .filter(|column| column.proposal.role == role)
        .map(|column| column.name.as_str())
        .collect()
}

pub(super) fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn data_draft(
    file: &Path,
    plan_file: &Path,
    reading: &Reading,
    loaded: &Loaded,
    profile: &FileProfile,
) -> DataDraft {
    let texts = reading.missing_texts.clone();
    // A mark that was found is stated where it is the unusual one, or decided what thousands are.
    let found = profile
        .decimal
        .filter(|&mark| mark == DecimalMark::Comma || has_separators(profile));
    let delimiter = reading
        .delimiter
        .map(|_| char::from(loaded.style.delimiter));
    DataDraft {
        file: Some(input_path(file, plan_file).into()),
        missing: Some(texts.unwrap_or_else(|| vec![String::new(), "NA".to_owned()])),
        delimiter: delimiter.map(Into::into),
        decimal: reading.decimal.or(found),
        encoding: Some(loaded.style.encoding)
            .filter(|&encoding| encoding != Encoding::Utf8 || reading.encoding.is_some()),
        ..DataDraft::default()
    }
}

/// Whether thousands are separated in a column that does not show it by itself.
fn has_separators(profile: &FileProfile) -> bool {
    let mut remarks = profile.remarks.iter();
    remarks.any(|remark| remark.id == THOUSANDS_SEPARATORS)
}

/// The file as the plan must name it: relative to the plan's folder where that is possible.
fn input_path(file: &Path, plan_file: &Path) -> String {
    let absolute = |path: &Path| std::fs::canonicalize(path).ok();
    let relative = absolute(file)
        .zip(absolute(folder_of(plan_file)))
        .and_then(|(file, folder)| {
            let inside = file.strip_prefix(&folder).ok()?;
            Some(inside.to_string_lossy().into_owned())
        });
    relative.unwrap_or_else(|| {
        absolute(file)
            .unwrap_or_else(|| file.to_owned())
            .to_string_lossy()
            .into_owned()
    })
}
