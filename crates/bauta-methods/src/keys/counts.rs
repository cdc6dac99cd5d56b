//! Counts of keys apart from the records: what classes of equal keys there are, and how many records
//! and how much weight each holds.
//!
//! Counts of parts of a file merge into those of the whole, so that an engine can make them part by
//! part, elsewhere, and ask for frequencies once. Classes are numbered as they first occur: merged in
//! file order, parts give the very classes of the whole.

mod given;

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::error::MethodError;
use crate::kernel::numbers::exact_sum::ExactSums;
use crate::keys::Semantics;
use crate::keys::codes::{Coding, KeyColumns};
use crate::keys::packing::Packing;

pub use given::GivenClasses;

/// Records with equal keys and equal visibility, counted. Which record is in which class is not
/// known here.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyCounts {
    /// What a missing value meant when records were told apart.
    pub(crate) semantics: Semantics,
    /// Records of each class.
    pub(crate) sizes: Vec<u32>,
    /// Sums of their weights; none where each record weighs 1.
    pub(crate) weights: Option<ExactSums>,
    /// Counted codes of each class, class by class: under `original` those before suppression.
    pub(crate) codes: Vec<u32>,
    pub(crate) n_keys: usize,
    /// Codes of each key go up to this.
    pub(crate) n_values: Vec<u32>,
    /// Keys that each class shows.
    pub(crate) visible: Vec<u64>,
    /// Keys that hold a value in the file that is counted.
    pub(crate) present: Vec<u64>,
    /// Whether codes mean the same in other parts of the file.
    pub(super) coding: Coding,
}

impl KeyCounts {
    /// Counts the records of a file or of a part of it; each weighs 1 where there are no weights.
    pub fn of(
        keys: &KeyColumns,
        weights: Option<&[f64]>,
        semantics: Semantics,
    ) -> Result<Self, MethodError> {
        if weights.is_some_and(|weights| weights.len() != keys.n) {
            return Err(MethodError::Internal(
                "weights were given for other records than those that are counted".to_owned(),
            ));
        }
        Ok(Self::with_classes(keys, weights, semantics).0)
    }

    /// The counts, and the class of each record.
    pub(super) fn with_classes(
        keys: &KeyColumns,
        weights: Option<&[f64]>,
        semantics: Semantics,
    ) -> (Self, Vec<u32>) {
        let shown = keys.shown();
        let counted = keys.counted(semantics);
        let n_values = keys.n_values();
        let mut packing = Packing::new(keys.n);
        for (&max, codes) in n_values.iter().zip(&counted) {
            packing.add_key(max, codes);
        }
        add_visibility(&mut packing, semantics, n_values.len(), |record, key| {
            shown[key].at(record) != 0
        });
        let (of_record, representatives) = packing.classes();
        let mut sizes = vec![0; representatives.len()];
        for &class in &of_record {
            sizes[class as usize] += 1;
        }
        let weights = weights.map(|weights| ExactSums::by_cell(weights, &of_record, sizes.len()));
        let codes: Vec<u32> = representatives
            .iter()
            .flat_map(|&record| counted.iter().map(move |codes| codes.at(record as usize)))
            .collect();
        let present = held_by(&codes, n_values.len());
        let visible = representatives.iter().map(|&record| {
            let keys = shown.iter().enumerate();
            keys.fold(0, |mask, (bit, codes)| {
                mask | u64::from(codes.at(record as usize) != 0) << bit
            })
        });
        let counts = Self {
            semantics,
            sizes,
            weights,
            codes,
            n_keys: n_values.len(),
            n_values,
            visible: visible.collect(),
            present,
            coding: keys.coding(),
        };
        (counts, of_record)
    }

