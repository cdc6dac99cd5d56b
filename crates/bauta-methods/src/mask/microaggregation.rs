//! What the microaggregation masks share: parameters, units, blocks of variables, aggregates. Each
//! of them brings only the way in which it makes groups.

mod aggregate;
pub(crate) mod units;

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::{Attribute, Column};
use rayon::prelude::*;

use crate::card::{Card, ConstValue, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::complete::{complete_rows, taken};
use crate::kernel::numbers::moments::{Moments, finite_moments, is_constant};
use crate::kernel::space::partition::Partition;
use crate::kernel::space::points::Points;
use crate::mask::continuous::{Fit, numbers};
use crate::mask::strata::strata_param;
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts, constant_variable};
use crate::missing::Missing;
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue};

pub(crate) use aggregate::AGGREGATE;
use aggregate::Aggregate;
use units::Units;

/// The minimum size of a group.
pub(crate) const K: ParamSpec =
    ParamSpec::integer("k", "least number of records (or households) in a group", 1);

/// Variables that are grouped together.
pub(crate) const BLOCKS: ParamSpec = ParamSpec::new(
    "blocks",
    "numbers of consecutive variables that are grouped together",
    ParamType::Counts {
        min: 1,
        max: i64::MAX,
    },
)
.unset("all variables are one block");

/// Whether distances are in standard deviations.
pub(crate) const STANDARDISE: ParamSpec = ParamSpec::flag(
    "standardise",
    "state each variable in its standard deviations before distances are taken",
)
.or(ConstValue::Flag(true));

/// Groups within strata.
pub(crate) const STRATA: ParamSpec =
    strata_param("group only records with equal values of these variables");

/// Groups of households.
pub(crate) const HOUSEHOLDS: ParamSpec = ParamSpec::flag(
    "households",
    "group whole households, by the variable with the role household",
);

/// How a microaggregation is written: its groups. All else, the masks share.
pub trait Grouping: Sync {
    /// How groups are to be made, where there are several ways.
    type Way: Send + Sync;

    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Reads the parameters.
    fn asked(&self, params: &Params) -> Settings<Self::Way>;

    /// Makes groups of at least k units; there are at least k. `done` is told how many are in
    /// groups, and stops the work by an error.
    fn group(
        &self,
        way: &Self::Way,
        units: &UnitValues<'_>,
        k: usize,
        done: &mut Done<'_>,
    ) -> Result<Partition, MethodError>;
}

/// What is grouped, how, and what becomes of the values.
pub struct Settings<W> {
    k: usize,
    blocks: Blocks,
    scale: Scale,
    way: W,
    aggregate: Aggregate,
    strata: Vec<String>,
    /// Whether whole households are grouped.
    households: bool,
    fit: Fit,
    missing: Missing,
}

impl<W> Settings<W> {
    /// What was asked for by the parameters that all microaggregations share, and what is a
    /// method's own.
    pub(crate) fn asked(params: &Params, blocks: Blocks, scale: Scale, way: W) -> Self {
        Self {
            k: params.count(K.name),
            blocks,
            scale,
            way,
            aggregate: params.choice_of(AGGREGATE.name),
            strata: params.texts(STRATA.name).to_vec(),
            households: params.flag(HOUSEHOLDS.name),
            fit: Fit::asked(params),
            missing: Missing::asked(params),
        }
    }
}

impl<G: Grouping> MaskMethod for G {
    type Settings = Settings<G::Way>;

    fn card(&self) -> &'static Card {
        Grouping::card(self)
    }

    fn settings(&self, params: &Params) -> Result<Self::Settings, Vec<ParamProblem>> {
        Ok(self.asked(params))
    }

    fn check(&self, settings: &Self::Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.blocks.problem(on.len()).into_iter().collect()
    }

    fn facts(&self, settings: &Self::Settings) -> StepFacts {
        match settings.blocks {
            Blocks::EachAlone => StepFacts::default(),
            Blocks::AllInOne | Blocks::Sizes(_) => StepFacts::JOINTLY,
        }
    }

    fn mask(
        &self,
        settings: &Self::Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        microaggregate(settings, task, context, &|units, k, done| {
            self.group(&settings.way, units, k, done)
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("k", RawValue::Integer(3))]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        Some(vec![("k", RawValue::Integer(1))])
    }
}

/// Which variables are grouped together.
pub(crate) enum Blocks {
    /// None: each has groups of its own.
    EachAlone,
    /// All of them.
    AllInOne,
    /// So many consecutive ones at a time.
    Sizes(Vec<usize>),
}

impl Blocks {
    /// What was asked for by [`BLOCKS`].
    pub(crate) fn asked(params: &Params) -> Self {
        if !params.is_set(BLOCKS.name) {
            return Self::AllInOne;
        }
        let sizes = params.integers(BLOCKS.name).iter();
        Self::Sizes(sizes.map(|&size| size as usize).collect())
    }

    /// Sizes that stand for more or fewer variables than there are.
    fn problem(&self, n_variables: usize) -> Option<ParamProblem> {
        let Self::Sizes(sizes) = self else {
            return None;
        };
        let total: u128 = sizes.iter().map(|&size| size as u128).sum();
        (total != n_variables as u128).then(|| {
            ParamProblem::of(
                BLOCKS.name,
                format!("`blocks` stands for {total} variables, but there are {n_variables}"),
                "give the sizes of consecutive blocks of `on`; they sum to the number of variables",
            )
        })
    }

