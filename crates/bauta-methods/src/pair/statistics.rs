//! Means, variances and covariances of the same variables in two files, and how far they changed.

use std::borrow::Cow;

use bauta_data::Table;

use crate::card::{ConstValue, ParamDefault, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{Symmetric, covariance};
use crate::kernel::numbers::complete::taken;
use crate::kernel::numbers::moments::{is_constant, too_large};
use crate::kernel::numbers::sums::{compensated, sum_of};
use crate::measure::{MeasureTask, Measurement, Part};
use crate::note::KnownNote;
use crate::pair::records::{complete_records, n_defined, numeric};
use crate::params::{ParamProblem, Params};

/// What to do with a statistic whose change cannot be stated.
pub const ZERO: ParamSpec = ParamSpec {
    name: "zero",
    meaning: "what to do with a statistic that is 0 in the original, or a correlation that is not defined",
    ty: ParamType::Choice(&[
        ("refuse", "stop with an error that names the statistic"),
        ("exclude", "leave it out and say which"),
    ]),
    default: ParamDefault::Value(ConstValue::Text("refuse")),
};

/// Whether noise of known covariance is taken out of the masked file's statistics.
pub const CORRECTION: ParamSpec = ParamSpec {
    name: "correction",
    meaning: "whether the noise is taken out of the masked file's statistics (Kim)",
    ty: ParamType::Choice(&[
        ("none", "the statistics as they are"),
        (
            "noise",
            "the masked file is the original plus noise with `level` times its covariances",
        ),
        (
            "scaled-noise",
            "the same, scaled back to the covariances of the original",
        ),
    ]),
    default: ParamDefault::Value(ConstValue::Text("none")),
};

/// How much noise the correction takes out.
pub const LEVEL: ParamSpec = ParamSpec {
    name: "level",
    meaning: "d: covariances of the noise as a multiple of those of the original file",
    ty: ParamType::Number {
        min: 0.0,
        max: f64::INFINITY,
    },
    default: ParamDefault::Unset("no noise is taken out"),
};

/// Problems of [`CORRECTION`] and [`LEVEL`] together.
pub fn check_correction(params: &Params) -> Vec<ParamProblem> {
    let corrects = params.choice("correction") != "none";
    match (corrects, params.is_set("level")) {
        (true, false) => vec![ParamProblem::of(
            "correction",
            "the correction needs the `level` of the noise",
            "add `level = …`, the d that the file was masked with",
        )],
        (false, true) => vec![ParamProblem::of(
            "level",
            "`level` has no effect without a correction",
            "add `correction = \"noise\"`, or leave `level` out",
        )],
        _ => Vec::new(),
    }
}

/// The noise that is taken out of the masked file's statistics.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Correction {
    None,
    /// Z = X + noise, Cov(noise) = d Cov(X).
    Noise(f64),
    /// Z as above, then z / √(1 + d) + (1 - 1/√(1 + d)) μ.
    ScaledNoise(f64),
}

impl Correction {
    /// A card without the parameter does not correct.
    fn of(params: &Params) -> Result<Self, MethodError> {
        if !params.is_set("correction") || params.choice("correction") == "none" {
            return Ok(Self::None);
        }
        let d = params.number_if_set("level").ok_or_else(|| {
            MethodError::request(
                "the correction needs the `level` of the noise",
                "add `level = …`, the d that the file was masked with",
            )
        })?;
        Ok(match params.choice("correction") {
            "noise" => Self::Noise(d),
            _ => Self::ScaledNoise(d),
        })
    }

    /// Mean of a subpopulation, given μ of the whole masked file.
    fn mean(self, part: f64, whole: f64) -> f64 {
        match self {
            Self::None | Self::Noise(_) => part,
            // z = μ + √(1 + d) (z_s - μ) undoes the scaling.
            Self::ScaledNoise(d) => whole + (1.0 + d).sqrt() * (part - whole),
        }
    }

    /// Covariance of a subpopulation, given that of the whole masked file.
    fn covariance(self, part: f64, whole: f64) -> f64 {
        match self {
            Self::None => part,
            // Cov(Z) = (1 + d) Σ, so that the noise has d Σ = d / (1 + d) Cov(Z).
            Self::Noise(d) => part - d / (1.0 + d) * whole,
            // Both covariances times 1 + d are those before scaling.
            Self::ScaledNoise(d) => (1.0 + d) * part - d * whole,
        }
    }
}

