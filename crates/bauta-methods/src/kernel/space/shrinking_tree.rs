//! A tree over points that can lose points: which are nearest to a place, which is farthest.
//!
//! Answers are exact, ties included: distances are those of [`squared_distance`], and among equal
//! ones the lowest row wins. The tree itself holds shadows of the points in single precision,
//! which are quick to look at. A shadow's distance differs from the true one by less than a margin
//! (see [`Shadows`]); whatever could win within that margin is asked for its true distance.

#[expect(clippy::inline_always, reason = "what is not inlined has no vectors")]
mod bundle;
#[expect(clippy::inline_always, reason = "what is not inlined has no vectors")]
mod nearer;
#[expect(clippy::inline_always, reason = "what is not inlined has no vectors")]
mod question;
mod shadows;
#[expect(clippy::inline_always, reason = "what is not inlined has no vectors")]
mod wanted;

use std::cmp::Reverse;

use crate::kernel::numbers::ranks::total_order_bits;
use crate::kernel::space::points::Points;
use bundle::answers;
use question::Question;
use shadows::{LANES, Shadows};
use wanted::{Far, Near};

/// Points in a leaf, unless they are all equal: a leaf of equal points may be of any size.
const LEAF: usize = 64;

/// Each side of a split gets at least this part of the points.
const SIDE: usize = 16;

/// No node, no row.
const NONE: u32 = u32::MAX;

/// The tree is built anew when its points fill so small a part of the space that it was built for,
/// squared: a finer shadow tells them apart better.
const SHRUNK: f32 = 1.0 / 256.0;

/// A tree over points from which points can be removed.
#[derive(Clone, Debug)]
pub struct ShrinkingTree<'a> {
    points: &'a Points,
    shadows: Shadows,
    nodes: Vec<Node>,
    /// Lowest, then highest coordinates of the shadows of each node.
    boxes: Vec<f32>,
    /// Rows in the order of the leaves; those of a leaf that are still there come first. In a leaf of equal points
    /// they rise; in others, those farther from the origin stand in front when the tree is built.
    rows: Vec<u32>,
    /// Leaf of each row.
    leaf_of: Vec<u32>,
    /// The place that `radius` is measured from.
    origin: Vec<f32>,
    n_built: usize,
    radius_built: f32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// The first of two children that stand side by side; `NONE` in a leaf.
    child: u32,
    /// Where the leaf's rows begin.
    start: u32,
    /// Where its shadows begin.
    lanes: u32,
    /// Points that are left.
    len: u32,
    is_equal: bool,
    /// Largest squared distance of a shadow from the origin.
    radius: f32,
}

/// A point that was found.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Found {
    /// Squared distance from the place asked for.
    pub distance: f64,
    /// Row of the point.
    pub row: u32,
}

impl Found {
    /// Whether this is the nearer of two; of equally near ones the lower row.
    pub fn is_nearer_than(&self, other: &Self) -> bool {
        let by_distance = self.distance.total_cmp(&other.distance);
        by_distance.then(self.row.cmp(&other.row)).is_lt()
    }

    /// Whether this is the farther of two; of equally far ones the lower row.
    pub fn is_farther_than(&self, other: &Self) -> bool {
        let by_distance = other.distance.total_cmp(&self.distance);
        by_distance.then(self.row.cmp(&other.row)).is_lt()
    }
}

