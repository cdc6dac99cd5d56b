//! What stands around every page: head, way through the work, undo and redo, what is going on.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use super::assets;
use crate::app::App;
use crate::desk::{Desk, Present};
use crate::events::{STOPS, WAITS, state};
use crate::form::{TOKEN, VERSION};
use crate::jobs::{Job, Standing};

/// A page that is part of the way through the work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    /// How the file is read, and what is written.
    File,
    /// What each variable is.
    Variables,
    /// What intruders know, and what they find.
    Scenarios,
    /// What is done.
    Steps,
    /// What is measured, and what must hold.
    Conditions,
    /// Trying it.
    Run,
    /// What came of it.
    Compare,
    /// Letting the file go.
    Release,
    /// The plan as a text.
    Text,
    /// All versions.
    History,
}

impl Place {
    const WAY: [Self; 9] = [
        Self::File,
        Self::Variables,
        Self::Scenarios,
        Self::Steps,
        Self::Conditions,
        Self::Run,
        Self::Compare,
        Self::Release,
        Self::Text,
    ];

    /// The page after it on the way.
    fn next(self) -> Option<Self> {
        let position = Self::WAY.iter().position(|place| *place == self)?;
        Self::WAY
            .get(position + 1)
            .copied()
            .filter(|next| *next != Self::Text)
    }

    /// The page with this end of its address.
    pub(crate) fn with_end(end: &str) -> Option<Self> {
        let mut all = Self::WAY.into_iter().chain([Self::History]);
        all.find(|place| place.end() == end)
    }

    /// The end of its address.
    pub(crate) const fn end(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Variables => "variables",
            Self::Scenarios => "scenarios",
            Self::Steps => "steps",
            Self::Conditions => "conditions",
            Self::Run => "run",
            Self::Compare => "compare",
            Self::Release => "release",
            Self::Text => "text",
            Self::History => "history",
        }
    }

    const fn label(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Variables => "Variables",
            Self::Scenarios => "Scenarios and risk",
            Self::Steps => "Steps",
            Self::Conditions => "Conditions",
            Self::Run => "Run",
            Self::Compare => "Compare",
            Self::Release => "Release",
            Self::Text => "Plan",
            Self::History => "History",
        }
    }
}

/// What a page of a plan is made of.
pub(crate) struct Page<'a> {
    /// What all requests share.
    pub(crate) app: &'a App,
    /// The plan's desk.
    pub(crate) desk: &'a Desk,
    /// The plan as it is now.
    pub(crate) present: &'a Present,
    /// Where it is on the way.
    pub(crate) place: Place,
    /// Its heading.
    pub(crate) title: &'a str,
}

/// The address of a page of a plan.
pub(crate) fn at(plan: &str, end: &str) -> String {
    format!("/p/{}/{end}", segment(plan))
}

