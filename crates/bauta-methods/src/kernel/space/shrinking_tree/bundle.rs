//! Several questions that go through a tree together.
//!
//! They share the way: the box of a node is held against all of them at once, and the shadows of a leaf come from
//! memory once for all who ask for them. Where a question looks at a large part of the tree, as it does in many
//! variables without structure, memory is what it waits for. A question that needs few leaves goes alone: it finds its
//! own way, and the others would only lead it astray.

use fearless_simd::{Level, dispatch, f32x16, prelude::*};
use rayon::prelude::*;

use crate::kernel::space::shrinking_tree::question::{Question, Search};
use crate::kernel::space::shrinking_tree::shadows::LANES;
use crate::kernel::space::shrinking_tree::wanted::Wanted;
use crate::kernel::space::shrinking_tree::{Found, NONE, ShrinkingTree};

/// Questions side by side in a vector.
pub(super) const SIDE_BY_SIDE: usize = 16;

/// Questions that go together, at most: a leaf that is in the cache serves them all.
const TOGETHER: usize = 16 * SIDE_BY_SIDE;

/// Questions that are held against the shadows of a leaf at once.
pub(super) const ABREAST: usize = 4;

/// Leaves that a question looks at before it goes on with others.
const ALONE: usize = 96;

/// The same where it is known that most go on with others: enough to know roughly how near is near.
const SOON: usize = 4;

/// One number per question.
pub(super) type Each = [f32; SIDE_BY_SIDE];

/// For each of some rows that are left, the `m` points that are wanted, best first and without itself. On all cores.
pub(super) fn answers<W: Wanted>(
    tree: &ShrinkingTree<'_>,
    rows: &[u32],
    m: usize,
) -> Vec<Vec<Found>> {
    // Neighbours go together, since they look at the same leaves.
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    let start_of = |at: u32| {
        let leaf = tree.leaf_of[rows[at as usize] as usize];
        tree.nodes[leaf as usize].start
    };
    order.sort_unstable_by_key(|&at| (start_of(at), at));
    let n_each = rows.len().div_ceil(rayon::current_num_threads());
    let n_each = n_each.next_multiple_of(SIDE_BY_SIDE).clamp(1, TOGETHER);
    let bundles: Vec<Vec<Vec<Found>>> = order
        .par_chunks(n_each)
        .map(|bundle| answers_to_some::<W>(tree, bundle.iter().map(|&at| rows[at as usize]), m))
        .collect();
    let mut answers = vec![Vec::new(); rows.len()];
    for (at, answer) in order.into_iter().zip(bundles.into_iter().flatten()) {
        answers[at as usize] = answer;
    }
    answers
}

fn answers_to_some<W: Wanted>(
    tree: &ShrinkingTree<'_>,
    rows: impl Iterator<Item = u32>,
    m: usize,
) -> Vec<Vec<Found>> {
    let questions = rows.map(|row| Question::new(tree, tree.points.point(row as usize), row, m));
    let mut questions: Vec<Question<'_, '_, W>> = questions.collect();
    let mut together: Vec<usize> = Vec::new();
    for (number, question) in questions.iter_mut().enumerate() {
        let most_go_together = number >= 8 && 2 * together.len() > number;
        let n_leaves = if most_go_together { SOON } else { ALONE };
        if question.search(n_leaves) == Search::GaveUp {
            question.begin_again();
            together.push(number);
        }
    }
    if !together.is_empty() {
        let mut bundle = Bundle::new(tree, &mut questions, together);
        dispatch!(Level::new(), simd => bundle.descend(simd));
    }
    questions.into_iter().map(Question::answer).collect()
}

/// Some questions on their way through a tree.
struct Bundle<'b, 'q, 'a, W> {
    tree: &'q ShrinkingTree<'a>,
    questions: &'b mut [Question<'q, 'a, W>],
    /// The numbers of those that take part.
    together: Vec<usize>,
    rows: Vec<Row>,
}

