//! Notes that have not yet moved beside their methods.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fact that a method states about its work. Counts and names only, never a cell value.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "id", rename_all = "kebab-case")]
pub enum KnownNote {
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

impl KnownNote {
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
