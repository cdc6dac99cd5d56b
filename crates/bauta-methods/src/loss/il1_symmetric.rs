#![doc = include_str!("il1_symmetric.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Subject};
use crate::missing::{MISSING, Missing};
use crate::pair::cell_means::mean_of_cells;
use crate::params::{ParamProblem, Params};

/// Distance between original and masked values, relative to both. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il1Symmetric;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il1-symmetric",
        title: "Symmetric IL1",
        summary: "mean distance between original and masked values, relative to the mean of their sizes",
        page: include_str!("il1_symmetric.md"),
        params: &[MISSING],
        scaling: Scaling::Record,
        references: &["yancey2002"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("relative distance", Unit::Number)
        .within(0.0, 2.0)
        .lower_is_better(),
    usual: false,
    ..MeasureCard::LOSS
};

impl MeasureMethod for Il1Symmetric {
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
        mean_of_cells(*missing, task, context, &relative)
    }
}

/// |x - z| / (0.5 (|x| + |z|)), and 0 where nothing changed.
fn relative(x: f64, z: f64) -> f64 {
    let distance = (x - z).abs();
    if distance == 0.0 {
        return 0.0;
    }
    let size = x.abs() + z.abs();
    if size.is_infinite() {
        // A ratio does not change when both values are halved.
        return relative(0.5 * x, 0.5 * z);
    }
    2.0 * (distance / size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_signs_and_extremes() {
        // |1 - 3| / (0.5 * 4) = 1; from or to 0, and from one sign to the other, is always 2.
        let found = [
            (1.0, 3.0),
            (0.0, 0.0),
            (0.0, 5e-324),
            (-7.0, 0.0),
            (-1e308, 1.5e308),
            (1e308, 1e308),
        ]
        .map(|(x, z)| relative(x, z));
        let expected: [f64; 6] = [1.0, 0.0, 2.0, 2.0, 2.0, 0.0];
        assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits));
        assert!(relative(f64::NAN, 1.0).is_nan() && relative(1.0, f64::NAN).is_nan());
    }
}
