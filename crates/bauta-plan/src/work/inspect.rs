//! What each variable of a file seems to be.

use std::path::Path;

use bauta_data::format::{Loaded, ReadOptions, likely_encoding, read};
use bauta_data::inspect::{ColumnProfile, FileProfile, inspect as look_at};
use bauta_data::remark::{LIKELY_ENCODING, Remark};
use bauta_data::{DataError, DataErrorKind, Schema, Watch, near};

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
    let options = reading.options(Schema::default());
    let (loaded, found) = match read(file, &options, watch) {
        Ok(loaded) => (loaded, None),
        Err(error) => read_as_likely(file, reading, options, error, watch)?,
    };
    let mut profile = look_at(&loaded.table, reading.decimal);
    profile.remarks.extend(found);
    Ok(Inspected { loaded, profile })
}

/// Reads a file again that is not UTF-8, with the encoding that it is likely to have, if nobody stated one.
fn read_as_likely(
    file: &Path,
    reading: &Reading,
    mut options: ReadOptions,
    error: DataError,
    watch: &dyn Watch,
) -> Result<(Loaded, Option<Remark>), WorkError> {
    let is_content = error.kind == DataErrorKind::Content && reading.encoding.is_none();
    let likely = if is_content {
        likely_encoding(file, &options)?
    } else {
        None
    };
    let Some(encoding) = likely else {
        return Err(error.into());
    };
    options.encoding = encoding;
    let loaded = read(file, &options, watch)?;
    let text = format!(
        "the encoding: the file is not UTF-8, and was read as {}; look whether its letters are right, and state encoding = \"{}\"",
        encoding.in_words(),
        encoding.name()
    );
    Ok((loaded, Some(Remark::of_file(LIKELY_ENCODING, text))))
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
