//! From figures to verdicts: what a record keeps of a measure, and whether its gates hold.

use bauta_methods::figure::Declared;
use bauta_methods::groups::not_measured;
use bauta_methods::pair::Rows;
use bauta_methods::{Family, Measurement, Subject};

use crate::measure::Measured;
use crate::plan::{Gate, PlannedMeasure};
use crate::record::{GateRecord, MeasureFamily, MeasureRecord, params_record};

/// The record of a measure from what was found before and after.
pub(crate) fn measure_record(
    planned: &PlannedMeasure,
    before: &Measured,
    after: &Measured,
    rows: Rows,
) -> MeasureRecord {
    let (card, declared) = (planned.measure.card(), planned.measure.declared());
    let mut notes = [&before.notes[..], &after.notes].concat();
    if rows == Rows::Unrelated && declared.subject == Subject::CorrespondingPair {
        let reason = "the masked records do not correspond to the original ones";
        notes.push(not_measured(card.id, reason));
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
        before: before.found.as_ref().map(without_records),
        after: after.found.as_ref().map(without_records),
        notes,
    }
}

/// Figures of single records are not part of the record.
fn without_records(found: &Measurement) -> Measurement {
    let mut aggregate = found.clone();
    aggregate.per_record = None;
    aggregate.cells_per_record = None;
    aggregate
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
            // A figure that is not defined has not been shown to hold.
            passed: found.is_some_and(holds),
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
