//! The pairs that parameters are estimated from, counted without being kept.

use hashbrown::HashMap;

use super::classes::LevelCounts;
use super::comparators::{ComparedVariable, Scale};
use super::distinct::Distinct;
use super::model::{AGREES, MISSING, level};
use crate::error::MethodError;
use crate::kernel::parallel::each;

/// Both files as their different records.
pub(crate) struct Collapsed {
    /// The variables at the different records.
    pub(crate) variables: Vec<ComparedVariable>,
    /// The different original records.
    pub(crate) original: Distinct,
    /// The different masked records.
    pub(crate) masked: Distinct,
    /// Block of each different original record.
    pub(crate) block_of: Vec<u32>,
    /// The different masked records of each block.
    pub(crate) in_block: Vec<Vec<u32>>,
}

/// What the estimation looked at.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PairsUsed {
    /// Original records whose pairs were counted.
    pub n_original: u64,
    /// Pairs that were counted.
    pub n_pairs: f64,
    /// Whether these are all there are.
    pub all: bool,
}

/// Pairs that tables of two variables are made from at the most.
const MOST_TWO_BY_TWO: usize = 10_000_000;

/// Different original records at a time.
const BLOCK: usize = 16;

impl Collapsed {
    /// The original records whose pairs are counted: all, or as many of the first in an order that has
    /// nothing to do with the file as give so many pairs.
    fn chosen(&self, most: usize) -> usize {
        let mut n_pairs = 0_usize;
        for original in 0..self.original.len() {
            n_pairs += self.in_block[self.block_of[original] as usize].len();
            if n_pairs > most && original > 0 {
                return original;
            }
        }
        self.original.len()
    }

    /// Masked records of each block.
    pub(crate) fn masked_in_block(&self) -> Vec<f64> {
        let size = |&one: &u32| f64::from(self.masked.sizes[one as usize]);
        let of = |block: &Vec<u32>| block.iter().map(size).sum();
        self.in_block.iter().map(of).collect()
    }

