//! A tree over points with gaps that can lose points: which are nearest to a place, which is farthest.
//!
//! Answers are exact, ties included: distances are those of [`GappedPoints::distance`], and among
//! equal ones the lowest row wins. Points that share no variable with the place have no distance and
//! come last, be it for the nearest or the farthest.
//!
//! Such distances obey no triangle inequality, but a node still bounds them: it knows the range of
//! each variable, and which variables all, some or none of its points have.

mod query;
mod spans;

use crate::kernel::space::gapped_points::{GappedPoints, Place};
use crate::kernel::space::shrinking_tree::Found;
use query::Query;
use spans::Spans;

/// Points in a leaf, unless they are all equal: a leaf of equal points may be of any size.
const LEAF: usize = 32;

/// Each side of a split by values gets at least this part of the points.
const SIDE: usize = 16;

/// No node, no row.
const NONE: u32 = u32::MAX;

/// A tree over points with gaps, from which points can be removed.
#[derive(Clone, Debug)]
pub struct GappedTree<'a> {
    points: &'a GappedPoints,
    nodes: Vec<Node>,
    /// What each node knows of its variables.
    spans: Spans,
    /// Rows in the order of the leaves; those of a leaf that are still there rise.
    rows: Vec<u32>,
    /// Leaf of each row.
    leaf_of: Vec<u32>,
    n_built: usize,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// The first of two children that stand side by side; `NONE` in a leaf.
    child: u32,
    /// Where the leaf's rows begin.
    start: u32,
    /// Points that are left.
    len: u32,
    /// Whether all points of a leaf have the same coordinates and the same gaps.
    is_equal: bool,
}

impl<'a> GappedTree<'a> {
    /// A tree over all points. Their squared distances are finite.
    pub fn new(points: &'a GappedPoints) -> Self {
        let mut tree = Self {
            points,
            nodes: Vec::new(),
            spans: Spans::new(points.stride()),
            rows: Vec::new(),
            leaf_of: vec![NONE; points.len()],
            n_built: 0,
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

    /// Whether the point of a row is left.
    pub fn contains(&self, row: u32) -> bool {
        self.leaf_of[row as usize] != NONE
    }

    /// The rows that are left, in no order.
    pub fn remaining(&self) -> impl Iterator<Item = u32> {
        let leaves = self.nodes.iter().filter(|node| node.child == NONE);
        leaves.flat_map(|leaf| self.rows_of(leaf).iter().copied())
    }

    /// The point farthest from a place, of several the lowest row; one without a distance, which is
    /// then -∞, only where none has one.
    pub fn farthest(&self, from: Place<'_>) -> Option<Found> {
        Query::new(self, from).farthest()
    }

    /// The `m` points nearest to a place, nearest first, of several equally near ones the lowest
    /// row first; fewer if there are not so many. Those without a distance come last, with ∞.
    pub fn nearest(&self, to: Place<'_>, m: usize, found: &mut Vec<Found>) {
        Query::new(self, to).nearest(m, found);
    }

    fn rows_of(&self, leaf: &Node) -> &[u32] {
        &self.rows[leaf.start as usize..(leaf.start + leaf.len) as usize]
    }
}

/// Building.
impl GappedTree<'_> {
    fn build(&mut self, rows: Vec<u32>) {
        self.nodes.clear();
        self.spans = Spans::new(self.points.stride());
        self.n_built = rows.len();
        self.rows = rows;
        if self.rows.is_empty() {
            return;
        }
        self.add_node(NONE, 0, self.rows.len());
        let mut next = 0;
        while next < self.nodes.len() {
            self.split(next);
            next += 1;
        }
        for node in 0..self.nodes.len() {
            let Node {
                child, start, len, ..
            } = self.nodes[node];
            if child == NONE {
                let rows = &mut self.rows[start as usize..(start + len) as usize];
                rows.sort_unstable();
                for &row in &*rows {
                    self.leaf_of[row as usize] = node as u32;
                }
            }
        }
    }

    /// Adds a node over `len` rows from `start`.
    fn add_node(&mut self, parent: u32, start: usize, len: usize) {
        self.spans.add_node();
        let points = self.rows[start..start + len].iter();
        let points = points.map(|&row| self.points.point(row as usize));
        self.spans.hold(self.nodes.len(), points);
        self.nodes.push(Node {
            parent,
            child: NONE,
            start: start as u32,
            len: len as u32,
            is_equal: false,
        });
    }

    /// Splits a node in two, or leaves it a leaf.
    fn split(&mut self, node: usize) {
        let Node { start, len, .. } = self.nodes[node];
        let (start, len) = (start as usize, len as usize);
        if len <= LEAF {
            return;
        }
        let points = self.points;
        let spans = self.spans.of(node);
        let n_rarer = |axis: &usize| {
            let n_known = spans.n_known[*axis] as usize;
            n_known.min(len - n_known)
        };
        let axes = 0..points.stride();
        let divided = axes
            .clone()
            .max_by_key(|axis| (n_rarer(axis), points.stride() - axis));
        let widest = axes.max_by(|&a, &b| {
            let by_width = spans.width(a).total_cmp(&spans.width(b));
            by_width.then(b.cmp(&a))
        });
        let widest = widest.filter(|&axis| spans.width(axis) > 0.0);
        // Points that have a variable and points that lack it are kept apart first: where all points
        // of a node have the same gaps, its bounds are those of a tree without gaps.
        let least_apart = if widest.is_some() { LEAF } else { 1 };
        let by_gap = divided.filter(|axis| n_rarer(axis) >= least_apart);
        let known = |row: &u32, axis: usize| points.point(*row as usize).known[axis] > 0.0;
        let (axis, middle) = match (by_gap, widest) {
            (Some(axis), _) => (axis, len - spans.n_known[axis] as usize),
            (None, Some(axis)) => {
                let halfway = spans.low[axis] + spans.width(axis) / 2.0;
                let place = |row: &u32| points.point(*row as usize).coordinates[axis];
                let is_below = |row: &&u32| !known(row, axis) || place(row) < halfway;
                let n_below = self.rows[start..start + len]
                    .iter()
                    .filter(is_below)
                    .count();
                let least = len / SIDE;
                (axis, n_below.clamp(least, len - least))
            }
            (None, None) => {
                self.nodes[node].is_equal = true;
                return;
            }
        };
        // Those that lack the variable come first.
        let key = |row: &u32| {
            if known(row, axis) {
                points.point(*row as usize).coordinates[axis]
            } else {
                f64::NEG_INFINITY
            }
        };
        let rows = &mut self.rows[start..start + len];
        rows.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)));
        self.nodes[node].child = self.nodes.len() as u32;
        self.add_node(node as u32, start, middle);
        self.add_node(node as u32, start + middle, len - middle);
    }
}

