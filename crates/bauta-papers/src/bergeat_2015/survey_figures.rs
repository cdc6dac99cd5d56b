//! Figures 4-8: what was found on the demonstration survey.

use bauta_data::missing::MissingCause;
use bauta_data::{Column, Table, Watch};
use bauta_methods::exhibit::Histogram;
use bauta_methods::pair::Rows;
use bauta_methods::{Measurement, MethodError, RawValue};

use super::files::{ACTS, SurveyFiles, both, found, words};
use super::published::{FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_8, Rates};
use crate::pace::Pace;
use crate::trial::Method;

/// Places of the keys' categories on the first two axes.
pub(super) struct MapFound {
    /// Name, place in the original, place in the released file.
    pub(super) places: Vec<(String, [f64; 2], [f64; 2])>,
    pub(super) distance: f64,
    /// Tucker's coefficient of the first axis.
    pub(super) congruence: f64,
}

/// Everything that was found.
pub(super) struct Survey {
    /// Cells that each key lost, by the ways of suppression: mu-Argus, least cost, least cost as readers count.
    pub(super) cells: [[usize; 7]; 3],
    /// Cells and records of the first way.
    pub(super) suppressed: [usize; 2],
    /// Cells that each key lost in the first way.
    pub(super) by_key: [usize; 7],
    pub(super) n_deleted: [usize; 2],
    pub(super) n_kept: usize,
    pub(super) smallest_weight: f64,
    pub(super) ratios: Histogram,
    /// Ends of the bins that logit fills.
    pub(super) logit_range: [f64; 2],
    /// Percent as in Figures 5 and 6: by file, category and number of acts.
    pub(super) rates: [Vec<Vec<[f64; 3]>>; 2],
    /// Largest difference to the original in points, of both files.
    pub(super) by_household_size: [f64; 2],
    pub(super) by_couple: [f64; 2],
    /// Victims among those in no couple: original, calibrated, not calibrated.
    pub(super) single_victims: [f64; 3],
    /// Mean difference by income in points: calibrated, not calibrated.
    pub(super) by_income: [f64; 2],
    /// Overlaps in percent, in the order of Figure 8.
    pub(super) overlaps: Vec<[f64; 2]>,
    pub(super) mean_overlaps: [f64; 2],
    pub(super) maps: [MapFound; 2],
}

impl Survey {
    /// Makes the files and measures them.
    pub(super) fn of(files: &SurveyFiles, pace: &Pace<'_>) -> Result<Self, MethodError> {
        let ways = [&files.blanked, &files.exact, &files.visible];
        let cells = ways.map(|file| FIGURE_4.map(|key| n_suppressed(file, key.variable)));
        let compared = [&files.blanked, &files.calibrated];
        let of_files = [
            rates(files, &files.blanked, pace)?,
            rates(files, &files.calibrated, pace)?,
            rates(files, &files.uncalibrated, pace)?,
        ];
        let models = [
            overlaps(files, compared[0], pace)?,
            overlaps(files, compared[1], pace)?,
        ];
        pace.done(1);
        let maps = [
            map(files, compared[0], pace)?,
            map(files, compared[1], pace)?,
        ];
        pace.done(1);
        let shown = [&FIGURE_5, &FIGURE_6].map(|figure| {
            let original = percent(&of_files[0], figure, "original");
            let [blanked, calibrated] =
                [0, 1].map(|file: usize| percent(&of_files[file], figure, "masked"));
            vec![original, blanked, calibrated]
        });
        let off = |figure: usize| [1, 2].map(|file: usize| largest(&shown[figure], file));
        let victims = |rates: &[[f64; 3]]| rates[1][1] + rates[1][2];
        let without = percent(&of_files[2], &FIGURE_6, "masked");
        let weights = files.calibrated.weight().and_then(|w| w.as_numeric());
        let smallest = weights.unwrap_or_default().iter().copied();
        Ok(Self {
            suppressed: [cells[0].iter().sum(), n_records_suppressed(&files.blanked)],
            by_key: cells[0],
            cells,
            n_deleted: files.n_deleted,
            n_kept: files.calibrated.n_records(),
            smallest_weight: smallest.fold(f64::INFINITY, f64::min),
            logit_range: occupied(&files.ratios, 1),
            ratios: files.ratios.clone(),
            by_household_size: off(0),
            by_couple: off(1),
            single_victims: [
                victims(&shown[1][0]),
                victims(&shown[1][2]),
                victims(&without),
            ],
            by_income: [1, 2].map(|file: usize| mean_difference(&of_files[file], "income")),
            rates: shown,
            overlaps: FIGURE_8
                .iter()
                .map(|(_, label, _)| [0, 1].map(|file: usize| overlap(&models[file], label)))
                .collect(),
            mean_overlaps: models
                .each_ref()
                .map(|found| 100.0 * found.value.unwrap_or(f64::NAN)),
            maps,
        })
    }
}

fn n_suppressed(file: &Table, variable: &str) -> usize {
    let column = file.column_named(variable);
    column.map_or(0, Column::n_suppressed)
}

/// Records that lost a cell.
fn n_records_suppressed(file: &Table) -> usize {
    let columns = FIGURE_4.iter();
    let columns: Vec<_> = columns
        .filter_map(|key| file.column_named(key.variable))
        .collect();
    let lost = |record: &usize| {
        let mut marks = columns.iter().map(|column| column.missing_mark(*record));
        marks.any(|mark| mark.is_some_and(|mark| mark.cause == MissingCause::Suppressed))
    };
    (0..file.n_records()).filter(lost).count()
}

