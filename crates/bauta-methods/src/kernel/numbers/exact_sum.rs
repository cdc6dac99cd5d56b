//! Sums of doubles that are rounded once, at the end: the same bits in any order and for any parts.
//!
//! A double is a whole number of units, where the unit is a power of two. A first pass over the numbers finds the
//! largest unit, 1 at most, that all of them are multiples of, and how large they are ([`Scale`]). Where no sum of
//! them can have more than 53 bits, as those of whole weights, doubles add up exactly as they are; else sums are taken
//! in whole numbers of 128 bits, or of as many words as it takes where the numbers lie far apart. Which of them it is
//! changes no result: each gives the double that is nearest to the exact sum.

mod term;
#[cfg(test)]
mod tests;

use std::ops::AddAssign;

use rayon::prelude::*;

use crate::kernel::parallel::each;

use term::{Exact, Term, WORDS_FOR_ALL, Wide, parts};

/// Numbers that one piece of parallel work looks at.
const BLOCK: usize = 1 << 16;

/// Numbers that are looked at together for fractions.
const FEW: usize = 1 << 10;

/// Power of two below that of any bit of a double.
const BELOW_ALL: i32 = -1075;

/// What is to be known of numbers before they can be added exactly. Scales of parts merge to that of the whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scale {
    /// Power of two of the lowest bit of any of the numbers; 0 where all are whole.
    low: i32,
    /// Power of two of the highest bit.
    high: i32,
    /// How many numbers there are.
    n: u64,
    range: Range,
}

/// Whether there is an exact sum at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Range {
    Finite,
    /// Some number is infinite or none: sums are those of doubles.
    Beyond,
}

/// What sums are kept in: doubles, or whole numbers of so many words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    Doubles,
    Two,
    Four,
    All,
}

impl Default for Scale {
    /// The scale of no number.
    fn default() -> Self {
        Self {
            low: 0,
            high: BELOW_ALL,
            n: 0,
            range: Range::Finite,
        }
    }
}

impl Scale {
    /// Finds the scale of some numbers.
    pub fn of(numbers: &[f64]) -> Self {
        let of_block = |block: usize| {
            let end = numbers.len().min((block + 1) * BLOCK);
            let few = numbers[block * BLOCK..end].chunks(FEW);
            few.fold(Self::default(), |scale, few| scale.merge(Self::of_few(few)))
        };
        let blocks = each(numbers.len().div_ceil(BLOCK), &of_block);
        blocks.into_iter().fold(Self::default(), Self::merge)
    }

    /// The largest of whole numbers says it all, which the processor finds for several at once.
    fn of_few(numbers: &[f64]) -> Self {
        // Added to a number below 2^51 it leaves no room for a fraction.
        const ROOM: f64 = (3_u64 << 51) as f64;
        let (mut largest, mut any_fraction) = (0.0_f64, false);
        for &number in numbers {
            let size = number.abs();
            largest = if size > largest { size } else { largest };
            any_fraction |= (number + ROOM) - ROOM - number != 0.0;
        }
        if any_fraction {
            // Or some are larger or no numbers.
            return numbers
                .iter()
                .fold(Self::default(), |scale, &number| scale.with(number));
        }
        Self {
            n: numbers.len() as u64,
            ..Self::default().with(largest)
        }
    }

    /// The scale of these numbers and one more.
    #[must_use]
    pub fn with(mut self, number: f64) -> Self {
        self.n += 1;
        if !number.is_finite() {
            self.range = Range::Beyond;
        } else if number != 0.0 {
            let (mantissa, exponent) = parts(number);
            self.low = self
                .low
                .min(exponent + mantissa.trailing_zeros().cast_signed());
            let top = 63 - mantissa.leading_zeros().cast_signed();
            self.high = self.high.max(exponent + top);
        }
        self
    }

