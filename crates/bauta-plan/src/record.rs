//! The run record: everything a run did and found, in one JSON file. Confidential, since it holds
//! the seed and the risk figures; the public learns of it only through the external report.

use std::collections::BTreeMap;

use bauta_data::{Kind, Role};
use bauta_methods::Measurement;
use bauta_methods::figure::{Declared, FigureName, Unit};
use bauta_methods::note::Note;
use bauta_methods::pair::Rows;
use bauta_methods::{Evidence, Params, registry};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::judged::were_perturbed;

/// What [`RunRecord::format`] says. A change of meaning gets a new number.
pub const FORMAT: &str = "bauta-run-record/4";

/// Everything a run did and found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunRecord {
    /// Name and version of this format.
    pub format: String,
    /// Version of Bauta that ran.
    pub bauta_version: String,
    /// The plan as it was read.
    pub plan: PlanRecord,
    /// Seed of all random draws. Who knows it can undo the noise.
    pub seed: u64,
    /// Where the seed came from.
    pub seed_source: SeedSource,
    /// The file that was read.
    pub input: FileRecord,
    /// What there is to say of the data as they were read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// The variables of the input, in file order.
    pub variables: Vec<VariableRecord>,
    /// What an intruder is assumed to know.
    pub scenarios: Vec<ScenarioRecord>,
    /// What was done, in order.
    pub steps: Vec<StepRecord>,
    /// Whether the masked records can be traced to the original ones.
    pub rows: Rows,
    /// What was measured.
    pub measures: Vec<MeasureRecord>,
    /// What the release had to satisfy.
    pub gates: Vec<GateRecord>,
    /// Who let the file go though nothing was to be judged; none where there are gates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ungated: Option<Ungated>,
    /// What was claimed of the keys, counted again in the released file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<ClaimRecord>,
    /// The released file; none if a gate or a claim failed.
    pub released: Option<FileRecord>,
    /// The reports that were written with it.
    pub reports: Vec<ReportRecord>,
    /// Whether the released records stand in a new order.
    pub shuffled: bool,
    /// Times and the machine: with the hashes of reports, which show them, the only part that differs
    /// between two runs of the same plan.
    pub times: TimesRecord,
}

/// The plan as it was read.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct PlanRecord {
    /// Title from the plan, if it has one.
    pub title: Option<String>,
    /// Path as it was given.
    pub file: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Its text.
    pub text: String,
    /// Why the file is released, to whom, until when, and who answers for it; none where it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<ReleaseRecord>,
}

/// Why a file is released, to whom, until when, and who answers for it: what its plan says.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReleaseRecord {
    /// What the file is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Who gets it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub recipients: Vec<String>,
    /// Day by which the release is looked at again: 2028-01-31.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review: Option<String>,
    /// Who signs; internal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signatories: Vec<SignatoryRecord>,
}

/// Somebody who signs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SignatoryRecord {
    /// Name.
    pub name: String,
    /// Function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
}

/// Where a seed came from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SeedSource {
    /// The plan.
    Plan,
    /// The command line.
    CommandLine,
    /// Derived from the bytes of the input file.
    InputFile,
}

/// Who let a file go without any condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ungated {
    /// The plan.
    Plan,
    /// The command line.
    CommandLine,
}

/// A file that was read or written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FileRecord {
    /// Path as the plan gives it.
    pub file: String,
    /// SHA-256 of its bytes, as `sha256sum` prints it.
    pub sha256: String,
    /// Number of bytes.
    pub n_bytes: u64,
    /// Number of records.
    pub n_records: u64,
    /// Number of variables.
    pub n_variables: u64,
}

/// A report that was written with a record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ReportRecord {
    /// Path as the plan gives it.
    pub file: String,
    /// Who may read it.
    pub readers: Readers,
    /// SHA-256 of its bytes, as `sha256sum` prints it.
    pub sha256: String,
    /// Number of bytes.
    pub n_bytes: u64,
}

/// Who a report is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Readers {
    /// Those who may see the record.
    Internal,
    /// Everybody.
    External,
}

/// A variable of the input.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct VariableRecord {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// What it is.
    pub kind: Kind,
    /// Whether the plan describes it.
    pub declared: bool,
    /// What the plan calls it in words.
    pub label: Option<String>,
    /// Missing values in the input.
    pub n_missing: u64,
    /// What became of it.
    pub fate: Fate,
    /// Present cells whose text differs from the input, and cells that lost their value; none where
    /// records cannot be traced.
    pub n_changed: Option<u64>,
    /// Cells of the masked file that a step suppressed.
    #[serde(default)]
    pub n_suppressed: u64,
}

