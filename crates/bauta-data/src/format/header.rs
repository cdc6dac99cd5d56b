//! Column names: what can be wrong with them, and the columns that they announce.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::builder::ColumnBuilder;
use super::decimal_marks::Marks;
use crate::attribute::{Attribute, Schema};
use crate::near;
use crate::problem::{DataProblem, ProblemList};

/// One empty column per name, described by the schema where it says something.
pub(super) fn builders(
    names: &[String],
    schema: &Schema,
    marks: impl Fn(usize) -> Marks,
) -> Vec<ColumnBuilder> {
    let described: HashMap<&str, &Attribute, FixedState> = schema
        .attributes
        .iter()
        .rev()
        .map(|attribute| (attribute.name.as_str(), attribute))
        .collect();
    let builder = |(position, name): (usize, &String)| {
        let declared = described.get(name.as_str());
        let attribute = declared.map_or_else(
            || Attribute::undeclared(name),
            |&attribute| attribute.clone(),
        );
        let rules = attribute.missing.clone();
        let rules = rules.as_ref().unwrap_or(&schema.missing);
        let marks = marks(position);
        ColumnBuilder::new(Arc::new(attribute), declared.is_some(), rules, marks)
    };
    names.iter().enumerate().map(builder).collect()
}

/// Finds empty and repeated names, and described variables that are not there. `line` is that of
/// the header, where there is one.
pub(super) fn check(
    names: &[String],
    schema: &Schema,
    line: Option<u64>,
    problems: &mut ProblemList,
) {
    let mut first_position: HashMap<&str, usize, FixedState> = HashMap::default();
    for (position, name) in names.iter().enumerate() {
        let number = position + 1;
        let problem = if name.is_empty() {
            DataProblem::file(
                format!("column {number} has no name"),
                "give every column a name (R: write.csv with row.names = FALSE)",
            )
        } else if let Some(first) = first_position.get(name.as_str()) {
            DataProblem::file(
                format!("columns {} and {number} have the same name", first + 1),
                "give every column a name of its own",
            )
            .of_variable(name)
        } else {
            first_position.insert(name, position);
            continue;
        };
        problems.push_with(|| DataProblem { line, ..problem });
    }
    for attribute in &schema.attributes {
        if !first_position.contains_key(attribute.name.as_str()) {
            problems.push_with(|| {
                let hint = near::column_hint(&attribute.name, names.iter().map(String::as_str));
                DataProblem::file("is declared, but the file has no such column", hint)
                    .of_variable(&attribute.name)
            });
        }
    }
}
