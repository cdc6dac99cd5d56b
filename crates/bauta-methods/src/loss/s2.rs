#![doc = include_str!("s2.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::il1s::Il1s;
use crate::loss::{il2, il4, il5};
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::pair::records::MISSING;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction, mean_of_losses};
use crate::params::{ParamProblem, Params};

/// Mean of IL1s, IL2, IL4 and IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S2;

static CARD: Card = Card {
    id: "s2",
    title: "Loss score s2",
    summary: "mean of IL1s, IL2, IL4 and IL5",
    family: Family::Loss,
    page: include_str!("s2.md"),
    params: &[MISSING, ZERO, CORRECTION, LEVEL],
    targets: Targets::CONTENT,
    randomness: Randomness::None,
    references: &["yancey2002", "kim1990"],
};

impl Measure for S2 {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn subject(&self) -> Subject {
        Subject::CorrespondingPair
    }

    fn scope(&self) -> Scope {
        Scope::Variables
    }

    fn is_usual(&self) -> bool {
        false
    }

    fn reading(&self) -> Reading {
        Reading {
            min: 0.0,
            max: f64::INFINITY,
            better: Better::Lower,
            at_identity: Some(0.0),
            value_name: "loss",
        }
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        check_correction(params)
    }

    fn measure(
        &self,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let il1s = Il1s.measure(task, context)?;
        let samples = Samples::of(task, context)?;
        let covariances = samples.covariances(context)?;
        let il2 = il2::loss(&samples, context)?;
        let il4 = il4::loss(&samples, &covariances.variances(), context)?;
        let il5 = il5::loss(&samples, &covariances, context)?;
        let losses = [("il1s", &il1s), ("il2", &il2), ("il4", &il4), ("il5", &il5)];
        Ok(mean_of_losses(task.on, &losses))
    }
}
