//! Figures 1-10 of Mateo-Sanz, Sebé and Domingo-Ferrer (2004): outliers against all records.

use std::fmt::Write as _;

use bauta_data::{Table, Watch};
use bauta_methods::{Groups, MethodError, RawValue};
use bauta_report::Unit;
use bauta_report::svg::{Chart, ChartSeries, Look, lines};
use rayon::prelude::*;

use crate::pace::Pace;
use crate::statements::{ON_LOSS, ON_RISK, Verdict};
use crate::trial::{Method, masked, measured};
use crate::{Compared, Paper, Picture, Reproduction, heading, row};

/// Share of records that count as outliers (§5).
const OUTLIERS: f64 = 0.05;

/// The measures, in the order of the figures.
pub(super) const MEASURES: [&str; 5] = ["IL1", "IL1s", "DLD", "RID", "SDID"];
/// The sections that speak of them.
const SECTIONS: [&str; 5] = ["5.1", "5.2", "5.3", "5.4", "5.5"];
/// What the axes of every figure are.
const AXES: &str = "Up: a fraction (the paper's are percentages). Across: masks, each by its parameter: J JPEG by \
    quality, R rank swapping by window in percent, N noise by its standard deviation in percent of the variable's, \
    RS resampling by the number of samples, M microaggregation by records in a group.";
/// The files.
pub(super) const FILES: [&str; 2] = ["CENSUS", "EIA"];

/// The masks that the paper compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FamilyOfMasks {
    Jpeg,
    RankSwap,
    Noise,
    Resample,
    Microaggregate,
}

impl FamilyOfMasks {
    /// All, in the order of the figures.
    pub(super) const ALL: [Self; 5] = [
        Self::Jpeg,
        Self::RankSwap,
        Self::Noise,
        Self::Resample,
        Self::Microaggregate,
    ];

    /// The letters of the figures.
    pub(super) const fn letters(self) -> &'static str {
        match self {
            Self::Jpeg => "J",
            Self::RankSwap => "R",
            Self::Noise => "N",
            Self::Resample => "RS",
            Self::Microaggregate => "M",
        }
    }

    /// The parameters that the paper tries, as its labels state them.
    fn grid(self) -> Vec<u32> {
        match self {
            Self::Jpeg => (10..=100).step_by(5).collect(),
            Self::RankSwap => (1..=20).collect(),
            // In hundredths.
            Self::Noise => (2..=20).step_by(2).collect(),
            Self::Resample => (1..=3).collect(),
            Self::Microaggregate => (3..=20).collect(),
        }
    }

    fn mask(self, parameter: u32) -> Method {
        let whole = RawValue::Integer(i64::from(parameter));
        let hundredths = RawValue::Number(f64::from(parameter) / 100.0);
        match self {
            Self::Jpeg => Method::new("jpeg", &[("quality", whole)]),
            Self::RankSwap => Method::new("rank-swap", &[("window", hundredths)]),
            Self::Noise => Method::new("noise-additive", &[("share", hundredths)]),
            Self::Resample => Method::new("resample", &[("samples", whole)]),
            Self::Microaggregate => Method::new("mdav", &[("k", whole)]),
        }
    }
}

/// A figure for all records and for outliers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub(super) all: f64,
    pub(super) outliers: f64,
}

/// One mask with one parameter on one file.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) family: FamilyOfMasks,
    pub(super) parameter: u32,
    /// In the order of [`MEASURES`].
    pub(super) figures: [Figure; 5],
}

/// Everything that was found: the settings of each file.
pub(super) struct Grid {
    pub(super) files: [Vec<Setting>; 2],
}

