#![doc = include_str!("hellinger.md")]

use bauta_data::{Kind, Values};
use rayon::prelude::*;

use crate::card::{Card, ParamSpec, ParamType, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::quantile::sorted_present;
use crate::kernel::numbers::sums::compensated;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part};
use crate::missing::{MISSING, Missing};
use crate::pair::Pair;
use crate::pair::categories::TwoCategories;
use crate::pair::coarser::at_coarser_level;
use crate::pair::variables::{TwoColumns, columns_of_both, mean_of_variables};
use crate::params::{ParamProblem, Params};

/// Hellinger distance between original and masked distributions. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Hellinger;

const BINS: ParamSpec = ParamSpec::new(
    "bins",
    "number of bins of a continuous variable, cut at quantiles of the original",
    ParamType::Integer {
        min: 2,
        max: 10_000,
    },
)
.or_integer(20);

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "hellinger",
        title: "Hellinger distance",
        summary: "distance between the distributions of original and masked values over bins or categories, by variable",
        page: include_str!("hellinger.md"),
        params: &[BINS, MISSING],
        targets: Targets {
            kinds: &Kind::ALL,
            ..Targets::CONTENT
        },
        scaling: Scaling::Variable,
        references: &["gomatam2003", "hellinger1909"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("mean distance", Unit::Number)
        .within(0.0, 1.0)
        .lower_is_better(),
    ..MeasureCard::LOSS
};

/// What to count.
pub struct Settings {
    n_bins: usize,
    missing: Missing,
}

impl MeasureMethod for Hellinger {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            n_bins: params.count(BINS.name),
            missing: Missing::asked(params),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        let columns = columns_of_both(task, settings.missing, context)?;
        let mut by_variable = Vec::new();
        for (done, column) in columns.iter().enumerate() {
            context.progress(done, columns.len())?;
            let counts = pair.given_back(|pair| {
                let column = TwoColumns::of(pair, column.name)?;
                counts_of(&column, pair, settings.n_bins, context)
            })?;
            by_variable.push(Part::new(column.name, distance(&counts)));
        }
        Ok(mean_of_variables(by_variable))
    }
}

/// The counts of one variable.
fn counts_of(
    column: &TwoColumns<'_>,
    pair: Pair<'_>,
    n_bins: usize,
    context: &RunContext<'_>,
) -> Result<Counts, MethodError> {
    match (column.original.values(), column.masked.values()) {
        (Values::Categorical(_), Values::Categorical(_)) => {
            Ok(count_categories(&at_coarser_level(column, pair, context)?))
        }
        _ => {
            let (x, z) = column.numbers()?;
            Ok(count_bins(x, z, n_bins))
        }
    }
}

/// How many original and masked records each bin or category has.
type Counts = Vec<[usize; 2]>;

/// H = √(½ Σ (√p - √q)²); none where one of the files has no value.
fn distance(counts: &Counts) -> Option<f64> {
    let total = |file: usize| counts.iter().map(|count| count[file]).sum::<usize>() as f64;
    let (n, m) = (total(0), total(1));
    if n == 0.0 || m == 0.0 {
        return None;
    }
    let squares = counts.iter().map(|&[f, g]| {
        let difference = (f as f64 / n).sqrt() - (g as f64 / m).sqrt();
        difference * difference
    });
    // Rounding must not take the largest possible distance beyond 1.
    Some((0.5 * compensated(squares)).sqrt().min(1.0))
}

fn count_categories(categories: &TwoCategories) -> Counts {
    let mut counts = vec![[0, 0]; categories.n_codes()];
    for (file, codes) in categories.codes.iter().enumerate() {
        for &code in codes {
            counts[code as usize][file] += 1;
        }
    }
    counts.truncate(categories.n_categories());
    counts
}

/// Counts by bins that are cut at the original's quantiles 1/B, 2/B … 1, with a bin of its own
/// for what lies below the smallest and for what lies above the largest original value.
fn count_bins(x: &[f64], z: &[f64], n_bins: usize) -> Counts {
    let sorted = sorted_present(x);
    let n = sorted.len();
    let Some(&smallest) = sorted.first() else {
        return Counts::new();
    };
    let quantile = |j: usize| sorted[(j * n).div_ceil(n_bins) - 1];
    let mut cuts: Vec<f64> = (1..=n_bins).map(quantile).collect();
    cuts.dedup();
    let bin_of = |value: f64| {
        if value < smallest {
            cuts.len() + 1
        } else {
            cuts.partition_point(|&cut| cut < value)
        }
    };
    let count = |values: &[f64]| {
        let none = || vec![0_usize; cuts.len() + 2];
        let blocks = values.par_chunks(4096).map(|block| {
            let mut counts = none();
            let present = block.iter().filter(|value| !value.is_nan());
            present.for_each(|&value| counts[bin_of(value)] += 1);
            counts
        });
        blocks.reduce(none, |a, b| a.iter().zip(&b).map(|(a, b)| a + b).collect())
    };
    let both = count(x).into_iter().zip(count(z));
    both.map(|(f, g)| [f, g]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_cut_at_quantiles_of_the_original() {
        // Two bins of 1, 2, 3, 4: cuts at 2 and 4, so [1, 2] and (2, 4]; 4.5 and 0 lie outside.
        let counts = count_bins(
            &[4.0, 1.0, f64::NAN, 3.0, 2.0],
            &[2.0, 2.5, 4.5, 0.0, 1.0, 4.0],
            2,
        );
        assert_eq!(counts, [[2, 2], [2, 2], [0, 1], [0, 1]]);
    }

    #[test]
    fn distances_by_hand() {
        // p = (1/2, 1/2), q = (1, 0): ½ ((√½ - 1)² + ½) = 1 - √½.
        let found = distance(&vec![[1, 2], [1, 0]]).unwrap();
        assert!((found - (1.0 - 0.5_f64.sqrt()).sqrt()).abs() < 1e-15);
        assert_eq!(distance(&vec![[3, 0], [0, 1]]), Some(1.0));
        assert_eq!(distance(&vec![[3, 6], [1, 2]]), Some(0.0));
        assert_eq!(distance(&vec![[3, 0]]), None);
        assert_eq!(distance(&Counts::new()), None);
    }
}
