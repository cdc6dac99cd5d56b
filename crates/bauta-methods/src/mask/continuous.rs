//! A continuous variable that a mask is to change.

use bauta_data::Column;

use crate::card::{ConstValue, ParamDefault, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::grid::{decimals_needed, round_to};
use crate::kernel::numbers::moments::is_constant;
use crate::missing::{Missing, check_missing};
use crate::note::KnownNote;
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
    check_missing(
        column.name(),
        column.n_missing(),
        Missing::asked(params),
        context,
    )?;
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
        context.note(KnownNote::ConstantVariable {
            variable: column.name().to_owned(),
        });
        return Ok(None);
    }
    Ok(Some(x))
}

/// Rounds masked values to the decimals of the original: shared by the noise masks.
pub(crate) const ROUND: ParamSpec = ParamSpec {
    name: "round",
    meaning: "round masked values to the decimals that the variable has",
    ty: ParamType::Flag,
    default: ParamDefault::Value(ConstValue::Flag(false)),
};

/// Keeps masked values in the range of the original: shared by the noise masks.
pub(crate) const CLAMP: ParamSpec = ParamSpec {
    name: "clamp",
    meaning: "move masked values that leave the variable's range to its nearest end",
    ty: ParamType::Flag,
    default: ParamDefault::Value(ConstValue::Flag(false)),
};

/// Applies `round` and `clamp`, and notes each.
pub(crate) fn fit_to_original(
    x: &[f64],
    mut z: Vec<f64>,
    variable: &str,
    params: &Params,
    context: &RunContext<'_>,
) -> Vec<f64> {
    if params.flag("round") {
        let decimals = decimals_needed(x);
        for value in &mut z {
            *value = round_to(*value, decimals);
        }
        context.note(KnownNote::RoundedToGrid {
            variable: variable.to_owned(),
            decimals,
        });
    }
    if params.flag("clamp") {
        let present = || x.iter().copied().filter(|value| !value.is_nan());
        let low = present().fold(f64::INFINITY, f64::min);
        let high = present().fold(f64::NEG_INFINITY, f64::max);
        let mut n_cells = 0;
        for value in z.iter_mut().filter(|value| **value < low || **value > high) {
            *value = value.clamp(low, high);
            n_cells += 1;
        }
        context.note(KnownNote::ClampedToRange {
            variable: variable.to_owned(),
            n_cells,
        });
    }
    z
}
