//! What `bauta optimize` accepts.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::{FileOptions, parse_setting};

#[derive(Debug, Args)]
pub(crate) struct OptimizeArguments {
    /// Original file
    #[arg(value_name = "ORIGINAL", value_hint = ValueHint::FilePath)]
    pub(crate) original: PathBuf,
    /// Masked file
    #[arg(value_name = "MASKED", value_hint = ValueHint::FilePath)]
    pub(crate) masked: PathBuf,
    /// Improved file to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: PathBuf,
    /// Variables to improve (default: all that hold numbers in both files)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) on: Option<Vec<String>>,
    /// IL1 that is aimed at, as a multiple of that of the masked file (default 0.5)
    #[arg(short, value_name = "NUMBER")]
    pub(crate) p: Option<f64>,
    /// Share of the records that may change (default 0.3)
    #[arg(short = 'r', long = "records", value_name = "SHARE")]
    pub(crate) q: Option<f64>,
    /// Distance E below which the search ends
    #[arg(long, value_name = "NUMBER")]
    pub(crate) target: Option<f64>,
    /// Seed of the random draws (default: derived from the bytes of the original)
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Any other parameter of `post-mask` as a plan would give it, such as `--set proposals=gradient`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Variables whose values tell which records belong together (default: the same row)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) id: Vec<String>,
    /// Pair records by row even if the files show that rows do not correspond
    #[arg(long, conflicts_with = "id")]
    pub(crate) by_row: bool,
    #[command(flatten)]
    pub(crate) reading: FileOptions,
}
