//! Whether the records of a masked file stand in the order of the original, by what the files show.
//!
//! Nobody can see this for certain, and a file that was sorted or shuffled makes a comparison row by row
//! say that nobody can be linked. So the rows are judged before they are believed. The concept page
//! `docs/concepts/pairing.md` has the reasons for each rule.

mod combinations;
mod nearness;
mod numbering;
mod sorted;

use std::cmp::Ordering;

use bauta_data::{Column, Table};

use combinations::{Combinations, moved_together};
use nearness::nearness;
pub use nearness::{LEAST_ADVANTAGE, Nearness};
use numbering::{may_occur_equally, numbered_in_common};
use sorted::unsorted;

/// How unlikely chance must be before something is believed: one in ten thousand.
pub const CHANCE: f64 = 1e-4;

/// Share of the changes from row to row that a random order would show, below which variables count as
/// sorted by something.
const LEAST_IRREGULAR: f64 = 0.25;

/// What is to be thought of pairing records by row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The files speak for it.
    Plausible,
    /// They say nothing either way.
    Undecided,
    /// They speak against it.
    Contradicted,
}

/// What a verdict rests on.
#[derive(Clone, PartialEq, Debug)]
pub enum Ground {
    /// These variables are the same in every row, and no sorting explains it.
    InPlace {
        /// The variables.
        variables: Vec<String>,
    },
    /// The combinations of these variables are the same in both files and stand in other rows.
    OtherOrder {
        /// The variables.
        variables: Vec<String>,
        /// Records that are alone with their combination, so that they could be paired by it.
        n_alone: u64,
    },
    /// Own pairs against those of the next row.
    Nearness(Nearness),
    /// The files have nothing in common that could tell.
    Nothing,
}

/// A verdict and what it rests on.
#[derive(Clone, PartialEq, Debug)]
pub struct RowOrder {
    /// What is to be thought of pairing by row.
    pub verdict: Verdict,
    /// What that rests on.
    pub ground: Ground,
}

/// A variable of both files.
#[derive(Clone, Copy)]
struct InBoth<'t> {
    original: &'t Column,
    masked: &'t Column,
}

impl InBoth<'_> {
    /// Looks at both columns, and gives back what was read of them for that where they lie in files.
    fn looked_at<T>(self, look: impl FnOnce(InBoth<'_>) -> T) -> T {
        self.original.looked_at(|original| {
            (self.masked).looked_at(|masked| look(InBoth { original, masked }))
        })
    }

    fn is_stored(self) -> bool {
        self.original.is_stored() || self.masked.is_stored()
    }
}

/// Judges whether row i of a masked file was made from row i of the original, which must have as many.
pub fn judge(original: &Table, masked: &Table) -> RowOrder {
    debug_assert_eq!(original.n_records(), masked.n_records());
    let n_records = original.n_records();
    let (mut in_place, mut moved, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    let mut placed = Combinations::none(n_records);
    for original in original.columns() {
        let Some(masked) = masked.column_named(original.name()) else {
            continue;
        };
        let both = InBoth { original, masked };
        if !may_occur_equally(both) {
            changed.push(both);
            continue;
        }
        let numbers = numbered_in_common(both);
        if numbers[0] == numbers[1] {
            in_place.push(both);
            placed = placed.with(&numbers);
        } else if Combinations::of(numbers).occur_equally() {
            moved.push(both);
        } else {
            changed.push(both);
        }
    }
    if moved.is_empty() && changed.is_empty() {
        return if in_place.is_empty() {
            RowOrder::new(Verdict::Undecided, Ground::Nothing)
        } else {
            RowOrder::in_place(&in_place)
        };
    }
    let telling = unsorted(&in_place, n_records);
    let shown = telling
        .iter()
        .fold(Combinations::none(n_records), |shown, &both| {
            shown.with(&numbered_in_common(both))
        });
    let is_evidence = in_place_by_more_than_sorting(&shown);
    let information = if is_evidence {
        shown.information()
    } else {
        0.0
    };
    if let Some(together) = moved_together(&moved, n_records)
        && together.information > information
    {
        let ground = Ground::OtherOrder {
            variables: names(&together.variables),
            n_alone: together.n_alone,
        };
        return RowOrder::new(Verdict::Contradicted, ground);
    }
    if is_evidence {
        return RowOrder::in_place(&telling);
    }
    moved.append(&mut changed);
    match nearness(&moved, &placed) {
        Some(found) => RowOrder::new(found.verdict(), Ground::Nearness(found)),
        None => RowOrder::new(Verdict::Undecided, Ground::Nothing),
    }
}

/// Whether variables that are the same in every row show that the rows correspond: a random order would
/// hardly do it, and neither would sorting, even by a variable that the files do not share.
fn in_place_by_more_than_sorting(shown: &Combinations) -> bool {
    shown.information() >= -libm::log(CHANCE)
        && shown.changes() >= LEAST_IRREGULAR * shown.changes_in_random_order()
}

/// Rows of equal values, of rows in the order of their values.
fn ties<'r>(values: &[f64], rows: &'r [u32]) -> impl Iterator<Item = &'r [u32]> {
    let order = |&a: &u32, &b: &u32| values[a as usize].partial_cmp(&values[b as usize]);
    rows.chunk_by(move |a, b| order(a, b) == Some(Ordering::Equal))
}

fn names(variables: &[InBoth<'_>]) -> Vec<String> {
    let names = variables.iter().map(|both| both.original.name().to_owned());
    names.collect()
}

impl RowOrder {
    fn new(verdict: Verdict, ground: Ground) -> Self {
        Self { verdict, ground }
    }

    fn in_place(variables: &[InBoth<'_>]) -> Self {
        let variables = names(variables);
        Self::new(Verdict::Plausible, Ground::InPlace { variables })
    }

    /// What the files show, as the end of a sentence.
    pub fn in_words(&self) -> String {
        match &self.ground {
            Ground::InPlace { variables } => {
                format!("the same in every row: {}", listed(variables))
            }
            Ground::OtherOrder { variables, n_alone } => format!(
                "the same combinations of {} stand in other rows ({n_alone} records are alone with theirs and could be paired by it)",
                listed(variables)
            ),
            Ground::Nearness(found) => found.in_words(self.verdict),
            Ground::Nothing => {
                "the files have nothing in common that could tell whether rows correspond"
                    .to_owned()
            }
        }
    }
}

/// Names in a sentence; of many, the first.
fn listed(variables: &[String]) -> String {
    const MOST: usize = 5;
    if variables.len() <= MOST + 1 {
        return variables.join(", ");
    }
    let n_more = variables.len() - MOST;
    format!("{} and {n_more} more", variables[..MOST].join(", "))
}

#[cfg(test)]
mod tests;
