//! The grid that a variable's values lie on.

use rayon::prelude::*;

use crate::kernel::numbers::streamed::{Streamed, each_stretch};

/// Decimals that the values need; a variable of whole numbers needs 0.
pub fn decimals_needed(values: &[f64]) -> u8 {
    decimals_needed_along(&values)
}

/// The same of values that need not all be in memory.
pub fn decimals_needed_along(values: &dyn Streamed) -> u8 {
    let of_stretch = |places| {
        values.at(places).iter().fold(0, |most, &value| {
            if needs_no_more(value, most) {
                most
            } else {
                most.max(decimals_of(value))
            }
        })
    };
    let most = each_stretch(values.len(), values.stretch(), &of_stretch);
    most.into_iter().max().unwrap_or(0)
}

/// Whether a value is seen to need no more than so many decimals without being written down.
fn needs_no_more(value: f64, decimals: u8) -> bool {
    if value.is_nan() || value.fract() == 0.0 {
        return true;
    }
    // No double needs more than 17 digits: at 1 or beyond one of them stands before the point.
    (decimals >= 16 && value.abs() >= 1.0)
        || (decimals <= MOST_DECIMALS && Grid::of_decimals(decimals).step_of(value).is_some())
}

/// Decimals that a value needs.
fn decimals_of(value: f64) -> u8 {
    // `Display` never writes an exponent: 1e-8 is 0.00000001 here, which needs 8 decimals.
    let text = value.to_string();
    let tail = text.split_once('.').map_or(0, |(_, tail)| tail.len());
    u8::try_from(tail).unwrap_or(u8::MAX)
}

/// The nearest number with so many decimals; an exact half goes to the even digit. Never -0,
/// which a file would show as a sign without a number.
pub fn round_to(value: f64, decimals: u8) -> f64 {
    let rounded = if decimals == 0 {
        value.round_ties_even()
    } else {
        // 0.1 * 3 must become 0.3, not 0.30000000000000004.
        rounded_on_grid(value, decimals).unwrap_or_else(|| {
            let text = format!("{value:.*}", usize::from(decimals));
            text.parse().unwrap_or(value)
        })
    };
    rounded + 0.0
}

/// The nearest number with so many decimals, where arithmetic is sure of it: the step next to value · 10^d, divided
/// by 10^d, which is the double nearest to that decimal number, since both are exact. The product is off by less than
/// its 2^52nd part, so that near the middle between two steps it does not tell which is nearer.
fn rounded_on_grid(value: f64, decimals: u8) -> Option<f64> {
    if decimals > MOST_DECIMALS {
        return None;
    }
    let steps = Grid::of_decimals(decimals).steps;
    let product = value * steps;
    let step = nearest_whole(product);
    let doubt = product.abs() / (1_u64 << 52) as f64;
    // Not the other way round: what is no number is not sure.
    let is_sure = product.abs() <= FARTHEST && 0.5 - (product - step).abs() > doubt;
    is_sure.then_some(step / steps)
}

/// The whole number next to one of at most 2^51: the doubles about 1.5 · 2^52 are the whole numbers.
fn nearest_whole(value: f64) -> f64 {
    const WHOLE: f64 = (3_u64 << 51) as f64;
    ((value + WHOLE) - WHOLE).copysign(value)
}

/// Largest number of steps from 0 that counts as a place on a grid. The difference of two such
/// places is exact, and doubles are at least four times as dense as the grid, so that numbers with all
/// their digits are not on it by chance.
const FARTHEST: f64 = (1_u64 << 50) as f64;

/// Most decimals of a grid: larger powers of ten are no doubles.
const MOST_DECIMALS: u8 = 22;

/// The powers of ten that are doubles.
const POWERS: [f64; MOST_DECIMALS as usize + 1] = {
    let mut powers = [1.0; MOST_DECIMALS as usize + 1];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = 10.0 * powers[at - 1];
        at += 1;
    }
    powers
};

/// The multiples of a power of ten, as far as differences between them are exact.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Grid {
    /// Steps in 1: a power of ten.
    steps: f64,
}

impl Grid {
    /// The grid of numbers with so many decimals.
    fn of_decimals(decimals: u8) -> Self {
        Self {
            steps: POWERS[usize::from(decimals)],
        }
    }

