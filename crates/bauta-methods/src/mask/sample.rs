#![doc = include_str!("sample.md")]

use bauta_data::{Column, Kind, Role, Table};

use crate::card::{Card, Family, ParamSpec, Randomness, Scaling, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::households::households;
use crate::keys::{check_weights, class_numbers};
use crate::mask::strata::{refuse_divided_households, split_by};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue, choices};

/// Releases a random choice of the records. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Sample;

choices! {
    /// What becomes of the weights.
    enum Weights {
        Scale = "scale": "times records per record drawn in the stratum, so that totals are kept in expectation",
        Keep = "keep": "nothing",
    }
}

const SHARE: ParamSpec = ParamSpec::fraction(
    "share",
    "share of the records (or households) that are drawn",
)
.unset("`size` says how many");
const SIZE: ParamSpec = ParamSpec::integer("size", "how many records (or households) are drawn", 0)
    .unset("`share` says how many");
const AT_LEAST: ParamSpec = ParamSpec::integer(
    "at_least",
    "the fewest that are drawn in a stratum, or all of a smaller one",
    0,
)
.or_integer(1);
const WEIGHTS: ParamSpec = ParamSpec::choice::<Weights>(
    "weights",
    "what becomes of the variable with the role weight",
)
.or_word("scale");
const HOUSEHOLDS: ParamSpec = ParamSpec::flag(
    "households",
    "draw whole households, by the variable with the role household",
);

static CARD: Card = Card {
    id: "sample",
    title: "Sampling",
    summary: "releases a random sample of the records, simple or stratified",
    family: Family::Mask,
    page: include_str!("sample.md"),
    params: &[SHARE, SIZE, AT_LEAST, WEIGHTS, HOUSEHOLDS],
    targets: Targets {
        kinds: &Kind::ALL,
        default_roles: &[Role::Stratum],
        refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
    },
    randomness: Randomness::Seeded,
    scaling: Scaling::Column,
    references: &["cochran1977", "truta2004"],
};

/// What is drawn, how much of it, and what becomes of the weights.
pub struct Settings {
    wanted: Wanted,
    at_least: usize,
    weights: Weights,
    /// Whether whole households are drawn.
    households: bool,
}

/// How many units are drawn.
enum Wanted {
    /// This share of them.
    Share(f64),
    /// So many.
    Size(usize),
}

impl Wanted {
    /// Whether all are drawn, however many there are.
    fn is_all(&self) -> bool {
        match self {
            Self::Share(share) => *share >= 1.0,
            Self::Size(_) => false,
        }
    }
}

impl MaskMethod for Sample {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let share = params.number_if_set(SHARE.name);
        let size = params.is_set(SIZE.name).then(|| params.count(SIZE.name));
        let wanted = match (share, size) {
            (Some(share), None) => Wanted::Share(share),
            (None, Some(size)) => Wanted::Size(size),
            (None, None) | (Some(_), Some(_)) => {
                return Err(vec![ParamProblem::together(
                    "`sample` needs one of `share` and `size`",
                    "say how many records are drawn: share = 0.1, or size = 1000",
                )]);
            }
        };
        Ok(Settings {
            wanted,
            at_least: params.count(AT_LEAST.name),
            weights: params.choice_of(WEIGHTS.name),
            households: params.flag(HOUSEHOLDS.name),
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts {
            reweights: settings.weights == Weights::Scale,
            removes_records: true,
            ..StepFacts::JOINTLY
        }
        .truthful()
        .nothing_if(settings.wanted.is_all())
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        context.go_on()?;
        match settings.weights {
            Weights::Scale => check_weights(task.table)?,
            Weights::Keep => {}
        }
        let units = Units::of(task, settings.households)?;
        let sizes: Vec<usize> = units.strata.iter().map(Vec::len).collect();
        let n = settings.wanted.of(sizes.iter().sum())?;
        // Equal remainders are a matter of chance: each stratum has a draw for them.
        let ties: Vec<u64> = context
            .draws("strata")
            .per_position(sizes.len(), |_, [draw]| draw);
        let drawn = allocation(&sizes, n, settings.at_least, &ties)?;
        if drawn == sizes {
            return Ok(Change::default());
        }
        let n_lost = drawn.iter().filter(|&&n| n == 0).count();
        if n_lost > 0 {
            context.note(strata_lost(n_lost));
        }
        context.go_on()?;
        let draws: Vec<u64> = context
            .draws("records")
            .per_record(task.table, |_, [draw]| draw);
        let factors = units.draw(&drawn, &draws, task.table.n_records());
        let kept = (0..factors.len() as u32).filter(|&record| factors[record as usize] > 0.0);
        let weight = match settings.weights {
            Weights::Scale => scaled(task.table, &factors, context)?,
            Weights::Keep => None,
        };
        Ok(Change {
            columns: weight.into_iter().collect(),
            kept: Some(kept.collect()),
            ..Change::default()
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![
            ("share", RawValue::Number(0.5)),
            ("at_least", RawValue::Integer(0)),
        ]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("share", RawValue::Number(1.0))])
    }
}

/// Strata none of whose records were drawn: nothing is left that stands for them.
fn strata_lost(n_strata: usize) -> Note {
    let text = format!("{n_strata} strata have no record left, and nothing stands for them");
    Note::new("strata-lost", text).with("n_strata", n_strata)
}

/// What is drawn: records, or households by their first record.
struct Units {
    /// The units of each stratum.
    strata: Vec<Vec<u32>>,
    /// The household of each record, where whole ones are drawn.
    household: Option<Vec<u32>>,
}

impl Units {
    fn of(task: &MaskTask<'_>, whole_households: bool) -> Result<Self, MethodError> {
        let table = task.table;
        let mut units: Vec<u32> = (0..table.n_records() as u32).collect();
        let stratum = class_numbers(table, task.on);
        let household = if whole_households {
            let household = households(table)?;
            let names = task
                .on
                .iter()
                .map(|&attr_idx| table.column(attr_idx).name());
            let names: Vec<&str> = names.collect();
            refuse_divided_households(&stratum, &household, &names.join("`, `"))?;
            // Households are numbered as they first occur.
            let mut n_seen = 0;
            units.retain(|&record| {
                let is_first = household[record as usize] == n_seen;
                n_seen += u32::from(is_first);
                is_first
            });
            Some(household)
        } else {
            None
        };
        Ok(Self {
            strata: split_by(&units, &stratum),
            household,
        })
    }

