//! Simulated billing records in the form of Truta's: age, sex, zip and amount billed.

use std::sync::Arc;

use bauta_data::column::NumberText;
use bauta_data::{Attribute, Column, HierarchySpec, Kind, Levels, Role, Table, Values, Watch};
use bauta_methods::RunContext;
use bauta_methods::context::unit_interval;

/// How the records are made, for the text.
pub(super) const ABOUT: &str = "\
- age: the mean of two uniform numbers from 0 to 101, cut to whole years, so that the middle ages are \
the most frequent;\n\
- sex: 0 or 1, equally likely;\n\
- zip: one of 120 codes of five digits in nine areas of three digits, 48000 to 48899; code number \
120 u² with u uniform, so that a few codes are frequent and most are rare;\n\
- amount billed: 50 + 5000 u³, whole; confidential, and neither masked nor known to the intruder.\n\n\
The draws are Bauta's own, keyed by the seed; a smaller file is the beginning of a larger one.\n";

const N_CODES: u32 = 120;

/// So many records.
pub(super) fn records(n: usize, seed: u64, watch: &dyn Watch) -> Table {
    let context = RunContext::new(seed, "billing records", watch);
    let draws = |name: &str| -> Vec<[f64; 2]> {
        let draws = context.draws(name);
        draws.per_position(n, |_, draws: [u64; 2]| draws.map(unit_interval))
    };
    let ages = draws("age")
        .into_iter()
        .map(|[u, v]| (101.0 * (u + v) / 2.0).floor());
    let amounts = draws("amount")
        .into_iter()
        .map(|[u, _]| (50.0 + 5_000.0 * u * u * u).floor());
    let sexes = draws("sex")
        .into_iter()
        .map(|[u, _]| u32::from(u >= 0.5))
        .collect();
    let zips = draws("zip")
        .into_iter()
        .map(|[u, _]| (f64::from(N_CODES) * u * u) as u32);
    let codes: Vec<String> = (0..N_CODES)
        .map(|code| format!("48{}{:02}", code % 9, 11 + 6 * (code / 9)))
        .collect();
    let mut zip = Attribute::new("zip", Role::Key, Kind::Hierarchical);
    zip.hierarchy = Some(HierarchySpec::Prefix { keep: None });
    let columns = vec![
        number("age", Role::Key, ages.collect()),
        category(
            Attribute::new("sex", Role::Key, Kind::Unordered),
            sexes,
            Levels::from_texts(["0", "1"]),
        ),
        category(
            zip,
            zips.collect(),
            Levels::from_texts(codes.iter().map(String::as_str)),
        ),
        number("amount_billed", Role::Sensitive, amounts.collect()),
    ];
    Table::new(columns, n)
}

fn number(name: &str, role: Role, values: Vec<f64>) -> Column {
    let attribute = Attribute::new(name, role, Kind::Continuous);
    Column::numeric(Arc::new(attribute), values, None, NumberText::default())
}

fn category(attribute: Attribute, codes: Vec<u32>, levels: Levels) -> Column {
    Column::categorical(Arc::new(attribute), codes, Arc::new(levels), None)
}

/// Number of different values of a variable, and records with the most frequent one.
pub(super) fn occurrences(table: &Table, name: &str) -> (usize, usize) {
    let keys: Vec<u64> = match table.column_named(name).map(Column::values) {
        Some(Values::Numeric(values)) => values.iter().map(|value| value.to_bits()).collect(),
        Some(Values::Categorical(values)) => values.codes.iter().map(u64::from).collect(),
        None => Vec::new(),
    };
    let mut counts = std::collections::BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_insert(0) += 1;
    }
    (counts.len(), counts.values().copied().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::Unwatched;

    #[test]
    fn records_are_in_range_and_a_smaller_file_is_the_beginning_of_a_larger_one() {
        let (small, large) = (records(200, 1, &Unwatched), records(1_000, 1, &Unwatched));
        let ages = large
            .column_named("age")
            .and_then(Column::as_numeric)
            .unwrap();
        assert!(
            ages.iter()
                .all(|age| (0.0..=100.0).contains(age) && age.fract() == 0.0)
        );
        assert_eq!(
            &ages[..200],
            small.column_named("age").unwrap().as_numeric().unwrap()
        );
        let zip = large.column_named("zip").unwrap().as_categorical().unwrap();
        // 120 different codes, of five digits each.
        assert_eq!(zip.levels.len(), N_CODES as usize);
        assert!(zip.levels.iter().all(|code| code.len() == 5));
        assert_eq!(occurrences(&large, "sex").0, 2);
        let (n_zip, most) = occurrences(&large, "zip");
        // The first code has √(1/120) of the records: 91 of 1,000, with a deviation of 9.
        assert!(n_zip > 100 && (46..=136).contains(&most), "{n_zip} {most}");
    }
}
