//! `bauta run`: a plan, carried out.

use std::borrow::Cow;
use std::fmt::Write as _;

use bauta_data::number::number_text;
use bauta_methods::note::NoteRank;
use bauta_methods::{FigureName, Measurement, Note, Unit};
use bauta_plan::judged::were_perturbed;
use bauta_plan::plan::NamedPath;
use bauta_plan::record::GateRecord;
use bauta_plan::record::{ClaimRecord, Counted, MeasureRecord, RunRecord, StepRecord};
use bauta_plan::run::{RunOptions, run as run_plan};
use bauta_plan::{Judged, Plan};
use bauta_report::HtmlRenderer;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, PlanArguments};
use crate::commands::check::{load, say_advice};
use crate::commands::risk::measure_json;
use crate::failure::Failure;
use crate::print::{object, out, say};
use crate::progress::Progress;
use crate::tables::{figure_beside, number_cell, table, text};

pub(crate) fn run(arguments: &PlanArguments, global: &Global) -> Result<Outcome, Failure> {
    let plan = load(&arguments.plan, global)?;
    if arguments.ungated && !plan.gates.is_empty() {
        say!("note: the plan sets gates, and they decide; --ungated changes nothing");
    }
    let record = carry_out(&plan, arguments.run_options(global), global)?;
    if global.json {
        print_json(&plan, &record);
    } else {
        print_summary(&plan, &record);
        say_advice(&plan);
    }
    Ok(verdict(&record))
}

/// Runs a plan with progress and the reports of `bauta-report`.
pub(crate) fn carry_out(
    plan: &Plan,
    options: RunOptions,
    global: &Global,
) -> Result<RunRecord, Failure> {
    let progress = Progress::new(global.quiet || global.json);
    let record = run_plan(plan, options, &progress, &HtmlRenderer)?;
    warn_of_older(plan, &record);
    Ok(record)
}

/// Warns of public files that are there and that this run did not write.
pub(crate) fn warn_of_older(plan: &Plan, record: &RunRecord) {
    let release = plan.output.release.as_ref();
    let public = [
        release.map(|release| &release.file),
        plan.output.external_report.as_ref(),
    ];
    let left = public
        .into_iter()
        .flatten()
        .filter(|file| file.path.exists());
    for file in left.filter(|_| !record.passed()) {
        say!(
            "warning: {} is from an earlier run and is not what this plan gives now",
            file.given
        );
    }
}

pub(crate) fn verdict(record: &RunRecord) -> Outcome {
    if record.passed() {
        Outcome::Fine
    } else {
        Outcome::Refused
    }
}

/// Why a figure of a subpopulation, or of outliers, is not on the screen.
pub(crate) const FEW_RECORDS: &str = "- figures of fewer than 10 records are not shown";

/// Prints what a run found, as scripts read it.
pub(crate) fn print_json(plan: &Plan, record: &RunRecord) {
    object(&run_object(plan, record));
}

/// What a run found, as scripts read it. The seed stays in the record.
pub(crate) fn run_object(plan: &Plan, record: &RunRecord) -> serde_json::Value {
    let measures: Vec<serde_json::Value> = record.measures.iter().map(measure_object).collect();
    let steps: Vec<serde_json::Value> = record.steps.iter().map(StepRecord::to_json).collect();
    let named = |path: &Option<NamedPath>| path.as_ref().map(|path| path.given.clone());
    let judged = Judged::of(record);
    json!({
        "input": record.input,
        "notes": record.notes.iter().map(Note::to_json).collect::<Vec<_>>(),
        "steps": steps,
        "measures": measures,
        "gates": record.gates.iter().map(gate_object).collect::<Vec<_>>(),
        "claims": record.claims,
        "advice": plan.advice,
        // Where nothing was judged, nothing was passed.
        "passed": (judged != Judged::Nothing).then(|| record.passed()),
        "judged": judged,
        "ungated": record.ungated,
        "released": record.released,
        "record": named(&plan.output.record),
        "report": named(&plan.output.report),
    })
}

/// A gate as scripts read it on a screen.
fn gate_object(gate: &GateRecord) -> serde_json::Value {
    let mut object = json!(gate);
    object["found"] = json!(gate.told());
    object
}

/// The figures after masking, and those before where there are such.
fn measure_object(measure: &MeasureRecord) -> serde_json::Value {
    let nothing = Measurement::default();
    let mut object = measure_json(&measure.id, measure.after.as_ref().unwrap_or(&nothing));
    object["scenario"] = json!(measure.scenario);
    object["on"] = json!(measure.on);
    object["perturbed"] = json!(measure.perturbed);
    if let Some(before) = &measure.before {
        object["before"] = measure_json(&measure.id, before);
    }
    object["notes"] = measure.notes.iter().map(Note::to_json).collect();
    object
}