    /// What a missing value meant when records were told apart.
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.sizes.len()
    }

    /// Number of records in all classes.
    pub fn n_records(&self) -> usize {
        self.sizes.iter().map(|&n| n as usize).sum()
    }

    /// Records of each class and the sum of their weights.
    pub fn sizes(&self) -> Vec<(u32, f64)> {
        with_weights(&self.sizes, self.weights.as_ref())
    }

    /// Counted codes of one class, a key each; 0 is missing.
    pub fn codes_of(&self, class: u32) -> &[u32] {
        let start = class as usize * self.n_keys;
        &self.codes[start..start + self.n_keys]
    }

    /// Keys that a class shows, a bit each.
    pub fn shown_by(&self, class: u32) -> u64 {
        self.visible[class as usize]
    }

    /// Adds the counts of the next part of the file, by the same keys in the same coding. Classes are
    /// matched by their codes (and by what they show, under `original`); those that are new follow in
    /// the order of their part. Sums of weights are exact: parts give the very counts of the whole, however it
    /// is parted.
    pub fn merge(&mut self, next: &Self) -> Result<(), MethodError> {
        self.merge_traced(next).map(drop)
    }

    /// The same, and which class each of the part's became.
    pub(super) fn merge_traced(&mut self, next: &Self) -> Result<Vec<u32>, MethodError> {
        if (self.semantics, self.n_keys) != (next.semantics, next.n_keys) {
            return Err(MethodError::Internal(
                "counts of different keys, or under different semantics, were merged".to_owned(),
            ));
        }
        if self.weights.is_some() != next.weights.is_some() {
            return Err(MethodError::Internal(
                "counts with weights and counts without were merged".to_owned(),
            ));
        }
        if [self.coding, next.coding].contains(&Coding::Own) {
            return Err(MethodError::Internal(
                "the numbers of a key have other codes in each part: code them for all parts first"
                    .to_owned(),
            ));
        }
        if u32::try_from(self.n_records() + next.n_records()).is_err() {
            return Err(MethodError::request(
                format!("keys are counted for up to {} records", u32::MAX),
                "count a part of the file",
            ));
        }
        let n_values = self.n_values.iter().zip(&next.n_values);
        let n_values: Vec<u32> = n_values.map(|(&a, &b)| a.max(b)).collect();
        let (n_here, n_keys) = (self.n_classes(), self.n_keys);
        let codes = [self.codes.as_slice(), &next.codes].concat();
        let visible = [self.visible.as_slice(), &next.visible].concat();
        let mut packing = Packing::new(n_here + next.n_classes());
        for (key, &max) in n_values.iter().enumerate() {
            packing.add(max, |class| codes[class * n_keys + key]);
        }
        add_visibility(&mut packing, self.semantics, n_keys, |class, key| {
            visible[class] >> key & 1 == 1
        });
        let (merged, first) = packing.classes();
        let to = || merged[n_here..].iter().map(|&class| class as usize);
        let mut sizes = self.sizes.clone();
        sizes.resize(first.len(), 0);
        for (class, &n) in to().zip(&next.sizes) {
            sizes[class] += n;
        }
        if let (Some(weights), Some(more)) = (&mut self.weights, &next.weights) {
            weights.merge(more, first.len(), to());
        }
        let is_new = |class: &usize| merged[n_here + class] as usize >= n_here;
        for class in (0..next.n_classes()).filter(is_new) {
            self.codes.extend(next.codes_of(class as u32));
            self.visible.push(next.visible[class]);
            self.present.push(next.present[class]);
        }
        (self.sizes, self.n_values) = (sizes, n_values);
        Ok(merged[n_here..].to_vec())
    }

    /// f and F of each class: the records that match it, itself included, and their weight.
    pub fn frequencies(&self) -> Vec<(u32, f64)> {
        match self.semantics {
            Semantics::Own => self.sizes(),
            Semantics::Visible | Semantics::Original => self.count_visible(),
            Semantics::Wild => self.count_wild(),
        }
    }

    /// Number of different keys that the file shows.
    pub fn n_shown(&self) -> usize {
        if self.visible == self.present {
            return self.n_classes();
        }
        let mut packing = Packing::new(self.n_classes());
        for (key, &max) in self.n_values.iter().enumerate() {
            packing.add(max, |class| {
                let is_shown = self.visible[class] >> key & 1 == 1;
                u32::from(is_shown) * self.codes[class * self.n_keys + key]
            });
        }
        packing.classes().1.len()
    }

    /// What a class holds on the keys of a mask; 0 on the others.
    pub(crate) fn key_on(&self, class: u32, mask: u64) -> Box<[u32]> {
        on_mask(self.codes_of(class), mask)
    }

    /// For each seeking class, how many records hold its values on the keys of `mask`, where `held` says which
    /// keys each class holds; a class without any is not counted.
    pub(crate) fn count_holders(
        &self,
        mask: u64,
        seekers: &[u32],
        held: &[Option<u64>],
    ) -> Vec<u32> {
        let holds = |held: &Option<u64>| held.is_some_and(|held| held & mask == mask);
        let holders = self.classes_where(|class| holds(&held[class]));
        let (seeking, holding, n_groups) = self.groups_of(mask, seekers, &holders);
        self.records_of(&seeking, &holding, &holders, n_groups)
    }

    /// Classes by the keys that they show, in a fixed order.
    pub(crate) fn by_visibility(&self) -> Vec<(u64, Vec<u32>)> {
        let mut groups: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (class, &mask) in self.visible.iter().enumerate() {
            groups.entry(mask).or_default().push(class as u32);
        }
        groups.into_iter().collect()
    }

    /// Group number of each listed class when only the keys in `mask` are compared.
    pub(crate) fn groups_on(&self, mask: u64, classes: &[u32]) -> (Vec<u32>, usize) {
        let mut packing = Packing::new(classes.len());
        for bit in (0..self.n_keys).filter(|bit| mask >> bit & 1 == 1) {
            packing.add(self.n_values[bit], |i| {
                self.codes[classes[i] as usize * self.n_keys + bit]
            });
        }
        let (groups, representatives) = packing.classes();
        (groups, representatives.len())
    }

    /// Records and weight that match each class on what it shows.
    pub(crate) fn count_visible(&self) -> Vec<(u32, f64)> {
        let groups = self.by_visibility();
        let counted: Vec<Matches<'_>> = groups
            .par_iter()
            .map(|(mask, seekers)| {
                let holders = self.classes_where(|class| self.present[class] & mask == *mask);
                self.count_matches(*mask, seekers, &holders)
            })
            .collect();
        self.gather(&counted)
    }

    /// Records and weight that match each class where both show something.
    pub(crate) fn count_wild(&self) -> Vec<(u32, f64)> {
        let groups = self.by_visibility();
        let counted: Vec<Matches<'_>> = groups
            .par_iter()
            .flat_map_iter(|(mask, seekers)| {
                groups
                    .iter()
                    .map(move |(other, holders)| self.count_matches(mask & other, seekers, holders))
            })
            .collect();
        self.gather(&counted)
    }

    fn classes_where(&self, wanted: impl Fn(usize) -> bool) -> Vec<u32> {
        let classes = 0..self.sizes.len() as u32;
        classes.filter(|&class| wanted(class as usize)).collect()
    }

    /// Groups of the seeking and of the holding classes that are equal on `mask`, and their number.
    fn groups_of(
        &self,
        mask: u64,
        seekers: &[u32],
        holders: &[u32],
    ) -> (Vec<u32>, Vec<u32>, usize) {
        let both: Vec<u32> = seekers.iter().chain(holders).copied().collect();
        let (mut seeking, n_groups) = self.groups_on(mask, &both);
        let holding = seeking.split_off(seekers.len());
        (seeking, holding, n_groups)
    }

    /// The records of the holding classes in the group of each seeking one.
    fn records_of(
        &self,
        seeking: &[u32],
        holding: &[u32],
        holders: &[u32],
        n_groups: usize,
    ) -> Vec<u32> {
        let mut totals = vec![0; n_groups];
        for (&group, &class) in holding.iter().zip(holders) {
            totals[group as usize] += self.sizes[class as usize];
        }
        let groups = seeking.iter();
        groups.map(|&group| totals[group as usize]).collect()
    }

    /// For each seeking class, the records and the weight of the holding classes that equal it on `mask`.
    fn count_matches<'a>(&self, mask: u64, seekers: &'a [u32], holders: &[u32]) -> Matches<'a> {
        let (seeking, holding, n_groups) = self.groups_of(mask, seekers, holders);
        let weights = self.weights.as_ref().map(|weights| {
            let held = holding.iter().zip(holders);
            let held = held.map(|(&group, &class)| (group as usize, class as usize));
            let of_groups = weights.grouped(n_groups, held);
            of_groups.selected(seeking.iter().map(|&group| group as usize))
        });
        Matches {
            seekers,
            n: self.records_of(&seeking, &holding, holders, n_groups),
            weights,
        }
    }

    fn gather(&self, counted: &[Matches<'_>]) -> Vec<(u32, f64)> {
        let n_classes = self.n_classes();
        let mut sizes = vec![0; n_classes];
        let mut weights =
            (self.weights.as_ref()).map(|weights| ExactSums::zeros(weights.scale(), n_classes));
        for matches in counted {
            let to = || matches.seekers.iter().map(|&class| class as usize);
            for (class, &n) in to().zip(&matches.n) {
                sizes[class] += n;
            }
            if let (Some(weights), Some(more)) = (&mut weights, &matches.weights) {
                weights.add_from(more, to().zip(0..));
            }
        }
        with_weights(&sizes, weights.as_ref())
    }
}

