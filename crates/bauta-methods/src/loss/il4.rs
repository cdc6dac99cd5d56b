#![doc = include_str!("il4.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, Measurement};
use crate::pair::statistics::{LossOfStatistics, PARAMS, Samples};

/// Relative change of variances. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il4;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il4",
        title: "IL4",
        summary: "mean relative change of the variances",
        page: include_str!("il4.md"),
        params: &PARAMS,
        scaling: Scaling::Record,
        references: &["yancey2002", "sebe2002", "kim1990"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("relative change", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

impl LossOfStatistics for Il4 {
    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn loss(
        &self,
        samples: &Samples<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let variances = samples.variances(context)?;
        let mut changes = samples.changes();
        // Fewer than two records have no variance.
        if samples.n_records() > 1 {
            let both = variances.original.iter().zip(&variances.masked);
            for (j, (&x, &z)) in both.enumerate() {
                changes.relative("variance", (j, j), (x, z), 0.0)?;
            }
        }
        Ok(changes.finish(context))
    }
}
