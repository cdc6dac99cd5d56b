//! What §5.1 and §5.2 say of information loss.

use super::{
    CENSUS, EIA, IL1, IL1S, Statement, both, falls, higher, is, mean, relative_gap, share, sides,
};
use crate::mateo_sanz_2004::FamilyOfMasks::{Jpeg, Microaggregate, Noise, RankSwap, Resample};

/// What §5.1 and §5.2 say of information loss, in the paper's order.
pub(crate) const ON_LOSS: &[Statement] = &[
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
];
