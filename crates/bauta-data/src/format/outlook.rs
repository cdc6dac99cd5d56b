//! What is known of a file before it is read: its records, and the memory that its variables take when a store gives them back.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use csv::ByteRecord;
use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::{Encoding, FileFormat, ReadOptions, open, parquet, sniff};
use crate::attribute::{Attribute, Role};
use crate::missing::MissingRules;
use crate::problem::DataError;

/// Bytes at the start of a text that are looked at.
const SAMPLE_BYTES: u64 = 1 << 18;

/// Bytes of a number, and of a text besides its letters.
pub(super) const NUMBER: u64 = 8;
/// Bytes of the place of a text.
pub(super) const TEXT: u64 = 8;

/// How many records a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordCount {
    /// As many.
    Exactly(u64),
    /// About as many, by the length of the file and of its first records.
    About(u64),
}

impl RecordCount {
    /// The number.
    pub fn n(self) -> u64 {
        match self {
            Self::Exactly(n) | Self::About(n) => n,
        }
    }

    /// The number, where it is certain.
    pub fn certain(self) -> Option<u64> {
        match self {
            Self::Exactly(n) => Some(n),
            Self::About(_) => None,
        }
    }
}

/// What a cell of a variable takes in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellBytes {
    /// The variable.
    pub variable: String,
    /// No less than so many bytes.
    pub least: u64,
    /// So many, by what was seen.
    pub likely: u64,
}

/// What is known of a file before it is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outlook {
    /// Bytes of the file.
    pub n_bytes: u64,
    /// Its records.
    pub records: RecordCount,
    /// Its variables, in their order.
    pub variables: Vec<CellBytes>,
    /// Whether it can only be read as a whole, so that all of it must fit into memory.
    pub read_whole: bool,
}

/// Looks at the start of a text or the footer of a Parquet file, and at nothing else of it.
pub fn outlook(path: &Path, options: &ReadOptions) -> Result<Outlook, DataError> {
    let file = open(path)?;
    match FileFormat::of_path(path)? {
        FileFormat::Text => of_text(path, file, options),
        FileFormat::Parquet => parquet::outlook(path, file, options),
    }
}

/// The records of a text, counted by reading it once.
pub fn records_of_text(path: &Path, options: &ReadOptions) -> Result<u64, DataError> {
    let failed = |error: &std::io::Error| DataError::io(path, "read", error);
    let mut head = Vec::new();
    let read = open(path)?.take(SAMPLE_BYTES).read_to_end(&mut head);
    read.map_err(|error| failed(&error))?;
    let decoded = options.encoding.decode(&head);
    let delimiter = sniff::delimiter(path, &decoded.text, options);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(open(path)?);
    let (mut record, mut n_records) = (ByteRecord::new(), 0);
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => n_records += 1,
            Ok(false) => return Ok(n_records),
            Err(error) => return Err(failed(&error.into())),
        }
    }
}

/// What a declared variable is kept as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeptAs {
    Numbers,
    Categories,
    Texts,
}

impl KeptAs {
    /// What becomes of a variable in a text: what nobody described, and what only passes through, stays text.
    fn of(attribute: Option<&Attribute>) -> Self {
        match attribute {
            Some(attribute) if attribute.is_of_numbers() => Self::Numbers,
            Some(attribute) if !matches!(attribute.role, Role::Identifier | Role::Other) => {
                Self::Categories
            }
            Some(_) | None => Self::Texts,
        }
    }

    /// Bytes of a cell at the least.
    pub(super) fn least(self) -> u64 {
        match self {
            Self::Numbers => NUMBER,
            Self::Categories => 1,
            Self::Texts => TEXT,
        }
    }
}

