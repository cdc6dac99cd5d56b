//! How a masked file is to be improved: the parameters that post-masking and synthesis share.

use crate::card::{ParamSpec, ParamType};
use crate::optimise::moments::{MAX_ORDER, MOST_TERMS, n_terms};
use crate::params::{ParamProblem, Params, choices};

choices! {
    /// What relative distances refer to.
    pub enum Il1Scale {
        Original = "original": "values as they are",
        Standardised = "standardised": "values less their mean, in standard deviations",
    }
}

choices! {
    /// How a value is changed.
    pub enum Perturbation {
        Gaussian = "gaussian": "by a normal deviate of `step` standard deviations",
        Resample = "resample": "to the value of an original record, chosen at random",
        Toward = "toward": "by a random part of the way to the value of an original record, chosen at random",
    }
}

choices! {
    /// Where changes lead.
    pub enum Proposals {
        Plain = "plain": "anywhere",
        Gradient = "gradient": "to where the slope of E falls",
    }
}

choices! {
    /// Which changes stay.
    pub enum Acceptance {
        Climb = "climb": "those that lower the objective",
        Anneal = "anneal": "at first some that raise it, too; from four fifths of the steps on none",
    }
}

pub(crate) const P: ParamSpec = ParamSpec::new(
    "p",
    "the IL1 that is aimed at, as a multiple of that of the masked file",
    ParamType::Number {
        min: 1e-6,
        max: 1e6,
    },
);
pub(crate) const Q: ParamSpec = ParamSpec::new(
    "q",
    "share of the records that may change: those that contribute most to IL1",
    ParamType::Fraction {
        min: 1e-9,
        max: 1.0,
    },
);
pub(crate) const TARGET: ParamSpec = ParamSpec::number(
    "target",
    "distance E of moments below which the search ends, once IL1 is where it should be",
    0.0,
)
.unset("the search goes on until patience or iterations end it");
pub(crate) const ORDER: ParamSpec = ParamSpec::new(
    "order",
    "moments up to this order are to be those of the original",
    ParamType::Integer { min: 1, max: 4 },
)
.or_integer(2);
pub(crate) const ORDER_WEIGHTS: ParamSpec = ParamSpec::new(
    "order_weights",
    "weight of the moments of each order in E",
    ParamType::Numbers { min: 0.0, max: 1e9 },
)
.unset("1 for the first and second, 0.01 for the third, 0.0001 for the fourth");
const SCALE: ParamSpec =
    ParamSpec::choice::<Il1Scale>("scale", "what relative distances of IL1 refer to")
        .or_word("original");
const PERTURBATION: ParamSpec =
    ParamSpec::choice::<Perturbation>("perturbation", "how a value is changed").or_word("toward");
const STEP: ParamSpec = ParamSpec::new(
    "step",
    "standard deviation of a normal change, in those of the variable",
    ParamType::Number {
        min: 1e-9,
        max: 1e3,
    },
)
.or_number(0.5);
const PROPOSALS: ParamSpec =
    ParamSpec::choice::<Proposals>("proposals", "where changes lead").or_word("plain");
const ACCEPTANCE: ParamSpec =
    ParamSpec::choice::<Acceptance>("acceptance", "which changes stay").or_word("climb");
const TEMPERATURE: ParamSpec = ParamSpec::number(
    "temperature",
    "under `anneal`, the first temperature in mean changes of the objective",
    0.0,
)
.or_number(0.1);
const PROJECTION: ParamSpec = ParamSpec::flag(
    "projection",
    "first give the records that may change the means and covariances that the file lacks, by an affine map",
);
pub(crate) const WEIGHT_DLD: ParamSpec = ParamSpec::number(
    "weight_dld",
    "weight, beside E, of the share of records whose nearest original is their own",
    0.0,
)
.or_number(0.0);
pub(crate) const WEIGHT_ID: ParamSpec = ParamSpec::number(
    "weight_id",
    "weight, beside E, of the share of values that lie within 1 to 10 % of the ranks of those compared with",
    0.0,
)
.or_number(0.0);
const WITHIN: ParamSpec = ParamSpec::new(
    "within",
    "how far IL1 may be from what is aimed at, relative to it",
    ParamType::Fraction {
        min: 1e-6,
        max: 1.0,
    },
)
.or_number(0.01);
const ITERATIONS: ParamSpec =
    ParamSpec::integer("iterations", "changes that are tried at the most", 1)
        .unset("100 for each value that may change");
const PATIENCE: ParamSpec = ParamSpec::integer(
    "patience",
    "changes in a row of which none stays, after which the search ends",
    1,
)
.unset("20 for each value that may change");
pub(crate) const SECONDS: ParamSpec = ParamSpec::new(
    "seconds",
    "time after which the search ends; such a run cannot be repeated, and says so",
    ParamType::Number {
        min: 1e-3,
        max: 1e7,
    },
)
.unset("time does not end it");
const RESTARTS: ParamSpec = ParamSpec::new(
    "restarts",
    "independent searches, of which the best is taken",
    ParamType::Integer { min: 1, max: 1_000 },
)
.or_integer(1);

/// What both methods have, in display order.
pub(crate) const SHARED: [ParamSpec; 16] = [
    TARGET,
    ORDER,
    ORDER_WEIGHTS,
    SCALE,
    PERTURBATION,
    STEP,
    PROPOSALS,
    ACCEPTANCE,
    TEMPERATURE,
    PROJECTION,
    WEIGHT_ID,
    WITHIN,
    ITERATIONS,
    PATIENCE,
    SECONDS,
    RESTARTS,
];

