//! Yancey, Winkler and Creecy (2002): information loss and re-identification of CENSUS (Tables 1-3),
//! and of a generated income file in the form of the paper's confidential one (Tables 4-9).

use bauta_data::{Table, Watch};
use bauta_methods::{MethodError, RawValue};

use crate::pace::Pace;
use crate::trial::Method;
use crate::{Paper, Reproduction, Request};

pub(crate) use income_file::PAPER_RECORDS;

mod arithmetic;
mod census_linkage;
mod income_file;
mod income_tables;
mod linkage;
mod published;
mod sentences;
mod table_1;

/// Columns of the tables of losses and the measures behind them.
const MEASURES: [(&str, &str); 9] = [
    ("IL1", "il1-symmetric"),
    ("IL1s", "il1s"),
    ("IL2", "il2"),
    ("IL3", "il3"),
    ("IL4", "il4"),
    ("IL5", "il5"),
    ("s0", "s0"),
    ("s1", "s1"),
    ("s2", "s2"),
];

/// All tables, those of CENSUS first.
pub(super) fn tables(
    census: &Table,
    request: &Request,
    watch: &dyn Watch,
) -> Result<Reproduction, MethodError> {
    let pieces = table_1::pieces(request.n_seeds)
        + census_linkage::pieces(request.n_seeds)
        + income_tables::pieces(request.records);
    let pace = Pace::new(watch, pieces);
    let (mut text, first) = table_1::table_1(census, request.n_seeds, &pace)?;
    let (of_linkage, second_and_third) =
        census_linkage::tables_2_and_3(census, request.n_seeds, &pace)?;
    let (of_incomes, others) = income_tables::tables_4_to_9(request.records, request.seed, &pace)?;
    text += &of_linkage;
    text += &of_incomes;
    let mut summary = vec![first];
    summary.extend(second_and_third);
    summary.extend(others);
    Ok(Reproduction {
        paper: Paper::Yancey2002,
        summary,
        body: text,
        pictures: Vec::new(),
    })
}

/// A row's family of masks and its parameter: its name has both, the parameter in percent.
fn family_and_level(row: &str) -> (&str, f64) {
    let row = row.trim_end_matches("_sw");
    let (family, percent) = row.split_at(row.len() - 2);
    (family, percent.parse::<f64>().unwrap_or_default() / 100.0)
}

/// The masks behind a row.
fn steps(row: &str) -> Vec<Method> {
    let (family, level) = family_and_level(row);
    let level = ("level", RawValue::Number(level));
    match family {
        "rnkswp" => vec![Method::new("rank-swap", &[("window", level.1)])],
        "add" if row.ends_with("_sw") => vec![Method::new("noise-swap", &[level])],
        "add" => vec![Method::new("noise-correlated", &[level])],
        "mixadd" => vec![Method::new("noise-mixture", &[level])],
        _ => vec![
            Method::new("noise-mixture", std::slice::from_ref(&level)),
            Method::new("scale-back", &[level]),
        ],
    }
}

/// A figure over all seeds.
struct Spread {
    mean: f64,
    sd: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|value| (value - mean) * (value - mean));
        Self {
            mean,
            sd: (squares.sum::<f64>() / (n - 1.0)).sqrt(),
        }
    }

    /// How far a printed figure is from what one run of ours gives: the paper's is one run too, and
    /// rounding adds the variance of a uniform error. `printed_to` is half of the last printed digit.
    fn z(&self, published: f64, printed_to: f64) -> Option<f64> {
        let rounding = printed_to * printed_to / 3.0;
        (self.sd > 1e-9).then(|| (published - self.mean) / (self.sd * self.sd + rounding).sqrt())
    }

    /// Mean, standard deviation and gap to a printed figure, as cells of a table.
    fn cells(&self, published: f64, decimals: usize) -> [String; 3] {
        [
            format!("{:.decimals$}", self.mean),
            format!("{:.decimals$}", self.sd),
            format!("{:+.decimals$}", self.mean - published),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_names_its_masks() {
        let named: Vec<&str> = steps("scalmixadd05").iter().map(|step| step.id).collect();
        assert_eq!(named, ["noise-mixture", "scale-back"]);
        assert_eq!(steps("rnkswp15")[0].params[0].1, RawValue::Number(0.15));
        assert_eq!(steps("add01_sw")[0].id, "noise-swap");
        assert_eq!(steps("add01_sw")[0].params, steps("add01")[0].params);
    }
}
