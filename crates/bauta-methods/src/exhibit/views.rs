//! Ways of showing figures.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{Unit, Words};

/// Facts, a table or a drawing, with what belongs to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct View {
    /// What it shows, in a few words; empty for facts.
    pub caption: String,
    /// What a reader needs to know of it, in small print.
    #[serde(default, skip_serializing_if = "Words::is_empty")]
    pub note: Words,
    /// Name of the file that its rows go to, without ending, where tables are written to files.
    /// Views with the same name share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it is open at first.
    #[serde(default, skip_serializing_if = "Fold::is_open")]
    pub fold: Fold,
    /// What is shown.
    pub shows: Shows,
}

impl View {
    /// A view without anything besides.
    pub fn new(caption: impl Into<String>, shows: Shows) -> Self {
        Self {
            caption: caption.into(),
            note: Words::new(),
            file: None,
            fold: Fold::Open,
            shows,
        }
    }

    /// The same with small print.
    #[must_use]
    pub fn noted(mut self, note: impl Into<Words>) -> Self {
        self.note = note.into();
        self
    }

    /// The same, with its rows in a file of this name.
    #[must_use]
    pub fn filed(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// The same, closed at first.
    #[must_use]
    pub fn folded_if(mut self, is_folded: bool) -> Self {
        if is_folded {
            self.fold = Fold::Folded;
        }
        self
    }
}

/// Whether a view is open at first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fold {
    /// It is.
    #[default]
    Open,
    /// Its caption stands for it until it is asked for.
    Folded,
}

impl Fold {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes fields by reference"
    )]
    fn is_open(&self) -> bool {
        *self == Self::Open
    }
}

/// What a view shows.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// Names and what belongs to them.
    Facts(Vec<Fact>),
    /// Rows of cells.
    Table(Table),
    /// A figure for each value of another.
    Curve(Curve),
    /// Records by a figure.
    Histogram(Histogram),
    /// A figure for each category.
    Bars(Bars),
    /// Points in the plane.
    Map(Map),
}

/// A name and what belongs to it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// The name.
    pub label: String,
    /// What belongs to it.
    pub value: Words,
}

impl Fact {
    /// A fact.
    pub fn new(label: &str, value: impl Into<Words>) -> Self {
        Self {
            label: label.to_owned(),
            value: value.into(),
        }
    }
}

/// Rows of cells. A row without a heading, which is the first cell that pages show, stands in files
/// only.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// What the cells are.
    pub columns: Vec<Column>,
    /// As many cells in each row as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Name of a column whose equal cells gather rows under a heading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Rows that count, where others stand beside them by way of comparison.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marked: Vec<usize>,
    /// How it is laid out on a page.
    #[serde(default)]
    pub layout: Layout,
}

/// How a table is laid out on a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// Row below row.
    #[default]
    Down,
    /// Row beside row, for a few rows of many figures.
    Across,
}

/// What the cells of a column are.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// Heading in files.
    pub name: String,
    /// Heading on pages.
    pub label: String,
    /// How figures are written, to the right; none for texts, to the left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<Unit>,
    /// Significant digits, where they are not the usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digits: Option<u8>,
    /// What stands on a page where there is no value, if it is no dash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<String>,
    /// Figures whose size is above it, or that are none, are marked as bad.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Name of a column from which the difference is shown beside the figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub differs_from: Option<String>,
    /// Where it stands.
    #[serde(default)]
    pub place: Place,
}

/// Where a column stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// On pages and in files.
    #[default]
    Everywhere,
    /// On pages only.
    Page,
    /// In files only.
    File,
}

impl Column {
    /// A column of texts.
    pub fn text(name: &str, label: &str) -> Self {
        Self {
            name: name.to_owned(),
            label: label.to_owned(),
            ..Self::default()
        }
    }

    /// A column of figures.
    pub fn of(unit: Unit, name: &str, label: &str) -> Self {
        Self {
            unit: Some(unit),
            ..Self::text(name, label)
        }
    }

    /// A column that only files have.
    pub fn filed(name: &str) -> Self {
        Self::text(name, "").only(Place::File)
    }

    /// A column that only pages have.
    #[must_use]
    pub fn on_page(self) -> Self {
        self.only(Place::Page)
    }

    /// The same with so many significant digits.
    #[must_use]
    pub fn with_digits(mut self, digits: u8) -> Self {
        self.digits = Some(digits);
        self
    }

    /// The same with a text where there is no value.
    #[must_use]
    pub fn or(mut self, none: &str) -> Self {
        self.none = Some(none.to_owned());
        self
    }

    /// The same in one place.
    #[must_use]
    pub fn only(mut self, place: Place) -> Self {
        self.place = place;
        self
    }
}

/// A cell of a table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Cell {
    /// No value.
    None,
    /// A figure.
    Number(f64),
    /// A text.
    Text(String),
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        // What JSON cannot hold would not come back from a record.
        if value.is_finite() {
            Self::Number(value)
        } else {
            Self::None
        }
    }
}

impl From<u64> for Cell {
    fn from(value: u64) -> Self {
        Self::Number(value as f64)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}

/// A figure for each value of another.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Curve {
    /// What lies below.
    pub across: String,
    /// What the curve shows.
    pub up: String,
    /// Its points, from left to right.
    pub points: Vec<[f64; 2]>,
    /// Points beside it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spots: Vec<Spot>,
}

/// A point beside a curve.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Spot {
    /// What it is.
    pub name: String,
    /// Where it is.
    pub at: [f64; 2],
}

/// Records by a figure, in bins of equal width, which are half-open.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// What the figure is.
    pub axis: String,
    /// Left end of the first bin.
    pub from: f64,
    /// Width of a bin.
    pub step: f64,
    /// What tells the series apart in files: headings of their cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// Ways of getting the figure, the one that counts first.
    pub series: Vec<HistogramSeries>,
}

/// One way of getting the figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct HistogramSeries {
    /// Its name.
    pub name: String,
    /// A cell for each heading of the histogram.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<Cell>,
    /// Records in each bin.
    pub counts: Vec<u64>,
    /// Smoothed density at the middle of each bin; may be empty.
    pub density: Vec<f64>,
    /// Where the figure had to stop.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
}

/// A value that a figure must not pass.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// What it is called.
    pub name: String,
    /// Where it is.
    pub value: f64,
}

/// A figure for each category.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Bars {
    /// What the figures are.
    pub axis: String,
    /// How they are written.
    pub unit: Unit,
    /// The categories, in order.
    pub categories: Vec<String>,
    /// One series, or up to four.
    pub series: Vec<BarSeries>,
    /// How they are drawn.
    #[serde(default)]
    pub drawn: Drawn,
}

/// How figures by category are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Drawn {
    /// As bars, from nothing.
    #[default]
    Bars,
    /// As dots, joined by lines.
    Dots,
}

/// Figures of the categories.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct BarSeries {
    /// Its name in the legend.
    pub name: String,
    /// A figure for each category; none where there is none.
    pub values: Vec<Option<f64>>,
}

/// Points in the plane.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Map {
    /// What lies below.
    pub across: String,
    /// What lies at the left.
    pub up: String,
    /// The points.
    pub points: Vec<MapPoint>,
}

/// A point of a map.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MapPoint {
    /// What it is.
    pub name: String,
    /// What it belongs to; points of one group look alike.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Where it is.
    pub at: [f64; 2],
}
