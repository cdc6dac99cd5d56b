//! What is going on, told to pages as it changes.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{Stream, unfold};
use serde_json::{Map, Value, json};

use crate::app::{Answer, App, Shared, Unanswered, see};
use crate::jobs::{Job, Standing};
use crate::pages::layout::at;

/// What is said of a job that others go before.
pub(crate) const WAITS: &str = "waits for its turn";

/// What is said of a job that is being stopped.
pub(crate) const STOPS: &str = "cancelled; ends in a moment";

/// How often a page is told, if there is something to tell.
const PAUSE: Duration = Duration::from_millis(250);

/// A stream of the jobs of all plans: an event whenever something has changed.
pub(crate) async fn stream(State(app): State<Shared>) -> Response {
    Sse::new(changes(app))
        .keep_alive(KeepAlive::default())
        .into_response()
}

fn changes(app: Shared) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold((app, Value::Null), |(app, last)| async move {
        loop {
            let now = told(&app);
            if now != last {
                let event = Event::default().data(now.to_string());
                return Some((Ok(event), (app, now)));
            }
            tokio::time::sleep(PAUSE).await;
        }
    })
}

/// The jobs of each plan: those that wait or are being done, and how many have ended.
fn told(app: &App) -> Value {
    let mut plans = Map::new();
    for plan in app.jobs.plans() {
        let jobs = app.jobs.of_plan(&plan);
        let going: Vec<Value> = (jobs.iter())
            .filter(|job| job.is_going_on())
            .map(|job| match job.standing() {
                Standing::Working(shown) => json!({
                    "id": job.id, "percent": shown.percent, "left": shown.in_words(),
                }),
                Standing::Stopping => json!({ "id": job.id, "percent": null, "left": STOPS }),
                _ => json!({ "id": job.id, "percent": null, "left": WAITS }),
            })
            .collect();
        let (ended, n_ended) = ended(&jobs);
        plans.insert(
            plan,
            json!({ "going": going, "ended": ended, "n_ended": n_ended }),
        );
    }
    plans.into()
}

/// The last job that has ended, and how many have.
fn ended(jobs: &[Arc<Job>]) -> (u64, usize) {
    let ended = jobs.iter().filter(|job| !job.is_going_on());
    let ids: Vec<u64> = ended.map(|job| job.id).collect();
    (ids.iter().copied().max().unwrap_or(0), ids.len())
}

/// What a page was made for, in one line: the script asks for it again when that is no longer so.
pub(crate) fn state(jobs: &[Arc<Job>]) -> String {
    let going = jobs.iter().filter(|job| job.is_going_on());
    let going: Vec<String> = going.map(|job| job.id.to_string()).collect();
    let (ended, n_ended) = ended(jobs);
    format!("{}/{ended}/{n_ended}", going.join(" "))
}

/// Stops a job.
pub(crate) async fn cancel(
    State(app): State<Shared>,
    Path((plan, id)): Path<(String, u64)>,
) -> Answer {
    let job = app.jobs.job(id).filter(|job| job.plan == plan);
    let job = job.ok_or_else(|| Unanswered::NotFound("There is no such job.".to_owned()))?;
    job.cancel();
    Ok(see(&at(&plan, "run")))
}
