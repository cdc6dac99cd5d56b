#![doc = include_str!("s0.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::loss::{il2, il3, il4, il5};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::MISSING;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction, mean_of_losses};
use crate::params::{ParamProblem, Params};

/// Mean of IL2 to IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S0;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "s0",
        title: "Loss score s0",
        summary: "mean of IL2, IL3, IL4 and IL5: how far means, covariances, variances and correlations changed",
        family: Family::Loss,
        page: include_str!("s0.md"),
        params: &[MISSING, ZERO, CORRECTION, LEVEL],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["yancey2002", "kim1990"],
    },
    value: FigureSpec::value("loss", Unit::Number).lower_is_better(),
    usual: false,
    ..MeasureCard::LOSS
};

impl MeasureMethod for S0 {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        check_correction(params)
    }

    fn measure(
        &self,
        _settings: &Params,
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
