//! Classes of equal keys: their records, the exact sum of their weights, and their first record.

mod batch;
mod store;

use std::collections::BTreeMap;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int64Type};
use arrow_schema::DataType;
use bauta_data::Watch;
use datafusion::functions_aggregate::expr_fn::{count, max, min, sum};
use datafusion::prelude::{Expr, cast, ident, lit};

pub use batch::ClassBatch;
pub use store::Classes;

use crate::error::{EngineError, TooManyClasses};
use crate::parts::{Parts, ROW};
use crate::session::Session;

/// In which order classes come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// By their first record: the order in which the in-memory code numbers them.
    FirstRow,
    /// Any, which may differ from run to run and saves a sort.
    Any,
}

/// How many classes there are of each size.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    by_size: BTreeMap<u64, u64>,
}

/// Classes that are smaller than a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Below {
    /// Their number.
    pub n_classes: u64,
    /// The records in them.
    pub n_records: u64,
}

impl Sizes {
    /// Number of classes.
    pub fn n_classes(&self) -> u64 {
        self.by_size.values().sum()
    }

    /// Number of records.
    pub fn n_records(&self) -> u64 {
        self.by_size.iter().map(|(size, n)| size * n).sum()
    }

    /// Records of the smallest class, if there are any.
    pub fn smallest(&self) -> Option<u64> {
        self.by_size.keys().next().copied()
    }

    /// What is in classes of fewer than `k` records.
    pub fn below(&self, k: u64) -> Below {
        let smaller = self.by_size.range(..k);
        smaller.fold(Below::default(), |below, (size, n)| Below {
            n_classes: below.n_classes + n,
            n_records: below.n_records + size * n,
        })
    }

    /// Sizes that occur, the smallest first, and how many classes have each.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.by_size.iter().map(|(&size, &n)| (size, n))
    }
}

impl Session {
    /// Counts classes and keeps them all, ordered by their first record. The column of weights has whole numbers of
    /// type `Decimal128(_, 0)`. If the classes do not fit into a quarter of the memory limit, the error says how many
    /// there are and which key has most values.
    pub fn count(
        &self,
        parts: &Parts,
        keys: &[&str],
        weight: Option<&str>,
        watch: &dyn Watch,
    ) -> Result<Classes, EngineError> {
        let widths = keys.iter().map(|key| {
            let width = parts.complete_column(key)?.primitive_width();
            Ok(width.unwrap_or_default() as u64)
        });
        let widths = widths.collect::<Result<Vec<u64>, EngineError>>()?;
        let mut store = store::Store::new(&widths, weight.is_some(), self.for_classes());
        self.each_class(parts, keys, weight, Order::FirstRow, watch, |batch| {
            store.add(batch)
        })?;
        store.classes().map_err(|(overflow, key)| {
            EngineError::TooManyClasses(Box::new(TooManyClasses {
                key: keys.get(key).copied().unwrap_or_default().to_owned(),
                limit: self.memory().unwrap_or(u64::MAX),
                ..overflow
            }))
        })
    }

