//! From which weight on a pair is called a link, and below which it is called none, when two errors must stay within
//! bounds (Fellegi and Sunter 1969; Jaro 1989; Yancey 2002, §3.4).
//!
//! Variables are independent among matches and among other pairs, so that the distribution of a pair's weight follows
//! from those of its variables. It is kept on a grid, and each variable's weight is rounded towards the error that is
//! bounded: the errors of the thresholds are at most those that were asked for.

use super::settings::{Estimation, Settings};
use crate::error::MethodError;

/// Steps of the grid.
const STEPS: usize = 1 << 15;

/// What a variable may weigh, and how likely this is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct State {
    pub(crate) weight: f64,
    /// Its probability among matches.
    pub(crate) m: f64,
    /// Its probability among other pairs.
    pub(crate) u: f64,
}

/// Where links begin and where possible links do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Thresholds {
    /// `T_mu`: a pair of this weight or more is called a link.
    pub upper: f64,
    /// `T_lambda`: a pair of less is called no link.
    pub lower: f64,
}

/// The thresholds that were stated, or those that keep the errors within their bounds; none where nobody asked.
pub(crate) fn thresholds(
    settings: &Settings,
    states: Option<&[Vec<State>]>,
) -> Result<Option<Thresholds>, MethodError> {
    if settings.false_links.is_none() && settings.missed_links.is_none() {
        let upper = settings.upper.or(settings.lower);
        return Ok(upper.map(|upper| Thresholds {
            upper,
            lower: settings.lower.unwrap_or(upper),
        }));
    }
    let Some(states) = states else {
        let why = match settings.estimation {
            Estimation::Equal => "equal weights are no likelihoods",
            _ => "weights depend on single values or on other variables",
        };
        return Err(MethodError::request(
            format!("{why}, so that no threshold follows from a bound on errors"),
            "state the thresholds (`upper`, `lower`), or leave `dependence` and comparison by frequency out",
        ));
    };
    let upper = settings.false_links.map(|most| upper(states, most));
    let lower = settings.missed_links.map(|most| lower(states, most));
    Ok(match (upper, lower) {
        // Both errors hold from one weight on: nothing is left for clerks.
        (Some(upper), Some(lower)) => Some(Thresholds {
            upper,
            lower: lower.min(upper),
        }),
        (Some(one), None) | (None, Some(one)) => Some(Thresholds {
            upper: one,
            lower: one,
        }),
        (None, None) => None,
    })
}

/// The least weight that at most such a share of other pairs reaches.
fn upper(states: &[Vec<State>], most: f64) -> f64 {
    let grid = Grid::of(states);
    let shares = grid.shares(states, |state| state.u, f64::ceil);
    let mut tail = 0.0;
    let mut at = shares.len();
    while at > 0 && tail + shares[at - 1] <= most {
        at -= 1;
        tail += shares[at];
    }
    grid.weight(at)
}

/// The largest weight that at most such a share of matches falls below.
fn lower(states: &[Vec<State>], most: f64) -> f64 {
    let grid = Grid::of(states);
    let shares = grid.shares(states, |state| state.m, f64::floor);
    let mut tail = 0.0;
    let mut at = 0;
    while at < shares.len() && tail + shares[at] <= most {
        tail += shares[at];
        at += 1;
    }
    grid.weight(at)
}

/// Equal steps from the least possible weight to the largest.
struct Grid {
    least: f64,
    step: f64,
}

impl Grid {
    fn of(states: &[Vec<State>]) -> Self {
        let largest: f64 = states.iter().map(|one| end(one, f64::max)).sum();
        let least: f64 = states.iter().map(|one| end(one, f64::min)).sum();
        let step = (largest - least) / STEPS as f64;
        Self {
            least,
            step: if step > 0.0 { step } else { 1.0 },
        }
    }

    fn weight(&self, at: usize) -> f64 {
        self.least + at as f64 * self.step
    }

    /// Probability of each step.
    fn shares(
        &self,
        states: &[Vec<State>],
        probability: fn(&State) -> f64,
        rounded: fn(f64) -> f64,
    ) -> Vec<f64> {
        // Each variable may be rounded by a step.
        let n = STEPS + states.len() + 1;
        let mut shares = vec![0.0; n];
        shares[0] = 1.0;
        for one in states {
            let least = end(one, f64::min);
            let mut with = vec![0.0; n];
            for state in one {
                let by = rounded((state.weight - least) / self.step) as usize;
                let share = probability(state);
                for (to, from) in with[by.min(n - 1)..].iter_mut().zip(&shares) {
                    *to += share * from;
                }
            }
            shares = with;
        }
        shares
    }
}

/// The least or the largest weight of a variable.
fn end(states: &[State], choose: fn(f64, f64) -> f64) -> f64 {
    let weights = states.iter().map(|state| state.weight);
    weights.reduce(choose).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two variables with m = 0.9 and u = 0.1 and 0.2.
    fn two() -> Vec<Vec<State>> {
        let of = |m: f64, u: f64| {
            let agree = State {
                weight: libm::log(m / u),
                m,
                u,
            };
            let disagree = State {
                weight: libm::log((1.0 - m) / (1.0 - u)),
                m: 1.0 - m,
                u: 1.0 - u,
            };
            vec![agree, disagree]
        };
        vec![of(0.9, 0.1), of(0.9, 0.2)]
    }

    #[test]
    fn bounds_hold_and_are_used_up_to_a_step() {
        // By falling weight: both agree (u 0.02, m 0.81), the first alone (0.08, 0.09), the second alone (0.18, 0.09),
        // none (0.72, 0.01).
        let states = two();
        let both = states[0][0].weight + states[1][0].weight;
        let first = states[0][0].weight + states[1][1].weight;
        let second = states[0][1].weight + states[1][0].weight;
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 0.002, "{found} and {expected}");
        };
        // 0.02 of the other pairs reach `both`; with the next pattern it is 0.1.
        near(upper(&states, 0.03), first);
        assert!(upper(&states, 0.03) > first && upper(&states, 0.03) <= both);
        near(upper(&states, 0.1001), second);
        // Nothing is a link where even full agreement is too common among other pairs.
        assert!(upper(&states, 0.01) > both);
        // 0.01 of the matches have the least weight, 0.1 at most that of the second alone.
        near(lower(&states, 0.05), second);
        assert!(lower(&states, 0.05) <= second);
        near(lower(&states, 0.101), first);
    }

    #[test]
    fn where_both_errors_allow_it_nothing_is_left_between() {
        let states = two();
        let (upper, lower) = (upper(&states, 0.2), lower(&states, 0.2));
        assert!(lower > upper);
    }
}
