//! What a measure gave is what a plain recount gives. Counting keys is checked on a few records,
//! since the plain way compares each with all.

use std::collections::BTreeMap;
use std::collections::HashMap;

use bauta_data::{Column, Table};
use bauta_methods::Params;
use bauta_methods::registry;
use bauta_methods::{FigureSpec, Measurement};

use super::check_linkage::linked;
use super::check_lost;
use super::check_masks::unchecked;
use super::check_models::{inertia_is_that_of_the_categories, residuals_go_with_nothing};
use super::inputs::EIGHTH_KEY;
use super::plain::{columns, correlations, covariances, mean, squared_gaps};
use super::recount::{Files, N_KEYS};
use super::weighted;
use super::work::Work;

/// Records whose key is counted again the plain way.
const N_RECOUNTED: usize = 40;
/// Records that can all be compared with each other.
const N_ALL_PAIRS: usize = 1_000;
/// Places at which distribution functions are compared again.
const N_PLACES: usize = 10_000;

/// Checks a measurement.
pub(super) fn check(
    work: &Work,
    params: &Params,
    original: &Table,
    masked: Option<&Table>,
    found: &Measurement,
) -> Result<(), String> {
    let n = original.n_records();
    let declared = registry::measure(work.card.id)
        .ok_or("not a measure")?
        .declared();
    if !in_range(found, &declared.value)
        || found.per_record.as_ref().is_some_and(|all| all.len() != n)
    {
        return Err(format!(
            "{}: the value leaves its range, or records are missing",
            work.name
        ));
    }
    if recounted(work, params, original, masked, found)? {
        Ok(())
    } else {
        Err(format!(
            "{}: a plain recount gives another answer",
            work.name
        ))
    }
}

/// Whether a plain recount agrees; an error if nobody wrote one.
pub(super) fn recounted(
    work: &Work,
    params: &Params,
    original: &Table,
    masked: Option<&Table>,
    found: &Measurement,
) -> Result<bool, String> {
    let n = original.n_records();
    Ok(match (work.card.id, masked) {
        ("k-anonymity", _) => keys_recounted(work, params, original, |record, f, _| {
            per_record(found, record) == Some(f64::from(f))
        }),
        ("individual-risk", _) => keys_recounted(work, params, original, |record, f, big_f| {
            per_record(found, record).is_some_and(|risk| risk_fits(risk, f, big_f))
        }),
        ("l-diversity", _) => answers_recounted(work, original, |record, answers, _| {
            let l = answers.iter().filter(|count| **count > 0).count();
            per_record(found, record) == Some(l as f64)
        }),
        ("t-closeness", _) => answers_recounted(work, original, |record, answers, of_file| {
            near(
                per_record(found, record),
                Some(total_variation(answers, of_file)),
            )
        }),
        ("key-contribution", _) => contributions_recounted(work, params, original, found),
        ("poisson-risk", _) => uniques_recounted(work, original, found),
        ("univariate-summary", _) => work.on.iter().all(|name| {
            let mean = original
                .column_named(name)
                .and_then(Column::as_numeric)
                .map(|x| x.iter().sum::<f64>() / n as f64);
            near(found.part(&format!("{name}.mean")), mean)
        }),
        ("rates", Some(masked)) => {
            let differences = work.on.iter().map(|name| {
                let shares = [original, masked].map(|table| weighted::shares(table, name));
                weighted::largest_difference(&shares)
            });
            near(found.value, differences.reduce(f64::max))
        }
        ("weighted-estimates", Some(masked)) => work.on.iter().all(|name| {
            let files = [(original, "original"), (masked, "masked")];
            files.into_iter().all(|(table, file)| {
                let series = format!("{name}: mean, {file}");
                near(
                    weighted::estimate(found, &series),
                    weighted::mean(table, name),
                )
            })
        }),
        ("global-risk", Some(masked)) => global_risk_recounted(work, original, masked, found),
        ("reversal", Some(masked)) => {
            let lost = |record: &usize| {
                let mut keys = work.on.iter().filter_map(|name| masked.column_named(name));
                let original = |name: &str| original.column_named(name);
                keys.any(|key| {
                    let before = original(key.name());
                    key.is_missing(*record) && before.is_some_and(|key| !key.is_missing(*record))
                })
            };
            let n_lost = (0..n).filter(lost).count() as f64;
            found.part("suppressed_records") == Some(n_lost) && n_lost > 0.0
        }
        ("logistic-regression" | "linear-regression", _) => {
            residuals_go_with_nothing(work, params, original, found)
        }
        ("correspondence-analysis", _) => {
            inertia_is_that_of_the_categories(work, params, original, found)
        }
        (_, Some(masked)) => {
            if let Some(agrees) = check_lost::recounted(work, original, masked, found) {
                return Ok(agrees);
            }
            let (x, z) = (columns(work, original)?, columns(work, masked)?);
            pair_recounted(work.card.id, x, z, found).ok_or_else(|| unchecked(work))?
        }
        _ => return Err(unchecked(work)),
    })
}

