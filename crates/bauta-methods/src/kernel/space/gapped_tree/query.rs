//! Questions to a tree of points with gaps, by branch and bound.

use crate::kernel::space::gapped_points::Place;
use crate::kernel::space::gapped_tree::{GappedTree, NONE, Node};
use crate::kernel::space::shrinking_tree::Found;

/// What bounds may be wrong by, as a part of the terms that they are sums of.
const SLACK: f64 = 1e-12;

/// A place that is asked for.
pub(super) struct Query<'q, 'a> {
    tree: &'q GappedTree<'a>,
    place: Place<'q>,
}

impl<'q, 'a> Query<'q, 'a> {
    pub(super) fn new(tree: &'q GappedTree<'a>, place: Place<'q>) -> Self {
        Self { tree, place }
    }

    /// The farthest point.
    pub(super) fn farthest(&self) -> Option<Found> {
        let mut best = None;
        if !self.tree.is_empty() {
            self.visit_far(0, &mut best);
        }
        best
    }

    /// The `m` nearest points, in order.
    pub(super) fn nearest(&self, m: usize, found: &mut Vec<Found>) {
        found.clear();
        if m > 0 && !self.tree.is_empty() {
            self.visit_near(0, m, found);
        }
    }

    fn visit_far(&self, node: usize, best: &mut Option<Found>) {
        let Node {
            child, is_equal, ..
        } = self.tree.nodes[node];
        if child == NONE {
            let rows = self.tree.rows_of(&self.tree.nodes[node]);
            // The lowest row stands for all that are equal.
            let rows = if is_equal { &rows[..1] } else { rows };
            for &row in rows {
                let distance = self.distance(row).unwrap_or(f64::NEG_INFINITY);
                let found = Found { distance, row };
                if best.is_none_or(|best| found.is_farther_than(&best)) {
                    *best = Some(found);
                }
            }
            return;
        }
        let estimate = |node: usize| {
            let farthest = self.estimate(node, farthest_in);
            farthest.unwrap_or(f64::NEG_INFINITY)
        };
        let sides = [child as usize, child as usize + 1];
        let order = if estimate(sides[0]) >= estimate(sides[1]) {
            sides
        } else {
            [sides[1], sides[0]]
        };
        for side in order {
            let is_worth_it = best.is_none_or(|best| self.may_be_as_far(side, best.distance));
            if self.tree.nodes[side].len > 0 && is_worth_it {
                self.visit_far(side, best);
            }
        }
    }

    fn visit_near(&self, node: usize, m: usize, found: &mut Vec<Found>) {
        let Node {
            child, is_equal, ..
        } = self.tree.nodes[node];
        if child == NONE {
            for &row in self.tree.rows_of(&self.tree.nodes[node]) {
                let distance = self.distance(row).unwrap_or(f64::INFINITY);
                let candidate = Found { distance, row };
                let at = found.partition_point(|there| there.is_nearer_than(&candidate));
                if at < m {
                    found.truncate(m - 1);
                    found.insert(at, candidate);
                } else if is_equal {
                    // Those behind it are as far and come later.
                    return;
                }
            }
            return;
        }
        let estimate = |node: usize| self.estimate(node, nearest_in).unwrap_or(f64::INFINITY);
        let sides = [child as usize, child as usize + 1];
        let order = if estimate(sides[0]) <= estimate(sides[1]) {
            sides
        } else {
            [sides[1], sides[0]]
        };
        for side in order {
            let is_worth_it = match found.last() {
                Some(last) if found.len() == m => self.may_be_as_near(side, last.distance),
                _ => true,
            };
            if self.tree.nodes[side].len > 0 && is_worth_it {
                self.visit_near(side, m, found);
            }
        }
    }

    fn distance(&self, row: u32) -> Option<f64> {
        let points = self.tree.points;
        points.distance(self.place, points.point(row as usize))
    }

