#![doc = include_str!("noise_correlated.md")]

use crate::card::{Card, Randomness, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::continuous::{CLAMP, OF_NUMBERS, ROUND};
use crate::mask::jointly::{JointNoise, LEVEL, joint_variables};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::MISSING;
use crate::models::coloured::standard_normal;
use crate::params::{ParamProblem, Params, RawValue};

/// Adds normal noise with the covariance of the data. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct NoiseCorrelated;

static CARD: Card = Card {
    id: "noise-correlated",
    title: "Correlated noise",
    summary: "adds normal noise that goes together as the variables do",
    page: include_str!("noise_correlated.md"),
    params: &[LEVEL, ROUND, CLAMP, MISSING],
    randomness: Randomness::Seeded,
    scaling: Scaling::Record,
    references: &["kim1986", "yancey2002"],
    ..OF_NUMBERS
};

impl MaskMethod for NoiseCorrelated {
    type Settings = JointNoise;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<JointNoise, Vec<ParamProblem>> {
        Ok(JointNoise::asked(params))
    }

    fn facts(&self, noise: &JointNoise) -> StepFacts {
        StepFacts::JOINTLY.nothing_if(noise.level == 0.0)
    }

    fn mask(
        &self,
        noise: &JointNoise,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let variables = joint_variables(task, noise.missing, context)?;
        noise.added_to(&variables, task.table, context, &standard_normal)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("level", RawValue::Number(0.1))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("level", RawValue::Number(0.0))])
    }
}
