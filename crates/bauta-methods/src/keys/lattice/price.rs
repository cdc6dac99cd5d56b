//! What a node loses, and bounds of it that hold for every coarser node.
//!
//! A loss has two parts. What the file loses as a whole, deleted records apart, never falls with the level of
//! a key: it is at least as much in every coarser node. What deleted records lose beyond that never rises: in a
//! finer node the same records are deleted, and others, and each has more to lose. So a node loses at least
//! the first part of any finer node plus the second part of any coarser one.
//!
//! For losses of cells the first part is a sum over keys of what each loses at its level, known before
//! anything is counted. For losses of classes it is known of nodes that were counted: Σ f² only grows where
//! classes fall together, and the number of classes falls.

use super::Lattice;
use super::counting::NodeClasses;
use super::key_levels::KeyLevels;
use super::rules::Verdict;
use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;
use crate::params::choices;

choices! {
    /// What a generalisation loses, from 0 (nothing) to 1 (everything).
    pub enum Loss {
        Entropy = "entropy": "information of the values lost, deleted records lose all of theirs",
        Precision = "precision": "height of each cell in its hierarchy, deleted records at the top",
        Levels = "levels": "levels of all keys, deleted records not counted",
        Discernibility = "discernibility": "pairs of records that cannot be told apart, deleted records from none",
        ClassSize = "class-size": "records per class, deleted records in one class",
    }
}

/// A loss for the keys of one lattice.
pub(super) enum Price {
    /// A sum over cells.
    Cells(Cells),
    /// Figures of classes, and the entropy to find the way by.
    Classes { loss: Loss, guide: Cells },
}

/// The loss of a node, and what it says of others.
#[derive(Default)]
pub(super) struct Priced {
    pub(super) loss: f64,
    /// What every coarser node loses at least, deleted records apart.
    pub(super) of_coarser: f64,
    /// What every finer node loses at least by deleted records.
    pub(super) of_finer: f64,
}

/// What cells lose: by key and level.
pub(super) struct Cells {
    /// Lost by a file without deleted records.
    whole: Vec<Vec<f64>>,
    /// Lost beyond that by a deleted record, by the code of its value.
    beyond: Vec<Vec<Vec<f64>>>,
}

impl Price {
    pub(super) fn new(loss: Loss, keys: &[KeyLevels], n_records: u64) -> Result<Self, MethodError> {
        if keys.iter().all(|key| key.weight == 0.0) {
            return Err(MethodError::request(
                "no key has a weight",
                "give 1 to a usual key, more to one whose detail matters",
            ));
        }
        Ok(match loss {
            Loss::Entropy => Self::Cells(Cells::entropy(keys)),
            Loss::Precision => Self::Cells(Cells::precision(keys, n_records)),
            Loss::Levels => Self::Cells(Cells::levels(keys)),
            Loss::Discernibility | Loss::ClassSize => Self::Classes {
                loss,
                guide: Cells::entropy(keys),
            },
        })
    }

    /// The loss of a node with these classes, infinite if it is not safe, and what it says of others.
    pub(super) fn priced(
        &self,
        lattice: &Lattice,
        classes: &NodeClasses,
        verdict: &Verdict,
        safe: bool,
    ) -> Priced {
        let mut priced = match self {
            _ if lattice.n_records == 0 => Priced::default(),
            Self::Cells(cells) => cells.priced(lattice, classes, verdict, safe),
            Self::Classes {
                loss: Loss::ClassSize,
                ..
            } => {
                let n_kept = verdict.suppressed.iter().filter(|gone| !**gone).count();
                let n_deleted_classes = usize::from(verdict.n_suppressed > 0);
                Priced {
                    loss: 1.0 / (n_kept + n_deleted_classes) as f64,
                    of_coarser: 1.0 / classes.n_classes() as f64,
                    of_finer: 0.0,
                }
            }
            Self::Classes { .. } => indiscernible(lattice.n_records, classes, verdict),
        };
        if !safe {
            priced.loss = f64::INFINITY;
        }
        priced
    }

