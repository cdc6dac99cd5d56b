//! Figures that are equal to a limit on paper are equal to it here: in measures, and in the rules by
//! which records are deleted.

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::{Files, MaskTask, MeasureTask, Measurement, RawValue, RunContext, registry};
use proptest::prelude::*;

use crate::support::{column, params, table};

/// A file of one key and one sensitive variable: how often each class has each answer.
fn file(classes: &[Vec<usize>], kind: Kind) -> Table {
    let (mut keys, mut answers) = (Vec::new(), Vec::new());
    for (class, counts) in classes.iter().enumerate() {
        for (answer, &count) in counts.iter().enumerate() {
            keys.extend(vec![format!("class {class}"); count]);
            // Two digits, so that the order of texts is that of numbers.
            answers.extend(vec![format!("{:02}", answer + 10); count]);
        }
    }
    let cells = |texts: &[String], name: &str, role: Role, kind: Kind| {
        let texts: Vec<Option<&str>> = texts.iter().map(|text| Some(text.as_str())).collect();
        column(name, role, kind, &texts)
    };
    table(vec![
        cells(&keys, "key", Role::Key, Kind::Unordered),
        cells(&answers, "answer", Role::Sensitive, kind),
    ])
}

fn measured(id: &str, table: &Table, given: &[(&str, RawValue)]) -> Measurement {
    let measure = registry::measure(id).expect("a measure");
    let params = params(measure.card(), given);
    let context = RunContext::new(1, "1", &Unwatched);
    let on = ["key".to_owned()];
    let found = measure.measure(&params, &MeasureTask::new(Files::One(table), &on), &context);
    found.expect("figures")
}

/// Records that `suppress-records` leaves under a rule, or none where all are at risk.
fn n_left(table: &Table, rules: &[(&str, RawValue)]) -> usize {
    let mask = registry::mask("suppress-records").expect("a mask");
    let mut given = vec![("k", RawValue::Integer(1))];
    given.extend_from_slice(rules);
    let params = params(mask.card(), &given);
    let context = RunContext::new(1, "1", &Unwatched);
    match mask.mask(&params, &MaskTask { table, on: &[0] }, &context) {
        Ok(change) => change.apply_to(table).n_records(),
        Err(_) => 0,
    }
}

