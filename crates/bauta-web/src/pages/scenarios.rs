//! What intruders know, and what they find: sets of keys, and the risk of the raw file by any of them.

use axum::body::Bytes;
use axum::extract::{Path, RawQuery, State};
use bauta_data::Role;
use bauta_plan::draft::{Draft, ScenarioDraft};
use bauta_plan::work::risk::RiskRequest;
use maud::{Markup, html};

use super::layout::{Page, Place, at, hidden, segment, token};
use super::risk::{going, written};
use super::steps::wrong;
use super::variables::text_first;
use crate::app::{Answer, App, Shared, not_changed, see, version_of};
use crate::desk::{Desk, Present};
use crate::fields::ticked;
use crate::form::Form;
use crate::risks::Risk;

/// The page: the scenarios of the plan, and the risk by the keys that the address names.
pub(crate) async fn show(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    RawQuery(query): RawQuery,
) -> Answer {
    let query = Form::read(query.unwrap_or_default().as_bytes());
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Scenarios,
        title: "Scenarios and risk",
    };
    let Some(draft) = &present.draft else {
        return Ok(page.with(&text_first()));
    };
    let asked = Asked::of(&query, draft);
    let found = risk(&app, &desk, &present, &asked).await;
    let body = html! {
        p {
            "A scenario is what somebody could know who wants to find a person in the file. The figures below are of the raw file, "
            "before any step: they say what has to be done. What is left after the steps, a run says."
        }
        (listed(&app, &desk, &present, draft))
        h2 { "What an intruder finds in the raw file" }
        (keys_form(&desk, draft, &asked))
        (found)
        (save_form(&app, &desk, &present, draft, &asked))
    };
    Ok(page.with(&body))
}

/// The keys that a page looks at.
struct Asked {
    keys: Vec<String>,
    /// The scenario that has just these.
    scenario: Option<String>,
}

impl Asked {
    /// Those of the address; the first scenario's if it names none.
    fn of(query: &Form, draft: &Draft) -> Self {
        let of_scenario = |scenario: &ScenarioDraft| -> Vec<String> {
            let keys = scenario.keys.value.iter();
            keys.map(|key| key.value.clone()).collect()
        };
        let named = query.text("scenario");
        let mut scenarios = draft.scenarios.iter();
        let chosen = match named {
            Some(name) => scenarios.find(|one| one.name.value == name),
            None if query.has("keys") || query.has("chosen") => None,
            None => scenarios.next(),
        };
        let keys = match chosen {
            Some(scenario) => of_scenario(scenario),
            None if named.is_none() && (query.has("keys") || query.has("chosen")) => {
                query.all("keys").map(str::to_owned).collect()
            }
            // A plan without scenarios: the worst case is that somebody knows all keys.
            None => draft
                .variables
                .iter()
                .filter(|one| one.role == Role::Key)
                .map(|one| one.name.value.clone())
                .collect(),
        };
        let same = |scenario: &&ScenarioDraft| {
            let known = of_scenario(scenario);
            known.len() == keys.len() && known.iter().all(|key| keys.contains(key))
        };
        let scenario = draft.scenarios.iter().find(same);
        Self {
            scenario: scenario.map(|one| one.name.value.clone()),
            keys,
        }
    }
}

async fn risk(app: &App, desk: &Desk, present: &Present, asked: &Asked) -> Markup {
    let Some(plan) = &present.plan else {
        return html! { p { "The risk is counted as soon as nothing is wrong with the plan any more." } };
    };
    if asked.keys.is_empty() {
        return html! { p { "Choose what an intruder knows: without a key nobody finds anybody." } };
    }
    let mut request = RiskRequest::usual(asked.keys.clone());
    // Keys in another order are the same question.
    request.keys.sort_by_key(|key| {
        plan.read
            .schema
            .attributes
            .iter()
            .position(|one| one.name == *key)
    });
    match app.risks.of(app, desk, plan, &request).await {
        Risk::Done(counted) => written(&counted, &plan.labels),
        Risk::Going => going(),
        Risk::Failed(why) => html! { div class="problems" { p { (why) } (again(app, desk)) } },
        Risk::Stopped => html! { div { p { "The count was stopped." } (again(app, desk)) } },
    }
}

fn again(app: &App, desk: &Desk) -> Markup {
    html! {
        form method="post" action=(at(&desk.name, "scenarios/count")) {
            (token(app))
            button type="submit" { "Count again" }
        }
    }
}

fn listed(app: &App, desk: &Desk, present: &Present, draft: &Draft) -> Markup {
    html! {
        @if draft.scenarios.is_empty() {
            p { "The plan names no scenario: its measures look at all keys together, the worst case." }
        } @else {
            div class="scroll" role="region" aria-label="Scenarios" tabindex="0" {
                table {
                    thead { tr { th scope="col" { "Scenario" } th scope="col" { "Knows" } th scope="col" { "Why" } th scope="col" { "" } } }
                    tbody {
                        @for scenario in &draft.scenarios { (scenario_row(app, desk, present, scenario)) }
                    }
                }
            }
        }
    }
}

