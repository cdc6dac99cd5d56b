#![doc = include_str!("scale_back.md")]

use bauta_data::Column;
use rayon::prelude::*;

use crate::card::{Card, ParamSpec};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::moments::finite_moments;
use crate::mask::continuous::{Fit, OF_NUMBERS, ROUND, varying_numbers};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::{MISSING, Missing};
use crate::params::{ParamProblem, Params, RawValue};

/// Takes back the variance that noise added. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct ScaleBack;

const LEVEL: ParamSpec =
    ParamSpec::number("level", "level of the noise that was added before", 0.0);

static CARD: Card = Card {
    id: "scale-back",
    title: "Scaling back",
    summary: "shrinks noisy variables towards their means, so that covariances are the original's",
    page: include_str!("scale_back.md"),
    params: &[LEVEL, ROUND, MISSING],
    references: &["yancey2002", "kim1986"],
    ..OF_NUMBERS
};

/// How much noise there was, and what becomes of the values now.
pub struct Settings {
    level: f64,
    fit: Fit,
    missing: Missing,
}

impl MaskMethod for ScaleBack {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            level: params.number(LEVEL.name),
            fit: Fit::asked(params),
            missing: Missing::asked(params),
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts::default().nothing_if(settings.level == 0.0)
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        task.column_by_column(context, |column| scaled(column, settings, context))
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
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let variable = column.name();
    let Some(z) = varying_numbers(column, settings.missing, context)? else {
        return Ok(column.clone());
    };
    let mean = finite_moments(variable, z)?.mean;
    let share = 1.0 / (1.0 + settings.level).sqrt();
    let towards = (1.0 - share) * mean;
    let scaled = z
        .par_iter()
        .with_min_len(4096)
        .map(|z| share * z + towards)
        .collect();
    Ok(column.with_numbers(settings.fit.to_original(z, scaled, variable, context)))
}
