//! The records at the highest risk, one for each key.

use std::borrow::Cow;

use bauta_data::Table;
use bauta_data::number::DecimalMark;

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
        .into_iter()
        .map(|record| listed(table, keys, risks, record))
        .collect()
}

/// Classes of records that show the same key: those that were counted, if they are.
fn shown_classes<'a>(table: &Table, keys: &[usize], counted: &'a Frequencies) -> Cow<'a, [u32]> {
    match &counted.weight {
        Some(weight) if weight.told_by == ToldBy::ShownKey => Cow::Borrowed(&weight.class),
        Some(_) | None => Cow::Owned(class_numbers(table, keys)),
    }
}

fn listed(table: &Table, keys: &[usize], risks: Risks<'_>, record: usize) -> ListedRecord {
    // Of keys that lie in files nothing else is read.
    let shown = table.block_of(keys, record..record + 1);
    let key = shown.columns().iter().map(|column| {
        let value = (!column.is_missing(0)).then(|| {
            let mut text = String::new();
            column.write_text(0, DecimalMark::Point, &mut text);
            text
        });
        (column.name().to_owned(), value)
    });
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
