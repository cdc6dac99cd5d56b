#![doc = include_str!("d_score.md")]

use bauta_data::Attribute;

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::s1::{self, S1};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::pair::statistics::member;
use crate::params::{ParamProblem, Params};
use crate::score::a_score::{SCORE, SHARE, Settings, scored};

/// Mean of s1 and of the share re-identified. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct DScore;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "d-score",
        title: "Score of s1 and re-identification (Dscore)",
        summary: "mean of the loss s1 (single values by the symmetric IL1, and statistics) and of the share re-identified",
        page: include_str!("d_score.md"),
        ..SCORE.card
    },
    figures: &[member(&s1::CARD), SHARE],
    ..SCORE
};

impl MeasureMethod for DScore {
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
        let loss = S1.measure(&settings.statistics, task, context)?;
        scored(&s1::CARD, &loss, settings, task, context)
    }
}
