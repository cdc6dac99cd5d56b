//! From [`Draft`] to [`Plan`]: everything is looked up, everything wrong is gathered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bauta_data::format::{self, ReadOptions};
use bauta_data::{Attribute, HierarchySpec, Kind, Role, Schema, near};
use bauta_methods::registry;
use bauta_methods::{Card, ParamType, Params, RawValue};

use crate::check_measures::{check_gates, check_measures};
use crate::check_output::OutputCheck;
use crate::draft::{Draft, HierarchyDraft, StepDraft, VariableDraft};
use crate::fields::Problems;
use crate::plan::{NamedPath, Plan, Scenario, Step, StepMethod};
use crate::problem::{Problem, ProblemKind, Span, Spot};

/// What is known of the variables while the plan is walked through.
pub(crate) struct Checker<'a> {
    pub(crate) problems: &'a Problems,
    /// Columns of the file; `None` if it could not be read, which is reported once.
    pub(crate) columns: Option<Vec<String>>,
    /// Descriptions by name, kinds as they are after the steps so far.
    pub(crate) live: BTreeMap<String, Attribute>,
    /// Variables whose own line is wrong; what follows from it is not reported again.
    pub(crate) doubtful: BTreeSet<String>,
    /// Variables that a step has removed.
    pub(crate) dropped: BTreeSet<String>,
    /// Variables that a step has masked.
    pub(crate) touched: BTreeSet<String>,
}

/// Checks a draft. The plan is usable only if no problem was found.
pub(crate) fn check(
    draft: Draft,
    text: &str,
    file: &str,
    folder: &Path,
    problems: &Problems,
) -> Option<Plan> {
    let attributes: Vec<Attribute> = draft
        .variables
        .iter()
        .map(|variable| attribute(variable, folder, problems))
        .collect();
    check_roles(&draft.variables, problems);
    check_texts(&draft, problems);
    let read = ReadOptions {
        schema: Schema {
            attributes,
            missing: draft.data.missing.clone(),
        },
        delimiter: draft.data.delimiter,
        decimal: draft.data.decimal,
        encoding: draft.data.encoding,
    };
    let input = draft
        .data
        .file
        .as_ref()
        .map(|file| resolve_path(folder, &file.value));
    let columns = input
        .as_ref()
        .zip(draft.data.file.as_ref())
        .and_then(|(input, file)| {
            format::column_names(&input.path, &read)
                .map_err(|error| {
                    let found = error.problems.into_iter();
                    problems
                        .borrow_mut()
                        .extend(found.map(|problem| Problem::from_data(problem, &file.span)));
                })
                .ok()
        });
    let mut checker = Checker::new(problems, columns, &read.schema);
    for variable in &draft.variables {
        checker.known(&variable.name);
        if variable.doubtful {
            checker.doubtful.insert(variable.name.value.clone());
        }
    }
    let scenarios = checker.scenarios(&draft);
    let steps = checker.steps(&draft.steps);
    let original: BTreeMap<String, Attribute> = checker.originals(&read.schema);
    let measures = check_measures(&checker, &original, &draft.measures, &scenarios);
    let gates = check_gates(&draft, &measures, problems);
    let output = OutputCheck {
        draft: &draft.output,
        folder,
        problems,
    }
    .check(&files_read(&draft, file, folder));
    if !problems.borrow().is_empty() {
        return None;
    }
    Some(Plan {
        title: draft.title,
        seed: draft.seed,
        input: input?,
        read,
        labels: labels(&draft.variables),
        scenarios,
        steps,
        measures,
        gates,
        output: output?,
        text: text.to_owned(),
        file: file.to_owned(),
    })
}

/// Files that the plan reads and no output may replace.
fn files_read(draft: &Draft, plan_file: &str, folder: &Path) -> Vec<PathBuf> {
    let input = draft.data.file.iter().map(|file| file.value.as_str());
    let hierarchies =
        draft
            .variables
            .iter()
            .filter_map(|variable| match &variable.hierarchy.as_ref()?.value {
                HierarchyDraft::File(file) => Some(file.as_str()),
                HierarchyDraft::Ready(_) => None,
            });
    let files = input.chain(hierarchies).chain([plan_file]);
    files.map(|file| folder.join(file)).collect()
}

fn labels(variables: &[VariableDraft]) -> Vec<(String, String)> {
    let labelled = variables.iter().filter_map(|variable| {
        let label = variable.label.clone()?;
        Some((variable.name.value.clone(), label))
    });
    labelled.collect()
}

