#![doc = include_str!("il2.md")]

use bauta_data::Attribute;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::MISSING;
use crate::pair::statistics::{CORRECTION, LEVEL, Samples, ZERO, check_correction};
use crate::params::{ParamProblem, Params};

/// Relative change of means. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il2;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il2",
        title: "IL2",
        summary: "mean relative change of the means",
        family: Family::Loss,
        page: include_str!("il2.md"),
        params: &[MISSING, ZERO, CORRECTION, LEVEL],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["yancey2002", "sebe2002", "kim1990"],
    },
    value: FigureSpec::value("relative change", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

impl MeasureMethod for Il2 {
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
