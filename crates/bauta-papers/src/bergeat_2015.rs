//! Bergeat (2015): Figures 1-3 on the paper's nine records, Figures 4-8 in form on the demonstration survey.

mod drawings;
mod files;
mod nine_records;
mod published;
mod sentences;
mod survey_figures;

use std::fmt::Write as _;

use bauta_data::Watch;

use crate::compared::Nearness;
use crate::pace::Pace;
use crate::{Compared, Paper, PaperError, Reproduction, heading, row};
use files::SurveyFiles;
use nine_records::nine_records;
use published::{
    FIGURE_4, FIGURE_5, FIGURE_6, FIGURE_8, FILES, KEPT, MEAN_OVERLAP, Rates, SINGLE_VICTIMS,
    SUPPRESSED, VICTIMS,
};
use survey_figures::Survey;

/// Half of the last printed digit of a rate or an overlap, in points.
const PRINTED_TO: f64 = 0.05;
/// Pieces of the work: the nine records, the files, the models, the maps.
const PIECES: u64 = 4;

/// All figures and sentences.
pub(super) fn figures(watch: &dyn Watch) -> Result<Reproduction, PaperError> {
    let pace = &Pace::new(watch, PIECES);
    let nine = nine_records(pace)?;
    pace.done(1);
    let files = SurveyFiles::make(pace)?;
    pace.done(1);
    let survey = Survey::of(&files, pace)?;
    let mut sentences = nine.sentences;
    sentences.extend(sentences::of_section_5(&survey));
    let (sentences, of_sentences) = sentences::told(&sentences);
    let mut summary = nine.summary;
    summary.extend(compared(&survey));
    summary.push(of_sentences);
    let (ratios, overlaps, maps) = (
        drawings::ratios(&survey.ratios),
        drawings::overlaps(&survey),
        drawings::maps(&survey),
    );
    let mut text = String::from(INTRODUCTION);
    let _ = write!(text, "\n## What the paper says\n\n{sentences}");
    text += &nine.text;
    text += ON_SURVEY;
    text += &figure_4(&survey);
    text += &rate_tables(&FIGURE_5, &survey.rates[0]);
    text += &rate_tables(&FIGURE_6, &survey.rates[1]);
    text += &single_people(&survey);
    text += "\n## Figure 7: ratios of weights by calibration technique\n\nThe paper prints a picture without numbers. Ours has \
             the new weight over the scaled starting weight of each record that was kept.\n\n";
    text += &drawings::named(&ratios);
    text += &figure_8(&survey);
    text += &drawings::named(&overlaps);
    text += &correspondence(&survey);
    text += &drawings::named(&maps);
    text += AMBIGUITIES;
    let all = ratios.into_iter().chain(overlaps).chain(maps);
    Ok(Reproduction {
        paper: Paper::Bergeat2015,
        summary,
        body: text,
        pictures: all.map(|(_, picture)| picture).collect(),
    })
}

const INTRODUCTION: &str = "# Bergeat (2015): subsampling and calibration\n\n\
Made by `bauta reproduce bergeat-2015`, which needs no data: Figures 1 to 3 are made from the nine records that the paper \
prints, cell by cell. The survey of Figures 4 to 8 is confidential; ours is the demonstration survey of `bauta demo`, made \
up with the same variables, as many records (12,901) and shares like those of the paper. There single figures cannot be \
the paper's, and that they differ is no finding; the sentences of §5 are judged instead. Nothing is drawn at random.\n";

const ON_SURVEY: &str = "\n## Two 3-anonymous files of the survey\n\n\
*Local suppression* is `suppress-local` with `search = \"mu-argus\"` and the printed costs, as the paper used mu-Argus. \
*Subsampling* is `subsample-calibrate` with k = 3, raking from d_init to the five printed crosses, and logit between 0.25 \
and 3 beside it. In every table the printed figure stands before ours.\n";

const AMBIGUITIES: &str = "\n## Misprints and ambiguities of the paper\n\n\
- The goal of §2 is printed as risk ≥ threshold; it must be ≤.\n\
- Figure 3 is no raking and no linear calibration with q = 1: as each class is one margin, these give 1320, 1980, 1628, \
2072, 1833.33 and 3166.67. The printed weights are the linear method with q = 1/d from unscaled weights, which adds 400, \
600 and 1,000 to each weight of a group.\n\
- Figure 2 is the one cheapest choice if a blank does not identify (mu-Argus, and as readers count); if a blank is a value \
of its own, it is not even 2-anonymous.\n\
- The paper deletes once. Where a missing value does not identify, that can leave records at risk: here the deletion goes on \
until none is.\n\
- Overlaps are of the odds ratios, as the heading of Figure 8 says, and not of the coefficients.\n";

/// Matching and compared of whole numbers.
fn equal(pairs: &[(usize, usize)]) -> [usize; 2] {
    let n_equal = pairs.iter().filter(|(printed, found)| printed == found);
    [n_equal.count(), pairs.len()]
}

