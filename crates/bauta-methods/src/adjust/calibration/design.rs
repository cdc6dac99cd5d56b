//! The margins of a calibration as a sparse matrix, with equal rows collapsed.

use rayon::prelude::*;

use crate::kernel::matrix::symmetric::Symmetric;
use crate::kernel::parallel::each;

/// Profiles per block of a sum. Part of the result's definition: changing it changes last digits.
const BLOCK: usize = 4096;
/// Blocks whose sums are in memory at the same time: with 1,000 margins they have 4 MB each.
const AT_A_TIME: usize = 16;

/// What units (records or households) contribute to margins. Units with the same row and the same q
/// are one profile: their ratio w/d is the same, whatever the distance.
#[derive(Clone, Debug, Default)]
pub struct Design {
    /// Names of the margins.
    pub names: Vec<String>,
    /// Totals T to be reached.
    pub targets: Vec<f64>,
    /// Starting weight of each profile: the sum of its units'.
    pub d: Vec<f64>,
    /// q of each profile.
    pub q: Vec<f64>,
    /// The profile of each unit.
    pub profile_of: Vec<u32>,
    /// Units of each profile.
    pub n_units: Vec<u32>,
    starts: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl Design {
    /// A design without profiles.
    pub fn new(names: Vec<String>, targets: Vec<f64>) -> Self {
        Self {
            names,
            targets,
            starts: vec![0],
            ..Self::default()
        }
    }

    /// Adds a profile: its entries in rising order of margins, its weight and its q.
    pub fn push(&mut self, row: impl IntoIterator<Item = (u32, f64)>, d: f64, q: f64) {
        for (column, value) in row {
            self.columns.push(column);
            self.values.push(value);
        }
        self.starts.push(self.columns.len());
        self.d.push(d);
        self.q.push(q);
    }

    /// Says which profile each unit belongs to, once all profiles are there.
    pub fn assign(&mut self, profile_of: Vec<u32>) {
        self.n_units = vec![0; self.n_profiles()];
        for &profile in &profile_of {
            self.n_units[profile as usize] += 1;
        }
        self.profile_of = profile_of;
    }

    /// Number of margins.
    pub fn n_margins(&self) -> usize {
        self.targets.len()
    }

    /// Number of profiles.
    pub fn n_profiles(&self) -> usize {
        self.d.len()
    }

    /// The entries of a profile: margin and value.
    pub fn row(&self, profile: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let entries = self.starts[profile]..self.starts[profile + 1];
        let columns = self.columns[entries.clone()].iter();
        columns
            .map(|&column| column as usize)
            .zip(self.values[entries].iter().copied())
    }

    /// x'λ of each profile.
    pub fn scores(&self, lambda: &[f64]) -> Vec<f64> {
        (0..self.n_profiles())
            .into_par_iter()
            .with_min_len(BLOCK)
            .map(|profile| {
                let terms = self.row(profile).map(|(j, x)| x * lambda[j]);
                terms.sum()
            })
            .collect()
    }

    /// Σ w x: the margins with these profile weights.
    pub fn totals(&self, w: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
        self.blocks(self.n_margins(), |profile, sums| {
            let weight = w(profile);
            for (j, x) in self.row(profile) {
                sums[j] += weight * x;
            }
        })
    }

    /// Σ c x x', a matrix of margins by margins.
    pub fn gram(&self, c: impl Fn(usize) -> f64 + Sync) -> Symmetric {
        let order = self.n_margins();
        let sums = self.blocks(order * (order + 1) / 2, |profile, sums| {
            let factor = c(profile);
            if factor == 0.0 {
                return;
            }
            let entries = self.starts[profile]..self.starts[profile + 1];
            let (columns, values) = (&self.columns[entries.clone()], &self.values[entries]);
            for (at, (&j, &x)) in columns.iter().zip(values).enumerate() {
                let (j, scaled) = (j as usize, factor * x);
                let row = &mut sums[j * (j + 1) / 2..];
                for (&k, &y) in columns[..=at].iter().zip(values) {
                    row[k as usize] += scaled * y;
                }
            }
        });
        Symmetric::from_lower(order, |j, k| sums[j * (j + 1) / 2 + k])
    }

    /// Sums over profiles in blocks, added in their order: the same on any number of threads.
    fn blocks(&self, n_sums: usize, add: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
        let n = self.n_profiles();
        // So many blocks at most that their sums stay small beside the rows.
        let block = BLOCK.max(n.div_ceil(256));
        let n_parts = n.div_ceil(block);
        let mut sums = vec![0.0; n_sums];
        for first in (0..n_parts).step_by(AT_A_TIME) {
            let parts = each(AT_A_TIME.min(n_parts - first), &|part| {
                let (mut sums, part) = (vec![0.0; n_sums], first + part);
                for profile in part * block..((part + 1) * block).min(n) {
                    add(profile, &mut sums);
                }
                sums
            });
            for part in parts {
                for (sum, part) in sums.iter_mut().zip(part) {
                    *sum += part;
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_two_profiles() {
        // Rows (1, 2) and (0, 3) with weights 10 and 20.
        let names = vec!["a".to_owned(), "b".to_owned()];
        let mut design = Design::new(names, vec![0.0, 0.0]);
        design.push([(0, 1.0), (1, 2.0)], 10.0, 1.0);
        design.push([(1, 3.0)], 20.0, 1.0);
        assert_eq!(design.scores(&[5.0, 7.0]), [19.0, 21.0]);
        assert_eq!(design.totals(|p| design.d[p]), [10.0, 80.0]);
        let gram = design.gram(|p| design.d[p]);
        assert_eq!(
            (gram.at(0, 0), gram.at(1, 0), gram.at(1, 1)),
            (10.0, 20.0, 220.0)
        );
    }
}
