//! What goes into groups as a whole: a record, or a household.

use std::borrow::Cow;

use bauta_data::Table;

use crate::error::MethodError;
use crate::kernel::numbers::sums::compensated;
use crate::kernel::space::partition::Partition;
use crate::keys::asked::positions;
use crate::keys::class_numbers;
use crate::keys::households::households;
use crate::mask::strata::{refuse_divided_households, split_by};

/// Strata and households of a file.
pub(super) struct Units {
    n_records: usize,
    /// Stratum of each record, and the names of the variables that make it.
    stratum: Option<(Vec<u32>, String)>,
    /// Household of each record.
    household: Option<Vec<u32>>,
}

/// The units of one stratum that take part.
pub(super) enum Stratum {
    /// Every record of the file.
    All,
    /// These records.
    Records(Vec<u32>),
    /// The records of each household.
    Households(Partition),
}

impl Units {
    /// The records or whole households of a file, in strata of the named variables if there are any.
    pub(super) fn of(
        table: &Table,
        names: &[String],
        whole_households: bool,
    ) -> Result<Self, MethodError> {
        let stratum = if names.is_empty() {
            None
        } else {
            let numbers = class_numbers(table, &positions(table, names)?);
            Some((numbers, names.join("`, `")))
        };
        let household = if whole_households {
            Some(households(table)?)
        } else {
            None
        };
        if let (Some((stratum, names)), Some(household)) = (&stratum, &household) {
            refuse_divided_households(stratum, household, names)?;
        }
        Ok(Self {
            n_records: table.n_records(),
            stratum,
            household,
        })
    }

    /// The units of each stratum that has any, of all records or of these; an error where they are
    /// too few for a group.
    pub(super) fn strata(
        &self,
        records: Option<&[u32]>,
        k: usize,
    ) -> Result<Vec<Stratum>, MethodError> {
        let n = records.map_or(self.n_records, <[u32]>::len);
        if n == 0 {
            return Ok(Vec::new());
        }
        let all = || match records {
            Some(records) => records.to_vec(),
            None => (0..self.n_records as u32).collect(),
        };
        let by_stratum = match &self.stratum {
            Some((numbers, _)) => split_by(&all(), numbers),
            None if self.household.is_none() && records.is_none() => Vec::new(),
            None => vec![all()],
        };
        let strata: Vec<Stratum> = match &self.household {
            Some(numbers) => by_stratum
                .iter()
                .map(|records| {
                    let mut units = Partition::with_capacity(records.len());
                    for members in split_by(records, numbers) {
                        units.push(members);
                    }
                    Stratum::Households(units)
                })
                .collect(),
            None if by_stratum.is_empty() => vec![Stratum::All],
            None => by_stratum.into_iter().map(Stratum::Records).collect(),
        };
        self.refuse_few(&strata, k)?;
        Ok(strata)
    }

    /// Never a group of fewer than k.
    fn refuse_few(&self, strata: &[Stratum], k: usize) -> Result<(), MethodError> {
        let sizes = strata.iter().map(|stratum| match stratum {
            Stratum::All => self.n_records,
            Stratum::Records(records) => records.len(),
            Stratum::Households(units) => units.len(),
        });
        let units = match self.household {
            Some(_) => "households",
            None => "records",
        };
        let n_few = sizes.clone().filter(|&size| size < k).count();
        if n_few == 0 {
            return Ok(());
        }
        Err(match &self.stratum {
            None => MethodError::request(
                format!(
                    "groups of {k} {units} cannot be made, as only {} can take part",
                    sizes.sum::<usize>()
                ),
                "choose a smaller `k`",
            ),
            Some((_, names)) => MethodError::request(
                format!(
                    "{n_few} of {} strata of `{names}` have fewer than {k} {units}",
                    strata.len()
                ),
                "merge categories of the strata first, choose a smaller `k`, or leave `strata` out",
            ),
        })
    }
}

impl Stratum {
    /// One value per unit: a record's own, or the mean of a household's members that have one.
    pub(super) fn values<'c>(&self, column: &'c [f64]) -> Cow<'c, [f64]> {
        let of_record = |&record: &u32| column[record as usize];
        match self {
            Self::All => Cow::Borrowed(column),
            Self::Records(records) => Cow::Owned(records.iter().map(of_record).collect()),
            Self::Households(units) => Cow::Owned(
                units
                    .iter()
                    .map(|members| {
                        let known = members.iter().map(of_record).filter(|x| !x.is_nan());
                        // 0/0 where nobody has one.
                        compensated(known.clone()) / known.count() as f64
                    })
                    .collect(),
            ),
        }
    }

    /// Groups of units as groups of records.
    pub(super) fn records_of(&self, groups: Partition) -> Partition {
        match self {
            Self::All => groups,
            Self::Records(records) => groups.map_members(|unit| records[unit as usize]),
            Self::Households(units) => {
                let mut all = Partition::with_capacity(units.n_members());
                for group in groups.iter() {
                    let members = group.iter().flat_map(|&unit| units.group(unit as usize));
                    all.push(members.copied());
                }
                all
            }
        }
    }
}
