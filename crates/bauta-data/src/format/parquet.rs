//! Reads Apache Parquet.

mod listed_pages;
mod small_numbers;

use std::fs::File;
use std::io::{Read, Seek as _};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{RecordBatch, RecordBatchReader as _};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::statistics::Statistics;

use self::listed_pages::ListedPages;
use super::arrow_in::TableBuilder;
use super::builder::Stored;
use super::category_builder::CategoryBuilder;
use super::memory::{Allowance, ColumnCosts, Need};
use super::outlook::{CellBytes, KeptAs, NUMBER, Outlook, RecordCount};
use super::text_read::ReadText;
use super::{ReadOptions, TextStyle, Variables};
use crate::fingerprint::Fingerprint;
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::store::{Store, StoreLost};
use crate::table::Table;
use crate::watch::Watch;

/// What a Parquet file begins with.
const START: &[u8] = b"PAR1";

/// Records that are decoded at a time.
const BATCH_RECORDS: usize = 1 << 16;

/// Records that are decoded at a time: few enough for their arrays to be made in memory that those before left.
const READ_BATCH_RECORDS: usize = 1 << 13;

/// A file in memory, in the form that the decoder shares pieces of.
pub(super) fn in_memory(bytes: Vec<u8>) -> impl ChunkReader + AsRef<[u8]> + Clone + 'static {
    // The form is the type that the decoder gets from any source, which has no public name here.
    fn from_vec<S, B: From<Vec<u8>>>(
        _: fn(&S, u64, usize) -> Result<B, ParquetError>,
        bytes: Vec<u8>,
    ) -> B {
        bytes.into()
    }
    from_vec(<std::fs::File as ChunkReader>::get_bytes, bytes)
}

/// The table in a Parquet file that is held in memory.
pub(super) fn read(
    path: &Path,
    file: &(impl ChunkReader + AsRef<[u8]> + Clone + 'static),
    of: Variables,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    check_start(path, file.as_ref())?;
    decoded(path, file.clone(), (of, Held::Whole), options, watch)
}

/// The variables that `options` describe, of a file on the disk: what stands between their pages is not read.
pub(super) fn read_described(
    path: &Path,
    file: File,
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    check_start_of(path, &file)?;
    let read = (Variables::Described, Held::Pages);
    decoded(path, file, read, options, watch)
}

/// All variables of a file on the disk, into a store, and the hash of its bytes.
pub(super) fn read_stored(
    path: &Path,
    file: File,
    options: &ReadOptions,
    store: &Store,
    watch: &dyn Watch,
) -> Result<(ReadText, Fingerprint), DataError> {
    let failed = |error: std::io::Error| DataError::io(path, "read", &error);
    let mut hashed = file.try_clone().map_err(failed)?;
    check_start_of(path, &hashed)?;
    hashed.rewind().map_err(failed)?;
    // The two share one place in the file, so that one goes after the other.
    let fingerprint = Fingerprint::of(&hashed).map_err(failed)?;
    let read = ReadText {
        table: stored(path, file, Variables::All, options, store, watch)?,
        style: TextStyle::default(),
        remarks: Vec::new(),
        shown_marks: Vec::new(),
    };
    Ok((read, fingerprint))
}

/// The variables that `options` describe, of a file on the disk, into a store.
pub(super) fn read_described_stored(
    path: &Path,
    file: File,
    options: &ReadOptions,
    store: &Store,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    check_start_of(path, &file)?;
    stored(path, file, Variables::Described, options, store, watch)
}

/// Refuses a file that does not begin as a Parquet file does.
fn check_start_of(path: &Path, mut file: &File) -> Result<(), DataError> {
    let mut start = Vec::new();
    let taken = Read::by_ref(&mut file)
        .take(START.len() as u64)
        .read_to_end(&mut start);
    taken.map_err(|error| DataError::io(path, "read", &error))?;
    check_start(path, &start)
}

fn stored(
    path: &Path,
    file: File,
    of: Variables,
    options: &ReadOptions,
    store: &Store,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    let decode = || rayon::scope(|_| store_batches(path, file, of, options, store, watch));
    let content = AssertUnwindSafe(decode);
    catch_unwind(content).unwrap_or_else(|cause| {
        // What the store lacks is not the file's fault.
        if cause.is::<StoreLost>() {
            resume_unwind(cause);
        }
        Err(damaged(path))
    })
}

fn store_batches(
    path: &Path,
    file: File,
    of: Variables,
    options: &ReadOptions,
    store: &Store,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
    let footer = footer.map_err(|_| damaged(path))?;
    let with_lists = with_lists_of_texts(&footer);
    let decoder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, with_lists);
    let total = u64::try_from(decoder.metadata().file_metadata().num_rows()).unwrap_or(0);
    let mut table = TableBuilder::new(path, footer.schema(), options)?;
    check_compression(path, decoder.metadata())?;
    let decoder = match of {
        Variables::All => decoder,
        Variables::Described | Variables::None => {
            let described = table.retain_described();
            let mask = ProjectionMask::roots(decoder.parquet_schema(), described);
            decoder.with_projection(mask)
        }
    };
    let mut stored = table.store_in(store)?;
    let batches = decoder.with_batch_size(BATCH_RECORDS).build();
    let mut batches = batches.map_err(|_| damaged(path))?;
    let mut n_done = 0;
    let mut batch = next(&mut batches, path)?;
    while let Some(current) = batch {
        if watch.cancelled() {
            return Err(DataError::cancelled(path));
        }
        let push = || {
            table.push(&current)?;
            stored.take(&mut table, Stored::Blocks)
        };
        let (following, pushed) = rayon::join(|| next(&mut batches, path), push);
        pushed?;
        batch = following?;
        n_done += current.num_rows() as u64;
        watch.progress(n_done, total);
    }
    if watch.cancelled() {
        return Err(DataError::cancelled(path));
    }
    stored.take(&mut table, Stored::All)?;
    table.finish_stored(stored)
}

