//! Steps that work on the keys of scenarios: names of scenarios become their keys.

use bauta_data::near;
use bauta_methods::{Card, ParamSpec, ParamType, RawValue};

use super::Checker;
use crate::draft::{Given, StepDraft};
use crate::plan::Scenario;
use crate::problem::{Place, Problem, ProblemKind, Spot};

/// The scenarios of a plan, and whether it describes them itself.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) scenarios: &'a [Scenario],
    pub(super) described: bool,
}

impl Checker<'_> {
    /// The variables of a step and its parameters, where these are the keys of scenarios: those that
    /// the step names, or all where it names neither scenarios nor variables. None for other steps.
    pub(super) fn of_scenarios(
        &self,
        card: &Card,
        draft: &StepDraft,
        known: Known<'_>,
    ) -> Option<(Vec<String>, Given)> {
        let spec = card
            .params
            .iter()
            .find(|spec| spec.ty == ParamType::KeySets)?;
        let mut given = draft.params.clone();
        let entry = given.0.iter_mut().find(|(name, _)| name.value == spec.name);
        let Some((_, value)) = entry else {
            if draft.on.is_some() || !known.described {
                return None;
            }
            let place = &draft.place.0;
            let all: Vec<&Scenario> = known.scenarios.iter().collect();
            let (on, sets) = self.keys_of(card, &all, place);
            given.0.push((
                Spot::new(spec.name.to_owned(), place.clone()),
                Spot::new(sets, place.clone()),
            ));
            return Some((on, given));
        };
        let names = match &value.value {
            RawValue::List(names) => names,
            RawValue::Map(sets) if draft.on.is_none() => {
                let on = self.named_in(card, sets, &value.place);
                return Some((on, given));
            }
            _ => return None,
        };
        let mut named = Vec::new();
        for name in names {
            let RawValue::Text(name) = name else {
                // The card says what it takes.
                return None;
            };
            named.extend(self.scenario_named(name, known.scenarios, &value.place));
        }
        if let Some(on) = &draft.on {
            self.both_given(spec, &on.place);
        }
        let (on, sets) = self.keys_of(card, &named, &value.place);
        value.value = sets;
        Some((on, given))
    }

    fn both_given(&self, spec: &ParamSpec, place: &Place) {
        let message = format!(
            "the step names variables in `on` and scenarios in `{}`",
            spec.name
        );
        let hint = "leave one of them out: scenarios bring their own keys";
        self.push(Problem::at(ProblemKind::Plan, place, message, hint));
    }

    /// The scenario of a name; reports it if there is none.
    pub(super) fn scenario_named<'s>(
        &self,
        name: &str,
        scenarios: &'s [Scenario],
        place: &Place,
    ) -> Option<&'s Scenario> {
        let found = scenarios.iter().find(|scenario| scenario.name == *name);
        if found.is_none() {
            let message = format!("there is no scenario `{name}`");
            let names = scenarios.iter().map(|scenario| scenario.name.as_str());
            let hint = near::hint(name, names);
            self.push(Problem::at(ProblemKind::Plan, place, message, hint));
        }
        found
    }

    /// All keys of some scenarios in file order, and the keys of each. What an earlier step dropped
    /// tells nobody anything.
    fn keys_of(
        &self,
        card: &Card,
        scenarios: &[&Scenario],
        place: &Place,
    ) -> (Vec<String>, RawValue) {
        let (mut on, mut sets): (Vec<String>, Vec<(String, RawValue)>) = (Vec::new(), Vec::new());
        for scenario in scenarios {
            let keys = scenario.keys.iter();
            let keys: Vec<&String> = keys.filter(|key| !self.dropped.contains(*key)).collect();
            for &key in &keys {
                if !on.contains(key) {
                    self.check_key(card, key, place);
                    on.push(key.clone());
                }
            }
            if !keys.is_empty() && !sets.iter().any(|(name, _)| *name == scenario.name) {
                let keys = keys.into_iter().map(|key| RawValue::Text(key.clone()));
                sets.push((scenario.name.clone(), RawValue::List(keys.collect())));
            }
        }
        (self.in_file_order(on), RawValue::Map(sets))
    }

    /// The variables that sets of keys name, in file order.
    fn named_in(&self, card: &Card, sets: &[(String, RawValue)], place: &Place) -> Vec<String> {
        let mut on = Vec::new();
        for (_, keys) in sets {
            let RawValue::List(keys) = keys else { continue };
            for key in keys {
                let RawValue::Text(key) = key else { continue };
                if !on.contains(key) && self.known(&Spot::new(key.clone(), place.clone())) {
                    self.check_key(card, key, place);
                    on.push(key.clone());
                }
            }
        }
        self.in_file_order(on)
    }

    fn check_key(&self, card: &Card, key: &str, place: &Place) {
        if let Some(attribute) = self.live.get(key) {
            self.suits(card, attribute, &Spot::new(key.to_owned(), place.clone()));
        }
    }
}
