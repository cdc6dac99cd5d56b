//! Measures: what an intruder could learn and what an analyst would lose.

use std::borrow::Cow;

use bauta_data::{Attribute, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::card::{Card, Family, Targets};
use crate::context::RunContext;
use crate::error::{MethodError, refused};
use crate::few_records::is_few;
use crate::figure::{Figure, FigureName, FigureSpec, Per, Side, Unit};
use crate::mask::KeyClaim;
use crate::pair::Pair;
use crate::params::{ParamProblem, Params, RawValue};

/// What a measure looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subject {
    /// One file; measured before and after masking.
    OneFile,
    /// Original and masked file, record by record.
    CorrespondingPair,
    /// Original and masked file; records need not correspond.
    Pair,
}

/// Which variables a measure looks at when the plan names none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// The keys of each scenario in turn.
    Scenario,
    /// All variables that the card's targets accept.
    Variables,
}

/// What a measure says of itself: its card, what it looks at, and the figures it gives.
#[derive(Clone, Copy, Debug)]
pub struct MeasureCard {
    /// What every method says of itself.
    pub card: Card,
    /// What it looks at.
    pub subject: Subject,
    /// Which variables it looks at when none are named.
    pub scope: Scope,
    /// The figure that it is known for, and how that is to be read.
    pub value: FigureSpec,
    /// Its value when masked and original are the same file, where that is fixed.
    pub at_identity: Option<f64>,
    /// The other figures that it gives.
    pub figures: &'static [FigureSpec],
    /// Whether it also gives its value for each variable.
    pub by_variable: bool,
    /// Parameters whose variables hold categories, even where their texts could be read as numbers.
    pub categories_in: &'static [CategoriesIn],
    /// Whether a plan that names no measure takes it. Not those that put others together, nor those
    /// that search for nearest records unasked.
    pub usual: bool,
    /// Whether it looks at variables that no step masked, where the plan names none: an intruder
    /// who links records does, and to leave them out would understate the risk.
    pub looks_at_untouched: bool,
}

/// A parameter that names variables of categories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CategoriesIn {
    /// Its name.
    pub param: &'static str,
    /// A column of more different numbers in the original is one of numbers, and nothing else.
    pub most_numbers: usize,
}

impl MeasureCard {
    /// What holds for most losses: two files, continuous content, a value that is 0 where nothing
    /// changed and worse the larger it is.
    pub const LOSS: Self = Self {
        card: Card {
            targets: Targets::CONTENT,
            ..Card::PLAIN
        },
        subject: Subject::Pair,
        scope: Scope::Variables,
        value: FigureSpec::value("loss", Unit::Number).lower_is_better(),
        at_identity: Some(0.0),
        figures: &[],
        by_variable: true,
        categories_in: &[],
        usual: true,
        looks_at_untouched: false,
    };

    /// What holds for most measures of keys: one file, the keys of a scenario.
    pub const OF_KEYS: Self = Self {
        card: Card {
            family: Family::Risk,
            targets: Targets::KEYS,
            ..Card::PLAIN
        },
        subject: Subject::OneFile,
        scope: Scope::Scenario,
        value: FigureSpec::value("risk", Unit::Number).lower_is_better(),
        at_identity: None,
        by_variable: false,
        ..Self::LOSS
    };

    /// The figure with this id.
    pub fn figure(&self, id: &str) -> Option<&'static FigureSpec> {
        self.figures.iter().find(|figure| figure.id == id)
    }
}

/// The file or files that a measure is given.
#[derive(Clone, Copy, Debug)]
pub enum Files<'a> {
    /// One file.
    One(&'a Table),
    /// Original and masked.
    Both(Pair<'a>),
}

/// What a measure is to work on.
#[derive(Clone, Copy, Debug)]
pub struct MeasureTask<'a> {
    /// The file or files.
    pub files: Files<'a>,
    /// Names of the variables, in order.
    pub on: &'a [String],
    /// The whole files, where `files` are the records of a subpopulation.
    pub whole: Option<Pair<'a>>,
}