    /// The scale of these numbers and others.
    #[must_use]
    pub fn merge(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            n: self.n + other.n,
            range: match (self.range, other.range) {
                (Range::Finite, Range::Finite) => Range::Finite,
                _ => Range::Beyond,
            },
        }
    }

    /// How many numbers there are.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Power of two of the unit.
    pub fn unit(&self) -> i32 {
        self.low
    }

    /// Whether every sum of these numbers is less than 2^126 units, so that it has room in 128 bits and in 38
    /// decimal digits.
    pub fn fits_128(&self) -> bool {
        self.n_bits().is_some_and(|n_bits| n_bits <= 126)
    }

    /// One of the numbers in units; none if sums would not fit, or if the number is not of this scale.
    pub fn units(&self, number: f64) -> Option<i128> {
        if !self.fits_128() || !number.is_finite() {
            return None;
        }
        let of_number = Self::default().with(number);
        let is_within = of_number.low >= self.low && of_number.high <= self.high;
        is_within.then(|| i128::of(number, self.unit()))
    }

    /// The double nearest to so many units; of two, the even one.
    pub fn nearest(&self, units: i128) -> f64 {
        units.nearest(self.unit())
    }

    /// Bits that any sum has at most, without its sign; none where there is no exact sum.
    fn n_bits(&self) -> Option<i32> {
        let of_number = (self.high - self.low + 1).max(0);
        // As many as log2 n, rounded up.
        let of_count = u64::BITS - self.n.saturating_sub(1).leading_zeros();
        (self.range == Range::Finite).then_some(of_number + of_count.cast_signed())
    }

    fn width(&self) -> Width {
        match self.n_bits() {
            None | Some(..=53) => Width::Doubles,
            Some(..=126) => Width::Two,
            Some(..=255) => Width::Four,
            Some(_) => Width::All,
        }
    }
}

/// Exact sums, one beside the other, all of numbers of one scale.
#[derive(Clone, PartialEq, Debug)]
pub struct ExactSums {
    scale: Scale,
    kept: Kept,
}

/// Sums in units, as wide as they need to be.
#[derive(Clone, PartialEq, Debug)]
enum Kept {
    Doubles(Vec<f64>),
    Two(Vec<i128>),
    Four(Vec<Wide<4>>),
    All(Vec<Wide<WORDS_FOR_ALL>>),
}

/// The same work, however wide the sums are.
macro_rules! whatever_width {
    ($kept:expr, $sums:ident => $work:expr) => {
        match $kept {
            Kept::Doubles($sums) => $work,
            Kept::Two($sums) => $work,
            Kept::Four($sums) => $work,
            Kept::All($sums) => $work,
        }
    };
}

/// The same work on the sums of two, which are as wide as each other.
macro_rules! both_widths {
    ($one:expr, $other:expr, ($a:ident, $b:ident) => $work:expr) => {
        match ($one, $other) {
            (Kept::Doubles($a), Kept::Doubles($b)) => $work,
            (Kept::Two($a), Kept::Two($b)) => $work,
            (Kept::Four($a), Kept::Four($b)) => $work,
            (Kept::All($a), Kept::All($b)) => $work,
            _ => unreachable!("sums of one scale are equally wide"),
        }
    };
}

/// Work on sums in which they are added to each other.
pub(crate) trait OnSums {
    /// Does it, whatever sums are.
    fn on<T: Copy + AddAssign + Send>(&self, sums: &mut [T]);
}

impl ExactSums {
    /// So many sums of nothing yet; what is added to them is of this scale.
    pub fn zeros(scale: Scale, n_sums: usize) -> Self {
        let kept = match scale.width() {
            Width::Doubles => Kept::Doubles(vec![0.0; n_sums]),
            Width::Two => Kept::Two(vec![0; n_sums]),
            Width::Four => Kept::Four(vec![Wide::default(); n_sums]),
            Width::All => Kept::All(vec![Wide::default(); n_sums]),
        };
        Self { scale, kept }
    }

    /// Sums of different numbers that were taken elsewhere, in units of their scale; none if they are not in 128
    /// bits there, or are more than all its numbers can add up to.
    pub fn of_units(scale: Scale, sums: &[i128]) -> Option<Self> {
        let mut sizes = sums.iter().map(|sum| sum.unsigned_abs());
        let total = sizes.try_fold(0_u128, u128::checked_add)?;
        if !scale.fits_128() || total >= 1 << scale.n_bits()? {
            return None;
        }
        let kept = match scale.width() {
            Width::Doubles => Kept::Doubles(sums.iter().map(|&sum| scale.nearest(sum)).collect()),
            Width::Two | Width::Four | Width::All => Kept::Two(sums.to_vec()),
        };
        Some(Self { scale, kept })
    }

