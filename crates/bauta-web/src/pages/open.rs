//! The start: what the folder holds, and how to begin.

use std::path::Path;
use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use bauta_data::{DataError, Watch as _};
use bauta_plan::output::{Access, Guard, Replace, folder_of, write_file};
use bauta_plan::toml::edit;
use bauta_plan::work::advise::{Answers, QUESTIONS, Question, advise};
use bauta_plan::work::init::Proposed;
use bauta_plan::work::inspect::inspect;
use bauta_plan::work::{Reading, WorkError, demo, init};
use maud::{Markup, html};

use super::advice::keep;
use super::layout::{at, free, segment, token};
use crate::app::{Answer, App, Shared, Unanswered, see};
use crate::failure::in_words;
use crate::folder::{Entry, EntryKind, Listing};
use crate::form::Form;
use crate::jobs::{Job, Standing, Task};
use crate::looked::ended;

/// The folder of the demonstration.
const DEMO: &str = "bauta-demo";
/// Jobs that belong to no plan yet.
pub(crate) const NO_PLAN: &str = "";

/// The start page; a file or plan that was named on the command line is opened at once.
pub(crate) async fn start(State(app): State<Shared>, RawQuery(query): RawQuery) -> Answer {
    let query = Form::read(query.unwrap_or_default().as_bytes());
    if let Some(name) = query.text("open") {
        let is_plan = Path::new(name).extension().is_some_and(|one| one == "toml");
        return Ok(see(&if is_plan {
            at(name, "variables")
        } else {
            format!("/begin?file={}", segment(name))
        }));
    }
    let listing = app.folder.listing()?;
    Ok(free(
        "Prepare a file for release",
        &start_body(&app, &listing),
    ))
}

fn start_body(app: &App, listing: &Listing) -> Markup {
    let of_kind = |kind: EntryKind| -> Vec<&Entry> {
        let entries = listing.entries.iter();
        entries.filter(|entry| entry.kind == kind).collect()
    };
    let (plans, files) = (of_kind(EntryKind::Plan), of_kind(EntryKind::Data));
    html! {
        p {
            "Everything here is done on this machine, in the folder " code { (app.folder.root().display()) }
            ". What you do is kept in a plan file, which anybody can run again with " code { "bauta run" } "."
        }
        @if !plans.is_empty() {
            h2 { "Go on with a plan" }
            ul class="entries" {
                @for plan in plans {
                    li { a href=(at(&plan.name, "variables")) { (plan.name) } }
                }
            }
        }
        h2 { "Begin with a file" }
        @if files.is_empty() {
            p { "There is no CSV, TSV or Parquet file in this folder. Put one there, or try the demonstration." }
        } @else {
            ul class="entries" {
                @for file in files {
                    li {
                        a href=(format!("/begin?file={}", segment(&file.name))) { (file.name) }
                        " " span class="soft" { (size(file.n_bytes)) @if file.is_release { ", released by a plan" } }
                    }
                }
            }
        }
        @if listing.is_cut { p class="soft" { "There are more files than are listed here." } }
        h2 { "Look around first" }
        p { "The demonstration is a made-up survey with a finished plan. Nothing in it is about anybody." }
        form method="post" action="/demo" {
            (token(app))
            button type="submit" { "Open the demonstration" }
        }
        p class="soft" {
            "What is shown: names of variables, counts and figures. Values of the data are shown only where the internal report "
            "shows them, and categories only where at least ten records have them. "
            a href="/help/app" { "More about this app" }
        }
    }
}

/// `512 kB`, `5.8 GB`.
fn size(n_bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    for (unit, name) in units {
        if n_bytes >= unit {
            return format!("{:.1} {name}", n_bytes as f64 / unit as f64);
        }
    }
    format!("{n_bytes} bytes")
}

/// Makes the demonstration, or opens the one that is there.
pub(crate) async fn make_demo(State(app): State<Shared>) -> Answer {
    let plan = app.folder.place_of(&format!("{DEMO}/plan.toml"));
    let plan = plan.ok_or_else(|| Unanswered::Mistake {
        message: format!("`{DEMO}` leads out of the folder that is served."),
        hint: "Give it another name, or serve another folder.".to_owned(),
    })?;
    let folder = folder_of(&plan).to_owned();
    if !plan.is_file() {
        let made = tokio::task::spawn_blocking(move || demo::make(&folder, Replace::OwnFiles));
        made.await
            .map_err(|error| Unanswered::Failed(error.to_string()))?
            .map_err(|error| mistake(&error))?;
    }
    Ok(see(&at(&format!("{DEMO}/plan.toml"), "variables")))
}

