//! Records by stratum, for masks that work within each.

use bauta_data::Table;

use crate::error::MethodError;
use crate::keys::asked::positions;
use crate::keys::class_numbers;

/// The records of each stratum.
pub(crate) fn strata(table: &Table, names: &[String]) -> Result<Vec<Vec<u32>>, MethodError> {
    let n = table.n_records() as u32;
    if names.is_empty() {
        return Ok(vec![(0..n).collect()]);
    }
    let numbers = class_numbers(table, &positions(table, names)?);
    let n_strata = numbers.iter().max().map_or(0, |&last| last as usize + 1);
    let mut strata = vec![Vec::new(); n_strata];
    for (record, &stratum) in (0..n).zip(&numbers) {
        strata[stratum as usize].push(record);
    }
    Ok(strata)
}