fn scenario_row(app: &App, desk: &Desk, present: &Present, scenario: &ScenarioDraft) -> Markup {
    let name = scenario.name.as_str();
    let keys: Vec<&str> = scenario
        .keys
        .value
        .iter()
        .map(|key| key.value.as_str())
        .collect();
    let look = at(&desk.name, &format!("scenarios?scenario={}", segment(name)));
    html! {
        tr {
            th scope="row" { a href=(look) { (name) } }
            td { (keys.join(", ")) }
            td { (scenario.why.as_deref().unwrap_or_default()) }
            td {
                form method="post" action=(at(&desk.name, "scenarios/remove")) {
                    (hidden(app, present.version))
                    input type="hidden" name="name" value=(name);
                    button type="submit" aria-label=(format!("Remove scenario {name}")) { "Remove" }
                }
            }
        }
    }
}

/// Keys to try, counted as they are ticked.
fn keys_form(desk: &Desk, draft: &Draft, asked: &Asked) -> Markup {
    let can_be_known = |role: Role| {
        matches!(
            role,
            Role::Key | Role::Sensitive | Role::Stratum | Role::Other
        )
    };
    let known = draft.variables.iter().filter(|one| can_be_known(one.role));
    let names: Vec<String> = known.map(|one| one.name.value.clone()).collect();
    let (keys, others): (Vec<&String>, Vec<&String>) = names.iter().partition(|name| {
        draft
            .variables
            .iter()
            .any(|one| one.name.value == **name && one.role == Role::Key)
    });
    let unknown = asked.keys.iter().filter(|key| !names.contains(key));
    html! {
        form method="get" action=(at(&desk.name, "scenarios")) data-live="" {
            input type="hidden" name="chosen" value="yes";
            fieldset {
                legend { "An intruder knows" }
                (ticked("keys", keys.into_iter().chain(unknown), &asked.keys))
                details open[others.iter().any(|name| asked.keys.contains(name))] {
                    summary { "Variables that are no keys" }
                    (ticked("keys", others.into_iter(), &asked.keys))
                }
            }
            p { button type="submit" { "Count" } }
        }
    }
}

fn save_form(app: &App, desk: &Desk, present: &Present, draft: &Draft, asked: &Asked) -> Markup {
    let known = asked.scenario.as_deref();
    let known = draft
        .scenarios
        .iter()
        .find(|one| Some(one.name.as_str()) == known);
    html! {
        h2 { "Keep these keys as a scenario" }
        form method="post" action=(at(&desk.name, "scenarios")) class="stacked-form" {
            (hidden(app, present.version))
            @for key in &asked.keys { input type="hidden" name="keys" value=(key); }
            p { "Knows: " @if asked.keys.is_empty() { "nothing yet" } @else { (asked.keys.join(", ")) } }
            div class="field" {
                label for="scenario-name" { "Name" }
                input id="scenario-name" name="name" type="text" required autocomplete="off"
                    value=[known.map(|one| one.name.as_str())] aria-describedby="scenario-help";
                p class="soft" id="scenario-help" { "As neighbour or register. A scenario of this name gets these keys." }
            }
            div class="field" {
                label for="scenario-why" { "Why somebody could know this" }
                textarea id="scenario-why" name="why" rows="2" class="words" { (known.and_then(|one| one.why.as_deref()).unwrap_or_default()) }
            }
            button type="submit" disabled[asked.keys.is_empty()] { "Save the scenario" }
        }
    }
}

/// Saves a scenario: a new one, or other keys for one of the same name.
pub(crate) async fn save(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let name = form.text("name").unwrap_or_default().to_owned();
    let keys: Vec<String> = form.all("keys").map(str::to_owned).collect();
    let changed = desk.change(version_of(&form), &format!("scenario {name}"), |draft| {
        if name.is_empty() || keys.is_empty() {
            return Err(wrong("a scenario needs a name and keys", "give both"));
        }
        let why = form.text("why").map(str::to_owned);
        let fresh = ScenarioDraft {
            why,
            ..ScenarioDraft::new(name.clone(), keys.iter().map(String::as_str))
        };
        match draft
            .scenarios
            .iter_mut()
            .find(|one| one.name.value == name)
        {
            Some(known) => *known = fresh,
            None => draft.scenarios.push(fresh),
        }
        Ok(())
    });
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(
        &plan,
        &format!("scenarios?scenario={}", segment(&name)),
    )))
}

/// Removes a scenario.
pub(crate) async fn remove(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let name = form.text("name").unwrap_or_default();
    let changed = desk.change(
        version_of(&form),
        &format!("remove scenario {name}"),
        |draft| {
            draft.scenarios.retain(|one| one.name.value != name);
            Ok(())
        },
    );
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "scenarios")))
}

/// Begins another count after one that failed.
pub(crate) async fn count_again(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    app.risks.forget(&plan);
    Ok(see(&at(&plan, "scenarios")))
}
