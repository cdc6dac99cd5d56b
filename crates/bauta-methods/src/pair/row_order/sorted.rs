//! Variables that a file is sorted by: they stand in place in any two files that are sorted alike, whatever
//! became of the records.

use bauta_data::{Column, Values};

use super::{InBoth, ties};
use crate::kernel::numbers::ranks::rows_by_value;

/// Share of the rows that must follow one with the same values of the variables before, so that being in order
/// says something.
const LEAST_FOLLOWING: f64 = 0.25;

/// The variables among those in place that the file is not sorted by.
pub(super) fn unsorted<'t>(in_place: &[InBoth<'t>], n_records: usize) -> Vec<InBoth<'t>> {
    let mut left = in_place.to_vec();
    let mut runs = vec![0_u32; n_records];
    // A file may be sorted by several variables, one within the other.
    while let Some(position) = left
        .iter()
        .position(|both| is_sorted(&both.original.looked_at(places), &runs))
    {
        let places = left.remove(position).original.looked_at(places);
        runs = split(&runs, &places);
    }
    left
}

/// Whether values rise or fall within the runs from row to row, or stand together.
fn is_sorted(places: &[u32], runs: &[u32]) -> bool {
    let rows = 1..places.len();
    let following: Vec<usize> = rows.filter(|&row| runs[row] == runs[row - 1]).collect();
    if (following.len() as f64) < LEAST_FOLLOWING * places.len() as f64 {
        return false;
    }
    let rises = following.iter().all(|&row| places[row] >= places[row - 1]);
    let falls = following.iter().all(|&row| places[row] <= places[row - 1]);
    rises || falls || stand_together(places, runs)
}

/// Whether equal values stand together in every run, two or more in the mean.
fn stand_together(places: &[u32], runs: &[u32]) -> bool {
    let stretches = split(runs, places);
    let n_stretches = stretches.last().map_or(0, |&last| last as usize + 1);
    if 2 * n_stretches > places.len() {
        return false;
    }
    let mut values: Vec<(u32, u32)> = runs.iter().copied().zip(places.iter().copied()).collect();
    values.sort_unstable();
    values.dedup();
    values.len() == n_stretches
}

/// Runs within which a variable does not change either, numbered by row.
fn split(runs: &[u32], places: &[u32]) -> Vec<u32> {
    let mut number = 0;
    let rows = 0..runs.len();
    rows.map(|row| {
        if row > 0 && (runs[row] != runs[row - 1] || places[row] != places[row - 1]) {
            number += 1;
        }
        number
    })
    .collect()
}

/// The place of each record's value in the order of values; 0 where there is none.
fn places(column: &Column) -> Vec<u32> {
    let mut places = match column.values() {
        Values::Numeric(values) => {
            let mut places = vec![0; values.len()];
            let rows = rows_by_value(values);
            for (place, tied) in (1..).zip(ties(values, &rows)) {
                for &row in tied {
                    places[row as usize] = place;
                }
            }
            places
        }
        Values::Categorical(categories) => {
            let (_, place_of) = categories.levels.naturally_ordered();
            let place = |code: u32| place_of.get(code as usize).map_or(0, |place| place + 1);
            categories.codes.iter().map(place).collect()
        }
    };
    for (record, place) in places.iter_mut().enumerate() {
        if column.is_missing(record) {
            *place = 0;
        }
    }
    places
}
