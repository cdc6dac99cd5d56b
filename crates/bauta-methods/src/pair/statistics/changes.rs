//! How far statistics changed, gathered one by one.

use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::moments::too_large;
use crate::kernel::numbers::sums::compensated;
use crate::measure::{Measurement, Part};
use crate::note::Note;
use crate::pair::statistics::Zero;

/// A statistic that is smaller than this share of its scale cannot be told from 0: rounding of the
/// values alone makes as much.
const ROUNDING: f64 = 1e-14;

/// How far statistics of variables, or of pairs of them, changed.
pub struct Changes<'a> {
    names: &'a [String],
    zero: Zero,
    /// The two variables, the same where there is one, and the change.
    stated: Vec<(usize, usize, f64)>,
    left_out: Vec<String>,
}

impl<'a> Changes<'a> {
    /// None so far.
    pub(super) const fn new(names: &'a [String], zero: Zero) -> Self {
        Self {
            names,
            zero,
            stated: Vec::new(),
            left_out: Vec::new(),
        }
    }

    /// Takes in |x - z| / |x| of a statistic of variables j and k. `scale` says how large x would be
    /// if it were not near 0.
    pub fn relative(
        &mut self,
        statistic: &str,
        (j, k): (usize, usize),
        (x, z): (f64, f64),
        scale: f64,
    ) -> Result<(), MethodError> {
        if x.abs() <= ROUNDING * scale {
            return self.undefined(format!(
                "the {} is 0 in the original",
                self.named(statistic, j, k)
            ));
        }
        self.add((j, k), (x - z).abs() / x.abs())
    }

    /// Takes in a change of variables j and k.
    pub fn add(&mut self, (j, k): (usize, usize), change: f64) -> Result<(), MethodError> {
        if !change.is_finite() {
            return Err(too_large(&self.names[j]));
        }
        self.stated.push((j, k, change));
        Ok(())
    }

    /// Leaves a statistic out, or refuses to.
    pub fn undefined(&mut self, why: String) -> Result<(), MethodError> {
        match self.zero {
            Zero::Refuse => Err(MethodError::Data {
                variable: None,
                row: None,
                message: format!("{why}, so that its change cannot be stated"),
                hint: "set zero = \"exclude\" to leave it out, or leave the variable out of this measure".to_owned(),
            }),
            Zero::Exclude => {
                self.left_out.push(why);
                Ok(())
            }
        }
    }

    /// A statistic and its variables in words.
    pub fn named(&self, statistic: &str, j: usize, k: usize) -> String {
        let names = self.names;
        if j == k {
            format!("{statistic} of `{}`", names[j])
        } else {
            format!("{statistic} of `{}` and `{}`", names[k], names[j])
        }
    }

    /// The mean change, overall and of the statistics in which each variable takes part.
    pub fn finish(self, context: &RunContext<'_>) -> Measurement {
        if !self.left_out.is_empty() {
            context.note(left_out(self.left_out));
        }
        let mut of_variable = vec![Vec::new(); self.names.len()];
        for &(j, k, change) in &self.stated {
            of_variable[j].push(change);
            if k != j {
                of_variable[k].push(change);
            }
        }
        let by_variable = self.names.iter().zip(&of_variable);
        let by_variable = by_variable.map(|(name, changes)| Part::new(name, mean_of(changes)));
        let all: Vec<f64> = self.stated.iter().map(|(_, _, change)| *change).collect();
        Measurement {
            value: mean_of(&all),
            by_variable: by_variable.collect(),
            ..Measurement::default()
        }
    }
}

/// The mean, found so that it cannot leave the numbers of the machine if its terms do not.
pub(super) fn mean_of(terms: &[f64]) -> Option<f64> {
    let n = terms.len() as f64;
    (!terms.is_empty()).then(|| compensated(terms.iter().map(|term| term / n)))
}

/// Statistics whose change cannot be stated were left out: which, and why, in words.
fn left_out(statistics: Vec<String>) -> Note {
    let text = format!("left out: {}", statistics.join("; "));
    Note::new("statistics-left-out", text).with("statistics", statistics)
}
