//! Which variables are grouped together.

use crate::card::{ParamSpec, ParamType};
use crate::params::{ParamProblem, Params};

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

    /// Whether several variables may be grouped together.
    pub(super) const fn are_joint(&self) -> bool {
        match self {
            Self::EachAlone => false,
            Self::AllInOne | Self::Sizes(_) => true,
        }
    }

    /// Sizes that stand for more or fewer variables than there are.
    pub(super) fn problem(&self, n_variables: usize) -> Option<ParamProblem> {
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
    pub(super) fn of(&self, on: &[usize]) -> Vec<Vec<usize>> {
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