    /// Counts classes and gives them away in batches, so that any number of them can be counted.
    pub fn each_class(
        &self,
        parts: &Parts,
        keys: &[&str],
        weight: Option<&str>,
        order: Order,
        watch: &dyn Watch,
        mut each: impl FnMut(&ClassBatch<'_>) -> Result<(), EngineError>,
    ) -> Result<(), EngineError> {
        check_columns(parts, keys, weight)?;
        if parts.n_records() == 0 {
            return Ok(());
        }
        let wide = match weight {
            Some(weight) => self.needs_wide_sums(parts, weight, watch)?,
            None => false,
        };
        let mut columns: Vec<Expr> = renamed(keys);
        columns.push(ident(ROW).alias("row"));
        let mut found = vec![count(lit(1)).alias("n"), min(ident("row")).alias("first")];
        if let Some(weight) = weight {
            let plain = ident(weight).alias("weight");
            columns.push(plain);
            let summand = if wide {
                cast(ident("weight"), DataType::Decimal256(76, 0))
            } else {
                ident("weight")
            };
            found.push(sum(summand).alias("sum"));
        }
        let unplanned = self.unplanned();
        let mut frame = parts
            .frame(self)?
            .select(columns)
            .and_then(|frame| frame.aggregate(key_columns(keys.len()), found))
            .map_err(&unplanned)?;
        if order == Order::FirstRow {
            let first = ident("first").sort(true, false);
            frame = frame.sort(vec![first]).map_err(&unplanned)?;
        }
        self.run(frame, parts.n_records(), watch, |batch| {
            each(&ClassBatch::of(batch, keys.len(), weight)?)
        })
    }

    /// How many classes there are of each size. Nothing of a class but its size leaves the engine.
    pub fn sizes(
        &self,
        parts: &Parts,
        keys: &[&str],
        watch: &dyn Watch,
    ) -> Result<Sizes, EngineError> {
        check_columns(parts, keys, None)?;
        let mut sizes = Sizes::default();
        if parts.n_records() == 0 {
            return Ok(sizes);
        }
        // Without keys, a column is still to be counted.
        let mut columns = renamed(keys);
        columns.push(ident(ROW).alias("row"));
        let frame = parts
            .frame(self)?
            .select(columns)
            .and_then(|frame| {
                frame.aggregate(key_columns(keys.len()), vec![count(lit(1)).alias("n")])
            })
            .and_then(|frame| {
                let n_classes = count(lit(1)).alias("classes");
                frame.aggregate(vec![ident("n")], vec![n_classes])
            })
            .map_err(self.unplanned())?;
        self.run(frame, parts.n_records(), watch, |batch| {
            let columns = [batch.column(0), batch.column(1)];
            let [size, n] = columns.map(|column| column.as_primitive_opt::<Int64Type>());
            let (Some(size), Some(n)) = (size, n) else {
                return Err(EngineError::Internal(
                    "counts are no whole numbers".to_owned(),
                ));
            };
            for (&size, &n) in size.values().iter().zip(n.values()) {
                *sizes.by_size.entry(size as u64).or_default() += n as u64;
            }
            Ok(())
        })?;
        Ok(sizes)
    }

    /// Whether the sum of a class might leave 128 bits. DataFusion's sums wrap around there without a word, so that it
    /// is known beforehand that they cannot, or they are taken in 256 bits and looked at afterwards.
    fn needs_wide_sums(
        &self,
        parts: &Parts,
        weight: &str,
        watch: &dyn Watch,
    ) -> Result<bool, EngineError> {
        let ends = vec![
            min(ident("weight")).alias("min"),
            max(ident("weight")).alias("max"),
        ];
        let frame = parts
            .frame(self)?
            .select(vec![ident(weight).alias("weight")])
            .and_then(|frame| frame.aggregate(Vec::new(), ends))
            .map_err(self.unplanned())?;
        let mut largest = 0_u128;
        self.run(frame, parts.n_records(), watch, |batch| {
            for column in batch.columns() {
                let Some(values) = column.as_primitive_opt::<Decimal128Type>() else {
                    return Err(EngineError::Internal("weights are no decimals".to_owned()));
                };
                let magnitudes = values.values().iter().map(|value| value.unsigned_abs());
                largest = magnitudes.fold(largest, u128::max);
            }
            Ok(())
        })?;
        let bound = largest.checked_mul(u128::from(parts.n_records()));
        Ok(bound.is_none_or(|bound| bound > i128::MAX as u128))
    }
}

/// Columns must be what is counted; anything else is a mistake of the caller.
fn check_columns(parts: &Parts, keys: &[&str], weight: Option<&str>) -> Result<(), EngineError> {
    let wrong = |name: &str, wanted: &str| {
        EngineError::Internal(format!("column `{name}` does not have {wanted}"))
    };
    for key in keys {
        let found = parts.complete_column(key)?;
        if !matches!(found, DataType::UInt8 | DataType::UInt16 | DataType::UInt32) {
            return Err(wrong(key, "codes without sign in up to 32 bits"));
        }
    }
    if *parts.complete_column(ROW)? != DataType::UInt32 {
        return Err(wrong(ROW, "whole numbers without sign in 32 bits"));
    }
    if let Some(weight) = weight
        && !matches!(parts.complete_column(weight)?, DataType::Decimal128(_, 0))
    {
        return Err(wrong(weight, "whole decimals in 128 bits"));
    }
    if parts.n_records() > u64::from(u32::MAX) {
        return Err(EngineError::Internal(
            "more records than 32 bits can number".to_owned(),
        ));
    }
    Ok(())
}

/// The keys under names that no other column can have, whatever they are called.
fn renamed(keys: &[&str]) -> Vec<Expr> {
    let keys = keys.iter().enumerate();
    keys.map(|(number, key)| ident(*key).alias(key_name(number)))
        .collect()
}

fn key_columns(n_keys: usize) -> Vec<Expr> {
    (0..n_keys).map(|number| ident(key_name(number))).collect()
}

fn key_name(number: usize) -> String {
    format!("key{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_add_up_below_a_size() {
        // Three classes of 1, two of 2, one of 5: 6 classes, 3 + 4 + 5 = 12 records.
        let by_size = BTreeMap::from([(1, 3), (2, 2), (5, 1)]);
        let sizes = Sizes { by_size };
        assert_eq!((sizes.n_classes(), sizes.n_records()), (6, 12));
        assert_eq!(sizes.smallest(), Some(1));
        let below = |n_classes, n_records| Below {
            n_classes,
            n_records,
        };
        assert_eq!(sizes.below(1), below(0, 0));
        assert_eq!(sizes.below(2), below(3, 3));
        assert_eq!(sizes.below(5), below(5, 7));
        assert_eq!(sizes.below(u64::MAX), below(6, 12));
    }
}