/// Figures before and after, gates, and what was written.
pub(crate) fn print_summary(plan: &Plan, record: &RunRecord) {
    out!(
        "{} records, {} variables read",
        record.input.n_records,
        record.input.n_variables
    );
    for note in &record.notes {
        out!("  look at {}", note.text);
    }
    for step in &record.steps {
        out!("  {}: {}", step.key, step.on.join(", "));
        let notes = step.notes.iter();
        for note in notes.filter(|note| note.rank == NoteRank::Warning) {
            out!("    {}", note.text);
        }
    }
    out!("{}", measures_table(record));
    let mut found = record.measures.iter().filter_map(|of| of.after.as_ref());
    if found.any(|found| !found.few.is_none()) {
        out!("{FEW_RECORDS} and stand in the record");
    }
    for note in warnings(record) {
        out!("- {note}");
    }
    for gate in &record.gates {
        out!("gate {}", gate_text(gate));
    }
    for claim in &record.claims {
        out!("{}", claim_text(claim, "released file"));
    }
    match &record.released {
        Some(file) => {
            let judged = Judged::of(record);
            if let Some(missing) = judged.missing() {
                out!("NOT JUDGED: {missing}");
            }
            let word = if judged == Judged::Nothing {
                "written: "
            } else {
                "released:"
            };
            out!("{word} {} ({} records)", file.file, file.n_records);
        }
        None if record.gates.iter().all(|gate| gate.passed) => {
            out!("NOT released: the file, read again, is not as safe as claimed");
        }
        None => out!("NOT released: a gate does not hold"),
    }
    if let Some(path) = &plan.output.record {
        out!("record:   {} (confidential)", path.given);
    }
    if let Some(path) = &plan.output.report {
        out!("report:   {} (confidential)", path.given);
    }
    if let Some(path) = plan
        .output
        .external_report
        .as_ref()
        .filter(|_| record.passed())
    {
        out!("public:   {}", path.given);
    }
}

/// What counting a file again showed that was written.
pub(crate) fn claim_text(claim: &ClaimRecord, file: &str) -> String {
    let counted = match claim.counted {
        Counted::ReleasedFile => format!("{file} read and counted again"),
        Counted::BeforeSuppression => "values before suppression counted again".to_owned(),
    };
    format!(
        "{counted} on {} ({}; {}): {}",
        claim.keys_in_words(),
        claim.semantics,
        claim.by,
        claim.in_words()
    )
}

/// A gate with its verdict: bounds as they were given, and as many digits of what was found as show
/// on which side of them it lies.
fn gate_text(gate: &GateRecord) -> String {
    let bounds = [("at least", gate.at_least), ("at most", gate.at_most)];
    let limits: Vec<f64> = bounds.iter().filter_map(|(_, bound)| *bound).collect();
    let bounds: Vec<String> = bounds
        .into_iter()
        .filter_map(|(word, bound)| bound.map(|bound| format!("{word} {}", number_text(bound))))
        .collect();
    let name = match (&gate.scenario, &gate.part) {
        (None, None) => gate.measure.clone(),
        (Some(scenario), None) => format!("{} ({scenario})", gate.measure),
        (None, Some(part)) => format!("{} {part}", gate.measure),
        (Some(scenario), Some(part)) => format!("{} {part} ({scenario})", gate.measure),
    };
    let name = match &gate.condition {
        None => name,
        Some(condition) => format!("{name} where {condition}"),
    };
    let verdict = if gate.passed { "holds" } else { "FAILS" };
    let perturbed = were_perturbed(&gate.perturbed);
    let meaning = match &gate.although_perturbed {
        _ if gate.perturbed.is_empty() => String::new(),
        None => format!(" (not meaningful: {perturbed})"),
        Some(why) => format!(" (though {perturbed}: {why})"),
    };
    let found = match gate.found {
        None => "no figure".to_owned(),
        Some(_) => figure_beside(gate.told(), &limits),
    };
    format!(
        "{name} {}: {found} {verdict}{meaning}",
        bounds.join(" and ")
    )
}

/// What a reader of the figures must know of them, each once: why there is none, and what they do not mean.
fn warnings(record: &RunRecord) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for measure in &record.measures {
        let notes = measure.notes.iter();
        let warnings = notes.filter(|note| note.rank == NoteRank::Warning);
        out.extend(warnings.map(|note| match &measure.scenario {
            Some(scenario) => format!("{} ({scenario}): {}", measure.id, note.text),
            None => note.text.clone(),
        }));
    }
    out.dedup();
    out
}

