//! File formats, chosen by extension.

mod arrow_exact;
mod arrow_in;
mod arrow_out;
mod arrow_types;
mod builder;
mod category_builder;
mod decimal_marks;
mod encoding;
mod faulty_records;
mod header;
mod listed_texts;
mod memory;
mod missing_matcher;
mod number_builder;
mod outlook;
mod parquet;
mod parquet_write;
mod pieces;
mod piecewise;
mod quotes;
mod recent_texts;
mod record_by_record;
mod sniff;
mod suspicion;
mod text_again;
mod text_memory;
mod text_read;
mod text_write;
mod unread_arrays;
mod unread_text;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;

use crate::attribute::{Attribute, Schema};
use crate::fingerprint::{Fingerprint, WrittenBytes, WrittenHasher};
use crate::number::{DecimalMark, ShownMark};
use crate::problem::{DataError, DataErrorKind, DataProblem};
use crate::remark::Remark;
use crate::spelling;
use crate::store::Store;
use crate::table::Table;
use crate::watch::Watch;

use memory::{Allowance, Need};

pub use self::outlook::{CellBytes, Outlook, RecordCount, outlook, records_of_text};
pub use arrow_in::from_record_batches;
pub use arrow_out::to_record_batch;
pub use decimal_marks::decide as decimal_mark_of;
pub use encoding::Encoding;
pub use sniff::delimiter_of_extension;

/// Bytes that are read at first to find the header of a text file.
const FIRST_READ_BYTES: u64 = 1 << 20;
/// A header longer than this is not a header.
const LONGEST_HEADER_BYTES: u64 = 1 << 26;

/// A file format that Bauta reads and writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FileFormat {
    /// Delimited text (CSV, TSV).
    Text,
    /// Apache Parquet.
    Parquet,
}

impl FileFormat {
    /// Extensions and the formats they mean, in the order of the documentation.
    const EXTENSIONS: [(&str, Self); 6] = [
        ("csv", Self::Text),
        ("tsv", Self::Text),
        ("tab", Self::Text),
        ("txt", Self::Text),
        ("parquet", Self::Parquet),
        ("pq", Self::Parquet),
    ];

    /// The format that the extension of a path means.
    pub fn of_path(path: &Path) -> Result<Self, DataError> {
        let extension = extension(path);
        let known = Self::EXTENSIONS.iter().find(|(name, _)| *name == extension);
        known.map(|&(_, format)| format).ok_or_else(|| {
            let names = Self::EXTENSIONS
                .map(|(name, _)| format!(".{name}"))
                .join(", ");
            let message = if extension.is_empty() {
                "the file name has no extension, so its format is not known".to_owned()
            } else {
                format!("the extension `.{extension}` is not that of a supported format")
            };
            DataError::one(
                path,
                DataProblem::file(message, format!("supported are {names}")),
            )
        })
    }
}

/// The extension in small letters, without its point.
fn extension(path: &Path) -> String {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .unwrap_or_default()
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

impl Default for TextStyle {
    /// Comma, decimal point, UTF-8 without byte-order mark, line feeds.
    fn default() -> Self {
        Self {
            delimiter: b',',
            decimal: DecimalMark::Point,
            encoding: Encoding::Utf8,
            line_ending: LineEnding::Lf,
            byte_order_mark: false,
        }
    }
}

impl TextStyle {
    /// The same style with the delimiter that the extension of `path` prescribes, if any: a table
    /// from a CSV file that is released as `.tsv` must have tabs to be read again.
    #[must_use]
    pub fn for_path(self, path: &Path) -> Self {
        Self {
            delimiter: sniff::delimiter_of_extension(path).unwrap_or(self.delimiter),
            ..self
        }
    }
}

/// What the reader is told; what it is not told, it finds out.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ReadOptions {
    /// Roles, kinds and missing rules.
    pub schema: Schema,
    /// Field separator; `None` finds it in the header.
    pub delimiter: Option<u8>,
    /// Decimal mark; `None` finds it in the numbers of a text file, and refuses where these do not show it.
    pub decimal: Option<DecimalMark>,
    /// Character encoding.
    pub encoding: Encoding,
    /// Bytes of memory that reading may take; `None` takes what the operating system says is
    /// available (Linux), or knows no limit. A file that needs more is refused before it is taken.
    pub memory: Option<u64>,
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
    /// What there is to say of it.
    pub remarks: Vec<Remark>,
    /// What each column showed of the decimal mark, where it was to be found.
    pub shown_marks: Vec<ShownMark>,
}

