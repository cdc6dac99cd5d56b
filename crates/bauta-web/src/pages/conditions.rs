//! What is measured, and what must hold before the file may go.

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use bauta_data::number::number_text;
use bauta_methods::figure::{Better, Per};
use bauta_methods::measure::MeasureCard;
use bauta_methods::{Family, registry};
use bauta_plan::Problem;
use bauta_plan::draft::{Draft, GateDraft, MeasureDraft};
use bauta_plan::problem::Spot;
use maud::{Markup, html};

use super::layout::{Page, Place, at, hidden};
use super::steps::wrong;
use super::variables::text_first;
use crate::app::{Answer, App, Shared, not_changed, see, version_of};
use crate::desk::{Desk, Present};
use crate::form::Form;

/// The figure of a gate that is the measure's own value, in the form.
const VALUE: &str = "";

/// The page.
pub(crate) async fn show(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Form::read(query.unwrap_or_default().as_bytes());
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let filled = filled(&query, &present).unwrap_or_default();
    Ok(page(&app, &desk, &present, &filled, &[]))
}

/// The form of a condition that is to be changed.
fn filled(query: &Form, present: &Present) -> Option<Form> {
    let number: usize = query.number("edit")?;
    let gate = present.draft.as_ref()?.gates.get(number.checked_sub(1)?)?;
    let part = gate.part.as_ref().map_or(VALUE, |part| part.value.as_str());
    let text = |spot: &Option<Spot<String>>| {
        spot.as_ref()
            .map(|spot| spot.value.clone())
            .unwrap_or_default()
    };
    let bound = |bound: Option<f64>| bound.map(number_text).unwrap_or_default();
    Some(Form::of([
        ("number", number.to_string()),
        ("figure", format!("{} {part}", gate.measure.value)),
        ("at_least", bound(gate.at_least)),
        ("at_most", bound(gate.at_most)),
        ("scenario", text(&gate.scenario)),
        ("where", text(&gate.condition)),
        ("why", gate.why.clone().unwrap_or_default()),
    ]))
}

fn page(
    app: &App,
    desk: &Desk,
    present: &Present,
    filled: &Form,
    problems: &[Problem],
) -> Response {
    let page = Page {
        app,
        desk,
        present,
        place: Place::Conditions,
        title: "Measures and conditions",
    };
    let Some(draft) = &present.draft else {
        return page.with(&text_first());
    };
    page.with(&html! {
        p {
            "A condition is what must hold before the file may go. A plan without one releases nothing, unless its text says that "
            "nothing need be judged. Conditions are written before the figures are known, and each has its reason."
        }
        p { a href="/help/words" { "What the words mean" } }
        h2 { "Conditions" }
        (gates(app, desk, present, draft))
        h3 { @if filled.has("number") { "Change condition " (filled.get("number").unwrap_or_default()) } @else { "Add a condition" } }
        (gate_form(app, desk, present, draft, filled, problems))
        h2 { "What is measured" }
        (measures(app, desk, present, draft))
    })
}

fn gates(app: &App, desk: &Desk, present: &Present, draft: &Draft) -> Markup {
    html! {
        @if draft.gates.is_empty() {
            p class="warning" { "There is no condition yet." }
        } @else {
            div class="scroll" role="region" aria-label="Conditions" tabindex="0" {
                table {
                    thead { tr { th scope="col" { "What" } th scope="col" { "Must be" } th scope="col" { "For" } th scope="col" { "Why" } th scope="col" { "" } } }
                    tbody { @for (idx, gate) in draft.gates.iter().enumerate() { (gate_row(app, desk, present, gate, idx)) } }
                }
            }
        }
    }
}

fn gate_row(app: &App, desk: &Desk, present: &Present, gate: &GateDraft, idx: usize) -> Markup {
    let number = idx + 1;
    let figure = gate
        .part
        .as_ref()
        .map_or_else(String::new, |part| format!(": {}", part.value));
    html! {
        tr {
            th scope="row" { (gate.measure.value) (figure) }
            td {
                @if let Some(low) = gate.at_least { "at least " (low) }
                @if gate.at_least.is_some() && gate.at_most.is_some() { ", " }
                @if let Some(high) = gate.at_most { "at most " (high) }
            }
            td {
                @match &gate.scenario { Some(scenario) => (scenario.value), None => "all scenarios" }
                @if let Some(condition) = &gate.condition { ", records with " code { (condition.value) } }
            }
            td {
                (gate.why.as_deref().unwrap_or_default())
                @if let Some(although) = &gate.although_perturbed { " Though keys are perturbed: " (although) }
            }
            td {
                a class="button" href=(at(&desk.name, &format!("conditions?edit={number}"))) aria-label=(format!("Change condition {number}")) { "Change" }
                form method="post" action=(at(&desk.name, "conditions/remove")) {
                    (hidden(app, present.version))
                    input type="hidden" name="number" value=(number);
                    button type="submit" aria-label=(format!("Remove condition {number}")) { "Remove" }
                }
            }
        }
    }
}

