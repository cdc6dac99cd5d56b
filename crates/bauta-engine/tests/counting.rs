//! Classes come out the same, however they are counted.

use bauta_data::Unwatched;
use bauta_engine::{EngineError, Order};
use proptest::prelude::*;
use tempfile::tempdir;

use crate::support::{Numbers, Records, listed, session};

#[test]
fn any_number_of_partitions_gives_the_same_classes() {
    let folder = tempdir().unwrap();
    let records = Records::drawn(1, 20_000, &[5, 300, 40]).with_weights(|row| row as i128 % 97);
    let parts = records.parts(folder.path(), 3_000);
    let expected = records.plain_count();
    for partitions in [1, 2, 7] {
        let session = session(&folder.path().join("spill"), partitions, None);
        let classes = session
            .count(&parts, &records.names(), records.weight(), &Unwatched)
            .unwrap();
        assert!(listed(&classes) == expected, "{partitions} partitions");
        assert_eq!(classes.n_records(), 20_000);
        assert_eq!(session.spilled(), 0);
    }
}

#[test]
fn what_does_not_fit_is_spilled_and_counted_all_the_same() {
    let folder = tempdir().unwrap();
    // 200 * 300 * 40 combinations: nearly every record is alone.
    let records = Records::drawn(2, 60_000, &[200, 300, 40]).with_weights(|row| row as i128);
    let parts = records.parts(folder.path(), 25_000);
    let expected = records.plain_count();
    for (partitions, memory) in [(1, 6_000_000), (2, 8_000_000), (7, 16_000_000)] {
        let session = session(&folder.path().join("spill"), partitions, Some(memory));
        let mut classes = Vec::new();
        session
            .each_class(
                &parts,
                &records.names(),
                records.weight(),
                Order::FirstRow,
                &Unwatched,
                |batch| {
                    for class in 0..batch.len() {
                        let codes: Vec<u32> = (0..3).map(|key| batch.code(class, key)).collect();
                        let weight = batch.weight(class)?.unwrap_or_default();
                        classes.push((codes, (batch.first_row(class), batch.size(class), weight)));
                    }
                    Ok(())
                },
            )
            .unwrap();
        assert!(classes == expected, "{partitions} partitions");
        assert!(session.spilled() > 0, "{partitions} partitions");
    }
}

#[test]
fn sizes_are_those_of_the_classes_also_after_spilling() {
    let folder = tempdir().unwrap();
    let records = Records::drawn(3, 60_000, &[100, 300, 2]);
    let parts = records.parts(folder.path(), 25_000);
    let expected = records.plain_count();
    let session = session(&folder.path().join("spill"), 2, Some(4_000_000));
    let sizes = session.sizes(&parts, &records.names(), &Unwatched).unwrap();
    assert!(session.spilled() > 0);
    assert_eq!(sizes.n_classes(), expected.len() as u64);
    assert_eq!(sizes.n_records(), 60_000);
    let smallest = expected.iter().map(|(_, (_, size, _))| *size).min();
    assert_eq!(sizes.smallest(), smallest.map(u64::from));
    for k in [0, 1, 2, 3, 5, 10] {
        let small = expected.iter().map(|(_, (_, size, _))| u64::from(*size));
        let small: Vec<u64> = small.filter(|size| *size < k).collect();
        let below = sizes.below(k);
        assert_eq!(below.n_classes, small.len() as u64);
        assert_eq!(below.n_records, small.iter().sum::<u64>());
    }
}

#[test]
fn sums_are_exact_for_weights_of_any_magnitude() {
    let folder = tempdir().unwrap();
    let mut numbers = Numbers(4);
    // From 1 to 2^100 and of either sign: doubles would lose the small ones. 20 000 of 2^100 stay below 2^127.
    let records = Records::drawn(5, 20_000, &[3, 50]).with_weights(|_| {
        let magnitude = 1_i128 << numbers.below(101);
        let odd = i128::from(numbers.below(1000));
        if numbers.below(2) == 0 {
            -magnitude - odd
        } else {
            magnitude + odd
        }
    });
    let parts = records.parts(folder.path(), 4_000);
    for (partitions, memory) in [(1, None), (7, None), (2, Some(2_000_000))] {
        let session = session(&folder.path().join("spill"), partitions, memory);
        let classes = session
            .count(&parts, &records.names(), records.weight(), &Unwatched)
            .unwrap();
        assert!(listed(&classes) == records.plain_count());
    }
}

#[test]
fn a_sum_beyond_128_bits_is_an_error_and_never_wraps() {
    let folder = tempdir().unwrap();
    let large = 9 * 10_i128.pow(37);
    let keys = |codes: [u32; 3]| Records {
        keys: vec![("k".to_owned(), codes.to_vec())],
        weights: Some(vec![large, large, -large]),
    };
    let session = session(&folder.path().join("spill"), 2, None);
    // Two of 9e37 are 1.8e38, and 2^127 is 1.7e38: no class may hold both.
    let fits = keys([1, 2, 1]);
    let parts = fits.parts(&subfolder(&folder, "fits"), 2);
    let classes = session.count(&parts, &["k"], Some("weight"), &Unwatched);
    assert_eq!(listed(&classes.unwrap()), fits.plain_count());
    let wraps = keys([1, 1, 2]);
    let parts = wraps.parts(&subfolder(&folder, "wraps"), 2);
    let error = session
        .count(&parts, &["k"], Some("weight"), &Unwatched)
        .unwrap_err();
    assert!(
        matches!(&error, EngineError::WeightOverflow { column } if column == "weight"),
        "{error}"
    );
    // What leaves 128 bits on the way and comes back is a sum like any other.
    let returns = keys([1, 1, 1]);
    let parts = returns.parts(&subfolder(&folder, "returns"), 2);
    let classes = session.count(&parts, &["k"], Some("weight"), &Unwatched);
    assert_eq!(classes.unwrap().weights(), Some(&[large][..]));
}

