//! What else a record could be linked with: sums of likelihood ratios over all pairs, those beyond the
//! candidates by a sample.

use super::model::Model;
use super::pairs::Collapsed;
use super::search::{Gather, MaskedTree};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::assignment::Candidates;
use crate::kernel::parallel::each;

/// Different records of the other file, in an order that has nothing to do with the file, that stand for all
/// that are no candidates. A pair that is none weighs at most as much as the last that is one, so that the
/// sums of many are well known from so few.
const SAMPLE: usize = 2_000;
/// Parts that a sample of originals is worked on in. Part of the result's definition: sums are taken by part.
const N_PARTS: usize = 8;
/// Different original records at a time.
const BLOCK: usize = 64;

/// A sum, and the number of records that it is over.
#[derive(Clone, Copy, Default)]
struct Sum {
    odds: f64,
    records: f64,
}

impl Sum {
    fn add(&mut self, weight: f64, size: u32) {
        // Beyond this a pair is certain, and the sum stays a number.
        self.odds += f64::from(size) * libm::exp(weight.min(600.0));
        self.records += f64::from(size);
    }

    fn take_in(&mut self, other: Self) {
        self.odds += other.odds;
        self.records += other.records;
    }

    /// The sum over so many records, of which these are the known ones and the others were seen in part.
    fn with_rest(self, seen: Self, n_records: f64) -> f64 {
        let rest = (n_records - self.records).max(0.0);
        if seen.records > 0.0 {
            self.odds + seen.odds * rest / seen.records
        } else {
            self.odds
        }
    }
}

/// Takes every pair that is no candidate.
struct Unknown<'a, F: FnMut(u32, f64)> {
    /// Candidates of the original record, in rising order.
    known: &'a [u32],
    take: F,
}

impl<F: FnMut(u32, f64)> Gather for Unknown<'_, F> {
    fn wanted_from(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn offer(&mut self, masked: u32, weight: f64) {
        if self.known.binary_search(&masked).is_err() {
            (self.take)(masked, weight);
        }
    }
}

/// Σ exp(w) over the masked records of each different original record, and over the originals of each masked one.
pub(super) fn sums(
    files: &Collapsed,
    model: &Model,
    candidates: &Candidates,
    context: &RunContext<'_>,
) -> Result<[Vec<f64>; 2], MethodError> {
    Ok([
        of_originals(files, model, candidates, context)?,
        of_masked(files, model, candidates, context)?,
    ])
}

/// The candidates of an original record in rising order.
fn known(candidates: &Candidates, original: usize) -> Vec<u32> {
    let mut known = candidates.row(original).0.to_vec();
    known.sort_unstable();
    known
}

fn of_originals(
    files: &Collapsed,
    model: &Model,
    candidates: &Candidates,
    context: &RunContext<'_>,
) -> Result<Vec<f64>, MethodError> {
    let sizes = &files.masked.sizes;
    let n_in_block = files.masked_in_block();
    let trees: Vec<MaskedTree<'_>> = each(files.in_block.len(), &|block| {
        // Candidates among them are passed over, so that some more are needed.
        let sample = files.in_block[block].iter().copied().take(SAMPLE);
        MaskedTree::new(&files.variables, model, sample.collect())
    });
    let n_original = files.original.len();
    let of_block = |block: usize| {
        context.go_on()?;
        let originals = block * BLOCK..((block + 1) * BLOCK).min(n_original);
        let of = |original: usize| {
            let mut of_known = Sum::default();
            let (columns, weights) = candidates.row(original);
            for (&column, &weight) in columns.iter().zip(weights) {
                of_known.add(weight, sizes[column as usize]);
            }
            let mut seen = Sum::default();
            let known = known(candidates, original);
            let block = files.block_of[original] as usize;
            let mut others = Unknown {
                known: &known,
                take: |masked: u32, weight| seen.add(weight, sizes[masked as usize]),
            };
            trees[block].search(&trees[block].query(original), &mut others);
            of_known.with_rest(seen, n_in_block[block])
        };
        Ok(originals.map(of).collect::<Vec<f64>>())
    };
    let blocks = each(n_original.div_ceil(BLOCK), &of_block);
    let blocks: Result<Vec<Vec<f64>>, MethodError> = blocks.into_iter().collect();
    Ok(blocks?.into_iter().flatten().collect())
}

fn of_masked(
    files: &Collapsed,
    model: &Model,
    candidates: &Candidates,
    context: &RunContext<'_>,
) -> Result<Vec<f64>, MethodError> {
    let sizes = &files.original.sizes;
    let n_masked = files.masked.len();
    let mut of_known = vec![Sum::default(); n_masked];
    for (original, &size) in sizes.iter().enumerate() {
        let (columns, weights) = candidates.row(original);
        for (&column, &weight) in columns.iter().zip(weights) {
            of_known[column as usize].add(weight, size);
        }
    }
    let sample = sampled_originals(files);
    let trees: Vec<MaskedTree<'_>> = each(files.in_block.len(), &|block| {
        MaskedTree::new(&files.variables, model, files.in_block[block].clone())
    });
    let parts = each(N_PARTS, &|part| {
        let mut sums = vec![Sum::default(); n_masked];
        let length = sample.len().div_ceil(N_PARTS);
        for &original in sample.iter().skip(part * length).take(length) {
            context.go_on()?;
            let size = sizes[original as usize];
            let known = known(candidates, original as usize);
            let tree = &trees[files.block_of[original as usize] as usize];
            let mut others = Unknown {
                known: &known,
                take: |masked: u32, weight| sums[masked as usize].add(weight, size),
            };
            tree.search(&tree.query(original as usize), &mut others);
        }
        Ok::<_, MethodError>(sums)
    });
    let mut seen = vec![Sum::default(); n_masked];
    for part in parts {
        for (seen, part) in seen.iter_mut().zip(part?) {
            seen.take_in(part);
        }
    }
    let n_in_block = files.original_in_block();
    let mut sums = vec![0.0; n_masked];
    for (block, records) in files.in_block.iter().enumerate() {
        for &one in records {
            let one = one as usize;
            sums[one] = of_known[one].with_rest(seen[one], n_in_block[block]);
        }
    }
    Ok(sums)
}

/// The first different originals of each block.
fn sampled_originals(files: &Collapsed) -> Vec<u32> {
    let mut n_taken = vec![0_usize; files.in_block.len()];
    let mut sample = Vec::new();
    for (original, &block) in files.block_of.iter().enumerate() {
        let n = &mut n_taken[block as usize];
        if *n < SAMPLE {
            *n += 1;
            sample.push(original as u32);
        }
    }
    sample
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_looked_at_is_as_what_was() {
        // Known: 8 and 4. Seen of the others: two of 1 each, which stand for 4,000.
        let (mut known, mut seen) = (Sum::default(), Sum::default());
        known.add(8.0_f64.ln(), 1);
        known.add(4.0_f64.ln(), 1);
        seen.add(0.0, 2);
        assert!((known.with_rest(seen, 4_002.0) - 4_012.0).abs() < 1e-9);
        // Without others the known are all there is.
        assert!((known.with_rest(Sum::default(), 2.0) - 12.0).abs() < 1e-12);
    }
}
