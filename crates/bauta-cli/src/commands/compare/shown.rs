//! Showing what was compared.

use std::borrow::Cow;

use bauta_methods::pair::Rows;
use bauta_methods::pair::row_order::{Ground, Verdict};
use bauta_methods::{Figure, Note, Series};
use bauta_methods::{Measurement, registry};
use bauta_plan::work::compare::{Compared, ComparedMeasure, Pairing};
use comfy_table::Cell;
use serde_json::json;

use crate::arguments::CompareArguments;
use crate::commands::risk::measure_json;
use crate::commands::run::FEW_RECORDS;
use crate::print::{object, out};
use crate::tables::{figure, table, text};

fn rows_name(rows: Rows) -> &'static str {
    match rows {
        Rows::Correspond => "correspond",
        Rows::Unrelated => "unrelated",
    }
}

/// How records were paired, as scripts read it.
fn pairing_json(pairing: &Pairing) -> serde_json::Value {
    let (by, verdict, variables) = match pairing {
        Pairing::Row(order) => {
            let verdict = match order.verdict {
                Verdict::Plausible => "plausible",
                Verdict::Undecided => "undecided",
                Verdict::Contradicted => "contradicted",
            };
            let variables = match &order.ground {
                Ground::InPlace { variables } | Ground::OtherOrder { variables, .. } => {
                    variables.as_slice()
                }
                Ground::Nearness(_) | Ground::Nothing => &[],
            };
            (Some("row"), Some(verdict), variables)
        }
        Pairing::Id { variables, .. } => (Some("id"), None, variables.as_slice()),
        Pairing::Run { .. } => (Some("run"), None, &[][..]),
        Pairing::LengthsDiffer | Pairing::NotTraceable => (None, None, &[][..]),
    };
    let n_not_masked = match pairing {
        Pairing::Id { n_not_masked, .. } | Pairing::Run { n_not_masked } => Some(n_not_masked),
        Pairing::Row(_) | Pairing::LengthsDiffer | Pairing::NotTraceable => None,
    };
    json!({
        "by": by,
        "verdict": verdict,
        "variables": variables,
        "not_in_masked": n_not_masked,
        "said": pairing.in_words(),
    })
}

/// The series as scripts read them. Those of a category that few records have are left out, and so are
/// name and value of such points.
fn series_json(series: &[Series]) -> Vec<serde_json::Value> {
    let told = series.iter().filter(|series| !series.few);
    let object = |series: &Series| {
        let points = series.points.iter().map(|point| {
            if point.few {
                json!({ "name": null, "value": null, "few": true })
            } else {
                json!({ "name": point.name, "value": point.value })
            }
        });
        let points: Vec<_> = points.collect();
        json!({ "name": series.spelled(), "unit": series.axis, "points": points })
    };
    told.map(object).collect()
}

/// One JSON object.
pub(super) fn print_json(arguments: &CompareArguments, compared: &Compared) {
    let Compared {
        pairing, on, found, ..
    } = compared;
    let nothing = Measurement::default();
    let measures: Vec<serde_json::Value> = found
        .iter()
        .map(|found| {
            let after = found.after.as_ref().unwrap_or(&nothing).told();
            let mut object = measure_json(found.id, &after);
            if !arguments.by_variable
                && let Some(object) = object.as_object_mut()
            {
                object.remove("by_variable");
            }
            if arguments.by_variable && !after.series.is_empty() {
                object["series"] = json!(series_json(&after.series));
                let n_withheld = after.series.iter().filter(|series| series.few).count();
                object["series_withheld"] = json!(n_withheld);
            }
            if arguments.outliers.is_some() && after.per_record.is_some() {
                object["outliers"] = json!(after.outliers);
                object["rest"] = json!(after.rest);
            }
            if let Some(before) = &found.before {
                object["before"] = measure_json(found.id, before);
            }
            object["scenario"] = json!(found.scenario);
            object["on"] = json!(found.on);
            object["notes"] = found.notes.iter().map(Note::to_json).collect();
            object
        })
        .collect();
    object(&json!({
        "original": compared.original,
        "masked": compared.masked,
        "records": rows_name(pairing.rows()),
        "pairing": pairing_json(pairing),
        "variables": on,
        "not_numbers": compared.no_numbers.iter().map(|(name, why)| json!({ "variable": name, "why": why })).collect::<Vec<_>>(),
        "dates": compared.dates,
        "unchanged": compared.unchanged,
        "overview": compared.overview,
        "outliers": arguments.outliers,
        "where": arguments.condition.as_ref().map(ToString::to_string),
        "measures": measures,
    }));
}