fn of_text(path: &Path, mut file: File, options: &ReadOptions) -> Result<Outlook, DataError> {
    let n_bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let mut head = Vec::new();
    let read = Read::by_ref(&mut file)
        .take(SAMPLE_BYTES)
        .read_to_end(&mut head);
    read.map_err(|error| DataError::io(path, "read", &error))?;
    let is_whole = head.len() as u64 >= n_bytes;
    let decoded = options.encoding.decode(&head);
    let delimiter = sniff::delimiter(path, &decoded.text, options);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(&decoded.text[..]);
    let mut records = reader.byte_records().map_while(Result::ok);
    let header = records.next().unwrap_or_default();
    let mut records: Vec<ByteRecord> = records.collect();
    if !is_whole {
        // It may be cut off.
        records.pop();
    }
    let last = records
        .last()
        .and_then(|record| record.position().map(csv::Position::byte));
    let n_seen = records.len() as u64;
    let records_of_file = match last {
        _ if is_whole => RecordCount::Exactly(n_seen),
        // The last one has about the length of the others.
        Some(last) if n_seen > 1 => {
            let first = records[0].position().map_or(0, csv::Position::byte);
            let length = (last - first) as f64 / (n_seen - 1) as f64;
            RecordCount::About(((n_bytes - first) as f64 / length.max(1.0)) as u64)
        }
        Some(_) | None => RecordCount::About(n_seen),
    };
    let variables = header.iter().enumerate().map(|(at, name)| {
        let name = String::from_utf8_lossy(name).into_owned();
        let attribute = options.schema.attribute(&name);
        let rules = attribute.and_then(|attribute| attribute.missing.as_ref());
        let rules = rules.unwrap_or(&options.schema.missing);
        let cells = records.iter().filter_map(|record| record.get(at));
        let kept = KeptAs::of(attribute);
        CellBytes {
            variable: name,
            least: kept.least(),
            likely: likely(kept, cells, rules),
        }
    });
    let variables: Vec<CellBytes> = variables.collect();
    Ok(Outlook {
        n_bytes,
        records: records_of_file,
        read_whole: decoded.encoding != Encoding::Utf8 || variables.len() < 2,
        variables,
    })
}

/// Bytes of a cell by those that were seen.
fn likely<'c>(
    kept: KeptAs,
    cells: impl Iterator<Item = &'c [u8]> + Clone,
    rules: &MissingRules,
) -> u64 {
    let n = cells.clone().count() as u64;
    let is_missing = |cell: &[u8]| rules.texts.iter().any(|text| text.as_bytes() == cell);
    let state = u64::from(cells.clone().any(is_missing));
    match kept {
        KeptAs::Numbers => NUMBER + state,
        KeptAs::Categories => {
            let different: HashSet<&[u8], FixedState> = cells.collect();
            state + code_bytes(different.len() as u64, n)
        }
        KeptAs::Texts => {
            let letters: u64 = cells.map(|cell| cell.len() as u64).sum();
            TEXT + letters / n.max(1)
        }
    }
}

/// Bytes of a code, of which so many different ones were seen in so many cells.
fn code_bytes(n_different: u64, n: u64) -> u64 {
    if n_different < 200 {
        1
    } else if 2 * n_different < n {
        2
    } else {
        4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::Kind;

    fn of(text: &str, attributes: Vec<Attribute>) -> Outlook {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.csv");
        std::fs::write(&path, text).expect("a file");
        let mut options = ReadOptions::default();
        options.schema.attributes = attributes;
        outlook(&path, &options).expect("a text")
    }

    fn bytes(outlook: &Outlook) -> Vec<(u64, u64)> {
        let variables = outlook.variables.iter();
        variables.map(|one| (one.least, one.likely)).collect()
    }

    #[test]
    fn a_text_that_is_seen_whole_is_known() {
        let attributes = vec![
            Attribute::new("a", Role::Sensitive, Kind::Continuous),
            Attribute::new("b", Role::Key, Kind::Unordered),
        ];
        let found = of("a,b,c\n1,x,long\n,y,text\n3,x,here\n", attributes);
        assert_eq!(found.records, RecordCount::Exactly(3));
        // A number and whether it is missing; a code of two; a place and four letters.
        assert_eq!(bytes(&found), [(8, 9), (1, 1), (8, 12)]);
        assert!(!found.read_whole);
        assert!(of("a\n1\n", Vec::new()).read_whole);
    }

    #[test]
    fn the_records_of_a_longer_text_are_told_by_the_length_of_the_first() {
        // 40,000 records of 12 bytes, where 262,144 are looked at.
        let lines: String = (0..40_000)
            .map(|i| format!("{i:05},{:05}\n", i % 300))
            .collect();
        let key = Attribute::new("b", Role::Key, Kind::Unordered);
        let found = of(&format!("a,b\n{lines}"), vec![key]);
        assert_eq!(found.records, RecordCount::About(40_000));
        // 300 values that come again and again.
        assert_eq!(bytes(&found)[1], (1, 2));
    }

    #[test]
    fn records_of_a_text_are_counted_as_they_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.csv");
        let lines: String = (0..40_000).map(|i| format!("{i},\"a\nb\"\n")).collect();
        std::fs::write(&path, format!("a;b\n{lines}").replace(',', ";")).expect("a file");
        let n = records_of_text(&path, &ReadOptions::default()).expect("a text");
        assert_eq!(n, 40_000);
    }
}
