//! Which ranks are still free, with picking in logarithmic time.

/// A set of ranks 0..n, all free at first. Words of 64 ranks under a Fenwick tree of their
/// counts: a million ranks take 190 kB.
#[derive(Clone, Debug)]
pub struct FreeRanks {
    words: Vec<u64>,
    tree: Vec<u32>,
}

impl FreeRanks {
    /// All of 0..n free.
    pub fn all(n: usize) -> Self {
        let mut words = vec![u64::MAX; n.div_ceil(64)];
        if !n.is_multiple_of(64) {
            *words.last_mut().expect("n > 0 has a word") = (1 << (n % 64)) - 1;
        }
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
    pub fn is_free(&self, rank: usize) -> bool {
        self.words[rank / 64] >> (rank % 64) & 1 == 1
    }

    /// Marks a free rank as used.
    pub fn remove(&mut self, rank: usize) {
        debug_assert!(self.is_free(rank));
        self.words[rank / 64] &= !(1 << (rank % 64));
        let mut index = rank / 64 + 1;
        while index < self.tree.len() {
            self.tree[index] -= 1;
            index += index & index.wrapping_neg();
        }
    }

    /// The free rank that has `nth` free ranks below it.
    pub fn nth(&self, nth: usize) -> usize {
        let mut index = 0;
        let mut left = nth;
        let mut step = (self.tree.len() - 1).next_power_of_two();
        while step > 0 {
            let next = index + step;
            if next < self.tree.len() && self.tree[next] as usize <= left {
                index = next;
                left -= self.tree[next] as usize;
            }
            step /= 2;
        }
        let mut word = self.words[index];
        for _ in 0..left {
            word &= word - 1;
        }
        index * 64 + word.trailing_zeros() as usize
    }
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