/// Some questions side by side.
pub(super) struct Row {
    /// By axis, those of the questions' shadows.
    pub(super) coordinates: Vec<Each>,
    /// How far the questions are from the origin.
    pub(super) lengths: Each,
    /// By how much a sum may be wrong, as a share of the size of its terms.
    pub(super) relative: f32,
    thresholds: Each,
}

impl Row {
    fn new<W: Wanted>(tree: &ShrinkingTree<'_>, questions: &[&Question<'_, '_, W>]) -> Self {
        let of_each = |number: &dyn Fn(&Question<'_, '_, W>) -> f32, of_none: f32| {
            std::array::from_fn(|lane| questions.get(lane).map_or(of_none, |it| number(it)))
        };
        let axes = 0..tree.shadows.n_axes();
        let coordinates = axes.map(|axis| of_each(&|question| question.place.shadow[axis], 0.0));
        Self {
            coordinates: coordinates.collect(),
            lengths: of_each(&|question| question.place.length, 0.0),
            relative: questions[0].place.slack(1.0),
            thresholds: of_each(&|question| question.threshold, f32::NEG_INFINITY),
        }
    }
}

impl<'b, 'q, 'a, W: Wanted> Bundle<'b, 'q, 'a, W> {
    fn new(
        tree: &'q ShrinkingTree<'a>,
        questions: &'b mut [Question<'q, 'a, W>],
        together: Vec<usize>,
    ) -> Self {
        let row = |numbers: &[usize]| {
            let questions: Vec<_> = numbers.iter().map(|&number| &questions[number]).collect();
            Row::new(tree, &questions)
        };
        let rows = together.chunks(SIDE_BY_SIDE).map(row).collect();
        Self {
            tree,
            questions,
            together,
            rows,
        }
    }

    /// Looks at the leaves that may hold something for some of the questions, better ones first.
    #[inline(always)]
    fn descend<S: Simd>(&mut self, simd: S) {
        let (tree, n_rows) = (self.tree, self.rows.len());
        let mut nodes = vec![0];
        // Of each node, those of all rows; of a row without an active question they are infinite.
        let mut bounds = vec![[f32::MIN; SIDE_BY_SIDE]; n_rows];
        let mut active = vec![0_u64; n_rows];
        let mut of_sides = [0, 1].map(|_| vec![[0.0; SIDE_BY_SIDE]; n_rows]);
        while let Some(node) = nodes.pop() {
            let known = bounds.len() - n_rows;
            for ((active, bounds), row) in active.iter_mut().zip(&bounds[known..]).zip(&self.rows) {
                let thresholds = f32x16::load_array_ref(simd, &row.thresholds);
                let bounds = f32x16::load_array_ref(simd, bounds);
                *active = bounds.simd_le(thresholds).to_bitmask();
            }
            bounds.truncate(known);
            if active.iter().all(|&active| active == 0) {
                continue;
            }
            let child = tree.nodes[node].child;
            if child == NONE {
                for (row, &active) in active.iter().enumerate() {
                    if active != 0 {
                        self.visit_leaf(simd, node, row, active);
                    }
                }
                continue;
            }
            let first = self.bound_sides(simd, child as usize, &active, &mut of_sides);
            // What most look at first is put on top.
            for side in [1 - first, first] {
                let node = child as usize + side;
                if tree.nodes[node].len > 0 {
                    nodes.push(node);
                    bounds.extend_from_slice(&of_sides[side]);
                }
            }
        }
    }

