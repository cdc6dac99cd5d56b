//! The last page: what the conditions say, the two reports as they will be, and the release itself.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse as _;
use bauta_data::Fingerprint;
use bauta_plan::Plan;
use bauta_plan::record::GateRecord;
use bauta_report::Written as _;
use futures::stream::{Stream, unfold};
use maud::{Markup, html};
use tokio::io::AsyncReadExt as _;

use super::layout::{Page, Place, at, hidden};
use super::run::{button, failures, outcome};
use crate::app::{Answer, App, Shared, Unanswered, see, version_of};
use crate::desk::{Desk, Present};
use crate::form::Form;
use crate::jobs::{Job, Task};
use crate::runs::{KeptRun, outputs, release};

/// Bytes of a released file that is read again to see whether it is still the same.
const MOST_HASHED: u64 = 100_000_000;
/// Bytes of a piece of a file that is sent.
const PIECE: usize = 256 * 1024;

/// The page.
pub(crate) async fn show(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Release,
        title: "Release",
    };
    let runs = app.runs.of(&desk);
    let of_this = runs.iter().find(|run| run.is_of(&present.text));
    let released = runs.iter().find(|run| run.is_release);
    let body = html! {
        (failures(&app, &desk))
        @if let Some(released) = released { (taken_away(&desk, &present, released)) }
        @match (&present.plan, of_this) {
            (None, _) => p { "The plan has mistakes and cannot be released." },
            (Some(_), None) if is_being_run(&app, &desk) => p { "A run is going on. What the conditions say stands here when it is over." },
            (Some(_), None) => {
                p { "This version of the plan has not been run yet. A run shows what the conditions say and how the reports will look." }
                (button(&app, &desk, &present))
            }
            (Some(checked), Some(run)) => {
                (gone(&runs, run))
                (of_run(&app, &desk, &present, checked, run))
            },
        }
    };
    Ok(page.with(&body))
}

/// Whether a run of the plan waits or is being done.
fn is_being_run(app: &App, desk: &Desk) -> bool {
    let jobs = app.jobs.of_plan(&desk.name);
    jobs.iter()
        .any(|job| job.is_going_on() && matches!(job.task, Task::Try | Task::Release))
}

/// Conditions that failed in earlier runs and that the plan no longer has: whoever decides must know.
fn gone(runs: &[KeptRun], run: &KeptRun) -> Markup {
    let earlier = runs.iter().filter(|one| one.n < run.n);
    let gone: Vec<(u64, GateRecord)> = earlier
        .flat_map(|one| {
            one.failed_and_gone(&run.record)
                .into_iter()
                .map(|gate| (one.n, gate))
        })
        .collect();
    let bounds = |gate: &GateRecord| {
        let low = gate.at_least.map(|low| format!("at least {low}"));
        let high = gate.at_most.map(|high| format!("at most {high}"));
        low.into_iter().chain(high).collect::<Vec<_>>().join(", ")
    };
    html! {
        @if !gone.is_empty() {
            div class="problems" {
                p { strong { "Conditions that earlier runs failed are not in the plan any more:" } }
                ul {
                    @for (n, gate) in &gone {
                        li {
                            "run " (n) ": " (gate.label) " (" (gate.measure) ") " (bounds(gate))
                            @if let Some(scenario) = &gate.scenario { ", scenario " (scenario) }
                        }
                    }
                }
                p { "If they were taken out so that the file may go, say so to whoever decides: the report does not." }
            }
        }
    }
}

/// What could be done about a condition that fails.
fn what_now(desk: &Desk, run: &KeptRun) -> Markup {
    let said = run
        .record
        .steps
        .iter()
        .flat_map(|step| step.notes.iter().map(move |note| (step, note)));
    html! {
        p { "A condition fails, so that the file does not go. What could help:" }
        ul {
            li { a href=(at(&desk.name, "scenarios")) { "See which keys single records out" } ", and what a coarser level or a key left out would change." }
            li { a href=(at(&desk.name, "steps")) { "Add or strengthen a step" } ": recode what has many values, leave out what nobody needs, then blank what still stands out." }
            li { a href=(at(&desk.name, "compare")) { "See what each step took and left" } "." }
            li { a href=(at(&desk.name, "conditions")) { "Look at the condition again" } " only if it asks for more than the release needs, and write down why." }
        }
        @if said.clone().next().is_some() {
            details open[true] {
                summary { "What the steps of this run said" }
                ul { @for (step, note) in said { li { (step.title) ": " (note.text) } } }
            }
        }
    }
}

