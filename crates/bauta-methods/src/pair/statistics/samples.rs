//! The variables of both files, their means, variances and covariances, and the noise that is taken
//! out of them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use bauta_data::Table;

use crate::by_record::ColumnNumbers;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{Symmetric, covariance_along};
use crate::kernel::numbers::complete::taken;
use crate::kernel::numbers::moments::{is_constant_along, too_large};
use crate::kernel::numbers::streamed::{STRETCH, Streamed, n_present};
use crate::kernel::numbers::sums::sum_along;
use crate::measure::MeasureTask;
use crate::missing::Missing;
use crate::note::Note;
use crate::pair::records::{complete_records, incomplete_skipped, numbers};
use crate::pair::statistics::changes::Changes;
use crate::pair::statistics::{Correction, Settings};

impl Correction {
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

/// The values of a variable in the records that lack none.
enum Values<'a> {
    /// All records.
    Column(ColumnNumbers<'a>),
    /// Those that are complete.
    Complete(Vec<f64>),
}

impl Streamed for Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Column(column) => column.len(),
            Self::Complete(values) => values.len(),
        }
    }

    fn stretch(&self) -> usize {
        match self {
            Self::Column(column) => column.stretch(),
            Self::Complete(_) => STRETCH,
        }
    }

    fn at(&self, records: Range<usize>) -> Cow<'_, [f64]> {
        match self {
            Self::Column(column) => column.some(records),
            Self::Complete(values) => Cow::Borrowed(&values[records]),
        }
    }
}

/// The variables of one file, its incomplete records left out.
struct Sample<'a> {
    n_records: usize,
    columns: Vec<Values<'a>>,
    means: Vec<f64>,
}