/// How much of a file is in memory while it is decoded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    Whole,
    /// No more than the pages of what is read.
    Pages,
}

/// Refuses what does not begin as a Parquet file does.
fn check_start(path: &Path, bytes: &[u8]) -> Result<(), DataError> {
    if bytes.is_empty() {
        let problem = DataProblem::file("the file is empty", "write it again");
        return Err(DataError::one(path, problem));
    }
    if !bytes.starts_with(START) {
        let problem = DataProblem::file(
            "is not a Parquet file",
            "give it the extension of its format, such as .csv",
        );
        return Err(DataError::one(path, problem));
    }
    Ok(())
}

/// Damaged files make the decoder panic in places; that is the file's fault, not the user's program's, and must not
/// take the run down.
fn decoded(
    path: &Path,
    file: impl ChunkReader + 'static,
    (of, held): (Variables, Held),
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    // On a thread that has the others at hand: from any other, each batch would wait until one of them wakes.
    let read = || rayon::scope(|_| read_batches(path, file, (of, held), options, watch));
    let content = AssertUnwindSafe(read);
    catch_unwind(content).unwrap_or_else(|_| Err(damaged(path)))
}

/// The names of the columns, from the file's footer.
pub(super) fn column_names(path: &Path, file: File) -> Result<Vec<String>, DataError> {
    let decoder = decoder_of(path, file)?;
    let fields = decoder.schema().fields().iter();
    Ok(fields.map(|field| field.name().clone()).collect())
}

/// The names of the columns of whole numbers or doubles.
pub(super) fn number_columns(path: &Path, file: File) -> Result<Vec<String>, DataError> {
    let decoder = decoder_of(path, file)?;
    let is_number =
        |data_type: &DataType| data_type.is_integer() || matches!(data_type, DataType::Float64);
    let fields = decoder.schema().fields().iter();
    let numbers = fields.filter(|field| is_number(field.data_type()));
    Ok(numbers.map(|field| field.name().clone()).collect())
}