fn of_run(app: &App, desk: &Desk, present: &Present, plan: &Plan, run: &KeptRun) -> Markup {
    let place = |end: &str| at(&desk.name, &format!("runs/{}/{end}", run.n));
    let frame = |end: &str, title: &str| {
        html! {
            section class="frame" {
                h3 { a href=(place(end)) target="_blank" { (title) } }
                iframe src=(place(end)) title=(title) loading="lazy" {}
            }
        }
    };
    html! {
        h2 { "What the conditions say" }
        (outcome(run))
        (conditions(run))
        (go(app, desk, present, plan, run))
        h2 { "The reports as they will be" }
        div class="frames" {
            (frame("report", "Internal report: confidential"))
            @if run.record.passed() && (run.is_release || run.would_release.is_some()) { (frame("external", "External report: for everybody")) }
        }
        @if plan.output.external_report.is_none() {
            p class="soft" { "The plan does not write the external report to a file: give it a name on the page " a href=(at(&desk.name, "file")) { "File" } " if it should." }
        }
    }
}

/// Each condition with what was found.
fn conditions(run: &KeptRun) -> Markup {
    let row = |gate: &GateRecord| -> Markup {
        let written = |bound: Option<f64>| gate.unit.text_or_dash(bound);
        html! {
            tr {
                th scope="row" { (gate.label) " (" (gate.measure) ")" @if let Some(scenario) = &gate.scenario { ", " (scenario) } }
                td {
                    @if gate.at_least.is_some() { "at least " (written(gate.at_least)) " " }
                    @if gate.at_most.is_some() { "at most " (written(gate.at_most)) }
                }
                td { (written(gate.found)) }
                td { @if gate.passed { span class="good" { "holds" } } @else { span class="bad" { "fails" } } }
            }
        }
    };
    html! {
        @if !run.record.gates.is_empty() {
            div class="scroll" role="region" aria-label="Conditions and what was found" tabindex="0" {
                table {
                    thead { tr { th scope="col" { "Condition" } th scope="col" { "Asked" } th scope="col" { "Found" } th scope="col" { "Verdict" } } }
                    tbody { @for gate in &run.record.gates { (row(gate)) } }
                }
            }
        }
    }
}

/// The button that lets the file go, and what it writes.
fn go(app: &App, desk: &Desk, present: &Present, plan: &Plan, run: &KeptRun) -> Markup {
    let file = plan
        .output
        .release
        .as_ref()
        .map(|release| release.file.given.as_str());
    html! {
        @if !run.record.passed() {
            (what_now(desk, run))
        } @else if let Some(file) = file {
            form method="post" action=(at(&desk.name, "release")) {
                (hidden(app, present.version))
                p {
                    "Releasing runs the plan once more, from the file as it is then, and writes " code { (file) }
                    " with its record and reports if every condition holds: all of them or nothing."
                }
                (to_look_at(run))
                button class="main" type="submit" { "Release " (file) }
            }
        }
    }
}

/// What conditions do not judge and a person must: it stands above the button, and whoever presses it has seen it.
fn to_look_at(run: &KeptRun) -> Markup {
    let notes = &run.record.notes;
    html! {
        @if !notes.is_empty() {
            div class="problems" {
                p { strong { "Conditions do not see this. Look at it before the file goes:" } }
                ul { @for note in notes { li { (note.in_full()) } } }
                label { input type="checkbox" name="seen" value="yes" required; " I have looked at each of these, and the file may go with them" }
            }
        }
    }
}

