//! From [`Draft`] to [`Plan`]: everything is looked up, everything wrong is gathered.
//!
//! Nothing here opens a file: what a draft only names, its [`Surroundings`] know.

mod advice;
mod gates;
mod measures;
mod output;
mod release;
mod scenarios;
mod step_scenarios;
mod steps;
mod surroundings;
mod switched_off;
mod variables;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use bauta_data::format::ReadOptions;
use bauta_data::{Attribute, Condition, Schema, near};

use crate::draft::{Draft, EngineDraft};
use crate::plan::{EngineSettings, NamedPath, Plan};
use crate::problem::{Place, Problem, ProblemKind, Spot};
use crate::size;
use crate::toml::{self, Problems, in_order};

use step_scenarios::Known;

pub(crate) use advice::MAX_LINKED;
pub(crate) use output::{UNGATED, files_read};
pub use surroundings::{DataSchema, Folder, Surroundings, real_place};

/// Checks a draft against a schema of the data. All problems are returned at once.
pub fn check(draft: &Draft, schema: &DataSchema) -> Result<Plan, Vec<Problem>> {
    check_within(draft, schema)
}

/// Checks a draft against whatever it names.
pub fn check_within(draft: &Draft, surroundings: &dyn Surroundings) -> Result<Plan, Vec<Problem>> {
    let problems = RefCell::default();
    let text = toml::write(draft);
    let plan = plan_of(
        draft,
        &Source {
            text: &text,
            file: "",
        },
        surroundings,
        &problems,
    );
    finished(plan, problems)
}

/// Checks a draft whose paths are relative to `folder`; `called` is its name in messages and records.
pub fn check_files(draft: &Draft, called: &str, folder: &Path) -> Result<Plan, Vec<Problem>> {
    let problems: Problems = RefCell::default();
    for (section, file) in [("data", &draft.data.file), ("output", &draft.output.file)] {
        if file.is_none() {
            let message = format!("[{section}] needs the key `file`");
            let hint = "name a file, or check the draft against a schema of data in memory";
            let problem = Problem::at(ProblemKind::Plan, &Place::NOWHERE, message, hint);
            problems.borrow_mut().push(problem);
        }
    }
    let text = toml::write(draft);
    let source = Source {
        text: &text,
        file: called,
    };
    let plan = plan_of(draft, &source, &Folder(folder), &problems);
    finished(plan, problems)
}

/// The plan if nothing is wrong, or all that is.
pub(crate) fn finished(plan: Option<Plan>, problems: Problems) -> Result<Plan, Vec<Problem>> {
    let problems = in_order(problems);
    match plan {
        Some(plan) if problems.is_empty() => Ok(plan),
        _ => Err(problems),
    }
}

/// The text that a draft was read from, and its name.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) file: &'a str,
}

/// Problems up to which unknown names are told the nearest known one.
const MAX_NEAR_HINTS: usize = 10;

/// What is known of the variables while the plan is walked through.
pub(crate) struct Checker<'a> {
    pub(crate) problems: &'a Problems,
    pub(crate) surroundings: &'a dyn Surroundings,
    /// Columns of the file; `None` if it could not be read, which is reported once.
    pub(crate) columns: Option<Vec<String>>,
    /// Where each of them stands, to look names up: a plan may describe thousands of variables.
    positions: HashMap<String, usize>,
    /// Descriptions by name, kinds as they are after the steps so far.
    pub(crate) live: BTreeMap<String, Attribute>,
    /// Variables whose own line is wrong; what follows from it is not reported again.
    pub(crate) doubtful: BTreeSet<String>,
    /// Variables that a step has removed.
    pub(crate) dropped: BTreeSet<String>,
    /// Variables that a step has masked.
    pub(crate) touched: BTreeSet<String>,
    /// Whether a step removes records or gives them other weights.
    pub(crate) chosen_or_weighted: bool,
    /// The step after which no masked record can be traced to an original one.
    pub(crate) untraced_by: Option<String>,
}

/// Walks through a draft. The plan is usable only if no problem was found.
pub(crate) fn plan_of(
    draft: &Draft,
    source: &Source<'_>,
    surroundings: &dyn Surroundings,
    problems: &Problems,
) -> Option<Plan> {
    let read = variables::read_options(draft, surroundings, problems);
    let mut checker = Checker::new(draft, &read, surroundings, problems);
    for variable in &draft.variables {
        checker.known(&variable.name);
        if variable.doubtful {
            checker.doubtful.insert(variable.name.value.clone());
        }
    }
    let scenarios = checker.scenarios(draft);
    let known = Known {
        scenarios: &scenarios,
        described: !draft.scenarios.is_empty(),
    };
    let (steps, switched_off) = checker.steps(&draft.steps, known);
    let original = checker.originals(&read.schema);
    let measures = measures::check_measures(&checker, &original, &draft.measures, &scenarios);
    let gates = gates::check_gates(&checker, draft, &measures);
    let parts = advice::Parts {
        scenarios: &scenarios,
        steps: &steps,
        measures: &measures,
    };
    let advice = advice::advice(&checker, &original, draft, &parts);
    let output = output::check_output(draft, source.file, surroundings, problems);
    let release = release::check_release(&draft.release, problems);
    let engine = engine_settings(&draft.engine, surroundings, problems);
    if !problems.borrow().is_empty() {
        return None;
    }
    Some(Plan {
        title: draft.plan.title.clone(),
        seed: draft.plan.seed,
        release,
        input: draft.data.file.as_ref().map(|file| NamedPath {
            given: file.value.clone(),
            path: surroundings.path(file),
        }),
        read,
        reads: output::files_read(draft, source.file, surroundings),
        labels: variables::labels(&draft.variables),
        scenarios,
        steps,
        switched_off,
        measures,
        gates,
        advice,
        output: output?,
        engine,
        text: source.text.to_owned(),
        file: source.file.to_owned(),
    })
}

