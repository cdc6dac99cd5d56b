//! Classes that are kept, as long as they fit.

use bauta_data::Codes;

use super::ClassBatch;
use crate::error::{EngineError, TooManyClasses};

/// Classes of equal keys, numbered by their first record.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    codes: Vec<Codes>,
    sizes: Vec<u32>,
    first_rows: Vec<u32>,
    weights: Option<Vec<i128>>,
}

impl Classes {
    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.sizes.len()
    }

    /// Number of records in all classes.
    pub fn n_records(&self) -> u64 {
        self.sizes.iter().map(|&size| u64::from(size)).sum()
    }

    /// The codes of each key, class by class; 0 is missing.
    pub fn codes(&self) -> &[Codes] {
        &self.codes
    }

    /// Records of each class.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }

    /// The smallest row of each class; they go up.
    pub fn first_rows(&self) -> &[u32] {
        &self.first_rows
    }

    /// The exact sum of each class's weights, where records have weights.
    pub fn weights(&self) -> Option<&[i128]> {
        self.weights.as_deref()
    }
}

/// Takes classes in, and only counts them once they are too many.
pub(super) struct Store {
    classes: Classes,
    /// Bytes of a class, with codes as wide as the columns of the keys.
    bytes_per_class: u64,
    /// Bytes that may be filled.
    left: Option<u64>,
    excess: Option<Excess>,
}

/// What is still known of classes that are too many to keep.
struct Excess {
    n_classes: u64,
    /// The codes of each key that have occurred, a bit each.
    seen: Vec<Vec<u64>>,
}

impl Store {
    /// A store for keys whose codes take so many bytes each.
    pub(super) fn new(code_bytes: &[u64], weighted: bool, left: Option<u64>) -> Self {
        let classes = Classes {
            codes: vec![Codes::default(); code_bytes.len()],
            weights: weighted.then(Vec::new),
            ..Classes::default()
        };
        Self {
            classes,
            bytes_per_class: code_bytes.iter().sum::<u64>() + 4 + 4 + if weighted { 16 } else { 0 },
            left,
            excess: None,
        }
    }

    pub(super) fn add(&mut self, batch: &ClassBatch<'_>) -> Result<(), EngineError> {
        if let Some(excess) = &mut self.excess {
            excess.n_classes += batch.len() as u64;
            for (key, seen) in excess.seen.iter_mut().enumerate() {
                (0..batch.len()).for_each(|class| mark(seen, batch.code(class, key)));
            }
            return Ok(());
        }
        let classes = &mut self.classes;
        for (key, codes) in classes.codes.iter_mut().enumerate() {
            (0..batch.len()).for_each(|class| codes.push(batch.code(class, key)));
        }
        for class in 0..batch.len() {
            classes.sizes.push(batch.size(class));
            classes.first_rows.push(batch.first_row(class));
            if let (Some(weights), Some(weight)) = (&mut classes.weights, batch.weight(class)?) {
                weights.push(weight);
            }
        }
        let needed = classes.n_classes() as u64 * self.bytes_per_class;
        if self.left.is_some_and(|left| needed > left) {
            self.give_up();
        }
        Ok(())
    }

    /// The classes; or how many there are and the number of the key with most values.
    pub(super) fn classes(self) -> Result<Classes, (TooManyClasses, usize)> {
        let Some(excess) = self.excess else {
            return Ok(self.classes);
        };
        let n_values = excess.seen.iter().map(|seen| n_marked(seen));
        // The first of those with most values.
        let most = n_values.enumerate().rev().max_by_key(|&(_, n)| n);
        let (key, n_values) = most.unwrap_or_default();
        let told = TooManyClasses {
            n_classes: excess.n_classes,
            needed: excess.n_classes * self.bytes_per_class,
            left: self.left.unwrap_or(u64::MAX),
            limit: 0,
            key: String::new(),
            n_values,
        };
        Err((told, key))
    }

    fn give_up(&mut self) {
        let classes = &mut self.classes;
        let n_classes = classes.n_classes() as u64;
        let seen = classes.codes.iter().map(|codes| {
            let mut seen = Vec::new();
            codes.iter().for_each(|code| mark(&mut seen, code));
            seen
        });
        self.excess = Some(Excess {
            n_classes,
            seen: seen.collect(),
        });
        classes.codes = Vec::new();
        (classes.sizes, classes.first_rows) = (Vec::new(), Vec::new());
        classes.weights = None;
    }
}

fn mark(seen: &mut Vec<u64>, code: u32) {
    let word = code as usize / 64;
    if word >= seen.len() {
        seen.resize(word + 1, 0);
    }
    seen[word] |= 1 << (code % 64);
}

/// Codes that have occurred, without that of a missing value.
fn n_marked(seen: &[u64]) -> u64 {
    let all: u64 = seen.iter().map(|word| u64::from(word.count_ones())).sum();
    all - seen.first().map_or(0, |word| word & 1)
}
