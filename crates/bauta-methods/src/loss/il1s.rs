#![doc = include_str!("il1s.md")]

use std::f64::consts::SQRT_2;

use bauta_data::{Kind, Role};

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::measure::{Better, Measure, MeasureTask, Measurement, Reading, Scope, Subject};
use crate::stats::corresponding::{MISSING, VariablePair, overall, variable_pairs, zero_sd};
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
        for (done, variable) in variables.iter().enumerate() {
            context.progress(done, variables.len())?;
            by_variable.push(mean_distance(variable, n)?);
        }
        let (value, parts) = overall(&by_variable);
        let per_record = (0..n).map(|i| record_distance(&variables, i)).collect();
        Ok(Measurement {
            value,
            by_variable: parts,
            per_record: Some(per_record),
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

fn mean_distance(
    variable: &VariablePair<'_>,
    n: usize,
) -> Result<(String, Option<f64>, usize), MethodError> {
    let sum = sum_by(n, |i| {
        variable
            .distance(i)
            .map_or(0.0, |distance| scaled(distance, variable.sd))
    });
    if !sum.is_finite() {
        return Err(zero_sd(variable.name));
    }
    let n_cells = (0..n).filter(|&i| variable.values(i).is_some()).count();
    Ok((
        variable.name.to_owned(),
        (n_cells > 0).then(|| sum / n_cells as f64),
        n_cells,
    ))
}

fn record_distance(variables: &[VariablePair<'_>], i: usize) -> f64 {
    let distances: Vec<f64> = variables
        .iter()
        .filter_map(|variable| {
            variable
                .distance(i)
                .map(|distance| scaled(distance, variable.sd))
        })
        .collect();
    distances.iter().sum::<f64>() / distances.len() as f64
}
