//! A comparison as one JSON object.

use bauta_plan::record::StepRecord;
use serde_json::{Value, json};

use super::shared::{Line, SharedMeasure, only_once, shared};
use super::{Comparison, Run};
use crate::headline::n_suppressed;

pub(super) fn object(comparison: &Comparison<'_>) -> Value {
    let runs = &comparison.runs;
    let alone = only_once(runs).into_iter().map(|(measure, run)| {
        json!({ "id": measure.id, "scenario": measure.scenario, "condition": measure.condition, "run": run })
    });
    json!({
        "same_input": comparison.same_input(),
        "runs": runs.iter().map(run_object).collect::<Vec<_>>(),
        "measures": shared(runs).iter().map(measure_object).collect::<Vec<_>>(),
        "only_in_one": alone.collect::<Vec<_>>(),
    })
}

fn run_object(run: &Run<'_>) -> Value {
    let record = run.record;
    json!({
        "name": run.name,
        "input": record.input,
        "steps": record.steps.iter().map(StepRecord::to_json).collect::<Vec<_>>(),
        "released": record.released,
        "suppressed": n_suppressed(record),
        "gates": record.gates,
        "claims": record.claims,
        "passed": record.passed(),
    })
}

fn measure_object(measure: &SharedMeasure<'_>) -> Value {
    let series: Vec<Value> = measure
        .series
        .iter()
        .map(|one| json!({ "name": one.spelled, "unit": one.axis, "points": lines(&one.points) }))
        .collect();
    json!({
        "id": measure.first.id,
        "title": measure.first.title,
        "scenario": measure.first.scenario,
        "condition": measure.first.condition,
        "columns": measure.columns,
        "originals": measure.n_originals,
        "figures": lines(&measure.figures),
        "by_variable": lines(&measure.by_variable),
        "series": series,
        "remarks": measure.remarks,
    })
}

fn lines(lines: &[Line]) -> Vec<Value> {
    let objects = lines.iter();
    objects
        .map(|line| json!({ "name": line.spelled, "values": line.values }))
        .collect()
}
