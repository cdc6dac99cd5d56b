//! Losses of categories and of the whole file are what a plain count by texts gives.

use std::collections::HashMap;

use bauta_data::{Column, Table};
use bauta_methods::Measurement;

use super::check_categories::cells;
use super::work::Work;

/// What became of a cell, by its text before and after.
type Cell<'a> = (Option<&'a str>, Option<&'a str>);

/// Whether a measure of categories is what a plain count gives; none if this is not one of them.
pub(super) fn recounted(
    work: &Work,
    original: &Table,
    masked: &Table,
    found: &Measurement,
) -> Option<bool> {
    let columns = || {
        let named = work.on.iter();
        named.filter_map(|name| original.column_named(name).zip(masked.column_named(name)))
    };
    let variables = || columns().map(|(x, z)| cells(x).into_iter().zip(cells(z)).collect());
    let variables: Vec<Vec<Cell<'_>>> = variables().collect();
    let mean = |figure: fn(&[Cell<'_>]) -> f64| {
        let sum: f64 = variables.iter().map(|cells| figure(cells)).sum();
        is(found.value, sum / variables.len() as f64)
    };
    Some(match work.card.id {
        "category-distance" => mean(total_variation) && largest_of_pairs(&variables, found),
        "kappa" => mean(kappa),
        "recoding-loss" => mean(bits_lost),
        "suppressed-cells" => {
            let all = || variables.iter().flatten();
            let n_lost = all().filter(|cell| is_lost(cell)).count() as f64;
            let n_had = all().filter(|(x, _)| x.is_some()).count() as f64;
            n_lost > 0.0 && found.part("cells") == Some(n_lost) && is(found.value, n_lost / n_had)
        }
        "file-loss" => {
            let losses: Vec<f64> = columns()
                .filter_map(|(x, z)| loss_of_numbers(x, z))
                .collect();
            let mean = losses.iter().sum::<f64>() / losses.len() as f64;
            losses.len() == work.on.len() && is(found.value, mean)
        }
        _ => return None,
    })
}

fn is(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() <= 1e-9 * expected.abs().max(1e-3))
}

fn is_lost(cell: &Cell<'_>) -> bool {
    cell.0.is_some() && cell.1.is_none()
}

/// How many cells have each key.
fn counts<K: Eq + std::hash::Hash>(keys: impl Iterator<Item = K>) -> HashMap<K, f64> {
    let mut counts = HashMap::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1.0);
    counts
}

/// Half the sum of the differences of shares.
fn distance<K: Eq + std::hash::Hash>(x: &HashMap<K, f64>, z: &HashMap<K, f64>) -> f64 {
    let (n, m) = (x.values().sum::<f64>(), z.values().sum::<f64>());
    let of = |counts: &HashMap<K, f64>, key: &K| counts.get(key).copied().unwrap_or(0.0);
    let shared: f64 = x
        .keys()
        .map(|key| (of(x, key) / n - of(z, key) / m).abs())
        .sum();
    let alone = z.keys().filter(|key| !x.contains_key(key));
    0.5 * (shared + alone.map(|key| of(z, key) / m).sum::<f64>())
}

fn total_variation(cells: &[Cell<'_>]) -> f64 {
    let before = counts(cells.iter().filter_map(|cell| cell.0));
    let after = counts(cells.iter().filter_map(|cell| cell.1));
    distance(&before, &after)
}

fn largest_of_pairs(variables: &[Vec<Cell<'_>>], found: &Measurement) -> bool {
    let mut largest: f64 = 0.0;
    for (second, row) in variables.iter().enumerate() {
        for column in &variables[..second] {
            let both = || row.iter().zip(column);
            let before = counts(both().filter_map(|(a, b)| a.0.zip(b.0)));
            let after = counts(both().filter_map(|(a, b)| a.1.zip(b.1)));
            largest = largest.max(distance(&before, &after));
        }
    }
    is(found.part("largest_pair_distance"), largest)
}

fn kappa(cells: &[Cell<'_>]) -> f64 {
    let both: Vec<(&str, &str)> = cells.iter().filter_map(|cell| cell.0.zip(cell.1)).collect();
    let n = both.len() as f64;
    let agreed = both.iter().filter(|(x, z)| x == z).count() as f64 / n;
    let before = counts(both.iter().map(|cell| cell.0));
    let after = counts(both.iter().map(|cell| cell.1));
    let products = before
        .iter()
        .map(|(text, f)| f * after.get(text).copied().unwrap_or(0.0));
    let chance = products.sum::<f64>() / (n * n);
    (agreed - chance) / (1.0 - chance)
}

/// The share of the bits that blanks took, where nothing was recoded.
fn bits_lost(cells: &[Cell<'_>]) -> f64 {
    let before = counts(cells.iter().filter_map(|cell| cell.0));
    let n: f64 = before.values().sum();
    let bits = |cell: &Cell<'_>| cell.0.map_or(0.0, |text| (n / before[text]).log2());
    let lost: f64 = cells.iter().filter(|cell| is_lost(cell)).map(bits).sum();
    lost / cells.iter().map(bits).sum::<f64>()
}

/// The mean distance in √2 standard deviations, of which no cell has more than 1.
fn loss_of_numbers(x: &Column, z: &Column) -> Option<f64> {
    let (x, z) = (x.as_numeric()?, z.as_numeric()?);
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    let squares: f64 = x.iter().map(|x| (x - mean) * (x - mean)).sum();
    let unit = (2.0 * squares / (n - 1.0)).sqrt();
    let distances = x
        .iter()
        .zip(z)
        .map(|(x, z)| ((x - z).abs() / unit).min(1.0));
    Some(distances.sum::<f64>() / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_figures_by_hand() {
        let cells = [
            ("a", Some("a")),
            ("a", None),
            ("b", Some("a")),
            ("b", Some("b")),
        ];
        let cells = cells.map(|(x, z)| (Some(x), z));
        // 1/2 and 2/3 of a; of three cells two agree, chance gives (1·2 + 2·1)/9; one of four bits is blank.
        assert!((total_variation(&cells) - 1.0 / 6.0).abs() < 1e-15);
        assert!((kappa(&cells) - (2.0 / 3.0 - 4.0 / 9.0) / (5.0 / 9.0)).abs() < 1e-15);
        assert!((bits_lost(&cells) - 0.25).abs() < 1e-15);
    }
}
