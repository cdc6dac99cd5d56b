//! The smallest sets of keys that single out one record.
//!
//! Another record j agrees with record i on a set of keys A. On a set S of keys, i is matched by
//! those j whose A holds all of S. So i shares S with fewer than k records, itself included, if all
//! but k - 2 of the others differ from it somewhere in S: for k = 2 the smallest such S are the
//! minimal transversals of the sets D on which the others differ from i. They are enumerated by
//! branching on keys of the smallest D, a key that became superfluous ending a branch, as in the
//! algorithm MMCS of Murakami and Uno (2014); records that agree on the same keys are one. With few
//! keys and very many different D, all sets of keys are counted at once instead.

use bauta_data::missing::{MissingCause, MissingCells};
use bauta_data::{Column, Table, Values};
use rayon::prelude::*;

use crate::error::MethodError;
use crate::kernel::numbers::exact_sum::exact_sum;
use crate::kernel::parallel::on_blocks;
use crate::keys::{MAX_KEYS, Semantics};

/// What singles out a record.
#[derive(Clone, PartialEq, Debug)]
pub struct UniqueSets {
    /// Records with the same key, the record itself included.
    pub f: u32,
    /// Sum of their weights; their number where there are none.
    pub big_f: f64,
    /// The sets of keys, as positions among the keys given: on each the record is matched by fewer
    /// than k records, itself included, and on no part of it. Smaller sets first, then in the order
    /// of the keys.
    pub sets: Vec<Vec<usize>>,
    /// Where the search was given up because there were too many: all sets of up to so many keys
    /// are listed, or one larger one if there is none; others may exist.
    pub complete_up_to: Option<usize>,
}

/// Records that a search looks at before it gives up: some tenths of a second.
const MAX_STEPS: u64 = 20_000_000;

/// Records that are compared by one piece of work.
const BLOCK: usize = 1 << 14;

/// Most keys of which all sets are counted: four million sets, 16 MB.
const MAX_COUNTED: u32 = 22;

/// Most sets that are listed.
const MAX_SETS: usize = 20_000;

/// The minimal sets of keys on which a record shares its values with fewer than `k` records, the
/// record itself included.
pub fn unique_sets(
    table: &Table,
    keys: &[usize],
    record: usize,
    k: u32,
    semantics: Semantics,
) -> Result<UniqueSets, MethodError> {
    if keys.is_empty() || keys.len() > MAX_KEYS {
        return Err(MethodError::request(
            format!(
                "keys are compared for 1 to {MAX_KEYS} variables, not {}",
                keys.len()
            ),
            "name the variables that an intruder could know",
        ));
    }
    if record >= table.n_records() {
        return Err(MethodError::request(
            format!("there are {} records", table.n_records()),
            "rows count from 1, without the header",
        ));
    }
    if semantics == Semantics::Original {
        for &attr_idx in keys {
            crate::keys::codes::refuse_lost_numbers(table.column(attr_idx))?;
        }
    }
    let differs = differences(table, keys, record, semantics);
    let matched = |j: usize| differs[j] == 0;
    let weights = table.weight().and_then(Column::as_numeric);
    let f = (0..differs.len()).filter(|&j| matched(j)).count() as u32;
    let of_matched = |weights: &[f64]| {
        let weights = weights.iter().enumerate();
        let matched: Vec<f64> = weights
            .filter(|(j, _)| matched(*j))
            .map(|(_, &weight)| weight)
            .collect();
        exact_sum(&matched)
    };
    let big_f = weights.map_or(f64::from(f), of_matched);
    let (sets, complete_up_to) = minimal_sets(differs, record, keys.len(), k);
    Ok(UniqueSets {
        f,
        big_f,
        sets,
        complete_up_to,
    })
}

