#![doc = include_str!("individual_ranking.md")]

pub mod groups;

use crate::card::{Card, ParamSpec, Scaling};
use crate::error::MethodError;
use crate::kernel::numbers::ranks::rows_by_value;
use crate::kernel::space::partition::Partition;
use crate::mask::continuous::{OF_NUMBERS, ROUND};
use crate::mask::individual_ranking::groups::optimal_groups;
use crate::mask::microaggregation::{
    AGGREGATE, Blocks, Done, Grouping, HOUSEHOLDS, K, STRATA, Scale, Settings, UnitValues,
};
use crate::missing::{MISSING, Missing};
use crate::params::{Params, choices};

/// Groups neighbours in rank, variable by variable, and replaces them by their mean. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct IndividualRanking;

choices! {
    /// How neighbours are put into groups.
    pub enum Groups {
        Fixed = "fixed": "k each, and the last group takes the rest",
        Optimal = "optimal": "k to 2k - 1 each, with the least loss",
    }
}

const GROUPS: ParamSpec =
    ParamSpec::choice::<Groups>("groups", "how neighbours are put into groups").or_word("fixed");

static CARD: Card = Card {
    id: "individual-ranking",
    title: "Microaggregation: individual ranking",
    summary: "replaces each value by the mean of at least k neighbours in rank, variable by variable",
    page: include_str!("individual_ranking.md"),
    params: &[K, GROUPS, AGGREGATE, STRATA, HOUSEHOLDS, ROUND, MISSING],
    scaling: Scaling::Rank,
    references: &["domingo2002", "hansen2003"],
    ..OF_NUMBERS
};

impl Grouping for IndividualRanking {
    type Way = Groups;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn asked(&self, params: &Params) -> Settings<Groups> {
        let groups = params.choice_of(GROUPS.name);
        let gaps = Missing::asked(params).into();
        Settings::asked(params, Blocks::EachAlone, Scale::AsIs, groups, gaps)
    }

    fn group(
        &self,
        groups: &Groups,
        units: &UnitValues<'_>,
        k: usize,
        _: &mut Done<'_>,
    ) -> Result<Partition, MethodError> {
        let values = units.columns()[0];
        Ok(match groups {
            Groups::Fixed => Partition::consecutive(rows_by_value(values), k),
            Groups::Optimal => optimal_groups(values, k),
        })
    }
}