    /// Whether counting a node bounds the loss of those above it.
    pub(super) fn bounds_coarser(&self) -> bool {
        matches!(self, Self::Classes { .. })
    }

    /// What the node loses at least, to the last bit: no rounding takes the loss below it.
    pub(super) fn before_counting(&self, node: &[u8]) -> f64 {
        match self {
            Self::Cells(cells) => cells.whole(node),
            Self::Classes { .. } => 0.0,
        }
    }

    /// Something that grows with the level of every key, known before counting.
    pub(super) fn guide(&self, node: &[u8]) -> f64 {
        match self {
            Self::Cells(cells) | Self::Classes { guide: cells, .. } => cells.whole(node),
        }
    }
}

impl Cells {
    fn whole(&self, node: &[u8]) -> f64 {
        let keys = self.whole.iter().zip(node);
        keys.map(|(key, &place)| key[usize::from(place)]).sum()
    }

    fn priced(
        &self,
        lattice: &Lattice,
        classes: &NodeClasses,
        verdict: &Verdict,
        safe: bool,
    ) -> Priced {
        let deleted = |gone: &[bool]| self.deleted(lattice, classes, gone);
        let of_finer = match verdict.n_below_too {
            0 => 0.0,
            // Finer nodes are not looked at any more.
            _ if verdict.breaks => 0.0,
            _ => deleted(&verdict.below_too),
        };
        let by_deleted = match verdict.n_suppressed {
            _ if !safe => 0.0,
            n if n == verdict.n_below_too => of_finer,
            _ => deleted(&verdict.suppressed),
        };
        let whole = self.whole(&classes.node);
        Priced {
            loss: whole + by_deleted,
            of_coarser: whole,
            of_finer,
        }
    }

    /// Lost by deleted records beyond what their cells lose anyway. Records are counted by code first, so
    /// that the sum does not depend on the order of classes.
    fn deleted(&self, lattice: &Lattice, classes: &NodeClasses, gone: &[bool]) -> f64 {
        let of_key = |at: usize| {
            let place = usize::from(classes.node[at]);
            let (code_at, beyond) = (&lattice.keys[at].code_at[place], &self.beyond[at][place]);
            let mut n_deleted = vec![0_u64; beyond.len()];
            let gone = gone.iter().zip(&classes.combinations);
            for ((gone, &combination), &size) in gone.zip(&classes.sizes) {
                if *gone {
                    let value = lattice.base.combination(combination)[at];
                    n_deleted[code_at[value as usize] as usize] += u64::from(size);
                }
            }
            let lost = n_deleted.iter().zip(beyond);
            compensated(lost.map(|(&n, beyond)| n as f64 * beyond))
        };
        compensated((0..lattice.keys.len()).map(of_key))
    }

    /// Non-uniform entropy: a record whose value v became g loses log2 of n(g)/n(v), a deleted one
    /// log2 of n/n(v); of each key as a share of what is lost when all its values fall together.
    fn entropy(keys: &[KeyLevels]) -> Self {
        let entropy_of = |key: &KeyLevels| {
            let n: u64 = key.n_with_value[1..].iter().sum();
            information(n, &key.n_with_value)
        };
        let all: Vec<f64> = keys.iter().map(entropy_of).collect();
        // A key with one value has nothing to lose.
        let known = keys.iter().zip(&all).filter(|(_, all)| **all > 0.0);
        let total: f64 = known.map(|(key, _)| key.weight).sum();
        Self::by_key(keys, |at, place| {
            let (key, all) = (&keys[at], all[at]);
            let counts = &key.n_records[place];
            if all <= 0.0 || total <= 0.0 {
                return (0.0, vec![0.0; counts.len()]);
            }
            let n: u64 = key.n_with_value[1..].iter().sum();
            let left = information(n, counts);
            let lost = (all - left).max(0.0) / all;
            let beyond = |(code, &count): (usize, &u64)| match code {
                // A missing value has nothing to lose.
                0 => 0.0,
                _ if count == 0 => 0.0,
                _ => log2_ratio(n, count) / all * (key.weight / total),
            };
            let beyond = counts.iter().enumerate().map(beyond).collect();
            (lost * (key.weight / total), beyond)
        })
    }

