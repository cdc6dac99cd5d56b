//! What the tables of rates are called, and how many records their names tell of.

use crate::figure::Unit;
use crate::pair::margins::Margin;

/// What rates are of, and how they are written.
pub(super) struct Axis<'a> {
    /// Name of the series.
    pub(super) name: String,
    /// What the figures are.
    pub(super) of: &'a str,
    pub(super) unit: Unit,
    /// How many records have the category that the name holds, where it holds one.
    pub(super) n_records: Option<u64>,
}

/// A category by which rates are given, and how many records of each file have it.
pub(super) struct Label<'a> {
    pub(super) text: &'a str,
    pub(super) n_records: [u64; 2],
}

/// The records of a code in each file.
pub(super) fn of_both(margins: &[Margin; 2], code: usize) -> [u64; 2] {
    margins.each_ref().map(|margin| margin.records[code] as u64)
}

/// The records of a code in the file that has more of them: whose name those of one file share is told.
pub(super) fn most(margins: &[Margin; 2], code: usize) -> u64 {
    let [original, masked] = of_both(margins, code);
    original.max(masked)
}

impl<'a> Axis<'a> {
    pub(super) fn share(name: String) -> Self {
        Self {
            name,
            of: "share",
            unit: Unit::Share,
            n_records: None,
        }
    }

    pub(super) fn mean(name: String, of: &'a str) -> Self {
        Self {
            name,
            of,
            unit: Unit::Number,
            n_records: None,
        }
    }
}
