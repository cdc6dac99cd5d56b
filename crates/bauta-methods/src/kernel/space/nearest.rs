//! The nearest of many points, exactly, with all its ties.
//!
//! A k-d tree whose nodes know the box around their points. Box bounds are summed in the same order
//! as distances, and rounding keeps order, so that a bound never exceeds the distance of a point in
//! the box: the answers are those of a full search to the last bit. Equal points are kept as one
//! with their number, so that many of them cost no more than one.
//!
//! A [`Yardstick`] says how far apart points are. Where it takes distances that differ by rounding
//! for the same, those within its reach of the smallest tie, and nothing that could is left out.

use rayon::prelude::*;

use crate::kernel::numbers::ranks::total_order_bits;
use crate::kernel::space::points::Points;
use crate::kernel::space::yardstick::Yardstick;

/// Points in a leaf; fewer make the tree deeper, more make leaves slow.
const LEAF: usize = 16;
/// Points from which the two halves of a branch are grown at the same time.
const AT_ONCE: usize = 8192;
/// Points that are put side by side before they are split further: they stay near the processor from then on.
const NEAR: usize = 2048;
/// Queries per parallel block.
const BLOCK: usize = 256;

/// What is nearest to a query.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Nearest {
    /// The lowest row among the nearest.
    pub row: u32,
    /// Squared distance, the smallest of those that are the same.
    pub distance: f64,
    /// How many points are equally near, this one included.
    pub n_ties: u32,
}

impl Nearest {
    const NONE: Self = Self {
        row: u32::MAX,
        distance: f64::INFINITY,
        n_ties: 0,
    };
}

/// Points whose nearest are looked for: each is asked for when its turn comes, so that they need not stand side by side.
pub trait Queries: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the coordinates of one; those beyond the variables are left as they are.
    fn place(&self, query: usize, point: &mut [f64]);
}

impl Queries for Points {
    fn len(&self) -> usize {
        Self::len(self)
    }

    fn place(&self, query: usize, point: &mut [f64]) {
        point.copy_from_slice(self.point(query));
    }
}

/// What a search has found so far.
struct Search<'a> {
    query: &'a [f64],
    best: Nearest,
    /// Whether all that was counted is within reach of the smallest distance.
    is_settled: bool,
}

impl<'a> Search<'a> {
    /// A search that knows of a distance and not of whom it is.
    fn knowing(query: &'a [f64], known: f64) -> Self {
        Self {
            query,
            best: Nearest {
                distance: known,
                ..Nearest::NONE
            },
            is_settled: true,
        }
    }

    /// Takes in equal points: they replace what is farther and join what is equally near.
    fn offer(&mut self, row: u32, distance: f64, n_equal: u32, by: &Yardstick) {
        let best = &mut self.best;
        if by.reach(distance) < best.distance {
            *best = Nearest {
                row,
                distance,
                n_ties: n_equal,
            };
            self.is_settled = true;
        } else if distance <= by.reach(best.distance) {
            best.row = best.row.min(row);
            best.n_ties += n_equal;
            if distance < best.distance {
                // Within reach of what was the smallest may be out of reach of what is now.
                best.distance = distance;
                self.is_settled = false;
            }
        }
    }
}

/// Points arranged for search.
#[derive(Clone, Debug)]
pub struct NearestTree {
    stride: usize,
    by: Yardstick,
    branch: Branch,
    /// Coordinates of the members, in their order.
    coordinates: Vec<f64>,
}

/// A part of the tree, or all of it.
#[derive(Clone, Debug, Default)]
struct Branch {
    nodes: Vec<Node>,
    /// Lower and upper corner of each node's box.
    boxes: Vec<f64>,
    /// Lowest row and number of the equal points of each distinct point, in the order of the leaves.
    members: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    /// Members first..last.
    Leaf { first: u32, last: u32 },
    /// The left child is the next node. Points below `at` in the coordinate `axis` are on the left, those above it on
    /// the right.
    Inner { right: u32, axis: u32, at: f64 },
}

impl Branch {
    /// All points.
    fn of(points: &Points, by: &Yardstick) -> Self {
        let mut rows: Vec<u32> = (0..points.len() as u32).collect();
        if rows.is_empty() {
            return Self::default();
        }
        let mut keys = vec![(0, 0); rows.len()];
        Self::grown(points, by, &mut rows, &mut keys)
    }

