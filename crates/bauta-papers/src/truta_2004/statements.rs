//! What section 4 of Truta, Fotouhi and Barth-Jones (2004) says, each sentence in our words with the
//! rule by which it is judged.

use super::{Experiment, Grid, SIZES, Setting};

/// One statement.
pub(super) struct Statement {
    /// The figure or section that it is about.
    pub(super) of: &'static str,
    pub(super) text: &'static str,
    /// Whether it holds, and by which numbers.
    pub(super) check: fn(&Grid) -> (bool, String),
}

/// What sentences of our own are about.
pub(super) const BEYOND: &str = "Beyond the paper";
/// Steps up of a risk that count as chance.
const CHANCE: f64 = 0.01;

/// The statements, in the order of the paper.
pub(super) const ALL: &[Statement] = &[
    Statement {
        of: "Figure 4.1",
        text: "noise: minimal and maximal risk fall with c, up to c = 1 (no step up above 0.01)",
        check: |grid| falls(grid, Experiment::Noise, 1.0),
    },
    Statement {
        of: "Figure 4.1",
        text: "noise: the inversion factor rises with c, but hardly any more at high variance (the last rise, from \
               c = 5 to 10, is less than a tenth of the rise to c = 5)",
        check: |grid| {
            judged(grid, Experiment::Noise, |settings| {
                let [first, five, ten] = [0.0, 5.0, 10.0].map(|at| age_factor(settings, at));
                let holds = five > first && ten >= first && ten - five < (five - first) / 10.0;
                (holds, format!("{first:.3}, {five:.3}, {ten:.3}"))
            })
        },
    },
    Statement {
        of: BEYOND,
        text: "noise, not in the paper: at very large c top and bottom coding makes ties, and the inversion \
               factor falls again",
        check: |grid| {
            judged(grid, Experiment::Noise, |settings| {
                let most = settings
                    .iter()
                    .map(|setting| setting.factors[0])
                    .fold(0.0, f64::max);
                let last = age_factor(settings, 1000.0);
                (
                    last < most,
                    format!("largest {most:.3}, at c = 1000 {last:.3}"),
                )
            })
        },
    },
    Statement {
        of: "Figure 4.2",
        text: "sex: the risk falls only while p is low; then age and zip alone give more, and it stays as it is",
        check: |grid| {
            judged(grid, Experiment::Flip, |settings| {
                let without = |setting: &&Setting| setting.keys == ["age", "zip"];
                let from = settings.iter().find(without);
                let rest = settings
                    .iter()
                    .filter(|setting| Some(setting.at) >= from.map(|at| at.at));
                let level = from.map_or(f64::NAN, |setting| setting.maximal);
                let stays = rest.clone().all(|setting| {
                    setting.keys == ["age", "zip"] && (setting.maximal - level).abs() < 1e-12
                });
                let start = settings[0].maximal;
                let at = from.map_or(f64::NAN, |setting| setting.at);
                (
                    from.is_some() && stays && level < start,
                    format!("{start:.3} falls to {level:.3} at p = {at}"),
                )
            })
        },
    },
    Statement {
        of: "Figure 4.3",
        text: "zip: the risk falls with t (no step up above 0.01)",
        check: |grid| falls(grid, Experiment::Recode, f64::INFINITY),
    },
    Statement {
        of: "Figure 4.3",
        text: "zip: above the largest number of occurrences of a zip code the risk is constant",
        check: |grid| {
            let mut shown = Vec::new();
            let mut holds = true;
            for (file, settings) in grid.of(Experiment::Recode).iter().enumerate() {
                let most = grid.most_frequent_zip[file];
                let beyond: Vec<f64> = settings
                    .iter()
                    .filter(|setting| setting.at > most as f64)
                    .map(|setting| setting.maximal)
                    .collect();
                holds &= beyond.windows(2).all(|two| (two[0] - two[1]).abs() < 1e-12);
                holds &= beyond.len() > 1;
                shown.push(format!(
                    "n = {}: {} settings beyond {most}",
                    SIZES[file],
                    beyond.len()
                ));
            }
            (holds, shown.join("; "))
        },
    },
    Statement {
        of: "Figures 4.1 to 4.3",
        text: "cutting zip codes has the largest decrease of the three, noise up to c = 1",
        check: |grid| {
            let mut shown = Vec::new();
            let mut holds = true;
            for (file, size) in SIZES.iter().enumerate() {
                let fall = |experiment: Experiment, up_to: f64| {
                    let settings = &grid.of(experiment)[file];
                    let reached = settings.iter().filter(|setting| setting.at <= up_to);
                    let least = reached.map(|setting| setting.maximal).fold(1.0, f64::min);
                    settings[0].maximal - least
                };
                let noise = fall(Experiment::Noise, 1.0);
                let flip = fall(Experiment::Flip, 1.0);
                let recode = fall(Experiment::Recode, f64::INFINITY);
                holds &= recode > noise && recode > flip;
                shown.push(format!(
                    "n = {size}: noise {noise:.3}, sex {flip:.3}, zip {recode:.3}"
                ));
            }
            (holds, shown.join("; "))
        },
    },
    Statement {
        of: "Figures 4.1 to 4.3",
        text: "zip has the most different values of the three keys",
        check: |grid| {
            let most = |values: &[usize; 3]| values[2] > values[0] && values[2] > values[1];
            let shown: Vec<String> = grid
                .n_values
                .iter()
                .map(|values| format!("{values:?}"))
                .collect();
            (grid.n_values.iter().all(most), shown.join("; "))
        },
    },
    Statement {
        of: "Section 2",
        text: "section 2: microaggregation keeps the order (inversion factor 0)",
        check: |grid| {
            let all = grid.of(Experiment::Microaggregate).iter().flatten();
            let most = all.map(|setting| setting.factors[0]).fold(0.0, f64::max);
            (most == 0.0, format!("largest factor {most}"))
        },
    },
    Statement {
        of: BEYOND,
        text: "beyond the paper: a sample has less risk the smaller it is, with all factors 0",
        check: |grid| {
            let all = grid.of(Experiment::Sample).iter().flatten();
            let unchanged = all
                .flat_map(|setting| &setting.factors)
                .all(|&factor| factor == 0.0);
            let (holds, numbers) = falls(grid, Experiment::Sample, f64::INFINITY);
            (holds && unchanged, numbers)
        },
    },
];

