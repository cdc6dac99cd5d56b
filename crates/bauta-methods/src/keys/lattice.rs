//! The lattice of generalisations: every key at every level of its hierarchy, and the search for the
//! combination of levels that is safe and loses least.
//!
//! A node is a level for each key. One node is coarser than another if no key is finer in it. What
//! is searched, which risks and losses grow along the lattice and why, stands in
//! `docs/concepts/generalisation.md`; the proofs that pruning rests on are beside the code, in `rules`
//! (risk) and `price` (loss).
//!
//! **Time.** The file is collapsed once to its distinct combinations of keys. A node is counted from
//! the classes of the smallest finer node that is at hand, never from records.
//!
//! **Memory.** The distinct combinations take 4 bytes a key and 8 more each (and 12 for every distinct
//! answer that occurs with them). Counted nodes that are kept for later ones hold 8 bytes a class, at
//! most [`KEPT_CLASSES`] times as many classes as there are distinct combinations (or a million, if
//! that is more). An exhaustive search has 27 bytes for each node (35 for losses of classes) of at most
//! [`MAX_NODES`], and some 100 for each that was counted.

mod counting;
mod exhaustive;
mod kept;
mod key_levels;
mod nearby;
mod price;
mod rules;
mod search;
mod tags;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use bauta_data::Table;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::Semantics;
use crate::keys::codes::check_number;

use counting::{Base, NodeClasses};
use key_levels::KeyLevels;
use price::Price;
use rules::Rules;

pub use price::Loss;
pub use rules::{AnswerRule, SuppressionLimit};

/// Lattices with more nodes are not searched exhaustively.
pub const MAX_NODES: u64 = 1 << 24;

/// Counted nodes that are kept hold at most so many times the classes of the file itself.
pub const KEPT_CLASSES: usize = 16;

/// A key that may be generalised.
#[derive(Clone, PartialEq, Debug)]
pub struct LatticeKey {
    /// Its position in the table.
    pub attr_idx: usize,
    /// How much its loss weighs among the keys.
    pub weight: f64,
    /// The lowest level of its hierarchy that may be chosen; 0 is the value itself.
    pub lowest: usize,
    /// The highest level that may be chosen; none for all.
    pub highest: Option<usize>,
}

impl LatticeKey {
    /// A key that may take every level of its hierarchy, and weighs 1.
    pub const fn new(attr_idx: usize) -> Self {
        Self {
            attr_idx,
            weight: 1.0,
            lowest: 0,
            highest: None,
        }
    }
}

/// What makes a node safe, and what it costs.
#[derive(Clone, PartialEq, Debug)]
pub struct LatticeAsked {
    /// Each record that stays shares its key with so many, itself included.
    pub k: u32,
    /// How many records may be deleted to get there.
    pub limit: SuppressionLimit,
    /// What is asked of sensitive answers.
    pub answers: Vec<AnswerRule>,
    /// What is to be least.
    pub loss: Loss,
}

/// How far a search goes.
#[derive(Clone, Copy, Default)]
pub struct Effort<'a> {
    /// Nodes that may be counted; none for as many as it takes. A lattice that is too large for an
    /// exhaustive search takes [`USUAL_CHECKS`] then.
    pub max_checks: Option<u64>,
    /// Asked between nodes: whether it is enough, by a clock that the caller has. A search that was
    /// ended so cannot be repeated.
    pub enough: Option<&'a (dyn Fn() -> bool + Sync)>,
    /// Whether all minimal safe nodes are wanted.
    pub front: Front,
}

/// Nodes that are counted in a lattice that is too large to be searched exhaustively.
pub const USUAL_CHECKS: u64 = 5_000;

/// Whether all minimal safe nodes are wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Front {
    /// The best node is enough.
    #[default]
    NotWanted,
    /// Every safe node without a finer one that is safe. Nothing is pruned by loss then.
    Minimal,
}

/// A node and what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Generalisation {
    /// The level of each key, in the order of the keys: what `recode` takes as `level`.
    pub levels: Vec<usize>,
    /// Whether no more records are deleted than may be.
    pub safe: bool,
    /// What is lost, from 0 to 1, with the deleted records. Infinite for a node that is not safe.
    pub loss: f64,
    /// Records that must be deleted.
    pub n_suppressed: u64,
    /// Classes of equal keys that stay.
    pub n_classes: usize,
    /// The smallest of them; 0 without any.
    pub smallest_class: u32,
}

