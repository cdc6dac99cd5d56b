//! Numbers with more digits than a double holds are counted, moved and cut to the last digit.

use crate::support;

use std::collections::BTreeMap;
use std::path::Path;

use bauta_data::decimal::Decimal;
use bauta_data::format::{ReadOptions, read_bytes};
use bauta_data::{Attribute, Kind, Role, Schema, Table, Unwatched};
use bauta_methods::keys::{Semantics, frequencies};
use bauta_methods::{
    Choice, Files, MaskTask, MeasureTask, Measurement, MethodError, Note, RawValue, RunContext,
    registry,
};
use proptest::prelude::*;
use support::{params, texts};

/// A file with a long number and a letter as keys, and a weight. `kind` says how the number is read.
fn file(cells: &[(String, u8)], kind: Kind) -> Table {
    let mut text = "number,letter,weight\n".to_owned();
    for (row, (number, letter)) in cells.iter().enumerate() {
        let letter = char::from(b'a' + letter);
        text.push_str(&format!("{number},{letter},{}\n", 1 + row % 3));
    }
    let options = ReadOptions {
        schema: Schema {
            attributes: vec![
                Attribute::new("number", Role::Key, kind),
                Attribute::new("letter", Role::Key, Kind::Unordered),
                Attribute::new("weight", Role::Weight, Kind::Continuous),
            ],
            ..Schema::default()
        },
        ..ReadOptions::default()
    };
    let read = read_bytes(Path::new("x.csv"), text.into_bytes(), &options, &Unwatched);
    read.expect("the file can be read").table
}

/// What the reader of a file sees: the number with all its digits, the letter.
fn shown(table: &Table) -> Vec<[Option<String>; 2]> {
    let exact = |text: Option<String>| text.map(|text| Decimal::parse(&text).unwrap().text());
    let (numbers, letters) = (texts(table.column(0)), texts(table.column(1)));
    let pairs = numbers.into_iter().zip(letters);
    pairs
        .map(|(number, letter)| [exact(number), letter])
        .collect()
}

/// The frequencies of keys by definition, pair by pair and by text: how many records of `others` match
/// each of `table`. These are the same file, except under `original`, where they are the file before.
fn counted_by_pairs(table: &Table, others: &Table, semantics: Semantics) -> Vec<u32> {
    let (keys, others) = (shown(table), shown(others));
    let matches = |a: &Option<String>, b: &Option<String>| match semantics {
        Semantics::Own => a == b,
        Semantics::Visible | Semantics::Original => a.is_none() || a == b,
        Semantics::Wild => a.is_none() || b.is_none() || a == b,
    };
    let f = |own: &[Option<String>; 2]| {
        let all = others.iter();
        let same =
            |other: &&[Option<String>; 2]| own.iter().zip(other.iter()).all(|(a, b)| matches(a, b));
        all.filter(same).count() as u32
    };
    keys.iter().map(f).collect()
}

/// Numbers that fall on few doubles, spelled in several ways, and some that are missing.
fn cells() -> impl Strategy<Value = Vec<(String, u8)>> {
    let near = (0..6_u64).prop_map(|step| (9_007_199_254_740_992 + step).to_string());
    let wide = (0..4_u64).prop_map(|step| (u64::MAX - 600 + step * 200).to_string());
    let padded = (0..6_u64).prop_map(|step| format!("0{}.00", 9_007_199_254_740_992 + step));
    let decimals = (0..5_u8).prop_map(|last| format!("-0.1234567890123456789012345{last}"));
    let small = (0..3_u8).prop_map(|x| x.to_string());
    let number = prop_oneof![4 => near, 2 => wide, 2 => padded, 2 => decimals, 1 => small, 1 => Just(String::new())];
    prop::collection::vec((number, 0..2_u8), 1..60)
}

fn measured(
    id: &str,
    table: &Table,
    given: &[(&str, RawValue)],
) -> Result<Measurement, MethodError> {
    let measure = registry::measure(id).expect("it is registered");
    let params = params(measure.card(), given);
    let on = ["number".to_owned(), "letter".to_owned()];
    let task = MeasureTask {
        files: Files::One(table),
        on: &on,
        whole: None,
    };
    measure.measure(&params, &task, &RunContext::new(1, "m", &Unwatched))
}

fn masked_with(
    id: &str,
    table: &Table,
    on: &[usize],
    given: &[(&str, RawValue)],
) -> Result<(Table, Vec<Note>), MethodError> {
    let mask = registry::mask(id).expect("it is registered");
    let params = params(mask.card(), given);
    let context = RunContext::new(7, "step", &Unwatched);
    let change = mask.mask(&params, &MaskTask { table, on }, &context)?;
    Ok((change.apply_to(table), context.into_notes()))
}

