//! What must hold of any calibration: weights are found again from their margins, redundant margins
//! change nothing, and every kind of bad input has its own error.

use crate::support;

use bauta_data::{Column, Kind, Role, Table, Unwatched};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::adjust::calibration::found::Calibration;
use bauta_methods::pair::Rows;
use bauta_methods::{Change, MethodError, Note, Pair, RawValue, RunContext, registry};
use proptest::prelude::*;
use std::sync::Arc;
use support::{column, numbers, params, scatter, table};

fn text(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

fn texts(texts: &[&str]) -> RawValue {
    RawValue::List(texts.iter().map(|t| text(t)).collect())
}

fn cells(n: usize, salt: u64, m: u64) -> Vec<Option<String>> {
    (0..n)
        .map(|i| Some((scatter(i, salt) % m).to_string()))
        .collect()
}

fn categories(name: &str, cells: &[Option<String>]) -> Column {
    let texts: Vec<Option<&str>> = cells.iter().map(Option::as_deref).collect();
    column(name, Role::Other, Kind::Unordered, &texts)
}

fn weights(name: &str, values: &[f64]) -> Column {
    let mut attribute = numbers(name, values).attribute().clone();
    attribute.role = Role::Weight;
    numbers(name, values).with_attribute(Arc::new(attribute))
}

/// Two classifications, a number, the weights `w` and the starting weights `d`.
fn file(n: usize, w: &[f64], d: &[f64]) -> Table {
    let income: Vec<f64> = (0..n).map(|i| (scatter(i, 3) % 1000) as f64).collect();
    table(vec![
        categories("a", &cells(n, 1, 3)),
        categories("b", &cells(n, 2, 4)),
        numbers("income", &income),
        numbers("start", d),
        weights("w", w),
    ])
}

fn calibrate(
    original: &Table,
    masked: &Table,
    given: &[(&str, RawValue)],
) -> Result<(Vec<f64>, Change, Vec<Note>), MethodError> {
    let adjuster = registry::adjuster("calibrate").expect("it is registered");
    let params = params(adjuster.card(), given);
    let weight = masked
        .weight()
        .map_or(0, |w| masked.index_of(w.name()).unwrap_or(0));
    let task = AdjustTask {
        pair: Pair {
            original,
            masked,
            rows: Rows::Correspond,
        },
        on: &[weight],
    };
    let context = RunContext::new(1, "step", &Unwatched);
    let adjusted = adjuster.adjust(&params, &task, &context)?;
    let changed = adjusted.clone().apply_to(masked);
    let weights = changed
        .weight()
        .and_then(Column::as_numeric)
        .expect("weights");
    Ok((weights.to_vec(), adjusted, context.into_notes()))
}

fn evidence_of(change: Change) -> Calibration {
    let evidence = change.evidence.expect("evidence");
    serde_json::from_value(evidence.data).expect("a calibration")
}

fn error_of(original: &Table, masked: &Table, given: &[(&str, RawValue)]) -> String {
    match calibrate(original, masked, given) {
        Ok(_) => panic!("it should not work"),
        Err(error) => error.to_string(),
    }
}

fn largest_relative(found: &[f64], expected: &[f64]) -> f64 {
    let pairs = found.iter().zip(expected);
    pairs.map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max)
}

const METHODS: [&str; 5] = ["linear", "raking", "logit", "truncated", "sinh"];

