//! How often the key of each record occurs, under the four readings of missing values.
//!
//! Records with equal keys are collapsed to classes first; all further work is on classes.

use bauta_data::{Column, Table};
use rayon::prelude::*;

use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;
use crate::params::choices;

pub(crate) mod asked;
pub(crate) mod at_risk;
pub mod benedetti_franconi;
pub(crate) mod classes;
pub(crate) mod codes;
pub(crate) mod completions;
pub(crate) mod cube;
pub(crate) mod households;
pub(crate) mod levels_above;
pub(crate) mod matching;
pub(crate) mod packing;
pub(crate) mod sensitive;
pub(crate) mod suppression;
pub mod unique_sets;
pub(crate) mod views;

use classes::Classes;
use codes::{KeyCodes, key_codes, refuse_lost_numbers, visible_masks};
use cube::Cube;
use packing::Packing;

choices! {
    /// How missing key values count. Frequencies never fall from one to the next.
    pub enum Semantics {
        Own = "own": "missing is a value of its own",
        Visible = "visible": "compare on the record's visible keys; another's missing value does not match",
        Original = "original": "as visible, counted in the file before suppression",
        Wild = "wild": "a missing value on either side matches every value",
    }
}

/// The frequency of each record's key.
#[derive(Clone, PartialEq, Debug)]
pub struct Frequencies {
    /// Records that share the key, the record itself included.
    pub f: Vec<u32>,
    /// Sum of their weights: the estimated population frequency.
    pub big_f: Vec<f64>,
    /// Number of different keys, missing taken as a value.
    pub n_classes: usize,
}

/// The most keys that one count takes: their visibility is a bit each.
pub const MAX_KEYS: usize = 64;

/// Refuses no key, and more keys than can be counted.
pub(crate) fn check_number(n_keys: usize) -> Result<(), MethodError> {
    if (1..=MAX_KEYS).contains(&n_keys) {
        return Ok(());
    }
    Err(MethodError::request(
        format!("keys are counted for 1 to {MAX_KEYS} variables, not {n_keys}"),
        "name the variables that an intruder could know",
    ))
}

/// Counts how often the key of each record occurs.
pub fn frequencies(
    table: &Table,
    keys: &[usize],
    semantics: Semantics,
) -> Result<Frequencies, MethodError> {
    let keys = KeyColumns::of(table, keys, semantics)?;
    let weights = table.weight().and_then(Column::as_numeric);
    // A dense cube while it is no larger than what it indexes.
    let limit = (keys.n * 4).max(1 << 16);
    match Cube::n_cells(&keys.n_values()) {
        Some(n_cells) if n_cells <= limit => Ok(keys.count_in_cube(weights, semantics)),
        _ => Ok(keys.count_by_class(weights, semantics)),
    }
}

/// The keys of a file as codes.
pub(crate) struct KeyColumns {
    pub(crate) columns: Vec<KeyCodes>,
    /// Number of records.
    pub(crate) n: usize,
}

impl KeyColumns {
    /// The keys as codes, if they can be counted under these semantics.
    pub(crate) fn of(
        table: &Table,
        keys: &[usize],
        semantics: Semantics,
    ) -> Result<Self, MethodError> {
        check_number(keys.len())?;
        if semantics == Semantics::Original {
            for &attr_idx in keys {
                refuse_lost_numbers(table.column(attr_idx))?;
            }
        }
        Ok(Self {
            columns: keys
                .par_iter()
                .map(|&attr_idx| key_codes(table.column(attr_idx)))
                .collect(),
            n: table.n_records(),
        })
    }

    /// Codes of each key go up to these.
    pub(crate) fn n_values(&self) -> Vec<u32> {
        self.columns.iter().map(|key| key.n_values).collect()
    }

    /// The codes that the file shows.
    fn shown(&self) -> Vec<&[u32]> {
        self.columns
            .iter()
            .map(|key| key.codes.as_slice())
            .collect()
    }

    /// The codes in which records are counted: under `original` those before suppression.
    fn counted(&self, semantics: Semantics) -> Vec<&[u32]> {
        let codes = self
            .columns
            .iter()
            .map(|key| match (&key.before_suppression, semantics) {
                (Some(codes), Semantics::Original) => codes.as_slice(),
                _ => key.codes.as_slice(),
            });
        codes.collect()
    }

