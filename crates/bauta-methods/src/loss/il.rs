#![doc = include_str!("il.md")]

use bauta_data::Attribute;

use crate::card::{Card, ConstValue, Family, ParamDefault, ParamSpec, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::loss::il1;
use crate::loss::s0::statistics;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::MISSING;
use crate::pair::records::CORRESPONDENCE;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction, mean_of_losses};
use crate::params::{ParamProblem, Params};

/// Sebé's information loss. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il;

/// The paper compares each masked record with the nearest original.
pub(crate) const NEAREST_UNLESS_TOLD: ParamSpec = ParamSpec {
    default: ParamDefault::Value(ConstValue::Text("nearest")),
    ..CORRESPONDENCE
};

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il",
        title: "Information loss IL",
        summary: "mean of IL1 to IL5, with IL1 against the nearest original record",
        family: Family::Loss,
        page: include_str!("il.md"),
        params: &[NEAREST_UNLESS_TOLD, MISSING, ZERO, CORRECTION, LEVEL],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["sebe2002", "kim1990"],
    },
    value: FigureSpec::value("loss", Unit::Number).lower_is_better(),
    usual: false,
    ..MeasureCard::LOSS
};

impl MeasureMethod for Il {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        check_correction(params)
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let others = statistics(&Samples::of(task, context)?, context)?;
        Ok(with_il1(&il1::of_matched(task, context)?, &others, task))
    }
}

/// The loss of a task whose masked records are already traced to the originals that they are to be
/// compared with. The task's card needs the parameter `missing`; without `zero` and `correction`
/// their defaults hold.
pub fn of_traced(
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let others = statistics(&Samples::of(task, context)?, context)?;
    Ok(with_il1(&il1::of_traced(task, context)?, &others, task))
}

fn with_il1(
    il1: &Measurement,
    others: &[(&'static str, Measurement)],
    task: &MeasureTask<'_>,
) -> Measurement {
    let mut losses = vec![("il1", il1)];
    losses.extend(others.iter().map(|(name, loss)| (*name, loss)));
    mean_of_losses(task.on, &losses)
}
