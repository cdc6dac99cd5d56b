#![doc = include_str!("s1.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::loss::il1_symmetric::Il1Symmetric;
use crate::loss::s0::statistics;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject};
use crate::missing::MISSING;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction, mean_of_losses};
use crate::params::{ParamProblem, Params};

/// Mean of the symmetric IL1 and of IL2 to IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S1;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "s1",
        title: "Loss score s1",
        summary: "mean of the symmetric IL1 and of IL2, IL3, IL4 and IL5",
        family: Family::Loss,
        page: include_str!("s1.md"),
        params: &[MISSING, ZERO, CORRECTION, LEVEL],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["yancey2002", "kim1990"],
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("loss", Unit::Number).lower_is_better(),
    usual: false,
    ..MeasureCard::LOSS
};

impl MeasureMethod for S1 {
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
        let il1 = Il1Symmetric.measure(task.params, task, context)?;
        let others = statistics(&Samples::of(task, context)?, context)?;
        let mut losses = vec![("il1-symmetric", &il1)];
        losses.extend(others.iter().map(|(name, loss)| (*name, loss)));
        Ok(mean_of_losses(task.on, &losses))
    }
}
