//! Parameters in words. Internal only: a published window or noise level helps an intruder.

use std::collections::BTreeMap;

use bauta_methods::card::{ConstValue, ParamDefault, ParamSpec, ParamType};
use bauta_methods::registry;
use maud::{Markup, html};
use serde_json::Value;

use crate::number::{as_given, count, percent};

/// Longest list or map that is written out; the plan's text has the rest.
const MAX_ENTRIES: usize = 24;

/// The parameters of a method, each with its meaning, in the order of the method's card.
pub(crate) fn list(method: &str, params: &BTreeMap<String, Value>) -> Markup {
    let card = registry::card(method);
    let known = card.map_or(&[][..], |card| card.params);
    let mut shown: Vec<(&str, &Value, Option<&ParamSpec>)> = known
        .iter()
        .filter_map(|spec| {
            params
                .get(spec.name)
                .map(|value| (spec.name, value, Some(spec)))
        })
        .collect();
    let unknown = params
        .iter()
        .filter(|(name, _)| !known.iter().any(|spec| spec.name == *name));
    shown.extend(unknown.map(|(name, value)| (name.as_str(), value, None)));
    shown.retain(|(_, value, _)| !value.is_null());
    html! {
        @if !shown.is_empty() {
            dl class="params" {
                @for (name, value, spec) in shown {
                    div {
                        dt { code { (name) } }
                        dd {
                            strong { (in_words(value, spec)) }
                            @if let Some(spec) = spec { ": " (spec.meaning) }
                            @if is_default(value, spec) { " (the default)" }
                        }
                    }
                }
            }
        }
    }
}

fn in_words(value: &Value, spec: Option<&ParamSpec>) -> String {
    match (value, spec.map(|spec| spec.ty)) {
        (Value::Number(number), Some(ParamType::Fraction { .. })) => {
            let fraction = number.as_f64().unwrap_or(f64::NAN);
            format!("{} ({})", as_given(fraction), percent(fraction))
        }
        (Value::String(word), Some(ParamType::Choice(choices))) => {
            choices.iter().find(|(name, _)| name == word).map_or_else(
                || word.clone(),
                |(_, meaning)| format!("{word} ({meaning})"),
            )
        }
        _ => plain(value),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => "not set".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), as_given),
        Value::String(text) => text.clone(),
        Value::Array(values) => joined(values.iter().map(plain), values.len()),
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(from, to)| format!("{from} → {}", plain(to)));
            joined(entries, map.len())
        }
    }
}

fn joined(entries: impl Iterator<Item = String>, n_entries: usize) -> String {
    if n_entries == 0 {
        return "none".to_owned();
    }
    let shown = entries.take(MAX_ENTRIES).collect::<Vec<_>>().join(", ");
    match n_entries.saturating_sub(MAX_ENTRIES) {
        0 => shown,
        n_more => format!("{shown}, and {} more", count(n_more as u64)),
    }
}

fn is_default(value: &Value, spec: Option<&ParamSpec>) -> bool {
    let Some(ParamDefault::Value(default)) = spec.map(|spec| spec.default) else {
        return false;
    };
    match default {
        ConstValue::Number(number) => value.as_f64() == Some(number),
        ConstValue::Integer(number) => value.as_i64() == Some(number),
        ConstValue::Flag(flag) => value.as_bool() == Some(flag),
        ConstValue::Text(text) => value.as_str() == Some(text),
        ConstValue::Integers(numbers) => value.as_array().is_some_and(|values| {
            values
                .iter()
                .map(Value::as_i64)
                .eq(numbers.iter().map(|&number| Some(number)))
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_come_with_their_meaning_and_exact_value() {
        let params = BTreeMap::from([
            ("window".to_owned(), json!(0.141_592_6)),
            ("missing".to_owned(), json!("skip")),
            ("keep_top".to_owned(), json!(0.0)),
            ("extra".to_owned(), json!({ "a": "b", "c": [1, true] })),
            ("strata".to_owned(), Value::Null),
        ]);
        let shown = list("rank-swap", &params).into_string();
        assert!(shown.contains("0.1415926 (14.16\u{202f}%)"), "{shown}");
        assert!(shown.contains("largest distance in rank"));
        assert!(shown.contains("skip (leave those cells out and say how many)"));
        assert!(shown.contains("the default"));
        assert!(shown.contains("a → b, c → 1, yes"));
        assert!(!shown.contains("strata"));
        assert!(
            shown.find("window") < shown.find("keep_top"),
            "in the order of the card"
        );
    }

    #[test]
    fn long_maps_are_cut_and_say_so() {
        let map: serde_json::Map<String, Value> =
            (0..30).map(|idx| (format!("v{idx}"), json!("x"))).collect();
        assert!(plain(&Value::Object(map)).ends_with("v23 → x, and 6 more"));
        assert_eq!(plain(&json!([])), "none");
    }
}
