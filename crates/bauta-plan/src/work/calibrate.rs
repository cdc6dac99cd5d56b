//! Weights that reach totals, as a plan of one step.

mod dropped;

use std::path::PathBuf;

use bauta_data::inspect::FileProfile;
use bauta_data::{Kind, Role};
use bauta_methods::{Card, RawValue, registry};

use super::inspect::{column, inspect};
use super::one_step::{Done, Levels, carry_out, described};
use super::{Reading, WorkError};
use crate::draft::{Draft, MeasureDraft, OutputDraft, StepDraft, VariableDraft};
use crate::execute::RunOptions;
use crate::problem::Spot;
use crate::publish::Renderer;
use crate::record::CALIBRATE;
use crate::stages::RunWatch;

/// The adjuster that deletes records at risk first.
pub const WITH_KEYS: &str = "subsample-calibrate";
/// The adjuster that deletes none.
pub const WITHOUT_KEYS: &str = "calibrate";

/// The mask that takes columns out.
pub const DROP: &str = "drop-identifiers";

/// Which totals, for which weights of which file.
#[derive(Clone, Debug)]
pub struct CalibrateRequest {
    /// The file.
    pub file: PathBuf,
    /// How to read it.
    pub reading: Reading,
    /// The file with the new weights.
    pub output: PathBuf,
    /// The run record, if one is wanted.
    pub record: Option<PathBuf>,
    /// The report, if one is wanted.
    pub report: Option<PathBuf>,
    /// Sampling weight to change.
    pub weight: String,
    /// Household id.
    pub household: Option<String>,
    /// Variables that an intruder knows; records at risk by them are deleted first.
    pub keys: Vec<String>,
    /// Variables that are numbers; the others in margins are categories.
    pub continuous: Vec<String>,
    /// Direct identifiers, besides the columns that look like one.
    pub identifiers: Vec<String>,
    /// Columns that stay though they look like identifiers or weights.
    pub keep: Vec<String>,
    /// What the new weight is called; as the old one if not given.
    pub new_weight: Option<String>,
    /// Parameters.
    pub params: Vec<(&'static str, RawValue)>,
}

/// Calibrates the weights of a file.
pub fn calibrate(
    request: &CalibrateRequest,
    options: RunOptions,
    watch: &dyn RunWatch,
    renderer: &dyn Renderer,
) -> Result<Done, WorkError> {
    // The table that was looked at is not kept beside the one that is worked on.
    let profile = inspect(&request.file, &request.reading, watch)?.profile;
    let draft = request.draft(&profile)?;
    let read = (request.file.as_path(), &request.reading);
    carry_out(&draft, CALIBRATE, read, options, watch, renderer)
}

/// The adjuster for a request with these keys.
pub fn adjuster(keys: &[String]) -> Result<&'static Card, WorkError> {
    let id = if keys.is_empty() {
        WITHOUT_KEYS
    } else {
        WITH_KEYS
    };
    registry::card(id).ok_or_else(|| WorkError::internal(format!("there is no adjuster `{id}`")))
}

impl CalibrateRequest {
    /// The request as a plan for a file that looks so.
    pub fn draft(&self, profile: &FileProfile) -> Result<Draft, WorkError> {
        let mut step = StepDraft::adjust(adjuster(&self.keys)?.id);
        if !self.keys.is_empty() {
            step = step.on(self.keys.iter().cloned());
        }
        for (name, value) in &self.params {
            step = step.with(name, value.clone());
        }
        let mut steps = vec![step];
        let dropped = self.dropped(profile)?;
        if !dropped.is_empty() {
            let reasons: Vec<String> = dropped.iter().map(ToString::to_string).collect();
            let names = dropped.into_iter().map(|dropped| dropped.name);
            let drop = StepDraft::mask(DROP).on(names);
            steps.push(drop.because(&reasons.join("; ")));
        }
        let path = |path: &PathBuf| Spot::from(path.to_string_lossy().into_owned());
        let mut variables = self.variables(profile)?;
        self.reading.fold_in(&mut variables);
        Ok(Draft {
            data: self.reading.data_draft(&self.file),
            variables,
            steps,
            measures: vec![MeasureDraft::of(self.measures().iter().copied())],
            output: OutputDraft {
                file: Some(path(&self.output)),
                record: self.record.as_ref().map(path),
                report: self.report.as_ref().map(path),
                weight: self.new_weight.clone().map(Spot::from),
                ..OutputDraft::default()
            },
            ..Draft::default()
        })
    }

