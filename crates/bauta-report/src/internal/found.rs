//! What was measured: risk by scenario, loss by variable.

use bauta_plan::RunRecord;
use bauta_plan::record::{MeasureFamily, MeasureRecord};
use maud::{Markup, html};

use crate::charts::{self, Drawn};
use crate::exhibits;
use crate::figures;
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
    let body = html! {
        p { "Before is the input, after the masked file as it would be released." }
        @for (idx, scenario) in scenarios_of(&risks).into_iter().enumerate() {
            @let group: Vec<&MeasureRecord> =
                risks.iter().copied().filter(|risk| risk.scenario.as_deref() == scenario).collect();
            @let heading = scenario.map_or_else(
                || "Not tied to a scenario".to_owned(),
                |name| format!("Scenario {name}"),
            );
            h3 { (heading) }
            @if let Some(known) = record.scenarios.iter().find(|one| Some(one.name.as_str()) == scenario) {
                p { "Known: " (known.keys.join(", ")) "." }
            }
            (measures::table(&format!("{heading}: risk figures"), &group, &record.gates))
            (drawn(&group, &format!("risk-{idx}")))
            @for risk in &group { (tabulated::tables(risk)) }
            (shown(&group, &format!("risk-{idx}")))
            @for risk in &group { (listed::tables(risk)) }
        }
    };
    html! { (body) (dash_explained(&body)) }
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
    let column = |loss: &&MeasureRecord| Column::of(loss, &record.gates);
    let columns: Vec<Column> = losses.iter().filter_map(column).collect();
    let body = html! {
        @if !with_value.is_empty() {
            (measures::table("Loss of the file as a whole", &with_value, &record.gates))
        }
        (measures::by_variable("Loss by variable", &columns.iter().collect::<Vec<_>>()))
        (drawn(&with_value, "loss"))
        (shown(&losses, "loss"))
        @for (idx, loss) in descriptions.iter().enumerate() {
            h3 { (named(loss)) }
            p class="reading" { (reading(loss)) }
            (variable_tables(loss))
            (drawn(&[loss], &format!("about-{idx}")))
        }
        @for loss in &with_value { (variable_tables(loss)) }
    };
    html! { (body) (dash_explained(&body)) }
}

/// Loss weighed against risk, if the plan asks for it.
pub(super) fn scores(record: &RunRecord) -> Option<Markup> {
    let scores = of_family(record, MeasureFamily::Score);
    if scores.is_empty() {
        return None;
    }
    let body = html! {
        (measures::table("Scores", &scores, &record.gates))
        (drawn(&scores, "score"))
        (shown(&scores, "score"))
    };
    Some(html! { (body) (dash_explained(&body)) })
}

fn variable_tables(measure: &MeasureRecord) -> Markup {
    figures::tables(&figures::variable_figures(measure))
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

fn drawn(group: &[&MeasureRecord], id: &str) -> Markup {
    let mut all = Drawn::default();
    for (idx, measure) in group.iter().enumerate() {
        let one = charts::of_measure(measure, &format!("{id}-{idx}"));
        all.figures.extend(one.figures);
        all.remarks.extend(one.remarks);
    }
    all.figures.extend(charts::outliers(group, id));
    html! {
        (chart_grid(&all.figures))
        @for remark in &all.remarks { p class="soft" { (remark) } }
    }
}
