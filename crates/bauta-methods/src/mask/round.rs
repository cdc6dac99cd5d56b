#![doc = include_str!("round.md")]

use bauta_data::{Column, Table};
use rayon::prelude::*;

use crate::card::{Card, ParamSpec, Randomness, Scaling};
use crate::context::{RunContext, unit_interval};
use crate::error::MethodError;
use crate::kernel::numbers::grid::{decimals_needed, round_to};
use crate::mask::continuous::OF_NUMBERS;
use crate::mask::{Change, MaskMethod, MaskTask, StepFacts};
use crate::note::Note;
use crate::params::{ParamProblem, Params, RawValue, choices};

/// Rounds to multiples of a base. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Round;

choices! {
    /// Which multiple a value between two of them becomes.
    enum Method {
        Nearest = "nearest": "the nearer one; from the middle the even multiple",
        Down = "down": "the lower one",
        Up = "up": "the upper one",
        Random = "random": "either, the nearer the likelier, so that the expectation is the value",
    }
}

const BASE: ParamSpec = ParamSpec::number(
    "base",
    "values become multiples of this number, which is above 0",
    0.0,
);
const METHOD: ParamSpec = ParamSpec::choice::<Method>(
    "method",
    "which multiple a value between two of them becomes",
)
.or_word("nearest");

static CARD: Card = Card {
    id: "round",
    title: "Rounding",
    summary: "rounds values to multiples of a base, to the nearest, down, up or at random without bias",
    page: include_str!("round.md"),
    params: &[BASE, METHOD],
    randomness: Randomness::Seeded,
    scaling: Scaling::Variable,
    references: &["hundepool2012"],
    ..OF_NUMBERS
};

/// What values become multiples of, and which.
pub struct Settings {
    base: Base,
    method: Method,
}

impl MaskMethod for Round {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let base = params.number(BASE.name);
        if base <= 0.0 {
            let message = "`base` must be above 0";
            return Err(vec![ParamProblem::of(BASE.name, message, BASE.meaning)]);
        }
        Ok(Settings {
            base: Base::new(base),
            method: params.choice_of(METHOD.name),
        })
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        match settings.method {
            // Equal values become different multiples: counts of them are not those of the original any more.
            Method::Random => StepFacts::default(),
            Method::Nearest | Method::Down | Method::Up => StepFacts::default().truthful(),
        }
    }

    fn mask(
        &self,
        settings: &Settings,
        task: &MaskTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        task.column_by_column(context, |column| {
            round_column(task.table, column, settings, context)
        })
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![
            ("base", RawValue::Number(100.0)),
            ("method", RawValue::Text("random".to_owned())),
        ]
    }

    fn neutral(&self) -> Option<Vec<(&'static str, RawValue)>> {
        None
    }
}

/// From here on every number is whole or halves, and steps of the base are finer than the numbers.
const LARGE: f64 = 4_503_599_627_370_496.0;

/// The base as a number and, where that is exact, as a whole number over a power of ten.
struct Base {
    value: f64,
    decimals: u8,
    /// base = units / scale.
    as_fraction: Option<(f64, f64)>,
}

impl Base {
    fn new(value: f64) -> Self {
        let decimals = decimals_needed(&[value]);
        // 10^22 is the largest power of ten that a double holds exactly.
        let as_fraction = (decimals <= 22)
            .then(|| {
                let scale = (0..decimals).fold(1.0, |power, _| power * 10.0);
                ((value * scale).round_ties_even(), scale)
            })
            .filter(|(units, _)| *units < LARGE);
        Self {
            value,
            decimals,
            as_fraction,
        }
    }

    /// How many times the base goes into a value. What decimal arithmetic would call whole or a
    /// half is so here: 0.3 is 3 times 0.1, though the quotient of the doubles is below 3.
    fn quotient(&self, x: f64) -> f64 {
        let k = x / self.value;
        // Value, base and quotient are each off by half a unit in the last place at most.
        let half = (2.0 * k).round_ties_even() / 2.0;
        if (k - half).abs() <= 2.0 * f64::EPSILON * k.abs() {
            half
        } else {
            k
        }
    }

    /// The number that a file shows as k times the base.
    fn times(&self, k: f64) -> f64 {
        let product = match self.as_fraction {
            // One rounding, in the division: the double that is nearest to the decimal number.
            Some((units, scale)) if (k * units).abs() < LARGE => k * units / scale,
            // 255 decimals stand for any number from there on, and would show none of it.
            _ if matches!(self.decimals, 0 | u8::MAX) => k * self.value,
            _ => round_to(k * self.value, self.decimals),
        };
        // Never -0, which a file would show as a sign without a number.
        product + 0.0
    }

