//! Whether linkage on a sample of the records estimates that on all of them.

use crate::support;

use bauta_data::{Table, Unwatched};
use bauta_methods::pair::Rows;
use bauta_methods::{Files, MeasureTask, Measurement, Pair, RawValue, RunContext, registry};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use support::{numbers, params, table};

/// As in the tests of distributions: seeds are fixed, and another seed would do.
const ALPHA: f64 = 1e-6;

/// A measure of a file and its masked version.
fn measured(
    id: &str,
    original: &Table,
    masked: &Table,
    given: &[(&str, RawValue)],
    seed: u64,
) -> Measurement {
    let measure = registry::measure(id).expect("a measure");
    let given = params(measure.card(), given);
    let on: Vec<String> = original.names().map(str::to_owned).collect();
    let files = Files::Both(Pair {
        original,
        masked,
        rows: Rows::Correspond,
    });
    let context = RunContext::new(seed, "measure", &Unwatched);
    let task = MeasureTask::new(files, &on);
    measure
        .measure(&given, &task, &context)
        .expect("the measure works")
}

#[test]
fn linkage_on_samples_estimates_that_of_the_file_and_knows_its_error() {
    let (n, m, n_seeds) = (400_u32, 60_u32, 2_000);
    // 7919 is prime, so that this is an order of 0..n.
    let x: Vec<f64> = (0..n).map(|i| f64::from(i * 7919 % n)).collect();
    let y: Vec<f64> = x.iter().map(|x| (x * 31.0) % 97.0).collect();
    let file = table(vec![numbers("x", &x), numbers("y", &y)]);
    // Moved by up to 3 either way, without pattern.
    let moved = |values: &[f64], salt: usize| -> Vec<f64> {
        let by = |i: usize| ((i * salt) % 61) as f64 / 10.0 - 3.0;
        values.iter().enumerate().map(|(i, x)| x + by(i)).collect()
    };
    let z = table(vec![
        numbers("x", &moved(&x, 104_729)),
        numbers("y", &moved(&y, 1_299_709)),
    ]);
    for correspondence in ["own", "nearest"] {
        let whole = [("correspondence", RawValue::Text(correspondence.to_owned()))];
        let all = measured("dld", &file, &z, &whole, 1);
        let figures = all.per_record.expect("figures by record");
        let truth = all.value.expect("a value");
        assert!((0.1..0.9).contains(&truth), "{truth} would test nothing");
        let sampled = [
            whole[0].clone(),
            ("sample", RawValue::Integer(i64::from(m))),
        ];
        let (mut values, mut variances) = (Vec::new(), Vec::new());
        for seed in 0..n_seeds {
            let found = measured("dld", &file, &z, &sampled, seed);
            let error = found.part("standard error").expect("a standard error");
            values.push(found.value.expect("a value"));
            variances.push(error * error);
            let drawn = found.per_record.expect("figures by record");
            let same = drawn.iter().zip(&figures);
            assert!(
                same.filter(|(drawn, _)| !drawn.is_nan())
                    .all(|(drawn, whole)| drawn.to_bits() == whole.to_bits())
            );
            assert_eq!(
                drawn.iter().filter(|value| !value.is_nan()).count(),
                m as usize
            );
        }
        // The variance of the estimate, from the figures of all records.
        let square = |figure: &f64| (figure - truth).powi(2);
        let s2 = figures.iter().map(square).sum::<f64>() / f64::from(n - 1);
        let variance = (1.0 - f64::from(m) / f64::from(n)) * s2 / f64::from(m);
        let k = n_seeds as f64;
        let mean = values.iter().sum::<f64>() / k;
        let critical = Normal::standard().inverse_cdf(1.0 - ALPHA / 2.0);
        assert!(
            (mean - truth).abs() < critical * (variance / k).sqrt(),
            "{correspondence}: mean {mean}, not {truth}"
        );
        // Chi-square for the spread; the squared errors are unbiased and vary less than it does.
        let spread = values
            .iter()
            .map(|value| (value - mean).powi(2))
            .sum::<f64>()
            / variance;
        let law = ChiSquared::new(k - 1.0).unwrap();
        let range = law.inverse_cdf(ALPHA / 2.0)..law.inverse_cdf(1.0 - ALPHA / 2.0);
        assert!(
            range.contains(&spread),
            "{correspondence}: spread {spread}, not in {range:?}"
        );
        let mean_variance = variances.iter().sum::<f64>() / k;
        assert!(
            (mean_variance / variance - 1.0).abs() < 0.02,
            "{correspondence}: squared error {mean_variance}, not {variance}"
        );
    }
}
