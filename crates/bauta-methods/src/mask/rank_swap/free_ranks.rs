//! Which ranks are still free, with picking in logarithmic time.

/// A set of ranks 0..n, all free at first. Words of 64 ranks under a Fenwick tree of their
/// counts: a million ranks take 190 kB.
#[derive(Clone, Debug)]
pub(super) struct FreeRanks {
    words: Vec<u64>,
    tree: Vec<u32>,
}

impl FreeRanks {
    /// All of 0..n free.
    pub(super) fn all(n: usize) -> Self {
        let mut words = vec![u64::MAX; n / 64];
        if !n.is_multiple_of(64) {
            words.push((1 << (n % 64)) - 1);
        }
        // Words without free ranks up to a power of two: the search below needs no limit.
        words.resize(words.len().next_power_of_two(), 0);
        let mut tree = vec![0; words.len() + 1];
        for (index, word) in words.iter().enumerate() {
            tree[index + 1] = word.count_ones();
        }
        for index in 1..tree.len() {
            let parent = index + (index & index.wrapping_neg());
            if parent < tree.len() {
                tree[parent] += tree[index];
            }
        }
        Self { words, tree }
    }

    /// Whether a rank is free.
    pub(super) fn is_free(&self, rank: usize) -> bool {
        self.words[rank / 64] >> (rank % 64) & 1 == 1
    }

    /// Marks a free rank as used.
    pub(super) fn remove(&mut self, rank: usize) {
        debug_assert!(self.is_free(rank));
        self.words[rank / 64] &= !(1 << (rank % 64));
        let mut index = rank / 64 + 1;
        while index < self.tree.len() {
            self.tree[index] -= 1;
            index += index & index.wrapping_neg();
        }
    }

    /// The free rank that has `nth` free ranks below it; there must be one.
    pub(super) fn nth(&self, nth: usize) -> usize {
        let mut index = 0;
        let mut left = nth as u32;
        let mut step = self.words.len() / 2;
        while step > 0 {
            // Either way is as likely as the other, so that a branch would be guessed wrong half of
            // the time: multiplied instead.
            let below = self.tree[index + step];
            let beyond = u32::from(below <= left);
            index += step * beyond as usize;
            left -= below * beyond;
            step /= 2;
        }
        index * 64 + nth_bit(self.words[index], left)
    }
}

/// Position of the bit of a word that has `nth` set bits below it.
fn nth_bit(mut word: u64, nth: u32) -> usize {
    let mut position = 0;
    let mut left = nth;
    for half in [32, 16, 8, 4, 2, 1] {
        let below = (word & ((1 << half) - 1)).count_ones();
        let beyond = u32::from(below <= left);
        position += half * beyond;
        left -= below * beyond;
        word >>= half * beyond;
    }
    position as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_plain_list(n in 1usize..400, removed in proptest::collection::vec(0usize..400, 0..300)) {
            let mut ranks = FreeRanks::all(n);
            let mut plain = vec![true; n];
            for rank in removed.into_iter().filter(|&rank| rank < n) {
                if plain[rank] {
                    ranks.remove(rank);
                    plain[rank] = false;
                }
            }
            let free: Vec<usize> = (0..n).filter(|&rank| plain[rank]).collect();
            for (rank, &free) in plain.iter().enumerate() {
                prop_assert_eq!(ranks.is_free(rank), free);
            }
            for (nth, &rank) in free.iter().enumerate() {
                prop_assert_eq!(ranks.nth(nth), rank);
            }
        }
    }
}
