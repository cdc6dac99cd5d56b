//! What the microaggregation masks share: parameters, units, blocks of variables, aggregates. Each
//! of them brings only the way in which it makes groups.

mod aggregate;
pub(crate) mod units;

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::{Attribute, Column};
use rayon::prelude::*;

use crate::card::{ConstValue, ParamDefault, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::complete::{complete_rows, taken};
use crate::kernel::numbers::moments::{Moments, finite_moments, is_constant};
use crate::kernel::space::partition::Partition;
use crate::kernel::space::points::Points;
use crate::mask::continuous::fit_to_original;
use crate::mask::continuous::numbers;
use crate::mask::{Change, MaskTask};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params};

use aggregate::Aggregate;
use units::Units;

/// The minimum size of a group.
pub(crate) const K: ParamSpec = ParamSpec {
    name: "k",
    meaning: "least number of records (or households) in a group",
    ty: ParamType::Integer {
        min: 1,
        max: i64::MAX,
    },
    default: ParamDefault::Required,
};

/// Variables that are grouped together.
pub(crate) const BLOCKS: ParamSpec = ParamSpec {
    name: "blocks",
    meaning: "numbers of consecutive variables that are grouped together",
    ty: ParamType::Counts {
        min: 1,
        max: i64::MAX,
    },
    default: ParamDefault::Unset("all variables are one block"),
};

/// Whether distances are in standard deviations.
pub(crate) const STANDARDISE: ParamSpec = ParamSpec {
    name: "standardise",
    meaning: "state each variable in its standard deviations before distances are taken",
    ty: ParamType::Flag,
    default: ParamDefault::Value(ConstValue::Flag(true)),
};

/// What takes the place of the values of a group.
pub(crate) const AGGREGATE: ParamSpec = ParamSpec {
    name: "aggregate",
    meaning: "what the values of a group become",
    ty: ParamType::Choice(&[
        ("mean", "the mean of each variable"),
        ("median", "the median of each variable"),
        ("medoid", "the values of the record nearest to the mean"),
    ]),
    default: ParamDefault::Value(ConstValue::Text("mean")),
};

/// Groups within strata.
pub(crate) const STRATA: ParamSpec = ParamSpec {
    name: "strata",
    meaning: "group only records with equal values of these variables",
    ty: ParamType::Variables,
    default: ParamDefault::Unset("the whole file is one stratum"),
};

/// Groups of households.
pub(crate) const HOUSEHOLDS: ParamSpec = ParamSpec {
    name: "households",
    meaning: "group whole households, by the variable with the role household",
    ty: ParamType::Flag,
    default: ParamDefault::Value(ConstValue::Flag(false)),
};

/// Values beyond this have squares that, summed, leave the numbers of the machine.
const LARGEST: f64 = 1e140;

/// Records between two reports of progress.
const REPORT: usize = 1024;

/// What is to be grouped: one value per unit and variable of a block.
pub(crate) struct UnitValues<'a> {
    columns: Vec<Cow<'a, [f64]>>,
    scales: &'a [Moments],
}

impl UnitValues<'_> {
    /// The values of each variable.
    pub(crate) fn columns(&self) -> Vec<&[f64]> {
        self.columns.iter().map(AsRef::as_ref).collect()
    }

    /// The units as points, in the scale of distances.
    pub(crate) fn points(&self) -> Points {
        Points::standardised(&self.columns(), self.scales)
    }
}

/// The unit in which distances state a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scale {
    /// Its own.
    AsIs,
    /// Its standard deviation in the records that take part.
    Deviation,
}

impl Scale {
    /// What `standardise` asks for.
    pub(crate) fn asked(params: &Params) -> Self {
        if params.flag("standardise") {
            Self::Deviation
        } else {
            Self::AsIs
        }
    }

    fn of(
        self,
        names: &[&str],
        columns: &[&[f64]],
        complete: Option<&[u32]>,
    ) -> Result<Vec<Moments>, MethodError> {
        if self == Self::AsIs {
            let plain = Moments {
                n: 0,
                mean: 0.0,
                sd: 1.0,
            };
            return Ok(vec![plain; columns.len()]);
        }
        let with_names = names.iter().zip(columns);
        with_names
            .map(|(name, column)| match complete {
                None => finite_moments(name, column),
                Some(records) => finite_moments(name, &taken(column, records)),
            })
            .collect()
    }
}

/// Told how many units are in groups; an error stops the work.
pub(crate) type Done<'a> = dyn FnMut(usize) -> Result<(), MethodError> + 'a;

/// Makes groups of at least k units; there are at least k.
pub(crate) type Group<'a> =
    dyn Fn(&UnitValues<'_>, usize, &mut Done<'_>) -> Result<Partition, MethodError> + Sync + 'a;

/// Problems of `blocks`.
pub(crate) fn check_blocks(params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
    let sizes = params.integers("blocks");
    let total: i128 = sizes.iter().map(|&size| i128::from(size)).sum();
    if !params.is_set("blocks") || total == on.len() as i128 {
        return Vec::new();
    }
    vec![ParamProblem::of(
        "blocks",
        format!(
            "`blocks` stands for {total} variables, but there are {}",
            on.len()
        ),
        "give the sizes of consecutive blocks of `on`; they sum to the number of variables",
    )]
}

