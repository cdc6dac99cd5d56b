#![doc = include_str!("il3.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::matrix::symmetric::Symmetric;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::MISSING;
use crate::pair::statistics::{Both, CORRECTION, LEVEL, Samples, ZERO, check_correction};
use crate::params::{ParamProblem, Params};

/// Relative change of covariances. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il3;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il3",
        title: "IL3",
        summary: "mean relative change of the variances and covariances",
        family: Family::Loss,
        page: include_str!("il3.md"),
        params: &[MISSING, ZERO, CORRECTION, LEVEL],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["yancey2002", "sebe2002", "kim1990"],
    },
    value: FigureSpec::value("relative change", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

impl MeasureMethod for Il3 {
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
        let samples = Samples::of(task, context)?;
        loss(&samples, &samples.covariances(context)?, context)
    }
}

/// The loss of two files' covariances.
pub(crate) fn loss(
    samples: &Samples<'_>,
    covariances: &Both<Symmetric>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let mut changes = samples.changes();
    let order = covariances.original.order();
    // Fewer than two records have no covariance.
    for j in (0..order).filter(|_| samples.n_records() > 1) {
        for k in 0..=j {
            let (x, z) = (covariances.original.at(j, k), covariances.masked.at(j, k));
            let sd = |j: usize| covariances.original.at(j, j).sqrt();
            let statistic = if j == k { "variance" } else { "covariance" };
            changes.relative(statistic, (j, k), (x, z), sd(j) * sd(k))?;
        }
    }
    Ok(changes.finish(context))
}
