//! Steps that the data suggest, each with its reason. They stand in a first plan as comments: what a variable may
//! lose is for a person to decide.

use bauta_data::inspect::{ColumnProfile, FileProfile, Flag, Sign};
use bauta_data::{Kind, Role};
use bauta_methods::RawValue;

use super::rules::{Rules, counted_keys, linked};
use crate::draft::{HierarchyDraft, StepDraft};

/// A step that is not taken unless somebody says so.
pub(super) struct Proposal {
    /// Why, with figures of the file; it stays in the plan, which is confidential.
    pub(super) reason: String,
    /// The step, where there is one. Its own reason is published and holds no figure.
    pub(super) step: Option<StepDraft>,
}

/// More values than these single records out in any combination.
const MANY_VALUES: usize = 20;
/// Values of fewer records than this are rare.
const RARE_BELOW: i64 = 10;
/// Ages as surveys publish them.
const AGE_BREAKS: [i64; 7] = [15, 25, 35, 45, 55, 65, 75];
/// Share of the records within which neighbours by size are exchanged.
const WINDOW: f64 = 0.05;
/// Size of groups of numbers that become one.
const GROUP_SIZE: i64 = 5;

/// Characters of dates written year first that a month and a year take.
const MONTH_AND_YEAR: [usize; 2] = [7, 4];

/// Whether a variable holds exact dates that sort as text, so that months and years are its first characters.
pub(super) fn is_cut_by_year(column: &ColumnProfile) -> bool {
    column.proposal.flag == Some(Flag::ExactDate) && column.signs.contains(&Sign::YearFirst)
}

/// The levels of dates: the month, the year.
pub(super) fn months_and_years() -> HierarchyDraft {
    HierarchyDraft::Prefix(Some(MONTH_AND_YEAR.to_vec()))
}

/// What could be done to a file that looks so: recode, then blank what still stands out, then mask numbers.
pub(super) fn proposals(profile: &FileProfile, rules: &Rules) -> Vec<Proposal> {
    let keys = counted_keys(profile);
    let mut out: Vec<Proposal> = keys.iter().filter_map(|key| recoding(key)).collect();
    if !keys.is_empty() {
        let step = StepDraft::mask("suppress-local").on(names(&keys));
        out.push(Proposal {
            reason: "what still stands out after recoding: single values are blanked until every record is one of k"
                .to_owned(),
            step: Some(
                step.with("k", rules.k)
                    .because("records that stood out by a combination of values"),
            ),
        });
    }
    let linked = linked(profile);
    if !linked.is_empty() {
        let step = StepDraft::mask("mdav").on(names(&linked));
        out.push(Proposal {
            reason: "a number that is released as it is leads to its record: groups of records get their mean"
                .to_owned(),
            step: Some(
                step.with("k", GROUP_SIZE)
                    .because("exact amounts lead to those who have them"),
            ),
        });
    }
    out.extend(exact_amounts(profile));
    out
}

fn names<'p>(columns: &[&'p ColumnProfile]) -> Vec<&'p str> {
    columns.iter().map(|column| column.name.as_str()).collect()
}

/// What makes a key coarser, if it has to be.
fn recoding(key: &ColumnProfile) -> Option<Proposal> {
    let name = key.name.as_str();
    let (n_distinct, n_unique) = (key.n_distinct, key.n_unique);
    let counted = match n_unique {
        0 => format!("{name} has {n_distinct} different values"),
        _ => format!("{name} has {n_distinct} different values, {n_unique} of one record alone"),
    };
    let recode = || StepDraft::mask("recode").on([name]);
    if is_cut_by_year(key) {
        return Some(Proposal {
            reason: format!("{counted}: level 1 is the month, level 2 the year"),
            step: Some(
                recode()
                    .with("level", 2)
                    .because("exact dates single persons out"),
            ),
        });
    }
    if key.proposal.flag == Some(Flag::ExactDate) {
        return Some(Proposal {
            reason: format!(
                "{counted}, and dates that do not begin with the year cannot be cut here: replace it by a year \
                 before it comes here, or give it the role identifier, which drops it"
            ),
            step: None,
        });
    }
    if key.n_distinct <= MANY_VALUES && n_unique == 0 {
        return None;
    }
    if key.proposal.kind == Kind::Hierarchical {
        return Some(Proposal {
            reason: format!("{counted}: each level takes a character off the codes"),
            step: Some(
                recode()
                    .with("level", 1)
                    .because("fine codes single units out"),
            ),
        });
    }
    if key.signs.contains(&Sign::AgeLike) && key.proposal.kind == Kind::Ordered {
        let breaks = AGE_BREAKS.map(RawValue::Integer).to_vec();
        return Some(Proposal {
            reason: format!("{counted}: classes hold more records than years"),
            step: Some(
                recode()
                    .with("breaks", RawValue::List(breaks))
                    .because("single years of age single persons out"),
            ),
        });
    }
    let step = StepDraft::mask("recode-rare").on([name]);
    Some(Proposal {
        reason: format!("{counted}: rare ones become one category"),
        step: Some(
            step.with("below", RARE_BELOW)
                .with("into", "other")
                .because("rare values single units out"),
        ),
    })
}

/// Amounts that nobody is assumed to know, and that lead to their record all the same if somebody does.
fn exact_amounts(profile: &FileProfile) -> Option<Proposal> {
    let linked = linked(profile);
    let amounts = profile.columns.iter().filter(|column| {
        let proposal = &column.proposal;
        proposal.role == Role::Sensitive
            && proposal.kind == Kind::Continuous
            && !linked.iter().any(|other| other.name == column.name)
    });
    let amounts: Vec<&ColumnProfile> = amounts.collect();
    let largest = amounts.iter().map(|column| column.n_unique).max()?;
    let step = StepDraft::mask("rank-swap").on(names(&amounts));
    Some(Proposal {
        reason: format!(
            "up to {largest} records have an amount that no other has, and whoever knows it exactly finds them: \
             neighbours by size are exchanged"
        ),
        step: Some(
            step.with("window", WINDOW)
                .with("missing", "skip")
                .because("exact amounts lead to those who have them"),
        ),
    })
}
