//! What each variable of a file seems to be.

use std::path::Path;

use bauta_data::format::{Loaded, read};
use bauta_data::inspect::{ColumnProfile, FileProfile, inspect as look_at};
use bauta_data::{Schema, Watch, near};

use super::{Reading, WorkError};

/// A file that was read as text and looked at.
#[derive(Clone, Debug)]
pub struct Inspected {
    /// Its content, all of it text.
    pub loaded: Loaded,
    /// What it seems to hold.
    pub profile: FileProfile,
}

/// Reads a file as text and looks at it.
pub fn inspect(file: &Path, reading: &Reading, watch: &dyn Watch) -> Result<Inspected, WorkError> {
    let loaded = read(file, &reading.options(Schema::default()), watch)?;
    let profile = look_at(&loaded.table, reading.decimal);
    Ok(Inspected { loaded, profile })
}

/// The column of a name, or what to do about there being none.
pub(super) fn column<'p>(
    file: &Path,
    profile: &'p FileProfile,
    name: &str,
) -> Result<&'p ColumnProfile, WorkError> {
    let names = profile.columns.iter().map(|column| column.name.as_str());
    let mut columns = profile.columns.iter();
    columns.find(|column| column.name == name).ok_or_else(|| {
        let message = format!("the file has no variable `{name}`");
        WorkError::of_variable(name, message, near::column_hint(name, names)).in_file(file)
    })
}