impl<'a> ShrinkingTree<'a> {
    /// A tree over all points. Their squared distances are finite.
    pub fn new(points: &'a Points) -> Self {
        let mut tree = Self {
            points,
            shadows: Shadows::default(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            rows: Vec::new(),
            leaf_of: vec![NONE; points.len()],
            origin: Vec::new(),
            n_built: 0,
            radius_built: 0.0,
        };
        tree.build((0..points.len() as u32).collect());
        tree
    }

    /// Points that are left.
    pub fn len(&self) -> usize {
        self.nodes.first().map_or(0, |root| root.len as usize)
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Variables in which the points differed when the tree was built.
    pub(super) fn n_axes(&self) -> usize {
        self.shadows.n_axes()
    }

    /// Whether the point of a row is left.
    pub fn contains(&self, row: u32) -> bool {
        self.leaf_of[row as usize] != NONE
    }

    /// The rows that are left, in no order.
    pub fn remaining(&self) -> impl Iterator<Item = u32> {
        let leaves = self.nodes.iter().filter(|node| node.child == NONE);
        leaves.flat_map(|leaf| self.rows_of(leaf).iter().copied())
    }

    /// The point farthest from a place; of several the lowest row.
    pub fn farthest(&self, from: &[f64]) -> Option<Found> {
        let mut question: Question<'_, '_, Far> = Question::new(self, from, NONE, 1);
        question.search(usize::MAX);
        question.answer().pop()
    }

    /// The `m` points nearest to a place, nearest first, of several equally near ones the lowest
    /// row first; fewer if there are not so many.
    pub fn nearest(&self, to: &[f64], m: usize, found: &mut Vec<Found>) {
        let mut question: Question<'_, '_, Near> = Question::new(self, to, NONE, m);
        question.search(usize::MAX);
        *found = question.answer();
    }

    /// For each of some rows that are left, the `m` points farthest from it, as [`Self::farthest`] orders them and
    /// without itself. On all cores.
    pub fn farthest_of(&self, rows: &[u32], m: usize) -> Vec<Vec<Found>> {
        answers::<Far>(self, rows, m)
    }

    /// For each of some rows that are left, the `m` points nearest to it, as [`Self::nearest`] has them and without
    /// itself. On all cores.
    pub fn nearest_of(&self, rows: &[u32], m: usize) -> Vec<Vec<Found>> {
        answers::<Near>(self, rows, m)
    }

    /// For each of some places, whether a point is nearer to it than the squared distance that is known. The place of
    /// a row is to be near to the point of that row; no point has been removed. On all cores; `go_on` is asked between
    /// blocks.
    pub fn has_nearer<E: Send>(
        &self,
        places: &Points,
        known: impl Fn(usize) -> f64 + Sync,
        go_on: impl Fn() -> Result<(), E> + Sync,
    ) -> Result<Vec<bool>, E> {
        nearer::has_nearer(self, places, &known, &go_on)
    }

    fn rows_of(&self, leaf: &Node) -> &[u32] {
        &self.rows[leaf.start as usize..(leaf.start + leaf.len) as usize]
    }

    fn low(&self, node: usize) -> &[f32] {
        let width = self.shadows.width();
        &self.boxes[2 * node * width..(2 * node + 1) * width]
    }

    fn high(&self, node: usize) -> &[f32] {
        let width = self.shadows.width();
        &self.boxes[(2 * node + 1) * width..(2 * node + 2) * width]
    }
}

/// Building.
impl ShrinkingTree<'_> {
    fn build(&mut self, rows: Vec<u32>) {
        self.nodes.clear();
        self.boxes.clear();
        self.n_built = rows.len();
        self.rows = rows;
        if self.rows.is_empty() {
            return;
        }
        let casting = Shadows::cast(self.points, &self.rows);
        let flat = casting.rows;
        self.shadows = casting.shadows;
        // Until the leaves are known, `rows` holds positions in `flat`.
        let of_position = std::mem::take(&mut self.rows);
        self.rows = (0..of_position.len() as u32).collect();
        self.add_node(NONE, 0, self.rows.len(), &flat);
        let mut next = 0;
        while next < self.nodes.len() {
            self.split(next, &flat, &of_position);
            next += 1;
        }
        self.origin = self.shadows.middle(&flat);
        self.fill_leaves(&flat, &of_position);
        for node in (0..self.nodes.len()).rev() {
            self.refresh(node);
        }
        self.radius_built = self.nodes[0].radius;
    }

    /// Adds a node over `len` rows from `start`, with its box; its other facts come later.
    fn add_node(&mut self, parent: u32, start: usize, len: usize, flat: &[f32]) {
        let width = self.shadows.width();
        let at = self.boxes.len();
        self.boxes.resize(at + width, f32::INFINITY);
        self.boxes.resize(at + 2 * width, f32::NEG_INFINITY);
        let (low, high) = self.boxes[at..].split_at_mut(width);
        for &position in &self.rows[start..start + len] {
            let shadow = &flat[position as usize * width..(position as usize + 1) * width];
            stretch(low, high, shadow, shadow);
        }
        self.nodes.push(Node {
            parent,
            child: NONE,
            start: start as u32,
            lanes: 0,
            len: len as u32,
            is_equal: false,
            radius: 0.0,
        });
    }

    /// Splits a node in two where it is widest, or leaves it a leaf.
    fn split(&mut self, node: usize, flat: &[f32], of_position: &[u32]) {
        let Node { start, len, .. } = self.nodes[node];
        let (start, len) = (start as usize, len as usize);
        let (low, high) = (self.low(node), self.high(node));
        let width = |axis: &usize| high[*axis] - low[*axis];
        let axis = (0..low.len())
            .max_by(|a, b| width(a).total_cmp(&width(b)).then(b.cmp(a)))
            .filter(|axis| width(axis) > 0.0);
        let halfway = axis.map_or(0.0, |axis| low[axis] + width(&axis) / 2.0);
        let n_axes = low.len();
        let rows = &mut self.rows[start..start + len];
        let Some(axis) = axis.filter(|_| len > LEAF) else {
            let point =
                |position: &u32| self.points.point(of_position[*position as usize] as usize);
            let first = point(&rows[0]);
            let is_equal = rows.iter().all(|position| point(position) == first);
            self.nodes[node].is_equal = is_equal;
            return;
        };
        let coordinate = |position: &u32| flat[*position as usize * n_axes + axis];
        // In the middle of the box rather than of the points: far-off points then soon have boxes
        // of their own, and the boxes of the others become small. No side is left with few points,
        // so that the tree stays shallow.
        let n_below = rows
            .iter()
            .filter(|position| coordinate(position) < halfway)
            .count();
        let least = (len / SIDE).max(LANES);
        let middle = n_below.clamp(least, len - least);
        rows.select_nth_unstable_by(middle, |a, b| coordinate(a).total_cmp(&coordinate(b)));
        self.nodes[node].child = self.nodes.len() as u32;
        self.add_node(node as u32, start, middle, flat);
        self.add_node(node as u32, start + middle, len - middle, flat);
    }

    /// Gives each leaf its rows and shadows.
    fn fill_leaves(&mut self, flat: &[f32], of_position: &[u32]) {
        let is_leaf = |node: &u32| self.nodes[*node as usize].child == NONE;
        let mut leaves: Vec<u32> = (0..self.nodes.len() as u32).filter(is_leaf).collect();
        // In the order of space, in which most of them are looked at.
        leaves.sort_unstable_by_key(|&leaf| self.nodes[leaf as usize].start);
        for node in leaves {
            let leaf = &mut self.nodes[node as usize];
            let positions = &mut self.rows[leaf.start as usize..(leaf.start + leaf.len) as usize];
            if leaf.is_equal {
                positions.sort_unstable_by_key(|&position| of_position[position as usize]);
            } else {
                let origin = &self.origin;
                let radius = |&position: &u32| self.shadows.radius(position, flat, origin);
                positions.sort_by_cached_key(|position| {
                    Reverse(total_order_bits(radius(position).into()))
                });
            }
            leaf.lanes = self
                .shadows
                .push_leaf(positions, flat, &self.origin, leaf.is_equal);
            for position in positions {
                *position = of_position[*position as usize];
                self.leaf_of[*position as usize] = node;
            }
        }
    }
}

/// Removing.
impl ShrinkingTree<'_> {
    /// Removes the point of a row that is still there.
    pub fn remove(&mut self, row: u32) {
        let leaf = std::mem::replace(&mut self.leaf_of[row as usize], NONE) as usize;
        let Node {
            start,
            len,
            lanes,
            is_equal,
            ..
        } = self.nodes[leaf];
        let (start, len) = (start as usize, len as usize);
        let rows = &mut self.rows[start..start + len];
        let at = rows
            .iter()
            .position(|&there| there == row)
            .expect("a row is in its leaf");
        if is_equal {
            // Its first rows go first, so that the start moves and the rest stays in order.
            rows.copy_within(..at, 1);
            self.nodes[leaf].start += 1;
        } else {
            rows.swap(at, len - 1);
            self.shadows.remove(lanes, at, len);
        }
        let mut node = leaf;
        let mut changed = true;
        loop {
            self.nodes[node].len -= 1;
            changed = changed && self.refresh(node);
            match self.nodes[node].parent {
                NONE => break,
                parent => node = parent as usize,
            }
        }
        // A tree of half-empty leaves is slow; what is built anew sums to O(n log n).
        let is_sparse = self.len() * 2 < self.n_built;
        let is_coarse = self.nodes[0].radius < self.radius_built * SHRUNK;
        if self.len() > LEAF && (is_sparse || is_coarse) {
            let mut left: Vec<u32> = self.remaining().collect();
            left.sort_unstable();
            self.build(left);
        }
    }

