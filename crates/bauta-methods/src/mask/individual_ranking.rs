#![doc = include_str!("individual_ranking.md")]

pub mod groups;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::ranks::rows_by_value;
use crate::kernel::space::partition::Partition;
use crate::mask::continuous::ROUND;
use crate::mask::individual_ranking::groups::optimal_groups;
use crate::mask::microaggregation::{AGGREGATE, HOUSEHOLDS, K, STRATA, Scale, microaggregate};
use crate::mask::{Change, MaskMethod, MaskTask};
use crate::missing::MISSING;
use crate::params::{ParamProblem, Params, RawValue};

/// Groups neighbours in rank, variable by variable, and replaces them by their mean. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct IndividualRanking;

static CARD: Card = Card {
    id: "individual-ranking",
    title: "Microaggregation: individual ranking",
    summary: "replaces each value by the mean of at least k neighbours in rank, variable by variable",
    family: Family::Mask,
    page: include_str!("individual_ranking.md"),
    params: &[
        K,
        ParamSpec {
            name: "groups",
            meaning: "how neighbours are put into groups",
            ty: ParamType::Choice(&[
                ("fixed", "k each, and the last group takes the rest"),
                ("optimal", "k to 2k - 1 each, with the least loss"),
            ]),
            default: ParamDefault::Value(ConstValue::Text("fixed")),
        },
        AGGREGATE,
        STRATA,
        HOUSEHOLDS,
        ROUND,
        MISSING,
    ],
    targets: Targets::MASKED_NUMBERS,
    randomness: Randomness::None,
    references: &["domingo2002", "hansen2003"],
};

impl MaskMethod for IndividualRanking {
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
        let each_alone: Vec<Vec<usize>> = task.on.iter().map(|&attr_idx| vec![attr_idx]).collect();
        let is_optimal = task.params.choice("groups") == "optimal";
        microaggregate(task, context, &each_alone, Scale::AsIs, &|units, k, _| {
            let values = units.columns()[0];
            Ok(if is_optimal {
                optimal_groups(values, k)
            } else {
                Partition::consecutive(rows_by_value(values), k)
            })
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("k", RawValue::Integer(3))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("k", RawValue::Integer(1))])
    }
}
