//! File formats, chosen by extension.

use std::path::Path;

use crate::attribute::Schema;
use crate::fingerprint::Fingerprint;
use crate::number::DecimalMark;
use crate::problem::{DataError, DataProblem};
use crate::table::Table;
use crate::watch::Watch;

/// A file format that Bauta reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFormat {
    /// Delimited text (CSV, TSV).
    Text,
    /// Apache Parquet.
    Parquet,
}

impl FileFormat {
    /// The format that a path's extension names.
    pub fn from_path(path: &Path) -> Result<Self, DataProblem> {
        let extension = path
            .extension()
            .map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("csv" | "tsv" | "tab" | "txt") => Ok(Self::Text),
            Some("parquet" | "pq") => Ok(Self::Parquet),
            _ => Err(DataProblem::file(
                "the extension names no format that Bauta knows",
                "use .csv, .tsv, .tab, .txt, .parquet or .pq",
            )),
        }
    }
}

/// The delimiter that a path's extension implies: a tab for `.tsv` and `.tab`.
pub fn delimiter_of_extension(path: &Path) -> Option<u8> {
    let extension = path.extension()?.to_string_lossy().to_lowercase();
    matches!(extension.as_str(), "tsv" | "tab").then_some(b'\t')
}

/// How the characters of a text file are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoding {
    /// UTF-8, with or without byte-order mark.
    #[default]
    Utf8,
    /// ISO 8859-1.
    Latin1,
}

/// How lines of a text file end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LineEnding {
    /// Line feed.
    #[default]
    Lf,
    /// Carriage return and line feed.
    CrLf,
}

/// How a text file is spelled; what was found in the source is used for the released file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextStyle {
    /// Field separator.
    pub delimiter: u8,
    /// Decimal mark.
    pub decimal: DecimalMark,
    /// Character encoding.
    pub encoding: Encoding,
    /// Line ending.
    pub line_ending: LineEnding,
    /// Whether the file starts with a byte-order mark.
    pub byte_order_mark: bool,
}

/// What the reader is told; what it is not told, it finds out.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// Roles, kinds and missing rules.
    pub schema: Schema,
    /// Field separator; `None` finds it in the header.
    pub delimiter: Option<u8>,
    /// Decimal mark.
    pub decimal: DecimalMark,
    /// Character encoding.
    pub encoding: Encoding,
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its content.
    pub table: Table,
    /// Hash of its bytes.
    pub fingerprint: Fingerprint,
    /// The format it had.
    pub format: FileFormat,
    /// How its text was spelled (a default for Parquet).
    pub style: TextStyle,
}

/// Reads a file.
pub fn read(path: &Path, options: &ReadOptions, watch: &dyn Watch) -> Result<Loaded, DataError> {
    let _ = (path, options, watch);
    unimplemented!("helper")
}

/// The names of a file's variables, without reading its records.
pub fn column_names(path: &Path, options: &ReadOptions) -> Result<Vec<String>, DataError> {
    let _ = (path, options);
    unimplemented!("helper")
}

/// Writes a table to an open writer and returns the hash of what was written.
pub fn write(
    out: &mut (dyn std::io::Write + Send),
    path: &Path,
    table: &Table,
    format: FileFormat,
    style: &TextStyle,
    watch: &dyn Watch,
) -> Result<Fingerprint, DataError> {
    let _ = (out, path, table, format, style, watch);
    unimplemented!("helper")
}
