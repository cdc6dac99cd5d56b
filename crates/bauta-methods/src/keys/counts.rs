//! Counts of keys apart from the records: what classes of equal keys there are, and how many records
//! and how much weight each holds.
//!
//! Counts of parts of a file merge into those of the whole, so that an engine can make them part by
//! part, elsewhere, and ask for frequencies once. Classes are numbered as they first occur: merged in
//! file order, parts give the very classes of the whole.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::error::MethodError;
use crate::keys::Semantics;
use crate::keys::codes::{Coding, KeyColumns};
use crate::keys::packing::Packing;

/// Records with equal keys and equal visibility, counted. Which record is in which class is not
/// known here.
#[derive(Clone, PartialEq, Debug)]
pub struct KeyCounts {
    /// What a missing value meant when records were told apart.
    pub(crate) semantics: Semantics,
    /// Records and weight of each class.
    pub(crate) sizes: Vec<(u32, f64)>,
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
        let mut sizes = vec![(0, 0.0); representatives.len()];
        for (record, &class) in of_record.iter().enumerate() {
            let size: &mut (u32, f64) = &mut sizes[class as usize];
            size.0 += 1;
            size.1 += weights.map_or(1.0, |weights| weights[record]);
        }
        let codes: Vec<u32> = representatives
            .iter()
            .flat_map(|&record| counted.iter().map(move |codes| codes.at(record as usize)))
            .collect();
        let present = codes
            .chunks(n_values.len())
            .map(|codes| {
                let bits = codes.iter().enumerate();
                bits.fold(0, |mask, (bit, &code)| mask | u64::from(code != 0) << bit)
            })
            .collect();
        let visible = representatives.iter().map(|&record| {
            let keys = shown.iter().enumerate();
            keys.fold(0, |mask, (bit, codes)| {
                mask | u64::from(codes.at(record as usize) != 0) << bit
            })
        });
        let counts = Self {
            semantics,
            sizes,
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
        self.sizes.iter().map(|&(n, _)| n as usize).sum()
    }

    /// Records of each class and the sum of their weights.
    pub fn sizes(&self) -> &[(u32, f64)] {
        &self.sizes
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
    /// the order of their part. Records are exact. Weights add the parts' sums: where the whole is
    /// counted at once they are added record by record, so that the last digits may differ unless
    /// the weights are whole numbers.
    pub fn merge(&mut self, next: &Self) -> Result<(), MethodError> {
        if (self.semantics, self.n_keys) != (next.semantics, next.n_keys) {
            return Err(MethodError::Internal(
                "counts of different keys, or under different semantics, were merged".to_owned(),
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
        let (merged, _) = packing.classes();
        let mut sizes = self.sizes.clone();
        for (&class, &(n, weight)) in merged[n_here..].iter().zip(&next.sizes) {
            match sizes.get_mut(class as usize) {
                None => sizes.push((n, weight)),
                Some(size) => *size = (size.0 + n, size.1 + weight),
            }
        }
        let is_new = |class: &usize| merged[n_here + class] as usize >= n_here;
        for class in (0..next.n_classes()).filter(is_new) {
            self.codes.extend(next.codes_of(class as u32));
            self.visible.push(next.visible[class]);
            self.present.push(next.present[class]);
        }
        (self.sizes, self.n_values) = (sizes, n_values);
        Ok(())
    }

    /// f and F of each class: the records that match it, itself included, and their weight.
    pub fn frequencies(&self) -> Vec<(u32, f64)> {
        match self.semantics {
            Semantics::Own => self.sizes.clone(),
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

    /// For each seeking class, the records that hold its values on the keys of `mask`, where `held`
    /// says which keys each class holds; a class without any is not counted.
    pub(crate) fn count_holders(
        &self,
        mask: u64,
        seekers: &[u32],
        held: &[Option<u64>],
    ) -> Vec<(u32, (u32, f64))> {
        let holders: Vec<u32> = (0..self.sizes.len() as u32)
            .filter(|&class| held[class as usize].is_some_and(|held| held & mask == mask))
            .collect();
        self.count_matches(mask, seekers, &holders)
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
        let held: Vec<Option<u64>> = self.present.iter().copied().map(Some).collect();
        let counted: Vec<Vec<(u32, (u32, f64))>> = groups
            .par_iter()
            .map(|(mask, seekers)| self.count_holders(*mask, seekers, &held))
            .collect();
        self.gather(counted)
    }

    /// Records and weight that match each class where both show something.
    pub(crate) fn count_wild(&self) -> Vec<(u32, f64)> {
        let groups = self.by_visibility();
        let counted: Vec<Vec<(u32, (u32, f64))>> = groups
            .par_iter()
            .flat_map_iter(|(mask, seekers)| {
                groups
                    .iter()
                    .map(move |(other, holders)| self.count_matches(mask & other, seekers, holders))
            })
            .collect();
        self.gather(counted)
    }

    /// For each seeking class, how many records of the holding classes equal it on `mask`.
    fn count_matches(&self, mask: u64, seekers: &[u32], holders: &[u32]) -> Vec<(u32, (u32, f64))> {
        let both: Vec<u32> = seekers.iter().chain(holders).copied().collect();
        let (groups, n_groups) = self.groups_on(mask, &both);
        let (seeking, holding) = groups.split_at(seekers.len());
        let mut totals = vec![(0, 0.0); n_groups];
        for (&group, &class) in holding.iter().zip(holders) {
            let total: &mut (u32, f64) = &mut totals[group as usize];
            total.0 += self.sizes[class as usize].0;
            total.1 += self.sizes[class as usize].1;
        }
        let found = seekers.iter().zip(seeking);
        found
            .map(|(&class, &group)| (class, totals[group as usize]))
            .collect()
    }

    fn gather(&self, counted: Vec<Vec<(u32, (u32, f64))>>) -> Vec<(u32, f64)> {
        let mut per_class = vec![(0, 0.0); self.sizes.len()];
        for (class, (f, big_f)) in counted.into_iter().flatten() {
            let total: &mut (u32, f64) = &mut per_class[class as usize];
            total.0 += f;
            total.1 += big_f;
        }
        per_class
    }
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