/// For each record a bit per key: 1 where it does not match the given record.
fn differences(table: &Table, keys: &[usize], record: usize, semantics: Semantics) -> Vec<u64> {
    let mut differs = vec![0_u64; table.n_records()];
    for (bit, &attr_idx) in keys.iter().enumerate() {
        let column = table.column(attr_idx);
        let hidden = column.is_missing(record);
        if hidden && semantics != Semantics::Own {
            // What the record does not show tells it from nobody.
            continue;
        }
        let matches = |j: usize| match (semantics, column.is_missing(j)) {
            (Semantics::Own, missing) if hidden || missing => hidden == missing,
            (Semantics::Wild, true) => true,
            (Semantics::Original, true) => was_suppressed(column, j) && equal(column, record, j),
            (Semantics::Own | Semantics::Visible, true) => false,
            (
                Semantics::Own | Semantics::Visible | Semantics::Original | Semantics::Wild,
                false,
            ) => equal(column, record, j),
        };
        let codes = column.as_categorical().map(|categories| &categories.codes);
        on_blocks(&mut differs, BLOCK, &|block, masks| {
            let start = block * BLOCK;
            match codes.filter(|_| !hidden) {
                Some(codes) => {
                    let own = codes.at(record);
                    codes.with_each(start, masks, |mask, code| {
                        *mask |= u64::from(code != own) << bit;
                    });
                    let states = column.missing().map(MissingCells::states);
                    let states = states.map_or(&[][..], |states| &states[start..]);
                    // Few cells have no value, and their codes mean something else or nothing.
                    for (i, (mask, _)) in (masks.iter_mut().zip(states).enumerate())
                        .filter(|(_, (_, state))| **state != 0)
                    {
                        *mask = *mask & !(1 << bit) | u64::from(!matches(start + i)) << bit;
                    }
                }
                None => {
                    for (i, mask) in masks.iter_mut().enumerate() {
                        *mask |= u64::from(!matches(start + i)) << bit;
                    }
                }
            }
        });
    }
    differs
}

fn was_suppressed(column: &Column, record: usize) -> bool {
    column
        .missing_mark(record)
        .is_some_and(|mark| mark.cause == MissingCause::Suppressed)
}

/// Whether two cells hold the same value, shown or suppressed.
fn equal(column: &Column, i: usize, j: usize) -> bool {
    match column.values() {
        Values::Categorical(categories) => categories.codes.at(i) == categories.codes.at(j),
        #[expect(clippy::float_cmp, reason = "equal values are one key")]
        Values::Numeric(values) => match column.exact() {
            Some(exact) => exact.codes.at(i) == exact.codes.at(j),
            None => {
                let values = column.numbers_before_suppression().unwrap_or(values);
                values[i] == values[j]
            }
        },
    }
}

/// Other records that differ from the given one on the same keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Others {
    differs: u64,
    count: u32,
}

/// The records by the keys on which they differ.
fn counted(mut differs: Vec<u64>, n_keys: usize) -> Vec<Others> {
    // A count for every set of keys while there are fewer of them than records.
    if n_keys < 32 && 1 << n_keys <= differs.len() {
        let mut counts = vec![0; 1 << n_keys];
        for differs in differs {
            counts[differs as usize] += 1;
        }
        let found = (0..).zip(counts).filter(|&(_, count)| count > 0);
        return found
            .map(|(differs, count)| Others { differs, count })
            .collect();
    }
    differs.par_sort_unstable();
    let same = differs.chunk_by(|a, b| a == b);
    same.map(|same| Others {
        differs: same[0],
        count: same.len() as u32,
    })
    .collect()
}

fn minimal_sets(
    mut differs: Vec<u64>,
    record: usize,
    n_keys: usize,
    k: u32,
) -> (Vec<Vec<usize>>, Option<usize>) {
    differs.swap_remove(record);
    // No set is matched by nobody, not even by the record itself.
    if k < 2 {
        return (Vec::new(), None);
    }
    let allowed = u64::from(k) - 2;
    let mut others = counted(differs, n_keys);
    // Fewest differences first: they leave the least choice.
    others.sort_by_key(|other| (other.differs.count_ones(), other.differs));
    let twins = others.first().filter(|other| other.differs == 0);
    if twins.is_some_and(|twins| u64::from(twins.count) > allowed) {
        return (Vec::new(), None);
    }
    let telling = others.iter().fold(0, |keys, other| keys | other.differs);
    let n_telling = telling.count_ones();
    let (found, complete_up_to) = if n_telling <= MAX_COUNTED && 1 << n_telling <= 64 * others.len()
    {
        (counted_sets(&others, telling, allowed), None)
    } else {
        searched_sets(&without_implied(&others, allowed), n_keys, allowed)
    };
    listed(&found, complete_up_to)
}

