//! From answers to scenarios, steps, measures and gates.

mod keys;
mod losses;
mod numbers;
mod scenarios;
mod sections;
mod sensitive;
mod undecided;

use bauta_data::Table;
use bauta_data::inspect::{ColumnProfile, FileProfile};

use super::Because;
use super::bar::{Demand, demand};
use super::questions::Answers;
use crate::draft::{Draft, GateDraft, MeasureDraft, ScenarioDraft, StepDraft};
use crate::work::init::proposals::MOST_KEYS;
use crate::work::init::rules::Rules;
use crate::work::init::{in_a_line, proposed_draft};
use scenarios::Set;

const COUNTING: &str = "docs/concepts/risk-and-loss.md#counting-keys";
const LINKING: &str = "docs/concepts/risk-and-loss.md#counting-keys";
const LOSS: &str = "docs/concepts/risk-and-loss.md#loss";
const INTRUDERS: &str = "docs/concepts/risk-and-loss.md#what-an-intruder-does";
const STEPS: &str = "docs/concepts/advice.md#steps";
const SENSITIVE: &str = "docs/concepts/advice.md#sensitive-values";
const LIMITS: &str = "docs/concepts/advice.md#what-advice-cannot-know";
const IDENTIFIERS: &str = "docs/concepts/confidentiality.md#what-is-yours-to-look-after";

/// A part of a plan.
enum Part {
    Scenario(ScenarioDraft),
    Step(StepDraft),
    Measure(MeasureDraft),
    Gate(GateDraft),
    /// Something that only a person can decide.
    Look,
}

/// A part of a plan with its reason; measures have that of the gates which look at them.
struct Reasoned {
    part: Part,
    because: Option<Because>,
}

/// A plan in parts.
pub(super) struct Drafted {
    pub(super) draft: Draft,
    parts: Vec<Reasoned>,
}

/// The plan of a file for these answers.
pub(super) fn drafted(profile: &FileProfile, table: &Table, answers: &Answers) -> Drafted {
    let demand = demand(answers.recipient());
    let about = About {
        profile,
        table,
        answers,
        rules: Rules::by(profile, &demand.bar),
        demand,
        sets: scenarios::sets(profile, answers),
    };
    let base = proposed_draft(profile);
    let mut drafted = Drafted {
        draft: Draft {
            variables: base.variables,
            ..Draft::default()
        },
        parts: Vec::new(),
    };
    for set in &about.sets {
        drafted.scenario(set);
    }
    about.what_nobody_looks_at(&mut drafted);
    for step in base.steps {
        let (why, page) = match step.method.id().value.as_str() {
            "renumber" => ("the old numbers lead back to the source", INTRUDERS),
            _ => ("identifiers are never released", IDENTIFIERS),
        };
        drafted.step(step, why, page);
    }
    let recoded = about.recodings(&mut drafted);
    let suppressed = about.suppression(&mut drafted);
    let deleted = about.sensitive(&mut drafted);
    let numbers = numbers::masked(&about, &mut drafted);
    about.key_gates(&mut drafted);
    let changed = Changed {
        cells: recoded || suppressed,
        deleted,
        numbers,
    };
    losses::judged(&about, &changed, &mut drafted);
    drafted.measure(MeasureDraft::of(["univariate-summary", "file-loss"]));
    drafted.in_order();
    drafted
}

/// What the steps of a plan certainly change, so that losses have figures.
struct Changed {
    /// Whether categories become coarser or blank.
    cells: bool,
    deleted: Deleted,
    /// How many numbers are masked.
    numbers: usize,
}

/// Whether records go.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deleted {
    /// No step deletes any.
    None,
    /// A step deletes those that it finds, if there are any after the steps before it.
    Perhaps,
    /// Also of the raw file.
    Some,
}

/// What is known when a plan is made.
struct About<'a> {
    profile: &'a FileProfile,
    table: &'a Table,
    answers: &'a Answers,
    rules: Rules,
    demand: Demand,
    sets: Vec<Set<'a>>,
}

