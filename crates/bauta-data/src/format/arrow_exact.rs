//! Numbers that doubles cannot hold, as Arrow arrays.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringBuilder;
use arrow_schema::DataType;

use super::arrow_out::kept_text;
use super::arrow_types::typed_of;
use crate::column::{Categorical, Column};
use crate::decimal::Decimal;

/// The narrowest type that holds every number of a column with all its digits: the one that its
/// source had, whole numbers, decimals, and text where nothing else does.
pub(super) fn exact_type(column: &Column, exact: &Categorical) -> DataType {
    let extent = Extent::of(column, exact);
    let source = column.source_type();
    let own = source.filter(|data_type| extent.fits(data_type)).cloned();
    own.unwrap_or_else(|| extent.narrowest())
}

/// Some cells of a column as an array of a type; `None` where a number does not fit. Codes of missing
/// cells become null where they are no numbers.
pub(super) fn exact_array(
    column: &Column,
    exact: &Categorical,
    data_type: &DataType,
    records: Range<usize>,
) -> Option<ArrayRef> {
    let mut cells = StringBuilder::with_capacity(records.len(), records.len() * 20);
    // Exponents stand in texts only: Arrow reads few of them as decimals.
    let spelled = |text: &str| {
        let number = Decimal::parse(text)?;
        Some(match data_type {
            DataType::Utf8 => number.text(),
            _ => number.plain_text(),
        })
    };
    for record in records {
        match column.missing_mark(record) {
            None => cells.append_value(spelled(exact.levels.text(exact.codes.at(record)))?),
            Some(mark) => cells.append_option(kept_text(column, mark).and_then(spelled)),
        }
    }
    typed_of(&(Arc::new(cells.finish()) as ArrayRef), data_type)
}

/// How far the numbers of a column go.
struct Extent {
    /// Most digits in front of the decimal mark and behind it.
    n_whole: usize,
    n_decimals: usize,
    all_i64: bool,
    all_u64: bool,
}

impl Extent {
    fn of(column: &Column, exact: &Categorical) -> Self {
        let mut extent = Self {
            n_whole: 0,
            n_decimals: 0,
            all_i64: true,
            all_u64: true,
        };
        let mut occurs = vec![false; exact.levels.len()];
        for (record, code) in exact.codes.iter().enumerate() {
            if !column.is_missing(record) {
                occurs[code as usize] = true;
            }
        }
        let levels = exact.levels.iter().zip(occurs);
        for (text, _) in levels.filter(|(_, occurs)| *occurs) {
            extent.include(text);
        }
        for mark in column.missing().map_or(&[][..], |cells| cells.marks()) {
            if let Some(code) = kept_text(column, mark).and_then(Decimal::parse) {
                extent.include(&code.text());
            }
        }
        extent
    }

    fn include(&mut self, text: &str) {
        if let Some(number) = Decimal::parse(text) {
            self.n_whole = self.n_whole.max(number.n_whole_digits());
            self.n_decimals = self.n_decimals.max(number.n_decimals());
            self.all_i64 &= text.parse::<i64>().is_ok();
            self.all_u64 &= text.parse::<u64>().is_ok();
        }
    }

    fn fits(&self, data_type: &DataType) -> bool {
        match data_type {
            DataType::Int64 => self.all_i64,
            DataType::UInt64 => self.all_u64,
            DataType::Decimal128(precision, scale) | DataType::Decimal256(precision, scale) => {
                let scale = usize::try_from(*scale).unwrap_or(0);
                self.n_decimals <= scale && self.n_whole + scale <= usize::from(*precision)
            }
            _ => false,
        }
    }

    fn narrowest(&self) -> DataType {
        if self.all_i64 {
            return DataType::Int64;
        }
        if self.all_u64 {
            return DataType::UInt64;
        }
        let n_digits = self.n_whole.saturating_add(self.n_decimals);
        match (u8::try_from(n_digits), i8::try_from(self.n_decimals)) {
            (Ok(precision @ ..=38), Ok(scale)) => DataType::Decimal128(precision, scale),
            (Ok(precision @ ..=76), Ok(scale)) => DataType::Decimal256(precision, scale),
            _ => DataType::Utf8,
        }
    }
}