/// Reads a file.
pub fn read(path: &Path, options: &ReadOptions, watch: &dyn Watch) -> Result<Loaded, DataError> {
    let file = open(path)?;
    FileFormat::of_path(path)?;
    let bytes = read_whole(path, file, options)?;
    read_bytes(path, bytes, options, watch)
}

/// Reads a file into a store: its table is the one that [`read`] gives, in columns whose cells lie in files. No more of it
/// is in memory at a time than some records and the categories of each variable.
///
/// What can only be read as a whole is read by [`read`] first, and refused where it does not fit the memory that `options`
/// allow: texts in other letters than UTF-8, of one column, or with carriage returns that end lines alone, and texts with
/// bytes that are no characters, whatever else is wrong with them.
pub fn read_stored(
    path: &Path,
    options: &ReadOptions,
    store: &Store,
    watch: &dyn Watch,
) -> Result<Loaded, DataError> {
    let mut file = open(path)?;
    let format = FileFormat::of_path(path)?;
    let is_on_disk = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let streamed = match format {
        FileFormat::Text if is_on_disk => {
            text_read::read_stored(path, &mut file, Variables::All, options, store, watch)?
        }
        FileFormat::Parquet if is_on_disk => {
            Some(parquet::read_stored(path, file, options, store, watch)?)
        }
        // A pipe goes by once.
        FileFormat::Text | FileFormat::Parquet => None,
    };
    let Some((read, fingerprint)) = streamed else {
        let loaded = read(path, options, watch)?;
        let table = store.put_table(&loaded.table)?;
        return Ok(Loaded { table, ..loaded });
    };
    let (table, folded) = spelling::fold_declared(path, read.table, &options.schema)?;
    Ok(Loaded {
        table: store.put_table(&table)?,
        fingerprint,
        format,
        style: read.style,
        remarks: read.remarks.into_iter().chain(folded).collect(),
        shown_marks: read.shown_marks,
    })
}

/// Reads of a file the variables that `options` describe, and no hash of its bytes. Its records and names are checked
/// as [`read`] checks them. Cells of its other variables are not checked: those of a text only show the decimal mark,
/// where a described variable holds numbers.
pub fn read_described(
    path: &Path,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    let file = open(path)?;
    let format = FileFormat::of_path(path)?;
    // A pipe goes by once, so that it is held as a whole.
    let is_on_disk = file.metadata().is_ok_and(|metadata| metadata.is_file());
    if format == FileFormat::Parquet && is_on_disk {
        let table = parquet::read_described(path, file, options, watch)?;
        return Ok(spelling::fold_declared(path, table, &options.schema)?.0);
    }
    let bytes = read_whole(path, file, options)?;
    let options = with_mark_of_described(options);
    let of = Variables::Described;
    let (content, ()) = content_and(path, bytes, of, &options, watch, |_| Ok(()))?;
    Ok(content.table)
}

