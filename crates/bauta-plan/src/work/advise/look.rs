//! What advice must know of the records themselves, beyond the profile of their columns: whether a step certainly
//! changes something. A loss has a figure only then, and a gate without a figure fails.

use std::collections::{HashMap, HashSet};

use bauta_data::Table;
use bauta_data::number::DecimalMark;

/// More ways than this in which records lack keys are not looked at one by one.
const MANY_WAYS: usize = 64;

/// Whether a record shares the keys that it has with fewer than k records, so that local suppression blanks
/// something. A record counts for all who have no other keys than it has.
pub(super) fn has_small_class(table: &Table, keys: &[&str], k: i64) -> bool {
    let classes = classes(table, keys);
    let is_small = |n: usize| i64::try_from(n).is_ok_and(|n| n < k);
    let has_all = |key: &Vec<Option<u32>>| key.iter().all(Option::is_some);
    let mut complete = classes.iter().filter(|(key, _)| has_all(key));
    if complete.any(|(_, records)| is_small(records.len())) {
        return true;
    }
    let shown = |key: &Vec<Option<u32>>| key.iter().map(Option::is_some).collect::<Vec<bool>>();
    let ways: HashSet<Vec<bool>> = classes
        .keys()
        .filter(|key| !has_all(key))
        .map(shown)
        .collect();
    if ways.len() > MANY_WAYS {
        // On the safe side: a gate that has nothing to look at keeps the file in the house.
        return true;
    }
    ways.iter().any(|way| {
        let mut n_records: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut of_this_way: HashSet<Vec<u32>> = HashSet::new();
        for (key, records) in &classes {
            let of_way = key.iter().zip(way).filter(|(_, is_shown)| **is_shown);
            let Some(values) = of_way
                .map(|(value, _)| *value)
                .collect::<Option<Vec<u32>>>()
            else {
                continue;
            };
            if shown(key) == *way {
                of_this_way.insert(values.clone());
            }
            *n_records.entry(values).or_default() += records.len();
        }
        // Who lacks every key shows nothing.
        let mut shown_by_some = of_this_way.iter().filter(|values| !values.is_empty());
        shown_by_some.any(|values| is_small(n_records[values]))
    })
}

/// Whether a value has fewer than so many records, so that it becomes a category of the rest.
pub(super) fn has_rare_value(table: &Table, name: &str, below: i64) -> bool {
    let mut values = classes(table, &[name]).into_iter();
    values.any(|(value, records)| {
        value[0].is_some() && i64::try_from(records.len()).is_ok_and(|n| n < below)
    })
}

/// Share of the records with a value that have the most frequent one.
pub(super) fn share_of_most_frequent(table: &Table, name: &str) -> f64 {
    let mut classes = classes(table, &[name]);
    classes.retain(|value, _| value[0].is_some());
    let n_records: usize = classes.values().map(Vec::len).sum();
    let largest = classes.values().map(Vec::len).max().unwrap_or(0);
    largest as f64 / n_records.max(1) as f64
}

/// Share of the records whose class has different values of a variable; none is a value, too.
pub(super) fn share_of_diverse(table: &Table, keys: &[&str], sensitive: &str) -> f64 {
    let Some(values) = codes(table, sensitive) else {
        return 0.0;
    };
    let classes = classes(table, keys);
    let is_diverse = |records: &&Vec<usize>| {
        records
            .iter()
            .any(|&record| values[record] != values[records[0]])
    };
    let n_diverse: usize = classes.values().filter(is_diverse).map(Vec::len).sum();
    n_diverse as f64 / table.n_records().max(1) as f64
}

/// Largest difference between the shares of the values of a variable in a class and in the file: half the sum over
/// values.
pub(super) fn farthest_class(table: &Table, keys: &[&str], sensitive: &str) -> f64 {
    let Some(values) = codes(table, sensitive) else {
        return 0.0;
    };
    let shares = |records: &mut dyn Iterator<Item = usize>| {
        let mut counts: HashMap<Option<u32>, usize> = HashMap::new();
        let mut n_records = 0_u32;
        for record in records {
            *counts.entry(values[record]).or_default() += 1;
            n_records += 1;
        }
        let share = |n: usize| n as f64 / f64::from(n_records.max(1));
        counts
            .into_iter()
            .map(|(value, n)| (value, share(n)))
            .collect::<HashMap<_, _>>()
    };
    let of_file = shares(&mut (0..table.n_records()));
    let distance = |records: &Vec<usize>| {
        let of_class = shares(&mut records.iter().copied());
        // What a class has too much of, the others have too little of. No order of values, or the last digit of a sum
        // would depend on it.
        let mut differences: Vec<f64> = of_file
            .iter()
            .map(|(value, share)| (share - of_class.get(value).unwrap_or(&0.0)).max(0.0))
            .collect();
        differences.sort_unstable_by(f64::total_cmp);
        differences.iter().sum::<f64>()
    };
    let distances = classes(table, keys)
        .values()
        .map(distance)
        .collect::<Vec<f64>>();
    distances.into_iter().fold(0.0, f64::max)
}

/// Records by what they have of these variables.
fn classes(table: &Table, names: &[&str]) -> HashMap<Vec<Option<u32>>, Vec<usize>> {
    let mut out: HashMap<Vec<Option<u32>>, Vec<usize>> = HashMap::new();
    let all: Option<Vec<Vec<Option<u32>>>> = names.iter().map(|name| codes(table, name)).collect();
    let Some(all) = all else {
        return out;
    };
    for record in 0..table.n_records() {
        let key = all.iter().map(|codes| codes[record]).collect();
        out.entry(key).or_default().push(record);
    }
    out
}

/// The values of a variable by number, and none where a record has none. Numbers and dates count by their texts.
fn codes(table: &Table, name: &str) -> Option<Vec<Option<u32>>> {
    let column = table.column_named(name)?;
    let is_there = |record: usize| !column.is_missing(record);
    if let Some(categories) = column.as_categorical() {
        let codes = categories.codes.iter().enumerate();
        return Some(
            codes
                .map(|(record, code)| is_there(record).then_some(code))
                .collect(),
        );
    }
    let mut seen: HashMap<String, u32> = HashMap::new();
    let mut code = |record: usize| {
        let mut text = String::new();
        column.write_text(record, DecimalMark::Point, &mut text);
        let next = u32::try_from(seen.len()).expect("fewer values than records");
        *seen.entry(text).or_insert(next)
    };
    Some(
        (0..column.len())
            .map(|record| is_there(record).then(|| code(record)))
            .collect(),
    )
}
