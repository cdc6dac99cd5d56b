//! JSON that says something else than it did.

use serde_json::{Map, Value};

use super::cells;
use crate::fuzz::draws::Draws;

/// The value with some of its members replaced, left out, repeated or taken from elsewhere in it.
pub(crate) fn altered(draws: &mut Draws, value: &Value) -> Value {
    let mut value = value.clone();
    for _ in 0..draws.pick(&[1, 1, 1, 2, 4]) {
        let foreign = member(draws, &value).clone();
        alter(draws, &mut value, &foreign);
    }
    value
}

/// A member somewhere within.
fn member<'v>(draws: &mut Draws, value: &'v Value) -> &'v Value {
    let mut at = value;
    loop {
        at = match at {
            Value::Object(members) if !members.is_empty() => {
                let n = draws.below(members.len());
                members.values().nth(n).unwrap_or(&Value::Null)
            }
            Value::Array(items) if !items.is_empty() => &items[draws.below(items.len())],
            _ => return at,
        };
        if draws.one_in(5) {
            return at;
        }
    }
}

/// Alters one member somewhere within.
fn alter(draws: &mut Draws, value: &mut Value, foreign: &Value) {
    let deeper = !draws.one_in(5);
    match value {
        Value::Object(members) if deeper && !members.is_empty() => {
            let n = draws.below(members.len());
            if let Some(member) = members.values_mut().nth(n) {
                alter(draws, member, foreign);
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let n = draws.below(items.len());
            alter(draws, &mut items[n], foreign);
        }
        Value::Object(members) if draws.one_in(2) && !members.is_empty() => {
            alter_object(draws, members, foreign);
        }
        Value::Array(items) if draws.one_in(2) && !items.is_empty() => {
            alter_list(draws, items, foreign);
        }
        other => *other = another(draws, other, foreign),
    }
}

fn alter_object(draws: &mut Draws, members: &mut Map<String, Value>, foreign: &Value) {
    let name = members.keys().nth(draws.below(members.len())).cloned();
    let name = name.unwrap_or_default();
    match draws.below(3) {
        0 => drop(members.remove(&name)),
        1 => drop(members.insert(cells::name(draws), foreign.clone())),
        _ => drop(members.insert(name, foreign.clone())),
    }
}

fn alter_list(draws: &mut Draws, items: &mut Vec<Value>, foreign: &Value) {
    let at = draws.below(items.len());
    match draws.below(4) {
        0 => drop(items.remove(at)),
        1 => items.insert(at, items[at].clone()),
        2 => items.insert(at, foreign.clone()),
        _ => {
            let to = draws.below(items.len());
            items.swap(at, to);
        }
    }
}

/// Something else of the same sort, or of another.
fn another(draws: &mut Draws, value: &Value, foreign: &Value) -> Value {
    if draws.one_in(3) {
        return foreign.clone();
    }
    match value {
        Value::Number(_) => {
            let numbers = [
                0.0,
                -0.0,
                1.0,
                -1.0,
                0.5,
                1e308,
                -1e308,
                5e-324,
                1e15,
                9_007_199_254_740_993.0,
            ];
            match draws.below(4) {
                0 => Value::from(draws.pick(&numbers)),
                1 => Value::from(draws.bits()),
                2 => Value::from(draws.bits().cast_signed() >> 40),
                _ => Value::from(draws.below(50)),
            }
        }
        Value::String(text) => match draws.below(4) {
            0 => Value::from(cells::odd_text(draws)),
            1 => Value::from(""),
            2 => Value::from(format!("{text} ")),
            _ => {
                let mut letters: Vec<char> = text.chars().collect();
                if !letters.is_empty() {
                    let at = draws.below(letters.len());
                    letters[at] = draws.pick(&['0', 'x', '"', '\n', 'é']);
                }
                Value::from(letters.into_iter().collect::<String>())
            }
        },
        Value::Bool(flag) => Value::from(!flag),
        Value::Null => draws.pick(&[Value::from(1.5), Value::from("x"), Value::from(0)]),
        Value::Array(_) => draws.pick(&[Value::Array(Vec::new()), Value::Null]),
        Value::Object(_) => draws.pick(&[Value::Object(Map::new()), Value::Null]),
    }
}