fn in_range(found: &Measurement, reading: &FigureSpec) -> bool {
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

/// Whether a measure of two files is what its formula gives. Where records are compared with the
/// nearest, those are found again only in files of at most so many records as can all be compared.
/// `None` if nobody wrote a recount.
fn pair_recounted(
    measure: &str,
    x: Vec<&[f64]>,
    z: Vec<&[f64]>,
    found: &Measurement,
) -> Option<bool> {
    let n = z.first().map_or(0, |column| column.len());
    let files = match measure {
        "il" | "score" if n <= N_ALL_PAIRS => Files::nearest(x, z),
        _ => Files::own(x, z),
    };
    let is = |value: f64| near(found.value, Some(value));
    let sampled: Vec<usize> = (0..n).step_by(n.div_ceil(N_RECOUNTED).max(1)).collect();
    let by_record = |recounted: &[f64]| {
        let mut both = sampled.iter().zip(recounted);
        both.all(|(&record, &value)| {
            per_record(found, record).is_some_and(|figure| (figure - value).abs() <= 1e-9)
        })
    };
    Some(match measure {
        "dld" => by_record(&files.linked(&sampled)),
        "pld" => links_fit(&files, found, n <= N_ALL_PAIRS),
        "interval-rank" => by_record(&files.within_ranks(&sampled)),
        "interval-sd" => is(files.mean_cell(|x, z, sd| share_of_widths((x - z).abs(), sd))),
        "il1" => is(files.il1()),
        "il1-symmetric" => is(files.il1_symmetric()),
        "il1s" => is(files.il1s()),
        "moments" => is(squared_gaps(&files.x, &files.z)),
        "il2" => is(files.il2_to_il5()[0]),
        "il3" => is(files.il2_to_il5()[1]),
        "il4" => is(files.il2_to_il5()[2]),
        "il5" => is(files.il2_to_il5()[3]),
        "s0" => is(mean(&files.il2_to_il5())),
        "s1" => is((files.il1_symmetric() + files.il2_to_il5().iter().sum::<f64>()) / 5.0),
        "s2" => {
            let [il2, _, il4, il5] = files.il2_to_il5();
            is((files.il1s() + il2 + il4 + il5) / 4.0)
        }
        "il" => {
            let il1 = if n <= N_ALL_PAIRS {
                files.il1()
            } else {
                found.part("il1").unwrap_or(f64::NAN)
            };
            is((il1 + files.il2_to_il5().iter().sum::<f64>()) / 5.0)
        }
        "score" => is(score(&files, found, n <= N_ALL_PAIRS)),
        "a-score" | "d-score" | "s-score" => {
            let losses = files.il2_to_il5();
            let [il2, _, il4, il5] = losses;
            let loss = match measure {
                "a-score" => mean(&losses),
                "d-score" => (files.il1_symmetric() + losses.iter().sum::<f64>()) / 5.0,
                _ => (files.il1s() + il2 + il4 + il5) / 4.0,
            };
            let reid = if n <= N_ALL_PAIRS {
                linked(&files, files.x.len()).share
            } else {
                found.part("reid").unwrap_or(f64::NAN)
            };
            is(f64::midpoint(loss, reid))
        }
        "hellinger" => is(files.hellinger(20)),
        "kolmogorov-smirnov" => {
            let (lower, upper) = files.kolmogorov_smirnov(N_PLACES);
            let around = lower - 1e-12..=upper + 1e-12;
            found.value.is_some_and(|value| around.contains(&value))
        }
        "eigenvalue-distance" => eigenvalues_fit(&files, found),
        _ => return None,
    })
}

/// The value is the mean of the stated shares, one for each number of keys; and where all pairs can be compared, the
/// last links weigh as much as those found again. Which links have that weight may differ.
fn links_fit(files: &Files<'_>, found: &Measurement, is_recounted: bool) -> bool {
    let n_keys = files.x.len().min(N_KEYS);
    let shares = (1..=n_keys).map(|n| found.part(&format!("PLD-{n}")).unwrap_or(f64::NAN));
    let shares: Vec<f64> = shares.collect();
    let mean_is_stated = near(found.value, Some(mean(&shares)));
    if !is_recounted {
        return mean_is_stated;
    }
    let again = linked(files, n_keys);
    mean_is_stated
        && near(found.part("total weight"), Some(again.total))
        && near(found.part("true pair weight"), Some(again.true_pairs))
}

/// The score from members that are counted again where all pairs can be, and as they are said to
/// be otherwise.
fn score(files: &Files<'_>, found: &Measurement, is_recounted: bool) -> f64 {
    let said = |member: &str| found.part(member).unwrap_or(f64::NAN);
    if !is_recounted {
        return 0.5 * said("il") + 0.25 * said("dld") + 0.25 * said("id");
    }
    let il = (files.il1() + files.il2_to_il5().iter().sum::<f64>()) / 5.0;
    let all: Vec<usize> = (0..files.rows.len()).collect();
    let dld = mean(&files.linked(&all));
    0.5 * il + 0.25 * dld + 0.25 * mean(&files.within_ranks(&all))
}

/// The stated eigenvalues have the sum and the sum of squares of the correlation matrices, and the
/// stated distance.
fn eigenvalues_fit(files: &Files<'_>, found: &Measurement) -> bool {
    let stated = |file: usize| -> Vec<f64> {
        let points = found.series.get(file).map_or(&[][..], |all| &all.points);
        points.iter().filter_map(|point| point.value).collect()
    };
    let (lambda, mu) = (stated(0), stated(1));
    let fits = |values: &[f64], columns: &[&[f64]]| {
        let matrix = correlations(&covariances(columns));
        let squares: f64 = matrix.iter().flatten().map(|entry| entry * entry).sum();
        let stated: f64 = values.iter().map(|value| value * value).sum();
        let trace: f64 = values.iter().sum();
        (trace - columns.len() as f64).abs() <= 1e-9 && (stated / squares - 1.0).abs() <= 1e-9
    };
    let distance: f64 = lambda.iter().zip(&mu).map(|(a, b)| (a - b).abs()).sum();
    fits(&lambda, &files.x)
        && fits(&mu, &files.z)
        && near(found.value, Some(distance / lambda.len() as f64))
}

/// The maximal risk of the keys that are said to give it, from the stated factors; and no key that
/// is left out, or taken in, gives more.
fn global_risk_recounted(
    work: &Work,
    original: &Table,
    masked: &Table,
    found: &Measurement,
) -> bool {
    let stated = |series: &str| -> Vec<f64> {
        let series = found.series.iter().find(|all| all.spelled() == series);
        let points = series.map_or(&[][..], |all| &all.points);
        points.iter().filter_map(|point| point.value).collect()
    };
    let taken: Vec<bool> = stated("keys of the maximal risk")
        .iter()
        .map(|&taken| taken > 0.0)
        .collect();
    let factors: Vec<f64> = found
        .by_variable
        .iter()
        .filter_map(|part| part.value)
        .collect();
    if taken.len() != work.on.len() || factors.len() != work.on.len() {
        return false;
    }
    let cells = |table: &Table| -> Vec<Vec<u64>> {
        let columns = work.on.iter().filter_map(|name| table.column_named(name));
        columns.map(cell_bits).collect()
    };
    let (x, z) = (cells(original), cells(masked));
    let risk = |taken: &[bool]| {
        let factors = factors.iter().zip(taken).filter(|(_, taken)| **taken);
        let p: f64 = factors.map(|(factor, _)| 1.0 - factor).product();
        let (in_original, in_masked) = (cluster_sizes(&x, taken), cluster_sizes(&z, taken));
        let sizes = in_original.iter().zip(&in_masked);
        let sum: f64 = sizes.map(|(&a, &b)| 1.0 / f64::from(a.max(b))).sum();
        p * sum / original.n_records() as f64
    };
    let others = (0..taken.len()).map(|key| {
        let mut other = taken.clone();
        other[key] = !other[key];
        other
    });
    // In a large file one other subset stands for all.
    let n_others = if original.n_records() > N_PLACES {
        1
    } else {
        taken.len()
    };
    let best = risk(&taken);
    near(found.value, Some(best))
        && others
            .take(n_others)
            .filter(|other| other.contains(&true))
            .all(|other| risk(&other) <= best + 1e-12)
}

/// What tells the values of a column apart, 0 where one is missing.
fn cell_bits(column: &Column) -> Vec<u64> {
    match column.as_numeric() {
        Some(values) => values.iter().map(|value| value.to_bits()).collect(),
        None => key_codes(column).into_iter().map(u64::from).collect(),
    }
}

/// How many records share the taken keys with each.
fn cluster_sizes(keys: &[Vec<u64>], taken: &[bool]) -> Vec<u32> {
    let n = keys.first().map_or(0, Vec::len);
    let key = |record: usize| -> Vec<u64> {
        let taken = keys.iter().zip(taken).filter(|(_, taken)| **taken);
        taken.map(|(codes, _)| codes[record]).collect()
    };
    let mut sizes: HashMap<Vec<u64>, u32> = HashMap::new();
    for record in 0..n {
        *sizes.entry(key(record)).or_insert(0) += 1;
    }
    (0..n).map(|record| sizes[&key(record)]).collect()
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

/// Whether the share of each key is what counting without it gives, where all pairs can be compared, and the
/// value is the largest share.
fn contributions_recounted(
    work: &Work,
    params: &Params,
    table: &Table,
    found: &Measurement,
) -> bool {
    let columns = work.on.iter().filter_map(|name| table.column_named(name));
    let keys: Vec<Vec<u32>> = columns.map(key_codes).collect();
    let (n, semantics) = (table.n_records(), params.choice("semantics"));
    let k = usize::try_from(params.integer("k")).unwrap_or(usize::MAX);
    let below = |left_out: Option<usize>| {
        let used = keys.iter().enumerate();
        let used = used.filter(|(position, _)| Some(*position) != left_out);
        let used: Vec<&Vec<u32>> = used.map(|(_, codes)| codes).collect();
        let is_below = |&record: &usize| {
            let alike = |&other: &usize| {
                let mut codes = used.iter();
                codes.all(|codes| matches(codes[record], codes[other], semantics))
            };
            (0..n).filter(alike).take(k).count() < k
        };
        (0..n).filter(is_below).count() as f64
    };
    let shares = found.by_variable.iter().map(|part| part.value);
    let largest = shares.clone().flatten().reduce(f64::max);
    if n > N_ALL_PAIRS {
        return found.value == largest;
    }
    let all = below(None);
    let recounted = (0..keys.len()).map(|key| (all > 0.0).then(|| 1.0 - below(Some(key)) / all));
    found.value == largest
        && found.by_variable.len() == keys.len()
        && shares
            .zip(recounted)
            .all(|(share, again)| share == again || near(share, again))
}

/// Whether a condition on the plainly counted answers of a record's class and of the file holds for
/// records spread over the file. Records are compared on the keys that this one shows, and a missing answer is one of its
/// own.
fn answers_recounted(
    work: &Work,
    table: &Table,
    holds: impl Fn(usize, &[u32], &[u32]) -> bool,
) -> bool {
    let column_codes = |name: &str| table.column_named(name).map(key_codes);
    let keys: Vec<Vec<u32>> = work
        .on
        .iter()
        .filter_map(|name| column_codes(name))
        .collect();
    let Some(answers) = column_codes(EIGHTH_KEY) else {
        return false;
    };
    let n = table.n_records();
    let n_answers = answers.iter().max().map_or(0, |&last| last as usize + 1);
    let counted = |is_in: &dyn Fn(usize) -> bool| {
        let mut counts = vec![0; n_answers];
        for other in (0..n).filter(|&other| is_in(other)) {
            counts[answers[other] as usize] += 1;
        }
        counts
    };
    let of_file = counted(&|_| true);
    (0..n)
        .step_by(n.div_ceil(N_RECOUNTED).max(1))
        .all(|record| {
            let is_equal =
                |codes: &Vec<u32>, other: usize| matches(codes[record], codes[other], "visible");
            let of_class = counted(&|other| keys.iter().all(|codes| is_equal(codes, other)));
            holds(record, &of_class, &of_file)
        })
}

/// Half the sum of the differences between two distributions.
fn total_variation(a: &[u32], b: &[u32]) -> f64 {
    let total = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>();
    let (of_a, of_b) = (total(a), total(b));
    let both = a.iter().zip(b);
    let apart: f64 = both
        .map(|(&a, &b)| (f64::from(a) / of_a - f64::from(b) / of_b).abs())
        .sum();
    apart / 2.0
}

/// Whether the complete records that are alone were counted rightly, and are as likely to be matched
/// as uniques can be.
fn uniques_recounted(work: &Work, table: &Table, found: &Measurement) -> bool {
    let keys: Vec<Vec<u32>> = work
        .on
        .iter()
        .filter_map(|name| table.column_named(name))
        .map(key_codes)
        .collect();
    let mut counts: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
    for record in 0..table.n_records() {
        let key: Vec<u32> = keys.iter().map(|codes| codes[record]).collect();
        if !key.contains(&0) {
            *counts.entry(key).or_default() += 1;
        }
    }
    let n_alone = counts.values().filter(|count| **count == 1).count() as f64;
    let part = |name: &str| found.part(name).unwrap_or(f64::NAN);
    part("uniques").to_bits() == n_alone.to_bits()
        && part("tau1") <= part("tau2")
        && part("tau2") <= n_alone
}

/// Codes of a key, 0 where it is missing.
fn key_codes(column: &Column) -> Vec<u32> {
    let codes = column.as_categorical().map(|all| &all.codes);
    let code = |(record, code): (usize, u32)| {
        if column.is_missing(record) {
            0
        } else {
            code + 1
        }
    };
    codes.into_iter().flatten().enumerate().map(code).collect()
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
    fn total_variation_is_half_the_differences() {
        // 1/2, 1/2, 0 and 1/4, 1/4, 1/2: (1/4 + 1/4 + 1/2)/2.
        assert!((total_variation(&[3, 3, 0], &[1, 1, 2]) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn widths_hold_what_is_nearer() {
        // 2.5 % of a standard deviation: widths 3 to 10 hold it.
        assert!((share_of_widths(0.25, 10.0) - 0.8).abs() < 1e-12);
    }
}
