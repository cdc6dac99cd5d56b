//! The masked records that weigh most with an original one, found by branch and bound.
//!
//! A k-d tree over the different masked records whose nodes know the range of every variable. What a pair
//! may weigh at the most follows from the ranges, so that whole branches are passed over, and never one
//! that could hold a record that is looked for.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::comparators::{ComparedVariable, Scale};
use super::model::{Levels, Linear, MISSING, Model, N_LEVELS, level};

/// Records in a leaf.
const LEAF: usize = 64;

/// Different masked records, arranged for search.
pub(crate) struct MaskedTree<'a> {
    variables: &'a [ComparedVariable],
    model: &'a Model,
    nodes: Vec<Node>,
    /// Lower and upper end and whether a value is missing, by node and variable.
    ranges: Vec<Range>,
    /// The record at each place.
    order: Vec<u32>,
    /// Coordinates by variable, in the order of places.
    coordinates: Vec<Vec<f64>>,
    /// What the record at each place costs, and the least in each node; empty where nothing does.
    prices: Vec<f64>,
    cheapest: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    first: u32,
    last: u32,
    /// The second child; the first is the next node. 0 for a leaf.
    right: u32,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    low: f64,
    high: f64,
    missing: bool,
}

impl Range {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let none = Self {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            missing: false,
        };
        values.fold(none, |range, value| Self {
            low: range.low.min(value),
            high: range.high.max(value),
            missing: range.missing || value.is_nan(),
        })
    }

    /// How far a value is from the range.
    fn gap(&self, value: f64) -> f64 {
        (self.low - value).max(value - self.high).max(0.0)
    }

    /// Whether no value of it is near an original one at all.
    fn is_outside(&self, value: f64, slope: f64) -> bool {
        !self.missing && self.gap(value) * slope >= 1.0
    }
}

/// Gathers what a search finds.
pub(crate) trait Gather {
    /// Pairs that weigh less are not wanted.
    fn wanted_from(&self) -> f64;
    /// A pair that weighs so much.
    fn offer(&mut self, masked: u32, weight: f64);
}

/// An original record as it is looked for.
pub(crate) struct Query<'a> {
    parts: Vec<Part<'a>>,
    /// What missing values of the original add to every pair.
    base: f64,
}

/// What a query needs of one variable; none where the original has no value.
enum Part<'a> {
    Missing,
    Window { a: f64, slope: f64, weigh: Weigh },
    Row { row: &'a [f32], weigh: Weigh },
}

/// Weights of a variable that is linear; of one with levels what agreement on this value weighs more.
#[derive(Clone, Copy, Default)]
struct Weigh {
    low: f64,
    rise: f64,
    missing: f64,
    more: f64,
}

impl<'a> MaskedTree<'a> {
    /// Arranges some of the masked records.
    pub(crate) fn new(
        variables: &'a [ComparedVariable],
        model: &'a Model,
        mut records: Vec<u32>,
    ) -> Self {
        let mut tree = Self {
            variables,
            model,
            nodes: Vec::new(),
            ranges: Vec::new(),
            order: Vec::new(),
            coordinates: Vec::new(),
            prices: Vec::new(),
            cheapest: Vec::new(),
        };
        if !records.is_empty() {
            tree.grow(&mut records, 0);
        }
        let of = |variable: &ComparedVariable| {
            records
                .iter()
                .map(|&record| variable.masked[record as usize])
                .collect()
        };
        tree.coordinates = variables.iter().map(of).collect();
        tree.order = records;
        tree
    }

    /// From now on searches look for what weighs most after the price of each masked record.
    pub(crate) fn set_prices(&mut self, of_masked: &[f64]) {
        let price = |&masked: &u32| of_masked[masked as usize];
        self.prices = self.order.iter().map(price).collect();
        let least = |node: &Node| {
            let prices = &self.prices[node.first as usize..node.last as usize];
            prices.iter().copied().fold(f64::INFINITY, f64::min)
        };
        self.cheapest = self.nodes.iter().map(least).collect();
    }