/// A text as one part of an address.
pub(crate) fn segment(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes()
        .map(|byte| {
            if is_plain(byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// The hidden fields of a form that changes a plan.
pub(crate) fn hidden(app: &App, version: u64) -> Markup {
    html! {
        (token(app))
        input type="hidden" name=(VERSION) value=(version);
    }
}

/// The hidden field of any form.
pub(crate) fn token(app: &App) -> Markup {
    html! { input type="hidden" name=(TOKEN) value=(app.doors.form_token()); }
}

impl Page<'_> {
    /// The whole page.
    pub(crate) fn with(&self, body: &Markup) -> Response {
        let plan = &self.desk.name;
        let going = self.app.jobs.of_plan(plan);
        let is_waiting = going.iter().any(|job| job.is_going_on());
        let head = html! {
            @if is_waiting {
                // Without the script the page is asked for again now and then.
                noscript { meta http-equiv="refresh" content="3"; }
            }
        };
        let main = html! {
            header class="app" {
                a class="brand" href="/" { "Bauta" }
                span class="plan-name" { (plan) }
                (self.undo_and_redo())
                (self.way())
            }
            (jobs(self.app, plan, &going))
            main id="main" tabindex="-1" {
                h1 { (self.title) }
                (self.problems())
                (body)
                @if let Some(next) = self.place.next() {
                    p class="next" { a href=(at(plan, next.end())) { "Next: " (next.label()) } }
                }
            }
        };
        let title = format!("{} – {plan}", self.title);
        whole(&title, &head, &main)
    }

    fn way(&self) -> Markup {
        html! {
            nav aria-label="Way through the work" {
                ol {
                    @for place in Place::WAY {
                        li {
                            a href=(at(&self.desk.name, place.end()))
                                aria-current=[(place == self.place).then_some("page")] { (place.label()) }
                        }
                    }
                }
            }
        }
    }

    fn undo_and_redo(&self) -> Markup {
        let Present {
            version,
            undo,
            redo,
            ..
        } = self.present;
        let button = |end: &str, label: &str, keys: &str, what: &Option<String>| {
            html! {
                form method="post" action=(at(&self.desk.name, end)) {
                    (hidden(self.app, *version))
                    input type="hidden" name="back" value=(self.place.end());
                    button type="submit" id=(end) disabled[what.is_none()]
                        title=[what.as_ref().map(|what| format!("{label}: {what} ({keys})"))] { (label) }
                }
            }
        };
        html! {
            div class="undo" {
                (button("undo", "Undo", "Ctrl+Z", undo))
                (button("redo", "Redo", "Ctrl+Y", redo))
                a href=(at(&self.desk.name, Place::History.end()))
                    aria-current=[(self.place == Place::History).then_some("page")] { "History" }
            }
        }
    }

    /// What is wrong with the plan, on every page but that of its text, which shows it in place.
    fn problems(&self) -> Markup {
        let problems = &self.present.problems;
        if problems.is_empty() || self.place == Place::Text {
            return html! {};
        }
        let text = at(&self.desk.name, Place::Text.end());
        html! {
            aside class="problems" aria-label="What is wrong with the plan" {
                p {
                    strong {
                        @match problems.len() {
                            1 => "One thing keeps the plan from running.",
                            n => { (n) " things keep the plan from running." }
                        }
                    }
                }
                ul {
                    @for problem in problems.iter().take(5) {
                        li { (problem.message) " – " (problem.hint) }
                    }
                }
                p { a href=(text) { "See them in the plan's text" } }
            }
        }
    }
}

/// What is going on in the background of a plan.
pub(crate) fn jobs(app: &App, plan: &str, all: &[std::sync::Arc<Job>]) -> Markup {
    let going = all.iter().filter(|job| job.is_going_on());
    html! {
        div id="jobs" data-plan=(plan) data-state=(state(all)) role="status" {
            @for job in going { (job_line(app, plan, job)) }
        }
    }
}

fn job_line(app: &App, plan: &str, job: &Job) -> Markup {
    let standing = job.standing();
    html! {
        div class="job" data-job=(job.id) {
            span class="what" { (job.task.in_words()) }
            @if let Standing::Working(shown) = &standing {
                progress max="100" value=[shown.percent] aria-label=(job.task.in_words()) {}
                span class="left" { (shown.in_words()) }
            } @else {
                span class="left" { @if standing == Standing::Stopping { (STOPS) } @else { (WAITS) } }
            }
            @if standing != Standing::Stopping { form method="post" action=(at(plan, &format!("jobs/{}/cancel", job.id))) {
                (token(app))
                button type="submit" { "Cancel" }
            } }
        }
    }
}

/// A page that belongs to no plan.
pub(crate) fn free(title: &str, body: &Markup) -> Response {
    let main = html! {
        header class="app" { a class="brand" href="/" { "Bauta" } }
        main id="main" tabindex="-1" { h1 { (title) } (body) }
    };
    whole(title, &html! {}, &main)
}

/// A page for those who are not in, too.
pub(crate) fn bare(title: &str, body: &Markup) -> Response {
    free(title, body)
}

fn whole(title: &str, head: &Markup, body: &Markup) -> Response {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) " – Bauta" }
                link rel="icon" href=(assets::ICON.address());
                link rel="stylesheet" href=(assets::STYLE.address());
                script src=(assets::SCRIPT.address()) defer {}
                (head)
            }
            body class="app" {
                a class="skip" href="#main" { "Skip to the content" }
                (body)
            }
        }
    };
    let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    (kind, page.into_string()).into_response()
}
