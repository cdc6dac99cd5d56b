#![doc = include_str!("noise_correlated.md")]

use bauta_data::Table;

use crate::card::{Card, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets};
use crate::context::{Draws, RunContext};
use crate::error::MethodError;
use crate::mask::continuous::{CLAMP, ROUND, fit_to_original};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::MISSING;
use crate::models::coloured::{
    JointVariable, Spread, colour, in_blocks, joint_variables, standard_normal, zeros,
};
use crate::params::{ParamProblem, Params, RawValue};

/// Adds normal noise with the covariance of the data. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct NoiseCorrelated;

/// How much noise: shared by the masks whose noise has the covariance of the data.
pub(crate) const LEVEL: ParamSpec = ParamSpec {
    name: "level",
    meaning: "covariance of the noise, as a multiple of that of the data",
    ty: ParamType::Number {
        min: 0.0,
        max: f64::INFINITY,
    },
    default: ParamDefault::Required,
};

static CARD: Card = Card {
    id: "noise-correlated",
    title: "Correlated noise",
    summary: "adds normal noise that goes together as the variables do",
    family: Family::Mask,
    page: include_str!("noise_correlated.md"),
    params: &[LEVEL, ROUND, CLAMP, MISSING],
    targets: Targets::MASKED_NUMBERS,
    randomness: Randomness::Seeded,
    references: &["kim1986", "yancey2002"],
};

impl MaskMethod for NoiseCorrelated {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn facts(&self, _params: &Params) -> StepFacts {
        StepFacts::JOINTLY
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let variables = joint_variables(task, context)?;
        let masked = with_noise(&variables, task, context, &standard_normal)?;
        let columns = variables.iter().zip(masked);
        let columns =
            columns.map(|(variable, z)| (variable.attr_idx, variable.column.with_numbers(z)));
        Ok(Change::of_columns(columns.collect()))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("level", RawValue::Number(0.1))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("level", RawValue::Number(0.0))])
    }
}

/// Fills one variable's w of some records from their draws: mean 0, variance 1.
pub(crate) type White<'a> = &'a (dyn Fn(&Draws, &Table, std::ops::Range<usize>, &mut [f64]) + Sync);

/// z = x + √d R w for each variable, rounded and clamped as the parameters ask.
pub(crate) fn with_noise(
    variables: &[JointVariable<'_>],
    task: &MaskTask<'_>,
    context: &RunContext<'_>,
    white: White<'_>,
) -> Result<Vec<Vec<f64>>, MethodError> {
    context.progress(0, 2)?;
    let names: Vec<&str> = variables.iter().map(JointVariable::name).collect();
    let x: Vec<&[f64]> = variables.iter().map(|variable| variable.x).collect();
    let root = Spread::of(&names, &x, context)?.root;
    context.progress(1, 2)?;
    let draws: Vec<Draws> = names.iter().map(|name| context.draws(name)).collect();
    let d_root = task.params.number("level").sqrt();
    let mut columns = zeros(task.table.n_records(), variables.len());
    in_blocks(&mut columns, context, |records, block| {
        for (j, w) in block.iter_mut().enumerate() {
            // A dependent variable has no noise of its own: its column of R is 0.
            if !root.dependent.contains(&j) {
                white(&draws[j], task.table, records.clone(), w);
            }
        }
        colour(&root, block);
        for (y, variable) in block.iter_mut().zip(variables) {
            for (y, x) in y.iter_mut().zip(&variable.x[records.clone()]) {
                *y = x + d_root * *y;
            }
            check_finite(variable.name(), y, "level")?;
        }
        Ok(())
    })?;
    let fitted = variables
        .iter()
        .zip(columns)
        .map(|(variable, z)| fit_to_original(variable.x, z, variable.name(), task.params, context));
    Ok(fitted.collect())
}

/// An error if a masked value is infinite.
pub(crate) fn check_finite(name: &str, z: &[f64], param: &str) -> Result<(), MethodError> {
    if z.iter().any(|value| value.is_infinite()) {
        return Err(MethodError::data(
            name,
            "the noise takes some values out of the numbers of the machine",
            format!("choose a smaller {param}"),
        ));
    }
    Ok(())
}
