//! What is wrong with printed figures by the paper's own arithmetic.

use std::f64::consts::SQRT_2;

/// Half of the last printed digit of a loss.
pub(super) const PRINTED_TO: f64 = 0.0005;
/// Half of the last printed digit of a rate.
pub(super) const RATE_PRINTED_TO: f64 = 0.000_05;
/// Half of the last printed digit of a score.
pub(super) const SCORE_PRINTED_TO: f64 = 0.005;
/// Differences of decimal fractions that are equal on paper.
const BINARY: f64 = 1e-9;

/// What is wrong with a printed loss by the row's own arithmetic.
pub(super) fn misprint(row: &[f64; 9], column: usize) -> Option<String> {
    let [il1, il1s, il2, il3, il4, il5, ..] = *row;
    // One row of Table 5 is off by 0.0017; no row that follows equation IL1s comes near.
    let is_il1_over_root_2 = (il1s - il1 / SQRT_2).abs() <= 4.0 * PRINTED_TO;
    let (own, members): (f64, f64) = match column {
        1 if is_il1_over_root_2 => {
            return Some(
                "misprint (by the pattern of five rows): the printed IL1 divided by √2".to_owned(),
            );
        }
        6 => ((il2 + il3 + il4 + il5) / 4.0, 4.0),
        7 => ((il1 + il2 + il3 + il4 + il5) / 5.0, 5.0),
        8 if is_il1_over_root_2 => {
            return Some("misprint: follows from the misprinted IL1s".to_owned());
        }
        8 => ((il1s + il2 + il4 + il5) / 4.0, 4.0),
        _ => return None,
    };
    // Each member is rounded, and so is the mean.
    let slack = members * PRINTED_TO / members + PRINTED_TO + 1e-12;
    ((row[column] - own).abs() > slack)
        .then(|| format!("misprint: the row's own figures give {own:.3}"))
}

/// A score of a loss and a share re-identified.
pub(super) fn score(loss: f64, rate: f64) -> f64 {
    100.0 * f64::midpoint(loss, rate)
}

/// The score that a printed loss and a printed rate give, where the printed score is another.
pub(super) fn other_score(printed: f64, loss: f64, rate: f64) -> Option<f64> {
    let own = score(loss, rate);
    // Loss, rate and score are each rounded.
    let slack = score(PRINTED_TO, RATE_PRINTED_TO) + SCORE_PRINTED_TO + BINARY;
    ((printed - own).abs() > slack).then_some(own)
}

/// The rate that three scores have in common, if they agree on one.
pub(super) fn implied_rate(scores: [f64; 3], losses: [f64; 3]) -> Option<f64> {
    let rates: [f64; 3] = std::array::from_fn(|i| scores[i] / 50.0 - losses[i]);
    let (low, high) = (
        rates.iter().copied().fold(f64::INFINITY, f64::min),
        rates.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    let slack = PRINTED_TO + SCORE_PRINTED_TO / 50.0;
    (high - low <= 2.0 * slack + BINARY).then(|| f64::midpoint(low, high))
}

/// Whether IL3 of a scaled file is that of the file before scaling, divided by the 28 pairs of eight
/// variables in place of the 36 with the diagonal.
pub(super) fn is_over_pairs(scaled: f64, plain: f64) -> bool {
    let ratio = 36.0 / 28.0;
    (scaled - ratio * plain).abs() <= (1.0 + ratio) * PRINTED_TO + BINARY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yancey_2002::published::{TABLE_8, TABLE_9, figures_of};

    #[test]
    fn a_score_is_checked_within_the_rounding_of_what_it_rests_on() {
        // 100 (0.036 + 0.8861) / 2 = 46.105, printed 46.11; 100 (0.027 + 0.8861) / 2 = 45.655.
        assert_eq!(other_score(46.11, 0.036, 0.8861), None);
        let own = other_score(46.66, 0.027, 0.8861).expect("a misprint");
        assert!((own - 45.655).abs() < 1e-9);
        // Slack: 0.025 of the loss, 0.0025 of the rate, 0.005 of the score.
        assert_eq!(other_score(46.137, 0.036, 0.8861), None);
        assert!(other_score(46.138, 0.036, 0.8861).is_some());
    }

    #[test]
    fn three_scores_can_agree_on_another_rate() {
        // scalmixadd01, d metric: 38.95 / 50 - 0.007 = 0.772, 0.772 and 39.46 / 50 - 0.017 = 0.7722.
        let rate = implied_rate([38.95, 40.90, 39.46], [0.007, 0.046, 0.017]);
        assert!((rate.expect("one rate") - 0.7721).abs() < 1e-9);
        // rnkswp15, l metric: 0.3444, 0.3444 and 0.5444.
        assert_eq!(
            implied_rate([20.87, 23.12, 30.67], [0.073, 0.118, 0.069]),
            None
        );
    }

    #[test]
    fn il3_of_scaled_subpopulations_is_divided_by_the_pairs_alone() {
        for table in [TABLE_8, TABLE_9] {
            for level in ["01", "05", "10", "20"] {
                let il3 = |mask: &str| figures_of::<9>(table, &format!("{mask}{level}"))[3];
                let (scaled, plain) = (il3("scalmixadd"), il3("mixadd"));
                assert!(is_over_pairs(scaled, plain), "{scaled} {plain}");
            }
        }
        assert!(!is_over_pairs(0.101, 0.101));
    }
}
