//! Checking what a plan writes: nothing may replace what it reads or another output.

use std::path::{Path, PathBuf};

use bauta_data::format::FileFormat;

use crate::check::resolve_path;
use crate::draft::OutputDraft;
use crate::fields::Problems;
use crate::plan::{NamedPath, Output};
use crate::problem::{Problem, ProblemKind, Spot};

pub(crate) struct OutputCheck<'a> {
    pub(crate) draft: &'a OutputDraft,
    pub(crate) folder: &'a Path,
    pub(crate) problems: &'a Problems,
}

impl OutputCheck<'_> {
    /// The outputs, if their names can be used beside the files that are read.
    pub(crate) fn check(&self, files_read: &[PathBuf]) -> Option<Output> {
        let draft = self.draft;
        let file_spot = draft.file.as_ref()?;
        let file = resolve_path(self.folder, &file_spot.value);
        let format = self.format(file_spot, &file);
        let mut taken: Vec<PathBuf> = files_read.iter().map(|path| real_place(path)).collect();
        let given = [
            &draft.file,
            &draft.report,
            &draft.external_report,
            &draft.record,
        ];
        for spot in given.into_iter().flatten() {
            self.take(spot, &self.folder.join(&spot.value), &mut taken);
        }
        let record = self.named(draft.record.as_ref()).unwrap_or_else(|| {
            let given = Path::new(&file.given).with_extension("record.json");
            resolve_path(self.folder, &given.to_string_lossy())
        });
        if draft.record.is_none() {
            self.take(file_spot, &record.path, &mut taken);
        }
        Some(Output {
            format: format?,
            record: Some(record),
            report: self.named(draft.report.as_ref()),
            external_report: self.named(draft.external_report.as_ref()),
            shuffle: draft.shuffle,
            suppressed: draft.suppressed.clone().unwrap_or_default(),
            file,
        })
    }

    fn named(&self, spot: Option<&Spot<String>>) -> Option<NamedPath> {
        spot.map(|spot| resolve_path(self.folder, &spot.value))
    }

    fn format(&self, spot: &Spot<String>, file: &NamedPath) -> Option<FileFormat> {
        FileFormat::of_path(&file.path)
            .map_err(|error| {
                let found = error.problems.into_iter();
                let located = found.map(|problem| Problem::from_data(problem, &spot.span));
                self.problems.borrow_mut().extend(located);
            })
            .ok()
    }

    /// Claims a path for an output, or says why it cannot be had.
    fn take(&self, spot: &Spot<String>, path: &Path, taken: &mut Vec<PathBuf>) {
        let refuse = |message: &str, hint: String| {
            let problem = Problem::at(ProblemKind::Plan, &spot.span, message, hint);
            self.problems.borrow_mut().push(problem);
        };
        let place = real_place(path);
        if taken.contains(&place) {
            refuse(
                "two files of the plan would be the same",
                "choose another name; nothing that a plan reads or writes may be replaced by it"
                    .into(),
            );
        }
        let parent = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
            refuse(
                "the folder of this file does not exist",
                format!("make the folder {}", parent.display()),
            );
        }
        if path.is_dir() {
            refuse(
                "there is a folder of this name",
                "choose another name".into(),
            );
        }
        taken.push(place);
    }
}

/// Where a path leads, whatever way it is written.
pub fn real_place(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or_else(|| Path::new(".")).canonicalize();
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
