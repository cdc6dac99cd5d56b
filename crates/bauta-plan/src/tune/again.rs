//! Judging a variant again on fresh seeds: who tries many variants and takes the best has also taken the luckiest.

use bauta_data::Fingerprint;
use serde::Serialize;

/// What a figure was over the fresh seeds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation; 0 for one seed.
    pub sd: f64,
    /// The least.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Spread {
    /// Of figures; none where one of them is not there.
    pub(super) fn of(figures: &[Option<f64>]) -> Option<Self> {
        let figures: Vec<f64> = figures.iter().copied().collect::<Option<_>>()?;
        let n = figures.len() as f64;
        let min = figures.iter().copied().reduce(f64::min)?;
        let max = figures.iter().copied().reduce(f64::max)?;
        let mean = figures.iter().sum::<f64>() / n;
        let squares: f64 = figures
            .iter()
            .map(|figure| (figure - mean) * (figure - mean))
            .sum();
        let sd = if figures.len() > 1 {
            (squares / (n - 1.0)).sqrt()
        } else {
            0.0
        };
        Some(Self { mean, sd, min, max })
    }
}

/// A finalist on fresh seeds.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Judged {
    /// Its position among the finalists.
    pub finalist: usize,
    /// Whether it draws random numbers; otherwise it is the same under every seed, and is not run again.
    pub draws: bool,
    /// Fresh seeds that it was run on.
    pub n_seeds: usize,
    /// Of them, those on which the conditions held.
    pub n_held: usize,
    /// Its risk; none where there is no figure.
    pub risk: Option<Spread>,
    /// Its loss.
    pub loss: Option<Spread>,
    /// Whether a figure of these rests on few records, so that screens are not shown them.
    pub few: bool,
}

impl Judged {
    /// Whether it failed on no more than this share of the seeds.
    pub fn holds(&self, may_fail: f64) -> bool {
        let n_failed = (self.n_seeds - self.n_held) as f64;
        // A share such as 0.3 of 10 seeds is 3, whatever the last bit of the product.
        n_failed <= may_fail * self.n_seeds as f64 + 1e-9
    }
}

/// Seeds that have nothing to do with the one that variants were chosen under.
pub(super) fn fresh_seeds(seed: u64, n_seeds: usize) -> Vec<u64> {
    let fresh = |number: usize| {
        let named = format!("bauta tune, fresh seed {number} beside {seed}");
        let hash = Fingerprint::of_bytes(named.as_bytes()).sha256;
        // 48 bits: every reader of a plan holds them.
        u64::from_str_radix(&hash[..12], 16).unwrap_or(number as u64)
    };
    (0..n_seeds).map(fresh).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreads_by_hand() {
        // Mean 2, deviations -1, 0, 1: variance 2/2.
        let spread = Spread::of(&[Some(1.0), Some(2.0), Some(3.0)]).unwrap();
        assert_eq!(
            spread,
            Spread {
                mean: 2.0,
                sd: 1.0,
                min: 1.0,
                max: 3.0
            }
        );
        assert_eq!(Spread::of(&[Some(1.0), None]), None);
        assert_eq!(Spread::of(&[]), None);
        assert!(Spread::of(&[Some(4.0)]).unwrap().sd.abs() < 1e-12);
    }

    #[test]
    fn a_share_of_the_seeds_may_fail() {
        let judged = Judged {
            finalist: 0,
            draws: true,
            n_seeds: 10,
            n_held: 7,
            risk: None,
            loss: None,
            few: false,
        };
        assert!(judged.holds(0.3) && !judged.holds(0.29));
        let same = Judged {
            n_seeds: 0,
            n_held: 0,
            ..judged
        };
        assert!(same.holds(0.0));
    }

    #[test]
    fn fresh_seeds_differ() {
        let seeds = fresh_seeds(7, 10);
        let distinct: std::collections::BTreeSet<&u64> = seeds.iter().collect();
        assert_eq!((distinct.len(), &seeds[..5]), (10, &fresh_seeds(7, 5)[..]));
        assert_ne!(seeds, fresh_seeds(8, 10));
    }
}