/// How much memory a run may take, and where goes what does not fit. Whether the folder is there, the run finds out.
fn engine_settings(
    draft: &EngineDraft,
    surroundings: &dyn Surroundings,
    problems: &Problems,
) -> EngineSettings {
    let memory = draft.memory.as_ref().and_then(|text| {
        let bytes = size::parse(text);
        if bytes.is_none() {
            let hint = format!("give {}", size::EXPECTED);
            let message = "`memory` is no amount of memory";
            let problem = Problem::at(ProblemKind::Plan, &text.place, message, hint);
            problems.borrow_mut().push(problem);
        }
        bytes
    });
    EngineSettings {
        memory,
        spill: draft.spill.as_ref().map(|folder| surroundings.path(folder)),
    }
}

impl<'a> Checker<'a> {
    fn new(
        draft: &Draft,
        read: &ReadOptions,
        surroundings: &'a dyn Surroundings,
        problems: &'a Problems,
    ) -> Self {
        let file = draft.data.file.as_ref();
        let columns = surroundings.columns(file.map(|file| file.value.as_str()), read);
        let place = file.map(|file| file.place.clone()).unwrap_or_default();
        let columns = columns.map(|columns| {
            columns.map_err(|error| {
                let found = error.problems.into_iter();
                let found = found.map(|problem| Problem::from_data(problem, &place));
                problems.borrow_mut().extend(found);
            })
        });
        let columns = columns.and_then(Result::ok);
        let mut checker = Self {
            problems,
            surroundings,
            positions: positions(columns.as_deref().unwrap_or_default()),
            columns,
            live: BTreeMap::new(),
            doubtful: BTreeSet::new(),
            dropped: BTreeSet::new(),
            touched: BTreeSet::new(),
            chosen_or_weighted: false,
            untraced_by: None,
        };
        checker.live = checker.originals(&read.schema);
        checker
    }

    pub(crate) fn push(&self, problem: Problem) {
        self.problems.borrow_mut().push(problem);
    }

    /// Descriptions of all columns before any step.
    fn originals(&self, schema: &Schema) -> BTreeMap<String, Attribute> {
        let all = self.columns.iter().flatten().map(Attribute::undeclared);
        // What is declared goes before what is not.
        let all = all.chain(schema.attributes.iter().cloned());
        all.map(|attribute| (attribute.name.clone(), attribute))
            .collect()
    }

    /// Names in the order of the file.
    pub(crate) fn in_file_order(&self, mut names: Vec<String>) -> Vec<String> {
        names.sort_by_cached_key(|name| self.positions.get(name).copied());
        names
    }

    /// Whether the file has a variable; where it could not be looked at, whether the plan describes it.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        match &self.columns {
            Some(_) => self.positions.contains_key(name),
            None => self.live.contains_key(name) || self.dropped.contains(name),
        }
    }

    /// Whether the file has a variable; reports it if not.
    pub(crate) fn known(&self, name: &Spot<String>) -> bool {
        if self.has_variable(&name.value) {
            return true;
        }
        let Some(columns) = &self.columns else {
            // The file's own problem is reported already.
            return false;
        };
        let message = format!("the file has no variable `{}`", name.value);
        // Looking for the nearest of many names takes its time, and nobody reads hundreds of hints.
        let hint = if self.problems.borrow().len() < MAX_NEAR_HINTS {
            near::column_hint(&name.value, columns.iter().map(String::as_str))
        } else {
            "`bauta inspect` shows the names in the file".to_owned()
        };
        let problem = Problem::at(ProblemKind::UnknownVariable, &name.place, message, hint);
        self.push(problem.of_variable(&name.value));
        false
    }

    /// Known names of a list, each once.
    pub(crate) fn known_list(&self, names: &[Spot<String>]) -> Vec<String> {
        let (mut once, mut seen) = (Vec::new(), BTreeSet::new());
        for name in names {
            if !self.known(name) {
                continue;
            }
            if seen.insert(name.value.as_str()) {
                once.push(name.value.clone());
                continue;
            }
            let message = format!("`{}` is named twice", name.value);
            self.push(Problem::at(
                ProblemKind::Plan,
                &name.place,
                message,
                "name it once",
            ));
        }
        once
    }

    /// The condition that a text says; reports it if it says none.
    pub(crate) fn condition(&self, text: Option<&Spot<String>>) -> Option<Spot<Condition>> {
        let text = text?;
        match Condition::parse(text) {
            Ok(condition) => Some(Spot::new(condition, text.place.clone())),
            Err(problem) => {
                let (message, hint) = (problem.message, problem.hint);
                self.push(Problem::at(ProblemKind::Plan, &text.place, message, hint));
                None
            }
        }
    }
}

/// Where each name stands; of equal ones the first.
fn positions(columns: &[String]) -> HashMap<String, usize> {
    let mut positions = HashMap::with_capacity(columns.len());
    for (position, name) in columns.iter().enumerate() {
        positions.entry(name.clone()).or_insert(position);
    }
    positions
}
