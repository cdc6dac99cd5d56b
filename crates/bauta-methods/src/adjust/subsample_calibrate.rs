#![doc = include_str!("subsample_calibrate.md")]

use bauta_data::Attribute;
use serde_json::Value;

use crate::adjust::calibration::evidence::deleted_by_category;
use crate::adjust::calibration::exhibits::{evidence, exhibits};
use crate::adjust::calibration::found::{Calibration, Deletion};
use crate::adjust::calibration::limits::refuse_numbers_as_categories;
use crate::adjust::calibration::procedure::calibrate;
use crate::adjust::calibration::{settings, told};
use crate::adjust::{AdjustMethod, AdjustTask};
use crate::card::{Card, Family, ParamSpec, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::Exhibit;
use crate::keys::at_risk::{self, AtRisk};
use crate::mask::{Change, StepFacts};
use crate::note::{Note, NoteRank};
use crate::pair::Pair;
use crate::params::{ParamProblem, Params, RawValue};

/// Deletes records at risk and calibrates the weights of the others. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SubsampleCalibrate;

/// The rules of deletion, then the parameters of calibration.
const PARAMS: [ParamSpec; at_risk::PARAMS.len() + settings::PARAMS.len()] = {
    let rules = at_risk::PARAMS;
    let mut all = [rules[0]; at_risk::PARAMS.len() + settings::PARAMS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < rules.len() {
            rules[at]
        } else {
            settings::PARAMS[at - rules.len()]
        };
        at += 1;
    }
    all
};

static CARD: Card = Card {
    id: "subsample-calibrate",
    title: "Subsampling with weight calibration",
    summary: "deletes the records at risk and changes the weights of the others so that chosen totals stay those of the original",
    family: Family::Adjuster,
    page: include_str!("subsample_calibrate.md"),
    params: &PARAMS,
    targets: Targets::KEYS,
    references: &["bergeat2015", "deville1992"],
    ..Card::PLAIN
};

/// Who goes, and how the weights of the others are calibrated.
pub struct Settings {
    rules: AtRisk,
    calibration: settings::Settings,
}

impl AdjustMethod for SubsampleCalibrate {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        match (AtRisk::asked(params), settings::Settings::read(params)) {
            (Ok(rules), Ok(calibration)) => Ok(Settings { rules, calibration }),
            (rules, calibration) => {
                let problems = rules.err().into_iter().chain(calibration.err());
                Err(problems.flatten().collect())
            }
        }
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.rules.problems(on)
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts {
            claims: settings.rules.claim(),
            reweights: true,
            removes_records: true,
            ..StepFacts::JOINTLY
        }
        .truthful()
    }

    fn adjust(
        &self,
        settings: &Settings,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let masked = task.pair.masked;
        refuse_numbers_as_categories(masked, &settings.calibration)?;
        let rule = &settings.rules;
        let deleted = rule.delete_all(masked, task.on, context)?;
        let released = masked.take(&deleted.kept);
        let pair = Pair {
            masked: &released,
            ..task.pair
        };
        let (weights, mut calibration) = calibrate(pair, masked, &settings.calibration, context)?;
        calibration.deletion = rule.looks().then(|| Deletion {
            rule: rule.in_words(),
            rounds: deleted.rounds,
            by_category: deleted_by_category(masked, task.on, &deleted.kept),
        });
        let weight = masked
            .index_of(&calibration.weight)
            .ok_or_else(|| MethodError::Internal("the weight was there before".to_owned()))?;
        let column = masked.column(weight);
        // Deleted records keep their weight until they go.
        let mut all = column.as_numeric().unwrap_or_default().to_vec();
        for (&record, new) in deleted.kept.iter().zip(weights) {
            all[record as usize] = new;
        }
        let reweighted = released.with_column(
            weight,
            column.take(&deleted.kept).with_numbers(
                deleted
                    .kept
                    .iter()
                    .map(|&record| all[record as usize])
                    .collect(),
            ),
        );
        let n_negative = all.iter().filter(|w| **w < 0.0).count();
        if n_negative == 0
            && let Some((limit, n_records)) = rule.above_risk(&reweighted, task.on)?
            && n_records > 0
        {
            context.note(riskier(n_records, limit));
        }
        let none_went = deleted.kept.len() == masked.n_records();
        Ok(Change {
            columns: vec![(weight, column.with_numbers(all))],
            kept: (!none_went).then_some(deleted.kept),
            evidence: Some(Box::new(evidence(&calibration)?)),
            ..Change::default()
        })
    }

    fn shows(&self) -> Vec<Exhibit> {
        exhibits(&Calibration::default())
    }

    fn told(&self, data: &Value) -> Option<Value> {
        told::of_data(data)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![
            ("k", RawValue::Integer(1)),
            ("risk", RawValue::Number(0.3)),
            (
                "margins",
                RawValue::List(vec![RawValue::Text("sex".to_owned())]),
            ),
        ]
    }
}

/// With the new weights, individual risks are above the limit that records were deleted for.
fn riskier(n_records: usize, limit: f64) -> Note {
    Note::new(
        "riskier-with-new-weights",
        format!(
            "{n_records} records have an individual risk above {limit} with the new weights, though not with the old"
        ),
    )
    .with("n_records", n_records)
    .with("limit", limit)
    .ranked(NoteRank::Warning)
}
