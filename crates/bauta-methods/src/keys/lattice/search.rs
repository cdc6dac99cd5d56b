//! The search: nodes are counted in rounds of a fixed number, whatever the number of threads.

use std::cmp::Ordering;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::counting::NodeClasses;
use super::kept::{Kept, keys_by_values};
use super::price::Price;
use super::rules::Rules;
use super::tags::Tags;
use super::{
    Counted, Effort, Front, Lattice, MAX_NODES, Node, Outcome, Proof, USUAL_CHECKS, exhaustive,
    nearby,
};
use crate::context::RunContext;
use crate::error::MethodError;

/// Nodes that are counted side by side. Part of the numbers of nodes that a search reports.
pub(super) const ABREAST: usize = 16;

/// Bounds with deleted records are sums in another order than losses; they prune beyond this share only.
const ROUNDING: f64 = 1e-9;

/// Why a search ends before all is known.
pub(super) enum Halt {
    Error(MethodError),
    /// As many nodes as were allowed.
    Checks,
    /// The caller's clock.
    Clock,
}

impl From<MethodError> for Halt {
    fn from(error: MethodError) -> Self {
        Self::Error(error)
    }
}

/// Searches the best node of a lattice.
pub(super) fn search(
    lattice: &Lattice,
    rules: &Rules,
    price: &Price,
    effort: Effort<'_>,
    context: &RunContext<'_>,
) -> Result<Outcome, MethodError> {
    let n_nodes = lattice.n_nodes();
    let is_exhaustive = n_nodes <= MAX_NODES;
    let mut search = Search::new(lattice, rules, price, effort, context);
    let ended = if is_exhaustive {
        let order = keys_by_values(lattice);
        let n_levels = order.iter().map(|&key| lattice.keys[key].n_levels());
        let n_levels = n_levels.collect();
        search.tags = Some(Tags::new(order, n_levels, price.bounds_coarser()));
        exhaustive::search(&mut search)
    } else {
        search.max_checks = effort.max_checks.unwrap_or(USUAL_CHECKS);
        nearby::search(&mut search, u64::MAX)
    };
    let proof = match ended {
        Err(Halt::Error(error)) => return Err(error),
        Err(Halt::Clock) => Proof::Stopped,
        Ok(()) if is_exhaustive || search.none_is_safe() => Proof::Optimal,
        Err(Halt::Checks) | Ok(()) => Proof::NotProven,
    };
    let front = (effort.front == Front::Minimal && proof == Proof::Optimal)
        .then(|| exhaustive::minimal(&search));
    let (n_pruned_by_risk, n_pruned_by_loss) = search.n_pruned(proof);
    let best = search.best.as_ref();
    Ok(Outcome {
        best: best.map(|best| lattice.generalisation(&best.node, &best.counted)),
        proof,
        n_nodes,
        n_checked: search.counted.len() as u64,
        n_pruned_by_risk,
        n_pruned_by_loss,
        front,
    })
}

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) rules: &'a Rules,
    pub(super) price: &'a Price,
    pub(super) front: Front,
    /// What is known of all nodes, where they are searched exhaustively.
    pub(super) tags: Option<Tags>,
    pub(super) counted: HashMap<Node, Counted, FixedState>,
    pub(super) best: Option<Best>,
    max_checks: u64,
    enough: Option<&'a (dyn Fn() -> bool + Sync)>,
    context: &'a RunContext<'a>,
    kept: Kept,
}

/// The best node so far.
pub(super) struct Best {
    pub(super) node: Node,
    height: usize,
    counted: Counted,
}

impl<'a> Search<'a> {
    fn new(
        lattice: &'a Lattice,
        rules: &'a Rules,
        price: &'a Price,
        effort: Effort<'a>,
        context: &'a RunContext<'a>,
    ) -> Self {
        Self {
            lattice,
            rules,
            price,
            front: effort.front,
            tags: None,
            counted: HashMap::with_hasher(FixedState::with_seed(1)),
            best: None,
            max_checks: effort.max_checks.unwrap_or(u64::MAX),
            enough: effort.enough,
            context,
            kept: Kept::new(lattice),
        }
    }

