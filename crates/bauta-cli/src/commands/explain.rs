//! `bauta explain`: the page of a method, the grammar of plans, or what is ours for a name of another tool.

mod other_tools;

use bauta_data::near;
use bauta_methods::registry;
use bauta_methods::schema::params_schema;
use bauta_plan::work::other_tools::{Ours, Tool, find, nearest};
use serde_json::json;

use crate::Outcome;
use crate::arguments::{ExplainArguments, Global};
use crate::failure::Failure;
use crate::print::{exactly, object};

pub(crate) fn run(arguments: &ExplainArguments, global: &Global) -> Result<Outcome, Failure> {
    let wanted = arguments.name.join(" ");
    if wanted == "plan" {
        if global.json {
            object(&json!({ "id": "plan", "page": bauta_plan::GRAMMAR }));
        } else {
            exactly(bauta_plan::GRAMMAR);
        }
        return Ok(Outcome::Fine);
    }
    let Some(card) = registry::card(&wanted) else {
        return theirs(&wanted, global);
    };
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

/// What is ours for a name of another tool.
fn theirs(wanted: &str, global: &Global) -> Result<Outcome, Failure> {
    if let Some(tool) = Tool::called(wanted) {
        other_tools::show_tool(tool, global);
        return Ok(Outcome::Fine);
    }
    let found = find(wanted);
    if found.is_empty() {
        return Err(Failure::mistake(
            format!("there is no method `{wanted}`, and no other tool that we know has that name"),
            hint(wanted),
        ));
    }
    other_tools::show_names(wanted, &found, global);
    Ok(Outcome::Fine)
}

/// The nearest names, ours and theirs; theirs only where it leads to something else.
fn hint(wanted: &str) -> String {
    let ids = || registry::cards().map(|card| card.id).chain(["plan"]);
    let ours = near::nearest(wanted, ids());
    let theirs = nearest(wanted).filter(|(name, _)| {
        let mut leads_to = name.ours.iter().map(|ours| match ours {
            Ours::Method { id, .. } | Ours::Nearest { id, .. } => Some(*id),
            Ours::Command(_) | Ours::Plan(_) => None,
        });
        ours.is_none() || leads_to.all(|id| id != ours)
    });
    match (ours, theirs) {
        (Some(id), Some((name, spelling))) => format!(
            "did you mean `{id}`, or `{spelling}` of {}?",
            name.tool.name()
        ),
        (None, Some((name, spelling))) => {
            format!("did you mean `{spelling}` of {}?", name.tool.name())
        }
        (_, None) => near::hint(wanted, ids().collect::<Vec<_>>()),
    }
}