    /// What each record's weight is to be multiplied by: units per unit drawn, 0 for those that are
    /// not. The units with the lowest draws are taken, so that every choice is equally likely.
    fn draw(&self, n_drawn: &[usize], draws: &[u64], n_records: usize) -> Vec<f64> {
        let mut of_unit = vec![0.0; n_records];
        for (units, &n_h) in self.strata.iter().zip(n_drawn) {
            let mut order = units.clone();
            if n_h < order.len() {
                order.select_nth_unstable_by_key(n_h, |&unit| (draws[unit as usize], unit));
            }
            for &unit in &order[..n_h] {
                of_unit[unit as usize] = units.len() as f64 / n_h as f64;
            }
        }
        let Some(household) = &self.household else {
            return of_unit;
        };
        let mut of_household = vec![0.0; n_records];
        for &first in self.strata.iter().flatten() {
            of_household[household[first as usize] as usize] = of_unit[first as usize];
        }
        household
            .iter()
            .map(|&number| of_household[number as usize])
            .collect()
    }
}

impl Wanted {
    /// How many of so many.
    fn of(&self, n_units: usize) -> Result<usize, MethodError> {
        match *self {
            Self::Share(share) => Ok((share * n_units as f64).round() as usize),
            Self::Size(size) if size <= n_units => Ok(size),
            Self::Size(size) => Err(MethodError::request(
                format!("{size} are to be drawn, and there are {n_units}"),
                "choose a smaller `size`, or give a `share`",
            )),
        }
    }
}

/// How many units of each stratum are drawn: in proportion to the strata, rounded by largest
/// remainders, but at least so many, or all of a smaller stratum.
fn allocation(
    sizes: &[usize],
    n: usize,
    at_least: usize,
    ties: &[u64],
) -> Result<Vec<usize>, MethodError> {
    let least: Vec<usize> = sizes.iter().map(|&size| size.min(at_least)).collect();
    let needed: usize = least.iter().sum();
    if needed > n {
        return Err(MethodError::request(
            format!(
                "{n} are to be drawn, and the {} strata need {needed} for `at_least`",
                sizes.len()
            ),
            "draw more, take coarser strata, or lower `at_least`",
        ));
    }
    // Strata whose proportional share is below their least get that; the others share the rest,
    // which may bring further ones below.
    let mut is_fixed = vec![false; sizes.len()];
    loop {
        let sum_where = |figures: &[usize], fixed: bool| -> usize {
            let figures = figures.iter().zip(&is_fixed);
            figures
                .filter(|(_, is)| **is == fixed)
                .map(|(figure, _)| figure)
                .sum()
        };
        let rest = (n - sum_where(&least, true)) as u128;
        let total = sum_where(sizes, false) as u128;
        let falls_short =
            |h: usize| !is_fixed[h] && rest * (sizes[h] as u128) < least[h] as u128 * total;
        let short: Vec<usize> = (0..sizes.len()).filter(|&h| falls_short(h)).collect();
        if short.is_empty() {
            let open: Vec<usize> = (0..sizes.len()).filter(|&h| !is_fixed[h]).collect();
            let shared = by_largest_remainders(sizes, open, rest, total, ties);
            let mut drawn = least;
            for (h, n_h) in shared {
                drawn[h] = n_h;
            }
            return Ok(drawn);
        }
        for h in short {
            is_fixed[h] = true;
        }
    }
}

/// `rest` units over some strata, in proportion to their sizes: stratum and number.
fn by_largest_remainders(
    sizes: &[usize],
    mut open: Vec<usize>,
    rest: u128,
    total: u128,
    ties: &[u64],
) -> Vec<(usize, usize)> {
    if total == 0 {
        return Vec::new();
    }
    let quota = |h: usize| rest * sizes[h] as u128;
    let floor = |h: usize| (quota(h) / total) as usize;
    let given: usize = open.iter().map(|&h| floor(h)).sum();
    open.sort_by_key(|&h| (std::cmp::Reverse(quota(h) % total), ties[h]));
    let n_more = rest as usize - given;
    let places = open.into_iter().enumerate();
    places
        .map(|(place, h)| (h, floor(h) + usize::from(place < n_more)))
        .collect()
}

/// The weight of each record times its factor.
fn scaled(
    table: &Table,
    factors: &[f64],
    context: &RunContext<'_>,
) -> Result<Option<(usize, Column)>, MethodError> {
    let Some(&attr_idx) = table.with_role(Role::Weight).first() else {
        return Ok(None);
    };
    let column = table.column(attr_idx);
    let weights = column.as_numeric().unwrap_or_default();
    // Records that were not drawn are dropped with theirs.
    let scale = |(weight, factor): (&f64, &f64)| weight * factor.max(1.0);
    let weights: Vec<f64> = weights.iter().zip(factors).map(scale).collect();
    if weights.iter().any(|weight| weight.is_infinite()) {
        return Err(MethodError::data(
            column.name(),
            "a weight leaves the numbers of the machine when it is scaled",
            "state weights in a larger unit, or set weights = \"keep\"",
        ));
    }
    context.note(weights_scaled(column.name()));
    Ok(Some((attr_idx, column.with_numbers(weights))))
}

/// Weights were multiplied so that the records that are left stand for all.
fn weights_scaled(variable: &str) -> Note {
    let text = format!("{variable} was multiplied so that the records drawn stand for all");
    Note::new("weights-scaled", text)
        .with("variable", variable)
        .public()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocated(sizes: &[usize], n: usize, at_least: usize) -> Option<Vec<usize>> {
        let ties: Vec<u64> = (0..sizes.len() as u64).collect();
        allocation(sizes, n, at_least, &ties).ok()
    }

    #[test]
    fn strata_get_their_share_by_largest_remainders() {
        // 10 of 100: 5.5, 3.3, 1.2; the floors make 9, and 5.5 has the largest remainder.
        assert_eq!(allocated(&[55, 33, 12], 10, 0).unwrap(), [6, 3, 1]);
        // 0.98 and 0.02 of one.
        assert_eq!(allocated(&[98, 2], 1, 0).unwrap(), [1, 0]);
        // Equal remainders: the lowest draw.
        assert_eq!(allocated(&[1, 1, 1], 2, 0).unwrap(), [1, 1, 0]);
        assert_eq!(allocated(&[3, 4], 7, 1).unwrap(), [3, 4]);
        assert_eq!(allocated(&[], 0, 1).unwrap(), Vec::<usize>::new());
    }

    #[test]
    fn small_strata_get_their_least_and_the_others_share_the_rest() {
        // The last two are raised to 2 and 1; 7 are left for 60 and 30: 4.67 and 2.33.
        assert_eq!(allocated(&[60, 30, 5, 1], 10, 2).unwrap(), [5, 2, 2, 1]);
        assert!(allocated(&[60, 30, 5, 1], 6, 2).is_none());
        for n in 4..=96 {
            let drawn = allocated(&[60, 30, 5, 1], n, 1).unwrap();
            assert_eq!(drawn.iter().sum::<usize>(), n);
            let sizes = [60, 30, 5, 1];
            assert!(
                drawn
                    .iter()
                    .zip(sizes)
                    .all(|(&n_h, size)| (1..=size).contains(&n_h))
            );
        }
    }
}
