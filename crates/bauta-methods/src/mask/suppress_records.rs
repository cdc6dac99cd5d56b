#![doc = include_str!("suppress_records.md")]

use bauta_data::Table;

use crate::card::{Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::mask::{Change, KeyClaim, Mask, MaskTask, Together};
use crate::note::Note;
use crate::params::{Params, RawValue};
use crate::risk::k_anonymity::{KEY_TARGETS, SEMANTICS};
use crate::stats::at_risk::AtRisk;
use crate::stats::households::households;
use crate::stats::keys::check_weights;

/// Deletes records at risk until none is left. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SuppressRecords;

static CARD: Card = Card {
    id: "suppress-records",
    title: "Deletion of records at risk",
    summary: "deletes records whose key is too rare or too risky, again and again, until none is left",
    family: Family::Mask,
    page: include_str!("suppress_records.md"),
    params: &[
        ParamSpec {
            name: "k",
            meaning: "records whose key occurs fewer times are deleted; 1 for none",
            ty: ParamType::Integer {
                min: 1,
                max: u32::MAX as i64,
            },
            default: ParamDefault::Value(ConstValue::Integer(3)),
        },
        SEMANTICS,
        ParamSpec {
            name: "risk",
            meaning: "records whose individual risk is above this are deleted",
            ty: ParamType::Fraction { min: 0.0, max: 1.0 },
            default: ParamDefault::Unset("individual risk is not looked at"),
        },
        ParamSpec {
            name: "households",
            meaning: "delete the whole household of a record at risk, by the variable with the role household",
            ty: ParamType::Flag,
            default: ParamDefault::Value(ConstValue::Flag(false)),
        },
    ],
    targets: KEY_TARGETS,
    randomness: Randomness::None,
    references: &["bergeat2015"],
};

impl Mask for SuppressRecords {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn together(&self, _params: &Params) -> Together {
        Together::Jointly
    }

    fn claims(&self, params: &Params) -> Option<KeyClaim> {
        let rule = AtRisk::asked(params);
        (rule.k > 1).then_some(KeyClaim {
            k: rule.k,
            semantics: rule.semantics,
        })
    }

    fn mask(&self, task: &MaskTask<'_>, context: &RunContext<'_>) -> Result<Change, MethodError> {
        check_weights(task.table)?;
        let rule = AtRisk::asked(task.params);
        if rule.risk.is_some() && task.table.weight().is_none() {
            context.note(Note::TakenForPopulation);
        }
        let homes = if task.params.flag("households") {
            Some(households(task.table)?)
        } else {
            None
        };
        let mut kept: Vec<u32> = (0..task.table.n_records() as u32).collect();
        let mut left: Option<Table> = None;
        for round in 1.. {
            context.go_on()?;
            let table = left.as_ref().unwrap_or(task.table);
            let mut flags = rule.flags(table, task.on)?;
            if let Some(homes) = &homes {
                spread_to_households(&mut flags, &kept, homes);
            }
            let n_deleted = flags.iter().filter(|&&flag| flag).count();
            if n_deleted == 0 {
                break;
            }
            if n_deleted == kept.len() {
                return Err(MethodError::request(
                    match round {
                        1 => "every record is at risk".to_owned(),
                        _ => format!(
                            "after {} rounds of deletion every record left is at risk",
                            round - 1
                        ),
                    },
                    "recode keys first",
                ));
            }
            context.note(Note::RecordsDeleted {
                round,
                n_records: n_deleted,
            });
            let mut flag = flags.iter();
            kept.retain(|_| flag.next() == Some(&false));
            left = Some(task.table.take(&kept));
        }
        let all = kept.len() == task.table.n_records();
        Ok(Change {
            kept: (!all).then_some(kept),
            ..Change::default()
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("k", RawValue::Integer(1)), ("risk", RawValue::Number(0.3))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("k", RawValue::Integer(1))])
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
