//! Taking the measures of a run, and judging them.

use bauta_data::Table;
use bauta_methods::figure::Declared;
use bauta_methods::note::KnownNote;
use bauta_methods::pair::Rows;
use bauta_methods::{
    Family, Files, MeasureTask, Measurement, MethodError, Note, RunContext, Subject, measure_groups,
};

use crate::plan::{Asked, Gate, Plan, PlannedMeasure};
use crate::record::{GateRecord, MeasureFamily, MeasureRecord, params_record};
use crate::run::{RunError, RunWatch};

/// What a measure found, if there was something to look at, and what it stated.
#[derive(Default)]
pub(crate) struct Measured {
    found: Option<Measurement>,
    notes: Vec<Note>,
}

/// Takes each measure of the files that `files` gives it; none means that it does not apply.
pub(crate) fn measure_all<'t>(
    plan: &Plan,
    measures: &[PlannedMeasure],
    seed: u64,
    watch: &dyn RunWatch,
    original: &'t Table,
    files: &dyn Fn(&PlannedMeasure) -> Option<Files<'t>>,
) -> Result<Vec<Measured>, RunError> {
    let mut measured = Vec::new();
    for planned in measures {
        measured.push(match files(planned) {
            Some(files) => measure_one(plan, planned, files, original, seed, watch)?,
            None => Measured::default(),
        });
    }
    Ok(measured)
}

fn measure_one(
    plan: &Plan,
    planned: &PlannedMeasure,
    files: Files<'_>,
    original: &Table,
    seed: u64,
    watch: &dyn RunWatch,
) -> Result<Measured, RunError> {
    let id = planned.measure.card().id;
    let context = RunContext::new(seed, format!("measure {id}"), watch);
    // A variable that was dropped is no longer there to be known, so the others are measured.
    let (on, gone): (Vec<String>, Vec<String>) = match files {
        Files::One(table) => planned
            .on
            .iter()
            .cloned()
            .partition(|name| table.index_of(name).is_some()),
        Files::Both(_) => (planned.on.clone(), Vec::new()),
    };
    if !gone.is_empty() {
        context.note(KnownNote::VariablesGone { variables: gone });
    }
    if on.is_empty() {
        return Ok(Measured {
            found: None,
            notes: context.into_notes(),
        });
    }
    let task = MeasureTask::new(files, &on, &planned.params);
    let found = match measure_groups(planned.measure, &task, &planned.groups, original, &context) {
        Ok(found) => Some(found),
        // Nobody asked for this measure by name, so that data unfit for it must not stop the run.
        Err(error @ (MethodError::Data { .. } | MethodError::Request { .. }))
            if planned.asked == Asked::ByDefault =>
        {
            context.note(KnownNote::NotMeasured {
                measure: id.to_owned(),
                reason: error.to_string(),
            });
            None
        }
        Err(error) => return Err(method_error(plan, planned, error)),
    };
    Ok(Measured {
        found,
        notes: context.into_notes(),
    })
}

fn method_error(plan: &Plan, planned: &PlannedMeasure, error: MethodError) -> RunError {
    let id = planned.measure.card().id;
    RunError::Method {
        place: match &planned.scenario {
            Some(scenario) if plan.scenarios.len() > 1 => {
                format!("measure `{id}` of `{scenario}`")
            }
            _ => format!("measure `{id}`"),
        },
        line: None,
        error: Box::new(error),
    }
}

/// The record of a measure from what was found before and after.
pub(crate) fn measure_record(
    planned: &PlannedMeasure,
    before: Measured,
    after: Measured,
    rows: Rows,
) -> MeasureRecord {
    let (card, declared) = (planned.measure.card(), planned.measure.declared());
    let mut notes = [before.notes, after.notes].concat();
    if rows == Rows::Unrelated && planned.measure.declared().subject == Subject::CorrespondingPair {
        notes.push(
            KnownNote::NotMeasured {
                measure: card.id.to_owned(),
                reason: "the masked records do not correspond to the original ones".to_owned(),
            }
            .into(),
        );
    }
    notes.sort_by(|a, b| a.text.cmp(&b.text));
    notes.dedup();
    // Figures of single records are not part of the record.
    let aggregate = |found: Measurement| Measurement {
        per_record: None,
        cells_per_record: None,
        ..found
    };
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
        before: before.found.map(aggregate),
        after: after.found.map(aggregate),
        notes,
    }
}

/// Looks whether the figures after masking satisfy the gates.
pub(crate) fn judge(gates: &[Gate], measures: &[MeasureRecord]) -> Vec<GateRecord> {
    let each = gates
        .iter()
        .flat_map(|gate| gate.measures.iter().map(move |&position| (gate, position)));
    each.map(|(gate, position)| {
        let measure = &measures[position];
        let found = measure.after.as_ref();
        let found = found.and_then(|found| gate.figure.of(found));
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
            // A figure that is not defined has not been shown to hold.
            passed: found.is_some_and(holds),
            why: gate.why.clone(),
        }
    })
    .collect()
}
