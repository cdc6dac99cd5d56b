//! What a draft only names: the columns of its data, files of levels and totals, places for outputs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bauta_data::format::{self, ReadOptions};
use bauta_data::totals::read_totals;
use bauta_data::{DataError, DataProblem, HierarchySpec, Table};

use crate::output::{Blocked, blocked};

/// What a check may ask of the world outside the draft.
pub trait Surroundings {
    /// The columns of the data, which are the file's if one is named; none where nothing can be
    /// said of them, and nothing need be said about that.
    fn columns(
        &self,
        file: Option<&str>,
        read: &ReadOptions,
    ) -> Option<Result<Vec<String>, DataError>>;

    /// The levels that a file of levels gives.
    fn levels(&self, file: &str) -> Result<HierarchySpec, DataError>;

    /// The totals that a file of totals gives.
    fn totals(&self, file: &str) -> Result<Vec<(String, f64)>, DataError>;

    /// Where a file is that the draft names.
    fn path(&self, given: &str) -> PathBuf {
        PathBuf::from(given)
    }

    /// The same for all ways in which a path can be written.
    fn real_place(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    /// Why nothing can be written at a path: what is wrong and what to do.
    fn refusal(&self, path: &Path) -> Option<(&'static str, String)> {
        let _ = path;
        None
    }
}

/// Data in memory, and the files that a draft may name by their content.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DataSchema {
    /// The columns, in file order.
    pub columns: Vec<String>,
    /// Files of levels by name.
    pub levels: BTreeMap<String, HierarchySpec>,
    /// Files of totals by name.
    pub totals: BTreeMap<String, Vec<(String, f64)>>,
}

impl DataSchema {
    /// These columns, and no files.
    pub fn new<T: Into<String>>(columns: impl IntoIterator<Item = T>) -> Self {
        Self {
            columns: columns.into_iter().map(Into::into).collect(),
            ..Self::default()
        }
    }

    /// The columns of a table, and no files.
    pub fn of_table(table: &Table) -> Self {
        Self::new(table.names())
    }
}

fn not_given(file: &str) -> DataError {
    let problem = DataProblem::file(
        "the content of this file was not given",
        "give it with the schema of the data",
    );
    DataError::one(Path::new(file), problem)
}

impl Surroundings for DataSchema {
    fn columns(
        &self,
        _file: Option<&str>,
        _read: &ReadOptions,
    ) -> Option<Result<Vec<String>, DataError>> {
        Some(Ok(self.columns.clone()))
    }

    fn levels(&self, file: &str) -> Result<HierarchySpec, DataError> {
        let levels = self.levels.get(file).cloned();
        levels.ok_or_else(|| not_given(file))
    }

    fn totals(&self, file: &str) -> Result<Vec<(String, f64)>, DataError> {
        let totals = self.totals.get(file).cloned();
        totals.ok_or_else(|| not_given(file))
    }
}

/// The folder that a plan's paths are relative to.
#[derive(Clone, Copy, Debug)]
pub struct Folder<'a>(pub &'a Path);

impl Surroundings for Folder<'_> {
    fn columns(
        &self,
        file: Option<&str>,
        read: &ReadOptions,
    ) -> Option<Result<Vec<String>, DataError>> {
        file.map(|file| format::column_names(&self.path(file), read))
    }

    fn levels(&self, file: &str) -> Result<HierarchySpec, DataError> {
        HierarchySpec::read_levels(&self.path(file), None)
    }

    fn totals(&self, file: &str) -> Result<Vec<(String, f64)>, DataError> {
        read_totals(&self.path(file))
    }

    fn path(&self, given: &str) -> PathBuf {
        self.0.join(given)
    }

    fn real_place(&self, path: &Path) -> PathBuf {
        real_place(path)
    }

    fn refusal(&self, path: &Path) -> Option<(&'static str, String)> {
        // What the system refuses to tell now, it tells when the file is written.
        let Blocked { message, hint } = blocked(path).ok()?.err()?;
        Some((message, hint))
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
