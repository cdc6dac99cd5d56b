//! Key frequencies against a count of all pairs.

use crate::support;

use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::missing::{MissingCells, MissingRules};
use bauta_data::{Attribute, Column, Kind, Levels, Role, Table};
use bauta_methods::MethodError;
use bauta_methods::keys::{Frequencies, Semantics, frequencies};
use proptest::prelude::*;
use support::{Wanted, read_csv, reference, table};

const ALL: [Semantics; 4] = [
    Semantics::Own,
    Semantics::Visible,
    Semantics::Original,
    Semantics::Wild,
];

/// A key cell: its value, and why it is not shown, if it is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Cell {
    Shown(u32),
    Missing,
    Suppressed(u32),
}

impl Cell {
    fn shown(self) -> Option<u32> {
        match self {
            Self::Shown(value) => Some(value),
            _ => None,
        }
    }

    fn before_suppression(self) -> Option<u32> {
        match self {
            Self::Shown(value) | Self::Suppressed(value) => Some(value),
            Self::Missing => None,
        }
    }
}

/// A small file: keys by record, and a weight each.
#[derive(Clone, Debug)]
struct Small {
    keys: Vec<Vec<Cell>>,
    weights: Vec<f64>,
    n_levels: u32,
}

impl Small {
    fn n_keys(&self) -> usize {
        self.keys.first().map_or(0, Vec::len)
    }

    fn table(&self) -> Table {
        let mut columns: Vec<Column> = (0..self.n_keys()).map(|key| self.key_column(key)).collect();
        let attribute = Arc::new(Attribute::new("weight", Role::Weight, Kind::Continuous));
        columns.push(Column::numeric(
            attribute,
            self.weights.clone(),
            None,
            NumberText::default(),
        ));
        table(columns)
    }

    fn key_column(&self, key: usize) -> Column {
        let cells = || self.keys.iter().map(|record| record[key]);
        // Values lie anywhere among the levels, so that codes are large and the radix with them.
        let levels = Levels::from_texts(
            (0..self.n_levels)
                .map(|level| level.to_string())
                .collect::<Vec<_>>()
                .iter()
                .map(String::as_str),
        );
        let codes = cells()
            .map(|cell| cell.before_suppression().unwrap_or(u32::MAX))
            .collect();
        let states = cells()
            .map(|cell| u8::from(cell == Cell::Missing))
            .collect();
        let missing = MissingCells::new(states, MissingRules::default().marks());
        let attribute = Arc::new(Attribute::new(
            format!("key{key}"),
            Role::Key,
            Kind::Unordered,
        ));
        let column = Column::categorical(attribute, codes, Arc::new(levels), missing);
        let suppressed: Vec<u32> = (0..self.keys.len() as u32)
            .filter(|&record| matches!(self.keys[record as usize][key], Cell::Suppressed(_)))
            .collect();
        if suppressed.is_empty() {
            column
        } else {
            column.suppress(&suppressed)
        }
    }

    /// The definition, pair by pair.
    fn matches(&self, i: usize, j: usize, semantics: Semantics) -> bool {
        self.keys[i]
            .iter()
            .zip(&self.keys[j])
            .all(|(a, b)| match semantics {
                Semantics::Own => a.shown() == b.shown(),
                Semantics::Visible => a.shown().is_none() || a.shown() == b.shown(),
                Semantics::Original => a.shown().is_none() || a.shown() == b.before_suppression(),
                Semantics::Wild => {
                    a.shown().is_none() || b.shown().is_none() || a.shown() == b.shown()
                }
            })
    }

    fn counted_by_pairs(&self, semantics: Semantics) -> (Vec<u32>, Vec<f64>) {
        let n = self.keys.len();
        let matching = |i: usize| (0..n).filter(move |&j| self.matches(i, j, semantics));
        let f = (0..n).map(|i| matching(i).count() as u32).collect();
        let big_f = (0..n)
            .map(|i| matching(i).map(|j| self.weights[j]).sum())
            .collect();
        (f, big_f)
    }

    fn counted(&self, semantics: Semantics) -> Frequencies {
        let keys: Vec<usize> = (0..self.n_keys()).collect();
        frequencies(&self.table(), &keys, semantics).expect("keys can be counted")
    }
}

fn cell(n_values: u32, n_levels: u32) -> impl Strategy<Value = Cell> {
    let stride = n_levels / n_values;
    (0..n_values, 0..10_u8).prop_map(move |(value, fate)| match fate {
        0 => Cell::Missing,
        1 => Cell::Suppressed(value * stride),
        _ => Cell::Shown(value * stride),
    })
}

fn small(
    n_keys: std::ops::Range<usize>,
    n_values: u32,
    n_levels: u32,
) -> impl Strategy<Value = Small> {
    (n_keys, 0..40_usize).prop_flat_map(move |(n_keys, n)| {
        let record = proptest::collection::vec(cell(n_values, n_levels), n_keys);
        let keys = proptest::collection::vec(record, n);
        let weights = proptest::collection::vec(0.0..500.0_f64, n);
        (keys, weights).prop_map(move |(keys, weights)| Small {
            keys,
            weights,
            n_levels,
        })
    })
}

