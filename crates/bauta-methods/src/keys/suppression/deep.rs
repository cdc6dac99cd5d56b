//! The cheapest blanks of a class that has to lose many keys.
//!
//! From the other side: which keys can it keep? A set of keys can be kept if, of each set that has to be
//! safe, k records agree with the class on all that is kept of it. Keys are taken from the dearest, kept as long as enough records agree, and
//! blanked otherwise; a branch ends where it costs more than the best found. Sets that k records share
//! are few where much must be blanked, which is where going up by cost meets nearly all sets.

use std::cmp::Reverse;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::keys::KeyCounts;
use crate::keys::suppression::subsets::units;
use crate::keys::suppression::{Problem, bits};

/// How good a set of blanks is; smaller is better: cost, cells, then the larger count, then the mask.
type Rank = (u64, u32, Reverse<u32>, u64);

/// Keys on which records agree with the class, and how many agree on just these.
type Agreement = (u64, u32);

/// A search for one class.
struct Search<'a> {
    /// Keys that may be kept or blanked, from the dearest; none costs infinitely much.
    keys: &'a [(u64, usize)],
    /// Sets of keys that have to be safe.
    sets: &'a [u64],
    k: u32,
    best: Option<Rank>,
}

/// The cheapest blanks that hold `base`, for a class that shows `visible`, in a file where each class
/// holds the given keys; none if no set is enough.
pub(super) fn cheapest(
    problem: Problem<'_>,
    held: &[Option<u64>],
    (class, base): (u32, u64),
) -> Option<u64> {
    let classes = problem.classes;
    let units = units(problem.costs);
    let free = classes.visible[class as usize] & !base;
    let mut keys: Vec<(u64, usize)> = (0..classes.n_keys)
        .filter(|key| free >> key & 1 == 1)
        .filter_map(|key| Some((units[key]?, key)))
        .collect();
    keys.sort_unstable_by_key(|&(cost, key)| (Reverse(cost), key));
    let fixed = free & !keys.iter().fold(0, |mask, &(_, key)| mask | 1 << key);
    let agreements = agreements(classes, held, class, free);
    let on_fixed = |set: &u64| agreeing(&agreements, fixed & set);
    let of_sets: Vec<Vec<Agreement>> = problem.sets.masks().iter().map(on_fixed).collect();
    let mut search = Search {
        keys: &keys,
        sets: problem.sets.masks(),
        k: problem.k,
        best: None,
    };
    let cost_of_base = bits(base).filter_map(|key| units[key]).sum();
    search.go(0, &of_sets, cost_of_base, base);
    search.best.map(|(.., mask)| mask)
}

/// The agreements on all of some keys.
fn agreeing(agreements: &[Agreement], keys: u64) -> Vec<Agreement> {
    let all = agreements.iter().copied();
    all.filter(|(agrees, _)| agrees & keys == keys).collect()
}

/// How records agree with a class on its free keys.
fn agreements(classes: &KeyCounts, held: &[Option<u64>], class: u32, free: u64) -> Vec<Agreement> {
    let own = classes.codes_of(class);
    let mut counts: HashMap<u64, u32, FixedState> = HashMap::default();
    for (other, held) in held.iter().enumerate() {
        let Some(held) = held else { continue };
        let codes = classes.codes_of(other as u32);
        let equal = bits(free & held).filter(|&key| codes[key] == own[key]);
        let agrees = equal.fold(0, |mask, key| mask | 1 << key);
        *counts.entry(agrees).or_default() += classes.sizes[other];
    }
    let mut agreements: Vec<Agreement> = counts.into_iter().collect();
    agreements.sort_unstable();
    agreements
}

impl Search<'_> {
    /// Decides the keys from position `at` on; `agreeing` are, for each set, the records that agree on
    /// all that is kept of it.
    fn go(&mut self, at: usize, of_sets: &[Vec<Agreement>], cost: u64, blanked: u64) {
        let n_of_set = |agreeing: &Vec<Agreement>| agreeing.iter().map(|&(_, n)| n).sum();
        let n: u32 = of_sets.iter().map(n_of_set).min().unwrap_or(u32::MAX);
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
        let keeping: Vec<Vec<Agreement>> = of_sets
            .iter()
            .zip(self.sets)
            .map(|(of_set, set)| agreeing(of_set, 1 << key & set))
            .collect();
        self.go(at + 1, &keeping, cost, blanked);
        self.go(at + 1, of_sets, cost + unit, blanked | 1 << key);
    }
}
