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
    /// Values that are still rare after rare values were recoded.
    RareValuesLeft {
        /// The variable.
        variable: String,
        /// How many values.
        n_values: usize,
        /// How many records have them.
        n_records: usize,
    },
    /// Values of records with rare keys were replaced by other categories.
    RareFlipped {
        /// The variable.
        variable: String,
        /// How many.
        n_cells: usize,
    },
    /// Weights were multiplied so that the records that are left stand for all.
    WeightsScaled {
        /// The weight.
        variable: String,
    },
    /// Strata none of whose records were drawn: nothing is left that stands for them.
    StrataLost {
        /// How many.
        n_strata: usize,
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
    /// The step changed keys or took records away, so that what an earlier one claimed of the keys
    /// need not hold any more.
    ClaimEnded {
        /// The step that claimed it.
        by: String,
        /// The smallest class that it claimed.
        k: u32,
    },
    /// Cells of a variable were suppressed.
    CellsSuppressed {
        /// The variable.
        variable: String,
        /// How many.
        n_cells: u64,
    },
    /// What suppression cost, and what it would have cost at least.
    SuppressionCost {
        /// Records with a suppressed cell.
        n_records: u64,
        /// Sum of the costs of all suppressed cells.
        cost: f64,
        /// No set of cells that is safe costs less.
        lower_bound: f64,
        /// How many times the output was counted and mended.
        rounds: u32,
    },
    /// Records whose blanks can be worked out by elimination.
    GivenAway {
        /// How many.
        n_records: usize,
    },
    /// Records with one more blank, since the first could be worked out.
    BlankedByAudit {
        /// How many.
        n_records: usize,
    },
    /// Records at risk that were deleted.
    RecordsDeleted {
        /// In which round; those of later ones were safe until others went.
        round: u32,
        /// How many.
        n_records: usize,
    },
    /// Records deleted since their blanks could be worked out.
    RecordsDeletedByAudit {
        /// How many.
        n_records: usize,
    },
    /// The keys that serve an intruder best.
    RiskiestKeys {
        /// Which risk.
        risk: String,
        /// The keys.
        variables: Vec<String>,
    },
    /// Not all subsets of the keys were looked at: the risk found is a lower limit.
    SubsetsNotAll {
        /// Subsets whose clusters were made.
        n_subsets: usize,
        /// No subset gives a larger maximal risk.
        bound: f64,
    },
    /// Records that lack a key and were left out of a model of all keys together.
    IncompleteKeysLeftOut {
        /// How many.
        n_records: usize,
    },
    /// There is no weight, so that the file was taken for all of the population.
    TakenForPopulation,
    /// A fit by rounds of corrections was stopped before it had settled.
    FitNotSettled {
        /// How many rounds there were.
        n_cycles: usize,
        /// By how much of itself a margin was still corrected in the last.
        largest_correction: f64,
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
    /// Calibration made weights negative.
    NegativeWeights {
        /// How many records have one.
        n_records: usize,
    },
    /// Rounding made weights 0.
    WeightsRoundedToZero {
        /// How many records have one.
        n_records: usize,
    },
    /// With the new weights, individual risks are above the limit that records were deleted for.
    RiskierWithNewWeights {
        /// How many records.
        n_records: usize,
        /// The limit.
        limit: f64,
    },
    /// Margins with target 0 and no record, which hold whatever the weights.
    EmptyMarginsLeftOut {
        /// Their names.
        margins: Vec<String>,
    },
    /// Margins that follow from others, with which they agree.
    RedundantMargins {
        /// How many are independent.
        n_independent: usize,
        /// How many there are.
        n_margins: usize,
        /// Names of the others.
        margins: Vec<String>,
    },
    /// Margins that rest on few records.
    SmallMargins {
        /// Their names and numbers of records.
        margins: Vec<(String, u64)>,
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
            Self::RareValuesLeft {
                variable,
                n_values,
                n_records,
            } => {
                format!("{variable}: {n_values} values of {n_records} records are still rare")
            }
            Self::RareFlipped { variable, n_cells } => {
                format!("{variable}: {n_cells} values of records with rare keys were changed")
            }
            Self::WeightsScaled { variable } => {
                format!("{variable} was multiplied so that the records drawn stand for all")
            }
            Self::StrataLost { n_strata } => {
                format!("{n_strata} strata have no record left, and nothing stands for them")
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
            Self::ClaimEnded { by, k } => {
                format!(
                    "after this step the classes of {k} that {by} made need not be whole any more; only a gate on k-anonymity would count them again"
                )
            }
            Self::CellsSuppressed { variable, n_cells } => {
                format!("{variable}: {n_cells} cells were suppressed")
            }
            Self::SuppressionCost {
                n_records,
                cost,
                lower_bound,
                rounds,
            } => {
                let bound = if cost > lower_bound {
                    format!("at least {lower_bound} for any")
                } else {
                    "the least possible".to_owned()
                };
                let rounds = match rounds {
                    0 => String::new(),
                    1 => "; the output was mended once".to_owned(),
                    n => format!("; the output was mended {n} times"),
                };
                format!("{n_records} records have a suppressed cell; cost {cost}, {bound}{rounds}")
            }
            Self::GivenAway { n_records } => {
                format!(
                    "the blanks of {n_records} records can be worked out by elimination; reversal = \"blank\" or \"delete\" mends that"
                )
            }
            Self::BlankedByAudit { n_records } => {
                format!("{n_records} records lost one more value, since the first could be worked out by elimination")
            }
            Self::RecordsDeleted {
                round: 1,
                n_records,
            } => format!("{n_records} records at risk were deleted"),
            Self::RecordsDeleted { round, n_records } => {
                format!("{n_records} records became at risk after deletion and were deleted in round {round} (W-CASCADE)")
            }
            Self::RecordsDeletedByAudit { n_records } => {
                format!("{n_records} records were deleted, since their blanks could be worked out by elimination")
            }
            Self::RiskiestKeys { risk, variables } => {
                format!("keys that give the {risk} risk: {}", variables.join(", "))
            }
            Self::SubsetsNotAll { n_subsets, bound } => {
                format!(
                    "the search stopped after {n_subsets} subsets of the keys: the maximal risk is at most {bound:.6}"
                )
            }
            Self::IncompleteKeysLeftOut { n_records } => {
                format!("{n_records} records lack a key and were left out of the model")
            }
            Self::TakenForPopulation => {
                "there is no weight: the file was taken for the whole population".to_owned()
            }
            Self::FitNotSettled {
                n_cycles,
                largest_correction,
            } => {
                format!(
                    "the fit had not settled after {n_cycles} cycles: a margin was still corrected by {largest_correction:.1e} of itself"
                )
            }
            Self::HierarchyUnfit { variable, reason } => {
                format!("the levels of {variable} were not tried: {reason}")
            }
            Self::KeyAllMissing { variable } => {
                format!("{variable} is missing in every record and never tells records apart")
            }
            Self::NegativeWeights { n_records } => {
                format!("{n_records} negative weights; raking, logit and sinh never give any (W-CAL-NEG)")
            }
            Self::WeightsRoundedToZero { n_records } => {
                format!("rounding made {n_records} weights 0; round to a smaller number to keep them")
            }
            Self::RiskierWithNewWeights { n_records, limit } => {
                format!(
                    "{n_records} records have an individual risk above {limit} with the new weights, though not with the old"
                )
            }
            Self::EmptyMarginsLeftOut { margins } => {
                format!("margins with target 0 and no record were left out: {}", margins.join(", "))
            }
            Self::RedundantMargins {
                n_independent,
                n_margins,
                margins,
            } => {
                format!(
                    "{n_independent} of {n_margins} margins are independent; {} dropped as redundant (W-RANK)",
                    margins.join(", ")
                )
            }
            Self::SmallMargins { margins } => {
                let texts = margins.iter().map(|(name, n_records)| {
                    format!("margin {name} rests on {n_records} records")
                });
                format!("{} (W-SMALL)", texts.collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// Where it stands among the notes of a method: facts, then sums of them, then warnings.
    pub(crate) const fn rank(&self) -> u8 {
        match self {
            Self::SuppressionCost { .. } => 1,
            Self::GivenAway { .. }
            | Self::ClaimEnded { .. }
            | Self::NegativeWeights { .. }
            | Self::WeightsRoundedToZero { .. }
            | Self::RiskierWithNewWeights { .. } => 2,
            _ => 0,
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
                | Self::WeightsScaled { .. }
        )
    }
}
