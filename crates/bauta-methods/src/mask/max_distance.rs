#![doc = include_str!("max_distance.md")]

pub mod groups;

use crate::card::Card;
use crate::error::MethodError;
use crate::kernel::space::partition::Partition;
use crate::mask::continuous::{OF_NUMBERS, ROUND};
use crate::mask::max_distance::groups::{max_distance, max_distance_with_gaps};
use crate::mask::microaggregation::{
    AGGREGATE, BLOCKS, Blocks, Done, GAPS, Gaps, Grouping, HOUSEHOLDS, K, STANDARDISE, STRATA,
    Scale, Settings, UnitValues,
};
use crate::params::Params;

/// Groups records around the most distant pair, and replaces them by their mean. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct MaxDistance;

static CARD: Card = Card {
    id: "max-distance",
    title: "Microaggregation: maximum distance",
    summary: "replaces records by the mean of groups of at least k near ones, formed around the most distant pairs",
    page: include_str!("max_distance.md"),
    params: &[
        K,
        BLOCKS,
        STANDARDISE,
        AGGREGATE,
        STRATA,
        HOUSEHOLDS,
        ROUND,
        GAPS,
    ],
    references: &["domingo2002", "sebe2002"],
    ..OF_NUMBERS
};

impl Grouping for MaxDistance {
    type Way = ();

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn asked(&self, params: &Params) -> Settings<()> {
        Settings::asked(
            params,
            Blocks::asked(params),
            Scale::asked(params),
            (),
            Gaps::asked(params),
        )
    }

    fn group(
        &self,
        (): &(),
        units: &UnitValues<'_>,
        k: usize,
        done: &mut Done<'_>,
    ) -> Result<Partition, MethodError> {
        if units.has_gaps() {
            return max_distance_with_gaps(&units.gapped_points(), k, done);
        }
        max_distance(&units.points(), k, done)
    }
}
