//! Checking what a plan writes: nothing may replace what it reads or another output.

use std::path::{Path, PathBuf};

use bauta_data::Role;
use bauta_data::format::FileFormat;
use bauta_data::near;

use super::Surroundings;
use super::steps::TOTALS;
use crate::draft::{Draft, HierarchyDraft, OutputDraft, VariableDraft};
use crate::plan::{NamedPath, Output, Release, ReleaseWhen};
use crate::problem::{Problem, ProblemKind, Spot};
use crate::toml::Problems;

/// The outputs, if their names can be used beside the files that are read.
pub(super) fn check_output(
    draft: &Draft,
    plan_file: &str,
    surroundings: &dyn Surroundings,
    problems: &Problems,
) -> Option<Output> {
    let check = OutputCheck {
        draft: &draft.output,
        has_gates: !draft.gates.is_empty(),
        surroundings,
        problems,
    };
    check.check_weight_name(&draft.variables);
    check.check(&files_read(draft, plan_file, surroundings))
}

/// Files that the plan reads and no output may replace.
pub(crate) fn files_read(
    draft: &Draft,
    plan_file: &str,
    surroundings: &dyn Surroundings,
) -> Vec<PathBuf> {
    let input = draft.data.file.iter().map(|file| file.value.as_str());
    let hierarchies =
        draft
            .variables
            .iter()
            .filter_map(|variable| match &variable.hierarchy.as_ref()?.value {
                HierarchyDraft::File(file) => Some(file.as_str()),
                HierarchyDraft::Prefix(_)
                | HierarchyDraft::Dates(_)
                | HierarchyDraft::Ages { .. }
                | HierarchyDraft::Intervals(_)
                | HierarchyDraft::Tree(_) => None,
            });
    let totals = draft.steps.iter().flat_map(|step| {
        let params = step.params.0.iter();
        params.filter_map(|(name, value)| match &value.value {
            bauta_methods::RawValue::Text(file) if name.value == TOTALS => Some(file.as_str()),
            _ => None,
        })
    });
    let plan = Some(plan_file).filter(|file| !file.is_empty());
    let files = input.chain(hierarchies).chain(totals).chain(plan);
    files.map(|file| surroundings.path(file)).collect()
}

/// What `release` can be.
const GATED: &str = "gated";
pub(crate) const UNGATED: &str = "ungated";

struct OutputCheck<'a> {
    draft: &'a OutputDraft,
    has_gates: bool,
    surroundings: &'a dyn Surroundings,
    problems: &'a Problems,
}

impl OutputCheck<'_> {
    /// A name for the weight needs a weight, and is that of no other variable.
    fn check_weight_name(&self, variables: &[VariableDraft]) {
        let Some(spot) = &self.draft.weight else {
            return;
        };
        let refuse = |message: String, hint: &str| {
            let problem = Problem::at(ProblemKind::Plan, &spot.place, message, hint);
            self.problems.borrow_mut().push(problem);
        };
        let name = spot.value.as_str();
        if name.trim().is_empty() {
            refuse("`weight` names no column".to_owned(), "give it a name");
        }
        if !variables
            .iter()
            .any(|variable| variable.role == Role::Weight)
        {
            refuse(
                format!("`{name}` would be the name of the weight, and no variable is one"),
                "give a variable the role weight, or leave `weight` out",
            );
        }
    }

    fn check(&self, files_read: &[PathBuf]) -> Option<Output> {
        let draft = self.draft;
        let release = draft.file.as_ref();
        let release = release.map(|spot| (spot, self.named(spot), self.format(spot)));
        let read = files_read.iter();
        let mut taken: Vec<PathBuf> = read
            .map(|path| self.surroundings.real_place(path))
            .collect();
        let given = [
            &draft.file,
            &draft.report,
            &draft.external_report,
            &draft.record,
        ];
        for spot in given.into_iter().flatten() {
            self.take(spot, &self.surroundings.path(spot), &mut taken);
        }
        let mut record = draft.record.as_ref().map(|spot| self.named(spot));
        if let (None, Some((spot, file, _))) = (&record, &release) {
            let given = Path::new(&file.given).with_extension("record.json");
            let beside = self.named(&given.to_string_lossy());
            self.take(spot, &beside.path, &mut taken);
            record = Some(beside);
        }
        let release = match release {
            Some((_, file, format)) => Some(Release {
                file,
                format: format?,
            }),
            None => None,
        };
        Some(Output {
            release,
            record,
            report: draft.report.as_ref().map(|spot| self.named(spot)),
            external_report: draft.external_report.as_ref().map(|spot| self.named(spot)),
            shuffle: draft.shuffle.unwrap_or(false),
            suppressed: draft.suppressed.clone().unwrap_or_default(),
            release_when: self.release_when(),
            weight: draft.weight.as_ref().map(|spot| spot.value.clone()),
        })
    }

    /// What decides on the release; reports a word that means nothing.
    fn release_when(&self) -> ReleaseWhen {
        let Some(spot) = &self.draft.release else {
            return ReleaseWhen::default();
        };
        match spot.value.as_str() {
            GATED => ReleaseWhen::Gated,
            UNGATED if self.has_gates => {
                let message = "the plan sets gates, and lets its file go without any";
                let hint = "take away `release`: gates decide where there are some";
                let problem = Problem::at(ProblemKind::Plan, &spot.place, message, hint);
                self.problems.borrow_mut().push(problem);
                ReleaseWhen::Gated
            }
            UNGATED => ReleaseWhen::Ungated,
            other => {
                let message = format!("`release` cannot be `{other}`");
                let hint = format!(
                    "{}; `{UNGATED}` lets the file go though nothing was judged",
                    near::hint(other, [GATED, UNGATED].into_iter())
                );
                let problem = Problem::at(ProblemKind::Plan, &spot.place, message, hint);
                self.problems.borrow_mut().push(problem);
                ReleaseWhen::default()
            }
        }
    }

    fn named(&self, given: &str) -> NamedPath {
        NamedPath {
            given: given.to_owned(),
            path: self.surroundings.path(given),
        }
    }

    fn format(&self, spot: &Spot<String>) -> Option<FileFormat> {
        FileFormat::of_path(&self.surroundings.path(spot))
            .map_err(|error| {
                let found = error.problems.into_iter();
                let located = found.map(|problem| Problem::from_data(problem, &spot.place));
                self.problems.borrow_mut().extend(located);
            })
            .ok()
    }

    /// Claims a path for an output, or says why it cannot be had.
    fn take(&self, spot: &Spot<String>, path: &Path, taken: &mut Vec<PathBuf>) {
        let refuse = |message: &str, hint: String| {
            let message = format!("`{}`: {message}", spot.value);
            let problem = Problem::at(ProblemKind::Plan, &spot.place, message, hint);
            self.problems.borrow_mut().push(problem);
        };
        let place = self.surroundings.real_place(path);
        if taken.contains(&place) {
            refuse(
                "two files that are read or written would be the same",
                "choose another name; nothing that is read or written may be replaced".into(),
            );
        }
        if let Some((message, hint)) = self.surroundings.refusal(path) {
            refuse(message, hint);
        }
        taken.push(place);
    }
}
