//! Which records are at risk, by any of several rules, and the deletion of all of them.

use bauta_data::{Attribute, Table};

use crate::card::{ConstValue, ParamDefault, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::benedetti_franconi::expected_inverse;
use crate::keys::households::households;
use crate::keys::sensitive;
use crate::keys::{Semantics, check_weights, frequencies};
use crate::mask::KeyClaim;
use crate::measure::{Files, Measure, MeasureTask};
use crate::note::KnownNote;
use crate::params::Choice;
use crate::params::{ParamProblem, Params, RawValue};
use crate::risk::l_diversity::LDiversity;
use crate::risk::t_closeness::TCloseness;

/// Smallest class that is safe.
pub(crate) const K: ParamSpec = ParamSpec {
    name: "k",
    meaning: "records whose key occurs fewer times are deleted; 1 for none",
    ty: ParamType::Integer {
        min: 1,
        max: u32::MAX as i64,
    },
    default: ParamDefault::Value(ConstValue::Integer(3)),
};

/// Largest individual risk that is safe.
pub(crate) const RISK: ParamSpec = ParamSpec {
    name: "risk",
    meaning: "records whose individual risk is above this are deleted",
    ty: ParamType::Fraction { min: 0.0, max: 1.0 },
    default: ParamDefault::Unset("individual risk is not looked at"),
};

/// Smallest diversity that is safe.
pub(crate) const DIVERSITY: ParamSpec = ParamSpec {
    name: "diversity",
    meaning: "records whose class is less l-diverse than this are deleted",
    ty: ParamType::Number {
        min: 1.0,
        max: f64::INFINITY,
    },
    default: ParamDefault::Unset("diversity is not looked at"),
};

/// Which diversity.
pub(crate) const DIVERSITY_KIND: ParamSpec = ParamSpec {
    name: "diversity_kind",
    meaning: "which l `diversity` is, as in `l-diversity`",
    ty: ParamType::Choice(&[
        ("distinct", "number of different values"),
        ("entropy", "exponential of their entropy"),
        (
            "recursive",
            "no value outweighs the l-th and rarer ones twice",
        ),
    ]),
    default: ParamDefault::Value(ConstValue::Text("distinct")),
};

/// Largest distance from the file that is safe.
pub(crate) const CLOSENESS: ParamSpec = ParamSpec {
    name: "closeness",
    meaning: "records whose class is farther from the file than this (t of t-closeness) are deleted",
    ty: ParamType::Fraction { min: 0.0, max: 1.0 },
    default: ParamDefault::Unset("closeness is not looked at"),
};

/// Whether households go as a whole.
pub(crate) const HOUSEHOLDS: ParamSpec = ParamSpec {
    name: "households",
    meaning: "delete the whole household of a record at risk, by the variable with the role household",
    ty: ParamType::Flag,
    default: ParamDefault::Value(ConstValue::Flag(false)),
};

/// Rules by which a record is at risk; one that holds is enough.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AtRisk {
    /// Its key occurs fewer times.
    pub(crate) k: u32,
    /// How a missing key value counts.
    pub(crate) semantics: Semantics,
    /// Its individual risk is above this.
    risk: Option<f64>,
    /// The diversity of its class is below this; with the parameters of the measure.
    diversity: Option<(f64, Params)>,
    /// The distance of its class is above this; with the parameters of the measure.
    closeness: Option<(f64, Params)>,
    /// Whether households go as a whole.
    by_household: bool,
}

impl AtRisk {
    /// The rules that the parameters of a step ask for.
    pub(crate) fn asked(params: &Params) -> Result<Self, MethodError> {
        let diversity = params.number_if_set(DIVERSITY.name);
        let closeness = params.number_if_set(CLOSENESS.name);
        let kind = RawValue::Text(params.choice(DIVERSITY_KIND.name).to_owned());
        Ok(Self {
            k: u32::try_from(params.integer(K.name)).unwrap_or(u32::MAX),
            semantics: Semantics::from_name(params.choice("semantics"))
                .unwrap_or(Semantics::Visible),
            risk: params.number_if_set(RISK.name),
            diversity: match diversity {
                Some(l) => Some((l, of_measure(&LDiversity, params, vec![("kind", kind)])?)),
                None => None,
            },
            closeness: match closeness {
                Some(t) => Some((t, of_measure(&TCloseness, params, Vec::new())?)),
                None => None,
            },
            by_household: params.flag(HOUSEHOLDS.name),
        })
    }

