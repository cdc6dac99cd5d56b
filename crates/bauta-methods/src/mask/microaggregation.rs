//! What the microaggregation masks share: parameters, units, blocks of variables, aggregates. Each
//! of them brings only the way in which it makes groups.

mod aggregate;
mod blocks;
mod gaps;
mod pooling;
pub(crate) mod units;

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use bauta_data::{Attribute, Column};
use rayon::prelude::*;

use crate::card::{Card, ConstValue, ParamSpec};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::numbers::complete::taken;
use crate::kernel::numbers::moments::{Moments, finite_moments, is_constant};
use crate::kernel::space::gapped_points::GappedPoints;
use crate::kernel::space::partition::Partition;
use crate::kernel::space::points::Points;
use crate::mask::continuous::Fit;
use crate::mask::strata::strata_param;
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts, constant_variable};
use crate::params::{ParamProblem, Params, RawValue};

pub(crate) use aggregate::AGGREGATE;
use aggregate::Aggregate;
pub(crate) use blocks::{BLOCKS, Blocks};
pub(crate) use gaps::{GAPS, Gaps};
use gaps::{Present, TakingPart, no_medoid, refuse_unmasked};
use pooling::{Pooling, too_few_values};
use units::{Stratum, Units};

/// The minimum size of a group.
pub(crate) const K: ParamSpec =
    ParamSpec::integer("k", "least number of records (or households) in a group", 1);

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
    gaps: Gaps,
}

impl<W> Settings<W> {
    /// What was asked for by the parameters that all microaggregations share, and what is a
    /// method's own.
    pub(crate) fn asked(params: &Params, blocks: Blocks, scale: Scale, way: W, gaps: Gaps) -> Self {
        Self {
            k: params.count(K.name),
            blocks,
            scale,
            way,
            aggregate: params.choice_of(AGGREGATE.name),
            strata: params.texts(STRATA.name).to_vec(),
            households: params.flag(HOUSEHOLDS.name),
            fit: Fit::asked(params),
            gaps,
        }
    }
}

impl<G: Grouping> MaskMethod for G {
    type Settings = Settings<G::Way>;

    fn card(&self) -> &'static Card {
        Grouping::card(self)
    }

    fn settings(&self, params: &Params) -> Result<Self::Settings, Vec<ParamProblem>> {
        let settings = self.asked(params);
        if settings.gaps == Gaps::Available && settings.aggregate == Aggregate::Medoid {
            return Err(vec![no_medoid()]);
        }
        Ok(settings)
    }

    fn check(&self, settings: &Self::Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.blocks.problem(on.len()).into_iter().collect()
    }

    fn facts(&self, settings: &Self::Settings) -> StepFacts {
        let facts = match settings.blocks {
            Blocks::EachAlone => StepFacts::default(),
            Blocks::AllInOne | Blocks::Sizes(_) => StepFacts::JOINTLY,
        };
        facts.nothing_if(settings.k == 1)
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

    /// By variable and group, how many units have a value.
    fn n_known(&self, groups: &Partition) -> Vec<Vec<usize>> {
        let of_column = |column: &Cow<'_, [f64]>| -> Vec<usize> {
            let has_value = |unit: &&u32| !column[**unit as usize].is_nan();
            let n_known = |members: &[u32]| members.iter().filter(has_value).count();
            groups.iter().map(n_known).collect()
        };
        self.columns.iter().map(of_column).collect()
    }

    /// Whether a unit lacks a value.
    pub(crate) fn has_gaps(&self) -> bool {
        let has_gap = |column: &&[f64]| column.iter().any(|x| x.is_nan());
        self.columns().iter().any(has_gap)
    }

    /// The units as points, in the scale of distances. None has a gap.
    pub(crate) fn points(&self) -> Points {
        Points::standardised(&self.columns(), self.scales)
    }

    /// The units as points with gaps, in the scale of distances.
    pub(crate) fn gapped_points(&self) -> GappedPoints {
        GappedPoints::standardised(&self.columns(), self.scales)
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
    if settings.gaps == Gaps::Skip && settings.k > 1 {
        refuse_unmasked(task.table, &blocks)?;
    }
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
    let masked = blocks.par_iter();
    let masked = first_told(masked.map(|block| work.mask_block(block, &units)))?;
    Ok(Change::of_columns(masked.into_iter().flatten().collect()))
}

