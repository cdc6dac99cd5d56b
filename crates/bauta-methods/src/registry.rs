//! Every method there is, in display order. A new method adds one line here and nothing elsewhere.

use crate::adjust::Adjuster;
use crate::card::Card;
use crate::mask::Mask;
use crate::measure::Measure;
use crate::{adjust, loss, mask, risk, score};

/// The masks.
pub const MASKS: &[&dyn Mask] = &[
    &mask::drop_identifiers::DropIdentifiers,
    &mask::renumber::Renumber,
    &mask::recode::Recode,
    &mask::suppress_local::SuppressLocal,
    &mask::suppress_records::SuppressRecords,
    &mask::recode_rare::RecodeRare,
    &mask::top_bottom::TopBottom,
    &mask::round::Round,
    &mask::sample::Sample,
    &mask::flip_rare::FlipRare,
    &mask::rank_swap::RankSwap,
    &mask::noise_additive::NoiseAdditive,
    &mask::noise_correlated::NoiseCorrelated,
    &mask::noise_mixture::NoiseMixture,
    &mask::scale_back::ScaleBack,
    &mask::noise_multiplicative::NoiseMultiplicative,
    &mask::noise_swap::NoiseSwap,
    &mask::resample::Resample,
    &mask::jpeg::Jpeg,
    &mask::mdav::Mdav,
    &mask::max_distance::MaxDistance,
    &mask::individual_ranking::IndividualRanking,
    &mask::projection::Projection,
    &mask::synth_normal::SynthNormal,
    &mask::synthesize::Synthesize,
];

/// The adjusters.
pub const ADJUSTERS: &[&dyn Adjuster] = &[
    &adjust::calibrate::Calibrate,
    &adjust::subsample_calibrate::SubsampleCalibrate,
    &adjust::post_mask::PostMask,
];

/// The measures: risks first, then losses, then what weighs them.
pub const MEASURES: &[&dyn Measure] = &[
    &risk::k_anonymity::KAnonymity,
    &risk::l_diversity::LDiversity,
    &risk::t_closeness::TCloseness,
    &risk::individual_risk::IndividualRisk,
    &risk::reversal::Reversal,
    &risk::global_risk::GlobalRisk,
    &risk::poisson_risk::PoissonRisk,
    &risk::key_contribution::KeyContribution,
    &risk::dld::Dld,
    &risk::pld::Pld,
    &risk::interval_rank::IntervalRank,
    &risk::interval_sd::IntervalSd,
    &loss::il1::Il1,
    &loss::il1_symmetric::Il1Symmetric,
    &loss::il1s::Il1s,
    &loss::il2::Il2,
    &loss::il3::Il3,
    &loss::il4::Il4,
    &loss::il5::Il5,
    &loss::s0::S0,
    &loss::s1::S1,
    &loss::s2::S2,
    &loss::il::Il,
    &loss::file_loss::FileLoss,
    &loss::moments::Moments,
    &loss::hellinger::Hellinger,
    &loss::kolmogorov_smirnov::KolmogorovSmirnov,
    &loss::eigenvalue_distance::EigenvalueDistance,
    &loss::univariate_summary::UnivariateSummary,
    &loss::suppressed_cells::SuppressedCells,
    &loss::recoding_loss::RecodingLoss,
    &loss::category_distance::CategoryDistance,
    &loss::kappa::Kappa,
    &loss::rates::Rates,
    &loss::weighted_estimates::WeightedEstimates,
    &loss::logistic_regression::LogisticRegression,
    &loss::linear_regression::LinearRegression,
    &loss::correspondence_analysis::CorrespondenceAnalysis,
    &score::score::Score,
    &score::a_score::AScore,
    &score::d_score::DScore,
    &score::s_score::SScore,
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
