//! Axes with steps of 1, 2 or 5 times a power of ten, and for counts of very different size with powers of ten.

use crate::number::{Unit, exponent_of, fixed, significant};

/// A range of figures and the marks on it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
    unit: Unit,
    spacing: Spacing,
    /// Where the marks are, rising.
    pub(super) ticks: Vec<f64>,
}

/// How far apart figures stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Spacing {
    /// By their difference.
    Even,
    /// By the logarithm of one more, so that 0 has a place and 1 can be seen beside thousands.
    Logarithmic,
}

/// A bar shorter than this share of the longest cannot be seen.
const VISIBLE: f64 = 0.02;

/// What a scale must show besides the figures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    /// Bars grow from zero.
    Zero,
    /// Lines need no zero.
    Free,
}

impl Scale {
    /// A scale over the figures with about `n_wanted` steps.
    pub(super) fn over(
        values: impl Iterator<Item = f64>,
        base: Base,
        unit: Unit,
        n_wanted: usize,
    ) -> Self {
        let (mut low, mut high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            (low, high) = (0.0, 0.0);
        }
        // A share is read against nothing, a line of means against its neighbours.
        if base == Base::Zero || unit == Unit::Share {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
        let size = low.abs().max(high.abs());
        if high - low <= 1e-9 * size {
            // All the same: put the figure in the middle of a band of its own size.
            let half = if size == 0.0 { 0.5 } else { size / 2.0 };
            (low, high) = if size == 0.0 {
                (0.0, 1.0)
            } else {
                (low - half, high + half)
            };
        }
        Self::between(low, high, unit, n_wanted.max(1))
    }

    fn between(low: f64, high: f64, unit: Unit, n_wanted: usize) -> Self {
        let mut step = nice_step((high - low) / n_wanted as f64);
        if unit == Unit::Count {
            step = step.max(1.0);
        }
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let n_steps = (last - first).clamp(1.0, 100.0) as u32;
        let ticks: Vec<f64> = (0..=n_steps)
            .map(|idx| (first + f64::from(idx)) * step)
            .collect();
        Self {
            low: ticks[0],
            high: ticks[ticks.len() - 1],
            step,
            unit,
            spacing: Spacing::Even,
            ticks,
        }
    }

    /// A scale for bars of counts: even, unless the smallest could not be seen on it.
    pub(super) fn of_counts(
        values: impl Iterator<Item = f64> + Clone,
        unit: Unit,
        n_wanted: usize,
    ) -> Self {
        let largest = values.clone().fold(0.0, f64::max);
        let mut positive = values.clone().filter(|value| *value != 0.0);
        let unseen = positive.any(|value| value < VISIBLE * largest);
        let none_below = values.clone().all(|value| value >= 0.0);
        if unit == Unit::Count && unseen && none_below && largest < 1e15 {
            Self::logarithmic(largest)
        } else {
            Self::over(values, Base::Zero, unit, n_wanted)
        }
    }

    fn logarithmic(largest: f64) -> Self {
        let mut ticks = vec![0.0, 1.0];
        while ticks.last().is_some_and(|last| 10.0 * last <= largest) {
            let last = ticks.last().copied().unwrap_or(1.0);
            ticks.push(10.0 * last);
        }
        Self {
            low: 0.0,
            high: largest,
            step: 1.0,
            unit: Unit::Count,
            spacing: Spacing::Logarithmic,
            ticks,
        }
    }

    /// What the axis is called: a scale that is not even says so.
    pub(super) fn name(&self, axis: &str) -> String {
        match self.spacing {
            Spacing::Even => axis.to_owned(),
            Spacing::Logarithmic => format!("{axis} (logarithmic scale)"),
        }
    }

    /// The same scale without the room between the figures and the outer marks.
    #[must_use]
    pub(super) fn cut_to(mut self, low: f64, high: f64) -> Self {
        if low < high && self.low <= low && high <= self.high {
            (self.low, self.high) = (low, high);
            let (step, low, high) = (self.step * 1e-9, self.low, self.high);
            self.ticks
                .retain(|&tick| tick >= low - step && tick <= high + step);
        }
        self
    }

    /// Where a figure lies between the ends: 0 at the lower, 1 at the upper.
    pub(super) fn position(&self, value: f64) -> f64 {
        let share = match self.spacing {
            Spacing::Even => (value - self.low) / (self.high - self.low),
            Spacing::Logarithmic => value.max(0.0).ln_1p() / self.high.ln_1p(),
        };
        share.clamp(0.0, 1.0)
    }

    /// The lower end.
    pub(super) fn low(&self) -> f64 {
        self.low
    }

    /// The upper end.
    pub(super) fn high(&self) -> f64 {
        self.high
    }

    /// Where bars begin.
    pub(super) fn base(&self) -> f64 {
        0.0_f64.clamp(self.low, self.high)
    }

    /// Whether bars grow to the right only.
    pub(super) fn one_way(&self) -> bool {
        self.low >= 0.0
    }

    /// The text of a mark, with the decimals that the step needs.
    pub(super) fn tick_text(&self, tick: f64) -> String {
        let (tick, step, sign) = match self.unit {
            Unit::Share => (100.0 * tick, 100.0 * self.step, "\u{202f}%"),
            Unit::Count | Unit::Number => (tick, self.step, ""),
        };
        let exponent = exponent_of(step);
        // A mark at zero may come out as a trace of the step.
        if tick.abs() < step / 2.0 {
            return format!("0{sign}");
        }
        if exponent < -6 || tick.abs() >= 1e12 {
            return format!("{}{sign}", significant(tick, 4));
        }
        let minus = if tick < 0.0 { "\u{2212}" } else { "" };
        format!(
            "{minus}{}{sign}",
            fixed(tick.abs(), (-exponent).max(0) as usize)
        )
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `raw`.
fn nice_step(raw: f64) -> f64 {
    let exponent = exponent_of(raw);
    let power = |exponent: i32| format!("1e{exponent}").parse::<f64>().unwrap_or(1.0);
    let unit = power(exponent);
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|factor| factor * unit)
        .find(|step| *step >= raw * (1.0 - 1e-9))
        .unwrap_or_else(|| power(exponent + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(values: &[f64], base: Base, unit: Unit) -> Vec<String> {
        let scale = Scale::over(values.iter().copied(), base, unit, 5);
        let ticks = scale.ticks.iter();
        ticks
            .map(|&tick| scale.tick_text(tick).replace('\u{202f}', "_"))
            .collect()
    }

    #[test]
    fn steps_are_one_two_or_five() {
        // 4213 / 5 = 842.6, so steps of 1000 up to 5000.
        assert_eq!(
            texts(&[12.0, 4213.0], Base::Zero, Unit::Count),
            ["0", "1_000", "2_000", "3_000", "4_000", "5_000"]
        );
        // 0.17 / 5 = 0.034, so steps of 5 %.
        assert_eq!(
            texts(&[0.02, 0.17], Base::Free, Unit::Share),
            ["0_%", "5_%", "10_%", "15_%", "20_%"]
        );
        // (2.3 - 1.1) / 5 = 0.24, so steps of 0.5.
        assert_eq!(
            texts(&[1.1, 2.3], Base::Free, Unit::Number),
            ["1", "1.5", "2", "2.5"]
        );
        assert_eq!(
            texts(&[-3.0, 2.0], Base::Zero, Unit::Number),
            ["−3", "−2", "−1", "0", "1", "2"]
        );
    }

    #[test]
    fn a_scale_can_end_where_the_figures_end() {
        let scale = Scale::over([-0.4, 5.5].into_iter(), Base::Free, Unit::Number, 8);
        assert_eq!((scale.ticks[0], scale.ticks.len()), (-1.0, 8));
        let cut = scale.cut_to(-0.4, 5.5);
        assert_eq!(cut.ticks, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!((cut.position(-0.4), cut.position(5.5)), (0.0, 1.0));
    }

    #[test]
    fn one_record_can_be_seen_beside_thousands() {
        let counts = |values: &[f64]| Scale::of_counts(values.iter().copied(), Unit::Count, 4);
        // 1 of 100 is 1 %, too short; 2 of 100 is not.
        assert_eq!(counts(&[2.0, 0.0, 100.0]).name("records"), "records");
        let scale = counts(&[1.0, 0.0, 12_000.0]);
        assert_eq!(scale.name("records"), "records (logarithmic scale)");
        assert_eq!(scale.ticks, [0.0, 1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        // ln 2 / ln 12001 = 0.0738.
        assert!((scale.position(1.0) - 0.0738).abs() < 1e-4);
        assert_eq!((scale.position(0.0), scale.position(12_000.0)), (0.0, 1.0));
    }

    #[test]
    fn figures_without_spread_still_get_a_scale() {
        assert_eq!(texts(&[], Base::Zero, Unit::Count), ["0", "1"]);
        assert_eq!(texts(&[0.0, 0.0], Base::Zero, Unit::Count), ["0", "1"]);
        assert_eq!(
            texts(&[4.0], Base::Free, Unit::Number),
            ["2", "3", "4", "5", "6"]
        );
    }

    proptest! {
        #[test]
        fn every_figure_lies_on_its_scale(values in prop::collection::vec(-1e300..1e300_f64, 1..20)) {
            let scale = Scale::over(values.iter().copied(), Base::Free, Unit::Number, 5);
            prop_assert!((2..=12).contains(&scale.ticks.len()));
            for value in values {
                let position = (value - scale.low) / (scale.high - scale.low);
                prop_assert!((-1e-6..=1.0 + 1e-6).contains(&position), "{} {:?}", value, scale);
            }
        }
    }
}
