//! What came of runs: one with all its figures, or several side by side, and all of them on the map of risk and utility.

use axum::extract::{Path, RawQuery, State};
use bauta_plan::RunRecord;
use bauta_report::{Comparison, parts};
use maud::{Markup, html};

use super::layout::{Page, Place, at};
use super::run::{button, outcome, verdict};
use crate::app::{Answer, Shared};
use crate::desk::Desk;
use crate::form::Form;
use crate::runs::KeptRun;

/// Runs that a map shows; more would hide each other.
const MOST_ON_MAP: usize = 30;

/// The page.
pub(crate) async fn show(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Form::read(query.unwrap_or_default().as_bytes());
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Compare,
        title: "Compare",
    };
    let runs = app.runs.of(&desk);
    let Some(newest) = runs.first() else {
        let body = html! {
            p { "There is nothing to compare yet: a run says what the plan leaves of risk and what it takes of use." }
            (button(&app, &desk, &present))
        };
        return Ok(page.with(&body));
    };
    let asked: Vec<u64> = query.all("runs").filter_map(|n| n.parse().ok()).collect();
    let mut chosen: Vec<&KeptRun> = runs.iter().filter(|run| asked.contains(&run.n)).collect();
    if chosen.is_empty() {
        chosen.push(newest);
    }
    // Oldest first, as one reads.
    chosen.sort_by_key(|run| run.n);
    let body = html! {
        @for run in chosen.iter().filter(|run| !run.is_of(&present.text)) {
            p class="warning" { (run.name()) " is of another version of the plan, or of other data, than those of now." }
        }
        // Side by side, runs have a map of their own.
        @if chosen.len() == 1 { (map(&runs)) }
        (choice(&desk, &runs, &chosen))
        @match chosen.as_slice() {
            [one] => (single(one)),
            several => (beside(several)),
        }
    };
    Ok(page.with(&body))
}

/// Every run as a point on the map of risk and utility, where they have figures for both.
fn map(runs: &[KeptRun]) -> Markup {
    let shown: Vec<&KeptRun> = runs.iter().take(MOST_ON_MAP).collect();
    let drawn = comparison(&numbered(&shown)).map();
    html! {
        @if let Some(drawn) = drawn {
            h2 { "Risk and utility of " @if runs.len() > MOST_ON_MAP { "the last " (MOST_ON_MAP) " runs" } @else { "all runs" } }
            (drawn)
        }
    }
}

/// Runs called by their numbers: the titles of their plans are mostly one.
fn numbered(runs: &[&KeptRun]) -> Vec<(String, RunRecord)> {
    let numbered = runs.iter().map(|run| {
        let mut record = RunRecord::clone(&run.record);
        record.plan.title = None;
        (run.name(), record)
    });
    numbered.collect()
}

fn comparison(numbered: &[(String, RunRecord)]) -> Comparison<'_> {
    let pairs: Vec<(&str, &RunRecord)> = (numbered.iter())
        .map(|(name, record)| (name.as_str(), record))
        .collect();
    Comparison::new(&pairs)
}

fn choice(desk: &Desk, runs: &[KeptRun], chosen: &[&KeptRun]) -> Markup {
    html! {
        form method="get" action=(at(&desk.name, "compare")) data-live="" {
            fieldset {
                legend { "Runs to look at; several are put side by side" }
                div class="boxes" {
                    @for run in runs {
                        label {
                            input type="checkbox" name="runs" value=(run.n) checked[chosen.iter().any(|one| one.n == run.n)];
                            " " (run.name()) " – " (verdict(run))
                        }
                    }
                }
            }
            p { button type="submit" { "Show" } }
        }
    }
}

fn single(run: &KeptRun) -> Markup {
    let record = &run.record;
    html! {
        h2 { (run.name()) }
        (outcome(run))
        (parts::headline(record))
        p class="mark" { "Confidential" }
        p { "What follows is the internal report's: of the riskiest records it shows the values of their keys." }
        (parts::measures(record))
        h2 { "What was done" }
        (parts::steps(record))
    }
}

fn beside(runs: &[&KeptRun]) -> Markup {
    comparison(&numbered(runs)).sections()
}
