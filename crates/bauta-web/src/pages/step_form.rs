//! One step: its variables, its parameters, its reason, and the page of its method beside them.

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use bauta_methods::{Card, Family, RawValue, registry};
use bauta_plan::Problem;
use bauta_plan::draft::{Draft, StepDraft};
use maud::{Markup, html};

use super::help::written;
use super::layout::{Page, Place, at, hidden};
use super::steps::{step_idx, wrong};
use super::variables::text_first;
use crate::app::{Answer, App, Shared, Unanswered, not_changed, see, version_of};
use crate::desk::{Desk, Present};
use crate::fields::{Offered, fields, given, ticked};
use crate::form::Form;

/// What a form of a step is filled with.
struct Filled {
    on: Vec<String>,
    params: Vec<(String, RawValue)>,
    why: String,
    name: String,
}

/// The step that a form is for.
#[derive(Clone, Copy)]
enum Target {
    /// One that is added at the end.
    New(&'static Card),
    /// One of the plan, by its number.
    Known(usize, &'static Card),
}

impl Target {
    const fn card(self) -> &'static Card {
        match self {
            Self::New(card) | Self::Known(_, card) => card,
        }
    }

    fn address(self, plan: &str) -> String {
        match self {
            Self::New(card) => at(plan, &format!("steps/new/{}", card.id)),
            Self::Known(number, _) => at(plan, &format!("steps/{number}")),
        }
    }
}

impl Filled {
    fn of_step(step: &StepDraft) -> Self {
        let on = step.on.iter().flat_map(|on| on.value.iter());
        Self {
            on: on.map(|name| name.value.clone()).collect(),
            params: step.params.plain(),
            why: step.why.clone().unwrap_or_default(),
            name: step
                .name
                .as_ref()
                .map_or_else(String::new, |name| name.value.clone()),
        }
    }

    /// A new step, with what the example of its method shows where the plan has nothing to start from.
    fn fresh() -> Self {
        Self {
            on: Vec::new(),
            params: Vec::new(),
            why: String::new(),
            name: String::new(),
        }
    }

    fn of_form(card: &Card, form: &Form, before: &[(String, RawValue)]) -> Self {
        let text = |field: &str| form.text(field).unwrap_or_default().to_owned();
        Self {
            on: form.all("on").map(str::to_owned).collect(),
            params: given(card, form, before),
            why: text("why"),
            name: text("name"),
        }
    }

    /// Writes it into a step. What was not changed keeps its place in the text.
    fn put(&self, step: &mut StepDraft) {
        let text = |text: &String| (!text.is_empty()).then(|| text.clone());
        step.on = (!self.on.is_empty()).then(|| {
            self.on
                .iter()
                .map(|name| name.as_str().into())
                .collect::<Vec<_>>()
                .into()
        });
        step.params = bauta_plan::draft::Given::default();
        for (name, value) in &self.params {
            step.params.push(name, value.clone());
        }
        step.why = text(&self.why);
        step.name = text(&self.name).map(Into::into);
    }
}

/// The form of a step that is to be added.
pub(crate) async fn fresh(
    State(app): State<Shared>,
    Path((plan, method)): Path<(String, String)>,
) -> Answer {
    let card = card_of(&method)?;
    let (desk, target) = (app.desk(&plan)?, Target::New(card));
    let present = desk.present()?;
    Ok(page(&app, &desk, &present, target, &Filled::fresh(), &[]))
}

/// The form of a step of the plan.
pub(crate) async fn show(
    State(app): State<Shared>,
    Path((plan, number)): Path<(String, usize)>,
) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let step = step_of(&present, number)?;
    let target = Target::Known(number, card_of(step.method.id())?);
    Ok(page(
        &app,
        &desk,
        &present,
        target,
        &Filled::of_step(step),
        &[],
    ))
}

fn step_of(present: &Present, number: usize) -> Result<&StepDraft, Unanswered> {
    let draft = present.draft.as_ref();
    let step = draft.and_then(|draft| draft.steps.get(step_idx(draft, number).ok()?));
    step.ok_or_else(|| Unanswered::NotFound("The plan has no such step.".to_owned()))
}

fn card_of(method: &str) -> Result<&'static Card, Unanswered> {
    let card = registry::card(method);
    let card = card.filter(|card| matches!(card.family, Family::Mask | Family::Adjuster));
    card.ok_or_else(|| Unanswered::NotFound("There is no such method for a step.".to_owned()))
}

fn page(
    app: &App,
    desk: &Desk,
    present: &Present,
    target: Target,
    filled: &Filled,
    problems: &[Problem],
) -> axum::response::Response {
    let card = target.card();
    let page = Page {
        app,
        desk,
        present,
        place: Place::Steps,
        title: card.title,
    };
    let Some(draft) = &present.draft else {
        return page.with(&text_first());
    };
    let form = form_of(app, desk, present, draft, target, filled, problems);
    let below = match target {
        Target::Known(number, _) => super::preview::section(app, desk, present, number),
        Target::New(_) => html! {},
    };
    page.with(&html! {
        p { (card.summary) }
        div class="beside" {
            (form)
            aside class="help" aria-label="The page of the method" tabindex="0" { (written(card.page)) }
        }
        (below)
    })
}

