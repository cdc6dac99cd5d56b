//! Measures: what an intruder could learn and what an analyst would lose.

use bauta_data::{Attribute, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
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

/// Which end of the scale is the good one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// Larger is worse: risks and losses.
    Lower,
    /// Larger is better: k of k-anonymity.
    Higher,
    /// Neither: a description.
    Neither,
}

/// How a measure's value is to be read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// Smallest possible value.
    pub min: f64,
    /// Largest possible value.
    pub max: f64,
    /// Which end is good.
    pub better: Better,
    /// Value when masked and original are the same file, where that is fixed.
    pub at_identity: Option<f64>,
    /// Name of the value in tables, such as "smallest class".
    pub value_name: &'static str,
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
    /// Checked parameters.
    pub params: &'a Params,
    /// The whole files, where `files` are the records of a subpopulation.
    pub whole: Option<Pair<'a>>,
}

impl<'a> MeasureTask<'a> {
    /// Work on whole files.
    pub const fn new(files: Files<'a>, on: &'a [String], params: &'a Params) -> Self {
        Self {
            files,
            on,
            params,
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

/// A named figure that belongs to a measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its value; none where it is not defined.
    pub value: Option<f64>,
}

/// Figures along an axis, for charts and tables.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// What it shows; the same in the measurements before and after masking.
    pub name: String,
    /// What the figures are.
    pub unit: String,
    /// Labelled figures, in order.
    pub points: Vec<Part>,
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
    /// Further named figures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
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

impl Measurement {
    /// Adds a named figure.
    pub fn push_part(&mut self, name: impl Into<String>, value: impl Into<Option<f64>>) {
        self.parts.push(Part {
            name: name.into(),
            value: value.into(),
        });
    }

    /// A named figure.
    pub fn part(&self, name: &str) -> Option<f64> {
        self.parts
            .iter()
            .find(|part| part.name == name)
            .and_then(|part| part.value)
    }
}

/// A method that looks at files and changes nothing.
pub trait Measure: Sync {
    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// What it looks at.
    fn subject(&self) -> Subject;

    /// Which variables it looks at when none are named.
    fn scope(&self) -> Scope;

    /// How its value is to be read.
    fn reading(&self) -> Reading;

    /// Whether a plan that names no measure takes it. Not those that put others together, nor those
    /// that search for nearest records unasked.
    fn is_usual(&self) -> bool {
        true
    }

    /// Whether it looks at variables that no step masked, where the plan names none: an intruder
    /// who links records does, and to leave them out would understate the risk.
    fn looks_at_untouched(&self) -> bool {
        false
    }

    /// Parameters that show it at work, for documentation and conformance tests. They may name
    /// variables of the file that those tests measure.
    fn example(&self) -> Vec<(&'static str, RawValue)> {
        Vec::new()
    }

    /// Problems that only the parameters together, or the variables' descriptions, can show.
    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let _ = (params, on);
        Vec::new()
    }

    /// Measures.
    fn measure(
        &self,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError>;
}
