#![doc = include_str!("scale_back.md")]

use bauta_data::Column;
use rayon::prelude::*;

use crate::card::{Card, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::moments::finite_moments;
use crate::mask::continuous::varying_numbers;
use crate::mask::continuous::{ROUND, fit_to_original};
use crate::mask::{Change, MaskMethod, MaskTask};
use crate::missing::MISSING;
use crate::params::{ParamProblem, Params, RawValue};

/// Takes back the variance that noise added. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct ScaleBack;

static CARD: Card = Card {
    id: "scale-back",
    title: "Scaling back",
    summary: "shrinks noisy variables towards their means, so that covariances are the original's",
    family: Family::Mask,
    page: include_str!("scale_back.md"),
    params: &[
        ParamSpec {
            name: "level",
            meaning: "level of the noise that was added before",
            ty: ParamType::Number {
                min: 0.0,
                max: f64::INFINITY,
            },
            default: ParamDefault::Required,
        },
        ROUND,
        MISSING,
    ],
    targets: Targets::MASKED_NUMBERS,
    randomness: Randomness::None,
    references: &["yancey2002", "kim1986"],
};

impl MaskMethod for ScaleBack {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let mut columns = Vec::new();
        for (done, &attr_idx) in task.on.iter().enumerate() {
            context.progress(done, task.on.len())?;
            let column = scaled(task.table.column(attr_idx), task.params, context)?;
            columns.push((attr_idx, column));
        }
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("level", RawValue::Number(0.1))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("level", RawValue::Number(0.0))])
    }
}

fn scaled(
    column: &Column,
    params: &Params,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let variable = column.name();
    let Some(z) = varying_numbers(column, params, context)? else {
        return Ok(column.clone());
    };
    let mean = finite_moments(variable, z)?.mean;
    let share = 1.0 / (1.0 + params.number("level")).sqrt();
    let towards = (1.0 - share) * mean;
    let scaled = z
        .par_iter()
        .with_min_len(4096)
        .map(|z| share * z + towards)
        .collect();
    Ok(column.with_numbers(fit_to_original(z, scaled, variable, params, context)))
}
