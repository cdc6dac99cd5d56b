//! Some classes, as they come out of the engine.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal128Type, Decimal256Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_buffer::i256;

use crate::error::EngineError;

/// Some classes. Their numbers count from 0 within the batch.
#[derive(Debug)]
pub struct ClassBatch<'a> {
    codes: Vec<KeyCodes<'a>>,
    sizes: &'a [i64],
    first_rows: &'a [u32],
    weights: Option<Sums<'a>>,
    weight: &'a str,
}

/// Codes of one key, in the bytes that its column has.
#[derive(Clone, Copy, Debug)]
enum KeyCodes<'a> {
    One(&'a [u8]),
    Two(&'a [u16]),
    Four(&'a [u32]),
}

/// Sums of weights, as wide as they were taken.
#[derive(Clone, Copy, Debug)]
enum Sums<'a> {
    Plain(&'a [i128]),
    Wide(&'a [i256]),
}

impl<'a> ClassBatch<'a> {
    /// The columns of a batch: keys, size, first record, and the sum of weights where there are weights.
    pub(super) fn of(
        batch: &'a RecordBatch,
        n_keys: usize,
        weight: Option<&'a str>,
    ) -> Result<Self, EngineError> {
        let unexpected = || EngineError::Internal("classes came in other columns".to_owned());
        let columns = batch.columns();
        if columns.iter().any(|column| column.null_count() > 0) {
            return Err(EngineError::Internal("classes came with nulls".to_owned()));
        }
        let (keys, found) = columns.split_at_checked(n_keys).ok_or_else(unexpected)?;
        let [sizes, first_rows, rest @ ..] = found else {
            return Err(unexpected());
        };
        let codes = keys.iter().map(|column| KeyCodes::of(column));
        let weights = match (weight, rest) {
            (None, []) => None,
            (Some(_), [sums]) => Some(Sums::of(sums).ok_or_else(unexpected)?),
            _ => return Err(unexpected()),
        };
        Ok(Self {
            codes: codes.collect::<Option<_>>().ok_or_else(unexpected)?,
            sizes: sizes
                .as_primitive_opt::<Int64Type>()
                .ok_or_else(unexpected)?
                .values(),
            first_rows: first_rows
                .as_primitive_opt::<UInt32Type>()
                .ok_or_else(unexpected)?
                .values(),
            weights,
            weight: weight.unwrap_or_default(),
        })
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The code that a class has for a key; 0 is missing.
    pub fn code(&self, class: usize, key: usize) -> u32 {
        match self.codes[key] {
            KeyCodes::One(codes) => u32::from(codes[class]),
            KeyCodes::Two(codes) => u32::from(codes[class]),
            KeyCodes::Four(codes) => codes[class],
        }
    }

    /// Records of a class.
    pub fn size(&self, class: usize) -> u32 {
        self.sizes[class] as u32
    }

    /// The smallest row of a class.
    pub fn first_row(&self, class: usize) -> u32 {
        self.first_rows[class]
    }

    /// The exact sum of a class's weights; none where records have no weights.
    pub fn weight(&self, class: usize) -> Result<Option<i128>, EngineError> {
        match self.weights {
            None => Ok(None),
            Some(Sums::Plain(sums)) => Ok(Some(sums[class])),
            Some(Sums::Wide(sums)) => match sums[class].to_i128() {
                Some(sum) => Ok(Some(sum)),
                None => Err(EngineError::WeightOverflow {
                    column: self.weight.to_owned(),
                }),
            },
        }
    }
}

impl<'a> KeyCodes<'a> {
    fn of(column: &'a dyn Array) -> Option<Self> {
        if let Some(codes) = column.as_primitive_opt::<UInt8Type>() {
            return Some(Self::One(codes.values()));
        }
        if let Some(codes) = column.as_primitive_opt::<UInt16Type>() {
            return Some(Self::Two(codes.values()));
        }
        let codes = column.as_primitive_opt::<UInt32Type>()?;
        Some(Self::Four(codes.values()))
    }
}

impl<'a> Sums<'a> {
    fn of(column: &'a dyn Array) -> Option<Self> {
        if let Some(sums) = column.as_primitive_opt::<Decimal128Type>() {
            return Some(Self::Plain(sums.values()));
        }
        let sums = column.as_primitive_opt::<Decimal256Type>()?;
        Some(Self::Wide(sums.values()))
    }
}
