#![doc = include_str!("noise_multiplicative.md")]

use std::ops::Range;

use bauta_data::{Attribute, Table};
use rayon::prelude::*;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::{Draws, RunContext};
use crate::error::MethodError;
use crate::kernel::numbers::moments::is_constant;
use crate::kernel::numbers::normal;
use crate::mask::continuous::{CLAMP, ROUND, fit_to_original};
use crate::mask::noise_correlated::check_finite;
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts, Together};
use crate::missing::MISSING;
use crate::models::coloured::{
    JointVariable, Spread, colour, in_blocks, joint_variables, standard_normal, zeros,
};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params, RawValue};

/// Multiplies values by random factors around 1. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct NoiseMultiplicative;

static CARD: Card = Card {
    id: "noise-multiplicative",
    title: "Multiplicative noise",
    summary: "multiplies each value by a random factor whose mean is 1",
    family: Family::Mask,
    page: include_str!("noise_multiplicative.md"),
    params: &[
        ParamSpec {
            name: "scheme",
            meaning: "where the factors come from",
            ty: ParamType::Choice(&[
                ("independent", "a truncated normal distribution around 1"),
                (
                    "logarithmic",
                    "noise on the logarithms, with their covariance",
                ),
            ]),
            default: ParamDefault::Value(ConstValue::Text("independent")),
        },
        ParamSpec {
            name: "share",
            meaning: "standard deviation of the factors, if they are independent",
            ty: ParamType::Fraction { min: 0.0, max: 0.4 },
            default: ParamDefault::Unset("the scheme must be logarithmic"),
        },
        ParamSpec {
            name: "level",
            meaning: "covariance of the noise on logarithms, as a multiple of theirs",
            ty: ParamType::Number {
                min: 0.0,
                max: f64::INFINITY,
            },
            default: ParamDefault::Unset("the scheme must be independent"),
        },
        ROUND,
        CLAMP,
        MISSING,
    ],
    targets: Targets::MASKED_NUMBERS,
    randomness: Randomness::Seeded,
    references: &["kimwinkler2003"],
};

/// How large the factors' noise is, by scheme.
enum Size {
    /// σ: the factors' standard deviation.
    Independent(f64),
    /// c: covariance of the noise on logarithms in that of the logarithms.
    Logarithmic(f64),
}

impl Size {
    fn of(params: &Params) -> Result<Self, ParamProblem> {
        let (wanted, other, scheme) = match params.choice("scheme") {
            "independent" => ("share", "level", "independent"),
            _ => ("level", "share", "logarithmic"),
        };
        if params.is_set(other) {
            return Err(ParamProblem::of(
                other,
                format!("`{other}` means nothing in the scheme `{scheme}`"),
                format!("give `{wanted}` instead, or choose the other scheme"),
            ));
        }
        match params.number_if_set(wanted) {
            None => Err(ParamProblem::together(
                format!("the scheme `{scheme}` needs the parameter `{wanted}`"),
                format!("add `{wanted} = …`"),
            )),
            Some(sigma) if wanted == "share" => Ok(Self::Independent(sigma)),
            Some(c) => Ok(Self::Logarithmic(c)),
        }
    }
}

impl MaskMethod for NoiseMultiplicative {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        Size::of(params).err().into_iter().collect()
    }

    fn facts(&self, params: &Params) -> StepFacts {
        StepFacts {
            /* together */
            together: {
                match Size::of(params) {
                    Ok(Size::Logarithmic(_)) => Together::Jointly,
                    _ => Together::Apart,
                }
            },
            ..StepFacts::default()
        }
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let size = Size::of(task.params)
            .map_err(|problem| MethodError::request(problem.message, problem.hint))?;
        let variables = joint_variables(task, context)?;
        context.progress(0, 2)?;
        let factors = match size {
            Size::Independent(sigma) => independent(&variables, sigma, task.table, context)?,
            Size::Logarithmic(c) => logarithmic(&variables, c, task.table, context)?,
        };
        context.progress(1, 2)?;
        let mut columns = Vec::with_capacity(variables.len());
        for (variable, factors) in variables.iter().zip(factors) {
            let (x, name) = (variable.x, variable.name());
            note_zeros(x, name, context);
            let z: Vec<f64> = x
                .par_iter()
                .zip(factors)
                .with_min_len(4096)
                // A zero stays the zero it is, also where it has no logarithm.
                .map(|(&x, factor)| if x == 0.0 { x } else { x * factor })
                .collect();
            check_finite(name, &z, "share or level")?;
            let z = fit_to_original(x, z, name, task.params, context);
            columns.push((variable.attr_idx, variable.column.with_numbers(z)));
        }
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("share", RawValue::Number(0.1))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("share", RawValue::Number(0.0))])
    }
}

fn note_zeros(x: &[f64], variable: &str, context: &RunContext<'_>) {
    let n_cells = x.par_iter().filter(|&&x| x == 0.0).count();
    if n_cells > 0 {
        context.note(KnownNote::ZerosKept {
            variable: variable.to_owned(),
            n_cells,
        });
    }
}

/// Standard deviations of the normal distribution at which the factors' noise is cut off.
const TRUNCATION: f64 = 2.0;
/// Φ(-2): what is cut off on each side.
const BELOW_TRUNCATION: f64 = 0.022_750_131_948_179_2;
/// Variance of a standard normal variable cut off at ±2: 1 - 4 φ(2) / (2 Φ(2) - 1).
const TRUNCATED_VARIANCE: f64 = 0.773_741_303_549_923_2;

