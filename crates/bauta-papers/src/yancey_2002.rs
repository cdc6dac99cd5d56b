//! Table 1 of Yancey, Winkler and Creecy (2002): information loss on CENSUS.

use std::f64::consts::SQRT_2;
use std::fmt::Write as _;

use bauta_data::{Table, Watch};
use bauta_methods::{Groups, MethodError, RawValue};
use rayon::prelude::*;

use crate::trial::{Method, masked, measured};
use crate::{Reproduction, heading, row};

/// The columns of the table and the measures behind them.
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

/// The table as printed.
const PUBLISHED: [(&str, [f64; 9]); 13] = [
    (
        "rnkswp05",
        [
            0.129, 0.091, 0.000, 0.130, 0.000, 0.016, 0.036, 0.055, 0.027,
        ],
    ),
    (
        "rnkswp10",
        [
            0.219, 0.155, 0.000, 0.195, 0.000, 0.036, 0.058, 0.090, 0.048,
        ],
    ),
    (
        "rnkswp15",
        [
            0.294, 0.208, 0.000, 0.224, 0.000, 0.070, 0.073, 0.118, 0.069,
        ],
    ),
    (
        "add01",
        [
            0.194, 0.137, 0.001, 0.036, 0.014, 0.002, 0.013, 0.038, 0.039,
        ],
    ),
    (
        "add10",
        [
            0.371, 0.263, 0.004, 0.168, 0.115, 0.007, 0.073, 0.114, 0.097,
        ],
    ),
    (
        "mixadd01",
        [
            0.204, 0.063, 0.002, 0.028, 0.012, 0.002, 0.011, 0.050, 0.020,
        ],
    ),
    (
        "mixadd05",
        [
            0.326, 0.140, 0.004, 0.088, 0.053, 0.004, 0.037, 0.095, 0.050,
        ],
    ),
    (
        "mixadd10",
        [
            0.398, 0.199, 0.006, 0.152, 0.105, 0.005, 0.067, 0.133, 0.079,
        ],
    ),
    (
        "mixadd20",
        [
            0.489, 0.281, 0.008, 0.273, 0.207, 0.007, 0.124, 0.189, 0.126,
        ],
    ),
    (
        "scalmixadd01",
        [
            0.202, 0.063, 0.002, 0.021, 0.003, 0.002, 0.007, 0.046, 0.017,
        ],
    ),
    (
        "scalmixadd05",
        [
            0.316, 0.137, 0.004, 0.048, 0.007, 0.004, 0.016, 0.076, 0.038,
        ],
    ),
    (
        "scalmixadd10",
        [
            0.379, 0.190, 0.006, 0.067, 0.010, 0.005, 0.022, 0.093, 0.053,
        ],
    ),
    (
        "scalmixadd20",
        [
            0.449, 0.258, 0.008, 0.095, 0.014, 0.007, 0.031, 0.114, 0.072,
        ],
    ),
];

/// Half of the last printed digit.
const PRINTED_TO: f64 = 0.0005;