/// What is known of a file by its footer.
pub(super) fn outlook(
    path: &Path,
    file: File,
    options: &ReadOptions,
) -> Result<Outlook, DataError> {
    let n_bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let decoder = decoder_of(path, file)?;
    let as_count = |number: i64| u64::try_from(number).unwrap_or(0);
    let metadata = decoder.metadata();
    let n_records = as_count(metadata.file_metadata().num_rows());
    let fields = decoder.schema().fields().iter().enumerate();
    let variables = fields.map(|(at, field)| {
        let attribute = options.schema.attribute(field.name());
        let kept = match attribute {
            Some(attribute) if attribute.is_of_numbers() => KeptAs::Numbers,
            // What nobody described has its different values in memory.
            Some(_) | None => KeptAs::Categories,
        };
        let chunks = metadata.row_groups().iter();
        let chunks = chunks.filter_map(|group| group.columns().get(at));
        let n_uncompressed: u64 = (chunks.clone())
            .map(|chunk| as_count(chunk.uncompressed_size()))
            .sum();
        let has_nulls = chunks.clone().any(|chunk| {
            let nulls = chunk.statistics().and_then(Statistics::null_count_opt);
            nulls.is_some_and(|n| n > 0)
        });
        // The numbers of values in a list take as many bytes as codes do.
        let code = match n_uncompressed / n_records.max(1) {
            0 | 1 => 1,
            2 => 2,
            _ => 4,
        };
        let value = if kept == KeptAs::Numbers {
            NUMBER
        } else {
            code
        };
        CellBytes {
            variable: field.name().clone(),
            least: kept.least(),
            likely: value + u64::from(has_nulls),
        }
    });
    Ok(Outlook {
        n_bytes,
        records: RecordCount::Exactly(n_records),
        variables: variables.collect(),
        read_whole: false,
    })
}

/// A decoder of a file, which has read its footer.
fn decoder_of(path: &Path, file: File) -> Result<ParquetRecordBatchReaderBuilder<File>, DataError> {
    let footer = AssertUnwindSafe(|| ParquetRecordBatchReaderBuilder::try_new(file));
    catch_unwind(footer)
        .map_err(|_| damaged(path))?
        .map_err(|_| damaged(path))
}

/// What reading a file would need, by its footer.
pub(super) fn memory_needed(
    path: &Path,
    file: &File,
    of: Variables,
    options: &ReadOptions,
) -> Result<Need, DataError> {
    let n_bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let file = file
        .try_clone()
        .map_err(|error| DataError::io(path, "open", &error))?;
    let decoder = decoder_of(path, file)?;
    let fields = decoder.schema().fields().iter().enumerate();
    let is_read = |name: &str| of == Variables::All || options.schema.attribute(name).is_some();
    let read = fields.filter(|(_, field)| is_read(field.name()));
    let read: Vec<usize> = read.map(|(position, _)| position).collect();
    let n_held = match of {
        Variables::All => n_bytes,
        Variables::Described | Variables::None => compressed_bytes(decoder.metadata(), &read),
    };
    Ok(need_of(decoder.metadata(), &read, n_held, options))
}

/// What a file needs while these of its columns are read, in their order: the footer knows its records, and how many bytes each column
/// takes uncompressed shows whether its values are in a list or stand for themselves.
fn need_of(
    metadata: &ParquetMetaData,
    columns: &[usize],
    n_bytes: u64,
    options: &ReadOptions,
) -> Need {
    let as_count = |number: i64| u64::try_from(number).unwrap_or(0);
    let groups = metadata.row_groups().iter();
    let in_groups = groups.clone().map(|group| as_count(group.num_rows())).sum();
    let n_records = as_count(metadata.file_metadata().num_rows()).max(in_groups);
    let mut costs = ColumnCosts::new(columns.len(), &options.schema);
    let chunks = groups.flat_map(|group| group.columns().iter().enumerate());
    let read = chunks.filter(|(position, _)| columns.binary_search(position).is_ok());
    for (_, chunk) in read {
        let n_values = as_count(chunk.num_values());
        let n_text_bytes = as_count(chunk.uncompressed_size());
        let is_text = chunk.column_type() == Type::BYTE_ARRAY;
        // The number of a value in a list takes two bytes at most, as a rule.
        if is_text && n_text_bytes > n_values.saturating_mul(4) {
            costs.add_different_texts(n_values, n_text_bytes);
        }
    }
    Need::of_table(n_bytes, n_records, &costs)
}