/// What matches each of some classes.
struct Matches<'a> {
    seekers: &'a [u32],
    /// Records that match each of them.
    n: Vec<u32>,
    /// Their weight.
    weights: Option<ExactSums>,
}

/// Records and weight of classes; without weights each record weighs 1.
fn with_weights(sizes: &[u32], weights: Option<&ExactSums>) -> Vec<(u32, f64)> {
    match weights {
        Some(weights) => sizes.iter().copied().zip(weights.all_nearest()).collect(),
        None => sizes.iter().map(|&n| (n, f64::from(n))).collect(),
    }
}

/// The keys that hold a value in each class.
fn held_by(codes: &[u32], n_keys: usize) -> Vec<u64> {
    let held = |codes: &[u32]| {
        let bits = codes.iter().enumerate();
        bits.fold(0, |mask, (bit, &code)| mask | u64::from(code != 0) << bit)
    };
    codes.chunks(n_keys).map(held).collect()
}

/// The codes on the keys of a mask, 0 on the others.
pub(crate) fn on_mask(codes: &[u32], mask: u64) -> Box<[u32]> {
    let codes = codes.iter().enumerate();
    codes
        .map(|(key, &code)| if mask >> key & 1 == 1 { code } else { 0 })
        .collect()
}

/// Under `original` two records may hold the same values and show different ones.
fn add_visibility(
    packing: &mut Packing,
    semantics: Semantics,
    n_keys: usize,
    is_visible: impl Fn(usize, usize) -> bool + Sync,
) {
    if semantics == Semantics::Original {
        for key in 0..n_keys {
            packing.add(1, |at| u32::from(is_visible(at, key)));
        }
    }
}