    /// A branch of these points. `keys` is memory to work in, a place for each row.
    fn grown(points: &Points, by: &Yardstick, rows: &mut [u32], keys: &mut [(u64, u32)]) -> Self {
        if rows.len() <= NEAR && points.len() > NEAR {
            return Self::grown_near(points, by, rows, keys);
        }
        let mut branch = Self::default();
        let (widest, width) = branch.push_box(points, by, rows);
        // Not `<= 0.0`: coordinates that are not numbers must not split for ever either.
        if rows.len() <= LEAF || width.is_nan() || width == 0.0 {
            branch.push_leaf(points, rows);
            return branch;
        }
        branch.nodes.push(Node::Leaf { first: 0, last: 0 });
        let middle = rows.len() / 2;
        // Coordinates side by side: each is compared several times, and far apart each look would be a wait.
        for (key, &row) in keys.iter_mut().zip(rows.iter()) {
            *key = (total_order_bits(points.point(row as usize)[widest]), row);
        }
        keys.select_nth_unstable(middle);
        for (row, key) in rows.iter_mut().zip(keys.iter()) {
            *row = key.1;
        }
        let at = points.point(rows[middle] as usize)[widest];
        let at_once = rows.len() >= AT_ONCE;
        let (left, right) = rows.split_at_mut(middle);
        let (left_keys, right_keys) = keys.split_at_mut(middle);
        let grow = |rows, keys| Self::grown(points, by, rows, keys);
        let (left, right) = if at_once {
            rayon::join(|| grow(left, left_keys), || grow(right, right_keys))
        } else {
            (grow(left, left_keys), grow(right, right_keys))
        };
        branch.append(left);
        branch.nodes[0] = Node::Inner {
            right: branch.nodes.len() as u32,
            axis: widest as u32,
            at,
        };
        branch.append(right);
        branch
    }

    /// The same branch, of points that are brought together first.
    fn grown_near(
        points: &Points,
        by: &Yardstick,
        rows: &mut [u32],
        keys: &mut [(u64, u32)],
    ) -> Self {
        // In the order of their rows, so that which of equal points is the lowest stays the same.
        rows.sort_unstable();
        let mut places: Vec<u32> = (0..rows.len() as u32).collect();
        let mut branch = Self::grown(&points.taken(rows), by, &mut places, keys);
        for (row, _) in &mut branch.members {
            *row = rows[*row as usize];
        }
        branch
    }

    /// Stores the box around some points; returns its widest coordinate and how wide that is.
    fn push_box(&mut self, points: &Points, by: &Yardstick, rows: &[u32]) -> (usize, f64) {
        let first = points.point(rows[0] as usize);
        let (mut low, mut high) = (first.to_vec(), first.to_vec());
        for &row in &rows[1..] {
            let point = points.point(row as usize);
            for ((low, high), &x) in low.iter_mut().zip(&mut high).zip(point) {
                *low = low.min(x);
                *high = high.max(x);
            }
        }
        let widths = low.iter().zip(&high).map(|(low, high)| high - low);
        let widths = widths.enumerate().map(|(j, width)| by.scaled(j, width));
        let widest =
            widths.enumerate().fold(
                (0, 0.0),
                |best: (usize, f64), (j, width)| {
                    if width > best.1 { (j, width) } else { best }
                },
            );
        self.boxes.extend(low);
        self.boxes.extend(high);
        widest
    }

    /// Stores the points of a leaf, equal ones once.
    fn push_leaf(&mut self, points: &Points, rows: &mut [u32]) {
        rows.sort_unstable();
        for &row in rows.iter() {
            let point = points.point(row as usize);
            let mut members = self.members.iter_mut();
            match members.find(|member| points.point(member.0 as usize) == point) {
                Some(member) => member.1 += 1,
                None => self.members.push((row, 1)),
            }
        }
        let last = self.members.len() as u32;
        self.nodes.push(Node::Leaf { first: 0, last });
    }

    fn append(&mut self, other: Self) {
        let (n_nodes, n_members) = (self.nodes.len() as u32, self.members.len() as u32);
        let moved = other.nodes.into_iter().map(|node| match node {
            Node::Leaf { first, last } => Node::Leaf {
                first: first + n_members,
                last: last + n_members,
            },
            Node::Inner { right, axis, at } => Node::Inner {
                right: right + n_nodes,
                axis,
                at,
            },
        });
        self.nodes.extend(moved);
        self.boxes.extend(other.boxes);
        self.members.extend(other.members);
    }
}

impl NearestTree {
    /// Arranges points whose coordinates are comparable as they are.
    pub fn new(points: &Points) -> Self {
        Self::measured(points, Yardstick::plain(points.stride()))
    }

