//! Which records are at risk, by any of several rules, and the deletion of all of them.

use bauta_data::{Attribute, Table};

use crate::card::{ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::{ErrorCode, MethodError};
use crate::keys::asked::{SEMANTICS, taken_for_population};
use crate::keys::benedetti_franconi::expected_inverse;
use crate::keys::closeness::{ClosenessAsked, Distance, closeness};
use crate::keys::diversity::{DiversityAsked, DiversityKind, USUAL_C, diversities};
use crate::keys::households::households;
use crate::keys::sensitive::{MissingSensitive, Questions, SENSITIVE, Sensitive};
use crate::keys::{Semantics, check_weights, frequencies};
use crate::mask::KeyClaim;
use crate::note::Note;
use crate::params::{Choice, ParamProblem, Params, choices};

/// Smallest class that is safe.
const K: ParamSpec = ParamSpec::new(
    "k",
    "records whose key occurs fewer times are deleted; 1 for none",
    ParamType::Integer {
        min: 1,
        max: u32::MAX as i64,
    },
)
.or_integer(3);

/// Largest individual risk that is safe.
const RISK: ParamSpec = ParamSpec::fraction(
    "risk",
    "records whose individual risk is above this are deleted",
)
.unset("individual risk is not looked at");

/// Smallest diversity that is safe.
const DIVERSITY: ParamSpec = ParamSpec::number(
    "diversity",
    "records whose class is less l-diverse than this are deleted",
    1.0,
)
.unset("diversity is not looked at");

choices! {
    /// Which diversity, with the usual c.
    enum DiversityRule {
        Distinct = "distinct": "number of different values",
        Entropy = "entropy": "exponential of their entropy",
        Recursive = "recursive": "no value outweighs the l-th and rarer ones twice",
    }
}

impl DiversityRule {
    const fn kind(self) -> DiversityKind {
        match self {
            Self::Distinct => DiversityKind::Distinct,
            Self::Entropy => DiversityKind::Entropy,
            Self::Recursive => DiversityKind::Recursive,
        }
    }
}

/// Which diversity.
const DIVERSITY_KIND: ParamSpec = ParamSpec::choice::<DiversityRule>(
    "diversity_kind",
    "which l `diversity` is, as in `l-diversity`",
)
.or_word("distinct");

/// Largest distance from the file that is safe.
const CLOSENESS: ParamSpec = ParamSpec::fraction(
    "closeness",
    "records whose class is farther from the file than this (t of t-closeness) are deleted",
)
.unset("closeness is not looked at");

/// Whether households go as a whole.
const HOUSEHOLDS: ParamSpec = ParamSpec::flag(
    "households",
    "delete the whole household of a record at risk, by the variable with the role household",
);

/// What the methods that delete records at risk are asked for, in display order.
pub(crate) const PARAMS: [ParamSpec; 8] = [
    K,
    SEMANTICS,
    RISK,
    DIVERSITY,
    DIVERSITY_KIND,
    CLOSENESS,
    SENSITIVE,
    HOUSEHOLDS,
];

/// Rules by which a record is at risk; one that holds is enough.
#[derive(Clone, PartialEq, Debug)]
pub struct AtRisk {
    /// Its key occurs fewer times.
    k: u32,
    /// How a missing key value counts.
    semantics: Semantics,
    /// Its individual risk is above this.
    risk: Option<f64>,
    /// The diversity of its class is below this.
    diversity: Option<(f64, DiversityAsked)>,
    /// The distance of its class is above this.
    closeness: Option<(f64, ClosenessAsked)>,
    /// The sensitive variables, also where no rule looks at them.
    sensitive: Sensitive,
    /// Whether households go as a whole.
    by_household: bool,
}

impl AtRisk {
    /// The rules that the parameters of a step ask for.
    pub(crate) fn asked(params: &Params) -> Result<Self, Vec<ParamProblem>> {
        let semantics: Semantics = params.choice_of(SEMANTICS.name);
        let diversity = params.number_if_set(DIVERSITY.name);
        let closeness = params.number_if_set(CLOSENESS.name);
        let looks_at_answers = diversity.is_some() || closeness.is_some();
        let matching = semantics.matching();
        let lends = (matching.is_none() && looks_at_answers).then(lends_answers);
        let sensitive = match (Sensitive::asked(params), lends) {
            (Ok(sensitive), None) => sensitive,
            (sensitive, lends) => {
                let problems = sensitive.err().into_iter().flatten();
                return Err(problems.chain(lends).collect());
            }
        };
        let questions = matching.map(|matching| Questions {
            sensitive: sensitive.clone(),
            missing: MissingSensitive::Category,
            matching,
        });
        let diversity_asked = |questions| DiversityAsked {
            questions,
            kind: params
                .choice_of::<DiversityRule>(DIVERSITY_KIND.name)
                .kind(),
            c: USUAL_C,
            knows_others: false,
        };
        let closeness_asked = |questions| ClosenessAsked {
            questions,
            distance: Distance::ByKind,
            weighted: false,
        };
        Ok(Self {
            k: u32::try_from(params.integer(K.name)).unwrap_or(u32::MAX),
            semantics,
            risk: params.number_if_set(RISK.name),
            diversity: diversity.zip(questions.clone().map(diversity_asked)),
            closeness: closeness.zip(questions.map(closeness_asked)),
            sensitive,
            by_household: params.flag(HOUSEHOLDS.name),
        })
    }

    /// Problems of the rules with the keys.
    pub(crate) fn problems(&self, on: &[&Attribute]) -> Vec<ParamProblem> {
        self.sensitive.problems(on)
    }

    /// What is true of the file when no record is at risk any more.
    pub(crate) fn claim(&self) -> Option<KeyClaim> {
        (self.k > 1).then_some(KeyClaim {
            k: self.k,
            semantics: self.semantics,
        })
    }

    /// Whether any rule can put a record at risk.
    pub(crate) fn looks(&self) -> bool {
        self.k > 1 || self.risk.is_some() || self.diversity.is_some() || self.closeness.is_some()
    }

    /// The rules in words.
    pub(crate) fn in_words(&self) -> String {
        let mut rules = Vec::new();
        if self.k > 1 {
            rules.push(format!(
                "key shared by fewer than {} records ({})",
                self.k,
                self.semantics.name()
            ));
        }
        let of = |limit: Option<f64>, rule: &str| limit.map(|limit| format!("{rule} {limit}"));
        rules.extend(of(self.risk, "individual risk above"));
        let diversity = self.diversity.as_ref().map(|(l, asked)| {
            let kind = asked.kind.name();
            format!("{kind} diversity of the class below {l}")
        });
        rules.extend(diversity);
        let closeness = self.closeness.as_ref().map(|(t, _)| *t);
        rules.extend(of(closeness, "distance of the class from the file above"));
        rules.join(", or ")
    }

    /// For each record whether it is at risk.
    pub(crate) fn flags(
        &self,
        table: &Table,
        keys: &[usize],
        context: &RunContext<'_>,
    ) -> Result<Vec<bool>, MethodError> {
        let counted = frequencies(table, keys, self.semantics)?;
        let mut flags: Vec<bool> = counted.f.iter().map(|&f| f < self.k).collect();
        if let Some(limit) = self.risk {
            for (flag, (f, big_f)) in flags.iter_mut().zip(counted.both()) {
                *flag |= expected_inverse(f, big_f) > limit;
            }
        }
        if let Some((limit, asked)) = &self.diversity {
            let l = diversities(table, keys, asked, context)?.l;
            mark(&mut flags, &l, |l| l < *limit);
        }
        if let Some((limit, asked)) = &self.closeness {
            let t = closeness(table, keys, asked, context)?.t;
            mark(&mut flags, &t, |t| t > *limit);
        }
        Ok(flags)
    }

    /// The limit of individual risk, and how many records are above it; none without a limit.
    pub(crate) fn above_risk(
        &self,
        table: &Table,
        keys: &[usize],
    ) -> Result<Option<(f64, usize)>, MethodError> {
        let Some(limit) = self.risk else {
            return Ok(None);
        };
        let counted = frequencies(table, keys, self.semantics)?;
        let above = |&(f, big_f): &(f64, f64)| expected_inverse(f, big_f) > limit;
        Ok(Some((limit, counted.both().filter(above).count())))
    }

    /// Deletes the records at risk, again and again, until none is left.
    pub(crate) fn delete_all(
        &self,
        table: &Table,
        keys: &[usize],
        context: &RunContext<'_>,
    ) -> Result<Deleted, MethodError> {
        check_weights(table)?;
        if self.risk.is_some() && table.weight().is_none() {
            context.note(taken_for_population());
        }
        let of_diversity = self.diversity.iter().map(|(_, asked)| &asked.questions);
        let of_closeness = self.closeness.iter().map(|(_, asked)| &asked.questions);
        if let Some(questions) = of_diversity.chain(of_closeness).next() {
            questions.note_spellings(table, keys, context)?;
        }
        let homes = if self.by_household {
            Some(households(table)?)
        } else {
            None
        };
        let mut deleted = Deleted {
            kept: (0..table.n_records() as u32).collect(),
            rounds: Vec::new(),
        };
        let mut left: Option<Table> = None;
        for round in 1.. {
            context.go_on()?;
            let now = left.as_ref().unwrap_or(table);
            let mut flags = self.flags(now, keys, context)?;
            if let Some(homes) = &homes {
                spread_to_households(&mut flags, &deleted.kept, homes);
            }
            let n_deleted = flags.iter().filter(|&&flag| flag).count();
            deleted.rounds.push(n_deleted as u64);
            if n_deleted == 0 {
                break;
            }
            if n_deleted == deleted.kept.len() {
                return Err(MethodError::request(
                    match round {
                        1 => format!("{}: every record is at risk", ErrorCode::AllAtRisk),
                        _ => format!(
                            "{}: after {} rounds of deletion every record left is at risk",
                            ErrorCode::AllAtRisk,
                            round - 1
                        ),
                    },
                    "recode keys first",
                ));
            }
            context.note(records_deleted(round, n_deleted));
            let mut flag = flags.iter();
            deleted.kept.retain(|_| flag.next() == Some(&false));
            left = Some(table.take(&deleted.kept));
        }
        Ok(deleted)
    }
}

/// What a deletion left.
pub(crate) struct Deleted {
    /// The records that stay, in order.
    pub(crate) kept: Vec<u32>,
    /// Records at risk in each round; 0 in the last.
    pub(crate) rounds: Vec<u64>,
}

fn lends_answers() -> ParamProblem {
    ParamProblem::of(
        SEMANTICS.name,
        "`wild` would let a blank record lend its answer to every class",
        "choose `own`, `visible` or `original` with `diversity` and `closeness`",
    )
}

/// Records at risk that were deleted; those of later rounds were safe until others went.
fn records_deleted(round: u32, n_records: usize) -> Note {
    let text = match round {
        1 => format!("{n_records} records at risk were deleted"),
        _ => format!(
            "{n_records} records became at risk after deletion and were deleted in round {round} (W-CASCADE)"
        ),
    };
    Note::new("records-deleted", text)
        .with("round", round)
        .with("n_records", n_records)
}

/// Marks records whose figure is bad; those without one (no answer to learn) are not.
fn mark(flags: &mut [bool], figures: &[f64], is_bad: impl Fn(f64) -> bool) {
    for (flag, &figure) in flags.iter_mut().zip(figures) {
        *flag |= is_bad(figure);
    }
}

/// Members of a household are at risk with any of them. `kept` are the records that flags are of.
fn spread_to_households(flags: &mut [bool], kept: &[u32], homes: &[u32]) {
    let n_homes = homes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut at_risk = vec![false; n_homes];
    for (&flag, &record) in flags.iter().zip(kept) {
        at_risk[homes[record as usize] as usize] |= flag;
    }
    for (flag, &record) in flags.iter_mut().zip(kept) {
        *flag |= at_risk[homes[record as usize] as usize];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_household_goes_with_any_of_its_members() {
        // Records 0, 2 and 3 are left; 0 and 3 live together.
        let mut flags = vec![true, false, false];
        spread_to_households(&mut flags, &[0, 2, 3], &[5, 5, 1, 5]);
        assert_eq!(flags, [true, false, true]);
    }
}