/// The variables of measures that look at others than the numbers that are compared, or the keys.
fn print_other_variables(arguments: &CompareArguments, compared: &Compared) {
    let mut told: Vec<(&[String], Vec<&str>)> = Vec::new();
    for found in &compared.found {
        if found.on == compared.on || found.on == arguments.keys || found.after.is_none() {
            continue;
        }
        match told.iter_mut().find(|(on, _)| *on == found.on) {
            Some((_, ids)) => ids.push(found.id),
            None => told.push((&found.on, vec![found.id])),
        }
    }
    for (on, ids) in told {
        out!("{} on {}", ids.join(", "), on.join(", "));
    }
}

/// A measurement as screens are told of it.
fn told(found: Option<&Measurement>) -> Option<Cow<'_, Measurement>> {
    found.map(Measurement::told)
}

/// One table.
pub(super) fn print_table(arguments: &CompareArguments, compared: &Compared) {
    let Compared { on, found, .. } = compared;
    if !on.is_empty() {
        out!("compared on {}", on.join(", "));
    }
    if !compared.no_numbers.is_empty() {
        let told = compared.no_numbers.iter();
        let told: Vec<String> = told.map(|(name, why)| format!("{name} ({why})")).collect();
        out!(
            "not compared as numbers: {}; --on takes what it names, --dates states how dates are spelled, and a plan says both",
            told.join(", ")
        );
    }
    if !compared.dates.is_empty() {
        out!(
            "dates are counted in days from 1 January 1970, so that figures relative to the value (il1, il1-symmetric, \
             il2 and what is made of them) depend on that day, and il1s does not: {}",
            compared.dates.join(", ")
        );
    }
    if !compared.unchanged.is_empty() {
        out!(
            "the same in every record, so that figures of 0 there are no merit of a mask: {}",
            compared.unchanged.join(", ")
        );
    }
    print_other_variables(arguments, compared);
    if let Some(condition) = &arguments.condition {
        out!("only records with {condition}; keys are counted in the whole file");
    }
    let apart = arguments.outliers.is_some();
    let mut headings = vec!["measure", "original", "masked"];
    if apart {
        headings.extend(["outliers", "rest"]);
    }
    let mut shown = table(headings);
    for found in found {
        let rows = rows(found, arguments);
        let name = match &found.scenario {
            Some(scenario) => format!("{} ({scenario})", found.id),
            None => found.id.to_owned(),
        };
        let mut add = |label: String, figures: Figures| {
            // A figure that does not exist for this measure leaves its cell empty.
            let cell = |value: Option<Option<f64>>| value.map_or_else(|| text(""), figure);
            let figures = figures.into_iter().take(if apart { 4 } else { 2 });
            let mut row: Vec<Cell> = vec![text(label)];
            row.extend(figures.map(cell));
            shown.add_row(row);
        };
        match rows.as_slice() {
            [] => {}
            [(label, figures)] => add(format!("{name}: {label}"), *figures),
            several => {
                add(name, [None; 4]);
                for (label, figures) in several {
                    add(format!("- {label}"), *figures);
                }
            }
        }
    }
    out!("{shown}");
    let mut all = found.iter().filter_map(|found| found.after.as_ref());
    if all.any(|found| !found.few.is_none()) {
        out!("{FEW_RECORDS}");
    }
}

/// Before, after, outliers and the rest; nothing where a measure has no such figure.
type Figures = [Option<Option<f64>>; 4];

/// The lines of one measure.
fn rows(found: &ComparedMeasure, arguments: &CompareArguments) -> Vec<(String, Figures)> {
    let (before, after) = (told(found.before.as_ref()), told(found.after.as_ref()));
    let before = before.as_deref();
    let declared = registry::measure(found.id).map(bauta_methods::Measure::declared);
    let value_name = declared.map_or("", |declared| declared.value.label);
    let Some(after) = &after else {
        return vec![("not measured (see the notes)".to_owned(), [None; 4])];
    };
    let mut rows = Vec::new();
    if !value_name.is_empty() {
        let of_records = after.per_record.is_some();
        let figures = [
            before.map(|before| before.value),
            Some(after.value),
            of_records.then_some(after.outliers),
            of_records.then_some(after.rest),
        ];
        rows.push((value_name.to_owned(), figures));
    }
    for Figure { name, value } in &after.figures {
        let before = before.map(|before| before.figure(name.clone()));
        let figure = declared.and_then(|declared| declared.figure(&name.id));
        let label = figure.map_or_else(|| name.spelled(), |figure| figure.describe(name));
        rows.push((label, [before, Some(*value), None, None]));
    }
    let by_variable = after.by_variable.iter().filter(|_| arguments.by_variable);
    rows.extend(by_variable.map(|part| (part.name.clone(), [None, Some(part.value), None, None])));
    rows
}
