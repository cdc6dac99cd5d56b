#![doc = include_str!("calibrate.md")]

use bauta_data::{Attribute, Kind, Role};

use crate::adjust::calibration::exhibits::{evidence, exhibits};
use crate::adjust::calibration::found::Calibration;
use crate::adjust::calibration::procedure::calibrate;
use crate::adjust::calibration::settings;
use crate::adjust::{AdjustMethod, AdjustTask};
use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::Exhibit;
use crate::mask::Change;
use crate::mask::StepFacts;
use crate::params::{ParamProblem, Params, RawValue};

/// New weights that reach given totals. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Calibrate;

static CARD: Card = Card {
    id: "calibrate",
    title: "Weight calibration",
    summary: "changes the weights as little as possible so that chosen totals are those of the original, or given ones",
    family: Family::Adjuster,
    page: include_str!("calibrate.md"),
    params: &settings::PARAMS,
    targets: Targets {
        kinds: &[Kind::Continuous],
        default_roles: &[Role::Weight],
        refused_roles: &[
            Role::Identifier,
            Role::Household,
            Role::Key,
            Role::Sensitive,
            Role::Stratum,
            Role::Other,
        ],
    },
    randomness: Randomness::None,
    references: &[
        "deville1992",
        "lesautory1993",
        "bardsley1984",
        "deville2004",
        "bergeat2015",
    ],
};

impl AdjustMethod for Calibrate {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        settings::problems(params)
    }

    fn facts(&self, _params: &Params) -> StepFacts {
        StepFacts::REWEIGHTS
    }

    fn adjust(
        &self,
        _settings: &Params,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let (weights, calibration) = calibrate(task.pair, task.pair.masked, task.params, context)?;
        let masked = task.pair.masked;
        let weight = masked
            .index_of(&calibration.weight)
            .ok_or_else(|| MethodError::Internal("the weight was there before".to_owned()))?;
        let column = masked.column(weight).with_numbers(weights);
        Ok(Change {
            evidence: Some(Box::new(evidence(&calibration)?)),
            ..Change::of_columns(vec![(weight, column)])
        })
    }

    fn shows(&self) -> Vec<Exhibit> {
        exhibits(&Calibration::default())
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![(
            "totals",
            RawValue::Map(vec![
                ("sex=0".to_owned(), RawValue::Number(40_000.0)),
                ("sex=1".to_owned(), RawValue::Number(50_000.0)),
            ]),
        )]
    }
}
