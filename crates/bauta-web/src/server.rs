//! The server: where it listens, which page answers what, and how it ends.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bauta_plan::output::{folder_of, recover};
use maud::html;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::net::TcpListener;

use crate::app::{App, Shared};
use crate::desk::{Desks, history_folder};
use crate::doors::{Doors, Refused, guarded};
use crate::folder::{EntryKind, Folder, HISTORIES};
use crate::form::{Form, TOKEN};
use crate::jobs::Jobs;
use crate::lock::{Lock, NotLocked, own_file};
use crate::looked::Looks;
use crate::pages::{self, layout};
use crate::previews::Previews;
use crate::risks::Risks;
use crate::runs::{Runs, clear_unfinished};

/// A form of more bytes is refused: the text of a plan with thousands of variables stays far below.
const MOST_BYTES: usize = 4 << 20;
/// Threads that answer: a page that reads the head of a file must not keep others waiting.
const WORKERS: usize = 8;
/// How often the server looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);

/// What is to be served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Serve {
    /// A folder, or a file or plan in one.
    pub place: PathBuf,
    /// Where to listen; the loopback address if not given.
    pub host: Option<String>,
    /// The port; one that is free if not given.
    pub port: Option<u16>,
    /// Threads for the work; all there are if not given.
    pub threads: Option<usize>,
}

/// Where the app is, once it listens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The address that lets a browser in; whoever has it can do what the user can.
    pub url: String,
    /// The folder that is served.
    pub folder: PathBuf,
    /// Whether other machines can reach it.
    pub is_open_to_others: bool,
}

impl Address {
    /// A page on the disk that only its owner can read, and that leads to the app.
    pub fn entrance(&self) -> std::io::Result<PathBuf> {
        let page = html! {
            (maud::DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="referrer" content="no-referrer";
                    meta http-equiv="refresh" content=(format!("0; url={}", self.url));
                    title { "Bauta" }
                }
                body { p { a href=(self.url) { "Go on" } } }
            }
        };
        let place = self.folder.join(HISTORIES).join("open.html");
        let mut file = own_file().open(&place)?;
        file.set_len(0)?;
        file.write_all(page.into_string().as_bytes())?;
        Ok(place)
    }
}

