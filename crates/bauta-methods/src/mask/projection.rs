#![doc = include_str!("projection.md")]

use bauta_data::Attribute;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{covariance, eigen};
use crate::kernel::numbers::moments::moments;
use crate::kernel::numbers::ranks::rows_by_value;
use crate::kernel::space::partition::Partition;
use crate::mask::continuous::ROUND;
use crate::mask::microaggregation::{
    AGGREGATE, BLOCKS, HOUSEHOLDS, K, STRATA, Scale, UnitValues, blocks, check_blocks,
    microaggregate,
};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::MISSING;
use crate::params::{ParamProblem, Params, RawValue};

/// Groups neighbours along one axis through all variables, and replaces them by their mean. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Projection;

static CARD: Card = Card {
    id: "projection",
    title: "Microaggregation: projection",
    summary: "replaces records by the mean of at least k neighbours along one axis through all variables",
    family: Family::Mask,
    page: include_str!("projection.md"),
    params: &[
        K,
        ParamSpec {
            name: "by",
            meaning: "the axis along which records are put in order",
            ty: ParamType::Choice(&[
                (
                    "principal-component",
                    "the first principal component of the standardised variables",
                ),
                ("z-scores", "the sum of the standardised variables"),
            ]),
            default: ParamDefault::Value(ConstValue::Text("principal-component")),
        },
        BLOCKS,
        AGGREGATE,
        STRATA,
        HOUSEHOLDS,
        ROUND,
        MISSING,
    ],
    targets: Targets::MASKED_NUMBERS,
    randomness: Randomness::None,
    references: &["domingo2002"],
};

impl MaskMethod for Projection {
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
        let by_component = task.params.choice("by") == "principal-component";
        microaggregate(task, context, &blocks, Scale::Deviation, &|units, k, _| {
            let scores = scores(units, by_component);
            Ok(Partition::consecutive(rows_by_value(&scores), k))
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("k", RawValue::Integer(3))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("k", RawValue::Integer(1))])
    }
}

/// Where each unit lies on the axis: `Σ_j v_j (x_j - x̄_j) / s_j`, with moments of these units.
fn scores(units: &UnitValues<'_>, by_component: bool) -> Vec<f64> {
    let columns = units.columns();
    let moments: Vec<_> = columns.iter().map(|column| moments(column)).collect();
    let v = if by_component {
        let means: Vec<f64> = moments.iter().map(|moments| moments.mean).collect();
        let component = eigen(&covariance(&columns, &means).to_correlation());
        component.vectors.into_iter().next().unwrap_or_default()
    } else {
        vec![1.0; columns.len()]
    };
    let mut scores = vec![0.0; columns.first().map_or(0, |column| column.len())];
    for ((column, moments), v) in columns.iter().zip(&moments).zip(v) {
        // A variable without spread tells no units apart.
        if moments.sd > 0.0 {
            for (score, x) in scores.iter_mut().zip(*column) {
                *score += v * ((x - moments.mean) / moments.sd);
            }
        }
    }
    scores
}