    fn grow(&mut self, records: &mut [u32], first: usize) {
        let at = self.nodes.len();
        let last = first + records.len();
        self.nodes.push(Node {
            first: first as u32,
            last: last as u32,
            right: 0,
        });
        let from = self.ranges.len();
        for variable in self.variables {
            let values = records
                .iter()
                .map(|&record| variable.masked[record as usize]);
            self.ranges.push(Range::of(values));
        }
        let Some(widest) = self.widest(from).filter(|_| records.len() > LEAF) else {
            return;
        };
        let middle = records.len() / 2;
        let masked = &self.variables[widest].masked;
        records.select_nth_unstable_by(middle, |&a, &b| {
            let (x, y) = (masked[a as usize], masked[b as usize]);
            x.total_cmp(&y).then(a.cmp(&b))
        });
        let (left, right) = records.split_at_mut(middle);
        self.grow(left, first);
        self.nodes[at].right = self.nodes.len() as u32;
        self.grow(right, first + middle);
    }

    /// The variable on which records of a node differ most in similarity, if they differ.
    fn widest(&self, from: usize) -> Option<usize> {
        let mut best = (0.0, None);
        for (j, variable) in self.variables.iter().enumerate() {
            let Range { low, high, .. } = self.ranges[from + j];
            let spread = (high - low) * variable.slope(f64::midpoint(low, high));
            if spread > best.0 {
                best = (spread, Some(j));
            }
        }
        best.1
    }

