//! A continuous variable that a mask is to change.

use bauta_data::Column;
use serde::{Deserialize, Serialize};

use crate::by_record::ColumnNumbers;
use crate::card::{Card, Family, ParamSpec, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::grid::{decimals_needed_along, round_to};
use crate::kernel::numbers::moments::is_constant_along;
use crate::kernel::numbers::streamed::{Streamed, range_of};
use crate::mask::constant_variable;
use crate::missing::{Missing, check_missing};
use crate::note::Note;
use crate::params::Params;

/// What holds for most masks of numbers: continuous variables that the plan names.
pub(crate) const OF_NUMBERS: Card = Card {
    family: Family::Mask,
    targets: Targets::MASKED_NUMBERS,
    ..Card::PLAIN
};

/// The numbers of a variable, NaN where missing. Missing values are an error or a note, as was
/// asked for.
pub(crate) fn numbers<'a>(
    column: &'a Column,
    missing: Missing,
    context: &RunContext<'_>,
) -> Result<&'a [f64], MethodError> {
    checked(column, missing, context).map(|(x, _)| x.whole())
}

/// The numbers of a variable that need not all be in memory, and whether they vary.
fn checked<'a>(
    column: &'a Column,
    missing: Missing,
    context: &RunContext<'_>,
) -> Result<(ColumnNumbers<'a>, Varies), MethodError> {
    let x = ColumnNumbers::of(column).ok_or_else(|| {
        MethodError::data(
            column.name(),
            "the variable holds categories, and the method needs numbers",
            "apply it before the variable is recoded",
        )
    })?;
    let varies = if is_constant_along(&x) {
        Varies::No
    } else {
        Varies::Yes
    };
    if varies == Varies::No && differs_beyond_doubles(column) {
        return Err(MethodError::data(
            column.name(),
            "its values differ only in digits that a double does not hold, and the method computes in doubles",
            "take a number away from all its values, or use a method that moves values, such as rank-swap",
        ));
    }
    check_missing(column.name(), column.n_missing(), missing, context)?;
    Ok((x, varies))
}

/// Whether a variable has two different values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Varies {
    Yes,
    No,
}

/// Whether a column shows two numbers that are told apart by digits only that doubles lack.
fn differs_beyond_doubles(column: &Column) -> bool {
    let Some(exact) = column.exact() else {
        return false;
    };
    let present = |record: &usize| !column.is_missing(*record);
    let mut codes = (0..column.len())
        .filter(present)
        .map(|record| exact.codes.at(record));
    let first = codes.next();
    codes.any(|code| Some(code) != first)
}

/// The numbers of a variable that varies; none where it does not, which is noted.
pub(crate) fn varying_numbers<'a>(
    column: &'a Column,
    missing: Missing,
    context: &RunContext<'_>,
) -> Result<Option<&'a [f64]>, MethodError> {
    Ok(varying(column, missing, context)?.map(ColumnNumbers::whole))
}

/// The same, which need not all be in memory.
pub(crate) fn varying<'a>(
    column: &'a Column,
    missing: Missing,
    context: &RunContext<'_>,
) -> Result<Option<ColumnNumbers<'a>>, MethodError> {
    let (x, varies) = checked(column, missing, context)?;
    if varies == Varies::No {
        context.note(constant_variable(column.name()));
        return Ok(None);
    }
    Ok(Some(x))
}

/// Rounds masked values to the decimals of the original: shared by the masks of numbers.
pub(crate) const ROUND: ParamSpec = ParamSpec::flag(
    "round",
    "round masked values to the decimals that the variable has",
);

/// Keeps masked values in the range of the original: shared by the noise masks.
pub(crate) const CLAMP: ParamSpec = ParamSpec::flag(
    "clamp",
    "move masked values that leave the variable's range to its nearest end",
);

/// How far masked values are made to look like the original's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fit {
    /// To its decimals.
    pub(crate) round: bool,
    /// Into its range.
    pub(crate) clamp: bool,
}

impl Fit {
    /// What was asked for by [`ROUND`] and [`CLAMP`]. A mask that never leaves the range does not
    /// offer the latter, and nothing is asked for then.
    pub(crate) fn asked(params: &Params) -> Self {
        Self {
            round: params.flag(ROUND.name),
            clamp: params.flag(CLAMP.name),
        }
    }

    /// What fitting needs to know of the values of a whole variable.
    pub(crate) fn statistics(self, x: &dyn Streamed) -> FitStatistics {
        FitStatistics {
            decimals: self.round.then(|| decimals_needed_along(x)),
            range: self.clamp.then(|| range_of(x)),
        }
    }

    /// The masked values `z` of a variable, rounded and clamped by its values `x`; notes each.
    pub(crate) fn to_original(
        self,
        x: &[f64],
        mut z: Vec<f64>,
        variable: &str,
        context: &RunContext<'_>,
    ) -> Vec<f64> {
        let statistics = self.statistics(&x);
        let n_cells = statistics.fit(&mut z);
        statistics.note(variable, n_cells, context);
        z
    }
}

/// What fitting needs to know of the values of a whole variable.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct FitStatistics {
    /// Decimals to which masked values are rounded, if they are.
    decimals: Option<u8>,
    /// Smallest and largest value, if masked ones are to lie between them.
    range: Option<(f64, f64)>,
}

impl FitStatistics {
    /// Rounds and clamps masked values, and says how many were moved back into the range.
    pub(crate) fn fit(&self, z: &mut [f64]) -> usize {
        if let Some(decimals) = self.decimals {
            for value in z.iter_mut() {
                *value = round_to(*value, decimals);
            }
        }
        let mut n_cells = 0;
        if let Some((low, high)) = self.range {
            for value in z.iter_mut().filter(|value| **value < low || **value > high) {
                *value = value.clamp(low, high);
                n_cells += 1;
            }
        }
        n_cells
    }

    /// Notes what was done to a variable, of which so many values were moved.
    pub(crate) fn note(&self, variable: &str, n_cells: usize, context: &RunContext<'_>) {
        if let Some(decimals) = self.decimals {
            context.note(rounded_to_grid(variable, decimals));
        }
        if self.range.is_some() {
            context.note(clamped_to_range(variable, n_cells));
        }
    }
}

/// Masked values were rounded to the decimals of the original.
fn rounded_to_grid(variable: &str, decimals: u8) -> Note {
    let text = format!(
        "{variable}: masked values were rounded to {decimals} decimals, as in the original"
    );
    Note::new("rounded-to-grid", text)
        .with("variable", variable)
        .with("decimals", decimals)
        .public()
}

/// Masked values were moved back into the range of the original.
fn clamped_to_range(variable: &str, n_cells: usize) -> Note {
    let text =
        format!("{variable}: {n_cells} masked values were moved back into the original range");
    Note::new("clamped-to-range", text)
        .with("variable", variable)
        .with("n_cells", n_cells)
}
