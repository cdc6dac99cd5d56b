#![doc = include_str!("il4.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::MISSING;
use crate::pair::statistics::{Both, CORRECTION, LEVEL, Samples, ZERO, check_correction};
use crate::params::{ParamProblem, Params};

/// Relative change of variances. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il4;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il4",
        title: "IL4",
        summary: "mean relative change of the variances",
        family: Family::Loss,
        page: include_str!("il4.md"),
        params: &[MISSING, ZERO, CORRECTION, LEVEL],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["yancey2002", "sebe2002", "kim1990"],
    },
    value: FigureSpec::value("relative change", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

impl MeasureMethod for Il4 {
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