    /// The blocks of `on`, each in the order of the file: what is equal in substance then comes out
    /// equal to the last bit.
    fn of(&self, on: &[usize]) -> Vec<Vec<usize>> {
        let sizes = match self {
            Self::EachAlone => return on.iter().map(|&attr_idx| vec![attr_idx]).collect(),
            Self::AllInOne => &[][..],
            Self::Sizes(sizes) => sizes,
        };
        let mut rest = on;
        let mut blocks = Vec::new();
        // What the sizes leave over is a block: all variables, where no sizes are given.
        for &size in sizes.iter().chain([&usize::MAX]) {
            let (block, others) = rest.split_at(size.min(rest.len()));
            let mut block = block.to_vec();
            block.sort_unstable();
            blocks.push(block);
            rest = others;
        }
        blocks.retain(|block| !block.is_empty());
        blocks
    }
}

/// Values beyond this have squares that, summed, leave the numbers of the machine.
const LARGEST: f64 = 1e140;

/// Records between two reports of progress.
const REPORT: usize = 1024;

/// What is to be grouped: one value per unit and variable of a block.
pub struct UnitValues<'a> {
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
    /// What was asked for by [`STANDARDISE`].
    pub(crate) fn asked(params: &Params) -> Self {
        if params.flag(STANDARDISE.name) {
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
type Group<'a> =
    dyn Fn(&UnitValues<'_>, usize, &mut Done<'_>) -> Result<Partition, MethodError> + Sync + 'a;

/// Masks each block of variables by groups of its own.
fn microaggregate<W: Sync>(
    settings: &Settings<W>,
    task: &MaskTask<'_>,
    context: &RunContext<'_>,
    group: &Group<'_>,
) -> Result<Change, MethodError> {
    let blocks = settings.blocks.of(task.on);
    let work = Work {
        settings,
        task,
        context,
        group,
        n_total: task.table.n_records() * blocks.len(),
        n_done: AtomicUsize::new(0),
    };
    context.go_on()?;
    let units = Units::of(task.table, &settings.strata, settings.households)?;
    let masked = blocks
        .par_iter()
        .map(|block| work.mask_block(block, &units))
        .collect::<Result<Vec<_>, MethodError>>()?;
    Ok(Change::of_columns(masked.into_iter().flatten().collect()))
}

struct Work<'a, W> {
    settings: &'a Settings<W>,
    task: &'a MaskTask<'a>,
    context: &'a RunContext<'a>,
    group: &'a Group<'a>,
    n_total: usize,
    n_done: AtomicUsize,
}

impl<W: Sync> Work<'_, W> {
    fn mask_block(
        &self,
        block: &[usize],
        units: &Units,
    ) -> Result<Vec<(usize, Column)>, MethodError> {
        let (table, settings) = (self.task.table, self.settings);
        let columns = block
            .iter()
            .map(|&attr_idx| self.numbers(table.column(attr_idx)))
            .collect::<Result<Vec<&[f64]>, _>>()?;
        let complete = self.complete(block, &columns);
        let strata = units.strata(complete.as_deref(), settings.k)?;
        let names: Vec<&str> = block.iter().map(|&idx| table.column(idx).name()).collect();
        let scales = settings.scale.of(&names, &columns, complete.as_deref())?;
        let mut masked: Vec<Vec<f64>> = columns.iter().map(|column| column.to_vec()).collect();
        if settings.k > 1 {
            let groups = strata
                .par_iter()
                .map(|stratum| self.groups_of(stratum, &columns, &scales))
                .collect::<Result<Vec<_>, MethodError>>()?;
            for partition in groups {
                let aggregate = settings.aggregate;
                aggregate.replace(&partition, &columns, &scales, &mut masked);
            }
        }
        let finish = |((&attr_idx, x), z): ((&usize, &&[f64]), Vec<f64>)| {
            self.context.go_on()?;
            let column = table.column(attr_idx);
            if is_constant(x) && !x.is_empty() {
                self.context.note(constant_variable(column.name()));
            }
            let fit = settings.fit;
            let z = fit.to_original(x, z, column.name(), self.context);
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
        let partition = (self.group)(&values, self.settings.k, &mut done)?;
        let n_units = values.columns.first().map_or(0, |column| column.len());
        let is_small = |members: &[u32]| members.len() < self.settings.k;
        if partition.n_members() != n_units || partition.iter().any(is_small) {
            return Err(MethodError::Internal(
                "a unit is in no group, or in one of fewer than k members".to_owned(),
            ));
        }
        Ok(stratum.records_of(partition))
    }

    fn numbers<'c>(&self, column: &'c Column) -> Result<&'c [f64], MethodError> {
        let name = column.name();
        let x = numbers(column, self.settings.missing, self.context)?;
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
            let names = block.iter().map(|&idx| table.column(idx).name());
            let names: Vec<&str> = names.collect();
            self.context
                .note(records_out_of_groups(&names, n - complete.len()));
        }
        Some(complete)
    }
}

/// Records that are in no group because a value of theirs is missing, and kept their values.
fn records_out_of_groups(variables: &[&str], n_records: usize) -> Note {
    let text = format!(
        "{}: {n_records} records have a missing value, are in no group and kept their values",
        variables.join(", ")
    );
    Note::new("records-out-of-groups", text)
        .with("variables", variables)
        .with("n_records", n_records)
}