    /// Counts the nodes that were not counted yet, in rounds, and takes in what they tell.
    pub(super) fn count(&mut self, nodes: &[Node]) -> Result<(), Halt> {
        let mut open: Vec<&Node> = Vec::new();
        for node in nodes {
            if !self.counted.contains_key(node) && !open.contains(&node) {
                open.push(node);
            }
        }
        for round in open.chunks(ABREAST) {
            self.count_round(round)?;
        }
        Ok(())
    }

    fn count_round(&mut self, nodes: &[&Node]) -> Result<(), Halt> {
        self.context.go_on()?;
        if self.enough.is_some_and(|enough| enough()) {
            return Err(Halt::Clock);
        }
        let left = self.max_checks.saturating_sub(self.counted.len() as u64);
        let nodes = &nodes[..nodes.len().min(usize::try_from(left).unwrap_or(usize::MAX))];
        if nodes.is_empty() {
            return Err(Halt::Checks);
        }
        let (lattice, rules, price) = (self.lattice, self.rules, self.price);
        self.kept.prepare(lattice, nodes);
        let found: Vec<(NodeClasses, Counted)> = self.kept.each(lattice, nodes, &|classes| {
            let counted = lattice.count(&classes, rules, price);
            (classes, counted)
        });
        for (&node, (classes, counted)) in nodes.iter().zip(found) {
            self.kept.keep(classes);
            self.take_in(node, counted);
        }
        Ok(())
    }

    fn take_in(&mut self, node: &Node, counted: Counted) {
        if let Some(tags) = &mut self.tags {
            tags.take_in(node, &counted);
        }
        if counted.safe && self.is_before_best(counted.loss, node) {
            self.best = Some(Best {
                node: node.clone(),
                height: self.lattice.height(node),
                counted: counted.clone(),
            });
        }
        self.counted.insert(node.clone(), counted);
    }

    /// Whether a node with this loss would come before the best: less loss, then fewer levels, then
    /// the order of keys.
    fn is_before_best(&self, loss: f64, node: &[u8]) -> bool {
        let Some(best) = &self.best else {
            return true;
        };
        let by_height = || self.lattice.height(node).cmp(&best.height);
        let order = loss.total_cmp(&best.counted.loss);
        order
            .then_with(by_height)
            .then_with(|| node.cmp(&best.node))
            == Ordering::Less
    }

    /// Whether a node may turn out better than the best, by what is known without counting it.
    pub(super) fn may_win(&self, node: &[u8], number: Option<usize>) -> bool {
        let known = self.price.before_counting(node);
        if !self.is_before_best(known, node) {
            return false;
        }
        let (Some(best), Some(tags), Some(number)) = (&self.best, &self.tags, number) else {
            return true;
        };
        tags.bound(number, known) * (1.0 - ROUNDING) <= best.counted.loss
    }

    /// Whether a node must be looked at though it may not win.
    pub(super) fn wants_all(&self) -> bool {
        self.front == Front::Minimal
    }

    /// What was counted of a node.
    pub(super) fn of(&self, node: &Node) -> Option<&Counted> {
        self.counted.get(node)
    }

    /// Whether a counted node leaves the monotone rules unbroken.
    pub(super) fn holds(&self, node: &Node) -> bool {
        let counted = self.of(node);
        counted.is_some_and(|counted| !counted.breaks)
    }

    /// Whether it was shown that no node is safe: not even the coarsest keeps to the monotone rules.
    fn none_is_safe(&self) -> bool {
        let top = self.of(&self.lattice.top());
        top.is_some_and(|counted| counted.breaks)
    }

    pub(super) fn progress(&self, done: usize, total: usize) -> Result<(), Halt> {
        Ok(self.context.progress(done, total)?)
    }

    /// Nodes that were not counted: those below one that is not safe, and those that cannot win.
    fn n_pruned(&self, proof: Proof) -> (u64, u64) {
        let Some(tags) = &self.tags else {
            return match proof {
                Proof::Optimal => (self.lattice.n_nodes() - self.counted.len() as u64, 0),
                Proof::NotProven | Proof::Stopped => (0, 0),
            };
        };
        let (mut by_risk, mut by_loss) = (0, 0);
        for number in (0..tags.n_nodes()).filter(|&number| !tags.is_counted(number)) {
            if tags.breaks(number) {
                by_risk += 1;
            } else if !self.may_win(&tags.node(number), Some(number)) {
                by_loss += 1;
            }
        }
        (by_risk, by_loss)
    }
}
