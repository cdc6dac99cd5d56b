#![doc = include_str!("noise_multiplicative.md")]

use std::ops::Range;

use bauta_data::Table;
use rayon::prelude::*;

use crate::card::{Card, ParamSpec, ParamType, Randomness};
use crate::context::{Draws, RunContext};
use crate::error::MethodError;
use crate::kernel::numbers::moments::is_constant;
use crate::kernel::numbers::normal;
use crate::kernel::numbers::streamed::Streamed;
use crate::mask::continuous::{CLAMP, Fit, OF_NUMBERS, ROUND};
use crate::mask::jointly::{JointVariable, check_finite, draws_of, joint_variables, with_values};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::{MISSING, Missing};
use crate::models::coloured::{Spread, colour, in_blocks, standard_normal, zeros};
use crate::note::Note;
use crate::params::{Choice, ParamProblem, Params, RawValue, choices};

/// Multiplies values by random factors around 1. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct NoiseMultiplicative;

choices! {
    /// Where the factors come from.
    enum Scheme {
        Independent = "independent": "a truncated normal distribution around 1",
        Logarithmic = "logarithmic": "noise on the logarithms, with their covariance",
    }
}

const SCHEME: ParamSpec =
    ParamSpec::choice::<Scheme>("scheme", "where the factors come from").or_word("independent");
const SHARE: ParamSpec = ParamSpec::new(
    "share",
    "standard deviation of the factors, if they are independent",
    ParamType::Fraction { min: 0.0, max: 0.4 },
)
.unset("the scheme must be logarithmic");
const LEVEL: ParamSpec = ParamSpec::number(
    "level",
    "covariance of the noise on logarithms, as a multiple of theirs",
    0.0,
)
.unset("the scheme must be independent");

static CARD: Card = Card {
    id: "noise-multiplicative",
    title: "Multiplicative noise",
    summary: "multiplies each value by a random factor whose mean is 1",
    page: include_str!("noise_multiplicative.md"),
    params: &[SCHEME, SHARE, LEVEL, ROUND, CLAMP, MISSING],
    randomness: Randomness::Seeded,
    references: &["kimwinkler2003"],
    ..OF_NUMBERS
};

/// How large the factors' noise is, and what becomes of the values then.
pub struct Settings {
    size: Size,
    fit: Fit,
    missing: Missing,
}

/// How large the factors' noise is, by scheme.
enum Size {
    /// σ: the factors' standard deviation.
    Independent(f64),
    /// c: covariance of the noise on logarithms in that of the logarithms.
    Logarithmic(f64),
}

impl Size {
    fn asked(params: &Params) -> Result<Self, ParamProblem> {
        let scheme: Scheme = params.choice_of(SCHEME.name);
        let (wanted, other) = match scheme {
            Scheme::Independent => (SHARE.name, LEVEL.name),
            Scheme::Logarithmic => (LEVEL.name, SHARE.name),
        };
        let name = scheme.name();
        if params.is_set(other) {
            return Err(ParamProblem::of(
                other,
                format!("`{other}` means nothing in the scheme `{name}`"),
                format!("give `{wanted}` instead, or choose the other scheme"),
            ));
        }
        let size = params.number_if_set(wanted).ok_or_else(|| {
            ParamProblem::together(
                format!("the scheme `{name}` needs the parameter `{wanted}`"),
                format!("add `{wanted} = …`"),
            )
        })?;
        Ok(match scheme {
            Scheme::Independent => Self::Independent(size),
            Scheme::Logarithmic => Self::Logarithmic(size),
        })
    }
}

impl MaskMethod for NoiseMultiplicative {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            size: Size::asked(params).map_err(|problem| vec![problem])?,
            fit: Fit::asked(params),
            missing: Missing::asked(params),
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        match settings.size {
            Size::Independent(share) => StepFacts::default().nothing_if(share == 0.0),
            Size::Logarithmic(level) => StepFacts::JOINTLY.nothing_if(level == 0.0),
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
        let factors = match settings.size {
            Size::Independent(sigma) => independent(&variables, sigma, task.table, context)?,
            Size::Logarithmic(c) => logarithmic(&variables, c, task.table, context)?,
        };
        context.progress(1, 2)?;
        let multiplied = |(variable, factors): (&JointVariable<'_>, Vec<f64>)| {
            let (x, name) = (variable.x.whole(), variable.name());
            note_zeros(x, name, context);
            let z: Vec<f64> = x
                .par_iter()
                .zip(factors)
                .with_min_len(4096)
                // A zero stays the zero it is, also where it has no logarithm.
                .map(|(&x, factor)| if x == 0.0 { x } else { x * factor })
                .collect();
            check_finite(name, &z, "share or level")?;
            Ok(settings.fit.to_original(x, z, name, context))
        };
        let z = variables.iter().zip(factors).map(multiplied);
        let z = z.collect::<Result<Vec<_>, MethodError>>()?;
        Ok(with_values(&variables, z))
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
        context.note(zeros_kept(variable, n_cells));
    }
}

/// Zeros that stayed, since the method multiplies.
fn zeros_kept(variable: &str, n_cells: usize) -> Note {
    let text = format!("{variable}: {n_cells} zeros stayed zeros");
    Note::new("zeros-kept", text)
        .with("variable", variable)
        .with("n_cells", n_cells)
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

/// Factors exp(√c y - c s / 2), where the y of all variables together have the covariance of their
/// logarithms and s is the variance of this one.
fn logarithmic(
    variables: &[JointVariable<'_>],
    c: f64,
    table: &Table,
    context: &RunContext<'_>,
) -> Result<Vec<Vec<f64>>, MethodError> {
    let names: Vec<&str> = variables.iter().map(JointVariable::name).collect();
    let mut columns: Vec<Vec<f64>> = variables
        .iter()
        .map(|it| logarithms(it.x.whole()))
        .collect();
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
        let logarithms: Vec<&dyn Streamed> =
            logarithms.iter().map(|it| it as &dyn Streamed).collect();
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
            let settings = NoiseMultiplicative.settings(&params);
            settings.err().map_or(0, |problems| problems.len())
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
