#![doc = include_str!("dld.md")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::Attribute;

use crate::card::{Card, Family, ParamSpec, Randomness};
use crate::context::{RunContext, shuffled};
use crate::error::MethodError;
use crate::facts::{ColumnsOfBoth, RightAndNearest, SharedFacts, right_of};
use crate::figure::{FigureSpec, Unit};
use crate::groups::{SAMPLED, STANDARD_ERROR};
use crate::kernel::numbers::sums::sum_by;
use crate::kernel::space::nearest::{NearestTree, Queries};
use crate::kernel::space::points::Points;
use crate::measure::{
    Files, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Seeks, Series, Threat,
};
use crate::note::Note;
use crate::pair::Pair;
use crate::pair::records::{
    CORRESPONDENCE, Correspondence, PairedPoints, RecordMeans, check_rows, matched, paired_points,
};
use crate::params::{ParamProblem, Params, choices};

/// Share of masked records that the nearest original record gives away. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Dld;

/// Which variables an intruder knows, in the order in which he learns them.
pub(crate) const KEYS: ParamSpec = ParamSpec::variables(
    "keys",
    "the variables that an intruder knows, in the order in which he comes to know them",
    "the first seven of the variables, or all with links = \"all\"",
);

choices! {
    /// Which of the keys are used.
    pub enum Links {
        Prefixes = "prefixes": "the first, the first two, and so on; the result is the mean",
        All = "all": "all at once",
    }
}

/// Which of the keys are used.
pub(crate) const LINKS: ParamSpec =
    ParamSpec::choice::<Links>("links", "which of the keys are used").or_word("prefixes");

const SAMPLE: ParamSpec = ParamSpec::integer(
    "sample",
    "how many masked records are drawn to estimate the figure from",
    1,
)
.unset("all records are looked at");

const DLD: FigureSpec = FigureSpec::share("DLD-{}", "share linked, keys known: {}")
    .lower_is_better()
    .per_number();

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
        randomness: Randomness::Seeded,
        references: &["sebe2002", "mateo2004"],
        ..MeasureCard::LOSS.card
    },
    at_identity: None,
    value: FigureSpec::value("share linked", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[DLD, SAMPLED, STANDARD_ERROR],
    looks_at_untouched: true,
    seeks: Seeks::Originals,
    by_variable: false,
    threat: Threat::Linkage,
    ..MeasureCard::LOSS
};

/// What the intruder knows, and which records are looked at.
pub struct Settings {
    keys: Vec<String>,
    links: Links,
    correspondence: Option<Correspondence>,
    sample: Option<i64>,
}

impl MeasureMethod for Dld {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            keys: keys_asked(params)?,
            links: params.choice_of(LINKS.name),
            correspondence: Correspondence::asked(params),
            sample: params.integer_if_set(SAMPLE.name),
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        keys_not_measured(&settings.keys, |key| on.iter().any(|on| on.name == key))
    }

    fn numbers_of(&self, _: &FigureSpec, settings: &Settings, on: &[String]) -> Vec<f64> {
        let links = settings.links.of(&settings.keys, on);
        links.iter().map(|keys| keys.len() as f64).collect()
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let links = links(settings.links, &settings.keys, task)?;
        let linked = |task: &MeasureTask<'_>| {
            matched(settings.correspondence, task, context, |task| {
                linked(task, &links, context)
            })
        };
        let Some(size) = settings.sample else {
            return linked(task);
        };
        let pair = task.both()?;
        let n = pair.masked.n_records();
        let mut rows = shuffled(n, &context.draws("sample"));
        rows.truncate(usize::try_from(size).unwrap_or(n));
        rows.sort_unstable();
        let masked = pair.masked.take(&rows);
        // A choice of records of a file that corresponds to nothing is itself such a file.
        let drawn = Files::Both(Pair {
            masked: &masked,
            ..pair
        });
        let found = linked(&MeasureTask {
            files: drawn,
            ..*task
        })?;
        context.note(sampled(rows.len(), n));
        Ok(estimated(found, &rows, n))
    }
}