    /// The grid on which values of a variable are compared, those of one file with those of another.
    ///
    /// It is the coarsest that holds both files. Where no grid holds the second, it is the coarsest
    /// that holds the first and, if that has decimals, the middle between any two of its values. A
    /// variable whose first file no grid holds is compared as it is.
    pub fn of_both(first: &[f64], second: &[f64]) -> Self {
        let holding = |values: &[f64], from: u8| {
            let mut grids =
                (from..=MOST_DECIMALS).map(|decimals| (decimals, Self::of_decimals(decimals)));
            grids.find(|(_, grid)| grid.holds(values))
        };
        let whole = Self { steps: 1.0 };
        let Some((decimals, of_first)) = holding(first, 0) else {
            return whole;
        };
        match holding(second, decimals) {
            Some((_, grid)) if grid.holds(first) => grid,
            _ if decimals == 0 => whole,
            _ => {
                let finer = Self::of_decimals(decimals + 1);
                if finer.holds(first) { finer } else { of_first }
            }
        }
    }

    /// Steps in 1.
    pub fn steps(self) -> f64 {
        self.steps
    }

    /// Whether all values lie on it.
    fn holds(self, values: &[f64]) -> bool {
        values
            .par_iter()
            .all(|&value| self.step_of(value).is_some())
    }

    /// The step that a value is: the double nearest to step / steps is the value, as it is of the
    /// decimal number that a file shows.
    fn step_of(self, value: f64) -> Option<f64> {
        // Where a product lies between two steps, neither is the value.
        let step = nearest_whole(value * self.steps);
        let is_value = (step / self.steps).to_bits() == value.to_bits();
        (is_value && step.abs() <= FARTHEST).then_some(step)
    }