    /// Original records of each block.
    pub(crate) fn original_in_block(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.in_block.len()];
        for (&block, &size) in self.block_of.iter().zip(&self.original.sizes) {
            sizes[block as usize] += f64::from(size);
        }
        sizes
    }

    /// Masked records that an original one may be linked with, on average.
    pub(crate) fn masked_per_original(&self) -> f64 {
        let used = self.used(self.original.len());
        used.n_pairs / used.n_original.max(1) as f64
    }

    fn used(&self, n_chosen: usize) -> PairsUsed {
        let in_block = self.masked_in_block();
        let size = |one: usize| f64::from(self.original.sizes[one]);
        PairsUsed {
            n_original: (0..n_chosen).map(size).sum::<f64>() as u64,
            n_pairs: (0..n_chosen)
                .map(|one| size(one) * in_block[self.block_of[one] as usize])
                .sum(),
            all: n_chosen == self.original.len(),
        }
    }

    /// Similarities of an original record with some masked ones, by variable; NaN where a value is missing.
    fn similarities(&self, original: usize, masked: &[u32], near: &mut [Vec<f64>]) {
        for (variable, near) in self.variables.iter().zip(near) {
            let a = variable.original[original];
            near.clear();
            let values = masked.iter().map(|&one| variable.masked[one as usize]);
            match &variable.scale {
                _ if a.is_nan() => near.extend(values.map(|_| f64::NAN)),
                Scale::Table(table) => {
                    let row = table.row(a);
                    near.extend(values.map(|b| {
                        if b.is_nan() {
                            b
                        } else {
                            f64::from(row[b as usize])
                        }
                    }));
                }
                _ => {
                    let slope = variable.slope(a);
                    // Not `max`, which would make 0 of a missing value.
                    near.extend(values.map(|b| {
                        let near = 1.0 - (a - b).abs() * slope;
                        if near < 0.0 { 0.0 } else { near }
                    }));
                }
            }
        }
    }

    /// Counts of levels over pairs of any kind.
    pub(crate) fn level_counts(
        &self,
        most: usize,
        two_by_two: bool,
        go_on: &(dyn Fn() -> Result<(), MethodError> + Sync),
    ) -> Result<(LevelCounts, PairsUsed), MethodError> {
        let most = if two_by_two {
            most.min(MOST_TWO_BY_TWO)
        } else {
            most
        };
        let n_chosen = self.chosen(most);
        let n = self.variables.len();
        let parts = each(n_chosen.div_ceil(BLOCK), &|block| {
            go_on()?;
            let mut counts = LevelCounts::new(n, two_by_two);
            let (mut near, mut levels) = (vec![Vec::new(); n], vec![0_u8; n]);
            for original in block * BLOCK..((block + 1) * BLOCK).min(n_chosen) {
                let masked = &self.in_block[self.block_of[original] as usize];
                self.similarities(original, masked, &mut near);
                let size = f64::from(self.original.sizes[original]);
                for (at, &one) in masked.iter().enumerate() {
                    for (level, near) in levels.iter_mut().zip(&near) {
                        *level = level_of(near[at]);
                    }
                    counts.add(&levels, size * f64::from(self.masked.sizes[one as usize]));
                }
            }
            Ok(counts)
        });
        let mut counts = LevelCounts::new(n, two_by_two);
        for part in parts {
            counts.merge(&part?);
        }
        Ok((counts, self.used(n_chosen)))
    }

    /// Counts of links by levels of agreement: different original, different masked record, times.
    pub(crate) fn counts_of(
        &self,
        links: impl Iterator<Item = (u32, u32, f64)>,
        two_by_two: bool,
    ) -> LevelCounts {
        let mut counts = LevelCounts::new(self.variables.len(), two_by_two);
        for (original, masked, times) in links {
            counts.add(&self.levels(original as usize, masked as usize), times);
        }
        counts
    }

    /// Whether a pair agrees in any variable, at least in part.
    pub(crate) fn agree_somewhere(&self, original: usize, masked: usize) -> bool {
        self.variables.iter().any(|one| {
            let near = one.similarity(one.original[original], one.masked[masked]);
            near.is_some_and(|near| near > 0.0)
        })
    }

    /// The levels of a pair.
    fn levels(&self, original: usize, masked: usize) -> Vec<u8> {
        let near = |variable: &ComparedVariable| {
            let near = variable.similarity(variable.original[original], variable.masked[masked]);
            near.map_or(MISSING as u8, |near| level(near) as u8)
        };
        self.variables.iter().map(near).collect()
    }

    /// Patterns of agreement and how many pairs have each, in a fixed order. A pattern has a state for
    /// each variable: the lowest level, the highest, or missing.
    pub(crate) fn patterns(
        &self,
        most: usize,
        go_on: &(dyn Fn() -> Result<(), MethodError> + Sync),
    ) -> Result<(Vec<Pattern>, PairsUsed), MethodError> {
        let n_chosen = self.chosen(most);
        let n = self.variables.len();
        let parts = each(n_chosen.div_ceil(BLOCK), &|block| {
            go_on()?;
            let mut counts: HashMap<u128, f64, foldhash::fast::FixedState> = HashMap::default();
            let mut near = vec![Vec::new(); n];
            let mut codes = Vec::new();
            for original in block * BLOCK..((block + 1) * BLOCK).min(n_chosen) {
                let masked = &self.in_block[self.block_of[original] as usize];
                self.similarities(original, masked, &mut near);
                codes.clear();
                codes.resize(masked.len(), 0_u128);
                for near in &near {
                    for (code, near) in codes.iter_mut().zip(near) {
                        *code = *code * 3 + state_of(*near);
                    }
                }
                let size = f64::from(self.original.sizes[original]);
                for (&code, &one) in codes.iter().zip(masked) {
                    let times = size * f64::from(self.masked.sizes[one as usize]);
                    *counts.entry(code).or_default() += times;
                }
            }
            Ok::<_, MethodError>(counts)
        });
        let mut all = std::collections::BTreeMap::new();
        for part in parts {
            for (code, times) in part? {
                *all.entry(code).or_insert(0.0) += times;
            }
        }
        let patterns = all
            .into_iter()
            .map(|(code, times)| Pattern::of(code, n, times));
        Ok((patterns.collect(), self.used(n_chosen)))
    }
}

/// A pattern of agreement and how many pairs have it.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    /// The level of each variable, lowest or highest or [`MISSING`].
    pub(crate) levels: Vec<u8>,
    /// Number of pairs.
    pub(crate) times: f64,
}

impl Pattern {
    fn of(mut code: u128, n_variables: usize, times: f64) -> Self {
        let mut levels = vec![0; n_variables];
        for level in levels.iter_mut().rev() {
            *level = [0, MISSING as u8 - 1, MISSING as u8][(code % 3) as usize];
            code /= 3;
        }
        Self { levels, times }
    }
}

/// Variables that a pattern can tell of.
pub(crate) const MOST_VARIABLES: usize = 80;

fn state_of(near: f64) -> u128 {
    if near.is_nan() {
        2
    } else {
        u128::from(near >= AGREES)
    }
}

fn level_of(near: f64) -> u8 {
    if near.is_nan() {
        MISSING as u8
    } else {
        level(near) as u8
    }
}
