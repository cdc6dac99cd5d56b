//! What `bauta tune` accepts.

use std::path::PathBuf;

use bauta_plan::tune::{Strategy, USUAL_RUNS, USUAL_SEEDS};
use clap::{Args, ValueEnum, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct TuneArguments {
    /// Plan with conditions on risk; with `{ sweep = [v1, v2] }` in place of values if these are to be searched
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) plan: PathBuf,
    /// Figures that variants are compared by, one of risk and one of loss, such as `dld,il` (default: the first of each
    /// that the plan judges or measures)
    #[arg(long, value_name = "RISK,LOSS")]
    pub(crate) map: Option<String>,
    /// Risk that is tolerated, beside what the gates say
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) max_risk: Option<f64>,
    /// What to search: levels of key hierarchies, masks of numbers, or first the one and then the other
    #[arg(long, value_enum, default_value_t = Searched::Both)]
    pub(crate) strategy: Searched,
    /// Runs that the search may take, on samples and in full; fresh seeds come on top
    #[arg(long, value_name = "N", default_value_t = USUAL_RUNS)]
    pub(crate) runs: usize,
    /// Seconds after which no further variant is begun; such a search cannot be repeated
    #[arg(long, value_name = "SECONDS")]
    pub(crate) seconds: Option<f64>,
    /// Fresh seeds that the choice and the front are judged again on
    #[arg(long, value_name = "N", default_value_t = USUAL_SEEDS)]
    pub(crate) again: usize,
    /// Share of the fresh seeds on which a condition may fail
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub(crate) may_fail: f64,
    /// Share of the records that may still stand out after recoding keys (default: 0.05, or as many as in the plan itself)
    #[arg(long, value_name = "SHARE")]
    pub(crate) suppress: Option<f64>,
    /// Seed of the random draws of the search; goes before the plan's
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// The chosen plan (default: the plan's name with .tuned.toml, beside it)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    /// Folder for records, table, page and map (default: the plan's name with .tune, beside it)
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) records: Option<PathBuf>,
}

/// What is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Searched {
    /// Levels of key hierarchies
    Lattice,
    /// Masks of numbers, or the plan's axes
    Halving,
    /// Levels first, then masks
    Both,
}

impl From<Searched> for Strategy {
    fn from(searched: Searched) -> Self {
        match searched {
            Searched::Lattice => Self::Lattice,
            Searched::Halving => Self::Halving,
            Searched::Both => Self::Both,
        }
    }
}
