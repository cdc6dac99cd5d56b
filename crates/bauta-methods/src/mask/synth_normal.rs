#![doc = include_str!("synth_normal.md")]

use bauta_data::Table;
use rayon::prelude::*;

use crate::card::{Card, ParamSpec, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::{Root, column_root, covariance};
use crate::kernel::numbers::normal;
use crate::kernel::numbers::streamed::Streamed;
use crate::kernel::numbers::sums::sum;
use crate::mask::continuous::{CLAMP, Fit, OF_NUMBERS, ROUND};
use crate::mask::jointly::{
    JointVariable, draws_of, fitted, joint_variables, spread_of, with_values,
};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::{MISSING, Missing};
use crate::models::coloured::{Spread, colour, in_blocks, standard_normal, zeros};
use crate::pair::Rows;
use crate::params::{ParamProblem, Params, RawValue, choices};

/// Draws a new file from a normal model of the old one. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SynthNormal;

choices! {
    /// How single variables are distributed.
    enum Margins {
        Normal = "normal": "normally, with the mean and the covariances of the original",
        Original = "original": "as in the original: its values, in an order drawn from a Gaussian copula",
    }
}

const MARGINS: ParamSpec =
    ParamSpec::choice::<Margins>("margins", "how single variables are distributed")
        .or_word("normal");
const EXACT: ParamSpec = ParamSpec::flag(
    "exact",
    "give the drawn file the very means and covariances of the original",
);

static CARD: Card = Card {
    id: "synth-normal",
    title: "Synthetic normal data",
    summary: "replaces all values by draws from a normal distribution, or from one with the original margins",
    page: include_str!("synth_normal.md"),
    params: &[MARGINS, EXACT, ROUND, CLAMP, MISSING],
    randomness: Randomness::Seeded,
    references: &["sebe2002", "hundepool2012"],
    ..OF_NUMBERS
};

/// What is drawn, and what becomes of missing values.
pub struct Settings {
    model: Model,
    missing: Missing,
}

/// What is drawn.
enum Model {
    /// Normal variables.
    Normal {
        /// With the very means and covariances of the original.
        exact: bool,
        fit: Fit,
    },
    /// The original's values in another order, which need no fit.
    Copula,
}

impl Model {
    fn asked(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        match params.choice_of(MARGINS.name) {
            Margins::Normal => Ok(Self::Normal {
                exact: params.flag(EXACT.name),
                fit: Fit::asked(params),
            }),
            Margins::Original => {
                let idle = [EXACT, ROUND, CLAMP].map(|spec| spec.name).into_iter();
                let idle = idle.filter(|name| params.flag(name)).map(does_nothing);
                let idle: Vec<ParamProblem> = idle.collect();
                idle.is_empty().then_some(Self::Copula).ok_or(idle)
            }
        }
    }
}

fn does_nothing(name: &str) -> ParamProblem {
    ParamProblem::of(
        name,
        format!("`{name}` does nothing where the margins are the original's"),
        format!("leave `{name}` out, or set margins = \"normal\""),
    )
}

impl MaskMethod for SynthNormal {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            model: Model::asked(params)?,
            missing: Missing::asked(params),
        })
    }

    fn facts(&self, _: &Settings) -> StepFacts {
        StepFacts {
            rows: Rows::Unrelated,
            ..StepFacts::JOINTLY
        }
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let variables = joint_variables(task, settings.missing, context)?;
        context.progress(0, 2)?;
        let drawn = match settings.model {
            Model::Normal { exact, fit } => {
                normal_margins(&variables, task.table, exact, fit, context)?
            }
            Model::Copula => with_original_margins(&variables, task.table, context)?,
        };
        Ok(Change {
            rows: Rows::Unrelated,
            ..with_values(&variables, drawn)
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        Vec::new()
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        None
    }
}

/// z = x̄ + R w.
fn normal_margins(
    variables: &[JointVariable<'_>],
    table: &Table,
    exact: bool,
    fit: Fit,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<f64>>, MethodError> {
    let spread = spread_of(variables, context)?;
    let mut columns = white(variables, &spread.root, table, context)?;
    context.progress(1, 2)?;
    if exact {
        refuse_missing(variables)?;
        whiten(&mut columns, &spread.root, context)?;
    }
    in_blocks(&mut columns, context, |_, block| {
        colour(&spread.root, block);
        for (y, mean) in block.iter_mut().zip(&spread.means) {
            for y in y.iter_mut() {
                *y += mean;
            }
        }
        Ok(())
    })?;
    Ok(fitted(variables, columns, fit, context))
}

fn refuse_missing(variables: &[JointVariable<'_>]) -> Result<(), MethodError> {
    let incomplete = variables.iter().find(|it| it.column.n_missing() > 0);
    match incomplete {
        None => Ok(()),
        Some(variable) => Err(MethodError::data(
            variable.name(),
            "missing values take part of the drawn ones away, so that means and covariances cannot \
             be the original's",
            "leave `exact` out, or impute the missing values first",
        )),
    }
}

/// Standard normal deviates for each variable that does not depend on others, 0 for those that do.
fn white(
    variables: &[JointVariable<'_>],
    root: &Root,
    table: &Table,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<f64>>, MethodError> {
    let draws = draws_of(variables, context);
    let mut columns = zeros(table.n_records(), variables.len());
    in_blocks(&mut columns, context, |records, block| {
        for (j, w) in block.iter_mut().enumerate() {
            if !root.dependent.contains(&j) {
                standard_normal(&draws[j], table, records.clone(), w);
            }
        }
        Ok(())
    })?;
    Ok(columns)
}

/// Makes the sample mean of w 0 and its sample covariance the identity: L v = w - w̄, where
/// L Lᵀ is the sample covariance.
fn whiten(
    columns: &mut [Vec<f64>],
    root: &Root,
    context: &RunContext<'_>,
) -> Result<(), MethodError> {
    let w: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let means: Vec<f64> = w.iter().map(|w| sum(w) / w.len() as f64).collect();
    let sample = column_root(&covariance(&w, &means));
    if sample.dependent != root.dependent {
        return Err(MethodError::request(
            "the file has too few records for draws with given covariances",
            "leave `exact` out, or name fewer variables",
        ));
    }
    in_blocks(columns, context, |_, block| {
        for j in 0..block.len() {
            if sample.dependent.contains(&j) {
                continue;
            }
            let row = sample.row(j);
            let (before, from) = block.split_at_mut(j);
            for value in from[0].iter_mut() {
                *value -= means[j];
            }
            for (l, v) in row[..j].iter().zip(before.iter()) {
                for (value, v) in from[0].iter_mut().zip(v.iter()) {
                    *value -= l * v;
                }
            }
            for value in from[0].iter_mut() {
                *value /= row[j];
            }
        }
        Ok(())
    })
}

/// The original values of each variable, in the order of draws with the correlations of its
/// normal scores.
pub(crate) fn with_original_margins(
    variables: &[JointVariable<'_>],
    table: &Table,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<f64>>, MethodError> {
    let names: Vec<&str> = variables.iter().map(JointVariable::name).collect();
    let sorted: Vec<Vec<(f64, u32)>> = variables
        .iter()
        .map(|variable| sorted(variable.x.whole()))
        .collect();
    let scores: Vec<Vec<f64>> = sorted
        .par_iter()
        .map(|sorted| normal_scores(sorted, table.n_records()))
        .collect();
    context.go_on()?;
    let scores: Vec<&[f64]> = scores.iter().map(Vec::as_slice).collect();
    let scores: Vec<&dyn Streamed> = scores.iter().map(|it| it as &dyn Streamed).collect();
    let root = Spread::of(&names, &scores, context)?.root;
    let mut columns = white(variables, &root, table, context)?;
    context.progress(1, 2)?;
    in_blocks(&mut columns, context, |_, block| {
        colour(&root, block);
        Ok(())
    })?;
    let all = columns.iter_mut().zip(&sorted).zip(variables);
    for ((y, values), variable) in all {
        context.go_on()?;
        // Only the cells that have a value take part, so that all its values are used.
        for (y, x) in y.iter_mut().zip(variable.x.whole()) {
            if x.is_nan() {
                *y = f64::NAN;
            }
        }
        let order = self::sorted(y);
        for (&(_, record), &(value, _)) in order.iter().zip(values) {
            y[record as usize] = value;
        }
    }
    Ok(columns)
}

/// The present values in rising order, with their records; ties by record.
fn sorted(x: &[f64]) -> Vec<(f64, u32)> {
    let mut sorted: Vec<(f64, u32)> = x
        .par_iter()
        .with_min_len(4096)
        .enumerate()
        .filter(|(_, x)| !x.is_nan())
        // Adding 0 makes -0 and 0 the same.
        .map(|(record, &x)| (x + 0.0, record as u32))
        .collect();
    sorted.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    sorted
}

/// Φ⁻¹(r / (n + 1)) for each record, r its rank among n values; ties share the mean of their ranks.
fn normal_scores(sorted: &[(f64, u32)], n_records: usize) -> Vec<f64> {
    let mut scores = vec![f64::NAN; n_records];
    let n = sorted.len();
    let mut below = 0;
    for tied in sorted.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        // Ranks below + 1 … below + len, whose mean is below + (len + 1) / 2.
        let rank = below as f64 + (tied.len() + 1) as f64 / 2.0;
        let score = normal::quantile(rank / (n + 1) as f64);
        for &(_, record) in tied {
            scores[record as usize] = score;
        }
        below += tied.len();
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_four_values_with_a_tie() {
        // 7, 3, missing, 3, 9: ranks 3, 1.5, -, 1.5, 4 of n = 4, so p = 0.6, 0.3, -, 0.3, 0.8.
        let x = [7.0, 3.0, f64::NAN, 3.0, 9.0];
        let scores = normal_scores(&sorted(&x), 5);
        for (record, p) in [(0, 0.6), (1, 0.3), (3, 0.3), (4, 0.8)] {
            assert_eq!(scores[record].to_bits(), normal::quantile(p).to_bits());
        }
        assert!(scores[2].is_nan());
    }
}
