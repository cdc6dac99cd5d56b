//! Masks of categories and of records gave what they should.

use std::collections::HashMap;

use bauta_data::{Column, Table};

use super::work::Work;

/// The text of each cell; none where it is missing.
pub(super) fn cells(column: &Column) -> Vec<Option<&str>> {
    let Some(values) = column.as_categorical() else {
        return Vec::new();
    };
    let text = |(record, code): (usize, u32)| {
        (!column.is_missing(record)).then(|| values.levels.text(code))
    };
    values.codes.iter().enumerate().map(text).collect()
}

fn each_pair(
    work: &Work,
    original: &Table,
    masked: &Table,
    holds: impl Fn(&[Option<&str>], &[Option<&str>]) -> bool,
) -> bool {
    work.on.iter().all(|name| {
        let columns = original.column_named(name).zip(masked.column_named(name));
        columns.is_some_and(|(x, z)| holds(&cells(x), &cells(z)))
    })
}

/// Records whose key is counted again the plain way.
const N_RECOUNTED: usize = 40;

/// Keys of a file, by variable and record.
fn keys<'a>(work: &Work, table: &'a Table) -> Vec<Vec<Option<&'a str>>> {
    let columns = work.on.iter().filter_map(|name| table.column_named(name));
    columns.map(cells).collect()
}

/// How many records of `file` hold what a record shows.
fn n_matches(shown: &[Vec<Option<&str>>], record: usize, file: &[Vec<Option<&str>>]) -> i64 {
    let n = file.first().map_or(0, Vec::len);
    let matches = |other: &usize| {
        let mut both = shown.iter().zip(file);
        both.all(|(shown, file)| shown[record].is_none() || shown[record] == file[*other])
    };
    i64::try_from((0..n).filter(matches).count()).unwrap_or(i64::MAX)
}

/// What records show occurs k times in the file before suppression, and only records at risk lost
/// a value.
pub(super) fn keys_are_safe(work: &Work, original: &Table, masked: &Table, k: i64) -> bool {
    let (x, z) = (keys(work, original), keys(work, masked));
    let n = original.n_records();
    (0..n)
        .step_by(n.div_ceil(N_RECOUNTED).max(1))
        .all(|record| {
            let lost = x.iter().zip(&z).any(|(x, z)| x[record] != z[record]);
            n_matches(&z, record, &x) >= k && (!lost || n_matches(&x, record, &x) < k)
        })
}

/// What records show occurs k times among the records that are left.
pub(super) fn records_are_safe(work: &Work, masked: &Table, k: i64) -> bool {
    let z = keys(work, masked);
    let n = masked.n_records();
    (0..n)
        .step_by(n.div_ceil(N_RECOUNTED).max(1))
        .all(|record| n_matches(&z, record, &z) >= k)
}

/// As many records as asked for, each once and in their order.
pub(super) fn is_sample(original: &Table, masked: &Table, share: f64) -> bool {
    let rows: Vec<usize> = (0..masked.n_records())
        .map(|record| masked.source_row(record))
        .collect();
    let n = (share * original.n_records() as f64).round() as usize;
    rows.len() == n && rows.windows(2).all(|two| two[0] < two[1])
}

/// Values of too few records are gone, and the others are as they were.
pub(super) fn rare_are_recoded(work: &Work, original: &Table, masked: &Table, below: i64) -> bool {
    each_pair(work, original, masked, |x, z| {
        let mut counts: HashMap<&str, i64> = HashMap::new();
        for text in x.iter().flatten() {
            *counts.entry(text).or_insert(0) += 1;
        }
        x.iter().zip(z).all(|(x, z)| match x {
            Some(text) if counts[text] < below => *z == Some("other"),
            kept => z == kept,
        })
    })
}

/// As many cells changed as asked for.
pub(super) fn share_is_flipped(work: &Work, original: &Table, masked: &Table, share: f64) -> bool {
    each_pair(work, original, masked, |x, z| {
        let n_present = x.iter().flatten().count();
        let n_changed = x.iter().zip(z).filter(|(x, z)| x != z).count();
        n_changed == (share * n_present as f64).round() as usize
    })
}

/// Units that had different numbers still have, units that had one number have one, and no number is what it was.
pub(super) fn units_stay_apart(work: &Work, original: &Table, masked: &Table) -> bool {
    each_pair(work, original, masked, |x, z| {
        let mut forth = HashMap::new();
        let mut back = HashMap::new();
        let mut both = x.iter().zip(z);
        both.all(|(x, z)| {
            *forth.entry(x).or_insert(z) == z
                && *back.entry(z).or_insert(x) == x
                && (x.is_none() || x != z)
        })
    })
}
