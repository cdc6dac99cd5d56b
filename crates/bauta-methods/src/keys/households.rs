//! Which records live together.

use bauta_data::{Role, Table};

use crate::error::MethodError;
use crate::keys::class_numbers;

/// The household of each record, for methods with the parameter `households`.
pub(crate) fn households(table: &Table) -> Result<Vec<u32>, MethodError> {
    households_for(table, "households")
}

/// The household of each record, by the one variable that has that role; `asked_by` is the parameter that
/// asks for it.
pub(crate) fn households_for(table: &Table, asked_by: &str) -> Result<Vec<u32>, MethodError> {
    let [attr_idx] = table.with_role(Role::Household)[..] else {
        return Err(MethodError::request(
            "whole households are wanted, and not exactly one variable has the role household",
            format!(
                "give the household id the role household, with --household where there is no plan, or leave \
                 `{asked_by}` off"
            ),
        ));
    };
    let column = table.column(attr_idx);
    if column.n_missing() > 0 {
        return Err(MethodError::data(
            column.name(),
            format!("{} records have no household", column.n_missing()),
            format!("give every record a household id, or leave `{asked_by}` off"),
        ));
    }
    Ok(class_numbers(table, &[attr_idx]))
}
