//! Small files in parts, and sessions for them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Decimal128Array, RecordBatch, UInt8Array, UInt16Array, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use bauta_engine::{Classes, Compression, Layout, Limits, Parts, PartsWriter, Session};

/// A session with so many partitions, and so much memory.
pub(crate) fn session(spill: &Path, partitions: usize, memory: Option<u64>) -> Session {
    Session::local(&Limits {
        memory,
        spill: spill.to_owned(),
        partitions,
    })
    .expect("a session")
}

/// Numbers that look random and are the same in every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A file: keys with their names, and weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Records {
    pub(crate) keys: Vec<(String, Vec<u32>)>,
    pub(crate) weights: Option<Vec<i128>>,
}

/// What is known of a class: its first row, its size and the sum of its weights.
pub(crate) type Known = (u32, u32, i128);

impl Records {
    /// Records with so many values of each key, drawn anew.
    pub(crate) fn drawn(seed: u64, n: usize, n_values: &[u64]) -> Self {
        let mut numbers = Numbers(seed);
        let keys = n_values.iter().enumerate().map(|(key, &n_values)| {
            let codes = (0..n).map(|_| numbers.below(n_values) as u32);
            (format!("k{key}"), codes.collect())
        });
        Self {
            keys: keys.collect(),
            weights: None,
        }
    }

    pub(crate) fn with_weights(mut self, weight: impl FnMut(usize) -> i128) -> Self {
        self.weights = Some((0..self.n()).map(weight).collect());
        self
    }

    pub(crate) fn n(&self) -> usize {
        self.keys[0].1.len()
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.keys.iter().map(|(name, _)| name.as_str()).collect()
    }

    /// The column of weights, where there is one.
    pub(crate) fn weight(&self) -> Option<&'static str> {
        self.weights.as_ref().map(|_| "weight")
    }

    /// The classes, counted one record after the other and ordered by their first.
    pub(crate) fn plain_count(&self) -> Vec<(Vec<u32>, Known)> {
        let mut classes: HashMap<Vec<u32>, Known> = HashMap::new();
        for row in 0..self.n() {
            let codes: Vec<u32> = self.keys.iter().map(|(_, codes)| codes[row]).collect();
            let class = classes.entry(codes).or_insert((row as u32, 0, 0));
            class.1 += 1;
            class.2 += self.weights.as_ref().map_or(0, |weights| weights[row]);
        }
        let mut classes: Vec<_> = classes.into_iter().collect();
        classes.sort_by_key(|(_, (first, ..))| *first);
        classes
    }

    /// The records in parts of so many rows, in row groups that are smaller still.
    pub(crate) fn parts(&self, folder: &Path, rows_per_part: usize) -> Parts {
        let row: UInt32Array = (0..self.n() as u32).collect();
        let mut fields = vec![Field::new("row", DataType::UInt32, false)];
        let mut columns: Vec<ArrayRef> = vec![Arc::new(row)];
        for (name, codes) in &self.keys {
            let column = narrowest(codes);
            fields.push(Field::new(name, column.data_type().clone(), false));
            columns.push(column);
        }
        if let Some(weights) = &self.weights {
            let weights: Decimal128Array = weights.iter().copied().map(Some).collect();
            let weights = weights
                .with_precision_and_scale(38, 0)
                .expect("38 digits without a point");
            fields.push(Field::new("weight", DataType::Decimal128(38, 0), false));
            columns.push(Arc::new(weights));
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), columns).expect("a batch");
        write(folder, &batch, rows_per_part)
    }
}

/// Writes a batch in parts.
pub(crate) fn write(folder: &Path, batch: &RecordBatch, rows_per_part: usize) -> Parts {
    let layout = Layout {
        rows_per_group: rows_per_part.div_ceil(3),
        rows_per_part,
        compression: Compression::Lz4,
    };
    let mut writer = PartsWriter::new(folder, batch.schema(), layout);
    writer.write(batch).expect("parts are written");
    writer.finish().expect("parts are ended")
}

/// Codes in as few bytes as they need.
fn narrowest(codes: &[u32]) -> ArrayRef {
    match codes.iter().max().copied().unwrap_or(0) {
        0..=0xff => Arc::new(codes.iter().map(|&code| code as u8).collect::<UInt8Array>()),
        0x100..=0xffff => Arc::new(
            codes
                .iter()
                .map(|&code| code as u16)
                .collect::<UInt16Array>(),
        ),
        _ => Arc::new(codes.iter().copied().collect::<UInt32Array>()),
    }
}

/// Classes of the engine as those of a plain count.
pub(crate) fn listed(classes: &Classes) -> Vec<(Vec<u32>, Known)> {
    let list = (0..classes.n_classes()).map(|class| {
        let codes = classes
            .codes()
            .iter()
            .map(|codes| codes.at(class))
            .collect();
        let weight = classes.weights().map_or(0, |weights| weights[class]);
        (
            codes,
            (classes.first_rows()[class], classes.sizes()[class], weight),
        )
    });
    list.collect()
}
