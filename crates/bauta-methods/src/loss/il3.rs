#![doc = include_str!("il3.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, Measurement};
use crate::pair::statistics::{LossOfStatistics, PARAMS, Samples};

/// Relative change of covariances. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il3;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il3",
        title: "IL3",
        summary: "mean relative change of the variances and covariances",
        page: include_str!("il3.md"),
        params: &PARAMS,
        scaling: Scaling::Record,
        references: &["yancey2002", "sebe2002", "kim1990"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("relative change", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

impl LossOfStatistics for Il3 {
    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn loss(
        &self,
        samples: &Samples<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let covariances = samples.covariances(context)?;
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
}
