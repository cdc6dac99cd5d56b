//! What microaggregation promises: whatever a file shows of a block of variables, it shows at least
//! k times.

use std::collections::{BTreeMap, BTreeSet};

use bauta_data::{Kind, Role, Table};
use bauta_methods::RawValue;
use proptest::prelude::*;

use super::{FAMILY, columns_of, flag, k, mask, strata};
use crate::support::{column, numbers, scatter, table};

/// How units are made and kept apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Units {
    Records,
    RecordsInStrata,
    Households,
    HouseholdsInStrata,
}

impl Units {
    fn given(self) -> Vec<(&'static str, RawValue)> {
        let mut given = Vec::new();
        if matches!(self, Self::Households | Self::HouseholdsInStrata) {
            given.push(flag("households"));
        }
        if matches!(self, Self::RecordsInStrata | Self::HouseholdsInStrata) {
            given.push(strata("stratum"));
        }
        given
    }
}

/// Households of two or three neighbours, and two strata of whole households.
fn household(record: usize) -> usize {
    record * 2 / 5
}

fn stratum(record: usize) -> usize {
    household(record) % 2
}

fn file(columns: &[Vec<f64>]) -> Table {
    let n = columns[0].len();
    let mut all: Vec<_> = (0..)
        .zip(columns)
        .map(|(j, column)| numbers(&format!("x{j}"), column))
        .collect();
    let texts = |number: fn(usize) -> usize| -> Vec<String> {
        (0..n).map(|record| number(record).to_string()).collect()
    };
    for (name, role, number) in [
        ("house", Role::Household, household as fn(usize) -> usize),
        ("stratum", Role::Stratum, stratum),
    ] {
        let texts = texts(number);
        let cells: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
        all.push(column(name, role, Kind::Unordered, &cells));
    }
    table(all)
}

/// The fewest units that share what the file shows of a block, within their stratum if there are
/// any.
fn fewest_alike(masked: &Table, block: &[usize], units: Units) -> usize {
    let mut alike: BTreeMap<(usize, Vec<u64>), BTreeSet<usize>> = BTreeMap::new();
    for record in 0..masked.n_records() {
        let bits = |&attr_idx: &usize| {
            let z = masked.column(attr_idx).as_numeric().expect("numbers");
            z[record].to_bits()
        };
        let (within, unit) = match units {
            Units::Records => (0, record),
            Units::RecordsInStrata => (stratum(record), record),
            Units::Households => (0, household(record)),
            Units::HouseholdsInStrata => (stratum(record), household(record)),
        };
        let shown = (within, block.iter().map(bits).collect());
        alike.entry(shown).or_default().insert(unit);
    }
    alike.values().map(BTreeSet::len).min().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_combination_of_masked_values_occurs_at_least_k_times(
        n_more in 0_usize..120, d in 1_usize..5, size in 2_usize..7, character in 0_usize..10,
        salt: u64
    ) {
        // Every stratum has at least k households.
        let n = 5 * (size + 1) + n_more;
        let original = file(&columns_of(n, d, character, salt));
        let on: Vec<usize> = (0..d).collect();
        let cut = 1 + scatter(d, salt) as usize % d;
        for units in [
            Units::Records,
            Units::RecordsInStrata,
            Units::Households,
            Units::HouseholdsInStrata,
        ] {
            for id in FAMILY {
                let mut given = units.given();
                given.push(k(size.cast_signed() as i64));
                let blocks: Vec<&[usize]> = if id == "individual-ranking" {
                    on.chunks(1).collect()
                } else if cut == d {
                    vec![&on]
                } else {
                    let sizes = [cut, d - cut].map(|size| RawValue::Integer(size.cast_signed() as i64));
                    given.push(("blocks", RawValue::List(sizes.to_vec())));
                    vec![&on[..cut], &on[cut..]]
                };
                let masked = mask(id, &original, &on, &given).unwrap().apply_to(&original);
                for block in blocks {
                    let fewest = fewest_alike(&masked, block, units);
                    prop_assert!(fewest >= size, "{}, {:?}: {} of {}", id, units, fewest, size);
                }
            }
        }
    }
}
