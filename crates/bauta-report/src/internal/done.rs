//! What was done to which variables, and against whom.

use bauta_methods::pair::Rows;
use bauta_plan::RunRecord;
use bauta_plan::record::{Fate, StepRecord, VariableRecord};
use maud::{Markup, html};

use crate::charts;
use crate::headline::n_suppressed;
use crate::labels::Labels;
use crate::number::{NO_FIGURE, count, percent};
use crate::page::{chart_grid, scrolling};
use crate::params;
use crate::words::{fate, sentence};

/// The steps in order.
pub(super) fn steps(record: &RunRecord) -> Markup {
    let labels = Labels::of(record);
    html! {
        @if record.steps.is_empty() { p { "The plan has no steps; nothing was changed." } }
        @else { ol class="steps" { @for one in &record.steps { (step(one, &labels)) } } }
        @if record.rows == Rows::Unrelated {
            p {
                strong { "A step drew values anew, so that masked records do not correspond to the original ones." }
                " Variables that no such step worked on still stand in the records they came from."
                " Measures that compare a record with its own original were not taken; others compare files as a whole, or a record with the nearest original. Changed cells were not counted."
            }
        }
        @if record.shuffled { p { "The records were put in a new, random order." } }
        @else { p { "The records kept the order of the input." } }
    }
}

fn step(step: &StepRecord, labels: &Labels<'_>) -> Markup {
    let (on, unchanged) = (&step.on, &step.unchanged);
    html! {
        li {
            h3 { (step.title) }
            @if let Some(card) = bauta_methods::registry::card(&step.method) {
                p { (sentence(card.summary)) }
            }
            p {
                @if on.is_empty() { "Variables: none." } @else { "Variables: " strong { (labels.listed(on)) } "." }
                @if !unchanged.is_empty() { " " strong class="bad" { "Changed nothing in " (labels.listed(unchanged)) "." } }
            }
            @if let Some(why) = &step.why { p class="why" { "Why: " (why) } }
            @else { p class="soft" { "The plan gives no reason." } }
            (params::list(&step.method, &step.params))
            @if !step.notes.is_empty() {
                ul class="notes" { @for note in &step.notes { li { (note.in_full()) } } }
            }
        }
    }
}

/// What an intruder is assumed to know.
pub(super) fn scenarios(record: &RunRecord) -> Markup {
    if record.scenarios.is_empty() {
        return html! { p { "The plan describes no intruder." } };
    }
    let labels = Labels::of(record);
    let caption = "Scenarios: what an intruder could match the file with";
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Scenario" }
                    th scope="col" { "Known variables" }
                    th scope="col" { "Why it is plausible" }
                }
            }
            tbody {
                @for scenario in &record.scenarios {
                    tr {
                        th scope="row" { (scenario.name) }
                        td { (labels.listed(&scenario.keys)) }
                        td { (scenario.why.as_deref().unwrap_or("no reason given")) }
                    }
                }
            }
        }
    };
    scrolling(caption, &body)
}

/// The variables and what became of them.
pub(super) fn variables(record: &RunRecord) -> Markup {
    let caption = "The variables of the input, in file order";
    let n_records = record.input.n_records;
    let any_suppressed = record
        .variables
        .iter()
        .any(|variable| variable.n_suppressed > 0);
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Variable" }
                    th scope="col" { "Role" }
                    th scope="col" { "Kind" }
                    th scope="col" { "What became of it" }
                    th scope="col" class="number" { "Missing" }
                    th scope="col" class="number" { "Changed" }
                    th scope="col" class="number" { "Share changed" }
                    @if any_suppressed { th scope="col" class="number" { "Suppressed" } }
                }
            }
            tbody {
                @for variable in &record.variables {
                    (variable_row(variable, record, any_suppressed))
                }
                @if any_suppressed {
                    tr class="value" {
                        th scope="row" colspan="7" { "All together" }
                        td class="number" { (count(n_suppressed(record))) }
                    }
                }
            }
        }
    };
    let charts = [
        charts::changed_cells(&record.variables, n_records),
        charts::suppressed_cells(&record.variables),
    ];
    let charts: Vec<Markup> = charts.into_iter().flatten().collect();
    html! {
        (scrolling(caption, &body))
        p class="soft" {
            "Changed: present values whose text differs from the input, and values that were removed. "
            "– stands where there is nothing to compare."
        }
        (chart_grid(&charts))
    }
}

fn variable_row(variable: &VariableRecord, record: &RunRecord, with_suppressed: bool) -> Markup {
    let (n_records, purpose) = (record.input.n_records, record.purpose());
    let share = variable
        .n_changed
        .filter(|_| n_records > 0)
        .map(|n_changed| percent(n_changed as f64 / n_records as f64));
    html! {
        tr {
            th scope="row" {
                (variable.name)
                @if let Some(label) = &variable.label { " " span class="soft" { (label) } }
                @if !variable.declared { " " span class="soft" { "(not described in the plan)" } }
            }
            td { (variable.role.name()) }
            td { (variable.kind.name()) }
            td {
                @if variable.fate == Fate::Untouched { (fate(variable.fate, purpose)) }
                @else { strong { (fate(variable.fate, purpose)) } }
            }
            td class="number" { (count(variable.n_missing)) }
            td class="number" { (variable.n_changed.map_or_else(|| NO_FIGURE.to_owned(), count)) }
            td class="number" { (share.as_deref().unwrap_or(NO_FIGURE)) }
            @if with_suppressed { td class="number" { (count(variable.n_suppressed)) } }
        }
    }
}
