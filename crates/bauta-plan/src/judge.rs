//! From figures to verdicts: what a record keeps of a measure, and whether its gates hold.

use bauta_data::Kind;
use bauta_methods::figure::Declared;
use bauta_methods::groups::not_measured;
use bauta_methods::keys::Semantics;
use bauta_methods::note::NoteRank;
use bauta_methods::pair::Rows;
use bauta_methods::{Family, Note, Subject};

use crate::measure::{Measured, without_records};
use crate::plan::{Gate, PlannedMeasure};
use crate::record::{GateRecord, MeasureFamily, MeasureRecord, params_record};

/// The parameter that says how a missing key value counts.
const SEMANTICS: &str = "semantics";

/// A key whose values need not be true any more.
pub(crate) struct PerturbedKey {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The steps that changed them.
    pub(crate) steps: Vec<String>,
}

/// What a reader of figures after masking must know of the way there.
pub(crate) struct Seen {
    /// Whether masked records can be traced.
    pub(crate) rows: Rows,
    /// Whether a comparison found anything that was masked.
    pub(crate) compares: bool,
    /// Keys that were counted and are perturbed.
    pub(crate) perturbed: Vec<PerturbedKey>,
}

/// The record of a measure from what was found before and after.
pub(crate) fn measure_record(
    planned: &PlannedMeasure,
    before: &Measured,
    after: &Measured,
    seen: Seen,
) -> MeasureRecord {
    let (card, declared) = (planned.measure.card(), planned.measure.declared());
    let mut notes = [&before.notes[..], &after.notes].concat();
    if seen.rows == Rows::Unrelated && declared.subject == Subject::CorrespondingPair {
        let reason = "the masked records do not correspond to the original ones";
        notes.push(not_measured(card.id, reason));
    } else if !seen.compares {
        notes.push(nothing_masked(card.id, &planned.on));
    }
    if !seen.perturbed.is_empty() {
        notes.push(perturbed_keys(&seen.perturbed));
    }
    if planned.params.choice_if_set(SEMANTICS) == Some(Semantics::Wild) {
        notes.push(counted_wild());
    }
    notes.sort_by(|a, b| a.text.cmp(&b.text));
    notes.dedup();
    MeasureRecord {
        id: card.id.to_owned(),
        title: card.title.to_owned(),
        family: match card.family {
            Family::Risk => MeasureFamily::Risk,
            Family::Score => MeasureFamily::Score,
            Family::Loss | Family::Mask | Family::Adjuster => MeasureFamily::Loss,
        },
        value: Declared::from(&declared.value),
        figures: declared.figures.iter().map(Declared::from).collect(),
        scenario: planned.scenario.clone(),
        on: planned.on.clone(),
        outliers: planned.groups.outliers,
        condition: planned.groups.condition.as_ref().map(ToString::to_string),
        params: params_record(&planned.params),
        perturbed: seen.perturbed.into_iter().map(|key| key.name).collect(),
        before: before.found.clone().map(without_records),
        after: after.found.clone().map(without_records),
        notes,
    }
}

/// No step changed what a comparison looks at, so that there is nothing to compare.
fn nothing_masked(measure: &str, on: &[String]) -> Note {
    let reason = if on.is_empty() {
        "no step masked a variable of its kind".to_owned()
    } else {
        format!("no step changed {}", on.join(", "))
    };
    not_measured(measure, &reason)
}

/// Keys were counted whose values need not be true any more.
fn perturbed_keys(keys: &[PerturbedKey]) -> Note {
    let by = |key: &PerturbedKey| format!("{} by {}", key.name, key.steps.join(", "));
    let by: Vec<String> = keys.iter().map(by).collect();
    let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
    let instead = if keys.iter().all(|key| key.kind == Kind::Continuous) {
        "the measures `pld` and `dld` look for those"
    } else {
        "the measure `pld` looks for those"
    };
    let text = format!(
        "not meaningful after masking: keys were perturbed ({}), and whoever knows their true values looks for near \
         records, not for equal ones; {instead}",
        by.join("; ")
    );
    Note::new("perturbed-keys", text)
        .with("variables", names)
        .ranked(NoteRank::Warning)
}

/// Blanks were taken for anything.
fn counted_wild() -> Note {
    let text = "under `wild` a blank equals every value, so that a few blank records make all others look safe: nothing \
                should be judged by it; `visible` counts what a reader of the file finds";
    Note::new("counted-wild", text).ranked(NoteRank::Warning)
}

/// Looks whether the figures after masking satisfy the gates.
pub(crate) fn judge(gates: &[Gate], measures: &[MeasureRecord]) -> Vec<GateRecord> {
    let of_gate = |gate: &Gate, measure: &MeasureRecord| {
        let after = measure.after.as_ref();
        let found = after.and_then(|found| gate.figure.of(found));
        let told = after.and_then(|found| gate.figure.of(&found.told()));
        let holds = |value: f64| {
            gate.at_least.is_none_or(|low| value >= low)
                && gate.at_most.is_none_or(|high| value <= high)
        };
        let (label, unit) = gate.figure.in_words(measure);
        GateRecord {
            measure: measure.id.clone(),
            scenario: measure.scenario.clone(),
            part: gate.figure.spelled(),
            label,
            unit,
            condition: measure.condition.clone(),
            at_least: gate.at_least,
            at_most: gate.at_most,
            found,
            few: told.is_none() && found.is_some(),
            perturbed: measure.perturbed.clone(),
            although_perturbed: gate.although_perturbed.clone(),
            // A figure that is not defined has not been shown to hold, and one of perturbed keys only where
            // somebody answers for it.
            passed: found.is_some_and(holds)
                && (measure.perturbed.is_empty() || gate.although_perturbed.is_some()),
            why: gate.why.clone(),
        }
    };
    let mut judged = Vec::new();
    for gate in gates {
        let looked_at = gate.measures.iter().map(|&position| &measures[position]);
        judged.extend(looked_at.map(|measure| of_gate(gate, measure)));
    }
    judged
}
