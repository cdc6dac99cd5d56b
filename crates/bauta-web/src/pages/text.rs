//! The plan as a text, with what is wrong at its lines while it is being written.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::IntoResponse;
use bauta_plan::Problem;
use maud::{Markup, html};

use super::layout::{Page, Place, at, hidden};
use crate::app::{Answer, Shared, not_changed, see, version_of};
use crate::desk::NotChanged;
use crate::form::Form;

/// Lines that the field shows at the least and at the most.
const ROWS: (usize, usize) = (20, 60);

/// The page.
pub(crate) async fn show(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Text,
        title: "The plan as a text",
    };
    let fields = hidden(&app, present.version);
    Ok(page.with(&body(
        &plan,
        &fields,
        &present.text,
        &present.problems,
        None,
    )))
}

fn body(
    plan: &str,
    fields: &Markup,
    text: &str,
    problems: &[Problem],
    said: Option<&str>,
) -> Markup {
    let n_rows = (text.lines().count() + 2).clamp(ROWS.0, ROWS.1);
    html! {
        p { "This is all that the app knows: forms change this text, and comments stay. " a href="/help/plan" { "The grammar" } }
        @if let Some(said) = said { p class="problems" role="alert" { (said) } }
        div id="problems" class="text-problems" aria-live="polite" { (listed(text, problems)) }
        form method="post" action=(at(plan, "text")) {
            (fields)
            label for="plan-text" class="hidden-label" { "Text of the plan" }
            textarea id="plan-text" name="text" rows=(n_rows) spellcheck="false" wrap="off" autocomplete="off"
                data-check=(at(plan, "text/check")) { "\n" (text) }
            p {
                button type="submit" { "Save the text" } " "
                a href=(at(plan, "text/file")) download="" { "Take the file away" }
            }
        }
    }
}

/// What is wrong with a text, each thing with its line.
fn listed(text: &str, problems: &[Problem]) -> Markup {
    html! {
        @if problems.is_empty() {
            p class="fine" { "Nothing is wrong with this text." }
        } @else {
            ol class="wrong" {
                @for problem in problems {
                    li data-line=[problem.line(text)] {
                        @if let Some(line) = problem.line(text) { strong { "Line " (line) ": " } }
                        (problem.message) " – " (problem.hint)
                    }
                }
            }
        }
    }
}

/// What is wrong with a text that is being written; nothing is kept.
pub(crate) async fn check(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let text = form.get("text").unwrap_or_default();
    let problems = desk.problems_of(text);
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    Ok((kind, listed(text, &problems).into_string()).into_response())
}

/// Puts a text in place of the plan's. If the plan was changed meanwhile, both texts are shown and none is lost.
pub(crate) async fn change(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let text = form.get("text").unwrap_or_default().to_owned();
    match desk.write(version_of(&form), text.clone(), "the text") {
        Ok(()) => Ok(see(&at(&plan, "text"))),
        Err(NotChanged::Stale) => {
            let present = desk.present()?;
            let page = Page {
                app: &app,
                desk: &desk,
                present: &present,
                place: Place::Text,
                title: "The plan as a text",
            };
            let said = "The plan was changed in another tab, or by hand, after this page was made. Your text stands below and \
                is not saved yet; the plan as it is now stands under it. Saving puts yours in its place.";
            let problems = desk.problems_of(&text);
            let fields = hidden(&app, present.version);
            let yours = self::body(&plan, &fields, &text, &problems, Some(said));
            let both = html! { (yours) h2 { "The plan as it is now" } pre class="plan" { (present.text) } };
            Ok(page.with(&both))
        }
        Err(why) => Err(not_changed(&desk, why)),
    }
}

/// The plan file, to take away.
pub(crate) async fn file(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let kind = [(header::CONTENT_TYPE, "application/toml; charset=utf-8")];
    Ok((kind, present.text).into_response())
}
