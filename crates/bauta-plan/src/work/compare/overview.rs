//! How two files differ, before anything is measured.

use bauta_data::{Column, Table};
use bauta_methods::Pair;
use bauta_methods::pair::Rows;
use serde::Serialize;

/// Records and variables of both files, and the cells that differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Overview {
    /// Records of the original.
    pub n_original: usize,
    /// Records of the masked file.
    pub n_masked: usize,
    /// Variables of both.
    pub in_both: Vec<String>,
    /// Variables that the masked file has not got.
    pub only_original: Vec<String>,
    /// Variables that the original has not got.
    pub only_masked: Vec<String>,
    /// Variables of both in which some cell differs; none where nobody knows which records belong together.
    pub changed: Option<Vec<ChangedCells>>,
}

/// What differs in a variable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ChangedCells {
    /// The variable.
    pub variable: String,
    /// Cells that are not what they were, those that are blank now among them.
    pub n_cells: usize,
    /// Cells that had a value and are blank now.
    pub n_blank: usize,
}

impl Overview {
    pub(super) fn of(pair: &Pair<'_>) -> Self {
        let has = |table: &Table, name: &str| table.index_of(name).is_some();
        let names = |table: &Table, other: &Table, both: bool| -> Vec<String> {
            let names = table.names().filter(|name| has(other, name) == both);
            names.map(str::to_owned).collect()
        };
        let in_both = names(pair.original, pair.masked, true);
        let changed = (pair.rows == Rows::Correspond).then(|| {
            let changed = in_both.iter().filter_map(|name| changed_cells(pair, name));
            changed.filter(|changed| changed.n_cells > 0).collect()
        });
        Self {
            n_original: pair.original.n_records(),
            n_masked: pair.masked.n_records(),
            only_original: names(pair.original, pair.masked, false),
            only_masked: names(pair.masked, pair.original, false),
            in_both,
            changed,
        }
    }

    /// Whether a variable is the same in every record of the masked file; false where records cannot be traced.
    pub fn is_unchanged(&self, name: &str) -> bool {
        let is_there = self.in_both.iter().any(|known| known == name);
        let changed = self.changed.as_ref();
        is_there && changed.is_some_and(|changed| changed.iter().all(|one| one.variable != name))
    }
}

/// Whether a variable is the same in every record of the masked file; false where records cannot be traced.
pub(super) fn is_unchanged(pair: &Pair<'_>, name: &str) -> bool {
    let changed = || changed_cells(pair, name).is_some_and(|changed| changed.n_cells == 0);
    pair.rows == Rows::Correspond && changed()
}

fn changed_cells(pair: &Pair<'_>, name: &str) -> Option<ChangedCells> {
    let original = pair.original.column_named(name)?;
    let masked = pair.masked.column_named(name)?;
    let count = |original: &Column, masked: &Column| {
        let (mut n_cells, mut n_blank) = (0, 0);
        for record in 0..masked.len() {
            let row = pair.original_record(record);
            n_cells += usize::from(!masked.same_value(record, original, row));
            n_blank += usize::from(masked.is_missing(record) && !original.is_missing(row));
        }
        ChangedCells {
            variable: name.to_owned(),
            n_cells,
            n_blank,
        }
    };
    Some(original.looked_at(|original| masked.looked_at(|masked| count(original, masked))))
}
