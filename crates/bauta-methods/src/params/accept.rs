//! Whether a value is what its card allows.

use bauta_data::date::iso_days;
use bauta_data::number::number_text;
use bauta_data::{decimal, near};

use super::{ParamProblem, ParamValue, RawValue, describe};
use crate::card::{ParamSpec, ParamType};

/// The value if the card allows it, or what is wrong with it.
pub(super) fn accept(spec: &ParamSpec, raw: &RawValue) -> Result<ParamValue, ParamProblem> {
    let wrong = |given: String| {
        Err(ParamProblem::of(
            spec.name,
            format!("`{}` must be {}, not {given}", spec.name, describe(spec.ty)),
            spec.meaning,
        ))
    };
    let wrong_type = || wrong(raw.what().to_owned());
    if takes_doubles(spec.ty) && loses_digits(raw) {
        return Err(ParamProblem::of(
            spec.name,
            format!(
                "`{}` has a number with more digits than a double holds, which would be taken for another",
                spec.name
            ),
            "give at most 15 digits; whole numbers above 9007199254740992 are held in steps of 2, 4, 8, …",
        ));
    }
    if let Some(dates) = accept_dates(spec, raw) {
        return dates;
    }
    match spec.ty {
        ParamType::Fraction { min, max } | ParamType::Number { min, max } => {
            match raw.as_number() {
                Some(value) if value.is_finite() && (min..=max).contains(&value) => {
                    Ok(ParamValue::Number(value))
                }
                Some(value) => wrong(number_text(value)),
                None => wrong_type(),
            }
        }
        ParamType::Integer { min, max } => match raw {
            RawValue::Integer(value) if (min..=max).contains(value) => {
                Ok(ParamValue::Integer(*value))
            }
            RawValue::Integer(value) => wrong(value.to_string()),
            _ => wrong_type(),
        },
        ParamType::Flag => match raw {
            RawValue::Flag(value) => Ok(ParamValue::Flag(*value)),
            _ => wrong_type(),
        },
        ParamType::Choice(choices) => accept_choice(spec, choices, raw),
        ParamType::RisingNumbers => accept_rising(spec, raw),
        ParamType::Numbers { min, max } => match accept_each(raw, |item| {
            item.as_number()
                .filter(|value| value.is_finite() && (min..=max).contains(value))
        }) {
            Some(values) if !values.is_empty() => Ok(ParamValue::Numbers(values)),
            Some(_) => wrong("an empty list".to_owned()),
            None => wrong_values(spec),
        },
        ParamType::Integers { min, max } => match accept_integers(spec, raw, min, max)? {
            values if !all_distinct(&values) => Err(ParamProblem::of(
                spec.name,
                format!("`{}` names a number twice", spec.name),
                "write each once",
            )),
            values => Ok(ParamValue::Integers(values)),
        },
        ParamType::Counts { min, max } => {
            accept_integers(spec, raw, min, max).map(ParamValue::Integers)
        }
        ParamType::Texts | ParamType::Variables | ParamType::Terms => {
            match accept_each(raw, scalar_text) {
                Some(texts) => Ok(ParamValue::Texts(texts)),
                None => wrong_type(),
            }
        }
        ParamType::TextMap => accept_map(spec, raw),
        ParamType::KeySets => accept_key_sets(spec, raw),
        ParamType::NumberMap { min, max } => match accept_number_map(raw, min, max) {
            Some(pairs) => Ok(ParamValue::NumberMap(pairs)),
            None => wrong_values(spec),
        },
        ParamType::NumberRows { min, max } => match accept_rows(raw, min, max) {
            Some(rows) => Ok(ParamValue::NumberRows(rows)),
            None => wrong_values(spec),
        },
    }
}

const fn takes_doubles(ty: ParamType) -> bool {
    matches!(
        ty,
        ParamType::Fraction { .. }
            | ParamType::Number { .. }
            | ParamType::RisingNumbers
            | ParamType::Numbers { .. }
            | ParamType::NumberMap { .. }
            | ParamType::NumberRows { .. }
    )
}