/// What is known of the best node that was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// No node of the lattice is better, and none safe if none was found.
    Optimal,
    /// The lattice was too large, or as many nodes were counted as were allowed: there may be better.
    NotProven,
    /// The caller's clock ended the search: there may be better, and another run may find another.
    Stopped,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The safe node with the smallest loss; among equals that with the smallest sum of levels, then
    /// the first in the order of keys. None if no safe node was found.
    pub best: Option<Generalisation>,
    /// What is known of it.
    pub proof: Proof,
    /// Nodes of the lattice; `u64::MAX` for that many and more.
    pub n_nodes: u64,
    /// Nodes whose classes were counted.
    pub n_checked: u64,
    /// Nodes that were not counted, because a coarser one was not safe.
    pub n_pruned_by_risk: u64,
    /// Nodes that were not counted, because they cannot lose less than the best.
    pub n_pruned_by_loss: u64,
    /// The levels of every minimal safe node in rising order, if they were asked for and all were found.
    pub front: Option<Vec<Vec<usize>>>,
}

/// The keys of a file at all levels of their hierarchies.
pub struct Lattice {
    keys: Vec<KeyLevels>,
    base: Base,
    n_records: u64,
    semantics: Semantics,
}

/// The level of each key, as its place among the levels that may be chosen.
type Node = Vec<u8>;

impl Lattice {
    /// Collapses a file to its distinct combinations of keys. Answers to the `sensitive` variables are
    /// kept beside them, for rules on them.
    ///
    /// A key without a hierarchy, or with values that are recoded to the top, stays as it is. A missing
    /// key stays missing at every level, as `recode` leaves it, and counts under `own` or `visible`;
    /// the other semantics are refused, and so are rules on answers under `visible` where keys are
    /// missing. A missing answer is one more category.
    pub fn of(
        table: &Table,
        keys: &[LatticeKey],
        sensitive: &[usize],
        semantics: Semantics,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        check_number(keys.len())?;
        check_asked(table, keys, sensitive, semantics)?;
        context.go_on()?;
        let coded = keys.iter().map(|key| KeyLevels::of(table, key));
        let coded: Vec<(KeyLevels, Vec<u32>)> = coded.collect::<Result<_, _>>()?;
        let (keys, codes): (Vec<_>, Vec<_>) = coded.into_iter().unzip();
        let has_missing = keys.iter().any(|key| key.has_missing);
        if has_missing && semantics == Semantics::Visible && !sensitive.is_empty() {
            return Err(MethodError::request(
                "answers are looked at in classes that do not overlap, and keys are missing",
                "count missing keys with semantics = \"own\", or ask for k alone",
            ));
        }
        context.go_on()?;
        let base = Base::of(table, &keys, &codes, sensitive);
        Ok(Self {
            keys,
            base,
            n_records: table.n_records() as u64,
            // Without a missing key both mean the same, and `own` is counted faster.
            semantics: if has_missing {
                semantics
            } else {
                Semantics::Own
            },
        })
    }

    /// Number of nodes; `u64::MAX` for that many and more.
    pub fn n_nodes(&self) -> u64 {
        let levels = self.keys.iter().map(|key| key.n_levels() as u64);
        levels.fold(1, u64::saturating_mul)
    }

    /// Distinct combinations of keys in the file.
    pub fn n_combinations(&self) -> usize {
        self.base.classes.n_classes()
    }

    /// The levels that each key may take.
    pub fn levels(&self) -> Vec<&[usize]> {
        self.keys.iter().map(|key| key.levels.as_slice()).collect()
    }

    /// How many values each key has left at these levels, missing ones apart.
    pub fn n_values_left(&self, levels: &[usize]) -> Vec<usize> {
        let left = self.keys.iter().zip(levels).map(|(key, level)| {
            let at = key.levels.iter().position(|possible| possible == level);
            let records = at.map_or(&[][..], |at| &key.n_records[at]);
            records.iter().skip(1).filter(|&&n| n > 0).count()
        });
        left.collect()
    }

    /// The position in the table and the level of each key that a node changes: a `recode` each.
    pub fn recodes(&self, levels: &[usize]) -> Vec<(usize, usize)> {
        let changed = self.keys.iter().zip(levels);
        let changed = changed.filter(|(key, level)| **level > key.present);
        changed.map(|(key, &level)| (key.attr_idx, level)).collect()
    }

    /// What one node is worth.
    pub fn evaluate(
        &self,
        levels: &[usize],
        asked: &LatticeAsked,
    ) -> Result<Generalisation, MethodError> {
        let place = |(key, level): (&KeyLevels, &usize)| {
            let place = key.levels.iter().position(|known| known == level);
            place.map(|place| place as u8)
        };
        let node: Option<Node> = self.keys.iter().zip(levels).map(place).collect();
        let node = node.filter(|_| levels.len() == self.keys.len());
        let Some(node) = node else {
            return Err(MethodError::request(
                "a node was asked for that is not in the lattice",
                "give each key one of the levels that it may take",
            ));
        };
        let (rules, price) = self.prepared(asked)?;
        let classes = self.base.roll_up(&self.keys, &self.base.classes, &node);
        let counted = self.count(&classes, &rules, &price);
        Ok(self.generalisation(&node, &counted))
    }

