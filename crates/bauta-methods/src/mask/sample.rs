#![doc = include_str!("sample.md")]

use bauta_data::{Column, Kind, Role, Table};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::households::households;
use crate::keys::{check_weights, class_numbers};
use crate::mask::microaggregation::units::{refuse_divided_households, split_by};
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts, Together};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params, RawValue};

/// Releases a random choice of the records. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Sample;

static CARD: Card = Card {
    id: "sample",
    title: "Sampling",
    summary: "releases a random sample of the records, simple or stratified",
    family: Family::Mask,
    page: include_str!("sample.md"),
    params: &[
        ParamSpec {
            name: "share",
            meaning: "share of the records (or households) that are drawn",
            ty: ParamType::Fraction { min: 0.0, max: 1.0 },
            default: ParamDefault::Unset("`size` says how many"),
        },
        ParamSpec {
            name: "size",
            meaning: "how many records (or households) are drawn",
            ty: ParamType::Integer {
                min: 0,
                max: i64::MAX,
            },
            default: ParamDefault::Unset("`share` says how many"),
        },
        ParamSpec {
            name: "at_least",
            meaning: "the fewest that are drawn in a stratum, or all of a smaller one",
            ty: ParamType::Integer {
                min: 0,
                max: i64::MAX,
            },
            default: ParamDefault::Value(ConstValue::Integer(1)),
        },
        ParamSpec {
            name: "weights",
            meaning: "what becomes of the variable with the role weight",
            ty: ParamType::Choice(&[
                (
                    "scale",
                    "times records per record drawn in the stratum, so that totals are kept in expectation",
                ),
                ("keep", "nothing"),
            ]),
            default: ParamDefault::Value(ConstValue::Text("scale")),
        },
        ParamSpec {
            name: "households",
            meaning: "draw whole households, by the variable with the role household",
            ty: ParamType::Flag,
            default: ParamDefault::Value(ConstValue::Flag(false)),
        },
    ],
    targets: Targets {
        kinds: &Kind::ALL,
        default_roles: &[Role::Stratum],
        refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
    },
    randomness: Randomness::Seeded,
    references: &["cochran1977", "truta2004"],
};

impl MaskMethod for Sample {
    type Settings = Params;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, _on: &[&bauta_data::Attribute]) -> Vec<ParamProblem> {
        if params.is_set("share") == params.is_set("size") {
            return vec![ParamProblem::together(
                "`sample` needs one of `share` and `size`",
                "say how many records are drawn: share = 0.1, or size = 1000",
            )];
        }
        Vec::new()
    }

    fn facts(&self, params: &Params) -> StepFacts {
        StepFacts {
            together: Together::Jointly,
            reweights: params.choice("weights") == "scale",
            ..StepFacts::default()
        }
    }

    fn mask(
        &self,
        _settings: &Params,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        context.go_on()?;
        if task.params.choice("weights") == "scale" {
            check_weights(task.table)?;
        }
        let units = Units::of(task)?;
        let sizes: Vec<usize> = units.strata.iter().map(Vec::len).collect();
        let n = n_drawn(task.params, sizes.iter().sum())?;
        let at_least = usize::try_from(task.params.integer("at_least")).unwrap_or(usize::MAX);
        // Equal remainders are a matter of chance: each stratum has a draw for them.
        let ties: Vec<u64> = context
            .draws("strata")
            .per_position(sizes.len(), |_, [draw]| draw);
        let drawn = allocation(&sizes, n, at_least, &ties)?;
        if drawn == sizes {
            return Ok(Change::default());
        }
        let n_lost = drawn.iter().filter(|&&n| n == 0).count();
        if n_lost > 0 {
            context.note(KnownNote::StrataLost { n_strata: n_lost });
        }
        context.go_on()?;
        let draws: Vec<u64> = context
            .draws("records")
            .per_record(task.table, |_, [draw]| draw);
        let factors = units.draw(&drawn, &draws, task.table.n_records());
        let kept = (0..factors.len() as u32).filter(|&record| factors[record as usize] > 0.0);
        let weight = if task.params.choice("weights") == "scale" {
            scaled(task.table, &factors, context)?
        } else {
            None
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

/// What is drawn: records, or households by their first record.
struct Units {
    /// The units of each stratum.
    strata: Vec<Vec<u32>>,
    /// The household of each record, where whole ones are drawn.
    household: Option<Vec<u32>>,
}

impl Units {
    fn of(task: &MaskTask<'_>) -> Result<Self, MethodError> {
        let table = task.table;
        let mut units: Vec<u32> = (0..table.n_records() as u32).collect();
        let stratum = class_numbers(table, task.on);
        let household = if task.params.flag("households") {
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

fn n_drawn(params: &Params, n_units: usize) -> Result<usize, MethodError> {
    if let Some(share) = params.number_if_set("share") {
        return Ok((share * n_units as f64).round() as usize);
    }
    let size = usize::try_from(params.integer_if_set("size").unwrap_or(0)).unwrap_or(usize::MAX);
    if size > n_units {
        return Err(MethodError::request(
            format!("{size} are to be drawn, and there are {n_units}"),
            "choose a smaller `size`, or give a `share`",
        ));
    }
    Ok(size)
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
    context.note(KnownNote::WeightsScaled {
        variable: column.name().to_owned(),
    });
    Ok(Some((attr_idx, column.with_numbers(weights))))
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
