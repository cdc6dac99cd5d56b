//! From figures to verdicts: what a record keeps of a measure, and whether its gates hold.

use bauta_methods::{Family, Measurement, Note};

use crate::error::RunError;
use crate::measure::Measured;
use crate::plan::{Gate, PlannedMeasure};
use crate::record::{GateRecord, MeasureFamily, MeasureRecord, params_record};

/// The record of a measure from what was found before and after.
pub(crate) fn measure_record(
    planned: &PlannedMeasure,
    before: &Measured,
    after: &Measured,
) -> MeasureRecord {
    let (card, reading) = (planned.measure.card(), planned.measure.reading());
    let mut notes = [&before.notes[..], &after.notes].concat();
    notes.sort_by_key(Note::text);
    notes.dedup();
    MeasureRecord {
        id: card.id.to_owned(),
        title: card.title.to_owned(),
        family: match card.family {
            Family::Risk => MeasureFamily::Risk,
            Family::Score => MeasureFamily::Score,
            Family::Loss | Family::Mask | Family::Adjuster => MeasureFamily::Loss,
        },
        value_name: reading.value_name.to_owned(),
        better: reading.better,
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
pub(crate) fn judge(
    gates: &[Gate],
    measures: &[MeasureRecord],
) -> Result<Vec<GateRecord>, RunError> {
    let mut judged = Vec::new();
    for gate in gates {
        for &position in &gate.measures {
            let measure = &measures[position];
            let found = figure(measure, gate.part.as_deref())?;
            let holds = |value: f64| {
                gate.at_least.is_none_or(|low| value >= low)
                    && gate.at_most.is_none_or(|high| value <= high)
            };
            judged.push(GateRecord {
                measure: measure.id.clone(),
                scenario: measure.scenario.clone(),
                part: gate.part.clone(),
                condition: measure.condition.clone(),
                at_least: gate.at_least,
                at_most: gate.at_most,
                found,
                // A figure that is not defined has not been shown to hold.
                passed: found.is_some_and(holds),
                why: gate.why.clone(),
            });
        }
    }
    Ok(judged)
}

/// The figure that a gate looks at, after masking.
fn figure(measure: &MeasureRecord, part: Option<&str>) -> Result<Option<f64>, RunError> {
    let Some(after) = &measure.after else {
        return Ok(None);
    };
    let Some(part) = part else {
        return Ok(after.value);
    };
    match part {
        "outliers" if measure.outliers.is_some() => return Ok(after.outliers),
        "rest" if measure.outliers.is_some() => return Ok(after.rest),
        _ => {}
    }
    let parts = after.parts.iter().chain(&after.by_variable);
    match parts.clone().find(|candidate| candidate.name == part) {
        Some(found) => Ok(found.value),
        None => Err(RunError::UnknownPart {
            measure: measure.id.clone(),
            part: part.to_owned(),
            known: parts
                .map(|part| part.name.as_str())
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}
