#![doc = include_str!("rank_swap.md")]

use std::sync::Arc;

use bauta_data::{Column, Kind, Role, Table, Values};
use rayon::prelude::*;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::{RunContext, below};
use crate::error::MethodError;
use crate::mask::{Change, Mask, MaskTask};
use crate::note::Note;
use crate::params::{Params, RawValue};
use crate::risk::k_anonymity::positions;
use crate::stats::corresponding::MISSING;
use crate::stats::free_ranks::FreeRanks;
use crate::stats::keys::class_numbers;

/// Swaps values between records of near rank. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct RankSwap;

static CARD: Card = Card {
    id: "rank-swap",
    title: "Rank swapping",
    summary: "swaps each value with that of a record whose rank is near",
    family: Family::Mask,
    page: include_str!("rank_swap.md"),
    params: &[
        ParamSpec {
            name: "window",
            meaning: "largest distance in rank, as a fraction of the records",
            ty: ParamType::Fraction { min: 0.0, max: 1.0 },
            default: ParamDefault::Required,
        },
        ParamSpec {
            name: "keep_bottom",
            meaning: "share of the lowest records that keep their value",
            ty: ParamType::Fraction { min: 0.0, max: 1.0 },
            default: ParamDefault::Value(ConstValue::Number(0.0)),
        },
        ParamSpec {
            name: "keep_top",
            meaning: "share of the highest records that keep their value",
            ty: ParamType::Fraction { min: 0.0, max: 1.0 },
            default: ParamDefault::Value(ConstValue::Number(0.0)),
        },
        ParamSpec {
            name: "strata",
            meaning: "swap only between records with equal values of these variables",
            ty: ParamType::Variables,
            default: ParamDefault::Unset("the whole file is one stratum"),
        },
        MISSING,
    ],
    targets: Targets {
        kinds: &[Kind::Continuous, Kind::Ordered],
        default_roles: &[],
        refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
    },
    randomness: Randomness::Seeded,
    references: &["moore1996", "mateo2004", "sebe2002"],
};

struct Settings {
    window: f64,
    keep_bottom: f64,
    keep_top: f64,
    refuse_missing: bool,
}

impl Settings {
    fn from(params: &Params) -> Self {
        Self {
            window: params.number("window"),
            keep_bottom: params.number("keep_bottom"),
            keep_top: params.number("keep_top"),
            refuse_missing: params.choice("missing") == "refuse",
        }
    }
}

impl Mask for RankSwap {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn mask(&self, task: &MaskTask<'_>, context: &RunContext<'_>) -> Result<Change, MethodError> {
        let settings = Settings::from(task.params);
        let strata = strata(task.table, task.params.texts("strata"))?;
        let columns = task
            .on
            .par_iter()
            .map(|&attr_idx| {
                context.go_on()?;
                let column = swap_column(task.table, attr_idx, &strata, &settings, context)?;
                Ok((attr_idx, column))
            })
            .collect::<Result<Vec<_>, MethodError>>()?;
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("window", RawValue::Number(0.14))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("window", RawValue::Number(0.0))])
    }
}

/// Stratum of each record, numbered from 0.
fn strata(table: &Table, names: &[String]) -> Result<Vec<u32>, MethodError> {
    if names.is_empty() {
        return Ok(vec![0; table.n_records()]);
    }
    Ok(class_numbers(table, &positions(table, names)?))
}

fn swap_column(
    table: &Table,
    attr_idx: usize,
    strata: &[u32],
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let column = table.column(attr_idx);
    let n_missing = column.n_missing();
    if n_missing > 0 && settings.refuse_missing {
        return Err(MethodError::missing_refused(column.name(), n_missing));
    }
    let donors = donors(table, column, strata, settings, context)?;
    if n_missing > 0 {
        context.note(Note::MissingSkipped {
            variable: column.name().to_owned(),
            n_cells: n_missing,
        });
    }
    Ok(match column.values() {
        Values::Numeric(values) => {
            column.with_numbers(donors.iter().map(|&donor| values[donor as usize]).collect())
        }
        Values::Categorical(categories) => column.with_codes(
            donors
                .iter()
                .map(|&donor| categories.codes[donor as usize])
                .collect(),
            Arc::clone(&categories.levels),
        ),
    })
}

