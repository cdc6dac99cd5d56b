#![doc = include_str!("s2.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::il1s::{self, Il1s};
use crate::loss::il2::Il2;
use crate::loss::il4::Il4;
use crate::loss::il5::Il5;
use crate::loss::s0::{IL2, IL4, IL5};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject};
use crate::pair::statistics::{PARAMS, Samples, Settings, mean_of_members, member, members};
use crate::params::{ParamProblem, Params};

/// Mean of IL1s, IL2, IL4 and IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S2;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "s2",
        title: "Loss score s2",
        summary: "mean of IL1s, IL2, IL4 and IL5",
        page: include_str!("s2.md"),
        params: &PARAMS,
        scaling: Scaling::Record,
        references: &["yancey2002", "kim1990"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    figures: &[member(&il1s::CARD), IL2, IL4, IL5],
    usual: false,
    ..MeasureCard::LOSS
};

impl MeasureMethod for S2 {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Settings::asked(params)
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let il1s = Il1s.measure(&settings.missing, task, context)?;
        let mut losses = vec![(&il1s::CARD, il1s)];
        let samples = Samples::of(settings, task, context)?;
        losses.extend(members(&[&Il2, &Il4, &Il5], &samples, context)?);
        Ok(mean_of_members(task.on, &losses))
    }
}
