//! What a step does, shown on its page before anybody runs the plan.

use axum::body::Bytes;
use axum::extract::{Path, State};
use bauta_plan::work::preview::{Becomes, Preview, VariableChange};
use bauta_report::parts;
use maud::{Markup, html};

use super::layout::{at, hidden};
use crate::app::{Answer, App, Shared, Unanswered, see, version_of};
use crate::desk::{Desk, Present};
use crate::form::Form;
use crate::previews::{Extent, N_SAMPLED, Previewed};

/// The position of a step among those that are carried out; none for one that is off.
fn position(present: &Present, number: usize) -> Option<usize> {
    let steps = &present.draft.as_ref()?.steps;
    let idx = number.checked_sub(1)?;
    let step = steps.get(idx)?;
    (!step.off).then(|| steps[..idx].iter().filter(|one| !one.off).count())
}

/// The preview of a step of the plan, or the buttons that ask for one.
pub(crate) fn section(app: &App, desk: &Desk, present: &Present, number: usize) -> Markup {
    let Some(position) = position(present, number) else {
        return html! { h2 { "What it does" } p { "The step is switched off." } };
    };
    let button = |extent: &str, label: &str| {
        html! {
            form method="post" action=(at(&desk.name, &format!("preview/{number}"))) class="inline" {
                (hidden(app, present.version))
                input type="hidden" name="extent" value=(extent);
                button type="submit" disabled[present.plan.is_none()] { (label) }
            }
        }
    };
    let previewed = app.previews.of(desk, present, position);
    html! {
        h2 { "What it does" }
        div class="row" {
            (button("sample", &format!("Try it on {N_SAMPLED} records")))
            (button("whole", "Try it on the whole file"))
        }
        @match previewed {
            Previewed::None => p class="soft" { "Nothing is written, and nothing is released." },
            Previewed::Going => p class="soft" { "It is being tried." },
            Previewed::Failed(why) => div class="problems" { p { (why) } },
            Previewed::Done(found) => {
                @if let Some(found) = found.get() { (shown(found)) }
            }
        }
    }
}

fn shown(found: &Preview) -> Markup {
    html! {
        @if found.n_records < found.n_in_file {
            p class="warning" {
                "A sample: " (found.n_records) " of " (found.n_in_file) " records. What depends on how many are alike, as blanks and rare "
                "categories do, is more in a sample than in the file."
            }
        } @else {
            p { "All " (found.n_in_file) " records." }
        }
        @if found.n_removed > 0 { p { (found.n_removed) " records are removed." } }
        @if found.changes.is_empty() {
            p { strong { "It changes nothing." } }
        } @else {
            (changes(&found.changes))
        }
        (parts::steps(&found.record))
    }
}

fn changes(changes: &[VariableChange]) -> Markup {
    html! {
        div class="scroll" role="region" aria-label="What changes" tabindex="0" {
            table {
                thead {
                    tr {
                        th scope="col" { "Variable" } th scope="col" class="number" { "cells changed" }
                        th scope="col" class="number" { "of them blanked" } th scope="col" class="number" { "different before" }
                        th scope="col" class="number" { "after" }
                    }
                }
                tbody {
                    @for change in changes {
                        tr {
                            th scope="row" { (change.name) }
                            @match change.becomes {
                                Becomes::Dropped => td colspan="4" { "is not released" },
                                Becomes::Changed { n_changed, n_blanked, n_different: (before, after) } => {
                                    td class="number" { @match n_changed { Some(n) => (n), None => "records are others" } }
                                    td class="number" { (n_blanked) } td class="number" { (before) } td class="number" { (after) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Asks for a preview.
pub(crate) async fn begin(
    State(app): State<Shared>,
    Path((plan, number)): Path<(String, usize)>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let present = desk.present()?;
    if version_of(&form) != present.version {
        return Err(Unanswered::Stale { plan });
    }
    if let (Some(position), Some(checked)) = (position(&present, number), present.plan) {
        let extent = match form.text("extent") {
            Some("whole") => Extent::Whole,
            _ => Extent::Sample,
        };
        app.previews
            .begin(&app, &desk, (present.version, checked), position, extent);
    }
    Ok(see(&at(&plan, &format!("steps/{number}"))))
}
