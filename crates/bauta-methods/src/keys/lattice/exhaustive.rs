//! Every node is counted, or shown not to need it.

use super::Node;
use super::nearby;
use super::search::{ABREAST, Halt, Search};
use super::tags::Tags;

/// Nodes that a round looks through at most beyond the first that is open.
const LOOK_AHEAD: usize = 1 << 12;

/// Nodes that are sorted by their keys after their bounds.
const TOGETHER: usize = 256;

/// Nodes counted around the best before the rest is looked at, as a share of the lattice and at most.
const NEARBY_SHARE: u64 = 64;
const NEARBY_MOST: u64 = 512;

/// Searches the lattice until all is known that is asked for.
pub(super) fn search(search: &mut Search<'_>) -> Result<(), Halt> {
    let n_nearby = (search.lattice.n_nodes() / NEARBY_SHARE).min(NEARBY_MOST);
    nearby::search(search, n_nearby)?;
    settle_risk(search)?;
    settle_loss(search)
}

/// Finds of each node that may win whether the monotone rules hold in it. Nodes above many others come
/// first: one that breaks the rules settles all below it.
fn settle_risk(search: &mut Search<'_>) -> Result<(), Halt> {
    let Some(tags) = &search.tags else {
        return Ok(());
    };
    // Of nodes above about as many, those whose first keys are at the same levels follow each other.
    let n_below = |node: Node| -> u64 {
        let places = node.iter().map(|&place| u64::from(place) + 1);
        places.product()
    };
    let rank = |number: usize| {
        let n_leading = u64::from(n_below(tags.node(number)).leading_zeros());
        n_leading << 32 | number as u64
    };
    let mut order: Vec<u64> = (0..tags.n_nodes()).map(rank).collect();
    order.sort_unstable();
    let mut first = 0;
    loop {
        first += order[first..]
            .iter()
            .take_while(|rank| !is_open(search, number_of(**rank)))
            .count();
        search.progress(first, order.len())?;
        let round = incomparable(search, &order[first..]);
        if round.is_empty() {
            return Ok(());
        }
        search.count(&round)?;
    }
}

/// The number of a node from its rank.
fn number_of(rank: u64) -> usize {
    (rank & u64::from(u32::MAX)) as usize
}

/// Whether a node may win and it is not known whether the monotone rules hold.
fn is_open(search: &Search<'_>, number: usize) -> bool {
    search.tags.as_ref().is_some_and(|tags| {
        let is_settled = tags.is_counted(number) || tags.holds(number) || tags.breaks(number);
        !is_settled && (search.wants_all() || search.may_win(&tags.node(number), Some(number)))
    })
}

/// The next open nodes of which none is finer than another: what one tells is no news of the others.
fn incomparable(search: &Search<'_>, order: &[u64]) -> Vec<Node> {
    let mut round: Vec<Node> = Vec::new();
    let Some(tags) = &search.tags else {
        return round;
    };
    for number in order.iter().take(LOOK_AHEAD).map(|rank| number_of(*rank)) {
        if round.len() == ABREAST {
            break;
        }
        if is_open(search, number) {
            let node = tags.node(number);
            let tells =
                |other: &Node| super::is_finer(&node, other) || super::is_finer(other, &node);
            if !round.iter().any(tells) {
                round.push(node);
            }
        }
    }
    round
}

/// Counts the nodes in which the monotone rules hold and that may win, by rising bounds.
fn settle_loss(search: &mut Search<'_>) -> Result<(), Halt> {
    let needs_all = search.wants_all() && !search.rules.monotone;
    let mut open: Vec<(u64, u32)> = match &search.tags {
        None => return Ok(()),
        Some(tags) => (0..tags.n_nodes())
            .filter(|&number| tags.holds(number) && !tags.is_counted(number))
            .filter(|&number| needs_all || search.may_win(&tags.node(number), Some(number)))
            // Bounds are not negative: their bits are in their order.
            .map(|number| (bound(search, tags, number).to_bits(), number as u32))
            .collect(),
    };
    let n_open = open.len();
    open.sort_unstable();
    // Some hundred with the lowest bounds together, so that nodes with the same rungs follow each other.
    for (at, part) in open.chunks_mut(TOGETHER).enumerate() {
        part.sort_unstable_by_key(|(_, number)| *number);
        for part in part.chunks(ABREAST) {
            let Some(tags) = &search.tags else {
                return Ok(());
            };
            search.progress(at * TOGETHER, n_open)?;
            let numbers = part.iter().map(|(_, number)| *number as usize);
            let nodes = numbers.map(|number| (tags.node(number), number));
            let wanted =
                |(node, number): &(Node, usize)| needs_all || search.may_win(node, Some(*number));
            let round: Vec<Node> = nodes.filter(wanted).map(|(node, _)| node).collect();
            search.count(&round)?;
        }
    }
    Ok(())
}

fn bound(search: &Search<'_>, tags: &Tags, number: usize) -> f64 {
    let known = search.price.before_counting(&tags.node(number));
    tags.bound(number, known)
}

/// The levels of all minimal safe nodes, after a search that wanted them.
pub(super) fn minimal(search: &Search<'_>) -> Vec<Vec<usize>> {
    let Some(tags) = &search.tags else {
        return Vec::new();
    };
    let is_safe = |number: usize| {
        if search.rules.monotone {
            tags.holds(number)
        } else {
            let counted = search.of(&tags.node(number));
            counted.is_some_and(|counted| counted.safe)
        }
    };
    let safe: Vec<bool> = (0..tags.n_nodes()).map(is_safe).collect();
    let below = tags.any_below(&safe);
    let mut minimal: Vec<Vec<usize>> = (0..tags.n_nodes())
        .filter(|&number| safe[number] && !below[number])
        .map(|number| search.lattice.levels_of(&tags.node(number)))
        .collect();
    minimal.sort_unstable();
    minimal
}
