#![doc = include_str!("interval_sd.md")]

use rayon::prelude::*;

use crate::card::{Card, Family};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject, Threat};
use crate::missing::{MISSING, Missing};
use crate::pair::interval_widths::{WIDTHS, WidthShares, hits_by_width};
use crate::pair::records::{VariablePair, variable_pairs};
use crate::params::{ParamProblem, Params};

/// Share of original values near their masked value, in standard deviations. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct IntervalSd;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "interval-sd",
        title: "Interval disclosure by standard deviation (SDID)",
        summary: "share of original values within 1 to 10 % of a standard deviation of their masked value",
        family: Family::Risk,
        page: include_str!("interval_sd.md"),
        params: &[MISSING],
        references: &["mateo2004"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    at_identity: Some(1.0),
    value: FigureSpec::value("share disclosed", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    threat: Threat::Inference,
    ..MeasureCard::LOSS
};

impl MeasureMethod for IntervalSd {
    type Settings = Missing;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Missing, Vec<ParamProblem>> {
        Ok(Missing::asked(params))
    }

    fn measure(
        &self,
        missing: &Missing,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let variables = variable_pairs(*missing, task, context)?;
        let mut shares = WidthShares::new(task.both()?.masked.n_records());
        for (done, variable) in variables.iter().enumerate() {
            context.progress(done, variables.len())?;
            let first_widths = first_widths(variable);
            let by_width = hits_by_width(&first_widths);
            shares.add(variable.name, &first_widths, by_width);
        }
        Ok(shares.finish())
    }
}

/// For each record the first width that holds its distance, or `N_WIDTHS` if none does; NaN where
/// a value is missing.
fn first_widths(variable: &VariablePair<'_>) -> Vec<f64> {
    let half_widths: Vec<f64> = WIDTHS
        .map(|width| f64::from(width) / 100.0 * variable.sd)
        .collect();
    let mut distances = variable.distances();
    distances
        .par_iter_mut()
        .with_min_len(4096)
        .filter(|distance| !distance.is_nan())
        .for_each(|distance| {
            *distance = half_widths.partition_point(|half| half < distance) as f64;
        });
    distances
}
