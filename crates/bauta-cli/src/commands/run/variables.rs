//! What became of the variables of a run, and what each of the masked ones lost.

use bauta_data::Kind;
use bauta_methods::{Family, Measure, Measurement, ParamDefault, Scope, registry};
use bauta_plan::record::{Fate, MeasureFamily, MeasureRecord, RunRecord, VariableRecord};

use crate::print::out;
use crate::tables::{Shown, count_text, figure_text, number_cell, table, text};
use crate::words::joined;

/// Prints what became of the variables.
pub(super) fn print(record: &RunRecord) {
    let masked: Vec<&VariableRecord> = with_fate(record, Fate::Masked).collect();
    let names = |fate| -> Vec<String> {
        let variables = with_fate(record, fate);
        variables.map(|variable| variable.name.clone()).collect()
    };
    out!("\nWhat became of the variables");
    let (dropped, untouched) = (names(Fate::Dropped), names(Fate::Untouched));
    if !dropped.is_empty() {
        out!("  left out: {}", joined(&dropped));
    }
    if !untouched.is_empty() {
        out!("  as they came: {}", joined(&untouched));
    }
    if masked.is_empty() {
        out!("  No variable was masked.");
        return;
    }
    out!("{}", masked_table(record, &masked));
    for line in not_measured(record, &masked) {
        out!("- {line}");
    }
}

fn with_fate(record: &RunRecord, fate: Fate) -> impl Iterator<Item = &VariableRecord> {
    let variables = record.variables.iter();
    variables.filter(move |variable| variable.fate == fate)
}

fn masked_table(record: &RunRecord, masked: &[&VariableRecord]) -> Shown {
    let mut shown = table(["masked", "cells changed", "suppressed", "loss"]);
    for variable in masked {
        let losses = losses(record, &variable.name);
        let changed = variable.n_changed;
        shown.add_row([
            text(variable.name.clone()),
            number_cell(changed.map_or_else(|| "-".to_owned(), count_text)),
            number_cell(count_text(variable.n_suppressed)),
            text(if losses.is_empty() {
                "not measured".to_owned()
            } else {
                losses.join("\n")
            }),
        ]);
    }
    shown
}

/// What measures of loss say of a variable: by itself, or together with others.
fn losses(record: &RunRecord, variable: &str) -> Vec<String> {
    let measures = record.measures.iter();
    let measures = measures.filter(|measure| measure.family == MeasureFamily::Loss);
    measures
        .filter_map(|measure| loss_of(measure, variable))
        .collect()
}

fn loss_of(measure: &MeasureRecord, variable: &str) -> Option<String> {
    let found = measure.after.as_ref().map(Measurement::told)?;
    let condition = measure.condition.as_ref();
    let condition = condition.map_or_else(String::new, |condition| format!(" where {condition}"));
    let part = found.by_variable.iter().find(|part| part.name == variable);
    match part {
        Some(part) => Some(format!(
            "{}{condition} {}",
            measure.id,
            figure_text(part.value)
        )),
        None if found.by_variable.is_empty() && measure.on.iter().any(|name| name == variable) => {
            let others = if measure.on.len() > 1 {
                " (with others)"
            } else {
                ""
            };
            let value = found.value.filter(|_| !measure.value.label.is_empty())?;
            Some(format!(
                "{}{condition} {}{others}",
                measure.id,
                figure_text(Some(value))
            ))
        }
        None => None,
    }
}

/// Masked variables whose loss nobody measured, and what would measure it.
fn not_measured(record: &RunRecord, masked: &[&VariableRecord]) -> Vec<String> {
    let unmeasured = masked
        .iter()
        .filter(|variable| losses(record, &variable.name).is_empty());
    let (numbers, categories): (Vec<&VariableRecord>, Vec<&VariableRecord>) =
        unmeasured.partition(|variable| variable.kind == Kind::Continuous);
    let mut lines = Vec::new();
    for variables in [numbers, categories] {
        let Some(first) = variables.first() else {
            continue;
        };
        let names: Vec<String> = variables.iter().map(|one| one.name.clone()).collect();
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        let measure = match by_variable(first.kind).as_slice() {
            [] => "a [[measure]] of loss".to_owned(),
            [id] => format!("[[measure]] use = [\"{id}\"], on = [{}]", quoted.join(", ")),
            [id, others @ ..] => format!(
                "[[measure]] use = [\"{id}\"], on = [{}] (or {})",
                quoted.join(", "),
                others.join(", ")
            ),
        };
        lines.push(format!(
            "what masking lost of {} was not measured; add {measure} to the plan",
            joined(&names)
        ));
    }
    lines
}

/// Most measures that are named.
const MAX_NAMED: usize = 3;

/// Measures of loss that look at variables of a kind one by one: the usual ones first, and of them those of few kinds.
fn by_variable(kind: Kind) -> Vec<&'static str> {
    let fits = |measure: &&&'static dyn Measure| {
        let declared = measure.declared();
        measure.card().family == Family::Loss
            && declared.by_variable
            && declared.scope == Scope::Variables
            && declared.card.targets.kinds.contains(&kind)
            && (declared.card.params.iter()).all(|spec| spec.default != ParamDefault::Required)
    };
    let mut measures: Vec<&&'static dyn Measure> = registry::MEASURES.iter().filter(fits).collect();
    measures.sort_by_key(|measure| {
        (
            !measure.declared().usual,
            measure.card().targets.kinds.len(),
        )
    });
    let ids = measures.iter().map(|measure| measure.card().id);
    ids.take(MAX_NAMED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_measure_of_loss_to_name() {
        for kind in Kind::ALL {
            let named = by_variable(kind);
            assert!(!named.is_empty() && named.len() <= MAX_NAMED, "{kind:?}");
        }
    }
}
