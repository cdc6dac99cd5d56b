//! Which point is farthest from a centre that moves a little as points go.

use crate::kernel::space::points::{Points, squared_distance};
use crate::kernel::space::shrinking_tree::{Found, ShrinkingTree};

/// Makes a comparison of roots safe against their rounding.
const SAFELY: f64 = 1.0 + 1e-12;

/// The share of the points that is kept in order.
const KEPT: usize = 16;

/// Looking at so many candidates per point that is left costs more than to order them anew.
const PATIENCE: usize = 4;

/// The outermost points, in order of their distance from where the centre was some time ago. By
/// the triangle inequality the farthest point from the centre as it is now is among the first.
#[derive(Clone, Debug)]
pub(crate) struct Outermost<'a> {
    points: &'a Points,
    /// Where the centre was.
    origin: Vec<f64>,
    /// Distances from there and rows, the farthest first.
    candidates: Vec<(f64, u32)>,
    /// All other points are at most so far from the origin.
    others: f64,
    n_looked_at: usize,
    /// While more points than this are left, the tree is asked.
    pause_until: usize,
}

impl<'a> Outermost<'a> {
    pub(crate) fn new(points: &'a Points) -> Self {
        Self {
            points,
            origin: Vec::new(),
            candidates: Vec::new(),
            others: f64::INFINITY,
            n_looked_at: 0,
            pause_until: usize::MAX,
        }
    }

    /// The row of the tree that is farthest from a centre; of several the lowest.
    pub(crate) fn farthest(&mut self, centre: &[f64], tree: &ShrinkingTree<'_>) -> Option<u32> {
        if tree.len() > self.pause_until {
            return tree.farthest(centre).map(|found| found.row);
        }
        if self.origin.is_empty() || self.n_looked_at > PATIENCE * tree.len() {
            self.order_anew(centre, tree);
        }
        if let Some(row) = self.among_candidates(centre, tree) {
            return Some(row);
        }
        self.order_anew(centre, tree);
        let found = self.among_candidates(centre, tree);
        if found.is_none() {
            // So many points are equally far that the candidates do not hold them all. The tree
            // is asked, and goes on being asked until a good part of them is gone.
            self.pause_until = tree.len() / 4 * 3;
            return tree.farthest(centre).map(|found| found.row);
        }
        found
    }

    /// The farthest row, if it is certain that it is a candidate.
    fn among_candidates(&mut self, centre: &[f64], tree: &ShrinkingTree<'_>) -> Option<u32> {
        let moved = squared_distance(centre, &self.origin).sqrt();
        let (mut best, mut n_gone): (Option<Found>, usize) = (None, 0);
        // No point at such a distance from the origin, or nearer to it, can be the farthest.
        let is_beaten = |from_origin: f64, best: Option<Found>| {
            best.is_some_and(|best| (from_origin + moved) * SAFELY < best.distance.sqrt())
        };
        let mut n_seen = 0;
        for &(from_origin, row) in &self.candidates {
            if is_beaten(from_origin, best) {
                break;
            }
            n_seen += 1;
            if !tree.contains(row) {
                n_gone += 1;
                continue;
            }
            let distance = squared_distance(centre, self.points.point(row as usize));
            let found = Found { distance, row };
            if best.is_none_or(|best| found.is_farther_than(&best)) {
                best = Some(found);
            }
        }
        self.n_looked_at += n_seen;
        let is_certain = n_seen < self.candidates.len() || is_beaten(self.others, best);
        if n_gone > 64 {
            self.candidates.retain(|&(_, row)| tree.contains(row));
        }
        best.filter(|_| is_certain).map(|best| best.row)
    }

    fn order_anew(&mut self, centre: &[f64], tree: &ShrinkingTree<'_>) {
        self.origin = centre.to_vec();
        self.n_looked_at = 0;
        self.candidates.clear();
        self.candidates.extend(tree.remaining().map(|row| {
            let distance = squared_distance(centre, self.points.point(row as usize));
            (distance.sqrt(), row)
        }));
        let farther =
            |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1));
        let n_kept = (self.candidates.len() / KEPT).max(64);
        self.others = f64::NEG_INFINITY;
        if n_kept < self.candidates.len() {
            let (_, next, _) = self.candidates.select_nth_unstable_by(n_kept, farther);
            self.others = next.0;
            self.candidates.truncate(n_kept);
        }
        self.candidates.sort_unstable_by(farther);
    }
}
