//! Writes Apache Parquet: the columns of a group of records in parallel, and the groups in order.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, compute_leaves};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;
use rayon::prelude::*;

use super::HashingWriter;
use super::arrow_out::{Layout, cannot_hold};
use crate::column::Column;
use crate::fingerprint::WrittenBytes;
use crate::problem::{DataError, DataProblem, ProblemList};
use crate::table::Table;
use crate::watch::Watch;

/// Records that a column gets at a time; pages end where these do.
const BATCH_RECORDS: usize = 1 << 16;

/// Records of a group.
const GROUP_RECORDS: usize = 1 << 20;

/// Writes a table as Parquet.
pub(super) fn write(
    mut out: HashingWriter<'_>,
    path: &Path,
    table: &Table,
    watch: &dyn Watch,
) -> Result<WrittenBytes, DataError> {
    let written = write_groups(&mut out, path, table, watch);
    match (written, out.failure) {
        (Err(_), Some(failure)) => Err(DataError::io(path, "write", &failure)),
        (Err(error), None) => Err(error),
        (Ok(()), _) => Ok(out.hasher.finish()),
    }
}

fn write_groups(
    out: &mut HashingWriter<'_>,
    path: &Path,
    table: &Table,
    watch: &dyn Watch,
) -> Result<(), DataError> {
    let layout = Layout::of(table);
    let properties = properties(table);
    // What the encoder says may hold a value of the table, so it is not passed on.
    let failed = |_: ParquetError| {
        let problem = DataProblem::file(
            "the table cannot be written as Parquet",
            "this is a fault of Bauta: please report it; writing CSV avoids it",
        );
        DataError::one(path, problem)
    };
    let schema = Arc::clone(layout.schema());
    let writer = ArrowWriter::try_new(out, schema, Some(properties)).map_err(failed)?;
    let (mut file, groups) = writer.into_serialized_writer().map_err(failed)?;
    let n_records = table.n_records();
    for (number, first) in (0..n_records).step_by(GROUP_RECORDS).enumerate() {
        let group_end = n_records.min(first + GROUP_RECORDS);
        let mut writers = groups.create_column_writers(number).map_err(failed)?;
        for first in (first..group_end).step_by(BATCH_RECORDS) {
            if watch.cancelled() {
                return Err(DataError::cancelled(path));
            }
            let end = group_end.min(first + BATCH_RECORDS);
            // Of a table in a store no more than these records is read.
            let part = table
                .is_stored()
                .then(|| table.slice(first..end))
                .transpose();
            let part = part.map_err(|error| DataError::put_aside(path, &error))?;
            let (part, records) = match &part {
                Some(part) => (part, 0..end - first),
                None => (table, first..end),
            };
            let encoded: Vec<Result<(), Unwritten>> = writers
                .par_iter_mut()
                .zip(part.columns())
                .enumerate()
                .map(|(attr_idx, (writer, column))| {
                    encode(&layout, (attr_idx, column), records.clone(), writer)
                })
                .collect();
            let mut problems = ProblemList::default();
            for (column, encoded) in table.columns().iter().zip(encoded) {
                match encoded {
                    Ok(()) => {}
                    Err(Unwritten::Cells) => problems.push_with(|| cannot_hold(column)),
                    Err(Unwritten::Encoder(error)) => return Err(failed(error)),
                }
            }
            problems.into_result(path)?;
            watch.progress(end as u64, n_records as u64);
        }
        let closed = writers.into_par_iter().map(ArrowColumnWriter::close);
        let chunks: Vec<Result<ArrowColumnChunk, ParquetError>> = closed.collect();
        let mut group = file.next_row_group().map_err(failed)?;
        for chunk in chunks {
            let appended = chunk.and_then(|chunk| chunk.append_to_row_group(&mut group));
            appended.map_err(failed)?;
        }
        group.close().map_err(failed)?;
    }
    file.close().map(drop).map_err(failed)
}

/// How the columns are stored: values that return in a list, to which records refer, and numbers that do not as they
/// are, since such a list would be made, looked up for every record and given up.
fn properties(table: &Table) -> WriterProperties {
    let builder = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let is_distinct = table.look_at_each(|_, column| {
        let is_numeric = column.is_numeric();
        is_numeric && column.as_numeric().is_some_and(seldom_returns)
    });
    let columns = table.columns().iter().zip(is_distinct);
    let distinct = columns.filter_map(|(column, is_distinct)| is_distinct.then_some(column));
    distinct
        .fold(builder, |builder, column| {
            let path = ColumnPath::new(vec![column.name().to_owned()]);
            builder.set_column_dictionary_enabled(path, false)
        })
        .build()
}

/// Whether numbers at even steps through the file are nearly all different. Of 4,096 that are drawn from as many values as
/// a list may hold (131,072, one MiB) 63 in 64 are; a list is worth its room wherever more of them return.
fn seldom_returns(values: &[f64]) -> bool {
    const LOOKED_AT: usize = 4096;
    let step = values.len().div_ceil(LOOKED_AT).max(1);
    let mut bits: Vec<u64> = (values.iter().step_by(step))
        .map(|value| value.to_bits())
        .collect();
    let n_looked_at = bits.len();
    bits.sort_unstable();
    bits.dedup();
    bits.len() > 64 && bits.len() * 64 >= n_looked_at * 63
}

/// Why a column was not written.
enum Unwritten {
    /// A cell does not fit the type of the column.
    Cells,
    Encoder(ParquetError),
}

/// Encodes some records of a column.
fn encode(
    layout: &Layout<'_>,
    (attr_idx, column): (usize, &Column),
    records: Range<usize>,
    writer: &mut ArrowColumnWriter,
) -> Result<(), Unwritten> {
    let field = &layout.schema().fields()[attr_idx];
    let array = layout.array_of(column, attr_idx, records);
    let array = array.ok_or(Unwritten::Cells)?;
    let leaves = compute_leaves(field, &array).map_err(Unwritten::Encoder)?;
    for leaf in &leaves {
        writer.write(leaf).map_err(Unwritten::Encoder)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 10⁵ numbers of so many different ones, none of them whole, in an order that looks like chance.
    fn numbers(n_different: u64) -> Vec<f64> {
        let at = |record: u64| record.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let numbers = (0..100_000).map(|record| (at(record) % n_different) as f64 + 0.25);
        numbers.collect()
    }

    #[test]
    fn lists_are_made_of_numbers_that_return() {
        for (n_different, seldom) in [(2, false), (50_000, false), (1 << 40, true)] {
            assert_eq!(
                seldom_returns(&numbers(n_different)),
                seldom,
                "{n_different}"
            );
        }
        assert!(!seldom_returns(&[]), "nothing to write");
        assert!(
            !seldom_returns(&[1.5, 2.5, 3.5]),
            "a list of three is as good"
        );
    }
}
