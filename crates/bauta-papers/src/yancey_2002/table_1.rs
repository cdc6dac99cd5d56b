//! Table 1 of Yancey, Winkler and Creecy (2002): information loss on CENSUS.

use std::fmt::Write as _;

use bauta_data::Table;
use bauta_methods::{Groups, MethodError};
use rayon::prelude::*;

use super::arithmetic::{PRINTED_TO, misprint};
use super::published::{TABLE_1, rows};
use super::{MEASURES, Spread, steps};
use crate::pace::Pace;
use crate::trial::{Method, masked, measured};
use crate::{Compared, heading, row};

/// Seeds of this table for each seed of the others: losses cost little, and a standard deviation needs many.
const TIMES: u32 = 25;

/// Pieces of work for one file under one seed: thousandths of a second or so.
const PIECES: u64 = 3;

/// How much work the table is.
pub(super) fn pieces(n_seeds: u32) -> u64 {
    TABLE_1.lines().count() as u64 * u64::from(n_seeds * TIMES) * PIECES
}

/// The table over so many seeds, [`TIMES`] over.
pub(super) fn table_1(
    census: &Table,
    n_seeds: u32,
    watch: &Pace<'_>,
) -> Result<(String, Compared), MethodError> {
    let published = rows::<9>(TABLE_1);
    let mut text = introduction(n_seeds);
    let n_seeds = n_seeds * TIMES;
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
    for (name, published) in &published {
        let found = over_seeds(census, &steps(name), n_seeds, watch)?;
        for (column, ((figure, _), found)) in MEASURES.iter().zip(&found).enumerate() {
            let misprint = misprint(published, column);
            let z = found.z(published[column], PRINTED_TO);
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
    let why = format!(
        "z between -3 and 3, or equal to the printed digits; {n_misprints} are misprints by the paper's own arithmetic, \
         {n_far} differ otherwise"
    );
    let n_all = n_near + n_far + n_misprints;
    let compared = Compared::new("Table 1", "figures", [n_near, n_all], why);
    Ok((text, compared))
}

fn introduction(n_seeds: u32) -> String {
    format!(
        "# Yancey, Winkler and Creecy (2002), Table 1: information loss on CENSUS\n\n\
         Made by `bauta reproduce yancey-2002 --data FOLDER --seeds {n_seeds}`. Each file is masked under \
         {} seeds (Tables 2 to 9: {n_seeds}); *found* is the mean, *z* is the distance of the printed figure from it in standard \
         deviations of one run, since the paper shows one run. IL1 is `il1-symmetric`.\n\n",
        n_seeds * TIMES
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
    watch: &Pace<'_>,
) -> Result<Vec<Spread>, MethodError> {
    let runs = (1..=u64::from(n_seeds))
        .into_par_iter()
        .map(|seed| {
            let file = masked(census, steps, seed, watch)?;
            watch.done(PIECES);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yancey_2002::published::figures_of;

    #[test]
    fn the_misprints_are_found_by_the_rows_own_arithmetic() {
        let wrong = |name: &str| -> Vec<&str> {
            let row = figures_of::<9>(TABLE_1, name);
            (0..9)
                .filter(|&column| misprint(&row, column).is_some())
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
}
