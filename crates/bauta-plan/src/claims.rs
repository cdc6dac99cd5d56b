//! What steps and gates claim of the keys of the released file.

use bauta_methods::mask::KeyClaim;
use bauta_methods::measure::Bound;

use crate::gate::GateFigure;
use crate::plan::Plan;

/// What a step or a gate says of the keys of the released file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Claim {
    /// The step or gate.
    pub(crate) by: String,
    /// The keys.
    pub(crate) keys: Vec<String>,
    /// How many of them are known at a time, where it is not all: every combination of so many.
    pub(crate) subsets: Option<usize>,
    /// Smallest class and how missing values count.
    pub(crate) what: KeyClaim,
    /// Those of the keys that a step perturbed.
    pub(crate) perturbed: Vec<String>,
}

/// What the gates of a plan claim: a smallest class, no record below some size, or no unique one.
/// The measure that a gate looks at knows what its figures promise.
pub(crate) fn claims_of_gates(plan: &Plan) -> Vec<Claim> {
    let mut claims = Vec::new();
    for gate in &plan.gates {
        let figure = match &gate.figure {
            GateFigure::Value => None,
            GateFigure::Declared(name) => Some(name),
            GateFigure::Outliers | GateFigure::Rest | GateFigure::OfVariable(_) => continue,
        };
        let bound = Bound {
            figure,
            at_least: gate.at_least,
            at_most: gate.at_most,
        };
        for &position in &gate.measures {
            let planned = &plan.measures[position];
            let Some(what) = planned.measure.claimed(&planned.params, &bound) else {
                continue;
            };
            let id = planned.measure.card().id;
            claims.push(Claim {
                by: match &planned.scenario {
                    Some(scenario) => format!("gate on {id} ({scenario})"),
                    None => format!("gate on {id}"),
                },
                keys: planned.on.clone(),
                subsets: None,
                what,
                perturbed: Vec::new(),
            });
        }
    }
    claims
}
