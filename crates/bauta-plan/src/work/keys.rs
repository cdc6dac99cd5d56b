//! The keys of a file that no plan describes.

use std::path::PathBuf;

use bauta_data::{Attribute, DataError, HierarchySpec, Kind, Role, Schema, Table, near};

use super::WorkError;

/// How the values of a key become coarser.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyHierarchy {
    /// The key.
    pub variable: String,
    /// How.
    pub form: HierarchyForm,
}

/// A hierarchy, or the file it is in.
#[derive(Clone, PartialEq, Debug)]
pub enum HierarchyForm {
    /// A hierarchy.
    Ready(HierarchySpec),
    /// A table of levels.
    File(PathBuf),
}

impl HierarchyForm {
    /// The hierarchy; reads the table of levels if it is in a file.
    fn spec(&self) -> Result<HierarchySpec, DataError> {
        match self {
            Self::Ready(spec) => Ok(spec.clone()),
            Self::File(path) => HierarchySpec::read_levels(path, None),
        }
    }
}

/// Roles for the columns that were named.
pub(super) fn key_schema(keys: &[String], weight: Option<&str>, household: Option<&str>) -> Schema {
    let keys = keys
        .iter()
        .map(|name| Attribute::new(name, Role::Key, Kind::Unordered));
    let weight = weight.map(|name| Attribute::new(name, Role::Weight, Kind::Continuous));
    let household = household.map(|name| Attribute::new(name, Role::Household, Kind::Unordered));
    Schema {
        attributes: keys.chain(weight).chain(household).collect(),
        ..Schema::default()
    }
}

/// Adds variables whose values are confidential.
pub(super) fn add_sensitive(schema: &mut Schema, names: &[String]) {
    let sensitive = names.iter();
    schema
        .attributes
        .extend(sensitive.map(|name| Attribute::new(name, Role::Sensitive, Kind::Unordered)));
}

/// Gives keys their hierarchies.
pub(super) fn give_hierarchies(
    schema: &mut Schema,
    hierarchies: &[KeyHierarchy],
) -> Result<(), WorkError> {
    for hierarchy in hierarchies {
        let name = &hierarchy.variable;
        let keys = schema.attributes.iter();
        let keys = keys.filter(|attribute| attribute.role == Role::Key);
        let hint = near::hint(name, keys.map(|key| key.name.as_str()));
        let key = schema
            .attributes
            .iter_mut()
            .find(|attribute| attribute.name == *name && attribute.role == Role::Key);
        let Some(key) = key else {
            let message = format!("`{name}` has a hierarchy and is not among the keys");
            return Err(WorkError::of_variable(name, message, hint));
        };
        if key.hierarchy.is_some() {
            let message = format!("`{name}` has two hierarchies");
            return Err(WorkError::mistake(message, "give each key one"));
        }
        key.kind = Kind::Hierarchical;
        key.hierarchy = Some(hierarchy.form.spec()?);
    }
    Ok(())
}

/// Refuses a variable that is named for two purposes.
pub(super) fn refuse_repeats<'n>(
    names: impl IntoIterator<Item = &'n String>,
) -> Result<(), WorkError> {
    let mut seen: Vec<&String> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(WorkError::mistake(
                format!("`{name}` is named twice"),
                "name each variable once, for one purpose",
            ));
        }
        seen.push(name);
    }
    Ok(())
}

/// Positions of the named columns.
pub(super) fn positions(table: &Table, names: &[String]) -> Result<Vec<usize>, WorkError> {
    let position = |name: &String| {
        table.index_of(name).ok_or_else(|| {
            let message = format!("the file has no variable `{name}`");
            let hint = near::column_hint(name, table.names());
            WorkError::of_variable(name, message, hint)
        })
    };
    names.iter().map(position).collect()
}
