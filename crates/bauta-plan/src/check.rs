//! From [`Draft`] to [`Plan`]: everything is looked up, everything wrong is gathered.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use bauta_data::format::{self, ReadOptions};
use bauta_data::totals::read_totals;
use bauta_data::{Attribute, HierarchySpec, Kind, Role, Schema, near};
use bauta_methods::{ParamType, RawValue, registry};

use crate::check_gates::check_gates;
use crate::check_measures::{check_measures, check_untraced_gates};
use crate::check_output::OutputCheck;
use crate::draft::{Draft, HierarchyDraft, StepDraft, VariableDraft};
use crate::fields::Problems;
use crate::plan::{NamedPath, Plan, Scenario};
use crate::problem::{Problem, ProblemKind, Spot};

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
    /// The step after which no masked record can be traced to an original one.
    pub(crate) untraced_by: Option<String>,
}

/// Checks a draft. The plan is usable only if no problem was found.
pub(crate) fn check(
    mut draft: Draft,
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
    let totals = totals_from_files(&mut draft.steps, folder, problems);
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
    check_untraced_gates(&checker, &draft, &measures);
    let output = OutputCheck {
        draft: &draft.output,
        folder,
        problems,
    }
    .check(&[files_read(&draft, file, folder), totals].concat());
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

/// Puts the totals of a file in the place of its name, where a parameter takes named numbers and was
/// given a text. Returns the files.
fn totals_from_files(steps: &mut [StepDraft], folder: &Path, problems: &Problems) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for step in steps {
        let Some(card) = registry::card(&step.method.value) else {
            continue;
        };
        for (name, value) in &mut step.params {
            let takes_numbers = card
                .param(&name.value)
                .is_some_and(|spec| matches!(spec.ty, ParamType::NumberMap { .. }));
            let RawValue::Text(file) = &value.value else {
                continue;
            };
            if !takes_numbers {
                continue;
            }
            let path = folder.join(file);
            match read_totals(&path) {
                Ok(totals) => {
                    let named = totals.into_iter();
                    let named = named.map(|(name, total)| (name, RawValue::Number(total)));
                    value.value = RawValue::Map(named.collect());
                }
                Err(error) => {
                    let found = error.problems.into_iter();
                    let located = found.map(|problem| Problem::from_data(problem, &value.span));
                    problems.borrow_mut().extend(located);
                    value.value = RawValue::Map(Vec::new());
                }
            }
            files.push(path);
        }
    }
    files
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
            untraced_by: None,
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
}