/// Whether a number among these would be another as a double.
fn loses_digits(raw: &RawValue) -> bool {
    match raw {
        RawValue::Integer(value) => decimal::loses_digits(&value.to_string()),
        // The command line leaves those numbers as texts.
        RawValue::Text(text) => decimal::loses_digits(text),
        RawValue::List(items) => items.iter().any(loses_digits),
        RawValue::Map(pairs) => pairs.iter().any(|(_, value)| loses_digits(value)),
        RawValue::Number(_) | RawValue::Flag(_) => false,
    }
}

fn wrong_values(spec: &ParamSpec) -> Result<ParamValue, ParamProblem> {
    Err(ParamProblem::of(
        spec.name,
        format!("`{}` must be {}", spec.name, describe(spec.ty)),
        spec.meaning,
    ))
}

fn accept_number_map(raw: &RawValue, min: f64, max: f64) -> Option<Vec<(String, f64)>> {
    let RawValue::Map(pairs) = raw else {
        return None;
    };
    let accepted = |(name, value): &(String, RawValue)| {
        let value = value.as_number()?;
        (min..=max).contains(&value).then(|| (name.clone(), value))
    };
    pairs.iter().map(accepted).collect()
}

fn accept_rows(raw: &RawValue, min: f64, max: f64) -> Option<Vec<Vec<f64>>> {
    let RawValue::List(items) = raw else {
        return None;
    };
    let number = |item: &RawValue| {
        item.as_number()
            .filter(|value| value.is_finite() && (min..=max).contains(value))
    };
    let row = |item: &RawValue| match item {
        RawValue::List(cells) => cells.iter().map(number).collect::<Option<Vec<f64>>>(),
        _ => None,
    };
    let rows: Vec<Vec<f64>> = items.iter().map(row).collect::<Option<_>>()?;
    let same_length = rows.windows(2).all(|pair| pair[0].len() == pair[1].len());
    let filled = rows.first().is_some_and(|row| !row.is_empty());
    (same_length && filled).then_some(rows)
}

fn accept_integers(
    spec: &ParamSpec,
    raw: &RawValue,
    min: i64,
    max: i64,
) -> Result<Vec<i64>, ParamProblem> {
    let integers = accept_each(raw, |item| match item {
        RawValue::Integer(value) if (min..=max).contains(value) => Some(*value),
        _ => None,
    });
    integers.ok_or_else(|| {
        ParamProblem::of(
            spec.name,
            format!("`{}` must be {}", spec.name, describe(spec.ty)),
            spec.meaning,
        )
    })
}

fn all_distinct(values: &[i64]) -> bool {
    values
        .iter()
        .enumerate()
        .all(|(position, value)| !values[..position].contains(value))
}

fn accept_each<T>(raw: &RawValue, accept: impl Fn(&RawValue) -> Option<T>) -> Option<Vec<T>> {
    match raw {
        RawValue::List(items) => items.iter().map(accept).collect(),
        RawValue::Map(_) => None,
        // One value where several are allowed is a list of one.
        single => accept(single).map(|value| vec![value]),
    }
}

fn scalar_text(raw: &RawValue) -> Option<String> {
    match raw {
        RawValue::Text(text) => Some(text.clone()),
        RawValue::Integer(value) => Some(value.to_string()),
        RawValue::Number(value) => Some(number_text(*value)),
        RawValue::Flag(_) | RawValue::List(_) | RawValue::Map(_) => None,
    }
}

fn accept_choice(
    spec: &ParamSpec,
    choices: &'static [(&'static str, &'static str)],
    raw: &RawValue,
) -> Result<ParamValue, ParamProblem> {
    let names = choices.iter().map(|(name, _)| *name);
    match raw {
        RawValue::Text(text) if names.clone().any(|name| name == text) => {
            Ok(ParamValue::Text(text.clone()))
        }
        RawValue::Text(text) => Err(ParamProblem::of(
            spec.name,
            format!(
                "`{}` cannot be `{text}`; it is {}",
                spec.name,
                describe(spec.ty)
            ),
            near::hint(text, names),
        )),
        _ => Err(ParamProblem::of(
            spec.name,
            format!(
                "`{}` must be {}, not {}",
                spec.name,
                describe(spec.ty),
                raw.what()
            ),
            spec.meaning,
        )),
    }
}

