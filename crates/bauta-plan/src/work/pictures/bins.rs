//! Bars of a histogram: round ends that rest on ten records each, however far the others lie.

use bauta_methods::few_records::RULE_OF_TEN;

/// Bars that the middle of the values is cut into, about.
const N_BARS: f64 = 20.0;
/// One record of so many belongs to each tail.
const TAIL: usize = 100;
/// The smallest width of a bar.
const THINNEST: f64 = 1e-300;

/// What lies between the values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grain {
    /// Nothing: they are whole numbers.
    Whole,
    /// Anything.
    Any,
}

/// Bars of one width.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Bins {
    /// Ends, one more than bars.
    pub(super) edges: Vec<f64>,
    /// Records from each edge up to the next.
    pub(super) counts: Vec<u64>,
    /// All of them together.
    pub(super) n_inside: u64,
}

/// Bars from the first to the ninety-ninth percentile; none where fewer than ten records lie beyond each.
pub(super) fn bins(mut values: Vec<f64>, grain: Grain) -> Bins {
    let n_values = values.len();
    let rank = n_values.div_ceil(TAIL).max(RULE_OF_TEN as usize);
    if 2 * rank > n_values {
        return Bins::default();
    }
    let low = *values.select_nth_unstable_by(rank - 1, f64::total_cmp).1;
    let high = *values
        .select_nth_unstable_by(n_values - rank, f64::total_cmp)
        .1;
    let edges = edges(low, high, grain);
    let mut counts = vec![0_u64; edges.len().saturating_sub(1)];
    for value in values {
        let n_below = edges.partition_point(|edge| *edge <= value);
        if let Some(count) = n_below.checked_sub(1).and_then(|bar| counts.get_mut(bar)) {
            *count += 1;
        }
    }
    Bins {
        n_inside: counts.iter().sum(),
        edges,
        counts,
    }
}

/// Round ends of bars, the first not above the low value and the last above the high one.
fn edges(low: f64, high: f64, grain: Grain) -> Vec<f64> {
    let width = Width::about(low, high, grain);
    let (first, last) = (width.below(low), width.below(high));
    let mut edges: Vec<f64> = (first..=last.saturating_add(1))
        .map(|number| width.edge(number))
        .collect();
    // Doubles lie further apart than the edges where numbers are large and nearly the same.
    edges.dedup();
    edges
}

/// A width of bars: 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, Debug)]
struct Width {
    times: i64,
    exponent: i32,
}

impl Width {
    fn about(low: f64, high: f64, grain: Grain) -> Self {
        let spread = high / N_BARS - low / N_BARS;
        // Nearly all are the same number: a bar of that size around it.
        let spread = if spread > 0.0 {
            spread
        } else {
            low.abs() / 10.0
        };
        let least = match grain {
            Grain::Whole => 1.0,
            Grain::Any => THINNEST,
        };
        let wanted = if spread > 0.0 { spread.max(least) } else { 1.0 };
        let mut exponent = 0;
        while power_of_ten(exponent) > wanted {
            exponent -= 1;
        }
        while power_of_ten(exponent + 1) <= wanted {
            exponent += 1;
        }
        let widths = [1, 2, 5].map(|times| Self { times, exponent });
        let wide_enough = widths.into_iter().find(|width| width.edge(1) >= wanted);
        wide_enough.unwrap_or(Self {
            times: 1,
            exponent: exponent + 1,
        })
    }

    /// The end of a number; the double nearest to it.
    fn edge(self, number: i64) -> f64 {
        decimal(self.times.saturating_mul(number), self.exponent)
    }

    /// The number of the last end that is not above a value.
    fn below(self, value: f64) -> i64 {
        let mut number = (value / self.edge(1)).floor() as i64;
        while self.edge(number) > value {
            number -= 1;
        }
        while self.edge(number + 1) <= value {
            number += 1;
        }
        number
    }
}

fn power_of_ten(exponent: i32) -> f64 {
    decimal(1, exponent)
}

fn decimal(digits: i64, exponent: i32) -> f64 {
    let text = format!("{digits}e{exponent}");
    text.parse().expect("digits and an exponent are a number")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ends_are_round_and_rest_on_ten_records() {
        // 0 to 999 and two far away: of 1002 values each tail has eleven, which end with 9 and begin with 990. Bars of
        // (990 - 9) / 20 = 49.05 become bars of 50 from 0 to 1000.
        let mut values: Vec<f64> = (0..1000).map(f64::from).collect();
        values.extend([-1e9, 1e9]);
        let found = bins(values, Grain::Whole);
        let expected: Vec<f64> = (0..=20).map(|number| f64::from(number * 50)).collect();
        assert_eq!(found.edges, expected);
        assert_eq!(found.counts, vec![50; 20]);
        assert_eq!(found.n_inside, 1000);
    }

    #[test]
    fn widths_are_one_two_or_five_times_a_power_of_ten() {
        let (any, whole) = (Grain::Any, Grain::Whole);
        let cases = [
            (0.0, 20.0, any, 1.0),
            (0.0, 21.0, any, 2.0),
            (0.0, 1.0, any, 0.05),
            (0.0, 1.0, whole, 1.0),
            (-3e6, 3e6, any, 500_000.0),
            (40.0, 40.0, whole, 5.0),
            (0.0, 0.0, any, 1.0),
        ];
        for (low, high, grain, expected) in cases {
            let width = Width::about(low, high, grain).edge(1);
            assert_eq!(
                width.to_bits(),
                f64::to_bits(expected),
                "{low} {high} {width}"
            );
        }
    }

    #[test]
    fn too_few_records_have_no_bars() {
        assert_eq!(bins(vec![1.0; 19], Grain::Any), Bins::default());
        assert_eq!(bins(vec![1.0; 20], Grain::Any).counts, [20]);
    }

    proptest! {
        #[test]
        fn the_outermost_nine_on_each_side_do_not_move_the_ends(
            mut values in prop::collection::vec(-1e6..1e6_f64, 20..400),
            far in prop::collection::vec(0.0..1e12_f64, 18),
        ) {
            let before = bins(values.clone(), Grain::Any).edges;
            values.sort_by(f64::total_cmp);
            let n_values = values.len();
            for (idx, far) in far.iter().enumerate() {
                if idx < 9 {
                    values[idx] -= far;
                } else {
                    values[n_values - 1 - (idx - 9)] += far;
                }
            }
            prop_assert_eq!(bins(values, Grain::Any).edges, before);
        }

        #[test]
        fn whatever_the_numbers_there_are_few_bars_and_their_ends_rise(
            low in prop::num::f64::NORMAL, spread in 0.0..1.0_f64, n in 20..60_usize,
        ) {
            let values: Vec<f64> = (0..n).map(|at| low + low.abs() * spread * at as f64 / n as f64).collect();
            prop_assume!(values.iter().all(|value| value.is_finite()));
            let found = bins(values, Grain::Any);
            prop_assert!(found.counts.len() <= 30, "{}", found.counts.len());
            prop_assert!(found.edges.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(found.n_inside > 0);
        }
    }
}