    /// Height in the hierarchy by cell, deleted cells at the top.
    fn precision(keys: &[KeyLevels], n_records: u64) -> Self {
        let total: f64 = keys.iter().map(|key| key.weight).sum();
        Self::by_key(keys, |at, place| {
            let key = &keys[at];
            let height = key.height.max(1) as f64;
            let lost = key.levels[place] as f64 / height;
            let weight = key.weight / total;
            let beyond = (1.0 - lost) * weight / n_records.max(1) as f64;
            (lost * weight, vec![beyond; key.n_records[place].len()])
        })
    }

    /// Levels of the keys as a share of all that there are.
    fn levels(keys: &[KeyLevels]) -> Self {
        let heights = keys.iter().map(|key| key.weight * key.height as f64);
        let total: f64 = heights.sum();
        Self::by_key(keys, |at, place| {
            let key = &keys[at];
            let lost = key.weight * key.levels[place] as f64;
            let lost = if total > 0.0 { lost / total } else { 0.0 };
            (lost, vec![0.0; key.n_records[place].len()])
        })
    }

    /// From what each key loses at each of its levels, as a whole and by code of a deleted value.
    fn by_key(keys: &[KeyLevels], lost: impl Fn(usize, usize) -> (f64, Vec<f64>)) -> Self {
        let mut cells = Self {
            whole: Vec::new(),
            beyond: Vec::new(),
        };
        for (at, key) in keys.iter().enumerate() {
            let (mut whole, mut beyond): (Vec<f64>, Vec<Vec<f64>>) =
                (0..key.n_levels()).map(|place| lost(at, place)).unzip();
            // Equal losses of two levels may differ in their last bit; they must not fall.
            for place in 1..whole.len() {
                whole[place] = whole[place].max(whole[place - 1]);
            }
            for beyond in beyond.iter_mut().flatten() {
                *beyond = beyond.max(0.0);
            }
            cells.whole.push(whole);
            cells.beyond.push(beyond);
        }
        cells
    }
}

/// Σ m log2(n/m) over the numbers m of records with each value: what telling them apart is worth.
fn information(n: u64, counts: &[u64]) -> f64 {
    let occurring = counts[1..].iter().filter(|count| **count > 0);
    compensated(occurring.map(|&count| count as f64 * log2_ratio(n, count)))
}

fn log2_ratio(n: u64, count: u64) -> f64 {
    libm::log2(n as f64 / count as f64).max(0.0)
}

/// Pairs of records that cannot be told apart, as a share of all: Σ f², and n for each deleted record instead of f.
fn indiscernible(n_records: u64, classes: &NodeClasses, verdict: &Verdict) -> Priced {
    let pairs = |f: u64| u128::from(f) * u128::from(f);
    let beyond = |gone: &[bool]| -> u128 {
        let sizes = classes.sizes.iter().zip(gone).filter(|(_, gone)| **gone);
        let sizes = sizes.map(|(size, _)| u64::from(*size));
        sizes
            .map(|f| u128::from(f) * u128::from(n_records - f))
            .sum()
    };
    let all: u128 = classes.sizes.iter().map(|f| pairs(u64::from(*f))).sum();
    let share = |n_pairs: u128| n_pairs as f64 / n_records as f64 / n_records as f64;
    Priced {
        loss: share(all + beyond(&verdict.suppressed)),
        of_coarser: share(all),
        of_finer: share(beyond(&verdict.below_too)),
    }
}
