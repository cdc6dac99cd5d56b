//! The categories of a variable in two files, numbered alike.

use bauta_data::{Column, Table};

use crate::error::MethodError;
use crate::figure::Unit;
use crate::kernel::numbers::sums::sums_by_cell;
use crate::measure::{Part, Series};
use crate::pair::Pair;
use crate::pair::categories::TwoCategories;
use crate::pair::variables::TwoColumns;

/// A variable's categories: first those of the original in its order, then those that only the
/// masked file has; behind them the place of cells without a value.
#[derive(Debug)]
pub(crate) struct TwoCodings<'a> {
    /// The variable.
    pub(crate) name: &'a str,
    /// What the places stand for, that of missing cells too.
    pub(crate) labels: Vec<String>,
    /// Original and masked.
    pub(crate) files: [Coding; 2],
}

/// The places of one file's records.
#[derive(Debug)]
pub(crate) struct Coding {
    places: Vec<u32>,
    n_missing: usize,
}

impl Coding {
    /// How many there are.
    pub(crate) fn n_records(&self) -> usize {
        self.places.len()
    }

    /// The place of a record.
    pub(crate) fn place(&self, record: usize) -> usize {
        self.places[record] as usize
    }
}

/// The weights of a file; each record has 1 where there is no weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights<'a>(Option<&'a [f64]>);

impl<'a> Weights<'a> {
    /// Those of a file.
    pub(crate) fn of(table: &'a Table) -> Self {
        Self(table.weight().and_then(Column::as_numeric))
    }

    /// That of a record.
    pub(crate) fn of_record(self, record: usize) -> f64 {
        self.0.map_or(1.0, |weights| weights[record])
    }

    /// That of a record, and 1 if it is positive: a record without weight does not hide another.
    pub(crate) fn and_count(self, record: usize) -> [f64; 2] {
        let weight = self.of_record(record);
        [weight, f64::from(u8::from(weight > 0.0))]
    }
}

/// Weight and records of each category in one file.
#[derive(Clone, Debug)]
pub(crate) struct Margin {
    /// Sum of the weights, by place.
    pub(crate) weight: Vec<f64>,
    /// Number of records with a positive weight, by place.
    pub(crate) records: Vec<f64>,
}

impl<'a> TwoCodings<'a> {
    /// The variable in both files; an error where one of them lacks it or holds numbers.
    pub(crate) fn of(pair: Pair<'a>, name: &'a str) -> Result<Self, MethodError> {
        let columns = TwoColumns::of(pair, name)?;
        let categories = TwoCategories::new(&columns)?;
        let labels = (0..categories.n_codes() as u32)
            .map(|code| categories.text(code).into_owned())
            .collect();
        let [of_original, of_masked] = categories.codes;
        let coding = |column: &Column, places: Vec<u32>| Coding {
            places,
            n_missing: column.n_missing(),
        };
        Ok(Self {
            name,
            labels,
            files: [
                coding(columns.original, of_original),
                coding(columns.masked, of_masked),
            ],
        })
    }

    /// Number of categories; the place of missing cells is the next.
    pub(crate) fn n_categories(&self) -> usize {
        self.labels.len() - 1
    }

    /// Number of cells without a value in both files.
    pub(crate) fn n_missing(&self) -> usize {
        self.files.iter().map(|coding| coding.n_missing).sum()
    }

    /// Weight and records by category, in both files.
    pub(crate) fn margins(&self, weights: [Weights<'_>; 2]) -> [Margin; 2] {
        [0, 1].map(|file| {
            let coding = &self.files[file];
            let sums = sums_by_cell(coding.n_records(), self.labels.len(), |record| {
                Some((coding.place(record), weights[file].and_count(record)))
            });
            Margin {
                weight: sums.iter().map(|sums| sums[0]).collect(),
                records: sums.iter().map(|sums| sums[1]).collect(),
            }
        })
    }

    /// Figures by place as a series, for the places that are wanted.
    pub(crate) fn series(
        &self,
        name: String,
        unit: &str,
        wanted: &[usize],
        figure: impl Fn(usize) -> Option<f64>,
    ) -> Series {
        let point = |&place: &usize| Part {
            name: self.labels[place].clone(),
            value: figure(place).filter(|figure| figure.is_finite()),
        };
        Series {
            name,
            axis: unit.to_owned(),
            unit: Unit::Number,
            file: None,
            variable: None,
            table: None,
            points: wanted.iter().map(point).collect(),
        }
    }
}