    /// The sums of numbers by cell; `cells` says which each is in.
    pub fn by_cell(numbers: &[f64], cells: &[u32], n_cells: usize) -> Self {
        let mut sums = Self::zeros(Scale::of(numbers), n_cells);
        let unit = sums.scale.unit();
        whatever_width!(&mut sums.kept, sums => tally(sums, numbers, cells, unit));
        sums
    }

    /// The sums of terms by cell; the terms are gone through twice.
    pub fn of_terms(n_cells: usize, terms: impl Iterator<Item = (usize, f64)> + Clone) -> Self {
        let numbers = terms.clone().map(|(_, number)| number);
        let mut sums = Self::zeros(numbers.fold(Scale::default(), Scale::with), n_cells);
        for (cell, number) in terms {
            sums.add(cell, number);
        }
        sums
    }

    /// Adds a number to a sum: one of those that the scale was found from, at most once to each.
    pub fn add(&mut self, at: usize, number: f64) {
        let unit = self.scale.unit();
        whatever_width!(&mut self.kept, sums => add(&mut sums[at], number, unit));
    }

    /// The scale of all numbers that are added up here.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Number of sums.
    pub fn len(&self) -> usize {
        whatever_width!(&self.kept, sums => sums.len())
    }

    /// Whether there is no sum.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The double nearest to a sum; of two, the even one.
    pub fn nearest(&self, at: usize) -> f64 {
        let unit = self.scale.unit();
        whatever_width!(&self.kept, sums => sums[at].nearest(unit))
    }

    /// The doubles nearest to all sums.
    pub fn all_nearest(&self) -> Vec<f64> {
        let unit = self.scale.unit();
        whatever_width!(&self.kept, sums => sums.iter().map(|sum| sum.nearest(unit)).collect())
    }

    /// The doubles nearest to the sums at some places.
    pub fn nearest_at(&self, places: &[u32]) -> Vec<f64> {
        let unit = self.scale.unit();
        let at = |nearest: &[f64]| places.par_iter().map(|&at| nearest[at as usize]).collect();
        match &self.kept {
            Kept::Doubles(sums) => at(sums),
            // Each is rounded once, not once for every place.
            kept if self.len() <= places.len() => at(&whatever_width!(kept, sums => {
                sums.par_iter().map(|sum| sum.nearest(unit)).collect::<Vec<f64>>()
            })),
            kept => whatever_width!(kept, sums => {
                let sums = places.par_iter().map(|&at| sums[at as usize]);
                sums.map(|sum| sum.nearest(unit)).collect()
            }),
        }
    }

    /// The double nearest to the sum of some sums.
    pub fn nearest_to_sum_of(&self, some: impl Iterator<Item = usize>) -> f64 {
        let unit = self.scale.unit();
        whatever_width!(&self.kept, sums => total(some.map(|at| sums[at])).nearest(unit))
    }

    /// The sums of some sums, each in the group that stands beside it.
    #[must_use]
    pub fn grouped(&self, n_groups: usize, some: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut groups = Self::zeros(self.scale, n_groups);
        groups.add_from(self, some);
        groups
    }

    /// Some of the sums, in the order that is given.
    #[must_use]
    pub fn selected(&self, some: impl Iterator<Item = usize>) -> Self {
        let mut selected = Self::zeros(self.scale, 0);
        both_widths!(&mut selected.kept, &self.kept, (selected, sums) => {
            selected.extend(some.map(|at| sums[at]));
        });
        selected
    }

    /// Adds sums of the same scale to these: pairs of where to and where from.
    pub(crate) fn add_from(&mut self, other: &Self, some: impl Iterator<Item = (usize, usize)>) {
        both_widths!(&mut self.kept, &other.kept, (sums, from) => {
            some.for_each(|(to, at)| sums[to] += from[at]);
        });
    }

