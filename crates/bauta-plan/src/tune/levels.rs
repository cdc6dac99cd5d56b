//! The best levels of key hierarchies, as one strategy of a search: an optimal search in the lattice of levels
//! (`bauta_methods::keys::lattice`), at the plan's own k.
//!
//! A key with a hierarchy may take every level of it. A key that a `recode` with a map changes may keep that step or lose
//! it. All other keys stay as the plan has them. What still stands out after recoding is left to the plan's own suppression,
//! or to `suppress-records`; the lattice counts it as deleted.

mod asked;

use std::collections::BTreeSet;

use bauta_data::Table;
use bauta_methods::keys::lattice::{
    Effort, Front, Generalisation, Lattice, LatticeAsked, LatticeKey, Loss, Proof, SuppressionLimit,
};
use bauta_methods::{Choice as _, RunContext};
use serde::Serialize;
use serde_json::{Value, json};

use super::USUAL_SUPPRESSED;
use super::candidates::AS_PLANNED;
use super::search::Search;
use crate::draft::Draft;
use crate::sweep::{Axis, Grid, Variant};
use crate::work::WorkError;
use asked::{Asked, How, table_before};

pub(super) use asked::{is_recode, is_suppression};

/// Lattices of which all minimal nodes are looked at, so that there is something to fall back on.
const MAX_NODES_FOR_FRONT: u64 = 1 << 16;

/// Nodes that are run beside the best one, at the most.
const MOST_NODES: usize = 12;

/// Levels of the keys, and what they are worth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Node {
    /// The level of each key that was searched.
    pub levels: Vec<(String, usize)>,
    /// What is lost, from 0 to 1, if whoever stands out is deleted.
    pub loss: f64,
    /// Records that stand out after recoding.
    pub n_suppressed: u64,
    /// Whether these are no more than may be.
    pub safe: bool,
}

/// What a search of levels found.
#[derive(Clone, PartialEq, Debug)]
pub struct LevelsFound {
    /// The keys that were searched, and how.
    pub searched: Vec<String>,
    /// The keys that stay as the plan has them, and why.
    pub fixed: Vec<(String, &'static str)>,
    /// Records that are to share their key, each included.
    pub k: u32,
    /// What treats records that still stand out.
    pub suppression: String,
    /// What is lost is measured by this.
    pub loss: &'static str,
    /// The levels of the plan as it is.
    pub own: Node,
    /// The best levels, then others that are safe, by rising loss.
    pub nodes: Vec<Node>,
    /// Whether nothing better exists.
    pub proved: bool,
    /// Nodes of the lattice.
    pub n_nodes: u64,
    /// Nodes that were counted.
    pub n_checked: u64,
    /// Share of the records that may stand out.
    pub limit: f64,
    own_draft: Draft,
    drafts: Vec<Draft>,
}

impl LevelsFound {
    /// The plan at the best levels.
    pub(super) fn draft(&self) -> Option<&Draft> {
        self.drafts.first()
    }

    /// The nodes as variants, with what each loses; the plan as it is first.
    pub(super) fn grid(&self) -> (Grid, Vec<f64>) {
        let own_price = if self.own.safe {
            self.own.loss
        } else {
            f64::INFINITY
        };
        let mut variants = vec![Variant {
            values: vec![AS_PLANNED.to_owned()],
            draft: self.own_draft.clone(),
        }];
        let mut prices = vec![own_price];
        for (node, draft) in self.nodes.iter().zip(&self.drafts) {
            if *draft == self.own_draft {
                continue;
            }
            variants.push(Variant {
                values: vec![node.in_words()],
                draft: draft.clone(),
            });
            prices.push(node.loss);
        }
        let axis = Axis {
            name: "levels".to_owned(),
            values: variants
                .iter()
                .map(|variant| variant.values[0].clone())
                .collect(),
        };
        (Grid::of_variants(vec![axis], variants), prices)
    }

    /// What was searched, in a sentence.
    pub(super) fn in_words(&self) -> String {
        format!(
            "levels of {}: {} combinations, {} of them counted, {}",
            self.searched.join(", "),
            self.n_nodes,
            self.n_checked,
            if self.proved {
                "the best one proved to be so"
            } else {
                "the best one not proved to be so"
            }
        )
    }

    /// What was not, in sentences.
    pub(super) fn not_searched(&self) -> Vec<String> {
        let distinct: BTreeSet<&str> = self.fixed.iter().map(|(_, why)| *why).collect();
        let told = distinct.into_iter().map(|why| {
            let names = self.fixed.iter().filter(|(_, other)| *other == why);
            let names: Vec<&str> = names.map(|(name, _)| name.as_str()).collect();
            format!("{}: {why}", names.join(", "))
        });
        told.collect()
    }

    pub(super) fn evidence(&self) -> Value {
        json!({
            "keys": self.searched,
            "fixed": self.fixed.iter().map(|(name, why)| json!({ "key": name, "why": why })).collect::<Vec<_>>(),
            "k": self.k,
            "loss": self.loss,
            "limit": self.limit,
            "proved": self.proved,
            "n_nodes": self.n_nodes,
            "n_checked": self.n_checked,
            "own": self.own,
            "nodes": self.nodes,
        })
    }
}

impl Node {
    fn of(found: &Generalisation, asked: &Asked, is_searched: &[bool]) -> Self {
        let levels = asked.keys.iter().zip(&found.levels).zip(is_searched);
        let levels = levels.filter(|(_, searched)| **searched);
        Self {
            levels: levels
                .map(|((key, &level), _)| (key.name.clone(), level))
                .collect(),
            loss: found.loss,
            n_suppressed: found.n_suppressed,
            safe: found.safe,
        }
    }

