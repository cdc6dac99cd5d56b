//! Parameters on their way from a plan or a command line to a method.

use std::collections::BTreeMap;

use bauta_data::near;
use bauta_data::number::{number_text, parse_number};

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

    /// The accepted values by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &ParamValue)> {
        self.values.iter().map(|(&name, value)| (name, value))
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
            ParamValue::Number(number) => *number,
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

    /// Numbers; empty if not set.
    pub fn numbers(&self, name: &str) -> &[f64] {
        match self.values.get(name) {
            Some(ParamValue::Numbers(numbers)) => numbers,
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

/// A value from the command line: lists by commas, maps as `from=to` by commas, rows by semicolons.
pub fn parse_text(ty: ParamType, text: &str) -> RawValue {
    let number = |text: &str| match text.trim().parse::<i64>() {
        Ok(value) => RawValue::Integer(value),
        Err(_) => {
            parse_number(text).map_or_else(|| RawValue::Text(text.to_owned()), RawValue::Number)
        }
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
        ParamType::Texts | ParamType::Variables => RawValue::List(
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
    }
}

fn parse_map<'t>(
    text: &str,
    parts: impl Iterator<Item = &'t str>,
    value: impl Fn(&str) -> RawValue,
) -> RawValue {
    let pair = |part: &str| {
        let (from, to) = part.split_once('=')?;
        Some((from.to_owned(), value(to)))
    };
    let pairs: Option<Vec<_>> = parts.map(pair).collect();
    // Left as a text, which the card refuses as a map.
    pairs.map_or_else(|| RawValue::Text(text.to_owned()), RawValue::Map)
}

fn accept(spec: &ParamSpec, raw: &RawValue) -> Result<ParamValue, ParamProblem> {
    let wrong = |given: String| {
        Err(ParamProblem::of(
            spec.name,
            format!("`{}` must be {}, not {given}", spec.name, describe(spec.ty)),
            spec.meaning,
        ))
    };
    let wrong_type = || wrong(raw.what().to_owned());
    match spec.ty {
        ParamType::Fraction { min, max } | ParamType::Number { min, max } => {
            match raw.as_number() {
                Some(value) if value.is_finite() && (min..=max).contains(&value) => {
                    Ok(ParamValue::Number(value))
                }
                Some(value) => wrong(number_text(value)),
                None => wrong_type(),
            }
        }
        ParamType::Integer { min, max } => match raw {
            RawValue::Integer(value) if (min..=max).contains(value) => {
                Ok(ParamValue::Integer(*value))
            }
            RawValue::Integer(value) => wrong(value.to_string()),
            _ => wrong_type(),
        },
        ParamType::Flag => match raw {
            RawValue::Flag(value) => Ok(ParamValue::Flag(*value)),
            _ => wrong_type(),
        },
        ParamType::Choice(choices) => accept_choice(spec, choices, raw),
        ParamType::RisingNumbers => accept_rising(spec, raw),
        ParamType::Numbers { min, max } => match accept_each(raw, |item| {
            item.as_number()
                .filter(|value| value.is_finite() && (min..=max).contains(value))
        }) {
            Some(values) if !values.is_empty() => Ok(ParamValue::Numbers(values)),
            Some(_) => wrong("an empty list".to_owned()),
            None => wrong_values(spec),
        },
        ParamType::Integers { min, max } => match accept_integers(spec, raw, min, max)? {
            values if !all_distinct(&values) => Err(ParamProblem::of(
                spec.name,
                format!("`{}` names a number twice", spec.name),
                "write each once",
            )),
            values => Ok(ParamValue::Integers(values)),
        },
        ParamType::Counts { min, max } => {
            accept_integers(spec, raw, min, max).map(ParamValue::Integers)
        }
        ParamType::Texts | ParamType::Variables => match accept_each(raw, scalar_text) {
            Some(texts) => Ok(ParamValue::Texts(texts)),
            None => wrong_type(),
        },
        ParamType::TextMap => accept_map(spec, raw),
        ParamType::NumberMap { min, max } => match accept_number_map(raw, min, max) {
            Some(pairs) => Ok(ParamValue::NumberMap(pairs)),
            None => wrong_values(spec),
        },
        ParamType::NumberRows { min, max } => match accept_rows(raw, min, max) {
            Some(rows) => Ok(ParamValue::NumberRows(rows)),
            None => wrong_values(spec),
        },
    }
}

fn wrong_values(spec: &ParamSpec) -> Result<ParamValue, ParamProblem> {
    Err(ParamProblem::of(
        spec.name,
        format!("`{}` must be {}", spec.name, describe(spec.ty)),
        spec.meaning,
    ))
}

fn accept_number_map(raw: &RawValue, min: f64, max: f64) -> Option<Vec<(String, f64)>> {
    let RawValue::Map(pairs) = raw else {
        return None;
    };
    let accepted = |(name, value): &(String, RawValue)| {
        let value = value.as_number()?;
        (min..=max).contains(&value).then(|| (name.clone(), value))
    };
    pairs.iter().map(accepted).collect()
}

fn accept_rows(raw: &RawValue, min: f64, max: f64) -> Option<Vec<Vec<f64>>> {
    let RawValue::List(items) = raw else {
        return None;
    };
    let number = |item: &RawValue| {
        item.as_number()
            .filter(|value| value.is_finite() && (min..=max).contains(value))
    };
    let row = |item: &RawValue| match item {
        RawValue::List(cells) => cells.iter().map(number).collect::<Option<Vec<f64>>>(),
        _ => None,
    };
    let rows: Vec<Vec<f64>> = items.iter().map(row).collect::<Option<_>>()?;
    let same_length = rows.windows(2).all(|pair| pair[0].len() == pair[1].len());
    let filled = rows.first().is_some_and(|row| !row.is_empty());
    (same_length && filled).then_some(rows)
}

fn accept_integers(
    spec: &ParamSpec,
    raw: &RawValue,
    min: i64,
    max: i64,
) -> Result<Vec<i64>, ParamProblem> {
    let integers = accept_each(raw, |item| match item {
        RawValue::Integer(value) if (min..=max).contains(value) => Some(*value),
        _ => None,
    });
    integers.ok_or_else(|| {
        ParamProblem::of(
            spec.name,
            format!("`{}` must be {}", spec.name, describe(spec.ty)),
            spec.meaning,
        )
    })
}

fn all_distinct(values: &[i64]) -> bool {
    values
        .iter()
        .enumerate()
        .all(|(position, value)| !values[..position].contains(value))
}

fn accept_each<T>(raw: &RawValue, accept: impl Fn(&RawValue) -> Option<T>) -> Option<Vec<T>> {
    match raw {
        RawValue::List(items) => items.iter().map(accept).collect(),
        RawValue::Map(_) => None,
        // One value where several are allowed is a list of one.
        single => accept(single).map(|value| vec![value]),
    }
}

fn scalar_text(raw: &RawValue) -> Option<String> {
    match raw {
        RawValue::Text(text) => Some(text.clone()),
        RawValue::Integer(value) => Some(value.to_string()),
        RawValue::Number(value) => Some(number_text(*value)),
        RawValue::Flag(_) | RawValue::List(_) | RawValue::Map(_) => None,
    }
}

fn accept_choice(
    spec: &ParamSpec,
    choices: &'static [(&'static str, &'static str)],
    raw: &RawValue,
) -> Result<ParamValue, ParamProblem> {
    let names = choices.iter().map(|(name, _)| *name);
    match raw {
        RawValue::Text(text) if names.clone().any(|name| name == text) => {
            Ok(ParamValue::Text(text.clone()))
        }
        RawValue::Text(text) => Err(ParamProblem::of(
            spec.name,
            format!(
                "`{}` cannot be `{text}`; it is {}",
                spec.name,
                describe(spec.ty)
            ),
            near::hint(text, names),
        )),
        _ => Err(ParamProblem::of(
            spec.name,
            format!(
                "`{}` must be {}, not {}",
                spec.name,
                describe(spec.ty),
                raw.what()
            ),
            spec.meaning,
        )),
    }
}

fn accept_rising(spec: &ParamSpec, raw: &RawValue) -> Result<ParamValue, ParamProblem> {
    let numbers = accept_each(raw, |item| {
        item.as_number().filter(|value| value.is_finite())
    });
    match numbers {
        Some(numbers) if numbers.windows(2).all(|pair| pair[0] < pair[1]) => {
            Ok(ParamValue::Numbers(numbers))
        }
        Some(_) => Err(ParamProblem::of(
            spec.name,
            format!("the numbers of `{}` must rise", spec.name),
            "write each once, from the lowest to the highest",
        )),
        None => Err(ParamProblem::of(
            spec.name,
            format!("`{}` must be rising numbers, not {}", spec.name, raw.what()),
            spec.meaning,
        )),
    }
}

fn accept_map(spec: &ParamSpec, raw: &RawValue) -> Result<ParamValue, ParamProblem> {
    let pairs = match raw {
        RawValue::Map(pairs) => pairs
            .iter()
            .map(|(from, to)| scalar_text(to).map(|to| (from.clone(), to)))
            .collect::<Option<Vec<_>>>(),
        _ => None,
    };
    pairs.map(ParamValue::TextMap).ok_or_else(|| {
        ParamProblem::of(
            spec.name,
            format!(
                "`{}` must be a table of texts, not {}",
                spec.name,
                raw.what()
            ),
            format!("{}: {} = {{ \"old\" = \"new\" }}", spec.meaning, spec.name),
        )
    })
}