impl<'a> Sample<'a> {
    /// The sample and how many records it leaves out.
    fn of(
        table: &'a Table,
        file: &str,
        on: &[String],
        missing: Missing,
        context: &RunContext<'_>,
    ) -> Result<(Self, usize), MethodError> {
        let mut columns = Vec::with_capacity(on.len());
        for name in on {
            let column = numbers(table.column_named(name), name, file)?;
            columns.push(column);
        }
        let mut n_records = table.n_records();
        let mut n_left_out = 0;
        let columns: Vec<Values<'a>> = match complete_records(table, on) {
            None => columns.into_iter().map(Values::Column).collect(),
            Some(_) if missing == Missing::Refuse => return Err(first_missing(on, &columns)),
            Some(complete) => {
                n_left_out = n_records - complete.len();
                n_records = complete.len();
                let columns = columns.into_iter();
                let taken =
                    columns.map(|column| Values::Complete(taken(column.whole(), &complete)));
                taken.collect()
            }
        };
        let mut means = Vec::with_capacity(columns.len());
        for (done, column) in columns.iter().enumerate() {
            context.progress(done, columns.len())?;
            let mean = mean(column);
            if !mean.is_finite() {
                return Err(too_large(&on[done]));
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
        let columns = self.columns.iter();
        let columns: Vec<&dyn Streamed> = columns.map(|column| column as &dyn Streamed).collect();
        let found = covariance_along(&columns, &self.means);
        match (0..names.len()).find(|&j| !found.at(j, j).is_finite()) {
            Some(j) => Err(too_large(&names[j])),
            None => Ok(found),
        }
    }

    fn variances(&self, names: &[String]) -> Result<Vec<f64>, MethodError> {
        let columns = self.columns.iter().zip(&self.means).zip(names);
        columns
            .map(|((column, &mean), name)| {
                let variance = covariance_along(&[column], &[mean]).at(0, 0);
                if variance.is_finite() {
                    Ok(variance)
                } else {
                    Err(too_large(name))
                }
            })
            .collect()
    }
}

fn first_missing(names: &[String], columns: &[ColumnNumbers<'_>]) -> MethodError {
    let n_missing = columns
        .iter()
        .map(|column| column.len() - n_present(column));
    match names.iter().zip(n_missing).find(|(_, n)| *n > 0) {
        Some((name, n)) => MethodError::missing_refused(name, n),
        None => MethodError::Internal("a record lacks a value that no variable lacks".to_owned()),
    }
}

/// The mean; of equal values exactly that value, so that their variance is exactly 0.
fn mean(values: &dyn Streamed) -> f64 {
    let n = values.len();
    match values.at(0..n.min(1)).first() {
        None => 0.0,
        Some(&first) if is_constant_along(values) => first,
        Some(_) => sum_along(values, |value| value) / n as f64,
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
    settings: Settings,
    covariances: OnceCell<Both<Symmetric>>,
}

impl<'a> Samples<'a> {
    /// The task's variables, checked: numeric, and missing only where allowed. Where a correction is
    /// asked for, the whole masked file as well.
    pub fn of(
        settings: &Settings,
        task: &MeasureTask<'a>,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        let pair = task.both()?;
        let sample = |table: &'a Table, file: &str| {
            Sample::of(table, file, task.on, settings.missing, context)
        };
        let (original, n_original) = sample(pair.original, "original")?;
        let (masked, n_masked) = sample(pair.masked, "masked")?;
        if n_original + n_masked > 0 {
            context.note(incomplete_skipped(n_original, n_masked));
        }
        let whole = match (task.whole, settings.correction) {
            (Some(whole), Correction::Noise(_) | Correction::ScaledNoise(_)) => {
                Some(sample(whole.masked, "masked")?.0)
            }
            (None, _) | (Some(_), Correction::None) => None,
        };
        Ok(Self {
            names: task.on,
            original,
            masked,
            whole,
            settings: *settings,
            covariances: OnceCell::new(),
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
                .map(|(&part, &whole)| self.settings.correction.mean(part, whole))
                .collect(),
        }
    }

    /// Mean absolute values of the original: the scale on which its means are 0 or not.
    pub fn mean_sizes(&self) -> Vec<f64> {
        let size = |column: &Values<'_>| {
            let n = column.len();
            sum_along(column, |value| value.abs() / n as f64)
        };
        self.original.columns.iter().map(size).collect()
    }

    /// Variances: the diagonal of the covariances, without the cost of the rest.
    pub fn variances(&self, context: &RunContext<'_>) -> Result<Both<Vec<f64>>, MethodError> {
        if let Some(known) = self.covariances.get() {
            return Ok(Both {
                original: diagonal(&known.original),
                masked: diagonal(&known.masked),
            });
        }
        let correction = self.settings.correction;
        let mut masked = self.masked.variances(self.names)?;
        if correction != Correction::None {
            let whole = match &self.whole {
                Some(whole) => whole.variances(self.names)?,
                None => masked.clone(),
            };
            for (variance, whole) in masked.iter_mut().zip(whole) {
                *variance = correction.covariance(*variance, whole);
            }
        }
        self.note_negative(&masked, context);
        Ok(Both {
            original: self.original.variances(self.names)?,
            masked,
        })
    }

    /// Covariances, found when they are first asked for.
    pub fn covariances(&self, context: &RunContext<'_>) -> Result<&Both<Symmetric>, MethodError> {
        if let Some(known) = self.covariances.get() {
            return Ok(known);
        }
        let correction = self.settings.correction;
        let mut masked = self.masked.covariances(self.names)?;
        if correction != Correction::None {
            let whole = match &self.whole {
                Some(whole) => whole.covariances(self.names)?,
                None => masked.clone(),
            };
            let corrected = |j, k| correction.covariance(masked.at(j, k), whole.at(j, k));
            masked = Symmetric::from_lower(masked.order(), corrected);
        }
        self.note_negative(&diagonal(&masked), context);
        let original = self.original.covariances(self.names)?;
        Ok(self.covariances.get_or_init(|| Both { original, masked }))
    }

    /// The estimate of a subpopulation's variance can be negative; it is used as it is and said.
    fn note_negative(&self, variances: &[f64], context: &RunContext<'_>) {
        let negative = variances.iter().zip(self.names);
        let variables: Vec<String> = negative
            .filter(|(variance, _)| **variance < 0.0)
            .map(|(_, name)| name.clone())
            .collect();
        if !variables.is_empty() {
            context.note(negative_variances(variables));
        }
    }

    /// An empty gathering of changes of these files' statistics.
    pub fn changes(&self) -> Changes<'a> {
        Changes::new(self.names, self.settings.zero)
    }
}

fn diagonal(matrix: &Symmetric) -> Vec<f64> {
    (0..matrix.order()).map(|j| matrix.at(j, j)).collect()
}

/// Less variance was found than the noise alone has, so that taking it away left less than 0.
fn negative_variances(variables: Vec<String>) -> Note {
    let names = variables.join(", ");
    Note::new(
        "corrected-variance-negative",
        format!("the corrected variance is negative: {names}"),
    )
    .with("variables", variables)
}