    /// Arranges points whose distances a yardstick says.
    pub fn measured(points: &Points, by: Yardstick) -> Self {
        let branch = Branch::of(points, &by);
        let stride = points.stride();
        let mut coordinates = vec![0.0; branch.members.len() * stride];
        let places = coordinates.par_chunks_exact_mut(stride.max(1));
        places.zip(&branch.members).for_each(|(place, (row, _))| {
            place.copy_from_slice(points.point(*row as usize));
        });
        Self {
            stride,
            by,
            branch,
            coordinates,
        }
    }

    /// The same in the memory of the points, which are not needed any more.
    pub fn taking(points: Points, by: Yardstick) -> Self {
        let branch = Branch::of(&points, &by);
        Self {
            stride: points.stride(),
            by,
            coordinates: points.in_order(branch.members.iter().map(|(row, _)| *row)),
            branch,
        }
    }

    fn point(&self, at: usize) -> &[f64] {
        &self.coordinates[at * self.stride..(at + 1) * self.stride]
    }

    /// What says how far apart points are.
    pub fn yardstick(&self) -> &Yardstick {
        &self.by
    }

    /// Smallest squared distance that a point in the node's box can have.
    fn bound(&self, node: usize, query: &[f64]) -> f64 {
        let corners = &self.branch.boxes[node * 2 * self.stride..(node + 1) * 2 * self.stride];
        let (low, high) = corners.split_at(self.stride);
        self.by.squared_distance_to_box(low, high, query)
    }

    /// The nearest point, with its ties. A distance that is known to occur saves work and changes
    /// nothing; without one, give infinity. The row is `u32::MAX` if there is no point.
    pub fn nearest(&self, query: &[f64], known: f64) -> Nearest {
        let mut found = Search::knowing(query, known);
        if self.branch.nodes.is_empty() {
            return found.best;
        }
        self.search(0, &mut found);
        if !found.is_settled {
            // Nothing is nearer than what is known now, so that this settles it.
            found = Search::knowing(query, found.best.distance);
            self.search(0, &mut found);
        }
        found.best
    }

    fn search(&self, node: usize, found: &mut Search<'_>) {
        match self.branch.nodes[node] {
            Node::Leaf { first, last } => {
                for at in first as usize..last as usize {
                    let reach = self.by.reach(found.best.distance);
                    let point = self.point(at);
                    let Some(distance) = self.by.squared_distance_within(point, found.query, reach)
                    else {
                        continue;
                    };
                    let (row, n_equal) = self.branch.members[at];
                    found.offer(row, distance, n_equal, &self.by);
                }
            }
            Node::Inner { right, .. } => {
                let (left, right) = (node + 1, right as usize);
                let to_left = self.bound(left, found.query);
                let to_right = self.bound(right, found.query);
                let (near, far) = if to_left <= to_right {
                    ((left, to_left), (right, to_right))
                } else {
                    ((right, to_right), (left, to_left))
                };
                for (child, bound) in [near, far] {
                    // Not `<`: what is equally near counts too.
                    if bound <= self.by.reach(found.best.distance) {
                        self.search(child, found);
                    }
                }
            }
        }
    }

    /// How many points lie at a distance that is known to occur; 0 if any is nearer. Cheaper than
    /// [`Self::nearest`], since the first nearer point settles it.
    pub fn ties(&self, query: &[f64], known: f64) -> u32 {
        if self.branch.nodes.is_empty() {
            return 0;
        }
        let mut found = Search::knowing(query, known);
        if !self.none_nearer(0, known, &mut found) {
            return 0;
        }
        if !found.is_settled {
            // The known one is within reach of the smallest, and others may not be.
            return self.nearest(query, found.best.distance).n_ties;
        }
        found.best.n_ties
    }

    /// Whether a point of a leaf is nearer than what is known.
    fn has_nearer(&self, leaf: usize, query: &[f64], known: f64) -> bool {
        let Some(&Node::Leaf { first, last }) = self.branch.nodes.get(leaf) else {
            return false;
        };
        (first as usize..last as usize).any(|at| {
            let distance = self
                .by
                .squared_distance_within(self.point(at), query, known);
            distance.is_some_and(|distance| self.by.reach(distance) < known)
        })
    }

