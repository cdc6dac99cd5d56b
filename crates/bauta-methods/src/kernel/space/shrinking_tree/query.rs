//! Questions to a tree, by branch and bound.

use crate::kernel::space::points::squared_distance;
use crate::kernel::space::shrinking_tree::shadows::{LANES, Place, squared_distances};
use crate::kernel::space::shrinking_tree::{Found, NONE, Node, ShrinkingTree};

/// Which point is farthest?
pub(super) struct FarthestQuery<'q, 'a> {
    tree: &'q ShrinkingTree<'a>,
    from: &'q [f64],
    place: Place,
    /// Axes and the place's coordinates, seen from the origin of the radii, largest first.
    relative: Vec<(usize, f32)>,
    /// Length of what is left of the place without the first coordinate, without the first two, ….
    tails: Vec<f32>,
    from_origin: f32,
    best: Option<Found>,
    /// Shadows nearer than this cannot be the farthest.
    threshold: f32,
}

impl<'q, 'a> FarthestQuery<'q, 'a> {
    /// The farthest point.
    pub(super) fn answer(tree: &'q ShrinkingTree<'a>, from: &'q [f64]) -> Option<Found> {
        if tree.is_empty() {
            return None;
        }
        let place = tree.shadows.asked(from);
        let mut relative: Vec<(usize, f32)> = place
            .shadow
            .iter()
            .zip(&tree.origin)
            .map(|(q, origin)| q - origin)
            .enumerate()
            .filter(|(_, q)| *q != 0.0)
            .collect();
        relative.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
        let mut tails = vec![0.0; relative.len() + 1];
        let mut squares = 0.0;
        for (at, (_, q)) in relative.iter().enumerate().rev() {
            squares += q * q;
            tails[at] = squares.sqrt();
        }
        let mut query = Self {
            tree,
            from,
            from_origin: squares,
            relative,
            tails,
            place,
            best: None,
            threshold: 0.0,
        };
        query.visit(0);
        query.best
    }

    fn visit(&mut self, node: usize) {
        let Node { child, .. } = self.tree.nodes[node];
        if child == NONE {
            self.visit_leaf(&self.tree.nodes[node]);
            return;
        }
        let first = child as usize;
        let bounds = [self.bound(first), self.bound(first + 1)];
        let order = if bounds[0] >= bounds[1] {
            [0, 1]
        } else {
            [1, 0]
        };
        for side in order {
            if bounds[side] >= self.threshold {
                self.visit(first + side);
            }
        }
    }

    fn visit_leaf(&mut self, leaf: &Node) {
        let rows = self.tree.rows_of(leaf);
        if leaf.is_equal {
            // The lowest row stands for all.
            self.ask(rows[0]);
            return;
        }
        let blocks = self.tree.shadows.blocks(leaf.lanes, rows.len());
        for (rows, block) in rows.chunks(LANES).zip(blocks) {
            let distances = squared_distances(block, &self.place.shadow);
            if distances.iter().all(|&distance| distance < self.threshold) {
                continue;
            }
            for (&row, &distance) in rows.iter().zip(&distances) {
                if distance >= self.threshold {
                    self.ask(row);
                }
            }
        }
    }

    /// Takes the true distance of a row.
    fn ask(&mut self, row: u32) {
        let point = self.tree.points.point(row as usize);
        let found = Found {
            distance: squared_distance(self.from, point),
            row,
        };
        if self.best.is_none_or(|best| found.is_farther_than(&best)) {
            self.best = Some(found);
            self.threshold = self.place.still_far(found.distance);
        }
    }