/// The sets by counting for every set of the keys that tell anybody apart how many match on it: d
/// passes over 2^d sums.
fn counted_sets(others: &[Others], telling: u64, allowed: u64) -> Vec<u64> {
    let keys: Vec<u64> = (0..MAX_KEYS)
        .map(|key| 1 << key)
        .filter(|bit| telling & bit != 0)
        .collect();
    let packed = |mask: u64| {
        let bits = keys.iter().enumerate();
        bits.fold(0, |packed, (at, bit)| {
            packed | usize::from(mask & bit != 0) << at
        })
    };
    let all = (1_usize << keys.len()) - 1;
    // n_matching[S] = others that agree with the record on all of S, summed over larger sets.
    let mut n_matching = vec![0_u32; all + 1];
    for other in others {
        n_matching[all & !packed(other.differs)] += other.count;
    }
    for at in 0..keys.len() {
        for block in n_matching.chunks_mut(2 << at) {
            let (without, with) = block.split_at_mut(1 << at);
            for (without, with) in without.iter_mut().zip(with) {
                *without += *with;
            }
        }
    }
    let few = |set: usize| u64::from(n_matching[set]) <= allowed;
    let minimal = |&set: &usize| {
        let mut parts = (0..keys.len()).filter(|at| set >> at & 1 == 1);
        few(set) && parts.all(|at| !few(set & !(1 << at)))
    };
    let unpacked = |set: usize| {
        let bits = keys.iter().enumerate();
        bits.fold(
            0,
            |mask, (at, bit)| {
                if set >> at & 1 == 1 { mask | bit } else { mask }
            },
        )
    };
    (0..=all).filter(minimal).map(unpacked).collect()
}

/// The sets by branching; with the size up to which they are all, where that was given up.
fn searched_sets(others: &[Others], n_keys: usize, allowed: u64) -> (Vec<u64>, Option<usize>) {
    let mut search = Search {
        allowed,
        size: 0,
        n_steps: 0,
        found: Vec::new(),
        larger: true,
    };
    // Sets of one key first, then of two: what is listed when a search is given up is the best.
    while search.larger && search.size <= n_keys as u32 {
        let n_before = search.found.len();
        search.larger = false;
        search.extend(0, u64::MAX, others, &[]);
        if search.given_up() {
            search.found.truncate(n_before);
            let complete_up_to = search.size.saturating_sub(1) as usize;
            if search.found.is_empty() {
                search.found.push(some_set(others, n_keys, allowed));
            }
            return (search.found, Some(complete_up_to));
        }
        search.size += 1;
    }
    (search.found, None)
}

/// The sets in order, without those of sizes that would make them too many.
fn listed(found: &[u64], complete_up_to: Option<usize>) -> (Vec<Vec<usize>>, Option<usize>) {
    let mut sets: Vec<Vec<usize>> = found
        .iter()
        .map(|&set| (0..MAX_KEYS).filter(|key| set >> key & 1 == 1).collect())
        .collect();
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    let Some(first_too_many) = sets.get(MAX_SETS) else {
        return (sets, complete_up_to);
    };
    let size = first_too_many.len().saturating_sub(1);
    sets.retain(|set| set.len() <= size);
    (sets, Some(size))
}

/// Leaves out records that decide nothing: if more than allowed differ on parts of what one
/// differs on, a set that tells enough of those apart tells this one apart too, and otherwise is
/// too small without it. The work is bounded; what is left in only costs time.
fn without_implied(others: &[Others], allowed: u64) -> Vec<Others> {
    const LOOKED_AT: usize = 256;
    let mut kept: Vec<Others> = Vec::new();
    for &other in others {
        let mut n_within = 0;
        for part in kept.iter().take(LOOKED_AT) {
            if part.differs & !other.differs == 0 {
                n_within += u64::from(part.count);
            }
        }
        if n_within <= allowed {
            kept.push(other);
        }
    }
    kept
}

/// A search for the minimal sets of one size.
struct Search {
    /// Others that may still match: k - 2.
    allowed: u64,
    size: u32,
    n_steps: u64,
    found: Vec<u64>,
    /// Whether larger sets may exist.
    larger: bool,
}

impl Search {
    fn given_up(&self) -> bool {
        self.n_steps > MAX_STEPS || self.found.len() > MAX_SETS
    }

