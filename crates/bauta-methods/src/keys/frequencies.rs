//! How often the key of each record occurs, under the four readings of missing values.
//!
//! Keys with few combinations are counted in a dense cube; else records with equal keys are collapsed
//! to classes first, and all further work is on classes.

use bauta_data::{Column, Table};
use rayon::prelude::*;

use crate::error::MethodError;
use crate::keys::Semantics;
use crate::keys::classes::Classes;
use crate::keys::codes::{KeyColumns, check_number};
use crate::keys::cube::{Cube, ShownKey};
use crate::keys::stored::Weighing;

/// The frequency of each record's key.
#[derive(Clone, Debug)]
pub struct Frequencies {
    /// Records that share the key, the record itself included.
    pub f: Vec<u32>,
    /// Sum of their weights; none without weights, where it is f.
    pub(crate) weight: Option<ClassWeights>,
    /// Number of different keys, missing taken as a value.
    pub n_classes: usize,
}

impl Frequencies {
    /// F of a record, the estimated population frequency of its key.
    pub fn big_f(&self, record: usize) -> f64 {
        match &self.weight {
            Some(weight) => weight.of_class[weight.class[record] as usize],
            // A census.
            None => f64::from(self.f[record]),
        }
    }

    /// f and F of each record.
    pub fn both(&self) -> impl ExactSizeIterator<Item = (f64, f64)> {
        let f = self.f.iter().enumerate();
        f.map(|(record, &f)| (f64::from(f), self.big_f(record)))
    }
}

impl PartialEq for Frequencies {
    /// Whether every record has the same frequencies, whatever its class is numbered.
    fn eq(&self, other: &Self) -> bool {
        self.n_classes == other.n_classes && self.both().eq(other.both())
    }
}

/// What the records of each class weigh. Of a file there are few classes: their weights are kept once for each.
#[derive(Clone, Debug)]
pub(crate) struct ClassWeights {
    /// Class of each record.
    pub(crate) class: Vec<u32>,
    pub(crate) of_class: Vec<f64>,
    /// What records of one class have in common.
    pub(crate) told_by: ToldBy,
}

/// What tells classes apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ToldBy {
    /// The key that the file shows, and nothing else.
    ShownKey,
    /// That, and what was there before suppression.
    HiddenKey,
    /// Nothing: each record is a class of its own.
    Record,
}

impl ToldBy {
    fn under(semantics: Semantics) -> Self {
        match semantics {
            Semantics::Own | Semantics::Visible | Semantics::Wild => Self::ShownKey,
            Semantics::Original => Self::HiddenKey,
        }
    }
}

/// Counts how often the key of each record occurs.
pub fn frequencies(
    table: &Table,
    keys: &[usize],
    semantics: Semantics,
) -> Result<Frequencies, MethodError> {
    if let Some(classes) = Classes::of_stored(table, keys, Weighing::Weights, semantics)? {
        return Ok(of_classes(classes, semantics));
    }
    let weights = table.weight().and_then(Column::as_numeric);
    if let Some(counted) = count_shown(table, keys, weights, semantics) {
        return Ok(counted);
    }
    let keys = KeyColumns::of(table, keys, semantics)?;
    if is_small(&keys.n_values(), keys.n) {
        Ok(count_in_cube(keys, weights, semantics))
    } else {
        Ok(count_by_class(keys, weights, semantics))
    }
}

/// Whether keys whose codes go up to these are counted in a dense cube: while it is no larger than what it indexes.
fn is_small(n_values: &[u32], n: usize) -> bool {
    let limit = (n * 4).clamp(1 << 16, u32::MAX as usize);
    Cube::n_cells(n_values).is_some_and(|n_cells| n_cells <= limit)
}

/// The frequencies of keys that are categories and are counted as the file shows them, in a cube; none where other
/// keys are.
fn count_shown(
    table: &Table,
    keys: &[usize],
    weights: Option<&[f64]>,
    semantics: Semantics,
) -> Option<Frequencies> {
    check_number(keys.len()).ok()?;
    let columns = || keys.iter().map(|&attr_idx| table.column(attr_idx));
    if semantics == Semantics::Original && columns().any(|key| key.n_suppressed() > 0) {
        return None;
    }
    let shown: Vec<ShownKey<'_>> = columns().map(ShownKey::of).collect::<Option<_>>()?;
    let n_levels = |key: &Column| key.as_categorical().map(|key| key.levels.len() as u32);
    let n_values: Vec<u32> = columns().map(n_levels).collect::<Option<_>>()?;
    let n = table.n_records();
    if !is_small(&n_values, n) {
        return None;
    }
    let mut cube = Cube::new(&n_values);
    let cells = cube.cells_shown(&shown, n);
    cube.count(&cells, weights);
    let n_classes = cube.n_filled();
    Some(of_cells(cube, cells, n_classes, semantics))
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
    of_cells(cube, cells, n_classes, semantics)
}

/// The frequency of each record from what was counted, by the cell that it shows.
fn of_cells(
    mut cube: Cube,
    mut cells: Vec<u32>,
    n_classes: usize,
    semantics: Semantics,
) -> Frequencies {
    match semantics {
        Semantics::Own => {}
        Semantics::Visible | Semantics::Original => cube.sum_over_any(),
        Semantics::Wild => cube.let_missing_match(),
    }
    let weight = cube.weights_by_cell(&cells);
    let f = if weight.is_some() {
        cells
            .par_iter()
            .map(|&cell| cube.n_at(cell as usize))
            .collect()
    } else {
        let f = |cell: &mut u32| *cell = cube.n_at(*cell as usize);
        cells.par_iter_mut().for_each(f);
        std::mem::take(&mut cells)
    };
    Frequencies {
        f,
        weight: weight.map(|(of_class, class)| ClassWeights {
            told_by: match class {
                Some(_) => ToldBy::Record,
                None => ToldBy::ShownKey,
            },
            class: class.unwrap_or(cells),
            of_class,
        }),
        n_classes,
    }
}

fn count_by_class(keys: KeyColumns, weights: Option<&[f64]>, semantics: Semantics) -> Frequencies {
    let classes = Classes::of(&keys, weights, semantics);
    drop(keys);
    of_classes(classes, semantics)
}

/// The frequency of each record, by the class that it is in. The numbers of classes make room for them where nothing
/// weighs.
fn of_classes(classes: Classes, semantics: Semantics) -> Frequencies {
    let Classes {
        counts,
        mut of_record,
    } = classes;
    let per_class = counts.frequencies();
    let f_of = |class: u32| per_class[class as usize].0;
    let n_classes = counts.n_shown();
    if counts.weights.is_none() {
        of_record
            .par_iter_mut()
            .for_each(|class| *class = f_of(*class));
        return Frequencies {
            f: of_record,
            weight: None,
            n_classes,
        };
    }
    Frequencies {
        f: of_record.par_iter().map(|&class| f_of(class)).collect(),
        weight: Some(ClassWeights {
            class: of_record,
            of_class: per_class.into_iter().map(|(_, weight)| weight).collect(),
            told_by: ToldBy::under(semantics),
        }),
        n_classes,
    }
}
