//! Arguments of the commands that look at the keys of one file.

use std::path::PathBuf;

use bauta_data::HierarchySpec;
use bauta_data::date::iso_days;
use bauta_data::hierarchy::{DateLevels, DateUnit, DateUnits};
use bauta_methods::keys::Semantics;
use bauta_plan::work::{HierarchyForm, KeyHierarchy};
use clap::{Args, ValueHint};

use super::{FileOptions, parse_semantics};

#[derive(Debug, Args)]
pub(crate) struct RiskArguments {
    /// File (default: the one that --plan protects)
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: Option<PathBuf>,
    /// Variables that an intruder knows (default: those of every scenario of --plan or --record)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) keys: Vec<String>,
    /// Plan that says what the variables are: keys by scenario, weight, household, confidential variables,
    /// hierarchies, labels, and how files are read; what is said here goes before it
    #[arg(long, value_name = "PLAN", value_hint = ValueHint::FilePath)]
    pub(crate) plan: Option<PathBuf>,
    /// Record of a run, whose plan says the same
    #[arg(long, value_name = "RECORD", value_hint = ValueHint::FilePath, conflicts_with = "plan")]
    pub(crate) record: Option<PathBuf>,
    /// Only this scenario of the plan
    #[arg(long, value_name = "NAME", conflicts_with = "keys")]
    pub(crate) scenario: Option<String>,
    /// Sampling weight
    #[arg(long, value_name = "NAME")]
    pub(crate) weight: Option<String>,
    /// Household id
    #[arg(long, value_name = "NAME")]
    pub(crate) household: Option<String>,
    /// Confidential variables: how different they are among records with the same key
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) sensitive: Vec<String>,
    /// How a key generalises, to see what each level would leave: zip=prefix, zip=prefix:4,2,
    /// age=intervals:18,25,65 (levels by /), age=levels.csv; may be repeated
    #[arg(long, value_name = "NAME=FORM", value_parser = parse_hierarchy)]
    pub(crate) hierarchy: Vec<KeyHierarchy>,
    /// How a missing key counts: own, visible, original or wild
    #[arg(long, default_value = "visible", value_parser = parse_semantics, value_name = "NAME")]
    pub(crate) semantics: Semantics,
    /// Class sizes to report violations for; contributions are to the records below 3, or below
    /// the first size if 3 is not among them
    #[arg(long, value_delimiter = ',', default_value = "2,3,5", value_name = "SIZES", value_parser = clap::value_parser!(i64).range(2..))]
    pub(crate) k: Vec<i64>,
    /// Risk above which a record counts as at risk
    #[arg(long, default_value = "0.1", value_name = "SHARE")]
    pub(crate) threshold: f64,
    /// Accepted rate of re-identifications; gives the risk that no record may exceed
    #[arg(long, value_name = "SHARE")]
    pub(crate) rate: Option<f64>,
    /// Riskiest keys to point at, by row number
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub(crate) riskiest: u16,
    /// Write one row per record: row, f, F, risk
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) per_record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reading: FileOptions,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainRecordArguments {
    /// File
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// Variables that an intruder knows
    #[arg(long, required = true, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) keys: Vec<String>,
    /// The record: 1 is the first row below the header
    #[arg(long, value_name = "N")]
    pub(crate) row: u64,
    /// Sampling weight
    #[arg(long, value_name = "NAME")]
    pub(crate) weight: Option<String>,
    /// How a missing key counts: own, visible, original or wild
    #[arg(long, default_value = "visible", value_parser = parse_semantics, value_name = "NAME")]
    pub(crate) semantics: Semantics,
    /// Sets of keys that fewer than so many records share; 2 means alone
    #[arg(long, default_value_t = 2, value_name = "SIZE", value_parser = clap::value_parser!(u32).range(2..))]
    pub(crate) k: u32,
    #[command(flatten)]
    pub(crate) reading: FileOptions,
}

pub(super) fn parse_hierarchy(text: &str) -> Result<KeyHierarchy, String> {
    let forms = "a key, = and prefix, prefix:4,2, intervals:18,25,65, dates, dates:month,year, ages:2026-01-01 or a \
                 file of levels";
    let wrong = || forms.to_owned();
    let dates = |by| HierarchySpec::Dates(DateLevels { by, format: None });
    let (variable, form) = text
        .split_once('=')
        .filter(|(variable, form)| !variable.is_empty() && !form.is_empty())
        .ok_or(forms)?;
    let form = match form.split_once(':') {
        None if form == "prefix" => HierarchyForm::Ready(HierarchySpec::Prefix { keep: None }),
        Some(("prefix", kept)) => HierarchyForm::Ready(HierarchySpec::Prefix {
            keep: Some(numbers(kept)?),
        }),
        None if form == "dates" => {
            HierarchyForm::Ready(dates(DateUnits::Calendar(DateUnit::USUAL.to_vec())))
        }
        Some(("dates", units)) => {
            let units = units.split(',').map(DateUnit::parse).collect::<Option<_>>();
            HierarchyForm::Ready(dates(DateUnits::Calendar(units.ok_or_else(wrong)?)))
        }
        Some(("ages", day)) => HierarchyForm::Ready(dates(DateUnits::Ages {
            at: iso_days(day).ok_or_else(wrong)?,
            widths: DateUnits::USUAL_AGES.to_vec(),
        })),
        Some(("intervals", levels)) => HierarchyForm::Ready(HierarchySpec::Intervals {
            breaks: levels.split('/').map(numbers).collect::<Result<_, _>>()?,
        }),
        _ => HierarchyForm::File(PathBuf::from(form)),
    };
    Ok(KeyHierarchy {
        variable: variable.to_owned(),
        form,
    })
}

fn numbers<T: std::str::FromStr>(text: &str) -> Result<Vec<T>, String> {
    let parsed = text.split(',').map(|number| number.trim().parse());
    parsed
        .collect::<Result<_, _>>()
        .map_err(|_| "numbers by commas are wanted after the colon".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hierarchies_are_prefixes_intervals_or_files() {
        let form = |text: &str| parse_hierarchy(text).unwrap().form;
        assert_eq!(
            form("zip=prefix:4,2"),
            HierarchyForm::Ready(HierarchySpec::Prefix {
                keep: Some(vec![4, 2])
            })
        );
        assert_eq!(
            form("age=intervals:18,25.5,65/18,65"),
            HierarchyForm::Ready(HierarchySpec::Intervals {
                breaks: vec![vec![18.0, 25.5, 65.0], vec![18.0, 65.0]]
            })
        );
        assert_eq!(
            form("age=a/b.csv"),
            HierarchyForm::File(PathBuf::from("a/b.csv"))
        );
        for wrong in ["age", "=prefix", "age=", "age=prefix:x", "age=intervals:"] {
            assert!(parse_hierarchy(wrong).is_err(), "{wrong}");
        }
    }
}
