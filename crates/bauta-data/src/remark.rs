//! What a reader has to say of a file that is no error.

use serde::Serialize;

/// Thousands are separated in a column that does not show it by itself.
pub const THOUSANDS_SEPARATORS: &str = "thousands-separators";

/// A file was read with the encoding that it is likely to have.
pub const LIKELY_ENCODING: &str = "likely-encoding";

/// Something about the data as they were read that somebody should know, without any cell value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Remark {
    /// Its name for scripts.
    pub id: &'static str,
    /// The variable concerned.
    pub variable: Option<String>,
    /// What there is to know.
    pub text: String,
    /// Counts, by name.
    pub counts: Vec<(&'static str, u64)>,
    /// The variables concerned, where there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
}

impl Remark {
    /// A remark on a variable; the text goes on from its name.
    pub fn of_variable(id: &'static str, variable: &str, text: impl std::fmt::Display) -> Self {
        Self {
            id,
            variable: Some(variable.to_owned()),
            text: format!("{variable} {text}"),
            counts: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// A remark on the file.
    pub fn of_file(id: &'static str, text: impl Into<String>) -> Self {
        Self {
            id,
            variable: None,
            text: text.into(),
            counts: Vec::new(),
            variables: Vec::new(),
        }
    }

    /// The same remark with a count.
    #[must_use]
    pub fn with(mut self, name: &'static str, count: u64) -> Self {
        self.counts.push((name, count));
        self
    }
}