/// A figure was estimated from a random sample of the masked records.
fn sampled(n_sampled: usize, n_records: usize) -> Note {
    Note::new(
        "records-sampled",
        format!("estimated from a random sample of {n_sampled} of {n_records} masked records"),
    )
    .with("n_sampled", n_sampled)
    .with("n_records", n_records)
}

/// The keys that [`KEYS`] names, each once.
pub(crate) fn keys_asked(params: &Params) -> Result<Vec<String>, Vec<ParamProblem>> {
    let keys = params.texts(KEYS.name);
    let repeated = keys
        .iter()
        .enumerate()
        .filter(|(position, key)| keys[..*position].contains(key));
    let problems: Vec<ParamProblem> = repeated
        .map(|(_, key)| {
            ParamProblem::of(
                KEYS.name,
                format!("`keys` names `{key}` twice"),
                "write each once",
            )
        })
        .collect();
    if problems.is_empty() {
        Ok(keys.to_vec())
    } else {
        Err(problems)
    }
}

/// Named keys that are not among the variables which are measured.
pub(crate) fn keys_not_measured(
    keys: &[String],
    is_on: impl Fn(&str) -> bool,
) -> Vec<ParamProblem> {
    let missing = keys.iter().filter(|key| !is_on(key));
    missing
        .map(|key| {
            ParamProblem::of(
                KEYS.name,
                format!("the key `{key}` is not among the variables that are measured"),
                "add it to `on`, or take it out of `keys`",
            )
        })
        .collect()
}

/// All the keys that a measure which has [`KEYS`] and [`LINKS`] links by, with checked parameters.
pub fn linked_by<'a>(params: &'a Params, on: &'a [String]) -> &'a [String] {
    let links: Links = params.choice_if_set(LINKS.name).unwrap_or(Links::Prefixes);
    let last = links.of(params.texts(KEYS.name), on).pop();
    last.unwrap_or_default()
}

impl Links {
    /// The keys of each linkage: those named, or the first of the variables `on`.
    pub(crate) fn of<'a>(self, named: &'a [String], on: &'a [String]) -> Vec<&'a [String]> {
        let n_unnamed = match self {
            Self::Prefixes => on.len().min(N_KEYS),
            Self::All => on.len(),
        };
        let keys = if named.is_empty() {
            &on[..n_unnamed]
        } else {
            named
        };
        let first = match self {
            Self::Prefixes => 1,
            Self::All => keys.len().max(1),
        };
        (first..=keys.len()).map(|n| &keys[..n]).collect()
    }
}

/// The keys of each linkage of a task.
pub(crate) fn links<'a>(
    links: Links,
    named: &'a [String],
    task: &MeasureTask<'a>,
) -> Result<Vec<&'a [String]>, MethodError> {
    let is_on = |key: &str| task.on.iter().any(|on| on == key);
    if let Some(problem) = keys_not_measured(named, is_on).into_iter().next() {
        return Err(MethodError::request(problem.message, problem.hint));
    }
    let links = links.of(named, task.on);
    if links.is_empty() {
        return Err(MethodError::request(
            "without keys no record can be linked",
            "name the variables to compare",
        ));
    }
    Ok(links)
}

/// Links by each set of keys. The masked records are traced to the originals that are right.
pub(crate) fn linked(
    task: &MeasureTask<'_>,
    links: &[&[String]],
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
        let credits = credits(&pair, keys, context.facts(), go_on)?;
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
        found.give(DLD.at(keys.len() as f64), share);
    }
    if links.len() > 1 {
        let points = links.iter().zip(by_link);
        let points = points.map(|(keys, share)| Part::new(keys.len().to_string(), share));
        found.series.push(Series::new(
            "share linked by number of keys known",
            "share of records",
            Unit::Share,
            points.collect(),
        ));
    }
    Ok(found)
}

