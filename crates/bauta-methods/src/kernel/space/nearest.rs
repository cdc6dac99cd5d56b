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

use crate::kernel::space::points::Points;
use crate::kernel::space::yardstick::Yardstick;

/// Points in a leaf; fewer make the tree deeper, more make leaves slow.
const LEAF: usize = 16;
/// Points from which the two halves of a branch are grown at the same time.
const AT_ONCE: usize = 8192;
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
    /// The left child is the next node.
    Inner { right: u32 },
}

impl Branch {
    fn grown(points: &Points, by: &Yardstick, rows: &mut [u32]) -> Self {
        let mut branch = Self::default();
        let (widest, width) = branch.push_box(points, by, rows);
        // Not `<= 0.0`: coordinates that are not numbers must not split for ever either.
        if rows.len() <= LEAF || width.is_nan() || width == 0.0 {
            branch.push_leaf(points, rows);
            return branch;
        }
        branch.nodes.push(Node::Inner { right: 0 });
        let middle = rows.len() / 2;
        let coordinate = |row: &u32| points.point(*row as usize)[widest];
        rows.select_nth_unstable_by(middle, |a, b| {
            coordinate(a).total_cmp(&coordinate(b)).then(a.cmp(b))
        });
        let at_once = rows.len() >= AT_ONCE;
        let (left, right) = rows.split_at_mut(middle);
        let grow = |rows| Self::grown(points, by, rows);
        let (left, right) = if at_once {
            rayon::join(|| grow(left), || grow(right))
        } else {
            (grow(left), grow(right))
        };
        branch.append(left);
        branch.nodes[0] = Node::Inner {
            right: branch.nodes.len() as u32,
        };
        branch.append(right);
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
            Node::Inner { right } => Node::Inner {
                right: right + n_nodes,
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
        let mut rows: Vec<u32> = (0..points.len() as u32).collect();
        let branch = if rows.is_empty() {
            Branch::default()
        } else {
            Branch::grown(points, &by, &mut rows)
        };
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
                    let distance = self.by.squared_distance(self.point(at), found.query);
                    let (row, n_equal) = self.branch.members[at];
                    found.offer(row, distance, n_equal, &self.by);
                }
            }
            Node::Inner { right } => {
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

    fn none_nearer(&self, node: usize, known: f64, found: &mut Search<'_>) -> bool {
        match self.branch.nodes[node] {
            Node::Leaf { first, last } => {
                for at in first as usize..last as usize {
                    let distance = self.by.squared_distance(self.point(at), found.query);
                    if self.by.reach(distance) < known {
                        return false;
                    }
                    let (row, n_equal) = self.branch.members[at];
                    found.offer(row, distance, n_equal, &self.by);
                }
                true
            }
            Node::Inner { right } => {
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
        queries: &Points,
        known: impl Fn(usize) -> f64 + Sync,
        go_on: impl Fn(usize) -> Result<(), E> + Sync,
    ) -> Result<Vec<u32>, E> {
        self.of_all(queries, 0, go_on, |query| {
            self.ties(queries.point(query), known(query))
        })
    }

    /// The nearest point of each query, on all cores. `known` gives a distance that is known to
    /// occur, or infinity; `go_on` is asked between blocks.
    pub fn nearest_of_all<E: Send>(
        &self,
        queries: &Points,
        known: impl Fn(usize) -> f64 + Sync,
        go_on: impl Fn(usize) -> Result<(), E> + Sync,
    ) -> Result<Vec<Nearest>, E> {
        self.of_all(queries, Nearest::NONE, go_on, |query| {
            self.nearest(queries.point(query), known(query))
        })
    }

    /// An answer to each query. Neighbouring queries are answered one after the other, since they
    /// need the same part of the tree.
    fn of_all<T: Copy + Send + Sync, E: Send>(
        &self,
        queries: &Points,
        none: T,
        go_on: impl Fn(usize) -> Result<(), E> + Sync,
        answer: impl Fn(usize) -> T + Sync,
    ) -> Result<Vec<T>, E> {
        let n = queries.len() as u32;
        let mut order: Vec<(u32, u32)> = (0..n)
            .into_par_iter()
            .with_min_len(BLOCK)
            .map(|query| (self.first_leaf(queries.point(query as usize)), query))
            .collect();
        order.par_sort_unstable();
        let mut answers = vec![none; order.len()];
        let blocks = answers.par_chunks_mut(BLOCK).zip(order.par_chunks(BLOCK));
        blocks.try_for_each(|(answers, queries)| {
            go_on(answers.len())?;
            for (place, &(_, query)) in answers.iter_mut().zip(queries) {
                *place = answer(query as usize);
            }
            Ok(())
        })?;
        let mut by_query = vec![none; order.len()];
        for (&(_, query), answer) in order.iter().zip(answers) {
            by_query[query as usize] = answer;
        }
        Ok(by_query)
    }

    /// The leaf that a search begins with.
    fn first_leaf(&self, query: &[f64]) -> u32 {
        let mut node = 0;
        while let Some(Node::Inner { right }) = self.branch.nodes.get(node) {
            let (left, right) = (node + 1, *right as usize);
            node = if self.bound(left, query) <= self.bound(right, query) {
                left
            } else {
                right
            };
        }
        node as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn full_search(points: &Points, by: &Yardstick, query: &[f64]) -> Nearest {
        let distances = (0..points.len()).map(|row| by.squared_distance(points.point(row), query));
        let distances: Vec<f64> = distances.collect();
        let smallest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let is_tie = |distance: &f64| *distance <= by.reach(smallest);
        Nearest {
            row: distances.iter().position(is_tie).expect("some point") as u32,
            distance: smallest,
            n_ties: distances.iter().filter(|distance| is_tie(distance)).count() as u32,
        }
    }

    #[test]
    fn many_equal_points_are_one_with_its_number() {
        let x = vec![1.0; 100_000];
        let tree = NearestTree::new(&Points::plain(&[&x, &x]));
        assert_eq!((tree.branch.nodes.len(), tree.branch.members.len()), (1, 1));
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

    #[test]
    fn sums_that_differ_by_rounding_tie_with_the_smallest() {
        // 3² + 4² = 5²; in units of 0.7, rounded, they are not the same.
        let by = Yardstick::in_units(&[0.7, 0.7]);
        let (x, y) = ([3.0, 0.0, 5.0], [4.0, 5.0, 0.0]);
        let points = Points::plain(&[&x, &y]);
        let distance = |row: usize| by.squared_distance(points.point(row), &[0.0; 4]);
        let (first, second) = (distance(0), distance(1));
        assert_ne!(first.to_bits(), second.to_bits());
        let tree = NearestTree::measured(&points, by);
        for known in [first, second] {
            assert_eq!(tree.ties(&[0.0; 4], known), 3);
        }
        let found = tree.nearest(&[0.0; 4], f64::INFINITY);
        assert_eq!((found.row, found.n_ties), (0, 3));
        assert_eq!(found.distance.to_bits(), first.min(second).to_bits());
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_a_full_search_finds(
            // Coordinates from a grid of few values, so that ties and equal points abound.
            cells in prop::collection::vec(0_u8..5, 3..900),
            queries in prop::collection::vec(prop::array::uniform3(-1.0_f64..6.0), 1..30),
            on_grid in any::<bool>(),
            // Units in which other differences have the same squares, but for rounding.
            units in prop::sample::select(vec![
                None, Some([0.7, 0.7, 0.7]), Some([0.3, 0.6, 1.1]), Some([0.7, 0.0, 0.0]),
            ]),
        ) {
            let n = cells.len() / 3;
            let column = |j: usize| -> Vec<f64> {
                (0..n).map(|i| f64::from(cells[i * 3 + j])).collect()
            };
            let columns = [column(0), column(1), column(2)];
            let points = Points::plain(&[&columns[0], &columns[1], &columns[2]]);
            let by = units.map_or_else(|| Yardstick::plain(4), |units| Yardstick::in_units(&units));
            let tree = NearestTree::measured(&points, by.clone());
            for query in queries {
                let query = query.map(|x| if on_grid { x.round() } else { x });
                let query = [query[0], query[1], query[2], 0.0];
                let expected = full_search(&points, &by, &query);
                prop_assert_eq!(tree.nearest(&query, f64::INFINITY), expected);
                for row in [0, n / 2, expected.row as usize] {
                    // A known distance changes nothing.
                    let known = by.squared_distance(points.point(row), &query);
                    prop_assert_eq!(tree.nearest(&query, known), expected);
                    let is_tie = known <= by.reach(expected.distance);
                    let ties = if is_tie { expected.n_ties } else { 0 };
                    prop_assert_eq!(tree.ties(&query, known), ties);
                }
                prop_assert_eq!(tree.ties(&query, expected.distance), expected.n_ties);
            }
        }
    }
}
