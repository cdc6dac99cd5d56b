#![doc = include_str!("il2.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::pair::records::MISSING;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction};
use crate::params::{ParamProblem, Params};

/// Relative change of means. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il2;

static CARD: Card = Card {
    id: "il2",
    title: "IL2",
    summary: "mean relative change of the means",
    family: Family::Loss,
    page: include_str!("il2.md"),
    params: &[MISSING, ZERO, CORRECTION, LEVEL],
    targets: Targets::CONTENT,
    randomness: Randomness::None,
    references: &["yancey2002", "sebe2002", "kim1990"],
};

impl Measure for Il2 {
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
        loss(&Samples::of(task, context)?, context)
    }
}

/// The loss of two files' means.
pub(crate) fn loss(
    samples: &Samples<'_>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let mut changes = samples.changes();
    if samples.n_records() > 0 {
        let (means, sizes) = (samples.means(), samples.mean_sizes());
        for (j, &size) in sizes.iter().enumerate() {
            let (x, z) = (means.original[j], means.masked[j]);
            changes.relative("mean", (j, j), (x, z), size)?;
        }
    }
    Ok(changes.finish(context))
}
