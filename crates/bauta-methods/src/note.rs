//! Facts that a run must state and that are no errors. A note is made beside the method that states
//! it, in a function with its meaning; what every note has in common stands here.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where a note stands among those of a method.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum NoteRank {
    /// What was done.
    #[default]
    Fact,
    /// A sum of what was done.
    Sum,
    /// What the reader must not overlook.
    Warning,
}

/// A fact that a method states about its work. Counts and names only, never a cell value: what names
/// a category, or gives a figure, that rests on [few records](crate::few_records) stands in
/// [`Note::within`], which screens and scripts are not shown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// What sort of note it is, for scripts.
    pub id: Cow<'static, str>,
    /// The note in words, as anybody in the house may read it.
    pub text: String,
    /// Whether the public may read it: what was done, yes; how many records it touched, no.
    pub public: bool,
    /// Where it stands among the notes of a method.
    pub rank: NoteRank,
    /// What only the run record and the internal report say; none where the text says all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Within>,
    /// The names and numbers in it, for scripts.
    #[serde(flatten)]
    pub facts: Map<String, Value>,
}

/// A note as the run record and the internal report have it, with what the rule of ten keeps from
/// everybody else.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Within {
    /// The whole note in words, in place of its text.
    pub text: String,
    /// Names and numbers beyond those of the note.
    #[serde(flatten)]
    pub facts: Map<String, Value>,
}

impl Note {
    /// A note that stays inside, unless [`Self::public`] says otherwise.
    pub fn new(id: &'static str, text: impl Into<String>) -> Self {
        Self {
            id: Cow::Borrowed(id),
            text: text.into(),
            public: false,
            rank: NoteRank::Fact,
            within: None,
            facts: Map::new(),
        }
    }

    /// The same with the words that only the run record and the internal report have.
    #[must_use]
    pub fn within(mut self, text: impl Into<String>) -> Self {
        let facts = self.within.take().map(|within| within.facts);
        self.within = Some(Within {
            text: text.into(),
            facts: facts.unwrap_or_default(),
        });
        self
    }

    /// The same with a name or number that only the run record has.
    #[must_use]
    pub fn with_within(mut self, name: &str, fact: impl Into<Value>) -> Self {
        let within = self.within.get_or_insert_with(|| Within {
            text: self.text.clone(),
            facts: Map::new(),
        });
        within.facts.insert(name.to_owned(), fact.into());
        self
    }

    /// The note as the internal report has it.
    pub fn in_full(&self) -> &str {
        self.within
            .as_ref()
            .map_or(&self.text, |within| &within.text)
    }

    /// The same with a name or number of it for scripts.
    #[must_use]
    pub fn with(mut self, name: &str, fact: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), fact.into());
        self
    }

    /// The same for everybody to read.
    #[must_use]
    pub fn public(mut self) -> Self {
        self.public = true;
        self
    }

    /// The same at another place among the notes of its method.
    #[must_use]
    pub fn ranked(mut self, rank: NoteRank) -> Self {
        self.rank = rank;
        self
    }

    /// A name or number of it.
    pub fn fact(&self, name: &str) -> Option<&Value> {
        self.facts.get(name)
    }

    /// What sort of note it is and its names and numbers, as scripts read it on a screen: without
    /// what stays within.
    pub fn to_json(&self) -> Value {
        let mut object = self.facts.clone();
        object.insert("id".to_owned(), Value::from(&*self.id));
        Value::Object(object)
    }

    /// A count of it.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.fact(name).and_then(Value::as_u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_within_is_in_the_record_and_not_in_what_scripts_read() {
        let note = Note::new("small", "1 margin rests on few records")
            .with("n_margins", 1)
            .within("margin ill=rare rests on 1 record")
            .with_within("margins", vec!["ill=rare"]);
        assert!(!note.to_json().to_string().contains("rare"));
        assert!(!note.text.contains("rare") && note.in_full().contains("ill=rare"));
        let recorded = serde_json::to_value(&note).expect("a note can be recorded");
        assert_eq!(recorded["within"]["margins"][0], "ill=rare");
        let read: Note = serde_json::from_value(recorded).expect("and read again");
        assert_eq!(read, note);
    }
}
