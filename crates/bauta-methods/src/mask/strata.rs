//! Records by stratum, for masks that work within each.

use bauta_data::Table;

use crate::card::ParamSpec;
use crate::error::MethodError;
use crate::keys::asked::positions;
use crate::keys::class_numbers;

/// The variables that make strata; what is done only within them, a mask says in its own words.
pub(crate) const fn strata_param(meaning: &'static str) -> ParamSpec {
    ParamSpec::variables("strata", meaning, "the whole file is one stratum")
}

/// The strata of masks that swap values.
pub(crate) const SWAP_STRATA: ParamSpec =
    strata_param("swap only between records with equal values of these variables");

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

/// A household must lie in one stratum; `names` are the variables that make the strata.
pub(crate) fn refuse_divided_households(
    stratum: &[u32],
    household: &[u32],
    names: &str,
) -> Result<(), MethodError> {
    let n_households = household.iter().max().map_or(0, |&last| last as usize + 1);
    let mut home: Vec<Option<u32>> = vec![None; n_households];
    let mut is_divided = vec![false; n_households];
    for (&stratum, &household) in stratum.iter().zip(household) {
        let home = home[household as usize].get_or_insert(stratum);
        is_divided[household as usize] |= *home != stratum;
    }
    let n_divided = is_divided.iter().filter(|&&divided| divided).count();
    if n_divided == 0 {
        return Ok(());
    }
    Err(MethodError::request(
        format!("{n_divided} households lie in more than one stratum of `{names}`"),
        "take strata that are the same for all members of a household",
    ))
}

/// Records by their number in `numbers`, in the order in which numbers first occur.
pub(crate) fn split_by(records: &[u32], numbers: &[u32]) -> Vec<Vec<u32>> {
    let n_numbers = numbers.iter().max().map_or(0, |&last| last as usize + 1);
    let mut slot_of = vec![usize::MAX; n_numbers];
    let mut split: Vec<Vec<u32>> = Vec::new();
    for &record in records {
        let slot = &mut slot_of[numbers[record as usize] as usize];
        if *slot == usize::MAX {
            *slot = split.len();
            split.push(Vec::new());
        }
        split[*slot].push(record);
    }
    split
}
