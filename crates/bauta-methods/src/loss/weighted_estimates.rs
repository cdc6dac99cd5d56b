#![doc = include_str!("weighted_estimates.md")]

mod weighted_sample;

use bauta_data::number::number_text;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::normal;
use crate::kernel::numbers::sums::compensated;
use crate::keys::check_weights;
use crate::loss::weighted_estimates::weighted_sample::{Design, Estimate, WeightedSample};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::missing::MISSING;
use crate::models::interval_overlap::{Disjoint, OVERLAP, interval_overlap};
use crate::pair::variables::columns_of_both;
use crate::params::{ParamProblem, Params};

/// Weighted estimates of both files and the overlap of their intervals. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct WeightedEstimates;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "weighted-estimates",
        title: "Weighted estimates",
        summary: "weighted means, totals and quantiles of both files and how far their confidence intervals overlap",
        family: Family::Loss,
        page: include_str!("weighted_estimates.md"),
        params: &[
            ParamSpec {
                name: "quantiles",
                meaning: "shares of the weight at which quantiles are taken",
                ty: ParamType::Numbers { min: 0.0, max: 1.0 },
                default: ParamDefault::Unset("0.25, 0.5 and 0.75"),
            },
            ParamSpec {
                name: "level",
                meaning: "confidence level of the intervals",
                ty: ParamType::Fraction {
                    min: 0.5,
                    max: 0.9999,
                },
                default: ParamDefault::Value(ConstValue::Number(0.95)),
            },
            OVERLAP,
            MISSING,
        ],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["karr2006", "bergeat2015", "woodruff1952", "hansen1943"],
    },
    at_identity: Some(1.0),
    value: FigureSpec::value("mean overlap", Unit::Number)
        .within(f64::NEG_INFINITY, 1.0)
        .higher_is_better(),
    usual: false,
    looks_at_untouched: true,
    ..MeasureCard::LOSS
};

/// Estimates must rest on so many records of each file, or they could show one of them.
const MIN_RECORDS: usize = 10;
const FILES: [&str; 2] = ["original", "masked"];

impl MeasureMethod for WeightedEstimates {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        check_weights(pair.original)?;
        check_weights(pair.masked)?;
        let columns = columns_of_both(task, context)?;
        let designs = [Design::of(pair.original), Design::of(pair.masked)];
        let wanted = Wanted::of(task.params);
        let mut work = Work::default();
        for (done, column) in columns.iter().enumerate() {
            context.progress(done, columns.len())?;
            let (x, z) = column.numbers()?;
            let samples = [
                WeightedSample::new(&designs[0], x),
                WeightedSample::new(&designs[1], z),
            ];
            let compared = samples
                .iter()
                .all(|sample| sample.n() >= MIN_RECORDS)
                .then(|| wanted.compared(&samples));
            work.take(column.name, compared);
        }
        Ok(work.finish())
    }
}

/// What is to be estimated.
struct Wanted {
    quantiles: Vec<f64>,
    /// Standard errors to each side of an estimate.
    z: f64,
    disjoint: Disjoint,
}

/// What an estimate is of.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Figure {
    Mean,
    Total,
    Quantile(f64),
}

/// An estimate in original and masked file.
#[derive(Clone, Copy, Debug)]
struct Compared {
    figure: Figure,
    files: [Option<Estimate>; 2],
    overlap: Option<f64>,
}

impl Wanted {
    fn of(params: &Params) -> Self {
        let mut quantiles: Vec<f64> = Vec::new();
        let given: &[f64] = match params.numbers("quantiles") {
            [] => &[0.25, 0.5, 0.75],
            given => given,
        };
        for p in given {
            if !quantiles.contains(p) {
                quantiles.push(*p);
            }
        }
        Self {
            quantiles,
            z: normal::quantile(0.5 + 0.5 * params.number("level")),
            disjoint: Disjoint::of(params),
        }
    }

    fn compared(&self, samples: &[WeightedSample<'_>; 2]) -> Vec<Compared> {
        let quantiles = self.quantiles.iter().map(|&p| Figure::Quantile(p));
        let figures = [Figure::Mean, Figure::Total].into_iter().chain(quantiles);
        let compared = figures.map(|figure| {
            let files = samples.each_ref().map(|sample| match figure {
                Figure::Mean => Some(sample.mean(self.z)),
                Figure::Total => Some(sample.total(self.z)),
                Figure::Quantile(p) => sample.quantile(p, self.z),
            });
            let overlap = |original: Estimate, masked: Estimate| {
                interval_overlap(original.interval, masked.interval, self.disjoint)
            };
            Compared {
                figure,
                files,
                overlap: files[0].zip(files[1]).and_then(|(x, z)| overlap(x, z)),
            }
        });
        compared.collect()
    }
}

impl Compared {
    fn label(&self) -> String {
        match self.figure {
            Figure::Mean => "mean".to_owned(),
            Figure::Total => "total".to_owned(),
            Figure::Quantile(p) => format!("quantile {}", number_text(p)),
        }
    }

