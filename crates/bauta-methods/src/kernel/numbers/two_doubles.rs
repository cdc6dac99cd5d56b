//! Numbers as the sum of two doubles, some 32 digits: for figures that must come out as the double
//! nearest to their true value, so that a true 3 is 3 and not one rounding below it.

/// The sum of two doubles, of which the second is what the first lost in rounding.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TwoDoubles {
    high: f64,
    low: f64,
}

/// ln 2.
const LN_2: TwoDoubles = TwoDoubles {
    high: std::f64::consts::LN_2,
    low: 2.319_046_813_846_299_6e-17,
};

/// How often the argument of the exponential is halved before its series, and its result squared
/// after it.
const HALVINGS: i32 = 6;

/// Terms of the series: below 2^-7 the next one is under 10^-34.
const N_TERMS: u32 = 13;

impl TwoDoubles {
    /// The double nearest to it.
    pub const fn nearest(self) -> f64 {
        self.high
    }

    /// The natural logarithm of a positive number.
    pub fn ln(value: f64) -> Self {
        let near = libm::log(value);
        // One step of Newton's: ln v = y + (v exp(-y) - 1), with an error of the square of the
        // difference, which is that of one rounding.
        let rest = Self::from(-near).exp().times(value).plus(Self::from(-1.0));
        rest.plus(Self::from(near))
    }

    /// e to this power, for powers whose result is a double by far.
    #[must_use]
    pub fn exp(self) -> Self {
        let n_twos = (self.high / LN_2.high).round_ties_even();
        let rest = self.plus(LN_2.times(-n_twos));
        let small = rest.scaled(-HALVINGS);
        // (e^s - 1)/s = 1 + s/2 (1 + s/3 (1 + ...)).
        let mut series = Self::from(1.0);
        for term in (2..=N_TERMS).rev() {
            let next = small.by(series).over(f64::from(term));
            series = next.plus(Self::from(1.0));
        }
        // e^(2s) - 1 = 2 (e^s - 1) + (e^s - 1)^2.
        let mut less_one = small.by(series);
        for _ in 0..HALVINGS {
            less_one = less_one.scaled(1).plus(less_one.by(less_one));
        }
        less_one.plus(Self::from(1.0)).scaled(n_twos as i32)
    }

    /// The sum of two.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let high = two_sum(self.high, other.high);
        let low = two_sum(self.low, other.low);
        let sum = quick_sum(high.high, high.low + low.high);
        quick_sum(sum.high, sum.low + low.low)
    }

    /// This many times it.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let product = two_product(self.high, factor);
        quick_sum(product.high, product.low + self.low * factor)
    }

    /// A part of it.
    #[must_use]
    pub fn over(self, divisor: f64) -> Self {
        let first = self.high / divisor;
        let rest = self.plus(Self::from(divisor).times(-first));
        quick_sum(first, rest.high / divisor)
    }

    /// The product of two.
    fn by(self, other: Self) -> Self {
        let product = two_product(self.high, other.high);
        let cross = self.high * other.low + self.low * other.high;
        quick_sum(product.high, product.low + cross)
    }

    /// Times a power of two, exactly.
    fn scaled(self, power: i32) -> Self {
        Self {
            high: libm::scalbn(self.high, power),
            low: libm::scalbn(self.low, power),
        }
    }
}

impl From<f64> for TwoDoubles {
    fn from(value: f64) -> Self {
        Self {
            high: value,
            low: 0.0,
        }
    }
}

/// The exact sum of two doubles.
fn two_sum(a: f64, b: f64) -> TwoDoubles {
    let high = a + b;
    let of_b = high - a;
    let low = (a - (high - of_b)) + (b - of_b);
    TwoDoubles { high, low }
}

/// The exact sum of two doubles, of which the first is the larger in size.
fn quick_sum(a: f64, b: f64) -> TwoDoubles {
    let high = a + b;
    TwoDoubles {
        high,
        low: b - (high - a),
    }
}

/// The exact product of two doubles.
fn two_product(a: f64, b: f64) -> TwoDoubles {
    let high = a * b;
    let ((a_front, a_back), (b_front, b_back)) = (halves(a), halves(b));
    let low = ((a_front * b_front - high) + a_front * b_back + a_back * b_front) + a_back * b_back;
    TwoDoubles { high, low }
}

/// A double as the sum of two that have half its digits, so that products of them are exact.
fn halves(value: f64) -> (f64, f64) {
    // 2^27 + 1.
    let scaled = value * 134_217_729.0;
    let front = scaled - (scaled - value);
    (front, value - front)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_have_thirty_digits() {
        // ln 2, ln 3, ln 1e9 and ln (2^31 - 1) to 40 digits by Python's decimal; the second part is
        // what is left of the first.
        let cases: [(f64, f64, f64); 4] = [
            (2.0, std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17),
            (3.0, 1.098_612_288_668_109_8, -9.071_297_235_001_53e-17),
            (1e9, 20.723_265_836_946_41, 7.108_546_580_563_512e-16),
            (
                2_147_483_647.0,
                21.487_562_596_892_644,
                -9.465_384_448_626_641e-16,
            ),
        ];
        for (value, high, low) in cases {
            let found = TwoDoubles::ln(value);
            assert_eq!(found.high.to_bits(), high.to_bits(), "{value}");
            assert!((found.low - low).abs() < 1e-30 * high, "{value}");
        }
        assert_eq!(TwoDoubles::ln(1.0), TwoDoubles::from(0.0));
    }

    #[test]
    fn the_exponential_undoes_the_logarithm() {
        for value in 1..=5000_u32 {
            let value = f64::from(value);
            let back = TwoDoubles::ln(value).exp();
            assert_eq!(back.high.to_bits(), value.to_bits());
            assert!(back.low.abs() < 1e-29 * value, "{value}: {}", back.low);
        }
    }

    #[test]
    fn a_part_times_its_divisor_is_the_whole() {
        let third = TwoDoubles::from(1.0).over(3.0);
        // 1/3 = 0.333...: what the double lacks is a third of its last digit, 2^-54 / 3.
        assert!((third.low - 2_f64.powi(-54) / 3.0).abs() < 1e-32);
        assert_eq!(third.times(3.0), TwoDoubles::from(1.0));
    }
}
