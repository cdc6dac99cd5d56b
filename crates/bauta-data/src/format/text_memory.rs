//! How much memory a text file needs: its lines are counted, and its first records show what its
//! columns hold.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use csv::ByteRecord;
use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::memory::{ColumnCosts, Need};
use super::{ReadOptions, Variables, sniff};
use crate::attribute::Attribute;
use crate::number::{number_text, parse_number};
use crate::problem::DataError;

/// Bytes and records at the start of a file that are looked at.
const SAMPLE_BYTES: usize = 1 << 18;
const SAMPLE_RECORDS: usize = 1000;
/// Fewer records than this show nothing of what is different in the rest.
const TELLING_RECORDS: u64 = 20;

/// What reading this text needs. `held` is what is in memory already.
pub(super) fn of_text(
    text: &[u8],
    delimiter: u8,
    held: u64,
    of: Variables,
    options: &ReadOptions,
) -> Need {
    let n_lines = sniff::count_lines(text) + 1;
    let head = &text[..text.len().min(SAMPLE_BYTES)];
    Sample { head, delimiter }.need(n_lines, held, of, options)
}

/// What reading this file would need, without holding it.
pub(super) fn of_file(
    path: &Path,
    file: File,
    of: Variables,
    options: &ReadOptions,
) -> Result<Need, DataError> {
    read_through(path, file, of, options).map_err(|error| DataError::io(path, "read", &error))
}

fn read_through(
    path: &Path,
    mut file: File,
    of: Variables,
    options: &ReadOptions,
) -> io::Result<Need> {
    let mut head = Vec::new();
    (&mut file)
        .take(SAMPLE_BYTES as u64)
        .read_to_end(&mut head)?;
    let mut n_bytes = head.len() as u64;
    let mut n_lines = 1 + sniff::count_lines(&head);
    let mut block = vec![0; 1 << 16];
    loop {
        let n_read = match file.read(&mut block) {
            Ok(0) => break,
            Ok(n_read) => n_read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        n_bytes += n_read as u64;
        n_lines += sniff::count_lines(&block[..n_read]);
    }
    let head = options.encoding.decode(&head).text;
    let delimiter = sniff::delimiter(path, &head, options);
    let sample = Sample {
        head: &head,
        delimiter,
    };
    Ok(sample.need(n_lines, n_bytes, of, options))
}

/// The start of a text.
struct Sample<'a> {
    head: &'a [u8],
    delimiter: u8,
}

impl Sample<'_> {
    /// What a text of so many lines needs that starts like this.
    fn need(&self, n_lines: u64, held: u64, of: Variables, options: &ReadOptions) -> Need {
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(self.delimiter)
            .has_headers(false)
            .flexible(true)
            .from_reader(self.head);
        let mut records = reader.byte_records().map_while(Result::ok);
        let header = records.next().unwrap_or_default();
        let records: Vec<ByteRecord> = records.take(SAMPLE_RECORDS).collect();
        // The header is no record, and the end of the last line starts none.
        let n_records = n_lines.saturating_sub(if records.is_empty() { 1 } else { 2 });
        let all = names(options, |_| true);
        let is_read = |name: &[u8]| of == Variables::All || all.contains(name);
        let n_read = header.iter().filter(|name| is_read(name)).count();
        let mut costs = ColumnCosts::new(n_read, &options.schema);
        let n_sampled = records.len() as u64;
        let numeric = names(options, Attribute::is_of_numbers);
        let columns = header.iter().enumerate();
        for (attr_idx, name) in columns.filter(|(_, name)| is_read(name)) {
            let cells = records.iter().filter_map(|record| record.get(attr_idx));
            let kept = if numeric.contains(name) {
                keeps_number_texts(cells.clone())
            } else {
                are_different(cells.clone())
            };
            if kept && n_sampled >= TELLING_RECORDS {
                let n_bytes: usize = cells.map(<[u8]>::len).sum();
                let all_bytes = (n_bytes as u64).saturating_mul(n_records) / n_sampled;
                costs.add_different_texts(n_records, all_bytes);
            }
        }
        Need::of_table(held, n_records, &costs)
    }
}

/// The names of the described variables that are wanted.
fn names(options: &ReadOptions, is_wanted: fn(&Attribute) -> bool) -> HashSet<&[u8], FixedState> {
    let attributes = options.schema.attributes.iter();
    let wanted = attributes.filter(|attribute| is_wanted(attribute));
    wanted.map(|attribute| attribute.name.as_bytes()).collect()
}

/// Whether more than half of the cells occur once or are the first of their kind.
fn are_different<'a>(cells: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut different: HashSet<&[u8], FixedState> = HashSet::default();
    let n_cells = cells.map(|cell| different.insert(cell)).count();
    2 * different.len() > n_cells
}

/// Whether a column of numbers has texts that are not what would be written for their numbers, so that
/// all are kept.
fn keeps_number_texts<'a>(cells: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut decimals: HashSet<usize, FixedState> = HashSet::default();
    let mut as_written = true;
    for text in cells.filter_map(|cell| std::str::from_utf8(cell).ok()) {
        let Some(value) = parse_number(text) else {
            continue;
        };
        decimals.insert(text.split_once('.').map_or(0, |(_, digits)| digits.len()));
        as_written &= number_text(value) == text;
    }
    !as_written && decimals.len() > 1
}
