//! One question to a tree, by branch and bound.

use std::marker::PhantomData;

use fearless_simd::{Level, dispatch, f32x16, prelude::*};

use crate::kernel::space::points::squared_distance;
use crate::kernel::space::shrinking_tree::shadows::{LANES, Place};
use crate::kernel::space::shrinking_tree::wanted::Wanted;
use crate::kernel::space::shrinking_tree::{Found, NONE, ShrinkingTree};

/// Rows that are kept for a question before they are weeded.
const MANY: usize = 256;

/// Which points are nearest to a place, or farthest from it?
pub(super) struct Question<'q, 'a, W> {
    tree: &'q ShrinkingTree<'a>,
    pub(super) place: Place,
    from: &'q [f64],
    /// The row that asks, which is no answer.
    own: u32,
    /// How many are wanted.
    m: usize,
    /// Shadows beyond this are not wanted.
    pub(super) threshold: f32,
    /// The best shadows, at most as many as are wanted, best first.
    best: Vec<f32>,
    /// Rows that may be wanted, with their shadows, which have not been asked for their true distance.
    kept: Vec<(f32, u32)>,
    found: Vec<Found>,
    wanted: PhantomData<W>,
}

/// Whether a search came to its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Search {
    Ended,
    GaveUp,
}

impl<'q, 'a, W: Wanted> Question<'q, 'a, W> {
    /// A question for the `m` best, seen from a place. `own` is the row there, or `NONE`.
    pub(super) fn new(tree: &'q ShrinkingTree<'a>, from: &'q [f64], own: u32, m: usize) -> Self {
        Self {
            tree,
            place: tree.shadows.asked(from, &tree.origin),
            from,
            own,
            m,
            threshold: f32::INFINITY,
            best: Vec::with_capacity(m + 1),
            kept: Vec::new(),
            found: Vec::with_capacity(m + 1),
            wanted: PhantomData,
        }
    }

    /// Looks at no more than so many leaves, better ones first.
    pub(super) fn search(&mut self, n_leaves: usize) -> Search {
        if self.m == 0 || self.tree.is_empty() {
            return Search::Ended;
        }
        dispatch!(Level::new(), simd => self.descend(simd, n_leaves))
    }

    /// What was found, best first.
    pub(super) fn answer(mut self) -> Vec<Found> {
        self.settle();
        self.found
    }

    /// Forgets all but how good an answer must be.
    pub(super) fn begin_again(&mut self) {
        self.best.clear();
        self.kept.clear();
        self.found.clear();
    }

    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S, n_leaves: usize) -> Search {
        let mut n_left = n_leaves;
        let mut waiting = vec![(0, f32::NEG_INFINITY)];
        while let Some((node, bound)) = waiting.pop() {
            if bound > self.threshold {
                continue;
            }
            let tree = self.tree;
            let child = tree.nodes[node].child;
            if child == NONE {
                if n_left == 0 {
                    return Search::GaveUp;
                }
                n_left -= 1;
                self.visit_leaf(simd, node);
                continue;
            }
            let sides = [child as usize, child as usize + 1];
            // Not by `map`: a closure is compiled without the vectors.
            let bounds = [
                W::bound(simd, tree, &self.place, sides[0]),
                W::bound(simd, tree, &self.place, sides[1]),
            ];
            let first = usize::from(bounds[1] < bounds[0]);
            // What is looked at first is put on top.
            for side in [1 - first, first] {
                if tree.nodes[sides[side]].len > 0 {
                    waiting.push((sides[side], bounds[side]));
                }
            }
        }
        Search::Ended
    }

    #[inline(always)]
    fn visit_leaf<S: Simd>(&mut self, simd: S, node: usize) {
        let tree = self.tree;
        let leaf = &tree.nodes[node];
        let rows = tree.rows_of(leaf);
        if leaf.is_equal {
            self.take_equal(rows);
            return;
        }
        let [a, b] = W::by_radius(simd, tree, &self.place, node);
        let radii = tree.shadows.radii(leaf.lanes, rows.len());
        let blocks = tree.shadows.blocks(leaf.lanes, rows.len()).zip(radii);
        for (rows, (block, radius)) in rows.chunks(LANES).zip(blocks) {
            // Radii fall.
            if a - b * radius > self.threshold {
                return;
            }
            let mut sums = f32x16::splat(simd, 0.0);
            for (x, &q) in block.iter().zip(&self.place.shadow) {
                let difference = f32x16::load_array_ref(simd, x) - q;
                sums = difference.mul_add(difference, sums);
            }
            let shadows = sums * f32x16::splat(simd, W::SIGN);
            let wanted = shadows.simd_le(self.threshold).to_bitmask();
            if wanted != 0 {
                self.take(rows, wanted, &shadows.to_array());
            }
        }
    }

    /// Keeps those of a block whose shadows are wanted.
    pub(super) fn take(&mut self, rows: &[u32], wanted: u64, shadows: &[f32; LANES]) {
        // Places without a row repeat the first one of the leaf.
        let mut wanted = wanted & u64::MAX >> (64 - rows.len());
        while wanted != 0 {
            let at = wanted.trailing_zeros() as usize;
            self.keep(rows[at], shadows[at]);
            wanted &= wanted - 1;
        }
    }

    /// Takes rows of equal points, which rise.
    pub(super) fn take_equal(&mut self, rows: &[u32]) {
        for &row in rows {
            // Those behind one that is not taken are as far and come later.
            if row != self.own && !self.ask(row) {
                return;
            }
        }
    }

    /// Keeps a row whose shadow may be wanted.
    fn keep(&mut self, row: u32, shadow: f32) {
        if row == self.own || shadow > self.threshold {
            return;
        }
        self.kept.push((shadow, row));
        let at = self.best.partition_point(|&there| there <= shadow);
        if at < self.m {
            self.best.truncate(self.m - 1);
            self.best.insert(at, shadow);
            if let [.., last] = self.best.as_slice()
                && self.best.len() == self.m
            {
                let threshold = W::threshold_by_shadow(&self.place, *last);
                self.threshold = self.threshold.min(threshold);
            }
        }
        if self.kept.len() > MANY {
            let threshold = self.threshold;
            self.kept.retain(|&(shadow, _)| shadow <= threshold);
            // So many are within the margin of each other that their true distances must tell.
            if self.kept.len() > MANY / 2 {
                self.settle();
            }
        }
    }

    /// Asks those that are kept for their true distances, the best shadows first.
    fn settle(&mut self) {
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for &(shadow, row) in &kept {
            if shadow > self.threshold {
                break;
            }
            self.ask(row);
        }
        kept.clear();
        self.kept = kept;
    }

    /// Takes the true distance of a row; whether it is among the best so far.
    fn ask(&mut self, row: u32) -> bool {
        let point = self.tree.points.point(row as usize);
        let candidate = Found {
            distance: squared_distance(self.from, point),
            row,
        };
        let is_better = |there: &Found| W::is_better(there, &candidate);
        let at = self.found.partition_point(is_better);
        if at == self.m {
            return false;
        }
        self.found.truncate(self.m - 1);
        self.found.insert(at, candidate);
        if let [.., last] = self.found.as_slice()
            && self.found.len() == self.m
        {
            let threshold = W::threshold(&self.place, last.distance);
            self.threshold = self.threshold.min(threshold);
        }
        true
    }
}
