//! Numbers that need not all be in memory: they are looked at a stretch at a time, and summed in the same blocks as those
//! that are.

use std::borrow::Cow;
use std::ops::Range;

use crate::kernel::parallel::each;

/// Numbers of a stretch are a multiple of this many, so that no block of a sum lies in two stretches.
pub const STRETCH: usize = 4 * 4096;

/// Numbers, some that follow each other at a time.
pub trait Streamed: Sync {
    /// How many there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many are best looked at together: a multiple of [`STRETCH`].
    fn stretch(&self) -> usize {
        STRETCH
    }

    /// Some of them.
    fn at(&self, places: Range<usize>) -> Cow<'_, [f64]>;
}

impl Streamed for &[f64] {
    fn len(&self) -> usize {
        <[f64]>::len(self)
    }

    fn at(&self, places: Range<usize>) -> Cow<'_, [f64]> {
        Cow::Borrowed(&self[places])
    }
}

impl Streamed for Cow<'_, [f64]> {
    fn len(&self) -> usize {
        <[f64]>::len(self)
    }

    fn at(&self, places: Range<usize>) -> Cow<'_, [f64]> {
        Cow::Borrowed(&self[places])
    }
}

/// Work on each stretch of `n` numbers, on all threads; answers in their order.
pub fn each_stretch<T: Send>(
    n: usize,
    stretch: usize,
    work: &(dyn Fn(Range<usize>) -> T + Sync),
) -> Vec<T> {
    each(n.div_ceil(stretch), &|number| {
        let first = number * stretch;
        work(first..n.min(first + stretch))
    })
}

/// How many are numbers, and not NaN.
pub fn n_present(values: &dyn Streamed) -> usize {
    let present = |places| {
        let values = values.at(places);
        values.iter().filter(|value| !value.is_nan()).count()
    };
    let counts = each_stretch(values.len(), values.stretch(), &present);
    counts.into_iter().sum()
}

/// The smallest and the largest of those that are not NaN; the ends of the numbers, the wrong way round, where there is
/// none.
pub fn range_of(values: &dyn Streamed) -> (f64, f64) {
    let ends = |places| {
        let values = values.at(places);
        let present = || values.iter().copied().filter(|value| !value.is_nan());
        let low = present().fold(f64::INFINITY, f64::min);
        (low, present().fold(f64::NEG_INFINITY, f64::max))
    };
    let ends = each_stretch(values.len(), values.stretch(), &ends).into_iter();
    ends.fold((f64::INFINITY, f64::NEG_INFINITY), |all, here| {
        (all.0.min(here.0), all.1.max(here.1))
    })
}
