//! Parameters as they were given, before their method has seen them.

use std::borrow::Cow;

use bauta_data::number::number_text;
use bauta_methods::RawValue;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::problem::Spot;

/// Parameters as they were given, in their order. In JSON and TOML they stand beside the other keys
/// of their step or measure.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Given(pub Vec<(Spot<String>, Spot<RawValue>)>);

impl Given {
    /// Adds a parameter.
    pub fn push(&mut self, name: &str, value: impl IntoRaw) {
        self.0.push((name.into(), value.into_raw().into()));
    }

    /// The parameters without their places.
    pub fn plain(&self) -> Vec<(String, RawValue)> {
        let plain = self.0.iter();
        plain
            .map(|(name, value)| (name.value.clone(), value.value.clone()))
            .collect()
    }
}

/// What a parameter can be given as.
pub trait IntoRaw {
    /// The value as methods take it.
    fn into_raw(self) -> RawValue;
}

impl IntoRaw for RawValue {
    fn into_raw(self) -> RawValue {
        self
    }
}

impl IntoRaw for f64 {
    fn into_raw(self) -> RawValue {
        RawValue::Number(self)
    }
}

impl IntoRaw for i64 {
    fn into_raw(self) -> RawValue {
        RawValue::Integer(self)
    }
}

impl IntoRaw for i32 {
    fn into_raw(self) -> RawValue {
        RawValue::Integer(self.into())
    }
}

impl IntoRaw for bool {
    fn into_raw(self) -> RawValue {
        RawValue::Flag(self)
    }
}

impl IntoRaw for &str {
    fn into_raw(self) -> RawValue {
        RawValue::Text(self.to_owned())
    }
}

impl<T: IntoRaw, const N: usize> IntoRaw for [T; N] {
    fn into_raw(self) -> RawValue {
        RawValue::List(self.into_iter().map(IntoRaw::into_raw).collect())
    }
}

impl<T: IntoRaw> IntoRaw for Vec<T> {
    fn into_raw(self) -> RawValue {
        RawValue::List(self.into_iter().map(IntoRaw::into_raw).collect())
    }
}

/// JSON has no infinity: such a number stands as `{ "$number": "inf" }`.
const NUMBER: &str = "$number";

fn to_json(raw: &RawValue) -> Value {
    match raw {
        RawValue::Integer(value) => Value::from(*value),
        RawValue::Number(value) if value.is_finite() => Value::from(*value),
        RawValue::Number(value) => serde_json::json!({ NUMBER: number_text(*value) }),
        RawValue::Flag(value) => Value::from(*value),
        RawValue::Text(text) => Value::from(text.as_str()),
        RawValue::List(items) => Value::Array(items.iter().map(to_json).collect()),
        RawValue::Map(pairs) => {
            let pairs = pairs.iter();
            Value::Object(
                pairs
                    .map(|(name, value)| (name.clone(), to_json(value)))
                    .collect(),
            )
        }
    }
}

/// The value that JSON means; none for `null` and for whole numbers out of range.
fn of_json(value: Value) -> Option<RawValue> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(flag) => RawValue::Flag(flag),
        Value::Number(number) if number.is_f64() => RawValue::Number(number.as_f64()?),
        Value::Number(number) => RawValue::Integer(number.as_i64()?),
        Value::String(text) => RawValue::Text(text),
        Value::Array(items) => {
            RawValue::List(items.into_iter().map(of_json).collect::<Option<_>>()?)
        }
        Value::Object(pairs) => {
            if let (1, Some(Value::String(text))) = (pairs.len(), pairs.get(NUMBER)) {
                return text.parse().ok().map(RawValue::Number);
            }
            let pairs = pairs.into_iter();
            let pairs = pairs.map(|(name, value)| Some((name, of_json(value)?)));
            RawValue::Map(pairs.collect::<Option<_>>()?)
        }
    })
}

impl Serialize for Given {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(&name.value, &to_json(value))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs = serde_json::Map::deserialize(deserializer)?;
        let read = pairs.into_iter().map(|(name, value)| {
            let value = of_json(value).ok_or_else(|| {
                D::Error::custom(format!(
                    "`{name}` must be a number, text, flag, list or table"
                ))
            })?;
            Ok((Spot::from(name), Spot::from(value)))
        });
        read.collect::<Result<_, _>>().map(Self)
    }
}

impl JsonSchema for Given {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Given".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": true })
    }
}
