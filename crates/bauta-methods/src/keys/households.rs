//! Which records live together.

use bauta_data::{Role, Table};

use crate::error::MethodError;
use crate::keys::class_numbers;

/// The household of each record, by the one variable that has that role.
pub(crate) fn households(table: &Table) -> Result<Vec<u32>, MethodError> {
    let [attr_idx] = table.with_role(Role::Household)[..] else {
        return Err(MethodError::request(
            "whole households are wanted, and not exactly one variable has the role household",
            "give the household id the role household, or leave `households` off",
        ));
    };
    let column = table.column(attr_idx);
    if column.n_missing() > 0 {
        return Err(MethodError::data(
            column.name(),
            format!("{} records have no household", column.n_missing()),
            "give every record a household id, or leave `households` off",
        ));
    }
    Ok(class_numbers(table, &[attr_idx]))
}
