#![doc = include_str!("s_score.md")]

use bauta_data::Attribute;

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::s2::{self, S2};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::pair::statistics::member;
use crate::params::{ParamProblem, Params};
use crate::score::a_score::{SCORE, SHARE, Settings, scored};

/// Mean of s2 and of the share re-identified. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SScore;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "s-score",
        title: "Score of s2 and re-identification (Sscore)",
        summary: "mean of the loss s2 (single values by IL1s, and statistics) and of the share re-identified",
        page: include_str!("s_score.md"),
        ..SCORE.card
    },
    figures: &[member(&s2::CARD), SHARE],
    ..SCORE
};

impl MeasureMethod for SScore {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Settings::asked(params)
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.check(on)
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let loss = S2.measure(&settings.statistics, task, context)?;
        scored(&s2::CARD, &loss, settings, task, context)
    }
}
