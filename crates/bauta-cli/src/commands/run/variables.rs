//! What became of the variables of a run, and what each of the masked ones lost.

use bauta_data::{Kind, Role};
use bauta_methods::figure::Better;
use bauta_methods::mask::KindAfter;
use bauta_methods::{Family, Measure, Measurement, ParamDefault, Scope, registry};
use bauta_plan::Plan;
use bauta_plan::plan::Step;
use bauta_plan::record::{Fate, MeasureFamily, MeasureRecord, RunRecord, VariableRecord};

use crate::print::out;
use crate::tables::{Shown, count_text, figure_text, number_cell, table, text};
use crate::words::joined;

/// Prints what became of the variables.
pub(super) fn print(plan: &Plan, record: &RunRecord) {
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
    for line in not_measured(plan, record, &masked) {
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
                losses.join(", ")
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

/// A remark for figures of which more is better, among losses of which less is.
fn best_of(measure: &MeasureRecord) -> &'static str {
    match measure.value.better {
        Better::Higher => " (more is better)",
        Better::Lower | Better::Neither => "",
    }
}

fn loss_of(measure: &MeasureRecord, variable: &str) -> Option<String> {
    let found = measure.after.as_ref().map(Measurement::told)?;
    let condition = measure.condition.as_ref();
    let condition = condition.map_or_else(String::new, |condition| format!(" where {condition}"));
    let part = found.by_variable.iter().find(|part| part.name == variable);
    match part {
        // A measure that has no figure of a variable says nothing of it.
        Some(part) => part.value.map(|value| {
            format!(
                "{}{condition} {}{}",
                measure.id,
                figure_text(Some(value)),
                best_of(measure)
            )
        }),
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
fn not_measured(plan: &Plan, record: &RunRecord, masked: &[&VariableRecord]) -> Vec<String> {
    let mut groups: [(Compared, Vec<String>); 3] = [
        (Compared::As(Kind::Continuous), Vec::new()),
        (Compared::As(Kind::Unordered), Vec::new()),
        (Compared::AsIntervals, Vec::new()),
    ];
    // New numbers of households and calibrated weights are meant to be others.
    let is_content = |role: Role| !matches!(role, Role::Household | Role::Weight);
    let unmeasured = masked
        .iter()
        .filter(|variable| is_content(variable.role) && losses(record, &variable.name).is_empty());
    for variable in unmeasured {
        let as_what = Compared::of(plan, variable);
        let mut known = groups.iter_mut();
        if let Some((_, names)) = known.find(|(group, _)| *group == as_what) {
            names.push(variable.name.clone());
        }
    }
    let some = groups.iter().filter(|(_, names)| !names.is_empty());
    some.map(|(as_what, names)| {
        format!(
            "what masking lost of {} was not measured; {}",
            joined(names),
            as_what.advice(names)
        )
    })
    .collect()
}

/// What a masked variable can be compared with its original as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    /// A variable of this kind.
    As(Kind),
    /// Numbers that became intervals, which few measures compare.
    AsIntervals,
}

impl Compared {
    fn of(plan: &Plan, variable: &VariableRecord) -> Self {
        match variable.kind {
            Kind::Continuous if stays_number(plan, variable) => Self::As(Kind::Continuous),
            Kind::Continuous => Self::AsIntervals,
            _ => Self::As(Kind::Unordered),
        }
    }

    /// What to add to the plan.
    fn advice(self, names: &[String]) -> String {
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        let on = quoted.join(", ");
        let measures = match self {
            Self::As(kind) => by_variable(kind, kind),
            Self::AsIntervals => by_variable(Kind::Continuous, Kind::Ordered),
        };
        match measures.as_slice() {
            [] => "numbers became intervals; `bauta list --family loss` shows what there is"
                .to_owned(),
            [id] => format!("add [[measure]] use = [\"{id}\"], on = [{on}] to the plan"),
            [id, others @ ..] => format!(
                "add [[measure]] use = [\"{id}\"], on = [{on}] (or {}) to the plan",
                others.join(", ")
            ),
        }
    }
}

/// Whether a variable holds numbers before and after: intervals of them are compared as categories are.
fn stays_number(plan: &Plan, variable: &VariableRecord) -> bool {
    let is_kept = |step: &Step| {
        let touches = step.on.contains(&variable.name);
        !touches || step.facts().kind_after == KindAfter::Same
    };
    variable.kind == Kind::Continuous && plan.steps.iter().all(is_kept)
}

/// Most measures that are named.
const MAX_NAMED: usize = 3;

/// Measures of loss that look at variables of a kind one by one: the usual ones first, and of them those of few kinds.
fn by_variable(before: Kind, after: Kind) -> Vec<&'static str> {
    let fits = |measure: &&&'static dyn Measure| {
        let declared = measure.declared();
        measure.card().family == Family::Loss
            && declared.by_variable
            && declared.scope == Scope::Variables
            && declared.card.targets.kinds.contains(&before)
            && declared.afterwards.accepts(before, after)
            && (declared.card.params.iter()).all(|spec| spec.default != ParamDefault::Required)
    };
    let mut measures: Vec<&&'static dyn Measure> = registry::MEASURES.iter().filter(fits).collect();
    measures.sort_by_key(|measure| {
        (
            !measure.declared().value.headline,
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
            let named = by_variable(kind, kind);
            assert!(!named.is_empty() && named.len() <= MAX_NAMED, "{kind:?}");
        }
    }
}
