//! Facts that a run must state and that are no errors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact that a method states about its work. Counts and names only, never a cell value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum Note {
    /// A variable has no two different values; the method left it as it is.
    ConstantVariable {
        /// The variable.
        variable: String,
    },
    /// Missing cells were left out.
    MissingSkipped {
        /// The variable.
        variable: String,
        /// How many.
        n_cells: usize,
    },
    /// Records that are in no group because a value of theirs is missing, and kept their values.
    RecordsOutOfGroups {
        /// The variables that are grouped together.
        variables: Vec<String>,
        /// How many.
        n_records: usize,
    },
    /// Records that kept their value because no partner was free or the window holds none.
    RecordsUnswapped {
        /// The variable.
        variable: String,
        /// How many.
        n_records: usize,
    },
    /// Equal values were put in random order.
    TiesInRandomOrder {
        /// The variable.
        variable: String,
        /// How many records share their value with another.
        n_records: usize,
    },
    /// Masked values were rounded to the decimals of the original.
    RoundedToGrid {
        /// The variable.
        variable: String,
        /// Decimals kept.
        decimals: u8,
    },
    /// Values were rounded to multiples of a base.
    RoundedToBase {
        /// The variable.
        variable: String,
        /// The base.
        base: f64,
    },
    /// Masked values were moved back into the range of the original.
    ClampedToRange {
        /// The variable.
        variable: String,
        /// How many.
        n_cells: usize,
    },
    /// Variables were removed.
    VariablesDropped {
        /// Their names.
        variables: Vec<String>,
    },
    /// Variables that were to be measured and are no longer in the file; the others were measured.
    VariablesGone {
        /// Their names.
        variables: Vec<String>,
    },
    /// There was nothing to remove.
    NothingToDrop,
    /// Values beyond the thresholds were coded.
    TailsCoded {
        /// The variable.
        variable: String,
        /// Records coded at the bottom.
        n_bottom: usize,
        /// Records coded at the top.
        n_top: usize,
    },
    /// Values were replaced by the mean of so few that it nearly shows them.
    TailMeanOfFew {
        /// The variable.
        variable: String,
        /// How many records the mean rests on.
        n_records: usize,
    },
    /// Categories became fewer.
    CategoriesMerged {
        /// The variable.
        variable: String,
        /// Categories before.
        n_before: usize,
        /// Categories after.
        n_after: usize,
    },
    /// Entries of a map that fit no value of the file.
    MapEntriesUnused {
        /// The variable.
        variable: String,
        /// How many.
        n_entries: usize,
    },
    /// Classes whose weights sum to less than their number of records; 1/f was used.
    WeightsBelowFrequency {
        /// How many records are in such classes.
        n_records: usize,
    },
    /// Variables that are linear combinations of others that were masked with them. Public: the
    /// masked file keeps the relation, so that everyone who has the file can see it.
    DependentVariables {
        /// Their names.
        variables: Vec<String>,
    },
    /// Records that could be linked to their own original, and those that exchanged their values.
    LinkedSwapped {
        /// How many were nearest to their own original.
        n_linked: usize,
        /// How many got the values of another record.
        n_swapped: usize,
    },
    /// Zeros that stayed, since the method multiplies.
    ZerosKept {
        /// The variable.
        variable: String,
        /// How many.
        n_cells: usize,
    },
    /// Each masked record was compared with its nearest original one.
    NearestCompared,
    /// A figure was estimated from a random sample of the masked records.
    RecordsSampled {
        /// How many were drawn.
        n_sampled: usize,
        /// Out of how many.
        n_records: usize,
    },
    /// Records that lack a value were left out of a file's means and covariances, or of a search
    /// for nearest records.
    IncompleteRecordsSkipped {
        /// How many of the original.
        n_original: usize,
        /// How many of the masked file.
        n_masked: usize,
    },
    /// Statistics whose change cannot be stated were left out.
    StatisticsLeftOut {
        /// Which, and why, in words.
        statistics: Vec<String>,
    },
    /// Less variance was found than the noise alone has, so that taking it away left less than 0.
    CorrectedVarianceNegative {
        /// The variables.
        variables: Vec<String>,
    },
    /// Records do not correspond, so that each file's records were selected by its own values.
    ConditionOnEachFile,
    /// A measure that nobody asked for by name and that the data do not allow.
    NotMeasured {
        /// The measure.
        measure: String,
        /// Why not.
        reason: String,
    },
    /// The hierarchy of a key does not know the values that are there; its levels were not tried.
    HierarchyUnfit {
        /// The variable.
        variable: String,
        /// Why, without a value.
        reason: String,
    },
    /// Every value of a key is missing, so that it never tells records apart.
    KeyAllMissing {
        /// The variable.
        variable: String,
    },
}

