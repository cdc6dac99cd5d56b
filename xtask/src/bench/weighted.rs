//! Weighted figures, the plain way.

use std::collections::HashMap;

use bauta_data::number::DecimalMark;
use bauta_data::{Column, Table};
use bauta_methods::measure::Measurement;

fn weight(table: &Table, record: usize) -> f64 {
    let weights = table.weight().and_then(Column::as_numeric);
    weights.map_or(1.0, |weights| weights[record])
}

/// The weighted share of each category among the cells that have a value.
pub(super) fn shares(table: &Table, name: &str) -> HashMap<String, f64> {
    let mut sums: HashMap<String, f64> = HashMap::new();
    let Some(column) = table.column_named(name) else {
        return sums;
    };
    for record in (0..table.n_records()).filter(|&record| !column.is_missing(record)) {
        let mut text = String::new();
        column.write_text(record, DecimalMark::Point, &mut text);
        *sums.entry(text).or_default() += weight(table, record);
    }
    let total: f64 = sums.values().sum();
    for sum in sums.values_mut() {
        *sum /= total;
    }
    sums
}

/// The largest difference between two files' shares.
pub(super) fn largest_difference([original, masked]: &[HashMap<String, f64>; 2]) -> f64 {
    let share =
        |shares: &HashMap<String, f64>, text: &str| shares.get(text).copied().unwrap_or(0.0);
    let texts = original.keys().chain(masked.keys());
    texts
        .map(|text| (share(masked, text) - share(original, text)).abs())
        .fold(0.0, f64::max)
}

/// The weighted mean of a variable without missing values.
pub(super) fn mean(table: &Table, name: &str) -> Option<f64> {
    let values = table.column_named(name)?.as_numeric()?;
    let sums = values.iter().enumerate().fold((0.0, 0.0), |sums, (i, y)| {
        let weight = weight(table, i);
        (sums.0 + weight * y, sums.1 + weight)
    });
    Some(sums.0 / sums.1)
}

/// The estimate that a series holds.
pub(super) fn estimate(found: &Measurement, series: &str) -> Option<f64> {
    let series = found.series.iter().find(|one| one.spelled() == series)?;
    let point = series.points.iter().find(|point| point.name == "estimate");
    point.and_then(|point| point.value)
}