/// The lines of Figures 4 to 8.
fn compared(survey: &Survey) -> Vec<Compared> {
    let mut counts: Vec<(usize, usize)> = (FIGURE_4.iter().zip(survey.by_key))
        .map(|(key, found)| (key.deletions, found))
        .collect();
    counts.push((SUPPRESSED[0], survey.suppressed[0]));
    counts.push((SUPPRESSED[1], survey.suppressed[1]));
    counts.push((KEPT, survey.n_kept));
    let why = "equal numbers; the paper's survey is confidential, ours is made up with its variables and shares like its own";
    let mut lines = vec![Compared::new(
        "Figure 4 and its totals",
        "numbers",
        equal(&counts),
        why,
    )];
    let line = |table: &str, what: &'static str, near: Nearness| {
        let why = format!(
            "equal to the printed digits; {}; another survey, as in Figure 4",
            near.told(" points")
        );
        Compared::new(table, what, near.counts(), why)
    };
    for (figure, found) in [&FIGURE_5, &FIGURE_6].into_iter().zip(&survey.rates) {
        let mut near = Nearness::default();
        for (printed, found) in figure.percent.iter().zip(found) {
            for (printed, found) in printed.iter().flatten().zip(found.iter().flatten()) {
                near.take(*printed, *found, PRINTED_TO);
            }
        }
        lines.push(line(&format!("Figure {}", figure.number), "rates", near));
    }
    let mut near = Nearness::default();
    for (printed, found) in SINGLE_VICTIMS.into_iter().zip(survey.single_victims) {
        near.take(printed, found, PRINTED_TO);
    }
    lines.push(line("§5.3, victims in no couple", "rates", near));
    let why = "a picture without numbers; ours is drawn in its form";
    lines.push(Compared::new("Figure 7", "numbers", [0, 0], why));
    let mut near = Nearness::default();
    for ((_, _, printed), found) in FIGURE_8.iter().zip(&survey.overlaps) {
        for (printed, found) in printed.iter().zip(found) {
            near.take(*printed, *found, PRINTED_TO);
        }
    }
    near.take(MEAN_OVERLAP, survey.mean_overlaps[1], PRINTED_TO);
    lines.push(line("Figure 8 and its mean", "overlaps", near));
    lines
}

fn figure_4(survey: &Survey) -> String {
    let mut text = String::from("\n## Figure 4: cost of suppression and number of deletions\n\n");
    text += &heading(&[
        "quasi-identifier",
        "cost",
        "published",
        "found, mu-Argus",
        "found, least cost",
        "found, least cost as readers count",
    ]);
    for (at, key) in FIGURE_4.iter().enumerate() {
        let mut cells = vec![
            key.name.to_owned(),
            key.cost.to_string(),
            key.deletions.to_string(),
        ];
        cells.extend(survey.cells.iter().map(|found| found[at].to_string()));
        text += &row(&cells);
    }
    let all = survey.cells.map(|found| found.iter().sum::<usize>());
    let mut cells = vec!["all".to_owned(), String::new(), SUPPRESSED[0].to_string()];
    cells.extend(all.map(|n| n.to_string()));
    text += &row(&cells);
    let [first, deleted] = survey.n_deleted;
    let _ = write!(
        text,
        "\nRecords that lose a cell: published {}, found {}. Records that subsampling deletes: published {}, found {first} \
         at the first look and {deleted} in all; left: published {KEPT}, found {}.\n",
        SUPPRESSED[1], survey.suppressed[1], SUPPRESSED[1], survey.n_kept,
    );
    text
}

/// The three tables of a figure of rates, one below the other as in the paper.
fn rate_tables(figure: &Rates, found: &[Vec<[f64; 3]>]) -> String {
    let mut text = format!(
        "\n## Figure {}: victimisation rates by {}\n\nPercent, weighted; published, then found.\n",
        figure.number,
        figure.name.to_lowercase()
    );
    for ((file, printed), found) in FILES.iter().zip(figure.percent).zip(found) {
        let _ = write!(text, "\n### {file}\n\n");
        let found_of: Vec<String> = VICTIMS.map(|what| format!("{what}, found")).to_vec();
        let mut columns = vec![figure.name];
        for (what, found) in VICTIMS.iter().zip(&found_of) {
            columns.extend([*what, found.as_str()]);
        }
        text += &heading(&columns);
        for ((category, printed), found) in figure.categories.iter().zip(printed).zip(found) {
            let mut cells = vec![(*category).to_owned()];
            for (printed, found) in printed.iter().zip(found) {
                cells.extend([format!("{printed:.1}"), format!("{found:.1}")]);
            }
            text += &row(&cells);
        }
    }
    text
}