    /// Extends `set` by keys of `free`. `matching` still match on the set; `told_apart` has for each
    /// key of the set the others that differ from the record on this key of the set alone.
    fn extend(&mut self, set: u64, free: u64, matching: &[Others], told_apart: &[Vec<Others>]) {
        self.n_steps += matching.len() as u64 + 1;
        if self.given_up() {
            return;
        }
        let n_matching = total(matching);
        // Without a superfluous key the record would be matched by too many.
        let needed = told_apart
            .iter()
            .all(|alone| n_matching + total(alone) > self.allowed);
        if !needed {
            return;
        }
        if n_matching <= self.allowed {
            if set.count_ones() == self.size {
                self.found.push(set);
            }
            return;
        }
        if set.count_ones() == self.size {
            self.larger = true;
            return;
        }
        let Some(choice) = choice(matching, free, self.allowed) else {
            return;
        };
        let mut free = free;
        for key in (0..MAX_KEYS).filter(|key| choice >> key & 1 == 1) {
            let bit = 1_u64 << key;
            free &= !bit;
            let (apart, still): (Vec<Others>, Vec<Others>) =
                matching.iter().partition(|other| other.differs & bit != 0);
            let mut alone: Vec<Vec<Others>> = Vec::with_capacity(told_apart.len() + 1);
            for others in told_apart {
                self.n_steps += others.len() as u64;
                let others = others.iter().filter(|other| other.differs & bit == 0);
                alone.push(others.copied().collect());
            }
            alone.push(apart);
            self.extend(set | bit, free, &still, &alone);
        }
    }
}

/// Keys of which every set that is large enough has one: those on which the first `allowed` + 1 of
/// the matching records differ. None if too many cannot be told apart by free keys.
fn choice(matching: &[Others], free: u64, allowed: u64) -> Option<u64> {
    let mut n_hopeless = 0;
    let mut best: Vec<(u32, Others)> = Vec::new();
    for other in matching {
        match (other.differs & free).count_ones() {
            0 => n_hopeless += u64::from(other.count),
            size => best.push((size, *other)),
        }
    }
    if n_hopeless > allowed {
        return None;
    }
    // Each counts at least once, so that so many are enough.
    let n_enough = (allowed - n_hopeless) as usize + 1;
    let order = |(size, other): &(u32, Others)| (*size, other.differs);
    if n_enough < best.len() {
        best.select_nth_unstable_by_key(n_enough, order);
        best.truncate(n_enough);
    }
    best.sort_unstable_by_key(order);
    let mut keys = 0;
    let mut n_chosen = n_hopeless;
    for (_, other) in best {
        if n_chosen > allowed {
            break;
        }
        keys |= other.differs & free;
        n_chosen += u64::from(other.count);
    }
    Some(keys)
}

/// One minimal set, though perhaps not a smallest: key after key is left out where the others do.
fn some_set(others: &[Others], n_keys: usize, allowed: u64) -> u64 {
    let few = |set: u64| {
        let matching = others.iter().filter(|other| other.differs & set == 0);
        matching.map(|other| u64::from(other.count)).sum::<u64>() <= allowed
    };
    (0..n_keys).rev().fold(u64::MAX, |set, key| {
        let without = set & !(1 << key);
        if few(without) { without } else { set }
    }) & (u64::MAX >> (MAX_KEYS - n_keys))
}

fn total(others: &[Others]) -> u64 {
    others.iter().map(|other| u64::from(other.count)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Two ways to the same sets; which one is taken is a matter of time alone.
        #[test]
        fn counting_and_searching_agree(
            masks in prop::collection::btree_map(0_u64..512, 1..4_u32, 0..60),
            allowed in 0..4_u64,
        ) {
            let mut others: Vec<Others> = masks
                .into_iter()
                .map(|(differs, count)| Others { differs: differs << 3, count })
                .collect();
            others.sort_by_key(|other| (other.differs.count_ones(), other.differs));
            let telling = others.iter().fold(0, |keys, other| keys | other.differs);
            let mut counted = counted_sets(&others, telling, allowed);
            let (mut searched, complete_up_to) = searched_sets(&without_implied(&others, allowed), 12, allowed);
            prop_assert_eq!(complete_up_to, None);
            counted.sort_unstable();
            searched.sort_unstable();
            let too_many = others.first().is_some_and(|other| other.differs == 0 && u64::from(other.count) > allowed);
            if !too_many {
                prop_assert!(counted.contains(&some_set(&others, 12, allowed)));
            }
            prop_assert_eq!(counted, searched);
        }
    }
}
