//! What decided on a release, in one word: what screens, reports and scripts say of it must not sound like more.

use bauta_methods::measure::RawFiles;
use bauta_methods::registry;
use serde::Serialize;

use crate::record::{GateRecord, MeasureFamily, RunRecord};

/// What was judged before a file was released.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judged {
    /// The risk of disclosure, on keys that are true.
    Risk,
    /// The risk of disclosure, but by counts of keys that a step perturbed.
    PerturbedKeysOnly,
    /// What an analyst loses, and no risk.
    LossOnly,
    /// Nothing.
    Nothing,
}

impl Judged {
    /// What the gates of a record judged.
    pub fn of(record: &RunRecord) -> Self {
        let is_of_risk = |gate: &&GateRecord| {
            let mut measures = record.measures.iter();
            let measure = measures.find(|measure| measure.id == gate.measure);
            measure.is_some_and(|measure| measure.family != MeasureFamily::Loss)
                && !is_best_of_raw_files(&gate.measure)
        };
        let mut of_risk = record.gates.iter().filter(is_of_risk).peekable();
        if record.gates.is_empty() {
            Self::Nothing
        } else if of_risk.peek().is_none() {
            Self::LossOnly
        } else if of_risk.all(|gate| !gate.perturbed.is_empty()) {
            Self::PerturbedKeysOnly
        } else {
            Self::Risk
        }
    }

    /// What a reader could believe to have been judged and was not.
    pub const fn missing(self) -> Option<&'static str> {
        match self {
            Self::Risk => None,
            Self::PerturbedKeysOnly => Some(
                "Every condition on the risk of disclosure counts keys that a step perturbed; that they were judged \
                 all the same rests on the reasons in the plan.",
            ),
            Self::LossOnly => Some(
                "No condition is about the risk of disclosure: the file went whatever an intruder can learn from it.",
            ),
            Self::Nothing => Some(
                "Nothing was judged before the file went: whether it protects anybody is for its reader to see from \
                 the figures.",
            ),
        }
    }
}

/// Whether a file that nobody masked has the best figure there is, so that it says nothing of a raw one: no blank can
/// be worked out where there is none.
fn is_best_of_raw_files(measure: &str) -> bool {
    registry::measure(measure)
        .is_some_and(|measure| measure.declared().raw_files == RawFiles::Perfect)
}

/// That keys were perturbed, in words: "age was perturbed", "age, sex were perturbed".
pub fn were_perturbed(keys: &[String]) -> String {
    let verb = if keys.len() == 1 { "was" } else { "were" };
    format!("{} {verb} perturbed", keys.join(", "))
}
