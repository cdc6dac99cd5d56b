//! The records at the highest risk, one for each key.

use std::borrow::Cow;
use std::sync::Arc;

use bauta_data::number::DecimalMark;
use bauta_data::{Column, Table};
use foldhash::fast::FixedState;
use hashbrown::HashSet;

use crate::keys::frequencies::ToldBy;
use crate::keys::{Frequencies, class_numbers};
use crate::measure::{ListedRecord, Part};
use crate::risk::individual_risk::RecordRisks;

/// Risks of the records of a file.
#[derive(Clone, Copy)]
pub(crate) struct Risks<'a> {
    /// f and F.
    pub(crate) counted: &'a Frequencies,
    /// Of the record itself.
    pub(crate) individual: &'a RecordRisks<'a>,
    /// Of its household, where there are households.
    pub(crate) household: Option<&'a [f64]>,
}

impl Risks<'_> {
    fn household(&self, record: usize) -> f64 {
        self.household.map_or(0.0, |risks| risks[record])
    }

    /// Highest risk first; among equals the household's, then the first row.
    fn order(&self, table: &Table, a: usize, b: usize) -> std::cmp::Ordering {
        let (own, household) = (self.individual, |record| self.household(record));
        own.at(b)
            .total_cmp(&own.at(a))
            .then_with(|| household(b).total_cmp(&household(a)))
            .then_with(|| table.source_row(a).cmp(&table.source_row(b)))
    }
}

/// The records at the highest risk. Records that show the same key are one entry, the riskiest of
/// them: ten entries are ten keys and not one key ten times.
pub(crate) fn riskiest(
    table: &Table,
    keys: &[usize],
    risks: Risks<'_>,
    n_listed: usize,
) -> Vec<ListedRecord> {
    if n_listed == 0 || table.n_records() == 0 {
        return Vec::new();
    }
    let records = among_the_first(table, keys, risks, n_listed)
        .unwrap_or_else(|| of_all_classes(table, keys, risks, n_listed));
    records
        .into_iter()
        .map(|record| listed(table, keys, risks, record))
        .collect()
}

/// The riskiest records of as many keys, found among some that are the riskiest of all; none where those have fewer keys, or
/// where a key has numbers, of which texts do not tell whether they are equal.
fn among_the_first(
    table: &Table,
    keys: &[usize],
    risks: Risks<'_>,
    n_listed: usize,
) -> Option<Vec<usize>> {
    /// Records that are looked at for each that is listed.
    const LOOKED_AT: usize = 16;
    let a_block = table.block_of(keys, 0..1);
    if a_block.columns().iter().any(|key| key.as_categorical().is_none()) {
        return None;
    }
    let n_looked_at = n_listed.checked_mul(LOOKED_AT)?;
    let order = |&a: &usize, &b: &usize| risks.order(table, a, b);
    // Twice as many are gathered before half of them go, so that few are put in order.
    let mut first: Vec<usize> = Vec::new();
    let mut last = None;
    for record in 0..table.n_records() {
        if last.is_some_and(|last| risks.order(table, record, last).is_gt()) {
            continue;
        }
        first.push(record);
        if first.len() >= n_looked_at.checked_mul(2)? {
            first.select_nth_unstable_by(n_looked_at - 1, order);
            first.truncate(n_looked_at);
            last = first.last().copied();
        }
    }
    first.sort_unstable_by(order);
    let mut seen = HashSet::<_, FixedState>::default();
    let mut of_other_keys = Vec::new();
    for record in first {
        if of_other_keys.len() == n_listed {
            break;
        }
        if seen.insert(shown_key(table, keys, record)) {
            of_other_keys.push(record);
        }
    }
    (of_other_keys.len() == n_listed).then_some(of_other_keys)
}

/// The riskiest record of each key, and of those the first.
fn of_all_classes(table: &Table, keys: &[usize], risks: Risks<'_>, n_listed: usize) -> Vec<usize> {
    let classes = shown_classes(table, keys, risks.counted);
    let n_classes = classes.iter().max().map_or(0, |&last| last as usize + 1);
    let mut of_class: Vec<Option<usize>> = vec![None; n_classes];
    for (record, &class) in classes.iter().enumerate() {
        let best = &mut of_class[class as usize];
        if best.is_none_or(|best| risks.order(table, record, best).is_lt()) {
            *best = Some(record);
        }
    }
    let mut records: Vec<usize> = of_class.into_iter().flatten().collect();
    let order = |&a: &usize, &b: &usize| risks.order(table, a, b);
    if n_listed < records.len() {
        records.select_nth_unstable_by(n_listed, order);
        records.truncate(n_listed);
    }
    records.sort_unstable_by(order);
    records
}

/// Classes of records that show the same key: those that were counted, if they are.
fn shown_classes<'a>(table: &Table, keys: &[usize], counted: &'a Frequencies) -> Cow<'a, [u32]> {
    match &counted.weight {
        Some(weight) if weight.told_by == ToldBy::ShownKey => Cow::Borrowed(&weight.class),
        Some(_) | None => Cow::Owned(class_numbers(table, keys)),
    }
}

/// What the file shows of a record; none where a cell is missing.
fn shown_key(table: &Table, keys: &[usize], record: usize) -> Vec<Option<String>> {
    // Of keys that lie in files nothing else is read.
    let shown = table.block_of(keys, record..record + 1);
    let text_of = |column: &Arc<Column>| {
        (!column.is_missing(0)).then(|| {
            let mut text = String::new();
            column.write_text(0, DecimalMark::Point, &mut text);
            text
        })
    };
    shown.columns().iter().map(text_of).collect()
}

fn listed(table: &Table, keys: &[usize], risks: Risks<'_>, record: usize) -> ListedRecord {
    let names = keys.iter().map(|&attr_idx| table.column(attr_idx).name());
    let key = names.map(str::to_owned).zip(shown_key(table, keys, record));
    let mut figures = vec![
        Part::new("f", f64::from(risks.counted.f[record])),
        Part::new("F", risks.counted.big_f(record)),
        Part::new("risk", risks.individual.at(record)),
    ];
    if risks.household.is_some() {
        figures.push(Part::new("household_risk", risks.household(record)));
    }
    ListedRecord {
        row: table.source_row(record) as u64 + 1,
        key: key.collect(),
        figures,
    }
}