/// What became of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// Released as it came.
    Untouched,
    /// Released after masking.
    Masked,
    /// Not released.
    Dropped,
}

/// What an intruder is assumed to know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ScenarioRecord {
    /// Its name.
    pub name: String,
    /// The variables known to the intruder.
    pub keys: Vec<String>,
    /// Why it is plausible.
    pub why: Option<String>,
}

/// One step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// Name that keys the step's random draws.
    pub key: String,
    /// Method.
    pub method: String,
    /// Its title.
    pub title: String,
    /// Variables it worked on.
    pub on: Vec<String>,
    /// Parameters, defaults filled in.
    pub params: BTreeMap<String, serde_json::Value>,
    /// Why it was done.
    pub why: Option<String>,
    /// Variables that came out of it as they went in, though it was to change them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unchanged: Vec<String>,
    /// Whether records can be traced through it.
    #[serde(default)]
    pub rows: Rows,
    /// What it shows for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Box<Evidence>>,
    /// What it stated about its work.
    pub notes: Vec<Note>,
}

/// One measure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MeasureRecord {
    /// Method.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Risk or loss.
    pub family: MeasureFamily,
    /// Its value as it declares it, such as "smallest class"; without a label it has none.
    pub value: Declared,
    /// Its other figures as it declares them.
    pub figures: Vec<Declared>,
    /// The scenario, for measures of keys.
    pub scenario: Option<String>,
    /// Variables it looked at.
    pub on: Vec<String>,
    /// Share of records that count as outliers, where they are measured apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<f64>,
    /// Condition of the subpopulation, where only one was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Parameters, defaults filled in.
    pub params: BTreeMap<String, serde_json::Value>,
    /// Keys that a step perturbed, so that what was counted of them after masking is not what an intruder
    /// finds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perturbed: Vec<String>,
    /// Before masking; none for measures that compare.
    pub before: Option<Measurement>,
    /// After masking, or the comparison.
    pub after: Option<Measurement>,
    /// What it stated about its work.
    pub notes: Vec<Note>,
}

/// Risk, loss, or both weighed against each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeasureFamily {
    /// What an intruder could learn; internal.
    Risk,
    /// What an analyst loses.
    Loss,
    /// Loss weighed against risk; internal.
    Score,
}

/// One condition of release.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GateRecord {
    /// Measure that it looks at.
    pub measure: String,
    /// Scenario, for measures of keys.
    pub scenario: Option<String>,
    /// Named figure of the measure; none for its value.
    pub part: Option<String>,
    /// What people call the figure.
    pub label: String,
    /// How the figure is written.
    pub unit: Unit,
    /// Condition of the subpopulation; none for the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Smallest accepted value.
    pub at_least: Option<f64>,
    /// Largest accepted value.
    pub at_most: Option<f64>,
    /// What was found.
    pub found: Option<f64>,
    /// Whether it rests on few records, so that screens are not shown it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub few: bool,
    /// Keys that a step perturbed, so that the figure says nothing of an intruder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perturbed: Vec<String>,
    /// Why it is judged all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub although_perturbed: Option<String>,
    /// Whether it holds.
    pub passed: bool,
    /// Why it is asked for.
    pub why: Option<String>,
}

/// A claim of k-anonymity, counted again in the file that was written.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClaimRecord {
    /// The step or gate that makes it.
    pub by: String,
    /// The keys.
    pub keys: Vec<String>,
    /// How many of them are known at a time, where it is not all: every combination of so many was
    /// counted, and the figures are those of its smallest classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subsets: Option<u64>,
    /// Those of the keys that a step perturbed: what is counted of them is not what an intruder finds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub perturbed: Vec<String>,
    /// How missing key values count.
    pub semantics: String,
    /// The claim: every record shares its key with at least k - 1 others.
    pub k: u64,
    /// Size of the smallest class; none in a file without records.
    pub smallest_class: Option<u64>,
    /// Records in smaller classes than k.
    pub n_below: u64,
    /// Whether there is none.
    pub holds: bool,
    /// What the figures above were counted in.
    pub counted: Counted,
    /// What whoever reads the file counts, where the figures above are not of the file: its blanks compared
    /// as `visible` has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown: Option<ShownRecord>,
}

