//! The plan as its text says it, before anything is looked up.

use bauta_data::format::Encoding;
use bauta_data::number::DecimalMark;
use bauta_data::{Condition, Kind, MissingRules, Role};
use bauta_methods::RawValue;

use crate::problem::{Span, Spot};

/// A plan as its text says it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) title: Option<String>,
    pub(crate) seed: Option<u64>,
    pub(crate) data: DataDraft,
    pub(crate) variables: Vec<VariableDraft>,
    pub(crate) scenarios: Vec<ScenarioDraft>,
    pub(crate) steps: Vec<StepDraft>,
    pub(crate) measures: Vec<MeasureDraft>,
    pub(crate) gates: Vec<GateDraft>,
    pub(crate) output: OutputDraft,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct DataDraft {
    pub(crate) file: Option<Spot<String>>,
    pub(crate) missing: MissingRules,
    pub(crate) delimiter: Option<u8>,
    pub(crate) decimal: DecimalMark,
    pub(crate) encoding: Encoding,
}

#[derive(Clone, Debug)]
pub(crate) struct VariableDraft {
    pub(crate) name: Spot<String>,
    pub(crate) role: Role,
    /// Role or kind could not be read, so that nothing can be said of what fits the variable.
    pub(crate) doubtful: bool,
    pub(crate) kind: Option<Spot<Kind>>,
    pub(crate) label: Option<String>,
    pub(crate) order: Option<Vec<String>>,
    pub(crate) hierarchy: Option<Spot<HierarchyDraft>>,
    pub(crate) missing: Option<MissingRules>,
}

#[derive(Clone, Debug)]
pub(crate) enum HierarchyDraft {
    Ready(bauta_data::HierarchySpec),
    File(String),
}

#[derive(Clone, Debug)]
pub(crate) struct ScenarioDraft {
    pub(crate) name: Spot<String>,
    pub(crate) keys: Vec<Spot<String>>,
    pub(crate) why: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepFamily {
    Mask,
    Adjuster,
}

#[derive(Clone, Debug)]
pub(crate) struct StepDraft {
    pub(crate) method: Spot<String>,
    pub(crate) family: StepFamily,
    pub(crate) name: Option<Spot<String>>,
    pub(crate) on: Option<Spot<Vec<Spot<String>>>>,
    pub(crate) why: Option<String>,
    pub(crate) params: Vec<(Spot<String>, Spot<RawValue>)>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct MeasureDraft {
    pub(crate) methods: Vec<Spot<String>>,
    pub(crate) on: Option<Spot<Vec<Spot<String>>>>,
    pub(crate) scenarios: Option<Vec<Spot<String>>>,
    pub(crate) outliers: Option<Spot<f64>>,
    pub(crate) condition: Option<Spot<Condition>>,
    pub(crate) params: Vec<(Spot<String>, Spot<RawValue>)>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct GateDraft {
    pub(crate) measure: Spot<String>,
    pub(crate) scenario: Option<Spot<String>>,
    pub(crate) part: Option<Spot<String>>,
    pub(crate) condition: Option<Spot<Condition>>,
    pub(crate) at_least: Option<f64>,
    pub(crate) at_most: Option<f64>,
    pub(crate) why: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct OutputDraft {
    pub(crate) file: Option<Spot<String>>,
    pub(crate) report: Option<Spot<String>>,
    pub(crate) external_report: Option<Spot<String>>,
    pub(crate) record: Option<Spot<String>>,
    pub(crate) shuffle: bool,
    pub(crate) suppressed: Option<String>,
}
