#![doc = include_str!("s2.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::loss::il1s::Il1s;
use crate::loss::{il2, il4, il5};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject};
use crate::missing::MISSING;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction, mean_of_losses};
use crate::params::{ParamProblem, Params};

/// Mean of IL1s, IL2, IL4 and IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S2;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "s2",
        title: "Loss score s2",
        summary: "mean of IL1s, IL2, IL4 and IL5",
        family: Family::Loss,
        page: include_str!("s2.md"),
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

impl MeasureMethod for S2 {
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
        let il1s = Il1s.measure(task.params, task, context)?;
        let samples = Samples::of(task, context)?;
        let covariances = samples.covariances(context)?;
        let il2 = il2::loss(&samples, context)?;
        let il4 = il4::loss(&samples, &covariances.variances(), context)?;
        let il5 = il5::loss(&samples, &covariances, context)?;
        let losses = [("il1s", &il1s), ("il2", &il2), ("il4", &il4), ("il5", &il5)];
        Ok(mean_of_losses(task.on, &losses))
    }
}
