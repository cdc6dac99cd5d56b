//! Classes of keys that lie in files: a block of records is in memory at a time.
//!
//! What was counted of the blocks is merged in file order, or by whoever counts for the store; both give the classes of
//! the whole, to the last bit of their weights. What stays in memory is the class of each record, four bytes.

use std::ops::Range;
use std::path::Path;

use bauta_data::store::{CountFailed, CountedClasses, CountsClasses};
use bauta_data::{Codes, Role, Table};
use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::error::MethodError;
use crate::kernel::numbers::exact_sum::{ExactSums, Scale};
use crate::keys::Semantics;
use crate::keys::classes::Classes;
use crate::keys::codes::{Coding, KeyColumns, check_number};
use crate::keys::counts::{GivenClasses, KeyCounts};

/// Blocks of the store that are counted together.
const STORE_BLOCKS: usize = 16;

/// Whether records count by their weights too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Weighing {
    /// By the weights of the table, if it has some.
    Weights,
    /// Each is one.
    Records,
}

impl Classes {
    /// Collapses the records of a table with equal keys and equal visibility.
    pub(crate) fn of_table(
        table: &Table,
        keys: &[usize],
        weighing: Weighing,
        semantics: Semantics,
    ) -> Result<Self, MethodError> {
        if let Some(classes) = Self::of_stored(table, keys, weighing, semantics)? {
            return Ok(classes);
        }
        let weight = match weighing {
            Weighing::Weights => table.weight(),
            Weighing::Records => None,
        };
        let weights = weight.and_then(bauta_data::Column::as_numeric);
        let keys = KeyColumns::of(table, keys, semantics)?;
        Ok(Self::of(&keys, weights, semantics))
    }

    /// The same of keys that lie in files, block by block; none where they are in memory or can all be read into it.
    pub(crate) fn of_stored(
        table: &Table,
        keys: &[usize],
        weighing: Weighing,
        semantics: Semantics,
    ) -> Result<Option<Self>, MethodError> {
        let weight = match weighing {
            Weighing::Weights => table.with_role(Role::Weight).first().copied(),
            Weighing::Records => None,
        };
        if check_number(keys.len()).is_err() || table.n_records() == 0 {
            return Ok(None);
        }
        let columns = || keys.iter().chain(&weight).map(|&at| table.column(at));
        let are_stored = columns().all(bauta_data::Column::is_stored);
        let are_coded = keys
            .iter()
            .all(|&key| table.column(key).stored_levels().is_some());
        let is_weighed = weight.is_none_or(|weight| table.column(weight).is_numeric());
        if !are_stored || !are_coded || !is_weighed {
            return Ok(None);
        }
        let counter = table.column(keys[0]).counted_elsewhere();
        let n_bytes: u64 = columns().map(bauta_data::Column::bytes_to_read).sum();
        // Codes of keys are copied where they are counted.
        if counter.is_none() && n_bytes.saturating_mul(2) <= table.column(keys[0]).room_in_store() {
            return Ok(None);
        }
        let blocks = Blocks {
            table,
            keys,
            weight,
            semantics,
        };
        match counter {
            Some(counter) => blocks.counted_by(counter.as_ref()),
            None => blocks.merged(),
        }
        .map(Some)
    }
}

/// The keys of a table, block by block.
struct Blocks<'a> {
    table: &'a Table,
    keys: &'a [usize],
    weight: Option<usize>,
    semantics: Semantics,
}

