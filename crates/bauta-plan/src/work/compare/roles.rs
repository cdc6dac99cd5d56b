//! What the variables of two files are for, as a plan says it.

use std::path::Path;

use bauta_data::format::ReadOptions;
use bauta_data::{Attribute, Kind, Role};

use super::{CompareRequest, WorkError};
use crate::plan::Scenario;
use crate::work::{HierarchyForm, KeyHierarchy, Planned, Reading};

impl CompareRequest {
    /// The request with what its plan says of the variables that both files have.
    pub(super) fn with_plan_of_files(
        &self,
        [original, masked]: [&Path; 2],
        reading: &Reading,
    ) -> Result<Self, WorkError> {
        let Some(planned) = &self.planned else {
            return Ok(self.clone());
        };
        let [original, masked] = [original, masked].map(|file| planned.columns(file, reading));
        let (original, masked) = (original?, masked?);
        let renamed = planned.weight_in(&masked);
        let is_weight = |name: &String| {
            renamed.is_some() && planned.with_role(Role::Weight).any(|one| one.name == *name)
        };
        let in_both = original.into_iter();
        let in_both = in_both.filter(|name| masked.contains(name) || is_weight(name));
        Ok(self.with_plan(planned, &in_both.collect::<Vec<_>>()))
    }

    /// The request with what a plan says of these variables wherever nothing is named: keys by scenario, sensitive
    /// answers, the weight, and which variables are numbers.
    pub(super) fn with_plan(&self, planned: &Planned, in_both: &[String]) -> Self {
        let mut request = self.clone();
        let is_there = |name: &String| in_both.contains(name);
        if request.keys.is_empty() {
            request.scenarios = scenarios_of(planned, in_both);
            for key in request.scenarios.iter().flat_map(|scenario| &scenario.keys) {
                if !request.keys.contains(key) {
                    request.keys.push(key.clone());
                }
            }
        }
        let keys = request.keys.clone();
        let is_free = |name: &String| is_there(name) && !keys.contains(name);
        let is_number = |one: &&Attribute| one.kind == Kind::Continuous;
        if request.weight.is_none() {
            let mut weights = planned.with_role(Role::Weight).map(|one| &one.name);
            request.weight = weights.find(|name| is_free(name)).cloned();
        }
        if request.sensitive.is_empty() {
            let answers = planned
                .with_role(Role::Sensitive)
                .filter(|one| !is_number(one));
            let answers = answers.map(|one| &one.name).filter(|name| is_free(name));
            request.sensitive = answers.cloned().collect();
        }
        request.skip_missing |= planned.skips_missing;
        request.perturbed = planned.perturbed_among(in_both);
        for name in in_both {
            let Some(described) = planned.attribute(name) else {
                continue;
            };
            let is_content = matches!(described.role, Role::Key | Role::Sensitive | Role::Other);
            if is_content && is_number(&described) {
                request.numbers.push(name.clone());
            } else {
                request.no_numbers.push(name.clone());
            }
            if keys.contains(name) {
                request.take_kind(described);
            }
        }
        request
    }

    /// Order and hierarchy of a key, where nothing else was said of it.
    fn take_kind(&mut self, described: &Attribute) {
        let name = &described.name;
        let is_said = self.ordered.contains(name)
            || self.hierarchies.iter().any(|given| given.variable == *name);
        if is_said {
            return;
        }
        match (&described.hierarchy, described.kind) {
            (Some(spec), _) => self.hierarchies.push(KeyHierarchy {
                variable: name.clone(),
                form: HierarchyForm::Ready(spec.clone()),
            }),
            (None, Kind::Ordered) => self.ordered.push(name.clone()),
            (None, _) => {}
        }
    }

    /// How one of the files is read.
    pub(super) fn options(&self, file: &Path, reading: &Reading) -> Result<ReadOptions, WorkError> {
        let schema = self.schema().map_err(|error| error.in_file(file))?;
        match &self.planned {
            Some(planned) => planned.options(file, reading, schema),
            None => Ok(reading.options(schema)),
        }
    }

    /// The sets of keys that are counted, each with its scenario.
    pub(super) fn sets_of_keys(&self) -> Vec<(Option<&str>, &[String])> {
        if self.scenarios.is_empty() {
            return vec![(None, &self.keys)];
        }
        let sets = self.scenarios.iter();
        sets.map(|set| (Some(set.name.as_str()), set.keys.as_slice()))
            .collect()
    }

    /// Keys and sensitive answers that hold categories.
    pub(super) fn categories(&self) -> Vec<String> {
        let named = self.keys.iter().chain(&self.sensitive);
        let named = named.filter(|name| !self.numbers.contains(name));
        named.cloned().collect()
    }
}

/// The scenarios, with the keys that both files have; whoever has none of them left finds nobody by them.
fn scenarios_of(planned: &Planned, in_both: &[String]) -> Vec<Scenario> {
    let scenarios = planned.scenarios(None).unwrap_or_default().into_iter();
    let scenarios = scenarios.map(|mut scenario| {
        scenario.keys.retain(|key| in_both.contains(key));
        scenario
    });
    scenarios
        .filter(|scenario| !scenario.keys.is_empty())
        .collect()
}
