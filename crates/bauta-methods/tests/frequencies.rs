//! Key frequencies against a count of all pairs.

use crate::support;

use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::missing::{MissingCells, MissingRules};
use bauta_data::{Attribute, Column, Kind, Levels, Role, Table};
use bauta_methods::MethodError;
use bauta_methods::kernel::numbers::exact_sum::{ExactSums, Scale, exact_sum};
use bauta_methods::keys::codes::{Coding, KeyCodes};
use bauta_methods::keys::{
    Frequencies, GivenClasses, KeyColumns, KeyCounts, Semantics, frequencies,
};
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
        let codes: Vec<u32> = cells()
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
        let weights = |i: usize| -> Vec<f64> { matching(i).map(|j| self.weights[j]).collect() };
        let big_f = (0..n).map(|i| exact_sum(&weights(i))).collect();
        (f, big_f)
    }

    fn counted(&self, semantics: Semantics) -> Frequencies {
        let keys: Vec<usize> = (0..self.n_keys()).collect();
        frequencies(&self.table(), &keys, semantics).expect("keys can be counted")
    }
}

/// Counts of some records of a file, as an engine would make them part by part.
fn counts(table: &Table, records: std::ops::Range<usize>, semantics: Semantics) -> KeyCounts {
    let part = table.take(&(records.start as u32..records.end as u32).collect::<Vec<_>>());
    let keys: Vec<usize> = (0..part.columns().len() - 1).collect();
    let keys = KeyColumns::of(&part, &keys, semantics).expect("keys can be counted");
    let weights = part.weight().and_then(Column::as_numeric);
    KeyCounts::of(&keys, weights, semantics).expect("weights are of the same records")
}

/// The classes of a file, with weights as an engine adds them: in whole units, here from the last record to the
/// first.
fn given(file: &Small, counts: &KeyCounts, class_of: &[u32]) -> Option<GivenClasses> {
    let scale = Scale::of(&file.weights);
    let mut units = vec![0; counts.n_classes()];
    for (&class, &weight) in class_of.iter().zip(&file.weights).rev() {
        units[class as usize] += scale.units(weight)?;
    }
    let classes = || 0..counts.n_classes() as u32;
    let visible = || classes().map(|class| counts.shown_by(class)).collect();
    Some(GivenClasses {
        n_values: vec![file.n_levels; file.n_keys()],
        codes: classes()
            .flat_map(|class| counts.codes_of(class))
            .copied()
            .collect(),
        visible: (counts.semantics() == Semantics::Original).then(visible),
        n_records: counts.sizes().iter().map(|(n, _)| *n).collect(),
        weights: Some(ExactSums::of_units(scale, &units)?),
        coding: Coding::Shared,
    })
}

/// Parts merged are the whole, and a record's class has the record's frequencies: with whole weights, with others,
/// and with such that lie far apart.
fn check_merging(file: &Small, cuts: (usize, usize)) -> Result<(), TestCaseError> {
    let mut file = file.clone();
    check_merging_with(&file, cuts)?;
    for (record, weight) in file.weights.iter_mut().enumerate() {
        *weight *= [1.0, 1e-200, 1e200][record % 3];
    }
    check_merging_with(&file, cuts)?;
    file.weights
        .iter_mut()
        .for_each(|weight| *weight = weight.min(1e6).round());
    check_merging_with(&file, cuts)
}

