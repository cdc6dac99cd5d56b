//! The search against a count of every node, record by record.

use std::collections::BTreeMap;
use std::sync::Arc;

use bauta_data::{Attribute, Codes, Column, HierarchySpec, Kind, Levels, Role, Table};
use proptest::prelude::*;

use super::super::*;
use super::context;
use crate::params::Choice;

/// A key as records have it, and the group of each value at level 1, 2, …; at the last all are one.
#[derive(Clone, Debug)]
pub(super) struct PlainKey {
    pub(super) values: Vec<Option<u32>>,
    pub(super) groups: Vec<Vec<u32>>,
}

impl PlainKey {
    fn at(&self, level: usize, record: usize) -> Option<u32> {
        let value = self.values[record]?;
        Some(match level {
            0 => value,
            _ => self.groups[level - 1][value as usize],
        })
    }

    fn height(&self) -> usize {
        self.groups.len()
    }

    fn column(&self, name: &str) -> Column {
        let n_values = self.groups.first().map_or(8, Vec::len);
        let texts: Vec<String> = (0..n_values).map(|value| format!("v{value}")).collect();
        let label = |value: usize, level: usize| match level {
            0 => texts[value].clone(),
            _ if level == self.height() => "*".to_owned(),
            _ => format!("l{level}-{}", self.groups[level - 1][value]),
        };
        let rows = (0..n_values).map(|value| {
            let labels = (0..=self.height()).map(|level| label(value, level));
            labels.collect()
        });
        let mut attribute = Attribute::new(name, Role::Key, Kind::Unordered);
        if !self.groups.is_empty() {
            attribute.hierarchy = Some(HierarchySpec::Levels {
                rows: rows.collect(),
            });
        }
        let codes = self.values.iter().map(|value| value.unwrap_or(0));
        let levels = Arc::new(Levels::from_texts(texts.iter().map(String::as_str)));
        let column =
            Column::categorical(Arc::new(attribute), codes.collect::<Codes>(), levels, None);
        let gaps: Vec<u32> = (0..self.values.len() as u32)
            .filter(|&record| self.values[record as usize].is_none())
            .collect();
        if gaps.is_empty() {
            column
        } else {
            column.suppress(&gaps)
        }
    }
}

/// A file with keys and one sensitive variable, the last column.
#[derive(Clone, Debug)]
pub(super) struct PlainFile {
    pub(super) keys: Vec<PlainKey>,
    pub(super) answers: Vec<u32>,
}