/// The same into a store: the table is the one that [`read_described`] gives, in columns whose cells lie in files. What can
/// only be read as a whole is read so first, as by [`read_stored`].
pub fn read_described_stored(
    path: &Path,
    options: &ReadOptions,
    store: &Store,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    let mut file = open(path)?;
    let format = FileFormat::of_path(path)?;
    let is_on_disk = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let of = Variables::Described;
    let streamed = match format {
        FileFormat::Text if is_on_disk => {
            let options = with_mark_of_described(options);
            let read = text_read::read_stored(path, &mut file, of, &options, store, watch)?;
            read.map(|(read, _)| read.table)
        }
        FileFormat::Parquet if is_on_disk => Some(parquet::read_described_stored(
            path, file, options, store, watch,
        )?),
        // A pipe goes by once.
        FileFormat::Text | FileFormat::Parquet => None,
    };
    let table = match streamed {
        Some(table) => spelling::fold_declared(path, table, &options.schema)?.0,
        None => read_described(path, options, watch)?,
    };
    store.put_table(&table)
}

/// The options with a decimal mark where no described variable holds numbers: nothing depends on it then.
fn with_mark_of_described(options: &ReadOptions) -> ReadOptions {
    let mut attributes = options.schema.attributes.iter();
    let unsought = (!attributes.any(Attribute::is_of_numbers)).then(DecimalMark::default);
    ReadOptions {
        decimal: options.decimal.or(unsought),
        ..options.clone()
    }
}

/// Which variables of a file are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variables {
    All,
    /// Those that the schema describes.
    Described,
    /// None: cells only show the decimal mark.
    None,
}

/// Bytes of memory that reading a file takes at its peak, from its size, its header or footer and its
/// number of records; a text file is read through for its lines, without being kept.
pub fn memory_needed(path: &Path, options: &ReadOptions) -> Result<u64, DataError> {
    memory_needed_of(path, Variables::All, options)
}

/// The same of the variables that `options` describe, as [`read_described`] reads them.
pub fn memory_needed_described(path: &Path, options: &ReadOptions) -> Result<u64, DataError> {
    memory_needed_of(path, Variables::Described, options)
}

fn memory_needed_of(path: &Path, of: Variables, options: &ReadOptions) -> Result<u64, DataError> {
    let format = FileFormat::of_path(path)?;
    let file = open(path)?;
    let need = match format {
        FileFormat::Text => text_memory::of_file(path, file, of, options)?,
        FileFormat::Parquet => parquet::memory_needed(path, &file, of, options)?,
    };
    Ok(need.bytes())
}

/// The encoding that the bytes of a text file are likely to have, where they are not UTF-8.
pub fn likely_encoding(path: &Path, options: &ReadOptions) -> Result<Option<Encoding>, DataError> {
    if FileFormat::of_path(path)? != FileFormat::Text {
        return Ok(None);
    }
    let bytes = read_whole(path, open(path)?, options)?;
    let is_utf8 =
        Encoding::of_byte_order_mark(&bytes).is_some() || std::str::from_utf8(&bytes).is_ok();
    Ok(if is_utf8 {
        None
    } else {
        Encoding::likely_of(&bytes)
    })
}

/// All bytes of a file, if they may be held.
fn read_whole(path: &Path, file: File, options: &ReadOptions) -> Result<Vec<u8>, DataError> {
    let allowance = Allowance::of(options.memory);
    let n_bytes = file.metadata().map_or(0, |metadata| metadata.len());
    allowance.check(path, &Need::of_bytes(n_bytes))?;
    let mut bytes = Vec::with_capacity(usize::try_from(n_bytes).map_or(0, |n_bytes| n_bytes + 1));
    // A pipe has no length to look at, so that it is stopped on its way.
    let n_read = file
        .take(allowance.bytes().saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| DataError::io(path, "read", &error))?;
    allowance.check(path, &Need::of_bytes(n_read as u64))?;
    Ok(bytes)
}

/// The names of a file's variables, without reading its records.
pub fn column_names(path: &Path, options: &ReadOptions) -> Result<Vec<String>, DataError> {
    let format = FileFormat::of_path(path)?;
    let file = open(path)?;
    match format {
        FileFormat::Text => {
            let start = read_header(path, file, options)?;
            text_read::column_names(path, &start, options)
        }
        FileFormat::Parquet => parquet::column_names(path, file),
    }
}

