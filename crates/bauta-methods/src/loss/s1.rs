#![doc = include_str!("s1.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::loss::il1_symmetric::Il1Symmetric;
use crate::loss::s0::statistics;
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::pair::records::MISSING;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction, mean_of_losses};
use crate::params::{ParamProblem, Params};

/// Mean of the symmetric IL1 and of IL2 to IL5. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct S1;

static CARD: Card = Card {
    id: "s1",
    title: "Loss score s1",
    summary: "mean of the symmetric IL1 and of IL2, IL3, IL4 and IL5",
    family: Family::Loss,
    page: include_str!("s1.md"),
    params: &[MISSING, ZERO, CORRECTION, LEVEL],
    targets: Targets::CONTENT,
    randomness: Randomness::None,
    references: &["yancey2002", "kim1990"],
};

impl Measure for S1 {
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
        let il1 = Il1Symmetric.measure(task, context)?;
        let others = statistics(&Samples::of(task, context)?, context)?;
        let mut losses = vec![("il1-symmetric", &il1)];
        losses.extend(others.iter().map(|(name, loss)| (*name, loss)));
        Ok(mean_of_losses(task.on, &losses))
    }
}
