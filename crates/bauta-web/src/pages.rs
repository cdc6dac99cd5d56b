//! The pages, made on the server; each is a file below.

pub(crate) mod advice;
pub(crate) mod assets;
pub(crate) mod compare;
pub(crate) mod conditions;
pub(crate) mod file;
pub(crate) mod help;
pub(crate) mod history;
pub(crate) mod layout;
pub(crate) mod open;
pub(crate) mod preview;
pub(crate) mod release;
pub(crate) mod risk;
pub(crate) mod run;
pub(crate) mod scenarios;
pub(crate) mod step_form;
pub(crate) mod steps;
pub(crate) mod text;
pub(crate) mod variable;
pub(crate) mod variables;

use axum::Router;
use axum::extract::Path;
use axum::routing::{get, post};

use crate::app::{Answer, Shared, see};
use crate::events;

/// All pages that need a session.
pub(crate) fn routes() -> Router<Shared> {
    Router::new()
        .route("/", get(open::start))
        .route("/events", get(events::stream))
        .route("/demo", post(open::make_demo))
        .route("/begin", get(open::begin_page).post(open::begin))
        .route("/opening/{id}", get(open::opening))
        .route("/opening/{id}/cancel", post(open::stop_opening))
        .route("/help/{topic}", get(help::show))
        .merge(of_plan())
}

/// The pages of a plan.
fn of_plan() -> Router<Shared> {
    Router::new()
        .route("/p/{plan}", get(first))
        .route("/p/{plan}/jobs/{id}/cancel", post(events::cancel))
        .route("/p/{plan}/advice", get(advice::show))
        .route("/p/{plan}/look", post(variables::look_again))
        .route(
            "/p/{plan}/variables",
            get(variables::show).post(variables::change),
        )
        .route(
            "/p/{plan}/variables/{name}",
            get(variable::show).post(variable::change),
        )
        .route(
            "/p/{plan}/scenarios",
            get(scenarios::show).post(scenarios::save),
        )
        .route("/p/{plan}/scenarios/remove", post(scenarios::remove))
        .route("/p/{plan}/scenarios/count", post(scenarios::count_again))
        .route("/p/{plan}/steps", get(steps::show))
        .route("/p/{plan}/steps/add", get(steps::add))
        .route("/p/{plan}/steps/move", post(steps::reorder))
        .route(
            "/p/{plan}/steps/new/{method}",
            get(step_form::fresh).post(step_form::add),
        )
        .route(
            "/p/{plan}/steps/{number}",
            get(step_form::show).post(step_form::change),
        )
        .route("/p/{plan}/steps/{number}/{action}", post(steps::act))
        .route("/p/{plan}/preview/{number}", post(preview::begin))
        .route("/p/{plan}/file", get(file::show).post(file::change))
        .route(
            "/p/{plan}/conditions",
            get(conditions::show).post(conditions::add),
        )
        .route("/p/{plan}/conditions/remove", post(conditions::remove))
        .route("/p/{plan}/conditions/measures", post(conditions::measured))
        .route("/p/{plan}/run", get(run::show).post(run::begin))
        .route("/p/{plan}/runs/{n}/take", post(run::take))
        .route("/p/{plan}/runs/{n}/{which}", get(run::report))
        .route("/p/{plan}/runs/{n}/tables/{name}", get(run::table))
        .route("/p/{plan}/compare", get(compare::show))
        .route("/p/{plan}/release", get(release::show).post(release::begin))
        .route("/p/{plan}/files/{which}", get(release::file))
        .route("/p/{plan}/text", get(text::show).post(text::change))
        .route("/p/{plan}/text/check", post(text::check))
        .route("/p/{plan}/text/file", get(text::file))
        .route("/p/{plan}/history", get(history::show))
        .route(
            "/p/{plan}/history/{n}",
            get(history::version).post(history::go_to),
        )
        .route("/p/{plan}/undo", post(history::undo))
        .route("/p/{plan}/redo", post(history::redo))
}

/// A plan without the name of a page.
async fn first(Path(plan): Path<String>) -> Answer {
    Ok(see(&layout::at(&plan, "variables")))
}
