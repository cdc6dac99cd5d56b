//! Kim's correction takes the noise out of the statistics of a subpopulation.

use crate::support;

use bauta_data::{Condition, Table, Unwatched};
use bauta_methods::context::unit_interval;
use bauta_methods::kernel::numbers::normal::quantile;
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, Groups, MeasureTask, MethodError, Pair, RawValue, RunContext, measure_groups, registry,
};
use support::{numbers, params, table};

const N: usize = 20_000;
/// d, the level of the noise.
const LEVEL: f64 = 0.2;

fn normals(name: &str) -> Vec<f64> {
    let context = RunContext::new(11, "subpopulations", &Unwatched);
    let draws = context.draws(name);
    draws.per_position(N, |_, [draw]| quantile(unit_interval(draw)))
}

/// Two variables with means 100 and 60, variances 100 and covariance 60, or noise with `scale`² times
/// these.
fn pair_of_variables(about: [f64; 2], scale: f64, names: [&str; 2]) -> [Vec<f64>; 2] {
    let (u, v) = (normals(names[0]), normals(names[1]));
    let a = u.iter().map(|u| about[0] + scale * 10.0 * u).collect();
    let both = u.iter().zip(&v);
    let b = both
        .map(|(u, v)| about[1] + scale * (6.0 * u + 8.0 * v))
        .collect();
    [a, b]
}

fn file([a, b]: &[Vec<f64>; 2]) -> Table {
    table(vec![numbers("A", a), numbers("B", b)])
}

/// The original, the file with noise, and that file scaled back to the original's covariances.
fn files() -> [Table; 3] {
    let x = pair_of_variables([100.0, 60.0], 1.0, ["u", "v"]);
    let noise = pair_of_variables([0.0, 0.0], LEVEL.sqrt(), ["noise u", "noise v"]);
    let mut z = x.clone();
    let mut scaled = x.clone();
    for j in 0..2 {
        for (z, noise) in z[j].iter_mut().zip(&noise[j]) {
            *z += noise;
        }
        let mean = z[j].iter().sum::<f64>() / N as f64;
        let shrink = 1.0 / (1.0 + LEVEL).sqrt();
        scaled[j] = z[j]
            .iter()
            .map(|z| z * shrink + (1.0 - shrink) * mean)
            .collect();
    }
    [file(&x), file(&z), file(&scaled)]
}

/// A loss on the records with A above 105, with or without a correction.
fn loss(id: &str, original: &Table, masked: &Table, correction: Option<&str>) -> f64 {
    let measure = registry::measure(id).expect("a measure");
    let given = correction.map(|correction| {
        [
            ("correction", RawValue::Text(correction.to_owned())),
            ("level", RawValue::Number(LEVEL)),
        ]
    });
    let given = params(
        measure.card(),
        given.as_ref().map_or(&[], |given| &given[..]),
    );
    assert_eq!(measure.check(&given, &[]), []);
    let on = ["A".to_owned(), "B".to_owned()];
    let files = Files::Both(Pair {
        original,
        masked,
        rows: Rows::Correspond,
    });
    let groups = Groups {
        outliers: None,
        condition: Some(Condition::parse("A > 105").expect("a condition")),
    };
    let context = RunContext::new(1, "1", &Unwatched);
    let task = MeasureTask::new(files, &on);
    let found = measure_groups(measure, &given, &task, &groups, original, &context);
    found.expect("a measurement").value.expect("a value")
}