/// For each masked record 1 / (number of nearest originals) if the right one is among them,
/// otherwise 0.
fn credits(
    pair: &Pair<'_>,
    keys: &[String],
    facts: Option<&SharedFacts>,
    go_on: impl Fn(usize) -> Result<(), MethodError> + Sync,
) -> Result<Vec<f64>, MethodError> {
    go_on(0)?;
    let kept = facts.zip(ColumnsOfBoth::of(pair, keys));
    let known = kept.as_ref();
    let known = known.and_then(|(facts, columns)| facts.n_nearest.known(columns, |_| true));
    let n_nearest = if let Some(known) = known {
        n_nearest_knowing(pair, keys, &known, go_on)?
    } else {
        let found = Arc::new(n_nearest(pair, keys, None, go_on)?);
        if let Some((facts, columns)) = kept {
            let found = RightAndNearest {
                right: right_of(pair),
                n_nearest: Arc::clone(&found),
            };
            facts.n_nearest.keep(columns, found);
        }
        found
    };
    let credit = |n_nearest: &u32| {
        if *n_nearest == 0 {
            0.0
        } else {
            f64::from(*n_nearest).recip()
        }
    };
    Ok(n_nearest.iter().map(credit).collect())
}

/// For each masked record the number of nearest originals, 0 if the right one is not among them; of some masked
/// records only, where that is asked.
fn n_nearest(
    pair: &Pair<'_>,
    keys: &[String],
    of: Option<&[u32]>,
    go_on: impl Fn(usize) -> Result<(), MethodError> + Sync,
) -> Result<Vec<u32>, MethodError> {
    let PairedPoints {
        original,
        masked,
        by,
    } = paired_points(pair, keys)?;
    let tree = NearestTree::measured(&original, by);
    let queries = Asked {
        points: &masked,
        of,
    };
    let to_right = |query: usize, point: &[f64]| {
        let right = original.point(pair.original_record(queries.record(query)));
        tree.yardstick().squared_distance(right, point)
    };
    tree.ties_of_all(&queries, to_right, go_on)
}

/// The masked records that are asked about: all, or some.
struct Asked<'a> {
    points: &'a Points,
    of: Option<&'a [u32]>,
}

impl Asked<'_> {
    fn record(&self, query: usize) -> usize {
        self.of.map_or(query, |records| records[query] as usize)
    }
}

impl Queries for Asked<'_> {
    fn len(&self) -> usize {
        self.of.map_or(self.points.len(), <[u32]>::len)
    }

    fn place(&self, query: usize, point: &mut [f64]) {
        point.copy_from_slice(self.points.point(self.record(query)));
    }
}

/// The same where it is known of the same files, perhaps with other originals as the right ones: only where these
/// are others, there is something to look for.
fn n_nearest_knowing(
    pair: &Pair<'_>,
    keys: &[String],
    known: &RightAndNearest,
    go_on: impl Fn(usize) -> Result<(), MethodError> + Sync,
) -> Result<Arc<Vec<u32>>, MethodError> {
    let known_right = |record: usize| {
        let right = known.right.as_ref();
        right.map_or(record, |rows| rows[record] as usize)
    };
    let records = 0..pair.masked.n_records();
    let other = records.filter(|&record| known_right(record) != pair.original_record(record));
    let others: Vec<u32> = other.map(|record| record as u32).collect();
    if others.is_empty() {
        return Ok(Arc::clone(&known.n_nearest));
    }
    let found = n_nearest(pair, keys, Some(&others), go_on)?;
    let mut all = known.n_nearest.as_ref().clone();
    for (&record, n_nearest) in others.iter().zip(found) {
        all[record as usize] = n_nearest;
    }
    Ok(Arc::new(all))
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
    found.give(&STANDARD_ERROR, error);
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
    fn seven_variables_are_keys_where_none_are_named() {
        let on: Vec<String> = (1..=9).map(|j| format!("x{j}")).collect();
        let numbers = |links: Links, keys: &[String]| {
            let settings = Settings {
                keys: keys.to_vec(),
                links,
                correspondence: None,
                sample: None,
            };
            Dld.numbers_of(&DLD, &settings, &on)
        };
        let counted = |n: u8| (1..=n).map(f64::from).collect::<Vec<f64>>();
        assert_eq!(numbers(Links::Prefixes, &[]), counted(7));
        assert_eq!(numbers(Links::Prefixes, &on[3..5]), counted(2));
        assert_eq!(numbers(Links::All, &[]), [9.0]);
        assert_eq!(numbers(Links::All, &on[3..5]), [2.0]);
        assert!(Links::All.of(&[], &[]).is_empty());
    }

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
