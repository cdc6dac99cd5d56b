//! What a measure gave is what a plain recount gives. Counting keys is checked on a few records,
//! since the plain way compares each with all.

use bauta_data::{Column, Table};
use bauta_methods::Params;
use bauta_methods::measure::{Measurement, Reading};
use bauta_methods::registry;
use bauta_methods::stats::moments::moments;

use super::work::Work;

/// Records whose key is counted again the plain way.
const N_RECOUNTED: usize = 40;

/// Checks a measurement.
pub(super) fn check(
    work: &Work,
    params: &Params,
    original: &Table,
    masked: Option<&Table>,
    found: &Measurement,
) -> Result<(), String> {
    let n = original.n_records();
    let reading = registry::measure(work.card.id)
        .ok_or("not a measure")?
        .reading();
    if !in_range(found, &reading) || found.per_record.as_ref().is_some_and(|all| all.len() != n) {
        return Err(format!(
            "{}: the value leaves its range, or records are missing",
            work.name
        ));
    }
    let agrees = match (work.card.id, masked) {
        ("k-anonymity", _) => keys_recounted(work, params, original, |record, f, _| {
            per_record(found, record) == Some(f64::from(f))
        }),
        ("individual-risk", _) => keys_recounted(work, params, original, |record, f, big_f| {
            per_record(found, record).is_some_and(|risk| risk_fits(risk, f, big_f))
        }),
        ("il1s", Some(masked)) => near(
            found.value,
            plain_mean(work, original, masked, |distance, sd| {
                distance / (std::f64::consts::SQRT_2 * sd)
            }),
        ),
        ("interval-sd", Some(masked)) => near(
            found.value,
            plain_mean(work, original, masked, share_of_widths),
        ),
        ("univariate-summary", _) => work.on.iter().all(|name| {
            let mean = original
                .column_named(name)
                .and_then(Column::as_numeric)
                .map(|x| x.iter().sum::<f64>() / n as f64);
            near(found.part(&format!("{name}.mean")), mean)
        }),
        _ => true,
    };
    if agrees {
        Ok(())
    } else {
        Err(format!(
            "{}: a plain recount gives another answer",
            work.name
        ))
    }
}

fn in_range(found: &Measurement, reading: &Reading) -> bool {
    found
        .value
        .is_none_or(|value| (reading.min..=reading.max).contains(&value))
}

fn per_record(found: &Measurement, record: usize) -> Option<f64> {
    found.per_record.as_ref().map(|all| all[record])
}

fn near(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b)
        .is_some_and(|(a, b)| (a - b).abs() <= 1e-9 * b.abs().max(1e-300))
}

/// Whether a condition on the plain counts holds for records spread over the file.
fn keys_recounted(
    work: &Work,
    params: &Params,
    table: &Table,
    holds: impl Fn(usize, u32, f64) -> bool,
) -> bool {
    let keys: Vec<Vec<u32>> = work
        .on
        .iter()
        .filter_map(|name| table.column_named(name))
        .map(key_codes)
        .collect();
    let weights = table.weight().and_then(Column::as_numeric);
    let n = table.n_records();
    let semantics = params.choice("semantics");
    (0..n)
        .step_by(n.div_ceil(N_RECOUNTED).max(1))
        .all(|record| {
            let (mut f, mut big_f) = (0, 0.0);
            for other in 0..n {
                if keys
                    .iter()
                    .all(|codes| matches(codes[record], codes[other], semantics))
                {
                    f += 1;
                    big_f += weights.map_or(1.0, |weights| weights[other]);
                }
            }
            holds(record, f, big_f)
        })
}

/// Codes of a key, 0 where it is missing.
fn key_codes(column: &Column) -> Vec<u32> {
    let codes = column.as_categorical().map_or(&[][..], |all| &all.codes);
    let code = |(record, &code): (usize, &u32)| {
        if column.is_missing(record) {
            0
        } else {
            code + 1
        }
    };
    codes.iter().enumerate().map(code).collect()
}

/// Whether the key of another record matches that of the record looked at.
fn matches(own: u32, other: u32, semantics: &str) -> bool {
    match semantics {
        "own" => own == other,
        "wild" => own == 0 || other == 0 || own == other,
        // `visible`; no work counts under `original`.
        _ => own == 0 || own == other,
    }
}

/// A unique has a closed form; for larger classes E(1/F) is at most 1/f and at least 1/F.
fn risk_fits(risk: f64, f: u32, big_f: f64) -> bool {
    let (f, p) = (f64::from(f), f64::from(f) / big_f);
    if f > 1.0 || p >= 1.0 {
        return risk <= 1.0 / f + 1e-12 && risk >= 1.0 / big_f.max(f) - 1e-12;
    }
    (risk - p * -p.ln() / (1.0 - p)).abs() <= 1e-9 * risk
}

/// Mean over all cells of a figure of distance and standard deviation.
fn plain_mean(
    work: &Work,
    original: &Table,
    masked: &Table,
    figure: impl Fn(f64, f64) -> f64,
) -> Option<f64> {
    let mut total = 0.0;
    let mut n_cells = 0;
    for name in &work.on {
        let x = original.column_named(name)?.as_numeric()?;
        let z = masked.column_named(name)?.as_numeric()?;
        let sd = moments(x).sd;
        total += x
            .iter()
            .zip(z)
            .map(|(x, z)| figure((x - z).abs(), sd))
            .sum::<f64>();
        n_cells += x.len();
    }
    Some(total / n_cells as f64)
}

/// Share of the widths 1 % to 10 % of a standard deviation that hold a distance.
fn share_of_widths(distance: f64, sd: f64) -> f64 {
    let holding = (1..=10)
        .filter(|&width| distance <= f64::from(width) / 100.0 * sd)
        .count();
    holding as f64 / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_keys_match_as_each_reading_says() {
        for (own, other, semantics, expected) in [
            (1, 1, "own", true),
            (0, 1, "own", false),
            (0, 1, "visible", true),
            (1, 0, "visible", false),
            (1, 0, "wild", true),
            (1, 2, "wild", false),
        ] {
            assert_eq!(
                matches(own, other, semantics),
                expected,
                "{own} {other} {semantics}"
            );
        }
    }

    #[test]
    fn a_risk_that_cannot_be_is_found() {
        // f = 1, F = 4: ln(4)/3 = 0.462.
        assert!(risk_fits(4.0_f64.ln() / 3.0, 1, 4.0));
        assert!(!risk_fits(0.25, 1, 4.0));
        assert!(!risk_fits(0.6, 2, 8.0), "above 1/f");
        assert!(!risk_fits(0.1, 2, 8.0), "below 1/F");
        assert!(risk_fits(0.5, 2, 2.0));
    }

    #[test]
    fn widths_hold_what_is_nearer() {
        // 2.5 % of a standard deviation: widths 3 to 10 hold it.
        assert!((share_of_widths(0.25, 10.0) - 0.8).abs() < 1e-12);
    }
}