fn word(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

fn sorted(mut texts: Vec<Option<String>>) -> Vec<Option<String>> {
    texts.sort();
    texts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn keys_are_counted_as_a_reader_tells_them_apart(cells in cells()) {
        let table = file(&cells, Kind::Continuous);
        let as_texts = {
            // The same file with each number in its one spelling, read as categories.
            let spelled: Vec<(String, u8)> = shown(&table).into_iter().zip(&cells)
                .map(|([number, _], (_, letter))| (number.unwrap_or_default(), *letter))
                .collect();
            file(&spelled, Kind::Ordered)
        };
        for &semantics in Semantics::ALL {
            let f = counted_by_pairs(&table, &table, semantics);
            prop_assert_eq!(&frequencies(&table, &[0, 1], semantics).unwrap().f, &f);
            let given = [("semantics", word(semantics.name()))];
            let k = measured("k-anonymity", &table, &given).unwrap();
            let smallest = f.iter().min().map(|&f| f64::from(f));
            prop_assert_eq!(k.value, smallest);
            let risk = |table: &Table| measured("individual-risk", table, &given).unwrap().per_record;
            prop_assert_eq!(risk(&table), risk(&as_texts));
        }
    }

    #[test]
    fn suppression_leaves_k_records_with_the_same_digits(cells in cells()) {
        let table = file(&cells, Kind::Continuous);
        let cases = [
            ("suppress-local", Semantics::Own),
            ("suppress-local", Semantics::Visible),
            ("suppress-local", Semantics::Original),
            ("suppress-records", Semantics::Own),
            ("suppress-records", Semantics::Visible),
            ("suppress-records", Semantics::Wild),
        ];
        for (id, semantics) in cases {
            let given = [("k", RawValue::Integer(2)), ("semantics", word(semantics.name()))];
            let masked = match masked_with(id, &table, &[0, 1], &given) {
                Ok((masked, _)) => masked,
                Err(error) => {
                    let none_left = error.to_string().contains("E-ALL");
                    let alone = table.n_records() < 2;
                    prop_assert!(alone || none_left && id == "suppress-records", "{}", error);
                    continue;
                }
            };
            let before = semantics == Semantics::Original;
            let others = if before { &table } else { &masked };
            let f = counted_by_pairs(&masked, others, semantics);
            prop_assert!(f.iter().all(|&f| f >= 2), "{} {:?}: {:?}", id, semantics, f);
        }
    }

    #[test]
    fn swapped_numbers_are_the_same_numbers_with_all_their_digits(
        cells in cells(), window in 0.0..1.0_f64,
    ) {
        let table = file(&cells, Kind::Continuous);
        let given = [("window", RawValue::Number(window)), ("missing", word("skip"))];
        let (masked, _) = masked_with("rank-swap", &table, &[0], &given).unwrap();
        let number = |table: &Table| shown(table).into_iter().map(|[number, _]| number).collect();
        let (before, after): (Vec<_>, Vec<_>) = (number(&table), number(&masked));
        prop_assert_eq!(sorted(before.clone()), sorted(after.clone()));
        // Nobody gets a value from farther away than the window.
        let k = (window * before.iter().flatten().count() as f64).floor() as usize;
        let mut order: Vec<Decimal<'_>> = before.iter().flatten().map(|text| Decimal::parse(text).unwrap()).collect();
        order.sort();
        for (before, after) in before.iter().zip(&after) {
            let (Some(before), Some(after)) = (before, after) else {
                prop_assert_eq!(before, after);
                continue;
            };
            let ranks = |text: &str| {
                let number = Decimal::parse(text).unwrap();
                (order.partition_point(|x| *x < number), order.partition_point(|x| *x <= number) - 1)
            };
            let (a, b) = (ranks(before), ranks(after));
            let apart = b.0.saturating_sub(a.1).max(a.0.saturating_sub(b.1));
            prop_assert!(apart <= k + 1, "{} ranks apart in a window of {}", apart, k);
        }
    }

    #[test]
    fn intervals_and_tails_are_cut_to_the_last_digit(cells in cells(), step in 0..6_i64) {
        let table = file(&cells, Kind::Continuous);
        // Even steps are doubles.
        let at = 9_007_199_254_740_992 + step / 2 * 2;
        let limit = RawValue::Integer(at);
        let at = at.to_string();
        let at = Decimal::parse(&at).unwrap();
        let given = [("breaks", RawValue::List(vec![limit.clone()]))];
        let (recoded, _) = masked_with("recode", &table, &[0], &given).unwrap();
        let (coded, _) = masked_with("top-bottom", &table, &[0], &[("top", limit)]).unwrap();
        let (labels, coded) = (texts(recoded.column(0)), texts(coded.column(0)));
        for ((before, label), coded) in shown(&table).iter().zip(labels).zip(coded) {
            let Some(text) = &before[0] else { continue };
            let number = Decimal::parse(text).unwrap();
            prop_assert_eq!(label.unwrap().starts_with(">="), number >= at);
            let coded = coded.unwrap();
            prop_assert_eq!(Decimal::parse(&coded).unwrap(), number.min(at));
        }
    }
}

/// The case of the issue: 300 different numbers that a double takes for 3.
#[test]
fn three_hundred_numbers_are_three_hundred() {
    let numbers = (0..300_u64).map(|i| (1_152_921_504_606_847_076 + i).to_string());
    let cells: Vec<(String, u8)> = numbers.map(|text| (text, 0)).collect();
    let table = file(&cells, Kind::Continuous);
    let distinct: BTreeMap<u64, usize> =
        (table.column(0).as_numeric().unwrap().iter()).fold(BTreeMap::new(), |mut found, x| {
            *found.entry(x.to_bits()).or_default() += 1;
            found
        });
    assert_eq!(distinct.len(), 3);
    let k = measured("k-anonymity", &table, &[]).unwrap();
    assert_eq!(k.value, Some(1.0));
    let k = ("k", RawValue::Integer(2));
    let error = masked_with("suppress-records", &table, &[0], std::slice::from_ref(&k))
        .expect_err("all are unique");
    assert!(error.to_string().contains("E-ALL"));
    let twice: Vec<(String, u8)> = cells.iter().chain(&cells).cloned().collect();
    let twice = file(&twice, Kind::Continuous);
    let (kept, _) = masked_with("suppress-records", &twice, &[0], &[k]).unwrap();
    assert_eq!(kept.n_records(), 600);
    let window = [("window", RawValue::Number(0.1))];
    let (swapped, notes) = masked_with("rank-swap", &table, &[0], &window).unwrap();
    let (before, after) = (texts(table.column(0)), texts(swapped.column(0)));
    assert_ne!(before, after);
    assert_eq!(before.len(), 300);
    assert_eq!(sorted(before), sorted(after));
    assert!(notes.iter().all(|note| note.id != "rounded-to-doubles"));
}

#[test]
fn a_step_that_computes_says_that_it_rounds() {
    let cells: Vec<(String, u8)> = (0..50_u64)
        .map(|i| ((1_152_921_504_606_846_977 + i * 1_000_003).to_string(), 0))
        .collect();
    let table = file(&cells, Kind::Continuous);
    let base = [("base", RawValue::Integer(1000))];
    let (rounded, notes) = masked_with("round", &table, &[0], &base).unwrap();
    let lost: Vec<&Note> = notes
        .iter()
        .filter(|note| note.id == "rounded-to-doubles")
        .collect();
    assert_eq!(lost.len(), 1);
    assert!(rounded.column(0).exact().is_none());
    assert!(
        texts(rounded.column(0))
            .iter()
            .flatten()
            .all(|text| text.ends_with("000"))
    );
}

#[test]
fn numbers_that_differ_only_beyond_doubles_are_not_taken_for_constant() {
    let cells: Vec<(String, u8)> = (0..20_u64)
        .map(|i| ((1_152_921_504_606_846_976 + i).to_string(), 0))
        .collect();
    let table = file(&cells, Kind::Continuous);
    for (id, given) in [
        ("noise-additive", ("share", RawValue::Number(0.1))),
        ("mdav", ("k", RawValue::Integer(3))),
    ] {
        let error = masked_with(id, &table, &[0], &[given])
            .expect_err(id)
            .to_string();
        assert!(
            error.contains("digits that a double does not hold"),
            "{error}"
        );
        assert!(!error.contains("1152921504606846"), "{error}");
    }
}

#[test]
fn parameters_that_a_double_does_not_hold_are_refused() {
    use bauta_methods::Params;
    let mask = registry::mask("recode").expect("it is registered");
    let given = |raw: RawValue| Params::check(mask.card(), &[("breaks".to_owned(), raw)]);
    let list = |value: i64| RawValue::List(vec![RawValue::Integer(value)]);
    assert!(given(list(9_007_199_254_740_992)).is_ok());
    let problems = given(list(9_007_199_254_740_993)).expect_err("it is refused");
    assert!(
        problems[0]
            .message
            .contains("more digits than a double holds")
    );
    let breaks = mask.card().param("breaks").expect("it has breaks");
    let typed = bauta_methods::params::parse_text(breaks.ty, "9007199254740993.0");
    let problems = given(typed).expect_err("it is refused");
    assert!(
        problems[0]
            .message
            .contains("more digits than a double holds")
    );
}
