#![doc = include_str!("rank_swap.md")]

mod free_ranks;

use bauta_data::{Column, Kind, Table, Values};
use rayon::prelude::*;

use crate::card::{Card, Family, ParamSpec, Randomness, Targets};
use crate::context::{RunContext, below};
use crate::error::MethodError;
use crate::kernel::numbers::ranks::{order_bits, share_of, sort_by_leading_digits};
use crate::mask::rank_swap::free_ranks::FreeRanks;
use crate::mask::strata::{SWAP_STRATA, strata};
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
    references: &["moore1996", "mateo2004", "sebe2002"],
};

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
        let strata = strata(task.table, &settings.strata)?;
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
    strata: &[Vec<u32>],
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let donors = donors(table, column, strata, settings, context)?;
    Ok(column.moved(&donors))
}

/// For each record, the record whose value it receives.
fn donors(
    table: &Table,
    column: &Column,
    strata: &[Vec<u32>],
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
            Values::Numeric(values) => match column.exact() {
                Some(exact) => u64::from(exact.codes.at(record as usize)),
                None => order_bits(values[record as usize]),
            },
            Values::Categorical(categories) => u64::from(categories.codes.at(record as usize)),
        }
    };
    let mut donors: Vec<u32> = (0..n as u32).collect();
    let (mut n_unswapped, mut n_tied) = (0, 0);
    for records in strata {
        let ranked = |&record: &u32| Ranked {
            value: rank_value(record),
            // Random, so that equal values are in random order.
            tie: (draws[record as usize][0] >> 32) as u32,
            record,
        };
        let mut ranked: Vec<Ranked> = if column.n_missing() == 0 {
            // Without gaps the place of each is known, and nothing is moved.
            let records = records.par_iter().with_min_len(4096);
            records.map(ranked).collect()
        } else {
            let present = |record: &&u32| !column.is_missing(**record as usize);
            records.iter().filter(present).map(ranked).collect()
        };
        put_in_order(&mut ranked);
        n_tied += n_ties(&ranked);
        // Fetched together, since the walk below would wait for each.
        let partners: Vec<u64> = ranked
            .par_iter()
            .with_min_len(4096)
            .map(|ranked| draws[ranked.record as usize][1])
            .collect();
        let (partner, n_alone) = swap_ranks(ranked.len(), settings, &partners, context)?;
        n_unswapped += n_alone;
        for (ranked_here, &partner) in ranked.iter().zip(&partner) {
            donors[ranked_here.record as usize] = ranked[partner as usize].record;
        }
    }
    if n_tied > 0 {
        context.note(ties_in_random_order(column.name(), n_tied));
    }
    if n_unswapped > 0 {
        context.note(records_unswapped(column.name(), n_unswapped));
    }
    Ok(donors)
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

/// A record on its way to its rank; the order of the fields is the order of the ranks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Ranked {
    /// A number whose order is that of the values.
    value: u64,
    /// Orders equal values.
    tie: u32,
    record: u32,
}

/// Puts records in order of value, then tie, then record.
fn put_in_order(ranked: &mut Vec<Ranked>) {
    sort_by_leading_digits(ranked, &mut Vec::new(), |ranked| ranked.value, Ord::cmp);
}

/// Pairs the ranks of one stratum: the partner of each, which is itself where it has none, and how
/// many stayed alone though they were to be swapped.
fn swap_ranks(
    n: usize,
    settings: &Settings,
    draws: &[u64],
    context: &RunContext<'_>,
) -> Result<(Vec<u32>, usize), MethodError> {
    let k = share_of(settings.window, n);
    let first = share_of(settings.keep_bottom, n);
    let last = n.saturating_sub(share_of(settings.keep_top, n));
    let mut partner: Vec<u32> = (0..n as u32).collect();
    if first >= last || settings.window == 0.0 {
        return Ok((partner, 0));
    }
    if k == 0 {
        // The stratum is so small that the window reaches no other record.
        return Ok((partner, last - first));
    }
    // Ranks that the walk has passed stay in the set unless they were chosen as partners: that
    // they are counted is cheaper than taking them out.
    let mut free = FreeRanks::all(n);
    let (mut n_passed, mut n_alone) = (first, 0);
    // Free ranks in (i, i + k], kept up to date: the rank that enters the window was never in
    // one before and is free, the rank that leaves is i itself.
    let mut n_choices = (first + k).min(last - 1) - first;
    for (i, &draw) in draws.iter().enumerate().take(last).skip(first) {
        if i % 65_536 == 0 {
            context.go_on()?;
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
        let j = free.nth(n_passed + below(n_choices, draw));
        free.remove(j);
        n_choices -= 1;
        partner[i] = j as u32;
        partner[j] = i as u32;
    }
    Ok((partner, n_alone))
}

/// Records that share their value with another.
fn n_ties(ranked: &[Ranked]) -> usize {
    ranked
        .chunk_by(|a, b| a.value == b.value)
        .map(<[_]>::len)
        .filter(|&len| len > 1)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn digits_and_ties_order_as_comparing_does(
            values in proptest::collection::vec(-1e9..1e9_f64, 0..9_000_usize),
            digits in 0..12_i32,
            ties in 1..50_u32,
        ) {
            // Few digits give many ties.
            let unit = 10.0_f64.powi(digits);
            let ranked = |(record, value): (u32, &f64)| Ranked {
                value: order_bits((value / unit).round() * unit),
                tie: record.wrapping_mul(2_654_435_761) % ties,
                record,
            };
            let mut ordered: Vec<Ranked> = (0..).zip(&values).map(ranked).collect();
            let mut compared = ordered.clone();
            compared.sort_unstable();
            put_in_order(&mut ordered);
            prop_assert!(ordered == compared);
        }
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
