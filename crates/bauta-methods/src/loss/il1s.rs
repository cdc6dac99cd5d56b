#![doc = include_str!("il1s.md")]

use std::f64::consts::SQRT_2;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::pair::cell_means::{mean_of_cells, too_far};
use crate::pair::records::{MISSING, VariablePair, zero_sd};

/// Distance between original and masked values in standard deviations. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il1s;

static CARD: Card = Card {
    id: "il1s",
    title: "IL1s",
    summary: "mean distance between original and masked values, in standard deviations of the original",
    family: Family::Loss,
    page: include_str!("il1s.md"),
    params: &[MISSING],
    targets: Targets::CONTENT,
    randomness: Randomness::None,
    references: &["yancey2002", "mateo2004"],
};

impl Measure for Il1s {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn subject(&self) -> Subject {
        Subject::CorrespondingPair
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
            value_name: "mean distance",
        }
    }

    fn measure(
        &self,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        mean_of_cells(task, context, scaled_distances, |variable| {
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
