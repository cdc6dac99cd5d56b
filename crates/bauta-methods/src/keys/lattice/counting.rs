//! The classes of a node, made of those of a finer node.

use bauta_data::Table;

use super::key_levels::KeyLevels;
use crate::keys::codes::key_codes;
use crate::keys::packing::{Packing, number};

/// The file collapsed to its distinct combinations of keys.
pub(super) struct Base {
    /// Codes of each combination, combination by combination.
    pub(super) codes: Vec<u32>,
    pub(super) n_keys: usize,
    /// The combinations as classes, each with itself.
    pub(super) classes: NodeClasses,
    /// Positions of the sensitive variables in the table.
    pub(super) sensitive: Vec<usize>,
    /// Codes of the answers to each of them are below this.
    n_answers: Vec<u64>,
}

/// The classes of a node.
pub(super) struct NodeClasses {
    pub(super) node: Vec<u8>,
    /// A combination of each class, rising.
    pub(super) combinations: Vec<u32>,
    /// Records of each class.
    pub(super) sizes: Vec<u32>,
    /// The answers to each sensitive variable.
    pub(super) answers: Vec<Vec<Answer>>,
}

/// Records of a class that give one answer.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub(super) class: u32,
    code: u32,
    pub(super) n: u32,
}

impl NodeClasses {
    pub(super) fn n_classes(&self) -> usize {
        self.sizes.len()
    }
}

impl Base {
    /// Collapses the records.
    pub(super) fn of(
        table: &Table,
        keys: &[KeyLevels],
        codes: &[Vec<u32>],
        sensitive: &[usize],
    ) -> Self {
        let mut packing = Packing::new(table.n_records());
        for (key, codes) in keys.iter().zip(codes) {
            let max = key.n_with_value.len() as u32 - 1;
            packing.add(max, |record| codes[record]);
        }
        let (of_record, representatives) = packing.classes();
        let n_combinations = representatives.len();
        let of_combination = |&record: &u32| codes.iter().map(move |codes| codes[record as usize]);
        let mut answers = Vec::new();
        let mut n_answers = Vec::new();
        for &attr_idx in sensitive {
            let read = key_codes(table.column(attr_idx));
            let n_codes = u64::from(read.n_values) + 1;
            let given = of_record.iter().zip(&read.codes);
            let given = given.map(|(&class, code)| Answer { class, code, n: 1 });
            answers.push(added_up(given, n_combinations, n_codes));
            n_answers.push(n_codes);
        }
        Self {
            codes: representatives.iter().flat_map(of_combination).collect(),
            n_keys: keys.len(),
            classes: NodeClasses {
                node: vec![0; keys.len()],
                combinations: (0..n_combinations as u32).collect(),
                sizes: totals(&of_record, &vec![1; of_record.len()], n_combinations),
                answers,
            },
            sensitive: sensitive.to_vec(),
            n_answers,
        }
    }

    /// Codes of a combination, a key each, as they are in the file.
    pub(super) fn combination(&self, combination: u32) -> &[u32] {
        let start = combination as usize * self.n_keys;
        &self.codes[start..start + self.n_keys]
    }

    /// The classes of a node from those of a finer one. The lowest level of a key that may be chosen can
    /// lie above its values, so that the combinations of the file are finer than every node.
    pub(super) fn roll_up(
        &self,
        keys: &[KeyLevels],
        from: &NodeClasses,
        node: &[u8],
    ) -> NodeClasses {
        let (of_class, representatives) = self.numbered(keys, from, node);
        let n_classes = representatives.len();
        let of_variable = |(answers, &n_codes): (&Vec<Answer>, &u64)| {
            let moved = answers.iter().map(|answer| Answer {
                class: of_class[answer.class as usize],
                ..*answer
            });
            added_up(moved, n_classes, n_codes)
        };
        let combination = |&class: &u32| from.combinations[class as usize];
        NodeClasses {
            node: node.to_vec(),
            combinations: representatives.iter().map(combination).collect(),
            sizes: totals(&of_class, &from.sizes, n_classes),
            answers: from
                .answers
                .iter()
                .zip(&self.n_answers)
                .map(of_variable)
                .collect(),
        }
    }

    /// The new class of each class, and a class of each new one.
    fn numbered(
        &self,
        keys: &[KeyLevels],
        from: &NodeClasses,
        node: &[u8],
    ) -> (Vec<u32>, Vec<u32>) {
        let mut radices = keys
            .iter()
            .zip(node)
            .map(|(key, &place)| key.n_codes(place));
        let radix = radices.try_fold(1_u64, |product, n| product.checked_mul(n.max(1)));
        let Some(radix) = radix else {
            let mut packing = Packing::new(from.n_classes());
            for (at, (key, &place)) in keys.iter().zip(node).enumerate() {
                let place = usize::from(place);
                let max = key.n_records[place].len() as u32 - 1;
                packing.add(max, |class| {
                    let value = self.combination(from.combinations[class])[at];
                    key.code_at[place][value as usize]
                });
            }
            return packing.classes();
        };
        // What each value of each key adds to the number of a class, in mixed radix.
        let mut stride = 1;
        let mut added: Vec<(usize, Vec<u64>)> = Vec::new();
        for (at, (key, &place)) in keys.iter().zip(node).enumerate() {
            let n_codes = key.n_codes(place);
            if n_codes > 1 {
                let first = u32::from(!key.has_missing);
                let codes = key.code_at[usize::from(place)].iter();
                let adds = codes.map(|code| u64::from(code.saturating_sub(first)) * stride);
                added.push((at, adds.collect()));
                stride *= n_codes;
            }
        }
        let pack = |&combination: &u32| -> u64 {
            let codes = self.combination(combination);
            let adds = added.iter();
            adds.map(|(at, adds)| adds[codes[*at] as usize]).sum()
        };
        let packed: Vec<u64> = from.combinations.iter().map(pack).collect();
        number(&packed, radix)
    }
}

fn totals(of_class: &[u32], sizes: &[u32], n_classes: usize) -> Vec<u32> {
    let mut totals = vec![0; n_classes];
    for (&class, size) in of_class.iter().zip(sizes) {
        totals[class as usize] += size;
    }
    totals
}

/// Equal answers of a class in one.
fn added_up(answers: impl Iterator<Item = Answer>, n_classes: usize, n_codes: u64) -> Vec<Answer> {
    let answers: Vec<Answer> = answers.collect();
    let pair = |answer: &Answer| u64::from(answer.class) * n_codes + u64::from(answer.code);
    let packed: Vec<u64> = answers.iter().map(pair).collect();
    let (of_pair, representatives) = number(&packed, n_classes as u64 * n_codes);
    let first = |&at: &u32| Answer {
        n: 0,
        ..answers[at as usize]
    };
    let mut added: Vec<Answer> = representatives.iter().map(first).collect();
    for (&pair, answer) in of_pair.iter().zip(&answers) {
        added[pair as usize].n += answer.n;
    }
    added
}