/// Removing.
impl GappedTree<'_> {
    /// Removes the point of a row that is still there.
    pub fn remove(&mut self, row: u32) {
        let leaf = std::mem::replace(&mut self.leaf_of[row as usize], NONE) as usize;
        let Node { start, len, .. } = self.nodes[leaf];
        let rows = &mut self.rows[start as usize..(start + len) as usize];
        let at = rows.binary_search(&row).expect("a row is in its leaf");
        // The start moves and the rest stays in order.
        rows.copy_within(..at, 1);
        self.nodes[leaf].start += 1;
        let mut node = leaf;
        loop {
            self.nodes[node].len -= 1;
            self.refresh(node);
            match self.nodes[node].parent {
                NONE => break,
                parent => node = parent as usize,
            }
        }
        // A tree of half-empty leaves is slow; what is built anew sums to O(n log n).
        if self.len() > LEAF && self.len() * 2 < self.n_built {
            let mut left: Vec<u32> = self.remaining().collect();
            left.sort_unstable();
            self.build(left);
        }
    }

    /// Finds the spans of a node again, from its points or its children.
    fn refresh(&mut self, node: usize) {
        let Node {
            child,
            len,
            is_equal,
            ..
        } = self.nodes[node];
        if is_equal {
            self.spans.shrink_equal(node, len);
        } else if child == NONE {
            let Node { start, len, .. } = self.nodes[node];
            let points = self.rows[start as usize..(start + len) as usize].iter();
            let points = points.map(|&row| self.points.point(row as usize));
            self.spans.hold(node, points);
        } else {
            let children = [child as usize, child as usize + 1];
            let lens = children.map(|child| self.nodes[child].len);
            self.spans.join(node, children, lens);
        }
    }
}
