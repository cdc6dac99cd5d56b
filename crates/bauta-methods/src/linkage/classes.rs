//! How levels of agreement are distributed in one class of pairs: independently, or along a tree.

use super::model::{MISSING, N_LEVELS, Term};

const WIDTH: usize = N_LEVELS + 1;

/// How often levels of agreement occur, alone and two by two.
#[derive(Clone, Debug)]
pub(crate) struct LevelCounts {
    n_variables: usize,
    /// By variable and level.
    alone: Vec<f64>,
    /// By two variables, the first before the second, and their levels; empty where not asked for.
    by_two: Vec<f64>,
}

impl LevelCounts {
    /// None yet.
    pub(crate) fn new(n_variables: usize, two_by_two: bool) -> Self {
        let n_twos = n_variables * n_variables.saturating_sub(1) / 2;
        Self {
            n_variables,
            alone: vec![0.0; n_variables * WIDTH],
            by_two: vec![
                0.0;
                if two_by_two {
                    n_twos * WIDTH * WIDTH
                } else {
                    0
                }
            ],
        }
    }

    /// Counts the levels of a pair so many times.
    pub(crate) fn add(&mut self, levels: &[u8], times: f64) {
        for (j, &level) in levels.iter().enumerate() {
            self.alone[j * WIDTH + usize::from(level)] += times;
        }
        if self.by_two.is_empty() {
            return;
        }
        let mut at = 0;
        for (k, &second) in levels.iter().enumerate() {
            for &first in &levels[..k] {
                self.by_two[at + usize::from(first) * WIDTH + usize::from(second)] += times;
                at += WIDTH * WIDTH;
            }
        }
    }

    /// Takes in the counts of other pairs.
    pub(crate) fn merge(&mut self, other: &Self) {
        let both = self.alone.iter_mut().zip(&other.alone);
        let both = both.chain(self.by_two.iter_mut().zip(&other.by_two));
        both.for_each(|(mine, others)| *mine += others);
    }

    /// Counts of a variable's levels, without missing values.
    fn of(&self, variable: usize) -> &[f64] {
        &self.alone[variable * WIDTH..variable * WIDTH + N_LEVELS]
    }

    /// Whether a level of a variable occurs at all.
    pub(crate) fn occurs(&self, variable: usize, level: usize) -> bool {
        self.of(variable)[level] > 0.0
    }

    /// Share of the pairs that reach a level, among those that have a value.
    pub(crate) fn share_from(&self, variable: usize, level: usize) -> f64 {
        let counts = self.of(variable);
        let total: f64 = counts.iter().sum();
        counts[level..].iter().sum::<f64>() / total
    }

    /// Count of levels of two variables in either order.
    fn both(&self, a: usize, b: usize, level_a: usize, level_b: usize) -> f64 {
        let (first, second, x, y) = if a < b {
            (a, b, level_a, level_b)
        } else {
            (b, a, level_b, level_a)
        };
        let place = second * (second - 1) / 2 + first;
        self.by_two[(place * WIDTH + x) * WIDTH + y]
    }

    /// Probabilities of a variable's levels; `added` to each count keeps them off 0.
    fn shares(&self, variable: usize, added: f64) -> [f64; N_LEVELS] {
        let counts = self.of(variable);
        let total = counts.iter().sum::<f64>() + added * N_LEVELS as f64;
        std::array::from_fn(|level| (counts[level] + added) / total)
    }

    /// Mutual information of two variables.
    fn mutual_information(&self, a: usize, b: usize) -> f64 {
        let count = |x: usize, y: usize| self.both(a, b, x, y);
        let total: f64 = (0..N_LEVELS * N_LEVELS)
            .map(|at| count(at / N_LEVELS, at % N_LEVELS))
            .sum();
        if total <= 0.0 {
            return 0.0;
        }
        let row: Vec<f64> = (0..N_LEVELS)
            .map(|x| (0..N_LEVELS).map(|y| count(x, y)).sum())
            .collect();
        let column: Vec<f64> = (0..N_LEVELS)
            .map(|y| (0..N_LEVELS).map(|x| count(x, y)).sum())
            .collect();
        let mut information = 0.0;
        for (x, of_row) in row.iter().enumerate() {
            for (y, of_column) in column.iter().enumerate() {
                let here = count(x, y);
                if here > 0.0 {
                    information += here / total * libm::log(here * total / (of_row * of_column));
                }
            }
        }
        information
    }
}

/// The distribution of levels in a class of pairs, as logarithms of probabilities.
#[derive(Clone, Debug)]
pub(crate) struct ClassModel {
    /// Variable, the one that it depends on, and logarithms by both levels.
    parts: Vec<(usize, Option<usize>, Vec<f64>)>,
}