    /// About how far the points of a node may be: which child is looked at first, and nothing else,
    /// depends on it.
    fn estimate(&self, node: usize, difference: impl Fn(f64, f64, f64) -> f64) -> Option<f64> {
        let spans = self.tree.spans.of(node);
        let (mut sums, mut weights) = ([0.0; LANES], [0.0; LANES]);
        for first in (0..self.place.known.len()).step_by(LANES) {
            for lane in 0..LANES {
                let axis = first + lane;
                let weight = self.place.known[axis] * (spans.all[axis] + spans.some[axis]);
                let d = difference(
                    spans.low[axis],
                    spans.high[axis],
                    self.place.coordinates[axis],
                );
                sums[lane] += weight * (d * d);
                weights[lane] += weight;
            }
        }
        let n: f64 = weights.iter().sum();
        (n > 0.0).then(|| sums.iter().sum::<f64>() / n)
    }

    /// Whether a point of the node may be at this distance or nearer.
    ///
    /// A point has the variables that all points of the node have, and any of those that some have.
    /// Its mean is at most t if Σ (d² - t) over its variables is at most 0, and that sum is least for
    /// the point that has, of the latter, those with d² below t.
    fn may_be_as_near(&self, node: usize, distance: f64) -> bool {
        if distance == f64::INFINITY {
            return true;
        }
        let t = distance / self.tree.points.n_axes() as f64;
        let reach = t * (1.0 + SLACK);
        let is_within = |square: f64| square <= reach;
        let bound = self.bound(node, t, nearest_in, is_within);
        bound.has_any && bound.sum <= SLACK * bound.size
    }

    /// Whether a point of the node may be at this distance or farther; as for the nearest.
    fn may_be_as_far(&self, node: usize, distance: f64) -> bool {
        if distance == f64::NEG_INFINITY {
            return true;
        }
        let t = distance / self.tree.points.n_axes() as f64;
        let reach = t * (1.0 - SLACK);
        let is_beyond = |square: f64| square >= reach;
        let bound = self.bound(node, t, farthest_in, is_beyond);
        bound.has_any && bound.sum >= -SLACK * bound.size
    }

    /// Σ (d² - t) over the variables that place and node share: those that all points have, and of
    /// those that some have the ones that `counts`.
    #[inline]
    fn bound(
        &self,
        node: usize,
        t: f64,
        difference: impl Fn(f64, f64, f64) -> f64,
        counts: impl Fn(f64) -> bool,
    ) -> Bound {
        let spans = self.tree.spans.of(node);
        let (mut sums, mut sizes, mut any) = ([0.0; LANES], [0.0; LANES], [0.0; LANES]);
        for first in (0..self.place.known.len()).step_by(LANES) {
            for lane in 0..LANES {
                let axis = first + lane;
                let d = difference(
                    spans.low[axis],
                    spans.high[axis],
                    self.place.coordinates[axis],
                );
                let square = d * d;
                let some = if counts(square) {
                    spans.some[axis]
                } else {
                    0.0
                };
                let weight = self.place.known[axis] * (spans.all[axis] + some);
                sums[lane] += weight * (square - t);
                sizes[lane] += weight * (square + t);
                any[lane] += weight;
            }
        }
        Bound {
            sum: sums.iter().sum(),
            size: sizes.iter().sum(),
            has_any: any.iter().sum::<f64>() > 0.0,
        }
    }
}

/// Variables that are looked at together.
const LANES: usize = 4;

struct Bound {
    sum: f64,
    /// The same with all terms positive: what rounding is a part of.
    size: f64,
    has_any: bool,
}

/// How far the nearest point between two values is from a coordinate.
#[inline]
fn nearest_in(low: f64, high: f64, x: f64) -> f64 {
    (low - x).max(x - high).max(0.0)
}

/// How far the farthest is.
#[inline]
fn farthest_in(low: f64, high: f64, x: f64) -> f64 {
    (x - low).max(high - x)
}
