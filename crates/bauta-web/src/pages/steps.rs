//! The list of steps: order, on and off, and what may be added.

use axum::body::Bytes;
use axum::extract::{Path, State};
use bauta_methods::{Card, Family, registry};
use bauta_plan::draft::{Draft, StepDraft};
use bauta_plan::problem::Place as Nowhere;
use bauta_plan::{Problem, ProblemKind};
use maud::{Markup, html};

use super::layout::{Page, Place, at, hidden};
use super::variables::text_first;
use crate::app::{Answer, App, Shared, not_changed, see, version_of};
use crate::desk::{Desk, Present};
use crate::fields::shown;
use crate::form::Form;

/// The page.
pub(crate) async fn show(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Steps,
        title: "Steps",
    };
    let Some(draft) = &present.draft else {
        return Ok(page.with(&text_first()));
    };
    Ok(page.with(&body(&app, &desk, &present, draft)))
}

fn body(app: &App, desk: &Desk, present: &Present, draft: &Draft) -> Markup {
    let n_steps = draft.steps.len();
    html! {
        p {
            "What is done to the file, from top to bottom: recode first, then blank what still stands out, then mask numbers. "
            "A step that is switched off stays in the plan and is not carried out."
        }
        @if draft.steps.is_empty() { p { "There is no step yet: the file would go as it is." } }
        ol class="steps" data-move=(at(&desk.name, "steps/move")) {
            @for (idx, step) in draft.steps.iter().enumerate() {
                (item(app, desk, present, step, idx, n_steps))
            }
        }
        @if let Some(implied) = implied(present) { p class="soft" { (implied) } }
        p { a class="button" href=(at(&desk.name, "steps/add")) { "Add a step" } }
    }
}

/// What the plan does besides, because of the roles that it gives.
fn implied(present: &Present) -> Option<String> {
    let plan = present.plan.as_ref()?;
    let added: Vec<&str> = (plan.steps.iter())
        .filter(|step| step.span.is_none())
        .flat_map(|step| step.on.iter().map(String::as_str))
        .collect();
    (!added.is_empty()).then(|| {
        format!(
            "Besides, identifiers are always removed: {}.",
            added.join(", ")
        )
    })
}

fn item(
    app: &App,
    desk: &Desk,
    present: &Present,
    step: &StepDraft,
    idx: usize,
    n_steps: usize,
) -> Markup {
    let id = step.method.id().as_str();
    let card = registry::card(id);
    let title = card.map_or(id, |card| card.title);
    let number = idx + 1;
    let button = |action: &str, label: &str, shown: &str, is_idle: bool| {
        html! {
            form method="post" action=(at(&desk.name, &format!("steps/{number}/{action}"))) {
                (hidden(app, present.version))
                button type="submit" disabled[is_idle] aria-label=(format!("{label} step {number}, {title}")) { (shown) }
            }
        }
    };
    html! {
        li class={ "step" @if step.off { " off" } } draggable="true" data-number=(number) {
            div class="step-text" {
                // A method that there is not can only be mended in the text.
                @let place = if card.is_some() { format!("steps/{number}") } else { "text".to_owned() };
                h2 { a href=(at(&desk.name, &place)) { (title) } @if step.off { " (off)" } }
                p { (summary(step, card)) }
                @if let Some(why) = &step.why { p class="soft" { (why) } }
            }
            div class="step-buttons" {
                (button("up", "Move up", "Up", idx == 0))
                (button("down", "Move down", "Down", number == n_steps))
                @if step.off { (button("on", "Switch on", "On", false)) }
                @else { (button("off", "Switch off", "Off", false)) }
                (button("remove", "Remove", "Remove", false))
            }
        }
    }
}

/// On what it works and with which parameters.
fn summary(step: &StepDraft, card: Option<&Card>) -> Markup {
    let on = step.on.as_ref().map(|on| {
        let names: Vec<&str> = on.value.iter().map(|name| name.value.as_str()).collect();
        names.join(", ")
    });
    html! {
        @match on { Some(on) => { "on " (on) } None => "on its usual variables" }
        @for (name, value) in step.params.plain() {
            @if let Some(spec) = card.and_then(|card| card.param(&name)) {
                "; " code { (name) } " " (shown(spec.ty, &value).replace('\n', ", "))
            }
        }
    }
}

/// The methods that can be added.
pub(crate) async fn add(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Steps,
        title: "Add a step",
    };
    let methods = |family: Family| -> Markup {
        let cards = registry::cards().filter(|card| card.family == family);
        html! {
            dl class="methods" {
                @for card in cards {
                    dt { a href=(at(&plan, &format!("steps/new/{}", card.id))) { (card.title) } " " code { (card.id) } }
                    dd { (card.summary) }
                }
            }
        }
    };
    let body = html! {
        h2 { "Change the file" }
        (methods(Family::Mask))
        h2 { "Give it weights that still represent the population" }
        (methods(Family::Adjuster))
        p { a href=(at(&plan, "steps")) { "Back to the steps" } }
    };
    Ok(page.with(&body))
}

/// What a button of a step does.
pub(crate) async fn act(
    State(app): State<Shared>,
    Path((plan, number, action)): Path<(String, usize, String)>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let what = format!("{} step {number}", in_words(&action));
    let changed = desk.change(version_of(&form), &what, |draft| {
        let idx = step_idx(draft, number)?;
        match action.as_str() {
            "up" if idx > 0 => draft.steps.swap(idx, idx - 1),
            "down" if idx + 1 < draft.steps.len() => draft.steps.swap(idx, idx + 1),
            "on" => draft.steps[idx].off = false,
            "off" => draft.steps[idx].off = true,
            "remove" => {
                draft.steps.remove(idx);
            }
            _ => {
                return Err(wrong(
                    "a step cannot do that",
                    "look at the list of steps again",
                ));
            }
        }
        Ok(())
    });
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "steps")))
}

/// Puts a step elsewhere in the list, as a mouse does.
pub(crate) async fn reorder(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let numbers = (form.number("from"), form.number("to"));
    let (Some(from), Some(to)) = numbers else {
        return Ok(see(&at(&plan, "steps")));
    };
    let what = format!("move step {from} to {to}");
    let changed = desk.change(version_of(&form), &what, |draft| {
        let (from, to) = (step_idx(draft, from)?, step_idx(draft, to)?);
        let step = draft.steps.remove(from);
        draft.steps.insert(to, step);
        Ok(())
    });
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "steps")))
}

/// The position of a step by its number.
pub(crate) fn step_idx(draft: &Draft, number: usize) -> Result<usize, Problem> {
    let idx = number.checked_sub(1).filter(|&idx| idx < draft.steps.len());
    idx.ok_or_else(|| {
        wrong(
            "the plan has no such step",
            "look at the list of steps again",
        )
    })
}

/// A change that makes no sense.
pub(crate) fn wrong(message: &str, hint: &str) -> Problem {
    Problem::at(ProblemKind::Plan, &Nowhere::NOWHERE, message, hint)
}

fn in_words(action: &str) -> &str {
    match action {
        "up" => "move up",
        "down" => "move down",
        "on" => "switch on",
        "off" => "switch off",
        other => other,
    }
}
