//! A plan before anything is looked up: built by code, or read from TOML or JSON.
//!
//! A draft can say what is wrong; [`check`](crate::check::check) tells all of it. Its JSON has the
//! names of the TOML.
//!
//! ```
//! use bauta_data::{Kind, Role};
//! use bauta_plan::draft::{Draft, GateDraft, MeasureDraft, StepDraft, VariableDraft};
//!
//! let draft = Draft::default()
//!     .variable(VariableDraft::new("age", Role::Key).kind(Kind::Ordered))
//!     .variable(VariableDraft::new("income", Role::Sensitive).kind(Kind::Continuous))
//!     .step(StepDraft::mask("rank-swap").on(["income"]).with("window", 0.14))
//!     .measure(MeasureDraft::of(["k-anonymity", "il1s"]))
//!     .gate(GateDraft::on("k-anonymity").at_least(3.0));
//! assert_eq!(draft.steps.len(), 1);
//! ```

mod engine;
mod given;
mod release;

use bauta_data::date::Dates;
use bauta_data::format::Encoding;
use bauta_data::hierarchy::TreeNode;
use bauta_data::number::DecimalMark;
use bauta_data::{Kind, Role, Spellings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::problem::{Place, Spot};

pub use engine::EngineDraft;
pub use given::{Given, IntoRaw};
pub use release::{ReleaseDraft, SignatoryDraft};

/// A plan as it was written or built.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Draft {
    /// Title and seed.
    #[serde(skip_serializing_if = "Heading::is_empty")]
    pub plan: Heading,
    /// Why the file is released, to whom, until when, and who answers for it.
    #[serde(skip_serializing_if = "ReleaseDraft::is_empty")]
    pub release: ReleaseDraft,
    /// The file to protect and how to read it.
    pub data: DataDraft,
    /// What is known of the variables.
    pub variables: Vec<VariableDraft>,
    /// What intruders are assumed to know.
    #[serde(rename = "scenario", skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<ScenarioDraft>,
    /// What to do, in order.
    #[serde(rename = "step", skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepDraft>,
    /// What to measure; without any, all that usually apply.
    #[serde(rename = "measure", skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<MeasureDraft>,
    /// What the release must satisfy.
    #[serde(rename = "gate", skip_serializing_if = "Vec::is_empty")]
    pub gates: Vec<GateDraft>,
    /// What to write.
    pub output: OutputDraft,
    /// How much memory to take, and where goes what does not fit.
    #[serde(skip_serializing_if = "EngineDraft::is_empty")]
    pub engine: EngineDraft,
}

/// Title and seed.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Heading {
    /// Heading of the report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Seed of all draws; derived from the data if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

impl Heading {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The file to protect and how to read it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DataDraft {
    /// The file; none where the data are given in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Spot<String>>,
    /// Texts that mean "no value"; the empty text and NA if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// Codes with a meaning of their own: (text in the file, what it means).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_codes: Option<Vec<(String, String)>>,
    /// Field separator; found in the file if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Spot<char>>,
    /// Decimal mark; a point if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<DecimalMark>,
    /// Character encoding; UTF-8 if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Where the section stands.
    #[serde(skip)]
    pub(crate) place: Section,
}

/// Where a section stands; drafts that stand elsewhere and say the same are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Section(pub(crate) Place);

impl PartialEq for Section {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

/// What is known of a variable.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariableDraft {
    /// Its name in the file.
    pub name: Spot<String>,
    /// What it is for.
    pub role: Role,
    /// What it is; unordered if not given, and continuous for a weight.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Spot<Kind>>,
    /// What it is called in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Categories from lowest to highest, where the natural order is not meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// How its categories become coarser.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Spot<HierarchyDraft>>,
    /// How its dates are spelled, if it holds some; continuous if nothing is said of its kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Dates>,
    /// Texts that mean "no value" in this variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<String>>,
    /// Codes with a meaning of their own in this variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_codes: Option<Vec<(String, String)>>,
    /// What becomes of several spellings of one category; they are kept if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spellings: Option<Spellings>,
    /// Role or kind could not be read, so that nothing can be said of what fits the variable.
    #[serde(skip)]
    pub(crate) doubtful: bool,
}

/// How categories become coarser.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HierarchyDraft {
    /// Characters kept at each level; none for one character fewer at each.
    Prefix(Option<Vec<usize>>),
    /// Breaks of each level, finest first.
    Intervals(Vec<Vec<f64>>),
    /// Parts of the calendar that each level gathers, finest first; none for month, quarter, year and 5 years.
    Dates(Option<Vec<String>>),
    /// Ages at a day: years that a class of each level spans; none for 1, 5 and 10.
    Ages {
        /// The day, year first.
        at: String,
        /// Years that a class of each level spans.
        widths: Option<Vec<u32>>,
    },
    /// A file of levels.
    File(String),
    /// A tree whose leaves are the values.
    Tree(Vec<TreeNode>),
}

