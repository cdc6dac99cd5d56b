//! Records with equal keys as one class, and counting by class.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::keys::Semantics;
use crate::keys::codes::KeyCodes;
use crate::keys::packing::Packing;

/// Records with equal keys and equal visibility, collapsed.
pub(crate) struct Classes {
    /// Class of each record.
    pub(crate) of_record: Vec<u32>,
    /// Records and weight of each class.
    pub(crate) sizes: Vec<(u32, f64)>,
    /// Counted codes of each class, class by class.
    pub(crate) codes: Vec<u32>,
    pub(crate) n_keys: usize,
    /// Codes of each key go up to this.
    pub(crate) n_values: Vec<u32>,
    /// Keys that each class shows.
    pub(crate) visible: Vec<u64>,
    /// Keys that hold a value in the file that is counted.
    pub(crate) present: Vec<u64>,
}

impl Classes {
    pub(crate) fn new(
        keys: &[KeyCodes],
        counted: &[&[u32]],
        visible: &[u64],
        weights: Option<&[f64]>,
        semantics: Semantics,
    ) -> Self {
        let n = visible.len();
        let mut packing = Packing::new(n);
        for (key, codes) in keys.iter().zip(counted) {
            packing.add(key.n_values, |record| codes[record]);
        }
        if semantics == Semantics::Original {
            // Two records may hold the same values and show different ones.
            for (bit, _) in keys.iter().enumerate() {
                packing.add(1, |record| (visible[record] >> bit & 1) as u32);
            }
        }
        let (of_record, representatives) = packing.classes();
        let mut sizes = vec![(0, 0.0); representatives.len()];
        for (record, &class) in of_record.iter().enumerate() {
            let size: &mut (u32, f64) = &mut sizes[class as usize];
            size.0 += 1;
            size.1 += weights.map_or(1.0, |weights| weights[record]);
        }
        let codes: Vec<u32> = representatives
            .iter()
            .flat_map(|&record| counted.iter().map(move |codes| codes[record as usize]))
            .collect();
        let present = codes
            .chunks(keys.len())
            .map(|codes| {
                let bits = codes.iter().enumerate();
                bits.fold(0, |mask, (bit, &code)| mask | u64::from(code != 0) << bit)
            })
            .collect();
        Self {
            of_record,
            sizes,
            codes,
            n_keys: keys.len(),
            n_values: keys.iter().map(|key| key.n_values).collect(),
            visible: representatives
                .iter()
                .map(|&record| visible[record as usize])
                .collect(),
            present,
        }
    }

    /// Counted codes of one class.
    pub(crate) fn codes_of(&self, class: u32) -> &[u32] {
        let start = class as usize * self.n_keys;
        &self.codes[start..start + self.n_keys]
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
