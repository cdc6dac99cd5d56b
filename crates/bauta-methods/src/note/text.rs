//! Notes in words.

use super::known::KnownNote;

impl KnownNote {
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
}
