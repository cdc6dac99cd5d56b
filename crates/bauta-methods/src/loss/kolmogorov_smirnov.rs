#![doc = include_str!("kolmogorov_smirnov.md")]

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::quantile::sorted_present;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part};
use crate::missing::{MISSING, Missing};
use crate::pair::variables::{TwoColumns, columns_of_both, mean_of_variables};
use crate::params::{ParamProblem, Params};

/// Largest distance between two distribution functions. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct KolmogorovSmirnov;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "kolmogorov-smirnov",
        title: "Kolmogorov-Smirnov distance",
        summary: "largest distance between the distribution functions of original and masked values, by variable",
        page: include_str!("kolmogorov_smirnov.md"),
        params: &[MISSING],
        scaling: Scaling::Rank,
        references: &["smirnov1948"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("mean distance", Unit::Number)
        .within(0.0, 1.0)
        .lower_is_better(),
    ..MeasureCard::LOSS
};

impl MeasureMethod for KolmogorovSmirnov {
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
        let pair = task.both()?;
        let columns = columns_of_both(task, *missing, context)?;
        let mut by_variable = Vec::new();
        for (done, column) in columns.iter().enumerate() {
            context.progress(done, columns.len())?;
            let distance = pair.given_back(|pair| {
                let column = TwoColumns::of(pair, column.name)?;
                let (x, z) = column.numbers()?;
                let (x, z) = rayon::join(|| sorted_present(x), || sorted_present(z));
                Ok::<_, MethodError>(largest_distance(&x, &z))
            })?;
            by_variable.push(Part::new(column.name, distance));
        }
        Ok(mean_of_variables(by_variable))
    }
}

/// sup |F - G| of two samples in order; none where one of them is empty.
fn largest_distance(x: &[f64], z: &[f64]) -> Option<f64> {
    let (n, m) = (x.len(), z.len());
    if n == 0 || m == 0 {
        return None;
    }
    // F = i/n and G = j/m differ by |i m - j n| / (n m): whole numbers, and no rounding before
    // the end.
    let (mut i, mut j, mut largest) = (0, 0, 0_u128);
    while i < n && j < m {
        let value = x[i].min(z[j]);
        // Both functions have jumped by all that is tied before they are compared.
        while i < n && x[i] <= value {
            i += 1;
        }
        while j < m && z[j] <= value {
            j += 1;
        }
        let (f, g) = (i as u128 * m as u128, j as u128 * n as u128);
        largest = largest.max(f.abs_diff(g));
    }
    Some(largest as f64 / (n as f64 * m as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        let of = |x: &[f64], z: &[f64]| largest_distance(x, z).unwrap();
        // F(2) = 2/4, G(2) = 0; then F(4) = 1, G(4) = 2/4: the largest is 1/2.
        let found = of(&[1.0, 2.0, 3.0, 4.0], &[3.0, 4.0, 5.0, 6.0]);
        assert_eq!(found.to_bits(), 0.5_f64.to_bits());
        // Ties: F(1) = 2/3, G(1) = 1/2.
        let found = of(&[1.0, 1.0, 2.0], &[1.0, 2.0]);
        assert!((found - 1.0 / 6.0).abs() < 1e-15);
        assert_eq!(of(&[1.0], &[2.0]).to_bits(), 1.0_f64.to_bits());
        // The two zeros are the same value.
        assert_eq!(of(&[-0.0, 1.0], &[0.0, 1.0]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(largest_distance(&[], &[1.0]), None);
    }
}
