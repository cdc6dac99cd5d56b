//! Sentences with figures in them: a method says what it found, a report writes its figures as it
//! writes all others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::figure::Unit;

/// A piece of a sentence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Word {
    /// As it stands.
    Text(String),
    /// A name that stands out.
    Strong {
        /// The name.
        strong: String,
    },
    /// A figure.
    Figure {
        /// Its value; none where it is no number.
        figure: Option<f64>,
        /// How it is written.
        unit: Unit,
        /// Significant digits, where they are not the usual ones.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digits: Option<u8>,
    },
}

/// A sentence or a part of one.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Words(pub Vec<Word>);

impl Words {
    /// Nothing said yet.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Goes on with a text.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        match self.0.last_mut() {
            Some(Word::Text(before)) => before.push_str(&text),
            _ => self.0.push(Word::Text(text)),
        }
        self
    }

    /// Goes on with a text if something is so.
    #[must_use]
    pub fn text_if(self, is_so: bool, text: &str) -> Self {
        if is_so { self.text(text) } else { self }
    }

    /// Goes on with a name that stands out.
    #[must_use]
    pub fn strong(mut self, name: &str) -> Self {
        self.0.push(Word::Strong {
            strong: name.to_owned(),
        });
        self
    }

    /// Goes on with a count.
    #[must_use]
    pub fn count(self, value: u64) -> Self {
        self.figure(value as f64, Unit::Count, None)
    }

    /// Goes on with a count and what is counted: `1 record`, `2 records`.
    #[must_use]
    pub fn counted(self, value: u64, one: &str, many: &str) -> Self {
        let what = if value == 1 { one } else { many };
        self.count(value).text(format!(" {what}"))
    }

    /// Goes on with a number.
    #[must_use]
    pub fn number(self, value: f64) -> Self {
        self.figure(value, Unit::Number, None)
    }

    /// Goes on with a number of so many significant digits.
    #[must_use]
    pub fn digits(self, value: f64, digits: u8) -> Self {
        self.figure(value, Unit::Number, Some(digits))
    }

    fn figure(mut self, value: f64, unit: Unit, digits: Option<u8>) -> Self {
        self.0.push(Word::Figure {
            // What JSON cannot hold would not come back from a record.
            figure: value.is_finite().then_some(value),
            unit,
            digits,
        });
        self
    }

    /// Whether nothing is said.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&str> for Words {
    fn from(text: &str) -> Self {
        Self::new().text(text)
    }
}

impl From<String> for Words {
    fn from(text: String) -> Self {
        Self::new().text(text)
    }
}

/// Whether what is said is good news.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is as it should be.
    Good(Words),
    /// It is not.
    Bad(Words),
}

/// A paragraph.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Paragraph {
    /// What it opens with, marked as good or bad news.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// What it says.
    pub words: Words,
    /// Where it is long and few need it: what stands in its place until it is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folded_as: Option<String>,
}

impl Paragraph {
    /// A paragraph that says this and no more.
    pub fn of(words: impl Into<Words>) -> Self {
        Self {
            words: words.into(),
            ..Self::default()
        }
    }
}

/// A sentence: capital and full stop.
pub fn sentence(text: &str) -> String {
    let mut symbols = text.trim().trim_end_matches('.').chars();
    let first = symbols.next().map(char::to_uppercase);
    first
        .into_iter()
        .flatten()
        .chain(symbols)
        .chain(['.'])
        .collect()
}

/// "a", "a and b", "a, b and c".
pub fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_come_back_from_a_record() {
        let words = Words::from("weight ")
            .strong("w")
            .text(": ")
            .counted(2, "total", "totals")
            .text(", ")
            .digits(f64::NAN, 3);
        let text = serde_json::to_string(&words).expect("words can be written");
        assert_eq!(
            text,
            r#"["weight ",{"strong":"w"},": ",{"figure":2.0,"unit":"count"}," totals, ",{"figure":null,"unit":"number","digits":3}]"#
        );
        let again: Words = serde_json::from_str(&text).expect("and read");
        assert_eq!(again, words);
        assert_eq!(sentence("no totals."), "No totals.");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }
}