    /// An original record as it is looked for.
    pub(crate) fn query(&self, original: usize) -> Query<'a> {
        let mut base = 0.0;
        let parts = self.variables.iter().enumerate().map(|(j, variable)| {
            let a = variable.original[original];
            if a.is_nan() {
                if let Model::Linear(variables) = self.model {
                    base += variables[j].missing;
                }
                return Part::Missing;
            }
            let weigh = match self.model {
                Model::Linear(variables) => variables[j].weigh(a as usize),
                Model::Levels(levels) => levels.weigh(j, a as usize),
            };
            match &variable.scale {
                Scale::Table(table) => Part::Row {
                    row: table.row(a),
                    weigh,
                },
                _ => Part::Window {
                    a,
                    slope: variable.slope(a),
                    weigh,
                },
            }
        });
        let parts = parts.collect();
        Query { parts, base }
    }

    /// Looks for what weighs most with an original record.
    pub(crate) fn search(&self, query: &Query<'_>, gather: &mut impl Gather) {
        self.search_among(query, gather, usize::MAX);
    }

    /// Looks for what weighs most with an original record, in the most promising branches first, until so many masked
    /// records were looked at. Returns what one of the others may weigh at the most, after prices.
    pub(crate) fn search_among(
        &self,
        query: &Query<'_>,
        gather: &mut impl Gather,
        most: usize,
    ) -> f64 {
        let mut room = Room::default();
        let mut left = most;
        if !self.nodes.is_empty() {
            room.branches.push(Branch::new(f64::INFINITY, 0));
        }
        while let Some(branch) = room.branches.pop() {
            let bound = branch.bound;
            // Sums of bounds are rounded in another order than weights.
            if bound + 1e-9 * (1.0 + bound.abs()) < gather.wanted_from() {
                break;
            }
            let at = branch.at as usize;
            let node = self.nodes[at];
            if node.right > 0 {
                for child in [at + 1, node.right as usize] {
                    let cheapest = self.cheapest.get(child).copied().unwrap_or(0.0);
                    let bound = self.bound(child, query) - cheapest;
                    room.branches.push(Branch::new(bound, child));
                }
            } else if left == 0 {
                return bound;
            } else {
                left = left.saturating_sub((node.last - node.first) as usize);
                self.leaf(at, query, gather, &mut room);
            }
        }
        f64::NEG_INFINITY
    }

    fn ranges(&self, at: usize) -> &[Range] {
        &self.ranges[at * self.variables.len()..][..self.variables.len()]
    }

    /// The largest weight that a record of a node can have with the query.
    fn bound(&self, at: usize, query: &Query<'_>) -> f64 {
        let ranges = self.ranges(at);
        let near = |part: &Part<'_>, range: &Range| match part {
            Part::Window { a, slope, .. } => (1.0 - range.gap(*a) * slope).max(0.0),
            Part::Missing | Part::Row { .. } => 1.0,
        };
        match self.model {
            Model::Linear(_) => {
                let parts = query.parts.iter().zip(ranges);
                let weights = parts.map(|(part, range)| match part {
                    Part::Missing => 0.0,
                    Part::Window { weigh, .. } | Part::Row { weigh, .. } => {
                        let most = weigh.low + weigh.rise.max(0.0) * near(part, range);
                        if range.missing {
                            most.max(weigh.missing)
                        } else {
                            most
                        }
                    }
                });
                query.base + weights.sum::<f64>()
            }
            Model::Levels(levels) => {
                let most = |j: usize| match query.parts[j] {
                    Part::Missing => MISSING,
                    _ => level(near(&query.parts[j], &ranges[j])),
                };
                let terms = levels.terms.iter().map(|term| term.most(most)).sum::<f64>();
                let more = query
                    .parts
                    .iter()
                    .map(|part| part.more().max(0.0))
                    .sum::<f64>();
                terms + more
            }
        }
    }

    fn leaf(&self, at: usize, query: &Query<'_>, gather: &mut impl Gather, room: &mut Room) {
        let (node, ranges) = (self.nodes[at], self.ranges(at));
        let places = node.first as usize..node.last as usize;
        for first in places.clone().step_by(LEAF) {
            let last = (first + LEAF).min(places.end);
            let weights = &mut room.weights[..last - first];
            match self.model {
                Model::Linear(_) => self.linear(first, query, ranges, weights),
                Model::Levels(levels) => {
                    self.by_levels(first, levels, query, weights, &mut room.levels);
                }
            }
            if !self.prices.is_empty() {
                for (weight, price) in weights.iter_mut().zip(&self.prices[first..last]) {
                    *weight -= price;
                }
            }
            let most = weights
                .iter()
                .fold(f64::NEG_INFINITY, |most, &weight| most.max(weight));
            if most < gather.wanted_from() {
                continue;
            }
            for (&weight, &masked) in weights.iter().zip(&self.order[first..last]) {
                if weight >= gather.wanted_from() {
                    gather.offer(masked, weight);
                }
            }
        }
    }

    /// Weights of the records from a place on, linear in the similarities.
    fn linear(&self, first: usize, query: &Query<'_>, ranges: &[Range], weights: &mut [f64]) {
        weights.fill(query.base);
        for (j, (part, range)) in query.parts.iter().zip(ranges).enumerate() {
            let masked = &self.coordinates[j][first..first + weights.len()];
            match part {
                Part::Missing => {}
                // The same sums as below, with less work where that is plain.
                Part::Window { a, slope, weigh } if range.is_outside(*a, *slope) => {
                    for weight in weights.iter_mut() {
                        *weight += weigh.low;
                    }
                }
                Part::Window { a, slope, weigh } if !range.missing => {
                    for (weight, b) in weights.iter_mut().zip(masked) {
                        let near = (1.0 - (a - b).abs() * slope).max(0.0);
                        *weight += weigh.low + weigh.rise * near;
                    }
                }
                Part::Window { a, slope, weigh } => {
                    for (weight, b) in weights.iter_mut().zip(masked) {
                        let near = (1.0 - (a - b).abs() * slope).max(0.0);
                        let here = weigh.low + weigh.rise * near;
                        // Only a missing value differs from itself.
                        *weight += if b.is_nan() { weigh.missing } else { here };
                    }
                }
                Part::Row { row, weigh } => {
                    for (weight, &b) in weights.iter_mut().zip(masked) {
                        *weight += if b.is_nan() {
                            weigh.missing
                        } else {
                            weigh.low + weigh.rise * f64::from(row[b as usize])
                        };
                    }
                }
            }
        }
    }

    /// Weights of the records from a place on, by levels of agreement.
    fn by_levels(
        &self,
        first: usize,
        model: &Levels,
        query: &Query<'_>,
        weights: &mut [f64],
        levels: &mut Vec<u8>,
    ) {
        let n = weights.len();
        levels.clear();
        levels.resize(query.parts.len() * n, MISSING as u8);
        weights.fill(0.0);
        for (j, part) in query.parts.iter().enumerate() {
            let masked = &self.coordinates[j][first..first + n];
            let levels = &mut levels[j * n..(j + 1) * n];
            for ((found, &b), weight) in levels.iter_mut().zip(masked).zip(&mut *weights) {
                if b.is_nan() {
                    continue;
                }
                let near = match part {
                    Part::Missing => continue,
                    Part::Window { a, slope, .. } => (1.0 - (a - b).abs() * slope).max(0.0),
                    Part::Row { row, .. } => f64::from(row[b as usize]),
                };
                *found = level(near) as u8;
                if usize::from(*found) == N_LEVELS - 1 {
                    *weight += part.more();
                }
            }
        }
        for term in &model.terms {
            for (at, weight) in weights.iter_mut().enumerate() {
                *weight += term.weight(|j| usize::from(levels[j * n + at]));
            }
        }
    }
}

