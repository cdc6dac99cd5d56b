//! Nearest and farthest points of those that will be asked for, found beforehand and together.
//!
//! Points only go. So the nearest of those left are the first of an earlier list that are left, as long as there are
//! enough of them on it: an answer from a list is the answer of a search, whenever the list was made.

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

use crate::kernel::space::shrinking_tree::{Found, ShrinkingTree};

/// Points whose lists are made together, at most: enough for all cores, and few enough that lists are used
/// before much of them is gone.
const AT_ONCE: usize = 1024;

/// The part of the points whose lists are made together, at most.
const PART: usize = 128;

/// Looking ahead begins where lists for so many could be made.
const FEW: usize = 16;

/// Variables from which on a search looks at so many leaves that it is better made together with others.
const MANY_AXES: usize = 8;

/// How many more nearest points a list has than are wanted.
const SPARE: usize = 2;

/// Farthest points on a list.
const N_FAR: usize = 3;

/// What will probably be asked for.
#[derive(Clone, Debug)]
pub(super) struct Foresight {
    near: Lists,
    far: Lists,
    /// Nearest points that will be wanted.
    n_near: usize,
}

impl Foresight {
    /// Nothing is known yet; so many nearest points will be wanted.
    pub(super) fn new(n_near: usize) -> Self {
        Self {
            near: Lists::new(),
            far: Lists::new(),
            n_near,
        }
    }

    /// A point comes next, and probably others after it: what is near to them and far from them.
    pub(super) fn of_outermost(
        &mut self,
        row: u32,
        next: impl Iterator<Item = u32> + Clone,
        left: &ShrinkingTree<'_>,
    ) {
        if !is_worth_it(left) {
            return;
        }
        let others = next.filter(|&other| other != row && left.contains(other));
        let rows = || std::iter::once(row).chain(others.clone());
        let (n_near, m) = (self.n_near, self.n_near + SPARE);
        if self.near.has(row, n_near, left) {
            self.near.n_used += 1;
        } else {
            let rows = self.near.lacking(rows(), n_near, left);
            self.near.put(&rows, left.nearest_of(&rows, m), left);
        }
        if self.far.has(row, 1, left) {
            self.far.n_used += 1;
        } else {
            let rows = self.far.lacking(rows(), 1, left);
            // A list that is used at once needs no spare.
            let m = if rows.len() < FEW { 1 } else { N_FAR };
            self.far.put(&rows, left.farthest_of(&rows, m), left);
        }
    }

    /// A point comes next that is far from one, and probably those that are far from others: what is near to them.
    pub(super) fn of_opposite(
        &mut self,
        row: u32,
        next: impl Iterator<Item = u32>,
        left: &ShrinkingTree<'_>,
    ) {
        if !is_worth_it(left) {
            return;
        }
        if self.near.has(row, self.n_near, left) {
            self.near.n_used += 1;
            return;
        }
        let mut seen: HashSet<u32, FixedState> = HashSet::default();
        seen.insert(row);
        // Each of the others takes the first of its list that those before it have not taken.
        let others = next
            .filter(|&other| left.contains(other))
            .map_while(|other| {
                let far = self.far.of.get(&other)?.iter().map(|found| found.row);
                let mut far = far.filter(|&row| left.contains(row));
                Some(far.find(|&row| seen.insert(row)))
            });
        let rows = std::iter::once(row).chain(others.flatten());
        let rows = self.near.lacking(rows, self.n_near, left);
        let lists = left.nearest_of(&rows, self.n_near + SPARE);
        self.near.put(&rows, lists, left);
    }

    /// The `m` nearest points to one, if they are known.
    pub(super) fn nearest(
        &self,
        to: u32,
        m: usize,
        left: &ShrinkingTree<'_>,
        found: &mut Vec<Found>,
    ) -> bool {
        let Some(first) = self.near.first(to, m, left) else {
            return false;
        };
        found.clear();
        found.extend(first);
        true
    }

    /// The farthest point from one, if it is known.
    pub(super) fn farthest(&self, from: u32, left: &ShrinkingTree<'_>) -> Option<Found> {
        self.far.first(from, 1, left)?.next()
    }
}

/// Whether lists are worth their making: in few variables a search looks at few leaves, and one for a longer list at
/// twice as many.
fn is_worth_it(left: &ShrinkingTree<'_>) -> bool {
    left.n_axes() >= MANY_AXES && left.len() / PART >= FEW
}

/// Lists of points, by the row that they are for.
#[derive(Clone, Debug)]
struct Lists {
    of: HashMap<u32, Vec<Found>, FixedState>,
    /// How many are made together: more where most are used, fewer where they are not.
    n_ahead: usize,
    /// Lists that were made last.
    n_made: usize,
    /// Lists that were used since.
    n_used: usize,
}

impl Lists {
    fn new() -> Self {
        Self {
            of: HashMap::default(),
            n_ahead: 8 * FEW,
            n_made: 0,
            n_used: 0,
        }
    }

    /// Whether the list for a point has so many that are left.
    fn has(&self, row: u32, n_wanted: usize, left: &ShrinkingTree<'_>) -> bool {
        self.first(row, n_wanted, left).is_some()
    }

    /// The first of the list for a point that are left, if they are enough.
    fn first<'s>(
        &'s self,
        row: u32,
        n_wanted: usize,
        left: &'s ShrinkingTree<'_>,
    ) -> Option<impl Iterator<Item = Found> + 's> {
        let list = self.of.get(&row)?;
        let there = || {
            list.iter()
                .copied()
                .filter(|found| left.contains(found.row))
        };
        (there().take(n_wanted).count() == n_wanted).then(|| there().take(n_wanted))
    }

    /// The first of some rows for which lists are to be made now.
    fn lacking(
        &mut self,
        rows: impl Iterator<Item = u32>,
        n_wanted: usize,
        left: &ShrinkingTree<'_>,
    ) -> Vec<u32> {
        if 2 * self.n_used < self.n_made {
            self.n_ahead /= 2;
        } else if 4 * self.n_used > 3 * self.n_made {
            self.n_ahead *= 2;
        }
        // Large groups take what the lists of others hold.
        let most = (left.len() / PART.max(2 * n_wanted)).clamp(1, AT_ONCE);
        self.n_ahead = self.n_ahead.clamp(1, most);
        let rows = rows.take(4 * self.n_ahead);
        let lacking = rows.filter(|&row| !self.has(row, n_wanted, left));
        lacking.take(self.n_ahead).collect()
    }

    /// Puts lists in the place of earlier ones.
    fn put(&mut self, rows: &[u32], lists: Vec<Vec<Found>>, left: &ShrinkingTree<'_>) {
        if self.of.len() > 4 * AT_ONCE {
            self.of.retain(|&row, _| left.contains(row));
        }
        self.of.extend(rows.iter().copied().zip(lists));
        // The first is used at once.
        (self.n_made, self.n_used) = (rows.len(), 1);
    }
}
