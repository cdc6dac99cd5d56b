#![doc = include_str!("il4.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::pair::records::MISSING;
use crate::pair::statistics::{Both, CORRECTION, LEVEL, Samples, ZERO, check_correction};
use crate::params::{ParamProblem, Params};

/// Relative change of variances. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il4;

static CARD: Card = Card {
    id: "il4",
    title: "IL4",
    summary: "mean relative change of the variances",
    family: Family::Loss,
    page: include_str!("il4.md"),
    params: &[MISSING, ZERO, CORRECTION, LEVEL],
    targets: Targets::CONTENT,
    randomness: Randomness::None,
    references: &["yancey2002", "sebe2002", "kim1990"],
};

impl Measure for Il4 {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn subject(&self) -> Subject {
        Subject::Pair
    }

    fn scope(&self) -> Scope {
        Scope::Variables
    }

    fn reading(&self) -> Reading {
        Reading {
            min: 0.0,
            max: f64::INFINITY,
            better: Better::Lower,
            at_identity: Some(0.0),
            value_name: "relative change",
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
        let samples = Samples::of(task, context)?;
        loss(&samples, &samples.variances(context)?, context)
    }
}

/// The loss of two files' variances.
pub(crate) fn loss(
    samples: &Samples<'_>,
    variances: &Both<Vec<f64>>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let mut changes = samples.changes();
    // Fewer than two records have no variance.
    if samples.n_records() > 1 {
        let both = variances.original.iter().zip(&variances.masked);
        for (j, (&x, &z)) in both.enumerate() {
            changes.relative("variance", (j, j), (x, z), 0.0)?;
        }
    }
    Ok(changes.finish(context))
}
