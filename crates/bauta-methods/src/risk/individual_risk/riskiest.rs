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
    if a_block
        .columns()
        .iter()
        .any(|key| key.as_categorical().is_none())
    {
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

#[cfg(test)]
mod tests {
    use bauta_data::column::NumberText;
    use bauta_data::missing::{MissingCause, MissingCells, MissingMark};
    use bauta_data::{Attribute, Kind, Levels, Role};
    use proptest::prelude::*;

    use super::*;
    use crate::keys::Semantics;
    use crate::keys::frequencies::frequencies;

    /// Of one record: its row in the source is drawn apart.
    #[derive(Clone, Debug)]
    struct Drawn {
        /// None where the cell is missing.
        key: [Option<u32>; 2],
        risk: u8,
        household: u8,
    }

    fn key(name: &str, cells: impl Iterator<Item = Option<u32>> + Clone) -> Column {
        let mark = MissingMark {
            text: "NA".to_owned(),
            cause: MissingCause::Source,
        };
        let states = cells.clone().map(|cell| u8::from(cell.is_none())).collect();
        let missing = MissingCells::new(states, vec![mark]);
        // What a missing cell has as its code must not matter.
        let codes = cells.enumerate();
        let codes: Vec<u32> = codes
            .map(|(record, cell)| cell.unwrap_or(record as u32 % 3))
            .collect();
        let levels = Arc::new(Levels::from_texts(["a", "b", "c", "d", "e", "f"]));
        let attribute = Attribute::new(name, Role::Key, Kind::Unordered);
        Column::categorical(Arc::new(attribute), codes, levels, missing)
    }

    fn of_records(risk: &[f64]) -> RecordRisks<'static> {
        RecordRisks {
            class: None,
            risk: risk.to_vec(),
            n_records: risk.len(),
        }
    }

    fn drawn() -> impl Strategy<Value = Vec<(Drawn, u32)>> {
        let record = (
            [
                prop::option::weighted(0.9, 0_u32..6),
                prop::option::weighted(0.9, 0_u32..6),
            ],
            0_u8..5,
            0_u8..3,
        );
        let record = record.prop_map(|(key, risk, household)| Drawn {
            key,
            risk,
            household,
        });
        prop::collection::vec(record, 1..300).prop_flat_map(|records| {
            let rows: Vec<u32> = (0..records.len() as u32).collect();
            (Just(records), Just(rows).prop_shuffle())
                .prop_map(|(records, rows)| records.into_iter().zip(rows).collect())
        })
    }

    proptest! {
        #[test]
        fn the_first_of_all_records_are_those_of_all_classes(
            records in drawn(),
            n_listed in 1_usize..15,
            with_households: bool,
        ) {
            let n = records.len();
            let keys = [0, 1].map(|at| key(["k", "l"][at], records.iter().map(move |(drawn, _)| drawn.key[at])));
            let rows = records.iter().map(|&(_, row)| row).collect();
            let table = Table::new(keys.to_vec(), n).traced_to(rows);
            let individual: Vec<f64> = records.iter().map(|(drawn, _)| f64::from(drawn.risk) / 4.0).collect();
            let household: Vec<f64> = records.iter().map(|(drawn, _)| f64::from(drawn.household) / 2.0).collect();
            let counted = Frequencies { f: vec![1; n], weight: None, n_classes: n };
            let risks = Risks {
                counted: &counted,
                individual: &of_records(&individual),
                household: with_households.then_some(household.as_slice()),
            };
            let plain = of_all_classes(&table, &[0, 1], risks, n_listed);
            let among = among_the_first(&table, &[0, 1], risks, n_listed);
            // Sixteen times as many are looked at: where that is everybody, only keys can be too few.
            if n <= 16 * n_listed {
                prop_assert_eq!(among.is_some(), plain.len() == n_listed);
            }
            let listed = riskiest(&table, &[0, 1], risks, n_listed);
            let rows: Vec<u64> = listed.iter().map(|record| record.row).collect();
            let expected = plain.iter().map(|&record| table.source_row(record) as u64 + 1);
            prop_assert_eq!(rows, expected.collect::<Vec<_>>());
            if let Some(among) = among {
                prop_assert_eq!(among, plain);
            }
        }
    }

    #[test]
    fn keys_of_numbers_are_not_looked_for_among_the_first() {
        let attribute = Arc::new(Attribute::new("x", Role::Key, Kind::Continuous));
        let column = Column::numeric(attribute, vec![1.0, 1.0, 2.0], None, NumberText::default());
        let table = Table::new(vec![column], 3);
        let counted = Frequencies {
            f: vec![2, 2, 1],
            weight: None,
            n_classes: 2,
        };
        let risks = Risks {
            counted: &counted,
            individual: &of_records(&[0.5, 0.5, 1.0]),
            household: None,
        };
        assert_eq!(among_the_first(&table, &[0], risks, 2), None);
        assert_eq!(of_all_classes(&table, &[0], risks, 2), [2, 0]);
    }

    #[test]
    fn weights_by_record_are_no_classes_of_keys() {
        // Six cells of the two keys' cube, and three records: the cube is larger than the file.
        let keys = [
            key("k", [Some(0), Some(0), Some(1)].into_iter()),
            key("l", [Some(5), Some(5), Some(2)].into_iter()),
        ];
        let attribute = Arc::new(Attribute::new("w", Role::Weight, Kind::Continuous));
        let weights = Column::numeric(attribute, vec![2.0, 2.0, 9.0], None, NumberText::default());
        let table = Table::new(keys.into_iter().chain([weights]).collect(), 3);
        let counted = frequencies(&table, &[0, 1], Semantics::Visible).unwrap();
        let individual = RecordRisks::of(&counted);
        let risks = Risks {
            counted: &counted,
            individual: &individual,
            household: None,
        };
        let listed = riskiest(&table, &[0, 1], risks, 10);
        let rows: Vec<u64> = listed.iter().map(|record| record.row).collect();
        assert_eq!(rows, [1, 3]);
    }
}
