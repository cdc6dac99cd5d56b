//! What a measure found: figures, tables and charts, and which of them rest on few records.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::exhibit::Exhibit;
use crate::few_records::is_few;
use crate::figure::{Figure, FigureName, Side, Unit};

/// A labelled figure: of a variable, or of a point along an axis.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its value; none where it is not defined.
    pub value: Option<f64>,
    /// Whether it is of a category that [few records](crate::few_records) have: then only the run
    /// record and what is made of it for the house has its name and its value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub few: bool,
}

impl Part {
    /// A labelled figure; none where it is not finite, which JSON could not hold and a record not give back.
    pub fn new(name: impl Into<String>, value: impl Into<Option<f64>>) -> Self {
        let value: Option<f64> = value.into();
        Self {
            name: name.into(),
            value: value.filter(|value| value.is_finite()),
            few: false,
        }
    }

    /// The same, of a category that so many records have.
    #[must_use]
    pub fn of_records(mut self, n_records: u64) -> Self {
        self.few = is_few(n_records);
        self
    }
}

/// Figures along an axis, for charts and tables.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// What it shows; the same in the measurements before and after masking.
    pub name: String,
    /// The file that it is of, where a measurement holds one for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Side>,
    /// The variable that it is of, where a measurement holds one for each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// How scripts spell it, where that is not composed of name, variable and file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spelling: Option<String>,
    /// Whether the name begins with that of a variable, which titles leave as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub verbatim: bool,
    /// Whether its name holds a category that [few records](crate::few_records) have.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub few: bool,
    /// The table in which it is read beside others, where it is not to be drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<SeriesTable>,
    /// The end of intervals that its figures are, and the series that the intervals are about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Bounds>,
    /// What the figures are, for the axis.
    pub axis: String,
    /// How they are written.
    pub unit: Unit,
    /// Labelled figures, in order.
    pub points: Vec<Part>,
}

/// Figures that are ends of intervals around those of another series.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// Name of the series that the intervals are about.
    pub of: String,
    /// Which end.
    pub end: IntervalEnd,
}

/// An end of an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalEnd {
    /// The lower.
    Lower,
    /// The upper.
    Upper,
}

/// Series over the same points that are read side by side, as the columns of one table.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeriesTable {
    /// Its name for scripts: how the names of its series end.
    pub id: Cow<'static, str>,
    /// What it shows.
    pub caption: Cow<'static, str>,
    /// What its points are.
    pub points: Cow<'static, str>,
    /// The point that is of the whole file; all others are of a variable.
    pub whole: Cow<'static, str>,
}

impl Series {
    /// A series of the whole measurement.
    pub fn new(name: impl Into<String>, axis: &str, unit: Unit, points: Vec<Part>) -> Self {
        Self {
            name: name.into(),
            file: None,
            variable: None,
            spelling: None,
            verbatim: false,
            few: false,
            table: None,
            bounds: None,
            axis: axis.to_owned(),
            unit,
            points,
        }
    }

    /// How scripts spell it: `income: quantiles, masked`.
    pub fn spelled(&self) -> String {
        if let Some(spelling) = &self.spelling {
            return spelling.clone();
        }
        let mut spelled = match &self.variable {
            Some(variable) => format!("{variable}: {}", self.name),
            None => self.name.clone(),
        };
        if let Some(table) = &self.table {
            spelled.push(' ');
            spelled.push_str(&table.id);
        }
        if let Some(file) = self.file {
            spelled.push_str(", ");
            spelled.push_str(file.name());
        }
        spelled
    }

    /// The same with a spelling of its own for scripts.
    #[must_use]
    pub fn spelled_as(mut self, spelling: String) -> Self {
        self.spelling = Some(spelling);
        self
    }

    /// The same, and its name begins with that of a variable.
    #[must_use]
    pub fn verbatim(mut self) -> Self {
        self.verbatim = true;
        self
    }

    /// The same, of a category that so many records have, which its name holds.
    #[must_use]
    pub fn of_records(mut self, n_records: u64) -> Self {
        self.few = is_few(n_records);
        self
    }

    /// The same, and its figures are ends of intervals around those of another series.
    #[must_use]
    pub fn bounding(mut self, of: &str, end: IntervalEnd) -> Self {
        let of = of.to_owned();
        self.bounds = Some(Bounds { of, end });
        self
    }

    /// The same as a column of a table.
    #[must_use]
    pub fn in_table(mut self, table: &SeriesTable) -> Self {
        self.table = Some(table.clone());
        self
    }

    /// Whether it is a column of a table.
    pub fn is_in(&self, table: &SeriesTable) -> bool {
        self.table.as_ref().is_some_and(|own| own.id == table.id)
    }

    /// The same, of one of the two files.
    #[must_use]
    pub fn of_side(mut self, file: Side) -> Self {
        self.file = Some(file);
        self
    }

    /// The same, of a variable.
    #[must_use]
    pub fn of_variable(mut self, variable: &str) -> Self {
        self.variable = Some(variable.to_owned());
        self
    }
}

