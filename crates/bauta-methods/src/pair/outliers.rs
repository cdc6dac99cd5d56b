//! Which records stand out from the rest (Mateo-Sanz 2004, §5).

use bauta_data::Table;

use crate::error::MethodError;
use crate::kernel::numbers::moments::finite_moments;

/// Marks the records that are farthest from the mean record: each variable is standardised by its
/// mean and standard deviation, and the share of records with the largest Euclidean distance to the
/// mean are outliers. The share gives a count rounded to the nearest number; of equally far records
/// the lower row is taken.
///
/// A missing value counts as the mean, since it cannot be said to stand out.
pub fn outliers(table: &Table, on: &[String], share: f64) -> Result<Vec<bool>, MethodError> {
    let n = table.n_records();
    let mut distances = vec![0.0_f64; n];
    for name in on {
        let Some(x) = table
            .column_named(name)
            .and_then(bauta_data::Column::as_numeric)
        else {
            continue;
        };
        let moments = finite_moments(name, x)?;
        if moments.sd == 0.0 {
            continue;
        }
        for (distance, x) in distances.iter_mut().zip(x) {
            let z = (x - moments.mean) / moments.sd;
            *distance += if z.is_nan() { 0.0 } else { z * z };
        }
    }
    let n_outliers = ((n as f64 * share).round() as usize).min(n);
    let mut rows: Vec<u32> = (0..n as u32).collect();
    rows.sort_by(|&a, &b| distances[b as usize].total_cmp(&distances[a as usize]));
    let mut marked = vec![false; n];
    for &row in &rows[..n_outliers] {
        marked[row as usize] = true;
    }
    Ok(marked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bauta_data::column::NumberText;
    use bauta_data::{Attribute, Column, Kind, Role};
    use std::sync::Arc;

    fn file(columns: &[(&str, Vec<f64>)]) -> Table {
        let column = |(name, values): &(&str, Vec<f64>)| {
            let attribute = Arc::new(Attribute::new(*name, Role::Other, Kind::Continuous));
            Column::numeric(attribute, values.clone(), None, NumberText::default())
        };
        Table::new(columns.iter().map(column).collect(), columns[0].1.len())
    }

    #[test]
    fn the_farthest_from_the_mean_record_and_the_lower_row_of_ties() {
        // Mean 0, sd √(200/5) for x = 0, 10, 0, -10, 0, 0: rows 1 and 3 are equally far.
        let table = file(&[("x", vec![0.0, 10.0, 0.0, -10.0, 0.0, 0.0])]);
        let on = ["x".to_owned()];
        let marked = outliers(&table, &on, 1.0 / 6.0).unwrap();
        assert_eq!(marked, [false, true, false, false, false, false]);
        // 0.3 of 6 is 1.8, rounded to 2.
        let marked = outliers(&table, &on, 0.3).unwrap();
        assert_eq!(marked, [false, true, false, true, false, false]);
        assert!(outliers(&table, &on, 0.0).unwrap().iter().all(|is| !is));
        assert!(outliers(&table, &on, 1.0).unwrap().iter().all(|&is| is));
    }

    #[test]
    fn distances_add_over_variables_and_a_constant_adds_nothing() {
        // Standardised, x has 2 in row 3 (mean 1, sd 2... (0,0,0,4): mean 1, sd 2): 1.5; the others
        // -0.5. y = (0,4,0,0): row 1 has 1.5. Rows 1 and 3 tie; z breaks the tie for row 3.
        let table = file(&[
            ("x", vec![0.0, 0.0, 0.0, 4.0]),
            ("y", vec![0.0, 4.0, 0.0, 0.0]),
            ("constant", vec![7.0; 4]),
            ("z", vec![0.0, 0.0, 1.0, 3.0]),
        ]);
        let on = ["x", "y", "constant", "z"].map(str::to_owned);
        let marked = outliers(&table, &on, 0.25).unwrap();
        assert_eq!(marked, [false, false, false, true]);
        assert!(
            outliers(&file(&[("x", vec![])]), &on, 0.5)
                .unwrap()
                .is_empty()
        );
    }
}
