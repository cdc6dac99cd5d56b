//! What has a weight: records, or households whose members share one.

use std::collections::HashMap;

use crate::adjust::calibration::design::Design;
use crate::adjust::calibration::margins::Margins;
use crate::kernel::numbers::exact_sum::ExactSums;
use crate::keys::packing::{Packing, number};

/// Units, their starting weights and their q.
pub(crate) struct Units {
    /// The unit of each record; none where records are the units.
    pub(crate) of_record: Option<Vec<u32>>,
    /// Starting weight of each unit, not scaled.
    pub(crate) d: Vec<f64>,
    /// q of each unit.
    pub(crate) q: Vec<f64>,
}

impl Units {
    /// Records as units.
    pub(crate) fn records(d: Vec<f64>, q: Vec<f64>) -> Self {
        Self {
            of_record: None,
            d,
            q,
        }
    }

    /// Households as units; starting weights and q are equal within each.
    pub(crate) fn households(homes: Vec<u32>, d: &[f64], q: &[f64]) -> Self {
        let n_homes = homes.iter().max().map_or(0, |&last| last as usize + 1);
        let (mut of_home, mut q_of_home) = (vec![0.0; n_homes], vec![0.0; n_homes]);
        for (record, &home) in homes.iter().enumerate().rev() {
            of_home[home as usize] = d[record];
            q_of_home[home as usize] = q[record];
        }
        Self {
            of_record: Some(homes),
            d: of_home,
            q: q_of_home,
        }
    }

    /// A figure of units, for each record.
    pub(crate) fn per_record(&self, of_unit: &[f64]) -> Vec<f64> {
        match &self.of_record {
            None => of_unit.to_vec(),
            Some(units) => units.iter().map(|&unit| of_unit[unit as usize]).collect(),
        }
    }

    /// The design with starting weights times `scale`, equal rows collapsed.
    pub(crate) fn design(&self, margins: &Margins, heads: &[bool], scale: f64) -> Design {
        let names = margins.all.iter().map(|margin| margin.name.clone());
        let targets = margins.all.iter().map(|margin| margin.target);
        let mut design = Design::new(names.collect(), targets.collect());
        match &self.of_record {
            None => self.collapse_records(margins, &mut design, scale),
            Some(units) => self.collapse_households(units, margins, heads, &mut design, scale),
        }
        design
    }

    fn collapse_records(&self, margins: &Margins, design: &mut Design, scale: f64) {
        let n = self.d.len();
        let mut packing = Packing::new(n);
        let mut pack_numbers = |values: &[f64]| {
            // Values that occur are numbered; only equal ones fall together.
            let bits: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
            let (codes, _) = number(&bits, u64::MAX);
            let last = codes.iter().copied().max().unwrap_or(0);
            packing.add(last, |record| codes[record]);
        };
        if self
            .q
            .windows(2)
            .any(|pair| pair[0].to_bits() != pair[1].to_bits())
        {
            pack_numbers(&self.q);
        }
        for share in &margins.shares {
            if let Some(values) = &share.value {
                pack_numbers(values);
            }
        }
        for share in &margins.shares {
            let (first, last) = share
                .margin
                .iter()
                .fold((u32::MAX, 0), |(low, high), &m| (low.min(m), high.max(m)));
            if first < last {
                packing.add(last - first, |record| share.margin[record] - first);
            }
        }
        let (profile_of, representatives) = packing.classes();
        let d = ExactSums::by_cell(&self.d, &profile_of, representatives.len()).all_nearest();
        for (&record, d) in representatives.iter().zip(d) {
            let record = record as usize;
            let entry = |share: &crate::adjust::calibration::margins::Share| {
                let value = share.value.as_ref().map_or(1.0, |values| values[record]);
                (share.margin[record], value)
            };
            design.push(margins.shares.iter().map(entry), d * scale, self.q[record]);
        }
        design.assign(profile_of);
    }

    /// A household adds what its members add; to household margins it adds what its head does.
    fn collapse_households(
        &self,
        units: &[u32],
        margins: &Margins,
        heads: &[bool],
        design: &mut Design,
        scale: f64,
    ) {
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); self.d.len()];
        for (term, share) in margins.terms.iter().zip(&margins.shares) {
            for (record, &unit) in units.iter().enumerate() {
                if term.of_households && !heads[record] {
                    continue;
                }
                let value = share.value.as_ref().map_or(1.0, |values| values[record]);
                let row = &mut rows[unit as usize];
                match row
                    .iter_mut()
                    .find(|(margin, _)| *margin == share.margin[record])
                {
                    Some((_, sum)) => *sum += value,
                    None => row.push((share.margin[record], value)),
                }
            }
        }
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        let mut representatives: Vec<usize> = Vec::new();
        let mut profile_of: Vec<u32> = Vec::new();
        for (unit, row) in rows.iter_mut().enumerate() {
            row.sort_unstable_by_key(|(margin, _)| *margin);
            let mut key = vec![self.q[unit].to_bits()];
            key.extend(
                row.iter()
                    .flat_map(|(margin, x)| [u64::from(*margin), x.to_bits()]),
            );
            let profile = *known.entry(key).or_insert_with(|| {
                representatives.push(unit);
                representatives.len() as u32 - 1
            });
            profile_of.push(profile);
        }
        let d = ExactSums::by_cell(&self.d, &profile_of, representatives.len()).all_nearest();
        for (&unit, d) in representatives.iter().zip(d) {
            design.push(rows[unit].iter().copied(), d * scale, self.q[unit]);
        }
        design.assign(profile_of);
    }
}
