//! Checking what intruders are assumed to know.

use bauta_data::Role;

use super::Checker;
use crate::draft::Draft;
use crate::plan::Scenario;
use crate::problem::{Problem, ProblemKind};

impl Checker<'_> {
    /// The scenarios; without any, all keys make one.
    pub(super) fn scenarios(&self, draft: &Draft) -> Vec<Scenario> {
        let mut scenarios: Vec<Scenario> = Vec::new();
        for scenario in &draft.scenarios {
            let name = &scenario.name;
            if scenarios.iter().any(|other| other.name == name.value) {
                let message = format!("there are two scenarios `{}`", name.value);
                let hint = "rename one of them";
                self.push(Problem::at(ProblemKind::Plan, &name.place, message, hint));
            }
            for key in &scenario.keys.value {
                let role = self.live.get(&key.value).map(|attribute| attribute.role);
                if role == Some(Role::Weight) {
                    let message = format!("`{}` is the weight, which is no key", key.value);
                    let hint = "take it out of `keys`, or correct its role";
                    self.push(Problem::at(ProblemKind::Plan, &key.place, message, hint));
                }
            }
            scenarios.push(Scenario {
                name: name.value.clone(),
                keys: self.known_list(&scenario.keys),
                why: scenario.why.clone(),
            });
        }
        let keys: Vec<String> = draft
            .variables
            .iter()
            .filter(|variable| variable.role == Role::Key)
            .map(|variable| variable.name.value.clone())
            .collect();
        if scenarios.is_empty() && !keys.is_empty() {
            scenarios.push(Scenario {
                name: "all keys".to_owned(),
                keys,
                why: None,
            });
        }
        scenarios
    }
}
