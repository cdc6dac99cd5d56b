//! Parameters on their way from a plan or a command line to a method.

use std::collections::BTreeMap;

use bauta_data::date::iso_text;
use bauta_data::decimal::loses_digits;
use bauta_data::near;
use bauta_data::number::{number_text, parse_number};

mod accept;
mod choice;

use accept::accept;

pub use choice::Choice;
pub(crate) use choice::choices;

use crate::card::{Card, ParamDefault, ParamSpec, ParamType};

/// A value as it was given, not yet checked.
#[derive(Clone, PartialEq, Debug)]
pub enum RawValue {
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(String),
    /// Several values.
    List(Vec<RawValue>),
    /// Texts and what belongs to each, in the given order.
    Map(Vec<(String, RawValue)>),
}

impl RawValue {
    const fn what(&self) -> &'static str {
        match self {
            Self::Integer(_) => "a whole number",
            Self::Number(_) => "a number",
            Self::Flag(_) => "true or false",
            Self::Text(_) => "a text",
            Self::List(_) => "a list",
            Self::Map(_) => "a table",
        }
    }

    fn as_number(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Number(value) => Some(*value),
            _ => None,
        }
    }
}

/// A value that its card has accepted.
#[derive(Clone, PartialEq, Debug)]
pub enum ParamValue {
    /// A number or fraction.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// Yes or no.
    Flag(bool),
    /// A choice.
    Text(String),
    /// Numbers.
    Numbers(Vec<f64>),
    /// A date, in days since 1 January 1970.
    Date(f64),
    /// Dates.
    Dates(Vec<f64>),
    /// Whole numbers.
    Integers(Vec<i64>),
    /// Texts or names of variables.
    Texts(Vec<String>),
    /// Texts and what replaces them.
    TextMap(Vec<(String, String)>),
    /// Names and a number for each.
    NumberMap(Vec<(String, f64)>),
    /// Rows of numbers, all of the same length.
    NumberRows(Vec<Vec<f64>>),
    /// Names, and names of variables for each.
    KeySets(Vec<(String, Vec<String>)>),
}

impl ParamValue {
    /// The value as JSON, for run records.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Number(value) => serde_json::json!(value),
            Self::Integer(value) => serde_json::json!(value),
            Self::Flag(value) => serde_json::json!(value),
            Self::Text(value) => serde_json::json!(value),
            Self::Numbers(values) => serde_json::json!(values),
            Self::Date(days) => serde_json::json!(iso_text(*days)),
            Self::Dates(days) => days.iter().map(|&days| iso_text(days)).collect(),
            Self::Integers(values) => serde_json::json!(values),
            Self::Texts(values) => serde_json::json!(values),
            Self::TextMap(pairs) => pairs
                .iter()
                .map(|(from, to)| (from.clone(), serde_json::json!(to)))
                .collect(),
            Self::NumberMap(pairs) => pairs
                .iter()
                .map(|(name, value)| (name.clone(), number_json(*value)))
                .collect(),
            Self::NumberRows(rows) => serde_json::json!(rows),
            Self::KeySets(sets) => sets
                .iter()
                .map(|(name, keys)| (name.clone(), serde_json::json!(keys)))
                .collect(),
        }
    }
}

/// JSON has no infinity: it is written as a word.
fn number_json(value: f64) -> serde_json::Value {
    if value.is_finite() {
        serde_json::json!(value)
    } else {
        serde_json::json!(number_text(value))
    }
}

