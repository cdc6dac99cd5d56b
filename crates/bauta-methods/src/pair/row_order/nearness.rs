//! Whether records are nearer to those of their own row than to those of the next.
//!
//! Neighbouring rows are taken two by two. With d the distance of an original and a masked record, the two rows
//! i and j speak for pairing by row with Δ = d(i, j) + d(j, i) - d(i, i) - d(j, j): what it would cost to exchange
//! the two. If rows do not correspond, Δ is as likely positive as negative, and by Hoeffding's bound (1963,
//! Theorem 2) ΣΔ exceeds z √ΣΔ² with a chance of at most exp(-z²/2), whatever the number of rows.
//!
//! Neighbours and not any two rows: where both files are sorted alike, records of any two rows are farther apart than
//! those of one, even if within a stretch of rows nobody stands in his place.

use rayon::prelude::*;

use super::numbering::numbered_in_common;
use super::{CHANCE, Combinations, InBoth, Verdict};
use crate::kernel::numbers::sums::compensated;

/// Own pairs that are nearer by less than this share of the distance of neighbours, by all that can be told, are not
/// nearer.
pub const LEAST_ADVANTAGE: f64 = 0.1;

/// Neighbours that are looked at, spread evenly over the file.
const MOST_NEIGHBOURS: usize = 10_000;
/// Parts of the file, each of which must not speak against what the whole says.
const PARTS: usize = 4;

/// Distances of own pairs against those of neighbouring rows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Nearness {
    /// Variables that were looked at.
    pub n_variables: usize,
    /// Neighbours that were looked at, two rows each.
    pub n_neighbours: usize,
    /// By what share of the distance of neighbouring rows own pairs are nearer: ΣΔ / Σ(d(i, j) + d(j, i)).
    pub advantage: f64,
    /// √ΣΔ² as such a share: the standard deviation of the advantage if rows do not correspond.
    pub spread: f64,
    /// Quarters of the file that speak against what the whole says.
    pub n_parts_against: usize,
}

/// The multiple of the spread that rows which do not correspond exceed with no more than [`CHANCE`].
fn bound() -> f64 {
    libm::sqrt(-2.0 * libm::log(CHANCE))
}

impl Nearness {
    /// What is to be thought of pairing by row.
    pub(super) fn verdict(&self) -> Verdict {
        if self.advantage >= bound() * self.spread {
            if self.n_parts_against == 0 {
                Verdict::Plausible
            } else {
                Verdict::Undecided
            }
        } else if self.advantage + bound() * self.spread < LEAST_ADVANTAGE {
            Verdict::Contradicted
        } else {
            Verdict::Undecided
        }
    }

    pub(super) fn in_words(&self, verdict: Verdict) -> String {
        let nearer = "nearer to their own row than to the next one";
        let on = match self.n_variables {
            1 => "in 1 variable".to_owned(),
            n => format!("in {n} variables"),
        };
        match verdict {
            Verdict::Plausible => format!("records are {nearer} {on}"),
            Verdict::Contradicted => format!("records are not {nearer} {on}"),
            Verdict::Undecided if self.n_parts_against > 0 => {
                let n_parts = self.n_parts_against;
                format!(
                    "records are {nearer} {on}, but not in {n_parts} of {PARTS} parts of the file"
                )
            }
            Verdict::Undecided => format!("it cannot be told whether records are {nearer} {on}"),
        }
    }
}