fn with_bounds(method: &str) -> Vec<(&'static str, RawValue)> {
    vec![
        ("method", text(method)),
        ("lower", RawValue::Number(0.05)),
        ("upper", RawValue::Number(20.0)),
        ("start", text("start")),
        ("scale", RawValue::Flag(false)),
        ("frontier", RawValue::Flag(false)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// w = d F(x'λ) for some λ is what calibration on its margins must give back: the dual has one
    /// maximum, and w is there.
    #[test]
    fn weights_of_the_form_are_found_again(
        lambda in prop::collection::vec(-0.3_f64..0.3, 7),
        n in 60_usize..200,
    ) {
        let d: Vec<f64> = (0..n).map(|i| 1.0 + (scatter(i, 9) % 500) as f64 / 10.0).collect();
        let score = |i: usize| {
            lambda[(scatter(i, 1) % 3) as usize]
                + lambda[3 + (scatter(i, 2) % 4) as usize]
        };
        for method in METHODS {
            let ratio = |u: f64| match method {
                "linear" | "truncated" => 1.0 + u,
                "raking" => libm::exp(u),
                "sinh" => {
                    let s = libm::asinh(2.0 * u);
                    f64::midpoint(s, (s * s + 4.0).sqrt())
                }
                _ => {
                    let (l, h) = (0.05, 20.0);
                    let e = libm::exp((h - l) / ((1.0 - l) * (h - 1.0)) * u);
                    (l * (h - 1.0) + h * (1.0 - l) * e) / ((h - 1.0) + (1.0 - l) * e)
                }
            };
            let w: Vec<f64> = (0..n).map(|i| d[i] * ratio(score(i))).collect();
            let file = file(n, &w, &d);
            let mut given = with_bounds(method);
            given.push(("margins", texts(&["a", "b"])));
            let (found, _, _) = calibrate(&file, &file, &given).expect("it is feasible");
            let worst = largest_relative(&found, &w);
            prop_assert!(worst < 1e-8, "{method}: {worst}");
        }
    }

    /// Margins that follow from others are found, and the weights stay what they were.
    #[test]
    fn redundant_margins_do_not_change_the_weights(
        seed in 0_u64..1000,
        order in Just(vec!["a", "b", "1", "a*b", "income", "income*a"]).prop_shuffle(),
    ) {
        let n = 150;
        let w: Vec<f64> = (0..n).map(|i| 5.0 + (scatter(i, 20 + seed) % 100) as f64).collect();
        let d: Vec<f64> = (0..n).map(|i| 5.0 + (scatter(i, 50 + seed) % 100) as f64).collect();
        let file = file(n, &w, &d);
        for method in METHODS {
            let mut few = with_bounds(method);
            few.push(("margins", texts(&["a*b", "income*a"])));
            let mut many = with_bounds(method);
            many.push(("margins", texts(&order)));
            let few = calibrate(&file, &file, &few);
            let many = calibrate(&file, &file, &many);
            match (few, many) {
                (Ok((few, _, _)), Ok((many, adjusted, notes))) => {
                    let worst = few.iter().zip(&many).map(|(a, b)| (a - b).abs() / a.abs().max(1.0));
                    let worst = worst.fold(0.0, f64::max);
                    prop_assert!(worst < 1e-7, "{method}: {worst}");
                    let calibration = evidence_of(adjusted);
                    prop_assert_eq!(calibration.n_independent, 15);
                    let noted = notes.iter().any(|note| note.id == "redundant-margins");
                    prop_assert!(noted);
                }
                (Err(few), Err(many)) => {
                    prop_assert!(few.to_string().contains("E-CAL-INFEASIBLE"), "{few}");
                    prop_assert!(many.to_string().contains("E-CAL-INFEASIBLE"), "{many}");
                }
                (few, many) => {
                    let said = (few.err().map(|e| e.to_string()), many.err().map(|e| e.to_string()));
                    prop_assert!(false, "{method}: {said:?}");
                }
            }
        }
    }
}

#[test]
fn margins_that_are_met_already_leave_the_weights_as_they_are() {
    let w: Vec<f64> = (0..40).map(|i| 1.0 + f64::from(i)).collect();
    let file = file(40, &w, &w);
    for method in METHODS {
        let mut given = with_bounds(method);
        given.push(("margins", texts(&["a", "income"])));
        let (found, adjusted, _) = calibrate(&file, &file, &given).expect("nothing to do");
        assert_eq!(found, w, "{method}");
        let calibration = evidence_of(adjusted);
        assert!(calibration.solutions[0].iterations.is_empty(), "{method}");
    }
}

#[test]
fn weights_are_the_same_to_the_last_bit_on_any_number_of_threads() {
    let n = 30_000;
    let w: Vec<f64> = (0..n)
        .map(|i| 5.0 + (scatter(i, 20) % 100) as f64)
        .collect();
    let d: Vec<f64> = (0..n)
        .map(|i| 5.0 + (scatter(i, 50) % 100) as f64)
        .collect();
    let file = file(n, &w, &d);
    let mut given = with_bounds("raking");
    given.push(("margins", texts(&["a*b", "income"])));
    let on = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(n_threads)
            .build();
        let work = || calibrate(&file, &file, &given).expect("it is feasible").0;
        let found = pool.expect("threads").install(work);
        found.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    assert_eq!(on(1), on(4));
}

#[test]
fn missing_values_weights_and_contradictions_have_their_own_errors() {
    let w: Vec<f64> = (0..12).map(|i| 1.0 + f64::from(i)).collect();
    let sound = file(12, &w, &w);
    let margins = ("margins", texts(&["a"]));
    let mut gaps = cells(12, 1, 3);
    gaps[4] = None;
    let missing = sound.with_column(0, categories("a", &gaps));
    let error = error_of(&missing, &missing, std::slice::from_ref(&margins));
    assert!(
        error.contains("E-CAL-NA: calibration variable a is missing in 1 records"),
        "{error}"
    );
    let as_category = [margins.clone(), ("missing", text("category"))];
    assert!(calibrate(&missing, &missing, &as_category).is_ok());
    let blanked = missing.with_column(0, missing.column(0).suppress(&[1, 2]));
    let error = error_of(&missing, &blanked, &as_category);
    assert!(
        error.contains("E-CAL-NA: calibration variable a is suppressed in 2 records"),
        "{error}"
    );
    for bad in [0.0, -1.0, f64::NAN] {
        let mut weights = w.clone();
        weights[6] = bad;
        let file = file(12, &weights, &w);
        let error = error_of(&file, &file, std::slice::from_ref(&margins));
        assert!(
            error.contains("E-WEIGHT: weight <= 0 or missing at row 7"),
            "{error}"
        );
        let start = [margins.clone(), ("start", text("start"))];
        let file = self::file(12, &w, &weights);
        let error = error_of(&file, &file, &start);
        assert!(
            error.contains("E-WEIGHT") && error.contains("start"),
            "{error}"
        );
    }
    let totals = |pairs: &[(&str, f64)]| {
        let pairs = pairs
            .iter()
            .map(|(name, total)| ((*name).to_owned(), RawValue::Number(*total)));
        RawValue::Map(pairs.collect())
    };
    let disagree = totals(&[("a=0", 10.0), ("a=1", 10.0), ("a=2", 10.0), ("1", 40.0)]);
    let error = error_of(&sound, &sound, &[("totals", disagree)]);
    assert!(error.contains("E-CAL-CONTRADICT: margins disagree: 1 sums to 40, a=0 + a=1 + a=2 to 30 (difference 10)"), "{error}");
    let absent = totals(&[("a=0", 10.0), ("a=1", 10.0)]);
    let error = error_of(&sound, &sound, &[("totals", absent)]);
    assert!(
        error.contains("no total for 1 of the 3 categories of `a`"),
        "{error}"
    );
    let nobody = totals(&[("a=0", 10.0), ("a=1", 10.0), ("a=2", 10.0), ("a=9", 5.0)]);
    let error = error_of(&sound, &sound, &[("totals", nobody)]);
    assert!(error.contains("E-CAL-EMPTY: the total `a=9`"), "{error}");
    let zero = totals(&[("a=0", 10.0), ("a=1", 10.0), ("a=2", 0.0)]);
    let error = error_of(&sound, &sound, &[("totals", zero)]);
    assert!(
        error.contains("E-CAL-INFEASIBLE: positive weights cannot reach every target: margin a=2"),
        "{error}"
    );
}

#[test]
fn shares_of_a_population_and_positions_of_categories_are_totals() {
    let w = vec![1.0; 30];
    let file = file(30, &w, &w);
    let shares = RawValue::Map(vec![
        ("a#1".to_owned(), RawValue::Number(20.0)),
        ("a#2".to_owned(), RawValue::Number(30.0)),
        ("a#3".to_owned(), RawValue::Number(50.0)),
    ]);
    let given = [("totals", shares), ("population", RawValue::Number(1000.0))];
    let (_, adjusted, _) = calibrate(&file, &file, &given).expect("it is feasible");
    let targets: Vec<(String, f64)> = evidence_of(adjusted)
        .margins
        .into_iter()
        .map(|row| (row.name, row.target))
        .collect();
    let expected = [("a=0", 200.0), ("a=1", 300.0), ("a=2", 500.0)];
    assert_eq!(
        targets,
        expected.map(|(name, total)| (name.to_owned(), total))
    );
}

#[test]
fn a_recoded_variable_is_calibrated_on_the_totals_of_its_new_categories() {
    let w: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i)).collect();
    let original = file(60, &w, &w);
    // 0 and 1 become one category; ten records go.
    let merged: Vec<Option<String>> = cells(60, 1, 3)
        .into_iter()
        .map(|cell| cell.map(|cell| if cell == "2" { "2" } else { "0-1" }.to_owned()))
        .collect();
    let change = Change {
        kept: Some((10..60).collect()),
        ..Change::of_columns(vec![(0, categories("a", &merged))])
    };
    let masked = change.apply_to(&original);
    let (found, adjusted, _) =
        calibrate(&original, &masked, &[("margins", texts(&["a"]))]).expect("a recoding");
    let total: f64 = w.iter().sum();
    assert!((found.iter().sum::<f64>() / total - 1.0).abs() < 1e-12);
    let names: Vec<String> = evidence_of(adjusted)
        .margins
        .into_iter()
        .map(|row| row.name)
        .collect();
    assert_eq!(names, ["a=0-1", "a=2"]);
}