/// For each record, the record whose value it receives.
fn donors(
    table: &Table,
    column: &Column,
    strata: &[u32],
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Vec<u32>, MethodError> {
    let n = table.n_records();
    // The first draw of a record orders ties, the second chooses its partner.
    let draws: Vec<[u64; 2]> = context
        .draws(column.name())
        .per_record(table, |_, draws| draws);
    let rank_value = |record: u32| -> u64 {
        match column.values() {
            Values::Numeric(values) => order_bits(values[record as usize]),
            Values::Categorical(categories) => u64::from(categories.codes[record as usize]),
        }
    };
    let mut ranked: Vec<(u32, u64, u64, u32)> = (0..n as u32)
        .filter(|&record| !column.is_missing(record as usize))
        .map(|record| {
            (
                strata[record as usize],
                rank_value(record),
                draws[record as usize][0],
                record,
            )
        })
        .collect();
    ranked.par_sort_unstable();
    note_ties(&ranked, column.name(), context);
    let mut donors: Vec<u32> = (0..n as u32).collect();
    let mut n_unswapped = 0;
    for stratum in ranked.chunk_by(|a, b| a.0 == b.0) {
        let partner = |rank: usize| draws[stratum[rank].3 as usize][1];
        n_unswapped += swap_ranks(stratum.len(), settings, partner, context, |i, j| {
            donors.swap(stratum[i].3 as usize, stratum[j].3 as usize);
        })?;
    }
    if n_unswapped > 0 {
        context.note(Note::RecordsUnswapped {
            variable: column.name().to_owned(),
            n_records: n_unswapped,
        });
    }
    Ok(donors)
}

/// A number whose order among whole numbers is the order of the values.
fn order_bits(value: f64) -> u64 {
    // Zero has two spellings; both are the same value and tie.
    let bits = if value == 0.0 { 0 } else { value.to_bits() };
    if bits >> 63 == 0 {
        bits | 1 << 63
    } else {
        !bits
    }
}

/// Pairs the ranks of one stratum; returns how many stayed alone though they were to be swapped.
fn swap_ranks(
    n: usize,
    settings: &Settings,
    draw: impl Fn(usize) -> u64,
    context: &RunContext<'_>,
    mut swap: impl FnMut(usize, usize),
) -> Result<usize, MethodError> {
    let window = share_of(settings.window, n);
    let first = share_of(settings.keep_bottom, n);
    let last = n.saturating_sub(share_of(settings.keep_top, n));
    if window == 0 || first >= last {
        return Ok(0);
    }
    let mut free = FreeRanks::all(n);
    let mut n_unswapped = 0;
    for i in first..last {
        if i % 65_536 == 0 {
            context.go_on()?;
        }
        if !free.is_free(i) {
            continue;
        }
        // Everything in front of i is used or kept, so the free ranks below i + 1 are counted once.
        let n_before = free.count_below(i + 1);
        let n_choices = free.count_below((i + window + 1).min(last)) - n_before;
        free.remove(i);
        if n_choices == 0 {
            n_unswapped += 1;
            continue;
        }
        // Rank i itself is gone, so the choices start one place lower.
        let j = free.nth(n_before - 1 + below(n_choices, draw(i)));
        free.remove(j);
        swap(i, j);
    }
    Ok(n_unswapped)
}

/// floor(p n), forgiving the last bit of p·n: 0.07 of 100 records are 7.
fn share_of(p: f64, n: usize) -> usize {
    (p * n as f64 * (1.0 + 1e-12)).floor() as usize
}

fn note_ties(ranked: &[(u32, u64, u64, u32)], variable: &str, context: &RunContext<'_>) {
    let n_records: usize = ranked
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .map(<[_]>::len)
        .filter(|&len| len > 1)
        .sum();
    if n_records > 0 {
        context.note(Note::TiesInRandomOrder {
            variable: variable.to_owned(),
            n_records,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_bits_is_the_order_of_numbers() {
        let rising = [
            f64::NEG_INFINITY,
            -2.0,
            -1e-300,
            0.0,
            1e-300,
            1.0,
            2.0,
            1e300,
        ];
        assert!(
            rising
                .windows(2)
                .all(|pair| order_bits(pair[0]) < order_bits(pair[1]))
        );
        assert_eq!(order_bits(-0.0), order_bits(0.0));
    }

    #[test]
    fn shares_are_those_of_decimal_arithmetic() {
        // 0.29 * 100 is 28.999999999999996 in binary.
        assert_eq!(share_of(0.29, 100), 29);
        assert_eq!(share_of(0.14, 1080), 151);
        assert_eq!(share_of(0.0, 100), 0);
        assert_eq!(share_of(1.0, 7), 7);
    }
}
