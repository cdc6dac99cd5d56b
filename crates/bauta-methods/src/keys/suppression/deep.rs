//! The cheapest blanks of a class that has to lose many keys.
//!
//! From the other side: which keys can it keep? A set of keys can be kept if k records agree with the
//! class on all of them. Keys are taken from the dearest, kept as long as enough records agree, and
//! blanked otherwise; a branch ends where it costs more than the best found. Sets that k records share
//! are few where much must be blanked, which is where going up by cost meets nearly all sets.

use std::cmp::Reverse;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::keys::KeyCounts;
use crate::keys::suppression::subsets::units;

/// How good a set of blanks is; smaller is better: cost, cells, then the larger count, then the mask.
type Rank = (u64, u32, Reverse<u32>, u64);

/// Keys on which records agree with the class, and how many agree on just these.
type Agreement = (u64, u32);

/// A search for one class.
struct Search<'a> {
    /// Keys that may be kept or blanked, from the dearest; none costs infinitely much.
    keys: &'a [(u64, usize)],
    k: u32,
    best: Option<Rank>,
}

/// The cheapest blanks that hold `base`, for a class that shows `visible`, in a file where each class
/// holds the given keys; none if no set is enough.
pub(super) fn cheapest(
    classes: &KeyCounts,
    held: &[Option<u64>],
    costs: &[f64],
    k: u32,
    (class, base): (u32, u64),
) -> Option<u64> {
    let visible = classes.visible[class as usize];
    let units = units(costs);
    let free = visible & !base;
    let mut keys: Vec<(u64, usize)> = (0..classes.n_keys)
        .filter(|key| free >> key & 1 == 1)
        .filter_map(|key| Some((units[key]?, key)))
        .collect();
    keys.sort_unstable_by_key(|&(cost, key)| (Reverse(cost), key));
    let fixed = free & !keys.iter().fold(0, |mask, &(_, key)| mask | 1 << key);
    let agreements = agreements(classes, held, class, free, fixed);
    let cost_of_base = crate::keys::suppression::bits(base)
        .filter_map(|key| units[key])
        .sum();
    let mut search = Search {
        keys: &keys,
        k,
        best: None,
    };
    search.go(0, &agreements, cost_of_base, base);
    search.best.map(|(.., mask)| mask)
}

/// How records agree with a class on its free keys; those that differ on a fixed one do not count.
fn agreements(
    classes: &KeyCounts,
    held: &[Option<u64>],
    class: u32,
    free: u64,
    fixed: u64,
) -> Vec<Agreement> {
    let own = classes.codes_of(class);
    let mut counts: HashMap<u64, u32, FixedState> = HashMap::default();
    for (other, held) in held.iter().enumerate() {
        let Some(held) = held else { continue };
        let codes = classes.codes_of(other as u32);
        let equal =
            crate::keys::suppression::bits(free & held).filter(|&key| codes[key] == own[key]);
        let agrees = equal.fold(0, |mask, key| mask | 1 << key);
        if agrees & fixed == fixed {
            *counts.entry(agrees).or_default() += classes.sizes[other].0;
        }
    }
    let mut agreements: Vec<Agreement> = counts.into_iter().collect();
    agreements.sort_unstable();
    agreements
}

impl Search<'_> {
    /// Decides the keys from position `at` on; `agreeing` are the records that agree on all kept ones.
    fn go(&mut self, at: usize, agreeing: &[Agreement], cost: u64, blanked: u64) {
        let n: u32 = agreeing.iter().map(|&(_, n)| n).sum();
        if n < self.k || self.best.is_some_and(|best| cost > best.0) {
            return;
        }
        let Some(&(unit, key)) = self.keys.get(at) else {
            let rank = (cost, blanked.count_ones(), Reverse(n), blanked);
            if self.best.is_none_or(|best| rank < best) {
                self.best = Some(rank);
            }
            return;
        };
        let keeping: Vec<Agreement> = agreeing
            .iter()
            .copied()
            .filter(|(agrees, _)| agrees >> key & 1 == 1)
            .collect();
        self.go(at + 1, &keeping, cost, blanked);
        self.go(at + 1, agreeing, cost + unit, blanked | 1 << key);
    }
}
