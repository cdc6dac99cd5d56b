//! The settings of a calibration, shared by the adjusters that calibrate.

use crate::adjust::calibration::distance::Distance;
use crate::card::{ParamSpec, ParamType};
use crate::error::ErrorCode;
use crate::params::{Choice, ParamProblem, Params, choices};

choices! {
    /// The distance between starting and calibrated weights.
    enum Method {
        Linear = "linear": "chi-square distance; weights may become negative",
        Raking = "raking": "raking ratio; weights stay positive",
        Logit = "logit": "ratios stay between `lower` and `upper`",
        Truncated = "truncated": "linear, cut off at `lower` and `upper`",
        Sinh = "sinh": "hyperbolic sine; positive, large ratios dearer than with raking",
    }
}

choices! {
    /// How dear it is to change a weight.
    pub(crate) enum Dearness {
        Uniform = "uniform": "q = 1: by the same share everywhere",
        Euclidean = "euclidean": "q = 1/d: by the same amount everywhere, from unscaled weights unless `scale` says otherwise",
    }
}

choices! {
    /// What to do with missing values of the variables in margins.
    pub(crate) enum MissingInMargins {
        Refuse = "refuse": "stop with an error",
        Category = "category": "missing is a category of its own; numbers are still refused",
    }
}

const fn terms(name: &'static str, meaning: &'static str, none: &'static str) -> ParamSpec {
    ParamSpec::new(name, meaning, ParamType::Terms).unset(none)
}

const fn number_map(name: &'static str, meaning: &'static str, min: f64) -> ParamSpec {
    let max = f64::INFINITY;
    ParamSpec::new(name, meaning, ParamType::NumberMap { min, max })
}

const MARGINS: ParamSpec = terms(
    "margins",
    "terms whose totals the weights must reach: categories (sex), crosses (sex*age), numbers (income), numbers in categories (income*region), 1 for the number of records",
    "the terms that `totals` names",
);
const HOUSEHOLD_MARGINS: ParamSpec = terms(
    "household_margins",
    "terms that count each household once; all its members then get one weight",
    "weights are those of records",
);
const TOTALS: ParamSpec = number_map(
    "totals",
    "totals by name (sex=1, sex=1*age=2, income, 1) that go before those of the original file",
    f64::NEG_INFINITY,
)
.unset("totals of the original file");
const POPULATION: ParamSpec = ParamSpec::number(
    "population",
    "the total that given totals of categories are shares of",
    1e-9,
)
.unset("given totals are totals");
const START: ParamSpec = ParamSpec::variables(
    "start",
    "the variable with the weights to start from, such as design weights",
    "the weight variable itself",
);
const METHOD: ParamSpec = ParamSpec::choice::<Method>(
    "method",
    "the distance between starting and calibrated weights",
)
.unset("raking; linear with q = \"euclidean\" or a penalty");
const LOWER: ParamSpec = ParamSpec::number(
    "lower",
    "lower bound L of w/d, for logit and truncated",
    f64::NEG_INFINITY,
)
.unset("needed by logit and truncated");
const UPPER: ParamSpec = ParamSpec::number(
    "upper",
    "upper bound U of w/d, for logit and truncated",
    f64::NEG_INFINITY,
)
.unset("needed by logit and truncated");
const ALPHA: ParamSpec = ParamSpec::new(
    "alpha",
    "alpha of sinh",
    ParamType::Number {
        min: 1e-6,
        max: 1e6,
    },
)
.or_number(1.0);
const Q: ParamSpec =
    ParamSpec::choice::<Dearness>("q", "how dear it is to change a weight").or_word("uniform");
const Q_FROM: ParamSpec = ParamSpec::variables(
    "q_from",
    "a variable with q of each record, all above 0",
    "as `q` says",
);
const SCALE: ParamSpec = ParamSpec::flag(
    "scale",
    "scale the starting weights to the population before calibrating",
)
.unset("true, but false with q = \"euclidean\"");
const MISSING: ParamSpec = ParamSpec::choice::<MissingInMargins>(
    "missing",
    "what to do with missing values of the variables in margins",
)
.or_word("refuse");
const PENALTY: ParamSpec = ParamSpec::number(
    "penalty",
    "lambda of a ridge: margins with a finite cost are reached only nearly (linear)",
    0.0,
)
.unset("every margin is reached");
const COSTS: ParamSpec = number_map(
    "costs",
    "cost of missing the margins of a term, or a single margin; inf for exactly reached",
    1e-12,
)
.unset("1 for every margin");
const GAP: ParamSpec = ParamSpec::number(
    "gap",
    "the penalty is chosen so that the largest and the smallest w/d are so far apart",
    1e-9,
)
.unset("`penalty` is used");
const ROUND_TO: ParamSpec = ParamSpec::number(
    "round_to",
    "round weights to multiples of this and keep the totals, as far as multiples can",
    1e-9,
)
.unset("weights are not rounded");
const ALSO: ParamSpec = ParamSpec::new(
    "also",
    "methods that are tried as well, to compare their weights in the report",
    ParamType::Texts,
)
.unset("none");
const FRONTIER: ParamSpec = ParamSpec::flag("frontier", "work out which bounds the margins allow")
    .unset("true up to 20000 different records");