    /// Puts down the bounds of two nodes side by side; which of them most active questions look at first.
    #[inline(always)]
    fn bound_sides<S: Simd>(
        &self,
        simd: S,
        node: usize,
        active: &[u64],
        of_sides: &mut [Vec<Each>; 2],
    ) -> usize {
        let mut n_before = 0;
        for (number, (row, &active)) in self.rows.iter().zip(active).enumerate() {
            if active == 0 {
                of_sides[0][number] = [f32::INFINITY; SIDE_BY_SIDE];
                of_sides[1][number] = [f32::INFINITY; SIDE_BY_SIDE];
                continue;
            }
            // Not by `map`: a closure is compiled without the vectors.
            let first = W::bounds(simd, self.tree, row, node);
            let second = W::bounds(simd, self.tree, row, node + 1);
            let n_first = (first.simd_le(second).to_bitmask() & active).count_ones();
            n_before += i64::from(2 * n_first) - i64::from(active.count_ones());
            of_sides[0][number] = first.to_array();
            of_sides[1][number] = second.to_array();
        }
        usize::from(n_before < 0)
    }

    #[inline(always)]
    fn visit_leaf<S: Simd>(&mut self, simd: S, node: usize, row: usize, active: u64) {
        let tree = self.tree;
        let leaf = &tree.nodes[node];
        let points = tree.rows_of(leaf);
        if leaf.is_equal {
            let (lanes, n_lanes) = lanes_of(active);
            for &lane in &lanes[..n_lanes] {
                let question = &mut self.questions[self.together[row * SIDE_BY_SIDE + lane]];
                question.take_equal(points);
                self.rows[row].thresholds[lane] = question.threshold;
            }
            return;
        }
        let [a, b] = W::by_radius_of_each(simd, tree, &self.rows[row], node);
        let radii = tree.shadows.radii(leaf.lanes, points.len());
        let blocks = tree.shadows.blocks(leaf.lanes, points.len()).zip(radii);
        for (points, (block, &radius)) in points.chunks(LANES).zip(blocks) {
            let thresholds = f32x16::load_array_ref(simd, &self.rows[row].thresholds);
            let active = active & (a - b * radius).simd_le(thresholds).to_bitmask();
            if active == 0 {
                // Radii fall.
                return;
            }
            let (lanes, n_lanes) = lanes_of(active);
            let (abreast, alone) = lanes[..n_lanes].as_chunks::<ABREAST>();
            for lanes in abreast {
                self.scan(simd, points, block, row, *lanes);
            }
            for &lane in alone {
                self.scan(simd, points, block, row, [lane]);
            }
        }
    }

    /// Holds some questions against some shadows.
    #[inline(always)]
    fn scan<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        points: &[u32],
        block: &[[f32; LANES]],
        row: usize,
        lanes: [usize; N],
    ) {
        let mut sums = [f32x16::splat(simd, 0.0); N];
        for (x, q) in block.iter().zip(&self.rows[row].coordinates) {
            let x = f32x16::load_array_ref(simd, x);
            for (sum, lane) in sums.iter_mut().zip(lanes) {
                let difference = x - q[lane % SIDE_BY_SIDE];
                *sum = difference.mul_add(difference, *sum);
            }
        }
        for (sum, lane) in sums.into_iter().zip(lanes) {
            let threshold = &mut self.rows[row].thresholds[lane % SIDE_BY_SIDE];
            let shadows = sum * f32x16::splat(simd, W::SIGN);
            let wanted = shadows.simd_le(*threshold).to_bitmask();
            if wanted != 0 {
                let question = &mut self.questions[self.together[row * SIDE_BY_SIDE + lane]];
                question.take(points, wanted, &shadows.to_array());
                *threshold = question.threshold;
            }
        }
    }
}

/// The questions of a row that are active, and how many.
#[inline(always)]
pub(super) fn lanes_of(active: u64) -> ([usize; SIDE_BY_SIDE], usize) {
    let mut lanes = [0; SIDE_BY_SIDE];
    let (mut active, mut n) = (active, 0);
    while active != 0 {
        lanes[n % SIDE_BY_SIDE] = active.trailing_zeros() as usize;
        active &= active - 1;
        n += 1;
    }
    (lanes, n)
}
