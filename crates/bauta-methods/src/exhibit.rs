//! What a step shows for itself: facts, tables and drawings that a record keeps and a report shows
//! without knowing the method. Whoever makes an exhibit also says what of it the public may see.

mod views;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use views::{
    BarSeries, Bars, Cell, Column, Curve, Drawn, Fact, Fold, Histogram, HistogramSeries, Layout,
    Limit, Map, MapPoint, Place, Shows, Spot, Table, View,
};
pub use words::{Paragraph, Unit, Verdict, Word, Words, listed, sentence};

/// The evidence of one step. Confidential but for what its exhibits declare public.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Stable name of what it is about, such as `calibration`; letters and hyphens. Steps with the
    /// same name stand in one section of a report.
    pub id: String,
    /// Heading of that section.
    pub title: String,
    /// What the step worked on, such as the name of the weight.
    pub subject: String,
    /// All of it in one sentence, for tables of several runs.
    pub summary: Words,
    /// What is shown, in order.
    pub exhibits: Vec<Exhibit>,
    /// The same for programs, in a form of the method's own.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub data: serde_json::Value,
}

/// One thing that is shown, under a heading of its own.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Exhibit {
    /// Stable name within the evidence; letters and hyphens.
    pub id: String,
    /// Its heading; empty where it opens the evidence and needs none.
    pub title: String,
    /// What it says, before it is looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<Paragraph>,
    /// Facts, tables and drawings, in order.
    pub views: Vec<View>,
    /// What the public may see in its place; none where nothing. The method makes this version
    /// itself, so that nothing slips through a filter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<Public>,
}

/// What the public may see of an exhibit.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Public {
    /// In words.
    pub text: Vec<Paragraph>,
    /// Facts, tables and drawings, without anything confidential.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<View>,
}
