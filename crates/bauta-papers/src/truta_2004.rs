//! Figures 4.1-4.3 of Truta, Fotouhi and Barth-Jones (2004): global disclosure risk of simulated
//! billing records under three masks, and under two that the paper names without a figure.

use std::fmt::Write as _;

use bauta_data::{Table, Watch};
use bauta_methods::mask::MaskTask;
use bauta_methods::pair::Rows;
use bauta_methods::{
    Files, MeasureTask, Measurement, MethodError, Pair, RawValue, RunContext, registry,
};
use bauta_report::Unit;
use bauta_report::svg::{Chart, ChartSeries, Look, lines};
use rayon::prelude::*;

use crate::pace::Pace;
use crate::trial::{Method, checked, unknown};
use crate::{Compared, Paper, Picture, Reproduction, heading, row};

mod billing;
mod statements;

/// The sizes of the paper's files.
pub(super) const SIZES: [usize; 3] = [1_000, 5_000, 25_000];
/// The keys.
const KEYS: [&str; 3] = ["age", "sex", "zip"];

/// What is done to the file, with growing strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Experiment {
    /// Noise on age, Figure 4.1.
    Noise,
    /// Sex reversed where keys are rare, Figure 4.2.
    Flip,
    /// Rare zip codes cut to three digits, Figure 4.3.
    Recode,
    /// A sample of the records.
    Sample,
    /// Age microaggregated.
    Microaggregate,
}

impl Experiment {
    pub(super) const ALL: [Self; 5] = [
        Self::Noise,
        Self::Flip,
        Self::Recode,
        Self::Sample,
        Self::Microaggregate,
    ];

    /// Title of the figure, and name of the parameter.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Noise => ("Figure 4.1: noise on age", "c"),
            Self::Flip => ("Figure 4.2: sex reversed for rare keys", "p"),
            Self::Recode => ("Figure 4.3: rare zip codes cut", "t"),
            Self::Sample => ("Sampling", "share"),
            Self::Microaggregate => ("Microaggregation of age", "k"),
        }
    }

    /// What the parameter is, with its unit.
    const fn across(self) -> &'static str {
        match self {
            Self::Noise => "c, variance of the noise over that of age (a ratio)",
            Self::Flip => "p, records whose sex is reversed (a fraction)",
            Self::Recode => "t, records that a zip code needs to stay (a number)",
            Self::Sample => "records that stay (a fraction)",
            Self::Microaggregate => "k, records in a group (a number)",
        }
    }

    /// The parameters that are tried.
    fn grid(self) -> &'static [f64] {
        match self {
            Self::Noise => &[
                0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, 1000.0,
            ],
            Self::Flip => &[
                0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0,
            ],
            Self::Recode => &[
                1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2500.0, 5000.0,
            ],
            Self::Sample => &[1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.05],
            Self::Microaggregate => &[1.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0],
        }
    }

    /// The masks, each with the variables that it works on.
    fn steps(self, at: f64) -> Vec<(Method, &'static [&'static str])> {
        let whole = || RawValue::Integer(at as i64);
        let number = RawValue::Number;
        match self {
            // Variance c v²: the standard deviation is √c times that of age.
            Self::Noise => vec![
                (
                    Method::new(
                        "noise-additive",
                        &[
                            ("share", number(at.sqrt())),
                            ("round", RawValue::Flag(true)),
                        ],
                    ),
                    &["age"],
                ),
                (
                    Method::new(
                        "top-bottom",
                        &[("bottom", number(0.0)), ("top", number(100.0))],
                    ),
                    &["age"],
                ),
            ],
            Self::Flip => vec![(Method::new("flip-rare", &[("share", number(at))]), &["sex"])],
            Self::Recode => {
                let params = [("below", whole()), ("level", RawValue::Integer(2))];
                vec![(Method::new("recode-rare", &params), &["zip"])]
            }
            Self::Sample => vec![(Method::new("sample", &[("share", number(at))]), &[])],
            Self::Microaggregate => {
                let params = [("k", whole()), ("round", RawValue::Flag(true))];
                vec![(Method::new("individual-ranking", &params), &["age"])]
            }
        }
    }
}

