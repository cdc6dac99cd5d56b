//! How often the key of each record occurs, under the four readings of missing values.
//!
//! Records with equal keys are collapsed to classes first; all further work is on classes.

use std::collections::BTreeMap;

use bauta_data::{Column, Table};
use rayon::prelude::*;

use super::sums::compensated;
use crate::error::MethodError;

pub(crate) mod codes;
pub(crate) mod packing;
pub(crate) mod views;

use codes::{KeyCodes, key_codes, refuse_lost_numbers, visible_masks};
use packing::Packing;

/// How missing key values count. Frequencies never fall from one to the next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Semantics {
    /// Missing is a value of its own.
    Own,
    /// A record is compared on its visible keys; a missing value of the other does not match.
    Visible,
    /// As `Visible`, but counted in the file as it was before suppression.
    Original,
    /// A missing value on either side matches every value.
    Wild,
}

impl Semantics {
    /// Names and meanings, for cards.
    pub const CHOICES: &'static [(&'static str, &'static str)] = &[
        ("own", "missing is a value of its own"),
        (
            "visible",
            "compare on the record's visible keys; another's missing value does not match",
        ),
        (
            "original",
            "as visible, counted in the file before suppression",
        ),
        ("wild", "a missing value on either side matches every value"),
    ];

    /// The semantics with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "own" => Some(Self::Own),
            "visible" => Some(Self::Visible),
            "original" => Some(Self::Original),
            "wild" => Some(Self::Wild),
            _ => None,
        }
    }
}

/// The frequency of each record's key.
#[derive(Clone, PartialEq, Debug)]
pub struct Frequencies {
    /// Records that share the key, the record itself included.
    pub f: Vec<u32>,
    /// Sum of their weights: the estimated population frequency.
    pub big_f: Vec<f64>,
    /// Number of different keys, missing taken as a value.
    pub n_classes: usize,
}

/// The most keys that one count takes: their visibility is a bit each.
pub const MAX_KEYS: usize = 64;

/// Counts how often the key of each record occurs.
pub fn frequencies(
    table: &Table,
    keys: &[usize],
    semantics: Semantics,
) -> Result<Frequencies, MethodError> {
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
    let n = table.n_records();
    let weights = table.weight().and_then(Column::as_numeric);
    let keys: Vec<KeyCodes> = keys
        .par_iter()
        .map(|&attr_idx| key_codes(table.column(attr_idx)))
        .collect();
    let visible = visible_masks(&keys, n);
    let counted: Vec<&[u32]> = keys
        .iter()
        .map(|key| match (&key.before_suppression, semantics) {
            (Some(codes), Semantics::Original) => codes.as_slice(),
            _ => key.codes.as_slice(),
        })
        .collect();
    let classes = Classes::new(&keys, &counted, &visible, weights, semantics);
    let per_class: Vec<(u32, f64)> = match semantics {
        Semantics::Own => classes.sizes.clone(),
        Semantics::Visible | Semantics::Original => classes.count_visible(),
        Semantics::Wild => classes.count_wild(),
    };
    let of_record = |class: &u32| per_class[*class as usize];
    Ok(Frequencies {
        f: classes
            .of_record
            .iter()
            .map(|class| of_record(class).0)
            .collect(),
        big_f: classes
            .of_record
            .iter()
            .map(|class| of_record(class).1)
            .collect(),
        n_classes: classes.sizes.len(),
    })
}

/// Records with equal keys and equal visibility, collapsed.
struct Classes {
    of_record: Vec<u32>,
    /// Records and weight of each class.
    sizes: Vec<(u32, f64)>,
    /// Counted codes of each class, class by class.
    codes: Vec<u32>,
    n_keys: usize,
    n_values: Vec<u32>,
    visible: Vec<u64>,
    /// Keys that hold a value in the file that is counted.
    present: Vec<u64>,
}

impl Classes {
    fn new(
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

    /// Classes by the keys that they show, in a fixed order.
    fn by_visibility(&self) -> Vec<(u64, Vec<u32>)> {
        let mut groups: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for (class, &mask) in self.visible.iter().enumerate() {
            groups.entry(mask).or_default().push(class as u32);
        }
        groups.into_iter().collect()
    }

    /// Group number of each listed class when only the keys in `mask` are compared.
    fn groups_on(&self, mask: u64, classes: &[u32]) -> (Vec<u32>, usize) {
        let mut packing = Packing::new(classes.len());
        for bit in (0..self.n_keys).filter(|bit| mask >> bit & 1 == 1) {
            packing.add(self.n_values[bit], |i| {
                self.codes[classes[i] as usize * self.n_keys + bit]
            });
        }
        let (groups, representatives) = packing.classes();
        (groups, representatives.len())
    }

    fn count_visible(&self) -> Vec<(u32, f64)> {
        let all: Vec<u32> = (0..self.sizes.len() as u32).collect();
        let groups = self.by_visibility();
        let counted: Vec<Vec<(u32, (u32, f64))>> = groups
            .par_iter()
            .map(|(mask, seekers)| {
                let holders: Vec<u32> = all
                    .iter()
                    .copied()
                    .filter(|&class| self.present[class as usize] & mask == *mask)
                    .collect();
                self.count_matches(*mask, seekers, &holders)
            })
            .collect();
        self.gather(counted)
    }

    fn count_wild(&self) -> Vec<(u32, f64)> {
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

/// Checks that a weight column can weigh: finite and not negative. Absent weights are fine.
pub fn check_weights(table: &Table) -> Result<(), MethodError> {
    let Some(column) = table.weight() else {
        return Ok(());
    };
    let Some(weights) = column.as_numeric() else {
        return Err(MethodError::data(
            column.name(),
            "weights must be numbers",
            "give it the kind continuous",
        ));
    };
    match weights
        .iter()
        .position(|weight| weight.is_nan() || *weight < 0.0)
    {
        None => Ok(()),
        Some(record) => Err(MethodError::Data {
            variable: Some(column.name().to_owned()),
            row: Some(table.source_row(record) + 1),
            message: "the weight is missing or negative".to_owned(),
            hint: "every record needs a weight of at least 0".to_owned(),
        }),
    }
}

/// Sum of the weights, or the number of records where there are none.
pub fn population(table: &Table) -> f64 {
    let weights = table.weight().and_then(Column::as_numeric);
    weights.map_or(table.n_records() as f64, |weights| {
        compensated(weights.iter().copied())
    })
}

/// Numbers records with equal values of some variables, from 0 as they first occur; missing is a
/// value of its own.
pub fn class_numbers(table: &Table, variables: &[usize]) -> Vec<u32> {
    let mut packing = Packing::new(table.n_records());
    for &attr_idx in variables {
        let key = key_codes(table.column(attr_idx));
        packing.add(key.n_values, |record| key.codes[record]);
    }
    packing.classes().0
}