    /// No shadow of the node is farther than this; below 0 if the node is empty.
    fn bound(&self, node: usize) -> f32 {
        let Node { len, radius, .. } = self.tree.nodes[node];
        if len == 0 {
            return -1.0;
        }
        let (low, high) = (self.tree.low(node), self.tree.high(node));
        let mut by_box = [0.0_f32; 4];
        let places = self.place.shadow.chunks_exact(4);
        let sides = low.chunks_exact(4).zip(high.chunks_exact(4));
        for (q, (low, high)) in places.zip(sides) {
            for lane in 0..4 {
                let farther = (q[lane] - low[lane]).max(high[lane] - q[lane]);
                by_box[lane] += farther * farther;
            }
        }
        let by_box: f32 = by_box.iter().sum();
        // |q - x|² = |q|² + |x|² - 2 q·x, seen from the origin. A corner of the box lies far
        // beyond the points. Here |x| is that of a point, and -q·x is that of a corner in the
        // axes where q is largest and at most |q| |x| in the others: whichever split is best.
        let rho = radius.sqrt();
        let (mut product, mut size, mut least) = (0.0_f32, 0.0_f32, self.tails[0] * rho);
        for (&(axis, q), tail) in self.relative.iter().zip(&self.tails[1..]) {
            let origin = self.tree.origin[axis];
            let term = (q * (origin - low[axis])).max(q * (origin - high[axis]));
            product += term;
            size += term.abs();
            least = least.min(product + tail * rho);
        }
        let by_radius = self.from_origin + radius + 2.0 * least;
        let slack = self
            .place
            .slack(self.from_origin + radius + 2.0 * (size + self.tails[0] * rho) + by_box);
        // `min` passes over a bound that is no number, which a place far outside gives.
        by_box.min(by_radius) + slack
    }
}

/// Which points are nearest?
pub(super) struct NearestQuery<'q, 'a> {
    tree: &'q ShrinkingTree<'a>,
    to: &'q [f64],
    place: Place,
    m: usize,
    found: &'q mut Vec<Found>,
    /// Shadows farther than this cannot be among the nearest.
    threshold: f32,
}

impl<'q, 'a> NearestQuery<'q, 'a> {
    /// The `m` nearest points, in order.
    pub(super) fn answer(
        tree: &'q ShrinkingTree<'a>,
        to: &'q [f64],
        m: usize,
        found: &'q mut Vec<Found>,
    ) {
        found.clear();
        if m == 0 || tree.is_empty() {
            return;
        }
        let place = tree.shadows.asked(to);
        let mut query = Self {
            tree,
            to,
            place,
            m,
            found,
            threshold: f32::INFINITY,
        };
        query.visit(0);
    }

    fn visit(&mut self, node: usize) {
        let Node { child, .. } = self.tree.nodes[node];
        if child == NONE {
            self.visit_leaf(&self.tree.nodes[node]);
            return;
        }
        let first = child as usize;
        let bounds = [self.bound(first), self.bound(first + 1)];
        let order = if bounds[0] <= bounds[1] {
            [0, 1]
        } else {
            [1, 0]
        };
        for side in order {
            let is_empty = self.tree.nodes[first + side].len == 0;
            if !is_empty && bounds[side] <= self.threshold {
                self.visit(first + side);
            }
        }
    }

    fn visit_leaf(&mut self, leaf: &Node) {
        let rows = self.tree.rows_of(leaf);
        if leaf.is_equal {
            for &row in rows {
                if !self.ask(row) {
                    // Those behind it are as far and come later.
                    return;
                }
            }
            return;
        }
        let blocks = self.tree.shadows.blocks(leaf.lanes, rows.len());
        for (rows, block) in rows.chunks(LANES).zip(blocks) {
            let distances = squared_distances(block, &self.place.shadow);
            if distances.iter().all(|&distance| distance > self.threshold) {
                continue;
            }
            for (&row, &distance) in rows.iter().zip(&distances) {
                if distance <= self.threshold {
                    self.ask(row);
                }
            }
        }
    }

    /// Takes the true distance of a row; whether it is among the nearest so far.
    fn ask(&mut self, row: u32) -> bool {
        let point = self.tree.points.point(row as usize);
        let candidate = Found {
            distance: squared_distance(self.to, point),
            row,
        };
        let at = self
            .found
            .partition_point(|there| there.is_nearer_than(&candidate));
        if at == self.m {
            return false;
        }
        self.found.truncate(self.m - 1);
        self.found.insert(at, candidate);
        if let [.., last] = self.found.as_slice()
            && self.found.len() == self.m
        {
            self.threshold = self.place.still_near(last.distance);
        }
        true
    }

    /// No shadow of the node is nearer than this.
    fn bound(&self, node: usize) -> f32 {
        let (low, high) = (self.tree.low(node), self.tree.high(node));
        let mut sums = [0.0_f32; 4];
        let places = self.place.shadow.chunks_exact(4);
        let sides = low.chunks_exact(4).zip(high.chunks_exact(4));
        for (q, (low, high)) in places.zip(sides) {
            for lane in 0..4 {
                let outside = (low[lane] - q[lane]).max(q[lane] - high[lane]).max(0.0);
                sums[lane] += outside * outside;
            }
        }
        sums.iter().sum()
    }
}