    /// Adds the sums of another part of the numbers, each to the one that `to` says; there are `n_sums` then.
    pub fn merge(&mut self, next: &Self, n_sums: usize, to: impl Iterator<Item = usize>) {
        let scale = self.scale.merge(next.scale);
        let mut merged = Self::zeros(scale, n_sums);
        merged.add_from(&self.in_scale(scale), (0..self.len()).map(|at| (at, at)));
        merged.add_from(&next.in_scale(scale), to.zip(0..));
        *self = merged;
    }

    /// Works on all sums at once.
    pub(crate) fn work(&mut self, work: &impl OnSums) {
        whatever_width!(&mut self.kept, sums => work.on(sums));
    }

    /// The same sums in a scale of these numbers and others.
    fn in_scale(&self, scale: Scale) -> Self {
        let by = (self.scale.unit() - scale.unit()).unsigned_abs();
        let kept = match (&self.kept, scale.width()) {
            // Doubles stay what they are in any unit.
            (_, Width::Doubles) => Kept::Doubles(self.all_nearest()),
            (Kept::Doubles(sums), width) => of_doubles(sums, scale.unit(), width),
            (kept, width) if by == 0 && width == self.scale.width() => kept.clone(),
            (Kept::Two(sums), width) => in_width(sums, by, width),
            (Kept::Four(sums), width) => in_width(sums, by, width),
            (Kept::All(sums), width) => in_width(sums, by, width),
        };
        Self { scale, kept }
    }
}

/// The double nearest to the sum of some numbers, whatever their order.
pub fn exact_sum(numbers: &[f64]) -> f64 {
    let scale = Scale::of(numbers);
    let unit = scale.unit();
    match scale.width() {
        Width::Doubles => sum_in::<f64>(numbers, unit),
        Width::Two => sum_in::<i128>(numbers, unit),
        Width::Four => sum_in::<Wide<4>>(numbers, unit),
        Width::All => sum_in::<Wide<WORDS_FOR_ALL>>(numbers, unit),
    }
}

fn sum_in<T: Term>(numbers: &[f64], unit: i32) -> f64 {
    let of_block = |block: usize| {
        let end = numbers.len().min((block + 1) * BLOCK);
        let numbers = numbers[block * BLOCK..end].iter();
        total(numbers.map(|&number| T::of(number, unit)))
    };
    let blocks = each(numbers.len().div_ceil(BLOCK), &of_block);
    total(blocks.into_iter()).nearest(unit)
}

fn tally<T: Term>(sums: &mut [T], numbers: &[f64], cells: &[u32], unit: i32) {
    for (&cell, &number) in cells.iter().zip(numbers) {
        add(&mut sums[cell as usize], number, unit);
    }
}

#[inline]
fn add<T: Term>(sum: &mut T, number: f64, unit: i32) {
    *sum += T::of(number, unit);
}

fn total<T: Term>(terms: impl Iterator<Item = T>) -> T {
    terms.fold(T::default(), |mut total, term| {
        total += term;
        total
    })
}

/// Sums that are doubles, in units.
fn of_doubles(sums: &[f64], unit: i32, width: Width) -> Kept {
    fn converted<T: Term>(sums: &[f64], unit: i32) -> Vec<T> {
        sums.iter().map(|&sum| T::of(sum, unit)).collect()
    }
    match width {
        Width::Doubles => Kept::Doubles(sums.to_vec()),
        Width::Two => Kept::Two(converted(sums, unit)),
        Width::Four => Kept::Four(converted(sums, unit)),
        Width::All => Kept::All(converted(sums, unit)),
    }
}

/// Sums in units that are 2^`by` times smaller, and no narrower than they were.
fn in_width<T: Exact>(sums: &[T], by: u32, width: Width) -> Kept {
    fn converted<T: Exact, U: Exact>(sums: &[T], by: u32) -> Vec<U> {
        let raised = sums.iter().map(|sum| sum.widened().raised(by));
        raised.map(|wide| U::narrowed(&wide)).collect()
    }
    match width {
        Width::Doubles | Width::Two => Kept::Two(converted(sums, by)),
        Width::Four => Kept::Four(converted(sums, by)),
        Width::All => Kept::All(converted(sums, by)),
    }
}
