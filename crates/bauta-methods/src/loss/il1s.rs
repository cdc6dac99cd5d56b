#![doc = include_str!("il1s.md")]

use std::f64::consts::SQRT_2;

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject};
use crate::missing::{MISSING, Missing};
use crate::pair::cell_means::{CellFigure, VariableScale, mean_of_cells, too_far};
use crate::pair::records::zero_sd;
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
        scaling: Scaling::Record,
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
        mean_of_cells(*missing, task, context, &ScaledDistance)
    }
}

/// |x - z| / (√2 S), with 0 for a cell that did not change whatever S is.
struct ScaledDistance;

impl CellFigure for ScaledDistance {
    fn fill(&self, of: VariableScale, original: &[f64], masked: &[f64], distances: &mut [f64]) {
        let cells = distances.iter_mut().zip(original).zip(masked);
        if of.sd > 0.0 {
            let unit = SQRT_2 * of.sd;
            cells.for_each(|((distance, x), z)| *distance = (x - z).abs() / unit);
        } else {
            cells.for_each(|((found, x), z)| {
                let distance = (x - z).abs();
                *found = if distance > 0.0 {
                    f64::INFINITY
                } else {
                    distance
                };
            });
        }
    }

    fn not_finite(&self, name: &str, of: VariableScale) -> MethodError {
        if of.sd == 0.0 {
            zero_sd(name)
        } else {
            too_far(name)
        }
    }
}