/// A path of the plan, relative to the plan's folder.
pub(crate) fn resolve_path(folder: &Path, given: &str) -> NamedPath {
    NamedPath {
        given: given.to_owned(),
        path: folder.join(given),
    }
}

fn attribute(variable: &VariableDraft, folder: &Path, problems: &Problems) -> Attribute {
    let hierarchy = variable
        .hierarchy
        .as_ref()
        .and_then(|hierarchy| match &hierarchy.value {
            HierarchyDraft::Ready(spec) => Some(spec.clone()),
            HierarchyDraft::File(file) => HierarchySpec::read_levels(&folder.join(file), None)
                .map_err(|error| {
                    let found = error.problems.into_iter();
                    let located = found.map(|problem| Problem::from_data(problem, &hierarchy.span));
                    problems.borrow_mut().extend(located);
                })
                .ok(),
        });
    let kind = variable
        .kind
        .as_ref()
        .map_or(variable.role.default_kind(), |kind| kind.value);
    if kind == Kind::Hierarchical && variable.hierarchy.is_none() {
        let message = format!(
            "`{}` is hierarchical and has no hierarchy",
            variable.name.value
        );
        let hint = "add hierarchy = \"prefix\" or another form";
        problems.borrow_mut().push(
            Problem::at(ProblemKind::Plan, &variable.name.span, message, hint)
                .of_variable(&variable.name.value),
        );
    }
    Attribute {
        name: variable.name.value.clone(),
        role: variable.role,
        kind,
        order: variable.order.clone(),
        hierarchy,
        missing: variable.missing.clone(),
    }
}

/// Reasons are printed in public reports, and the seed must not be in one.
fn check_texts(draft: &Draft, problems: &Problems) {
    let Some(seed) = draft.seed.map(|seed| seed.to_string()) else {
        return;
    };
    // A seed of one or two digits is in any date; such a seed is no secret either.
    let shows = |text: &Option<String>| {
        seed.len() > 3 && text.as_ref().is_some_and(|text| text.contains(&seed))
    };
    for step in draft.steps.iter().filter(|step| shows(&step.why)) {
        problems.borrow_mut().push(Problem::at(
            ProblemKind::Plan,
            &step.span,
            "the reason of this step holds the seed, and reasons are published",
            "take the seed out of `why`",
        ));
    }
}

fn check_roles(variables: &[VariableDraft], problems: &Problems) {
    for role in [Role::Weight, Role::Household] {
        let with_role = variables.iter().filter(|variable| variable.role == role);
        for second in with_role.skip(1) {
            let message = format!(
                "`{}` is a second variable with the role {}",
                second.name.value,
                role.name()
            );
            let problem = Problem::at(
                ProblemKind::Plan,
                &second.name.span,
                message,
                "give the others the role other",
            );
            problems
                .borrow_mut()
                .push(problem.of_variable(&second.name.value));
        }
    }
    for variable in variables {
        if let (Role::Weight, Some(kind)) = (variable.role, &variable.kind)
            && kind.value != Kind::Continuous
        {
            let message = format!(
                "`{}` is a weight and must be continuous",
                variable.name.value
            );
            problems.borrow_mut().push(Problem::at(
                ProblemKind::Plan,
                &kind.span,
                message,
                "leave out its kind",
            ));
        }
    }
}

impl<'a> Checker<'a> {
    fn new(problems: &'a Problems, columns: Option<Vec<String>>, schema: &Schema) -> Self {
        let mut checker = Self {
            problems,
            columns,
            live: BTreeMap::new(),
            doubtful: BTreeSet::new(),
            dropped: BTreeSet::new(),
            touched: BTreeSet::new(),
        };
        checker.live = checker.originals(schema);
        checker
    }