/// What a claim was counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// The bytes of the released file, read again.
    ReleasedFile,
    /// The values before suppression, which the released file does not show.
    BeforeSuppression,
}

/// What the released file shows of a claim that is not about it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownRecord {
    /// Records in smaller classes than k.
    pub n_below: u64,
    /// Records alone in their class.
    pub n_alone: u64,
}

impl ClaimRecord {
    /// The keys in words, and how many of them are known at a time.
    pub fn keys_in_words(&self) -> String {
        let keys = self.keys.join(", ");
        match self.subsets {
            Some(1) if self.keys.len() > 1 => format!("each of {keys}"),
            Some(m) if (m as usize) < self.keys.len() => format!("every {m} of {keys}"),
            Some(_) | None => keys,
        }
    }

    /// What was counted and what it showed, in words.
    pub fn in_words(&self) -> String {
        let Self { k, n_below, .. } = self;
        let found = match (self.smallest_class, self.holds) {
            (None, _) => "there are no records".to_owned(),
            (_, true) if !self.perturbed.is_empty() => format!(
                "every class has at least {k} records, which is not meaningful: {}",
                were_perturbed(&self.perturbed)
            ),
            (_, true) => format!("every class has at least {k} records"),
            (_, false) => format!("{n_below} records are in classes below {k}: the claim FAILS"),
        };
        match (self.counted, &self.shown) {
            (Counted::ReleasedFile, _) if !self.holds && self.semantics == "own" => format!(
                "{found} (missing values that are spelled differently are different values)"
            ),
            (Counted::ReleasedFile, _) => found,
            (Counted::BeforeSuppression, None) => {
                format!("by the values before suppression, which the file does not show, {found}")
            }
            (Counted::BeforeSuppression, Some(ShownRecord { n_below, n_alone })) => format!(
                "by the values before suppression, which the file does not show, {found}; \
                 whoever reads the file finds {n_below} records in classes below {k}, {n_alone} of them alone"
            ),
        }
    }
}

/// Times and the machine.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct TimesRecord {
    /// Start in UTC, to the second: 2026-11-16T09:30:00Z.
    pub started: String,
    /// Seconds in all.
    pub seconds: f64,
    /// Seconds of reading, of each step by its key, of measuring, of writing; in order.
    pub stages: Vec<StageTime>,
    /// Threads used.
    pub threads: u64,
    /// What lay on the disk, of a run within a limit of memory; none of a run in memory. No figure and no byte of a release
    /// depends on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreRecord>,
}

/// The store of a run within a limit of memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoreRecord {
    /// Bytes that were written to it.
    pub bytes_written: u64,
    /// Bytes that it held at the most.
    pub most_bytes: u64,
    /// Bytes of memory that the run could take; none where there was no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Bytes of memory that variables which are read at the same time could take; none where there was no limit.
    pub bytes_for_columns: Option<u64>,
    /// Who counted keys, where that was an engine or a cluster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counting: Option<CountingRecord>,
    /// Stores of killed runs that were found and removed; the record on the disk does not know of them.
    #[serde(default, skip_serializing)]
    pub n_removed: u64,
}

/// An engine or a cluster that counted keys for a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CountingRecord {
    /// What it is: `datafusion` on the same machine, or `ballista` on a cluster.
    pub by: String,
    /// The version of DataFusion.
    pub version: String,
    /// Pieces that were worked on at a time; none where the cluster decided that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partitions: Option<u64>,
    /// Bytes of keys and weights that were handed over to it in files.
    pub bytes_handed_over: u64,
    /// Bytes that it put aside because they did not fit; none of a cluster, whose executors do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_spilled: Option<u64>,
}

/// Time of one stage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StageTime {
    /// The stage.
    pub stage: String,
    /// Its seconds.
    pub seconds: f64,
}

impl StepRecord {
    /// What a step did, as scripts read it on a screen; what it found for programs, as far as its method
    /// tells of it, stands under the name of its evidence.
    pub fn to_json(&self) -> serde_json::Value {
        let mut object = serde_json::json!({
            "key": self.key,
            "method": self.method,
            "title": self.title,
            "on": self.on,
            "params": self.params,
            "why": self.why,
            "unchanged": self.unchanged,
            "notes": self.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
        });
        if let Some((evidence, told)) = self.evidence.as_deref().zip(self.told()) {
            object[evidence.id.as_str()] = told;
        }
        object
    }

