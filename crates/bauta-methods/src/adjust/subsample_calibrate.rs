#![doc = include_str!("subsample_calibrate.md")]

use bauta_data::Attribute;

use crate::adjust::calibration::evidence::deleted_by_category;
use crate::adjust::calibration::exhibits::{evidence, exhibits};
use crate::adjust::calibration::found::{Calibration, Deletion};
use crate::adjust::calibration::procedure::calibrate;
use crate::adjust::calibration::settings;
use crate::adjust::{AdjustMethod, AdjustTask};
use crate::card::{Card, Family, ParamSpec, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::Exhibit;
use crate::keys::asked::SEMANTICS;
use crate::keys::at_risk::{self, AtRisk};
use crate::keys::sensitive::SENSITIVE;
use crate::mask::{Change, StepFacts, Together};
use crate::note::KnownNote;
use crate::pair::Pair;
use crate::params::{ParamProblem, Params, RawValue};

/// Deletes records at risk and calibrates the weights of the others. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SubsampleCalibrate;

/// The rules of deletion, then the parameters of calibration.
const PARAMS: [ParamSpec; 8 + settings::PARAMS.len()] = {
    let mut all = [at_risk::K; 8 + settings::PARAMS.len()];
    let rules = [
        at_risk::K,
        SEMANTICS,
        at_risk::RISK,
        at_risk::DIVERSITY,
        at_risk::DIVERSITY_KIND,
        at_risk::CLOSENESS,
        SENSITIVE,
        at_risk::HOUSEHOLDS,
    ];
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
    randomness: Randomness::None,
    references: &["bergeat2015", "deville1992"],
};

impl AdjustMethod for SubsampleCalibrate {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = AtRisk::problems(params, on);
        problems.extend(settings::problems(params));
        problems
    }

    fn facts(&self, params: &Params) -> StepFacts {
        StepFacts {
            together: Together::Jointly,
            claims: AtRisk::claim(params),
            reweights: true,
            ..StepFacts::default()
        }
    }

    fn adjust(
        &self,
        _settings: &Params,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let masked = task.pair.masked;
        let rule = AtRisk::asked(task.params)?;
        let deleted = rule.delete_all(masked, task.on, context)?;
        let released = masked.take(&deleted.kept);
        let pair = Pair {
            masked: &released,
            ..task.pair
        };
        let (weights, mut calibration) = calibrate(pair, masked, task.params, context)?;
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
            context.note(KnownNote::RiskierWithNewWeights { n_records, limit });
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