/// The variables of one file, its incomplete records left out.
struct Sample<'a> {
    n_records: usize,
    columns: Vec<Cow<'a, [f64]>>,
    means: Vec<f64>,
}

impl<'a> Sample<'a> {
    /// The sample and how many records it leaves out.
    fn of(
        table: &'a Table,
        file: &str,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<(Self, usize), MethodError> {
        let mut columns = Vec::with_capacity(task.on.len());
        for name in task.on {
            columns.push(Cow::Borrowed(numeric(
                table.column_named(name),
                name,
                file,
            )?));
        }
        let mut n_records = table.n_records();
        let mut n_left_out = 0;
        if let Some(complete) = complete_records(table, task.on) {
            if task.params.choice("missing") == "refuse" {
                return Err(first_missing(task.on, &columns));
            }
            n_left_out = n_records - complete.len();
            n_records = complete.len();
            for column in &mut columns {
                *column = Cow::Owned(taken(column, &complete));
            }
        }
        let mut means = Vec::with_capacity(columns.len());
        for (done, column) in columns.iter().enumerate() {
            context.progress(done, columns.len())?;
            let mean = mean(column);
            if !mean.is_finite() {
                return Err(too_large(&task.on[done]));
            }
            means.push(mean);
        }
        let sample = Self {
            n_records,
            columns,
            means,
        };
        Ok((sample, n_left_out))
    }

    fn covariances(&self, names: &[String]) -> Result<Symmetric, MethodError> {
        let columns: Vec<&[f64]> = self.columns.iter().map(AsRef::as_ref).collect();
        let found = covariance(&columns, &self.means);
        match (0..names.len()).find(|&j| !found.at(j, j).is_finite()) {
            Some(j) => Err(too_large(&names[j])),
            None => Ok(found),
        }
    }

    fn variances(&self, names: &[String]) -> Result<Vec<f64>, MethodError> {
        let columns = self.columns.iter().zip(&self.means).zip(names);
        columns
            .map(|((column, &mean), name)| {
                let variance = covariance(&[column.as_ref()], &[mean]).at(0, 0);
                if variance.is_finite() {
                    Ok(variance)
                } else {
                    Err(too_large(name))
                }
            })
            .collect()
    }
}

fn first_missing(names: &[String], columns: &[Cow<'_, [f64]>]) -> MethodError {
    let n_missing = columns
        .iter()
        .map(|column| column.len() - n_defined(column));
    match names.iter().zip(n_missing).find(|(_, n)| *n > 0) {
        Some((name, n)) => MethodError::missing_refused(name, n),
        None => MethodError::Internal("a record lacks a value that no variable lacks".to_owned()),
    }
}

/// The mean; of equal values exactly that value, so that their variance is exactly 0.
fn mean(values: &[f64]) -> f64 {
    match values.first() {
        None => 0.0,
        Some(&first) if is_constant(values) => first,
        Some(_) => sum_of(values, |value| value) / values.len() as f64,
    }
}

/// A statistic of the original and of the masked file.
#[derive(Clone, PartialEq, Debug)]
pub struct Both<T> {
    /// Of the original.
    pub original: T,
    /// Of the masked file, corrected where asked.
    pub masked: T,
}

/// The variables of both files, ready for statistics.
pub struct Samples<'a> {
    names: &'a [String],
    original: Sample<'a>,
    masked: Sample<'a>,
    whole: Option<Sample<'a>>,
    correction: Correction,
    excludes: bool,
}

impl<'a> Samples<'a> {
    /// The task's variables, checked: numeric, and missing only where allowed. Where the task asks
    /// for a correction, the whole masked file as well.
    pub fn of(task: &MeasureTask<'a>, context: &RunContext<'_>) -> Result<Self, MethodError> {
        let pair = task.both()?;
        let correction = Correction::of(task.params)?;
        let (original, n_original) = Sample::of(pair.original, "original", task, context)?;
        let (masked, n_masked) = Sample::of(pair.masked, "masked", task, context)?;
        if n_original + n_masked > 0 {
            context.note(KnownNote::IncompleteRecordsSkipped {
                n_original,
                n_masked,
            });
        }
        let whole = match task.whole {
            Some(whole) if correction != Correction::None => {
                Some(Sample::of(whole.masked, "masked", task, context)?.0)
            }
            _ => None,
        };
        Ok(Self {
            names: task.on,
            original,
            masked,
            whole,
            correction,
            excludes: task.params.is_set("zero") && task.params.choice("zero") == "exclude",
        })
    }