    /// What screens and scripts are told of its evidence.
    pub fn told(&self) -> Option<serde_json::Value> {
        let data = &self.evidence.as_deref()?.data;
        registry::adjuster(&self.method)?.told(data)
    }
}

impl GateRecord {
    /// What was found, as screens and scripts are told of it.
    pub fn told(&self) -> Option<f64> {
        self.found.filter(|_| !self.few)
    }
}

impl MeasureRecord {
    /// How a figure of it is declared.
    pub fn declared(&self, name: &FigureName) -> Option<&Declared> {
        self.figures.iter().find(|declared| declared.id == name.id)
    }

    /// The bounds that gates set for its figures. Whoever prints one gives it the digits that show on which
    /// side of them it lies, or it would contradict the verdict; of all its figures, since one may be
    /// another by definition (l is the entropy l, if the plan says so).
    pub fn limits(&self, gates: &[GateRecord]) -> Vec<f64> {
        let of_measure = gates.iter().filter(|gate| {
            gate.measure == self.id
                && gate.scenario == self.scenario
                && gate.condition == self.condition
        });
        of_measure
            .flat_map(|gate| [gate.at_least, gate.at_most])
            .flatten()
            .collect()
    }
}

/// Why bytes are not a record that this version can read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RecordProblem {
    /// They are not JSON.
    #[error("not JSON at line {line}, column {column}")]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
    },
    /// They name no format.
    #[error("it names no format")]
    NoFormat,
    /// They have another format, or another version of this one.
    #[error("its format is `{found}`, this version reads `{FORMAT}`")]
    OtherFormat {
        /// The format that they name.
        found: String,
    },
    /// They are not what their format says.
    // What the parser says may quote the seed or a figure, so it is not passed on.
    #[error("a field is absent or of the wrong type")]
    WrongShape,
}

/// What a file was written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To be released, if its plan's conditions hold.
    Release,
    /// To have other weights; nobody judged whether it may be released.
    Calibration,
}

/// What the plan is called that `bauta calibrate` makes.
pub(crate) const CALIBRATE: &str = "bauta calibrate";

impl RunRecord {
    /// What the file of the run was written for.
    pub fn purpose(&self) -> Purpose {
        if self.plan.file == CALIBRATE {
            Purpose::Calibration
        } else {
            Purpose::Release
        }
    }

    /// Reads a record as it was written; one of another version is refused.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordProblem> {
        let value: serde_json::Value =
            serde_json::from_slice(bytes).map_err(|error| RecordProblem::NotJson {
                line: error.line(),
                column: error.column(),
            })?;
        match value.get("format").and_then(serde_json::Value::as_str) {
            Some(FORMAT) => {}
            Some(other) => {
                let found = other.to_owned();
                return Err(RecordProblem::OtherFormat { found });
            }
            None => return Err(RecordProblem::NoFormat),
        }
        serde_json::from_value(value).map_err(|_| RecordProblem::WrongShape)
    }

    /// The published JSON schema of the record.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }

    /// Whether every gate and every claim holds.
    pub fn passed(&self) -> bool {
        self.gates.iter().all(|gate| gate.passed) && self.claims.iter().all(|claim| claim.holds)
    }

    /// The record without what may differ between two runs of the same plan on the same file: times, and
    /// the hashes of reports, which show them.
    #[must_use]
    pub fn without_times(mut self) -> Self {
        self.times = TimesRecord::default();
        self.reports.clear();
        self
    }
}

/// Parameters as records hold them.
pub(crate) fn params_record(params: &Params) -> BTreeMap<String, serde_json::Value> {
    params
        .iter()
        .map(|(name, value)| (name.to_owned(), value.to_json()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_record_of_this_version_is_refused_with_its_reason() {
        let reason = |text: &str| RunRecord::read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(reason("{"), "not JSON at line 1, column 1");
        assert_eq!(reason("{}"), "it names no format");
        let older = reason("{ \"format\": \"bauta-run-record/0\" }");
        assert_eq!(
            older,
            format!("its format is `bauta-run-record/0`, this version reads `{FORMAT}`")
        );
        let empty = reason(&format!("{{ \"format\": \"{FORMAT}\" }}"));
        assert_eq!(empty, "a field is absent or of the wrong type");
    }
}
