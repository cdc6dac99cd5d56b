#![doc = include_str!("max_distance.md")]

pub mod groups;

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::continuous::ROUND;
use crate::mask::max_distance::groups::max_distance;
use crate::mask::microaggregation::{
    AGGREGATE, BLOCKS, HOUSEHOLDS, K, STANDARDISE, STRATA, Scale, blocks, check_blocks,
    microaggregate,
};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::MISSING;
use crate::params::{ParamProblem, Params, RawValue};

/// Groups records around the most distant pair, and replaces them by their mean. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct MaxDistance;

static CARD: Card = Card {
    id: "max-distance",
    title: "Microaggregation: maximum distance",
    summary: "replaces records by the mean of groups of at least k near ones, formed around the most distant pairs",
    family: Family::Mask,
    page: include_str!("max_distance.md"),
    params: &[
        K,
        BLOCKS,
        STANDARDISE,
        AGGREGATE,
        STRATA,
        HOUSEHOLDS,
        ROUND,
        MISSING,
    ],
    targets: Targets::MASKED_NUMBERS,
    randomness: Randomness::None,
    references: &["domingo2002", "sebe2002"],
};

impl MaskMethod for MaxDistance {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        check_blocks(params, on)
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
        let blocks = blocks(task.params, task.on);
        let scale = Scale::asked(task.params);
        microaggregate(task, context, &blocks, scale, &|units, k, done| {
            max_distance(&units.points(), k, done)
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("k", RawValue::Integer(3))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("k", RawValue::Integer(1))])
    }
}
