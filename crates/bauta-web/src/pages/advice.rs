//! Why a plan that followed from answers proposes what it does.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use axum::extract::{Path as Segment, State};
use bauta_plan::output::folder_of;
use bauta_plan::work::advise::Because;
use maud::html;
use serde::Deserialize;

use super::help::address_of;
use super::layout::{Page, Place, at};
use crate::app::{Answer, Shared, Unanswered};
use crate::desk::history_folder;
use crate::lock::{make_folder, own_file, read_own};

const ADVICE: &str = "advice.json";

/// A reason as it is kept.
#[derive(Deserialize)]
struct Kept {
    what: String,
    why: String,
    page: String,
}

fn place(plan_file: &Path) -> PathBuf {
    history_folder(plan_file).join(ADVICE)
}

/// Whether reasons are kept of a plan.
pub(crate) fn is_kept(plan_file: &Path) -> bool {
    place(plan_file).is_file()
}

/// Keeps the reasons of a plan beside it.
pub(crate) fn keep(plan_file: &Path, because: &[Because]) -> io::Result<()> {
    let folder = history_folder(plan_file);
    make_folder(folder_of(&folder))?;
    make_folder(&folder)?;
    let mut file = own_file().open(place(plan_file))?;
    file.set_len(0)?;
    serde_json::to_writer(&mut file, because)?;
    file.flush()
}

/// The page.
pub(crate) async fn show(State(app): State<Shared>, Segment(plan): Segment<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let kept = read_own(&place(&desk.file)).ok();
    let kept: Option<Vec<Kept>> = kept.and_then(|text| serde_json::from_str(&text).ok());
    let kept = kept.ok_or_else(|| {
        Unanswered::NotFound(
            "The plan did not come from answers, so that no reasons are kept of it.".to_owned(),
        )
    })?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Variables,
        title: "What is proposed, and why",
    };
    let body = html! {
        p {
            "This follows from your answers and from what the file seems to hold. It is a beginning: look at every variable first, then at "
            "what an intruder finds, and change what is wrong. The plan's text has the same reasons. "
            a href="/help/words" { "What the words mean" }
        }
        dl class="methods" {
            @for reason in &kept {
                dt { (reason.what) }
                dd {
                    (reason.why)
                    @if let Some(address) = address_of(&reason.page) { " " a href=(address) { "More" } }
                }
            }
        }
        p { a class="button" href=(at(&plan, "variables")) { "Go on to the variables" } }
    };
    Ok(page.with(&body))
}
