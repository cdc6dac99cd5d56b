//! `bauta list`: the methods there are.

use bauta_methods::registry;
use bauta_methods::schema::params_schema;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, ListArguments};
use crate::print::{object, out};
use crate::tables::{table, text};

pub(crate) fn run(arguments: &ListArguments, global: &Global) -> Outcome {
    let wanted = |family: &str| {
        arguments
            .family
            .as_deref()
            .is_none_or(|wanted| wanted == family)
    };
    let cards: Vec<_> = registry::cards()
        .filter(|card| wanted(card.family.name()))
        .collect();
    if global.json {
        let methods: Vec<serde_json::Value> = cards
            .iter()
            .map(|card| {
                json!({
                    "id": card.id,
                    "title": card.title,
                    "family": card.family.name(),
                    "summary": card.summary,
                    "parameters": params_schema(card),
                })
            })
            .collect();
        object(&json!({ "methods": methods }));
        return Outcome::Fine;
    }
    // Parameters are for whoever has chosen a method.
    let mut shown = table(["method", "family", "what it does"]);
    for card in cards {
        shown.add_row([text(card.id), text(card.family.name()), text(card.summary)]);
    }
    out!("{shown}");
    out!("`bauta explain METHOD` has the whole page of a method, with its parameters.");
    Outcome::Fine
}