    /// How far the masked estimate is from the original one, as a share of it.
    fn relative_difference(&self) -> Option<f64> {
        let (original, masked) = (self.files[0]?.value, self.files[1]?.value);
        let difference = (masked - original) / original.abs();
        difference.is_finite().then_some(difference)
    }

    /// Estimate, standard error and interval in one file. Not of a quantile, which like the ends of
    /// its interval is the value of some record.
    fn in_file(&self, variable: &str, file: usize) -> Option<Series> {
        if let Figure::Quantile(_) = self.figure {
            return None;
        }
        let Estimate {
            value,
            se,
            interval,
        } = self.files[file]?;
        let points = [
            ("estimate", Some(value)),
            ("standard error", se),
            ("lower end", Some(interval.0)),
            ("upper end", Some(interval.1)),
        ];
        let point = |(name, value): (&str, Option<f64>)| Part {
            name: name.to_owned(),
            value: value.filter(|value| value.is_finite()),
        };
        Some(Series {
            name: format!("{variable}: {}, {}", self.label(), FILES[file]),
            axis: variable.to_owned(),
            unit: Unit::Number,
            file: None,
            variable: None,
            table: None,
            points: points.into_iter().map(point).collect(),
        })
    }
}

/// What has been found so far.
#[derive(Default)]
struct Work {
    all: Vec<Compared>,
    by_variable: Vec<Part>,
    n_too_small: usize,
    comparisons: Vec<Series>,
    estimates: Vec<Series>,
}

impl Work {
    fn take(&mut self, variable: &str, compared: Option<Vec<Compared>>) {
        let Some(compared) = compared else {
            self.n_too_small += 1;
            self.by_variable.push(Part {
                name: variable.to_owned(),
                value: None,
            });
            return;
        };
        let overlaps = compared.iter().filter_map(|one| one.overlap);
        self.by_variable.push(Part {
            name: variable.to_owned(),
            value: mean(overlaps),
        });
        let series = |name: &str, figure: &dyn Fn(&Compared) -> Option<f64>| Series {
            name: format!("{variable}: {name}"),
            axis: "share".to_owned(),
            unit: Unit::Share,
            file: None,
            variable: None,
            table: None,
            points: compared
                .iter()
                .map(|one| Part {
                    name: one.label(),
                    value: figure(one),
                })
                .collect(),
        };
        self.comparisons
            .push(series("interval overlap", &|one| one.overlap));
        let relative = series("relative difference", &Compared::relative_difference);
        self.comparisons.push(relative);
        for one in &compared {
            let of_files = (0..FILES.len()).filter_map(|file| one.in_file(variable, file));
            self.estimates.extend(of_files);
        }
        self.all.extend(compared);
    }

    fn finish(self) -> Measurement {
        let all = &self.all;
        let overlap_of = |wanted: fn(Figure) -> bool| {
            let wanted = all.iter().filter(|one| wanted(one.figure));
            mean(wanted.filter_map(|one| one.overlap))
        };
        let sizes = || all.iter().filter_map(Compared::relative_difference);
        let n_overlaps = all.iter().filter(|one| one.overlap.is_some()).count();
        let mut found = Measurement {
            value: overlap_of(|_| true),
            by_variable: self.by_variable,
            series: self.comparisons.into_iter().chain(self.estimates).collect(),
            ..Measurement::default()
        };
        found.push_part(
            "overlap_of_means",
            overlap_of(|figure| figure == Figure::Mean),
        );
        found.push_part(
            "overlap_of_totals",
            overlap_of(|figure| figure == Figure::Total),
        );
        let is_quantile = |figure| matches!(figure, Figure::Quantile(_));
        found.push_part("overlap_of_quantiles", overlap_of(is_quantile));
        let relative = mean(sizes().map(f64::abs));
        found.push_part("mean_relative_difference", relative);
        let largest = sizes().map(f64::abs).reduce(f64::max);
        found.push_part("largest_relative_difference", largest);
        found.push_part("estimates_compared", n_overlaps as f64);
        found.push_part("estimates_without_overlap", (all.len() - n_overlaps) as f64);
        found.push_part("variables_too_small", self.n_too_small as f64);
        found
    }
}

/// The mean of some figures; none if there are none.
fn mean(figures: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let n = figures.clone().count();
    (n > 0)
        .then(|| compensated(figures) / n as f64)
        .filter(|mean| mean.is_finite())
}