/// The names of a Parquet file's variables that hold whole numbers or doubles; none of a text, which does not say it.
pub fn number_columns(path: &Path) -> Result<Vec<String>, DataError> {
    let format = FileFormat::of_path(path)?;
    let file = open(path)?;
    match format {
        FileFormat::Text => Ok(Vec::new()),
        FileFormat::Parquet => parquet::number_columns(path, file),
    }
}

/// The start of a text file up to the end of its header at least.
fn read_header(path: &Path, mut file: File, options: &ReadOptions) -> Result<Vec<u8>, DataError> {
    let mut start = Vec::new();
    let mut n_wanted = FIRST_READ_BYTES;
    loop {
        let n_more = n_wanted - start.len() as u64;
        (&mut file)
            .take(n_more)
            .read_to_end(&mut start)
            .map_err(|error| DataError::io(path, "read", &error))?;
        let is_whole = (start.len() as u64) < n_wanted;
        if is_whole || text_read::holds_header(path, &start, options)? {
            return Ok(start);
        }
        if n_wanted >= LONGEST_HEADER_BYTES {
            let megabytes = LONGEST_HEADER_BYTES >> 20;
            let problem = DataProblem::file(
                format!("the first {megabytes} MiB hold no end of the header"),
                "the first line must hold the names of the columns; check its quotes and line ends",
            );
            return Err(DataError::one(path, problem));
        }
        n_wanted *= 2;
    }
}

