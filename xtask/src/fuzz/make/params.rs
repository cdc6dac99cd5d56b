//! Parameters of any method, from what its card says of them: fitting, at the edge, or wrong.

use bauta_data::{Kind, Role};
use bauta_methods::{Card, ParamDefault, ParamSpec, ParamType, RawValue};

use super::cells;
use super::table::{MadeColumn, MadeTable};
use crate::fuzz::draws::Draws;

/// How well a parameter is to fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fit {
    /// What somebody might choose.
    Usual,
    /// The least and the most that is allowed, and what is allowed but nobody chooses.
    Edge,
    /// What is not allowed.
    Wrong,
}

impl Fit {
    /// Mostly usual.
    pub(crate) fn any(draws: &mut Draws) -> Self {
        match draws.below(8) {
            0 => Self::Wrong,
            1 | 2 => Self::Edge,
            _ => Self::Usual,
        }
    }
}

/// Searches in vain in a row, after which a search ends at the latest.
const LONGEST_PATIENCE: i64 = 100_000;

/// Parameters for a method, from its card and from those that it shows itself with.
pub(crate) fn for_card(
    draws: &mut Draws,
    card: &Card,
    example: &[(&'static str, RawValue)],
    table: &MadeTable,
    fit: Fit,
) -> Vec<(String, RawValue)> {
    let from_example = draws.one_in(2);
    let mut given = Vec::new();
    for spec in card.params {
        let shown = example.iter().find(|(name, _)| *name == spec.name);
        // Names in examples are those of another file.
        let shown = shown.filter(|_| from_example && !names_variables(spec.ty));
        let value = match (shown, spec.default) {
            (Some((_, value)), _) if !draws.one_in(4) => value.clone(),
            (_, ParamDefault::Required) => value(draws, card, spec, table, fit),
            _ if draws.one_in(4) => value(draws, card, spec, table, fit),
            _ => continue,
        };
        given.push((spec.name.to_owned(), value));
    }
    if fit == Fit::Wrong && draws.one_in(4) {
        given.push((cells::name(draws), RawValue::Integer(1)));
    }
    given
}

fn names_variables(ty: ParamType) -> bool {
    matches!(
        ty,
        ParamType::Variables
            | ParamType::Terms
            | ParamType::NumberMap { .. }
            | ParamType::TextMap
            | ParamType::KeySets
    )
}

/// A value for a parameter.
fn value(
    draws: &mut Draws,
    card: &Card,
    spec: &ParamSpec,
    table: &MadeTable,
    fit: Fit,
) -> RawValue {
    if fit == Fit::Wrong && draws.one_in(2) {
        return anything(draws, 2);
    }
    match spec.ty {
        ParamType::Fraction { min, max } | ParamType::Number { min, max } => {
            number(draws, min, max, fit)
        }
        ParamType::Integer { min, max } => {
            let asked = integer(draws, min, max, fit);
            // Who has patience without end, and iterations, asks for work without end.
            let is_long = spec.name == "patience" && asked > LONGEST_PATIENCE;
            RawValue::Integer(if is_long { LONGEST_PATIENCE } else { asked })
        }
        ParamType::Flag => RawValue::Flag(draws.one_in(2)),
        ParamType::Choice(choices) => RawValue::Text(draws.pick(choices).0.to_owned()),
        ParamType::RisingNumbers => rising(draws, table, fit),
        ParamType::Numbers { min, max } => list(draws, fit, |draws| number(draws, min, max, fit)),
        ParamType::Integers { min, max } | ParamType::Counts { min, max } => {
            list(draws, fit, |draws| {
                RawValue::Integer(integer(draws, min, max, fit))
            })
        }
        ParamType::Texts => list(draws, fit, |draws| RawValue::Text(word(draws, card, table))),
        ParamType::TextMap => {
            let n = draws.between(usize::from(fit != Fit::Edge), 4);
            let pairs = (0..n).map(|_| (level(draws, table), RawValue::Text(level(draws, table))));
            RawValue::Map(pairs.collect())
        }
        ParamType::NumberMap { min, max } => {
            let n = draws.between(usize::from(fit != Fit::Edge), 4);
            let pairs = (0..n).map(|_| (margin(draws, table), number(draws, min, max, fit)));
            RawValue::Map(pairs.collect())
        }
        ParamType::NumberRows { min, max } => {
            let n = draws.between(1, 4);
            let row = |draws: &mut Draws| {
                RawValue::List((0..n).map(|_| number(draws, min, max, fit)).collect())
            };
            RawValue::List((0..n).map(|_| row(draws)).collect())
        }
        ParamType::Variables => list(draws, fit, |draws| RawValue::Text(variable(draws, table))),
        ParamType::KeySets => {
            let n = draws.between(usize::from(fit != Fit::Edge), 3);
            let keys = |draws: &mut Draws| {
                list(draws, fit, |draws| RawValue::Text(variable(draws, table)))
            };
            RawValue::Map(
                (0..n)
                    .map(|set| (format!("set {set}"), keys(draws)))
                    .collect(),
            )
        }
        ParamType::Terms => list(draws, fit, |draws| RawValue::Text(term(draws, table))),
    }
}

fn number(draws: &mut Draws, min: f64, max: f64, fit: Fit) -> RawValue {
    let usual = [
        0.0, 0.01, 0.05, 0.1, 0.14, 0.25, 0.5, 0.75, 0.9, 1.0, 1.5, 2.0, 3.0, 10.0, 100.0,
    ];
    let value = match fit {
        Fit::Usual if draws.one_in(4) => draws.unit(),
        Fit::Usual => draws.pick(&usual),
        Fit::Edge => {
            let edges = [
                min,
                max,
                0.0,
                -0.0,
                1.0,
                f64::MIN_POSITIVE,
                5e-324,
                1e-300,
                1e300,
                f64::MAX,
                -f64::MAX,
                1e16,
            ];
            draws.pick(&edges)
        }
        Fit::Wrong => draws.pick(&[
            f64::NAN,
            f64::INFINITY,
            -1.0,
            min - 1.0,
            max + 1.0,
            -f64::MAX,
        ]),
    };
    match fit {
        Fit::Wrong => RawValue::Number(value),
        // Not clamp: a card may say that there is no least or most.
        _ if draws.one_in(3) && value.fract() == 0.0 && value.abs() < 1e9 => {
            RawValue::Integer(value.max(min).min(max) as i64)
        }
        _ => RawValue::Number(value.max(min).min(max)),
    }
}

fn integer(draws: &mut Draws, min: i64, max: i64, fit: Fit) -> i64 {
    match fit {
        Fit::Usual => draws.pick(&[0, 1, 2, 2, 3, 3, 5, 10, 20]).clamp(min, max),
        Fit::Edge => draws
            .pick(&[min, min.saturating_add(1), max, max - 1, 1_000, 1_000_000])
            .clamp(min, max),
        Fit::Wrong => draws.pick(&[min.wrapping_sub(1), max.wrapping_add(1), i64::MIN, -1]),
    }
}

fn list(draws: &mut Draws, fit: Fit, mut item: impl FnMut(&mut Draws) -> RawValue) -> RawValue {
    let n = match fit {
        Fit::Usual => draws.pick(&[1, 1, 2, 3]),
        Fit::Edge => draws.pick(&[0, 1, 1, 2, 30]),
        Fit::Wrong => draws.below(4),
    };
    if n == 1 && draws.one_in(3) {
        return item(draws);
    }
    RawValue::List((0..n).map(|_| item(draws)).collect())
}

/// A word that means something to a method: one of its choices, a variable or a category.
fn word(draws: &mut Draws, card: &Card, table: &MadeTable) -> String {
    let choices = card.params.iter().filter_map(|spec| match spec.ty {
        ParamType::Choice(choices) => Some(choices),
        _ => None,
    });
    let words: Vec<&str> = choices.flatten().map(|(word, _)| *word).collect();
    match draws.below(3) {
        0 if !words.is_empty() => draws.pick(&words).to_owned(),
        1 => variable(draws, table),
        _ => level(draws, table),
    }
}

/// Numbers that rise, around those of a column.
fn rising(draws: &mut Draws, table: &MadeTable, fit: Fit) -> RawValue {
    let columns: Vec<&MadeColumn> = table.columns.iter().collect();
    let cells = if columns.is_empty() {
        &[][..]
    } else {
        &draws.pick(&columns).cells
    };
    let mut numbers: Vec<f64> = (0..draws.between(usize::from(fit == Fit::Usual), 5))
        .map(|_| {
            let cell = if cells.is_empty() {
                String::new()
            } else {
                draws.pick(cells)
            };
            cell.parse().unwrap_or_else(|_| draws.below(100) as f64)
        })
        .filter(|number: &f64| number.is_finite())
        .collect();
    if fit != Fit::Wrong {
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
    }
    RawValue::List(numbers.into_iter().map(RawValue::Number).collect())
}

/// Anything that a plan can say.
fn anything(draws: &mut Draws, depth: usize) -> RawValue {
    match draws.below(if depth == 0 { 4 } else { 6 }) {
        0 => RawValue::Integer(draws.bits().cast_signed()),
        1 => RawValue::Number(f64::from_bits(draws.bits())),
        2 => RawValue::Flag(draws.one_in(2)),
        3 => RawValue::Text(cells::odd_text(draws)),
        4 => RawValue::List(
            (0..draws.below(4))
                .map(|_| anything(draws, depth - 1))
                .collect(),
        ),
        _ => {
            let pairs =
                (0..draws.below(4)).map(|_| (cells::name(draws), anything(draws, depth - 1)));
            RawValue::Map(pairs.collect())
        }
    }
}

/// A variable of the table; seldom one that is not there.
pub(crate) fn variable(draws: &mut Draws, table: &MadeTable) -> String {
    if table.columns.is_empty() || draws.one_in(40) {
        return cells::name(draws);
    }
    draws.pick(&table.columns).name
}

/// A category of the table; seldom one that is not there.
pub(crate) fn level(draws: &mut Draws, table: &MadeTable) -> String {
    let with_levels: Vec<&MadeColumn> = table
        .columns
        .iter()
        .filter(|column| !column.levels.is_empty())
        .collect();
    if with_levels.is_empty() || draws.one_in(8) {
        return cells::token(draws);
    }
    let column = draws.pick(&with_levels);
    draws.pick(&column.levels)
}

/// A variable or a cross of several; `1` counts records.
fn term(draws: &mut Draws, table: &MadeTable) -> String {
    match draws.below(8) {
        0 => "1".to_owned(),
        1 | 2 => format!("{}*{}", variable(draws, table), variable(draws, table)),
        _ => {
            let categories = table.columns.iter().filter(|column| {
                column.kind != Kind::Continuous && column.role != Role::Identifier
            });
            let names: Vec<String> = categories.map(|column| column.name.clone()).collect();
            if names.is_empty() {
                variable(draws, table)
            } else {
                draws.pick(&names)
            }
        }
    }
}

/// What a total can be of: a category, a variable, a position.
fn margin(draws: &mut Draws, table: &MadeTable) -> String {
    match draws.below(6) {
        0 => "1".to_owned(),
        1 => variable(draws, table),
        2 => format!("{}#{}", variable(draws, table), draws.between(1, 4)),
        _ => {
            let column = if table.columns.is_empty() {
                None
            } else {
                Some(draws.pick(&table.columns))
            };
            match column {
                Some(column) if !column.levels.is_empty() => {
                    format!("{}={}", column.name, draws.pick(&column.levels))
                }
                _ => format!("{}={}", variable(draws, table), level(draws, table)),
            }
        }
    }
}
