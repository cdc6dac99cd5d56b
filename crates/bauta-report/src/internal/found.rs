//! What was measured: risk by scenario, loss by variable.

use bauta_plan::RunRecord;
use bauta_plan::record::{MeasureFamily, MeasureRecord, Purpose};
use maud::{Markup, html};

use crate::charts::{self, Drawn};
use crate::exhibits;
use crate::figures;
use crate::labels::Labels;
use crate::measures::{self, Column, dash_explained};
use crate::page::chart_grid;
use crate::tabulated;
use crate::words::{named, reading};

use super::listed;

/// Risk before and after, scenario by scenario.
pub(super) fn risks(record: &RunRecord) -> Markup {
    let risks: Vec<&MeasureRecord> = of_family(record, MeasureFamily::Risk);
    if risks.is_empty() {
        return html! { p { "The plan measures no risk." } };
    }
    let labels = Labels::of(record);
    let body = html! {
        p { (before_and_after(record.purpose())) }
        @for (idx, scenario) in scenarios_of(&risks).into_iter().enumerate() {
            @let group: Vec<&MeasureRecord> =
                risks.iter().copied().filter(|risk| risk.scenario.as_deref() == scenario).collect();
            @let heading = scenario.map_or_else(
                || "Not tied to a scenario".to_owned(),
                |name| format!("Scenario {name}"),
            );
            h3 { (heading) }
            @if let Some(known) = record.scenarios.iter().find(|one| Some(one.name.as_str()) == scenario) {
                p { "Known: " (labels.listed(&known.keys)) "." }
            }
            (measures::table(&format!("{heading}: risk figures"), &group, &record.gates, &labels))
            (drawn(&group, &format!("risk-{idx}"), &labels))
            @for risk in &group { (tabulated::tables(risk, &labels)) }
            (shown(&group, &format!("risk-{idx}")))
            @for risk in &group { (listed::tables(risk, &labels)) }
        }
    };
    html! { (body) (dash_explained(&body)) }
}

const fn before_and_after(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Release => "Before is the input, after the masked file as it would be released.",
        Purpose::Calibration => {
            "Before is the input with its own weights, after the records that are left with their new weights."
        }
    }
}

/// The scenarios of measures in the order of their first occurrence, the file itself last.
fn scenarios_of<'a>(risks: &[&'a MeasureRecord]) -> Vec<Option<&'a str>> {
    let mut out: Vec<Option<&str>> = Vec::new();
    for risk in risks {
        let scenario = risk.scenario.as_deref();
        if !out.contains(&scenario) {
            out.push(scenario);
        }
    }
    out.sort_by_key(Option::is_none);
    out
}

/// What an analyst loses.
pub(super) fn losses(record: &RunRecord) -> Markup {
    let losses = of_family(record, MeasureFamily::Loss);
    if losses.is_empty() {
        return html! { p { "The plan measures no loss." } };
    }
    let (with_value, descriptions): (Vec<_>, Vec<_>) = losses
        .iter()
        .copied()
        .partition(|loss| measures::has_rows(loss));
    let labels = Labels::of(record);
    let column = |loss: &&MeasureRecord| Column::of(loss, &record.gates);
    let columns: Vec<Column> = losses.iter().filter_map(column).collect();
    let body = html! {
        @if !with_value.is_empty() {
            (measures::table("Loss of the file as a whole", &with_value, &record.gates, &labels))
        }
        (measures::by_variable("Loss by variable", &columns.iter().collect::<Vec<_>>(), &labels))
        (drawn(&with_value, "loss", &labels))
        (shown(&losses, "loss"))
        @for (idx, loss) in descriptions.iter().enumerate() {
            h3 { (named(loss)) }
            p class="reading" { (reading(loss)) }
            (variable_tables(loss, &labels))
            (drawn(&[loss], &format!("about-{idx}"), &labels))
        }
        @for loss in &with_value { (variable_tables(loss, &labels)) }
    };
    html! { (body) (dash_explained(&body)) }
}

/// Loss weighed against risk, if the plan asks for it.
pub(super) fn scores(record: &RunRecord) -> Option<Markup> {
    let scores = of_family(record, MeasureFamily::Score);
    if scores.is_empty() {
        return None;
    }
    let labels = Labels::of(record);
    let body = html! {
        (measures::table("Scores", &scores, &record.gates, &labels))
        (drawn(&scores, "score", &labels))
        (shown(&scores, "score"))
    };
    Some(html! { (body) (dash_explained(&body)) })
}

fn variable_tables(measure: &MeasureRecord, labels: &Labels<'_>) -> Markup {
    figures::tables(&figures::variable_figures(measure), labels)
}

fn of_family(record: &RunRecord, family: MeasureFamily) -> Vec<&MeasureRecord> {
    record
        .measures
        .iter()
        .filter(|measure| measure.family == family)
        .collect()
}

/// What measures show for themselves.
fn shown(group: &[&MeasureRecord], id: &str) -> Markup {
    html! {
        @for (idx, measure) in group.iter().enumerate() {
            (exhibits::of_measure(measure, &format!("{id}-{idx}-shown")))
        }
    }
}

fn drawn(group: &[&MeasureRecord], id: &str, labels: &Labels<'_>) -> Markup {
    let mut all = Drawn::default();
    for (idx, measure) in group.iter().enumerate() {
        let one = charts::of_measure(measure, &format!("{id}-{idx}"), labels);
        all.figures.extend(one.figures);
        all.remarks.extend(one.remarks);
    }
    all.figures.extend(charts::outliers(group, id));
    html! {
        (chart_grid(&all.figures))
        @for remark in &all.remarks { p class="soft" { (remark) } }
    }
}