/// Looks whether the decimal mark of a text file is clear, with all its records and without keeping any.
/// What else is wrong with the file is left to [`read`].
pub fn check_decimal_mark(
    path: &Path,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<(), DataError> {
    let is_text = FileFormat::of_path(path)? == FileFormat::Text;
    if options.decimal.is_some() || !is_text {
        return Ok(());
    }
    let mut file = open(path)?;
    let metadata = file.metadata();
    let n_bytes = metadata.as_ref().map_or(0, std::fs::Metadata::len);
    let is_on_disk = metadata.is_ok_and(|metadata| metadata.is_file());
    let need = Need::of_bytes(n_bytes);
    let fits = Allowance::of(options.memory).check(path, &need).is_ok();
    if is_on_disk
        && !fits
        && let Some(()) = text_read::check_marks(path, &mut file, options, watch)?
    {
        return Ok(());
    }
    let bytes = read_whole(path, open(path)?, options)?;
    text_read::check_decimal_mark(path, &bytes, options, watch)
}

/// Opens a file; a folder is refused in words.
fn open(path: &Path) -> Result<File, DataError> {
    let file = File::open(path).map_err(|error| DataError::io(path, "open", &error))?;
    let metadata = file
        .metadata()
        .map_err(|error| DataError::io(path, "open", &error))?;
    if metadata.is_dir() {
        let problem = DataProblem::file("is a folder, not a file", "name a file in it");
        return Err(DataError {
            kind: DataErrorKind::Io,
            ..DataError::one(path, problem)
        });
    }
    Ok(file)
}

/// Reads a file that is in memory already. `path` gives the format and stands in messages.
pub fn read_bytes(
    path: &Path,
    bytes: impl Into<Vec<u8>>,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Loaded, DataError> {
    let hash = |bytes: &[u8]| {
        // Memory is always readable: the one way to fail is to be told to stop.
        let hashed = Fingerprint::of(WatchedBytes { bytes, watch });
        hashed.map_err(|_| DataError::cancelled(path))
    };
    let of = Variables::All;
    let (content, fingerprint) = content_and(path, bytes.into(), of, options, watch, hash)?;
    let Content {
        table,
        format,
        style,
        remarks,
        shown_marks,
    } = content;
    Ok(Loaded {
        table,
        fingerprint,
        format,
        style,
        remarks,
        shown_marks,
    })
}

/// What the bytes of a file say.
struct Content {
    table: Table,
    format: FileFormat,
    style: TextStyle,
    remarks: Vec<Remark>,
    shown_marks: Vec<ShownMark>,
}

/// The content of a file, and what is found out about its bytes beside.
fn content_and<T: Send>(
    path: &Path,
    bytes: Vec<u8>,
    of: Variables,
    options: &ReadOptions,
    watch: &dyn Watch,
    beside: impl FnOnce(&[u8]) -> Result<T, DataError> + Send,
) -> Result<(Content, T), DataError> {
    let format = FileFormat::of_path(path)?;
    match format {
        FileFormat::Text => {
            let bytes = Arc::new(bytes);
            let read = || text_read::read(path, &bytes, of, options, watch);
            let (read, found) = rayon::join(read, || beside(&bytes));
            let (read, found) = (read?, found?);
            let (table, folded) = spelling::fold_declared(path, read.table, &options.schema)?;
            let content = Content {
                table,
                format,
                style: read.style,
                remarks: read.remarks.into_iter().chain(folded).collect(),
                shown_marks: read.shown_marks,
            };
            Ok((content, found))
        }
        FileFormat::Parquet => {
            let file = parquet::in_memory(bytes);
            let read = || parquet::read(path, &file, of, options, watch);
            let (table, found) = rayon::join(read, || beside(file.as_ref()));
            let (table, found) = (table?, found?);
            let (table, remarks) = spelling::fold_declared(path, table, &options.schema)?;
            let content = Content {
                table,
                format,
                style: TextStyle::default(),
                remarks,
                shown_marks: Vec::new(),
            };
            Ok((content, found))
        }
    }
}

/// Reads again a file that was just written: of its columns only those that `options` describe, which
/// must also state its style. A text is never held as a whole.
pub fn read_again(
    path: &Path,
    mut source: impl Read + Send,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    match FileFormat::of_path(path)? {
        FileFormat::Text => text_again::read(path, source, options, watch),
        FileFormat::Parquet => {
            let mut bytes = Vec::new();
            let read = source.read_to_end(&mut bytes);
            read.map_err(|error| DataError::io(path, "read back", &error))?;
            parquet::read_written(path, &parquet::in_memory(bytes), options, watch)
        }
    }
}

/// Bytes that can no longer be read once the watcher asks to stop.
struct WatchedBytes<'a> {
    bytes: &'a [u8],
    watch: &'a dyn Watch,
}

impl Read for WatchedBytes<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.watch.cancelled() {
            return Err(io::Error::other("cancelled"));
        }
        self.bytes.read(buffer)
    }
}

/// Writes a table to an open writer and returns the hash of what was written.
pub fn write(
    out: &mut (dyn Write + Send),
    path: &Path,
    table: &Table,
    format: FileFormat,
    style: &TextStyle,
    watch: &dyn Watch,
) -> Result<WrittenBytes, DataError> {
    if table.columns().is_empty() {
        let problem = DataProblem::file(
            "there is no column to write",
            "keep at least one variable in the released file",
        );
        return Err(DataError::one(path, problem));
    }
    let out = HashingWriter {
        out,
        hasher: WrittenHasher::default(),
        failure: None,
    };
    match format {
        FileFormat::Text => text_write::write(out, path, table, *style, watch),
        FileFormat::Parquet => parquet_write::write(out, path, table, watch),
    }
}

/// Passes bytes on and hashes them.
struct HashingWriter<'a> {
    out: &'a mut (dyn Write + Send),
    hasher: WrittenHasher,
    /// The first failure, which encoders do not pass on as it was.
    failure: Option<io::Error>,
}

impl Write for HashingWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n_written = self.out.write(bytes).map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted {
                self.failure.get_or_insert(error);
            }
            io::Error::from(kind)
        })?;
        self.hasher.update(&bytes[..n_written]);
        Ok(n_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