/// The figures and the statements of §5.
pub(super) fn figures(
    census: &Table,
    eia: &Table,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Reproduction, MethodError> {
    let n_settings: usize = FamilyOfMasks::ALL.iter().map(|one| one.grid().len()).sum();
    let n_records = census.n_records() + eia.n_records();
    let pace = Pace::new(watch, (n_settings * n_records) as u64);
    let grid = Grid {
        files: [settings(census, seed, &pace)?, settings(eia, seed, &pace)?],
    };
    let mut text = format!(
        "# Mateo-Sanz, Sebé and Domingo-Ferrer (2004): outliers against all records\n\n\
         Made by `bauta reproduce mateo-sanz-2004 --data FOLDER --seed {seed}`: {} settings on each of two \
         files, five measures, for all records and for the farthest 5 % (CENSUS 54, EIA 205). \
         Microaggregation is `mdav` on all variables together. Each setting has draws of its own, and one \
         run, as in the paper. Figures are fractions; the paper's are percentages.\n\n## What §5 says, line by line\n\n\
         *Higher* and *lower* hold where more than half of a family's settings say so; the shares of \
         settings are given. *Highest*, *lowest* and *range* compare means and spans over a family's \
         settings.\n\n",
        grid.files[0].len()
    );
    text += &heading(&["§", "file", "statement", "holds", "numbers"]);
    let mut n_hold = 0;
    let mut summary = empty_summary();
    for statement in ON_LOSS.iter().chain(ON_RISK) {
        let Verdict { holds, numbers } = (statement.check)(&grid);
        n_hold += usize::from(holds);
        let line = SECTIONS
            .iter()
            .position(|&section| section == statement.section);
        if let Some(line) = line.map(|at| &mut summary[at]) {
            line.compared += 1;
            line.matching += usize::from(holds);
            if !holds {
                let (file, text) = (statement.file, statement.text);
                let _ = write!(line.why, "; not so on {file}: {text}");
            }
        }
        text += &row(&[
            statement.section.to_owned(),
            statement.file.to_owned(),
            statement.text.to_owned(),
            if holds { "holds" } else { "**does not**" }.to_owned(),
            numbers,
        ]);
    }
    let _ = write!(
        text,
        "\n{n_hold} of {} statements hold.\n\n",
        ON_LOSS.len() + ON_RISK.len()
    );
    let pictures = pictures(&grid, &mut text);
    text += "\n## All figures\n\n";
    text += &figures_table(&grid);
    Ok(Reproduction {
        paper: Paper::MateoSanz2004,
        summary,
        body: text,
        pictures,
    })
}

/// A line for the two figures of each measure, with the section that speaks of them.
fn empty_summary() -> Vec<Compared> {
    let of = |(idx, measure): (usize, &&str)| {
        let (first, section) = (2 * idx + 1, SECTIONS[idx]);
        let table = format!("Figures {first} and {}, {measure} (§{section})", first + 1);
        let why = "sentences, by shares and means over a family's settings: the figures have no numbers, and the paper's draws \
                   and programs are not known";
        Compared::new(table, "sentences", [0, 0], why)
    };
    MEASURES.iter().enumerate().map(of).collect()
}

fn settings(original: &Table, seed: u64, watch: &Pace<'_>) -> Result<Vec<Setting>, MethodError> {
    let all: Vec<(FamilyOfMasks, u32)> = FamilyOfMasks::ALL
        .into_iter()
        .flat_map(|family| family.grid().into_iter().map(move |at| (family, at)))
        .collect();
    all.into_par_iter()
        .enumerate()
        .map(|(position, (family, parameter))| {
            // Draws of its own for each, or ten settings of noise would be one sample of noise.
            let own_seed = seed.wrapping_mul(1000).wrapping_add(position as u64);
            let file = masked(original, &[family.mask(parameter)], own_seed, watch)?;
            let figures = figures_of(original, &file, watch)?;
            watch.done(original.n_records() as u64);
            Ok(Setting {
                family,
                parameter,
                figures,
            })
        })
        .collect()
}

fn figures_of(
    original: &Table,
    masked: &Table,
    watch: &dyn Watch,
) -> Result<[Figure; 5], MethodError> {
    let own = ("correspondence", RawValue::Text("own".to_owned()));
    let all_keys = ("links", RawValue::Text("all".to_owned()));
    let measures = [
        Method::new("il1", std::slice::from_ref(&own)),
        Method::new("il1s", &[]),
        Method::new("dld", &[own.clone(), all_keys]),
        Method::new("interval-rank", &[own]),
        Method::new("interval-sd", &[]),
    ];
    let groups = Groups {
        outliers: Some(OUTLIERS),
        condition: None,
    };
    let mut figures = [Figure {
        all: f64::NAN,
        outliers: f64::NAN,
    }; 5];
    for (figure, measure) in figures.iter_mut().zip(&measures) {
        let found = measured(measure, original, masked, &groups, watch)?;
        *figure = Figure {
            all: found.value.unwrap_or(f64::NAN),
            outliers: found.outliers.unwrap_or(f64::NAN),
        };
    }
    Ok(figures)
}

fn label(setting: &Setting) -> String {
    format!("{}{:02}", setting.family.letters(), setting.parameter)
}

/// One picture per measure and file, with two lines, and their places in the text.
fn pictures(grid: &Grid, text: &mut String) -> Vec<Picture> {
    let mut pictures = Vec::new();
    *text += "## Figures\n\n";
    for (measure_idx, measure) in MEASURES.iter().enumerate() {
        for (file_idx, file) in FILES.iter().enumerate() {
            let number = 2 * measure_idx + file_idx + 1;
            let settings = &grid.files[file_idx];
            let series = |name: &str, look: Look, value: fn(&Figure) -> f64| ChartSeries {
                name: name.to_owned(),
                look,
                values: settings
                    .iter()
                    .map(|setting| Some(value(&setting.figures[measure_idx])))
                    .collect(),
            };
            let title = format!("Figure {number}: {measure}, {file}");
            let chart = Chart {
                id: format!("figure-{number}"),
                title: title.clone(),
                axis: format!("{measure} by method and parameter"),
                unit: Unit::Number,
                categories: settings.iter().map(label).collect(),
                series: vec![
                    series("outliers", Look::Outliers, |figure| figure.outliers),
                    series("all records", Look::Rest, |figure| figure.all),
                ],
            };
            let name = format!("figure-{number:02}.svg");
            let svg = lines(&chart).into_string();
            let _ = writeln!(text, "![{title}]({name})\n");
            pictures.push(Picture::new(name, &svg, *measure, AXES));
        }
    }
    pictures
}

fn figures_table(grid: &Grid) -> String {
    let mut cells = vec!["file".to_owned(), "setting".to_owned()];
    for measure in MEASURES {
        cells.push(measure.to_owned());
        cells.push(format!("{measure} outliers"));
    }
    let names: Vec<&str> = cells.iter().map(String::as_str).collect();
    let mut text = heading(&names);
    for (file, settings) in FILES.iter().zip(&grid.files) {
        for setting in settings {
            let mut cells = vec![(*file).to_owned(), label(setting)];
            for figure in &setting.figures {
                cells.push(format!("{:.4}", figure.all));
                cells.push(format!("{:.4}", figure.outliers));
            }
            text += &row(&cells);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_the_papers_seventy_settings() {
        // 19 qualities, 20 windows, 10 shares, 3 numbers of samples, 18 group sizes.
        let n: usize = FamilyOfMasks::ALL
            .iter()
            .map(|family| family.grid().len())
            .sum();
        assert_eq!(n, 70);
    }

    #[test]
    fn every_statement_is_of_a_section_that_is_summed_up() {
        for statement in ON_LOSS.iter().chain(ON_RISK) {
            assert!(SECTIONS.contains(&statement.section), "{}", statement.text);
        }
        let lines = empty_summary();
        assert_eq!(lines[4].table, "Figures 9 and 10, SDID (§5.5)");
    }
}