impl About<'_> {
    /// Columns that some scenario has.
    fn known(&self) -> Vec<&ColumnProfile> {
        let columns = self.profile.columns.iter();
        let is_known = |column: &&ColumnProfile| {
            let mut sets = self.sets.iter();
            sets.any(|set| set.keys.contains(&column.name.as_str()))
        };
        columns.filter(is_known).collect()
    }

    /// Sets of so few keys that single values can be blanked over them, and of no more records than the file has.
    fn reached(&self) -> Vec<&Set<'_>> {
        if self.is_too_small() {
            return Vec::new();
        }
        let sets = self.sets.iter();
        sets.filter(|set| set.keys.len() <= MOST_KEYS).collect()
    }

    /// Whether no class can have the records that it must.
    fn is_too_small(&self) -> bool {
        i64::try_from(self.profile.n_records).is_ok_and(|n| n < self.rules.k)
    }
}

impl Drafted {
    fn push(&mut self, part: Part, what: String, why: &str, page: &'static str) {
        let because = Because {
            what,
            why: in_a_line(why),
            page,
        };
        self.parts.push(Reasoned {
            part,
            because: Some(because),
        });
    }

    fn scenario(&mut self, set: &Set<'_>) {
        let mut scenario = ScenarioDraft::new(set.name.as_str(), set.keys.clone());
        scenario.why = Some(set.why.clone());
        self.draft.scenarios.push(scenario.clone());
        let what = format!("scenario {}", set.name);
        self.push(Part::Scenario(scenario), what, &set.why, INTRUDERS);
    }

    fn step(&mut self, step: StepDraft, why: &str, page: &'static str) {
        self.draft.steps.push(step.clone());
        let mut what = format!("step {}", step.method.id().value);
        if let Some(on) = &step.on {
            let names: Vec<&str> = on.iter().map(|name| name.value.as_str()).collect();
            what.push_str(&format!(" on {}", names.join(", ")));
        }
        self.push(Part::Step(step), what, why, page);
    }

    fn measure(&mut self, measure: MeasureDraft) {
        self.draft.measures.push(measure.clone());
        self.parts.push(Reasoned {
            part: Part::Measure(measure),
            because: None,
        });
    }

    fn gate(&mut self, gate: GateDraft, why: &str, page: &'static str) {
        let gate = GateDraft {
            why: Some(why.to_owned()),
            ..gate
        };
        let mut what = format!("gate {}", gate.measure.value);
        if let Some(part) = &gate.part {
            what.push_str(&format!(" {}", part.value));
        }
        if let Some(scenario) = &gate.scenario {
            what.push_str(&format!(" ({})", scenario.value));
        }
        let bounds = [("at least", gate.at_least), ("at most", gate.at_most)];
        for (end, bound) in bounds {
            if let Some(bound) = bound {
                what.push_str(&format!(" {end} {bound}"));
            }
        }
        self.draft.gates.push(gate.clone());
        self.push(Part::Gate(gate), what, why, page);
    }

    /// Variables that a step makes coarser.
    fn recoded(&self) -> Vec<String> {
        let steps = self.draft.steps.iter();
        let recodings = steps
            .filter(|step| ["recode", "recode-rare"].contains(&step.method.id().value.as_str()));
        let names = recodings
            .filter_map(|step| step.on.as_ref())
            .flat_map(|on| on.iter());
        names.map(|name| name.value.clone()).collect()
    }

    fn look(&mut self, what: &str, why: &str) {
        self.push(Part::Look, format!("to decide: {what}"), why, LIMITS);
    }

    /// Scenarios, questions, steps, measures, gates, each in the order in which they came.
    fn in_order(&mut self) {
        self.parts.sort_by_key(|reasoned| match reasoned.part {
            Part::Scenario(_) => 0,
            Part::Look => 1,
            Part::Step(_) => 2,
            Part::Measure(_) => 3,
            Part::Gate(_) => 4,
        });
    }
}
