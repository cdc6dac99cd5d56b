//! Classes that are kept to make those of other nodes.
//!
//! Nodes at the edge of safety are seldom finer than each other. What they share are the levels of some keys: so
//! the way to a node goes over rungs on which the keys with the most values are at its levels already and
//! the others at their lowest. Nodes that follow each other share most of their rungs, and the last is
//! small.

use std::cmp::Reverse;

use super::counting::NodeClasses;
use super::{KEPT_CLASSES, Lattice, Node, is_finer};
use crate::kernel::parallel::each;

/// Nodes made of so few classes need no rung.
const FEW: u64 = 1 << 12;

/// How many times fewer classes a rung has than what it is made of.
const SHRINKS: u64 = 4;

/// The most nodes that are kept: to look through more takes longer than to count.
const MOST: usize = 1 << 10;

/// Classes of nodes, and when they were used last.
pub(super) struct Kept {
    nodes: Vec<(NodeClasses, u64)>,
    n_rounds: u64,
    /// How many classes may be kept.
    room: usize,
    n_classes: usize,
    /// Keys by falling number of values.
    order: Vec<usize>,
}

/// Keys by falling number of values: to coarsen the first ones makes most classes fall together.
pub(super) fn keys_by_values(lattice: &Lattice) -> Vec<usize> {
    let mut order: Vec<usize> = (0..lattice.keys.len()).collect();
    order.sort_by_key(|&key| Reverse(lattice.keys[key].n_codes(0)));
    order
}

impl Kept {
    pub(super) fn new(lattice: &Lattice) -> Self {
        Self {
            nodes: Vec::new(),
            n_rounds: 0,
            room: (lattice.n_combinations() * KEPT_CLASSES).max(1 << 20),
            n_classes: 0,
            order: keys_by_values(lattice),
        }
    }

    /// Makes the rungs to some nodes that are not there yet.
    pub(super) fn prepare(&mut self, lattice: &Lattice, nodes: &[&Node]) {
        for _ in &lattice.keys {
            let mut rungs: Vec<Node> = Vec::new();
            for node in nodes {
                let rung = self.next_rung(lattice, node);
                rungs.extend(rung.filter(|rung| !rungs.contains(rung)));
            }
            if rungs.is_empty() {
                return;
            }
            let rungs: Vec<&Node> = rungs.iter().collect();
            for classes in self.each(lattice, &rungs, &|classes| classes) {
                self.keep(classes);
            }
        }
    }

    /// The first rung to a node that is sure to have a fraction of the classes that are at hand: with
    /// fewer combinations of codes. Rungs that hardly shrink would take longer than the node itself.
    fn next_rung(&self, lattice: &Lattice, node: &Node) -> Option<Node> {
        let n_source = self.n_source(lattice, node) as u64;
        if n_source <= FEW {
            return None;
        }
        let mut rung = lattice.bottom();
        for &key in &self.order {
            rung[key] = node[key];
            let keys = lattice.keys.iter().zip(&rung);
            let codes = keys.map(|(key, &place)| key.n_codes(place).max(1));
            let n_most = codes.fold(1, u64::saturating_mul);
            if n_most <= n_source / SHRINKS {
                return (rung != *node).then_some(rung);
            }
        }
        None
    }

    /// Makes the classes of some nodes, each of the fewest that are there, and works on them.
    pub(super) fn each<T: Send>(
        &mut self,
        lattice: &Lattice,
        nodes: &[&Node],
        work: &(dyn Fn(NodeClasses) -> T + Sync),
    ) -> Vec<T> {
        self.n_rounds += 1;
        let sources: Vec<Option<usize>> = nodes.iter().map(|node| self.source(node)).collect();
        for &at in sources.iter().flatten() {
            self.nodes[at].1 = self.n_rounds;
        }
        let kept = &self.nodes;
        each(nodes.len(), &|i| {
            let from = sources[i].map_or(&lattice.base.classes, |at| &kept[at].0);
            work(lattice.base.roll_up(&lattice.keys, from, nodes[i]))
        })
    }

    /// Keeps the classes of a node, and lets go of those that were not used for longest.
    pub(super) fn keep(&mut self, classes: NodeClasses) {
        self.n_classes += classes.n_classes();
        self.nodes.push((classes, self.n_rounds));
        while self.n_classes > self.room || self.nodes.len() > MOST {
            let nodes = self.nodes.iter().enumerate();
            let Some((at, _)) = nodes.min_by_key(|(_, (_, used))| *used) else {
                return;
            };
            self.n_classes -= self.nodes.remove(at).0.n_classes();
        }
    }

    /// Where the fewest classes are that a node can be made of; none for the file itself.
    fn source(&self, node: &[u8]) -> Option<usize> {
        let finer = self.nodes.iter().enumerate();
        let finer = finer.filter(|(_, (classes, _))| is_finer(&classes.node, node));
        let fewest = finer.min_by_key(|(_, (classes, _))| classes.n_classes());
        fewest.map(|(at, _)| at)
    }

    /// How many classes a node is made of.
    fn n_source(&self, lattice: &Lattice, node: &[u8]) -> usize {
        let source = self.source(node).map(|at| &self.nodes[at].0);
        source.unwrap_or(&lattice.base.classes).n_classes()
    }
}