/// Room that a search uses again and again.
struct Room {
    weights: [f64; LEAF],
    levels: Vec<u8>,
    /// Branches to be looked into, the most promising on top.
    branches: BinaryHeap<Branch>,
}

/// A node and what its records may weigh at the most.
struct Branch {
    bound: f64,
    at: u32,
}

impl Branch {
    fn new(bound: f64, at: usize) -> Self {
        let at = at as u32;
        Self { bound, at }
    }
}

impl Ord for Branch {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_bound = self.bound.total_cmp(&other.bound);
        by_bound.then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Branch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Branch {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Branch {}

impl Default for Room {
    fn default() -> Self {
        Self {
            weights: [0.0; LEAF],
            levels: Vec::new(),
            branches: BinaryHeap::new(),
        }
    }
}

impl Part<'_> {
    fn more(&self) -> f64 {
        match self {
            Self::Missing => 0.0,
            Self::Window { weigh, .. } | Self::Row { weigh, .. } => weigh.more,
        }
    }
}

impl Linear {
    fn weigh(&self, code: usize) -> Weigh {
        Weigh {
            low: self.disagree,
            rise: self.rise(code),
            missing: self.missing,
            more: 0.0,
        }
    }
}

impl Levels {
    fn weigh(&self, variable: usize, code: usize) -> Weigh {
        let more = self.by_code[variable]
            .as_ref()
            .map_or(0.0, |by_code| by_code[code]);
        Weigh {
            more,
            ..Weigh::default()
        }
    }
}

/// The masked records of largest weight, of those that weigh more than nothing in common.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    n: usize,
    above: f64,
    /// Weight and record; the worst is last once there are enough.
    found: Vec<(f64, u32)>,
}

impl Best {
    /// So many of them, above a weight.
    pub(crate) fn new(n: usize, above: f64) -> Self {
        Self {
            n,
            above,
            found: Vec::with_capacity(n + 1),
        }
    }

    /// They, the best first; of equal ones the first in the order of [`Distinct`](super::distinct).
    pub(crate) fn into_found(self) -> Vec<(f64, u32)> {
        self.found
    }
}

impl Gather for Best {
    fn wanted_from(&self) -> f64 {
        match self.found.last() {
            Some((weight, _)) if self.found.len() == self.n => *weight,
            _ => self.above,
        }
    }

    fn offer(&mut self, masked: u32, weight: f64) {
        if weight <= self.above {
            return;
        }
        let before =
            |known: &(f64, u32)| known.0 > weight || (known.0 >= weight && known.1 < masked);
        let place = self.found.partition_point(before);
        if place < self.n {
            self.found.insert(place, (weight, masked));
            self.found.truncate(self.n);
        }
    }
}

/// Every weight, by record.
pub(crate) struct All<'a>(pub(crate) &'a mut [f64]);