/// The measures, in groups, each with the figures that a condition can look at.
fn all_measures() -> impl Iterator<Item = &'static MeasureCard> {
    registry::MEASURES.iter().map(|measure| measure.declared())
}

fn gate_form(
    app: &App,
    desk: &Desk,
    present: &Present,
    draft: &Draft,
    filled: &Form,
    problems: &[Problem],
) -> Markup {
    let text = |field: &str| filled.get(field).unwrap_or_default().to_owned();
    let chosen = text("figure");
    html! {
        form method="post" action=(at(&desk.name, "conditions")) class="stacked-form" {
            (hidden(app, present.version))
            @if let Some(number) = filled.text("number") { input type="hidden" name="number" value=(number); }
            @if !problems.is_empty() { (super::step_form::refused(problems)) }
            div class="field" {
                label for="figure" { "What" }
                select id="figure" name="figure" required aria-describedby="figure-help" {
                    option value="" { "choose one" }
                    @for family in [Family::Risk, Family::Loss, Family::Score] {
                        @for measure in all_measures().filter(|measure| measure.card.family == family) {
                            (figures_of(measure, &chosen))
                        }
                    }
                }
                p class="soft" id="figure-help" { "Risks first, then losses, then scores. What each means stands in its page of help." }
            }
            (bound("at_least", "At least", &text("at_least")))
            (bound("at_most", "At most", &text("at_most")))
            div class="field" {
                label for="gate-scenario" { "For the scenario" }
                select id="gate-scenario" name="scenario" {
                    option value="" { "all of them" }
                    @for scenario in &draft.scenarios {
                        option value=(scenario.name.value) selected[text("scenario") == scenario.name.value] { (scenario.name.value) }
                    }
                }
            }
            div class="field" {
                label for="gate-where" { "Only for records with" }
                input id="gate-where" name="where" type="text" value=(text("where")) aria-describedby="where-help" autocomplete="off" size="40";
                p class="soft" id="where-help" { "As " code { "income > 50000" } "; without it, for the whole file." }
            }
            div class="field" {
                label for="gate-why" { "Why" }
                textarea id="gate-why" name="why" rows="2" class="words" { (text("why")) }
            }
            button type="submit" { @if filled.has("number") { "Save the condition" } @else { "Add the condition" } }
        }
    }
}

fn bound(name: &str, label: &str, text: &str) -> Markup {
    html! {
        div class="field" {
            label for=(name) { (label) }
            input id=(name) name=(name) type="text" inputmode="decimal" value=(text) size="14" autocomplete="off";
        }
    }
}

/// The figures of a measure, its own value first.
fn figures_of(measure: &MeasureCard, chosen: &str) -> Markup {
    let direction = |better: Better| match better {
        Better::Lower => " (less is better)",
        Better::Higher => " (more is better)",
        Better::Neither => "",
    };
    let id = measure.card.id;
    let title = measure.card.title;
    let option = |figure: &str, label: &str, better: Better| {
        let value = format!("{id} {figure}");
        html! {
            option value=(value) selected[chosen == value] { (title) ": " (label) (direction(better)) }
        }
    };
    html! {
        optgroup label=(format!("{title} ({id})")) {
            @if !measure.value.label.is_empty() { (option(VALUE, measure.value.label, measure.value.better)) }
            @for figure in measure.figures {
                @if figure.per == Per::Number {
                    // One for each size of group: the usual two; others are written into the plan's text.
                    @for k in ["3", "5"] { (option(&figure.id.replace("{}", k), &figure.label.replace("{}", k), figure.better)) }
                } @else {
                    (option(figure.id, figure.label, figure.better))
                }
            }
        }
    }
}

fn measures(app: &App, desk: &Desk, present: &Present, draft: &Draft) -> Markup {
    let named: Vec<&str> = (draft.measures.iter())
        .flat_map(|measure| measure.methods.iter().map(|id| id.value.as_str()))
        .collect();
    html! {
        @if named.is_empty() {
            p { "The plan names no measure, so that all that usually apply are taken." }
        } @else {
            p { "Besides what conditions look at, a run takes these. What more a measure is told, as its variables or parameters, stands in the "
                "plan's text and stays." }
        }
        form method="post" action=(at(&desk.name, "conditions/measures")) class="stacked-form" {
            (hidden(app, present.version))
            @for (family, heading) in [(Family::Risk, "Risk"), (Family::Loss, "Loss"), (Family::Score, "Both weighed against each other")] {
                fieldset {
                    legend { (heading) }
                    @for measure in all_measures().filter(|measure| measure.card.family == family) {
                        @let id = measure.card.id;
                        div class="measure" {
                            label { input type="checkbox" name="measure" value=(id) checked[named.contains(&id)]; " " (measure.card.title) }
                            " " span class="soft" { (measure.card.summary) ". " a href=(format!("/help/{id}")) { "Help on " (id) } }
                        }
                    }
                }
            }
            button type="submit" { "Save the measures" }
        }
    }
}

