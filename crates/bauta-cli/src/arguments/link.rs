//! What `bauta link` accepts.

use std::path::PathBuf;

use bauta_plan::work::KeyHierarchy;
use clap::{Args, ValueHint};

use super::keys::parse_hierarchy;
use super::{FileOptions, parse_setting};

#[derive(Debug, Args)]
pub(crate) struct LinkArguments {
    /// Original file; with --register an outside register, with --original the first of two releases
    #[arg(value_name = "ORIGINAL", value_hint = ValueHint::FilePath)]
    pub(crate) original: PathBuf,
    /// Masked file; with --original the second release
    #[arg(value_name = "MASKED", value_hint = ValueHint::FilePath)]
    pub(crate) masked: PathBuf,
    /// Variables to link by (default: all that both files have)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) on: Option<Vec<String>>,
    /// Those of them that hold categories although they are written as numbers
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) categories: Vec<String>,
    /// Categories that have an order
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) ordered: Vec<String>,
    /// How categories become coarser: `zip=prefix`, `age=intervals:18,25,65` or `age=levels.csv`; may be
    /// repeated
    #[arg(long, value_name = "NAME=FORM", value_parser = parse_hierarchy)]
    pub(crate) hierarchy: Vec<KeyHierarchy>,
    /// Variables whose values tell which records belong together (default: the same row)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) id: Vec<String>,
    /// Pair records by row even if the files show that rows do not correspond
    #[arg(long, conflicts_with = "id")]
    pub(crate) by_row: bool,
    /// The first file is a register from outside: nobody knows which records belong together
    #[arg(long, conflicts_with_all = ["id", "by_row"])]
    pub(crate) register: bool,
    /// Both files are releases of this one: say what the second adds to the first
    #[arg(long = "original", value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "register")]
    pub(crate) source: Option<PathBuf>,
    /// How numbers are compared: d by their difference, l by that of their logarithms (default: by their size)
    #[arg(long, value_name = "NAME", value_parser = ["d", "l"])]
    pub(crate) metric: Option<String>,
    /// Relative deviation at which agreement ends (default 0.2)
    #[arg(long, value_name = "NUMBER")]
    pub(crate) tolerance: Option<f64>,
    /// Where weights come from: equal, em, given, refined or truth (default: equal; with --register em)
    #[arg(long, value_name = "NAME", value_parser = ["equal", "em", "given", "refined", "truth"])]
    pub(crate) parameters: Option<String>,
    /// How links are chosen: dense, sparse, greedy or automatic
    #[arg(long, value_name = "NAME", value_parser = ["automatic", "dense", "sparse", "greedy"])]
    pub(crate) assignment: Option<String>,
    /// Candidates of each record, where not all pairs are looked at (default 50)
    #[arg(long, value_name = "N")]
    pub(crate) candidates: Option<u32>,
    /// Any other parameter of `pld` as a plan would give it, such as `--set compare=name=jaro-winkler` or
    /// `--set block=region`; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Write the links, by falling weight, to this file: row numbers and weights. Confidential
    #[arg(short, long = "output", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: FileOptions,
}