impl Note {
    /// The note in words.
    #[expect(clippy::too_many_lines, reason = "one arm per note")]
    pub fn text(&self) -> String {
        match self {
            Self::ConstantVariable { variable } => {
                format!("{variable} has no two different values and was left as it is")
            }
            Self::MissingSkipped { variable, n_cells } => {
                format!("{variable}: {n_cells} missing values were left out")
            }
            Self::RecordsOutOfGroups {
                variables,
                n_records,
            } => {
                format!(
                    "{}: {n_records} records have a missing value, are in no group and kept their values",
                    variables.join(", ")
                )
            }
            Self::RecordsUnswapped {
                variable,
                n_records,
            } => {
                format!(
                    "{variable}: {n_records} records found no free partner and kept their value"
                )
            }
            Self::TiesInRandomOrder {
                variable,
                n_records,
            } => {
                format!(
                    "{variable}: {n_records} records share their value with another; ties were put in random order"
                )
            }
            Self::RoundedToGrid { variable, decimals } => {
                format!(
                    "{variable}: masked values were rounded to {decimals} decimals, as in the original"
                )
            }
            Self::RoundedToBase { variable, base } => {
                format!("{variable} was rounded to multiples of {base}")
            }
            Self::ClampedToRange { variable, n_cells } => {
                format!(
                    "{variable}: {n_cells} masked values were moved back into the original range"
                )
            }
            Self::VariablesDropped { variables } => format!("removed: {}", variables.join(", ")),
            Self::VariablesGone { variables } => format!(
                "no longer in the file, and so left out: {}",
                variables.join(", ")
            ),
            Self::NothingToDrop => {
                "no variable has the role identifier; nothing was removed".to_owned()
            }
            Self::TailsCoded {
                variable,
                n_bottom,
                n_top,
            } => {
                format!("{variable}: {n_bottom} values coded at the bottom, {n_top} at the top")
            }
            Self::TailMeanOfFew {
                variable,
                n_records,
            } => {
                format!(
                    "{variable}: the mean of a tail rests on {n_records} records only and nearly shows them"
                )
            }
            Self::CategoriesMerged {
                variable,
                n_before,
                n_after,
            } => {
                format!("{variable}: {n_before} distinct values became {n_after}")
            }
            Self::MapEntriesUnused {
                variable,
                n_entries,
            } => {
                format!("{variable}: {n_entries} entries of the map fit no value of the file")
            }
            Self::WeightsBelowFrequency { n_records } => {
                format!(
                    "{n_records} records are in classes whose weights sum to less than their count; 1/f was used"
                )
            }
            Self::DependentVariables { variables } => format!(
                "linear combinations of other masked variables, before and after: {}",
                variables.join(", ")
            ),
            Self::LinkedSwapped {
                n_linked,
                n_swapped,
            } => format!(
                "{n_linked} records were nearest to their own original; {n_swapped} exchanged their values"
            ),
            Self::ZerosKept { variable, n_cells } => {
                format!("{variable}: {n_cells} zeros stayed zeros")
            }
            Self::NearestCompared => {
                "each masked record was compared with the original record nearest to it".to_owned()
            }
            Self::RecordsSampled {
                n_sampled,
                n_records,
            } => {
                format!(
                    "estimated from a random sample of {n_sampled} of {n_records} masked records"
                )
            }
            Self::IncompleteRecordsSkipped {
                n_original,
                n_masked,
            } => {
                format!(
                    "records without all of the values were left out: {n_original} of the original, {n_masked} of the masked file"
                )
            }
            Self::StatisticsLeftOut { statistics } => {
                format!("left out: {}", statistics.join("; "))
            }
            Self::CorrectedVarianceNegative { variables } => {
                format!(
                    "the corrected variance is negative: {}",
                    variables.join(", ")
                )
            }
            Self::ConditionOnEachFile => {
                "the records do not correspond, so that each file's own values decided which belong to the subpopulation".to_owned()
            }
            Self::NotMeasured { measure, reason } => {
                format!("{measure} was not measured: {reason}")
            }
            Self::HierarchyUnfit { variable, reason } => {
                format!("the levels of {variable} were not tried: {reason}")
            }
            Self::KeyAllMissing { variable } => {
                format!("{variable} is missing in every record and never tells records apart")
            }
        }
    }

    /// Whether the public may read it: what was done, yes; how many records it touched, no.
    pub const fn is_public(&self) -> bool {
        matches!(
            self,
            Self::RoundedToGrid { .. }
                | Self::RoundedToBase { .. }
                | Self::VariablesDropped { .. }
                | Self::DependentVariables { .. }
        )
    }
}
