//! What §5.3 to §5.5 say of disclosure risk.

use super::{CENSUS, DLD, EIA, RID, SDID, Statement, both, falls, is, mean, sides, span};
use crate::mateo_sanz_2004::FamilyOfMasks::{Jpeg, Microaggregate, Noise, RankSwap, Resample};
use crate::mateo_sanz_2004::{FamilyOfMasks, Figure};

/// What §5.3 to §5.5 say of disclosure risk, in the paper's order.
pub(crate) const ON_RISK: &[Statement] = &[
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
