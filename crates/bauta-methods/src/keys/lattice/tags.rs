//! What is known of every node of a lattice that is searched exhaustively.

use std::ops::Range;

use super::{Counted, Node};

/// Marks of all nodes, by their number: mixed radix, the last key of an order of keys fastest.
pub(super) struct Tags {
    /// The keys in the order in which they make a number.
    order: Vec<usize>,
    /// How many levels each of them has.
    n_levels: Vec<usize>,
    /// Whether a node is known not to be safe.
    breaks: Vec<bool>,
    /// Whether the monotone rules are known to hold.
    holds: Vec<bool>,
    counted: Vec<bool>,
    /// What deleted records lose, at least.
    by_deleted: Vec<f64>,
    /// What the file loses apart from them, at least, where only counting says so.
    whole: Option<Vec<f64>>,
}

impl Tags {
    pub(super) fn new(order: Vec<usize>, n_levels: Vec<usize>, bounds_coarser: bool) -> Self {
        let n_nodes = n_levels.iter().product();
        Self {
            order,
            n_levels,
            breaks: vec![false; n_nodes],
            holds: vec![false; n_nodes],
            counted: vec![false; n_nodes],
            by_deleted: vec![0.0; n_nodes],
            whole: bounds_coarser.then(|| vec![0.0; n_nodes]),
        }
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.counted.len()
    }

    /// The node with a number.
    pub(super) fn node(&self, mut number: usize) -> Node {
        let mut node = vec![0; self.n_levels.len()];
        for (&key, &n_levels) in self.order.iter().zip(&self.n_levels).rev() {
            node[key] = (number % n_levels) as u8;
            number /= n_levels;
        }
        node
    }

    pub(super) fn number(&self, node: &[u8]) -> usize {
        let keys = self.order.iter().zip(&self.n_levels);
        keys.fold(0, |number, (&key, &n_levels)| {
            number * n_levels + usize::from(node[key])
        })
    }

    pub(super) fn is_counted(&self, number: usize) -> bool {
        self.counted[number]
    }

    /// Whether the monotone rules are known to hold.
    pub(super) fn holds(&self, number: usize) -> bool {
        self.holds[number]
    }

    /// Whether a node is known not to be safe, because a coarser one is not.
    pub(super) fn breaks(&self, number: usize) -> bool {
        self.breaks[number]
    }

    /// What a node loses at least if the file as a whole loses `known`, but for rounding.
    pub(super) fn bound(&self, number: usize, known: f64) -> f64 {
        let whole = self.whole.as_ref().map_or(known, |whole| whole[number]);
        whole + self.by_deleted[number]
    }

    /// Takes in what was counted: finer nodes delete the same records, coarser ones lose as much.
    pub(super) fn take_in(&mut self, node: &[u8], counted: &Counted) {
        let number = self.number(node);
        self.counted[number] = true;
        let n_levels = &self.n_levels;
        let node: &Node = &self.order.iter().map(|&key| node[key]).collect();
        if counted.breaks {
            let breaks = &mut self.breaks;
            each_range(n_levels, node, Way::Finer, |range| breaks[range].fill(true));
        } else {
            let holds = &mut self.holds;
            each_range(n_levels, node, Way::Coarser, |range| {
                holds[range].fill(true);
            });
            raise(
                &mut self.by_deleted,
                n_levels,
                node,
                Way::Finer,
                counted.of_finer,
            );
        }
        if let Some(whole) = &mut self.whole {
            raise(whole, n_levels, node, Way::Coarser, counted.of_coarser);
        }
    }

    /// For each node whether any of the nodes below it is marked.
    pub(super) fn any_below(&self, marked: &[bool]) -> Vec<bool> {
        let mut below = vec![false; self.n_nodes()];
        for number in 0..self.n_nodes() {
            let node = self.node(number);
            let mut stride = 1;
            for (&key, &n_levels) in self.order.iter().zip(&self.n_levels).rev() {
                if node[key] > 0 {
                    let next = number - stride;
                    below[number] |= below[next] || marked[next];
                }
                stride *= n_levels;
            }
        }
        below
    }
}

/// Raises the bounds of all nodes on one side of a node to what it says.
fn raise(bounds: &mut [f64], n_levels: &[usize], node: &[u8], way: Way, at_least: f64) {
    if at_least > 0.0 {
        each_range(n_levels, node, way, |range| {
            for bound in &mut bounds[range] {
                *bound = bound.max(at_least);
            }
        });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Finer,
    Coarser,
}

/// The numbers of all nodes that are finer or coarser than one, itself included, as ranges.
fn each_range(n_levels: &[usize], node: &[u8], way: Way, mut visit: impl FnMut(Range<usize>)) {
    let place_range = |at: usize| {
        let place = usize::from(node[at]);
        match way {
            Way::Finer => 0..place + 1,
            Way::Coarser => place..n_levels[at],
        }
    };
    let Some(last) = n_levels.len().checked_sub(1) else {
        visit(0..1);
        return;
    };
    let mut places: Vec<usize> = (0..last).map(|at| place_range(at).start).collect();
    let run = place_range(last);
    loop {
        let digits = places.iter().zip(n_levels);
        let first = digits.fold(0, |number, (place, n)| number * n + place) * n_levels[last];
        visit(first + run.start..first + run.end);
        // The next combination of the other keys.
        let Some(at) = (0..last)
            .rev()
            .find(|&at| places[at] + 1 < place_range(at).end)
        else {
            return;
        };
        places[at] += 1;
        for (after, place) in places.iter_mut().enumerate().skip(at + 1) {
            *place = place_range(after).start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::is_finer;
    use super::*;

    #[test]
    fn ranges_hold_the_finer_and_the_coarser_nodes_and_no_others() {
        let tags = Tags::new(vec![0, 1, 2, 3], vec![3, 1, 2, 4], false);
        for number in 0..tags.n_nodes() {
            let node = tags.node(number);
            assert_eq!(tags.number(&node), number);
            for way in [Way::Finer, Way::Coarser] {
                let mut found = Vec::new();
                each_range(&tags.n_levels, &node, way, |range| found.extend(range));
                let belongs = |other: &usize| match way {
                    Way::Finer => is_finer(&tags.node(*other), &node),
                    Way::Coarser => is_finer(&node, &tags.node(*other)),
                };
                let expected: Vec<usize> = (0..tags.n_nodes()).filter(belongs).collect();
                assert_eq!(found, expected);
            }
        }
        let turned = Tags::new(vec![1, 0], vec![2, 3], false);
        let nodes: Vec<Node> = (0..6).map(|number| turned.node(number)).collect();
        assert_eq!(nodes[..4], [[0, 0], [1, 0], [2, 0], [0, 1]]);
        assert!((0..6).all(|number| turned.number(&nodes[number]) == number));
    }
}
