//! How near two values of a variable are: 1 in full agreement, falling to 0 at the tolerance.

mod dates;
mod tables;

use std::collections::BTreeSet;

use bauta_data::{Column, Kind, Levels};
use rayon::prelude::*;

use self::dates::days;
use self::tables::SimilarityTable;
use super::settings::{Metric, Settings};
use crate::error::MethodError;
use crate::pair::Pair;
use crate::pair::variables::TwoColumns;
use crate::params::choices;

choices! {
    /// How the values of a variable are compared.
    pub enum Comparator {
        D = "d": "by their difference, relative to the original value",
        L = "l": "by the difference of their logarithms, relative to that of the original value",
        Exact = "exact": "equal or not",
        Frequency = "frequency": "equal or not; agreement on a rare value weighs more",
        JaroWinkler = "jaro-winkler": "by the similarity of Jaro and Winkler, for names",
        Date = "date": "by the difference in days",
        Ordered = "ordered": "by the difference of their places in the order",
        Hierarchy = "hierarchy": "by the lowest level of the hierarchy at which they are one",
    }
}

/// Days within which dates agree in part, where no tolerance is given.
const DAYS: f64 = 30.0;
/// Smallest size that a relative deviation refers to (Yancey 2002, §3.4).
const FLOOR: f64 = 0.1;

/// How similarity follows from two coordinates.
#[derive(Clone, Debug)]
pub(crate) enum Scale {
    /// 1 - |a - b| / (t max(|a|, 0.1)).
    Relative {
        /// The tolerance t.
        tolerance: f64,
    },
    /// 1 - slope |a - b|.
    Fixed {
        /// Similarity lost per unit.
        slope: f64,
    },
    /// As a table of codes says.
    Table(SimilarityTable),
}

/// One variable of both files, ready to be compared.
#[derive(Clone, Debug)]
pub struct ComparedVariable {
    /// Its name.
    pub name: String,
    /// How it is compared.
    pub comparator: Comparator,
    /// Coordinate of each original record; NaN where it has no value.
    pub(crate) original: Vec<f64>,
    /// Coordinate of each masked record; NaN where it has no value.
    pub(crate) masked: Vec<f64>,
    /// How similarity follows from them.
    pub(crate) scale: Scale,
}

impl ComparedVariable {
    /// A variable that both files must have.
    pub(crate) fn of(pair: Pair<'_>, name: &str, settings: &Settings) -> Result<Self, MethodError> {
        let columns = TwoColumns::of(pair, name)?;
        let own = settings.tolerances.iter().find(|(known, _)| known == name);
        let own = own.map(|(_, tolerance)| *tolerance);
        let tolerance = own.unwrap_or(settings.tolerance);
        let asked = settings.compare.iter().find(|(known, _)| known == name);
        let comparator = match asked {
            Some((_, comparator)) => *comparator,
            None => usual(&columns, settings.metric),
        };
        let (original, masked, scale) = match comparator {
            // A variable that was suppressed as a whole has lost its kind, too, and says nothing.
            _ if columns.lacks_values() => nothing(pair),
            Comparator::D | Comparator::L => numbers(&columns, comparator, tolerance)?,
            Comparator::Date => of_dates(&columns, own.unwrap_or(DAYS))?,
            _ => categories(&columns, comparator, tolerance)?,
        };
        Ok(Self {
            name: name.to_owned(),
            comparator,
            original,
            masked,
            scale,
        })
    }

    /// Similarity lost per unit of distance from an original coordinate.
    pub(crate) fn slope(&self, a: f64) -> f64 {
        match self.scale {
            Scale::Relative { tolerance } => (tolerance * a.abs().max(FLOOR)).recip(),
            Scale::Fixed { slope } => slope,
            Scale::Table(_) => 0.0,
        }
    }

    /// How near two coordinates are; none where one is missing.
    pub(crate) fn similarity(&self, a: f64, b: f64) -> Option<f64> {
        if a.is_nan() || b.is_nan() {
            return None;
        }
        Some(match &self.scale {
            Scale::Table(table) => table.at(a, b),
            _ => (1.0 - (a - b).abs() * self.slope(a)).max(0.0),
        })
    }

    /// Whether original and masked coordinates are numbered apart, and only a table tells what agrees.
    pub(crate) fn has_table(&self) -> bool {
        matches!(self.scale, Scale::Table(_))
    }

    /// Whether no value of the masked file agrees with any of the original one, though both have values. Of
    /// numbers and dates this is not asked: masking moves them all.
    pub(crate) fn never_agrees(&self) -> bool {
        let codes = |values: &[f64]| -> BTreeSet<u64> {
            let known = values.iter().filter(|value| !value.is_nan());
            known.map(|value| value.to_bits()).collect()
        };
        let is_told_apart = is_equality(self.comparator)
            || matches!(
                self.comparator,
                Comparator::JaroWinkler | Comparator::Hierarchy
            );
        if !is_told_apart {
            return false;
        }
        let (original, masked) = (codes(&self.original), codes(&self.masked));
        let agree = |a: &u64, b: &u64| {
            let near = self.similarity(f64::from_bits(*a), f64::from_bits(*b));
            near.is_some_and(|near| near > 0.0)
        };
        let both_known = !original.is_empty() && !masked.is_empty();
        let any = match self.scale {
            Scale::Table(_) => original.iter().any(|a| masked.iter().any(|b| agree(a, b))),
            _ => !original.is_disjoint(&masked),
        };
        both_known && !any
    }

