#![doc = include_str!("s0.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::{il2, il3, il4, il5};
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::pair::records::MISSING;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction, mean_of_losses};
use crate::params::{ParamProblem, Params};

/// Mean of IL2 to IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S0;

static CARD: Card = Card {
    id: "s0",
    title: "Loss score s0",
    summary: "mean of IL2, IL3, IL4 and IL5: how far means, covariances, variances and correlations changed",
    family: Family::Loss,
    page: include_str!("s0.md"),
    params: &[MISSING, ZERO, CORRECTION, LEVEL],
    targets: Targets::CONTENT,
    randomness: Randomness::None,
    references: &["yancey2002", "kim1990"],
};

impl Measure for S0 {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn subject(&self) -> Subject {
        Subject::Pair
    }

    fn scope(&self) -> Scope {
        Scope::Variables
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn reading(&self) -> Reading {
        Reading {
            min: 0.0,
            max: f64::INFINITY,
            better: Better::Lower,
            at_identity: Some(0.0),
            value_name: "loss",
        }
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        check_correction(params)
    }

    fn measure(
        &self,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let losses = statistics(&Samples::of(task, context)?, context)?;
        let losses: Vec<(&str, &Measurement)> =
            losses.iter().map(|(name, loss)| (*name, loss)).collect();
        Ok(mean_of_losses(task.on, &losses))
    }
}

/// IL2 to IL5 and their names.
pub(crate) fn statistics(
    samples: &Samples<'_>,
    context: &RunContext<'_>,
) -> Result<[(&'static str, Measurement); 4], MethodError> {
    let covariances = samples.covariances(context)?;
    Ok([
        ("il2", il2::loss(samples, context)?),
        ("il3", il3::loss(samples, &covariances, context)?),
        (
            "il4",
            il4::loss(samples, &covariances.variances(), context)?,
        ),
        ("il5", il5::loss(samples, &covariances, context)?),
    ])
}
