//! The same file seen with one key less, or with one key coarser.
//!
//! Records are collapsed to classes once; each view counts classes, not records.

use bauta_data::{Column, Table};
use rayon::prelude::*;

use super::codes::{KeyCodes, key_codes, refuse_lost_numbers, visible_masks};
use super::packing::Packing;
use super::{Classes, MAX_KEYS, Semantics};
use crate::error::MethodError;
use crate::stats::benedetti_franconi::expected_inverse;
use crate::stats::sums::sum_by;

/// A file's keys, collapsed to classes.
pub(crate) struct KeyViews {
    classes: Classes,
    semantics: Semantics,
    /// A record of each class.
    representatives: Vec<u32>,
}

/// How much risk a view leaves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Remaining {
    /// Records that share their key with fewer than k.
    pub(crate) below: u64,
    /// Records alone with their key.
    pub(crate) uniques: u64,
    /// Σ E(1/F | f) over records.
    pub(crate) expected: f64,
}

impl KeyViews {
    /// Collapses a file to its classes.
    pub(crate) fn of(
        table: &Table,
        keys: &[usize],
        semantics: Semantics,
    ) -> Result<Self, MethodError> {
        if keys.is_empty() || keys.len() > MAX_KEYS {
            return Err(MethodError::request(
                format!(
                    "keys are counted for 1 to {MAX_KEYS} variables, not {}",
                    keys.len()
                ),
                "name the variables that an intruder could know",
            ));
        }
        if semantics == Semantics::Original {
            for &attr_idx in keys {
                refuse_lost_numbers(table.column(attr_idx))?;
            }
        }
        let weights = table.weight().and_then(Column::as_numeric);
        let codes: Vec<KeyCodes> = keys
            .par_iter()
            .map(|&attr_idx| key_codes(table.column(attr_idx)))
            .collect();
        let visible = visible_masks(&codes, table.n_records());
        let counted: Vec<&[u32]> = codes
            .iter()
            .map(|key| match (&key.before_suppression, semantics) {
                (Some(codes), Semantics::Original) => codes.as_slice(),
                _ => key.codes.as_slice(),
            })
            .collect();
        let classes = Classes::new(&codes, &counted, &visible, weights, semantics);
        let mut representatives = vec![u32::MAX; classes.sizes.len()];
        for (record, &class) in classes.of_record.iter().enumerate() {
            let first = &mut representatives[class as usize];
            *first = (*first).min(record as u32);
        }
        Ok(Self {
            classes,
            semantics,
            representatives,
        })
    }

    /// What there is, with every key as it stands.
    pub(crate) fn as_it_is(&self, k: i64) -> Remaining {
        let all = u64::MAX >> (MAX_KEYS - self.classes.n_keys);
        self.remaining(&self.counted(all), k)
    }

    /// What is left when one key is not known. Without any key everyone is equal.
    pub(crate) fn without(&mut self, key: usize, k: i64) -> Remaining {
        let kept = u64::MAX >> (MAX_KEYS - self.classes.n_keys) & !(1 << key);
        let shown = |masks: &[u64]| masks.iter().map(|mask| mask & kept).collect();
        let visible = shown(&self.classes.visible);
        let present = shown(&self.classes.present);
        let visible = std::mem::replace(&mut self.classes.visible, visible);
        let present = std::mem::replace(&mut self.classes.present, present);
        let left = self.remaining(&self.counted(kept), k);
        self.classes.visible = visible;
        self.classes.present = present;
        left
    }

    /// What is left when the values of one key become coarser: `code_of` gives the new code, from
    /// 0 to `n_codes` - 1, of a record's value.
    pub(crate) fn recoded(
        &mut self,
        key: usize,
        n_codes: usize,
        code_of: impl Fn(usize) -> u32,
        k: i64,
    ) -> Remaining {
        let n_keys = self.classes.n_keys;
        let n_values = std::mem::replace(&mut self.classes.n_values[key], n_codes as u32);
        let mut finer = Vec::with_capacity(self.representatives.len());
        let codes = self.classes.codes.iter_mut().skip(key).step_by(n_keys);
        for (code, &record) in codes.zip(&self.representatives) {
            finer.push(*code);
            if *code != 0 {
                *code = code_of(record as usize) + 1;
            }
        }
        let all = u64::MAX >> (MAX_KEYS - n_keys);
        let left = self.remaining(&self.counted(all), k);
        let codes = self.classes.codes.iter_mut().skip(key).step_by(n_keys);
        for (code, finer) in codes.zip(finer) {
            *code = finer;
        }
        self.classes.n_values[key] = n_values;
        left
    }

    /// f and F of each class on some of the keys.
    fn counted(&self, kept: u64) -> Vec<(u32, f64)> {
        match self.semantics {
            Semantics::Own => self.counted_as_they_are(kept),
            Semantics::Visible | Semantics::Original => self.classes.count_visible(),
            Semantics::Wild => self.classes.count_wild(),
        }
    }

    /// Classes that are equal on some keys, missing as a value of its own.
    fn counted_as_they_are(&self, kept: u64) -> Vec<(u32, f64)> {
        let n_keys = self.classes.n_keys;
        let mut packing = Packing::new(self.classes.sizes.len());
        for key in (0..n_keys).filter(|key| kept >> key & 1 == 1) {
            packing.add(self.classes.n_values[key], |class| {
                self.classes.codes[class * n_keys + key]
            });
        }
        let (groups, first) = packing.classes();
        let mut totals = vec![(0, 0.0); first.len()];
        for (&group, size) in groups.iter().zip(&self.classes.sizes) {
            let total: &mut (u32, f64) = &mut totals[group as usize];
            total.0 += size.0;
            total.1 += size.1;
        }
        groups.iter().map(|&group| totals[group as usize]).collect()
    }

    fn remaining(&self, counted: &[(u32, f64)], k: i64) -> Remaining {
        let sizes = &self.classes.sizes;
        let below = |k: i64| {
            let classes = counted.iter().zip(sizes);
            classes
                .filter(|((f, _), _)| i64::from(*f) < k)
                .map(|(_, (n_records, _))| u64::from(*n_records))
                .sum()
        };
        let risk = |class: usize| {
            let (f, big_f) = counted[class];
            f64::from(sizes[class].0) * expected_inverse(f64::from(f), big_f)
        };
        Remaining {
            below: below(k),
            uniques: below(2),
            expected: sum_by(sizes.len(), risk),
        }
    }
}