fn form_of(
    app: &App,
    desk: &Desk,
    present: &Present,
    draft: &Draft,
    target: Target,
    filled: &Filled,
    problems: &[Problem],
) -> Markup {
    let card = target.card();
    let names: Vec<String> = draft
        .variables
        .iter()
        .map(|one| one.name.value.clone())
        .collect();
    let scenarios: Vec<String> = draft
        .scenarios
        .iter()
        .map(|one| one.name.value.clone())
        .collect();
    let offered = Offered {
        variables: &names,
        scenarios: &scenarios,
    };
    html! {
        form method="post" action=(target.address(&desk.name)) class="stacked-form" {
            (hidden(app, present.version))
            @if !problems.is_empty() { (refused(problems)) }
            (variables(card, draft, &filled.on))
            (fields(card, &filled.params, offered))
            div class="field" {
                label for="why" { "Why" }
                textarea id="why" name="why" rows="2" class="words" aria-describedby="why-help" { (filled.why) }
                p class="soft" id="why-help" { "The reason is printed in both reports, word for word." }
            }
            div class="field" {
                label for="name" { "Name" }
                input id="name" name="name" type="text" value=(filled.name) aria-describedby="name-help" autocomplete="off";
                p class="soft" id="name-help" { "Keys its random draws; only needed where a method is used twice and steps are moved." }
            }
            p {
                button type="submit" { @match target { Target::New(_) => "Add the step", Target::Known(..) => "Save the step" } }
                " " a href=(at(&desk.name, "steps")) { "Back without saving" }
            }
        }
    }
}

/// What keeps the plan from running with this step, and a way to keep it all the same.
pub(crate) fn refused(problems: &[Problem]) -> Markup {
    html! {
        div class="problems" role="alert" {
            p { strong { "With this the plan would not run, so that it is not saved yet:" } }
            ul { @for problem in problems { li { (problem.message) " – " (problem.hint) } } }
            label { input type="checkbox" name="anyway" value="yes"; " Save it anyway, and mend the rest afterwards" }
        }
    }
}

/// The variables that it can work on.
fn variables(card: &Card, draft: &Draft, chosen: &[String]) -> Markup {
    let fits = |name: &&String| {
        let variable = draft.variables.iter().find(|one| one.name.value == **name);
        variable.is_some_and(|one| {
            let usual = one.role.default_kind();
            let kind = one.kind.as_ref().map_or(usual, |kind| kind.value);
            card.targets.kinds.contains(&kind) && !card.targets.refused_roles.contains(&one.role)
        })
    };
    let all: Vec<String> = draft
        .variables
        .iter()
        .map(|one| one.name.value.clone())
        .collect();
    let shown: Vec<&String> = all
        .iter()
        .filter(|name| fits(name) || chosen.contains(name))
        .collect();
    let strangers = chosen.iter().filter(|name| !all.contains(name));
    let usual: Vec<&str> = card
        .targets
        .default_roles
        .iter()
        .map(|role| role.name())
        .collect();
    html! {
        fieldset aria-describedby="on-help" {
            legend { "On" }
            (ticked("on", shown.into_iter().chain(strangers), chosen))
        }
        p class="soft" id="on-help" {
            @if usual.is_empty() { "Variables that this method can work on. Kinds that earlier steps make are judged when the step is saved." }
            @else { "Without any: all of the role " (usual.join(", ")) "." }
        }
    }
}

/// Adds a step.
pub(crate) async fn add(
    State(app): State<Shared>,
    Path((plan, method)): Path<(String, String)>,
    body: Bytes,
) -> Answer {
    let card = card_of(&method)?;
    save(&app, &plan, Target::New(card), &Form::from(&body))
}

/// Changes a step.
pub(crate) async fn change(
    State(app): State<Shared>,
    Path((plan, number)): Path<(String, usize)>,
    body: Bytes,
) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let card = card_of(step_of(&present, number)?.method.id())?;
    save(&app, &plan, Target::Known(number, card), &Form::from(&body))
}

fn save(app: &App, plan: &str, target: Target, form: &Form) -> Answer {
    let desk = app.desk(plan)?;
    let card = target.card();
    let before = match target {
        Target::New(_) => Vec::new(),
        Target::Known(number, _) => step_of(&desk.present()?, number)?.params.plain(),
    };
    let filled = Filled::of_form(card, form, &before);
    let put = |draft: &mut Draft| match target {
        Target::New(card) => {
            let mut step = match card.family {
                Family::Adjuster => StepDraft::adjust(card.id),
                _ => StepDraft::mask(card.id),
            };
            filled.put(&mut step);
            draft.steps.push(step);
            Ok(())
        }
        Target::Known(number, card) => {
            let idx = step_idx(draft, number)?;
            let step = &mut draft.steps[idx];
            if step.method.id().value != card.id {
                return Err(wrong(
                    "the plan has another step there",
                    "look at the list of steps again",
                ));
            }
            filled.put(step);
            Ok(())
        }
    };
    let (_, problems) = desk
        .if_changed(put)
        .map_err(|why| not_changed(&desk, why))?;
    let present = desk.present()?;
    let fresh = present.new_among(problems);
    if !fresh.is_empty() && !form.has("anyway") {
        let page = page(app, &desk, &present, target, &filled, &fresh);
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let what = match target {
        Target::New(card) => format!("add {}", card.id),
        Target::Known(number, card) => format!("step {number}, {}", card.id),
    };
    let changed = desk.change(version_of(form), &what, put);
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(plan, "steps")))
}
