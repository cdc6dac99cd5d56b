#![doc = include_str!("synthesize.md")]

use bauta_data::Attribute;

use crate::card::{Card, ParamSpec, Randomness};
use crate::context::{RunContext, shuffled, unit_interval};
use crate::error::MethodError;
use crate::kernel::numbers::moments::moments;
use crate::kernel::numbers::normal;
use crate::mask::continuous::{OF_NUMBERS, ROUND};
use crate::mask::jointly::{JointVariable, joint_variables, with_values};
use crate::mask::synth_normal::with_original_margins;
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::Missing;
use crate::optimise::settings::{P, Rounding, SHARED, Settings as Search};
use crate::optimise::{Start, optimise, shown};
use crate::pair::Rows;
use crate::params::{ParamProblem, Params, RawValue, choices};

/// Draws a file at random and gives it the moments of the original. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Synthesize;

choices! {
    /// What the search begins with.
    enum From {
        Permutation = "permutation": "the values of each variable, in an order of their own",
        Normal = "normal": "normal draws with the variable's mean and standard deviation, within its range",
        Uniform = "uniform": "draws from the variable's range, each value as likely as any other",
        Copula = "copula": "the values of each variable, in an order drawn from a Gaussian copula",
    }
}

const FROM: ParamSpec =
    ParamSpec::choice::<From>("start", "the random file that the search begins with")
        .or_word("copula");

const PARAMS: [ParamSpec; 3 + SHARED.len()] = {
    let mut all = [FROM; 3 + SHARED.len()];
    all[1] = P.or_number(0.5);
    let mut at = 0;
    while at < SHARED.len() {
        all[2 + at] = SHARED[at];
        at += 1;
    }
    all[2 + SHARED.len()] = ROUND;
    all
};

static CARD: Card = Card {
    id: "synthesize",
    title: "Synthetic data by optimisation",
    summary: "replaces all values by random ones and moves those until their moments are the original's",
    page: include_str!("synthesize.md"),
    params: &PARAMS,
    randomness: Randomness::Seeded,
    references: &["sebe2002"],
    ..OF_NUMBERS
};

/// Where to begin and how to search.
pub struct Settings {
    from: From,
    search: Search,
}

impl MaskMethod for Synthesize {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let rounding = if params.flag(ROUND.name) {
            Rounding::AsOriginal
        } else {
            Rounding::None
        };
        Ok(Settings {
            from: params.choice_of(FROM.name),
            search: Search::asked(params, 1.0, 0.0, rounding)?,
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.search.check(on.len()).into_iter().collect()
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts {
            rows: Rows::Unrelated,
            timed: settings.search.is_timed(),
            ..StepFacts::JOINTLY
        }
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let variables = joint_variables(task, Missing::Refuse, context)?;
        if variables.is_empty() || task.table.n_records() == 0 {
            return Ok(Change {
                rows: Rows::Unrelated,
                ..Change::default()
            });
        }
        let began = match settings.from {
            From::Copula => with_original_margins(&variables, task.table, context)?,
            other => variables
                .iter()
                .map(|variable| drawn(other, variable, context))
                .collect(),
        };
        let names: Vec<&str> = variables.iter().map(JointVariable::name).collect();
        let original: Vec<&[f64]> = variables
            .iter()
            .map(|variable| variable.x.whole())
            .collect();
        let masked: Vec<&[f64]> = began.iter().map(Vec::as_slice).collect();
        let start = Start {
            names: &names,
            original: &original,
            masked: &masked,
            own: None,
        };
        let found = optimise(&start, &settings.search, context)?;
        let evidence = shown::evidence(&found, &names);
        Ok(Change {
            rows: Rows::Unrelated,
            evidence: Some(Box::new(evidence)),
            ..with_values(&variables, found.columns)
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("start", RawValue::Text("permutation".to_owned()))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        None
    }
}

/// Values for one variable that know nothing of the others.
fn drawn(from: From, variable: &JointVariable<'_>, context: &RunContext<'_>) -> Vec<f64> {
    let x = variable.x.whole();
    let draws = context.draws(variable.name());
    if matches!(from, From::Permutation | From::Copula) {
        let order = shuffled(x.len(), &draws);
        return order.into_iter().map(|record| x[record as usize]).collect();
    }
    let of = moments(x);
    let low = x.iter().copied().fold(f64::INFINITY, f64::min);
    let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    draws.per_position::<_, 1>(x.len(), |_, [draw]| {
        let u = unit_interval(draw);
        match from {
            From::Uniform => low + u * (high - low),
            _ => (of.mean + of.sd * normal::quantile(u)).clamp(low, high),
        }
    })
}
