//! Which sets of keys have to be safe, each by itself.

use std::collections::BTreeSet;

/// Sets of keys, none of them within another: a record that is safe on a set is safe on all of its
/// subsets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeySets {
    masks: Vec<u64>,
}

impl KeySets {
    /// The sets that are not within others, from the largest and by rising mask.
    pub(crate) fn new(sets: impl IntoIterator<Item = u64>) -> Self {
        let mut all: Vec<u64> = sets.into_iter().collect();
        all.sort_unstable_by_key(|set| (std::cmp::Reverse(set.count_ones()), *set));
        all.dedup();
        let mut masks: Vec<u64> = Vec::new();
        for set in all {
            if !masks.iter().any(|larger| set & !larger == 0) {
                masks.push(set);
            }
        }
        Self { masks }
    }

    /// One set of so many keys.
    pub(crate) fn one(n_keys: usize) -> Self {
        let all = (0..n_keys).fold(0, |mask, key| mask | 1 << key);
        Self { masks: vec![all] }
    }

    /// The sets.
    pub(crate) fn masks(&self) -> &[u64] {
        &self.masks
    }

    /// Whether a set of keys is within one of the sets.
    pub(crate) fn hold(&self, keys: u64) -> bool {
        self.masks.iter().any(|set| keys & !set == 0)
    }

    /// Every set of keys that is within one of the sets, by rising mask; none if there are more than
    /// `limit`.
    pub(crate) fn all_within(&self, limit: usize) -> Option<Vec<u64>> {
        let largest = self.masks.first()?.count_ones();
        if largest >= usize::BITS || 1_usize << largest > limit {
            return None;
        }
        let mut within = BTreeSet::new();
        for &set in &self.masks {
            let mut part = set;
            loop {
                within.insert(part);
                if within.len() > limit {
                    return None;
                }
                if part == 0 {
                    break;
                }
                part = (part - 1) & set;
            }
        }
        Some(within.into_iter().collect())
    }
}

/// How many ways there are to choose `m` of `n` keys; the largest number where there are more.
pub(crate) fn n_combinations(n: usize, m: usize) -> u64 {
    if m > n {
        return 0;
    }
    let m = m.min(n - m) as u64;
    let ways = (1..=m).try_fold(1_u128, |ways, i| {
        // Exact at every turn: the product of i neighbouring numbers is divisible by i!.
        ways.checked_mul(u128::from(n as u64 - m + i))
            .map(|ways| ways / u128::from(i))
    });
    ways.and_then(|ways| u64::try_from(ways).ok())
        .unwrap_or(u64::MAX)
}

/// All combinations of `m` of the keys of a set, by rising mask; the set itself where it has no more.
pub(crate) fn combinations(set: u64, m: usize) -> Vec<u64> {
    let keys: Vec<usize> = crate::keys::suppression::bits(set).collect();
    if m >= keys.len() {
        return vec![set];
    }
    let mut chosen: Vec<usize> = (0..m).collect();
    let mut all = Vec::new();
    loop {
        all.push(chosen.iter().fold(0, |mask, &at| mask | 1 << keys[at]));
        // The last position that can still move, and those after it right behind it.
        let Some(at) = (0..m).rev().find(|&at| chosen[at] < keys.len() - m + at) else {
            break;
        };
        chosen[at] += 1;
        for next in at + 1..m {
            chosen[next] = chosen[next - 1] + 1;
        }
    }
    all.sort_unstable();
    all
}

/// All combinations of `m` of some keys, of which there are at most 64; all of them where there are no more.
pub fn combinations_of<T: Clone>(keys: &[T], m: usize) -> Vec<Vec<T>> {
    let all = KeySets::one(keys.len()).masks;
    let combined = all.into_iter().flat_map(|set| combinations(set, m));
    let named = |set: u64| crate::keys::suppression::bits(set).map(|key| keys[key].clone());
    combined.map(|set| named(set).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_within_another_asks_for_nothing_more() {
        assert_eq!(
            KeySets::new([0b0011, 0b0111, 0b0011, 0b1100]).masks(),
            [0b0111, 0b1100]
        );
        let sets = KeySets::new([0b0111, 0b1100]);
        assert!(sets.hold(0b0101) && sets.hold(0) && !sets.hold(0b1001));
    }

    #[test]
    fn what_is_within_the_sets_is_listed_once_and_within_a_limit() {
        let sets = KeySets::new([0b011, 0b110]);
        let within = vec![0, 0b001, 0b010, 0b011, 0b100, 0b110];
        assert_eq!(sets.all_within(6), Some(within));
        assert_eq!(sets.all_within(5), None);
        assert_eq!(KeySets::one(64).all_within(4096), None);
    }

    #[test]
    fn combinations_are_as_many_as_pascal_says() {
        assert_eq!(combinations(0b1011, 2), [0b0011, 0b1001, 0b1010]);
        assert_eq!(combinations(0b1011, 3), [0b1011]);
        assert_eq!(combinations(0b1011, 5), [0b1011]);
        for n in 1..12_usize {
            for m in 1..=n {
                let all = combinations((1 << n) - 1, m);
                assert_eq!(all.len() as u64, n_combinations(n, m), "{m} of {n}");
                assert!(all.iter().all(|set| set.count_ones() as usize == m));
            }
        }
        assert_eq!(n_combinations(64, 3), 41_664);
        assert_eq!(n_combinations(64, 32), 1_832_624_140_942_590_534);
        assert_eq!(n_combinations(3, 4), 0);
    }
}