#[test]
fn too_many_classes_say_how_many_and_which_key_has_most_values() {
    let folder = tempdir().unwrap();
    let records = Records::drawn(6, 60_000, &[200, 400, 30]);
    let parts = records.parts(folder.path(), 25_000);
    let expected = records.plain_count();
    let session = session(&folder.path().join("spill"), 2, Some(1_600_000));
    let error = session
        .count(&parts, &records.names(), None, &Unwatched)
        .unwrap_err();
    let EngineError::TooManyClasses(told) = &error else {
        panic!("{error}");
    };
    assert_eq!(told.n_classes, expected.len() as u64);
    // Codes of 1, 2 and 1 bytes, size and row of 4 each.
    assert_eq!(told.needed, told.n_classes * (1 + 2 + 1 + 4 + 4));
    assert_eq!((told.left, told.limit), (400_000, 1_600_000));
    // 0 is missing, and all others of 400 occur.
    assert_eq!((told.key.as_str(), told.n_values), ("k1", 399));
}

#[test]
fn names_of_keys_and_folders_mean_nothing_to_the_engine() {
    let folder = tempdir().unwrap();
    let mut records = Records::drawn(7, 500, &[3, 3, 3, 3, 3, 3]);
    let names = ["a.b", "N", "n", "first", "key0", "\"sum\" of ältere'"];
    for (key, name) in records.keys.iter_mut().zip(names) {
        name.clone_into(&mut key.0);
    }
    let parts = records.parts(&subfolder(&folder, "50% [a]*? é#"), 100);
    let session = session(&folder.path().join("spill"), 2, None);
    let classes = session
        .count(&parts, &records.names(), None, &Unwatched)
        .unwrap();
    assert!(listed(&classes) == records.plain_count());
}

#[test]
fn no_records_have_no_classes_and_no_keys_have_one() {
    let folder = tempdir().unwrap();
    let session = session(&folder.path().join("spill"), 2, None);
    let none = Records::drawn(8, 0, &[3]);
    let parts = none.parts(&subfolder(&folder, "none"), 10);
    assert_eq!(parts.n_records(), 0);
    let classes = session.count(&parts, &["k0"], None, &Unwatched).unwrap();
    assert_eq!(classes.n_classes(), 0);
    let sizes = session.sizes(&parts, &["k0"], &Unwatched).unwrap();
    assert_eq!((sizes.n_classes(), sizes.smallest()), (0, None));
    let some = Records::drawn(9, 25, &[3]);
    let parts = some.parts(&subfolder(&folder, "some"), 10);
    let classes = session.count(&parts, &[], None, &Unwatched).unwrap();
    assert_eq!(
        (classes.sizes(), classes.first_rows()),
        (&[25][..], &[0][..])
    );
    let sizes = session.sizes(&parts, &[], &Unwatched).unwrap();
    assert_eq!((sizes.n_classes(), sizes.smallest()), (1, Some(25)));
}

fn subfolder(folder: &tempfile::TempDir, name: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    std::fs::create_dir(&path).unwrap();
    path
}

/// Small files of any shape: up to four keys, some with codes of two and four bytes.
fn records() -> impl Strategy<Value = Records> {
    let n_values = prop::sample::select(vec![1_u32, 2, 3, 10, 70_000, u32::MAX]);
    (prop::collection::vec(n_values, 1..5), 0_usize..150).prop_flat_map(|(n_values, n)| {
        let keys: Vec<_> = n_values
            .into_iter()
            .map(|largest| prop::collection::vec(0..=largest, n))
            .collect();
        let weights = prop::collection::vec(-(1_i128 << 110)..1_i128 << 110, n);
        (keys, prop::option::of(weights)).prop_map(|(keys, weights)| Records {
            keys: keys
                .into_iter()
                .enumerate()
                .map(|(key, codes)| (format!("k{key}"), codes))
                .collect(),
            weights,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn classes_of_small_files_are_those_of_a_plain_count(
        records in records(),
        rows_per_part in 1_usize..100,
        partitions in 1_usize..8,
    ) {
        let folder = tempdir().unwrap();
        let parts = records.parts(folder.path(), rows_per_part.max(records.n() / 20));
        let session = session(&folder.path().join("spill"), partitions, None);
        let names = records.names();
        let classes = session.count(&parts, &names, records.weight(), &Unwatched).unwrap();
        let expected = records.plain_count();
        prop_assert_eq!(listed(&classes), &expected[..]);
        let sizes = session.sizes(&parts, &names, &Unwatched).unwrap();
        prop_assert_eq!(sizes.n_classes(), expected.len() as u64);
        prop_assert_eq!(sizes.n_records(), records.n() as u64);
    }
}