impl Part {
    /// A labelled figure.
    pub fn new(name: impl Into<String>, value: impl Into<Option<f64>>) -> Self {
        Self {
            name: name.into(),
            value: value.into(),
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

impl<'a> MeasureTask<'a> {
    /// Work on whole files.
    pub const fn new(files: Files<'a>, on: &'a [String]) -> Self {
        Self {
            files,
            on,
            whole: None,
        }
    }

    /// The one file.
    pub fn one(&self) -> Result<&'a Table, MethodError> {
        match self.files {
            Files::One(table) => Ok(table),
            Files::Both(_) => Err(MethodError::Internal(
                "a measure of one file was given two".to_owned(),
            )),
        }
    }

    /// The two files.
    pub fn both(&self) -> Result<Pair<'a>, MethodError> {
        match self.files {
            Files::Both(pair) => Ok(pair),
            Files::One(_) => Err(MethodError::Internal(
                "a measure of two files was given one".to_owned(),
            )),
        }
    }
}

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
    /// What the figures are, for the axis.
    pub axis: String,
    /// How they are written.
    pub unit: Unit,
    /// Labelled figures, in order.
    pub points: Vec<Part>,
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
        }
        told.outliers = told.outliers.filter(|_| !(all || outliers));
        told.rest = told.rest.filter(|_| !(all || rest));
        Cow::Owned(told)
    }

    /// Adds a figure that the measure declares.
    pub fn give(&mut self, name: impl Into<FigureName>, value: impl Into<Option<f64>>) {
        self.figures.push(Figure {
            name: name.into(),
            value: value.into(),
        });
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

/// What a gate asks of a figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bound<'a> {
    /// The figure; none for the value.
    pub figure: Option<&'a FigureName>,
    /// Smallest accepted value.
    pub at_least: Option<f64>,
    /// Largest accepted value.
    pub at_most: Option<f64>,
}

/// How a measure is written: its settings as a type, and what it does with them. The registry
/// lists it as a [`Measure`].
pub trait MeasureMethod: Sync {
    /// Its parameters, read and valid.
    type Settings: Send + Sync;

    /// What it says of itself.
    fn card(&self) -> &'static MeasureCard;

    /// Reads the parameters: the one place that looks at them. All that can be wrong with them
    /// whatever the variables is told here.
    fn settings(&self, params: &Params) -> Result<Self::Settings, Vec<ParamProblem>>;

    /// Problems that only the variables' descriptions can show.
    fn check(&self, settings: &Self::Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let _ = (settings, on);
        Vec::new()
    }

    /// The numbers that a figure declared [`Per::Number`] is given for.
    fn numbers_of(
        &self,
        figure: &FigureSpec,
        settings: &Self::Settings,
        on: &[String],
    ) -> Vec<f64> {
        let _ = (figure, settings, on);
        Vec::new()
    }

    /// What a bound on a figure promises of the keys, if it promises something that can be counted
    /// again in the released file.
    fn claimed(&self, settings: &Self::Settings, bound: &Bound<'_>) -> Option<KeyClaim> {
        let _ = (settings, bound);
        None
    }

    /// Measures.
    fn measure(
        &self,
        settings: &Self::Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError>;

    /// Parameters that show it at work, for documentation and conformance tests. They may name
    /// variables of the file that those tests measure.
    fn example(&self) -> Vec<(&'static str, RawValue)> {
        Vec::new()
    }
}

/// A method that looks at files and changes nothing, as the registry lists it.
pub trait Measure: Sync {
    /// What every method says of itself.
    fn card(&self) -> &'static Card;

    /// What a measure says of itself.
    fn declared(&self) -> &'static MeasureCard;

    /// Everything that can be told to be wrong before data are read.
    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem>;

    /// The figures that a measurement of these variables holds, besides its value.
    fn figures(&self, params: &Params, on: &[String]) -> Vec<FigureName>;

    /// What a bound on a figure promises of the keys.
    fn claimed(&self, params: &Params, bound: &Bound<'_>) -> Option<KeyClaim>;

    /// Measures, with parameters that [`Self::check`] accepts or an error.
    fn measure(
        &self,
        params: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError>;

    /// Parameters that show it at work.
    fn example(&self) -> Vec<(&'static str, RawValue)>;
}

impl<M: MeasureMethod> Measure for M {
    fn card(&self) -> &'static Card {
        &MeasureMethod::card(self).card
    }

    fn declared(&self) -> &'static MeasureCard {
        MeasureMethod::card(self)
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        match self.settings(params) {
            Ok(settings) => MeasureMethod::check(self, &settings, on),
            Err(problems) => problems,
        }
    }

    fn figures(&self, params: &Params, on: &[String]) -> Vec<FigureName> {
        let Ok(settings) = self.settings(params) else {
            return Vec::new();
        };
        let of = |figure: &FigureSpec| -> Vec<FigureName> {
            match figure.per {
                Per::Measurement => vec![figure.into()],
                Per::Side => Side::BOTH.map(|file| figure.of_side(file)).to_vec(),
                Per::Variable => on.iter().map(|name| figure.of_variable(name)).collect(),
                Per::Number => {
                    let numbers = self.numbers_of(figure, &settings, on);
                    numbers.into_iter().map(|n| figure.at(n)).collect()
                }
            }
        };
        let figures = MeasureMethod::card(self).figures.iter();
        figures.flat_map(of).collect()
    }

    fn claimed(&self, params: &Params, bound: &Bound<'_>) -> Option<KeyClaim> {
        let settings = self.settings(params).ok()?;
        MeasureMethod::claimed(self, &settings, bound)
    }

    fn measure(
        &self,
        params: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let settings = self.settings(params).map_err(refused)?;
        MeasureMethod::measure(self, &settings, task, context)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        MeasureMethod::example(self)
    }
}
