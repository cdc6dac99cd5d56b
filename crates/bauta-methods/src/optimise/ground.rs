//! What does not move: the original file, arranged for search, and the moments that are aimed at.

use super::Start;
use super::moments::Terms;
use super::settings::{Il1Scale, Rounding, Settings};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::grid::{decimals_needed, round_to};
use crate::kernel::numbers::moments::finite_moments;
use crate::kernel::space::nearest::NearestTree;
use crate::kernel::space::points::Points;

/// Decimals beyond which values are on no grid that anybody sees.
const MOST_DECIMALS: u8 = 12;

/// One variable of the original.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    pub(super) mean: f64,
    pub(super) sd: f64,
    low: f64,
    high: f64,
    /// Decimals that values are rounded to; none where they are not.
    decimals: Option<u8>,
}

impl Variable {
    /// A value of the original's kind: within its range, and rounded if asked for.
    pub(super) fn fit(&self, value: f64) -> f64 {
        let value = self
            .decimals
            .map_or(value, |decimals| round_to(value, decimals));
        value.clamp(self.low, self.high)
    }

    /// In standard deviations from the mean.
    pub(super) fn standardised(&self, value: f64) -> f64 {
        (value - self.mean) / self.sd
    }
}

/// What does not move.
pub(super) struct Ground {
    pub(super) variables: Vec<Variable>,
    /// The original records, standardised.
    pub(super) points: Points,
    pub(super) tree: NearestTree,
    /// The same row by row, as IL1 compares them.
    compared: Vec<f64>,
    scale: Il1Scale,
    pub(super) terms: Terms,
    /// Moments of the original.
    pub(super) targets: Vec<f64>,
    /// Weight of each term.
    pub(super) weights: Vec<f64>,
    /// Number of masked records.
    pub(super) n_masked: usize,
    /// Original values of each variable in rising order; empty where ranks are not asked for.
    sorted: Vec<Vec<f64>>,
    /// How many original values lie below that of each record, by variable.
    ranks: Vec<Vec<u32>>,
}

impl Ground {
    pub(super) fn of(
        start: &Start<'_>,
        settings: &Settings,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        let mut variables = Vec::new();
        let mut all_moments = Vec::new();
        for ((name, x), masked) in start.names.iter().zip(start.original).zip(start.masked) {
            let moments = finite_moments(name, x)?;
            let fold = |end: f64, pick: fn(f64, f64) -> f64| x.iter().copied().fold(end, pick);
            variables.push(Variable {
                mean: moments.mean,
                sd: moments.sd,
                low: fold(f64::INFINITY, f64::min),
                high: fold(f64::NEG_INFINITY, f64::max),
                decimals: match settings.rounding {
                    Rounding::None => None,
                    Rounding::AsOriginal => Some(decimals_needed(x)),
                    Rounding::AsMasked => Some(decimals_needed(masked)),
                }
                .filter(|decimals| *decimals <= MOST_DECIMALS),
            });
            all_moments.push(moments);
        }
        let masked = start.names.iter().zip(start.masked).zip(&variables);
        for ((name, x), variable) in masked {
            let is_number = |x: &f64| variable.standardised(*x).is_finite();
            if variable.sd <= 0.0 || !x.iter().all(is_number) {
                return Err(MethodError::data(
                    name,
                    "its values cannot be stated in standard deviations of the original: they are too near to each other, or too far apart",
                    "state the variable in another unit, or leave it out",
                ));
            }
        }
        context.go_on()?;
        let points = Points::standardised(start.original, &all_moments);
        let terms = Terms::up_to(variables.len(), settings.order);
        let n = points.len() as f64;
        let rows = rows_of(&points, variables.len());
        let targets = terms.sums(&rows, variables.len());
        let targets = targets.into_iter().map(|sum| sum / n).collect();
        let weights = terms.terms.iter();
        let weights = weights.map(|term| settings.weights[term.degree as usize - 1]);
        context.go_on()?;
        let compared = match settings.scale {
            Il1Scale::Standardised => rows,
            Il1Scale::Original => by_row(start.original),
        };
        let ranked = start.original.iter().filter(|_| settings.weight_id > 0.0);
        let sorted: Vec<Vec<f64>> = ranked.map(|x| in_order(x)).collect();
        let ranks = sorted.iter().zip(start.original).map(|(sorted, x)| {
            let rank = |x: &f64| n_below(sorted, *x) as u32;
            x.iter().map(rank).collect()
        });
        let ranks = ranks.collect();
        Ok(Self {
            tree: NearestTree::new(&points),
            variables,
            points,
            compared,
            scale: settings.scale,
            weights: weights.collect(),
            terms,
            targets,
            n_masked: start.masked.first().map_or(0, |column| column.len()),
            sorted,
            ranks,
        })
    }

    /// Number of variables.
    pub(super) fn n_variables(&self) -> usize {
        self.variables.len()
    }

    /// What a record adds to IL1, d n' over: Σ |x' - x| / |x| with the record that it is compared with.
    pub(super) fn relative_distance(&self, x: &[f64], z: &[f64], original: u32) -> f64 {
        let d = self.n_variables();
        let with = &self.compared[original as usize * d..][..d];
        let own = match self.scale {
            Il1Scale::Original => x,
            Il1Scale::Standardised => z,
        };
        own.iter()
            .zip(with)
            .map(|(own, with)| relative(*with, *own))
            .sum()
    }

    /// Of the ten intervals of 1 to 10 % of the ranks, the share around a value in which that of an original record
    /// lies.
    pub(super) fn share_near(&self, variable: usize, value: f64, original: u32) -> f64 {
        let sorted = &self.sorted[variable];
        let rank = self.ranks[variable][original as usize] as usize;
        let apart = n_below(sorted, value).abs_diff(rank);
        // floor(n p / 100) >= apart from p = 100 apart / n on.
        let first = (100 * apart).div_ceil(sorted.len().max(1)).max(1);
        (11_usize.saturating_sub(first)) as f64 / 10.0
    }
}

/// |x' - x| / |x|; where x is 0, x' takes its place as divisor, and where both are, nothing changed.
fn relative(x: f64, masked: f64) -> f64 {
    let distance = (x - masked).abs();
    if distance == 0.0 {
        return 0.0;
    }
    distance / if x == 0.0 { masked.abs() } else { x.abs() }
}

/// The coordinates of points, without those that are not used.
fn rows_of(points: &Points, n_variables: usize) -> Vec<f64> {
    (0..points.len())
        .flat_map(|record| &points.point(record)[..n_variables])
        .copied()
        .collect()
}

/// Columns as rows.
pub(super) fn by_row(columns: &[&[f64]]) -> Vec<f64> {
    let n = columns.first().map_or(0, |column| column.len());
    (0..n)
        .flat_map(|record| columns.iter().map(move |column| column[record]))
        .collect()
}

fn n_below(sorted: &[f64], value: f64) -> usize {
    sorted.partition_point(|known| *known < value)
}

fn in_order(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}
