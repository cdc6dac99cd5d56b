//! Steps that the data suggest, each with its reason. They stand in a first plan as comments: what a variable may
//! lose is for a person to decide.

use std::collections::{HashMap, HashSet};

use bauta_data::date::Dates;
use bauta_data::hierarchy::{DateLevels, DateUnit, DateUnits};
use bauta_data::inspect::{ColumnProfile, FileProfile, Flag, Sign};
use bauta_data::number::DecimalMark;
use bauta_data::{Column, HierarchySpec, Kind, Levels, Role, Table};
use bauta_methods::RawValue;

use super::rules::{Rules, counted_keys, is_soon_linked, linkage, linked};
use crate::draft::{GateDraft, MeasureDraft, StepDraft};

/// A step that is not taken unless somebody says so.
pub(in crate::work) struct Proposal {
    /// Why, with figures of the file; it stays in the plan, which is confidential.
    pub(in crate::work) reason: String,
    /// The step, where there is one. Its own reason is published and holds no figure.
    pub(in crate::work) step: Option<StepDraft>,
    /// What measures and judges what the step leaves, where nothing else does.
    pub(in crate::work) judged: Option<(MeasureDraft, Option<GateDraft>)>,
}

/// More values than these single records out in any combination.
pub(in crate::work) const MANY_VALUES: usize = 20;
/// Values of fewer records than this are rare.
pub(in crate::work) const RARE_BELOW: i64 = 10;
/// Ages as surveys publish them.
const AGE_BREAKS: [i64; 7] = [15, 25, 35, 45, 55, 65, 75];
/// Share of the records within which neighbours by size are exchanged. Within 0.05, linkage by several amounts leads
/// back to more than a tenth of the records of our test files; within 0.15 to one or two in a hundred.
pub(in crate::work) const WINDOW: f64 = 0.15;
/// Size of groups of numbers that become one.
const GROUP_SIZE: i64 = 12;

/// How the exact dates of a variable are spelled, if that is known, so that they can be cut by the calendar.
pub(in crate::work) fn exact_dates(column: &ColumnProfile) -> Option<Dates> {
    let is_exact = column.proposal.flag == Some(Flag::ExactDate);
    column.date.filter(|_| is_exact)
}

/// What could be done to a file that looks so: recode, then blank what still stands out, then mask numbers.
pub(in crate::work) fn proposals(
    profile: &FileProfile,
    table: &Table,
    rules: &Rules,
) -> Vec<Proposal> {
    let keys = counted_keys(profile);
    let mut out: Vec<Proposal> = keys.iter().filter_map(|key| recoding(key, table)).collect();
    if keys.len() > MOST_KEYS {
        out.push(Proposal {
            reason: format!(
                "{} keys at once are more than anybody knows, and no suppression of single values can hide their \
                 combinations: write a scenario of a few keys for each kind of intruder, and then a step \
                 `suppress-local`, which takes all scenarios",
                keys.len()
            ),
            step: None,
            judged: None,
        });
    } else if !keys.is_empty() {
        let step = StepDraft::mask("suppress-local").on(names(&keys));
        let step = with_household_keys(step, &household_keys(&keys, profile, table));
        out.push(Proposal {
            reason: "what still stands out after recoding: single values are blanked until every record is one of k"
                .to_owned(),
            step: Some(
                step.with("k", rules.k)
                    .because("records that stood out by a combination of values"),
            ),
            judged: None,
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
            judged: None,
        });
    }
    out.extend(exact_amounts(profile, rules));
    out
}

pub(in crate::work) fn names<'p>(columns: &[&'p ColumnProfile]) -> Vec<&'p str> {
    columns.iter().map(|column| column.name.as_str()).collect()
}

/// Keys up to which single values are suppressed over all of them.
pub(in crate::work) const MOST_KEYS: usize = 12;

/// A suppression that blanks the keys of a household for all of its members.
pub(in crate::work) fn with_household_keys(step: StepDraft, of_households: &[&str]) -> StepDraft {
    if of_households.is_empty() {
        step
    } else {
        step.with("household_keys", of_households.to_vec())
    }
}

/// Keys that all members of every household share: a blank of one would be read from another.
pub(in crate::work) fn household_keys<'p>(
    keys: &[&'p ColumnProfile],
    profile: &FileProfile,
    table: &Table,
) -> Vec<&'p str> {
    let mut columns = profile.columns.iter();
    let household =
        columns.find(|column| column.proposal.role == Role::Household && column.n_missing == 0);
    let codes = |name: &str| table.column_named(name).and_then(Column::as_categorical);
    let Some(households) = household.and_then(|household| codes(&household.name)) else {
        return Vec::new();
    };
    let is_shared = |key: &&&'p ColumnProfile| {
        let Some(values) = codes(&key.name) else {
            return false;
        };
        let mut of_household = HashMap::new();
        let mut both = households.codes.iter().zip(&values.codes);
        both.all(|(household, value)| *of_household.entry(household).or_insert(value) == value)
    };
    let shared = keys.iter().filter(is_shared);
    shared.map(|key| key.name.as_str()).collect()
}

