//! Work on blocks, in parallel, and answers in their order.
//!
//! The work is called through a pointer, once a block. So the scheduler is compiled once for each kind of
//! answer and not once for each piece of work: written out at every sum, it was two fifths of this crate's code.

use rayon::prelude::*;

/// `work(0)`, …, `work(n - 1)`.
pub fn each<T: Send>(n: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    (0..n).into_par_iter().map(work).collect()
}

/// Works on blocks of so many cells, each with its number.
pub fn on_blocks<T: Send>(cells: &mut [T], length: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let blocks = cells.par_chunks_mut(length).enumerate();
    blocks.for_each(|(block, cells)| work(block, cells));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_the_order_of_their_numbers() {
        let squares: Vec<usize> = (0..1000).map(|i| i * i).collect();
        assert_eq!(each(1000, &|i| i * i), squares);
        assert_eq!(each(0, &|i| i), Vec::<usize>::new());
    }

    #[test]
    fn blocks_know_their_number_and_the_last_may_be_short() {
        let mut cells = [0; 7];
        on_blocks(&mut cells, 3, &|block, cells| cells.fill(block + 1));
        assert_eq!(cells, [1, 1, 1, 2, 2, 2, 3]);
    }
}
