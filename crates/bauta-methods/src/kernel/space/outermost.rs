//! Which point is farthest from a centre that moves a little as points go.

use crate::kernel::space::shrinking_tree::Found;

/// Makes a comparison of roots safe against their rounding.
const SAFELY: f64 = 1.0 + 1e-12;

/// The share of the points that is kept in order.
const KEPT: usize = 16;

/// Looking at so many candidates per point that is left costs more than to order them anew.
const PATIENCE: usize = 4;

/// Points around a centre that moves.
pub(crate) trait Around {
    /// Where the centre is.
    type Centre: Clone;

    /// Points that are left.
    fn len(&self) -> usize;

    /// Whether the point of a row is left.
    fn contains(&self, row: u32) -> bool;

    /// The rows that are left, in no order.
    fn remaining(&self) -> impl Iterator<Item = u32>;

    /// Squared distance of a point from a centre; -∞ where it has none, wherever the centre is.
    fn distance(&self, centre: &Self::Centre, row: u32) -> f64;

    /// By how much the distance of a point may change at most when the centre moves.
    fn moved(&self, from: &Self::Centre, to: &Self::Centre) -> f64;

    /// The farthest from a centre, by looking for it.
    fn farthest(&self, centre: &Self::Centre) -> Option<u32>;
}

/// The outermost points, in order of their distance from where the centre was some time ago. By
/// the triangle inequality the farthest point from the centre as it is now is among the first.
#[derive(Clone, Debug)]
pub(crate) struct Outermost<C> {
    /// Where the centre was.
    origin: Option<C>,
    /// Distances from there and rows, the farthest first.
    candidates: Vec<(f64, u32)>,
    /// All other points are at most so far from the origin.
    others: f64,
    n_looked_at: usize,
    /// While more points than this are left, the tree is asked.
    pause_until: usize,
}

impl<C: Clone> Outermost<C> {
    pub(crate) fn new() -> Self {
        Self {
            origin: None,
            candidates: Vec::new(),
            others: f64::INFINITY,
            n_looked_at: 0,
            pause_until: usize::MAX,
        }
    }

    /// The row of the tree that is farthest from a centre; of several the lowest.
    pub(crate) fn farthest(&mut self, centre: &C, points: &impl Around<Centre = C>) -> Option<u32> {
        if points.len() > self.pause_until {
            return points.farthest(centre);
        }
        if self.origin.is_none() || self.n_looked_at > PATIENCE * points.len() {
            self.order_anew(centre, points);
        }
        if let Some(row) = self.among_candidates(centre, points) {
            return Some(row);
        }
        self.order_anew(centre, points);
        let found = self.among_candidates(centre, points);
        if found.is_none() {
            // So many points are equally far that the candidates do not hold them all. The tree
            // is asked, and goes on being asked until a good part of them is gone.
            self.pause_until = points.len() / 4 * 3;
            return points.farthest(centre);
        }
        found
    }

    /// Who will probably be farthest from the centre, soonest first; those that are gone may be among them.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = u32> + Clone {
        self.candidates.iter().map(|(_, row)| *row)
    }

    /// The farthest row, if it is certain that it is a candidate.
    fn among_candidates(&mut self, centre: &C, points: &impl Around<Centre = C>) -> Option<u32> {
        let moved = points.moved(self.origin.as_ref()?, centre);
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
            if !points.contains(row) {
                n_gone += 1;
                continue;
            }
            let found = Found {
                distance: points.distance(centre, row),
                row,
            };
            if best.is_none_or(|best| found.is_farther_than(&best)) {
                best = Some(found);
            }
        }
        self.n_looked_at += n_seen;
        let is_certain = n_seen < self.candidates.len() || is_beaten(self.others, best);
        if n_gone > 64 {
            self.candidates.retain(|&(_, row)| points.contains(row));
        }
        best.filter(|_| is_certain).map(|best| best.row)
    }

    fn order_anew(&mut self, centre: &C, points: &impl Around<Centre = C>) {
        self.origin = Some(centre.clone());
        self.n_looked_at = 0;
        self.candidates.clear();
        self.candidates.extend(points.remaining().map(|row| {
            let distance = points.distance(centre, row);
            // -∞ has no root and stays what it is.
            (
                if distance < 0.0 {
                    distance
                } else {
                    distance.sqrt()
                },
                row,
            )
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
