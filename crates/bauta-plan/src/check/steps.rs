//! Checking the steps of a plan: methods, variables and parameters, one after the other.

use bauta_data::{Attribute, Role, near};
use bauta_methods::mask::KindAfter;
use bauta_methods::mask::drop_identifiers::DropIdentifiers;
use bauta_methods::pair::Rows;
use bauta_methods::{Card, ParamType, Params, RawValue, registry};

use super::Checker;
use super::step_scenarios::Known;
use crate::draft::{Given, MethodDraft, StepDraft};
use crate::plan::{Step, StepMethod, SwitchedOff};
use crate::prepare::{Prepared, prepare_step};
use crate::problem::{Place, Problem, ProblemKind, Spot};

/// The parameter that takes the name of a file of totals for the totals themselves.
pub(super) const TOTALS: &str = "totals";

/// The key of a plan that a method of another family belongs to.
fn key_of(id: &str) -> Option<&'static str> {
    if registry::adjuster(id).is_some() {
        Some("adjust")
    } else if registry::mask(id).is_some() {
        Some("mask")
    } else {
        registry::measure(id).map(|_| "[[measure]] with use")
    }
}

/// A step of the plan's text: what keys its draws, and its method.
struct Named {
    key: String,
    id: &'static str,
}

impl Checker<'_> {
    /// The steps in order, and what each leaves of the variables; besides, those that are not carried out.
    pub(super) fn steps(
        &mut self,
        drafts: &[StepDraft],
        known: Known<'_>,
    ) -> (Vec<Step>, Vec<SwitchedOff>) {
        let (mut steps, mut off): (Vec<Step>, Vec<SwitchedOff>) = (Vec::new(), Vec::new());
        let mut before: Vec<Named> = Vec::new();
        for draft in drafts {
            if draft.off {
                let Some((method, span)) = self.switched_off(draft, known) else {
                    continue;
                };
                let named = self.named(draft, &before);
                off.push(SwitchedOff {
                    key: named.key.clone(),
                    method,
                    span,
                });
                before.push(named);
            } else if let Some(step) = self.step(draft, &before, known) {
                before.push(Named {
                    key: step.key.clone(),
                    id: step.method.card().id,
                });
                steps.push(step);
            }
        }
        self.drop_identifiers_left(&mut steps);
        (steps, off)
    }

    /// Identifiers are never released: where no step removes them, one is added.
    fn drop_identifiers_left(&mut self, steps: &mut Vec<Step>) {
        let left: Vec<String> = self
            .live
            .values()
            .filter(|attribute| attribute.role == Role::Identifier)
            .map(|attribute| attribute.name.clone())
            .collect();
        if left.is_empty() {
            return;
        }
        for name in &left {
            self.live.remove(name);
            self.dropped.insert(name.clone());
        }
        steps.push(Step {
            key: "drop-identifiers (implied)".to_owned(),
            method: StepMethod::Mask(&DropIdentifiers),
            on: left,
            params: Params::default(),
            span: None,
            why: Some("variables with the role identifier are never released".to_owned()),
        });
    }

    /// The variables of a step and what was given to its method.
    pub(super) fn works_on(
        &self,
        method: StepMethod,
        draft: &StepDraft,
        known: Known<'_>,
    ) -> (Vec<String>, Given) {
        let card = method.card();
        match self.of_scenarios(card, draft, known) {
            Some(of_scenarios) => of_scenarios,
            None => (
                self.targets(card, draft),
                self.with_totals(method, &draft.params),
            ),
        }
    }

    fn step(&mut self, draft: &StepDraft, before: &[Named], known: Known<'_>) -> Option<Step> {
        let method = self.method(draft)?;
        let card = method.card();
        let (on, given) = self.works_on(method, draft, known);
        let attributes: Vec<&Attribute> =
            on.iter().filter_map(|name| self.live.get(name)).collect();
        let prepared = prepare_step(method, &given.plain(), &attributes);
        let params = self.accepted(card, prepared, &given, &draft.place.0)?;
        self.leave(method, &on, &params);
        Some(Step {
            key: self.named(draft, before).key,
            method,
            on,
            params,
            why: draft.why.clone(),
            span: draft.place.0.span().cloned(),
        })
    }

    /// What a step leaves of the variables it works on.
    fn leave(&mut self, method: StepMethod, on: &[String], params: &Params) {
        let facts = match method {
            StepMethod::Mask(mask) => mask.facts(params),
            StepMethod::Adjuster(adjuster) => adjuster.facts(params),
        };
        if facts.rows == Rows::Unrelated {
            self.untraced_by.get_or_insert(method.card().id.to_owned());
        }
        self.chosen_or_weighted |= facts.removes_records || facts.reweights;
        if facts.reweights {
            let weights = self.live.values().filter(|a| a.role == Role::Weight);
            let weights: Vec<String> = weights.map(|weight| weight.name.clone()).collect();
            self.touched.extend(weights);
        }
        for name in on {
            let Some(attribute) = self.live.get_mut(name) else {
                continue;
            };
            match facts.kind_after.of(attribute.kind) {
                Some(kind) => {
                    attribute.kind = kind;
                    if facts.kind_after != KindAfter::Same {
                        // What was recoded is no date any more.
                        attribute.date = None;
                    }
                    self.touched.insert(name.clone());
                }
                None => {
                    self.live.remove(name);
                    self.dropped.insert(name.clone());
                }
            }
        }
    }

    /// The parameters of a step, with the totals of a file in the place of its name.
    fn with_totals(&self, method: StepMethod, given: &Given) -> Given {
        let mut given = given.clone();
        let takes_totals = matches!(method, StepMethod::Adjuster(_));
        for (_, value) in given
            .0
            .iter_mut()
            .filter(|(name, _)| takes_totals && name.value == TOTALS)
        {
            let RawValue::Text(file) = &value.value else {
                continue;
            };
            let totals = self.surroundings.totals(file).unwrap_or_else(|error| {
                let found = error.problems.into_iter();
                let located =
                    found.map(|problem| Problem::from_data(problem, &value.place).in_file(file));
                self.problems.borrow_mut().extend(located);
                Vec::new()
            });
            let named = totals.into_iter();
            let named = named.map(|(name, total)| (name, RawValue::Number(total)));
            value.value = RawValue::Map(named.collect());
        }
        given
    }

    /// The method that a step names; reports it if there is none.
    pub(super) fn method(&self, draft: &StepDraft) -> Option<StepMethod> {
        let found = match &draft.method {
            MethodDraft::Mask(id) => registry::mask(id).map(StepMethod::Mask),
            MethodDraft::Adjust(id) => registry::adjuster(id).map(StepMethod::Adjuster),
        };
        if found.is_none() {
            let masks = registry::MASKS.iter().map(|mask| mask.card().id);
            let adjusters = registry::ADJUSTERS
                .iter()
                .map(|adjuster| adjuster.card().id);
            match &draft.method {
                MethodDraft::Mask(id) => self.unknown_method(id, "mask", masks),
                MethodDraft::Adjust(id) => self.unknown_method(id, "adjuster", adjusters),
            }
        }
        found
    }

    pub(crate) fn unknown_method<'m>(
        &self,
        name: &Spot<String>,
        family: &str,
        ids: impl Iterator<Item = &'m str> + Clone,
    ) {
        let message = format!("there is no {family} `{}`", name.value);
        let hint = match key_of(&name.value) {
            Some(key) => format!("it is of another sort: write {key} = \"{}\"", name.value),
            None => near::hint(&name.value, ids),
        };
        self.push(Problem::at(
            ProblemKind::UnknownMethod,
            &name.place,
            message,
            hint,
        ));
    }

    /// The variables of a step, checked against its card.
    fn targets(&self, card: &Card, draft: &StepDraft) -> Vec<String> {
        let Some(on) = &draft.on else {
            if card.targets.default_roles.is_empty() {
                let message = format!("`{}` needs the key `on`", card.id);
                let hint = "add on = […], the variables to work on";
                self.push(Problem::at(
                    ProblemKind::Plan,
                    &draft.place.0,
                    message,
                    hint,
                ));
            }
            let by_role = self
                .live
                .values()
                .filter(|attribute| card.targets.default_roles.contains(&attribute.role));
            return by_role.map(|attribute| attribute.name.clone()).collect();
        };
        if on.value.is_empty() {
            let message = format!("`on` of `{}` is empty", card.id);
            self.push(Problem::at(
                ProblemKind::Plan,
                &on.place,
                message,
                "name the variables to work on",
            ));
        }
        let names = self.known_list(&on.value);
        for name in &on.value {
            if self.dropped.contains(&name.value) {
                self.dropped_earlier(name);
            }
            let attribute = self.live.get(&name.value);
            let Some(attribute) = attribute.filter(|_| names.contains(&name.value)) else {
                continue;
            };
            self.suits(card, attribute, name);
        }
        names
    }

    fn dropped_earlier(&self, name: &Spot<String>) {
        let message = format!("`{}` was dropped by an earlier step", name.value);
        let hint = "move this step up, or leave the variable out";
        self.push(Problem::at(ProblemKind::Plan, &name.place, message, hint));
    }

    /// Whether a method takes a variable; reports it if not.
    pub(crate) fn suits(&self, card: &Card, attribute: &Attribute, name: &Spot<String>) -> bool {
        let problem = card.targets.problem(card.id, attribute);
        let problem = problem.filter(|_| !self.doubtful.contains(&name.value));
        if let Some(problem) = problem {
            self.push(Problem::from_param(problem, &name.place).of_variable(&name.value));
            return false;
        }
        true
    }

    /// Parameters that a card accepts; reports what is wrong with them at their places, and what
    /// they name that the file has not.
    pub(crate) fn accepted(
        &self,
        card: &Card,
        prepared: Prepared,
        given: &Given,
        section: &Place,
    ) -> Option<Params> {
        let Prepared { params, problems } = prepared;
        if let Some(params) = &params {
            self.check_names(card, params, given, section);
        }
        for problem in problems {
            let place = param_place(card, problem.param.as_deref(), given, section);
            self.push(Problem::from_param(problem, &place));
        }
        params
    }

    /// Reports variables in parameters that the file has not, or no longer has.
    fn check_names(&self, card: &Card, params: &Params, given: &Given, section: &Place) {
        for spec in card.params {
            let names: Vec<&str> = match spec.ty {
                ParamType::Variables => {
                    params.texts(spec.name).iter().map(String::as_str).collect()
                }
                ParamType::Terms => variables_of_terms(params.texts(spec.name)),
                _ => continue,
            };
            for name in names {
                let place = param_place(card, Some(spec.name), given, section);
                let name = Spot::new(name.to_owned(), place);
                if self.dropped.contains(&name.value) {
                    self.dropped_earlier(&name);
                } else {
                    self.known(&name);
                }
            }
        }
    }

    /// A name for the step that stays when other steps are added, or switched off and on: its own, or the
    /// method and how many times the method came before.
    fn named(&self, draft: &StepDraft, before: &[Named]) -> Named {
        let id = registry::card(draft.method.id()).map_or("", |card| card.id);
        if let Some(name) = &draft.name {
            if before.iter().any(|step| step.key == name.value) {
                let message = format!("there are two steps named `{}`", name.value);
                self.push(Problem::at(
                    ProblemKind::Plan,
                    &name.place,
                    message,
                    "rename one of them",
                ));
            }
            let key = name.value.clone();
            return Named { key, id };
        }
        let repeats = before.iter().filter(|step| step.id == id).count();
        let key = if repeats == 0 {
            id.to_owned()
        } else {
            format!("{id} {}", repeats + 1)
        };
        Named { key, id }
    }
}

/// The variables that terms name, each once; `1` is not one of them.
fn variables_of_terms(terms: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in terms.iter().flat_map(|term| term.split('*')).map(str::trim) {
        if name != "1" && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Where a parameter's value stands, its name if the card does not know it, or the section if it is
/// not given.
fn param_place(card: &Card, param: Option<&str>, given: &Given, section: &Place) -> Place {
    let entry = given
        .0
        .iter()
        .find(|(name, _)| Some(name.value.as_str()) == param);
    entry.map_or_else(
        || section.clone(),
        |(name, value)| {
            let known = card.param(name).is_some();
            if known { &value.place } else { &name.place }.clone()
        },
    )
}

impl StepMethod {
    /// What the method says of itself.
    pub fn card(&self) -> &'static Card {
        match self {
            Self::Mask(mask) => mask.card(),
            Self::Adjuster(adjuster) => adjuster.card(),
        }
    }
}
