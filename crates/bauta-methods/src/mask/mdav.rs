#![doc = include_str!("mdav.md")]

pub mod groups;

use crate::card::Card;
use crate::error::MethodError;
use crate::kernel::space::partition::Partition;
use crate::mask::continuous::{OF_NUMBERS, ROUND};
use crate::mask::mdav::groups::{mdav, mdav_with_gaps};
use crate::mask::microaggregation::{
    AGGREGATE, BLOCKS, Blocks, Done, GAPS, Gaps, Grouping, HOUSEHOLDS, K, STANDARDISE, STRATA,
    Scale, Settings, UnitValues,
};
use crate::params::Params;

/// Groups near records, from the outside to the centre, and replaces them by their mean. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Mdav;

static CARD: Card = Card {
    id: "mdav",
    title: "Microaggregation: MDAV",
    summary: "replaces records by the mean of groups of at least k near ones, formed from the outside in",
    page: include_str!("mdav.md"),
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
    references: &["domingo2005", "domingo2002"],
    ..OF_NUMBERS
};

impl Grouping for Mdav {
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
            return mdav_with_gaps(&units.gapped_points(), k, done);
        }
        mdav(&units.points(), k, done)
    }
}
