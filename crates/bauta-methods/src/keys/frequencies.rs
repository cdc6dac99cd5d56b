//! How often the key of each record occurs, under the four readings of missing values.
//!
//! Keys with few combinations are counted in a dense cube; else records with equal keys are collapsed
//! to classes first, and all further work is on classes.

use bauta_data::{Column, Table};
use rayon::prelude::*;

use crate::error::MethodError;
use crate::keys::Semantics;
use crate::keys::classes::Classes;
use crate::keys::codes::KeyColumns;
use crate::keys::cube::Cube;

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

/// Counts how often the key of each record occurs.
pub fn frequencies(
    table: &Table,
    keys: &[usize],
    semantics: Semantics,
) -> Result<Frequencies, MethodError> {
    let keys = KeyColumns::of(table, keys, semantics)?;
    let weights = table.weight().and_then(Column::as_numeric);
    // A dense cube while it is no larger than what it indexes.
    let limit = (keys.n * 4).clamp(1 << 16, u32::MAX as usize);
    match Cube::n_cells(&keys.n_values()) {
        Some(n_cells) if n_cells <= limit => Ok(count_in_cube(keys, weights, semantics)),
        _ => Ok(count_by_class(keys, weights, semantics)),
    }
}

/// The codes of the keys are given back before the figures of the records are made.
fn count_in_cube(keys: KeyColumns, weights: Option<&[f64]>, semantics: Semantics) -> Frequencies {
    let mut cube = Cube::new(&keys.n_values());
    let mut cells = cube.cells_of(&keys.counted(semantics), keys.n);
    cube.count(&cells, weights);
    let mut n_classes = cube.n_filled();
    if keys.differ_from_shown(semantics) {
        cells = cube.cells_of(&keys.shown(), keys.n);
        let mut shown = Cube::new(&keys.n_values());
        shown.count(&cells, None);
        n_classes = shown.n_filled();
    }
    drop(keys);
    match semantics {
        Semantics::Own => {}
        Semantics::Visible | Semantics::Original => cube.sum_over_any(),
        Semantics::Wild => cube.let_missing_match(),
    }
    let f: Vec<u32> = cells
        .par_iter()
        .map(|&cell| cube.n_at(cell as usize))
        .collect();
    let big_f = match weights {
        Some(_) => (cells.par_iter())
            .map(|&cell| cube.weight_at(cell as usize))
            .collect(),
        // A census: F = f, read off in the order of the records.
        None => f.par_iter().map(|&f| f64::from(f)).collect(),
    };
    Frequencies {
        f,
        big_f,
        n_classes,
    }
}

fn count_by_class(keys: KeyColumns, weights: Option<&[f64]>, semantics: Semantics) -> Frequencies {
    let Classes { counts, of_record } = Classes::of(&keys, weights, semantics);
    drop(keys);
    let per_class = counts.frequencies();
    let of_class = |class: &u32| per_class[*class as usize];
    let records = || of_record.par_iter();
    Frequencies {
        f: records().map(|class| of_class(class).0).collect(),
        big_f: records().map(|class| of_class(class).1).collect(),
        n_classes: counts.n_shown(),
    }
}
