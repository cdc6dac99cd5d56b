//! The published schema describes what is written. A validator for the part of JSON Schema that
//! the schema uses; it panics on any keyword that it does not know.

use serde_json::{Map, Value};

use bauta_plan::RunRecord;

use crate::support::{OUTPUT, VARIABLES, folder, record_of};

struct Validator {
    definitions: Map<String, Value>,
}

impl Validator {
    fn fits(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        let Value::Object(schema) = schema else {
            // `true` allows anything.
            return (schema == &Value::Bool(true))
                .then_some(())
                .ok_or_else(|| format!("{place}: not allowed"));
        };
        for (keyword, rule) in schema {
            self.obeys(keyword, rule, value, place)?;
        }
        Ok(())
    }

    fn obeys(&self, keyword: &str, rule: &Value, value: &Value, place: &str) -> Result<(), String> {
        let wrong = |what: &str| Err(format!("{place}: {what}"));
        match keyword {
            "$ref" => {
                let name = rule.as_str().unwrap().rsplit('/').next().unwrap();
                self.fits(&self.definitions[name], value, place)
            }
            "type" => {
                let types = rule
                    .as_array()
                    .cloned()
                    .unwrap_or_else(|| vec![rule.clone()]);
                let is = |name: &Value| match name.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    "integer" => value.is_u64() || value.is_i64(),
                    "number" => value.is_number(),
                    other => panic!("type {other}"),
                };
                if types.iter().any(is) {
                    Ok(())
                } else {
                    wrong("type")
                }
            }
            "properties" => {
                let properties = rule.as_object().unwrap().iter();
                let mut present = properties
                    .filter_map(|(name, rule)| value.get(name).map(|value| (name, rule, value)));
                present.try_for_each(|(name, rule, value)| {
                    self.fits(rule, value, &format!("{place}.{name}"))
                })
            }
            "required" => {
                let absent = rule
                    .as_array()
                    .unwrap()
                    .iter()
                    .find(|name| value.get(name.as_str().unwrap()).is_none());
                absent.map_or(Ok(()), |name| wrong(&format!("{name} is absent")))
            }
            "items" | "prefixItems" | "minItems" | "maxItems" => {
                self.list_obeys(keyword, rule, value, place)
            }
            "additionalProperties" => {
                let mut entries = value.as_object().into_iter().flatten();
                entries.try_for_each(|(name, value)| {
                    self.fits(rule, value, &format!("{place}.{name}"))
                })
            }
            "anyOf" | "oneOf" => {
                let rules = rule.as_array().unwrap();
                let some = rules
                    .iter()
                    .any(|rule| self.fits(rule, value, place).is_ok());
                if some { Ok(()) } else { wrong(keyword) }
            }
            "const" => {
                if rule == value {
                    Ok(())
                } else {
                    wrong("const")
                }
            }
            "enum" => {
                if rule.as_array().unwrap().contains(value) {
                    Ok(())
                } else {
                    wrong("enum")
                }
            }
            "minimum" => {
                if value.is_null() || value.as_f64() >= rule.as_f64() {
                    Ok(())
                } else {
                    wrong("minimum")
                }
            }
            "maximum" => {
                if value.is_null() || value.as_f64() <= rule.as_f64() {
                    Ok(())
                } else {
                    wrong("maximum")
                }
            }
            "$schema" | "$defs" | "title" | "description" | "format" | "default" => Ok(()),
            other => panic!("the validator does not know `{other}`"),
        }
    }
}

impl Validator {
    fn list_obeys(
        &self,
        keyword: &str,
        rule: &Value,
        value: &Value,
        place: &str,
    ) -> Result<(), String> {
        let Some(items) = value.as_array() else {
            return Ok(());
        };
        let limit = || rule.as_u64().unwrap() as usize;
        let fits = |(i, (rule, item)): (usize, (&Value, &Value))| {
            self.fits(rule, item, &format!("{place}[{i}]"))
        };
        match keyword {
            "items" => {
                let mut items = std::iter::repeat(rule).zip(items).enumerate();
                items.try_for_each(fits)
            }
            "prefixItems" => {
                let rules = rule.as_array().unwrap().iter();
                rules.zip(items).enumerate().try_for_each(fits)
            }
            "minItems" if items.len() < limit() => Err(format!("{place}: {keyword}")),
            "maxItems" if items.len() > limit() => Err(format!("{place}: {keyword}")),
            _ => Ok(()),
        }
    }
}

#[test]
fn a_record_fits_the_published_schema_and_a_broken_one_does_not() {
    let folder = folder();
    let steps = "[[step]]\nmask = \"rank-swap\"\non = [\"income\"]\nwindow = 0.2\n\
        [[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n";
    let record = record_of(folder.path(), &format!("{VARIABLES}{steps}{OUTPUT}"));
    let schema = RunRecord::schema();
    let validator = Validator {
        definitions: schema["$defs"].as_object().unwrap().clone(),
    };
    let json = serde_json::to_value(&record).unwrap();
    validator.fits(&schema, &json, "record").unwrap();
    for (pointer, broken) in [
        ("/seed", Value::from("7")),
        ("/steps/0/on", Value::Null),
        ("/measures/0/value/better", Value::from("best")),
        ("/measures/1/after/listed/0/key/0/0", Value::from(7)),
    ] {
        let mut json = json.clone();
        *json.pointer_mut(pointer).unwrap() = broken;
        assert!(
            validator.fits(&schema, &json, "record").is_err(),
            "{pointer}"
        );
    }
}