/// How a masked file is to be improved.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// IL1 that is aimed at, in that of the start.
    pub p: f64,
    /// Share of the records that may change.
    pub q: f64,
    /// E below which the search ends.
    pub target: Option<f64>,
    /// Largest order of the moments.
    pub order: usize,
    /// Weight of each order.
    pub weights: Vec<f64>,
    /// What IL1 refers to.
    pub scale: Il1Scale,
    /// How a value is changed.
    pub perturbation: Perturbation,
    /// Standard deviation of a normal change.
    pub step: f64,
    /// Where changes lead.
    pub proposals: Proposals,
    /// Which changes stay.
    pub acceptance: Acceptance,
    /// First temperature.
    pub temperature: f64,
    /// Whether moments are first met by an affine map.
    pub projection: bool,
    /// Weight of the share of records that are nearest to their own originals.
    pub weight_dld: f64,
    /// Weight of the share of values near those that they are compared with.
    pub weight_id: f64,
    /// How far IL1 may be from what is aimed at.
    pub within: f64,
    /// Changes that are tried.
    pub iterations: Option<usize>,
    /// Changes in a row that do not stay.
    pub patience: Option<usize>,
    /// Time.
    pub seconds: Option<f64>,
    /// Independent searches.
    pub restarts: usize,
    /// Which decimals new values have.
    pub rounding: Rounding,
}

/// Which decimals new values have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rounding {
    /// As many as they come with.
    None,
    /// Those of the original.
    AsOriginal,
    /// Those of the masked file, so that nobody sees which records were changed.
    AsMasked,
}

impl Settings {
    /// What was asked for; all that is wrong with it at once.
    pub(crate) fn asked(
        params: &Params,
        q: f64,
        weight_dld: f64,
        rounding: Rounding,
    ) -> Result<Self, Vec<ParamProblem>> {
        let order = params.count(ORDER.name);
        let mut problems = Vec::new();
        let weights = weights_asked(params, order);
        let settings = Self {
            p: params.number(P.name),
            q,
            target: params.number_if_set(TARGET.name),
            order,
            weights: weights.unwrap_or_else(|problem| {
                problems.push(problem);
                vec![1.0; order]
            }),
            scale: params.choice_of(SCALE.name),
            perturbation: params.choice_of(PERTURBATION.name),
            step: params.number(STEP.name),
            proposals: params.choice_of(PROPOSALS.name),
            acceptance: params.choice_of(ACCEPTANCE.name),
            temperature: params.number(TEMPERATURE.name),
            projection: params.flag(PROJECTION.name),
            weight_dld,
            weight_id: params.number(WEIGHT_ID.name),
            within: params.number(WITHIN.name),
            iterations: count_if_set(params, ITERATIONS.name),
            patience: count_if_set(params, PATIENCE.name),
            seconds: params.number_if_set(SECONDS.name),
            restarts: params.count(RESTARTS.name),
            rounding,
        };
        problems.extend(settings.together());
        if problems.is_empty() {
            Ok(settings)
        } else {
            Err(problems)
        }
    }

    fn together(&self) -> Vec<ParamProblem> {
        let mut problems = Vec::new();
        if self.acceptance == Acceptance::Anneal && self.temperature <= 0.0 {
            problems.push(ParamProblem::of(
                TEMPERATURE.name,
                "at temperature 0 nothing is annealed",
                "raise it, or set acceptance = \"climb\"",
            ));
        }
        if self.projection && self.order < 2 {
            problems.push(ParamProblem::of(
                PROJECTION.name,
                "the projection meets means and covariances, and only means are asked for",
                "leave it out, or set order = 2",
            ));
        }
        problems
    }

    /// What is wrong with so many variables.
    pub(crate) fn check(&self, n_variables: usize) -> Option<ParamProblem> {
        let n = n_terms(n_variables, self.order);
        (n > MOST_TERMS).then(|| {
            ParamProblem::of(
                ORDER.name,
                format!(
                    "{n_variables} variables have {n} moments up to order {}, and {MOST_TERMS} are allowed",
                    self.order
                ),
                "lower `order`, or name fewer variables",
            )
        })
    }

    /// Whether the result depends on the clock.
    pub(crate) fn is_timed(&self) -> bool {
        self.seconds.is_some()
    }
}

fn count_if_set(params: &Params, name: &str) -> Option<usize> {
    let count = params.integer_if_set(name)?;
    usize::try_from(count).ok()
}

/// Weights of orders where none are given.
const USUAL: [f64; MAX_ORDER] = [1.0, 1.0, 0.01, 0.0001];

/// The weight of each order, by [`ORDER_WEIGHTS`].
pub(crate) fn weights_asked(params: &Params, order: usize) -> Result<Vec<f64>, ParamProblem> {
    let weights = params.numbers(ORDER_WEIGHTS.name);
    if !params.is_set(ORDER_WEIGHTS.name) {
        return Ok(USUAL[..order].to_vec());
    }
    if weights.len() != order {
        return Err(ParamProblem::of(
            ORDER_WEIGHTS.name,
            format!(
                "`order_weights` has {} weights, and there are {order} orders",
                weights.len()
            ),
            "give one for each order, from the first on",
        ));
    }
    if weights.iter().sum::<f64>() <= 0.0 {
        return Err(ParamProblem::of(
            ORDER_WEIGHTS.name,
            "all weights are 0, so that no moment counts",
            "give a weight to some order",
        ));
    }
    Ok(weights.to_vec())
}