/// The blocks of `on`, each in the order of the file: what is equal in substance then comes out
/// equal to the last bit.
pub(crate) fn blocks(params: &Params, on: &[usize]) -> Vec<Vec<usize>> {
    let sizes = params.integers("blocks").iter().map(|&size| size as usize);
    // What the sizes leave over is a block: all variables, where no sizes are given.
    let sizes = sizes.chain([usize::MAX]);
    let mut rest = on;
    let mut blocks = Vec::new();
    for size in sizes {
        let (block, others) = rest.split_at(size.min(rest.len()));
        let mut block = block.to_vec();
        block.sort_unstable();
        blocks.push(block);
        rest = others;
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// Masks each block of variables by groups of its own.
pub(crate) fn microaggregate(
    task: &MaskTask<'_>,
    context: &RunContext<'_>,
    blocks: &[Vec<usize>],
    scale: Scale,
    group: &Group<'_>,
) -> Result<Change, MethodError> {
    let work = Work {
        task,
        context,
        scale,
        group,
        k: usize::try_from(task.params.integer("k")).unwrap_or(usize::MAX),
        n_total: task.table.n_records() * blocks.len(),
        n_done: AtomicUsize::new(0),
    };
    context.go_on()?;
    let units = Units::of(task)?;
    let masked = blocks
        .par_iter()
        .map(|block| work.mask_block(block, &units))
        .collect::<Result<Vec<_>, MethodError>>()?;
    Ok(Change::of_columns(masked.into_iter().flatten().collect()))
}

struct Work<'a> {
    task: &'a MaskTask<'a>,
    context: &'a RunContext<'a>,
    scale: Scale,
    group: &'a Group<'a>,
    k: usize,
    n_total: usize,
    n_done: AtomicUsize,
}

impl Work<'_> {
    fn mask_block(
        &self,
        block: &[usize],
        units: &Units,
    ) -> Result<Vec<(usize, Column)>, MethodError> {
        let (table, params) = (self.task.table, self.task.params);
        let columns = block
            .iter()
            .map(|&attr_idx| self.numbers(table.column(attr_idx)))
            .collect::<Result<Vec<&[f64]>, _>>()?;
        let complete = self.complete(block, &columns);
        let strata = units.strata(complete.as_deref(), self.k)?;
        let names: Vec<&str> = block.iter().map(|&idx| table.column(idx).name()).collect();
        let scales = self.scale.of(&names, &columns, complete.as_deref())?;
        let mut masked: Vec<Vec<f64>> = columns.iter().map(|column| column.to_vec()).collect();
        if self.k > 1 {
            let aggregate = Aggregate::from_name(params.choice("aggregate"));
            let groups = strata
                .par_iter()
                .map(|stratum| self.groups_of(stratum, &columns, &scales))
                .collect::<Result<Vec<_>, MethodError>>()?;
            for partition in groups {
                aggregate.replace(&partition, &columns, &scales, &mut masked);
            }
        }
        let finish = |((&attr_idx, x), z): ((&usize, &&[f64]), Vec<f64>)| {
            self.context.go_on()?;
            let column = table.column(attr_idx);
            if is_constant(x) && !x.is_empty() {
                let variable = column.name().to_owned();
                self.context.note(KnownNote::ConstantVariable { variable });
            }
            let z = fit_to_original(x, z, column.name(), params, self.context);
            Ok((attr_idx, column.with_numbers(z)))
        };
        block.iter().zip(&columns).zip(masked).map(finish).collect()
    }

    /// The groups of one stratum, as groups of records.
    fn groups_of(
        &self,
        stratum: &units::Stratum,
        columns: &[&[f64]],
        scales: &[Moments],
    ) -> Result<Partition, MethodError> {
        let values = UnitValues {
            columns: columns
                .iter()
                .map(|column| stratum.values(column))
                .collect(),
            scales,
        };
        let mut n_before = 0;
        let mut done = |n_units: usize| {
            if n_units > 0 && n_units < n_before + REPORT {
                return self.context.go_on();
            }
            let n_new = n_units - n_before;
            n_before = n_units;
            let n_done = self.n_done.fetch_add(n_new, Ordering::Relaxed) + n_new;
            self.context.progress(n_done, self.n_total)
        };
        done(0)?;
        let partition = (self.group)(&values, self.k, &mut done)?;
        let n_units = values.columns.first().map_or(0, |column| column.len());
        let is_small = |members: &[u32]| members.len() < self.k;
        if partition.n_members() != n_units || partition.iter().any(is_small) {
            return Err(MethodError::Internal(
                "a unit is in no group, or in one of fewer than k members".to_owned(),
            ));
        }
        Ok(stratum.records_of(partition))
    }

    fn numbers<'c>(&self, column: &'c Column) -> Result<&'c [f64], MethodError> {
        let name = column.name();
        let x = numbers(column, self.task.params, self.context)?;
        if x.par_iter().with_min_len(REPORT).any(|x| x.abs() > LARGEST) {
            return Err(MethodError::data(
                name,
                "its values are too large for squared distances",
                "state the variable in a larger unit",
            ));
        }
        Ok(x)
    }

    /// The records without a missing value in the block, if not all are; says how many others.
    fn complete(&self, block: &[usize], columns: &[&[f64]]) -> Option<Vec<u32>> {
        let table = self.task.table;
        let has_missing = |&attr_idx: &usize| table.column(attr_idx).n_missing() > 0;
        if !block.iter().any(has_missing) {
            return None;
        }
        let n = table.n_records();
        let complete = complete_rows(n, columns);
        if block.len() > 1 {
            let names = block.iter().map(|&idx| table.column(idx).name().to_owned());
            self.context.note(KnownNote::RecordsOutOfGroups {
                variables: names.collect(),
                n_records: n - complete.len(),
            });
        }
        Some(complete)
    }
}
