//! Figures: what measures find, declared once. Plans, gates, tables, reports and screens go by the
//! declarations; nobody reads a name back.

use std::borrow::Cow;

use bauta_data::number::number_text;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a figure is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Whole numbers, such as records.
    Count,
    /// Any number.
    #[default]
    Number,
    /// A fraction, written in percent.
    Share,
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

/// One of the two files of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Before masking.
    Original,
    /// After masking.
    Masked,
}

impl Side {
    /// Both, in the order of the files.
    pub const BOTH: [Self; 2] = [Self::Original, Self::Masked];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Masked => "masked",
        }
    }
}

/// How many of a figure a measurement holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Per {
    /// One.
    Measurement,
    /// One for each of the two files.
    Side,
    /// One for each variable.
    Variable,
    /// One for each of some numbers that the settings give, such as k: `{}` in id and label.
    Number,
}

/// A figure as a measure declares it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FigureSpec {
    /// Its name for scripts: in plans, records and JSON.
    pub id: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// How it is written.
    pub unit: Unit,
    /// Smallest possible value.
    pub min: f64,
    /// Largest possible value.
    pub max: f64,
    /// Which end is good.
    pub better: Better,
    /// How many there are.
    pub per: Per,
    /// Whether the external report may show it, where it is a loss and rests on enough cells.
    pub public: bool,
    /// Whether it is for the first lines of a report: records at risk, or the loss of the whole file.
    pub headline: bool,
}

impl FigureSpec {
    const fn new(id: &'static str, label: &'static str, unit: Unit, max: f64) -> Self {
        Self {
            id,
            label,
            unit,
            min: 0.0,
            max,
            better: Better::Neither,
            per: Per::Measurement,
            public: false,
            headline: false,
        }
    }

    /// A number of records, cells or the like.
    pub const fn count(id: &'static str, label: &'static str) -> Self {
        Self::new(id, label, Unit::Count, f64::INFINITY)
    }

    /// A share from 0 to 1.
    pub const fn share(id: &'static str, label: &'static str) -> Self {
        Self::new(id, label, Unit::Share, 1.0)
    }

    /// A number of at least 0.
    pub const fn number(id: &'static str, label: &'static str) -> Self {
        Self::new(id, label, Unit::Number, f64::INFINITY)
    }

    /// The figure that a measure is known for. Its name is that of the measure.
    pub const fn value(label: &'static str, unit: Unit) -> Self {
        Self::new("value", label, unit, f64::INFINITY)
    }

    /// The same in another range.
    #[must_use]
    pub const fn within(self, min: f64, max: f64) -> Self {
        Self { min, max, ..self }
    }

    /// The same, and less of it is better.
    #[must_use]
    pub const fn lower_is_better(self) -> Self {
        let better = Better::Lower;
        Self { better, ..self }
    }

    /// The same, and more of it is better.
    #[must_use]
    pub const fn higher_is_better(self) -> Self {
        let better = Better::Higher;
        Self { better, ..self }
    }

    /// The same, and the external report may show it.
    #[must_use]
    pub const fn public(self) -> Self {
        let public = true;
        Self { public, ..self }
    }

    /// The same, for the first lines of a report: records at risk, or the loss of the whole file.
    #[must_use]
    pub const fn headline(self) -> Self {
        let headline = true;
        Self { headline, ..self }
    }

    /// The same, given for each of the two files.
    #[must_use]
    pub const fn per_side(self) -> Self {
        let per = Per::Side;
        Self { per, ..self }
    }

    /// The same, given for each variable.
    #[must_use]
    pub const fn per_variable(self) -> Self {
        let per = Per::Variable;
        Self { per, ..self }
    }

    /// The same, given for each of some numbers; id and label hold `{}` for it.
    #[must_use]
    pub const fn per_number(self) -> Self {
        let per = Per::Number;
        Self { per, ..self }
    }

    /// What people call one of its figures, with file and variable.
    pub fn describe(&self, name: &FigureName) -> String {
        name.described(self.label)
    }