/// One setting on one file.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) at: f64,
    pub(super) minimal: f64,
    pub(super) maximal: f64,
    /// Factors of age, sex and zip.
    pub(super) factors: Vec<f64>,
    /// Keys that give the maximal risk.
    pub(super) keys: Vec<&'static str>,
}

/// What was found: for each experiment and size, the settings.
pub(super) struct Grid {
    pub(super) found: Vec<[Vec<Setting>; 3]>,
    /// The largest number of records with the same zip code, for each size.
    pub(super) most_frequent_zip: [usize; 3],
    /// Different values of each key, for each size.
    pub(super) n_values: [[usize; 3]; 3],
}

impl Grid {
    pub(super) fn of(&self, experiment: Experiment) -> &[Vec<Setting>; 3] {
        let position = Experiment::ALL
            .iter()
            .position(|&other| other == experiment);
        &self.found[position.unwrap_or(0)]
    }
}

/// The figures and the statements of section 4.
pub(super) fn figures(seed: u64, watch: &dyn Watch) -> Result<Reproduction, MethodError> {
    let files = SIZES.map(|n| billing::records(n, seed, watch));
    let n_settings: usize = Experiment::ALL.iter().map(|one| one.grid().len()).sum();
    let pace = Pace::new(watch, (n_settings * SIZES.iter().sum::<usize>()) as u64);
    let mut found = Vec::new();
    for (position, experiment) in Experiment::ALL.into_iter().enumerate() {
        let of = |file: &Table| settings(file, experiment, seed + position as u64, &pace);
        found.push([of(&files[0])?, of(&files[1])?, of(&files[2])?]);
    }
    let grid = Grid {
        found,
        most_frequent_zip: [0, 1, 2].map(|file| billing::occurrences(&files[file], "zip").1),
        n_values: [0, 1, 2].map(|file| KEYS.map(|key| billing::occurrences(&files[file], key).0)),
    };
    let mut text = format!(
        "# Truta, Fotouhi and Barth-Jones (2004): global disclosure risk of billing records\n\n\
         Made by `bauta reproduce truta-2004 --seed {seed}`. The paper's records are not published; \
         ours are simulated:\n\n{}\n\
         Keys are age (ordered), sex (unordered) and zip (hierarchical, by leading digits). The paper \
         prints its figures without numbers, so that sentences are checked, not values.\n\n\
         ## What section 4 says, line by line\n\n",
        billing::ABOUT
    );
    text += &heading(&["statement", "holds", "numbers"]);
    let mut n_hold = 0;
    let mut summary = Vec::new();
    for statement in statements::ALL {
        let (holds, numbers) = (statement.check)(&grid);
        n_hold += usize::from(holds);
        count(&mut summary, statement.of, holds);
        let holds = if holds { "holds" } else { "**does not**" };
        text += &row(&[statement.text.to_owned(), holds.to_owned(), numbers]);
    }
    summary.sort_by_key(|line| line.table == statements::BEYOND);
    let _ = write!(
        text,
        "\n{n_hold} of {} statements hold.\n\n## Figures\n\n",
        statements::ALL.len()
    );
    let pictures = pictures(&grid, &mut text);
    text += "## All figures\n\n";
    text += &figures_table(&grid);
    Ok(Reproduction {
        paper: Paper::Truta2004,
        summary,
        body: text,
        pictures,
    })
}

/// Takes a sentence into the line of its figure.
fn count(summary: &mut Vec<Compared>, figure: &str, holds: bool) {
    let at = summary.iter().position(|line| line.table == figure);
    let at = at.unwrap_or_else(|| {
        let why = "by the rule that each is shown with, on simulated records: the paper's are not published, and its \
                   figures have no numbers";
        summary.push(Compared::new(figure, "sentences", [0, 0], why));
        summary.len() - 1
    });
    summary[at].compared += 1;
    summary[at].matching += usize::from(holds);
}