/// The parameters, in display order.
pub(crate) const PARAMS: [ParamSpec; 19] = [
    MARGINS,
    HOUSEHOLD_MARGINS,
    TOTALS,
    POPULATION,
    START,
    METHOD,
    LOWER,
    UPPER,
    ALPHA,
    Q,
    Q_FROM,
    SCALE,
    MISSING,
    PENALTY,
    COSTS,
    GAP,
    ROUND_TO,
    ALSO,
    FRONTIER,
];

/// Different records up to which the feasible bounds are worked out unasked.
pub(crate) const FRONTIER_UP_TO: usize = 20_000;

/// A calibration as it was asked for.
pub struct Settings {
    /// Terms whose totals the weights must reach; those of `totals` if there are none.
    pub(crate) margins: Vec<String>,
    /// The same for terms that count each household once.
    pub(crate) household_margins: Vec<String>,
    /// Given totals, all finite.
    pub(crate) totals: Vec<(String, f64)>,
    /// What given totals of categories are shares of.
    pub(crate) population: Option<f64>,
    /// The variable to start from; the weight itself if there is none.
    pub(crate) start: Option<String>,
    /// The distance, with the bounds that it needs.
    pub(crate) distance: Distance,
    /// Distances that are tried as well.
    pub(crate) also: Vec<Distance>,
    /// How dear it is to change a weight.
    pub(crate) q: QFrom,
    /// Whether starting weights are scaled to the population.
    pub(crate) scale: bool,
    /// What becomes of missing values.
    pub(crate) missing: MissingInMargins,
    /// Whether margins are reached only nearly.
    pub(crate) penalty: Option<Penalty>,
    /// Costs of terms and margins, other than 1.
    pub(crate) costs: Vec<(String, f64)>,
    /// What weights are rounded to multiples of.
    pub(crate) round_to: Option<f64>,
    /// Whether the feasible bounds are worked out, where that was said.
    pub(crate) frontier: Option<bool>,
}

/// Where q of each record comes from.
pub(crate) enum QFrom {
    /// From what a change costs.
    Dearness(Dearness),
    /// From a variable.
    Variable(String),
}

/// How nearly margins are reached.
#[derive(Clone, Copy)]
pub(crate) enum Penalty {
    /// lambda itself.
    Lambda(f64),
    /// The lambda at which the largest and the smallest w/d are so far apart.
    ForGap(f64),
}

impl Settings {
    /// Reads the parameters; all that is wrong with them together.
    pub(crate) fn read(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        let texts = |spec: ParamSpec| params.texts(spec.name).to_vec();
        let number = |spec: ParamSpec| params.number_if_set(spec.name);
        let flag = |spec: ParamSpec| params.is_set(spec.name).then(|| params.flag(spec.name));
        let problems = problems(params);
        let distance = distance(method(params), params);
        let (true, Some(distance)) = (problems.is_empty(), distance) else {
            return Err(problems);
        };
        let methods = texts(ALSO).into_iter();
        let methods = methods.filter_map(|name| Method::from_name(&name));
        let dearness = params.choice_of(Q.name);
        let q = match texts(Q_FROM).into_iter().next() {
            Some(variable) => QFrom::Variable(variable),
            None => QFrom::Dearness(dearness),
        };
        Ok(Self {
            margins: texts(MARGINS),
            household_margins: texts(HOUSEHOLD_MARGINS),
            totals: params.number_map(TOTALS.name).to_vec(),
            population: number(POPULATION),
            start: texts(START).into_iter().next(),
            distance,
            also: methods
                .filter_map(|method| self::distance(method, params))
                .collect(),
            scale: flag(SCALE)
                .unwrap_or(dearness == Dearness::Uniform || params.is_set(Q_FROM.name)),
            q,
            missing: params.choice_of(MISSING.name),
            penalty: number(PENALTY)
                .map(Penalty::Lambda)
                .or_else(|| number(GAP).map(Penalty::ForGap)),
            costs: params.number_map(COSTS.name).to_vec(),
            round_to: number(ROUND_TO),
            frontier: flag(FRONTIER),
        })
    }
}