/// How to begin with a file: three questions, or a plain proposal.
pub(crate) async fn begin_page(State(app): State<Shared>, RawQuery(query): RawQuery) -> Answer {
    let query = Form::read(query.unwrap_or_default().as_bytes());
    let name = query.text("file").unwrap_or_default();
    data_file(&app, name)?;
    Ok(begin_form(&app, name, None))
}

/// The questions, with what was answered and what is wrong with it, if anything was.
fn begin_form(app: &App, name: &str, answered: Option<(&Form, &str)>) -> Response {
    let form = answered.map(|(form, _)| form);
    let body = html! {
        p { "A plan for " code { (name) } " is proposed: what each variable is, what an intruder could know, what is done, and what must "
            "hold before the file may go. Every proposal has its reason and can be changed." }
        h2 { "Three questions" }
        form method="post" action="/begin" class="stacked-form" {
            (token(app))
            input type="hidden" name="file" value=(name);
            @if let Some((_, wrong)) = answered { div class="problems" role="alert" { p { (wrong) } } }
            @for question in QUESTIONS { (asked(question, form)) }
            p { button class="main" type="submit" name="how" value="advised" { "Propose a plan that follows from this" } }
        }
        h2 { "Or without answers" }
        form method="post" action="/begin" {
            (token(app))
            input type="hidden" name="file" value=(name);
            p { "Roles, one scenario and conditions that a raw file seldom meets; nothing is masked until you choose how." }
            p { button type="submit" name="how" value="plain" { "Propose a plain plan" } }
        }
    };
    free("Begin", &body)
}

/// A question with its answers to choose from.
fn asked(question: &Question, form: Option<&Form>) -> Markup {
    let kind = if question.several {
        "checkbox"
    } else {
        "radio"
    };
    let is_chosen = |id: &str| match form {
        Some(form) => form.all(question.id).any(|chosen| chosen == id),
        None => id == question.default,
    };
    html! {
        fieldset class="question" {
            legend { (question.text) }
            @if question.several { p class="soft" { "More than one answer may be chosen." } }
            @for option in question.options {
                label {
                    input type=(kind) name=(question.id) value=(option.id) checked[is_chosen(option.id)];
                    " " strong { (option.label) } ": " (option.means)
                }
            }
        }
    }
}

/// Begins with a file: looks at it and writes a plan beside it, in the background.
pub(crate) async fn begin(State(app): State<Shared>, body: Bytes) -> Answer {
    let form = Form::from(&body);
    let file = data_file(&app, form.text("file").unwrap_or_default())?;
    let plan_file = free_plan_file(&file);
    let plan = app.folder.name_of(&plan_file);
    let plan = plan
        .ok_or_else(|| Unanswered::NotFound("The name of the file cannot be shown.".to_owned()))?;
    let answers = match form.text("how") {
        Some("advised") => match answers(&form) {
            Ok(answers) => Some(answers),
            Err(wrong) => {
                let name = form.text("file").unwrap_or_default();
                let page = begin_form(&app, name, Some((&form, &wrong)));
                return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
            }
        },
        _ => None,
    };
    let pool = Arc::clone(&app.pool);
    let work = move |job: &Job| {
        let proposed = pool.install(|| propose(&file, &plan_file, answers.as_ref(), job));
        proposed.map_err(|error| ended(&error))?;
        let first = if super::advice::is_kept(&plan_file) {
            "advice"
        } else {
            "variables"
        };
        Ok(at(&plan, first))
    };
    let job = (app.jobs).begin(NO_PLAN, Task::Look, Box::new(work));
    Ok(see(&format!("/opening/{}", job.id)))
}

/// What was answered, or which question was not.
fn answers(form: &Form) -> Result<Answers, String> {
    let chosen = |question: &'static Question| form.all(question.id).collect::<Vec<&str>>();
    if let Some(open) = QUESTIONS
        .iter()
        .find(|question| chosen(question).is_empty())
    {
        return Err(format!("One question has no answer yet: {}", open.text));
    }
    let chosen: Vec<(&str, Vec<&str>)> = (QUESTIONS.iter())
        .map(|question| (question.id, chosen(question)))
        .collect();
    Answers::of(&chosen).map_err(|error| in_words(&error))
}

