//! Blocks of axes that hold several terms of a model each.
//!
//! A correction by a term needs no more of a table than its margin over any axes that hold the
//! term. So a margin over some axes is corrected by all terms that it holds, and the table once, by
//! what came of it: all pairs of eight axes need 28 passes one by one, and three to six by blocks.

/// Cells of a table from which on blocks save more than they cost.
const MIN_TABLE: usize = 1 << 12;
/// So many times smaller than the table is the margin over a block.
const MIN_RATIO: usize = 32;

/// Sets of axes that hold all terms, each larger than one term only where that saves passes; axes
/// and terms are bits, and `shape` has the categories of each axis.
pub(super) fn cover(terms: &[u64], shape: &[usize], axes: u64) -> Vec<u64> {
    let n_cells = n_cells(shape, axes);
    if n_cells < MIN_TABLE {
        return terms.to_vec();
    }
    let limit = n_cells / MIN_RATIO;
    let mut left = terms.to_vec();
    let mut blocks = Vec::new();
    while let Some(&first) = left.first() {
        let block = grown(first, &left, shape, limit);
        left.retain(|term| term & !block != 0);
        blocks.push(block);
    }
    blocks
}

/// A term, and what else fits: at each step the term that brings most others with it.
fn grown(first: u64, left: &[u64], shape: &[usize], limit: usize) -> u64 {
    let mut block = first;
    loop {
        let held = |block: u64| left.iter().filter(|term| **term & !block == 0).count();
        let candidates = left.iter().map(|term| term | block);
        let best = candidates
            .filter(|&larger| larger != block && n_cells(shape, larger) <= limit)
            .max_by_key(|&larger| (held(larger), usize::MAX - n_cells(shape, larger), !larger));
        match best {
            Some(larger) => block = larger,
            None => return block,
        }
    }
}

/// Cells of a table over some axes.
pub(super) fn n_cells(shape: &[usize], axes: u64) -> usize {
    let taken = shape.iter().enumerate();
    taken
        .filter(|(axis, _)| axes >> axis & 1 == 1)
        .map(|(_, &n_levels)| n_levels)
        .product()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(n_axes: u64) -> Vec<u64> {
        (0..n_axes)
            .flat_map(|last| (0..last).map(move |first| 1 << first | 1 << last))
            .collect()
    }

    #[test]
    fn blocks_hold_every_term_and_stay_small() {
        for shape in [vec![8; 8], vec![2, 3, 5, 5, 6, 7, 8, 8], vec![2; 16]] {
            let terms = pairs(shape.len() as u64);
            let all = (1 << shape.len()) - 1;
            let blocks = cover(&terms, &shape, all);
            for term in &terms {
                assert!(blocks.iter().any(|block| term & !block == 0), "{term:b}");
            }
            for block in &blocks {
                assert!(n_cells(&shape, *block) <= n_cells(&shape, all) / MIN_RATIO);
            }
            assert!(blocks.len() <= 5, "{shape:?}: {}", blocks.len());
        }
    }

    #[test]
    fn small_tables_and_terms_as_large_as_theirs_stay_one_by_one() {
        let terms = pairs(4);
        assert_eq!(cover(&terms, &[7, 8, 9, 6], 0b1111), terms);
        // A pair of the largest axes is more than a block may hold, and stands alone.
        let terms = [0b011, 0b101, 0b110];
        assert_eq!(cover(&terms, &[20, 20, 30], 0b111), terms);
    }

    #[test]
    fn terms_of_many_axes_join_what_they_overlap() {
        // Twelve axes of two categories: 4,096 cells, blocks of at most 128, seven axes.
        let terms = [0b111, 0b1110, 0b11_1000_0000, 0b1110_0000_0000];
        let blocks = cover(&terms, &[2; 12], 0b1111_1111_1111);
        assert_eq!(blocks, [0b11_1000_1111, 0b1110_0000_0000]);
    }
}