fn check_merging_with(file: &Small, cuts: (usize, usize)) -> Result<(), TestCaseError> {
    let (table, n) = (file.table(), file.keys.len());
    let (first, second) = (cuts.0.min(cuts.1).min(n), cuts.0.max(cuts.1).min(n));
    for semantics in ALL {
        let whole = counts(&table, 0..n, semantics);
        let mut merged = counts(&table, 0..first, semantics);
        for part in [first..second, second..n] {
            let next = counts(&table, part, semantics);
            merged.merge(&next).expect("the same keys");
        }
        prop_assert_eq!(&merged, &whole, "{:?}", semantics);
        let frequencies = file.counted(semantics);
        prop_assert_eq!(merged.n_shown(), frequencies.n_classes);
        prop_assert_eq!(merged.n_records(), n);
        let of_class = merged.frequencies();
        let mut class_of = Vec::new();
        for (record, cells) in file.keys.iter().enumerate() {
            let held = cells.iter().map(|cell| match semantics {
                Semantics::Original => cell.before_suppression(),
                Semantics::Own | Semantics::Visible | Semantics::Wild => cell.shown(),
            });
            let codes: Vec<u32> = held.map(|code| code.map_or(0, |code| code + 1)).collect();
            let bits = cells.iter().enumerate();
            let shown = bits.fold(0, |mask, (key, cell)| {
                mask | u64::from(cell.shown().is_some()) << key
            });
            let class = (0..merged.n_classes() as u32)
                .find(|&class| merged.codes_of(class) == codes && merged.shown_by(class) == shown)
                .expect("every record has a class");
            let (f, big_f) = of_class[class as usize];
            prop_assert_eq!(f, frequencies.f[record]);
            prop_assert_eq!(big_f.to_bits(), frequencies.big_f(record).to_bits());
            class_of.push(class);
        }
        let given = given(file, &whole, &class_of);
        prop_assert_eq!(given.is_some(), Scale::of(&file.weights).fits_128());
        if let Some(given) = given {
            let taken = KeyCounts::from_classes(given, semantics).expect("classes that can be");
            prop_assert_eq!(&taken, &whole, "{:?}", semantics);
        }
    }
    Ok(())
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
        for ((_, found), expected) in found.both().zip(&big_f) {
            prop_assert_eq!(found.to_bits(), expected.to_bits(), "{:?}", semantics);
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
    fn counts_of_parts_merge_to_those_of_the_whole(
        file in small(1..5, 3, 3),
        cuts in (0..40_usize, 0..40_usize),
    ) {
        if file.n_keys() > 0 {
            check_merging(&file, cuts)?;
        }
    }

    #[test]
    fn counts_beyond_64_bits_merge(
        file in small(8..12, 2, 1000),
        cuts in (0..40_usize, 0..40_usize),
    ) {
        if file.n_keys() > 0 {
            check_merging(&file, cuts)?;
        }
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
fn counts_of_other_keys_or_in_other_codes_are_not_merged() {
    let counted = |codes: &[&[u32]], coding, semantics| {
        let column = |codes: &&[u32]| KeyCodes {
            codes: codes.to_vec().into(),
            before_suppression: None,
            n_values: 9,
            coding,
        };
        let keys = KeyColumns::new(codes.iter().map(column).collect()).expect("codes fit");
        KeyCounts::of(&keys, None, semantics).expect("no weights")
    };
    let shared = Coding::Shared;
    let mut here = counted(&[&[1, 2, 1]], shared, Semantics::Own);
    for other in [
        counted(&[&[1], &[1]], shared, Semantics::Own),
        counted(&[&[1]], shared, Semantics::Wild),
        // What 1 means here, it need not mean there.
        counted(&[&[1]], Coding::Own, Semantics::Own),
    ] {
        assert!(matches!(here.merge(&other), Err(MethodError::Internal(_))));
    }
    assert_eq!(here.sizes(), [(2, 2.0), (1, 1.0)]);
    let next = counted(&[&[3, 1, 0]], shared, Semantics::Own);
    here.merge(&next).expect("the same keys");
    assert_eq!(here.sizes(), [(3, 3.0), (1, 1.0), (1, 1.0), (1, 1.0)]);
    assert_eq!(here.codes_of(3), [0]);
}

#[test]
fn counts_with_weights_and_without_are_not_merged() {
    let key = KeyCodes {
        codes: vec![1, 2].into(),
        before_suppression: None,
        n_values: 2,
        coding: Coding::Shared,
    };
    let keys = KeyColumns::new(vec![key]).expect("codes fit");
    let counted = |weights| KeyCounts::of(&keys, weights, Semantics::Own).expect("counted");
    let mut here = counted(Some(&[0.5, 1.5]));
    assert!(matches!(
        here.merge(&counted(None)),
        Err(MethodError::Internal(_))
    ));
    assert_eq!(here.sizes(), [(1, 0.5), (1, 1.5)]);
}

#[test]
fn classes_that_cannot_be_are_refused() {
    type Wrong<'a> = (&'a dyn Fn(&mut GivenClasses), Semantics);
    let fine = GivenClasses {
        n_values: vec![2, 2],
        codes: vec![1, 0, 1, 2],
        visible: None,
        n_records: vec![3, 1],
        weights: Some(ExactSums::by_cell(&[0.5, 2.0], &[0, 1], 2)),
        coding: Coding::Shared,
    };
    let taken = |change: &dyn Fn(&mut GivenClasses), semantics| {
        let mut given = fine.clone();
        change(&mut given);
        KeyCounts::from_classes(given, semantics)
    };
    let counts = taken(&|_| (), Semantics::Visible).expect("fine");
    assert_eq!(counts.sizes(), [(3, 0.5), (1, 2.0)]);
    // The first shows one key only: both match it.
    assert_eq!(counts.frequencies(), [(4, 2.5), (1, 2.0)]);
    let wrong: [Wrong<'_>; 9] = [
        (&|given| given.codes[0] = 3, Semantics::Own),
        (&|given| given.codes[1] = 2, Semantics::Own),
        (&|given| given.codes.truncate(3), Semantics::Own),
        (&|given| given.n_records[1] = 0, Semantics::Own),
        (&|given| given.n_records.push(1), Semantics::Own),
        (
            &|given| given.weights = Some(ExactSums::by_cell(&[1.0], &[0], 1)),
            Semantics::Own,
        ),
        (&|given| given.visible = Some(vec![1, 3]), Semantics::Own),
        (&|_| (), Semantics::Original),
        // The first has no value of the second key.
        (
            &|given| given.visible = Some(vec![3, 3]),
            Semantics::Original,
        ),
    ];
    for (at, (change, semantics)) in wrong.into_iter().enumerate() {
        let found = taken(change, semantics);
        assert!(matches!(found, Err(MethodError::Internal(_))), "{at}");
    }
    for wrong in [
        taken(&|given| given.n_values.clear(), Semantics::Own),
        taken(&|given| given.n_records[1] = u32::MAX, Semantics::Own),
    ] {
        assert!(matches!(wrong, Err(MethodError::Request { .. })));
    }
}

#[test]
fn codes_that_do_not_fit_are_refused() {
    let key = |codes: &[u32]| KeyCodes {
        codes: codes.to_vec().into(),
        before_suppression: None,
        n_values: 2,
        coding: Coding::Shared,
    };
    for wrong in [vec![key(&[1, 3])], vec![key(&[1, 2]), key(&[1])]] {
        assert!(matches!(
            KeyColumns::new(wrong),
            Err(MethodError::Internal(_))
        ));
    }
    let keys = KeyColumns::new(vec![key(&[1, 2])]).expect("codes fit");
    let weighed = KeyCounts::of(&keys, Some(&[1.0]), Semantics::Own);
    assert!(matches!(weighed, Err(MethodError::Internal(_))));
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
fn suppressed_numbers_are_remembered_until_others_are_computed() {
    let suppressed = support::numbers("x", &[1.0, 1.0, 2.0, f64::NAN]).suppress(&[0]);
    let count = |column: Column, semantics| frequencies(&table(vec![column]), &[0], semantics);
    // The first record shows nothing, and the second matches it as it was.
    let original = count(suppressed.clone(), Semantics::Original);
    assert_eq!(original.expect("counted").f, [4, 2, 1, 4]);
    let visible = |column| count(column, Semantics::Visible).expect("counted").f;
    assert_eq!(visible(suppressed.clone()), [4, 1, 1, 4]);
    // Afterwards nobody knows: `original` says so instead of counting something else.
    let computed = suppressed.with_numbers(vec![5.0, 5.0, 6.0, 7.0]);
    let refused = count(computed.clone(), Semantics::Original);
    assert!(matches!(refused, Err(MethodError::Data { variable: Some(name), .. }) if name == "x"));
    assert_eq!(visible(computed), [4, 1, 1, 4]);
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
