#![doc = include_str!("il.md")]

use crate::card::{Card, ParamSpec};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::il1::{self, Il1};
use crate::loss::s0::{IL2, IL3, IL4, IL5, il2_to_il5};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::MISSING;
use crate::pair::records::{CORRESPONDENCE, Correspondence};
use crate::pair::statistics::{
    self, CORRECTION, LEVEL, Member, Samples, ZERO, mean_of_members, member,
};
use crate::params::{ParamProblem, Params};

/// Sebé's information loss. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il;

/// The paper compares each masked record with the nearest original.
pub(crate) const NEAREST_UNLESS_TOLD: ParamSpec = CORRESPONDENCE.or_word("nearest");

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il",
        title: "Information loss IL",
        summary: "mean of IL1 to IL5, with IL1 against the nearest original record",
        page: include_str!("il.md"),
        params: &[NEAREST_UNLESS_TOLD, MISSING, ZERO, CORRECTION, LEVEL],
        references: &["sebe2002", "kim1990"],
        ..MeasureCard::LOSS.card
    },
    figures: &[member(&il1::CARD), IL2, IL3, IL4, IL5],
    usual: false,
    ..MeasureCard::LOSS
};

/// Which records IL1 compares, and how the statistics are compared.
pub struct Settings {
    correspondence: Option<Correspondence>,
    statistics: statistics::Settings,
}

impl MeasureMethod for Il {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            correspondence: Correspondence::asked(params),
            statistics: statistics::Settings::asked(params)?,
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let samples = Samples::of(&settings.statistics, task, context)?;
        let others = il2_to_il5(&samples, context)?;
        let of_il1 = il1::Settings {
            correspondence: settings.correspondence,
            missing: settings.statistics.missing,
        };
        Ok(with_il1(Il1.measure(&of_il1, task, context)?, others, task))
    }
}

/// The loss of a task whose masked records are already traced to the originals that they are to be
/// compared with.
pub(crate) fn of_traced(
    settings: &statistics::Settings,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let others = il2_to_il5(&Samples::of(settings, task, context)?, context)?;
    let il1 = il1::of_traced(settings.missing, task, context)?;
    Ok(with_il1(il1, others, task))
}

fn with_il1(il1: Measurement, others: Vec<Member>, task: &MeasureTask<'_>) -> Measurement {
    let mut losses = vec![(&il1::CARD, il1)];
    losses.extend(others);
    mean_of_members(task.on, &losses)
}
