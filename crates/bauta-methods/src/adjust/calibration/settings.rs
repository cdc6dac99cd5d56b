//! The parameters of a calibration, shared by the adjusters that calibrate.

use crate::adjust::calibration::distance::Distance;
use crate::card::{ConstValue, ParamDefault, ParamSpec, ParamType};
use crate::params::{ParamProblem, Params};

const METHODS: &[(&str, &str)] = &[
    ("linear", "chi-square distance; weights may become negative"),
    ("raking", "raking ratio; weights stay positive"),
    ("logit", "ratios stay between `lower` and `upper`"),
    ("truncated", "linear, cut off at `lower` and `upper`"),
    (
        "sinh",
        "hyperbolic sine; positive, large ratios dearer than with raking",
    ),
];

/// The parameters, in display order.
pub(crate) const PARAMS: [ParamSpec; 19] = [
    ParamSpec {
        name: "margins",
        meaning: "terms whose totals the weights must reach: categories (sex), crosses (sex*age), numbers (income), numbers in categories (income*region), 1 for the number of records",
        ty: ParamType::Terms,
        default: ParamDefault::Unset("the terms that `totals` names"),
    },
    ParamSpec {
        name: "household_margins",
        meaning: "terms that count each household once; all its members then get one weight",
        ty: ParamType::Terms,
        default: ParamDefault::Unset("weights are those of records"),
    },
    ParamSpec {
        name: "totals",
        meaning: "totals by name (sex=1, sex=1*age=2, income, 1) that go before those of the original file",
        ty: ParamType::NumberMap {
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("totals of the original file"),
    },
    ParamSpec {
        name: "population",
        meaning: "the total that given totals of categories are shares of",
        ty: ParamType::Number {
            min: 1e-9,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("given totals are totals"),
    },
    ParamSpec {
        name: "start",
        meaning: "the variable with the weights to start from, such as design weights",
        ty: ParamType::Variables,
        default: ParamDefault::Unset("the weight variable itself"),
    },
    ParamSpec {
        name: "method",
        meaning: "the distance between starting and calibrated weights",
        ty: ParamType::Choice(METHODS),
        default: ParamDefault::Unset("raking; linear with q = \"euclidean\" or a penalty"),
    },
    ParamSpec {
        name: "lower",
        meaning: "lower bound L of w/d, for logit and truncated",
        ty: ParamType::Number {
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("needed by logit and truncated"),
    },
    ParamSpec {
        name: "upper",
        meaning: "upper bound U of w/d, for logit and truncated",
        ty: ParamType::Number {
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("needed by logit and truncated"),
    },
    ParamSpec {
        name: "alpha",
        meaning: "alpha of sinh",
        ty: ParamType::Number {
            min: 1e-6,
            max: 1e6,
        },
        default: ParamDefault::Value(ConstValue::Number(1.0)),
    },
    ParamSpec {
        name: "q",
        meaning: "how dear it is to change a weight",
        ty: ParamType::Choice(&[
            ("uniform", "q = 1: by the same share everywhere"),
            (
                "euclidean",
                "q = 1/d: by the same amount everywhere, from unscaled weights unless `scale` says otherwise",
            ),
        ]),
        default: ParamDefault::Value(ConstValue::Text("uniform")),
    },
    ParamSpec {
        name: "q_from",
        meaning: "a variable with q of each record, all above 0",
        ty: ParamType::Variables,
        default: ParamDefault::Unset("as `q` says"),
    },
    ParamSpec {
        name: "scale",
        meaning: "scale the starting weights to the population before calibrating",
        ty: ParamType::Flag,
        default: ParamDefault::Unset("true, but false with q = \"euclidean\""),
    },
    ParamSpec {
        name: "missing",
        meaning: "what to do with missing values of the variables in margins",
        ty: ParamType::Choice(&[
            ("refuse", "stop with an error"),
            (
                "category",
                "missing is a category of its own; numbers are still refused",
            ),
        ]),
        default: ParamDefault::Value(ConstValue::Text("refuse")),
    },
    ParamSpec {
        name: "penalty",
        meaning: "lambda of a ridge: margins with a finite cost are reached only nearly (linear)",
        ty: ParamType::Number {
            min: 0.0,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("every margin is reached"),
    },
    ParamSpec {
        name: "costs",
        meaning: "cost of missing the margins of a term, or a single margin; inf for exactly reached",
        ty: ParamType::NumberMap {
            min: 1e-12,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("1 for every margin"),
    },
    ParamSpec {
        name: "gap",
        meaning: "the penalty is chosen so that the largest and the smallest w/d are so far apart",
        ty: ParamType::Number {
            min: 1e-9,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("`penalty` is used"),
    },
    ParamSpec {
        name: "round_to",
        meaning: "round weights to multiples of this and keep the totals, as far as multiples can",
        ty: ParamType::Number {
            min: 1e-9,
            max: f64::INFINITY,
        },
        default: ParamDefault::Unset("weights are not rounded"),
    },
    ParamSpec {
        name: "also",
        meaning: "methods that are tried as well, to compare their weights in the report",
        ty: ParamType::Texts,
        default: ParamDefault::Unset("none"),
    },
    ParamSpec {
        name: "frontier",
        meaning: "work out which bounds the margins allow",
        ty: ParamType::Flag,
        default: ParamDefault::Unset("true up to 20000 different records"),
    },
];

/// Different records up to which the feasible bounds are worked out unasked.
pub(crate) const FRONTIER_UP_TO: usize = 20_000;

/// The distance that a word stands for, with the parameters that it needs; none if there is no such
/// distance, or its bounds are absent or wrong.
pub(crate) fn distance(name: &str, params: &Params) -> Option<Distance> {
    let bounds = || {
        let lower = params.number_if_set("lower")?;
        let upper = params.number_if_set("upper")?;
        (lower < 1.0 && upper > 1.0).then_some((lower, upper))
    };
    match name {
        "linear" => Some(Distance::Linear),
        "raking" => Some(Distance::Raking),
        "logit" => bounds().map(|(lower, upper)| Distance::Logit { lower, upper }),
        "truncated" => bounds().map(|(lower, upper)| Distance::Truncated { lower, upper }),
        "sinh" => Some(Distance::Sinh {
            alpha: params.number("alpha"),
        }),
        _ => None,
    }
}

/// The method that was asked for, or that goes with what was.
pub(crate) fn method(params: &Params) -> &str {
    let linear = params.choice("q") == "euclidean" || is_penalised(params);
    if params.is_set("method") {
        params.choice("method")
    } else if linear {
        "linear"
    } else {
        "raking"
    }
}

/// Whether margins are reached only nearly.
pub(crate) fn is_penalised(params: &Params) -> bool {
    params.is_set("penalty") || params.is_set("gap")
}

/// Whether starting weights are scaled.
pub(crate) fn is_scaled(params: &Params) -> bool {
    if params.is_set("scale") {
        params.flag("scale")
    } else {
        params.choice("q") != "euclidean" || params.is_set("q_from")
    }
}

/// Problems of the parameters with each other.
pub(crate) fn problems(params: &Params) -> Vec<ParamProblem> {
    let mut problems = Vec::new();
    let asked = |name: &str| !params.texts(name).is_empty();
    if !asked("margins") && !asked("household_margins") && !params.is_set("totals") {
        problems.push(ParamProblem::together(
            "there are no margins",
            "name terms in `margins`, or give `totals`",
        ));
    }
    let known = |name: &String| METHODS.iter().any(|(known, _)| known == name);
    for name in params.texts("also").iter().filter(|name| !known(name)) {
        problems.push(ParamProblem::of(
            "also",
            format!("there is no method `{name}`"),
            "choose among linear, raking, logit, truncated and sinh",
        ));
    }
    bounds_problems(params, &mut problems);
    let one = |name: &str| params.texts(name).len() > 1;
    for name in ["start", "q_from"].into_iter().filter(|name| one(name)) {
        problems.push(ParamProblem::of(
            name,
            format!("`{name}` is one variable"),
            "name one",
        ));
    }
    if is_penalised(params) && method(params) != "linear" {
        problems.push(ParamProblem::together(
            "a penalty needs the linear method",
            "set method = \"linear\", or leave `penalty` and `gap` out",
        ));
    }
    if params.is_set("penalty") && params.is_set("gap") {
        problems.push(ParamProblem::together(
            "`penalty` and `gap` are both given",
            "give one: `gap` looks for the penalty",
        ));
    }
    if params.is_set("population") && !params.is_set("totals") {
        problems.push(ParamProblem::of(
            "population",
            "`population` says what given totals are shares of, and none are given",
            "give `totals`, or leave it out",
        ));
    }
    let totals = params.number_map("totals");
    for (name, _) in totals.iter().filter(|(_, total)| !total.is_finite()) {
        problems.push(ParamProblem::of(
            "totals",
            format!("the total `{name}` is not finite"),
            "give a number",
        ));
    }
    if is_penalised(params) && asked("also") {
        problems.push(ParamProblem::of(
            "also",
            "other methods cannot be tried beside a penalty",
            "leave `also` or the penalty out",
        ));
    }
    if params.is_set("costs") && !is_penalised(params) {
        problems.push(ParamProblem::of(
            "costs",
            "costs say nothing without a penalty",
            "add `penalty` or `gap`",
        ));
    }
    problems
}

fn bounds_problems(params: &Params, problems: &mut Vec<ParamProblem>) {
    let wanted =
        |name: &str| method(params) == name || params.texts("also").iter().any(|also| also == name);
    if !wanted("logit") && !wanted("truncated") {
        return;
    }
    let (lower, upper) = (params.number_if_set("lower"), params.number_if_set("upper"));
    match (lower, upper) {
        (Some(lower), Some(upper)) if lower < 1.0 && upper > 1.0 => {}
        (Some(lower), Some(upper)) => problems.push(ParamProblem::of(
            if lower < 1.0 { "upper" } else { "lower" },
            format!("E-CAL-BOUNDS: bounds need L < 1 < U, got L={lower}, U={upper}"),
            "choose a lower bound below 1 and an upper one above it",
        )),
        _ => problems.push(ParamProblem::together(
            "logit and truncated need `lower` and `upper`",
            "give both, such as lower = 0.25 and upper = 3",
        )),
    }
}