    /// A value in steps: a whole number if it lies on the grid.
    pub fn in_steps(self, value: f64) -> f64 {
        self.step_of(value).unwrap_or(value * self.steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Rounding and decimals through texts, which nothing can be quicker than and as sure.
    fn by_text(value: f64, decimals: u8) -> f64 {
        let text = format!("{value:.*}", usize::from(decimals));
        text.parse::<f64>().unwrap() + 0.0
    }

    proptest! {
        #[test]
        fn arithmetic_rounds_as_texts_do(
            mantissa in -(1_i64 << 53)..(1_i64 << 53),
            exponent in -1074_i32..600,
            whole in -100_000_i64..100_000,
            decimals in 1_u8..30,
            at in 0_u8..6,
        ) {
            // Numbers of all sizes, those of few decimals, and the middles between these.
            let power = 10_f64.powi(i32::from(at));
            let values = [
                mantissa as f64 * 2_f64.powi(exponent.max(-1000)),
                mantissa as f64 * 2_f64.powi(-(exponent.rem_euclid(70))),
                whole as f64 / power,
                (whole as f64 + 0.5) / power,
                (whole as f64 + 0.5) / power * (1.0 + f64::EPSILON),
                mantissa as f64 / power,
            ];
            for value in values {
                for decimals in [decimals, at.max(1)] {
                    let expected = by_text(value, decimals);
                    prop_assert_eq!(round_to(value, decimals).to_bits(), expected.to_bits(), "{} {}", value, decimals);
                }
                prop_assert_eq!(decimals_needed(&[value]), if value.fract() == 0.0 { 0 } else { decimals_of(value) });
            }
            let each = values.iter().filter(|value| value.fract() != 0.0).map(|value| decimals_of(*value));
            prop_assert_eq!(decimals_needed(&values), each.max().unwrap_or(0));
        }

        #[test]
        fn steps_are_those_of_rounding(value in -1e12_f64..1e12, decimals in 0_u8..8) {
            let grid = Grid::of_decimals(decimals);
            let on_grid = round_to(value, decimals);
            for value in [value, on_grid, -0.0, 0.0, 1e300, -f64::INFINITY] {
                let step = (value * grid.steps).round();
                let is_value = (step / grid.steps).to_bits() == value.to_bits();
                let expected = (is_value && step.abs() <= FARTHEST).then_some(step.to_bits());
                prop_assert_eq!(grid.step_of(value).map(f64::to_bits), expected, "{}", value);
            }
        }
    }

    /// Decimals of the grid on which two files are compared.
    fn decimals_of_both(first: &[f64], second: &[f64]) -> f64 {
        Grid::of_both(first, second).steps().log10()
    }

    #[test]
    fn two_files_are_compared_on_the_coarsest_grid_that_holds_both() {
        let decimals = |first: &[f64], second: &[f64], expected: f64| {
            let found = decimals_of_both(first, second);
            assert!(
                (found - expected).abs() < 1e-9,
                "{first:?} {second:?}: {found}"
            );
        };
        decimals(&[1.0, -2.0], &[3.0, -0.0], 0.0);
        decimals(&[1.0, 2.0], &[1.5, 2.25], 2.0);
        decimals(&[0.1, 2.25], &[1.0, 2.0], 2.0);
        decimals(&[1e15, -1e15], &[1e15 - 1.0], 0.0);
        decimals(&[1e-22, 3e-22], &[2e-22], 22.0);
        // The middle of 0.1 and 0.2 has two decimals; that of whole numbers is exact as it is.
        decimals(&[0.1, 0.2], &[0.15, 1.0 / 3.0], 2.0);
        decimals(&[1.0, 2.0], &[1.5, 1.0 / 3.0], 0.0);
        decimals(&[0.1, 0.2], &[1e300], 2.0);
        // All digits of a double, or more than fifteen digits between both.
        decimals(&[1.0 / 3.0, 0.5], &[0.5], 0.0);
        decimals(&[1e15, 0.5], &[0.5], 0.0);
        decimals(&[1e300], &[0.5], 0.0);
        decimals(&[], &[], 0.0);
    }

    #[test]
    fn differences_on_a_grid_are_exact() {
        let grid = Grid::of_both(&[0.1, 0.3], &[0.2]);
        // As doubles, 0.3 - 0.2 is less than 0.2 - 0.1.
        let [low, middle, high] = [0.1, 0.2, 0.3].map(|x| grid.in_steps(x));
        assert_eq!((low, middle, high), (1.0, 2.0, 3.0));
        // Off the grid a value keeps its digits.
        let third: f64 = 1.0 / 3.0;
        assert_eq!(grid.in_steps(third).to_bits(), (third * 10.0).to_bits());
    }

    #[test]
    fn every_decimal_number_is_found_on_its_grid() {
        for decimals in 0..=15_u8 {
            let grid = Grid::of_decimals(decimals);
            for step in (0..2000_u64).map(|i| (1 << 50) - i * i * i * 140_737) {
                let text = format!("{step}e-{decimals}");
                let value: f64 = text.parse().expect("a number");
                assert_eq!(grid.step_of(value), Some(step as f64), "{text}");
                assert_eq!(grid.step_of(-value), Some(-(step as f64)), "-{text}");
            }
        }
    }

    #[test]
    fn finds_and_applies_the_grid() {
        assert_eq!(decimals_needed(&[1.0, 250.0, f64::NAN]), 0);
        assert_eq!(decimals_needed(&[1.0, 2.5, 0.25]), 2);
        assert_eq!(round_to(2.5, 0).to_bits(), 2.0_f64.to_bits());
        assert_eq!(round_to(3.5, 0).to_bits(), 4.0_f64.to_bits());
        assert_eq!(round_to(0.125, 2).to_bits(), 0.12_f64.to_bits());
        assert_eq!(round_to(0.375, 2).to_bits(), 0.38_f64.to_bits());
        assert_eq!(round_to(0.1 * 3.0, 1).to_bits(), 0.3_f64.to_bits());
    }

    #[test]
    fn small_numbers_keep_their_decimals() {
        // 0.000000015 needs nine decimals; its shortest text has an exponent.
        assert_eq!(decimals_needed(&[1.5e-8]), 9);
        assert_eq!(decimals_needed(&[1e-8]), 8);
        assert_eq!(round_to(1.6e-8, 8).to_bits(), 2e-8_f64.to_bits());
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(round_to(-0.3, 0).to_bits(), 0.0_f64.to_bits());
        assert_eq!(round_to(-0.004, 2).to_bits(), 0.0_f64.to_bits());
    }
}