/// Figures for pairs of variables, for heat maps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Matrix {
    /// What it shows.
    pub name: String,
    /// What the figures are.
    pub unit: String,
    /// The variables, in the order of rows and columns.
    pub variables: Vec<String>,
    /// Row j has the figures of variable j with those before it; none where one is not defined.
    pub below_diagonal: Vec<Vec<Option<f64>>>,
}

/// A record that a measure points at. Confidential: only internal reports show it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListedRecord {
    /// Its row in the source file, counted from 1 without the header.
    pub row: u64,
    /// Key variables and what the record shows of them; none where nothing.
    pub key: Vec<(String, Option<String>)>,
    /// Its figures.
    pub figures: Vec<Part>,
}

/// What a measure found. Larger than a number, smaller than the data.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Measurement {
    /// The figure; none where the measure is a description or not defined.
    pub value: Option<f64>,
    /// The figure for the outlying records alone, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<f64>,
    /// The figure for the other records alone, where asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<f64>,
    /// Which of its figures rest on few records.
    #[serde(default, skip_serializing_if = "FewOf::is_none")]
    pub few: FewOf,
    /// Further figures, as the measure declares them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub figures: Vec<Figure>,
    /// The figure for each variable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by_variable: Vec<Part>,
    /// Figures along an axis.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// Figures for pairs of variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<Matrix>,
    /// Drawings and tables for the internal report. Confidential.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exhibits: Vec<Exhibit>,
    /// Records that deserve a look, worst first. Confidential.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub listed: Vec<ListedRecord>,
    /// The figure for each record, in the order of the (masked) file; NaN where it is not defined.
    /// Not part of records.
    #[serde(skip)]
    pub per_record: Option<Vec<f64>>,
    /// How many cells the figure of each record rests on; none if it is the same number for all.
    /// Means over records are weighted by it, so that groups add up to the whole.
    #[serde(skip)]
    pub cells_per_record: Option<Vec<u32>>,
}

/// Which figures of a measurement rest on [few records](crate::few_records), since a subpopulation or
/// the outliers are so few.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct FewOf {
    /// All of them.
    #[serde(default)]
    pub all: bool,
    /// That of the outlying records.
    #[serde(default)]
    pub outliers: bool,
    /// That of the other records.
    #[serde(default)]
    pub rest: bool,
}

impl FewOf {
    /// Whether none do.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

impl Measurement {
    /// The measurement as screens and scripts are told of it: figures that rest on few records have no
    /// value. What its tables hold of few records they leave out by the marks of [`Series`].
    pub fn told(&self) -> Cow<'_, Self> {
        if self.few.is_none() {
            return Cow::Borrowed(self);
        }
        let mut told = self.clone();
        let FewOf {
            all,
            outliers,
            rest,
        } = self.few;
        if all {
            let figures = told.figures.iter_mut().map(|figure| &mut figure.value);
            let parts = told.by_variable.iter_mut().map(|part| &mut part.value);
            figures.chain(parts).for_each(|value| *value = None);
            told.value = None;
            told.series.clear();
            told.matrices.clear();
            told.exhibits.clear();
        }
        told.outliers = told.outliers.filter(|_| !(all || outliers));
        told.rest = told.rest.filter(|_| !(all || rest));
        Cow::Owned(told)
    }

    /// Adds a figure that the measure declares.
    pub fn give(&mut self, name: impl Into<FigureName>, value: impl Into<Option<f64>>) {
        let value: Option<f64> = value.into();
        self.figures.push(Figure {
            name: name.into(),
            value: value.filter(|value| value.is_finite()),
        });
    }

    /// The same, with none in place of a value that is not finite: JSON could not hold it, a record not give it back,
    /// and a gate not judge it.
    #[must_use]
    pub(crate) fn finite(mut self) -> Self {
        let is_finite = |value: &f64| value.is_finite();
        for value in [&mut self.value, &mut self.outliers, &mut self.rest] {
            *value = value.filter(is_finite);
        }
        for cell in self
            .matrices
            .iter_mut()
            .flat_map(|matrix| &mut matrix.below_diagonal)
            .flatten()
        {
            *cell = cell.filter(is_finite);
        }
        self
    }

    /// The figure that a declaration means.
    pub fn figure(&self, name: impl Into<FigureName>) -> Option<f64> {
        let name = name.into();
        let found = self.figures.iter().find(|figure| figure.name == name);
        found.and_then(|figure| figure.value)
    }

    /// The figure that scripts spell so.
    pub fn part(&self, spelled: &str) -> Option<f64> {
        let mut figures = self.figures.iter();
        let found = figures.find(|figure| figure.name.spelled() == spelled);
        found.and_then(|figure| figure.value)
    }

    /// The figures as scripts spell them.
    pub fn parts(&self) -> impl Iterator<Item = (String, Option<f64>)> {
        let figures = self.figures.iter();
        figures.map(|figure| (figure.name.spelled(), figure.value))
    }
}
