#![doc = include_str!("projection.md")]

use crate::card::{Card, ParamSpec};
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{Symmetric, covariance, eigen};
use crate::kernel::numbers::moments::{Moments, moments};
use crate::kernel::numbers::ranks::rows_by_value;
use crate::kernel::numbers::sums::compensated;
use crate::kernel::parallel::on_blocks;
use crate::kernel::space::partition::Partition;
use crate::mask::continuous::{OF_NUMBERS, ROUND};
use crate::mask::microaggregation::{
    AGGREGATE, BLOCKS, Blocks, Done, GAPS, Gaps, Grouping, HOUSEHOLDS, K, STRATA, Scale, Settings,
    UnitValues,
};
use crate::params::{Params, choices};

/// Groups neighbours along one axis through all variables, and replaces them by their mean. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Projection;

choices! {
    /// The axis along which records are put in order.
    pub enum By {
        PrincipalComponent = "principal-component": "the first principal component of the standardised variables",
        ZScores = "z-scores": "the sum of the standardised variables",
    }
}

const BY: ParamSpec =
    ParamSpec::choice::<By>("by", "the axis along which records are put in order")
        .or_word("principal-component");

static CARD: Card = Card {
    id: "projection",
    title: "Microaggregation: projection",
    summary: "replaces records by the mean of at least k neighbours along one axis through all variables",
    page: include_str!("projection.md"),
    params: &[K, BY, BLOCKS, AGGREGATE, STRATA, HOUSEHOLDS, ROUND, GAPS],
    references: &["domingo2002"],
    ..OF_NUMBERS
};

impl Grouping for Projection {
    type Way = By;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn asked(&self, params: &Params) -> Settings<By> {
        let by = params.choice_of(BY.name);
        Settings::asked(
            params,
            Blocks::asked(params),
            Scale::Deviation,
            by,
            Gaps::asked(params),
        )
    }

    fn group(
        &self,
        &by: &By,
        units: &UnitValues<'_>,
        k: usize,
        _: &mut Done<'_>,
    ) -> Result<Partition, MethodError> {
        let scores = scores(units, by);
        Ok(Partition::consecutive(rows_by_value(&scores), k))
    }
}

/// Where each unit lies on the axis: `Σ_j v_j (x_j - x̄_j) / s_j`, with moments of these units.
///
/// A unit with gaps lies where the axis is nearest to it in the variables that it has: the sum over
/// these, times Σ v² over all and divided by Σ v² over these.
fn scores(units: &UnitValues<'_>, by: By) -> Vec<f64> {
    let columns = units.columns();
    let moments: Vec<_> = columns.iter().map(|column| moments(column)).collect();
    let v = match by {
        By::PrincipalComponent => {
            let correlation = if units.has_gaps() {
                correlation_of_pairs(&columns, &moments)
            } else {
                let means: Vec<f64> = moments.iter().map(|moments| moments.mean).collect();
                covariance(&columns, &means).to_correlation()
            };
            let component = eigen(&correlation);
            component.vectors.into_iter().next().unwrap_or_default()
        }
        By::ZScores => vec![1.0; columns.len()],
    };
    let n = columns.first().map_or(0, |column| column.len());
    // Of each unit the sum, and Σ v² over what it has.
    let mut places = vec![(0.0, 0.0); n];
    on_blocks(&mut places, BLOCK, &|block, places| {
        let units = block * BLOCK..block * BLOCK + places.len();
        for ((column, moments), v) in columns.iter().zip(&moments).zip(&v) {
            // A variable without spread tells no units apart.
            if moments.sd > 0.0 {
                let known = places.iter_mut().zip(&column[units.clone()]);
                for ((score, squares), x) in known.filter(|(_, x)| !x.is_nan()) {
                    *score += v * ((x - moments.mean) / moments.sd);
                    *squares += v * v;
                }
            }
        }
    });
    let whole = places.iter().map(|place| place.1).fold(0.0, f64::max);
    let score = |(score, squares): (f64, f64)| {
        // Whole units are left as they are, to the last bit; those without a place are in the middle.
        if squares > 0.0 && squares < whole {
            score * (whole / squares)
        } else {
            score
        }
    };
    places.into_iter().map(score).collect()
}

/// Units that one thread places at a time.
const BLOCK: usize = 1 << 12;

/// Correlations, each over the units that have both variables, with each variable's own mean and
/// standard deviation; 0 where nobody has both.
fn correlation_of_pairs(columns: &[&[f64]], moments: &[Moments]) -> Symmetric {
    let z = |j: usize, i: usize| (columns[j][i] - moments[j].mean) / moments[j].sd;
    let n = columns.first().map_or(0, |column| column.len());
    Symmetric::from_lower(columns.len(), |j, l| {
        if j == l {
            return 1.0;
        }
        if moments[j].sd == 0.0 || moments[l].sd == 0.0 {
            return 0.0;
        }
        let both = (0..n).map(|i| z(j, i) * z(l, i)).filter(|zz| !zz.is_nan());
        let n_both = both.clone().count();
        if n_both < 2 {
            return 0.0;
        }
        compensated(both) / (n_both - 1) as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: f64 = f64::NAN;

    #[test]
    fn correlations_are_over_those_who_have_both() {
        // x: mean 2, deviation 1; y over 1, 2, 6: mean 3, deviation √7. Records 0 and 1 have both:
        // z = (-1, -2/√7) and (0, -1/√7): their products sum to 2/√7, over 2 - 1.
        let columns: [&[f64]; 3] = [&[1.0, 2.0, 3.0, NONE], &[1.0, 2.0, NONE, 6.0], &[5.0; 4]];
        let moments: Vec<Moments> = columns.iter().map(|column| moments(column)).collect();
        let found = correlation_of_pairs(&columns, &moments);
        assert!((found.at(1, 0) - 2.0 / 7.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(found.at(2, 0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(found.at(2, 2).to_bits(), 1.0_f64.to_bits());
    }
}