    fn round(&self, x: f64, to_whole: impl Fn(f64) -> f64) -> f64 {
        let k = self.quotient(x);
        if k.abs() >= LARGE || k.is_nan() {
            // The steps are finer than the digits of the value, which is as good a multiple as any.
            return x;
        }
        self.times(to_whole(k))
    }
}

fn round_column(
    table: &Table,
    column: &Column,
    Settings { base, method }: &Settings,
    context: &RunContext<'_>,
) -> Result<Column, MethodError> {
    let x = column.as_numeric().ok_or_else(|| {
        MethodError::data(
            column.name(),
            "the variable holds categories, and rounding needs numbers",
            "round before the variable is recoded, or use `recode`",
        )
    })?;
    let all = |to_whole: fn(f64) -> f64| -> Vec<f64> {
        let x = x.par_iter().with_min_len(4096);
        x.map(|&x| base.round(x, to_whole)).collect()
    };
    let z = match method {
        Method::Nearest => all(f64::round_ties_even),
        Method::Down => all(f64::floor),
        Method::Up => all(f64::ceil),
        Method::Random => context.draws(column.name()).per_record(table, |i, [draw]| {
            // The share of the remainder is the probability of going up.
            base.round(x[i], |k| {
                let below = k.floor();
                below + f64::from(u8::from(unit_interval(draw) < k - below))
            })
        }),
    };
    if z.iter().any(|value| value.is_infinite()) {
        return Err(MethodError::data(
            column.name(),
            "rounding takes some values out of the numbers of the machine",
            "choose a smaller base",
        ));
    }
    context.note(rounded_to_base(column.name(), base.value));
    Ok(column.with_numbers(z))
}

/// Values were rounded to multiples of a base.
fn rounded_to_base(variable: &str, base: f64) -> Note {
    let text = format!("{variable} was rounded to multiples of {base}");
    Note::new("rounded-to-base", text)
        .with("variable", variable)
        .with("base", base)
        .public()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nearest(x: f64, base: f64) -> f64 {
        Base::new(base).round(x, f64::round_ties_even)
    }

    fn assert_is(found: f64, expected: f64) {
        assert_eq!(found.to_bits(), expected.to_bits(), "{found}, {expected}");
    }

    #[test]
    fn multiples_are_those_of_decimal_arithmetic() {
        // 0.3 / 0.1 is 2.9999999999999996 and 3 · 0.1 is 0.30000000000000004 in binary.
        let tenth = Base::new(0.1);
        assert_is(tenth.round(0.3, f64::floor), 0.3);
        assert_is(tenth.round(0.7, f64::ceil), 0.7);
        assert_is(tenth.round(0.35, f64::floor), 0.3);
        assert_is(tenth.round(-0.35, f64::floor), -0.4);
        // 0.35 lies in the middle of 3 and 4 tenths, and 4 is even; so does 0.25 of 2 and 3.
        assert_is(nearest(0.35, 0.1), 0.4);
        assert_is(nearest(0.25, 0.1), 0.2);
        assert_is(nearest(1.375, 0.25), 1.5);
        assert_is(nearest(1_234.0, 500.0), 1_000.0);
        assert_is(nearest(1_250.0, 500.0), 1_000.0);
        assert_is(nearest(1_750.0, 500.0), 2_000.0);
        assert_is(nearest(-0.04, 0.1), 0.0);
    }

    #[test]
    fn every_thousandth_stays_on_its_grid() {
        let base = Base::new(0.001);
        for i in -5_000..5_000 {
            let x = f64::from(i) / 1000.0;
            for to_whole in [f64::floor, f64::ceil, f64::round_ties_even] {
                assert_is(base.round(x, to_whole), x + 0.0);
            }
        }
    }

    #[test]
    fn numbers_beyond_the_steps_stay_as_they_are() {
        assert_is(nearest(1e300, 1e-300), 1e300);
        assert_is(nearest(1e300, 0.1), 1e300);
        assert_is(nearest(3e-320, 1e-320), 3e-320);
        assert!(nearest(f64::NAN, 10.0).is_nan());
        // 1.7e308 is nearer to 2e308 than to 1e308, and 2e308 is no number.
        assert!(nearest(1.7e308, 1e308).is_infinite());
    }
}
