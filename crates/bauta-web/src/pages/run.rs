//! Trying the plan: runs in the background, one after the other, and what came of each.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse as _;
use bauta_plan::{Judged, RunRecord};
use bauta_report::{Audience, csv_tables, html as report_html, parts};
use maud::{Markup, html};

use super::layout::{Page, Place, at, hidden, token};
use crate::app::{Answer, App, Shared, Unanswered, not_changed, see, version_of};
use crate::desk::{Desk, Present};
use crate::doors::OF_REPORTS;
use crate::form::Form;
use crate::jobs::{Job, Standing, Task};
use crate::runs::{KeptRun, try_out};

/// The page.
pub(crate) async fn show(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Run,
        title: "Run",
    };
    let runs = app.runs.of(&desk);
    let body = html! {
        p {
            "A run here does all that " code { "bauta run" } " does and releases nothing: the file is made, counted again as the public "
            "would read it, and removed. You can go on working meanwhile, and ask for further runs of other versions."
        }
        (button(&app, &desk, &present))
        (failures(&app, &desk))
        (listed(&app, &desk, &present, &runs))
    };
    Ok(page.with(&body))
}

/// The button that runs the plan as it is now.
pub(crate) fn button(app: &App, desk: &Desk, present: &Present) -> Markup {
    html! {
        form method="post" action=(at(&desk.name, "run")) {
            (hidden(app, present.version))
            button class="main" type="submit" disabled[present.plan.is_none()] { "Run this plan" }
        }
    }
}

/// The last run or release, if it came to nothing.
pub(crate) fn failures(app: &App, desk: &Desk) -> Markup {
    let jobs = app.jobs.of_plan(&desk.name);
    let is_run = |job: &&Arc<Job>| matches!(job.task, Task::Try | Task::Release);
    let ended = jobs.iter().rev().filter(|job| !job.is_going_on());
    let last = { ended }.find(is_run);
    html! {
        @if let Some(job) = last {
            @match job.standing() {
                Standing::Failed(why) => div class="problems" { p { strong { "The last " (job.task.in_words()) " failed. " } (why) } },
                Standing::Cancelled => p class="soft" { "The last " (job.task.in_words()) " was cancelled; nothing was written." },
                _ => {}
            }
        }
    }
}

fn listed(app: &App, desk: &Desk, present: &Present, runs: &[KeptRun]) -> Markup {
    html! {
        h2 { "Runs" }
        @if runs.is_empty() {
            p { "None yet." }
        } @else {
            div class="scroll" role="region" aria-label="Runs" tabindex="0" {
                table {
                    thead {
                        tr {
                            th scope="col" { "Run" } th scope="col" { "When" } th scope="col" { "Verdict" }
                            th scope="col" { "Look at" } th scope="col" { "Plan" }
                        }
                    }
                    tbody { @for run in runs { (row(app, desk, present, run)) } }
                }
            }
        }
    }
}

fn row(app: &App, desk: &Desk, present: &Present, run: &KeptRun) -> Markup {
    let place = |end: &str| at(&desk.name, &format!("runs/{}/{end}", run.n));
    html! {
        tr {
            th scope="row" { (run.name()) @if run.is_release { " (released)" } }
            td class="soft" { (run.record.times.started) }
            td { (verdict(run)) }
            td {
                a href=(at(&desk.name, &format!("compare?runs={}", run.n))) { "figures" } ", "
                a href=(place("report")) target="_blank" { @if run.is_release { "report" } @else { "draft of the report" } } ", "
                a href=(place("tables")) { "tables" }
            }
            td {
                @if run.is_of(&present.text) { "as it is now" }
                @else if !run.files_are_the_same() && run.record.plan.text == present.text { "as it is now; the data were changed since" }
                @else {
                    form method="post" action=(place("take")) {
                        (hidden(app, present.version))
                        button type="submit" { "Go back to its plan" }
                    }
                }
            }
        }
    }
}

/// What its conditions say, in a few words.
pub(crate) fn verdict(run: &KeptRun) -> Markup {
    let record = &run.record;
    let n_failed = record.gates.iter().filter(|gate| !gate.passed).count();
    let n_claims = record.claims.iter().filter(|claim| !claim.holds).count();
    html! {
        @if record.gates.is_empty() { span class="warning" { "nothing was judged" } }
        @else if n_failed > 0 { span class="bad" { (n_failed) " of " (record.gates.len()) " conditions fail" } }
        @else if n_claims > 0 { span class="bad" { "what was promised of the keys does not hold in the file" } }
        @else if not_judged(record).is_some() { span class="warning" { "all conditions hold, and none judges the risk as it is" } }
        @else if record.gates.len() == 1 { span class="good" { "the one condition holds" } }
        @else { span class="good" { "all " (record.gates.len()) " conditions hold" } }
    }
}

