#![doc = include_str!("rank_swap.md")]

mod by_rank;
mod free_ranks;
mod picks;

use bauta_data::{Column, Kind, Table, Values};
use rayon::prelude::*;

use crate::card::{Card, Family, ParamSpec, Randomness, Scaling, Targets};
use crate::context::{Draws, RunContext};
use crate::error::MethodError;
use crate::kernel::numbers::ranks::{order_bits, share_of};
use crate::mask::rank_swap::by_rank::Ranking;
use crate::mask::rank_swap::free_ranks::FreeRanks;
use crate::mask::rank_swap::picks::Picks;
use crate::mask::strata::{Records, SWAP_STRATA, Strata};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::missing::{MISSING, Missing, check_missing};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue};

/// Swaps values between records of near rank. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct RankSwap;

const WINDOW: ParamSpec = ParamSpec::fraction(
    "window",
    "largest distance in rank, as a fraction of the records",
);
const KEEP_BOTTOM: ParamSpec = ParamSpec::fraction(
    "keep_bottom",
    "share of the lowest records that keep their value",
)
.or_number(0.0);
const KEEP_TOP: ParamSpec = ParamSpec::fraction(
    "keep_top",
    "share of the highest records that keep their value",
)
.or_number(0.0);

static CARD: Card = Card {
    id: "rank-swap",
    title: "Rank swapping",
    summary: "swaps each value with that of a record whose rank is near",
    family: Family::Mask,
    page: include_str!("rank_swap.md"),
    params: &[WINDOW, KEEP_BOTTOM, KEEP_TOP, SWAP_STRATA, MISSING],
    targets: Targets {
        kinds: &[Kind::Continuous, Kind::Ordered],
        ..Targets::MASKED_NUMBERS
    },
    randomness: Randomness::Seeded,
    scaling: Scaling::Rank,
    references: &["moore1996", "mateo2004", "sebe2002"],
};

/// Ranks whose draws are fetched at a time.
const WALKED_TOGETHER: usize = 1024;

/// Who may swap with whom.
pub struct Settings {
    window: f64,
    keep_bottom: f64,
    keep_top: f64,
    strata: Vec<String>,
    missing: Missing,
}

impl MaskMethod for RankSwap {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            window: params.number(WINDOW.name),
            keep_bottom: params.number(KEEP_BOTTOM.name),
            keep_top: params.number(KEEP_TOP.name),
            strata: params.texts(SWAP_STRATA.name).to_vec(),
            missing: Missing::asked(params),
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts::default().nothing_if(settings.window == 0.0)
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let strata = Strata::of(task.table, &settings.strata)?;
        let columns: Vec<Result<(usize, Column), MethodError>> = task
            .on
            .par_iter()
            .map(|&attr_idx| {
                context.go_on()?;
                let column = task.table.column(attr_idx);
                check_missing(column.name(), column.n_missing(), settings.missing, context)?;
                let column = swap_column(task.table, column, &strata, settings, context)?;
                Ok((attr_idx, column))
            })
            .collect();
        // Of several variables that cannot be masked the first is told, whichever thread came to its end first.
        let columns = columns.into_iter().collect::<Result<_, _>>()?;
        Ok(Change::of_columns(columns))
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("window", RawValue::Number(0.14))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("window", RawValue::Number(0.0))])
    }
}

fn swap_column(
    table: &Table,
    column: &Column,
    strata: &Strata,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let donors = donors(table, column, strata, settings, context)?;
    Ok(column.moved(&donors))
}

