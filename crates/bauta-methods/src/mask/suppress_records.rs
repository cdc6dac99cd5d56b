#![doc = include_str!("suppress_records.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::at_risk::{self, AtRisk};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
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
    params: &at_risk::PARAMS,
    targets: Targets::KEYS,
    references: &["bergeat2015"],
    ..Card::PLAIN
};

impl MaskMethod for SuppressRecords {
    type Settings = AtRisk;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<AtRisk, Vec<ParamProblem>> {
        AtRisk::asked(params)
    }

    fn check(&self, rules: &AtRisk, on: &[&Attribute]) -> Vec<ParamProblem> {
        rules.problems(on)
    }

    fn facts(&self, rules: &AtRisk) -> StepFacts {
        StepFacts {
            claims: rules.claim(),
            removes_records: true,
            ..StepFacts::JOINTLY
        }
        .truthful()
        .nothing_if(!rules.looks())
    }

    fn mask(
        &self,
        rules: &AtRisk,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let kept = rules.delete_all(task.table, task.on, context)?.kept;
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
