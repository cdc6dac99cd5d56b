//! Good nodes fast: the edge of safety on one way up, and from there the neighbours of the best.
//!
//! In a lattice that can be searched exhaustively this gives the loss by which the rest is pruned; in
//! one that cannot, it is all there is, and nothing is proved.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::search::{Halt, Search};
use super::{Lattice, Node};

/// Finds the edge of safety on a way from the bottom to the top, and then looks around the best nodes
/// until so many more have been counted, or nothing is left to look at.
pub(super) fn search(search: &mut Search<'_>, n_checks: u64) -> Result<(), Halt> {
    let way = way_up(search, &search.lattice.bottom());
    let Some(edge) = edge(search, &way)? else {
        return Ok(());
    };
    around(search, edge, n_checks)
}

/// From a node to the top, each time by the key whose next level costs least.
fn way_up(search: &Search<'_>, from: &[u8]) -> Vec<Node> {
    let top = search.lattice.top();
    let mut way = vec![from.to_vec()];
    let mut node = from.to_vec();
    while node != top {
        let coarser = neighbours(&node, &top, 1);
        let cost = |node: &Node| search.price.guide(node);
        let Some(next) = coarser
            .into_iter()
            .min_by(|a, b| cost(a).total_cmp(&cost(b)))
        else {
            break;
        };
        way.push(next.clone());
        node = next;
    }
    way
}

/// The lowest node of a way in which the monotone rules hold; none if they do not at its end.
fn edge(search: &mut Search<'_>, way: &[Node]) -> Result<Option<Node>, Halt> {
    let Some(end) = way.last() else {
        return Ok(None);
    };
    search.count(std::slice::from_ref(end))?;
    if !search.holds(end) {
        return Ok(None);
    }
    // The rules do not hold before `low`, and hold from `high` on.
    let (mut low, mut high) = (0, way.len() - 1);
    while low < high {
        let middle = usize::midpoint(low, high);
        search.count(std::slice::from_ref(&way[middle]))?;
        if search.holds(&way[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(Some(way[high].clone()))
}

/// Goes down from the best nodes first; from the best of all also sideways, one key finer and another
/// coarser.
fn around(search: &mut Search<'_>, start: Node, n_checks: u64) -> Result<(), Halt> {
    let last = (search.counted.len() as u64).saturating_add(n_checks);
    let mut queue = BinaryHeap::new();
    let mut queued = BTreeSet::new();
    enqueue(search, start, &mut queue, &mut queued);
    while let Some(Reverse((_, node))) = queue.pop() {
        if search.counted.len() as u64 >= last {
            return Ok(());
        }
        search.progress(search.counted.len(), last.min(1 << 40) as usize)?;
        let mut next = open(search, neighbours(&node, &search.lattice.top(), -1));
        let is_best = search.best.as_ref().is_some_and(|best| best.node == node);
        if is_best {
            search.count(&next)?;
            next.extend(open(search, sideways(search.lattice, &node)));
        }
        search.count(&next)?;
        for node in next {
            if search.holds(&node) {
                enqueue(search, node, &mut queue, &mut queued);
            }
        }
    }
    Ok(())
}

type Queue = BinaryHeap<Reverse<((u64, usize), Node)>>;

fn enqueue(search: &Search<'_>, node: Node, queue: &mut Queue, queued: &mut BTreeSet<Node>) {
    let loss = search
        .of(&node)
        .map_or(f64::INFINITY, |counted| counted.loss);
    if queued.insert(node.clone()) {
        // Losses are not negative: their bits are in their order.
        let order = (loss.to_bits(), search.lattice.height(&node));
        queue.push(Reverse((order, node)));
    }
}

/// Nodes that were not counted, are not known to be unsafe, and may win.
fn open(search: &Search<'_>, nodes: Vec<Node>) -> Vec<Node> {
    let is_open = |node: &Node| {
        let number = search.tags.as_ref().map(|tags| tags.number(node));
        let unsafe_already = search
            .tags
            .as_ref()
            .zip(number)
            .is_some_and(|(tags, number)| tags.breaks(number));
        search.of(node).is_none() && !unsafe_already && search.may_win(node, number)
    };
    nodes.into_iter().filter(is_open).collect()
}

/// Nodes with one key a level finer (-1) or coarser (1).
fn neighbours(node: &[u8], top: &[u8], step: i8) -> Vec<Node> {
    let moved = |at: usize| {
        let place = node[at].checked_add_signed(step)?;
        (place <= top[at]).then(|| {
            let mut next = node.to_vec();
            next[at] = place;
            next
        })
    };
    (0..node.len()).filter_map(moved).collect()
}

fn sideways(lattice: &Lattice, node: &[u8]) -> Vec<Node> {
    let top = lattice.top();
    let coarser = neighbours(node, &top, 1);
    let both = coarser.iter().flat_map(|node| neighbours(node, &top, -1));
    both.filter(|other| other != node).collect()
}
