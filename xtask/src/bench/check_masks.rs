//! What a mask gave is what it should give. Checked on every timed run, so that speed is never
//! bought with a wrong file.

use std::sync::Arc;

use bauta_data::{Role, Table};
use bauta_methods::Params;
use bauta_methods::card::Randomness;
use bauta_methods::stats::moments::moments;

use super::work::Work;

/// Checks a masked file.
pub(super) fn check(
    work: &Work,
    params: &Params,
    original: &Table,
    masked: &Table,
) -> Result<(), String> {
    untouched(work, original, masked)?;
    let specific = match work.card.id {
        "drop-identifiers" => masked.with_role(Role::Identifier).is_empty(),
        "rank-swap" => each(work, original, masked, same_values),
        "noise-additive" => each(work, original, masked, |x, z| {
            noise_is_as_asked(x, z, params.number("share"))
        }),
        "top-bottom" => each(work, original, masked, |x, z| {
            tail_is_coded(x, z, params.number("top_share"))
        }),
        "recode" => is_coarser(work, original, masked, params.numbers("breaks").len() + 1),
        _ => true,
    };
    if specific {
        Ok(())
    } else {
        Err(format!(
            "{}: the masked file is not what it should be",
            work.name
        ))
    }
}

/// A figure to compare with a peer's: the sum of all masked values, where no draw is involved.
pub(super) fn answer(work: &Work, masked: &Table) -> Option<f64> {
    if work.card.randomness == Randomness::Seeded {
        return None;
    }
    let columns = work.on.iter().filter_map(|name| masked.column_named(name));
    let sum_of = |column: &bauta_data::Column| -> f64 {
        column.as_numeric().map_or_else(
            || {
                column.as_categorical().map_or(0.0, |all| {
                    all.codes.iter().map(|&code| f64::from(code)).sum()
                })
            },
            |values| values.iter().sum(),
        )
    };
    Some(columns.map(sum_of).sum())
}

/// Other columns are the very same, and no record came or went.
fn untouched(work: &Work, original: &Table, masked: &Table) -> Result<(), String> {
    if masked.n_records() != original.n_records() {
        return Err(format!("{}: the number of records changed", work.name));
    }
    for column in original.columns() {
        let name = column.name();
        let is_same = masked
            .columns()
            .iter()
            .any(|other| Arc::ptr_eq(other, column));
        if !is_same && !work.on.iter().any(|touched| touched == name) {
            return Err(format!("{}: `{name}` was touched", work.name));
        }
    }
    Ok(())
}

fn each(
    work: &Work,
    original: &Table,
    masked: &Table,
    holds: impl Fn(&[f64], &[f64]) -> bool,
) -> bool {
    let numbers =
        |table: &Table, name: &str| Some(table.column_named(name)?.as_numeric()?.to_vec());
    work.on.iter().all(|name| {
        let values = numbers(original, name).zip(numbers(masked, name));
        values.is_some_and(|(x, z)| holds(&x, &z))
    })
}

/// The same values in another order, and not all in the same place.
fn same_values(x: &[f64], z: &[f64]) -> bool {
    let sorted = |values: &[f64]| {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted
    };
    x != z && sorted(x) == sorted(z)
}

/// Mean and standard deviation of the noise within five standard errors.
fn noise_is_as_asked(x: &[f64], z: &[f64], share: f64) -> bool {
    let noise: Vec<f64> = x.iter().zip(z).map(|(x, z)| z - x).collect();
    let (found, n) = (moments(&noise), x.len() as f64);
    let wanted = share * moments(x).sd;
    found.mean.abs() <= 5.0 * wanted / n.sqrt()
        && (found.sd / wanted - 1.0).abs() <= 5.0 / (2.0 * n).sqrt()
}

/// Every value is the smaller of itself and one threshold, which few values exceed.
fn tail_is_coded(x: &[f64], z: &[f64], share: f64) -> bool {
    let threshold = z.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let n_coded = x.iter().filter(|&&x| x > threshold).count();
    let is_coded = x
        .iter()
        .zip(z)
        .all(|(x, z)| x.min(threshold).to_bits() == z.to_bits());
    is_coded && n_coded as f64 <= share * x.len() as f64 + 1.0
}

/// So many categories at most, which do not mix the order of the numbers.
fn is_coarser(work: &Work, original: &Table, masked: &Table, n_categories: usize) -> bool {
    work.on.iter().all(|name| {
        let x = original
            .column_named(name)
            .and_then(|column| column.as_numeric());
        let z = masked
            .column_named(name)
            .and_then(|column| column.as_categorical());
        let Some((x, z)) = x.zip(z) else {
            return false;
        };
        let mut pairs: Vec<(f64, u32)> = x.iter().copied().zip(z.codes.iter().copied()).collect();
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        z.levels.len() <= n_categories && pairs.is_sorted_by_key(|&(_, code)| code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_that_loses_a_value_is_found() {
        assert!(same_values(&[1.0, 2.0, 2.0], &[2.0, 1.0, 2.0]));
        assert!(!same_values(&[1.0, 2.0, 2.0], &[2.0, 1.0, 1.0]));
        assert!(
            !same_values(&[1.0, 2.0], &[1.0, 2.0]),
            "nothing was swapped"
        );
    }

    #[test]
    fn noise_of_the_wrong_size_is_found() {
        let x: Vec<f64> = (0..1000).map(f64::from).collect();
        // A standard deviation of 288.8; noise of ±28.88 has a tenth of it.
        let add = |size: f64| -> Vec<f64> {
            let signs = [size, -size].into_iter().cycle();
            x.iter().zip(signs).map(|(x, noise)| x + noise).collect()
        };
        assert!(noise_is_as_asked(&x, &add(28.88), 0.1));
        assert!(!noise_is_as_asked(&x, &add(40.0), 0.1));
    }

    #[test]
    fn a_tail_that_was_not_coded_is_found() {
        let x: Vec<f64> = (0..100).map(f64::from).collect();
        let coded: Vec<f64> = x.iter().map(|x| x.min(95.0)).collect();
        assert!(tail_is_coded(&x, &coded, 0.05));
        assert!(
            !tail_is_coded(&x, &coded, 0.01),
            "four values are more than 1 %"
        );
        let mut wrong = coded;
        wrong[3] = 4.0;
        assert!(!tail_is_coded(&x, &wrong, 0.05));
    }
}
