//! The smallest sets of keys that single out a record, against a search of all sets.

use crate::support;

use std::time::Instant;

use bauta_data::{Column, Kind, Role, Table};
use bauta_methods::keys::unique_sets::{UniqueSets, unique_sets};
use bauta_methods::keys::{Semantics, frequencies};
use proptest::prelude::*;
use support::{column, scatter, table};

const ALL: [Semantics; 4] = [
    Semantics::Own,
    Semantics::Visible,
    Semantics::Original,
    Semantics::Wild,
];

/// Keys by variable; the second half of a cell says whether it is missing (1) or suppressed (2).
type Cells = Vec<Vec<(u8, u8)>>;

fn file(cells: &Cells) -> Table {
    let columns = cells.iter().enumerate().map(|(key, cells)| {
        let texts: Vec<Option<String>> = cells
            .iter()
            .map(|(value, fate)| (*fate != 1).then(|| value.to_string()))
            .collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let column = column(&format!("k{key}"), Role::Key, Kind::Unordered, &texts);
        let suppressed: Vec<u32> = (0..cells.len() as u32)
            .filter(|&record| cells[record as usize].1 == 2)
            .collect();
        column.suppress(&suppressed)
    });
    table(columns.collect::<Vec<Column>>())
}

/// Every set of keys is counted; those that are small enough and have no such part stay.
fn by_brute_force(table: &Table, record: usize, k: u32, semantics: Semantics) -> Vec<Vec<usize>> {
    let n_keys = table.columns().len();
    let small = |set: usize| {
        let keys: Vec<usize> = (0..n_keys).filter(|key| set >> key & 1 == 1).collect();
        let f = if keys.is_empty() {
            table.n_records() as u32
        } else {
            frequencies(table, &keys, semantics).expect("counted").f[record]
        };
        f < k
    };
    let is_small: Vec<bool> = (0..1_usize << n_keys).map(small).collect();
    let minimal = |&set: &usize| {
        let mut parts = (0..n_keys).filter(|key| set >> key & 1 == 1);
        is_small[set] && parts.all(|key| !is_small[set & !(1 << key)])
    };
    let mut sets: Vec<Vec<usize>> = (0..is_small.len())
        .filter(minimal)
        .map(|set| (0..n_keys).filter(|key| set >> key & 1 == 1).collect())
        .collect();
    sets.sort_by(|a, b| a.len().cmp(&b.len()).then_with(|| a.cmp(b)));
    sets
}

fn cells() -> impl Strategy<Value = Cells> {
    let cell = (
        0..3_u8,
        prop_oneof![8 => Just(0_u8), 1 => Just(1), 1 => Just(2)],
    );
    (1..6_usize, 1..14_usize).prop_flat_map(move |(n_keys, n)| {
        let column = proptest::collection::vec(cell.clone(), n);
        proptest::collection::vec(column, n_keys)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn all_sets_and_no_others(cells in cells(), k in 1..5_u32) {
        let table = file(&cells);
        let keys: Vec<usize> = (0..cells.len()).collect();
        for semantics in ALL {
            let counted = frequencies(&table, &keys, semantics).expect("counted");
            for record in 0..table.n_records() {
                let found = unique_sets(&table, &keys, record, k, semantics).expect("found");
                prop_assert_eq!(found.f, counted.f[record], "{:?}", semantics);
                prop_assert!((found.big_f - counted.big_f(record)).abs() < 1e-9);
                prop_assert_eq!(found.complete_up_to, None);
                let expected = by_brute_force(&table, record, k, semantics);
                prop_assert_eq!(found.sets, expected, "{:?} record {} k {}", semantics, record, k);
            }
        }
    }
}

#[test]
fn a_set_for_a_hand_to_check() {
    // Record 1 is (a, x, p). Its age is shared by 2, its sex by 3, its town by 2, 3 and 4: alone by
    // age and sex together, and nothing smaller.
    let columns = [
        ("age", ["a", "a", "b", "b"]),
        ("sex", ["x", "y", "x", "y"]),
        ("town", ["p", "p", "p", "p"]),
    ];
    let columns =
        columns.map(|(name, cells)| column(name, Role::Key, Kind::Unordered, &cells.map(Some)));
    let table = table(columns.to_vec());
    let found = unique_sets(&table, &[0, 1, 2], 0, 2, Semantics::Visible).expect("found");
    assert_eq!(found.sets, [vec![0, 1]]);
    assert_eq!((found.f, found.complete_up_to), (1, None));
    let below_3 = unique_sets(&table, &[0, 1, 2], 0, 3, Semantics::Visible).expect("found");
    assert_eq!(below_3.sets, [vec![0], vec![1]]);
    assert!(unique_sets(&table, &[0], 4, 2, Semantics::Visible).is_err());
    assert!(unique_sets(&table, &[], 0, 2, Semantics::Visible).is_err());
}

#[test]
fn twins_are_singled_out_by_nothing() {
    let cells = vec![Some("1"); 100_000];
    let columns: Vec<Column> = (0..8)
        .map(|key| column(&format!("k{key}"), Role::Key, Kind::Unordered, &cells))
        .collect();
    let table = table(columns);
    let keys: Vec<usize> = (0..8).collect();
    let found = unique_sets(&table, &keys, 5, 3, Semantics::Own).expect("found");
    let expected = UniqueSets {
        f: 100_000,
        big_f: 100_000.0,
        sets: Vec::new(),
        complete_up_to: None,
    };
    assert_eq!(found, expected);
}

/// A file with many keys of five values each. Record 1 is a twin of record 0 but for key 7, which
/// must thus be in every set.
fn wide(n: usize, n_keys: usize) -> Table {
    let texts = ["0", "1", "2", "3", "4"];
    let columns = (0..n_keys).map(|key| {
        let cells: Vec<Option<&str>> = (0..n)
            .map(|i| {
                let value = |i: usize| (scatter(i, key as u64 + 1) % 5) as usize;
                match (i, key) {
                    (1, 7) => Some(texts[(value(0) + 1) % 5]),
                    (1, _) => Some(texts[value(0)]),
                    _ => Some(texts[value(i)]),
                }
            })
            .collect();
        column(&format!("k{key}"), Role::Key, Kind::Unordered, &cells)
    });
    table(columns.collect())
}

#[test]
fn many_keys_and_a_near_twin_take_no_time() {
    let n_keys = 22;
    let table = wide(20_000, n_keys);
    let keys: Vec<usize> = (0..n_keys).collect();
    let start = Instant::now();
    let found = unique_sets(&table, &keys, 0, 2, Semantics::Own).expect("found");
    println!("{} sets in {:?}", found.sets.len(), start.elapsed());
    assert!(!found.sets.is_empty());
    assert!(found.sets.iter().all(|set| set.contains(&7)));
    // Each set is enough, and no set less one key is.
    for set in found.sets.iter().take(50) {
        let f = |keys: &[usize]| {
            frequencies(&table, keys, Semantics::Own)
                .expect("counted")
                .f[0]
        };
        assert_eq!(f(set), 1);
        for left_out in set {
            let rest: Vec<usize> = set.iter().copied().filter(|key| key != left_out).collect();
            assert!(f(&rest) > 1);
        }
    }
}