    /// The figure for one of those numbers.
    pub fn at(&self, number: f64) -> FigureName {
        FigureName {
            at: Some(number),
            ..FigureName::of(self.id)
        }
    }

    /// The figure of one of the two files.
    pub fn of_side(&self, file: Side) -> FigureName {
        FigureName {
            file: Some(file),
            ..FigureName::of(self.id)
        }
    }

    /// The figure of a variable.
    pub fn of_variable(&self, variable: impl Into<String>) -> FigureName {
        FigureName {
            variable: Some(variable.into()),
            ..FigureName::of(self.id)
        }
    }
}

/// Which figure of a measurement is meant.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FigureName {
    /// The figure, as its measure declares it.
    pub id: Cow<'static, str>,
    /// The number that it is given for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// The file that it is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Side>,
    /// The variable that it is of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
}

impl FigureName {
    const fn of(id: &'static str) -> Self {
        Self {
            id: Cow::Borrowed(id),
            at: None,
            file: None,
            variable: None,
        }
    }

    /// How scripts spell it: `below_3`, `records, original`, `income.mean`.
    pub fn spelled(&self) -> String {
        let id = with_number(&self.id, self.at);
        match (self.file, &self.variable) {
            (Some(file), _) => format!("{id}, {}", file.name()),
            (None, Some(variable)) => format!("{variable}.{id}"),
            (None, None) => id,
        }
    }
}

impl From<&FigureSpec> for FigureName {
    fn from(spec: &FigureSpec) -> Self {
        Self::of(spec.id)
    }
}

/// A text with a number in place of `{}`.
fn with_number(text: &str, number: Option<f64>) -> String {
    match number {
        Some(number) => text.replace("{}", &number_text(number)),
        None => text.to_owned(),
    }
}

/// A figure of a measurement.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// Which one.
    #[serde(flatten)]
    pub name: FigureName,
    /// Its value; none where it is not defined.
    pub value: Option<f64>,
}

/// A figure's declaration as records hold it, so that they can be read without its measure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Declared {
    /// Its name for scripts; `{}` stands for a number.
    pub id: Cow<'static, str>,
    /// Its name for people; `{}` stands for a number.
    pub label: Cow<'static, str>,
    /// How it is written.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// Whether the external report may show it.
    #[serde(default)]
    pub public: bool,
}

impl FigureName {
    /// What people call it, given the label of its declaration.
    fn described(&self, label: &str) -> String {
        let label = with_number(label, self.at);
        match (self.file, &self.variable) {
            (Some(file), _) => format!("{label}, {}", file.name()),
            (None, Some(variable)) => format!("{variable}: {label}"),
            (None, None) => label,
        }
    }
}

impl Declared {
    /// What people call one of its figures, with file and variable.
    pub fn describe(&self, name: &FigureName) -> String {
        name.described(&self.label)
    }

    /// The name of one of its figures for people, without file and variable.
    pub fn label_of(&self, name: &FigureName) -> String {
        with_number(&self.label, name.at)
    }
}

impl From<&FigureSpec> for Declared {
    fn from(spec: &FigureSpec) -> Self {
        Self {
            id: Cow::Borrowed(spec.id),
            label: Cow::Borrowed(spec.label),
            unit: spec.unit,
            better: spec.better,
            public: spec.public,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_spelled_in_one_way() {
        const BELOW: FigureSpec =
            FigureSpec::count("below_{}", "records in classes below {}").per_number();
        const RECORDS: FigureSpec = FigureSpec::count("records", "records").per_side();
        const MEAN: FigureSpec = FigureSpec::number("mean", "mean").per_variable();
        assert_eq!(BELOW.at(3.0).spelled(), "below_3");
        assert_eq!(RECORDS.of_side(Side::Masked).spelled(), "records, masked");
        assert_eq!(MEAN.of_variable("income").spelled(), "income.mean");
        let declared = Declared::from(&BELOW);
        assert_eq!(
            declared.label_of(&BELOW.at(5.0)),
            "records in classes below 5"
        );
    }
}
