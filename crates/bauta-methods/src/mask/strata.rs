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

/// Some records of a file, in ascending order.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Records<'a> {
    /// The first so many: without a list of them, which would take half as much memory as a column.
    First(u32),
    /// These.
    Listed(&'a [u32]),
}

impl Records<'_> {
    pub(crate) fn len(self) -> usize {
        match self {
            Self::First(n) => n as usize,
            Self::Listed(records) => records.len(),
        }
    }

    pub(crate) fn at(self, place: usize) -> u32 {
        match self {
            Self::First(_) => place as u32,
            Self::Listed(records) => records[place],
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(move |place| self.at(place))
    }
}

/// The records of each stratum.
#[derive(Debug)]
pub(crate) enum Strata {
    /// All records of the file are one.
    Whole(u32),
    /// Those of each.
    Listed(Vec<Vec<u32>>),
}

impl Strata {
    /// Those that some variables make; without any the whole file.
    pub(crate) fn of(table: &Table, names: &[String]) -> Result<Self, MethodError> {
        if names.is_empty() {
            return Ok(Self::Whole(table.n_records() as u32));
        }
        strata(table, names).map(Self::Listed)
    }

    /// The records of each.
    pub(crate) fn each(&self) -> impl Iterator<Item = Records<'_>> {
        let (whole, listed) = match self {
            Self::Whole(n) => (Some(Records::First(*n)), &[][..]),
            Self::Listed(listed) => (None, &listed[..]),
        };
        let listed = listed.iter().map(|records| Records::Listed(records));
        whole.into_iter().chain(listed)
    }
}

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
