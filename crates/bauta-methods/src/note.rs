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

/// A fact that a method states about its work. Counts and names only, never a cell value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// What sort of note it is, for scripts.
    pub id: Cow<'static, str>,
    /// The note in words.
    pub text: String,
    /// Whether the public may read it: what was done, yes; how many records it touched, no.
    pub public: bool,
    /// Where it stands among the notes of a method.
    pub rank: NoteRank,
    /// The names and numbers in it, for scripts.
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
            facts: Map::new(),
        }
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

    /// What sort of note it is and its names and numbers, as scripts read it.
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