/// Compares own pairs with neighbours that are alike in the variables that are in place, or with all neighbours where
/// too few are alike; nothing if no distance differs.
pub(super) fn nearness(variables: &[InBoth<'_>], placed: &Combinations) -> Option<Nearness> {
    let all_alike = vec![0; placed.of_original().len()];
    let among_alike = first_of_neighbours(placed.of_original());
    // Fewer could not convince, however near they are: ΣΔ is at most √n √ΣΔ².
    let enough = among_alike.len() as f64 >= bound() * bound();
    let first_rows = if enough {
        among_alike
    } else {
        first_of_neighbours(&all_alike)
    };
    let first_rows = evenly_spread(first_rows);
    let seen = |&both: &InBoth<'_>| both.looked_at(|both| Seen::of(both, &first_rows));
    // Of columns in files one variable is read at a time.
    let seen: Vec<Seen> = if variables.iter().any(|both| both.is_stored()) {
        variables.iter().map(seen).collect()
    } else {
        variables.par_iter().map(seen).collect()
    };
    let found: Vec<Exchange> = (0..first_rows.len())
        .map(|neighbours| Exchange::of(&seen, neighbours))
        .collect();
    let all = Sums::of(&found);
    if all.squared <= 0.0 || all.apart <= 0.0 {
        return None;
    }
    let is_against = |part: &[Exchange]| Sums::of(part).speaks_against(all.advantage());
    let parts = found.chunks(found.len().div_ceil(PARTS));
    Some(Nearness {
        n_variables: variables.len(),
        n_neighbours: found.len(),
        advantage: all.advantage(),
        spread: all.spread(),
        n_parts_against: parts.filter(|part| is_against(part)).count(),
    })
}

/// The first of every two neighbouring rows that are alike in what is in place.
fn first_of_neighbours(placed: &[u32]) -> Vec<usize> {
    let mut first_rows = Vec::new();
    let mut start = 0;
    for run in placed.chunk_by(|a, b| a == b) {
        first_rows.extend((0..run.len() / 2).map(|two| start + 2 * two));
        start += run.len();
    }
    first_rows
}

/// At most as many as are looked at.
fn evenly_spread(first_rows: Vec<usize>) -> Vec<usize> {
    let n = first_rows.len();
    if n <= MOST_NEIGHBOURS {
        return first_rows;
    }
    let picked = (0..MOST_NEIGHBOURS).map(|k| first_rows[k * n / MOST_NEIGHBOURS]);
    picked.collect()
}

/// A variable in the neighbouring rows that are looked at: of each two rows the values in the original and in the
/// masked file.
enum Seen {
    /// Ranks in the own file, as shares; NaN where there is no value.
    Ranks([Vec<[f64; 2]>; 2]),
    /// Values that are the same or not.
    Numbers([Vec<[u32; 2]>; 2]),
}

impl Seen {
    fn of(both: InBoth<'_>, first_rows: &[usize]) -> Self {
        match both.original.as_numeric().zip(both.masked.as_numeric()) {
            Some((original, masked)) => {
                Self::Ranks([original, masked].map(|values| shares_below(values, first_rows)))
            }
            None => Self::Numbers(
                numbered_in_common(both).map(|numbers| of_neighbours(&numbers, first_rows)),
            ),
        }
    }

    /// The distance of one of two original records to one of two masked ones, between 0 and 1.
    fn distance(&self, neighbours: usize, original: usize, masked: usize) -> f64 {
        match self {
            Self::Ranks([x, z]) => match (x[neighbours][original], z[neighbours][masked]) {
                (x, z) if x.is_nan() && z.is_nan() => 0.0,
                // Half way: it speaks neither for a pair nor against it.
                (x, z) if x.is_nan() || z.is_nan() => 0.5,
                (x, z) => (x - z).abs(),
            },
            Self::Numbers([x, z]) => {
                f64::from(u8::from(x[neighbours][original] != z[neighbours][masked]))
            }
        }
    }
}

fn of_neighbours<T: Copy>(values: &[T], first_rows: &[usize]) -> Vec<[T; 2]> {
    let rows = first_rows.iter();
    rows.map(|&row| [values[row], values[row + 1]]).collect()
}

/// The share of a file's values below those of neighbouring rows, ties at their middle; NaN where there is no value.
fn shares_below(values: &[f64], first_rows: &[usize]) -> Vec<[f64; 2]> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len().max(1) as f64;
    let share = |value: f64| {
        if value.is_nan() {
            return f64::NAN;
        }
        let below = sorted.partition_point(|&other| other < value);
        let tied = sorted[below..].partition_point(|&other| other <= value);
        (below as f64 + 0.5 * tied as f64) / n
    };
    let rows = of_neighbours(values, first_rows).into_iter();
    rows.map(|two| two.map(share)).collect()
}

/// What exchanging the records of two rows would do.
#[derive(Clone, Copy)]
struct Exchange {
    /// d(i, j) + d(j, i).
    apart: f64,
    /// Δ.
    cost: f64,
}

impl Exchange {
    fn of(seen: &[Seen], neighbours: usize) -> Self {
        let over_variables = |a: (usize, usize), b: (usize, usize)| {
            compensated(seen.iter().map(|seen| {
                seen.distance(neighbours, a.0, a.1) + seen.distance(neighbours, b.0, b.1)
            }))
        };
        let apart = over_variables((0, 1), (1, 0));
        let cost = apart - over_variables((0, 0), (1, 1));
        Self { apart, cost }
    }
}

/// Sums over neighbours.
struct Sums {
    apart: f64,
    cost: f64,
    squared: f64,
}

impl Sums {
    fn of(found: &[Exchange]) -> Self {
        Self {
            apart: compensated(found.iter().map(|found| found.apart)),
            cost: compensated(found.iter().map(|found| found.cost)),
            squared: compensated(found.iter().map(|found| found.cost * found.cost)),
        }
    }

    fn advantage(&self) -> f64 {
        self.cost / self.apart
    }

    fn spread(&self) -> f64 {
        self.squared.sqrt() / self.apart
    }

    /// Whether own pairs are here nearer by less than half of what they are in the whole file.
    fn speaks_against(&self, in_whole: f64) -> bool {
        let at_most = self.advantage() + bound() * self.spread();
        self.apart > 0.0 && at_most < 0.5 * in_whole
    }
}