#[test]
fn rounded_weights_are_whole_and_keep_the_totals() {
    let n = 400;
    let w: Vec<f64> = (0..n)
        .map(|i| 5.0 + (scatter(i, 20) % 1000) as f64 / 7.0)
        .collect();
    let d: Vec<f64> = (0..n)
        .map(|i| 5.0 + (scatter(i, 50) % 100) as f64)
        .collect();
    let file = file(n, &w, &d);
    for to in [1.0, 5.0] {
        let mut given = with_bounds("raking");
        given.push(("margins", texts(&["a", "b"])));
        given.push(("round_to", RawValue::Number(to)));
        let (found, adjusted, _) = calibrate(&file, &file, &given).expect("it is feasible");
        assert!(found.iter().all(|w| (w / to).fract() == 0.0));
        let calibration = evidence_of(adjusted);
        let rounding = calibration.rounding.expect("weights were rounded");
        let worst = calibration
            .margins
            .iter()
            .map(|row| (row.after - row.target).abs());
        let worst = worst.fold(0.0, f64::max);
        assert!((worst - rounding.largest_change).abs() < 1e-6);
        assert!(worst <= 1.5 * to, "to {to}: {worst}");
        let (found, total): (f64, f64) = (found.iter().sum(), w.iter().sum());
        assert!((found - total).abs() <= to / 2.0 + 1e-6);
    }
}