/// What makes a key coarser, if it has to be.
pub(in crate::work) fn recoding(key: &ColumnProfile, table: &Table) -> Option<Proposal> {
    let name = key.name.as_str();
    let (n_distinct, n_unique) = (key.n_distinct, key.n_unique);
    let counted = match n_unique {
        0 => format!("{name} has {n_distinct} different values"),
        _ => format!("{name} has {n_distinct} different values, {n_unique} of one record alone"),
    };
    let recode = || StepDraft::mask("recode").on([name]);
    if let Some(dates) = exact_dates(key) {
        let (level, n_left) = level_of_dates(key, table, dates);
        return Some(Proposal {
            reason: format!(
                "{counted}: level 1 is the month, 2 the quarter, 3 the year, 4 five years; level {level} leaves \
                 {n_left}. Of dates of birth, ages instead: hierarchy = {{ age_at = \"2026-01-01\" }} above, and level = 2 for \
                 classes of five years"
            ),
            step: Some(
                recode()
                    .with("level", level)
                    .because("exact dates single persons out"),
            ),
            judged: None,
        });
    }
    if key.proposal.flag == Some(Flag::ExactDate) {
        return Some(Proposal {
            reason: format!(
                "{counted}, and how they are spelled must be stated above before they can be cut: \
                 date = \"dd/mm/yyyy\", hierarchy = \"dates\"; or give it the role identifier, which drops it"
            ),
            step: None,
            judged: None,
        });
    }
    if key.n_distinct <= MANY_VALUES && n_unique == 0 {
        return None;
    }
    if key.proposal.kind == Kind::Hierarchical {
        let kept: Vec<usize> = (1..key.longest).rev().collect();
        let (level, n_left) = level_for(key, table, &kept);
        return Some(Proposal {
            reason: format!(
                "{counted}: each level takes a character off the codes; level {level} leaves {n_left}"
            ),
            step: Some(
                recode()
                    .with("level", level)
                    .because("fine codes single units out"),
            ),
            judged: None,
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
            judged: None,
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
        judged: None,
    })
}

/// The finest level of the calendar that leaves no more values than a table holds, or the coarsest there is; and how
/// many it leaves.
fn level_of_dates(key: &ColumnProfile, table: &Table, dates: Dates) -> (i64, usize) {
    let spec = HierarchySpec::Dates(DateLevels {
        by: DateUnits::Calendar(DateUnit::USUAL.to_vec()),
        format: dates.format(),
    });
    let resolved = table
        .column_named(&key.name)
        .and_then(|column| spec.resolve(&key.name, &distinct_dates(column, dates)).ok());
    let Some(hierarchy) = resolved else {
        return (1, key.n_distinct);
    };
    let n_left = |level: usize| hierarchy.at_level(level).0.len();
    let mut levels = 1..DateUnit::USUAL.len();
    let level = levels.find(|&level| n_left(level) <= MANY_VALUES);
    let level = level.unwrap_or(DateUnit::USUAL.len());
    (i64::try_from(level).unwrap_or(1), n_left(level))
}

/// The dates of a variable, each once, without the few texts among them that are none.
fn distinct_dates(column: &Column, dates: Dates) -> Levels {
    let mut levels = Levels::default();
    if let Some(categories) = column.as_categorical() {
        let format = dates.format();
        let is_date = |text: &&str| format.is_none_or(|format| format.days(text).is_some());
        for text in categories.levels.iter().filter(is_date) {
            levels.insert(text);
        }
        return levels;
    }
    // Dates that were stated are kept as days.
    let mut text = String::new();
    for record in (0..column.len()).filter(|&record| !column.is_missing(record)) {
        text.clear();
        column.write_text(record, DecimalMark::Point, &mut text);
        levels.insert(&text);
    }
    levels
}

/// The finest level of prefixes that leaves no more values than a table holds, or the coarsest there is; and how many
/// it leaves. `kept` are the characters that each level keeps.
fn level_for(key: &ColumnProfile, table: &Table, kept: &[usize]) -> (i64, usize) {
    let categories = table
        .column_named(&key.name)
        .and_then(Column::as_categorical);
    let n_left = |kept: usize| {
        let texts = categories
            .into_iter()
            .flat_map(|categories| categories.levels.iter());
        let prefixes: HashSet<String> = texts
            .map(|text| text.chars().take(kept).collect())
            .collect();
        prefixes.len()
    };
    let mut coarsest = (1, key.n_distinct);
    for (level, &kept) in (1..).zip(kept) {
        coarsest = (level, n_left(kept));
        if coarsest.1 <= MANY_VALUES {
            break;
        }
    }
    coarsest
}

/// Amounts that nobody is assumed to know, and that lead to their record all the same if somebody does.
fn exact_amounts(profile: &FileProfile, rules: &Rules) -> Option<Proposal> {
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
    // One gate holds for all linkages of a plan.
    let gate = (linked.is_empty() || !is_soon_linked(profile)).then(|| rules.linkage_gate());
    let known = linked
        .iter()
        .chain(&amounts)
        .map(|column| column.name.as_str());
    let slow = if is_soon_linked(profile) {
        ""
    } else {
        "; of so many records, the linkage that says how well takes minutes"
    };
    let alone = match largest {
        0 => "whoever knows an amount exactly is left with the few records that have it".to_owned(),
        1 => "a record has an amount that no other has, and whoever knows it exactly finds it"
            .to_owned(),
        _ => format!(
            "up to {largest} records have an amount that no other has, and whoever knows it exactly finds them"
        ),
    };
    Some(Proposal {
        reason: format!("{alone}: neighbours by size are exchanged{slow}"),
        step: Some(
            step.with("window", WINDOW)
                .with("missing", "skip")
                .because("exact amounts lead to those who have them"),
        ),
        judged: Some((linkage(profile, known), gate)),
    })
}