/// Bytes that these of a file's columns take in it.
fn compressed_bytes(metadata: &ParquetMetaData, columns: &[usize]) -> u64 {
    let groups = metadata.row_groups().iter();
    let chunks = groups.flat_map(|group| columns.iter().filter_map(|&at| group.columns().get(at)));
    let sizes = chunks.map(|chunk| u64::try_from(chunk.compressed_size()).unwrap_or(0));
    sizes.fold(0, u64::saturating_add)
}

fn read_batches(
    path: &Path,
    file: impl ChunkReader + 'static,
    (of, held): (Variables, Held),
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    let n_file_bytes = file.len();
    let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new());
    let footer = footer.map_err(|_| damaged(path))?;
    let metadata = footer.metadata();
    let total = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
    let mut table = TableBuilder::new(path, footer.schema(), options)?;
    check_compression(path, metadata)?;
    let read: Vec<usize> = match of {
        Variables::All => (0..footer.schema().fields().len()).collect(),
        Variables::Described | Variables::None => table.retain_described(),
    };
    let n_held_bytes = match held {
        Held::Whole => n_file_bytes,
        Held::Pages => compressed_bytes(metadata, &read),
    };
    let need = need_of(metadata, &read, n_held_bytes, options);
    Allowance::of(options.memory).check(path, &need)?;
    let (left, n_told) = fill_from_lists(&file, &footer, &read, &mut table, watch);
    if watch.cancelled() {
        return Err(DataError::cancelled(path));
    }
    if left.is_empty() {
        return table.finish();
    }
    table.reserve(usize::try_from(total).unwrap_or(0));
    let decoder =
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, with_lists_of_texts(&footer));
    let mask = ProjectionMask::roots(decoder.parquet_schema(), left);
    let mut batches = decoder
        .with_projection(mask)
        .with_batch_size(READ_BATCH_RECORDS)
        .build()
        .map_err(|_| damaged(path))?;
    let mut n_done = 0;
    let mut batch = next(&mut batches, path)?;
    while let Some(current) = batch {
        if watch.cancelled() {
            return Err(DataError::cancelled(path));
        }
        let (following, pushed) = rayon::join(|| next(&mut batches, path), || table.push(&current));
        pushed?;
        batch = following?;
        n_done += current.num_rows() as u64;
        watch.progress(n_told + share_of(total - n_told, n_done, total), total);
    }
    if watch.cancelled() {
        return Err(DataError::cancelled(path));
    }
    table.finish()
}

/// Fills the columns that are numbers in lists, of those that are read. Gives the positions in the file of the others, and
/// how many records are told as done.
fn fill_from_lists(
    file: &impl ChunkReader,
    footer: &ArrowReaderMetadata,
    read: &[usize],
    table: &mut TableBuilder<'_>,
    watch: &dyn Watch,
) -> (Vec<usize>, u64) {
    let metadata = footer.metadata();
    let total = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or(0);
    let pages = ListedPages::of(file, metadata, footer.schema().fields().len());
    let Some(pages) = pages else {
        return (read.to_vec(), 0);
    };
    let n_cells = total.saturating_mul(read.len() as u64);
    let n_done = Mutex::new(0);
    let go_on = |n: usize| {
        // Who watches is told of rising numbers.
        let mut n_done = n_done.lock().unwrap_or_else(PoisonError::into_inner);
        *n_done += n as u64;
        watch.progress(share_of(total, *n_done, n_cells), total);
        !watch.cancelled()
    };
    let fill = |column: usize, categories: &mut CategoryBuilder| {
        pages.push_column(read[column], categories, go_on)
    };
    let left = table.fill_texts(total, fill);
    let left = left.into_iter().map(|column| read[column]).collect();
    let n_done = n_done.into_inner().unwrap_or_else(PoisonError::into_inner);
    (left, share_of(total, n_done, n_cells))
}

/// So much of `whole` as `part` is of `all`.
fn share_of(whole: u64, part: u64, all: u64) -> u64 {
    let share = u128::from(whole) * u128::from(part.min(all));
    share.checked_div(u128::from(all)).unwrap_or(0) as u64
}

