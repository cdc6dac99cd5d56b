#![doc = include_str!("noise_mixture.md")]

use std::ops::Range;

use bauta_data::Table;

use crate::card::{Card, ConstValue, ParamSpec, ParamType, Randomness, Scaling};
use crate::context::{Draws, RunContext, unit_interval};
use crate::error::MethodError;
use crate::kernel::numbers::normal;
use crate::mask::continuous::{CLAMP, OF_NUMBERS, ROUND};
use crate::mask::jointly::{JointNoise, LEVEL, joint_variables};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::MISSING;
use crate::params::{ParamProblem, Params, RawValue};

/// Adds noise from a mixture of normal distributions. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct NoiseMixture;

const VARIANCE: ParamSpec = ParamSpec::fraction(
    "variance",
    "variance of each component, where the mixture has variance 1",
)
.or_number(0.025);
const COMPONENTS: ParamSpec = ParamSpec::new(
    "components",
    "how often each component is drawn, in proportion",
    ParamType::Numbers {
        min: 0.0,
        max: f64::INFINITY,
    },
)
.or(ConstValue::Integers(&[1, 1]));
const PSI: ParamSpec = ParamSpec::new(
    "psi",
    "where the components lie to each other, all but the last",
    ParamType::Numbers {
        min: f64::NEG_INFINITY,
        max: f64::INFINITY,
    },
)
.unset("they lie at equal distances");

static CARD: Card = Card {
    id: "noise-mixture",
    title: "Mixture noise",
    summary: "adds noise with the covariance of the data that is seldom near zero",
    page: include_str!("noise_mixture.md"),
    params: &[LEVEL, VARIANCE, COMPONENTS, PSI, ROUND, CLAMP, MISSING],
    randomness: Randomness::Seeded,
    scaling: Scaling::Record,
    references: &["yancey2002", "roque2000"],
    ..OF_NUMBERS
};

/// How much noise, and from which mixture.
pub struct Settings {
    noise: JointNoise,
    mixture: Mixture,
}

impl MaskMethod for NoiseMixture {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let variance = params.number(VARIANCE.name);
        let (components, psi) = (params.numbers(COMPONENTS.name), params.numbers(PSI.name));
        Ok(Settings {
            noise: JointNoise::asked(params),
            mixture: Mixture::new(variance, components, psi).map_err(|problem| vec![problem])?,
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts::JOINTLY.nothing_if(settings.noise.level == 0.0)
    }

    fn mask(
        &self,
        Settings { noise, mixture }: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let variables = joint_variables(task, noise.missing, context)?;
        let fill = |draws: &_, table: &_, records, w: &mut [f64]| {
            mixture.fill(draws, table, records, w);
        };
        noise.added_to(&variables, task.table, context, &fill)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("level", RawValue::Number(0.1))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("level", RawValue::Number(0.0))])
    }
}

/// A mixture of normal distributions of equal variance, with mean 0 and variance 1.
#[derive(Clone, PartialEq, Debug)]
struct Mixture {
    /// The weights `ω` summed up to each component but the last.
    up_to: Vec<f64>,
    /// Means of the components.
    theta: Vec<f64>,
    /// Their standard deviation.
    sigma: f64,
}

impl Mixture {
    /// Yancey, Winkler and Creecy, appendix, with the last ψ as its own equation needs it. Without
    /// any ψ the components lie at equal distances.
    fn new(variance: f64, components: &[f64], psi: &[f64]) -> Result<Self, ParamProblem> {
        if variance <= 0.0 || variance >= 1.0 {
            return Err(ParamProblem::of(
                VARIANCE.name,
                "`variance` must lie between 0 and 1 and be neither",
                "at 0 the noise takes few values and can be undone, at 1 there is no mixture",
            ));
        }
        let omega = weights(components)?;
        let n_components = omega.len();
        let mut psi = psi.to_vec();
        if psi.is_empty() {
            // Symmetric about 0 if the weights are equal: ±1/2 for two, 1, 0, -1 for three.
            psi = (1..n_components)
                .map(|k| (n_components + 1) as f64 / 2.0 - k as f64)
                .collect();
        }
        if psi.len() + 1 != n_components {
            return Err(ParamProblem::of(
                PSI.name,
                format!(
                    "{n_components} components need {} numbers in `psi`",
                    n_components - 1
                ),
                "leave the last component out: it lies where the mean of all becomes 0",
            ));
        }
        let weighted: f64 = omega.iter().zip(&psi).map(|(omega, psi)| omega * psi).sum();
        psi.push(-weighted / omega[n_components - 1]);
        let s: f64 = omega
            .iter()
            .zip(&psi)
            .map(|(omega, psi)| omega * psi * psi)
            .sum();
        if s == 0.0 || !s.is_finite() {
            return Err(ParamProblem::of(
                PSI.name,
                "`psi` must have a number that is not 0, and none too large to be squared",
                "if all components lie at one place there is no mixture; use `noise-correlated`",
            ));
        }
        let scale = ((1.0 - variance) / s).sqrt();
        let cumulated = omega.iter().scan(0.0, |sum, omega| {
            *sum += omega;
            Some(*sum)
        });
        Ok(Self {
            up_to: cumulated.take(n_components - 1).collect(),
            theta: psi.iter().map(|psi| scale * psi).collect(),
            sigma: variance.sqrt(),
        })
    }