    /// Whether the codes that are counted are others than those that are shown.
    fn differ_from_shown(&self, semantics: Semantics) -> bool {
        semantics == Semantics::Original
            && self
                .columns
                .iter()
                .any(|key| key.before_suppression.is_some())
    }

    /// Records with equal keys and equal visibility as classes.
    pub(crate) fn classes(&self, weights: Option<&[f64]>, semantics: Semantics) -> Classes {
        let visible = visible_masks(&self.columns, self.n);
        let counted = self.counted(semantics);
        Classes::new(&self.columns, &counted, &visible, weights, semantics)
    }

    fn count_in_cube(&self, weights: Option<&[f64]>, semantics: Semantics) -> Frequencies {
        let mut cube = Cube::new(&self.n_values());
        let mut cells = cube.cells_of(&self.counted(semantics), self.n);
        cube.count(&cells, weights);
        let mut n_classes = cube.n_filled();
        if self.differ_from_shown(semantics) {
            cells = cube.cells_of(&self.shown(), self.n);
            let mut shown = Cube::new(&self.n_values());
            shown.count(&cells, None);
            n_classes = shown.n_filled();
        }
        match semantics {
            Semantics::Own => {}
            Semantics::Visible | Semantics::Original => cube.sum_over_any(),
            Semantics::Wild => cube.let_missing_match(),
        }
        let f = cells.par_iter().map(|&cell| cube.n_at(cell)).collect();
        let big_f = cells.par_iter().map(|&cell| cube.weight_at(cell)).collect();
        Frequencies {
            f,
            big_f,
            n_classes,
        }
    }

    fn count_by_class(&self, weights: Option<&[f64]>, semantics: Semantics) -> Frequencies {
        let classes = self.classes(weights, semantics);
        let per_class: Vec<(u32, f64)> = match semantics {
            Semantics::Own => classes.sizes.clone(),
            Semantics::Visible | Semantics::Original => classes.count_visible(),
            Semantics::Wild => classes.count_wild(),
        };
        let n_classes = if self.differ_from_shown(semantics) {
            n_different(&self.columns, self.n)
        } else {
            classes.sizes.len()
        };
        let of_record = |class: &u32| per_class[*class as usize];
        let records = || classes.of_record.par_iter();
        Frequencies {
            f: records().map(|class| of_record(class).0).collect(),
            big_f: records().map(|class| of_record(class).1).collect(),
            n_classes,
        }
    }
}

/// Number of different keys that a file shows.
fn n_different(keys: &[KeyCodes], n: usize) -> usize {
    let mut packing = Packing::new(n);
    for key in keys {
        packing.add(key.n_values, |record| key.codes[record]);
    }
    packing.classes().1.len()
}

/// Checks that a weight column can weigh: finite and not negative. Absent weights are fine.
pub fn check_weights(table: &Table) -> Result<(), MethodError> {
    let Some(column) = table.weight() else {
        return Ok(());
    };
    let Some(weights) = column.as_numeric() else {
        return Err(MethodError::data(
            column.name(),
            "weights must be numbers",
            "give it the kind continuous",
        ));
    };
    match weights
        .iter()
        .position(|weight| weight.is_nan() || *weight < 0.0)
    {
        None => Ok(()),
        Some(record) => Err(MethodError::Data {
            variable: Some(column.name().to_owned()),
            row: Some(table.source_row(record) + 1),
            message: "the weight is missing or negative".to_owned(),
            hint: "every record needs a weight of at least 0".to_owned(),
        }),
    }
}

/// Sum of the weights, or the number of records where there are none.
pub fn population(table: &Table) -> f64 {
    let weights = table.weight().and_then(Column::as_numeric);
    weights.map_or(table.n_records() as f64, |weights| {
        compensated(weights.iter().copied())
    })
}

/// Numbers records with equal values of some variables, from 0 as they first occur; missing is a
/// value of its own.
pub fn class_numbers(table: &Table, variables: &[usize]) -> Vec<u32> {
    let mut packing = Packing::new(table.n_records());
    for &attr_idx in variables {
        let key = key_codes(table.column(attr_idx));
        packing.add(key.n_values, |record| key.codes[record]);
    }
    packing.classes().0
}
