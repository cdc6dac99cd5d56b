//! The nearest of many points, exactly, with all its ties.
//!
//! A k-d tree whose nodes know the box around their points. Box bounds are summed in the same order
//! as distances, and rounding keeps order, so that a bound never exceeds the distance of a point in
//! the box: the answers are those of a full search to the last bit. Equal points are kept as one
//! with their number, so that many of them cost no more than one.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::points::{Points, squared_distance, squared_sum};

/// Points in a leaf; fewer make the tree deeper, more make leaves slow.
const LEAF: usize = 8;
/// Queries per parallel block.
const BLOCK: usize = 256;

/// What is nearest to a query.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Nearest {
    /// The lowest row among the nearest.
    pub row: u32,
    /// Squared distance.
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

    /// Takes in equal points: they replace what is farther and join what is equally near.
    fn offer(&mut self, row: u32, distance: f64, n_equal: u32) {
        match distance.partial_cmp(&self.distance) {
            Some(Ordering::Less) => {
                *self = Self {
                    row,
                    distance,
                    n_ties: n_equal,
                }
            }
            Some(Ordering::Equal) => {
                self.row = self.row.min(row);
                self.n_ties += n_equal;
            }
            Some(Ordering::Greater) | None => {}
        }
    }
}

/// Points arranged for search.
#[derive(Clone, Debug)]
pub struct NearestTree {
    stride: usize,
    nodes: Vec<Node>,
    /// Lower and upper corner of each node's box.
    boxes: Vec<f64>,
    /// Distinct points in the order of the leaves.
    coordinates: Vec<f64>,
    /// Lowest row and number of the equal points that each stands for.
    members: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
enum Node {
    /// Points first..last in the order of the leaves.
    Leaf { first: u32, last: u32 },
    /// The left child is the next node.
    Inner { right: u32 },
}

impl NearestTree {
    /// Arranges points.
    pub fn new(points: &Points) -> Self {
        let mut tree = Self {
            stride: points.stride(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            coordinates: Vec::with_capacity(points.len() * points.stride()),
            members: Vec::with_capacity(points.len()),
        };
        let mut rows: Vec<u32> = (0..points.len() as u32).collect();
        if !rows.is_empty() {
            tree.grow(points, &mut rows);
        }
        tree
    }

    fn grow(&mut self, points: &Points, rows: &mut [u32]) {
        let node = self.nodes.len();
        let (widest, width) = self.push_box(points, rows);
        // Not `<= 0.0`: coordinates that are not numbers must not split for ever either.
        if rows.len() <= LEAF || width.is_nan() || width == 0.0 {
            let first = self.members.len() as u32;
            self.push_points(points, rows);
            let last = self.members.len() as u32;
            self.nodes.push(Node::Leaf { first, last });
            return;
        }
        self.nodes.push(Node::Inner { right: 0 });
        let middle = rows.len() / 2;
        let coordinate = |row: &u32| points.point(*row as usize)[widest];
        rows.select_nth_unstable_by(middle, |a, b| {
            coordinate(a).total_cmp(&coordinate(b)).then(a.cmp(b))
        });
        let (left, right) = rows.split_at_mut(middle);
        self.grow(points, left);
        self.nodes[node] = Node::Inner {
            right: self.nodes.len() as u32,
        };
        self.grow(points, right);
    }

    /// Stores the box around some points; returns its widest coordinate and how wide that is.
    fn push_box(&mut self, points: &Points, rows: &[u32]) -> (usize, f64) {
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
    fn push_points(&mut self, points: &Points, rows: &mut [u32]) {
        rows.sort_unstable();
        let first = self.members.len();
        for &row in rows.iter() {
            let point = points.point(row as usize);
            let equal = (first..self.members.len()).find(|&at| self.point(at) == point);
            match equal {
                Some(at) => self.members[at].1 += 1,
                None => {
                    self.coordinates.extend_from_slice(point);
                    self.members.push((row, 1));
                }
            }
        }
    }

    fn point(&self, at: usize) -> &[f64] {
        &self.coordinates[at * self.stride..(at + 1) * self.stride]
    }

    /// Smallest squared distance that a point in the node's box can have.
    fn bound(&self, node: usize, query: &[f64]) -> f64 {
        let corners = &self.boxes[node * 2 * self.stride..(node + 1) * 2 * self.stride];
        let (low, high) = corners.split_at(self.stride);
        squared_sum(self.stride, |j| {
            (low[j] - query[j]).max(query[j] - high[j]).max(0.0)
        })
    }

    /// The nearest point, with its ties. A distance that is known to occur saves work and changes
    /// nothing; without one, give infinity. The row is `u32::MAX` if there is no point.
    pub fn nearest(&self, query: &[f64], known: f64) -> Nearest {
        let mut best = Nearest {
            distance: known,
            ..Nearest::NONE
        };
        if !self.nodes.is_empty() {
            self.search(0, query, &mut best);
        }
        best
    }

    fn search(&self, node: usize, query: &[f64], best: &mut Nearest) {
        match self.nodes[node] {
            Node::Leaf { first, last } => {
                for at in first as usize..last as usize {
                    let distance = squared_distance(self.point(at), query);
                    let (row, n_equal) = self.members[at];
                    best.offer(row, distance, n_equal);
                }
            }
            Node::Inner { right } => {
                let (left, right) = (node + 1, right as usize);
                let (to_left, to_right) = (self.bound(left, query), self.bound(right, query));
                let (near, far) = if to_left <= to_right {
                    ((left, to_left), (right, to_right))
                } else {
                    ((right, to_right), (left, to_left))
                };
                for (child, bound) in [near, far] {
                    // Not `<`: what is equally near counts too.
                    if bound <= best.distance {
                        self.search(child, query, best);
                    }
                }
            }
        }
    }

    /// The nearest point of each query, on all cores. `known` gives a distance that is known to
    /// occur, or infinity; `go_on` is asked between blocks.
    pub fn nearest_of_all<E: Send>(
        &self,
        queries: &Points,
        known: impl Fn(usize) -> f64 + Sync,
        go_on: impl Fn(usize) -> Result<(), E> + Sync,
    ) -> Result<Vec<Nearest>, E> {
        let mut found = vec![Nearest::NONE; queries.len()];
        let blocks = found.par_chunks_mut(BLOCK).enumerate();
        blocks.try_for_each(|(block, found)| {
            go_on(found.len())?;
            for (at, found) in found.iter_mut().enumerate() {
                let query = block * BLOCK + at;
                *found = self.nearest(queries.point(query), known(query));
            }
            Ok(())
        })?;
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn full_search(points: &Points, query: &[f64]) -> Nearest {
        let mut best = Nearest::NONE;
        for row in 0..points.len() {
            let distance = squared_distance(points.point(row), query);
            match distance.partial_cmp(&best.distance) {
                Some(Ordering::Less) => {
                    best = Nearest {
                        row: row as u32,
                        distance,
                        n_ties: 1,
                    }
                }
                Some(Ordering::Equal) => best.n_ties += 1,
                _ => {}
            }
        }
        best
    }

    #[test]
    fn many_equal_points_are_one_with_its_number() {
        let x = vec![1.0; 100_000];
        let tree = NearestTree::new(&Points::plain(&[&x, &x]));
        assert_eq!((tree.nodes.len(), tree.members.len()), (1, 1));
        let found = tree.nearest(&[1.0, 3.0, 0.0, 0.0], f64::INFINITY);
        assert_eq!(
            found,
            Nearest {
                row: 0,
                distance: 4.0,
                n_ties: 100_000
            }
        );
    }

    #[test]
    fn no_points_give_no_row() {
        let tree = NearestTree::new(&Points::plain(&[]));
        assert_eq!(tree.nearest(&[], f64::INFINITY), Nearest::NONE);
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_a_full_search_finds(
            // Coordinates from a grid of few values, so that ties and equal points abound.
            cells in prop::collection::vec(0_u8..5, 3..900),
            queries in prop::collection::vec(prop::array::uniform3(-1.0_f64..6.0), 1..30),
            on_grid in any::<bool>(),
        ) {
            let n = cells.len() / 3;
            let column = |j: usize| -> Vec<f64> {
                (0..n).map(|i| f64::from(cells[i * 3 + j])).collect()
            };
            let columns = [column(0), column(1), column(2)];
            let points = Points::plain(&[&columns[0], &columns[1], &columns[2]]);
            let tree = NearestTree::new(&points);
            for query in queries {
                let query = query.map(|x| if on_grid { x.round() } else { x });
                let query = [query[0], query[1], query[2], 0.0];
                let expected = full_search(&points, &query);
                prop_assert_eq!(tree.nearest(&query, f64::INFINITY), expected);
                // A known distance changes nothing.
                let known = squared_distance(points.point(n / 2), &query);
                prop_assert_eq!(tree.nearest(&query, known), expected);
            }
        }
    }
}