    /// One variable's w of some records: the first draw of a record chooses the component, the second is the
    /// deviate.
    fn fill(&self, draws: &Draws, table: &Table, records: Range<usize>, w: &mut [f64]) {
        let mut components = Vec::with_capacity(w.len());
        let drawn = draws.of_records::<2>(table, records);
        for (w, [component, deviate]) in w.iter_mut().zip(drawn) {
            let u = unit_interval(component);
            let k = self.up_to.iter().filter(|&&up_to| u > up_to).count();
            components.push(self.theta[k]);
            *w = unit_interval(deviate);
        }
        normal::quantiles(w);
        for (w, theta) in w.iter_mut().zip(components) {
            *w = theta + self.sigma * *w;
        }
    }
}

/// ω from numbers in proportion.
fn weights(components: &[f64]) -> Result<Vec<f64>, ParamProblem> {
    let wrong = |message: &str, hint: &str| Err(ParamProblem::of(COMPONENTS.name, message, hint));
    if components.len() < 2 {
        return wrong(
            "a mixture needs two components or more",
            "for one, use `noise-correlated`",
        );
    }
    let sum: f64 = components.iter().sum();
    let omega: Vec<f64> = components.iter().map(|weight| weight / sum).collect();
    // Also refuses what overflows in the sum or underflows in the quotient.
    if omega
        .iter()
        .any(|&omega| omega <= 0.0 || !omega.is_finite())
    {
        return wrong(
            "every number in `components` must be above 0",
            "leave out components that are never drawn",
        );
    }
    Ok(omega)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(values: &[f64]) -> RawValue {
        RawValue::List(
            values
                .iter()
                .map(|&value| RawValue::Number(value))
                .collect(),
        )
    }

    fn mixture(given: &[(&str, RawValue)]) -> Result<Mixture, Vec<ParamProblem>> {
        let mut all = vec![("level".to_owned(), RawValue::Number(0.1))];
        all.extend(
            given
                .iter()
                .map(|(name, raw)| ((*name).to_owned(), raw.clone())),
        );
        let settings = NoiseMixture.settings(&Params::check(&CARD, &all).unwrap());
        settings.map(|settings| settings.mixture)
    }

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-14;
        assert!(
            found.iter().zip(expected).all(near),
            "{found:?} {expected:?}"
        );
    }

    #[test]
    fn two_equal_components_are_those_of_the_paper() {
        // θ = ±√(1 - 0.025) = ±√0.975.
        let found = mixture(&[]).unwrap();
        close(&found.theta, &[0.975_f64.sqrt(), -(0.975_f64.sqrt())]);
        close(&found.up_to, &[0.5]);
        // ψ is a matter of proportion, and its sign of order.
        let other = mixture(&[("psi", list(&[-7.0]))]).unwrap();
        close(&other.theta, &[-(0.975_f64.sqrt()), 0.975_f64.sqrt()]);
    }

    #[test]
    fn three_unequal_components_by_hand() {
        // ω = 0.5, 0.25, 0.25; ψ = 1, 2, and -(0.5 + 0.5)/0.25 = -4. S = 0.5 + 1 + 4 = 5.5.
        // With σ² = 0.12: √(0.88/5.5) = 0.4, so that θ = 0.4, 0.8, -1.6.
        let found = mixture(&[
            ("components", list(&[2.0, 1.0, 1.0])),
            ("psi", list(&[1.0, 2.0])),
            ("variance", RawValue::Number(0.12)),
        ])
        .unwrap();
        close(&found.theta, &[0.4, 0.8, -1.6]);
        close(&found.up_to, &[0.5, 0.75]);
        // Mean 0.2 + 0.2 - 0.4 = 0; variance 0.12 + 0.08 + 0.16 + 0.64 = 1.
        // By default three equal components lie at 1, 0, -1 in proportion: S = 2/3.
        let found = mixture(&[("components", list(&[1.0, 1.0, 1.0]))]).unwrap();
        close(
            &found.theta,
            &[(0.975_f64 * 1.5).sqrt(), 0.0, -(0.975_f64 * 1.5).sqrt()],
        );
    }

    #[test]
    fn what_is_no_mixture_is_refused() {
        let refused = |given: &[(&str, RawValue)], param: &str| {
            assert_eq!(mixture(given).unwrap_err()[0].param.as_deref(), Some(param));
        };
        refused(&[("psi", list(&[0.0]))], "psi");
        refused(&[("psi", list(&[1.0, 2.0]))], "psi");
        refused(&[("psi", list(&[1e200]))], "psi");
        refused(&[("components", list(&[1.0]))], "components");
        refused(&[("components", list(&[1.0, 0.0]))], "components");
        refused(&[("components", list(&[1e308, 1e308]))], "components");
        refused(&[("variance", RawValue::Number(0.0))], "variance");
        refused(&[("variance", RawValue::Number(1.0))], "variance");
    }
}
