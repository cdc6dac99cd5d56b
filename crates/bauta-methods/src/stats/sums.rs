//! Sums that are the same on any number of threads.

use rayon::prelude::*;

/// Terms per block. Part of the result's definition: changing it changes last digits.
const BLOCK: usize = 4096;

/// Sum of `term(0) + … + term(n - 1)`: blocks in parallel, compensated within and between them.
pub fn sum_by(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let blocks: Vec<f64> = (0..n.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| compensated((block * BLOCK..((block + 1) * BLOCK).min(n)).map(&term)))
        .collect();
    compensated(blocks.into_iter())
}

/// Partial sums within a block of [`sum`], so that the processor can add several at once.
const LANES: usize = 8;

/// Sum of some values: eight partial sums in each block, blocks in parallel, compensated between
/// them. Faster than [`sum_by`], with an error that grows with the block and not with n.
pub fn sum(values: &[f64]) -> f64 {
    let blocks: Vec<f64> = values
        .par_chunks(BLOCK)
        .map(|block| {
            let mut sums = [0.0; LANES];
            let groups = block.chunks_exact(LANES);
            let rest: f64 = groups.remainder().iter().sum();
            for group in groups {
                for lane in 0..LANES {
                    sums[lane] += group[lane];
                }
            }
            sums.iter().sum::<f64>() + rest
        })
        .collect();
    compensated(blocks.into_iter())
}

/// Neumaier's compensated sum: the error does not grow with the number of terms.
pub fn compensated(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() {
            (sum - next) + term
        } else {
            (term - next) + sum
        };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive_large_ones() {
        // 1 + 1e100 + 1 - 1e100 = 2; a plain sum gives 0.
        assert_eq!(
            compensated([1.0, 1e100, 1.0, -1e100].into_iter()).to_bits(),
            2.0_f64.to_bits()
        );
    }

    #[test]
    fn blocks_do_not_change_a_sum_of_whole_numbers() {
        // 0 + 1 + … + 9999 = 9999 * 10000 / 2.
        assert_eq!(
            sum_by(10_000, |i| i as f64).to_bits(),
            49_995_000.0_f64.to_bits()
        );
        let values: Vec<f64> = (0..10_000).map(f64::from).collect();
        assert_eq!(sum(&values).to_bits(), 49_995_000.0_f64.to_bits());
        assert_eq!(sum(&[]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(sum_by(0, |_| 1.0).to_bits(), 0.0_f64.to_bits());
    }
}