/// The same file, where columns of few different texts are decoded as numbers in a list of them, which is how they are
/// stored: their texts are then looked at once and not in every record.
fn with_lists_of_texts(footer: &ArrowReaderMetadata) -> ArrowReaderMetadata {
    // Where groups are small, records of several are decoded together, and their lists would be joined text by text.
    const RECORDS: usize = 8 * READ_BATCH_RECORDS;
    let metadata = footer.metadata();
    let groups = metadata.row_groups();
    let but_last = &groups[..groups.len().saturating_sub(1)];
    if (but_last.iter()).any(|group| usize::try_from(group.num_rows()).is_ok_and(|n| n < RECORDS)) {
        return footer.clone();
    }
    let is_list = |position: usize| {
        let mut groups = metadata.row_groups().iter();
        groups.all(|group| listed_pages::is_list(group.column(position)))
    };
    let fields = footer.schema().fields().iter();
    // Without fields within fields, columns are where the fields are.
    if metadata.file_metadata().schema_descr().num_columns() != fields.len() {
        return footer.clone();
    }
    let fields = fields.enumerate().map(|(position, field)| {
        let list = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        match field.data_type() {
            DataType::Utf8 if is_list(position) => {
                Arc::new(Field::clone(field).with_data_type(list))
            }
            _ => Arc::clone(field),
        }
    });
    let schema = Schema::new_with_metadata(
        fields.collect::<Vec<_>>(),
        footer.schema().metadata().clone(),
    );
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    ArrowReaderMetadata::try_new(Arc::clone(metadata), options).unwrap_or_else(|_| footer.clone())
}

/// The columns that `options` describe, of a file that was just written.
pub(super) fn read_written(
    path: &Path,
    file: &(impl ChunkReader + Clone + 'static),
    options: &ReadOptions,
    watch: &dyn Watch,
) -> Result<Table, DataError> {
    let decoder =
        ParquetRecordBatchReaderBuilder::try_new(file.clone()).map_err(|_| damaged(path))?;
    let described = |name: &str| {
        let mut attributes = options.schema.attributes.iter();
        attributes.any(|attribute| attribute.name == name)
    };
    let fields = decoder.schema().fields().iter().enumerate();
    let wanted = fields.filter(|(_, field)| described(field.name()));
    let wanted = wanted.map(|(position, _)| position);
    let mask = ProjectionMask::roots(decoder.parquet_schema(), wanted);
    let mut batches = decoder
        .with_projection(mask)
        .with_batch_size(BATCH_RECORDS)
        .build()
        .map_err(|_| damaged(path))?;
    let mut table = TableBuilder::new(path, &batches.schema(), options)?;
    while let Some(batch) = next(&mut batches, path)? {
        if watch.cancelled() {
            return Err(DataError::cancelled(path));
        }
        table.push(&batch)?;
    }
    table.finish()
}

fn next(
    batches: &mut ParquetRecordBatchReader,
    path: &Path,
) -> Result<Option<RecordBatch>, DataError> {
    // What the decoder says may hold a value of the file, so it is not passed on.
    let batch: Option<Result<RecordBatch, ArrowError>> = batches.next();
    batch.transpose().map_err(|_| damaged(path))
}

fn damaged(path: &Path) -> DataError {
    let problem = DataProblem::file(
        "the Parquet file is damaged, encrypted or incomplete",
        "copy it again from its source, or write it again",
    );
    DataError::one(path, problem)
}

/// Finds columns that are compressed in a way that this build cannot read.
fn check_compression(path: &Path, metadata: &ParquetMetaData) -> Result<(), DataError> {
    let mut problems = ProblemList::default();
    let mut named: Vec<String> = Vec::new();
    for chunk in metadata
        .row_groups()
        .iter()
        .flat_map(RowGroupMetaData::columns)
    {
        let readable = matches!(
            chunk.compression(),
            Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::ZSTD(_)
        );
        let name = chunk.column_path().string();
        if !readable && !named.contains(&name) {
            problems.push_with(|| {
                let message = format!("is compressed as {}", chunk.compression());
                DataProblem::file(message, "write the file with snappy or zstd compression")
                    .of_variable(&name)
            });
            named.push(name);
        }
    }
    problems.into_result(path)
}