/// All results, or the first error in their order, whichever thread came to its end first.
fn first_told<T: Send>(
    results: impl IndexedParallelIterator<Item = Result<T, MethodError>>,
) -> Result<Vec<T>, MethodError> {
    let results: Vec<Result<T, MethodError>> = results.collect();
    results.into_iter().collect()
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
        let taking_part = TakingPart::of(table, block, &columns, settings.gaps, self.context);
        let records = taking_part.records.as_deref();
        let strata = units.strata(records, settings.k)?;
        let names: Vec<&str> = block.iter().map(|&idx| table.column(idx).name()).collect();
        let scales = settings.scale.of(&names, &columns, records)?;
        let mut masked: Vec<Vec<f64>> = columns.iter().map(|column| column.to_vec()).collect();
        if settings.k > 1 {
            let groups = strata
                .par_iter()
                .map(|stratum| self.groups_of(stratum, &columns, &scales, &taking_part));
            let groups = first_told(groups)?;
            self.replace(&groups, &names, &columns, &scales, &mut masked)?;
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

    /// Puts the aggregate of its group in place of each value.
    fn replace(
        &self,
        groups: &[Grouped],
        names: &[&str],
        columns: &[&[f64]],
        scales: &[Moments],
        masked: &mut [Vec<f64>],
    ) -> Result<(), MethodError> {
        let (k, aggregate) = (self.settings.k, self.settings.aggregate);
        let with_gaps = |grouped: &&Grouped| !grouped.n_known.is_empty();
        let n_few: Vec<usize> = (0..names.len())
            .map(|j| {
                let has_few = |grouped: &&Grouped| {
                    let n_known: usize = grouped.n_known[j].iter().sum();
                    n_known > 0 && n_known < k
                };
                groups.iter().filter(with_gaps).filter(has_few).count()
            })
            .collect();
        if n_few.iter().any(|&n_strata| n_strata > 0) {
            return Err(too_few_values(names, &n_few, k, self.settings.households));
        }
        let mut n_pooled = vec![0; names.len()];
        for grouped in groups {
            if grouped.n_known.is_empty() {
                aggregate.replace(&grouped.records, columns, scales, masked);
                continue;
            }
            for (j, (column, masked)) in columns.iter().zip(masked.iter_mut()).enumerate() {
                let pooling = Pooling::of(&grouped.records, column, &grouped.n_known[j], k);
                n_pooled[j] += pooling.n_pooled;
                aggregate.replace_known(&pooling.pools, column, masked);
            }
        }
        let pooled = names.iter().zip(n_pooled).filter(|(_, n)| *n > 0);
        for (name, n_cells) in pooled {
            self.context.note(pooling::values_pooled(name, n_cells));
        }
        Ok(())
    }

    /// The groups of one stratum.
    fn groups_of(
        &self,
        stratum: &Stratum,
        columns: &[&[f64]],
        scales: &[Moments],
        taking_part: &TakingPart,
    ) -> Result<Grouped, MethodError> {
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
        let n_known = match taking_part.values {
            Present::All => Vec::new(),
            Present::Some => values.n_known(&partition),
        };
        Ok(Grouped {
            records: stratum.records_of(partition),
            n_known,
        })
    }

    fn numbers<'c>(&self, column: &'c Column) -> Result<&'c [f64], MethodError> {
        let name = column.name();
        let gaps = self.settings.gaps;
        if gaps == Gaps::Refuse && column.n_missing() > 0 && self.settings.blocks.are_joint() {
            return Err(gaps::refused(name, column.n_missing()));
        }
        let x = gaps.numbers_of(column, self.context)?;
        if x.par_iter().with_min_len(REPORT).any(|x| x.abs() > LARGEST) {
            return Err(MethodError::data(
                name,
                "its values are too large for squared distances",
                "state the variable in a larger unit",
            ));
        }
        Ok(x)
    }
}

/// The groups of a stratum.
struct Grouped {
    /// As groups of records.
    records: Partition,
    /// By variable and group, how many units have a value; empty where no record has a gap.
    n_known: Vec<Vec<usize>>,
}
