//! Masks: what changes the file.

use bauta_data::{Attribute, Column, Kind, Table};

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::Evidence;
use crate::keys::Semantics;
use crate::pair::Rows;
use crate::params::{ParamProblem, Params, RawValue};

pub mod continuous;
pub mod drop_identifiers;
pub mod flip_rare;
pub mod individual_ranking;
pub mod jpeg;
pub mod max_distance;
pub mod mdav;
pub(crate) mod microaggregation;
pub mod noise_additive;
pub mod noise_correlated;
pub mod noise_mixture;
pub mod noise_multiplicative;
pub mod noise_swap;
pub mod projection;
pub mod rank_swap;
pub mod recode;
pub mod recode_rare;
pub mod resample;
pub mod round;
pub mod sample;
pub mod scale_back;
pub(crate) mod strata;
pub mod suppress_local;
pub mod suppress_records;
pub mod synth_normal;
pub mod top_bottom;

/// What a mask is to work on.
#[derive(Clone, Copy, Debug)]
pub struct MaskTask<'a> {
    /// The file as it is now.
    pub table: &'a Table,
    /// Positions of the variables to mask.
    pub on: &'a [usize],
    /// Checked parameters.
    pub params: &'a Params,
}

/// What a step does to a file. What is not named here stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// Columns that take the place of those at the given positions.
    pub columns: Vec<(usize, Column)>,
    /// Positions of columns that are removed.
    pub dropped: Vec<usize>,
    /// The records that stay, in order; `None` keeps all.
    pub kept: Option<Vec<u32>>,
    /// Whether the records that stay can still be traced to those that were there.
    pub rows: Rows,
    /// What the step shows for itself; boxed, since most steps show nothing.
    pub evidence: Option<Box<Evidence>>,
}

impl Change {
    /// Replaces columns and nothing else.
    pub fn of_columns(columns: Vec<(usize, Column)>) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }

    /// The table after the change.
    pub fn apply_to(self, table: &Table) -> Table {
        let mut changed = table.clone();
        for (attr_idx, column) in self.columns {
            changed = changed.with_column(attr_idx, column);
        }
        if let Some(kept) = self.kept {
            changed = changed.take(&kept);
        }
        changed.without_columns(&self.dropped)
    }
}

/// What a mask promises of the file that it leaves: every record shares its key (the step's
/// variables) with at least k - 1 others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyClaim {
    /// Smallest class.
    pub k: u32,
    /// How missing key values count.
    pub semantics: Semantics,
}

/// How the variables of one step bear on each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Together {
    /// Not at all: each is masked as if it stood alone.
    Apart,
    /// A variable's masked values depend on which others are masked with it, but not on the order
    /// in which the plan names them.
    Jointly,
}

/// A method that changes the file. It does not measure.
pub trait Mask: Sync {
    /// What it says of itself.
    fn card(&self) -> &'static Card;

    /// Problems that only the parameters together, or the variables' descriptions, can show.
    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let _ = (params, on);
        Vec::new()
    }

    /// What kind a masked variable is of afterwards; none if it is no longer there. Lets a plan be
    /// checked to the end before any data are read.
    fn kind_after(&self, kind: Kind, params: &Params) -> Option<Kind> {
        let _ = params;
        Some(kind)
    }

    /// How the variables of one step bear on each other.
    fn together(&self, params: &Params) -> Together {
        let _ = params;
        Together::Apart
    }

    /// What it promises of the keys it works on; a run counts again before it says so.
    fn claims(&self, params: &Params) -> Option<KeyClaim> {
        let _ = params;
        None
    }

    /// Whether it also changes the sampling weight, though nobody names it: a choice of records
    /// stands for all of them only with other weights.
    fn reweights(&self, params: &Params) -> bool {
        let _ = params;
        false
    }

    /// Whether masked records can be traced to original ones. What it returns says the same; this
    /// lets a plan be checked before any data are read.
    fn rows_after(&self) -> Rows {
        Rows::Correspond
    }

    /// Does it.
    fn mask(&self, task: &MaskTask<'_>, context: &RunContext<'_>) -> Result<Change, MethodError>;

    /// Parameters that show it at work, for documentation and conformance tests.
    fn example(&self) -> Vec<(&'static str, RawValue)>;

    /// Parameters at which it changes nothing, if there are such.
    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>>;
}