    fn none_nearer(&self, node: usize, known: f64, found: &mut Search<'_>) -> bool {
        match self.branch.nodes[node] {
            Node::Leaf { first, last } => {
                let reach = self.by.reach(known);
                for at in first as usize..last as usize {
                    let point = self.point(at);
                    let Some(distance) = self.by.squared_distance_within(point, found.query, reach)
                    else {
                        continue;
                    };
                    if self.by.reach(distance) < known {
                        return false;
                    }
                    let (row, n_equal) = self.branch.members[at];
                    found.offer(row, distance, n_equal, &self.by);
                }
                true
            }
            Node::Inner { right, .. } => {
                let children = [node + 1, right as usize];
                let mut bounds = children.map(|child| (self.bound(child, found.query), child));
                if bounds[1].0 < bounds[0].0 {
                    bounds.swap(0, 1);
                }
                let reach = self.by.reach(known);
                bounds
                    .into_iter()
                    .all(|(bound, child)| bound > reach || self.none_nearer(child, known, found))
            }
        }
    }

    /// [`Self::ties`] of each query, on all cores; `go_on` is asked between blocks.
    pub fn ties_of_all<E: Send>(
        &self,
        queries: &impl Queries,
        known: impl Fn(usize, &[f64]) -> f64 + Sync,
        go_on: impl Fn(usize) -> Result<(), E> + Sync,
    ) -> Result<Vec<u32>, E> {
        self.of_all(queries, 0, go_on, |query, point, leaf| {
            let known = known(query, point);
            // Mostly the first leaf settles it, where the right one is not the nearest.
            if self.has_nearer(leaf, point, known) {
                0
            } else {
                self.ties(point, known)
            }
        })
    }

    /// The nearest point of each query, on all cores. `known` gives a distance that is known to
    /// occur, or infinity; `go_on` is asked between blocks.
    pub fn nearest_of_all<E: Send>(
        &self,
        queries: &impl Queries,
        known: impl Fn(usize, &[f64]) -> f64 + Sync,
        go_on: impl Fn(usize) -> Result<(), E> + Sync,
    ) -> Result<Vec<Nearest>, E> {
        self.of_all(queries, Nearest::NONE, go_on, |query, point, _| {
            self.nearest(point, known(query, point))
        })
    }

    /// The row of the nearest point of each query, as [`Self::nearest_of_all`] finds it.
    pub fn nearest_rows<E: Send>(
        &self,
        queries: &impl Queries,
        known: impl Fn(usize, &[f64]) -> f64 + Sync,
        go_on: impl Fn(usize) -> Result<(), E> + Sync,
    ) -> Result<Vec<u32>, E> {
        self.of_all(queries, u32::MAX, go_on, |query, point, _| {
            self.nearest(point, known(query, point)).row
        })
    }

    /// An answer to each query. Neighbouring queries are answered one after the other, since they
    /// need the same part of the tree.
    fn of_all<T: Copy + Send + Sync, E: Send>(
        &self,
        queries: &impl Queries,
        none: T,
        go_on: impl Fn(usize) -> Result<(), E> + Sync,
        answer: impl Fn(usize, &[f64], usize) -> T + Sync,
    ) -> Result<Vec<T>, E> {
        let mut order: Vec<(u32, u32)> = vec![(0, 0); queries.len()];
        let blocks = order.par_chunks_mut(BLOCK).enumerate();
        blocks.for_each(|(block, places)| {
            let mut point = vec![0.0; self.stride];
            for (query, place) in (block * BLOCK..).zip(places) {
                queries.place(query, &mut point);
                *place = (self.leaf_of(&point), query as u32);
            }
        });
        order.par_sort_unstable();
        let mut answers = vec![none; order.len()];
        let blocks = answers.par_chunks_mut(BLOCK).zip(order.par_chunks(BLOCK));
        blocks.try_for_each(|(answers, block)| {
            go_on(answers.len())?;
            let mut point = vec![0.0; self.stride];
            for (place, &(leaf, query)) in answers.iter_mut().zip(block) {
                queries.place(query as usize, &mut point);
                *place = answer(query as usize, &point, leaf as usize);
            }
            Ok(())
        })?;
        let mut by_query = vec![none; order.len()];
        for (&(_, query), answer) in order.iter().zip(answers) {
            by_query[query as usize] = answer;
        }
        Ok(by_query)
    }

    /// The leaf in whose part of the space a query lies.
    fn leaf_of(&self, query: &[f64]) -> u32 {
        let mut node = 0;
        while let Some(Node::Inner { right, axis, at }) = self.branch.nodes.get(node) {
            let is_left = query[*axis as usize] < *at;
            node = if is_left { node + 1 } else { *right as usize };
        }
        node as u32
    }
}

#[cfg(test)]
mod tests;