    /// Problems of the parameters with each other and with the keys.
    pub(crate) fn problems(params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = sensitive::problems(params, on);
        let looks = params.is_set(DIVERSITY.name) || params.is_set(CLOSENESS.name);
        if looks && params.choice("semantics") == "wild" {
            problems.push(ParamProblem::of(
                "semantics",
                "`wild` would let a blank record lend its answer to every class",
                "choose `own`, `visible` or `original` with `diversity` and `closeness`",
            ));
        }
        problems
    }

    /// What is true of the file when no record is at risk any more.
    pub(crate) fn claim(params: &Params) -> Option<KeyClaim> {
        let rule = Self::asked(params).ok()?;
        (rule.k > 1).then_some(KeyClaim {
            k: rule.k,
            semantics: rule.semantics,
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
        let diversity = self.diversity.as_ref().map(|(l, params)| {
            let kind = params.choice("kind");
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
            let counts = counted.f.iter().zip(&counted.big_f);
            for (flag, (&f, &big_f)) in flags.iter_mut().zip(counts) {
                *flag |= expected_inverse(f64::from(f), big_f) > limit;
            }
        }
        if let Some((limit, params)) = &self.diversity {
            let l = per_record(&LDiversity, table, keys, params, context)?;
            mark(&mut flags, &l, |l| l < *limit);
        }
        if let Some((limit, params)) = &self.closeness {
            let t = per_record(&TCloseness, table, keys, params, context)?;
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
        let risks = counted.f.iter().zip(&counted.big_f);
        let above = risks.filter(|(f, big_f)| expected_inverse(f64::from(**f), **big_f) > limit);
        Ok(Some((limit, above.count())))
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
            context.note(KnownNote::TakenForPopulation);
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
                        1 => "E-ALL: every record is at risk".to_owned(),
                        _ => format!(
                            "E-ALL: after {} rounds of deletion every record left is at risk",
                            round - 1
                        ),
                    },
                    "recode keys first",
                ));
            }
            context.note(KnownNote::RecordsDeleted {
                round,
                n_records: n_deleted,
            });
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

/// The parameters of a measure that a rule of a step stands for.
fn of_measure(
    measure: &dyn Measure,
    params: &Params,
    mut given: Vec<(&str, RawValue)>,
) -> Result<Params, MethodError> {
    if params.is_set(sensitive::SENSITIVE.name) {
        let names = params.texts(sensitive::SENSITIVE.name).iter();
        let names = names.map(|name| RawValue::Text(name.clone())).collect();
        given.push((sensitive::SENSITIVE.name, RawValue::List(names)));
    }
    let semantics = params.choice("semantics").to_owned();
    given.push(("semantics", RawValue::Text(semantics)));
    let given: Vec<(String, RawValue)> = given
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    Params::check(measure.card(), &given).map_err(|mut problems| {
        let problem = problems.swap_remove(0);
        MethodError::request(problem.message, problem.hint)
    })
}

/// A measure's figure of each record.
fn per_record(
    measure: &dyn Measure,
    table: &Table,
    keys: &[usize],
    params: &Params,
    context: &RunContext<'_>,
) -> Result<Vec<f64>, MethodError> {
    let on: Vec<String> = keys
        .iter()
        .map(|&attr_idx| table.column(attr_idx).name().to_owned())
        .collect();
    let task = MeasureTask::new(Files::One(table), &on, params);
    let found = measure.measure(&task, context)?;
    found.per_record.ok_or_else(|| {
        MethodError::Internal(format!("`{}` has no figure by record", measure.card().id))
    })
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
