//! The JSON schema of a method's parameters, made from its card.

use serde_json::{Map, Value, json};

use crate::card::{Card, ConstValue, ParamDefault, ParamSpec, ParamType};

/// The JSON schema of a method's parameters.
pub fn params_schema(card: &Card) -> Value {
    let properties: Map<String, Value> = card
        .params
        .iter()
        .map(|spec| (spec.name.to_owned(), param_schema(spec)))
        .collect();
    let required: Vec<&str> = card
        .params
        .iter()
        .filter(|spec| spec.default == ParamDefault::Required)
        .map(|spec| spec.name)
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": card.id,
        "description": card.summary,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn param_schema(spec: &ParamSpec) -> Value {
    let mut schema = match spec.ty {
        ParamType::Fraction { min, max } | ParamType::Number { min, max } => {
            number_schema(min, max)
        }
        ParamType::Integer { min, max } => integer_schema(min, max),
        ParamType::Flag => json!({ "type": "boolean" }),
        ParamType::Choice(choices) => {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            json!({ "type": "string", "enum": names })
        }
        ParamType::RisingNumbers => json!({ "type": "array", "items": { "type": "number" } }),
        ParamType::Numbers { min, max } => {
            json!({ "type": "array", "items": number_schema(min, max), "minItems": 1 })
        }
        ParamType::Integers { min, max } => {
            json!({ "type": "array", "items": integer_schema(min, max), "uniqueItems": true })
        }
        ParamType::Counts { min, max } => {
            json!({ "type": "array", "items": integer_schema(min, max) })
        }
        ParamType::Texts | ParamType::Variables | ParamType::Terms => {
            json!({ "type": "array", "items": { "type": "string" } })
        }
        ParamType::TextMap => {
            json!({ "type": "object", "additionalProperties": { "type": "string" } })
        }
        ParamType::KeySets => {
            let names = json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 });
            json!({ "anyOf": [names, { "type": "object", "additionalProperties": names }] })
        }
        ParamType::NumberMap { min, max } => {
            json!({ "type": "object", "additionalProperties": number_schema(min, max) })
        }
        ParamType::NumberRows { min, max } => {
            let row = json!({ "type": "array", "items": number_schema(min, max), "minItems": 1 });
            json!({ "type": "array", "items": row, "minItems": 1 })
        }
    };
    schema["description"] = json!(spec.meaning);
    if let ParamDefault::Value(value) = spec.default {
        schema["default"] = const_json(value);
    }
    schema
}

fn number_schema(min: f64, max: f64) -> Value {
    let mut schema = json!({ "type": "number" });
    if min.is_finite() {
        schema["minimum"] = json!(min);
    }
    if max.is_finite() {
        schema["maximum"] = json!(max);
    }
    schema
}

fn integer_schema(min: i64, max: i64) -> Value {
    let mut schema = json!({ "type": "integer", "minimum": min });
    if max != i64::MAX {
        schema["maximum"] = json!(max);
    }
    schema
}

fn const_json(value: ConstValue) -> Value {
    match value {
        ConstValue::Number(value) => json!(value),
        ConstValue::Integer(value) => json!(value),
        ConstValue::Flag(value) => json!(value),
        ConstValue::Text(value) => json!(value),
        ConstValue::Integers(values) => json!(values),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn every_parameter_is_described_and_limits_are_stated() {
        for card in registry::cards() {
            let schema = params_schema(card);
            for spec in card.params {
                let property = &schema["properties"][spec.name];
                assert!(
                    property["description"].is_string(),
                    "{} {}",
                    card.id,
                    spec.name
                );
            }
        }
        let window = &params_schema(registry::card("rank-swap").unwrap())["properties"]["window"];
        assert_eq!(window["maximum"], 1.0);
    }
}