/// Something wrong with a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParamProblem {
    /// The parameter, if one is concerned.
    pub param: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl ParamProblem {
    /// A problem of one parameter.
    pub fn of(param: &str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            param: Some(param.to_owned()),
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// A problem of the parameters together.
    pub fn together(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            param: None,
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// Parameters that their card has accepted, with its defaults filled in.
///
/// The accessors panic when a method asks for a parameter or type that its own card does not
/// declare: that is a mistake in the method, and its first test finds it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Params {
    values: BTreeMap<&'static str, ParamValue>,
}

impl Params {
    /// Checks what was given against a card; all problems at once.
    pub fn check(card: &Card, given: &[(String, RawValue)]) -> Result<Self, Vec<ParamProblem>> {
        let mut problems = Vec::new();
        let names = card.params.iter().map(|spec| spec.name);
        // A misspelled name stands for the one that was meant, which is then not missing as well.
        let mut meant = Vec::new();
        for (name, _) in given {
            if card.param(name).is_none() {
                meant.extend(near::nearest(name, names.clone()));
                problems.push(ParamProblem::of(
                    name,
                    format!("`{}` has no parameter `{name}`", card.id),
                    near::hint(name, names.clone()),
                ));
            }
        }
        let mut values = BTreeMap::new();
        for spec in card.params {
            let raw = given
                .iter()
                .find(|(name, _)| name == spec.name)
                .map(|(_, raw)| raw.clone());
            let raw = match (raw, spec.default) {
                (Some(raw), _) => raw,
                (None, ParamDefault::Value(value)) => value.to_raw(),
                (None, ParamDefault::Unset(_)) => continue,
                (None, ParamDefault::Required) if meant.contains(&spec.name) => continue,
                (None, ParamDefault::Required) => {
                    problems.push(ParamProblem::together(
                        format!("`{}` needs the parameter `{}`", card.id, spec.name),
                        format!(
                            "add `{} = …`: {} ({})",
                            spec.name,
                            spec.meaning,
                            describe(spec.ty)
                        ),
                    ));
                    continue;
                }
            };
            match accept(spec, &raw) {
                Ok(value) => {
                    values.insert(spec.name, value);
                }
                Err(problem) => problems.push(problem),
            }
        }
        if problems.is_empty() {
            Ok(Self { values })
        } else {
            Err(problems)
        }
    }

    /// These, and the defaults of parameters that their card lacks.
    pub(crate) fn and_defaults(&self, specs: &[ParamSpec]) -> Self {
        let mut values = self.values.clone();
        for spec in specs {
            if let ParamDefault::Value(value) = spec.default
                && !values.contains_key(spec.name)
            {
                let value = accept(spec, &value.to_raw()).expect("a default is accepted");
                values.insert(spec.name, value);
            }
        }
        Self { values }
    }

    /// The accepted values by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &ParamValue)> {
        self.values.iter().map(|(&name, value)| (name, value))
    }

    /// Whether a parameter was given as a date or as dates.
    pub fn is_date(&self, name: &str) -> bool {
        matches!(
            self.values.get(name),
            Some(ParamValue::Date(_) | ParamValue::Dates(_))
        )
    }

    /// Whether a parameter has a value.
    pub fn is_set(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// A number or fraction that is set or has a default.
    pub fn number(&self, name: &str) -> f64 {
        self.number_if_set(name)
            .expect("the card gives this number")
    }

    /// A number or fraction, if it is set.
    pub fn number_if_set(&self, name: &str) -> Option<f64> {
        self.values.get(name).map(|value| match value {
            ParamValue::Number(number) | ParamValue::Date(number) => *number,
            _ => unreachable!("the card declares `{name}` as a number"),
        })
    }

    /// A whole number that is set or has a default.
    pub fn integer(&self, name: &str) -> i64 {
        self.integer_if_set(name)
            .expect("the card gives this whole number")
    }

    /// A whole number, if it is set.
    pub fn integer_if_set(&self, name: &str) -> Option<i64> {
        self.values.get(name).map(|value| match value {
            ParamValue::Integer(number) => *number,
            _ => unreachable!("the card declares `{name}` as a whole number"),
        })
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.values.get(name), Some(ParamValue::Flag(true)))
    }

    /// A choice.
    pub fn choice(&self, name: &str) -> &str {
        match self.values.get(name) {
            Some(ParamValue::Text(text)) => text,
            _ => unreachable!("the card declares `{name}` as a choice with a default"),
        }
    }

    /// A choice as a type. The card offers the same words, if it declares the parameter by
    /// [`ParamSpec::choice`](crate::card::ParamSpec::choice) with the same type.
    pub fn choice_of<C: Choice>(&self, name: &str) -> C {
        self.choice_if_set(name)
            .unwrap_or_else(|| unreachable!("the card gives `{name}` a default"))
    }

    /// A choice as a type, if it is set.
    pub fn choice_if_set<C: Choice>(&self, name: &str) -> Option<C> {
        self.values.get(name).map(|value| match value {
            ParamValue::Text(text) => C::from_name(text)
                .unwrap_or_else(|| unreachable!("the card declares the words of `{name}`")),
            _ => unreachable!("the card declares `{name}` as a choice"),
        })
    }

    /// A whole number of at least 0 that is set or has a default.
    pub fn count(&self, name: &str) -> usize {
        usize::try_from(self.integer(name)).expect("the card allows no negative number here")
    }

    /// Numbers; empty if not set.
    pub fn numbers(&self, name: &str) -> &[f64] {
        match self.values.get(name) {
            Some(ParamValue::Numbers(numbers) | ParamValue::Dates(numbers)) => numbers,
            _ => &[],
        }
    }

    /// Whole numbers; empty if not set.
    pub fn integers(&self, name: &str) -> &[i64] {
        match self.values.get(name) {
            Some(ParamValue::Integers(numbers)) => numbers,
            _ => &[],
        }
    }

    /// Texts or names of variables; empty if not set.
    pub fn texts(&self, name: &str) -> &[String] {
        match self.values.get(name) {
            Some(ParamValue::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// Texts and what replaces them; empty if not set.
    pub fn text_map(&self, name: &str) -> &[(String, String)] {
        match self.values.get(name) {
            Some(ParamValue::TextMap(pairs)) => pairs,
            _ => &[],
        }
    }

    /// Names and a number for each; empty if not set.
    pub fn number_map(&self, name: &str) -> &[(String, f64)] {
        match self.values.get(name) {
            Some(ParamValue::NumberMap(pairs)) => pairs,
            _ => &[],
        }
    }

    /// Rows of numbers; empty if not set.
    pub fn number_rows(&self, name: &str) -> &[Vec<f64>] {
        match self.values.get(name) {
            Some(ParamValue::NumberRows(rows)) => rows,
            _ => &[],
        }
    }

    /// Sets of keys by name; empty if not set.
    pub fn key_sets(&self, name: &str) -> &[(String, Vec<String>)] {
        match self.values.get(name) {
            Some(ParamValue::KeySets(sets)) => sets,
            _ => &[],
        }
    }
}

/// A parameter's type in words.
pub fn describe(ty: ParamType) -> String {
    match ty {
        ParamType::Fraction { min, max } => format!("a fraction from {min} to {max}"),
        ParamType::Number { min, max } => match (min.is_finite(), max.is_finite()) {
            (true, true) => format!("a number from {min} to {max}"),
            (true, false) => format!("a number of at least {min}"),
            (false, true) => format!("a number of at most {max}"),
            (false, false) => "a number".to_owned(),
        },
        ParamType::Integer { min, max } if max == i64::MAX => {
            format!("a whole number of at least {min}")
        }
        ParamType::Integer { min, max } => format!("a whole number from {min} to {max}"),
        ParamType::Flag => "true or false".to_owned(),
        ParamType::Choice(choices) => {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            format!("one of {}", names.join(", "))
        }
        ParamType::RisingNumbers => "rising numbers".to_owned(),
        ParamType::Numbers { min, max } => numbers_between(min, max),
        ParamType::Integers { min, max } if max == i64::MAX => {
            format!("different whole numbers of at least {min}")
        }
        ParamType::Integers { min, max } => format!("different whole numbers from {min} to {max}"),
        ParamType::Counts { min, max } if max == i64::MAX => {
            format!("whole numbers of at least {min}")
        }
        ParamType::Counts { min, max } => format!("whole numbers from {min} to {max}"),
        ParamType::Texts => "a list of texts".to_owned(),
        ParamType::TextMap => "a table of texts".to_owned(),
        ParamType::NumberMap { min, max } => format!("a table of {}", numbers_between(min, max)),
        ParamType::NumberRows { min, max } => {
            format!(
                "rows of {}, all of the same length",
                numbers_between(min, max)
            )
        }
        ParamType::Variables => "names of variables".to_owned(),
        ParamType::Terms => "names of variables, or crosses such as a*b".to_owned(),
        ParamType::KeySets => "names of scenarios, or a table of names of variables".to_owned(),
    }
}

fn numbers_between(min: f64, max: f64) -> String {
    match (min.is_finite(), max.is_finite()) {
        (true, true) => format!("numbers from {min} to {max}"),
        (true, false) => format!("numbers of at least {min}"),
        (false, true) => format!("numbers of at most {max}"),
        (false, false) => "numbers".to_owned(),
    }
}

/// A value from the command line: lists by commas, maps as `from=to` by commas, rows by semicolons, sets
/// of keys as `name=key,key` by semicolons.
pub fn parse_text(ty: ParamType, text: &str) -> RawValue {
    let number = |text: &str| match text.trim().parse::<i64>() {
        Ok(value) => RawValue::Integer(value),
        Err(_) => parse_number(text)
            .filter(|_| !loses_digits(text))
            .map_or_else(|| RawValue::Text(text.to_owned()), RawValue::Number),
    };
    let parts = || text.split(',').filter(|_| !text.is_empty());
    match ty {
        ParamType::Fraction { .. } | ParamType::Number { .. } | ParamType::Integer { .. } => {
            number(text)
        }
        ParamType::Flag => match text {
            "true" | "yes" => RawValue::Flag(true),
            "false" | "no" => RawValue::Flag(false),
            _ => RawValue::Text(text.to_owned()),
        },
        ParamType::Choice(_) => RawValue::Text(text.to_owned()),
        ParamType::RisingNumbers
        | ParamType::Numbers { .. }
        | ParamType::Integers { .. }
        | ParamType::Counts { .. } => RawValue::List(parts().map(number).collect()),
        ParamType::Texts | ParamType::Variables | ParamType::Terms => RawValue::List(
            parts()
                .map(|part| RawValue::Text(part.to_owned()))
                .collect(),
        ),
        ParamType::TextMap => parse_map(text, parts(), |value| RawValue::Text(value.to_owned())),
        ParamType::NumberMap { .. } => parse_map(text, parts(), |value| match value {
            "inf" => RawValue::Number(f64::INFINITY),
            value => number(value),
        }),
        ParamType::NumberRows { .. } => RawValue::List(
            text.split(';')
                .map(|row| RawValue::List(row.split(',').map(number).collect()))
                .collect(),
        ),
        ParamType::KeySets => parse_map(text, text.split(';'), |keys| {
            let keys = keys.split(',').map(|key| RawValue::Text(key.to_owned()));
            RawValue::List(keys.collect())
        }),
    }
}

fn parse_map<'t>(
    text: &str,
    parts: impl Iterator<Item = &'t str>,
    value: impl Fn(&str) -> RawValue,
) -> RawValue {
    let pair = |part: &str| {
        // The last sign: a name may hold one, such as `sex=1`.
        let (from, to) = part.rsplit_once('=')?;
        Some((from.to_owned(), value(to)))
    };
    let pairs: Option<Vec<_>> = parts.map(pair).collect();
    // Left as a text, which the card refuses as a map.
    pairs.map_or_else(|| RawValue::Text(text.to_owned()), RawValue::Map)
}