    /// The same variable at some records only.
    pub(crate) fn at(&self, original: &[u32], masked: &[u32]) -> Self {
        let of = |values: &[f64], records: &[u32]| {
            records
                .iter()
                .map(|&record| values[record as usize])
                .collect()
        };
        Self {
            name: self.name.clone(),
            comparator: self.comparator,
            original: of(&self.original, original),
            masked: of(&self.masked, masked),
            scale: self.scale.clone(),
        }
    }
}

/// No value in either file.
fn nothing(pair: Pair<'_>) -> Coordinates {
    let missing = |n: usize| vec![f64::NAN; n];
    let original = missing(pair.original.n_records());
    let masked = missing(pair.masked.n_records());
    (original, masked, Scale::Fixed { slope: 1.0 })
}

/// How a variable is compared where nothing is said.
fn usual(columns: &TwoColumns<'_>, metric: Option<Metric>) -> Comparator {
    let attribute = columns.original.attribute();
    let numbers = columns.original.as_numeric();
    match (numbers, columns.masked.as_numeric(), metric) {
        (Some(_), Some(_), Some(Metric::L)) => Comparator::L,
        (Some(values), Some(_), None) if is_for_logarithms(values) => Comparator::L,
        (Some(_), Some(_), _) => Comparator::D,
        (None, _, _) if attribute.kind == Kind::Ordered => Comparator::Ordered,
        (None, _, _) if attribute.hierarchy.is_some() => Comparator::Hierarchy,
        _ => Comparator::Exact,
    }
}

/// Whether logarithms tell the values apart: at most a tenth of those other than 0 lies below 1, where
/// all count as 1.
fn is_for_logarithms(values: &[f64]) -> bool {
    let n_low = values
        .iter()
        .filter(|value| **value < 1.0 && **value != 0.0)
        .count();
    let n_others = values.iter().filter(|value| **value >= 1.0).count();
    n_others > 0 && n_low * 9 <= n_others
}

type Coordinates = (Vec<f64>, Vec<f64>, Scale);

fn numbers(
    columns: &TwoColumns<'_>,
    comparator: Comparator,
    tolerance: f64,
) -> Result<Coordinates, MethodError> {
    let (original, masked) = columns.numbers()?;
    let coordinate = |&value: &f64| match comparator {
        // Values below 1, negative ones too, count as 1; NaN stays.
        Comparator::L if value < 1.0 => 0.0,
        Comparator::L => libm::log(value),
        _ => value + 0.0,
    };
    let of = |values: &[f64]| {
        values
            .par_iter()
            .with_min_len(4096)
            .map(coordinate)
            .collect()
    };
    Ok((of(original), of(masked), Scale::Relative { tolerance }))
}

/// What a cell of one of the files may say, in one numbering for both.
struct Shared {
    texts: Levels,
    /// Code of each record of the original and of the masked file; NaN where missing.
    codes: [Vec<f64>; 2],
}

fn categories(
    columns: &TwoColumns<'_>,
    comparator: Comparator,
    tolerance: f64,
) -> Result<Coordinates, MethodError> {
    match (columns.original.as_numeric(), columns.masked.as_numeric()) {
        (Some(original), Some(masked)) if is_equality(comparator) => {
            let [original, masked] = numbered(original, masked);
            Ok((original, masked, Scale::Fixed { slope: 1.0 }))
        }
        (Some(original), None) if is_equality(comparator) => {
            tables::in_intervals(columns, original)
        }
        (None, None) => {
            let shared = shared(columns);
            let scale = match comparator {
                Comparator::Ordered => {
                    let n_steps = shared.texts.len().saturating_sub(1).max(1) as f64;
                    Scale::Fixed {
                        slope: (tolerance * n_steps).recip(),
                    }
                }
                Comparator::JaroWinkler => {
                    tables::of_names(columns.name, &shared.texts, tolerance)?
                }
                Comparator::Hierarchy => {
                    return tables::by_levels(columns, &shared.texts, shared.codes);
                }
                _ => Scale::Fixed { slope: 1.0 },
            };
            let [original, masked] = shared.codes;
            Ok((original, masked, scale))
        }
        _ => Err(MethodError::data(
            columns.name,
            format!(
                "it cannot be compared by `{}`: one file holds numbers and the other categories, or categories are needed",
                crate::params::Choice::name(comparator)
            ),
            "give it the same kind in both files, or leave it out",
        )),
    }
}

fn is_equality(comparator: Comparator) -> bool {
    matches!(comparator, Comparator::Exact | Comparator::Frequency)
}