/// Factors 1 + σ t/√v, t standard normal within ±2, v its variance.
fn independent(
    variables: &[JointVariable<'_>],
    sigma: f64,
    table: &Table,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<f64>>, MethodError> {
    let draws = draws_of(variables, context);
    let unit = sigma / TRUNCATED_VARIANCE.sqrt();
    let mut columns = zeros(table.n_records(), variables.len());
    in_blocks(&mut columns, context, |records, block| {
        for (draws, factors) in draws.iter().zip(block) {
            truncated_normal(draws, table, records.clone(), factors);
            for factor in factors.iter_mut() {
                *factor = 1.0 + unit * *factor;
            }
        }
        Ok(())
    })?;
    Ok(columns)
}

/// Standard normal deviates within ±2, by inversion.
fn truncated_normal(draws: &Draws, table: &Table, records: Range<usize>, t: &mut [f64]) {
    draws.unit_intervals(table, records, t);
    for u in t.iter_mut() {
        *u = BELOW_TRUNCATION + (1.0 - 2.0 * BELOW_TRUNCATION) * *u;
    }
    normal::quantiles(t);
    for t in t.iter_mut() {
        // Rounding may take the quantile a last digit too far.
        *t = t.clamp(-TRUNCATION, TRUNCATION);
    }
}

fn draws_of(variables: &[JointVariable<'_>], context: &RunContext<'_>) -> Vec<Draws> {
    let names = variables.iter().map(JointVariable::name);
    names.map(|name| context.draws(name)).collect()
}

/// Factors exp(√c y - c s / 2), where the y of all variables together have the covariance of their
/// logarithms and s is the variance of this one.
fn logarithmic(
    variables: &[JointVariable<'_>],
    c: f64,
    table: &Table,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<f64>>, MethodError> {
    let names: Vec<&str> = variables.iter().map(JointVariable::name).collect();
    let mut columns: Vec<Vec<f64>> = variables.iter().map(|it| logarithms(it.x)).collect();
    for (name, logarithms) in names.iter().zip(&columns) {
        if is_constant(logarithms) {
            return Err(MethodError::data(
                name,
                "apart from zeros, all its values have the same size, so that their logarithms do \
                 not vary",
                "use the scheme `independent` for it",
            ));
        }
    }
    let spread = {
        let logarithms: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        Spread::of(&names, &logarithms, context)?
    };
    let draws = draws_of(variables, context);
    let (root, c_root) = (&spread.root, c.sqrt());
    // The logarithms have done their work; the columns take the factors.
    in_blocks(&mut columns, context, |records, block| {
        for (j, w) in block.iter_mut().enumerate() {
            if root.dependent.contains(&j) {
                w.fill(0.0);
            } else {
                standard_normal(&draws[j], table, records.clone(), w);
            }
        }
        colour(root, block);
        for (j, y) in block.iter_mut().enumerate() {
            let half = 0.5 * c * spread.covariance.at(j, j);
            for y in y.iter_mut() {
                *y = libm::exp(c_root * *y - half);
            }
        }
        Ok(())
    })?;
    Ok(columns)
}

/// ln |x|; NaN where x is 0 or missing.
fn logarithms(x: &[f64]) -> Vec<f64> {
    let logarithm = |&x: &f64| {
        if x == 0.0 {
            f64::NAN
        } else {
            libm::log(x.abs())
        }
    };
    x.par_iter().with_min_len(4096).map(logarithm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_are_those_of_the_truncated_normal() {
        // φ(2) = e⁻²/√(2π) = 0.05399096651318806; 1 - 4 · 0.05399… / 0.95449… = 0.77374….
        let phi = (-2.0_f64).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let within = 1.0 - 2.0 * BELOW_TRUNCATION;
        assert!((normal::quantile(BELOW_TRUNCATION) + TRUNCATION).abs() < 1e-14);
        assert!((TRUNCATED_VARIANCE - (1.0 - 4.0 * phi / within)).abs() < 1e-14);
        // At the largest share the smallest factor is 1 - 0.4 · 2/√0.7737 = 0.0905: signs stay.
        assert!(1.0 - 0.4 * TRUNCATION / TRUNCATED_VARIANCE.sqrt() > 0.09);
    }

    #[test]
    fn each_scheme_has_its_own_parameter() {
        let problem = |given: &[(&str, RawValue)]| {
            let given: Vec<(String, RawValue)> = given
                .iter()
                .map(|(name, raw)| ((*name).to_owned(), raw.clone()))
                .collect();
            let params = Params::check(&CARD, &given).unwrap();
            NoiseMultiplicative.check(&params, &[]).len()
        };
        let (share, level) = (
            ("share", RawValue::Number(0.1)),
            ("level", RawValue::Number(0.1)),
        );
        let logarithmic = ("scheme", RawValue::Text("logarithmic".to_owned()));
        assert_eq!(problem(std::slice::from_ref(&share)), 0);
        assert_eq!(problem(&[logarithmic.clone(), level.clone()]), 0);
        assert_eq!(problem(&[]), 1);
        assert_eq!(problem(std::slice::from_ref(&level)), 1);
        assert_eq!(problem(&[logarithmic, share]), 1);
    }
}