#[test]
fn rounding_that_leaves_no_weight_is_refused() {
    let n = 40;
    let w: Vec<f64> = (0..n).map(|i| 1.0 + (i % 3) as f64).collect();
    let file = file(n, &w, &w);
    let given = |to: f64| {
        let mut given = with_bounds("raking");
        given.push(("margins", texts(&["a"])));
        given.push(("round_to", RawValue::Number(to)));
        given
    };
    // A sum of 79 is nearer to no thousand, and to sixteen fives.
    let error = calibrate(&file, &file, &given(1000.0)).expect_err("nothing is left");
    assert!(
        error.to_string().contains("makes all 40 weights 0"),
        "{error}"
    );
    assert!(calibrate(&file, &file, &given(5.0)).is_ok());
}

#[test]
fn negative_weights_are_counted() {
    let w = vec![1.0, 1.0, 1.0];
    let x = numbers("x", &[0.0, 1.0, 10.0]);
    let file = table(vec![x, weights("w", &w)]);
    let totals = RawValue::Map(vec![
        ("1".to_owned(), RawValue::Number(3.0)),
        ("x".to_owned(), RawValue::Number(31.0)),
    ]);
    let given = [("totals", totals.clone()), ("method", text("linear"))];
    let (found, _, notes) = calibrate(&file, &file, &given).expect("negative weights reach it");
    let n_negative = found.iter().filter(|w| **w < 0.0).count();
    assert!(n_negative > 0);
    let told = |note: &Note| {
        note.id == "negative-weights" && note.count("n_records") == Some(n_negative as u64)
    };
    assert!(notes.iter().any(told));
    // Positive weights reach at most 10 a head.
    let error = error_of(&file, &file, &[("totals", totals)]);
    assert!(
        error.contains("E-CAL-INFEASIBLE: no positive weights reach the margins (proved)"),
        "{error}"
    );
}