/// Why there is no app.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is nothing to serve.
    #[error("{} cannot be served: {reason}", place.display())]
    Place {
        /// What was to be served.
        place: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Somebody else serves the folder.
    #[error("another `bauta serve` serves {}", folder.display())]
    Taken {
        /// The folder.
        folder: PathBuf,
    },
    /// Nothing can listen there.
    #[error("nothing can listen at {address}: {reason}")]
    Listen {
        /// Where.
        address: String,
        /// Why not.
        reason: String,
    },
    /// The system failed.
    #[error("{0}")]
    System(#[from] std::io::Error),
}

/// Serves until `is_over` says so. `ready` is called once, when the app listens.
pub fn serve(
    request: &Serve,
    ready: impl FnOnce(&Address),
    is_over: &(dyn Fn() -> bool + Sync),
) -> Result<(), ServeError> {
    let (root, first) = folder_and_file(&request.place)?;
    let folder = Folder::at(&root)?;
    let _lock = Lock::of(&folder.root().join(HISTORIES)).map_err(|error| match error {
        NotLocked::Taken => ServeError::Taken {
            folder: folder.root().to_owned(),
        },
        NotLocked::Failed(error) => ServeError::System(error),
    })?;
    clear_up(&folder);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .enable_all()
        .build()?;
    let jobs = Arc::new(Jobs::default());
    let pool_of_runs = pool(request)?;
    let pool = pool(request)?;
    let outcome = runtime.block_on(async {
        let (listener, address) = listen(request).await?;
        let doors = Doors::new(address, request.host.as_deref()).map_err(std::io::Error::other)?;
        let mut url = doors.address();
        if let Some(first) = first.as_deref().and_then(|first| folder.name_of(first)) {
            url.push_str(&format!("&open={}", layout::segment(&first)));
        }
        let app = Arc::new(App {
            folder: folder.clone(),
            doors,
            desks: Desks::default(),
            jobs: Arc::clone(&jobs),
            looks: Looks::default(),
            risks: Risks::default(),
            previews: Previews::default(),
            runs: Runs::default(),
            pool: Arc::clone(&pool),
        });
        let worker = worker(&jobs, pool_of_runs);
        ready(&Address {
            url,
            folder: folder.root().to_owned(),
            is_open_to_others: !address.ip().is_loopback(),
        });
        let over = async {
            while !is_over() {
                tokio::time::sleep(LOOK).await;
            }
        };
        let served = tokio::select! {
            served = async { axum::serve(listener, router(app)).await } => served,
            () = over => Ok(()),
        };
        jobs.close();
        // What was being written is whole or taken back when the worker is through.
        let _ = worker.join();
        served.map_err(ServeError::System)
    });
    runtime.shutdown_background();
    outcome
}

/// Finishes or takes back what a crash left beside the plans of the folder, and removes what it left of their runs.
fn clear_up(folder: &Folder) {
    let listing = folder.listing().unwrap_or_default();
    let plans = listing
        .entries
        .iter()
        .filter(|entry| entry.kind == EntryKind::Plan);
    let files: Vec<PathBuf> = plans
        .filter_map(|plan| folder.place_of(&plan.name))
        .collect();
    let folders: BTreeSet<&Path> = files.iter().map(|file| folder_of(file)).collect();
    // What it found there, the plans' own pages show.
    let _ = recover(folders);
    for file in &files {
        clear_unfinished(&history_folder(file));
    }
}

fn pool(request: &Serve) -> Result<Arc<ThreadPool>, ServeError> {
    let pool = ThreadPoolBuilder::new().num_threads(request.threads.unwrap_or(0));
    Ok(Arc::new(pool.build().map_err(std::io::Error::other)?))
}

/// The thread that works off the queue.
fn worker(jobs: &Arc<Jobs>, pool: Arc<ThreadPool>) -> std::thread::JoinHandle<()> {
    let jobs = Arc::clone(jobs);
    std::thread::spawn(move || jobs.work(&pool))
}

/// The folder that is served, and the file or plan in it that was named.
fn folder_and_file(place: &Path) -> Result<(PathBuf, Option<PathBuf>), ServeError> {
    let refused = |reason: &str| ServeError::Place {
        place: place.to_owned(),
        reason: reason.to_owned(),
    };
    let facts = place
        .metadata()
        .map_err(|error| refused(&error.to_string()))?;
    if facts.is_dir() {
        return Ok((place.to_owned(), None));
    }
    if !facts.is_file() {
        return Err(refused("it is no file and no folder"));
    }
    let folder = folder_of(place).canonicalize()?;
    let name = place.file_name().ok_or_else(|| refused("it has no name"))?;
    let file = folder.join(name);
    Ok((folder, Some(file)))
}

async fn listen(request: &Serve) -> Result<(TcpListener, SocketAddr), ServeError> {
    let port = request.port.unwrap_or(0);
    let host = request.host.clone();
    let host = host.unwrap_or_else(|| IpAddr::V4(Ipv4Addr::LOCALHOST).to_string());
    let listener = TcpListener::bind((host.as_str(), port)).await;
    let listener = listener.map_err(|error| ServeError::Listen {
        address: format!("{host}:{port}"),
        reason: error.to_string(),
    })?;
    let address = listener.local_addr()?;
    Ok((listener, address))
}

/// Which page answers what.
fn router(app: Shared) -> Router {
    let pages = Router::new()
        .merge(pages::routes())
        .layer(from_fn_with_state(Arc::clone(&app), forms_are_ours))
        .layer(from_fn_with_state(Arc::clone(&app), has_session));
    Router::new()
        .route("/assets/{name}", get(pages::assets::show))
        .route("/favicon.ico", get(pages::assets::icon))
        .merge(pages)
        .fallback(pages::open::not_here)
        .layer(from_fn_with_state(Arc::clone(&app), asks_for_us))
        .with_state(app)
}

/// Refuses requests for other hosts and from other pages; every answer says what browsers may do with it.
async fn asks_for_us(State(app): State<Shared>, request: Request, next: Next) -> Response {
    // A link to the start page may stand anywhere; it does nothing and shows nothing without the token or the cookie.
    let is_entrance = request.method() == Method::GET && request.uri().path() == "/";
    let answer = match app.doors.admits(request.headers(), is_entrance) {
        Ok(()) => next.run(request).await,
        Err(why) => refused(why),
    };
    guarded(answer)
}

/// Lets in who has the cookie, or the token for it.
async fn has_session(State(app): State<Shared>, request: Request, next: Next) -> Response {
    if app.doors.knows(request.headers()).is_ok() {
        return next.run(request).await;
    }
    let query = request.uri().query().unwrap_or_default();
    let query = Form::read(query.as_bytes());
    let is_start = request.method() == Method::GET && request.uri().path() == "/";
    match query.get("token") {
        Some(token) if is_start && app.doors.opens(token) => let_in(&app, &query),
        _ => refused(Refused::Session),
    }
}

/// Gives the cookie for the token, and goes on without it in the address. The page itself goes on, and not an answer: a
/// strict cookie does not come along where another site's link led here.
fn let_in(app: &App, query: &Form) -> Response {
    let onward = match query.get("open") {
        Some(open) => format!("/?open={}", layout::segment(open)),
        None => "/".to_owned(),
    };
    let page = html! {
        (maud::DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="refresh" content=(format!("0; url={onward}"));
                title { "Bauta" }
            }
            body { p { a href=(onward) { "Go on" } } }
        }
    };
    let headers = [
        (
            axum::http::header::CONTENT_TYPE,
            "text/html; charset=utf-8".to_owned(),
        ),
        (axum::http::header::SET_COOKIE, app.doors.set_cookie()),
    ];
    (headers, page.into_string()).into_response()
}

/// Refuses forms that none of our pages made. The body is read here, and goes on as it is.
async fn forms_are_ours(State(app): State<Shared>, request: Request, next: Next) -> Response {
    if request.method() == Method::GET || request.method() == Method::HEAD {
        return next.run(request).await;
    }
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MOST_BYTES).await else {
        let body = html! { p { "What was sent is larger than any plan." } };
        return (
            StatusCode::PAYLOAD_TOO_LARGE,
            layout::bare("Too large", &body),
        )
            .into_response();
    };
    let is_ours = Form::read(&body)
        .get(TOKEN)
        .is_some_and(|token| app.doors.is_our_form(token));
    if !is_ours {
        return refused(Refused::Origin);
    }
    let whole: Bytes = body;
    next.run(Request::from_parts(head, Body::from(whole))).await
}

fn refused(why: Refused) -> Response {
    let body = match why {
        Refused::Host => html! {
            p { "This server was asked for under a name that is not its own. Use the address that `bauta serve` printed." }
        },
        Refused::Origin => html! {
            p { "This request does not come from one of the app's own pages. Nothing was done." }
            p { "If a page was open while the app was started again, open the address that `bauta serve` printed." }
        },
        Refused::Session => html! {
            p { "Open the address that `bauta serve` printed: it lets this browser in." }
        },
    };
    (StatusCode::FORBIDDEN, layout::bare("Not let in", &body)).into_response()
}