fn settings(
    original: &Table,
    experiment: Experiment,
    seed: u64,
    watch: &Pace<'_>,
) -> Result<Vec<Setting>, MethodError> {
    experiment
        .grid()
        .par_iter()
        .map(|&at| {
            let mut table = original.clone();
            for (step, on) in experiment.steps(at) {
                table = masked(&table, &step, on, seed, watch)?;
            }
            let found = risk(original, &table, watch)?;
            let taken = found
                .series
                .iter()
                .find(|series| series.name == "keys of the maximal risk")
                .map_or(&[][..], |series| &series.points);
            let keys = KEYS.into_iter().zip(taken);
            watch.done(original.n_records() as u64);
            Ok(Setting {
                at,
                minimal: found.part("minimal").unwrap_or(f64::NAN),
                maximal: found.part("maximal").unwrap_or(f64::NAN),
                factors: found
                    .by_variable
                    .iter()
                    .filter_map(|part| part.value)
                    .collect(),
                keys: keys
                    .filter(|(_, point)| point.value == Some(1.0))
                    .map(|(key, _)| key)
                    .collect(),
            })
        })
        .collect()
}

/// The file after one mask on some variables.
fn masked(
    table: &Table,
    step: &Method,
    on: &[&str],
    seed: u64,
    watch: &dyn Watch,
) -> Result<Table, MethodError> {
    let mask = registry::mask(step.id).ok_or_else(|| unknown(step.id))?;
    let params = checked(mask.card(), step)?;
    let on: Vec<usize> = on.iter().filter_map(|name| table.index_of(name)).collect();
    let task = MaskTask { table, on: &on };
    let context = RunContext::new(seed, step.id, watch);
    Ok(mask.mask(&params, &task, &context)?.apply_to(table))
}

fn risk(original: &Table, masked: &Table, watch: &dyn Watch) -> Result<Measurement, MethodError> {
    let method = Method::new("global-risk", &[]);
    let measure = registry::measure(method.id).ok_or_else(|| unknown(method.id))?;
    let params = checked(measure.card(), &method)?;
    let pair = Pair {
        original,
        masked,
        rows: Rows::Correspond,
    };
    let on = KEYS.map(str::to_owned);
    let task = MeasureTask::new(Files::Both(pair), &on);
    measure.measure(&params, &task, &RunContext::new(1, method.id, watch))
}

/// One picture per experiment and size: minimal and maximal risk.
fn pictures(grid: &Grid, text: &mut String) -> Vec<Picture> {
    let mut pictures = Vec::new();
    for (position, experiment) in Experiment::ALL.into_iter().enumerate() {
        for (size, settings) in SIZES.iter().zip(grid.of(experiment)) {
            let (name, parameter) = experiment.names();
            let series = |name: &str, look: Look, value: fn(&Setting) -> f64| ChartSeries {
                name: name.to_owned(),
                look,
                values: settings
                    .iter()
                    .map(|setting| Some(value(setting)))
                    .collect(),
            };
            let title = format!("{name}, n = {size}");
            let chart = Chart {
                id: format!("figure-{position}-{size}"),
                title: title.clone(),
                axis: format!("disclosure risk by {parameter}"),
                unit: Unit::Number,
                categories: settings
                    .iter()
                    .map(|setting| setting.at.to_string())
                    .collect(),
                series: vec![
                    series("minimal", Look::Outliers, |setting| setting.minimal),
                    series("maximal", Look::Rest, |setting| setting.maximal),
                ],
            };
            let file = format!("figure-{}-n{size}.svg", position + 1);
            let svg = lines(&chart).into_string();
            let _ = writeln!(text, "![{title}]({file})\n");
            let axes = format!(
                "Up: disclosure risk, a fraction of the records. Across: {}.",
                experiment.across()
            );
            pictures.push(Picture::new(file, &svg, name, axes));
        }
    }
    pictures
}

fn figures_table(grid: &Grid) -> String {
    let mut text = heading(&[
        "experiment",
        "n",
        "at",
        "DR min",
        "DR max",
        "icf age",
        "icf sex",
        "icf zip",
        "keys",
    ]);
    for experiment in Experiment::ALL {
        let (name, parameter) = experiment.names();
        for (size, settings) in SIZES.iter().zip(grid.of(experiment)) {
            for setting in settings {
                let mut cells = vec![
                    name.to_owned(),
                    size.to_string(),
                    format!("{parameter} = {}", setting.at),
                    format!("{:.4}", setting.minimal),
                    format!("{:.4}", setting.maximal),
                ];
                cells.extend(setting.factors.iter().map(|factor| format!("{factor:.4}")));
                cells.push(setting.keys.join(", "));
                text += &row(&cells);
            }
        }
    }
    text
}
