//! A plan that was checked to the end and can be run.

use std::path::{Path, PathBuf};

use bauta_data::format::{FileFormat, ReadOptions};
use bauta_methods::mask::{ClaimedKeys, Effect, StepFacts};
use bauta_methods::{Adjuster, Groups, Mask, Measure, Params};
use serde::Serialize;

use crate::gate::GateFigure;
use crate::problem::Span;
use crate::record::ReleaseRecord;

/// A plan that was checked to the end.
#[derive(Clone)]
pub struct Plan {
    /// Title, if it has one.
    pub title: Option<String>,
    /// Seed, if it has one.
    pub seed: Option<u64>,
    /// Why its file is released, to whom, until when, and who answers for it, where it says so.
    pub release: Option<ReleaseRecord>,
    /// The file to protect; none where the data are given in memory.
    pub input: Option<NamedPath>,
    /// How to read it.
    pub read: ReadOptions,
    /// All files that it reads: the data, its own text, hierarchies and totals.
    pub reads: Vec<PathBuf>,
    /// What variables are called in words: (name, label).
    pub labels: Vec<(String, String)>,
    /// What intruders are assumed to know.
    pub scenarios: Vec<Scenario>,
    /// What to do, in order.
    pub steps: Vec<Step>,
    /// Steps of its text that are not carried out.
    pub switched_off: Vec<SwitchedOff>,
    /// What to measure, in order.
    pub measures: Vec<PlannedMeasure>,
    /// What the release must satisfy.
    pub gates: Vec<Gate>,
    /// What it could do besides.
    pub advice: Vec<Advice>,
    /// What to write.
    pub output: Output,
    /// How much memory to take, and where goes what does not fit.
    pub engine: EngineSettings,
    /// The text it was read from.
    pub text: String,
    /// Where the text was, as it was given.
    pub file: String,
}

/// How much memory a run may take, and where goes what does not fit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EngineSettings {
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// The folder; that of the released file where there is none.
    pub spill: Option<PathBuf>,
}

/// A path as the plan gives it, and where that is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedPath {
    /// As the plan gives it.
    pub given: String,
    /// Where that is.
    pub path: PathBuf,
}

/// What an intruder is assumed to know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// The variables that are known.
    pub keys: Vec<String>,
    /// Why it is plausible.
    pub why: Option<String>,
}

/// The method of a step.
#[derive(Clone, Copy)]
pub enum StepMethod {
    /// A mask.
    Mask(&'static dyn Mask),
    /// An adjuster.
    Adjuster(&'static dyn Adjuster),
}

/// One step.
#[derive(Clone)]
pub struct Step {
    /// Name that keys its random draws.
    pub key: String,
    /// What is done.
    pub method: StepMethod,
    /// To which variables.
    pub on: Vec<String>,
    /// With which parameters.
    pub params: Params,
    /// Why.
    pub why: Option<String>,
    /// Where the plan says it; none for steps that its roles imply.
    pub span: Option<Span>,
}

impl Step {
    /// What is known of it before data are read.
    pub fn facts(&self) -> StepFacts {
        match self.method {
            StepMethod::Mask(mask) => mask.facts(&self.params),
            StepMethod::Adjuster(adjuster) => adjuster.facts(&self.params),
        }
    }

    /// Of which keys it promises what its facts claim.
    pub fn claimed_keys(&self) -> Vec<ClaimedKeys> {
        match self.method {
            StepMethod::Mask(mask) => mask.claimed_keys(&self.params, &self.on),
            StepMethod::Adjuster(_) => vec![ClaimedKeys::all(&self.on)],
        }
    }

    /// Whether it can change anything at all with its parameters.
    pub fn effect(&self) -> Effect {
        self.facts().effect
    }
}

/// A step that stays in the plan and is not carried out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchedOff {
    /// Name that would key its random draws, and that no other step gets.
    pub key: String,
    /// The method that it names.
    pub method: &'static str,
    /// Where the plan says it.
    pub span: Option<Span>,
}

impl SwitchedOff {
    /// The step as notes name it: its name, and the method where that is another.
    pub fn in_words(&self) -> String {
        if self.key == self.method {
            self.key.clone()
        } else {
            format!("{} ({})", self.key, self.method)
        }
    }
}

/// One measure, resolved to its variables.
#[derive(Clone)]
pub struct PlannedMeasure {
    /// The measure.
    pub measure: &'static dyn Measure,
    /// The scenario whose keys it looks at.
    pub scenario: Option<String>,
    /// The variables it looks at.
    pub on: Vec<String>,
    /// With which parameters.
    pub params: Params,
    /// On which records, and which of them apart.
    pub groups: Groups,
    /// Whether the plan asks for it.
    pub asked: Asked,
    /// Where the plan asks for it.
    pub span: Option<Span>,
}

/// Whether a plan asks for a measure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Asked {
    /// It names the measure: if it cannot be taken, the run stops.
    ByName,
    /// It names none, and so all that apply are taken: one that cannot be is noted.
    ByDefault,
}

/// One condition of release.
#[derive(Clone, PartialEq, Debug)]
pub struct Gate {
    /// Positions in [`Plan::measures`] that it looks at; all must satisfy it.
    pub measures: Vec<usize>,
    /// The figure that it looks at.
    pub figure: GateFigure,
    /// Smallest accepted value.
    pub at_least: Option<f64>,
    /// Largest accepted value.
    pub at_most: Option<f64>,
    /// Why.
    pub why: Option<String>,
    /// Why counts of keys may be judged though a step perturbed some of them.
    pub although_perturbed: Option<String>,
}

/// What a plan that is fine could do besides: no error, and for its author to decide.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Advice {
    /// Stable name of the sort of advice, such as `measure-linkage`.
    pub id: &'static str,
    /// The variables that it is about.
    pub variables: Vec<String>,
    /// The steps that it is about.
    pub steps: Vec<String>,
    /// What and why, without figures of the data.
    pub text: String,
    /// Lines that could be added to the plan.
    pub lines: String,
}

/// A file to release.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Release {
    /// Where.
    pub file: NamedPath,
    /// In which format.
    pub format: FileFormat,
}

/// What to write.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The released file; none where it stays in memory.
    pub release: Option<Release>,
    /// The run record; always there for a plan that names a file to release.
    pub record: Option<NamedPath>,
    /// The internal report.
    pub report: Option<NamedPath>,
    /// The external report.
    pub external_report: Option<NamedPath>,
    /// Whether records are put in a new order.
    pub shuffle: bool,
    /// Text for suppressed cells.
    pub suppressed: String,
    /// Whether the plan lets its file go without any condition.
    pub release_when: ReleaseWhen,
    /// What the weight is called in the released file, if not as in the input.
    pub weight: Option<String>,
}

/// What decides on a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ReleaseWhen {
    /// Gates, of which there must be one.
    #[default]
    Gated,
    /// Nothing need be judged.
    Ungated,
}

impl Output {
    /// Everything that may be written, evidence first.
    pub fn paths(&self) -> Vec<&Path> {
        let evidence = [&self.record, &self.report, &self.external_report];
        let evidence = evidence.into_iter().flatten();
        let release = self.release.iter().map(|release| &release.file);
        evidence
            .chain(release)
            .map(|file| file.path.as_path())
            .collect()
    }
}
