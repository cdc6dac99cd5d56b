#![doc = include_str!("interval_sd.md")]

use std::ops::Range;

use crate::card::{Card, Family, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::streamed::each_stretch;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject, Threat};
use crate::missing::{MISSING, Missing};
use crate::pair::interval_widths::{
    N_WIDTHS, WIDTHS, WidthShares, add_counts, count_misses, held_by_width,
};
use crate::pair::records::variable_pairs;
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
        scaling: Scaling::Record,
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
        let mut shares = WidthShares::new(task.both()?.masked.n_records(), context);
        for (done, variable) in variables.iter().enumerate() {
            context.progress(done, variables.len())?;
            let wants_records = shares.wants_records();
            let of_records = |records: Range<usize>| {
                let values = variable.of_records(records.clone());
                let misses = first_widths(variable.sd, values.pairs());
                let counts = count_misses(&misses);
                (records.start, counts, wants_records.then_some(misses))
            };
            let n = variable.n_records();
            let mut all = [0; N_WIDTHS + 1];
            for (first, counts, misses) in each_stretch(n, variable.stretch(), &of_records) {
                all = add_counts(all, counts);
                shares.add_records(first, &misses.unwrap_or_default());
            }
            shares.add(variable.name, all.iter().sum(), held_by_width(all));
        }
        Ok(shares.finish())
    }
}

/// For each record the first width that holds its distance, or `N_WIDTHS` if none does; NaN where
/// a value is missing.
fn first_widths(sd: f64, values: impl Iterator<Item = (f64, f64)>) -> Vec<f64> {
    let half_widths: Vec<f64> = WIDTHS.map(|width| f64::from(width) / 100.0 * sd).collect();
    let first_width = |(x, z): (f64, f64)| {
        let distance = (x - z).abs();
        if distance.is_nan() {
            return distance;
        }
        half_widths.partition_point(|half| *half < distance) as f64
    };
    values.map(first_width).collect()
}
