#![doc = include_str!("weighted_estimates.md")]

mod weighted_sample;

use bauta_data::number::number_text;

use crate::card::{Card, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::{MIN_RECORDS, is_few, min_records};
use crate::figure::{FigureSpec, Side, Unit};
use crate::kernel::numbers::normal;
use crate::kernel::numbers::sums::compensated;
use crate::keys::check_weights;
use crate::loss::weighted_estimates::weighted_sample::{Design, Estimate, WeightedSample};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::missing::{MISSING, Missing};
use crate::models::interval_overlap::{Disjoint, OVERLAP, interval_overlap, mean_overlap};
use crate::pair::variables::columns_of_both;
use crate::params::{ParamProblem, Params};

/// Weighted estimates of both files and the overlap of their intervals. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct WeightedEstimates;

const QUANTILES: ParamSpec = ParamSpec::new(
    "quantiles",
    "shares of the weight at which quantiles are taken",
    ParamType::Numbers { min: 0.0, max: 1.0 },
)
.unset("0.25, 0.5 and 0.75");
const LEVEL: ParamSpec = ParamSpec::new(
    "level",
    "confidence level of the intervals",
    ParamType::Fraction {
        min: 0.5,
        max: 0.9999,
    },
)
.or_number(0.95);

const OVERLAP_OF_MEANS: FigureSpec = mean_overlap("overlap_of_means", "mean overlap of means");
const OVERLAP_OF_TOTALS: FigureSpec = mean_overlap("overlap_of_totals", "mean overlap of totals");
const OVERLAP_OF_QUANTILES: FigureSpec =
    mean_overlap("overlap_of_quantiles", "mean overlap of quantiles");
const MEAN_RELATIVE: FigureSpec =
    FigureSpec::number("mean_relative_difference", "mean relative difference").lower_is_better();
const LARGEST_RELATIVE: FigureSpec =
    FigureSpec::number("largest_relative_difference", "largest relative difference")
        .lower_is_better();
const COMPARED: FigureSpec = FigureSpec::count("estimates_compared", "estimates compared");
const WITHOUT_OVERLAP: FigureSpec = FigureSpec::count(
    "estimates_without_overlap",
    "estimates whose overlap is not defined",
);
const TOO_SMALL: FigureSpec =
    FigureSpec::count("variables_too_small", "variables with too few records");

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "weighted-estimates",
        title: "Weighted estimates",
        summary: "weighted means, totals and quantiles of both files and how far their confidence intervals overlap",
        page: include_str!("weighted_estimates.md"),
        params: &[QUANTILES, LEVEL, OVERLAP, MISSING, MIN_RECORDS],
        references: &["karr2006", "bergeat2015", "woodruff1952", "hansen1943"],
        ..MeasureCard::LOSS.card
    },
    at_identity: Some(1.0),
    value: mean_overlap("value", "mean overlap"),
    figures: &[
        OVERLAP_OF_MEANS,
        OVERLAP_OF_TOTALS,
        OVERLAP_OF_QUANTILES,
        MEAN_RELATIVE,
        LARGEST_RELATIVE,
        COMPARED,
        WITHOUT_OVERLAP,
        TOO_SMALL,
    ],
    usual: false,
    looks_at_untouched: true,
    ..MeasureCard::LOSS
};

/// What is to be estimated.
pub struct Settings {
    /// Different shares of the weight.
    quantiles: Vec<f64>,
    /// Standard errors to each side of an estimate.
    z: f64,
    disjoint: Disjoint,
    missing: Missing,
    /// Records on either side of a quantile, at least, for it to be told how far it moved.
    min_records: u64,
}

