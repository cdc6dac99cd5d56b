//! What all requests share, and how a request finds its plan.

use std::path::PathBuf;
use std::sync::Arc;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use rayon::ThreadPool;

use crate::desk::{Desk, Desks, NotChanged, NotOpened};
use crate::doors::Doors;
use crate::folder::Folder;
use crate::form::{Form, VERSION};
use crate::jobs::Jobs;
use crate::looked::Looks;
use crate::pages::layout;
use crate::previews::Previews;
use crate::risks::Risks;
use crate::runs::Runs;

/// What all requests share.
pub(crate) struct App {
    /// The folder that is served.
    pub(crate) folder: Folder,
    /// Who may come in.
    pub(crate) doors: Doors,
    /// Plans that are open.
    pub(crate) desks: Desks,
    /// Work in the background.
    pub(crate) jobs: Arc<Jobs>,
    /// What was found when files were looked at.
    pub(crate) looks: Looks,
    /// What was counted of keys.
    pub(crate) risks: Risks,
    /// Previews of steps.
    pub(crate) previews: Previews,
    /// Runs that are kept.
    pub(crate) runs: Runs,
    /// The threads for work beside the queue of runs.
    pub(crate) pool: Arc<ThreadPool>,
}

/// The application as requests have it.
pub(crate) type Shared = Arc<App>;

/// What a handler gives: a page, or another page that says why not.
pub(crate) type Answer = Result<Response, Unanswered>;

/// Why a request has no answer of its own.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// There is nothing of this name.
    NotFound(String),
    /// The request makes no sense: what is wrong, and what to do.
    Mistake {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
    /// The plan was changed in the meantime.
    Stale {
        /// The plan.
        plan: String,
    },
    /// Somebody else works on the plan.
    Taken {
        /// The plan.
        plan: String,
    },
    /// The system failed.
    Failed(String),
}

impl From<std::io::Error> for Unanswered {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl IntoResponse for Unanswered {
    fn into_response(self) -> Response {
        let (status, title, body) = match self {
            Self::NotFound(what) => (
                StatusCode::NOT_FOUND,
                "Not here",
                html! { p { (what) } p { a href="/" { "Back to the start" } } },
            ),
            Self::Mistake { message, hint } => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "That cannot be done",
                html! { p { (message) } p { (hint) } },
            ),
            Self::Stale { plan } => (StatusCode::CONFLICT, "The plan has changed", stale(&plan)),
            Self::Taken { plan } => (
                StatusCode::CONFLICT,
                "Somebody works on this plan",
                html! {
                    p { "Another `bauta serve` has " code { (plan) } " open. Nothing was changed." }
                    p { "Work there, or end that one first." }
                },
            ),
            Self::Failed(why) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "That did not work",
                html! { p { (why) } p { "Nothing that was there before is lost." } },
            ),
        };
        let page = layout::bare(title, &body);
        (status, page).into_response()
    }
}

fn stale(plan: &str) -> Markup {
    html! {
        p {
            "The plan was changed in another tab, or by hand, after this page was made. "
            "What you sent was not taken up, so that nothing of the other change is lost."
        }
        p { a href=(layout::at(plan, "steps")) { "Look at the plan as it is now" } ", and do it again there." }
    }
}

impl App {
    /// The desk of a plan by its name in a request.
    pub(crate) fn desk(&self, name: &str) -> Result<Arc<Desk>, Unanswered> {
        let file = self.plan_file(name)?;
        let opened = self.desks.of(&self.folder, name, &file);
        opened.map_err(|error| match error {
            NotOpened::Taken => Unanswered::Taken {
                plan: name.to_owned(),
            },
            NotOpened::Disk(error) => error.into(),
        })
    }

    fn plan_file(&self, name: &str) -> Result<PathBuf, Unanswered> {
        let place = self.folder.place_of(name);
        let is_plan = |place: &PathBuf| {
            let extension = place.extension();
            place.is_file()
                && extension.is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
        };
        place.filter(is_plan).ok_or_else(|| {
            Unanswered::NotFound("There is no such plan in the folder that is served.".to_owned())
        })
    }
}

/// The version of the plan that a form was made for.
pub(crate) fn version_of(form: &Form) -> u64 {
    // None that ever was: the change is refused as one for an older version.
    form.number(VERSION).unwrap_or(0)
}

/// Why a plan was not changed, as a page.
pub(crate) fn not_changed(desk: &Desk, why: NotChanged) -> Unanswered {
    match why {
        NotChanged::Stale => Unanswered::Stale {
            plan: desk.name.clone(),
        },
        NotChanged::Unreadable => Unanswered::Mistake {
            message: "The plan's text has mistakes, so that forms cannot change it.".to_owned(),
            hint: "Mend the text on the page Plan, or undo the last change.".to_owned(),
        },
        NotChanged::Refused(problems) => {
            let first = problems.into_iter().next();
            let (message, hint) = first.map_or_else(
                || ("The change was refused.".to_owned(), String::new()),
                |problem| (problem.message, problem.hint),
            );
            Unanswered::Mistake { message, hint }
        }
        NotChanged::Disk(error) => error.into(),
    }
}

/// Sends the browser to another page, with a request that can be repeated.
pub(crate) fn see(place: &str) -> Response {
    (
        StatusCode::SEE_OTHER,
        [(header::LOCATION, place.to_owned())],
    )
        .into_response()
}
