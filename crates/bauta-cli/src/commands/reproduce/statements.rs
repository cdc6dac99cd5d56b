//! What §5 of Mateo-Sanz, Sebé and Domingo-Ferrer (2004) says, each statement in our words with the
//! rule by which it is judged.

use super::mateo_sanz_2004::FamilyOfMasks::{Jpeg, Microaggregate, Noise, RankSwap, Resample};
use super::mateo_sanz_2004::{FamilyOfMasks, Figure, Grid, Setting};

/// One statement.
pub(super) struct Statement {
    pub(super) section: &'static str,
    pub(super) file: &'static str,
    pub(super) text: &'static str,
    pub(super) check: fn(&Grid) -> Verdict,
}

/// Whether a statement holds, and by which numbers.
pub(super) struct Verdict {
    pub(super) holds: bool,
    pub(super) numbers: String,
}

const CENSUS: usize = 0;
const EIA: usize = 1;
const IL1: usize = 0;
const IL1S: usize = 1;
const DLD: usize = 2;
const RID: usize = 3;
const SDID: usize = 4;

/// The figures of one measure on one file.
#[derive(Clone, Copy)]
struct View<'a> {
    settings: &'a [Setting],
    measure: usize,
}

impl Grid {
    fn view(&self, file: usize, measure: usize) -> View<'_> {
        View {
            settings: &self.files[file],
            measure,
        }
    }
}

impl View<'_> {
    fn of(self, family: FamilyOfMasks, wanted: fn(u32) -> bool) -> Vec<Figure> {
        self.settings
            .iter()
            .filter(|setting| setting.family == family && wanted(setting.parameter))
            .map(|setting| setting.figures[self.measure])
            .collect()
    }

    fn figures(self, family: FamilyOfMasks) -> Vec<Figure> {
        self.of(family, |_| true)
    }

    fn mean(self, family: FamilyOfMasks) -> f64 {
        mean(&self.figures(family), |figure| figure.all)
    }

    fn range(self, family: FamilyOfMasks) -> f64 {
        span(&self.figures(family))
    }

    /// Mean of outliers minus all.
    fn gap(self, family: FamilyOfMasks) -> f64 {
        mean(&self.figures(family), |figure| figure.outliers - figure.all)
    }

    fn share(self, family: FamilyOfMasks, says: fn(&Figure) -> bool) -> f64 {
        share(&self.figures(family), says)
    }
}

fn mean(figures: &[Figure], value: fn(&Figure) -> f64) -> f64 {
    figures.iter().map(value).sum::<f64>() / figures.len() as f64
}

fn share(figures: &[Figure], says: fn(&Figure) -> bool) -> f64 {
    figures.iter().filter(|figure| says(figure)).count() as f64 / figures.len() as f64
}

fn span(figures: &[Figure]) -> f64 {
    let values = || figures.iter().map(|figure| figure.all);
    values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
}

fn higher(figure: &Figure) -> bool {
    figure.outliers > figure.all
}

fn lower(figure: &Figure) -> bool {
    figure.outliers < figure.all
}

/// Outliers are higher in these families and lower in those, in more than half of the settings.
fn sides(view: View<'_>, up: &[FamilyOfMasks], down: &[FamilyOfMasks]) -> Verdict {
    let mut holds = true;
    let mut numbers = Vec::new();
    for (families, says, word) in [
        (up, higher as fn(&Figure) -> bool, "higher"),
        (down, lower, "lower"),
    ] {
        for &family in families {
            let share = view.share(family, says);
            holds &= share > 0.5;
            numbers.push(format!(
                "{} {word} in {:.0} %",
                family.letters(),
                100.0 * share
            ));
        }
    }
    Verdict {
        holds,
        numbers: numbers.join(", "),
    }
}

/// The families' figures fall in the given order.
fn falls(what: &str, ranked: &[&[FamilyOfMasks]], value: &dyn Fn(FamilyOfMasks) -> f64) -> Verdict {
    let mut holds = true;
    for pair in ranked.windows(2) {
        let least = pair[0]
            .iter()
            .map(|&family| value(family))
            .fold(f64::INFINITY, f64::min);
        let most = pair[1]
            .iter()
            .map(|&family| value(family))
            .fold(f64::NEG_INFINITY, f64::max);
        holds &= least > most;
    }
    let numbers: Vec<String> = ranked
        .iter()
        .flat_map(|families| families.iter())
        .map(|&family| format!("{} {:.3}", family.letters(), value(family)))
        .collect();
    Verdict {
        holds,
        numbers: format!("{what}: {}", numbers.join(", ")),
    }
}