fn propose(
    file: &Path,
    plan_file: &Path,
    answers: Option<&Answers>,
    job: &Job,
) -> Result<(), WorkError> {
    let reading = Reading::default();
    let inspected = inspect(file, &reading, job)?;
    let (proposed, because) = match answers {
        None => (
            init::propose(file, plan_file, None, &reading, inspected),
            Vec::new(),
        ),
        Some(answers) => {
            let advised = advise(file, plan_file, None, &reading, inspected, answers);
            (advised.proposed, advised.because)
        }
    };
    if job.cancelled() {
        return Err(DataError::cancelled(file).into());
    }
    // A button that was pressed twice, or somebody else, may have made it meanwhile.
    if plan_file.exists() {
        return Err(WorkError::mistake(
            "a plan of this name was made in the meantime",
            "open it from the start page",
        ));
    }
    let text = with_own_outputs(&proposed, file, plan_file);
    if !because.is_empty() {
        let kept = keep(plan_file, &because);
        kept.map_err(|error| {
            WorkError::mistake(
                format!("the reasons cannot be kept: {error}"),
                "look after the disk",
            )
        })?;
    }
    let guard = Guard::new([file], Replace::OwnFiles);
    // Its reasons are figures of the data: confidential.
    write_file(plan_file, text.as_bytes(), Access::OwnerOnly, &guard)?;
    Ok(())
}

/// The text of a plan whose outputs are called by it: a second plan of one file must not write over what the first released.
fn with_own_outputs(proposed: &Proposed, file: &Path, plan_file: &Path) -> String {
    let stem = |path: &Path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    if stem(file) == stem(plan_file) {
        return proposed.text.clone();
    }
    let mut draft = proposed.draft.clone();
    let extension = file.extension().unwrap_or_default().to_string_lossy();
    let called = stem(plan_file);
    draft.output.file = Some(format!("{called}-out.{extension}").into());
    draft.output.report = Some(format!("{called}-report.html").into());
    edit(&proposed.text, &draft).unwrap_or_else(|_| proposed.text.clone())
}

/// While a plan is proposed.
pub(crate) async fn opening(
    State(app): State<Shared>,
    axum::extract::Path(id): axum::extract::Path<u64>,
) -> Answer {
    let job = app.jobs.job(id).filter(|job| job.plan == NO_PLAN);
    let job = job.ok_or_else(|| Unanswered::NotFound("There is no such job.".to_owned()))?;
    let waiting = |left: Markup| {
        html! {
            p { "The file is being looked at." }
            (left)
            form method="post" action=(format!("/opening/{id}/cancel")) {
                (token(&app))
                button type="submit" { "Cancel" }
            }
        }
    };
    Ok(match job.standing() {
        Standing::Done(place) => see(&place),
        Standing::Failed(why) => {
            let body = html! { p { (why) } p { a href="/" { "Back to the start" } } };
            free("The file cannot be used as it is", &body)
        }
        Standing::Cancelled => see("/"),
        Standing::Waiting | Standing::Stopping => again(free("One moment", &waiting(html! {}))),
        Standing::Working(shown) => {
            let left = html! {
                p { progress max="100" value=[shown.percent] aria-label="How much is done" {} " " (shown.in_words()) }
            };
            again(free("One moment", &waiting(left)))
        }
    })
}

/// A page that the browser asks for again after a second.
fn again(mut page: Response) -> Response {
    let refresh = axum::http::HeaderValue::from_static("1");
    page.headers_mut().insert("refresh", refresh);
    page
}

/// Stops looking at a file.
pub(crate) async fn stop_opening(
    State(app): State<Shared>,
    axum::extract::Path(id): axum::extract::Path<u64>,
) -> Answer {
    if let Some(job) = app.jobs.job(id).filter(|job| job.plan == NO_PLAN) {
        job.cancel();
    }
    Ok(see("/"))
}

/// Whatever has no page.
pub(crate) async fn not_here() -> Unanswered {
    Unanswered::NotFound("There is no such page.".to_owned())
}

fn data_file(app: &App, name: &str) -> Result<std::path::PathBuf, Unanswered> {
    let place = app.folder.place_of(name).filter(|place| place.is_file());
    place.ok_or_else(|| {
        Unanswered::NotFound("There is no such file in the folder that is served.".to_owned())
    })
}

/// A plan file beside a data file that is not there yet.
fn free_plan_file(file: &Path) -> std::path::PathBuf {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let names =
        std::iter::once(format!("{stem}.toml")).chain((2..).map(|n| format!("{stem}-{n}.toml")));
    let mut places = names.map(|name| folder_of(file).join(name));
    places
        .find(|place| !place.exists())
        .unwrap_or_else(|| file.with_extension("toml"))
}

fn mistake(error: &WorkError) -> Unanswered {
    Unanswered::Mistake {
        message: in_words(error),
        hint: String::new(),
    }
}
