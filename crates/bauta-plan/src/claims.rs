//! What steps and gates claim of the keys of the released file.

use bauta_methods::keys::Semantics;
use bauta_methods::mask::KeyClaim;

use crate::plan::{Gate, Plan, PlannedMeasure};

/// What a step or a gate says of the keys of the released file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Claim {
    /// The step or gate.
    pub(crate) by: String,
    /// The keys.
    pub(crate) keys: Vec<String>,
    /// Smallest class and how missing values count.
    pub(crate) what: KeyClaim,
}

/// What the gates of a plan claim: a smallest class, no record below some size, or no unique one.
pub(crate) fn claims_of_gates(plan: &Plan) -> Vec<Claim> {
    let mut claims = Vec::new();
    for gate in &plan.gates {
        for &position in &gate.measures {
            let planned = &plan.measures[position];
            let claim = claimed_k(gate, planned).and_then(|k| {
                let semantics = Semantics::from_name(planned.params.choice("semantics"))?;
                Some(Claim {
                    by: match &planned.scenario {
                        Some(scenario) => format!("gate on k-anonymity ({scenario})"),
                        None => "gate on k-anonymity".to_owned(),
                    },
                    keys: planned.on.clone(),
                    what: KeyClaim { k, semantics },
                })
            });
            claims.extend(claim);
        }
    }
    claims
}

/// The smallest class that a gate asks for, if that is what it asks for.
fn claimed_k(gate: &Gate, planned: &PlannedMeasure) -> Option<u32> {
    if planned.measure.card().id != "k-anonymity" {
        return None;
    }
    let at_most = gate.at_most.unwrap_or(f64::INFINITY);
    let k = match gate.part.as_deref() {
        None => gate.at_least.map(|k| k.ceil() as u32),
        Some("uniques") if at_most < 1.0 => Some(2),
        Some(part) if at_most <= 0.0 && part.starts_with("share_below_") => {
            part.strip_prefix("share_below_")?.parse().ok()
        }
        Some(part) if at_most < 1.0 => part.strip_prefix("below_")?.parse().ok(),
        Some(_) => None,
    };
    // Every record is in a class of one at least.
    k.filter(|&k| k > 1)
}