/// What a reader could believe to be judged and is not, of a file that has not gone.
fn not_judged(record: &RunRecord) -> Option<&'static str> {
    match Judged::of(record) {
        Judged::LossOnly => Some(
            "No condition is about the risk of disclosure: the file would go whatever an intruder can learn from it.",
        ),
        Judged::Nothing => Some("Nothing would be judged before the file goes."),
        other => other.missing(),
    }
}

/// What became of a run in one sentence. One that was tried released nothing, whatever its conditions say.
pub(crate) fn outcome(run: &KeptRun) -> Markup {
    let record = &run.record;
    if run.is_release || !record.passed() {
        return parts::verdict(record);
    }
    let missing = not_judged(record);
    let said = match record.gates.len() {
        0 => "No condition is set, and nothing was judged.".to_owned(),
        1 => "The one condition of release holds.".to_owned(),
        n => format!("All {n} conditions of release hold."),
    };
    html! {
        p class={ "verdict " @if missing.is_some() { "amber" } @else { "good" } } { (said) " Nothing is released yet." }
        @if let Some(missing) = missing { p { (missing) } }
    }
}

/// Asks for a run of the plan as it is.
pub(crate) async fn begin(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let present = desk.present()?;
    if version_of(&form) != present.version {
        return Err(Unanswered::Stale { plan });
    }
    let Some(checked) = present.plan else {
        return Err(Unanswered::Mistake {
            message: "The plan has mistakes and cannot run.".to_owned(),
            hint: "They stand at the head of every page of the plan.".to_owned(),
        });
    };
    let here = Arc::clone(&desk);
    let work = move |job: &Job| try_out(&here, &checked, job).map(|n| format!("compare?runs={n}"));
    app.jobs.queue(&plan, Task::Try, Box::new(work));
    Ok(see(&at(&plan, "run")))
}

/// Puts the plan of a run in place of the present one.
pub(crate) async fn take(
    State(app): State<Shared>,
    Path((plan, n)): Path<(String, u64)>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let run = run_of(&app, &desk, n)?;
    let text = run.record.plan.text.clone();
    let changed = desk.write(version_of(&form), text, &format!("the plan of run {n}"));
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "run")))
}

fn run_of(app: &App, desk: &Desk, n: u64) -> Result<KeptRun, Unanswered> {
    let runs = app.runs.of(desk);
    let run = runs.into_iter().find(|run| run.n == n);
    run.ok_or_else(|| Unanswered::NotFound("There is no such run.".to_owned()))
}

/// A report of a run: `report` for the house, `external` for everybody.
pub(crate) async fn report(
    State(app): State<Shared>,
    Path((plan, n, which)): Path<(String, u64, String)>,
) -> Answer {
    let desk = app.desk(&plan)?;
    let run = run_of(&app, &desk, n)?;
    let audience = match which.as_str() {
        "report" => Audience::Internal,
        "external" => Audience::External,
        "tables" => return Ok(tables(&app, &desk, &run)),
        _ => return Err(Unanswered::NotFound("There is no such page.".to_owned())),
    };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, OF_REPORTS),
    ];
    let report = report_html(&run.as_it_will_be(), audience);
    Ok((
        headers,
        if run.is_release {
            report
        } else {
            marked(&report)
        },
    )
        .into_response())
}

/// A report as it will be, with a mark that it is not one yet: whoever keeps or prints it must not take it for evidence.
fn marked(report: &str) -> String {
    let mark = html! { p class="mark" { "Draft: this is how the report will read. Nothing was released." } };
    report.replacen("<header>", &format!("<header>{}", mark.into_string()), 1)
}

/// The tables of a run, to take away.
fn tables(app: &App, desk: &Desk, run: &KeptRun) -> axum::response::Response {
    let present = desk.present();
    let Ok(present) = present else {
        return Unanswered::Failed("the plan cannot be read".to_owned()).into_response();
    };
    let page = Page {
        app,
        desk,
        present: &present,
        place: Place::Run,
        title: &format!("Tables of {}", run.name()),
    };
    let body = html! {
        ul {
            @for table in csv_tables(&run.record).iter().filter(|table| table.text.lines().count() > 1) {
                li { a href=(at(&desk.name, &format!("runs/{}/tables/{}", run.n, table.file))) download="" { (table.file) } }
            }
        }
        p { a href=(at(&desk.name, "run")) { "All runs" } }
        (token(app))
    };
    page.with(&body)
}

/// One table of a run, as CSV.
pub(crate) async fn table(
    State(app): State<Shared>,
    Path((plan, n, name)): Path<(String, u64, String)>,
) -> Answer {
    let desk = app.desk(&plan)?;
    let run = run_of(&app, &desk, n)?;
    let found = csv_tables(&run.record)
        .into_iter()
        .find(|table| table.file == name);
    let found = found.ok_or_else(|| Unanswered::NotFound("There is no such table.".to_owned()))?;
    let kind = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
    Ok((kind, found.text).into_response())
}
