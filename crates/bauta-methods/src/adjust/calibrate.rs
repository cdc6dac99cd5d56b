#![doc = include_str!("calibrate.md")]

use bauta_data::{Kind, Role};
use serde_json::Value;

use crate::adjust::calibration::exhibits::{evidence, exhibits};
use crate::adjust::calibration::found::Calibration;
use crate::adjust::calibration::limits::refuse_numbers_as_categories;
use crate::adjust::calibration::procedure::calibrate;
use crate::adjust::calibration::settings::{PARAMS, Settings};
use crate::adjust::calibration::told;
use crate::adjust::{AdjustMethod, AdjustTask};
use crate::card::{Card, Family, Randomness, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::Exhibit;
use crate::mask::{Change, StepFacts};
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
    params: &PARAMS,
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
    scaling: Scaling::Column,
    references: &[
        "deville1992",
        "lesautory1993",
        "bardsley1984",
        "deville2004",
        "bergeat2015",
    ],
};

impl AdjustMethod for Calibrate {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Settings::read(params)
    }

    fn facts(&self, _: &Settings) -> StepFacts {
        StepFacts::REWEIGHTS
    }

    fn adjust(
        &self,
        settings: &Settings,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        refuse_numbers_as_categories(task.pair.masked, settings)?;
        let (weights, calibration) = calibrate(task.pair, task.pair.masked, settings, context)?;
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

    fn told(&self, data: &Value) -> Option<Value> {
        told::of_data(data)
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