fn age_factor(settings: &[Setting], at: f64) -> f64 {
    let setting = settings
        .iter()
        .find(|setting| (setting.at - at).abs() < 1e-9);
    setting.map_or(f64::NAN, |setting| setting.factors[0])
}

/// A statement that must hold for each size.
fn judged(
    grid: &Grid,
    experiment: Experiment,
    check: impl Fn(&[Setting]) -> (bool, String),
) -> (bool, String) {
    let mut shown = Vec::new();
    let mut all_hold = true;
    for (size, settings) in SIZES.iter().zip(grid.of(experiment)) {
        let (holds, numbers) = check(settings);
        all_hold &= holds;
        shown.push(format!("n = {size}: {numbers}"));
    }
    (all_hold, shown.join("; "))
}

/// Both risks fall from each setting to the next, but for chance.
fn falls(grid: &Grid, experiment: Experiment, up_to: f64) -> (bool, String) {
    judged(grid, experiment, |settings| {
        let settings: Vec<&Setting> = settings
            .iter()
            .filter(|setting| setting.at <= up_to)
            .collect();
        let falling = |value: fn(&Setting) -> f64| {
            settings
                .windows(2)
                .all(|two| value(two[1]) <= value(two[0]) + CHANCE)
        };
        let ends = |value: fn(&Setting) -> f64| {
            let first = settings.first().map_or(f64::NAN, |setting| value(setting));
            let last = settings.last().map_or(f64::NAN, |setting| value(setting));
            (first, last)
        };
        let (minimal, maximal) = (
            ends(|setting| setting.minimal),
            ends(|setting| setting.maximal),
        );
        let holds = falling(|setting| setting.minimal)
            && falling(|setting| setting.maximal)
            && maximal.1 < maximal.0;
        let numbers = format!(
            "min {:.3} to {:.3}, max {:.3} to {:.3}",
            minimal.0, minimal.1, maximal.0, maximal.1
        );
        (holds, numbers)
    })
}