/// Ends of the bins that a series fills.
fn occupied(histogram: &Histogram, series: usize) -> [f64; 2] {
    let counts = histogram.series.get(series).map(|one| &one.counts);
    let filled = |count: &u64| *count > 0;
    let at = |bin: usize| histogram.from + histogram.step * bin as f64;
    let first = counts.and_then(|counts| counts.iter().position(filled));
    let last = counts.and_then(|counts| counts.iter().rposition(filled));
    [
        first.map_or(f64::NAN, at),
        last.map_or(f64::NAN, |bin| at(bin + 1)),
    ]
}

/// All figures may be shown: nobody was asked.
fn all_figures() -> (&'static str, RawValue) {
    ("min_records", RawValue::Integer(1))
}

fn rates(
    files: &SurveyFiles,
    masked: &Table,
    watch: &dyn Watch,
) -> Result<Measurement, MethodError> {
    let measure = Method::new("rates", &[("of", words(&["ind"])), all_figures()]);
    let keys = FIGURE_4.map(|key| key.variable.to_owned());
    let pair = both(&files.original, masked, Rows::Unrelated);
    found(&keys, &measure, pair, watch)
}

/// The figure of a label in a series that scripts spell so.
fn point(found: &Measurement, series: &str, label: &str) -> f64 {
    let series = found.series.iter().find(|one| one.spelled() == series);
    let mut points = series.into_iter().flat_map(|series| &series.points);
    let point = points.find(|point| point.name == label);
    point.and_then(|point| point.value).unwrap_or(f64::NAN)
}

/// The rates of a file in percent, category by category.
fn percent(found: &Measurement, figure: &Rates, file: &str) -> Vec<[f64; 3]> {
    let codes = 1..=figure.categories.len();
    let rate = |code: usize, n_acts: usize| {
        let series = format!("ind = {n_acts} by {}: {file}", figure.variable);
        100.0 * point(found, &series, &code.to_string())
    };
    codes
        .map(|code| [0, 1, 2].map(|n_acts| rate(code, n_acts)))
        .collect()
}

/// The largest difference of a file's rates to the original's.
fn largest(files: &[Vec<[f64; 3]>], file: usize) -> f64 {
    let both = files[0].iter().flatten().zip(files[file].iter().flatten());
    both.map(|(original, masked)| (masked - original).abs())
        .fold(0.0, f64::max)
}

/// The mean difference of rates by a key, in points.
fn mean_difference(found: &Measurement, variable: &str) -> f64 {
    let names = [0, 1, 2].map(|n_acts| format!("ind = {n_acts} by {variable}: difference"));
    let series = found.series.iter();
    let series = series.filter(|series| names.contains(&series.spelled()));
    let points = series.flat_map(|series| &series.points);
    let points = points.filter(|point| point.name != "missing");
    let off: Vec<f64> = points.filter_map(|point| point.value).collect();
    100.0 * off.iter().map(|off| off.abs()).sum::<f64>() / off.len() as f64
}

fn overlaps(
    files: &SurveyFiles,
    masked: &Table,
    watch: &dyn Watch,
) -> Result<Measurement, MethodError> {
    let response = ("response", RawValue::Text("ind".to_owned()));
    let event = ("event", words(&["1", "2"]));
    let measure = Method::new("logistic-regression", &[response, event, all_figures()]);
    let on = ["age", "qual", "hsize", "uu"].map(str::to_owned);
    let pair = both(&files.original, masked, Rows::Unrelated);
    found(&on, &measure, pair, watch)
}

fn overlap(found: &Measurement, label: &str) -> f64 {
    100.0 * point(found, "overlap of odds ratios", label)
}

fn map(files: &SurveyFiles, masked: &Table, watch: &dyn Watch) -> Result<MapFound, MethodError> {
    let keys = FIGURE_4.map(|key| key.variable);
    let measure = Method::new(
        "correspondence-analysis",
        &[("supplementary", words(&keys)), all_figures()],
    );
    let on = ACTS.map(str::to_owned);
    let pair = both(&files.original, masked, Rows::Unrelated);
    let found = found(&on, &measure, pair, watch)?;
    let axis = |number: usize, file: &str| {
        let name = format!("supplementary categories on axis {number}, {file}");
        found.series.iter().find(move |one| one.spelled() == name)
    };
    let at = |file: &str, label: &str| {
        [1, 2].map(|number| {
            let points = axis(number, file).map_or(&[][..], |series| &series.points);
            let point = points.iter().find(|point| point.name == label);
            point.and_then(|point| point.value).unwrap_or(f64::NAN)
        })
    };
    let labels = axis(1, "original").map_or(&[][..], |series| &series.points);
    let labels = labels.iter().map(|point| point.name.as_str());
    let labels = labels.filter(|label| !label.ends_with("=missing"));
    let places = labels.map(|label| (label.to_owned(), at("original", label), at("masked", label)));
    Ok(MapFound {
        places: places.collect(),
        distance: found.value.unwrap_or(f64::NAN),
        congruence: found.part("congruence, axis 1").unwrap_or(f64::NAN),
    })
}