impl ClassModel {
    /// All variables independent.
    pub(crate) fn independent(counts: &LevelCounts, added: f64) -> Self {
        let part = |j: usize| (j, None, logarithms(&counts.shares(j, added)));
        Self {
            parts: (0..counts.n_variables).map(part).collect(),
        }
    }

    /// Each variable depends on one other: the tree of largest mutual information (Chow and Liu 1968).
    pub(crate) fn tree(counts: &LevelCounts, added: f64) -> Self {
        let n = counts.n_variables;
        let mut parts = Vec::new();
        let mut inside = vec![false; n];
        // For each variable outside the best one inside.
        let mut link: Vec<(f64, usize)> = vec![(f64::NEG_INFINITY, 0); n];
        for _ in 0..n {
            let outside = (0..n).filter(|&j| !inside[j]);
            let next = outside.fold(None, |best: Option<usize>, j| match best {
                Some(known) if link[known].0 >= link[j].0 => best,
                _ => Some(j),
            });
            let Some(next) = next else { break };
            let given = (!parts.is_empty()).then_some(link[next].1);
            parts.push(match given {
                Some(given) => (next, Some(given), conditional(counts, next, given, added)),
                None => (next, None, logarithms(&counts.shares(next, added))),
            });
            inside[next] = true;
            for j in (0..n).filter(|&j| !inside[j]) {
                let information = counts.mutual_information(next, j);
                if information > link[j].0 {
                    link[j] = (information, next);
                }
            }
        }
        Self { parts }
    }

    /// Logarithm of the probability of a pair's levels.
    pub(crate) fn log_probability(&self, levels: &[u8]) -> f64 {
        let log = |(j, given, table): &(usize, Option<usize>, Vec<f64>)| {
            let own = usize::from(levels[*j]);
            match given {
                Some(given) => table[own * WIDTH + usize::from(levels[*given])],
                None => table[own],
            }
        };
        self.parts.iter().map(log).sum()
    }

    /// The terms of a weight that the class adds to (sign 1) or takes from (sign -1).
    pub(crate) fn terms(&self, sign: f64) -> impl Iterator<Item = Term> {
        self.parts.iter().map(move |(j, given, table)| {
            Term::new(*j, *given, table.iter().map(|log| sign * log).collect())
        })
    }

    /// Logarithms of the levels of a variable that depends on none.
    pub(crate) fn of(&self, variable: usize) -> Option<&[f64]> {
        let mut alone = self.parts.iter().filter(|(_, given, _)| given.is_none());
        let found = alone.find(|(j, _, _)| *j == variable);
        found.map(|(_, _, table)| table.as_slice())
    }
}

/// Logarithms of probabilities; a missing value has that of anything.
fn logarithms(shares: &[f64; N_LEVELS]) -> Vec<f64> {
    let logs = shares.iter().map(|&share| libm::log(share));
    logs.chain([0.0]).collect()
}

/// Logarithms of the probabilities of a variable's levels given those of another, drawn towards those of
/// the variable alone by so much as two pairs would.
fn conditional(counts: &LevelCounts, variable: usize, given: usize, added: f64) -> Vec<f64> {
    let alone = counts.shares(variable, added);
    let mut table = vec![0.0; WIDTH * WIDTH];
    for at in 0..=MISSING {
        let column: [f64; N_LEVELS] = if at == MISSING {
            [0.0; N_LEVELS]
        } else {
            std::array::from_fn(|level| counts.both(variable, given, level, at))
        };
        let total: f64 = column.iter().sum::<f64>() + 2.0;
        for level in 0..N_LEVELS {
            table[level * WIDTH + at] = libm::log((column[level] + 2.0 * alone[level]) / total);
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_follows_the_strongest_dependences() {
        // The second variable repeats the first, the third is a coin of its own.
        let mut counts = LevelCounts::new(3, true);
        for (levels, times) in [
            ([0, 0, 0], 20.0),
            ([0, 0, 6], 20.0),
            ([6, 6, 0], 20.0),
            ([6, 6, 6], 20.0),
        ] {
            counts.add(&levels, times);
        }
        let tree = ClassModel::tree(&counts, 1e-6);
        let independent = ClassModel::independent(&counts, 1e-6);
        // 1/4 in the tree, 1/8 if all three were independent.
        let of = |model: &ClassModel| libm::exp(model.log_probability(&[6, 6, 0]));
        assert!((of(&independent) - 0.125).abs() < 1e-4);
        assert!((of(&tree) - 0.25).abs() < 0.01);
        // A missing value has the probability of anything.
        assert!((libm::exp(tree.log_probability(&[6, MISSING as u8, 0])) - 0.25).abs() < 0.01);
    }
}