    /// Finds box and radius of a node again, from its shadows or its children; whether they changed.
    fn refresh(&mut self, node: usize) -> bool {
        let Node {
            child,
            len,
            lanes,
            is_equal,
            ..
        } = self.nodes[node];
        if len == 0 {
            return true;
        }
        let width = self.shadows.width();
        let mut low = vec![f32::INFINITY; width];
        let mut high = vec![f32::NEG_INFINITY; width];
        let mut radius = 0.0_f32;
        if child == NONE {
            let n_lanes = if is_equal { 1 } else { len as usize };
            radius = self
                .shadows
                .spread(lanes, n_lanes, &self.origin, &mut low, &mut high);
        } else {
            for child in [child as usize, child as usize + 1] {
                if self.nodes[child].len > 0 {
                    stretch(&mut low, &mut high, self.low(child), self.high(child));
                    radius = radius.max(self.nodes[child].radius);
                }
            }
        }
        let known = &mut self.nodes[node];
        let mut changed = known.radius.to_bits() != radius.to_bits();
        known.radius = radius;
        let sides = &mut self.boxes[2 * node * width..(2 * node + 2) * width];
        for (side, new) in sides.iter_mut().zip(low.iter().chain(&high)) {
            changed |= side.to_bits() != new.to_bits();
            *side = *new;
        }
        changed
    }
}

/// Makes a box hold another one.
fn stretch(low: &mut [f32], high: &mut [f32], other_low: &[f32], other_high: &[f32]) {
    for (low, other) in low.iter_mut().zip(other_low) {
        *low = low.min(*other);
    }
    for (high, other) in high.iter_mut().zip(other_high) {
        *high = high.max(*other);
    }
}
