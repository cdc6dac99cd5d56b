#![doc = include_str!("noise_additive.md")]

use bauta_data::{Column, Role, Table};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::{RunContext, unit_interval};
use crate::error::MethodError;
use crate::mask::{Change, Mask, MaskTask};
use crate::note::Note;
use crate::params::{Params, RawValue};
use crate::stats::corresponding::MISSING;
use crate::stats::grid::{decimals_needed, round_to};
use crate::stats::moments::{is_constant, moments};
use crate::stats::normal;

/// Adds independent normal noise. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct NoiseAdditive;

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

static CARD: Card = Card {
    id: "noise-additive",
    title: "Additive noise",
    summary: "adds independent normal noise in proportion to each variable's standard deviation",
    family: Family::Mask,
    page: include_str!("noise_additive.md"),
    params: &[
        ParamSpec {
            name: "share",
            meaning: "standard deviation of the noise, as a multiple of the variable's own",
            ty: ParamType::Number {
                min: 0.0,
                max: f64::INFINITY,
            },
            default: ParamDefault::Required,
        },
        ROUND,
        CLAMP,
        MISSING,
    ],
    targets: Targets {
        refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
        ..Targets::CONTINUOUS
    },
    randomness: Randomness::Seeded,
    references: &["kim1986", "mateo2004"],
};

impl Mask for NoiseAdditive {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn mask(&self, task: &MaskTask<'_>, context: &RunContext<'_>) -> Result<Change, MethodError> {
        let mut columns = Vec::new();
        for (done, &attr_idx) in task.on.iter().enumerate() {
            context.progress(done, task.on.len())?;
            let column = add_noise(
                task.table,
                task.table.column(attr_idx),
                task.params,
                context,
            )?;
            columns.push((attr_idx, column));
        }
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("share", RawValue::Number(0.1))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("share", RawValue::Number(0.0))])
    }
}

fn add_noise(
    table: &Table,
    column: &Column,
    params: &Params,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let x = column
        .as_numeric()
        .ok_or_else(|| MethodError::Internal("a continuous variable is not numeric".to_owned()))?;
    let variable = column.name().to_owned();
    let n_missing = column.n_missing();
    if n_missing > 0 && params.choice("missing") == "refuse" {
        return Err(MethodError::missing_refused(&variable, n_missing));
    }
    if n_missing > 0 {
        context.note(Note::MissingSkipped {
            variable: variable.clone(),
            n_cells: n_missing,
        });
    }
    if is_constant(x) {
        context.note(Note::ConstantVariable { variable });
        return Ok(column.clone());
    }
    let sd = params.number("share") * moments(x).sd;
    let z = context.draws(&variable).per_record(table, |i, [draw]| {
        x[i] + sd * normal::quantile(unit_interval(draw))
    });
    Ok(column.with_numbers(fit_to_original(x, z, &variable, params, context)))
}

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
        context.note(Note::RoundedToGrid {
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
        context.note(Note::ClampedToRange {
            variable: variable.to_owned(),
            n_cells,
        });
    }
    z
}
