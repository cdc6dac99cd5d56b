#![doc = include_str!("il5.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::matrix::symmetric::Symmetric;
use crate::measure::{Matrix, MeasureCard, Measurement};
use crate::pair::statistics::{LossOfStatistics, PARAMS, Samples};

/// Change of correlations. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il5;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il5",
        title: "IL5",
        summary: "mean absolute change of the correlations",
        page: include_str!("il5.md"),
        params: &PARAMS,
        scaling: Scaling::Record,
        references: &["yancey2002", "sebe2002", "kim1990"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("change", Unit::Number)
        .within(0.0, 2.0)
        .lower_is_better(),
    ..MeasureCard::LOSS
};

impl LossOfStatistics for Il5 {
    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn loss(
        &self,
        samples: &Samples<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let covariances = samples.covariances(context)?;
        let mut changes = samples.changes();
        let order = covariances.original.order();
        let mut below_diagonal = Vec::with_capacity(order);
        for j in 0..order {
            let mut row = vec![None; j];
            // Fewer than two records have no correlation.
            for (k, entry) in row
                .iter_mut()
                .enumerate()
                .filter(|_| samples.n_records() > 1)
            {
                let in_original = correlation(&covariances.original, j, k);
                let in_masked = correlation(&covariances.masked, j, k);
                if let (Some(x), Some(z)) = (in_original, in_masked) {
                    changes.add((j, k), (x - z).abs())?;
                    *entry = Some(z - x);
                    continue;
                }
                let file = if in_original.is_none() {
                    "original"
                } else {
                    "masked file"
                };
                let statistic = changes.named("correlation", j, k);
                changes.undefined(format!("the {statistic} is not defined in the {file}"))?;
            }
            below_diagonal.push(row);
        }
        let mut found = changes.finish(context);
        found.matrices = vec![Matrix {
            name: "change of correlations".to_owned(),
            unit: "masked minus original".to_owned(),
            variables: samples.names().to_vec(),
            below_diagonal,
        }];
        Ok(found)
    }
}

/// A correlation; none where a variance is not positive, or where corrected covariances are those
/// of no file and give a correlation beyond 1.
fn correlation(covariances: &Symmetric, j: usize, k: usize) -> Option<f64> {
    let (var_j, var_k) = (covariances.at(j, j), covariances.at(k, k));
    if var_j <= 0.0 || var_k <= 0.0 {
        return None;
    }
    let r = covariances.at(j, k) / (var_j.sqrt() * var_k.sqrt());
    // Rounding alone can make slightly more than 1 of a perfect correlation.
    (r.abs() <= 1.0 + 1e-9).then(|| r.clamp(-1.0, 1.0))
}
