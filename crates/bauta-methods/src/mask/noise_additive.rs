#![doc = include_str!("noise_additive.md")]

use bauta_data::{Column, Table};

use crate::card::{Card, ParamSpec, Randomness, Scaling};
use crate::context::{RunContext, unit_interval};
use crate::error::MethodError;
use crate::kernel::numbers::moments::finite_moments_along;
use crate::kernel::numbers::normal;
use crate::mask::by_record::column_by_record;
use crate::mask::continuous::{CLAMP, Fit, OF_NUMBERS, ROUND, varying};
use crate::mask::jointly::{JointVariable, check_finite};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::{MISSING, Missing};
use crate::params::{ParamProblem, Params, RawValue};

/// Adds independent normal noise. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct NoiseAdditive;

const SHARE: ParamSpec = ParamSpec::number(
    "share",
    "standard deviation of the noise, as a multiple of the variable's own",
    0.0,
);

static CARD: Card = Card {
    id: "noise-additive",
    title: "Additive noise",
    summary: "adds independent normal noise in proportion to each variable's standard deviation",
    page: include_str!("noise_additive.md"),
    params: &[SHARE, ROUND, CLAMP, MISSING],
    randomness: Randomness::Seeded,
    scaling: Scaling::Record,
    references: &["kim1986", "mateo2004"],
    ..OF_NUMBERS
};

/// How much noise, and what becomes of the values then.
pub struct Settings {
    share: f64,
    fit: Fit,
    missing: Missing,
}

impl MaskMethod for NoiseAdditive {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            share: params.number(SHARE.name),
            fit: Fit::asked(params),
            missing: Missing::asked(params),
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts::default().nothing_if(settings.share == 0.0)
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        task.column_by_column(context, |column| {
            add_noise(task.table, column, settings, context)
        })
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
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let Some(x) = varying(column, settings.missing, context)? else {
        return Ok(column.clone());
    };
    let variable = column.name();
    let (p, s) = (settings.share, finite_moments_along(variable, &x)?.sd);
    let sd = p * s;
    let draws = context.draws(variable);
    let joint = JointVariable::alone(column, x);
    column_by_record(table, joint, settings.fit, context, &|rows, x, z| {
        let drawn = draws.of_records(rows.table, rows.records.clone());
        for ((z, x), [draw]) in z.iter_mut().zip(x).zip(drawn) {
            *z = x + sd * normal::quantile(unit_interval(draw));
        }
        check_finite(variable, z, SHARE.name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::column::NumberText;
    use bauta_data::{Attribute, Kind, Levels, Role, Unwatched};
    use std::sync::Arc;

    fn noisy(column: Column, share: f64) -> Result<Change, MethodError> {
        let given = [("share".to_owned(), RawValue::Number(share))];
        let params = Params::check(&CARD, &given).unwrap();
        let n_records = column.len();
        let table = Table::new(vec![column], n_records);
        let task = MaskTask {
            table: &table,
            on: &[0],
        };
        let settings = NoiseAdditive.settings(&params).unwrap();
        NoiseAdditive.mask(&settings, &task, &RunContext::new(1, "step", &Unwatched))
    }

    fn continuous() -> Arc<Attribute> {
        Arc::new(Attribute::new("x", Role::Sensitive, Kind::Continuous))
    }

    #[test]
    fn numbers_that_noise_would_take_out_of_range_are_refused() {
        let of =
            |values: Vec<f64>| Column::numeric(continuous(), values, None, NumberText::default());
        // The squares of 1e200 overflow; with 1e150 they do not, but a share of 1e200 does.
        assert!(matches!(
            noisy(of(vec![1e200, 2e200]), 0.1),
            Err(MethodError::Data { .. })
        ));
        assert!(matches!(
            noisy(of(vec![1e150, 2e150]), 1e200),
            Err(MethodError::Data { .. })
        ));
        assert!(noisy(of(vec![1e150, 2e150]), 0.1).is_ok());
    }

    #[test]
    fn a_variable_that_was_recoded_before_is_the_plans_mistake_not_ours() {
        let levels = Arc::new(Levels::from_texts(["low", "high"]));
        let recoded = Column::categorical(continuous(), vec![0, 1], levels, None);
        assert!(matches!(noisy(recoded, 0.1), Err(MethodError::Data { .. })));
    }
}