    fn in_words(&self) -> String {
        let levels = self
            .levels
            .iter()
            .map(|(name, level)| format!("{name} {level}"));
        levels.collect::<Vec<_>>().join(", ")
    }
}

/// Searches the best levels; or says why there is nothing to search.
pub(super) fn search(
    search: &Search<'_>,
    own: &Draft,
) -> Result<Result<LevelsFound, String>, WorkError> {
    let Some(asked) = Asked::of(search.plan, own) else {
        let why = "the plan asks for no k, neither by suppression nor by a gate on k-anonymity";
        return Ok(Err(why.to_owned()));
    };
    let table = table_before(search, &asked)?;
    let context = RunContext::new(search.seed, "tune", search.watch);
    let lattice = lattice_of(&table, &asked, &context)?;
    let possible = lattice.levels();
    if possible.iter().all(|levels| levels.len() < 2) {
        let why = "no key has a hierarchy, or a recoding that could be left out";
        return Ok(Err(why.to_owned()));
    }
    let rules = |limit: f64| LatticeAsked {
        k: asked.k,
        limit: SuppressionLimit::Share(limit),
        answers: Vec::new(),
        loss: Loss::Entropy,
    };
    let own_levels: Vec<usize> = (asked.keys.iter().zip(&possible))
        .map(|(key, levels)| key.own_level().clamp(levels[0], levels[levels.len() - 1]))
        .collect();
    // Beyond the limit, too, what the plan loses is to be known.
    let mut own_node = lattice.evaluate(&own_levels, &rules(1.0))?;
    let n_records = table.n_records().max(1) as f64;
    // Unless told otherwise, a choice is not refused for what the plan itself does.
    let own_share = own_node.n_suppressed as f64 / n_records;
    let limit = (search.request.suppressed).unwrap_or_else(|| USUAL_SUPPRESSED.max(own_share));
    let rules = rules(limit);
    own_node.safe = lattice.evaluate(&own_levels, &rules)?.safe;
    let outcome = lattice.search(&rules, Effort::default(), &context)?;
    let Some(best) = outcome.best else {
        let share = 100.0 * limit;
        return Ok(Err(format!(
            "no choice of levels leaves at most {share} % of the records standing out"
        )));
    };
    let mut nodes = vec![best];
    nodes.extend(others(&lattice, &rules, &nodes[0], &context)?);
    let is_searched: Vec<bool> = possible.iter().map(|levels| levels.len() > 1).collect();
    let named = |wanted: bool| {
        let keys = asked.keys.iter().zip(&is_searched);
        keys.filter(move |(_, searched)| **searched == wanted)
            .map(|(key, _)| key)
    };
    let node = |found: &Generalisation| Node::of(found, &asked, &is_searched);
    Ok(Ok(LevelsFound {
        searched: named(true).map(|key| key.name.clone()).collect(),
        fixed: named(false)
            .map(|key| (key.name.clone(), key.why_fixed()))
            .collect(),
        k: asked.k,
        suppression: asked.suppression_in_words(own),
        loss: rules.loss.name(),
        own: node(&own_node),
        drafts: nodes
            .iter()
            .map(|node| asked.draft_at(own, &node.levels))
            .collect(),
        nodes: nodes.iter().map(node).collect(),
        proved: outcome.proof == Proof::Optimal,
        n_nodes: outcome.n_nodes,
        n_checked: outcome.n_checked,
        limit,
        own_draft: own.clone(),
    }))
}

/// The lattice of the keys; one that a map recodes has two levels.
fn lattice_of(
    table: &Table,
    asked: &Asked,
    context: &RunContext<'_>,
) -> Result<Lattice, WorkError> {
    let keys = asked.keys.iter().map(|key| {
        let attr_idx = table.index_of(&key.name);
        let attr_idx = attr_idx.ok_or_else(|| WorkError::internal("a key is not in the file"))?;
        Ok(LatticeKey {
            highest: matches!(key.how, How::Map { .. }).then_some(1),
            ..LatticeKey::new(attr_idx)
        })
    });
    let keys: Vec<LatticeKey> = keys.collect::<Result<_, WorkError>>()?;
    Ok(Lattice::of(table, &keys, &[], asked.semantics, context)?)
}

/// The minimal safe nodes with the least loss, but for the best one; none of a lattice that is too large.
fn others(
    lattice: &Lattice,
    rules: &LatticeAsked,
    best: &Generalisation,
    context: &RunContext<'_>,
) -> Result<Vec<Generalisation>, WorkError> {
    if lattice.n_nodes() > MAX_NODES_FOR_FRONT {
        return Ok(Vec::new());
    }
    let effort = Effort {
        front: Front::Minimal,
        ..Effort::default()
    };
    let minimal = lattice.search(rules, effort, context)?.front;
    let mut found = Vec::new();
    for levels in minimal.unwrap_or_default() {
        if levels != best.levels {
            found.push(lattice.evaluate(&levels, rules)?);
        }
    }
    found.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.levels.cmp(&b.levels)));
    found.truncate(MOST_NODES - 1);
    Ok(found)
}