impl Gather for All<'_> {
    fn wanted_from(&self) -> f64 {
        f64::NEG_INFINITY
    }

    fn offer(&mut self, masked: u32, weight: f64) {
        self.0[masked as usize] = weight;
    }
}

/// The largest weight and how many records have it.
#[derive(Clone, Debug)]
pub(crate) struct Tied<'a> {
    /// The largest weight.
    pub(crate) weight: f64,
    /// The masked records that have it.
    pub(crate) records: Vec<u32>,
    /// How many they stand for.
    pub(crate) n: u64,
    sizes: &'a [u32],
}

impl<'a> Tied<'a> {
    /// Above a weight, of records that stand for so many.
    pub(crate) fn new(above: f64, sizes: &'a [u32]) -> Self {
        Self {
            weight: above,
            records: Vec::new(),
            n: 0,
            sizes,
        }
    }
}

impl Gather for Tied<'_> {
    fn wanted_from(&self) -> f64 {
        self.weight
    }

    fn offer(&mut self, masked: u32, weight: f64) {
        if weight > self.weight {
            self.weight = weight;
            self.records.clear();
            self.n = 0;
        } else if self.records.is_empty() {
            return;
        }
        self.records.push(masked);
        self.n += u64::from(self.sizes[masked as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linkage::comparators::Comparator;
    use crate::linkage::model::Term;
    use proptest::prelude::*;

    fn variable(original: f64, masked: Vec<f64>, scale: Scale) -> ComparedVariable {
        ComparedVariable {
            name: "x".to_owned(),
            comparator: Comparator::D,
            original: vec![original],
            masked,
            scale,
        }
    }

    fn by_full_search(
        tree: &MaskedTree<'_>,
        n_masked: usize,
        n: usize,
        above: f64,
    ) -> Vec<(f64, u32)> {
        let mut weights = vec![f64::NAN; n_masked];
        tree.search(&tree.query(0), &mut All(&mut weights));
        let mut all: Vec<(f64, u32)> = weights.into_iter().zip(0..).collect();
        all.retain(|(weight, _)| *weight > above);
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        all.truncate(n);
        all
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_a_full_search_finds(
            // Few different values, some of them missing, so that ties abound.
            cells in prop::collection::vec((0_u8..12, 0_u8..12), 1..600),
            (a, b) in (0_u8..12, 0_u8..12),
            missing in -1.0_f64..1.0,
            weights in prop::collection::vec(-3.0_f64..3.0, 2 * (N_LEVELS + 1)),
            prices in prop::collection::vec(0.0_f64..2.0, 600),
        ) {
            let value = |cell: u8| if cell == 11 { f64::NAN } else { f64::from(cell) };
            let column = |pick: fn(&(u8, u8)) -> u8| cells.iter().map(|cell| value(pick(cell))).collect::<Vec<f64>>();
            let variables = [
                variable(value(a), column(|cell| cell.0), Scale::Relative { tolerance: 0.6 }),
                variable(value(b), column(|cell| cell.1), Scale::Fixed { slope: 0.3 }),
            ];
            let linear = Linear { agree: 2.0, disagree: -1.5, by_code: None, missing };
            let (first, second) = weights.split_at(N_LEVELS + 1);
            let levels = Levels {
                terms: vec![Term::new(0, None, first.to_vec()), Term::new(1, None, second.to_vec())],
                by_code: vec![None, None],
            };
            for model in [Model::Linear(vec![linear.clone(), linear]), Model::Levels(levels)] {
                let records: Vec<u32> = (0..cells.len() as u32).collect();
                let mut tree = MaskedTree::new(&variables, &model, records);
                for priced in [false, true] {
                    if priced {
                        tree.set_prices(&prices[..cells.len()]);
                    }
                    for (n, above) in [(1, -9.0), (7, -9.0), (600, 0.5)] {
                        let mut best = Best::new(n, above);
                        tree.search(&tree.query(0), &mut best);
                        prop_assert_eq!(best.into_found(), by_full_search(&tree, cells.len(), n, above));
                    }
                }
            }
        }
    }
}