/// The files that were released, by the plan as it was then.
fn taken_away(desk: &Desk, present: &Present, run: &KeptRun) -> Markup {
    let names = [
        ("file", "the released file"),
        ("external", "the external report: for everybody"),
        ("report", "the internal report: confidential"),
        ("record", "the run record: confidential"),
    ];
    let plan = desk.checked(&run.record.plan.text).ok();
    let is_it = plan
        .as_ref()
        .is_some_and(|plan| is_what_was_released(plan, run));
    html! {
        section class="released" aria-label="Released" {
            h2 { "Released" }
            @if !run.is_of(&present.text) {
                p class="warning" { "The plan or the data were changed after the last release. What stands here came from what they were." }
            }
            p { "On " (run.record.times.started) ", by " (run.name()) "." }
            @if let Some(plan) = plan.as_ref().filter(|_| is_it) {
                ul {
                    @for (which, named) in outputs(plan) {
                        li {
                            a href=(at(&desk.name, &format!("files/{which}"))) download="" { (named.given) } ": "
                            (names.iter().find(|(known, _)| *known == which).map_or("", |(_, name)| name))
                        }
                    }
                }
            } @else {
                p class="warning" { "The file that lies there now is not the one that was released." }
            }
        }
    }
}

/// Whether the released file is still there, byte for byte.
fn is_what_was_released(plan: &Plan, run: &KeptRun) -> bool {
    let (Some(release), Some(record)) = (&plan.output.release, &run.record.released) else {
        return false;
    };
    let path = &release.file.path;
    let same_size = path
        .metadata()
        .is_ok_and(|facts| facts.len() == record.n_bytes);
    // A file of gigabytes would keep the page waiting: its size must do.
    same_size
        && (record.n_bytes > MOST_HASHED
            || std::fs::read(path)
                .is_ok_and(|bytes| Fingerprint::of_bytes(&bytes).sha256 == record.sha256))
}

/// Releases the plan as it is.
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
    let runs = app.runs.of(&desk);
    let of_this = runs.iter().find(|run| run.is_of(&present.text));
    if of_this.is_none_or(|run| !run.record.notes.is_empty() && !form.has("seen")) {
        return Err(Unanswered::Mistake {
            message: "What stands above the button was not looked at, or the plan was not run as it is now.".to_owned(),
            hint: "Go back to the page Release, and tick that you have looked at it.".to_owned(),
        });
    }
    let Some(checked) = present.plan else {
        return Err(Unanswered::Mistake {
            message: "The plan has mistakes and cannot be released.".to_owned(),
            hint: "They stand at the head of every page of the plan.".to_owned(),
        });
    };
    let here = Arc::clone(&desk);
    let work = move |job: &Job| release(&here, &checked, job).map(|_| "release".to_owned());
    app.jobs.queue(&plan, Task::Release, Box::new(work));
    Ok(see(&at(&plan, "release")))
}

/// A file that was released.
pub(crate) async fn file(
    State(app): State<Shared>,
    Path((plan, which)): Path<(String, String)>,
) -> Answer {
    let desk = app.desk(&plan)?;
    let not_there = || Unanswered::NotFound("There is no such file.".to_owned());
    let runs = app.runs.of(&desk);
    let released = runs
        .iter()
        .find(|run| run.is_release)
        .ok_or_else(not_there)?;
    let checked = desk
        .checked(&released.record.plan.text)
        .map_err(|_| not_there())?;
    let outputs = outputs(&checked);
    let (_, named) = outputs
        .iter()
        .find(|(known, _)| *known == which)
        .ok_or_else(not_there)?;
    if !app.folder.holds(&named.path) {
        return Err(not_there());
    }
    let opened = tokio::fs::File::open(&named.path).await?;
    let n_bytes = opened.metadata().await?.len();
    let name: String = (named
        .path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .chars())
    .map(|letter| {
        if letter.is_ascii_graphic() && letter != '"' && letter != '\\' {
            letter
        } else {
            '_'
        }
    })
    .collect();
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
        (header::CONTENT_LENGTH, n_bytes.to_string()),
    ];
    Ok((headers, Body::from_stream(pieces(opened))).into_response())
}

/// A file in pieces, so that it is never in memory as a whole.
fn pieces(file: tokio::fs::File) -> impl Stream<Item = std::io::Result<Bytes>> {
    unfold(file, |mut file| async {
        let mut piece = vec![0; PIECE];
        match file.read(&mut piece).await {
            Ok(0) => None,
            Ok(n) => {
                piece.truncate(n);
                Some((Ok(Bytes::from(piece)), file))
            }
            Err(error) => Some((Err(error), file)),
        }
    })
}
