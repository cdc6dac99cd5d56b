#![doc = include_str!("il2.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, Measurement};
use crate::pair::statistics::{LossOfStatistics, PARAMS, Samples};

/// Relative change of means. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il2;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il2",
        title: "IL2",
        summary: "mean relative change of the means",
        page: include_str!("il2.md"),
        params: &PARAMS,
        scaling: Scaling::Record,
        references: &["yancey2002", "sebe2002", "kim1990"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("relative change", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

impl LossOfStatistics for Il2 {
    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn loss(
        &self,
        samples: &Samples<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let mut changes = samples.changes();
        if samples.n_records() > 0 {
            let (means, sizes) = (samples.means(), samples.mean_sizes());
            for (j, &size) in sizes.iter().enumerate() {
                let (x, z) = (means.original[j], means.masked[j]);
                changes.relative("mean", (j, j), (x, z), size)?;
            }
        }
        Ok(changes.finish(context))
    }
}
