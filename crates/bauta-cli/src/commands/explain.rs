//! `bauta explain`: the page of a method, or the grammar of plans.

use bauta_data::near;
use bauta_methods::registry;
use bauta_methods::schema::params_schema;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{ExplainArguments, Global};
use crate::failure::Failure;
use crate::print::{exactly, object};

pub(crate) fn run(arguments: &ExplainArguments, global: &Global) -> Result<Outcome, Failure> {
    let wanted = arguments.method.as_str();
    if wanted == "plan" {
        if global.json {
            object(&json!({ "id": "plan", "page": bauta_plan::GRAMMAR }));
        } else {
            exactly(bauta_plan::GRAMMAR);
        }
        return Ok(Outcome::Fine);
    }
    let card = registry::card(wanted).ok_or_else(|| {
        let ids = registry::cards().map(|card| card.id).chain(["plan"]);
        Failure::mistake(
            format!("there is no method `{wanted}`"),
            near::hint(wanted, ids),
        )
    })?;
    if global.json {
        object(&json!({
            "id": card.id,
            "title": card.title,
            "family": card.family.name(),
            "summary": card.summary,
            "page": card.page,
            "parameters": params_schema(card),
            "references": card.references,
        }));
    } else {
        exactly(card.page);
    }
    Ok(Outcome::Fine)
}