    pub(crate) fn push(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// Descriptions of all columns before any step.
    fn originals(&self, schema: &Schema) -> BTreeMap<String, Attribute> {
        let declared = schema.attributes.iter().cloned();
        let undeclared = self
            .columns
            .iter()
            .flatten()
            .filter(|name| schema.attribute(name).is_none())
            .map(Attribute::undeclared);
        declared
            .chain(undeclared)
            .map(|attribute| (attribute.name.clone(), attribute))
            .collect()
    }

    /// Whether the file has a variable; reports it if not.
    pub(crate) fn known(&self, name: &Spot<String>) -> bool {
        let Some(columns) = &self.columns else {
            // The file's own problem is reported already.
            return self.live.contains_key(&name.value) || self.dropped.contains(&name.value);
        };
        if columns.contains(&name.value) {
            return true;
        }
        let message = format!("the file has no variable `{}`", name.value);
        let hint = near::column_hint(&name.value, columns.iter().map(String::as_str));
        let problem = Problem::at(ProblemKind::UnknownVariable, &name.span, message, hint);
        self.push(problem.of_variable(&name.value));
        false
    }

    /// Known names of a list, each once.
    pub(crate) fn known_list(&self, names: &[Spot<String>]) -> Vec<String> {
        let mut seen: Vec<String> = Vec::new();
        for name in names {
            if !self.known(name) {
                continue;
            }
            if seen.contains(&name.value) {
                let message = format!("`{}` is named twice", name.value);
                self.push(Problem::at(
                    ProblemKind::Plan,
                    &name.span,
                    message,
                    "name it once",
                ));
            } else {
                seen.push(name.value.clone());
            }
        }
        seen
    }

    fn scenarios(&self, draft: &Draft) -> Vec<Scenario> {
        let mut scenarios: Vec<Scenario> = Vec::new();
        for scenario in &draft.scenarios {
            if scenarios
                .iter()
                .any(|other| other.name == scenario.name.value)
            {
                let message = format!("there are two scenarios `{}`", scenario.name.value);
                self.push(Problem::at(
                    ProblemKind::Plan,
                    &scenario.name.span,
                    message,
                    "rename one of them",
                ));
            }
            for key in &scenario.keys {
                let role = self.live.get(&key.value).map(|attribute| attribute.role);
                if role == Some(Role::Weight) {
                    let message = format!("`{}` is the weight, which is no key", key.value);
                    let hint = "take it out of `keys`, or correct its role";
                    self.push(Problem::at(ProblemKind::Plan, &key.span, message, hint));
                }
            }
            scenarios.push(Scenario {
                name: scenario.name.value.clone(),
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

    fn steps(&mut self, drafts: &[StepDraft]) -> Vec<Step> {
        let mut steps: Vec<Step> = Vec::new();
        for draft in drafts {
            let step = if draft.adjuster {
                self.adjuster(draft, &steps)
            } else {
                self.mask(draft, &steps)
            };
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

    fn mask(&mut self, draft: &StepDraft, before: &[Step]) -> Option<Step> {
        let Some(mask) = registry::mask(&draft.method.value) else {
            self.unknown_method(
                &draft.method,
                "mask",
                registry::MASKS.iter().map(|mask| mask.card().id),
            );
            return None;
        };
        let card = mask.card();
        let on = self.targets(card, draft);
        let params = self.params(card, &draft.params, &draft.span)?;
        let attributes: Vec<&Attribute> =
            on.iter().filter_map(|name| self.live.get(name)).collect();
        for problem in mask.check(&params, &attributes) {
            let span = param_span(problem.param.as_deref(), &draft.params, &draft.span);
            self.push(Problem::from_param(problem, &span));
        }
        for name in &on {
            let Some(attribute) = self.live.get_mut(name) else {
                continue;
            };
            match mask.kind_after(attribute.kind, &params) {
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
            method: StepMethod::Mask(mask),
            on,
            params,
            why: draft.why.clone(),
            span: Some(draft.span.clone()),
        })
    }

    fn adjuster(&mut self, draft: &StepDraft, before: &[Step]) -> Option<Step> {
        let Some(adjuster) = registry::adjuster(&draft.method.value) else {
            let ids = registry::ADJUSTERS
                .iter()
                .map(|adjuster| adjuster.card().id);
            self.unknown_method(&draft.method, "adjuster", ids);
            return None;
        };
        let on = self.targets(adjuster.card(), draft);
        let params = self.params(adjuster.card(), &draft.params, &draft.span)?;
        let attributes: Vec<&Attribute> =
            on.iter().filter_map(|name| self.live.get(name)).collect();
        for problem in adjuster.check(&params, &attributes) {
            let span = param_span(problem.param.as_deref(), &draft.params, &draft.span);
            self.push(Problem::from_param(problem, &span));
        }
        self.touched.extend(on.iter().cloned());
        Some(Step {
            key: self.step_key(draft, before),
            method: StepMethod::Adjuster(adjuster),
            on,
            params,
            why: draft.why.clone(),
            span: Some(draft.span.clone()),
        })
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
        for spec in card
            .params
            .iter()
            .filter(|spec| spec.ty == ParamType::Variables)
        {
            for name in params.texts(spec.name) {
                let name = Spot::new(name.clone(), place(Some(spec.name)));
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
