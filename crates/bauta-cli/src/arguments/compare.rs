//! What `bauta compare` accepts.

use std::path::PathBuf;

use bauta_data::Condition;
use bauta_methods::keys::Semantics;
use bauta_plan::work::KeyHierarchy;
use clap::{Args, ValueHint};

use super::keys::parse_hierarchy;
use super::{FileOptions, parse_condition, parse_semantics, parse_setting, parse_share};

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Original file; or, alone, the record of a run (*.record.json), which names both files and pairs
    /// their records for certain, shuffled or not
    #[arg(value_name = "ORIGINAL", value_hint = ValueHint::FilePath, required_unless_present_any = ["plan", "record"])]
    pub(crate) original: Option<PathBuf>,
    /// Masked file
    #[arg(value_name = "MASKED", value_hint = ValueHint::FilePath)]
    pub(crate) masked: Option<PathBuf>,
    /// Plan that says what the variables are: numbers, keys by scenario, sensitive answers, weight, hierarchies,
    /// labels, and how files are read; what is said here goes before it. Without files, its own are compared
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub(crate) plan: Option<PathBuf>,
    /// Record of a run, whose plan says the same. Without files, those of the run are compared
    #[arg(long, value_name = "RECORD", value_hint = ValueHint::FilePath, conflicts_with = "plan")]
    pub(crate) record: Option<PathBuf>,
    /// Variables to compare (default: all numeric ones that both files have)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) on: Option<Vec<String>>,
    /// Variables that an intruder knows; adds the risk of keys, before and after
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) keys: Vec<String>,
    /// Show each variable
    #[arg(long)]
    pub(crate) by_variable: bool,
    /// Keys whose values have an order; the others are taken for unordered
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) ordered: Vec<String>,
    /// How the values of a key become coarser: `zip=prefix`, `zip=prefix:4,2`,
    /// `age=intervals:18,25,65` or `age=levels.csv`; may be repeated
    #[arg(long, value_name = "NAME=FORM", value_parser = parse_hierarchy)]
    pub(crate) hierarchy: Vec<KeyHierarchy>,
    /// Sensitive answers, for l-diversity and t-closeness
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) sensitive: Vec<String>,
    /// Sampling weight
    #[arg(long, value_name = "NAME")]
    pub(crate) weight: Option<String>,
    /// Variables by whose values records are paired (default: by row, unless the files show that rows do not
    /// correspond)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) id: Vec<String>,
    /// Pair records by row even if the files show that rows do not correspond
    #[arg(long, conflicts_with = "id")]
    pub(crate) by_row: bool,
    /// How a missing key counts: own, visible, original or wild
    #[arg(long, default_value = "visible", value_parser = parse_semantics, value_name = "NAME")]
    pub(crate) semantics: Semantics,
    /// Leave missing values out instead of refusing them
    #[arg(long)]
    pub(crate) skip_missing: bool,
    /// Show outliers apart from the rest: the share of records farthest from the mean record
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub(crate) outliers: Option<f64>,
    /// Compare only records whose original satisfies a condition, such as 'AGI > 50000'
    #[arg(long = "where", value_name = "CONDITION", value_parser = parse_condition)]
    pub(crate) condition: Option<Condition>,
    /// Which original record a masked one is compared with: own or nearest (default: as each
    /// measure's page says)
    #[arg(long, value_name = "NAME", value_parser = ["own", "nearest"])]
    pub(crate) correspondence: Option<String>,
    /// Estimate linkage on so many masked records drawn at random, with a standard error
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) sample: Option<u32>,
    /// Parameter of the measures that know it, as a plan would give it, such as
    /// `--set links=all` or `--set correction=noise --set level=0.1`; may be repeated. Models are taken
    /// with `--set response=VARIABLE`, explained by the keys, the sensitive answers and the numbers; a
    /// setting that no measure uses is an error
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Seed of random draws
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) reading: FileOptions,
}
