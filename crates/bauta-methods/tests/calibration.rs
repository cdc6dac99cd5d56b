//! Calibration against the reference weights of the victimisation survey and Figure 3 of the paper.

use crate::support;

use std::path::Path;

use bauta_data::{Kind, Role, Table, Unwatched};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::adjust::calibration::found::Calibration;
use bauta_methods::pair::Rows;
use bauta_methods::{Change, MethodError, Note, Pair, RawValue, RunContext, registry};
use serde_json::Value;
use support::{Wanted, column, params, read_csv, read_numbers, reference, table};

const KEYS: [&str; 7] = ["gender", "income", "age", "uu", "qual", "couple", "hsize"];
const MARGINS: [&str; 5] = ["gender*ind", "age*ind", "uu*ind", "qual*ind", "hsize*ind"];

fn text(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

fn texts(texts: &[&str]) -> RawValue {
    RawValue::List(texts.iter().map(|t| text(t)).collect())
}

fn number(value: f64) -> RawValue {
    RawValue::Number(value)
}

/// The survey: keys, the outcome and two weights, of which the final one is the weight.
fn survey(vvs: &Path) -> Table {
    let of = |name: &str, role: Role, kind: Kind| Wanted {
        name: name.to_owned(),
        role,
        kind,
    };
    let mut wanted: Vec<Wanted> = KEYS
        .iter()
        .map(|name| of(name, Role::Key, Kind::Unordered))
        .collect();
    wanted.push(of("ind", Role::Sensitive, Kind::Unordered));
    wanted.push(of("d_init", Role::Other, Kind::Continuous));
    wanted.push(of("d_fin", Role::Weight, Kind::Continuous));
    read_csv(&vvs.join("original.csv"), &wanted)
}

fn adjust(
    id: &str,
    original: &Table,
    masked: &Table,
    on: &[usize],
    given: &[(&str, RawValue)],
    context: &RunContext<'_>,
) -> Result<Change, MethodError> {
    let adjuster = registry::adjuster(id).expect("it is registered");
    let params = params(adjuster.card(), given);
    let pair = Pair {
        original,
        masked,
        rows: Rows::Correspond,
    };
    let task = AdjustTask { pair, on };
    adjuster.adjust(&params, &task, context)
}

/// The subsample of the survey: weights of the records that are left, and the evidence.
fn subsample(table: &Table, given: &[(&str, RawValue)]) -> (Vec<f64>, Calibration) {
    let (weights, calibration, _) = subsample_noted(table, given);
    (weights, calibration)
}

fn subsample_noted(
    table: &Table,
    given: &[(&str, RawValue)],
) -> (Vec<f64>, Calibration, Vec<Note>) {
    let mut all = vec![
        ("k", RawValue::Integer(3)),
        ("start", text("d_init")),
        ("margins", texts(&MARGINS)),
    ];
    all.extend(given.iter().cloned());
    let on: Vec<usize> = (0..KEYS.len()).collect();
    let context = RunContext::new(1, "step", &Unwatched);
    let adjusted = adjust("subsample-calibrate", table, table, &on, &all, &context)
        .unwrap_or_else(|error| panic!("{error}"));
    let evidence = adjusted.evidence.clone().expect("evidence");
    let masked = adjusted.apply_to(table);
    let weights = masked
        .weight()
        .and_then(|w| w.as_numeric())
        .expect("weights");
    let calibration = serde_json::from_value(evidence.data).expect("a calibration");
    (weights.to_vec(), calibration, context.into_notes())
}

fn golden(vvs: &Path, file: &str) -> Value {
    let text = std::fs::read_to_string(vvs.join(file)).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

fn largest_relative(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected);
    pairs
        .map(|(a, b)| (a - b).abs() / b.abs().max(1e-300))
        .fold(0.0, f64::max)
}

fn bounds() -> [(&'static str, RawValue); 2] {
    [("lower", number(0.25)), ("upper", number(3.0))]
}

#[test]
fn five_distances_and_the_euclidean_one_give_the_reference_weights() {
    let vvs = reference().join("vvs");
    let table = survey(&vvs);
    let file = vvs.join("subsample_weights.csv");
    let reference = golden(&vvs, "calibration.json");
    let histogram = golden(&vvs, "fig7_histogram.json");
    let methods = [
        ("linear", "w_linear", Vec::new()),
        ("raking", "w_raking", Vec::new()),
        ("logit", "w_logit", bounds().to_vec()),
        ("truncated", "w_truncated", bounds().to_vec()),
        ("sinh", "w_sinh", Vec::new()),
        (
            "linear",
            "w_linear_q1d",
            vec![("q", text("euclidean")), ("scale", RawValue::Flag(true))],
        ),
    ];
    for (method, column, mut given) in methods {
        given.push(("method", text(method)));
        given.push(("frontier", RawValue::Flag(false)));
        let (weights, found) = subsample(&table, &given);
        let expected = read_numbers(&file, column);
        let difference = largest_relative(&weights, &expected);
        println!(
            "{column}: weights within {difference:.1e}, margins within {:.1e}, {} steps",
            found.solutions[0].largest_error,
            found.solutions[0].iterations.len()
        );
        // The reference has 12 digits.
        assert!(difference < 1e-9, "{column}: {difference}");
        assert!(found.solutions[0].largest_error < 1e-12, "{column}");
        for row in &found.margins {
            assert!(row.relative_error.abs() < 1e-10, "{column} {}", row.name);
        }
        let deletion = found.deletion.as_ref().expect("records were deleted");
        assert_eq!(deletion.rounds, [3191, 70, 0]);
        let scale = reference["scale"].as_f64().expect("a number");
        assert!((found.scale / scale - 1.0).abs() < 1e-13);
        assert_eq!((found.n_independent, found.margins.len()), (51, 63));
        if column == "w_linear_q1d" {
            continue;
        }
        let expected = &reference["methods"][method];
        assert_eq!(
            found.solutions[0].n_negative,
            expected["n_negative"].as_u64().expect("a number"),
            "{method}"
        );
        let quantiles: Vec<f64> = expected["g_quantiles_0_1_10_25_50_75_90_99_100"]
            .as_array()
            .expect("quantiles")
            .iter()
            .map(|q| q.as_f64().expect("a number"))
            .collect();
        assert!(largest_relative(&found.solutions[0].g.quantiles, &quantiles) < 1e-9);
        let sd = expected["g_sd"].as_f64().expect("a number");
        assert!(
            (found.solutions[0].g.sd / sd - 1.0).abs() < 1e-9,
            "{method}"
        );
        // Figure 7: bins of 0.1 from -1 to 6.
        let counts: Vec<u64> = histogram["counts"][method]
            .as_array()
            .expect("counts")
            .iter()
            .map(|count| count.as_u64().expect("a number"))
            .collect();
        let first = ((found.histogram_from + 1.0) * 10.0).round() as usize;
        let mut ours = vec![0; counts.len()];
        for (bin, &count) in found.solutions[0].histogram.iter().enumerate() {
            ours[first + bin] = count;
        }
        assert_eq!(ours, counts, "{method}");
    }
}

#[test]
fn margins_before_and_after_are_those_of_the_reference() {
    let vvs = reference().join("vvs");
    let table = survey(&vvs);
    let (_, found, notes) = subsample_noted(&table, &[("frontier", RawValue::Flag(false))]);
    let file = vvs.join("margins.csv");
    let of = |name: &str| read_numbers(&file, name);
    let rows = &found.margins;
    let figures: [(&str, Vec<f64>); 6] = [
        ("target", rows.iter().map(|row| row.target).collect()),
        ("before", rows.iter().map(|row| row.before_scaled).collect()),
        ("raw_before", rows.iter().map(|row| row.before).collect()),
        ("after_raking", rows.iter().map(|row| row.after).collect()),
        (
            "n_before",
            rows.iter()
                .map(|row| row.n_before.unwrap() as f64)
                .collect(),
        ),
        (
            "n_after",
            rows.iter().map(|row| row.n_after as f64).collect(),
        ),
    ];
    for (name, found) in figures {
        let difference = largest_relative(&found, &of(name));
        assert!(difference < 1e-10, "{name}: {difference}");
    }
    let kish = |found: f64, expected: f64| assert!((found - expected).abs() < 5e-4, "{found}");
    kish(found.solutions[0].kish_before, 1.134);
    kish(found.solutions[0].kish_after, 1.381);
    let redundant = notes.iter().find(|note| note.id == "redundant-margins");
    let redundant = redundant.expect("a note");
    assert_eq!(redundant.count("n_independent"), Some(51));
    assert_eq!(redundant.count("n_margins"), Some(63));
    let margins = redundant
        .fact("margins")
        .and_then(serde_json::Value::as_array);
    assert_eq!(margins.map(Vec::len), Some(12));
}

#[test]
fn the_smallest_bounds_are_those_of_a_linear_program() {
    let vvs = reference().join("vvs");
    let table = survey(&vvs);
    let (_, found) = subsample(&table, &[("frontier", RawValue::Flag(true))]);
    let bounds = found.bounds.expect("they were asked for");
    let reference = golden(&vvs, "min_bounds.json");
    let half = reference["min_range"]["half"].as_f64().expect("a number");
    let [lower, upper] = bounds.narrowest.expect("there is one");
    println!(
        "narrowest [{lower}, {upper}], half-width {}",
        (upper - lower) / 2.0
    );
    assert!(((upper - lower) / 2.0 / half - 1.0).abs() < 1e-8);
    for point in &bounds.frontier {
        let expected = &reference["min_U_given_L"][point.lower.to_string()];
        if let Some(expected) = expected.as_f64() {
            let found = point.smallest_upper.expect("there is one");
            println!("L = {}: {found} (reference {expected})", point.lower);
            assert!((found / expected - 1.0).abs() < 1e-8, "L = {}", point.lower);
        }
    }
}

#[test]
fn bounds_that_are_too_narrow_are_proved_to_be() {
    let vvs = reference().join("vvs");
    let table = survey(&vvs);
    let on: Vec<usize> = (0..KEYS.len()).collect();
    let context = RunContext::new(1, "step", &Unwatched);
    let try_bounds = |method: &str, lower: f64, upper: f64| {
        let given = [
            ("k", RawValue::Integer(3)),
            ("start", text("d_init")),
            ("margins", texts(&MARGINS)),
            ("method", text(method)),
            ("lower", number(lower)),
            ("upper", number(upper)),
            ("frontier", RawValue::Flag(false)),
        ];
        adjust("subsample-calibrate", &table, &table, &on, &given, &context)
    };
    for method in ["logit", "truncated"] {
        for (lower, upper, least) in [
            (0.25, 2.17, "For L=0.25 the smallest U is 2.1762"),
            (0.5, 2.6, "For L=0.5 the smallest U is 2.63305"),
            (0.5, 1.5, "For L=0.5 the smallest U is 2.63305"),
            (0.8, 1.3, "For L=0.8 there is no U"),
        ] {
            let error = try_bounds(method, lower, upper).expect_err("it cannot be done");
            let error = error.to_string();
            assert!(
                error.contains("E-CAL-INFEASIBLE") && error.contains("(proved)"),
                "{error}"
            );
            assert!(error.contains(least), "{error}");
        }
        for (lower, upper) in [(0.25, 2.18), (0.5, 2.7)] {
            assert!(
                try_bounds(method, lower, upper).is_ok(),
                "{method} {lower} {upper}"
            );
        }
    }
}

#[test]
fn penalised_calibration_is_that_of_the_reference() {
    let vvs = reference().join("vvs");
    let table = survey(&vvs);
    let costs = RawValue::Map(vec![
        ("gender*ind".to_owned(), number(f64::INFINITY)),
        ("age*ind".to_owned(), number(10.0)),
    ]);
    let reference = golden(&vvs, "penalised_calibration.json");
    for (name, expected) in reference["results"].as_object().expect("results") {
        let penalty: f64 = name.parse().expect("a number");
        let (weights, found) = subsample(
            &table,
            &[("penalty", number(penalty)), ("costs", costs.clone())],
        );
        let first: Vec<f64> = expected["w_first5"]
            .as_array()
            .expect("weights")
            .iter()
            .map(|w| w.as_f64().expect("a number"))
            .collect();
        let difference = largest_relative(&weights[..5], &first);
        println!("lambda {penalty}: weights within {difference:.1e}");
        assert!(difference < 1e-9);
        let g = &found.solutions[0].g.quantiles;
        let ends = ["g_min", "g_max"].map(|end| expected[end].as_f64().expect("a number"));
        assert!(largest_relative(&[g[0], g[8]], &ends) < 1e-8);
        let worst = |term: &dyn Fn(&str) -> bool| {
            let rows = found.margins.iter().filter(|row| term(&row.term));
            rows.map(|row| row.relative_error.abs()).fold(0.0, f64::max)
        };
        assert!(worst(&|term| term == "gender*ind") < 1e-10);
        let age = expected["max_rel_err_age"].as_f64().expect("a number");
        assert!((worst(&|term| term == "age*ind") / age - 1.0).abs() < 1e-6);
        let other = expected["max_rel_err_other"].as_f64().expect("a number");
        let others = worst(&|term| term != "age*ind" && term != "gender*ind");
        assert!((others / other - 1.0).abs() < 1e-6);
        if penalty.to_bits() == 1e5_f64.to_bits() {
            // Asking for the gap that this penalty gave finds the penalty again.
            let gap = g[8] - g[0];
            let (_, again) = subsample(&table, &[("gap", number(gap)), ("costs", costs.clone())]);
            let found = again.solutions[0].penalty.expect("a penalty");
            assert!((found / 1e5 - 1.0).abs() < 1e-6, "{found}");
        }
    }
}

/// The nine people of Figure 1.
fn figure_1() -> Table {
    let rows = [
        ("F", "-24", "raclette", "1000"),
        ("F", "-24", "fish soup", "1500"),
        ("F", "25-49", "sauerkraut", "2000"),
        ("F", "+50", "calf's head", "1100"),
        ("F", "+50", "calf's head", "1400"),
        ("M", "-24", "fish soup", "800"),
        ("M", "25-49", "raclette", "1100"),
        ("M", "25-49", "beef stew", "1900"),
        ("M", "+50", "sauerkraut", "1200"),
    ];
    let of =
        |cell: fn(&(&'static str, &'static str, &'static str, &'static str)) -> &'static str| {
            rows.iter().map(|row| Some(cell(row))).collect::<Vec<_>>()
        };
    table(vec![
        column("sex", Role::Key, Kind::Unordered, &of(|row| row.0)),
        column("age", Role::Key, Kind::Unordered, &of(|row| row.1)),
        column("meal", Role::Sensitive, Kind::Unordered, &of(|row| row.2)),
        column("weight", Role::Weight, Kind::Continuous, &of(|row| row.3)),
    ])
}

fn figure_3(given: &[(&str, RawValue)]) -> Result<Vec<f64>, MethodError> {
    let people = figure_1();
    let mut all = vec![("k", RawValue::Integer(2))];
    all.extend(given.iter().cloned());
    let context = RunContext::new(1, "step", &Unwatched);
    let adjusted = adjust(
        "subsample-calibrate",
        &people,
        &people,
        &[0, 1],
        &all,
        &context,
    )?;
    let masked = adjusted.apply_to(&people);
    Ok(masked.weight().unwrap().as_numeric().unwrap().to_vec())
}

#[test]
fn figure_3_is_the_euclidean_preset_to_the_last_digit() {
    let margins = ("margins", texts(&["sex", "age"]));
    let found = figure_3(&[margins.clone(), ("q", text("euclidean"))]).expect("Figure 3");
    assert_eq!(found, [1400.0, 1900.0, 1700.0, 2000.0, 2100.0, 2900.0]);
    // golden/toy/fig3_calibration.json: the same margins by raking, and by the scaled start.
    let raking = figure_3(std::slice::from_ref(&margins)).expect("raking");
    let expected = [1320.0, 1980.0, 1628.0, 2072.0, 5500.0 / 3.0, 9500.0 / 3.0];
    assert!(largest_relative(&raking, &expected) < 1e-12);
    let scaled = [
        margins,
        ("q", text("euclidean")),
        ("scale", RawValue::Flag(true)),
    ];
    let found = figure_3(&scaled).expect("from scaled weights");
    assert!(largest_relative(&found, &[1275.0, 2025.0, 1625.0, 2075.0, 1900.0, 3100.0]) < 1e-12);
}

#[test]
fn a_category_that_is_gone_is_said_with_its_place() {
    let error = figure_3(&[("margins", texts(&["sex", "meal"]))]).expect_err("sauerkraut is gone");
    let error = error.to_string();
    // Two people had it: neither their meal nor what they stand for is told.
    assert!(
        error.contains("E-CAL-EMPTY: calibration variable meal: category 5 of 5 has a target but no record left after deletion (2 deleted). Merge it or drop meal."),
        "{error}"
    );
    assert!(error.contains("merge it with category "), "{error}");
}

#[test]
fn totals_that_disagree_are_named_with_both_sums() {
    let people = figure_1();
    let totals = RawValue::Map(vec![
        ("sex=F".to_owned(), number(7000.0)),
        ("sex=M".to_owned(), number(5000.0)),
        ("age=-24".to_owned(), number(3300.0)),
        ("age=25-49".to_owned(), number(5000.0)),
        ("age=+50".to_owned(), number(3800.0)),
    ]);
    let context = RunContext::new(1, "step", &Unwatched);
    let error = adjust(
        "calibrate",
        &people,
        &people,
        &[3],
        &[("totals", totals)],
        &context,
    )
    .expect_err("12000 and 12100")
    .to_string();
    assert!(
        error.contains("E-CAL-CONTRADICT: margins disagree:"),
        "{error}"
    );
    assert!(
        error.contains("(difference 100)") || error.contains("(difference -100)"),
        "{error}"
    );
}