/// What an intruder is assumed to know.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioDraft {
    /// Its name.
    pub name: Spot<String>,
    /// The variables that are known.
    pub keys: Spot<Vec<Spot<String>>>,
    /// Why it is plausible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// The method of a step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MethodDraft {
    /// A mask.
    Mask(Spot<String>),
    /// An adjuster.
    Adjust(Spot<String>),
}

impl MethodDraft {
    /// The method's name.
    pub fn id(&self) -> &Spot<String> {
        match self {
            Self::Mask(id) | Self::Adjust(id) => id,
        }
    }
}

/// One step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StepDraft {
    /// What to do.
    #[serde(flatten)]
    pub method: MethodDraft,
    /// To which variables; those of the method's usual roles if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Spot<Vec<Spot<String>>>>,
    /// Name that keys its draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<Spot<String>>,
    /// Why; published.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Its parameters.
    #[serde(flatten)]
    pub params: Given,
    /// Whether it stays in the plan and is not carried out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub off: bool,
    #[serde(skip)]
    pub(crate) place: Section,
}

/// What to measure, and how.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MeasureDraft {
    /// The measures.
    #[serde(rename = "use")]
    pub methods: Vec<Spot<String>>,
    /// On which variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<Spot<Vec<Spot<String>>>>,
    /// For which scenarios; all if not given.
    #[serde(rename = "scenario", default, skip_serializing_if = "Option::is_none")]
    pub scenarios: Option<Vec<Spot<String>>>,
    /// Share of records that count as outliers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outliers: Option<Spot<f64>>,
    /// Condition of a subpopulation.
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Spot<String>>,
    /// Parameters that all of them know.
    #[serde(flatten)]
    pub params: Given,
    #[serde(skip)]
    pub(crate) place: Section,
}

/// One condition of release.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GateDraft {
    /// The measure.
    pub measure: Spot<String>,
    /// The scenario; all if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scenario: Option<Spot<String>>,
    /// Named figure; the measure's value if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<Spot<String>>,
    /// Condition of the subpopulation; the whole file if not given.
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub condition: Option<Spot<String>>,
    /// Smallest accepted value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_least: Option<f64>,
    /// Largest accepted value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most: Option<f64>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Why counts of keys may be judged though a step perturbed some of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub although_perturbed: Option<String>,
}

/// What to write.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OutputDraft {
    /// The file to release; none where it stays in memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Spot<String>>,
    /// The run record; beside the released file if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Spot<String>>,
    /// The internal report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<Spot<String>>,
    /// The external report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_report: Option<Spot<String>>,
    /// Whether records are put in a new order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shuffle: Option<bool>,
    /// Text for suppressed cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
    /// What decides on the release: `gated`, or `ungated` where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<Spot<String>>,
    /// What the weight is called in the released file; as in the input if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<Spot<String>>,
}

/// Texts as a list of spots.
fn spots<T: Into<Spot<String>>>(names: impl IntoIterator<Item = T>) -> Vec<Spot<String>> {
    names.into_iter().map(Into::into).collect()
}

impl Draft {
    /// The published JSON schema of drafts.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(Self).to_value()
    }

    /// With a seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.plan.seed = Some(seed);
        self
    }

    /// With one more variable described.
    #[must_use]
    pub fn variable(mut self, variable: VariableDraft) -> Self {
        self.variables.push(variable);
        self
    }

    /// With one more intruder.
    #[must_use]
    pub fn scenario(mut self, scenario: ScenarioDraft) -> Self {
        self.scenarios.push(scenario);
        self
    }

    /// With one more step.
    #[must_use]
    pub fn step(mut self, step: StepDraft) -> Self {
        self.steps.push(step);
        self
    }

    /// With more to measure.
    #[must_use]
    pub fn measure(mut self, measure: MeasureDraft) -> Self {
        self.measures.push(measure);
        self
    }

    /// With one more condition of release.
    #[must_use]
    pub fn gate(mut self, gate: GateDraft) -> Self {
        self.gates.push(gate);
        self
    }
}

