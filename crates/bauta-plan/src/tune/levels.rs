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
use crate::plan::Plan;
use crate::sweep::{Axis, Grid, Variant};
use crate::work::WorkError;
use asked::{Asked, How, table_before};

pub(super) use asked::{is_recode, is_suppression};

/// Lattices of which all minimal nodes are looked at, so that there is something to fall back on.
const MAX_NODES_FOR_FRONT: u64 = 1 << 16;

/// Lattices of which all nodes are ranked by their loss, where the plan asks for more than k.
const MAX_NODES_TO_RANK: u64 = 1 << 12;

/// Nodes that are run together, the best one among them.
pub(super) const MOST_NODES: usize = 12;

/// Levels of the keys, and what they are worth.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Node {
    /// The level of each key that was searched.
    pub levels: Vec<(String, usize)>,
    /// Keys that have one value at the most at these levels.
    pub gone: Vec<String>,
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
    /// Whether nothing better exists at this k.
    pub proved: bool,
    /// Whether k is all that the plan asks; otherwise the rest is known only of levels that were run.
    pub k_alone: bool,
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
            match (self.proved, self.k_alone) {
                (true, true) => "the one that recoding loses least by proved to be so",
                (true, false) => "the one that recoding loses least by proved to be so for k alone",
                (false, _) => "the one that recoding loses least by not proved to be so",
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
            "k_alone": self.k_alone,
            "n_nodes": self.n_nodes,
            "n_checked": self.n_checked,
            "own": self.own,
            "nodes": self.nodes,
        })
    }
}

impl Node {
    fn of(found: &Generalisation, asked: &Asked, lattice: &Lattice, is_searched: &[bool]) -> Self {
        let left = lattice.n_values_left(&found.levels);
        let gone = asked.keys.iter().zip(left).zip(is_searched);
        let gone = gone.filter(|((_, n_left), searched)| **searched && *n_left < 2);
        let gone = gone.map(|((key, _), _)| key.name.clone()).collect();
        let levels = asked.keys.iter().zip(&found.levels).zip(is_searched);
        let levels = levels.filter(|(_, searched)| **searched);
        Self {
            levels: levels
                .map(|((key, &level), _)| (key.name.clone(), level))
                .collect(),
            gone,
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
    let (own_node, limit) = own_node(search, &asked, &lattice, table.n_records())?;
    let rules = rules(&asked, limit);
    let outcome = lattice.search(&rules, Effort::default(), &context)?;
    let Some(best) = outcome.best else {
        let share = 100.0 * limit;
        return Ok(Err(format!(
            "no choice of levels leaves at most {share} % of the records standing out"
        )));
    };
    let others = Others::of_plan(search.plan);
    let mut nodes = vec![best];
    nodes.extend(others.of(&lattice, &rules, &nodes[0], &context)?);
    nodes.truncate(search.request.runs);
    let is_searched: Vec<bool> = possible.iter().map(|levels| levels.len() > 1).collect();
    let named = |wanted: bool| {
        let keys = asked.keys.iter().zip(&is_searched);
        keys.filter(move |(_, searched)| **searched == wanted)
            .map(|(key, _)| key)
    };
    let node = |found: &Generalisation| Node::of(found, &asked, &lattice, &is_searched);
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
        k_alone: others == Others::Minimal,
        n_nodes: outcome.n_nodes,
        n_checked: outcome.n_checked,
        limit,
        own_draft: own.clone(),
    }))
}

/// What is asked of the lattice.
fn rules(asked: &Asked, limit: f64) -> LatticeAsked {
    LatticeAsked {
        k: asked.k,
        limit: SuppressionLimit::Share(limit),
        answers: Vec::new(),
        loss: Loss::Entropy,
    }
}

/// The levels of the plan as it is, and the share of the records that may stand out.
fn own_node(
    search: &Search<'_>,
    asked: &Asked,
    lattice: &Lattice,
    n_records: usize,
) -> Result<(Generalisation, f64), WorkError> {
    let own_levels: Vec<usize> = (asked.keys.iter().zip(lattice.levels()))
        .map(|(key, levels)| key.own_level().clamp(levels[0], levels[levels.len() - 1]))
        .collect();
    // Beyond the limit, too, what the plan loses is to be known.
    let mut own = lattice.evaluate(&own_levels, &rules(asked, 1.0))?;
    // Unless told otherwise, a choice is not refused for what the plan itself does.
    let own_share = own.n_suppressed as f64 / n_records.max(1) as f64;
    let limit = (search.request.suppressed).unwrap_or_else(|| USUAL_SUPPRESSED.max(own_share));
    own.safe = lattice.evaluate(&own_levels, &rules(asked, limit))?.safe;
    Ok((own, limit))
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

/// Which levels are run beside the best ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// The minimal safe ones.
    Minimal,
    /// All safe ones: where the plan asks for more than k, the least that holds all of it need not be minimal.
    ByRisingLoss,
}

impl Others {
    /// Those that a plan needs: whether it sets conditions that the lattice does not know.
    fn of_plan(plan: &Plan) -> Self {
        let asks_more_than_k = plan.gates.iter().any(|gate| {
            let mut measures = gate.measures.iter().map(|&at| &plan.measures[at]);
            measures.any(|of| of.measure.card().id != "k-anonymity")
        });
        if asks_more_than_k {
            Self::ByRisingLoss
        } else {
            Self::Minimal
        }
    }

    /// These levels, the least loss first; only minimal ones of a large lattice, and none of one that is too large.
    fn of(
        self,
        lattice: &Lattice,
        rules: &LatticeAsked,
        best: &Generalisation,
        context: &RunContext<'_>,
    ) -> Result<Vec<Generalisation>, WorkError> {
        let is_small = lattice.n_nodes() <= MAX_NODES_TO_RANK;
        let wanted = match self {
            Self::ByRisingLoss if is_small => all_levels(lattice),
            _ if lattice.n_nodes() > MAX_NODES_FOR_FRONT => Vec::new(),
            _ => minimal_levels(lattice, rules, context)?,
        };
        let mut found = Vec::new();
        for levels in wanted.iter().filter(|levels| **levels != best.levels) {
            context.go_on()?;
            let node = lattice.evaluate(levels, rules)?;
            if node.safe {
                found.push(node);
            }
        }
        found.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.levels.cmp(&b.levels)));
        if self == Self::Minimal {
            found.truncate(MOST_NODES - 1);
        }
        Ok(found)
    }
}

/// Every combination of levels.
fn all_levels(lattice: &Lattice) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for levels in lattice.levels() {
        let longer = all.iter().flat_map(|before| {
            let with = |&level: &usize| [before.as_slice(), &[level]].concat();
            levels.iter().map(with).collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all
}

/// The safe combinations of levels below which nothing is safe.
fn minimal_levels(
    lattice: &Lattice,
    rules: &LatticeAsked,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<usize>>, WorkError> {
    let effort = Effort {
        front: Front::Minimal,
        ..Effort::default()
    };
    Ok(lattice
        .search(rules, effort, context)?
        .front
        .unwrap_or_default())
}
