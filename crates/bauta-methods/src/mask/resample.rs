#![doc = include_str!("resample.md")]

use bauta_data::{Column, Table};
use rayon::prelude::*;

use crate::card::{Card, ParamSpec, ParamType, Randomness, Scaling};
use crate::context::{RunContext, below};
use crate::error::MethodError;
use crate::kernel::numbers::ranks::rows_by_value;
use crate::mask::continuous::{Fit, OF_NUMBERS, ROUND, varying_numbers};
use crate::mask::strata::{strata, strata_param};
use crate::mask::{Change, MaskMethod, MaskTask};
use crate::missing::{MISSING, Missing};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue};

/// Replaces each value by the mean of bootstrap values of its rank. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Resample;

const SAMPLES: ParamSpec = ParamSpec::new(
    "samples",
    "number of samples with replacement that are averaged",
    ParamType::Integer {
        min: 1,
        max: 10_000,
    },
);
const STRATA: ParamSpec =
    strata_param("draw only from records with equal values of these variables");

static CARD: Card = Card {
    id: "resample",
    title: "Resampling",
    summary: "replaces each value by the mean, over several samples with replacement, of the value at its rank",
    page: include_str!("resample.md"),
    params: &[SAMPLES, STRATA, ROUND, MISSING],
    randomness: Randomness::Seeded,
    scaling: Scaling::Rank,
    references: &["heer1993", "mateo2004"],
    ..OF_NUMBERS
};

/// How many samples, from whom, and what becomes of the values then.
pub struct Settings {
    /// m: at least 1.
    samples: usize,
    strata: Vec<String>,
    fit: Fit,
    missing: Missing,
}

impl MaskMethod for Resample {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            samples: params.count(SAMPLES.name),
            strata: params.texts(STRATA.name).to_vec(),
            fit: Fit::asked(params),
            missing: Missing::asked(params),
        })
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let strata = strata(task.table, &settings.strata)?;
        let columns: Vec<Result<(usize, Column), MethodError>> = task
            .on
            .par_iter()
            .map(|&attr_idx| {
                context.go_on()?;
                let column = task.table.column(attr_idx);
                let masked = resample(task.table, column, &strata, settings, context)?;
                Ok((attr_idx, masked))
            })
            .collect();
        // Of several variables that cannot be masked the first is told, whichever thread came to its end first.
        let columns = columns.into_iter().collect::<Result<_, _>>()?;
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("samples", RawValue::Integer(3))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        None
    }
}

fn resample(
    table: &Table,
    column: &Column,
    strata: &[Vec<u32>],
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let variable = column.name();
    let Some(x) = varying_numbers(column, settings.missing, context)? else {
        return Ok(column.clone());
    };
    let mut ranks: Vec<Ranks> = strata.iter().map(|records| Ranks::of(x, records)).collect();
    let n_alone = ranks
        .iter()
        .filter(|stratum| stratum.records.len() == 1)
        .count();
    if n_alone > 0 {
        context.note(alone_in_stratum(variable, n_alone));
    }
    let m = settings.samples;
    for sample in 1..=m {
        context.go_on()?;
        let draws: Vec<u64> = context
            .draws(&format!("{variable} sample {sample}"))
            .per_record(table, |_, [draw]| draw);
        for (stratum, records) in ranks.iter_mut().zip(strata) {
            let present = records.iter().map(|&record| record as usize);
            let present = present.filter(|&record| !x[record].is_nan());
            stratum.add_sample(present.map(|record| draws[record]));
        }
    }
    let mut z = x.to_vec();
    for stratum in &ranks {
        stratum.put_back(m as f64, &mut z);
    }
    if z.iter().any(|value| value.is_infinite()) {
        return Err(MethodError::data(
            variable,
            "the sum of the samples leaves the numbers of the machine",
            "state the variable in a larger unit",
        ));
    }
    Ok(column.with_numbers(settings.fit.to_original(x, z, variable, context)))
}

