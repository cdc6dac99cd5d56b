//! Every method there is, in display order. A new method adds one line here and nothing elsewhere.

use crate::adjust::Adjuster;
use crate::card::Card;
use crate::mask::Mask;
use crate::measure::Measure;
use crate::{loss, mask, risk};

/// The masks.
pub const MASKS: &[&dyn Mask] = &[
    &mask::drop_identifiers::DropIdentifiers,
    &mask::recode::Recode,
    &mask::top_bottom::TopBottom,
    &mask::rank_swap::RankSwap,
    &mask::noise_additive::NoiseAdditive,
    &mask::mdav::Mdav,
    &mask::max_distance::MaxDistance,
    &mask::individual_ranking::IndividualRanking,
    &mask::projection::Projection,
];

/// The adjusters.
pub const ADJUSTERS: &[&dyn Adjuster] = &[];

/// The measures: risks first, then losses.
pub const MEASURES: &[&dyn Measure] = &[
    &risk::k_anonymity::KAnonymity,
    &risk::individual_risk::IndividualRisk,
    &risk::interval_sd::IntervalSd,
    &loss::il1s::Il1s,
    &loss::univariate_summary::UnivariateSummary,
];

/// The mask with this name.
pub fn mask(id: &str) -> Option<&'static dyn Mask> {
    MASKS.iter().copied().find(|mask| mask.card().id == id)
}

/// The adjuster with this name.
pub fn adjuster(id: &str) -> Option<&'static dyn Adjuster> {
    ADJUSTERS
        .iter()
        .copied()
        .find(|adjuster| adjuster.card().id == id)
}

/// The measure with this name.
pub fn measure(id: &str) -> Option<&'static dyn Measure> {
    MEASURES
        .iter()
        .copied()
        .find(|measure| measure.card().id == id)
}

/// Every card, in display order.
pub fn cards() -> impl Iterator<Item = &'static Card> + Clone {
    let masks = MASKS.iter().map(|mask| mask.card());
    let adjusters = ADJUSTERS.iter().map(|adjuster| adjuster.card());
    let measures = MEASURES.iter().map(|measure| measure.card());
    masks.chain(adjusters).chain(measures)
}

/// The card with this name.
pub fn card(id: &str) -> Option<&'static Card> {
    cards().find(|card| card.id == id)
}