    /// Names of the variables.
    pub fn names(&self) -> &'a [String] {
        self.names
    }

    /// Records of the file that has fewer.
    pub fn n_records(&self) -> usize {
        self.original.n_records.min(self.masked.n_records)
    }

    /// Means.
    pub fn means(&self) -> Both<Vec<f64>> {
        let whole = self.whole.as_ref().unwrap_or(&self.masked);
        let parts = self.masked.means.iter().zip(&whole.means);
        Both {
            original: self.original.means.clone(),
            masked: parts
                .map(|(&part, &whole)| self.correction.mean(part, whole))
                .collect(),
        }
    }

    /// Mean absolute values of the original: the scale on which its means are 0 or not.
    pub fn mean_sizes(&self) -> Vec<f64> {
        let size = |column: &Cow<'_, [f64]>| {
            let n = column.len();
            sum_of(column, |value| value.abs() / n as f64)
        };
        self.original.columns.iter().map(size).collect()
    }

    /// Variances: the diagonal of the covariances, without the cost of the rest.
    pub fn variances(&self, context: &RunContext<'_>) -> Result<Both<Vec<f64>>, MethodError> {
        let part = self.masked.variances(self.names)?;
        let masked = match (&self.whole, self.correction) {
            (_, Correction::None) => part,
            (whole, _) => {
                let whole = match whole {
                    Some(whole) => whole.variances(self.names)?,
                    None => part.clone(),
                };
                let parts = part.iter().zip(&whole);
                parts
                    .map(|(&part, &whole)| self.correction.covariance(part, whole))
                    .collect()
            }
        };
        self.note_negative(&masked, context);
        Ok(Both {
            original: self.original.variances(self.names)?,
            masked,
        })
    }

    /// Covariances.
    pub fn covariances(&self, context: &RunContext<'_>) -> Result<Both<Symmetric>, MethodError> {
        let part = self.masked.covariances(self.names)?;
        let masked = match (&self.whole, self.correction) {
            (_, Correction::None) => part,
            (whole, _) => {
                let whole = match whole {
                    Some(whole) => whole.covariances(self.names)?,
                    None => part.clone(),
                };
                Symmetric::from_lower(part.order(), |j, k| {
                    self.correction.covariance(part.at(j, k), whole.at(j, k))
                })
            }
        };
        self.note_negative(&diagonal(&masked), context);
        Ok(Both {
            original: self.original.covariances(self.names)?,
            masked,
        })
    }

    /// The estimate of a subpopulation's variance can be negative; it is used as it is and said.
    fn note_negative(&self, variances: &[f64], context: &RunContext<'_>) {
        let negative = variances.iter().zip(self.names);
        let variables: Vec<String> = negative
            .filter(|(variance, _)| **variance < 0.0)
            .map(|(_, name)| name.clone())
            .collect();
        if !variables.is_empty() {
            context.note(KnownNote::CorrectedVarianceNegative { variables });
        }
    }

    /// An empty gathering of changes of these files' statistics.
    pub fn changes(&self) -> Changes<'a> {
        Changes {
            names: self.names,
            excludes: self.excludes,
            stated: Vec::new(),
            left_out: Vec::new(),
        }
    }
}

impl Both<Symmetric> {
    /// The variances on the diagonals.
    pub fn variances(&self) -> Both<Vec<f64>> {
        Both {
            original: diagonal(&self.original),
            masked: diagonal(&self.masked),
        }
    }
}

fn diagonal(matrix: &Symmetric) -> Vec<f64> {
    (0..matrix.order()).map(|j| matrix.at(j, j)).collect()
}