/// Records that no other value could be drawn for.
fn alone_in_stratum(variable: &str, n_records: usize) -> Note {
    let text = format!(
        "{variable}: {n_records} records are the only ones of their stratum with a value, and kept it"
    );
    Note::new("records-alone", text)
        .with("variable", variable)
        .with("n_records", n_records)
}

/// The records of a stratum in the order of their values, and the sums over samples by rank.
struct Ranks {
    /// Records from the lowest value to the highest, ties by row.
    records: Vec<u32>,
    /// Their values: x₍1₎ ≤ x₍2₎ ≤ …
    sorted: Vec<f64>,
    sums: Vec<f64>,
    /// Lowest and highest of the original ranks that were drawn for a rank.
    drawn: Vec<(u32, u32)>,
    /// How often each rank is in the sample in work.
    counts: Vec<u32>,
}

impl Ranks {
    fn of(x: &[f64], records: &[u32]) -> Self {
        let values: Vec<f64> = records.iter().map(|&record| x[record as usize]).collect();
        let order = rows_by_value(&values);
        let n = order.len();
        Self {
            records: order.iter().map(|&row| records[row as usize]).collect(),
            sorted: order.iter().map(|&row| values[row as usize]).collect(),
            sums: vec![0.0; n],
            drawn: vec![(u32::MAX, 0); n],
            counts: vec![0; n],
        }
    }

    /// Draws n values with replacement and adds the i-th lowest to the sum of rank i. Counting how
    /// often each rank was drawn puts the sample in order without sorting it.
    fn add_sample(&mut self, draws: impl Iterator<Item = u64>) {
        let n = self.records.len();
        for draw in draws {
            self.counts[below(n, draw)] += 1;
        }
        let mut rank = 0;
        for (drawn, (count, value)) in (0..).zip(self.counts.iter_mut().zip(&self.sorted)) {
            for _ in 0..std::mem::take(count) {
                self.sums[rank] += value;
                let (lowest, highest) = &mut self.drawn[rank];
                *lowest = (*lowest).min(drawn);
                *highest = (*highest).max(drawn);
                rank += 1;
            }
        }
    }

    fn put_back(&self, m: f64, z: &mut [f64]) {
        let sums = self.sums.iter().zip(&self.drawn);
        for (&record, (&sum, &(lowest, highest))) in self.records.iter().zip(sums) {
            // Rounding may take a mean of equal values out of their range: (0.1 + 0.1 + 0.1) / 3
            // is not 0.1. An overflow is left for the caller to see.
            z[record as usize] = if sum.is_finite() {
                (sum / m).clamp(self.sorted[lowest as usize], self.sorted[highest as usize])
            } else {
                sum
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_put_in_order_and_back_in_place() {
        // Values 30, 10, 20 are records 2, 0, 1 of the order. The draws are ranks 3, 1, 1, which
        // makes the sample 10, 10, 30.
        let x = [30.0, 10.0, 20.0];
        let third = u64::MAX / 3;
        let mut ranks = Ranks::of(&x, &[0, 1, 2]);
        assert_eq!(ranks.records, [1, 2, 0]);
        ranks.add_sample([2 * third + 9, 0, 1].into_iter());
        let mut z = x;
        ranks.put_back(1.0, &mut z);
        assert_eq!(z.map(f64::to_bits), [30.0, 10.0, 10.0].map(f64::to_bits));
        // A second sample of ranks 2, 2, 2: means (10+20)/2, (10+20)/2, (30+20)/2.
        ranks.add_sample([third + 9; 3].into_iter());
        ranks.put_back(2.0, &mut z);
        assert_eq!(z.map(f64::to_bits), [25.0, 15.0, 15.0].map(f64::to_bits));
    }

    #[test]
    fn the_mean_of_equal_values_is_that_value() {
        let x = [0.1, 0.1, 0.7];
        let mut ranks = Ranks::of(&x, &[0, 1, 2]);
        for _ in 0..3 {
            ranks.add_sample([0, 0, 0].into_iter());
        }
        let mut z = x;
        ranks.put_back(3.0, &mut z);
        assert_eq!(z.map(f64::to_bits), [0.1; 3].map(f64::to_bits));
    }
}
