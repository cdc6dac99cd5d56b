#![doc = include_str!("dld.md")]

use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::Attribute;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::{RunContext, shuffled};
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::groups::STANDARD_ERROR;
use crate::kernel::numbers::sums::sum_by;
use crate::kernel::space::nearest::NearestTree;
use crate::kernel::space::points::squared_distance;
use crate::measure::{Files, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::note::KnownNote;
use crate::pair::Pair;
use crate::pair::records::{
    CORRESPONDENCE, Correspondence, RecordMeans, check_rows, matched, standardised_points,
};
use crate::params::{ParamProblem, Params};

/// Share of masked records that the nearest original record gives away. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Dld;

/// Which variables an intruder knows, in the order in which he learns them.
pub(crate) const KEYS: ParamSpec = ParamSpec {
    name: "keys",
    meaning: "the variables that an intruder knows, in the order in which he comes to know them",
    ty: ParamType::Variables,
    default: ParamDefault::Unset("the first seven of the variables, or all with links = \"all\""),
};

const LINKS: ParamSpec = ParamSpec {
    name: "links",
    meaning: "which of the keys are used",
    ty: ParamType::Choice(&[
        (
            "prefixes",
            "the first, the first two, and so on; the result is the mean",
        ),
        ("all", "all at once"),
    ]),
    default: ParamDefault::Value(ConstValue::Text("prefixes")),
};

const SAMPLE: ParamSpec = ParamSpec {
    name: "sample",
    meaning: "how many masked records are drawn to estimate the figure from",
    ty: ParamType::Integer {
        min: 1,
        max: i64::MAX,
    },
    default: ParamDefault::Unset("all records are looked at"),
};

/// Keys that an intruder knows where none are named (Sebé 2002, §2: DLD-1 to DLD-7).
const N_KEYS: usize = 7;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "dld",
        title: "Distance-based record linkage (DLD)",
        summary: "share of masked records whose nearest original record is the one that they came from",
        family: Family::Risk,
        page: include_str!("dld.md"),
        params: &[KEYS, LINKS, CORRESPONDENCE, SAMPLE],
        targets: Targets::CONTENT,
        randomness: Randomness::Seeded,
        references: &["sebe2002", "mateo2004"],
    },
    at_identity: None,
    value: FigureSpec::value("share linked", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    looks_at_untouched: true,
    ..MeasureCard::LOSS
};

impl MeasureMethod for Dld {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        key_problems(params, |name| {
            on.iter().any(|attribute| attribute.name == name)
        })
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let links = links(task)?;
        let pair = task.both()?;
        let n = pair.masked.n_records();
        let Some(size) = task.params.integer_if_set("sample") else {
            return matched(Correspondence::asked(task.params), task, context, |task| {
                linked(task, &links, context)
            });
        };
        let mut rows = shuffled(n, &context.draws("sample"));
        rows.truncate(usize::try_from(size).unwrap_or(n));
        rows.sort_unstable();
        let masked = pair.masked.take(&rows);
        // A choice of records of a file that corresponds to nothing is itself such a file.
        let drawn = MeasureTask {
            files: Files::Both(Pair {
                masked: &masked,
                ..pair
            }),
            ..*task
        };
        let found = matched(
            Correspondence::asked(task.params),
            &drawn,
            context,
            |task| linked(task, &links, context),
        )?;
        context.note(KnownNote::RecordsSampled {
            n_sampled: rows.len(),
            n_records: n,
        });
        Ok(estimated(found, &rows, n))
    }
}

/// What is wrong with the named keys.
pub(crate) fn key_problems(params: &Params, is_on: impl Fn(&str) -> bool) -> Vec<ParamProblem> {
    let keys = params.texts("keys");
    let mut problems = Vec::new();
    for (position, key) in keys.iter().enumerate() {
        if keys[..position].contains(key) {
            problems.push(ParamProblem::of(
                "keys",
                format!("`keys` names `{key}` twice"),
                "write each once",
            ));
        } else if !is_on(key) {
            problems.push(ParamProblem::of(
                "keys",
                format!("the key `{key}` is not among the variables that are measured"),
                "add it to `on`, or take it out of `keys`",
            ));
        }
    }
    problems
}

/// The keys of each linkage.
fn links(task: &MeasureTask<'_>) -> Result<Vec<Vec<String>>, MethodError> {
    if task.params.choice("links") == "all" {
        Ok(vec![keys(task, usize::MAX)?.to_vec()])
    } else {
        prefix_links(task)
    }
}

/// The first key, the first two, and so on.
pub(crate) fn prefix_links(task: &MeasureTask<'_>) -> Result<Vec<Vec<String>>, MethodError> {
    let keys = keys(task, N_KEYS)?;
    Ok((1..=keys.len()).map(|i| keys[..i].to_vec()).collect())
}