impl Blocks<'_> {
    /// The records of each block.
    fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let n = self.table.n_records();
        let of_store = self
            .table
            .column(self.keys[0])
            .block_in_store()
            .unwrap_or(n);
        let length = of_store.saturating_mul(STORE_BLOCKS).max(1);
        (0..n)
            .step_by(length)
            .map(move |first| first..n.min(first.saturating_add(length)))
    }

    /// Goes through the blocks: their keys as codes, and their weights.
    fn each(
        &self,
        mut with: impl FnMut(&KeyColumns, Option<&[f64]>) -> Result<(), MethodError>,
    ) -> Result<(), MethodError> {
        let wanted: Vec<usize> = self.keys.iter().chain(&self.weight).copied().collect();
        let on: Vec<usize> = (0..self.keys.len()).collect();
        for records in self.ranges() {
            let block = self.table.block_of(&wanted, records);
            let codes = KeyColumns::of(&block, &on, self.semantics)?;
            let weights = self
                .weight
                .and_then(|_| block.column(on.len()).as_numeric());
            with(&codes, weights)?;
        }
        Ok(())
    }

    /// Counts block by block, and merges what was counted.
    fn merged(&self) -> Result<Classes, MethodError> {
        let mut of_record = Vec::with_capacity(self.table.n_records());
        let mut all: Option<KeyCounts> = None;
        self.each(|keys, weights| {
            let (counts, classes) = KeyCounts::with_classes(keys, weights, self.semantics);
            match &mut all {
                None => {
                    of_record.extend(classes);
                    all = Some(counts);
                }
                Some(all) => {
                    let merged = all.merge_traced(&counts)?;
                    of_record.extend(classes.into_iter().map(|class| merged[class as usize]));
                }
            }
            Ok(())
        })?;
        let counts = all.ok_or_else(|| MethodError::Internal("no block was counted".to_owned()))?;
        Ok(Classes { counts, of_record })
    }

    /// Has the classes counted elsewhere, and looks up which record is in which.
    fn counted_by(&self, counter: &dyn CountsClasses) -> Result<Classes, MethodError> {
        let scale = self.scale()?;
        if scale.is_some_and(|scale| !scale.fits_128()) {
            // Weights that lie so far apart are added here alone.
            return self.merged();
        }
        let n_levels = |&key: &usize| {
            let levels = self.table.column(key).stored_levels();
            levels.map_or(0, |levels| levels.len() as u32)
        };
        let n_values: Vec<u32> = self.keys.iter().map(n_levels).collect();
        let mut largest = n_values.clone();
        if self.semantics == Semantics::Original {
            largest.extend(self.keys.iter().map(|_| 1));
        }
        let folder = self.table.column(self.keys[0]).store_folder();
        let folder = folder.unwrap_or(Path::new(""));
        let count = counter.begin(folder, &largest, scale.is_some());
        let mut count = count.map_err(failed)?;
        self.each(|keys, weights| {
            let units = match (scale, weights) {
                (Some(scale), Some(weights)) => {
                    let units = weights.iter().map(|&weight| scale.units(weight));
                    let units: Option<Vec<i128>> = units.collect();
                    Some(units.ok_or_else(|| {
                        MethodError::Internal("a weight is beyond all weights".to_owned())
                    })?)
                }
                _ => None,
            };
            count
                .add(&self.columns_of(keys), units.as_deref())
                .map_err(failed)
        })?;
        let found = count.finish().map_err(failed)?;
        let counts = self.counts(&found, n_values, scale)?;
        let of_record = self.classes_of_records(&counts)?;
        Ok(Classes { counts, of_record })
    }

    /// What there is to know of all weights before any is added.
    fn scale(&self) -> Result<Option<Scale>, MethodError> {
        let Some(weight) = self.weight else {
            return Ok(None);
        };
        let mut scale = Scale::default();
        for records in self.ranges() {
            let block = self.table.block_of(&[weight], records);
            let weights = block.column(0).as_numeric();
            let weights = weights.ok_or_else(|| {
                MethodError::Internal("weights that are numbers were read as texts".to_owned())
            })?;
            scale = scale.merge(Scale::of(weights));
        }
        Ok(Some(scale))
    }

    /// The columns that records are told apart by: the codes that are counted, and under `original` what is shown.
    fn columns_of(&self, keys: &KeyColumns) -> Vec<Codes> {
        let counted = keys.counted(self.semantics).into_iter().cloned();
        let shown = keys
            .shown()
            .into_iter()
            .filter(|_| self.semantics == Semantics::Original);
        let shown = shown.map(|codes| codes.iter().map(|code| u32::from(code != 0)).collect());
        counted.chain(shown).collect()
    }

    fn counts(
        &self,
        found: &CountedClasses,
        n_values: Vec<u32>,
        scale: Option<Scale>,
    ) -> Result<KeyCounts, MethodError> {
        let (n_keys, n_classes) = (n_values.len(), found.n_records.len());
        let codes = |class: usize| found.codes[..n_keys].iter().map(move |key| key.at(class));
        let visible = |class: usize| {
            let shown = found.codes[n_keys..].iter().enumerate();
            shown.fold(0, |mask, (bit, shown)| {
                mask | u64::from(shown.at(class)) << bit
            })
        };
        let weights = match (scale, &found.weights) {
            (Some(scale), Some(units)) => ExactSums::of_units(scale, units),
            _ => None,
        };
        if weights.is_some() != scale.is_some() {
            return Err(MethodError::Internal(
                "weights of classes came back that do not fit".to_owned(),
            ));
        }
        let given = GivenClasses {
            codes: (0..n_classes).flat_map(codes).collect(),
            visible: (self.semantics == Semantics::Original)
                .then(|| (0..n_classes).map(visible).collect()),
            n_values,
            n_records: found.n_records.clone(),
            weights,
            coding: Coding::Shared,
        };
        KeyCounts::from_classes(given, self.semantics)
    }

    fn classes_of_records(&self, counts: &KeyCounts) -> Result<Vec<u32>, MethodError> {
        let mut numbers: HashMap<(&[u32], u64), u32, FixedState> = HashMap::default();
        for class in 0..counts.n_classes() as u32 {
            numbers.insert(
                (counts.codes_of(class), self.shown_by(counts, class)),
                class,
            );
        }
        let mut of_record = Vec::with_capacity(self.table.n_records());
        self.each(|keys, _| {
            let (block, classes) = KeyCounts::with_classes(keys, None, self.semantics);
            let number = |class: u32| {
                let key = (block.codes_of(class), self.shown_by(&block, class));
                let number = numbers.get(&key).copied();
                number.ok_or_else(|| {
                    MethodError::Internal("a record is in no class that was counted".to_owned())
                })
            };
            let numbers: Result<Vec<u32>, MethodError> =
                (0..block.n_classes() as u32).map(number).collect();
            let numbers = numbers?;
            of_record.extend(classes.into_iter().map(|class| numbers[class as usize]));
            Ok(())
        })?;
        Ok(of_record)
    }

    /// What tells classes of the same codes apart.
    fn shown_by(&self, counts: &KeyCounts, class: u32) -> u64 {
        match self.semantics {
            Semantics::Original => counts.shown_by(class),
            Semantics::Own | Semantics::Visible | Semantics::Wild => 0,
        }
    }
}

fn failed(error: CountFailed) -> MethodError {
    match error {
        CountFailed::Cancelled => MethodError::Cancelled,
        CountFailed::Refused { message, hint } => MethodError::request(message, hint),
    }
}
