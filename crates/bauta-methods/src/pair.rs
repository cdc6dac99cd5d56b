//! An original file and its masked version, and which record became which.

use bauta_data::Table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) mod categories;
pub mod cell_means;
pub(crate) mod coarser;
pub mod interval_widths;
pub(crate) mod margins;
pub mod outliers;
pub(crate) mod recoding;
pub mod records;
pub mod row_order;
pub mod statistics;
pub mod variables;

/// An original file and its masked version.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Before masking.
    pub original: &'a Table,
    /// After masking.
    pub masked: &'a Table,
    /// Whether masked records can be traced to original ones.
    pub rows: Rows,
}

/// Whether masked records can be traced to original ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// Masked record i came from original record `masked.source_row(i)`.
    #[default]
    Correspond,
    /// Nobody knows which came from which.
    Unrelated,
}

impl Rows {
    /// Whether records can be traced after one change and then another.
    #[must_use]
    pub fn and_then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Correspond, Self::Correspond) => Self::Correspond,
            (Self::Unrelated, _) | (_, Self::Unrelated) => Self::Unrelated,
        }
    }
}

impl Pair<'_> {
    /// Looks at some variables of the pair; what was read of files for that is given back after the look.
    pub(crate) fn given_back<T>(&self, look: impl FnOnce(Pair<'_>) -> T) -> T {
        let original = self.original.view();
        let masked = self.masked.view_beside(self.original, &original);
        look(Pair {
            original: &original,
            masked: &masked,
            rows: self.rows,
        })
    }

    /// The original record that a masked one came from.
    pub fn original_record(&self, masked_record: usize) -> usize {
        self.masked.source_row(masked_record)
    }
}