impl VariableDraft {
    /// A variable and what it is for.
    pub fn new(name: impl Into<Spot<String>>, role: Role) -> Self {
        Self {
            name: name.into(),
            role,
            kind: None,
            label: None,
            order: None,
            hierarchy: None,
            date: None,
            missing: None,
            missing_codes: None,
            spellings: None,
            doubtful: false,
        }
    }

    /// Of this kind.
    #[must_use]
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind.into());
        self
    }

    /// With dates that are spelled in this way.
    #[must_use]
    pub fn dates(mut self, dates: Dates) -> Self {
        self.date = Some(dates);
        self
    }

    /// With categories that become coarser in this way.
    #[must_use]
    pub fn hierarchy(mut self, hierarchy: HierarchyDraft) -> Self {
        self.hierarchy = Some(hierarchy.into());
        self
    }
}

impl ScenarioDraft {
    /// An intruder who knows these variables.
    pub fn new<T: Into<Spot<String>>>(
        name: impl Into<Spot<String>>,
        keys: impl IntoIterator<Item = T>,
    ) -> Self {
        Self {
            name: name.into(),
            keys: spots(keys).into(),
            why: None,
        }
    }
}

impl StepDraft {
    /// A step that masks.
    pub fn mask(id: impl Into<Spot<String>>) -> Self {
        Self::of(MethodDraft::Mask(id.into()))
    }

    /// A step that adjusts, with the original at hand.
    pub fn adjust(id: impl Into<Spot<String>>) -> Self {
        Self::of(MethodDraft::Adjust(id.into()))
    }

    fn of(method: MethodDraft) -> Self {
        Self {
            method,
            on: None,
            name: None,
            why: None,
            params: Given::default(),
            off: false,
            place: Section::default(),
        }
    }

    /// On these variables.
    #[must_use]
    pub fn on<T: Into<Spot<String>>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.on = Some(spots(names).into());
        self
    }

    /// With a parameter.
    #[must_use]
    pub fn with(mut self, param: &str, value: impl IntoRaw) -> Self {
        self.params.push(param, value);
        self
    }

    /// In the plan, and not carried out.
    #[must_use]
    pub fn switched_off(mut self) -> Self {
        self.off = true;
        self
    }

    /// For this reason, which is published.
    #[must_use]
    pub fn because(mut self, why: &str) -> Self {
        self.why = Some(why.to_owned());
        self
    }
}

impl MeasureDraft {
    /// These measures.
    pub fn of<T: Into<Spot<String>>>(ids: impl IntoIterator<Item = T>) -> Self {
        Self {
            methods: spots(ids),
            on: None,
            scenarios: None,
            outliers: None,
            condition: None,
            params: Given::default(),
            place: Section::default(),
        }
    }

    /// On these variables.
    #[must_use]
    pub fn on<T: Into<Spot<String>>>(mut self, names: impl IntoIterator<Item = T>) -> Self {
        self.on = Some(spots(names).into());
        self
    }

    /// With a parameter.
    #[must_use]
    pub fn with(mut self, param: &str, value: impl IntoRaw) -> Self {
        self.params.push(param, value);
        self
    }
}

impl GateDraft {
    /// A condition on a measure.
    pub fn on(measure: impl Into<Spot<String>>) -> Self {
        Self {
            measure: measure.into(),
            scenario: None,
            part: None,
            condition: None,
            at_least: None,
            at_most: None,
            why: None,
            although_perturbed: None,
        }
    }

    /// On a named figure of the measure.
    #[must_use]
    pub fn part(mut self, part: impl Into<Spot<String>>) -> Self {
        self.part = Some(part.into());
        self
    }

    /// At least this.
    #[must_use]
    pub fn at_least(mut self, bound: f64) -> Self {
        self.at_least = Some(bound);
        self
    }

    /// At most this.
    #[must_use]
    pub fn at_most(mut self, bound: f64) -> Self {
        self.at_most = Some(bound);
        self
    }
}