/// Every figure that a gate judges has the digits that its verdict rests on.
fn measures_table(record: &RunRecord) -> comfy_table::Table {
    let mut shown = table(["measure", "of", "figure", "before", "after"]);
    for measure in &record.measures {
        let looked_at = looked_at(measure);
        // In brackets: a note below the table says what it does not mean.
        let is_perturbed = !measure.perturbed.is_empty();
        let limits = measure.limits(&record.gates);
        let figure = |value: Option<f64>| number_cell(figure_beside(value, &limits));
        let mut row = |name: &str, before: Option<f64>, after: Option<f64>| {
            shown.add_row([
                text(measure.id.clone()),
                text(looked_at.clone()),
                text(name),
                figure(before),
                match (after, is_perturbed) {
                    (Some(_), true) => number_cell(format!("({})", figure_beside(after, &limits))),
                    _ => figure(after),
                },
            ]);
        };
        let before = measure.before.as_ref().map(Measurement::told);
        let after = measure.after.as_ref().map(Measurement::told);
        let value = |found: &Option<Cow<'_, Measurement>>| found.as_ref()?.value;
        if !measure.value.label.is_empty() {
            row(&measure.value.label, value(&before), value(&after));
        }
        if let (Some(_), Some(found)) = (measure.outliers, &after)
            && (found.outliers.is_some() || found.rest.is_some())
        {
            row("outliers", None, found.outliers);
            row("rest", None, found.rest);
        }
        for (name, label) in headline_figures(measure) {
            let figure =
                |found: &Option<Cow<'_, Measurement>>| found.as_ref()?.figure(name.clone());
            row(&label, figure(&before), figure(&after));
        }
    }
    shown
}

/// Names of variables that fit into a table.
const MAX_NAMES: usize = 3;

/// What a measure looked at: a scenario, or variables and the records of a subpopulation.
fn looked_at(measure: &MeasureRecord) -> String {
    if let Some(scenario) = &measure.scenario {
        return scenario.clone();
    }
    let mut of = match measure.on.get(..MAX_NAMES) {
        Some(first) if measure.on.len() > MAX_NAMES + 1 => {
            let n_more = measure.on.len() - MAX_NAMES;
            format!("{} and {n_more} more", first.join(", "))
        }
        _ => measure.on.join(", "),
    };
    if let Some(condition) = &measure.condition {
        let _ = write!(of, " where {condition}");
    }
    of
}

/// Figures worth a line, in words: those of measures with a value, but neither the shares that stand
/// beside numbers of records nor the size of the file; descriptions are left to the report.
fn headline_figures(measure: &MeasureRecord) -> Vec<(FigureName, String)> {
    if measure.value.label.is_empty() {
        return Vec::new();
    }
    let found = measure.after.as_ref().or(measure.before.as_ref());
    let figures = found.into_iter().flat_map(|found| &found.figures);
    figures
        .filter_map(|figure| {
            let declared = measure.declared(&figure.name)?;
            let is_headline = declared.unit != Unit::Share && declared.id != "records";
            is_headline.then(|| (figure.name.clone(), declared.describe(&figure.name)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gate(at_least: Option<f64>, at_most: Option<f64>, found: f64, passed: bool) -> GateRecord {
        GateRecord {
            measure: "l-diversity".to_owned(),
            scenario: None,
            part: Some("smallest_entropy".to_owned()),
            label: "smallest entropy l".to_owned(),
            unit: Unit::Number,
            condition: None,
            at_least,
            at_most,
            found: Some(found),
            few: false,
            perturbed: Vec::new(),
            although_perturbed: None,
            passed,
            why: None,
        }
    }

    #[test]
    fn no_gate_reads_as_if_its_verdict_were_wrong() {
        let fails = gate(Some(3.0), None, 3.0_f64.next_down(), false);
        assert_eq!(
            gate_text(&fails),
            "l-diversity smallest_entropy at least 3: 2.9999999999999996 FAILS"
        );
        let fails = gate(None, Some(0.123_456_2), 0.123_456_4, false);
        assert_eq!(
            gate_text(&fails),
            "l-diversity smallest_entropy at most 0.1234562: 0.1234564 FAILS"
        );
        let holds = gate(Some(3.0), Some(4.0), 3.0, true);
        assert_eq!(
            gate_text(&holds),
            "l-diversity smallest_entropy at least 3 and at most 4: 3 holds"
        );
    }
}