    /// The risk before and after with the released weights, where keys are named and no weight can
    /// become negative: risks need weights that can weigh.
    fn measures(&self) -> &'static [&'static str] {
        let may_be_negative = self.params.iter().any(|(name, value)| match *name {
            "penalty" | "gap" => true,
            "method" => ["linear", "truncated"]
                .iter()
                .any(|method| is_text(value, method)),
            "q" => is_text(value, "euclidean"),
            _ => false,
        });
        if self.keys.is_empty() || may_be_negative {
            &[]
        } else {
            &["k-anonymity", "individual-risk"]
        }
    }

    /// Every variable that was named and what it is, each once: whatever it is for besides, a
    /// variable in margins is a category unless it was called a number.
    fn variables(&self, profile: &FileProfile) -> Result<Vec<VariableDraft>, WorkError> {
        let mut out = vec![VariableDraft::new(self.weight.clone(), Role::Weight)];
        column(&self.file, profile, &self.weight)?;
        if let Some(household) = &self.household {
            column(&self.file, profile, household)?;
            out.push(VariableDraft::new(household.clone(), Role::Household));
        }
        let in_margins = self.in_margins();
        let numbers = self
            .continuous
            .iter()
            .chain(self.listed("start"))
            .chain(self.listed("q_from"));
        let numbers: Vec<&String> = numbers.collect();
        let all = self
            .keys
            .iter()
            .map(|name| (name, Role::Key))
            .chain(self.listed("sensitive").map(|name| (name, Role::Sensitive)))
            .chain(in_margins.iter().map(|name| (name, Role::Other)))
            .chain(numbers.iter().map(|name| (*name, Role::Other)));
        for (name, role) in all {
            if out.iter().any(|known| known.name.value == *name) {
                continue;
            }
            let proposed = column(&self.file, profile, name)?.proposal.kind;
            let kind = if numbers.contains(&name) {
                Kind::Continuous
            } else if in_margins.contains(name) {
                Kind::Unordered
            } else {
                proposed
            };
            out.push(described(name, role, kind, Levels::ByKind));
        }
        Ok(out)
    }

    /// The names that a parameter lists.
    fn listed(&self, param: &str) -> impl Iterator<Item = &String> {
        let given = self.params.iter().filter(move |(name, _)| *name == param);
        let items = given.flat_map(|(_, value)| match value {
            RawValue::List(items) => items.as_slice(),
            _ => &[],
        });
        items.filter_map(|item| match item {
            RawValue::Text(name) => Some(name),
            _ => None,
        })
    }

    /// The variables of the terms and of the totals that were named.
    fn in_margins(&self) -> Vec<String> {
        let terms = self
            .listed("margins")
            .chain(self.listed("household_margins"));
        let mut out: Vec<String> = Vec::new();
        let totals = self.params.iter().filter(|(name, _)| *name == "totals");
        let totals = totals.flat_map(|(_, value)| match value {
            RawValue::Map(pairs) => pairs.as_slice(),
            _ => &[],
        });
        for term in terms.chain(totals.map(|(name, _)| name)) {
            for part in term.split('*') {
                // `sex=1` and `sex#2` are categories of sex.
                let name = part.split(['=', '#']).next().unwrap_or(part).trim();
                // 1 counts records.
                if name != "1" && !name.is_empty() && !out.iter().any(|known| known == name) {
                    out.push(name.to_owned());
                }
            }
        }
        out
    }
}

fn is_text(value: &RawValue, expected: &str) -> bool {
    matches!(value, RawValue::Text(text) if text == expected)
}