#[test]
fn a_category_merged_into_another_takes_its_total_with_it() {
    // 2 becomes 1, and every record that was 2 goes afterwards: nobody is left to show the merge.
    let w: Vec<f64> = (0..60).map(|i| 1.0 + f64::from(i)).collect();
    let original = file(60, &w, &w);
    let merged: Vec<Option<String>> = cells(60, 1, 3)
        .into_iter()
        .map(|cell| cell.map(|cell| if cell == "2" { "1".to_owned() } else { cell }))
        .collect();
    let masked = Change::of_columns(vec![(0, categories("a", &merged))]).apply_to(&original);
    let (_, adjusted, _) =
        calibrate(&original, &masked, &[("margins", texts(&["a"]))]).expect("a recoding");
    let rows = evidence_of(adjusted).margins;
    let of = |categories: &[&str]| -> f64 {
        let cells = cells(60, 1, 3);
        let weights = w.iter().zip(&cells);
        let those = weights.filter(|(_, cell)| categories.contains(&cell.as_deref().unwrap_or("")));
        those.map(|(w, _)| w).sum()
    };
    let found: Vec<(String, f64)> = rows.into_iter().map(|row| (row.name, row.target)).collect();
    let expected = [("a=0", of(&["0"])), ("a=1", of(&["1", "2"]))];
    assert_eq!(
        found,
        expected.map(|(name, total)| (name.to_owned(), total))
    );
}

#[test]
fn totals_of_households_can_be_given() {
    let house = column(
        "house",
        Role::Household,
        Kind::Unordered,
        &[Some("A"), Some("A"), Some("B"), Some("C")],
    );
    let sex = categories("sex", &["m", "f", "m", "f"].map(|sex| Some(sex.to_owned())));
    let file = table(vec![house, sex, weights("w", &[10.0; 4])]);
    let totals = RawValue::Map(vec![
        ("sex=m".to_owned(), RawValue::Number(26.0)),
        ("sex=f".to_owned(), RawValue::Number(30.0)),
        ("households: 1".to_owned(), RawValue::Number(36.0)),
    ]);
    let (found, _, _) = calibrate(&file, &file, &[("totals", totals)]).expect("it is feasible");
    assert!(
        largest_relative(&found, &[20.0, 20.0, 6.0, 10.0]) < 1e-9,
        "{found:?}"
    );
}

#[test]
fn a_total_of_zero_of_numbers_that_cancel_is_reached_as_far_as_rounding_lets() {
    let n = 2000;
    let x: Vec<f64> = (0..n)
        .map(|i| (scatter(i, 5) % 2_000_001) as f64 - 1e6)
        .collect();
    let w = vec![5000.0; n];
    let file = table(vec![numbers("x", &x), weights("w", &w)]);
    let totals = RawValue::Map(vec![
        ("1".to_owned(), RawValue::Number(1e7)),
        ("x".to_owned(), RawValue::Number(0.0)),
    ]);
    for method in ["linear", "raking"] {
        let given = [("totals", totals.clone()), ("method", text(method))];
        let (found, _, _) = calibrate(&file, &file, &given).expect("it is feasible");
        let sum: f64 = found.iter().zip(&x).map(|(w, x)| w * x).sum();
        assert!(sum.abs() < 1e-3, "{method}: {sum}");
    }
}

#[test]
fn records_that_are_riskier_with_the_new_weights_are_noted() {
    // Two classes of five; the weights of the second fall to a tenth, and its risk rises above 0.03.
    let key = categories(
        "key",
        &(0..10)
            .map(|i| Some((i / 5).to_string()))
            .collect::<Vec<_>>(),
    );
    let w: Vec<f64> = (0..10).map(|i| if i < 5 { 20.0 } else { 10.0 }).collect();
    let file = table(vec![key, weights("w", &w)]);
    let adjuster = registry::adjuster("subsample-calibrate").expect("it is registered");
    let totals = RawValue::Map(vec![
        ("key=0".to_owned(), RawValue::Number(140.0)),
        ("key=1".to_owned(), RawValue::Number(10.0)),
    ]);
    let params = params(
        adjuster.card(),
        &[
            ("k", RawValue::Integer(1)),
            ("risk", RawValue::Number(0.05)),
            ("totals", totals),
        ],
    );
    let context = RunContext::new(1, "step", &Unwatched);
    let task = AdjustTask {
        pair: Pair {
            original: &file,
            masked: &file,
            rows: Rows::Correspond,
        },
        on: &[0],
    };
    adjuster
        .adjust(&params, &task, &context)
        .expect("nobody is at risk before");
    let expected = |note: &Note| {
        note.id == "riskier-with-new-weights"
            && note.count("n_records") == Some(5)
            && note.fact("limit") == Some(&0.05.into())
    };
    assert!(context.into_notes().iter().any(expected));
}
