#![doc = include_str!("s0.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::FigureSpec;
use crate::loss::{il2, il3, il4, il5};
use crate::measure::{MeasureCard, Measurement};
use crate::pair::statistics::{
    LossOfStatistics, Member, PARAMS, Samples, mean_of_members, member, members,
};

/// Mean of IL2 to IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S0;

pub(crate) const IL2: FigureSpec = member(&il2::CARD);
pub(crate) const IL3: FigureSpec = member(&il3::CARD);
pub(crate) const IL4: FigureSpec = member(&il4::CARD);
pub(crate) const IL5: FigureSpec = member(&il5::CARD);

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "s0",
        title: "Loss score s0",
        summary: "mean of IL2, IL3, IL4 and IL5: how far means, covariances, variances and correlations changed",
        page: include_str!("s0.md"),
        params: &PARAMS,
        scaling: Scaling::Record,
        references: &["yancey2002", "kim1990"],
        ..MeasureCard::LOSS.card
    },
    figures: &[IL2, IL3, IL4, IL5],
    usual: false,
    ..MeasureCard::LOSS
};

impl LossOfStatistics for S0 {
    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn loss(
        &self,
        samples: &Samples<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let losses = il2_to_il5(samples, context)?;
        Ok(mean_of_members(samples.names(), &losses))
    }
}

/// IL2 to IL5.
pub(crate) fn il2_to_il5(
    samples: &Samples<'_>,
    context: &RunContext<'_>,
) -> Result<Vec<Member>, MethodError> {
    members(
        &[&il2::Il2, &il3::Il3, &il4::Il4, &il5::Il5],
        samples,
        context,
    )
}
