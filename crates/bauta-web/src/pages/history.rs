//! Undo, redo, and every version of the plan.

use axum::body::Bytes;
use axum::extract::{Path, State};
use maud::{Markup, html};

use super::layout::{Page, Place, at, token};
use crate::app::{Answer, Shared, Unanswered, see};
use crate::form::Form;
use crate::history::{Version, Way};

/// Versions that a page shows; the files of all lie in the history's folder.
const MOST_SHOWN: usize = 300;

/// All versions.
pub(crate) async fn show(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let (versions, now) = desk.versions();
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::History,
        title: "History",
    };
    let row = |version: &Version| -> Markup {
        html! {
            tr aria-current=[(version.n == now).then_some("true")] {
                th scope="row" class="number" { (version.n) }
                td { (version.what) @if version.n == now { " " strong { "(now)" } } }
                td class="soft" { (version.at) }
                td { a href=(at(&plan, &format!("history/{}", version.n))) { "text" } }
                td {
                    @if version.n != now {
                        form method="post" action=(at(&plan, &format!("history/{}", version.n))) {
                            (token(&app))
                            button type="submit" { "Go to it" }
                        }
                    }
                }
            }
        }
    };
    let body = html! {
        p { "Every version of the plan is kept. Going to an older one loses nothing: the newer ones stay here." }
        div class="scroll" role="region" aria-label="Versions" tabindex="0" {
            table {
                thead { tr { th { "No." } th { "What was done" } th { "When" } th { "Text" } th { "Go" } } }
                tbody { @for version in versions.iter().rev().take(MOST_SHOWN) { (row(version)) } }
            }
        }
    };
    Ok(page.with(&body))
}

/// The text of one version.
pub(crate) async fn version(
    State(app): State<Shared>,
    Path((plan, n)): Path<(String, u64)>,
) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let text = desk.text_of(n);
    let text = text.ok_or_else(|| Unanswered::NotFound("There is no such version.".to_owned()))?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::History,
        title: &format!("Version {n}"),
    };
    let body = html! {
        pre class="plan" tabindex="0" { (text) }
        p { a href=(at(&plan, "history")) { "All versions" } }
    };
    Ok(page.with(&body))
}

/// Goes to a version.
pub(crate) async fn go_to(
    State(app): State<Shared>,
    Path((plan, n)): Path<(String, u64)>,
) -> Answer {
    let desk = app.desk(&plan)?;
    if desk.go_to(n)? {
        Ok(see(&at(&plan, "history")))
    } else {
        Err(Unanswered::NotFound("There is no such version.".to_owned()))
    }
}

/// Takes the last change back.
pub(crate) async fn undo(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    go(&app, &plan, &body, Way::Back)
}

/// Does again what was taken back.
pub(crate) async fn redo(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    go(&app, &plan, &body, Way::Forth)
}

fn go(app: &Shared, plan: &str, body: &Bytes, way: Way) -> Answer {
    let (form, desk) = (Form::from(body), app.desk(plan)?);
    // A button that was pressed twice, or in another tab, takes back what its page showed, and not more.
    if crate::app::version_of(&form) != desk.present()?.version {
        return Err(Unanswered::Stale {
            plan: plan.to_owned(),
        });
    }
    desk.go(way)?;
    let back = form.text("back").unwrap_or_default();
    let back = Place::with_end(back);
    Ok(see(&at(plan, back.map_or("steps", |place| place.end()))))
}
