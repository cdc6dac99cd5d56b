#![doc = include_str!("il1s.md")]

use std::f64::consts::SQRT_2;

use bauta_data::{Kind, Role};

use rayon::prelude::*;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::stats::corresponding::{
    MISSING, RecordMeans, VariablePair, n_defined, overall, variable_pairs, zero_sd,
};
use crate::stats::sums::sum_by;

/// Distance between original and masked values in standard deviations. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il1s;

/// Continuous variables that are content, not design.
pub(crate) const CONTENT: Targets = Targets {
    kinds: &[Kind::Continuous],
    default_roles: &[Role::Sensitive, Role::Key, Role::Other],
    refused_roles: &[],
};

static CARD: Card = Card {
    id: "il1s",
    title: "IL1s",
    summary: "mean distance between original and masked values, in standard deviations of the original",
    family: Family::Loss,
    page: include_str!("il1s.md"),
    params: &[MISSING],
    targets: CONTENT,
    randomness: Randomness::None,
    references: &["yancey2002", "mateo2004"],
};

impl Measure for Il1s {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn subject(&self) -> Subject {
        Subject::CorrespondingPair
    }

    fn scope(&self) -> Scope {
        Scope::Variables
    }

    fn reading(&self) -> Reading {
        Reading {
            min: 0.0,
            max: f64::INFINITY,
            better: Better::Lower,
            at_identity: Some(0.0),
            value_name: "mean distance",
        }
    }

    fn measure(
        &self,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let variables = variable_pairs(task, context)?;
        let n = task.both()?.masked.n_records();
        let mut by_variable = Vec::new();
        let mut per_record = RecordMeans::new(n);
        for (done, variable) in variables.iter().enumerate() {
            context.progress(done, variables.len())?;
            let distances = scaled_distances(variable);
            by_variable.push(mean_distance(variable, &distances)?);
            per_record.add(&distances);
        }
        let (value, parts) = overall(&by_variable);
        let (per_record, cells) = per_record.finish();
        Ok(Measurement {
            value,
            by_variable: parts,
            per_record: Some(per_record),
            cells_per_record: Some(cells),
            ..Measurement::default()
        })
    }
}

/// |x - z| / (√2 S), with 0 for a cell that did not change whatever S is.
fn scaled(distance: f64, sd: f64) -> f64 {
    if distance == 0.0 {
        0.0
    } else {
        distance / (SQRT_2 * sd)
    }
}

fn scaled_distances(variable: &VariablePair<'_>) -> Vec<f64> {
    let mut distances = variable.distances();
    distances
        .par_iter_mut()
        .with_min_len(4096)
        .for_each(|distance| *distance = scaled(*distance, variable.sd));
    distances
}

fn mean_distance(
    variable: &VariablePair<'_>,
    distances: &[f64],
) -> Result<(String, Option<f64>, usize), MethodError> {
    let sum = sum_by(distances.len(), |i| {
        if distances[i].is_nan() {
            0.0
        } else {
            distances[i]
        }
    });
    if !sum.is_finite() {
        return Err(if variable.sd == 0.0 {
            zero_sd(variable.name)
        } else {
            too_far(variable.name)
        });
    }
    let n_cells = n_defined(distances);
    Ok((
        variable.name.to_owned(),
        (n_cells > 0).then(|| sum / n_cells as f64),
        n_cells,
    ))
}

fn too_far(variable: &str) -> MethodError {
    MethodError::data(
        variable,
        "original and masked values are so far apart that their distances leave the numbers of the machine",
        "check that both files state the variable in the same unit",
    )
}
