#![doc = include_str!("il1s.md")]

use std::f64::consts::SQRT_2;

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject};
use crate::missing::{MISSING, Missing};
use crate::pair::cell_means::{mean_of_cells, too_far};
use crate::pair::records::{VariablePair, zero_sd};
use crate::params::{ParamProblem, Params};

/// Distance between original and masked values in standard deviations. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il1s;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il1s",
        title: "IL1s",
        summary: "mean distance between original and masked values, in standard deviations of the original",
        page: include_str!("il1s.md"),
        params: &[MISSING],
        references: &["yancey2002", "mateo2004"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("mean distance", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

impl MeasureMethod for Il1s {
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
        mean_of_cells(*missing, task, context, scaled_distances, |variable| {
            if variable.sd == 0.0 {
                zero_sd(variable.name)
            } else {
                too_far(variable)
            }
        })
    }
}

/// |x - z| / (√2 S), with 0 for a cell that did not change whatever S is.
fn scaled_distances(variable: &VariablePair<'_>, first: usize, distances: &mut [f64]) {
    if variable.sd > 0.0 {
        let unit = SQRT_2 * variable.sd;
        variable.fill(first, distances, |x, z| (x - z).abs() / unit);
    } else {
        variable.fill(first, distances, |x, z| {
            let distance = (x - z).abs();
            if distance > 0.0 {
                f64::INFINITY
            } else {
                distance
            }
        });
    }
}
