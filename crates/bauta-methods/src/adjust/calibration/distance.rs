//! How far a calibrated weight may be from where it started: G(w/d) of Deville and Särndal, by its
//! dual side. A weight is w = d F(q x'λ) with F = (G')⁻¹, F(0) = F'(0) = 1.

/// The distance between starting and calibrated weights.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Distance {
    /// G = (r - 1)²/2: chi-square; weights may become negative.
    Linear,
    /// G = r ln r - r + 1: raking ratio; weights stay positive.
    Raking,
    /// Weights stay within (lower, upper) times where they started.
    Logit {
        /// L < 1.
        lower: f64,
        /// U > 1.
        upper: f64,
    },
    /// Linear, cut off at the bounds.
    Truncated {
        /// L < 1.
        lower: f64,
        /// U > 1.
        upper: f64,
    },
    /// Hyperbolic sine: positive weights, large ratios dearer than with raking.
    Sinh {
        /// alpha > 0; 1 in CALMAR2.
        alpha: f64,
    },
}

/// Above this, e^u leaves the numbers.
const LARGEST_EXPONENT: f64 = 700.0;

impl Distance {
    /// Its name in plans.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Raking => "raking",
            Self::Logit { .. } => "logit",
            Self::Truncated { .. } => "truncated",
            Self::Sinh { .. } => "sinh",
        }
    }

    /// The smallest and largest ratio w/d that it can give; those of raking and sinh are limits.
    pub const fn range(self) -> (f64, f64) {
        match self {
            Self::Linear => (f64::NEG_INFINITY, f64::INFINITY),
            Self::Raking | Self::Sinh { .. } => (0.0, f64::INFINITY),
            Self::Logit { lower, upper } | Self::Truncated { lower, upper } => (lower, upper),
        }
    }

    /// Whether there are bounds that the user has set.
    pub const fn is_bounded(self) -> bool {
        matches!(self, Self::Logit { .. } | Self::Truncated { .. })
    }

    /// F(u).
    pub fn ratio(self, u: f64) -> f64 {
        match self {
            Self::Linear => 1.0 + u,
            Self::Raking => libm::exp(u.min(LARGEST_EXPONENT)),
            Self::Logit { lower, upper } => {
                let (low, high) = logit_parts(lower, upper, u);
                (lower * low + upper * high) / (low + high)
            }
            Self::Truncated { lower, upper } => (1.0 + u).clamp(lower, upper),
            Self::Sinh { alpha } => {
                let s = libm::asinh(2.0 * alpha * u) / alpha;
                let root = (s * s + 4.0).sqrt();
                if s < 0.0 {
                    2.0 / (root - s)
                } else {
                    f64::midpoint(s, root)
                }
            }
        }
    }

    /// F'(u); for the truncated distance 0 where it is cut off.
    pub fn slope(self, u: f64) -> f64 {
        match self {
            Self::Linear => 1.0,
            Self::Raking => libm::exp(u.min(LARGEST_EXPONENT)),
            Self::Logit { lower, upper } => {
                let (low, high) = logit_parts(lower, upper, u);
                let sum = low + high;
                steepness(lower, upper) * (upper - lower) * (low / sum) * (high / sum)
            }
            Self::Truncated { lower, upper } => {
                f64::from(u8::from(1.0 + u > lower && 1.0 + u < upper))
            }
            Self::Sinh { alpha } => {
                let s = libm::asinh(2.0 * alpha * u) / alpha;
                let steep = 1.0 + 4.0 * alpha * alpha * u * u;
                (1.0 + s / (s * s + 4.0).sqrt()) / steep.sqrt()
            }
        }
    }

    /// H(u), the integral of F from 0 to u.
    pub fn integral(self, u: f64) -> f64 {
        match self {
            Self::Linear => u + u * u / 2.0,
            Self::Raking => libm::expm1(u.min(LARGEST_EXPONENT)),
            Self::Logit { lower, upper } => {
                let a = steepness(lower, upper);
                // ln((U - 1) + (1 - L) e^{au}) without e^{au} where that is large.
                let log = if a * u > 0.0 {
                    a * u + libm::log((upper - 1.0) * libm::exp(-a * u) + (1.0 - lower))
                } else {
                    libm::log((upper - 1.0) + (1.0 - lower) * libm::exp(a * u))
                };
                lower * u + (upper - lower) / a * (log - libm::log(upper - lower))
            }
            Self::Truncated { lower, upper } => {
                let inner = u.clamp(lower - 1.0, upper - 1.0);
                let beyond = u - inner;
                inner + inner * inner / 2.0 + (1.0 + inner) * beyond
            }
            Self::Sinh { alpha } => sinh_integral(alpha, u),
        }
    }
}