/// The named keys, or so many of the variables where none are named.
fn keys<'a>(task: &MeasureTask<'a>, n_unnamed: usize) -> Result<&'a [String], MethodError> {
    let is_on = |name: &str| task.on.iter().any(|on| on == name);
    if let Some(problem) = key_problems(task.params, is_on).into_iter().next() {
        return Err(MethodError::request(problem.message, problem.hint));
    }
    let named = task.params.texts("keys");
    let keys = if named.is_empty() {
        &task.on[..task.on.len().min(n_unnamed)]
    } else {
        named
    };
    if keys.is_empty() {
        return Err(MethodError::request(
            "without keys no record can be linked",
            "name the variables to compare",
        ));
    }
    Ok(keys)
}

/// Links by each set of keys. The masked records are traced to the originals that are right.
pub(crate) fn linked(
    task: &MeasureTask<'_>,
    links: &[Vec<String>],
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let pair = task.both()?;
    check_rows(&pair)?;
    let n = pair.masked.n_records();
    let done = AtomicUsize::new(0);
    let go_on = |n_block: usize| {
        let before = done.fetch_add(n_block, Ordering::Relaxed);
        context.progress(before, n * links.len())
    };
    let mut per_record = RecordMeans::new(n);
    let mut by_link = Vec::new();
    for keys in links {
        let credits = credits(&pair, keys, go_on)?;
        by_link.push(mean(&credits));
        per_record.add(&credits);
    }
    let (per_record, _) = per_record.finish();
    let mut found = Measurement {
        value: mean(&per_record),
        per_record: Some(per_record),
        ..Measurement::default()
    };
    for (keys, &share) in links.iter().zip(&by_link) {
        found.push_part(format!("DLD-{}", keys.len()), share);
    }
    if links.len() > 1 {
        let points = links.iter().zip(by_link).map(|(keys, value)| Part {
            name: keys.len().to_string(),
            value,
        });
        found.series.push(Series {
            name: "share linked by number of keys known".to_owned(),
            axis: "share of records".to_owned(),
            unit: Unit::Share,
            file: None,
            variable: None,
            table: None,
            points: points.collect(),
        });
    }
    Ok(found)
}

/// For each masked record 1 / (number of nearest originals) if the right one is among them,
/// otherwise 0.
fn credits(
    pair: &Pair<'_>,
    keys: &[String],
    go_on: impl Fn(usize) -> Result<(), MethodError> + Sync,
) -> Result<Vec<f64>, MethodError> {
    go_on(0)?;
    let (original, masked) = standardised_points(pair, keys)?;
    let to_right = |record: usize| {
        let right = original.point(pair.original_record(record));
        squared_distance(right, masked.point(record))
    };
    let n_nearest = NearestTree::new(&original).ties_of_all(&masked, to_right, go_on)?;
    let credit = |n_nearest: u32| {
        if n_nearest == 0 {
            0.0
        } else {
            f64::from(n_nearest).recip()
        }
    };
    Ok(n_nearest.into_iter().map(credit).collect())
}

fn mean(figures: &[f64]) -> Option<f64> {
    let n = figures.len();
    (n > 0).then(|| sum_by(n, |i| figures[i]) / n as f64)
}

/// What was found on a sample of the masked records, with its standard error: for a simple random
/// sample of m out of N without replacement √((1 - m/N) s²/m), s² with m - 1.
fn estimated(mut found: Measurement, rows: &[u32], n: usize) -> Measurement {
    let sampled = found.per_record.take().unwrap_or_default();
    let m = sampled.len();
    let error = if m == n {
        Some(0.0)
    } else {
        found.value.filter(|_| m > 1).map(|mean| {
            let squares = sum_by(m, |i| (sampled[i] - mean) * (sampled[i] - mean));
            let variance = squares / (m - 1) as f64;
            ((1.0 - m as f64 / n as f64) * variance / m as f64).sqrt()
        })
    };
    found.push_part(STANDARD_ERROR, error);
    let mut per_record = vec![f64::NAN; n];
    for (&row, figure) in rows.iter().zip(sampled) {
        per_record[row as usize] = figure;
    }
    found.per_record = Some(per_record);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_of_a_sample_is_corrected_for_the_whole() {
        let found = Measurement {
            value: Some(0.5),
            per_record: Some(vec![0.0, 1.0]),
            ..Measurement::default()
        };
        // s² = 0.5; (1 - 2/4) · 0.5 / 2 = 0.125.
        let found = estimated(found, &[1, 3], 4);
        let error = found
            .part("standard error")
            .expect("two records have a spread");
        assert!((error - 0.125_f64.sqrt()).abs() < 1e-15);
        let per_record = found.per_record.expect("figures by record");
        assert!(per_record[0].is_nan() && per_record[2].is_nan());
        assert_eq!(per_record[3].to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn one_record_has_no_standard_error_and_all_have_none() {
        let of = |figures: Vec<f64>, rows: &[u32], n: usize| {
            let found = Measurement {
                value: Some(1.0),
                per_record: Some(figures),
                ..Measurement::default()
            };
            estimated(found, rows, n).part("standard error")
        };
        assert_eq!(of(vec![1.0], &[0], 2), None);
        assert_eq!(of(vec![1.0, 1.0], &[0, 1], 2), Some(0.0));
    }
}