/// For each record, the record whose value it receives.
///
/// Of the two draws of a record, the first orders ties and the second chooses its partner. They are drawn apart, since
/// neither is needed while the other is, and memory that is not needed any more is given back on the way.
fn donors(
    table: &Table,
    column: &Column,
    strata: &Strata,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Vec<u32>, MethodError> {
    let draws = context.draws(column.name());
    let ranked = by_rank(table, column, strata, &draws);
    if ranked.n_tied > 0 {
        context.note(ties_in_random_order(column.name(), ranked.n_tied));
    }
    let picks = Picks::of(table, draws);
    let mut partner: Vec<u32> = Vec::with_capacity(ranked.order.len());
    let mut n_unswapped = 0;
    for records in ranked.strata() {
        n_unswapped += swap_ranks(records, settings, &picks, context, &mut partner)?;
    }
    drop(picks);
    let mut donors: Vec<u32> = (0..table.n_records() as u32).collect();
    let mut partner = &partner[..];
    for records in ranked.strata() {
        let (here, others) = partner.split_at(records.len());
        for (&record, &partner) in records.iter().zip(here) {
            donors[record as usize] = records[partner as usize];
        }
        partner = others;
    }
    if n_unswapped > 0 {
        context.note(records_unswapped(column.name(), n_unswapped));
    }
    Ok(donors)
}

/// The records that have a value, in the order of their ranks, stratum after stratum.
struct Ranked {
    order: Vec<u32>,
    /// How many each stratum has.
    n_present: Vec<usize>,
    /// How many share their value with another of their stratum.
    n_tied: usize,
}

impl Ranked {
    /// The records of each stratum.
    fn strata(&self) -> impl Iterator<Item = &[u32]> {
        let mut order = &self.order[..];
        self.n_present.iter().map(move |&n_present| {
            let (records, others) = order.split_at(n_present);
            order = others;
            records
        })
    }
}

fn by_rank(table: &Table, column: &Column, strata: &Strata, draws: &Draws) -> Ranked {
    // Random, so that equal values are in random order.
    let ties: Vec<u32> = draws.per_record(table, |_, [tie, _]| (tie >> 32) as u32);
    let ranking = Ranking {
        value: |record: u32| -> u64 {
            match column.values() {
                Values::Numeric(values) => match column.exact() {
                    Some(exact) => u64::from(exact.codes.at(record as usize)),
                    None => order_bits(values[record as usize]),
                },
                Values::Categorical(categories) => u64::from(categories.codes.at(record as usize)),
            }
        },
        tie: |record: u32| ties[record as usize],
    };
    let has_gaps = column.n_missing() > 0;
    let mut ranked = Ranked {
        order: Vec::with_capacity(table.n_records() - column.n_missing()),
        n_present: Vec::new(),
        n_tied: 0,
    };
    let mut present = Vec::new();
    for records in strata.each() {
        let records = if has_gaps {
            let is_present = |record: &u32| !column.is_missing(*record as usize);
            present.clear();
            present.extend(records.iter().filter(is_present));
            Records::Listed(&present)
        } else {
            records
        };
        ranked.n_tied += ranking.append(records, &mut ranked.order);
        ranked.n_present.push(records.len());
    }
    ranked
}

/// Equal values were put in random order; so many records share their value with another.
fn ties_in_random_order(variable: &str, n_records: usize) -> Note {
    let text = format!(
        "{variable}: {n_records} records share their value with another; ties were put in random order"
    );
    Note::new("ties-in-random-order", text)
        .with("variable", variable)
        .with("n_records", n_records)
}

/// Records that kept their value because no partner was free or the window holds none.
fn records_unswapped(variable: &str, n_records: usize) -> Note {
    let text =
        format!("{variable}: {n_records} records found no free partner and kept their value");
    Note::new("records-unswapped", text)
        .with("variable", variable)
        .with("n_records", n_records)
}

/// Appends the partner of each rank of one stratum, which is itself where it has none, and says how many stayed alone
/// though they were to be swapped. `records` are those of the ranks.
fn swap_ranks(
    records: &[u32],
    settings: &Settings,
    picks: &Picks<'_>,
    context: &RunContext<'_>,
    partners: &mut Vec<u32>,
) -> Result<usize, MethodError> {
    let n = records.len();
    let k = share_of(settings.window, n);
    let first = share_of(settings.keep_bottom, n);
    let last = n.saturating_sub(share_of(settings.keep_top, n));
    let start = partners.len();
    partners.extend(0..n as u32);
    let partner = &mut partners[start..];
    if first >= last || settings.window == 0.0 {
        return Ok(0);
    }
    if k == 0 {
        // The stratum is so small that the window reaches no other record.
        return Ok(last - first);
    }
    // Ranks that the walk has passed stay in the set unless they were chosen as partners: that
    // they are counted is cheaper than taking them out.
    let mut free = FreeRanks::all(n);
    let (mut n_passed, mut n_alone) = (first, 0);
    // Free ranks in (i, i + k], kept up to date: the rank that enters the window was never in
    // one before and is free, the rank that leaves is i itself.
    let mut n_choices = (first + k).min(last - 1) - first;
    let mut leading = [0; WALKED_TOGETHER];
    for i in first..last {
        let place = (i - first) % WALKED_TOGETHER;
        if place == 0 {
            context.go_on()?;
            // Fetched together, since the walk would wait for each.
            for (leading, &record) in leading.iter_mut().zip(&records[i..last]) {
                *leading = picks.leading[record as usize];
            }
        }
        let is_free = free.is_free(i);
        if i > first {
            n_choices += usize::from(i + k < last);
            n_choices -= usize::from(is_free);
        }
        if !is_free {
            continue;
        }
        n_passed += 1;
        if n_choices == 0 {
            n_alone += 1;
            continue;
        }
        let choice = picks.below(n_choices, leading[place], records[i]);
        let j = free.nth(n_passed + choice);
        free.remove(j);
        n_choices -= 1;
        partner[i] = j as u32;
        partner[j] = i as u32;
    }
    Ok(n_alone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_decimal_arithmetic() {
        // 0.29 * 100 is 28.999999999999996 in binary.
        assert_eq!(share_of(0.29, 100), 29);
        assert_eq!(share_of(0.14, 1080), 151);
        assert_eq!(share_of(0.0, 100), 0);
        assert_eq!(share_of(1.0, 7), 7);
    }
}