/// The place of each number among the different numbers of both files.
fn numbered(original: &[f64], masked: &[f64]) -> [Vec<f64>; 2] {
    let all = original
        .iter()
        .chain(masked)
        .filter(|value| !value.is_nan());
    // Adding 0 makes one of the two zeros.
    let mut all: Vec<f64> = all.map(|value| value + 0.0).collect();
    all.par_sort_unstable_by(f64::total_cmp);
    all.dedup();
    let place = |&value: &f64| {
        if value.is_nan() {
            return f64::NAN;
        }
        all.partition_point(|known| known.total_cmp(&(value + 0.0)).is_lt()) as f64
    };
    [original, masked].map(|values| values.par_iter().with_min_len(4096).map(place).collect())
}

/// The categories of both files in their natural order, or in that of the variable.
fn shared(columns: &TwoColumns<'_>) -> Shared {
    let files = [columns.original, columns.masked];
    let mut union = Levels::default();
    let inserted = files.map(|column| -> Vec<u32> {
        let levels = column.as_categorical().map(|categories| &categories.levels);
        let levels = levels.into_iter().flat_map(|levels| levels.iter());
        levels.map(|text| union.insert(text)).collect()
    });
    let (mut texts, mut new_code) = union.naturally_ordered();
    if let Some(order) = &columns.original.attribute().order {
        let (ordered, again) = texts.ordered_as(order);
        for code in &mut new_code {
            *code = again[*code as usize];
        }
        texts = ordered;
    }
    let codes = [0, 1].map(|file| {
        let place = |code: u32| {
            let inserted = inserted[file].get(code as usize);
            inserted.map_or(f64::NAN, |&code| f64::from(new_code[code as usize]))
        };
        coded(files[file], place)
    });
    Shared { texts, codes }
}

/// A coordinate for each record's code, NaN where the cell is missing.
fn coded(column: &Column, place: impl Fn(u32) -> f64) -> Vec<f64> {
    let codes = column.as_categorical().map(|categories| &categories.codes);
    let mut coordinates: Vec<f64> = codes.into_iter().flatten().map(place).collect();
    if let Some(cells) = column.missing() {
        for (coordinate, &state) in coordinates.iter_mut().zip(cells.states()) {
            if state != 0 {
                *coordinate = f64::NAN;
            }
        }
    }
    coordinates
}

fn of_dates(columns: &TwoColumns<'_>, tolerance: f64) -> Result<Coordinates, MethodError> {
    let original = days(columns.original, columns.name, "original")?;
    let masked = days(columns.masked, columns.name, "masked")?;
    Ok((
        original,
        masked,
        Scale::Fixed {
            slope: tolerance.recip(),
        },
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(scale: Scale) -> ComparedVariable {
        ComparedVariable {
            name: "x".to_owned(),
            comparator: Comparator::D,
            original: Vec::new(),
            masked: Vec::new(),
            scale,
        }
    }

    #[test]
    fn similarity_falls_linearly_to_the_tolerance() {
        // |100 - 110| / (0.2 · 100) = 0.5.
        let x = variable(Scale::Relative { tolerance: 0.2 });
        let at = |a: f64, b: f64| x.similarity(a, b).expect("two values");
        assert!((at(100.0, 110.0) - 0.5).abs() < 1e-15);
        assert!(at(100.0, 121.0).abs() < 1e-15);
        // The original's size decides: |0 - 0.01| / (0.2 · 0.1) = 0.5.
        assert!((at(0.0, 0.01) - 0.5).abs() < 1e-15);
        assert_eq!(x.similarity(f64::NAN, 1.0), None);
    }

    #[test]
    fn a_variable_without_a_shared_value_is_noticed() {
        let exact = |original: &[f64], masked: &[f64]| ComparedVariable {
            comparator: Comparator::Exact,
            original: original.to_vec(),
            masked: masked.to_vec(),
            ..variable(Scale::Fixed { slope: 1.0 })
        };
        assert!(exact(&[0.0, 1.0], &[2.0, f64::NAN]).never_agrees());
        assert!(!exact(&[0.0, 1.0], &[2.0, 1.0]).never_agrees());
        // Nothing is known of a variable without values.
        assert!(!exact(&[0.0, 1.0], &[f64::NAN]).never_agrees());
    }

    #[test]
    fn places_of_numbers_tell_equal_from_unequal() {
        let [original, masked] = numbered(&[0.5, -0.0, f64::NAN], &[0.0, 7.0]);
        assert_eq!(original[..2], [1.0, 0.0]);
        assert!(original[2].is_nan());
        assert_eq!(masked, [0.0, 2.0]);
    }

    #[test]
    fn logarithms_are_for_numbers_above_one() {
        assert!(is_for_logarithms(&[0.0, 0.0, 5.0, 100.0]));
        assert!(!is_for_logarithms(&[0.2, 0.9, 3.0]));
        assert!(!is_for_logarithms(&[-5.0, -7.0]));
        assert!(!is_for_logarithms(&[]));
    }
}
