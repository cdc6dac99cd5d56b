//! Measures of one file to which the masked file looks as the original did, so that they need not be taken again.

use std::sync::Arc;

use bauta_data::{Column, Kind, Role, Table};
use bauta_methods::Subject;
use bauta_methods::measure::Scope;
use serde_json::Value;

use crate::plan::PlannedMeasure;

/// Whether a measure of keys would find in the masked file what it found in the original: all records are there in
/// their order, and every column that it could look at is the very same. Columns are never changed in place.
pub(super) fn sees_the_same(planned: &PlannedMeasure, original: &Table, masked: &Table) -> bool {
    let declared = planned.measure.declared();
    if declared.subject != Subject::OneFile
        || declared.scope != Scope::Scenario
        || planned.groups.condition.is_some()
        || !original.rows_as_in_source()
        || !masked.rows_as_in_source()
    {
        return false;
    }
    let after = |name: &str| masked.index_of(name).map(|at| &masked.columns()[at]);
    let is_same = |before: &Arc<Column>| match after(before.name()) {
        Some(after) if Arc::ptr_eq(before, after) => true,
        Some(after) => is_idle(before, planned) && is_idle(after, planned),
        None => is_idle(before, planned),
    };
    let is_known = |after: &Arc<Column>| original.index_of(after.name()).is_some();
    original.columns().iter().all(is_same) && masked.columns().iter().all(is_known)
}

/// Whether a measure of keys has no use for a column: identifiers and amounts that are no keys and that no parameter
/// names. By their role it finds weights, households and strata, and sensitive answers that are categories.
fn is_idle(column: &Column, planned: &PlannedMeasure) -> bool {
    let (attribute, name) = (column.attribute(), column.name());
    let has_no_use = match attribute.role {
        Role::Identifier => true,
        Role::Sensitive | Role::Other => attribute.kind == Kind::Continuous,
        Role::Key | Role::Weight | Role::Household | Role::Stratum => false,
    };
    has_no_use
        && !planned.on.iter().any(|on| on == name)
        && !(planned.params.iter()).any(|(_, value)| mentions(&value.to_json(), name))
}

/// Whether a value is or holds this text.
fn mentions(value: &Value, text: &str) -> bool {
    match value {
        Value::String(value) => value == text,
        Value::Array(values) => values.iter().any(|value| mentions(value, text)),
        Value::Object(values) => {
            let mut values = values.iter();
            values.any(|(key, value)| key == text || mentions(value, text))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