fn both([first, second]: [Verdict; 2]) -> Verdict {
    Verdict {
        holds: first.holds && second.holds,
        numbers: format!("{}; {}", first.numbers, second.numbers),
    }
}

fn is(holds: bool, numbers: String) -> Verdict {
    Verdict { holds, numbers }
}

/// Mean of |outliers - all| relative to all.
fn relative_gap(figures: &[Figure]) -> f64 {
    mean(figures, |figure| {
        (figure.outliers - figure.all).abs() / figure.all
    })
}

macro_rules! statement {
    ($section:literal, $file:literal, $text:literal, $check:expr) => {
        Statement {
            section: $section,
            file: $file,
            text: $text,
            check: $check,
        }
    };
}

/// The statements in the paper's order.
pub(super) const STATEMENTS: &[Statement] = &[
    statement!(
        "5.1",
        "CENSUS",
        "JPEG, noise and microaggregation change outliers less",
        |g| { sides(g.view(CENSUS, IL1), &[], &[Jpeg, Noise, Microaggregate]) }
    ),
    statement!(
        "5.1",
        "CENSUS",
        "rank swapping changes outliers more",
        |g| { sides(g.view(CENSUS, IL1), &[RankSwap], &[]) }
    ),
    statement!(
        "5.1",
        "CENSUS",
        "rank swapping stays low without wide oscillation (range below those of JPEG and noise)",
        |g| {
            let view = g.view(CENSUS, IL1);
            falls("range", &[&[Jpeg, Noise], &[RankSwap]], &|family| {
                view.range(family)
            })
        }
    ),
    statement!(
        "5.1",
        "CENSUS",
        "low JPEG qualities cause the highest loss of all",
        |g| {
            let view = g.view(CENSUS, IL1);
            let low = mean(&view.of(Jpeg, |quality| quality <= 20), |figure| figure.all);
            let others = [RankSwap, Noise, Resample, Microaggregate].map(|family| {
                let all = view.figures(family);
                all.iter().map(|figure| figure.all).fold(0.0, f64::max)
            });
            let most = others.into_iter().fold(0.0, f64::max);
            is(
                low > most,
                format!("mean of J10-J20 {low:.2}, largest of the other families {most:.2}"),
            )
        }
    ),
    statement!("5.1", "CENSUS", "resampling has the lowest loss", |g| {
        let view = g.view(CENSUS, IL1);
        falls(
            "mean",
            &[&[Jpeg, RankSwap, Noise, Microaggregate], &[Resample]],
            &|family| view.mean(family),
        )
    }),
    statement!(
        "5.1",
        "CENSUS",
        "the parameter matters greatly for noise, but less than for JPEG",
        |g| {
            let view = g.view(CENSUS, IL1);
            falls(
                "range",
                &[&[Jpeg], &[Noise], &[RankSwap, Resample, Microaggregate]],
                &|family| view.range(family),
            )
        }
    ),
    statement!(
        "5.1",
        "EIA",
        "JPEG and noise change outliers less, and far more sharply than on CENSUS",
        |g| {
            let view = g.view(EIA, IL1);
            let ratio = |file: usize, family| {
                g.view(file, IL1).mean(family)
                    / mean(&g.view(file, IL1).figures(family), |figure| figure.outliers)
            };
            let ratios = [Jpeg, Noise].map(|family| (ratio(CENSUS, family), ratio(EIA, family)));
            let sharper = ratios.iter().all(|(census, eia)| eia > census);
            both([
                sides(view, &[], &[Jpeg, Noise]),
                is(
                    sharper,
                    format!(
                        "all / outliers: J {:.1} on CENSUS and {:.1} on EIA, N {:.1} and {:.1}",
                        ratios[0].0, ratios[0].1, ratios[1].0, ratios[1].1
                    ),
                ),
            ])
        }
    ),
    statement!(
        "5.1",
        "EIA",
        "JPEG and noise lose much more than on CENSUS (at least twice)",
        |g| {
            let times = [Jpeg, Noise]
                .map(|family| g.view(EIA, IL1).mean(family) / g.view(CENSUS, IL1).mean(family));
            is(
                times.iter().all(|times| *times >= 2.0),
                format!("J {:.1} times, N {:.1} times", times[0], times[1]),
            )
        }
    ),
    statement!(
        "5.1",
        "EIA",
        "rank swapping: which side is higher depends on the parameter",
        |g| {
            let share = g.view(EIA, IL1).share(RankSwap, higher);
            is(
                share > 0.0 && share < 1.0,
                format!("R higher in {:.0} %", 100.0 * share),
            )
        }
    ),
    statement!(
        "5.1",
        "EIA",
        "rank swapping loses about as much as on CENSUS (half to twice)",
        |g| {
            let times = g.view(EIA, IL1).mean(RankSwap) / g.view(CENSUS, IL1).mean(RankSwap);
            is((0.5..=2.0).contains(&times), format!("{times:.2} times"))
        }
    ),
    statement!(
        "5.1",
        "EIA",
        "microaggregation loses much less than on CENSUS (at most half)",
        |g| {
            let times =
                g.view(EIA, IL1).mean(Microaggregate) / g.view(CENSUS, IL1).mean(Microaggregate);
            is(times <= 0.5, format!("{times:.2} times"))
        }
    ),
    statement!(
        "5.1",
        "EIA",
        "microaggregation: outliers as the rest up to k of about 15 (within a quarter), a bit higher beyond",
        |g| {
            let view = g.view(EIA, IL1);
            let (small, large) = (
                view.of(Microaggregate, |k| k <= 15),
                view.of(Microaggregate, |k| k > 15),
            );
            let (gap, beyond) = (relative_gap(&small), share(&large, higher));
            is(
                gap <= 0.25 && beyond > 0.5,
                format!(
                    "relative gap {gap:.2}; higher in {:.0} % beyond 15",
                    100.0 * beyond
                ),
            )
        }
    ),
    statement!(
        "5.2",
        "CENSUS",
        "JPEG, rank swapping, resampling and microaggregation change outliers more",
        |g| {
            sides(
                g.view(CENSUS, IL1S),
                &[Jpeg, RankSwap, Resample, Microaggregate],
                &[],
            )
        }
    ),
    statement!(
        "5.2",
        "CENSUS",
        "noise changes outliers as all (within a tenth)",
        |g| {
            let gap = relative_gap(&g.view(CENSUS, IL1S).figures(Noise));
            is(gap <= 0.1, format!("relative gap {gap:.3}"))
        }
    ),
    statement!(
        "5.2",
        "CENSUS",
        "noise and resampling have the lowest loss",
        |g| {
            let view = g.view(CENSUS, IL1S);
            falls(
                "mean",
                &[&[Jpeg, RankSwap, Microaggregate], &[Noise, Resample]],
                &|family| view.mean(family),
            )
        }
    ),
    statement!(
        "5.2",
        "CENSUS",
        "JPEG and rank swapping range widely, microaggregation is more stable",
        |g| {
            let view = g.view(CENSUS, IL1S);
            falls(
                "range",
                &[&[Jpeg, RankSwap], &[Microaggregate]],
                &|family| view.range(family),
            )
        }
    ),
    statement!("5.2", "EIA", "outliers behave as on CENSUS", |g| {
        let gap = relative_gap(&g.view(EIA, IL1S).figures(Noise));
        both([
            sides(
                g.view(EIA, IL1S),
                &[Jpeg, RankSwap, Resample, Microaggregate],
                &[],
            ),
            is(gap <= 0.1, format!("N relative gap {gap:.3}")),
        ])
    }),
    statement!(
        "5.2",
        "EIA",
        "rank swapping: the difference is larger than on CENSUS",
        |g| {
            let (census, eia) = (
                g.view(CENSUS, IL1S).gap(RankSwap),
                g.view(EIA, IL1S).gap(RankSwap),
            );
            is(
                eia > census,
                format!("gap {census:.3} on CENSUS, {eia:.3} on EIA"),
            )
        }
    ),
    statement!(
        "5.2",
        "EIA",
        "resampling and microaggregation have the lowest loss",
        |g| {
            let view = g.view(EIA, IL1S);
            falls(
                "mean",
                &[&[Jpeg, RankSwap, Noise], &[Resample, Microaggregate]],
                &|family| view.mean(family),
            )
        }
    ),
    statement!(
        "5.3",
        "CENSUS",
        "DLD is higher for outliers with JPEG, noise and resampling, lower with rank swapping and microaggregation",
        |g| {
            sides(
                g.view(CENSUS, DLD),
                &[Jpeg, Noise, Resample],
                &[RankSwap, Microaggregate],
            )
        }
    ),
    statement!(
        "5.3",
        "CENSUS",
        "resampling has the highest DLD, microaggregation the lowest",
        |g| {
            let view = g.view(CENSUS, DLD);
            falls(
                "mean",
                &[&[Resample], &[Jpeg, RankSwap, Noise], &[Microaggregate]],
                &|family| view.mean(family),
            )
        }
    ),
    statement!(
        "5.3",
        "CENSUS",
        "DLD ranges very widely with JPEG and rank swapping, moderately with noise, least with microaggregation",
        |g| {
            let view = g.view(CENSUS, DLD);
            falls(
                "range",
                &[&[Jpeg, RankSwap], &[Noise], &[Microaggregate]],
                &|family| view.range(family),
            )
        }
    ),
    statement!(
        "5.3",
        "EIA",
        "DLD is higher for outliers with JPEG, noise, resampling and microaggregation, lower with rank swapping",
        |g| {
            sides(
                g.view(EIA, DLD),
                &[Jpeg, Noise, Resample, Microaggregate],
                &[RankSwap],
            )
        }
    ),
    statement!(
        "5.3",
        "EIA",
        "the difference is very large with JPEG and noise, very small with microaggregation (below 0.1)",
        |g| {
            let view = g.view(EIA, DLD);
            both([
                falls("gap", &[&[Jpeg, Noise], &[Microaggregate]], &|family| {
                    view.gap(family)
                }),
                is(view.gap(Microaggregate).abs() < 0.1, "limit 0.1".to_owned()),
            ])
        }
    ),
    statement!(
        "5.3",
        "EIA",
        "microaggregation is fairly stable (range below those of JPEG, rank swapping and noise)",
        |g| {
            let view = g.view(EIA, DLD);
            falls(
                "range",
                &[&[Jpeg, RankSwap, Noise], &[Microaggregate]],
                &|family| view.range(family),
            )
        }
    ),
    statement!(
        "5.3",
        "EIA",
        "rank swapping: DLD is very low beyond 12 % (below 0.1)",
        |g| {
            let all = g.view(EIA, DLD).of(RankSwap, |window| window > 12);
            let most = all.iter().map(|figure| figure.all).fold(0.0, f64::max);
            is(most < 0.1, format!("at most {most:.3}"))
        }
    ),
    statement!(
        "5.4",
        "CENSUS",
        "RID is higher for outliers with JPEG, rank swapping and noise, lower with microaggregation",
        |g| {
            sides(
                g.view(CENSUS, RID),
                &[Jpeg, RankSwap, Noise],
                &[Microaggregate],
            )
        }
    ),
    statement!(
        "5.4",
        "CENSUS",
        "resampling has the highest RID, near the maximum (above 0.9)",
        |g| {
            let view = g.view(CENSUS, RID);
            both([
                falls(
                    "mean",
                    &[&[Resample], &[Jpeg, RankSwap, Noise, Microaggregate]],
                    &|family| view.mean(family),
                ),
                is(view.mean(Resample) > 0.9, "limit 0.9".to_owned()),
            ])
        }
    ),
    statement!(
        "5.4",
        "CENSUS",
        "microaggregation is always below noise",
        |g| {
            let view = g.view(CENSUS, RID);
            let most = view
                .figures(Microaggregate)
                .iter()
                .map(|figure| figure.all)
                .fold(0.0, f64::max);
            let least = view
                .figures(Noise)
                .iter()
                .map(|figure| figure.all)
                .fold(f64::INFINITY, f64::min);
            is(
                most < least,
                format!("largest M {most:.3}, smallest N {least:.3}"),
            )
        }
    ),
    statement!(
        "5.4",
        "CENSUS",
        "RID ranges very widely with JPEG and rank swapping, moderately with noise, less with microaggregation",
        |g| {
            let view = g.view(CENSUS, RID);
            falls(
                "range",
                &[&[Jpeg, RankSwap], &[Noise], &[Microaggregate]],
                &|family| view.range(family),
            )
        }
    ),
    statement!(
        "5.4",
        "EIA",
        "RID is higher for outliers with all methods",
        |g| { sides(g.view(EIA, RID), &FamilyOfMasks::ALL, &[]) }
    ),
    statement!(
        "5.4",
        "EIA",
        "the difference is very large with JPEG and noise, moderate with microaggregation, small with rank swapping",
        |g| {
            let view = g.view(EIA, RID);
            falls(
                "gap",
                &[&[Jpeg, Noise], &[Microaggregate], &[RankSwap]],
                &|family| view.gap(family),
            )
        }
    ),
    statement!(
        "5.4",
        "EIA",
        "resampling is extremely high (above 0.9)",
        |g| {
            let mean = g.view(EIA, RID).mean(Resample);
            is(mean > 0.9, format!("mean {mean:.3}"))
        }
    ),
    statement!("5.4", "EIA", "ranges as on CENSUS", |g| {
        let view = g.view(EIA, RID);
        falls(
            "range",
            &[&[Jpeg, RankSwap], &[Noise], &[Microaggregate]],
            &|family| view.range(family),
        )
    }),
    statement!(
        "5.4",
        "EIA",
        "noise has less risk than microaggregation",
        |g| {
            let view = g.view(EIA, RID);
            falls("mean", &[&[Microaggregate], &[Noise]], &|family| {
                view.mean(family)
            })
        }
    ),
    statement!(
        "5.5",
        "CENSUS",
        "SDID is lower for outliers with rank swapping, resampling and microaggregation",
        |g| {
            sides(
                g.view(CENSUS, SDID),
                &[],
                &[RankSwap, Resample, Microaggregate],
            )
        }
    ),
    statement!(
        "5.5",
        "CENSUS",
        "no difference with noise and with JPEG of high quality (mean gap below 0.03)",
        |g| {
            let view = g.view(CENSUS, SDID);
            let noise = view.gap(Noise);
            let jpeg = mean(&view.of(Jpeg, |quality| quality >= 85), |figure| {
                figure.outliers - figure.all
            });
            is(
                noise.abs() < 0.03 && jpeg.abs() < 0.03,
                format!("gap N {noise:+.3}, J85-J100 {jpeg:+.3}"),
            )
        }
    ),
    statement!("5.5", "CENSUS", "resampling has the highest SDID", |g| {
        let view = g.view(CENSUS, SDID);
        falls(
            "mean",
            &[&[Resample], &[Jpeg, RankSwap, Noise, Microaggregate]],
            &|family| view.mean(family),
        )
    }),
    statement!(
        "5.5",
        "CENSUS",
        "microaggregation has less risk than noise",
        |g| {
            let view = g.view(CENSUS, SDID);
            falls("mean", &[&[Noise], &[Microaggregate]], &|family| {
                view.mean(family)
            })
        }
    ),
    statement!(
        "5.5",
        "CENSUS",
        "JPEG up to 70, rank swapping from 7 % and microaggregation are alike (means within 0.15)",
        |g| {
            let view = g.view(CENSUS, SDID);
            let all = |figure: &Figure| figure.all;
            let means = [
                mean(&view.of(Jpeg, |quality| quality <= 70), all),
                mean(&view.of(RankSwap, |window| window >= 7), all),
                mean(&view.figures(Microaggregate), all),
            ];
            let apart = means.iter().fold(0.0, |most: f64, a| {
                means.iter().fold(most, |most, b| most.max((a - b).abs()))
            });
            is(
                apart <= 0.15,
                format!("J {:.3}, R {:.3}, M {:.3}", means[0], means[1], means[2]),
            )
        }
    ),
    statement!(
        "5.5",
        "CENSUS",
        "noise ranges most widely; JPEG but for high, rank swapping but for low parameters, and microaggregation little",
        |g| {
            let view = g.view(CENSUS, SDID);
            let others = [
                span(&view.of(Jpeg, |quality| quality <= 70)),
                span(&view.of(RankSwap, |window| window >= 5)),
                span(&view.figures(Microaggregate)),
            ];
            let noise = view.range(Noise);
            is(
                others.iter().all(|range| *range < noise),
                format!(
                    "range N {noise:.3}, J {:.3}, R {:.3}, M {:.3}",
                    others[0], others[1], others[2]
                ),
            )
        }
    ),
    statement!(
        "5.5",
        "EIA",
        "sides as on CENSUS, and sharper with rank swapping and JPEG",
        |g| {
            let sharper = [Jpeg, RankSwap].map(|family| {
                (
                    g.view(CENSUS, SDID).gap(family),
                    g.view(EIA, SDID).gap(family),
                )
            });
            both([
                sides(
                    g.view(EIA, SDID),
                    &[],
                    &[RankSwap, Resample, Microaggregate],
                ),
                is(
                    sharper.iter().all(|(census, eia)| eia.abs() > census.abs()),
                    format!(
                        "gap J {:+.3} and {:+.3}, R {:+.3} and {:+.3}",
                        sharper[0].0, sharper[0].1, sharper[1].0, sharper[1].1
                    ),
                ),
            ])
        }
    ),
    statement!("5.5", "EIA", "resampling has the highest SDID", |g| {
        let view = g.view(EIA, SDID);
        falls(
            "mean",
            &[&[Resample], &[Jpeg, RankSwap, Noise, Microaggregate]],
            &|family| view.mean(family),
        )
    }),
    statement!(
        "5.5",
        "EIA",
        "SDID ranges very widely with noise, moderately with JPEG and rank swapping, very little with microaggregation",
        |g| {
            let view = g.view(EIA, SDID);
            falls(
                "range",
                &[&[Noise], &[Jpeg, RankSwap], &[Microaggregate]],
                &|family| view.range(family),
            )
        }
    ),
];
