//! What variables and files are called in words.

use bauta_plan::RunRecord;
use bauta_plan::record::{Purpose, VariableRecord};
use maud::{Markup, html};

use crate::words::listed;

/// The labels that the plan declares, and what the file is called that came out.
pub(crate) struct Labels<'a> {
    pairs: Vec<(&'a str, &'a str)>,
    /// The file that came out: masked, or only calibrated.
    pub(crate) after: &'static str,
}

impl Default for Labels<'_> {
    fn default() -> Self {
        Self::from_pairs(std::iter::empty())
    }
}

impl<'a> Labels<'a> {
    /// Those of a record.
    pub(crate) fn of(record: &'a RunRecord) -> Self {
        Self {
            after: match record.purpose() {
                Purpose::Release => "masked",
                Purpose::Calibration => "calibrated",
            },
            ..Self::of_variables(&record.variables)
        }
    }

    /// Those of some variables.
    pub(crate) fn of_variables(variables: impl IntoIterator<Item = &'a VariableRecord>) -> Self {
        let variables = variables.into_iter();
        Self::from_pairs(
            variables
                .filter_map(|variable| Some((variable.name.as_str(), variable.label.as_deref()?))),
        )
    }

    /// Names and labels.
    pub(crate) fn from_pairs(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut out: Vec<(&str, &str)> = Vec::new();
        for (name, label) in pairs {
            // Several runs describe the same variables.
            let is_new = !out.iter().any(|(known, _)| *known == name);
            if is_new && !label.trim().is_empty() {
                out.push((name, label.trim()));
            }
        }
        Self {
            pairs: out,
            after: "masked",
        }
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.pairs.iter().find(|(known, _)| *known == name);
        found.map(|(_, label)| *label)
    }

    /// The label alone, where charts have little room; with the name where others have the same label.
    pub(crate) fn short(&self, name: &str) -> String {
        let Some(label) = self.get(name) else {
            return name.to_owned();
        };
        let n_same = self
            .pairs
            .iter()
            .filter(|(_, other)| *other == label)
            .count();
        if n_same > 1 {
            format!("{label} ({name})")
        } else {
            label.to_owned()
        }
    }

    /// A term of a model, `age=3` or `age`, with the label in place of the name.
    pub(crate) fn term(&self, term: &str) -> String {
        match term.split_once('=') {
            Some((name, category)) if self.get(name).is_some() => {
                format!("{} = {category}", self.short(name))
            }
            _ => self.short(term),
        }
    }

    /// `Age class (age)`, or the name; the label alone where it is the name with a capital.
    pub(crate) fn full(&self, name: &str) -> String {
        match self.get(name) {
            Some(label) if is_name(name, label) => label.to_owned(),
            Some(label) => format!("{label} ({name})"),
            None => name.to_owned(),
        }
    }

    /// "a, b and c", each with its label.
    pub(crate) fn listed<T: AsRef<str>>(&self, names: &[T]) -> String {
        let full: Vec<String> = names.iter().map(|name| self.full(name.as_ref())).collect();
        listed(&full.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The name as the file has it, and beside it the label.
    pub(crate) fn cell(&self, name: &str) -> Markup {
        html! {
            (name)
            @if let Some(label) = self.get(name).filter(|label| !is_name(name, label)) { " " span class="soft" { (label) } }
        }
    }

    /// A row of a table that begins with the name of a variable: `region, level 2`.
    pub(crate) fn row(&self, row: &str) -> Markup {
        let is_of = |name: &str| {
            let rest = row.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(", "))
        };
        let found = self.pairs.iter().filter(|(name, _)| is_of(name));
        let found = found.max_by_key(|(name, _)| name.len());
        html! {
            (row)
            @if let Some((_, label)) = found.filter(|(_, label)| !is_name(row, label)) { " " span class="soft" { (label) } }
        }
    }
}

/// Whether a label only repeats the name.
fn is_name(name: &str, label: &str) -> bool {
    name.to_lowercase() == label.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stand_beside_names_and_alone_where_they_tell_variables_apart() {
        let pairs = [
            ("age", "Age class"),
            ("a", "Same"),
            ("b", "Same"),
            ("x", "X"),
        ];
        let labels = Labels::from_pairs(pairs.into_iter());
        assert_eq!(labels.short("age"), "Age class");
        assert_eq!(labels.short("a"), "Same (a)");
        assert_eq!(labels.short("unknown"), "unknown");
        assert_eq!(labels.listed(&["age", "x"]), "Age class (age) and X");
        let row = labels.row("age, level 2").into_string();
        assert_eq!(row, "age, level 2 <span class=\"soft\">Age class</span>");
        assert_eq!(labels.term("age=3"), "Age class = 3");
        assert_eq!(
            (labels.term("age"), labels.term("q=1")),
            ("Age class".into(), "q=1".into())
        );
        assert_eq!(labels.cell("x").into_string(), "x");
        assert_eq!(labels.row("ages").into_string(), "ages");
    }
}