fn accept_rising(spec: &ParamSpec, raw: &RawValue) -> Result<ParamValue, ParamProblem> {
    let numbers = accept_each(raw, |item| {
        item.as_number().filter(|value| value.is_finite())
    });
    match numbers {
        Some(numbers) if numbers.windows(2).all(|pair| pair[0] < pair[1]) => {
            Ok(ParamValue::Numbers(numbers))
        }
        Some(_) => Err(ParamProblem::of(
            spec.name,
            format!("the numbers of `{}` must rise", spec.name),
            "write each once, from the lowest to the highest",
        )),
        None => Err(ParamProblem::of(
            spec.name,
            format!("`{}` must be rising numbers, not {}", spec.name, raw.what()),
            spec.meaning,
        )),
    }
}

/// Dates, where a parameter takes them and texts are given.
fn accept_dates(spec: &ParamSpec, raw: &RawValue) -> Option<Result<ParamValue, ParamProblem>> {
    let date = |item: &RawValue| match item {
        RawValue::Text(text) => iso_days(text),
        _ => None,
    };
    let any_text = match raw {
        RawValue::Text(_) => true,
        RawValue::List(items) => items.iter().any(|item| matches!(item, RawValue::Text(_))),
        _ => false,
    };
    if !spec.or_date || !any_text {
        return None;
    }
    let rising = matches!(spec.ty, ParamType::RisingNumbers);
    let dates = accept_each(raw, date);
    Some(match dates.as_deref() {
        Some(&[day]) if !rising => Ok(ParamValue::Date(day)),
        Some(days) if rising && days.windows(2).all(|pair| pair[0] < pair[1]) => {
            Ok(ParamValue::Dates(days.to_vec()))
        }
        Some(_) => Err(ParamProblem::of(
            spec.name,
            format!("the dates of `{}` must rise", spec.name),
            "write each once, from the earliest to the latest",
        )),
        None => Err(ParamProblem::of(
            spec.name,
            format!(
                "`{}` must be {}, or {} such as \"2020-12-31\"",
                spec.name,
                describe(spec.ty),
                if rising { "dates" } else { "a date" }
            ),
            spec.meaning,
        )),
    })
}

fn accept_map(spec: &ParamSpec, raw: &RawValue) -> Result<ParamValue, ParamProblem> {
    let pairs = match raw {
        RawValue::Map(pairs) => pairs
            .iter()
            .map(|(from, to)| scalar_text(to).map(|to| (from.clone(), to)))
            .collect::<Option<Vec<_>>>(),
        _ => None,
    };
    pairs.map(ParamValue::TextMap).ok_or_else(|| {
        ParamProblem::of(
            spec.name,
            format!(
                "`{}` must be a table of texts, not {}",
                spec.name,
                raw.what()
            ),
            format!("{}: {} = {{ \"old\" = \"new\" }}", spec.meaning, spec.name),
        )
    })
}

fn accept_key_sets(spec: &ParamSpec, raw: &RawValue) -> Result<ParamValue, ParamProblem> {
    let names = |keys: &RawValue| accept_each(keys, scalar_text).filter(|keys| !keys.is_empty());
    let sets = match raw {
        RawValue::Map(sets) if !sets.is_empty() => sets
            .iter()
            .map(|(name, keys)| Some((name.clone(), names(keys)?)))
            .collect::<Option<Vec<_>>>(),
        _ => None,
    };
    sets.map(ParamValue::KeySets).ok_or_else(|| {
        let message = format!(
            "`{}` must be names of scenarios, or a table of lists of variables, not {}",
            spec.name,
            raw.what()
        );
        let hint = format!(
            "{}: {} = {{ neighbour = [\"age\", \"sex\"] }}",
            spec.meaning, spec.name
        );
        ParamProblem::of(spec.name, message, hint)
    })
}