impl PlainFile {
    fn n(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn table(&self) -> Table {
        let named = self.keys.iter().enumerate();
        let mut columns: Vec<Column> = named
            .map(|(at, key)| key.column(&format!("key{at}")))
            .collect();
        let attribute = Attribute::new("answer", Role::Sensitive, Kind::Unordered);
        let levels = Levels::from_texts(["a", "b", "c", "d"]);
        columns.push(Column::categorical(
            Arc::new(attribute),
            self.answers.clone(),
            Arc::new(levels),
            None,
        ));
        Table::new(columns, self.n())
    }

    pub(super) fn lattice(&self, sensitive: &[usize], semantics: Semantics) -> Lattice {
        let keys: Vec<LatticeKey> = (0..self.keys.len()).map(LatticeKey::new).collect();
        self.weighted_lattice(&keys, sensitive, semantics)
    }

    pub(super) fn weighted_lattice(
        &self,
        keys: &[LatticeKey],
        sensitive: &[usize],
        semantics: Semantics,
    ) -> Lattice {
        Lattice::of(&self.table(), keys, sensitive, semantics, &context()).unwrap()
    }

    fn nodes(&self) -> Vec<Vec<usize>> {
        let mut nodes = vec![Vec::new()];
        for key in &self.keys {
            let longer = nodes.iter().flat_map(|node: &Vec<usize>| {
                (0..=key.height()).map(|level| [node.as_slice(), &[level]].concat())
            });
            nodes = longer.collect();
        }
        nodes
    }

    fn key_of(&self, levels: &[usize], record: usize) -> Vec<Option<u32>> {
        let keys = self.keys.iter().zip(levels);
        keys.map(|(key, &level)| key.at(level, record)).collect()
    }

    /// Whether each record is deleted in a node, record by record.
    fn deleted(&self, levels: &[usize], asked: &LatticeAsked, semantics: Semantics) -> Vec<bool> {
        let keys: Vec<_> = (0..self.n()).map(|r| self.key_of(levels, r)).collect();
        let mut gone = vec![false; self.n()];
        loop {
            let matches = |a: usize, b: usize| {
                let mut pairs = keys[a].iter().zip(&keys[b]);
                pairs.all(|(a, b)| a == b || (semantics == Semantics::Visible && a.is_none()))
            };
            let f = |a: usize| (0..self.n()).filter(|&b| !gone[b] && matches(a, b)).count();
            let small: Vec<usize> = (0..self.n())
                .filter(|&record| !gone[record] && f(record) < asked.k as usize)
                .collect();
            if small.is_empty() {
                break;
            }
            for record in small {
                gone[record] = true;
            }
        }
        for rule in &asked.answers {
            for record in 0..self.n() {
                let class = (0..self.n()).filter(|&other| keys[other] == keys[record]);
                let mut counts = BTreeMap::new();
                class.for_each(|other| *counts.entry(self.answers[other]).or_insert(0) += 1);
                let size: u32 = counts.values().sum();
                let most = f64::from(counts.values().copied().max().unwrap_or(0));
                gone[record] |= counts.len() < rule.distinct as usize
                    || most / f64::from(size) > rule.largest_share;
            }
        }
        gone
    }

    /// The loss of a node, cell by cell or class by class.
    fn loss(&self, levels: &[usize], gone: &[bool], loss: Loss, weights: &[f64]) -> f64 {
        let n = self.n() as f64;
        if self.n() == 0 {
            return 0.0;
        }
        match loss {
            Loss::Entropy => self.entropy(levels, gone, weights),
            Loss::Precision => {
                let mut lost = 0.0;
                for ((key, &level), weight) in self.keys.iter().zip(levels).zip(weights) {
                    let height = key.height().max(1) as f64;
                    for gone in gone {
                        lost += weight * if *gone { 1.0 } else { level as f64 / height };
                    }
                }
                lost / n / weights.iter().sum::<f64>()
            }
            Loss::Levels => {
                let of = |levels: Vec<usize>| -> f64 {
                    let levels = levels.into_iter().zip(weights);
                    levels.map(|(level, weight)| level as f64 * weight).sum()
                };
                let all = of(self.keys.iter().map(PlainKey::height).collect());
                if all > 0.0 {
                    of(levels.to_vec()) / all
                } else {
                    0.0
                }
            }
            Loss::Discernibility | Loss::ClassSize => {
                let mut classes = BTreeMap::new();
                for record in (0..self.n()).filter(|&record| !gone[record]) {
                    *classes.entry(self.key_of(levels, record)).or_insert(0.0) += 1.0;
                }
                let n_gone = gone.iter().filter(|gone| **gone).count() as f64;
                if loss == Loss::ClassSize {
                    1.0 / (classes.len() as f64 + n_gone.min(1.0))
                } else {
                    let squares: f64 = classes.values().map(|f| f * f).sum();
                    (squares + n_gone * n) / (n * n)
                }
            }
        }
    }

    fn entropy(&self, levels: &[usize], gone: &[bool], weights: &[f64]) -> f64 {
        let (mut lost, mut total) = (0.0, 0.0);
        for ((key, &level), weight) in self.keys.iter().zip(levels).zip(weights) {
            let with = |level: usize, record: usize| {
                let records = 0..self.n();
                let same = records.filter(|&r| key.at(level, r) == key.at(level, record));
                same.count() as f64
            };
            let n = key.values.iter().flatten().count() as f64;
            let (mut of_key, mut all) = (0.0, 0.0);
            for record in (0..self.n()).filter(|&r| key.values[r].is_some()) {
                let most = libm::log2(n / with(0, record));
                all += most;
                of_key += if gone[record] {
                    most
                } else {
                    libm::log2(with(level, record) / with(0, record))
                };
            }
            if all > 0.0 {
                lost += weight * of_key / all;
                total += weight;
            }
        }
        if total > 0.0 { lost / total } else { 0.0 }
    }
}

/// A file with gaps in some keys.
fn file(max_records: usize) -> impl Strategy<Value = PlainFile> {
    let key = |n: usize| {
        let groups = prop::collection::vec(prop::collection::vec(0_u32..3, 4), 0..3);
        let values = prop::collection::vec(prop::option::weighted(0.9, 0_u32..4), n);
        (values, groups, 0_u8..4, any::<bool>()).prop_map(|(values, raw, shape, full)| {
            let mut groups: Vec<Vec<u32>> = Vec::new();
            for raw in raw {
                let finer = groups.last().cloned();
                let group = |value: usize| {
                    let finer = finer.as_ref().map_or(value, |finer| finer[value] as usize);
                    raw[finer]
                };
                groups.push((0..4).map(group).collect());
            }
            // One key in four cannot be generalised.
            if shape > 0 {
                groups.push(vec![0; 4]);
            } else {
                groups.clear();
            }
            let filled = |value: Option<u32>| if full { value.or(Some(0)) } else { value };
            let values = values.into_iter().map(filled).collect();
            PlainKey { values, groups }
        })
    };
    (0..=max_records, 1_usize..4).prop_flat_map(move |(n, n_keys)| {
        let keys = prop::collection::vec(key(n), n_keys);
        let answers = prop::collection::vec(0_u32..4, n);
        (keys, answers).prop_map(|(keys, answers)| PlainFile { keys, answers })
    })
}

/// The best of evaluated nodes, and the minimal safe ones.
fn best_and_minimal(all: &[Generalisation]) -> (Option<&Generalisation>, Vec<Vec<usize>>) {
    let height = |node: &Generalisation| node.levels.iter().sum::<usize>();
    let safe = || all.iter().filter(|node| node.safe);
    let best = safe().min_by(|a, b| {
        let by_loss = a.loss.total_cmp(&b.loss);
        let by_height = height(a).cmp(&height(b));
        by_loss.then(by_height).then(a.levels.cmp(&b.levels))
    });
    let is_finer = |a: &Generalisation, b: &Generalisation| {
        let mut levels = a.levels.iter().zip(&b.levels);
        a.levels != b.levels && levels.all(|(a, b)| a <= b)
    };
    let minimal = safe().filter(|node| !safe().any(|other| is_finer(other, node)));
    let mut minimal: Vec<_> = minimal.map(|node| node.levels.clone()).collect();
    minimal.sort();
    (best, minimal)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_search_finds_what_counting_every_node_by_record_finds(
        file in file(30),
        (k, limit) in (1_u32..6, prop::sample::select(vec![0.0, 0.0, 0.1, 0.3, 1.0])),
        loss in prop::sample::select(Loss::ALL.to_vec()),
        own in any::<bool>(),
        rule in prop::option::of((1_u32..4, prop::sample::select(vec![0.5, 0.75, 1.0]))),
        weights in prop::collection::vec(0.5_f64..3.0, 3),
    ) {
        let gaps = file.keys.iter().any(|key| key.values.contains(&None));
        let semantics = if own || rule.is_some() && gaps { Semantics::Own } else { Semantics::Visible };
        let attr_idx = file.keys.len();
        let answers = rule.map(|(distinct, largest_share)| AnswerRule { attr_idx, distinct, largest_share });
        let asked = LatticeAsked {
            k,
            limit: SuppressionLimit::Share(limit),
            answers: answers.into_iter().collect(),
            loss,
        };
        let limit = (limit * file.n() as f64 + 1e-9) as usize;
        let weigh = |(at, &weight): (usize, &f64)| LatticeKey { weight, ..LatticeKey::new(at) };
        let weights = &weights[..file.keys.len()];
        let keys: Vec<LatticeKey> = weights.iter().enumerate().map(weigh).collect();
        let sensitive: Vec<usize> = asked.answers.iter().map(|rule| rule.attr_idx).collect();
        let lattice = file.weighted_lattice(&keys, &sensitive, semantics);
        let nodes = file.nodes();
        prop_assert_eq!(lattice.n_nodes(), nodes.len() as u64);
        let mut all = Vec::new();
        for levels in &nodes {
            let node = lattice.evaluate(levels, &asked).unwrap();
            let gone = file.deleted(levels, &asked, semantics);
            let n_gone = gone.iter().filter(|gone| **gone).count();
            prop_assert_eq!(node.n_suppressed, n_gone as u64, "{:?}", levels);
            prop_assert_eq!(node.safe, n_gone <= limit);
            if node.safe {
                let expected = file.loss(levels, &gone, loss, weights);
                prop_assert!((node.loss - expected).abs() < 1e-9, "{} {expected}", node.loss);
                prop_assert!((0.0..1.0 + 1e-9).contains(&node.loss));
            }
            all.push(node);
        }
        let (best, minimal) = best_and_minimal(&all);
        let found = lattice.search(&asked, Effort::default(), &context()).unwrap();
        prop_assert_eq!(found.best.as_ref(), best);
        prop_assert_eq!(found.proof, Proof::Optimal);
        let n_pruned = found.n_pruned_by_risk + found.n_pruned_by_loss;
        prop_assert_eq!(found.n_checked + n_pruned, found.n_nodes);
        let effort = Effort { front: Front::Minimal, ..Effort::default() };
        let found = lattice.search(&asked, effort, &context()).unwrap();
        prop_assert_eq!(found.best.as_ref(), best);
        prop_assert_eq!(found.front, Some(minimal));
    }
}
