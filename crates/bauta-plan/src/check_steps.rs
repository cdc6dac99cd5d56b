//! Checking the steps of a plan: methods, variables and parameters, one after the other.

use bauta_data::{Attribute, Role, near};
use bauta_methods::pair::Rows;
use bauta_methods::{Card, ParamType, Params, RawValue, registry};

use crate::check::Checker;
use crate::draft::{StepDraft, StepFamily};
use crate::plan::{Step, StepMethod};
use crate::problem::{Problem, ProblemKind, Span, Spot};

impl Checker<'_> {
    /// The steps in order, and what each leaves of the variables.
    pub(crate) fn steps(&mut self, drafts: &[StepDraft]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for draft in drafts {
            let step = self.step(draft, &steps);
            steps.extend(step);
        }
        self.drop_identifiers_left(&mut steps);
        steps
    }

    /// Identifiers are never released: where no step removes them, one is added.
    fn drop_identifiers_left(&mut self, steps: &mut Vec<Step>) {
        let left: Vec<String> = self
            .live
            .values()
            .filter(|attribute| attribute.role == Role::Identifier)
            .map(|attribute| attribute.name.clone())
            .collect();
        let Some(mask) = registry::mask("drop-identifiers").filter(|_| !left.is_empty()) else {
            return;
        };
        for name in &left {
            self.live.remove(name);
            self.dropped.insert(name.clone());
        }
        steps.push(Step {
            key: "drop-identifiers (implied)".to_owned(),
            method: StepMethod::Mask(mask),
            on: left,
            params: Params::default(),
            span: None,
            why: Some("variables with the role identifier are never released".to_owned()),
        });
    }

    fn step(&mut self, draft: &StepDraft, before: &[Step]) -> Option<Step> {
        let method = self.method(draft)?;
        let card = method.card();
        let on = self.targets(card, draft);
        let params = self.params(card, &draft.params, &draft.span)?;
        let attributes: Vec<&Attribute> =
            on.iter().filter_map(|name| self.live.get(name)).collect();
        let problems = match method {
            StepMethod::Mask(mask) => mask.check(&params, &attributes),
            StepMethod::Adjuster(adjuster) => adjuster.check(&params, &attributes),
        };
        for problem in problems {
            let span = param_span(problem.param.as_deref(), &draft.params, &draft.span);
            self.push(Problem::from_param(problem, &span));
        }
        let facts = match method {
            StepMethod::Mask(mask) => mask.facts(&params),
            StepMethod::Adjuster(adjuster) => adjuster.facts(&params),
        };
        if facts.rows == Rows::Unrelated {
            self.untraced_by.get_or_insert(card.id.to_owned());
        }
        if facts.reweights {
            let weights = self.live.values().filter(|a| a.role == Role::Weight);
            let weights: Vec<String> = weights.map(|weight| weight.name.clone()).collect();
            self.touched.extend(weights);
        }
        for name in &on {
            let Some(attribute) = self.live.get_mut(name) else {
                continue;
            };
            match facts.kind_after.of(attribute.kind) {
                Some(kind) => {
                    attribute.kind = kind;
                    self.touched.insert(name.clone());
                }
                None => {
                    self.live.remove(name);
                    self.dropped.insert(name.clone());
                }
            }
        }
        Some(Step {
            key: self.step_key(draft, before),
            method,
            on,
            params,
            why: draft.why.clone(),
            span: Some(draft.span.clone()),
        })
    }

    /// The method that a step names; reports it if there is none.
    fn method(&self, draft: &StepDraft) -> Option<StepMethod> {
        let name = &draft.method;
        let found = match draft.family {
            StepFamily::Mask => registry::mask(&name.value).map(StepMethod::Mask),
            StepFamily::Adjuster => registry::adjuster(&name.value).map(StepMethod::Adjuster),
        };
        if found.is_none() {
            let masks = registry::MASKS.iter().map(|mask| mask.card().id);
            let adjusters = registry::ADJUSTERS
                .iter()
                .map(|adjuster| adjuster.card().id);
            match draft.family {
                StepFamily::Mask => self.unknown_method(name, "mask", masks),
                StepFamily::Adjuster => self.unknown_method(name, "adjuster", adjusters),
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
        let hint = near::hint(&name.value, ids);
        self.push(Problem::at(
            ProblemKind::UnknownMethod,
            &name.span,
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
                self.push(Problem::at(ProblemKind::Plan, &draft.span, message, hint));
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
                &on.span,
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
        self.push(Problem::at(ProblemKind::Plan, &name.span, message, hint));
    }

    /// Whether a method takes a variable; reports it if not.
    pub(crate) fn suits(&self, card: &Card, attribute: &Attribute, name: &Spot<String>) -> bool {
        let problem = card.targets.problem(card.id, attribute);
        let problem = problem.filter(|_| !self.doubtful.contains(&name.value));
        if let Some(problem) = problem {
            self.push(Problem::from_param(problem, &name.span).of_variable(&name.value));
            return false;
        }
        true
    }

    /// Parameters of a step or measure, checked against the card and, where they name variables,
    /// against the file.
    pub(crate) fn params(
        &self,
        card: &Card,
        given: &[(Spot<String>, Spot<RawValue>)],
        span: &Span,
    ) -> Option<Params> {
        let plain: Vec<(String, RawValue)> = given
            .iter()
            .map(|(name, value)| (name.value.clone(), value.value.clone()))
            .collect();
        // An unknown name is marked itself, a wrong value at the value.
        let place = |param: Option<&str>| {
            let unknown = given.iter().find(|(name, _)| {
                Some(name.value.as_str()) == param && card.param(&name.value).is_none()
            });
            unknown.map_or_else(
                || param_span(param, given, span),
                |(name, _)| name.span.clone(),
            )
        };
        let params = Params::check(card, &plain)
            .map_err(|problems| {
                for problem in problems {
                    let span = place(problem.param.as_deref());
                    self.push(Problem::from_param(problem, &span));
                }
            })
            .ok()?;
        for spec in card.params {
            let names: Vec<&str> = match spec.ty {
                ParamType::Variables => {
                    params.texts(spec.name).iter().map(String::as_str).collect()
                }
                ParamType::Terms => variables_of_terms(params.texts(spec.name)),
                _ => continue,
            };
            for name in names {
                let name = Spot::new(name.to_owned(), place(Some(spec.name)));
                if self.dropped.contains(&name.value) {
                    self.dropped_earlier(&name);
                } else {
                    self.known(&name);
                }
            }
        }
        Some(params)
    }

    /// A name for the step that stays when other steps are added: its own, or the method and how
    /// many times the method came before.
    fn step_key(&self, draft: &StepDraft, before: &[Step]) -> String {
        if let Some(name) = &draft.name {
            if before.iter().any(|step| step.key == name.value) {
                let message = format!("there are two steps named `{}`", name.value);
                self.push(Problem::at(
                    ProblemKind::Plan,
                    &name.span,
                    message,
                    "rename one of them",
                ));
            }
            return name.value.clone();
        }
        let id = &draft.method.value;
        let repeats = before
            .iter()
            .filter(|step| step.method.card().id == id)
            .count();
        if repeats == 0 {
            id.clone()
        } else {
            format!("{id} {}", repeats + 1)
        }
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

/// Where a parameter's value stands, or the section if it is not given.
fn param_span(
    param: Option<&str>,
    given: &[(Spot<String>, Spot<RawValue>)],
    section: &Span,
) -> Span {
    let entry = given
        .iter()
        .find(|(name, _)| Some(name.value.as_str()) == param);
    entry.map_or_else(|| section.clone(), |(_, value)| value.span.clone())
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
