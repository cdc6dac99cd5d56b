//! Reading typed fields out of a TOML table, gathering what is wrong on the way.

use std::cell::RefCell;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use bauta_data::near;
use bauta_methods::RawValue;

use crate::draft::Given;
use crate::problem::{Place, Problem, ProblemKind, Span, Spot};

/// Problems found so far; shared by all readers of one plan.
pub(crate) type Problems = RefCell<Vec<Problem>>;

/// A table of the plan that is being read.
pub(crate) struct Fields<'t, 'i> {
    table: &'t DeTable<'i>,
    /// Where the table stands.
    pub(crate) place: Place,
    /// What messages call it: `[data]`.
    called: String,
    problems: &'t Problems,
}

impl<'t, 'i> Fields<'t, 'i> {
    pub(crate) fn new(
        table: &'t DeTable<'i>,
        span: Span,
        called: impl Into<String>,
        problems: &'t Problems,
    ) -> Self {
        Self {
            table,
            place: span.into(),
            called: called.into(),
            problems,
        }
    }

    pub(crate) fn push(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// Reports keys that are not among the known ones.
    pub(crate) fn only(&self, known: &[&str]) {
        for (key, _) in self.table {
            if !known.contains(&key.get_ref().as_ref()) {
                let message = format!("{} has no key `{}`", self.called, key.get_ref());
                let hint = near::hint(key.get_ref(), known.iter().copied());
                self.push(Problem::at(
                    ProblemKind::Plan,
                    &key.span().into(),
                    message,
                    hint,
                ));
            }
        }
    }

    /// Whether there is a key besides the known ones, which [`Fields::only`] reports.
    pub(crate) fn has_other_than(&self, known: &[&str]) -> bool {
        let mut keys = self.table.iter().map(|(key, _)| key.get_ref());
        keys.any(|key| !known.contains(&key.as_ref()))
    }

    /// Entries whose keys are not among the given ones.
    pub(crate) fn others(&self, known: &[&str]) -> Given {
        let entries = self
            .table
            .iter()
            .filter(|(key, _)| !known.contains(&key.get_ref().as_ref()));
        let entries = entries
            .filter_map(|(key, value)| {
                let name = Spot::new(key.get_ref().clone().into_owned(), key.span());
                match raw(value.get_ref()) {
                    Some(raw) => Some((name, Spot::new(raw, value.span()))),
                    None => {
                        self.wrong(value, &name.value, "a number, text, list or table");
                        None
                    }
                }
            })
            .collect();
        Given(entries)
    }

    /// All entries in the order of the text.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (Spot<String>, &'t Spanned<DeValue<'i>>)> {
        self.table.iter().map(|(key, value)| {
            (
                Spot::new(key.get_ref().clone().into_owned(), key.span()),
                value,
            )
        })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
        self.table.get(key)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Reports a value of the wrong type.
    pub(crate) fn wrong(&self, value: &Spanned<DeValue<'_>>, key: &str, expected: &str) {
        let found = type_name(value.get_ref());
        let message = format!("`{key}` of {} must be {expected}, not {found}", self.called);
        let hint = if matches!(value.get_ref(), DeValue::String(_)) {
            "leave out the quotation marks if a number or true/false is meant"
        } else {
            "see `bauta explain plan` for the grammar"
        };
        self.push(Problem::at(
            ProblemKind::Plan,
            &value.span().into(),
            message,
            hint,
        ));
    }

    /// Reports a key that must be there.
    pub(crate) fn missing(&self, key: &str, hint: &str) {
        let message = format!("{} needs the key `{key}`", self.called);
        self.push(Problem::at(ProblemKind::Plan, &self.place, message, hint));
    }

    pub(crate) fn text(&self, key: &str) -> Option<Spot<String>> {
        let value = self.get(key)?;
        match value.get_ref() {
            DeValue::String(text) => Some(Spot::new(text.clone().into_owned(), value.span())),
            _ => {
                self.wrong(value, key, "a text");
                None
            }
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Option<bool> {
        let value = self.get(key)?;
        if let DeValue::Boolean(flag) = value.get_ref() {
            return Some(*flag);
        }
        self.wrong(value, key, "true or false");
        None
    }

    pub(crate) fn number(&self, key: &str) -> Option<Spot<f64>> {
        let value = self.get(key)?;
        let number = match raw(value.get_ref()) {
            Some(RawValue::Integer(number)) => Some(number as f64),
            Some(RawValue::Number(number)) if number.is_finite() => Some(number),
            _ => None,
        };
        if number.is_none() {
            self.wrong(value, key, "a finite number");
        }
        number.map(|number| Spot::new(number, value.span()))
    }

    pub(crate) fn seed(&self, key: &str) -> Option<u64> {
        let value = self.get(key)?;
        let seed = match value.get_ref() {
            DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        if seed.is_none() {
            self.wrong(value, key, "from 0 to 18446744073709551615");
        }
        seed
    }

    /// A list of texts; a single text counts as a list of one, numbers as their text.
    pub(crate) fn texts(&self, key: &str) -> Option<Spot<Vec<Spot<String>>>> {
        let value = self.get(key)?;
        let texts = match value.get_ref() {
            DeValue::Array(items) => items.iter().map(scalar).collect::<Option<Vec<_>>>(),
            DeValue::Table(_) => None,
            _ => scalar(value).map(|text| vec![text]),
        };
        if texts.is_none() {
            self.wrong(value, key, "a list of texts");
        }
        texts.map(|texts| Spot::new(texts, value.span()))
    }

    /// A table of texts, in the order of the text.
    pub(crate) fn text_pairs(&self, key: &str) -> Option<Vec<(String, String)>> {
        let value = self.get(key)?;
        let pairs = match value.get_ref() {
            DeValue::Table(table) => table
                .iter()
                .map(|(from, to)| {
                    scalar(to).map(|to| (from.get_ref().clone().into_owned(), to.value))
                })
                .collect::<Option<Vec<_>>>(),
            _ => None,
        };
        if pairs.is_none() {
            self.wrong(
                value,
                key,
                "a table of texts, such as { \"98\" = \"refused\" }",
            );
        }
        pairs
    }
}

fn scalar(value: &Spanned<DeValue<'_>>) -> Option<Spot<String>> {
    let text = match value.get_ref() {
        DeValue::String(text) => text.clone().into_owned(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.as_str().to_owned(),
        _ => return None,
    };
    Some(Spot::new(text, value.span()))
}

/// The value as methods take it; none for numbers out of range. Dates are their texts.
pub(crate) fn raw(value: &DeValue<'_>) -> Option<RawValue> {
    match value {
        DeValue::String(text) => Some(RawValue::Text(text.clone().into_owned())),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .ok()
            .map(RawValue::Integer),
        DeValue::Float(number) => number.as_str().parse().ok().map(RawValue::Number),
        DeValue::Boolean(flag) => Some(RawValue::Flag(*flag)),
        DeValue::Datetime(date) => Some(RawValue::Text(date.to_string())),
        DeValue::Array(items) => {
            let items = items
                .iter()
                .map(|item| raw(item.get_ref()))
                .collect::<Option<Vec<_>>>();
            items.map(RawValue::List)
        }
        DeValue::Table(table) => table
            .iter()
            .map(|(key, value)| {
                raw(value.get_ref()).map(|value| (key.get_ref().clone().into_owned(), value))
            })
            .collect::<Option<Vec<_>>>()
            .map(RawValue::Map),
    }
}

fn type_name(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