/// A statistic that is smaller than this share of its scale cannot be told from 0: rounding of the
/// values alone makes as much.
const ROUNDING: f64 = 1e-14;

/// How far statistics of variables, or of pairs of them, changed.
pub struct Changes<'a> {
    names: &'a [String],
    excludes: bool,
    /// The two variables, the same where there is one, and the change.
    stated: Vec<(usize, usize, f64)>,
    left_out: Vec<String>,
}

impl Changes<'_> {
    /// Takes in |x - z| / |x| of a statistic of variables j and k. `scale` says how large x would be
    /// if it were not near 0.
    pub fn relative(
        &mut self,
        statistic: &str,
        (j, k): (usize, usize),
        (x, z): (f64, f64),
        scale: f64,
    ) -> Result<(), MethodError> {
        if x.abs() <= ROUNDING * scale {
            return self.undefined(format!(
                "the {} is 0 in the original",
                self.named(statistic, j, k)
            ));
        }
        self.add((j, k), (x - z).abs() / x.abs())
    }

    /// Takes in a change of variables j and k.
    pub fn add(&mut self, (j, k): (usize, usize), change: f64) -> Result<(), MethodError> {
        if !change.is_finite() {
            return Err(too_large(&self.names[j]));
        }
        self.stated.push((j, k, change));
        Ok(())
    }

    /// Leaves a statistic out, or refuses to.
    pub fn undefined(&mut self, why: String) -> Result<(), MethodError> {
        if !self.excludes {
            return Err(MethodError::Data {
                variable: None,
                row: None,
                message: format!("{why}, so that its change cannot be stated"),
                hint: "set zero = \"exclude\" to leave it out, or leave the variable out of this measure".to_owned(),
            });
        }
        self.left_out.push(why);
        Ok(())
    }

    /// A statistic and its variables in words.
    pub fn named(&self, statistic: &str, j: usize, k: usize) -> String {
        let names = self.names;
        if j == k {
            format!("{statistic} of `{}`", names[j])
        } else {
            format!("{statistic} of `{}` and `{}`", names[k], names[j])
        }
    }

    /// The mean change, overall and of the statistics in which each variable takes part.
    pub fn finish(self, context: &RunContext<'_>) -> Measurement {
        if !self.left_out.is_empty() {
            context.note(KnownNote::StatisticsLeftOut {
                statistics: self.left_out,
            });
        }
        let mut of_variable = vec![Vec::new(); self.names.len()];
        for &(j, k, change) in &self.stated {
            of_variable[j].push(change);
            if k != j {
                of_variable[k].push(change);
            }
        }
        let by_variable = self.names.iter().zip(&of_variable);
        let by_variable = by_variable.map(|(name, changes)| Part {
            name: name.clone(),
            value: mean_of(changes),
        });
        let all: Vec<f64> = self.stated.iter().map(|(_, _, change)| *change).collect();
        Measurement {
            value: mean_of(&all),
            by_variable: by_variable.collect(),
            ..Measurement::default()
        }
    }
}

/// The mean, found so that it cannot leave the numbers of the machine if its terms do not.
fn mean_of(terms: &[f64]) -> Option<f64> {
    let n = terms.len() as f64;
    (!terms.is_empty()).then(|| compensated(terms.iter().map(|term| term / n)))
}

/// The mean of several losses, which become its parts, and the same by variable; no value where
/// one of them has none.
pub fn mean_of_losses(names: &[String], losses: &[(&str, &Measurement)]) -> Measurement {
    let mean = |figure: &dyn Fn(&Measurement) -> Option<f64>| {
        let figures: Option<Vec<f64>> = losses.iter().map(|(_, loss)| figure(loss)).collect();
        figures.and_then(|figures| mean_of(&figures))
    };
    let by_variable = names.iter().enumerate().map(|(j, name)| Part {
        name: name.clone(),
        value: mean(&|loss| loss.by_variable.get(j).and_then(|part| part.value)),
    });
    let mut found = Measurement {
        value: mean(&|loss| loss.value),
        by_variable: by_variable.collect(),
        ..Measurement::default()
    };
    for (name, loss) in losses {
        found.push_part(*name, loss.value);
    }
    found
}