    /// Searches the node that is safe and loses least. The answer does not depend on the number of
    /// threads, nor do the numbers of nodes, unless the caller's clock ends the search.
    pub fn search(
        &self,
        asked: &LatticeAsked,
        effort: Effort<'_>,
        context: &RunContext<'_>,
    ) -> Result<Outcome, MethodError> {
        let (rules, price) = self.prepared(asked)?;
        if effort.front == Front::Minimal && self.n_nodes() > MAX_NODES {
            return Err(MethodError::request(
                format!("all minimal nodes are sought in lattices of up to {MAX_NODES} nodes"),
                "narrow the levels of some keys, or ask for the best node alone",
            ));
        }
        search::search(self, &rules, &price, effort, context)
    }

    fn prepared(&self, asked: &LatticeAsked) -> Result<(Rules, Price), MethodError> {
        let rules = Rules::new(asked, self.n_records, &self.base.sensitive)?;
        let price = Price::new(asked.loss, &self.keys, self.n_records)?;
        Ok((rules, price))
    }

    /// What a node with these classes is worth.
    fn count(&self, classes: &NodeClasses, rules: &Rules, price: &Price) -> Counted {
        let verdict = rules.judge(self, classes);
        let n_suppressed = verdict.n_suppressed;
        let safe = n_suppressed <= rules.limit;
        let priced = price.priced(self, classes, &verdict, safe);
        let kept = || {
            let classes = classes.sizes.iter().zip(&verdict.suppressed);
            classes
                .filter(|(_, suppressed)| !**suppressed)
                .map(|(size, _)| *size)
        };
        Counted {
            breaks: verdict.breaks,
            safe,
            loss: priced.loss,
            of_coarser: priced.of_coarser,
            of_finer: priced.of_finer,
            n_suppressed,
            n_classes: kept().count(),
            smallest_class: kept().min().unwrap_or(0),
        }
    }

    fn generalisation(&self, node: &[u8], counted: &Counted) -> Generalisation {
        Generalisation {
            levels: self.levels_of(node),
            safe: counted.safe,
            loss: counted.loss,
            n_suppressed: counted.n_suppressed,
            n_classes: counted.n_classes,
            smallest_class: counted.smallest_class,
        }
    }

    fn levels_of(&self, node: &[u8]) -> Vec<usize> {
        let levels = self.keys.iter().zip(node);
        levels
            .map(|(key, &place)| key.levels[usize::from(place)])
            .collect()
    }

    /// The sum of the levels of a node.
    fn height(&self, node: &[u8]) -> usize {
        let levels = self.keys.iter().zip(node);
        levels
            .map(|(key, &place)| key.levels[usize::from(place)])
            .sum()
    }

    fn bottom(&self) -> Node {
        vec![0; self.keys.len()]
    }

    fn top(&self) -> Node {
        let tops = self.keys.iter().map(|key| key.n_levels() as u8 - 1);
        tops.collect()
    }
}

/// What counting a node gave.
#[derive(Clone, PartialEq, Debug)]
struct Counted {
    /// Whether neither this node nor any finer one is safe.
    breaks: bool,
    safe: bool,
    loss: f64,
    /// What every coarser node loses at least, deleted records apart.
    of_coarser: f64,
    /// What every finer node loses at least by deleted records.
    of_finer: f64,
    n_suppressed: u64,
    n_classes: usize,
    smallest_class: u32,
}

/// Whether every key of `finer` is at most at the level that it has in `coarser`.
fn is_finer(finer: &[u8], coarser: &[u8]) -> bool {
    finer
        .iter()
        .zip(coarser)
        .all(|(finer, coarser)| finer <= coarser)
}

fn check_asked(
    table: &Table,
    keys: &[LatticeKey],
    sensitive: &[usize],
    semantics: Semantics,
) -> Result<(), MethodError> {
    match semantics {
        Semantics::Own | Semantics::Visible => {}
        Semantics::Original | Semantics::Wild => {
            return Err(MethodError::request(
                "a lattice counts missing keys as a value of their own or on what a record shows",
                "choose semantics = \"own\" or \"visible\"",
            ));
        }
    }
    let mut named = BTreeSet::new();
    let all = keys.iter().map(|key| key.attr_idx);
    for attr_idx in all.chain(sensitive.iter().copied()) {
        if attr_idx >= table.columns().len() {
            return Err(MethodError::Internal(
                "a lattice was asked for of a variable that the file does not have".to_owned(),
            ));
        }
        if !named.insert(attr_idx) {
            return Err(MethodError::request(
                format!("`{}` is named twice", table.column(attr_idx).name()),
                "name each key and each sensitive variable once, and no key as sensitive",
            ));
        }
    }
    let unfit = |key: &&LatticeKey| !(key.weight.is_finite() && key.weight >= 0.0);
    if let Some(key) = keys.iter().find(unfit) {
        return Err(MethodError::request(
            format!(
                "the weight of `{}` is no number from 0 up",
                table.column(key.attr_idx).name()
            ),
            "give 1 to a usual key, more to one whose detail matters",
        ));
    }
    Ok(())
}