fn single_people(survey: &Survey) -> String {
    let mut text = String::from(
        "\n### Victims among those who live in no couple (§5.3)\n\nPercent, by file.\n\n",
    );
    text += &heading(&["file", "published", "found"]);
    let files = [
        "original",
        "subsampling and calibration",
        "subsampling without calibration",
    ];
    for (at, file) in files.into_iter().enumerate() {
        text += &row(&[
            file.to_owned(),
            format!("{:.1}", SINGLE_VICTIMS[at]),
            format!("{:.1}", survey.single_victims[at]),
        ]);
    }
    text
}

fn figure_8(survey: &Survey) -> String {
    let mut text = String::from(
        "\n## Figure 8: overlap of confidence intervals\n\nOf the odds ratios of a logistic regression of being a victim, in \
         percent; weights are normalised, the last category is the reference, and blanks are a category.\n\n",
    );
    text += &heading(&[
        "odds ratio",
        "local suppression, published",
        "found",
        "subsampling and calibration, published",
        "found",
    ]);
    let mut printed_means = [0.0; 2];
    for ((name, _, printed), found) in FIGURE_8.iter().zip(&survey.overlaps) {
        let mut cells = vec![(*name).to_owned()];
        for file in 0..2 {
            printed_means[file] += printed[file] / FIGURE_8.len() as f64;
            cells.extend([
                format!("{:.1}", printed[file]),
                format!("{:.1}", found[file]),
            ]);
        }
        text += &row(&cells);
    }
    let mut cells = vec!["mean".to_owned()];
    for (printed, found) in printed_means.iter().zip(survey.mean_overlaps) {
        cells.extend([format!("{printed:.1}"), format!("{found:.1}")]);
    }
    text += &row(&cells);
    text.push('\n');
    text
}

fn correspondence(survey: &Survey) -> String {
    let mut text = String::from(
        "\n## §5.3: multiple correspondence analysis\n\nOf six delinquency acts, weighted; the categories of the keys are \
         placed on the first two axes. The paper shows no map and states no number.\n\n",
    );
    text += &heading(&[
        "file",
        "distance of the keys' categories from their places",
        "congruence of the first axis",
    ]);
    for (name, map) in FILES[1..].iter().zip(&survey.maps) {
        text += &row(&[
            (*name).to_owned(),
            format!("{:.4}", map.distance),
            format!("{:.4}", map.congruence),
        ]);
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::Unwatched;

    /// Numbers of the reference results of this survey (R survey 4.1.1, `FactoMineR` 2.7, an independent mu-Argus).
    #[test]
    fn the_survey_gives_the_reference_results() {
        let pace = Pace::new(&Unwatched, PIECES);
        let files = SurveyFiles::make(&pace).expect("the files");
        let survey = Survey::of(&files, &pace).expect("figures");
        assert_eq!(survey.cells[0], [0, 1, 4, 15, 678, 299, 2_337]);
        assert_eq!(survey.cells[1], [0, 0, 4, 16, 678, 299, 2_338]);
        assert_eq!(survey.suppressed, [3_334, 3_191]);
        assert_eq!(survey.n_deleted, [3_191, 3_261]);
        assert_eq!(survey.n_kept, 9_640);
        let shown = |rates: &[f64; 3]| rates.map(|rate| format!("{rate:.2}")).join(" ");
        let [by_size, by_couple] = &survey.rates;
        assert_eq!(shown(&by_size[0][3]), "80.18 15.94 3.88");
        assert_eq!(shown(&by_size[2][3]), "80.18 15.94 3.88");
        assert_eq!(shown(&by_couple[0][1]), "81.63 14.95 3.42");
        assert_eq!(shown(&by_couple[2][1]), "81.09 15.02 3.89");
        let [blanked, calibrated] = survey.mean_overlaps;
        assert!((blanked - 89.42).abs() < 0.01 && (calibrated - 80.43).abs() < 0.01);
        // 0.0148 and 0.0188 to the digits of the reference.
        let distances = survey
            .maps
            .each_ref()
            .map(|map| format!("{:.4}", map.distance));
        assert_eq!(distances[1], "0.0188");
        let raking = &survey.ratios.series[0];
        assert_eq!(raking.counts.iter().sum::<u64>(), 9_640);
        assert!(
            raking
                .counts
                .windows(4)
                .any(|bins| bins == [108, 1_097, 1_894, 1_883])
        );
    }

    #[test]
    fn the_whole_paper_is_told_with_every_figure() {
        let found = figures(&Unwatched).expect("the paper");
        let text = found.text();
        for figure in 1..=8 {
            assert!(text.contains(&format!("\n## Figure {figure}")), "{figure}");
        }
        assert!(!text.contains("NaN"), "{text}");
        for picture in &found.pictures {
            assert!(text.contains(&format!("]({})", picture.name)));
            assert!(picture.svg.starts_with("<svg xmlns="));
        }
        assert!(text.contains("| Figure 2 | 36 cells | 36 | 0 |"), "{text}");
        assert!(text.contains("| Figure 3 | 24 cells | 24 | 0 |"), "{text}");
    }
}