/// The distance of a method, with the parameters that it needs; none if its bounds are absent or
/// wrong.
fn distance(method: Method, params: &Params) -> Option<Distance> {
    let bounds = || {
        let lower = params.number_if_set(LOWER.name)?;
        let upper = params.number_if_set(UPPER.name)?;
        (lower < 1.0 && upper > 1.0).then_some((lower, upper))
    };
    match method {
        Method::Linear => Some(Distance::Linear),
        Method::Raking => Some(Distance::Raking),
        Method::Logit => bounds().map(|(lower, upper)| Distance::Logit { lower, upper }),
        Method::Truncated => bounds().map(|(lower, upper)| Distance::Truncated { lower, upper }),
        Method::Sinh => Some(Distance::Sinh {
            alpha: params.number(ALPHA.name),
        }),
    }
}

/// The method that was asked for, or that goes with what was.
fn method(params: &Params) -> Method {
    let linear =
        params.choice_of::<Dearness>(Q.name) == Dearness::Euclidean || is_penalised(params);
    let usual = if linear {
        Method::Linear
    } else {
        Method::Raking
    };
    params.choice_if_set(METHOD.name).unwrap_or(usual)
}

/// Whether margins are reached only nearly.
fn is_penalised(params: &Params) -> bool {
    params.is_set(PENALTY.name) || params.is_set(GAP.name)
}

/// Problems of the parameters with each other.
fn problems(params: &Params) -> Vec<ParamProblem> {
    let is_set = |spec: ParamSpec| params.is_set(spec.name);
    let asked = |spec: ParamSpec| !params.texts(spec.name).is_empty();
    let mut problems = Vec::new();
    if !asked(MARGINS) && !asked(HOUSEHOLD_MARGINS) && !is_set(TOTALS) {
        problems.push(ParamProblem::together(
            "there are no margins",
            "name terms in `margins`, or give `totals`",
        ));
    }
    let also = params.texts(ALSO.name).iter();
    problems.extend(
        also.filter(|name| Method::from_name(name).is_none())
            .map(no_method),
    );
    problems.extend(bounds_problem(params));
    for spec in [START, Q_FROM] {
        if params.texts(spec.name).len() > 1 {
            let message = format!("`{}` is one variable", spec.name);
            problems.push(ParamProblem::of(spec.name, message, "name one"));
        }
    }
    problems.extend(penalty_problems(params));
    if is_set(POPULATION) && !is_set(TOTALS) {
        problems.push(ParamProblem::of(
            POPULATION.name,
            "`population` says what given totals are shares of, and none are given",
            "give `totals`, or leave it out",
        ));
    }
    let totals = params.number_map(TOTALS.name).iter();
    let infinite = totals.filter(|(_, total)| !total.is_finite());
    problems.extend(infinite.map(|(name, _)| {
        let message = format!("the total `{name}` is not finite");
        ParamProblem::of(TOTALS.name, message, "give a number")
    }));
    if is_penalised(params) && asked(ALSO) {
        problems.push(ParamProblem::of(
            ALSO.name,
            "other methods cannot be tried beside a penalty",
            "leave `also` or the penalty out",
        ));
    }
    if is_set(COSTS) && !is_penalised(params) {
        problems.push(ParamProblem::of(
            COSTS.name,
            "costs say nothing without a penalty",
            "add `penalty` or `gap`",
        ));
    }
    problems
}

fn no_method(name: &String) -> ParamProblem {
    ParamProblem::of(
        ALSO.name,
        format!("there is no method `{name}`"),
        "choose among linear, raking, logit, truncated and sinh",
    )
}

fn penalty_problems(params: &Params) -> Vec<ParamProblem> {
    let mut problems = Vec::new();
    if is_penalised(params) && method(params) != Method::Linear {
        problems.push(ParamProblem::together(
            "a penalty needs the linear method",
            "set method = \"linear\", or leave `penalty` and `gap` out",
        ));
    }
    if params.is_set(PENALTY.name) && params.is_set(GAP.name) {
        problems.push(ParamProblem::together(
            "`penalty` and `gap` are both given",
            "give one: `gap` looks for the penalty",
        ));
    }
    problems
}

fn bounds_problem(params: &Params) -> Option<ParamProblem> {
    let also = params.texts(ALSO.name).iter();
    let mut wanted = also
        .filter_map(|name| Method::from_name(name))
        .chain([method(params)]);
    if !wanted.any(|method| matches!(method, Method::Logit | Method::Truncated)) {
        return None;
    }
    let lower = params.number_if_set(LOWER.name);
    match (lower, params.number_if_set(UPPER.name)) {
        (Some(lower), Some(upper)) if lower < 1.0 && upper > 1.0 => None,
        (Some(lower), Some(upper)) => Some(ParamProblem::of(
            if lower < 1.0 { UPPER.name } else { LOWER.name },
            format!(
                "{}: bounds need L < 1 < U, got L={lower}, U={upper}",
                ErrorCode::CalibrationBounds
            ),
            "choose a lower bound below 1 and an upper one above it",
        )),
        (None, _) | (_, None) => Some(ParamProblem::together(
            "logit and truncated need `lower` and `upper`",
            "give both, such as lower = 0.25 and upper = 3",
        )),
    }
}