/// The masks behind a row: its name is the method and its parameter in percent.
fn steps(row: &str) -> Vec<Method> {
    let (name, percent) = row.split_at(row.len() - 2);
    let level = percent.parse::<f64>().unwrap_or_default() / 100.0;
    let level = ("level", RawValue::Number(level));
    match name {
        "rnkswp" => vec![Method::new("rank-swap", &[("window", level.1)])],
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
    /// rounding to three decimals adds the variance of a uniform error.
    fn z(&self, published: f64) -> Option<f64> {
        let rounding = PRINTED_TO * PRINTED_TO / 3.0;
        (self.sd > 1e-9).then(|| (published - self.mean) / (self.sd * self.sd + rounding).sqrt())
    }
}

/// The table over so many seeds.
pub(super) fn table_1(
    census: &Table,
    n_seeds: u32,
    watch: &dyn Watch,
) -> Result<Reproduction, MethodError> {
    let mut text = introduction(n_seeds);
    text += &heading(&[
        "file",
        "figure",
        "published",
        "found",
        "sd over seeds",
        "z",
        "remark",
    ]);
    let (mut n_near, mut n_far, mut n_misprints) = (0, 0, 0);
    let mut far = Vec::new();
    for (done, (name, published)) in PUBLISHED.iter().enumerate() {
        watch.progress(done as u64, PUBLISHED.len() as u64);
        let found = over_seeds(census, &steps(name), n_seeds, watch)?;
        for (column, ((figure, _), found)) in MEASURES.iter().zip(&found).enumerate() {
            let misprint = misprint(published, column);
            let z = found.z(published[column]);
            // Where nothing varies, the printed digits must be those of the figure.
            let near = z.map_or((published[column] - found.mean).abs() <= PRINTED_TO, |z| {
                z.abs() <= 3.0
            });
            match (&misprint, near) {
                (Some(_), _) => n_misprints += 1,
                (None, true) => n_near += 1,
                (None, false) => {
                    n_far += 1;
                    far.push(format!("{name} {figure}"));
                }
            }
            let remark = misprint.unwrap_or_else(|| {
                if near {
                    String::new()
                } else {
                    "differs".to_owned()
                }
            });
            text += &row(&[
                (*name).to_owned(),
                (*figure).to_owned(),
                format!("{:.3}", published[column]),
                format!("{:.4}", found.mean),
                format!("{:.4}", found.sd),
                z.map_or_else(|| "fixed".to_owned(), |z| format!("{z:+.1}")),
                remark,
            ]);
        }
    }
    let _ = write!(
        text,
        "\nOf {} figures {n_near} agree (|z| at most 3, or equal to the printed digits), {n_misprints} are \
         misprints by the paper's own arithmetic, {n_far} differ{}{}.\n",
        n_near + n_far + n_misprints,
        if far.is_empty() { "" } else { ": " },
        far.join(", ")
    );
    text += WHY;
    Ok(Reproduction {
        text,
        pictures: Vec::new(),
    })
}

fn introduction(n_seeds: u32) -> String {
    format!(
        "# Yancey, Winkler and Creecy (2002), Table 1: information loss on CENSUS\n\n\
         Made by `bauta reproduce yancey-2002 --data FOLDER --seeds {n_seeds}`. Each file is masked under \
         {n_seeds} seeds; *found* is the mean, *z* is the distance of the printed figure from it in standard \
         deviations of one run, since the paper shows one run. IL1 is `il1-symmetric`.\n\n"
    )
}

const WHY: &str = "\n## Misprints and ambiguities of the paper\n\n\
- IL1s of the rank-swapped and the add rows is the printed IL1 divided by √2 (to one in the last digit), and not \
  equation IL1s; s2 of these rows follows from it.\n\
- s1 of add01, add10 and mixadd20 does not follow from the row's own figures.\n\
- The appendix prints Z = X + dY; the printed IL4 (0.105 for d = 0.10) and Cov(Z) = (1 + d)Σ need √d.\n\
- Equation (1) has a minus before the mean; the appendix, and a mean that stays, need a plus.\n\
- The index of the last ψ in the appendix must be K.\n\
- The paper's mixture rows seem to be one draw of noise at several levels: their deviations from ours go \
  the same way in all (IL1 a little below, IL1s a little above), so that they are not independent checks.\n\
- The rank-swap rows of the paper come from a program with the rule |j − l| < pn for each swap; how it \
  chooses partners is not said. Ours chooses uniformly among the free ranks of the window.\n";

fn over_seeds(
    census: &Table,
    steps: &[Method],
    n_seeds: u32,
    watch: &dyn Watch,
) -> Result<Vec<Spread>, MethodError> {
    let runs = (1..=u64::from(n_seeds))
        .into_par_iter()
        .map(|seed| {
            let file = masked(census, steps, seed, watch)?;
            MEASURES
                .iter()
                .map(|(_, id)| {
                    let measure = Method::new(id, &[]);
                    let found = measured(&measure, census, &file, &Groups::default(), watch)?;
                    Ok(found.value.unwrap_or(f64::NAN))
                })
                .collect::<Result<Vec<f64>, MethodError>>()
        })
        .collect::<Result<Vec<_>, MethodError>>()?;
    Ok((0..MEASURES.len())
        .map(|column| Spread::of(&runs.iter().map(|run| run[column]).collect::<Vec<_>>()))
        .collect())
}

/// What is wrong with a printed figure by the row's own arithmetic.
fn misprint(row: &[f64; 9], column: usize) -> Option<String> {
    let [il1, il1s, il2, il3, il4, il5, ..] = *row;
    let is_il1_over_root_2 = (il1s - il1 / SQRT_2).abs() <= 2.0 * PRINTED_TO;
    let (own, members): (f64, f64) = match column {
        1 if is_il1_over_root_2 => {
            return Some(
                "misprint (by the pattern of five rows): the printed IL1 divided by √2".to_owned(),
            );
        }
        6 => ((il2 + il3 + il4 + il5) / 4.0, 4.0),
        7 => ((il1 + il2 + il3 + il4 + il5) / 5.0, 5.0),
        8 if is_il1_over_root_2 => {
            return Some("misprint: follows from the misprinted IL1s".to_owned());
        }
        8 => ((il1s + il2 + il4 + il5) / 4.0, 4.0),
        _ => return None,
    };
    // Each member is rounded, and so is the mean.
    let slack = members * PRINTED_TO / members + PRINTED_TO + 1e-12;
    ((row[column] - own).abs() > slack)
        .then(|| format!("misprint: the row's own figures give {own:.3}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_misprints_are_found_by_the_rows_own_arithmetic() {
        let wrong = |name: &str| -> Vec<&str> {
            let (_, row) = PUBLISHED
                .iter()
                .find(|(row, _)| *row == name)
                .expect("a row");
            (0..9)
                .filter(|&column| misprint(row, column).is_some())
                .map(|column| MEASURES[column].0)
                .collect()
        };
        assert_eq!(wrong("rnkswp05"), ["IL1s", "s2"]);
        assert_eq!(wrong("add01"), ["IL1s", "s1", "s2"]);
        assert_eq!(wrong("add10"), ["IL1s", "s1", "s2"]);
        assert_eq!(wrong("mixadd20"), ["s1"]);
        assert!(wrong("mixadd10").is_empty());
        assert!(wrong("scalmixadd01").is_empty());
    }

    #[test]
    fn a_row_names_its_masks() {
        let named: Vec<&str> = steps("scalmixadd05").iter().map(|step| step.id).collect();
        assert_eq!(named, ["noise-mixture", "scale-back"]);
        assert_eq!(steps("rnkswp15")[0].params[0].1, RawValue::Number(0.15));
    }
}
