#![doc = include_str!("scale_back.md")]

use bauta_data::{Column, Table};

use crate::card::{Card, ParamSpec, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::moments::finite_moments_along;
use crate::mask::by_record::column_by_record;
use crate::mask::continuous::{Fit, OF_NUMBERS, ROUND, varying};
use crate::mask::jointly::JointVariable;
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
    scaling: Scaling::Record,
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
        task.column_by_column(context, |column| {
            scaled(task.table, column, settings, context)
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("level", RawValue::Number(0.1))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("level", RawValue::Number(0.0))])
    }
}

fn scaled(
    table: &Table,
    column: &Column,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let variable = column.name();
    let Some(z) = varying(column, settings.missing, context)? else {
        return Ok(column.clone());
    };
    let mean = finite_moments_along(variable, &z)?.mean;
    let share = 1.0 / (1.0 + settings.level).sqrt();
    let towards = (1.0 - share) * mean;
    let joint = JointVariable::alone(column, z);
    column_by_record(table, joint, settings.fit, context, &|_, z, scaled| {
        for (scaled, z) in scaled.iter_mut().zip(z) {
            *scaled = share * z + towards;
        }
        Ok(())
    })
}
