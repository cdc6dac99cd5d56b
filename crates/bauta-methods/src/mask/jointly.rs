//! Variables that are masked together, and noise that goes together as they do.

use std::ops::Range;

use bauta_data::{Column, Table};

use crate::by_record::ColumnNumbers;
use crate::card::ParamSpec;
use crate::context::{Draws, RunContext};
use crate::error::MethodError;
use crate::kernel::matrix::symmetric::Root;
use crate::kernel::numbers::streamed::Streamed;
use crate::mask::by_record::{Rows, masked_by_record, values_by_record};
use crate::mask::continuous::{Fit, varying};
use crate::mask::{Change, MaskTask};
use crate::missing::Missing;
use crate::models::coloured::{Spread, colour};
use crate::params::Params;

/// A variable that varies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointVariable<'a> {
    /// Its position in the file.
    pub(crate) attr_idx: usize,
    /// The variable.
    pub(crate) column: &'a Column,
    /// Its values; NaN where missing.
    pub(crate) x: ColumnNumbers<'a>,
}

impl<'a> JointVariable<'a> {
    /// A variable by itself.
    pub(crate) fn alone(column: &'a Column, x: ColumnNumbers<'a>) -> Self {
        Self {
            attr_idx: 0,
            column,
            x,
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'a str {
        self.column.name()
    }
}

/// The variables of a task that vary, in the order of the file, so that the order in which a plan
/// names them does not matter. The others are noted; missing values are an error or a note, as was
/// asked for.
pub(crate) fn joint_variables<'a>(
    task: &MaskTask<'a>,
    missing: Missing,
    context: &RunContext<'_>,
) -> Result<Vec<JointVariable<'a>>, MethodError> {
    let mut on = task.on.to_vec();
    on.sort_unstable();
    on.dedup();
    let mut variables = Vec::with_capacity(on.len());
    for attr_idx in on {
        let column = task.table.column(attr_idx);
        if let Some(x) = varying(column, missing, context)? {
            variables.push(JointVariable {
                attr_idx,
                column,
                x,
            });
        }
    }
    Ok(variables)
}

/// The change that gives variables their masked values.
pub(crate) fn with_values(
    variables: &[JointVariable<'_>],
    z: impl IntoIterator<Item = Vec<f64>>,
) -> Change {
    let columns = variables.iter().zip(z);
    let columns = columns.map(|(variable, z)| (variable.attr_idx, variable.column.with_numbers(z)));
    Change::of_columns(columns.collect())
}

/// The spread of variables that are masked together; those that depend on others are noted.
pub(crate) fn spread_of(
    variables: &[JointVariable<'_>],
    context: &RunContext<'_>,
) -> Result<Spread, MethodError> {
    let names: Vec<&str> = variables.iter().map(JointVariable::name).collect();
    let x = variables
        .iter()
        .map(|variable| &variable.x as &dyn Streamed);
    Spread::of(&names, &x.collect::<Vec<_>>(), context)
}

/// The draws of each variable.
pub(crate) fn draws_of(variables: &[JointVariable<'_>], context: &RunContext<'_>) -> Vec<Draws> {
    let names = variables.iter().map(JointVariable::name);
    names.map(|name| context.draws(name)).collect()
}

/// How much noise: shared by the masks whose noise has the covariance of the data.
pub(crate) const LEVEL: ParamSpec = ParamSpec::number(
    "level",
    "covariance of the noise, as a multiple of that of the data",
    0.0,
);

/// Noise with the covariance of the data, and what becomes of the values then.
#[derive(Clone, Copy, Debug)]
pub struct JointNoise {
    /// d: covariance of the noise in that of the data.
    pub(crate) level: f64,
    pub(crate) fit: Fit,
    pub(crate) missing: Missing,
}

/// Fills one variable's w of some records from their draws: mean 0, variance 1.
pub(crate) type White<'a> = &'a (dyn Fn(&Draws, &Table, Range<usize>, &mut [f64]) + Sync);

impl JointNoise {
    /// What was asked for by [`LEVEL`] and the parameters that all masks of numbers share.
    pub(crate) fn asked(params: &Params) -> Self {
        Self {
            level: params.number(LEVEL.name),
            fit: Fit::asked(params),
            missing: Missing::asked(params),
        }
    }

    /// z = x + √d R w for each variable, rounded and clamped as was asked for.
    pub(crate) fn added_to(
        &self,
        variables: &[JointVariable<'_>],
        table: &Table,
        context: &RunContext<'_>,
        white: White<'_>,
    ) -> Result<Change, MethodError> {
        let noise = self.of(variables, context)?;
        masked_by_record(table, variables, self.fit, context, &|rows, x, z| {
            noise.added(rows, white, x, z)
        })
    }

    /// The same as values in memory.
    pub(crate) fn values_with(
        &self,
        variables: &[JointVariable<'_>],
        table: &Table,
        context: &RunContext<'_>,
        white: White<'_>,
    ) -> Result<Vec<Vec<f64>>, MethodError> {
        let noise = self.of(variables, context)?;
        values_by_record(table, variables, self.fit, context, &|rows, x, z| {
            noise.added(rows, white, x, z)
        })
    }

    fn of<'v>(
        &self,
        variables: &'v [JointVariable<'v>],
        context: &RunContext<'_>,
    ) -> Result<NoiseOf<'v>, MethodError> {
        let root = spread_of(variables, context)?.root;
        context.go_on()?;
        Ok(NoiseOf {
            variables,
            root,
            draws: draws_of(variables, context),
            d_root: self.level.sqrt(),
        })
    }
}

/// What noise is added to some variables.
struct NoiseOf<'v> {
    variables: &'v [JointVariable<'v>],
    root: Root,
    draws: Vec<Draws>,
    d_root: f64,
}

impl NoiseOf<'_> {
    /// Adds it in the records of a block.
    fn added(
        &self,
        rows: &Rows<'_>,
        white: White<'_>,
        x: &[&[f64]],
        z: &mut [&mut [f64]],
    ) -> Result<(), MethodError> {
        for (j, w) in z.iter_mut().enumerate() {
            // A dependent variable has no noise of its own: its column of R is 0.
            if !self.root.dependent.contains(&j) {
                white(&self.draws[j], rows.table, rows.records.clone(), w);
            }
        }
        colour(&self.root, z);
        for ((z, x), variable) in z.iter_mut().zip(x).zip(self.variables) {
            for (z, x) in z.iter_mut().zip(*x) {
                *z = x + self.d_root * *z;
            }
            check_finite(variable.name(), z, LEVEL.name)?;
        }
        Ok(())
    }
}

/// Masked values of each variable, rounded and clamped by its own.
pub(crate) fn fitted(
    variables: &[JointVariable<'_>],
    z: Vec<Vec<f64>>,
    fit: Fit,
    context: &RunContext<'_>,
) -> Vec<Vec<f64>> {
    let fitted = |(variable, z): (&JointVariable<'_>, _)| {
        fit.to_original(variable.x.whole(), z, variable.name(), context)
    };
    variables.iter().zip(z).map(fitted).collect()
}

/// An error if a masked value is infinite.
pub(crate) fn check_finite(name: &str, z: &[f64], param: &str) -> Result<(), MethodError> {
    if z.iter().any(|value| value.is_infinite()) {
        return Err(MethodError::data(
            name,
            "the noise takes some values out of the numbers of the machine",
            format!("choose a smaller {param}"),
        ));
    }
    Ok(())
}
