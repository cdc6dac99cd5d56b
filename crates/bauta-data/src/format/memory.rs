//! How much memory a file needs, told before it is taken.
//!
//! The figures are those of reading alone: the bytes of the file and its table. What is done with
//! the table needs more, which the page of each method states.

use std::path::Path;

use crate::attribute::Schema;
use crate::problem::{DataError, DataErrorKind, DataProblem};

/// The program and the records in work, whatever the file.
const BASE_BYTES: u64 = 15_000_000;
/// A number and its missing state, and a tenth for what grew further than it had to.
const NUMBER_BYTES: u64 = 8 + 1 + 1;
/// The code of a category and its missing state.
const CODE_BYTES: u64 = 4 + 1;
/// What a text costs besides its bytes where hardly another cell has the same: where it ends, its
/// place in the table of texts, which is half empty after it grew, and both once more where
/// categories are put in order. Measured: 28 without, 44 with an order.
const DIFFERENT_TEXT_BYTES: u64 = 40;

/// How much memory may be used, and who said so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Allowance {
    /// The caller set a limit.
    Stated(u64),
    /// The operating system says that this much is available.
    Available(u64),
    /// Nobody knows.
    Unknown,
}

impl Allowance {
    /// The limit that was stated, or else what the machine has.
    pub(super) fn of(stated: Option<u64>) -> Self {
        stated.map_or_else(
            || available_memory().map_or(Self::Unknown, Self::Available),
            Self::Stated,
        )
    }

    /// Bytes that may be used; the largest number where nobody knows.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::Stated(bytes) | Self::Available(bytes) => bytes,
            Self::Unknown => u64::MAX,
        }
    }

    /// An error that says what is needed and what is allowed, if the need is larger.
    pub(super) fn check(self, path: &Path, need: &Need) -> Result<(), DataError> {
        if need.bytes <= self.bytes() {
            return Ok(());
        }
        let allowed = megabytes(self.bytes());
        let (allowed, hint) = match self {
            Self::Stated(_) => (
                format!("{allowed} are allowed"),
                "raise the memory limit if the machine has more, or split the file by region or stratum",
            ),
            Self::Available(_) | Self::Unknown => (
                format!("{allowed} are available"),
                "use a machine with more memory, split the file by region or stratum, or state a higher memory limit",
            ),
        };
        let needed = megabytes(need.bytes);
        let message = format!(
            "needs about {needed} of memory ({}), and {allowed}",
            need.why
        );
        Err(DataError {
            kind: DataErrorKind::Memory,
            ..DataError::one(path, DataProblem::file(message, hint))
        })
    }
}

/// Memory that a file needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Need {
    bytes: u64,
    /// What of the file needs it.
    why: String,
}

impl Need {
    /// What the bytes of a file need, whatever is in them.
    pub(super) fn of_bytes(n_bytes: u64) -> Self {
        Self {
            bytes: n_bytes,
            why: format!("the file alone has {}", megabytes(n_bytes)),
        }
    }

    /// What a file needs while it is read.
    pub(super) fn of_table(file_bytes: u64, n_records: u64, columns: &ColumnCosts) -> Self {
        let cells = n_records.saturating_mul(columns.record_bytes);
        let bytes = cells
            .saturating_add(BASE_BYTES)
            .saturating_add(file_bytes)
            .saturating_add(columns.text_bytes);
        let why = format!("{n_records} records of {} variables", columns.n_columns);
        Self { bytes, why }
    }

    /// The number of bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// What the columns of a table cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ColumnCosts {
    n_columns: u64,
    /// Bytes per record.
    record_bytes: u64,
    /// Bytes of texts that are kept.
    text_bytes: u64,
}

impl ColumnCosts {
    /// Columns with their codes and numbers, as many of each as the schema declares.
    pub(super) fn new(n_columns: usize, schema: &Schema) -> Self {
        let attributes = schema.attributes.iter();
        let numeric = attributes.filter(|attribute| attribute.is_of_numbers());
        let n_numeric = numeric.count().min(n_columns);
        Self {
            n_columns: n_columns as u64,
            record_bytes: n_numeric as u64 * NUMBER_BYTES
                + (n_columns - n_numeric) as u64 * CODE_BYTES,
            text_bytes: 0,
        }
    }

    /// Adds texts of a column that are kept, nearly all of them different.
    pub(super) fn add_different_texts(&mut self, n_texts: u64, n_bytes: u64) {
        let texts = n_texts.saturating_mul(DIFFERENT_TEXT_BYTES);
        self.text_bytes = self
            .text_bytes
            .saturating_add(texts)
            .saturating_add(n_bytes);
    }
}

/// Bytes in words.
fn megabytes(n_bytes: u64) -> String {
    match n_bytes {
        0..10_000_000 => format!("{} kB", n_bytes.div_ceil(1000)),
        10_000_000..10_000_000_000 => format!("{} MB", n_bytes / 1_000_000),
        _ => format!("{} GB", n_bytes / 1_000_000_000),
    }
}

/// Memory that programs may still take, as Linux tells it; nothing is known of other systems.
fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    available_in(&text)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let line = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::{Attribute, Kind, Role};

    #[test]
    fn the_available_memory_is_read_as_the_kernel_prints_it() {
        let text = "MemTotal:       24683520 kB\nMemAvailable:   22240256 kB\nBuffers: 1 kB\n";
        assert_eq!(available_in(text), Some(22_240_256 * 1024));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert_eq!(available_in("MemAvailable: much\n"), None);
    }

    #[test]
    fn what_is_needed_is_the_file_its_cells_and_its_texts() {
        let schema = Schema {
            attributes: vec![Attribute::new("x", Role::Sensitive, Kind::Continuous)],
            ..Schema::default()
        };
        let mut columns = ColumnCosts::new(3, &schema);
        // 100 records of one number (10) and two categories (5): 2000; the file 700.
        assert_eq!(Need::of_table(700, 100, &columns).bytes, 15_002_700);
        // 90 texts of 900 bytes together, 40 more for each: 4500.
        columns.add_different_texts(90, 900);
        let need = Need::of_table(700, 100, &columns);
        assert_eq!(need.bytes, 15_007_200);
        let path = Path::new("x");
        assert!(Allowance::Stated(15_007_200).check(path, &need).is_ok());
        let error = Allowance::Stated(15_007_199).check(path, &need);
        let message = error.unwrap_err().to_string();
        assert!(message.contains("about 15 MB of memory (100 records of 3 variables)"));
        assert!(Allowance::Unknown.check(Path::new("x"), &need).is_ok());
        let endless = Need::of_table(u64::MAX, u64::MAX, &columns);
        assert_eq!(endless.bytes, u64::MAX);
    }
}
