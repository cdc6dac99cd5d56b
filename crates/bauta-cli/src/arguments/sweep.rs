//! What `bauta sweep` accepts.

use std::path::PathBuf;

use clap::{Args, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct SweepArguments {
    /// Plan with `{ sweep = [v1, v2] }` in place of values
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) plan: PathBuf,
    /// Figures of the map, one of risk and one of loss, such as `dld,il1s` or `k-anonymity:below_3,il1s` (default:
    /// the first of each that the plan judges or measures)
    #[arg(long, value_name = "RISK,LOSS")]
    pub(crate) map: Option<String>,
    /// Risk that is tolerated, as a line in the map (default: the bound of a gate on its figure)
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) max_risk: Option<f64>,
    /// Variant to mark in the map as the chosen one
    #[arg(long, value_name = "VARIANT")]
    pub(crate) chosen: Option<String>,
    /// Why it was chosen, for the page
    #[arg(long, value_name = "TEXT", requires = "chosen")]
    pub(crate) why: Option<String>,
    /// Say how large the grid is, check every variant, and run none
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Seed of the random draws of every variant; goes before the plan's
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Folder for records, table, page and map (default: the plan's name with .sweep, beside it)
    #[arg(short, long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub(crate) output: Option<PathBuf>,
}
