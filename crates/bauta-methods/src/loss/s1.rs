#![doc = include_str!("s1.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::il1_symmetric::{self, Il1Symmetric};
use crate::loss::s0::{IL2, IL3, IL4, IL5, il2_to_il5};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject};
use crate::pair::statistics::{PARAMS, Samples, Settings, mean_of_members, member};
use crate::params::{ParamProblem, Params};

/// Mean of the symmetric IL1 and of IL2 to IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S1;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "s1",
        title: "Loss score s1",
        summary: "mean of the symmetric IL1 and of IL2, IL3, IL4 and IL5",
        page: include_str!("s1.md"),
        params: &PARAMS,
        scaling: Scaling::Record,
        references: &["yancey2002", "kim1990"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    figures: &[member(&il1_symmetric::CARD), IL2, IL3, IL4, IL5],
    usual: false,
    ..MeasureCard::LOSS
};

impl MeasureMethod for S1 {
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
        let il1 = Il1Symmetric.measure(&settings.missing, task, context)?;
        let mut losses = vec![(&il1_symmetric::CARD, il1)];
        losses.extend(il2_to_il5(&Samples::of(settings, task, context)?, context)?);
        Ok(mean_of_members(task.on, &losses))
    }
}