/// Adds a condition. One that cannot fail, or that nothing measures, is shown again with what is wrong.
pub(crate) async fn add(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let put = |draft: &mut Draft| {
        let gate = gate_of(&form)?;
        let is_measured = draft.measures.is_empty()
            || draft
                .measures
                .iter()
                .any(|one| one.methods.iter().any(|id| id.value == gate.measure.value));
        if !is_measured {
            draft
                .measures
                .push(MeasureDraft::of([gate.measure.value.as_str()]));
        }
        match form.number::<usize>("number") {
            None => draft.gates.push(gate),
            Some(number) => {
                let idx = gate_idx(draft, number)?;
                // What the form does not show stays.
                let although_perturbed = draft.gates[idx].although_perturbed.take();
                draft.gates[idx] = GateDraft {
                    although_perturbed,
                    ..gate
                };
            }
        }
        Ok(())
    };
    let present = desk.present()?;
    let fresh = match desk.if_changed(put) {
        Ok((_, problems)) => present.new_among(problems),
        Err(crate::desk::NotChanged::Refused(problems)) => problems,
        Err(why) => return Err(not_changed(&desk, why)),
    };
    if !fresh.is_empty() && !form.has("anyway") {
        let page = page(&app, &desk, &present, &form, &fresh);
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response());
    }
    let what = format!(
        "condition on {}",
        form.text("figure").unwrap_or_default().trim()
    );
    let changed = desk.change(version_of(&form), &what, put);
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "conditions")))
}

fn gate_of(form: &Form) -> Result<GateDraft, Problem> {
    let figure = form.get("figure").unwrap_or_default();
    let (measure, part) = figure
        .split_once(' ')
        .ok_or_else(|| wrong("the condition looks at nothing", "choose a figure"))?;
    let bound = |name: &str| -> Result<Option<f64>, Problem> {
        let Some(text) = form.text(name) else {
            return Ok(None);
        };
        let number = bauta_data::number::parse_number(text);
        let number = number.filter(|number| number.is_finite());
        number
            .map(Some)
            .ok_or_else(|| wrong("a bound is no number", "write it as 3 or 0.05"))
    };
    let text = |field: &str| form.text(field).map(str::to_owned);
    Ok(GateDraft {
        part: (part != VALUE).then(|| part.into()),
        scenario: text("scenario").map(Into::into),
        condition: text("where").map(Into::into),
        at_least: bound("at_least")?,
        at_most: bound("at_most")?,
        why: text("why"),
        ..GateDraft::on(measure)
    })
}

/// The position of a condition by its number.
fn gate_idx(draft: &Draft, number: usize) -> Result<usize, Problem> {
    let idx = number.checked_sub(1).filter(|&idx| idx < draft.gates.len());
    idx.ok_or_else(|| wrong("the plan has no such condition", "look at the list again"))
}

/// Removes a condition.
pub(crate) async fn remove(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let number: usize = form.number("number").unwrap_or(0);
    let changed = desk.change(
        version_of(&form),
        &format!("remove condition {number}"),
        |draft| {
            let idx = gate_idx(draft, number)?;
            draft.gates.remove(idx);
            Ok(())
        },
    );
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "conditions")))
}

/// Takes up which measures are ticked.
pub(crate) async fn measured(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let wanted: Vec<&str> = form.all("measure").collect();
    let changed = desk.change(version_of(&form), "measures", |draft| {
        let mut known: Vec<String> = Vec::new();
        for measure in &mut draft.measures {
            measure
                .methods
                .retain(|id| wanted.contains(&id.value.as_str()));
            known.extend(measure.methods.iter().map(|id| id.value.clone()));
        }
        draft.measures.retain(|measure| !measure.methods.is_empty());
        let fresh: Vec<&str> = (wanted.iter().copied())
            .filter(|id| !known.iter().any(|known| known == id))
            .collect();
        let plain = draft
            .measures
            .iter_mut()
            .find(|one| **one == MeasureDraft::of(names(one)));
        match plain {
            Some(plain) => plain.methods.extend(fresh.into_iter().map(Into::into)),
            None if !fresh.is_empty() => draft.measures.push(MeasureDraft::of(fresh)),
            None => {}
        }
        Ok(())
    });
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "conditions")))
}

/// The measures that an entry names: one that says nothing else takes further ones.
fn names(measure: &MeasureDraft) -> Vec<&str> {
    measure.methods.iter().map(|id| id.value.as_str()).collect()
}
