//! Combinations of values that both files have, and variables that moved together.

use super::numbering::{numbered_in_common, numbered_pairs};
use super::{CHANCE, InBoth};
use crate::kernel::numbers::sums::compensated;

/// Combinations of some variables by record, under one numbering in both files.
#[derive(Clone, Debug)]
pub(super) struct Combinations {
    files: [Vec<u32>; 2],
}

impl Combinations {
    pub(super) fn of(files: [Vec<u32>; 2]) -> Self {
        Self { files }
    }

    /// Those of no variable: all records are alike.
    pub(super) fn none(n_records: usize) -> Self {
        Self::of([vec![0; n_records], vec![0; n_records]])
    }

    /// Those with one more variable.
    #[must_use]
    pub(super) fn with(&self, numbers: &[Vec<u32>; 2]) -> Self {
        let [original, masked] = &self.files;
        Self::of(numbered_pairs([original, masked], numbers))
    }

    /// The combination of each record of the original.
    pub(super) fn of_original(&self) -> &[u32] {
        &self.files[0]
    }

    /// Whether the combinations with one more variable can occur as often in one file as in the other: equal sums of
    /// their hashes, which are quickly had and hardly ever equal for others.
    fn may_occur_equally_with(&self, numbers: &[Vec<u32>; 2]) -> bool {
        let sum = |file: usize| {
            let pairs = self.files[file].iter().zip(&numbers[file]);
            pairs.fold(0_u64, |sum, (&held, &number)| {
                sum.wrapping_add(scrambled(u64::from(held) << 32 | u64::from(number)))
            })
        };
        sum(0) == sum(1)
    }

    /// Whether every combination occurs as often in one file as in the other.
    pub(super) fn occur_equally(&self) -> bool {
        let n_numbers = self.files.iter().flatten().max().map_or(0, |&max| max + 1);
        let [original, masked] = &self.files;
        counts(original, n_numbers) == counts(masked, n_numbers)
    }

    /// The logarithm of the number of orders of the records that the combinations tell apart:
    /// `ln n! - Σ ln n_t!`. Its negative is that of the chance to see a random order in place.
    pub(super) fn information(&self) -> f64 {
        let counted = counts_of(&self.files[0]);
        let same = counted.iter().map(|&count| ln_factorial(count));
        ln_factorial(self.files[0].len() as u32) - compensated(same)
    }

    /// Rows of the original that differ from the row before.
    pub(super) fn changes(&self) -> f64 {
        let rows = self.files[0].windows(2);
        rows.filter(|two| two[0] != two[1]).count() as f64
    }

    /// How many such rows a random order has in the mean: `n - 1 - Σ n_t (n_t - 1) / n`.
    pub(super) fn changes_in_random_order(&self) -> f64 {
        let n = self.files[0].len() as f64;
        let alike = counts_of(&self.files[0]).into_iter();
        let alike = alike.map(|count| f64::from(count) * (f64::from(count) - 1.0));
        n - 1.0 - compensated(alike) / n
    }

    fn n_alone(&self) -> u64 {
        let counts = counts_of(&self.files[0]).into_iter();
        counts.filter(|&count| count == 1).count() as u64
    }

    fn n_different(&self) -> usize {
        let counts = counts_of(&self.files[0]).into_iter();
        counts.filter(|&count| count > 0).count()
    }
}

/// A number whose every bit depends on all bits of another (the finisher of `SplitMix64`).
pub(super) const fn scrambled(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Variables whose combinations are the same in both files and stand in other rows.
pub(super) struct Together<'t> {
    pub(super) variables: Vec<InBoth<'t>>,
    pub(super) information: f64,
    pub(super) n_alone: u64,
}

/// Variables that are tried at most for having moved together.
const MOST_TRIED: usize = 16;

/// A variable that stands in other rows, and how many different values it has.
struct Moved<'t> {
    both: InBoth<'t>,
    n_different: usize,
    numbers: [Vec<u32>; 2],
}

impl<'t> Moved<'t> {
    fn of(both: InBoth<'t>) -> Self {
        let n_different = Combinations::of(numbered_in_common(both)).n_different();
        Self {
            both,
            n_different,
            numbers: [Vec::new(), Vec::new()],
        }
    }
}

/// The most telling set of variables that moved from row to row together, if there is one.
///
/// Variables that were swapped one by one have each the same values in both files, but not the same
/// combinations; whole records that stand elsewhere have both.
pub(super) fn moved_together<'t>(moved: &[InBoth<'t>], n_records: usize) -> Option<Together<'t>> {
    // The most telling ones decide: a record that stands elsewhere takes all its values with it. Of more the pairs
    // to try would grow with the square of their number.
    let mut left: Vec<Moved<'t>> = moved.iter().map(|&both| Moved::of(both)).collect();
    // Stable: of two that tell as much the first comes first.
    left.sort_by_key(|moved| std::cmp::Reverse(moved.n_different));
    left.truncate(MOST_TRIED);
    for moved in &mut left {
        moved.numbers = numbered_in_common(moved.both);
    }
    let mut best: Option<Together<'t>> = None;
    while !left.is_empty() {
        let mut held = Combinations::none(n_records);
        let mut variables = Vec::new();
        left.retain(|moved| {
            let belongs = held.may_occur_equally_with(&moved.numbers) && {
                let joined = held.with(&moved.numbers);
                let belongs = joined.occur_equally();
                if belongs {
                    held = joined;
                }
                belongs
            };
            if belongs {
                variables.push(moved.both);
            }
            !belongs
        });
        let information = held.information();
        let is_best = best
            .as_ref()
            .is_none_or(|best| information > best.information);
        if variables.len() > 1 && is_best && ln_chance(&variables, &held) <= libm::log(CHANCE) {
            best = Some(Together {
                variables,
                information,
                n_alone: held.n_alone(),
            });
        }
    }
    best
}

/// The logarithm of the chance that the combinations of the rows that moved would all be there again if
/// each variable had been put in a random order by itself among these rows: for each variable that is
/// added, that of the table with the margins it has, `Π n_t! Π m_c! / (n! Π n_tc!)`.
fn ln_chance(variables: &[InBoth<'_>], held: &Combinations) -> f64 {
    let [original, masked] = &held.files;
    let rows = original.iter().zip(masked).enumerate();
    let moved: Vec<usize> = rows
        .filter(|(_, (a, b))| a != b)
        .map(|(row, _)| row)
        .collect();
    let ln_factorials =
        |counts: &[u32]| compensated(counts.iter().map(|&count| ln_factorial(count)));
    let mut joined = Combinations::none(moved.len());
    let mut ln_chance = 0.0;
    for &both in variables {
        let numbers = numbered_in_common(both);
        let numbers = numbers.map(|all| moved.iter().map(|&row| all[row]).collect::<Vec<u32>>());
        let before = ln_factorials(&counts_of(&joined.files[0]));
        let margin = ln_factorials(&counts_of(&numbers[0]));
        joined = joined.with(&numbers);
        let cells = ln_factorials(&counts_of(&joined.files[0]));
        ln_chance += before + margin - cells - ln_factorial(moved.len() as u32);
    }
    ln_chance
}

fn counts_of(numbers: &[u32]) -> Vec<u32> {
    counts(numbers, numbers.iter().max().map_or(0, |&max| max + 1))
}

fn counts(numbers: &[u32], n_numbers: u32) -> Vec<u32> {
    let mut counts = vec![0; n_numbers as usize];
    for &number in numbers {
        counts[number as usize] += 1;
    }
    counts
}

fn ln_factorial(n: u32) -> f64 {
    libm::lgamma(f64::from(n) + 1.0)
}
