//! From what was given to a method to what it can work with. Only here are parameters checked.

use bauta_data::Attribute;
use bauta_methods::{Measure, ParamProblem, Params, RawValue};

use crate::plan::StepMethod;

/// Parameters that their method has looked at.
pub(crate) struct Prepared {
    /// What the card accepts; none if it does not.
    pub(crate) params: Option<Params>,
    /// All that is wrong.
    pub(crate) problems: Vec<ParamProblem>,
}

impl Prepared {
    /// The parameters if nothing is wrong.
    pub(crate) fn ready(self) -> Result<Params, Vec<ParamProblem>> {
        match self.params {
            Some(params) if self.problems.is_empty() => Ok(params),
            _ => Err(self.problems),
        }
    }
}

/// Checks the parameters of a step that works on variables so described.
pub(crate) fn prepare_step(
    method: StepMethod,
    given: &[(String, RawValue)],
    on: &[&Attribute],
) -> Prepared {
    prepared(Params::check(method.card(), given), |params| match method {
        StepMethod::Mask(mask) => mask.check(params, on),
        StepMethod::Adjuster(adjuster) => adjuster.check(params, on),
    })
}

/// Checks the parameters of a measure that looks at variables so described.
pub(crate) fn prepare_measure(
    measure: &dyn Measure,
    given: &[(String, RawValue)],
    on: &[&Attribute],
) -> Prepared {
    prepared(Params::check(measure.card(), given), |params| {
        measure.check(params, on)
    })
}

fn prepared(
    accepted: Result<Params, Vec<ParamProblem>>,
    check: impl FnOnce(&Params) -> Vec<ParamProblem>,
) -> Prepared {
    match accepted {
        Ok(params) => Prepared {
            problems: check(&params),
            params: Some(params),
        },
        Err(problems) => Prepared {
            params: None,
            problems,
        },
    }
}