/// A of the logit distance, so that F'(0) = 1.
fn steepness(lower: f64, upper: f64) -> f64 {
    (upper - lower) / ((1.0 - lower) * (upper - 1.0))
}

/// U - 1 and (1 - L) e^{Au}, both divided by e^{Au} where that is large.
fn logit_parts(lower: f64, upper: f64, u: f64) -> (f64, f64) {
    let exponent = steepness(lower, upper) * u;
    let small = libm::exp(-exponent.abs());
    if exponent > 0.0 {
        ((upper - 1.0) * small, 1.0 - lower)
    } else {
        (upper - 1.0, (1.0 - lower) * small)
    }
}

/// Nodes and weights of Gauss and Legendre's rule with 16 points on [-1, 1], the positive half.
const NODES: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_8, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_89),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_095),
];

/// ∫ F du with u = sinh(alpha s)/(2 alpha), which has no closed form. s grows as ln u, so that a few
/// nodes are as good as exact; only the search for a step's length needs it.
fn sinh_integral(alpha: f64, u: f64) -> f64 {
    let end = libm::asinh(2.0 * alpha * u) / alpha;
    let half = end / 2.0;
    let term = |s: f64| {
        let ratio = f64::midpoint(s, (s * s + 4.0).sqrt());
        ratio * libm::cosh(alpha * s) / 2.0
    };
    let nodes = NODES.iter();
    half * nodes
        .map(|&(node, weight)| weight * (term(half * (1.0 + node)) + term(half * (1.0 - node))))
        .sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Distance; 5] = [
        Distance::Linear,
        Distance::Raking,
        Distance::Logit {
            lower: 0.25,
            upper: 3.0,
        },
        Distance::Truncated {
            lower: 0.25,
            upper: 3.0,
        },
        Distance::Sinh { alpha: 1.0 },
    ];

    #[test]
    fn every_distance_starts_at_one_with_slope_one() {
        for distance in ALL {
            assert!((distance.ratio(0.0) - 1.0).abs() < 1e-15, "{distance:?}");
            assert!((distance.slope(0.0) - 1.0).abs() < 1e-15, "{distance:?}");
            assert!(distance.integral(0.0).abs() < 1e-15, "{distance:?}");
        }
    }

    #[test]
    fn slopes_and_integrals_belong_to_the_ratio() {
        for distance in ALL {
            for u in [-3.0, -0.6, -0.1, 0.2, 0.9, 2.5] {
                let h = 1e-6;
                let slope = (distance.ratio(u + h) - distance.ratio(u - h)) / (2.0 * h);
                assert!(
                    (slope - distance.slope(u)).abs() < 1e-7,
                    "{distance:?} {u}: {slope}"
                );
                let ratio = (distance.integral(u + h) - distance.integral(u - h)) / (2.0 * h);
                assert!(
                    (ratio - distance.ratio(u)).abs() < 1e-7,
                    "{distance:?} {u}: {ratio}"
                );
            }
        }
    }

    #[test]
    fn ratios_stay_in_range_far_out() {
        for distance in ALL {
            let (low, high) = distance.range();
            for u in [-1e6, -800.0, 800.0, 1e6] {
                let ratio = distance.ratio(u);
                assert!(
                    ratio.is_finite() && ratio >= low && ratio <= high,
                    "{distance:?} {u}: {ratio}"
                );
                assert!(distance.slope(u).is_finite(), "{distance:?} {u}");
            }
        }
    }

    #[test]
    fn sinh_by_hand() {
        // u = sinh(1)/2 has s = 1, so that F = (1 + √5)/2, the golden ratio.
        let u = libm::sinh(1.0) / 2.0;
        let found = Distance::Sinh { alpha: 1.0 }.ratio(u);
        assert!((found - f64::midpoint(1.0, 5.0_f64.sqrt())).abs() < 1e-15);
    }
}
