//! A continuous variable that a mask is to change.

use bauta_data::Column;

use super::corresponding::check_missing;
use super::moments::is_constant;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::note::Note;
use crate::params::Params;

/// The numbers of a variable, NaN where missing. Missing values are an error or a note, as the
/// parameter `missing` says.
pub fn numbers<'a>(
    column: &'a Column,
    params: &Params,
    context: &RunContext<'_>,
) -> Result<&'a [f64], MethodError> {
    let x = column.as_numeric().ok_or_else(|| {
        MethodError::data(
            column.name(),
            "the variable holds categories, and the method needs numbers",
            "apply it before the variable is recoded",
        )
    })?;
    check_missing(column.name(), column.n_missing(), params, context)?;
    Ok(x)
}

/// The numbers of a variable that varies; none where it does not, which is noted.
pub fn varying_numbers<'a>(
    column: &'a Column,
    params: &Params,
    context: &RunContext<'_>,
) -> Result<Option<&'a [f64]>, MethodError> {
    let x = numbers(column, params, context)?;
    if is_constant(x) {
        context.note(Note::ConstantVariable {
            variable: column.name().to_owned(),
        });
        return Ok(None);
    }
    Ok(Some(x))
}