fn word(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

#[test]
fn a_uniform_class_of_any_number_of_answers_has_that_entropy_l() {
    for m in 2..=60 {
        let uniform = file(&[vec![2; m]], Kind::Unordered);
        let found = measured("l-diversity", &uniform, &[("kind", word("entropy"))]);
        let l = found.value.expect("an l");
        assert_eq!(l.to_bits(), (m as f64).to_bits(), "{m}");
        let rule = [
            ("diversity", RawValue::Number(m as f64)),
            ("diversity_kind", word("entropy")),
        ];
        assert_eq!(n_left(&uniform, &rule), 2 * m, "{m} is not below {m}");
    }
}

#[test]
fn classes_at_a_distance_of_three_tenths_are_not_farther() {
    // File: 10 and 10; classes .8/.2 and .2/.8 of 10 each are 3/10 from a half each.
    for kind in [Kind::Unordered, Kind::Ordered] {
        let classes = file(&[vec![8, 2], vec![2, 8]], kind);
        let found = measured("t-closeness", &classes, &[]);
        assert_eq!(found.value.map(f64::to_bits), Some(0.3_f64.to_bits()));
        assert_eq!(found.part("above_0.3"), Some(0.0));
        let rule = [("closeness", RawValue::Number(0.3))];
        assert_eq!(n_left(&classes, &rule), 20);
        let rule = [("closeness", RawValue::Number(0.299_999_9))];
        assert_eq!(n_left(&classes, &rule), 0);
    }
}

#[test]
fn a_census_class_of_f_is_not_above_one_over_f() {
    for f in 1..=100_usize {
        let census = file(&[vec![f], vec![2 * f]], Kind::Unordered);
        let limit = 1.0 / f as f64;
        let rule = [("risk", RawValue::Number(limit))];
        assert_eq!(n_left(&census, &rule), 3 * f);
        let given = [("threshold", RawValue::Number(limit))];
        let found = measured("individual-risk", &census, &given);
        assert_eq!(found.part("above_threshold"), Some(0.0));
        assert_eq!(found.part("expected_reidentifications"), Some(2.0));
    }
}

/// n^n and l^n Π r^r compared as whole numbers, for classes of at most 20 records.
fn is_below_exactly(counts: &[usize], l: u32) -> bool {
    let n: usize = counts.iter().sum();
    let mut left = vec![1_u64];
    let mut right = vec![1_u64];
    for _ in 0..n {
        multiply(&mut left, n as u64);
        multiply(&mut right, u64::from(l));
    }
    for &r in counts {
        for _ in 0..r {
            multiply(&mut right, r as u64);
        }
    }
    let by_size = left.len().cmp(&right.len());
    by_size.then_with(|| left.iter().rev().cmp(right.iter().rev())) == std::cmp::Ordering::Less
}

/// Multiplies a number in digits of base 10^9, the last first.
fn multiply(number: &mut Vec<u64>, factor: u64) {
    let mut carry = 0;
    for digit in number.iter_mut() {
        let product = *digit * factor + carry;
        *digit = product % 1_000_000_000;
        carry = product / 1_000_000_000;
    }
    if carry > 0 {
        number.push(carry);
    }
}

/// The share of two whole numbers below 2^53, rounded once.
fn share(above: i64, below: i64) -> f64 {
    above as f64 / below as f64
}

/// Products of such weights are no numbers, and a distance that is none is never beyond a limit.
#[test]
fn weights_at_the_ends_of_numbers_give_the_distances_of_usual_ones() {
    let usual = file(&[vec![3, 1], vec![1, 3]], Kind::Unordered);
    let weighted = |weight: &str| {
        let cells = vec![Some(weight); usual.n_records()];
        let mut columns: Vec<_> = (0..2)
            .map(|attr_idx| usual.column(attr_idx).clone())
            .collect();
        columns.push(column("w", Role::Weight, Kind::Continuous, &cells));
        measured(
            "t-closeness",
            &table(columns),
            &[("weighted", RawValue::Flag(true))],
        )
        .value
    };
    for weight in ["1", "1e300", "1e-300", "5e-324"] {
        // 3/4 against 1/2.
        assert_eq!(weighted(weight), Some(0.25), "{weight}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn entropy_l_is_on_the_side_of_every_whole_number_where_it_should_be(
        counts in proptest::collection::vec(1..5_usize, 1..6)
    ) {
        let class = file(std::slice::from_ref(&counts), Kind::Unordered);
        let found = measured("l-diversity", &class, &[("kind", word("entropy"))]);
        let l = found.value.expect("an l");
        for limit in 1..=6 {
            prop_assert_eq!(l < f64::from(limit), is_below_exactly(&counts, limit), "{:?} {}", counts, limit);
        }
    }

    #[test]
    fn distances_are_the_doubles_of_their_fractions(
        a in proptest::collection::vec(0..7_usize, 4),
        b in proptest::collection::vec(1..7_usize, 4),
    ) {
        prop_assume!(a.iter().sum::<usize>() > 0);
        let signed = |count: usize| count.cast_signed() as i64;
        let n_a: usize = a.iter().sum();
        let n = signed(n_a + b.iter().sum::<usize>());
        for (kind, of_class, first) in [
            (Kind::Unordered, &a, 0), (Kind::Unordered, &b, n_a), (Kind::Ordered, &a, 0), (Kind::Ordered, &b, n_a),
        ] {
            let n_class = signed(of_class.iter().sum());
            let table = file(&[a.clone(), b.clone()], kind);
            let per_record = measured("t-closeness", &table, &[]).per_record.expect("by record");
            // q - P = (r n - R n_class)/(n n_class).
            let gaps = (0..4).map(|i| signed(of_class[i]) * n - signed(a[i] + b[i]) * n_class);
            let expected = if kind == Kind::Unordered {
                share(gaps.map(i64::abs).sum(), 2 * n * n_class)
            } else {
                let mut held = 0;
                let apart: i64 = gaps.take(3).map(|gap| { held += gap; held.abs() }).sum();
                share(apart, 3 * n * n_class)
            };
            prop_assert_eq!(per_record[first].to_bits(), expected.to_bits());
        }
    }
}
