//! A plan as text, each part with its reason above it.

use bauta_data::inspect::FileProfile;

use super::{Drafted, Part, Reasoned};
use crate::toml::write;
use crate::work::advise::Because;
use crate::work::init::{units_text, unlinked_text};

impl Drafted {
    /// The reasons, in the order of the plan.
    pub(in crate::work::advise) fn because(&self) -> Vec<Because> {
        let reasons = self.parts.iter();
        reasons
            .filter_map(|reasoned| reasoned.because.clone())
            .collect()
    }

    /// The sections of the plan's text, each with its reason above it.
    pub(in crate::work::advise) fn sections(&self, profile: &FileProfile) -> Vec<String> {
        let mut out = Vec::new();
        if self.draft.scenarios.is_empty() {
            out.push(
                "# No keys were found that equal values could be counted of. If others can know a variable, give it \
                 the role key\n# and ask again.\n"
                    .to_owned(),
            );
        }
        out.extend(unlinked_text(profile));
        let first_gate = |reasoned: &Reasoned| matches!(reasoned.part, Part::Gate(_));
        let gates = self.parts.iter().position(first_gate);
        for (position, Reasoned { part, because }) in self.parts.iter().enumerate() {
            let mut text = String::new();
            if Some(position) == gates {
                text.push_str(
                    "# Conditions of release: the file stays in the house until all of them hold.\n",
                );
                text.extend(units_text(profile));
            }
            text.push_str(&match part {
                Part::Scenario(scenario) => commented(because.as_ref(), write::scenario(scenario)),
                Part::Step(step) => commented(because.as_ref(), write::step(step)),
                Part::Measure(measure) => write::measure(measure),
                // Its reason stands in it.
                Part::Gate(gate) => write::gate(gate),
                Part::Look => because.iter().map(looked_at).collect(),
            });
            out.push(text);
        }
        out
    }
}

/// A section below its reason.
fn commented(because: Option<&Because>, section: String) -> String {
    let Some(Because { why, page, .. }) = because else {
        return section;
    };
    format!("{}{section}", wrapped(&format!("{why} ({page})")))
}

fn looked_at(because: &Because) -> String {
    wrapped(&format!("LOOK: {}", because.why))
}

/// A text as lines of comments.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 114;
    let mut out = String::new();
    let mut line = String::from("#");
    for word in text.split(' ') {
        if line.chars().count() + word.chars().count() >= WIDTH && line.len() > 1 {
            out.push_str(&line);
            out.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    out.push_str(&line);
    out.push('\n');
    out
}
