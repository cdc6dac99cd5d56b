//! Whole numbers of units, as wide as sums need.

use std::ops::AddAssign;

/// Words that hold any sum of up to 2^64 doubles: 2098 bits from the lowest bit of the smallest to the highest of
/// the largest, 64 for their number and a sign.
pub(super) const WORDS_FOR_ALL: usize = 34;

/// What a double becomes before it is added.
pub(super) trait Term: Copy + Default + AddAssign + Send + Sync {
    /// A number as a multiple of 2^`unit`, which it is.
    fn of(number: f64, unit: i32) -> Self;

    /// The double nearest to so many units; of two, the even one.
    fn nearest(self, unit: i32) -> f64;
}

/// Terms whose sums are exact.
pub(super) trait Exact: Term {
    /// The same number in as many words as any can need.
    fn widened(self) -> Wide<WORDS_FOR_ALL>;

    /// The same number in fewer words, which suffice.
    fn narrowed(wide: &Wide<WORDS_FOR_ALL>) -> Self;
}

/// The bits of a finite number without its sign, as a whole number, and the power of two of the lowest of them.
pub(super) fn parts(number: f64) -> (u64, i32) {
    const FRACTION: u64 = (1 << 52) - 1;
    let bits = number.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let leading = u64::from(exponent != 0) << 52;
    (bits & FRACTION | leading, exponent.max(1) - 1075)
}

/// 2^`power`, from that of the smallest double on; infinite beyond the largest.
fn power_of_two(power: i32) -> f64 {
    match power {
        ..-1022 => f64::from_bits(1 << (power + 1074)),
        -1022..1024 => f64::from_bits(((power + 1023) as u64) << 52),
        _ => f64::INFINITY,
    }
}

impl Term for f64 {
    fn of(number: f64, _: i32) -> Self {
        number
    }

    fn nearest(self, _: i32) -> f64 {
        self
    }
}

// Below, one product takes units to the double: they are rounded to 53 bits before, and no bit is lost to the
// exponent. A sum below the smallest normal number has at most 52 bits, since no unit is below the smallest double.

impl Term for i128 {
    #[inline]
    fn of(number: f64, unit: i32) -> Self {
        let (mantissa, exponent) = parts(number);
        let by = exponent - unit;
        let units = if by >= 0 {
            Self::from(mantissa) << by
        } else {
            // Only zeros are moved out.
            Self::from(mantissa >> by.unsigned_abs().min(63))
        };
        if number < 0.0 { -units } else { units }
    }

    fn nearest(self, unit: i32) -> f64 {
        self as f64 * power_of_two(unit)
    }
}

impl Exact for i128 {
    fn widened(self) -> Wide<WORDS_FOR_ALL> {
        let mut words = [if self < 0 { u64::MAX } else { 0 }; WORDS_FOR_ALL];
        words[0] = self as u64;
        words[1] = (self >> 64) as u64;
        Wide(words)
    }

    fn narrowed(wide: &Wide<WORDS_FOR_ALL>) -> Self {
        Self::from(wide.0[1].cast_signed()) << 64 | Self::from(wide.0[0])
    }
}

/// A whole number of `W` words, the lowest first, as a two's complement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Wide<const W: usize>([u64; W]);

impl<const W: usize> Default for Wide<W> {
    fn default() -> Self {
        Self([0; W])
    }
}

impl<const W: usize> AddAssign for Wide<W> {
    fn add_assign(&mut self, other: Self) {
        let mut carry = false;
        for (word, more) in self.0.iter_mut().zip(other.0) {
            let (sum, beyond) = word.overflowing_add(more);
            let (sum, by_carry) = sum.overflowing_add(u64::from(carry));
            (*word, carry) = (sum, beyond || by_carry);
        }
    }
}

impl<const W: usize> Wide<W> {
    fn is_negative(&self) -> bool {
        self.0[W - 1] >> 63 == 1
    }

    fn negated(self) -> Self {
        let mut one = Self::default();
        one.0[0] = 1;
        one += Self(self.0.map(|word| !word));
        one
    }

    /// The number times 2^`by`.
    pub(super) fn raised(self, by: u32) -> Self {
        let (words, bits) = ((by / 64) as usize, by % 64);
        Self(std::array::from_fn(|at| {
            let word = |back: usize| at.checked_sub(words + back).map_or(0, |at| self.0[at]);
            let carried = word(1).checked_shr(64 - bits).unwrap_or(0);
            word(0) << bits | carried
        }))
    }

    /// 64 bits of a number, from one on.
    fn bits_from(&self, low: u32) -> u64 {
        let (word, by) = ((low / 64) as usize, low % 64);
        let above = self.0.get(word + 1).copied().unwrap_or(0);
        let above = above.checked_shl(64 - by).unwrap_or(0);
        self.0[word] >> by | above
    }
}

impl<const W: usize> Term for Wide<W> {
    fn of(number: f64, unit: i32) -> Self {
        let (mantissa, exponent) = parts(number);
        let by = exponent - unit;
        let mut units = Self::default();
        units.0[0] = mantissa;
        if by >= 0 {
            units = units.raised(by.unsigned_abs());
        } else {
            units.0[0] = mantissa >> by.unsigned_abs().min(63);
        }
        if number < 0.0 { units.negated() } else { units }
    }

    fn nearest(self, unit: i32) -> f64 {
        let is_negative = self.is_negative();
        let size = if is_negative { self.negated() } else { self };
        let Some(top) = size.0.iter().rposition(|&word| word != 0) else {
            return 0.0;
        };
        let n_bits = 64 * (top as u32 + 1) - size.0[top].leading_zeros();
        let by = n_bits.saturating_sub(64);
        // The highest 64 bits; the last of them is set if any below them is, so that halves are told from more.
        let lowest = size.0.iter().position(|&word| word != 0).unwrap_or(0);
        let lowest = 64 * lowest as u32 + size.0[lowest].trailing_zeros();
        let head = size.bits_from(by) | u64::from(lowest < by);
        let nearest = head as f64 * power_of_two(unit + by.cast_signed());
        if is_negative { -nearest } else { nearest }
    }
}

impl<const W: usize> Exact for Wide<W> {
    fn widened(self) -> Wide<WORDS_FOR_ALL> {
        let mut words = [if self.is_negative() { u64::MAX } else { 0 }; WORDS_FOR_ALL];
        words[..W].copy_from_slice(&self.0);
        Wide(words)
    }

    fn narrowed(wide: &Wide<WORDS_FOR_ALL>) -> Self {
        Self(std::array::from_fn(|at| wide.0[at]))
    }
}