impl MeasureMethod for WeightedEstimates {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let mut quantiles: Vec<f64> = Vec::new();
        let given: &[f64] = match params.numbers(QUANTILES.name) {
            [] => &[0.25, 0.5, 0.75],
            given => given,
        };
        for p in given {
            if !quantiles.contains(p) {
                quantiles.push(*p);
            }
        }
        Ok(Settings {
            quantiles,
            z: normal::quantile(0.5 + 0.5 * params.number(LEVEL.name)),
            disjoint: Disjoint::asked(params),
            missing: Missing::asked(params),
            min_records: min_records(params),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        check_weights(pair.original)?;
        check_weights(pair.masked)?;
        let columns = columns_of_both(task, settings.missing, context)?;
        let designs = [Design::of(pair.original), Design::of(pair.masked)];
        let mut work = Work::default();
        for (done, column) in columns.iter().enumerate() {
            context.progress(done, columns.len())?;
            let (x, z) = column.numbers()?;
            let samples = rayon::join(
                || WeightedSample::new(&designs[0], x),
                || WeightedSample::new(&designs[1], z),
            );
            let samples: [WeightedSample<'_>; 2] = samples.into();
            // Or estimates could show one of them.
            let compared = samples
                .iter()
                .all(|sample| !is_few(sample.n() as u64))
                .then(|| settings.compared(&samples));
            work.take(column.name, compared);
        }
        Ok(work.finish())
    }
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
    /// Whether enough records stand behind it to say how far it moved.
    tells_difference: bool,
}

impl Settings {
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
            let enough = |(sample, found): (&WeightedSample<'_>, &Option<Estimate>)| {
                let n_beside = found.map_or(0, |found| sample.n_beside(found.value));
                !matches!(figure, Figure::Quantile(_)) || n_beside as u64 >= self.min_records
            };
            Compared {
                figure,
                files,
                tells_difference: samples.iter().zip(&files).all(enough),
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

    /// How far the masked estimate is from the original one, as a share of it. Beside the released file
    /// that is the original estimate, which at the ends of a file is the value of one of a few records.
    fn relative_difference(&self) -> Option<f64> {
        if !self.tells_difference {
            return None;
        }
        let (original, masked) = (self.files[0]?.value, self.files[1]?.value);
        let difference = (masked - original) / original.abs();
        difference.is_finite().then_some(difference)
    }

    /// Estimate, standard error and interval in one file. Not of a quantile, which like the ends of
    /// its interval is the value of some record.
    fn in_file(&self, variable: &str, file: Side) -> Option<Series> {
        if let Figure::Quantile(_) = self.figure {
            return None;
        }
        let Estimate {
            value,
            se,
            interval,
        } = self.files[file as usize]?;
        let points = [
            ("estimate", Some(value)),
            ("standard error", se),
            ("lower end", Some(interval.0)),
            ("upper end", Some(interval.1)),
        ];
        let finite = |value: Option<f64>| value.filter(|value| value.is_finite());
        let points = points.map(|(name, value)| Part::new(name, finite(value)));
        let series = Series::new(self.label(), variable, Unit::Number, points.into());
        Some(series.of_variable(variable).of_side(file))
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
            self.by_variable.push(Part::new(variable, None));
            return;
        };
        let overlaps = compared.iter().filter_map(|one| one.overlap);
        self.by_variable.push(Part::new(variable, mean(overlaps)));
        let series = |name: &str, figure: &dyn Fn(&Compared) -> Option<f64>| {
            let points = compared
                .iter()
                .map(|one| Part::new(one.label(), figure(one)));
            Series::new(name, "share", Unit::Share, points.collect()).of_variable(variable)
        };
        self.comparisons
            .push(series("interval overlap", &|one| one.overlap));
        let relative = series("relative difference", &Compared::relative_difference);
        self.comparisons.push(relative);
        for one in &compared {
            let of_files = Side::BOTH.into_iter();
            self.estimates
                .extend(of_files.filter_map(|file| one.in_file(variable, file)));
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
        let is_quantile = |figure| matches!(figure, Figure::Quantile(_));
        found.give(&OVERLAP_OF_MEANS, overlap_of(|of| of == Figure::Mean));
        found.give(&OVERLAP_OF_TOTALS, overlap_of(|of| of == Figure::Total));
        found.give(&OVERLAP_OF_QUANTILES, overlap_of(is_quantile));
        found.give(&MEAN_RELATIVE, mean(sizes().map(f64::abs)));
        let largest = sizes().map(f64::abs).reduce(f64::max);
        found.give(&LARGEST_RELATIVE, largest);
        found.give(&COMPARED, n_overlaps as f64);
        found.give(&WITHOUT_OVERLAP, (all.len() - n_overlaps) as f64);
        found.give(&TOO_SMALL, self.n_too_small as f64);
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
