//! What a mask gave is what it should give. Checked on every timed run, so that speed is never
//! bought with a wrong file.

use std::sync::Arc;

use bauta_data::{Kind, Role, Table};
use bauta_methods::Params;
use bauta_methods::card::Randomness;

use super::plain::{columns, in_order, mean, squared_gaps};
use super::work::Work;
use super::{check_categories, check_groups, check_noise};

/// Checks a masked file.
pub(super) fn check(
    work: &Work,
    params: &Params,
    original: &Table,
    masked: &Table,
) -> Result<(), String> {
    if work.card.id == "sample" {
        let is_right = check_categories::is_sample(original, masked, params.number("share"));
        return verdict(work, is_right);
    }
    if work.card.id == "suppress-records" {
        let is_right = check_categories::records_are_safe(work, masked, params.integer("k"));
        return verdict(work, is_right);
    }
    untouched(work, original, masked)?;
    let specific = match work.card.id {
        "suppress-local" => {
            check_categories::keys_are_safe(work, original, masked, params.integer("k"))
        }
        "recode-rare" => {
            check_categories::rare_are_recoded(work, original, masked, params.integer("below"))
        }
        "flip-rare" => {
            check_categories::share_is_flipped(work, original, masked, params.number("share"))
        }
        "renumber" => check_categories::units_stay_apart(work, original, masked),
        "drop-identifiers" => masked.with_role(Role::Identifier).is_empty(),
        "recode" => is_coarser(work, original, masked, params.numbers("breaks").len() + 1),
        _ if work.card.targets.kinds.contains(&Kind::Continuous) => {
            let (x, z) = (columns(work, original)?, columns(work, masked)?);
            numbers_are_right(work.card.id, params, &x, &z).ok_or_else(|| unchecked(work))?
        }
        _ => return Err(unchecked(work)),
    };
    verdict(work, specific)
}

/// A time says nothing of a method whose result nobody looked at, so that a method without a check fails.
pub(super) fn unchecked(work: &Work) -> String {
    format!(
        "{}: there is no check of what it gives; write one beside those of other methods in xtask/src/bench",
        work.name
    )
}

fn verdict(work: &Work, is_right: bool) -> Result<(), String> {
    if is_right {
        Ok(())
    } else {
        Err(format!(
            "{}: the masked file is not what it should be",
            work.name
        ))
    }
}

/// Whether the masked numbers are right; `None` if nobody wrote how to tell.
fn numbers_are_right(mask: &str, params: &Params, x: &[&[f64]], z: &[&[f64]]) -> Option<bool> {
    let each = |holds: &dyn Fn(&[f64], &[f64]) -> bool| x.iter().zip(z).all(|(x, z)| holds(x, z));
    let k = || usize::try_from(params.integer("k")).unwrap_or(usize::MAX);
    Some(match mask {
        "rank-swap" => each(&same_values),
        "top-bottom" => each(&|x, z| tail_is_coded(x, z, params.number("top_share"))),
        "round" => each(&|x, z| is_rounded(x, z, params.number("base"))),
        "noise-additive" => each(&|x, z| check_noise::is_as_asked(x, z, params.number("share"))),
        "noise-multiplicative" => {
            each(&|x, z| check_noise::factors_are_as_asked(x, z, params.number("share")))
        }
        "noise-correlated" | "noise-mixture" => {
            check_noise::has_covariances_of(x, z, params.number("level"))
        }
        "noise-swap" => check_noise::hides_links(x, z, params.number("level")),
        "scale-back" => each(&|x, z| is_scaled_back(x, z, params.number("level"))),
        "resample" => {
            each(&|x, z| check_noise::is_resampled(x, z, params.integer("samples") as f64))
        }
        "jpeg" => each(&check_noise::is_picture),
        "synth-normal" => check_noise::is_drawn_like(x, z),
        "synthesize" => each(&is_within),
        "mdav" | "max-distance" | "projection" => check_groups::are_means_of_groups(x, z, k()),
        "individual-ranking" => each(&|x, z| {
            check_groups::are_means_of_groups(&[x], &[z], k()) && check_groups::keeps_order(x, z)
        }),
        _ => return None,
    })
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
                column
                    .as_categorical()
                    .map_or(0.0, |all| all.codes.iter().map(f64::from).sum())
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

/// The same values in another order, and not all in the same place.
/// Whether no value leaves the range of the original, and the mean stays where it was.
fn is_within(x: &[f64], z: &[f64]) -> bool {
    let low = x.iter().copied().fold(f64::INFINITY, f64::min);
    let high = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let moments = squared_gaps(&[x], &[z]);
    z.iter().all(|z| (low..=high).contains(z)) && moments < 0.1
}

/// Whether moments are nearer to the original's than before.
pub(super) fn check_moments(
    work: &Work,
    original: &Table,
    before: &Table,
    after: &Table,
) -> Result<(), String> {
    let columns = |table: &Table| -> Vec<Vec<f64>> {
        let columns = work.on.iter().filter_map(|name| table.column_named(name));
        columns
            .filter_map(|column| column.as_numeric().map(<[f64]>::to_vec))
            .collect()
    };
    let [x, before, after] = [original, before, after].map(columns);
    let gaps = |z: &[Vec<f64>]| {
        let x: Vec<&[f64]> = x.iter().map(Vec::as_slice).collect();
        let z: Vec<&[f64]> = z.iter().map(Vec::as_slice).collect();
        squared_gaps(&x, &z)
    };
    verdict(work, gaps(&after) < gaps(&before))
}

fn same_values(x: &[f64], z: &[f64]) -> bool {
    x != z && in_order(x) == in_order(z)
}

/// Every value is a multiple of the base, less than one base away.
fn is_rounded(x: &[f64], z: &[f64], base: f64) -> bool {
    let mut both = x.iter().zip(z);
    both.all(|(x, z)| ((z / base).round() * base - z).abs() < 1e-9 && (x - z).abs() < base)
}

/// Every value is moved towards the mean by the same factor.
fn is_scaled_back(x: &[f64], z: &[f64], level: f64) -> bool {
    let (mean, factor) = (mean(x), 1.0 / (1.0 + level).sqrt());
    let mut both = x.iter().zip(z);
    both.all(|(x, z)| (mean + factor * (x - mean) - z).abs() <= 1e-9 * x.abs().max(mean.abs()))
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
        let mut pairs: Vec<(f64, u32)> = x.iter().copied().zip(&z.codes).collect();
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
    fn values_off_the_grid_or_not_scaled_are_found() {
        assert!(is_rounded(&[149.0, 101.0], &[100.0, 200.0], 100.0));
        assert!(!is_rounded(&[149.0], &[110.0], 100.0));
        assert!(!is_rounded(&[149.0], &[300.0], 100.0));
        // Level 3 halves the distance from the mean, 2.
        assert!(is_scaled_back(&[1.0, 3.0], &[1.5, 2.5], 3.0));
        assert!(!is_scaled_back(&[1.0, 3.0], &[1.5, 2.6], 3.0));
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
