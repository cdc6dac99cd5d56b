#![doc = include_str!("suppress_records.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::asked::SEMANTICS;
use crate::keys::at_risk::{self, AtRisk};
use crate::keys::sensitive::SENSITIVE;
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts, Together};
use crate::params::{ParamProblem, Params, RawValue};

/// Deletes records at risk until none is left. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SuppressRecords;

static CARD: Card = Card {
    id: "suppress-records",
    title: "Deletion of records at risk",
    summary: "deletes records whose key is too rare or too risky, again and again, until none is left",
    family: Family::Mask,
    page: include_str!("suppress_records.md"),
    params: &[
        at_risk::K,
        SEMANTICS,
        at_risk::RISK,
        at_risk::DIVERSITY,
        at_risk::DIVERSITY_KIND,
        at_risk::CLOSENESS,
        SENSITIVE,
        at_risk::HOUSEHOLDS,
    ],
    targets: Targets::KEYS,
    randomness: Randomness::None,
    references: &["bergeat2015"],
};

impl MaskMethod for SuppressRecords {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        AtRisk::problems(params, on)
    }

    fn facts(&self, params: &Params) -> StepFacts {
        StepFacts {
            together: Together::Jointly,
            claims: AtRisk::claim(params),
            ..StepFacts::default()
        }
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let rule = AtRisk::asked(task.params)?;
        let kept = rule.delete_all(task.table, task.on, context)?.kept;
        let all = kept.len() == task.table.n_records();
        Ok(Change {
            kept: (!all).then_some(kept),
            ..Change::default()
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("k", RawValue::Integer(1)), ("risk", RawValue::Number(0.3))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("k", RawValue::Integer(1))])
    }
}
