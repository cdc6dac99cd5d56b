//! The random stream of one case: the same for the same seed, target and number, on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Random choices, in the order in which they are asked for.
pub(crate) struct Draws(ChaCha8Rng);

impl Draws {
    /// The choices of a case.
    pub(crate) fn of_case(seed: u64, target: &str, case: u64) -> Self {
        // The name is spread over two words, so that targets with like names have unlike streams.
        let spread = |start: u64| {
            target.bytes().fold(start, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            })
        };
        let words = [
            seed,
            spread(0xcbf2_9ce4_8422_2325),
            spread(0x6261_7574_6121),
            case,
        ];
        let mut key = [0; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number in 0..n; 0 where there is nothing to choose from.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A whole number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True once in n times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A number in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// One of some things, of which there must be one.
    pub(crate) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Some of some things, in their order, each with the chance of one in n.
    pub(crate) fn some<T: Clone>(&mut self, items: &[T], n: usize) -> Vec<T> {
        let chosen = items.iter().filter(|_| self.one_in(n));
        chosen.cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seed_target_and_number_all_key_the_choices() {
        let first = |seed, target, case| Draws::of_case(seed, target, case).bits();
        let here = first(1, "csv", 7);
        assert_eq!(here, first(1, "csv", 7));
        for other in [first(2, "csv", 7), first(1, "cvs", 7), first(1, "csv", 8)] {
            assert_ne!(here, other);
        }
    }

    #[test]
    fn choices_reach_both_ends_and_no_farther() {
        let mut draws = Draws::of_case(1, "test", 1);
        let mut seen = [0_usize; 4];
        for _ in 0..1_000 {
            seen[draws.between(1, 3)] += 1;
        }
        assert_eq!(seen[0], 0);
        assert!(seen[1..].iter().all(|&n| n > 200), "{seen:?}");
    }
}