#[test]
fn corrected_losses_of_a_subpopulation_are_small() {
    let [original, noisy, scaled] = files();
    // Of A above 105 the variance is 26.9, to which the noise adds 20; that of B is 73.7. So IL4 is
    // about (20/26.9 + 20/73.7)/2 = 0.51, and the rest follows. The corrected figures are within
    // sampling error: a variance of 6,200 records is known to about 2 %.
    for (id, uncorrected_above, share_left) in
        [("il3", 0.4, 0.1), ("il4", 0.4, 0.1), ("il5", 0.05, 0.4)]
    {
        let uncorrected = loss(id, &original, &noisy, None);
        let corrected = loss(id, &original, &noisy, Some("noise"));
        println!("{id}: {uncorrected:.4} uncorrected, {corrected:.4} corrected");
        assert!(uncorrected > uncorrected_above, "{id}: {uncorrected}");
        assert!(corrected < share_left * uncorrected, "{id}: {corrected}");
    }
    // Scaling moves the subpopulation's mean, which lies 11.4 above that of A and 6.8 above that of B,
    // by 1 - 1/√1.2 = 8.7 % of that: about (1.0/111.4 + 0.6/66.8)/2 = 0.009.
    let (uncorrected, corrected) = (
        loss("il2", &original, &scaled, None),
        loss("il2", &original, &scaled, Some("scaled-noise")),
    );
    println!("il2: {uncorrected:.5} uncorrected, {corrected:.5} corrected");
    assert!(uncorrected > 0.007 && corrected < 0.2 * uncorrected);
}

#[test]
fn a_file_and_its_scaled_version_have_the_same_corrected_losses() {
    let [original, noisy, scaled] = files();
    for id in ["il2", "il3", "il4", "il5", "s0"] {
        let before = loss(id, &original, &noisy, Some("noise"));
        let after = loss(id, &original, &scaled, Some("scaled-noise"));
        assert!((before - after).abs() < 1e-10, "{id}: {before} and {after}");
    }
}

#[test]
fn a_correction_needs_a_level_and_a_level_a_correction() {
    for id in ["il2", "il3", "il4", "il5", "s0", "s1", "s2", "il"] {
        let measure = registry::measure(id).expect("a measure");
        let text = |text: &str| RawValue::Text(text.to_owned());
        let check = |given: &[(&str, RawValue)]| {
            let problems = measure.check(&params(measure.card(), given), &[]);
            problems
                .into_iter()
                .map(|problem| problem.param)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            check(&[("correction", text("noise"))]),
            [Some("correction".to_owned())]
        );
        assert_eq!(
            check(&[("level", RawValue::Number(0.1))]),
            [Some("level".to_owned())]
        );
        let both = [
            ("correction", text("scaled-noise")),
            ("level", RawValue::Number(0.1)),
        ];
        assert_eq!(check(&both), []);
        // Whoever did not check is told as well.
        let given = params(measure.card(), &both[..1]);
        let [original, noisy, _] = files();
        let (on, context) = (["A".to_owned()], RunContext::new(1, "1", &Unwatched));
        let pair = Pair {
            original: &original,
            masked: &noisy,
            rows: Rows::Correspond,
        };
        let found = measure.measure(&given, &MeasureTask::new(Files::Both(pair), &on), &context);
        assert!(matches!(found, Err(MethodError::Request { .. })), "{id}");
    }
}

#[test]
fn statistics_of_zero_are_refused_by_name() {
    // The mean of A is 0 but for rounding; C is constant, of values that a sum divided by their number
    // need not give back.
    let original = table(vec![
        numbers("A", &[-0.3, 0.1, 0.2, 0.0]),
        numbers("B", &[1.0, 2.0, 0.0, 1.0]),
        numbers("C", &[0.1, 0.1, 0.1, 0.1]),
    ]);
    let error = |id: &str, on: &[&str]| {
        let measure = registry::measure(id).expect("a measure");
        let given = params(measure.card(), &[]);
        let on: Vec<String> = on.iter().map(|name| (*name).to_owned()).collect();
        let pair = Pair {
            original: &original,
            masked: &original,
            rows: Rows::Correspond,
        };
        let context = RunContext::new(1, "1", &Unwatched);
        let found = measure.measure(&given, &MeasureTask::new(Files::Both(pair), &on), &context);
        found.expect_err("a statistic of 0").to_string()
    };
    assert!(error("il2", &["B", "A"]).contains("the mean of `A` is 0"));
    assert!(error("il3", &["B", "C"]).contains("the covariance of `B` and `C` is 0"));
    assert!(error("il4", &["A", "B", "C"]).contains("the variance of `C` is 0"));
    assert!(error("il5", &["A", "C"]).contains("the correlation of `A` and `C` is not defined"));
}