fn check(file: &Small) -> Result<(), TestCaseError> {
    if file.n_keys() == 0 {
        return Ok(());
    }
    let mut before: Option<Vec<u32>> = None;
    for semantics in ALL {
        let found = file.counted(semantics);
        let (f, big_f) = file.counted_by_pairs(semantics);
        prop_assert_eq!(&found.f, &f, "{:?}", semantics);
        for (found, expected) in found.big_f.iter().zip(&big_f) {
            prop_assert!(
                (found - expected).abs() <= 1e-10 * expected.max(1.0),
                "{:?}: {} {}",
                semantics,
                found,
                expected
            );
        }
        if let Some(before) = &before {
            prop_assert!(
                before.iter().zip(&found.f).all(|(before, f)| before <= f),
                "{:?} fell",
                semantics
            );
        }
        prop_assert!(found.f.iter().all(|&f| f >= 1), "a record counts itself");
        before = Some(found.f);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn few_keys_agree_with_all_pairs(file in small(1..5, 3, 3)) {
        check(&file)?;
    }

    #[test]
    fn keys_beyond_64_bits_agree_with_all_pairs(file in small(8..12, 2, 1000)) {
        // 1001^8 is more than 2^64: what is packed must be numbered anew on the way.
        check(&file)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn sixty_four_keys_agree_with_all_pairs(file in small(64..65, 2, 2)) {
        check(&file)?;
    }
}

#[test]
fn the_radix_of_the_wide_case_does_leave_64_bits() {
    assert!(1001_u64.checked_pow(8).is_none());
}

#[test]
fn numeric_keys_count_by_value() {
    let x = support::numbers("x", &[1.5, 2.0, 1.5, f64::NAN, -0.0, 0.0]);
    let file = table(vec![x]);
    let count = |semantics| {
        frequencies(&file, &[0], semantics)
            .expect("keys can be counted")
            .f
    };
    assert_eq!(count(Semantics::Own), [2, 1, 2, 1, 2, 2]);
    assert_eq!(count(Semantics::Visible), [2, 1, 2, 6, 2, 2]);
    assert_eq!(count(Semantics::Wild), [3, 2, 3, 6, 3, 3]);
}

#[test]
fn suppressed_numbers_cannot_be_counted_as_they_were() {
    // A number is gone once it is suppressed: `original` says so instead of counting something else.
    let file = table(vec![support::numbers("x", &[1.0, 1.0, 2.0]).suppress(&[0])]);
    let refused = frequencies(&file, &[0], Semantics::Original);
    assert!(matches!(refused, Err(MethodError::Data { variable: Some(name), .. }) if name == "x"));
    assert_eq!(
        frequencies(&file, &[0], Semantics::Visible)
            .expect("counted")
            .f,
        [3, 1, 1]
    );
}

#[test]
fn no_key_and_too_many_keys_are_refused() {
    let file = table(vec![support::numbers("x", &[1.0])]);
    for keys in [vec![], vec![0; 65]] {
        assert!(matches!(
            frequencies(&file, &keys, Semantics::Own),
            Err(MethodError::Request { .. })
        ));
    }
}

#[test]
fn original_counts_as_visible_where_nothing_was_suppressed() {
    let keys = ["gender", "income", "age", "uu", "qual", "couple", "hsize"];
    let wanted: Vec<Wanted> = keys
        .iter()
        .map(|name| Wanted {
            name: (*name).to_owned(),
            role: Role::Key,
            kind: Kind::Unordered,
        })
        .collect();
    let table = read_csv(&reference().join("vvs/original.csv"), &wanted);
    let positions: Vec<usize> = (0..keys.len()).collect();
    let visible = frequencies(&table, &positions, Semantics::Visible).expect("keys can be counted");
    let original =
        frequencies(&table, &positions, Semantics::Original).expect("keys can be counted");
    assert_eq!(visible, original);
    // Suppressing cells must change `visible` and leave the counted file of `original` as it was:
    // records that lose nothing keep their frequency.
    let suppressed: Vec<u32> = (0..table.n_records() as u32).step_by(10).collect();
    let masked = table.with_column(6, table.column(6).suppress(&suppressed));
    let after = frequencies(&masked, &positions, Semantics::Original).expect("keys can be counted");
    let untouched = |record: &usize| !record.is_multiple_of(10);
    assert!(
        (0..table.n_records())
            .filter(untouched)
            .all(|record| after.f[record] == original.f[record])
    );
    let visible =
        frequencies(&masked, &positions, Semantics::Visible).expect("keys can be counted");
    assert!((0..table.n_records()).any(|record| visible.f[record] < original.f[record]));
}
