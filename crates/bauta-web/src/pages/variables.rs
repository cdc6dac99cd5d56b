//! What each variable is: role, kind and name in words, all of them on one page.

use axum::body::Bytes;
use axum::extract::{Path, State};
use bauta_data::inspect::{ColumnProfile, FileProfile, Flag};
use bauta_data::{Kind, Role};
use bauta_plan::draft::{Draft, VariableDraft};
use bauta_report::small_picture;
use maud::{Markup, html};

use super::layout::{Page, Place, at, hidden, segment};
use crate::app::{Answer, App, Shared, not_changed, see, version_of};
use crate::desk::{Desk, Present};
use crate::form::Form;
use crate::looked::{Look, Seen};

/// The page.
pub(crate) async fn show(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Variables,
        title: "Variables",
    };
    let Some(draft) = &present.draft else {
        return Ok(page.with(&text_first()));
    };
    let look = app.looks.of(&app, &desk, &present);
    Ok(page.with(&body(&app, &desk, &present, draft, &look)))
}

/// What stands on a page of forms while the text cannot be read.
pub(crate) fn text_first() -> Markup {
    html! { p { "The plan's text has mistakes, so that there is nothing to show here. Mend it on the page Plan, or undo." } }
}

fn body(app: &App, desk: &Desk, present: &Present, draft: &Draft, look: &Look) -> Markup {
    let seen = match look {
        Look::Done(seen) => Some(seen.as_ref()),
        _ => None,
    };
    html! {
        p {
            "The role says what a variable is for, the kind what it is. In doubt a variable is a key: something that others "
            "could know. " a href="/help/words#roles" { "What roles and kinds mean" }
        }
        @if super::advice::is_kept(&desk.file) {
            p { a href=(at(&desk.name, "advice")) { "Why this plan proposes what it does" } }
        }
        (looking(app, desk, look))
        form method="post" action=(at(&desk.name, "variables")) data-live="" {
            (hidden(app, present.version))
            div class="scroll" role="region" aria-label="Variables" tabindex="0" {
                table class="variables" {
                    thead {
                        tr {
                            th scope="col" { "Variable" } th scope="col" { "Role" } th scope="col" { "Kind" }
                            th scope="col" { "In words" } th scope="col" { "What it holds" } th scope="col" { "Look at" }
                        }
                    }
                    tbody {
                        @for (idx, row) in rows(draft, seen).iter().enumerate() { (row.written(desk, idx)) }
                    }
                }
            }
            p { button type="submit" { "Save the changes" } }
        }
    }
}

/// How far the look at the file is, where it is not done.
fn looking(app: &App, desk: &Desk, look: &Look) -> Markup {
    let again = html! {
        form method="post" action=(at(&desk.name, "look")) {
            (super::layout::token(app))
            button type="submit" { "Look again" }
        }
    };
    match look {
        Look::Done(_) => html! {},
        Look::Going => html! {
            p class="soft" { "The file is being looked at; pictures and remarks come when that is done." }
        },
        Look::Failed(why) => html! { div class="problems" { p { (why) } (again) } },
        Look::Stopped => html! { div { p { "The look at the file was stopped." } (again) } },
        Look::NoFile => html! {
            p { "The plan names no file that is there, so that nothing is known of the variables but what the plan says." }
        },
    }
}

/// Begins another look after one that failed.
pub(crate) async fn look_again(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    app.looks.forget(&plan);
    Ok(see(&at(&plan, "variables")))
}

/// A variable of the plan or of the file.
struct Row<'a> {
    name: &'a str,
    described: Option<&'a VariableDraft>,
    profile: Option<&'a ColumnProfile>,
    /// What else there is to say of its values.
    said: Vec<String>,
    picture: Markup,
}

/// The variables in the order of the file; those that only the plan knows behind them.
fn rows<'a>(draft: &'a Draft, seen: Option<&'a Seen>) -> Vec<Row<'a>> {
    let described = |name: &str| draft.variables.iter().find(|one| one.name.value == name);
    let of_file = seen.into_iter().flat_map(|seen| {
        let columns = seen.profile.columns.iter().zip(&seen.pictures);
        columns.map(|(profile, picture)| Row {
            name: &profile.name,
            described: described(&profile.name),
            profile: Some(profile),
            said: said_of(&seen.profile, profile),
            picture: small_picture(picture, &profile.name),
        })
    });
    let mut rows: Vec<Row<'a>> = of_file.collect();
    for variable in &draft.variables {
        if !rows.iter().any(|row| row.name == variable.name.value) {
            rows.push(Row {
                name: &variable.name.value,
                described: Some(variable),
                profile: None,
                said: Vec::new(),
                picture: html! {},
            });
        }
    }
    rows
}

impl Row<'_> {
    fn written(&self, desk: &Desk, idx: usize) -> Markup {
        let role = self.described.map(|one| one.role);
        let kind = self
            .described
            .and_then(|one| one.kind.as_ref())
            .map(|kind| kind.value);
        let label = self.described.and_then(|one| one.label.as_deref());
        html! {
            tr {
                th scope="row" {
                    input type="hidden" name=(format!("name.{idx}")) value=(self.name);
                    a href=(at(&desk.name, &format!("variables/{}", segment(self.name)))) { (self.name) }
                }
                td { (choice(&format!("role.{idx}"), &format!("Role of {}", self.name), &roles(), role.map(Role::name))) }
                td { (choice(&format!("kind.{idx}"), &format!("Kind of {}", self.name), &kinds(role), kind.map(Kind::name))) }
                td {
                    input type="text" name=(format!("label.{idx}")) value=[label] size="22"
                        aria-label=(format!("{} in words", self.name));
                }
                td class="picture" { (self.picture) (facts(self.profile)) }
                td class="remarks" {
                    @if role == Some(Role::Weight) { p class="warning" { (A_WEIGHT) } }
                    @for said in &self.said { p class="warning" { (said) } }
                    (remarks(self.profile))
                }
            }
        }
    }
}

/// What a sampling weight is, for those who have one of another sort.
const A_WEIGHT: &str = "a sampling weight says how many people of the population a record stands for; if this is a body weight \
    or anything else, choose another role: taken for one, it makes every risk look smaller than it is";

/// What the look at the file has to say of the values of a variable besides its proposal.
fn said_of(file: &FileProfile, column: &ColumnProfile) -> Vec<String> {
    let remarks = file
        .remarks
        .iter()
        .filter(|remark| remark.variable.as_deref() == Some(&column.name));
    let doubts = file
        .decimal_doubts
        .iter()
        .filter(|doubt| doubt.variable.as_deref() == Some(&column.name));
    let asked = doubts.chain(&column.date_question);
    let asked = asked.map(|problem| format!("{}: {}", problem.message, problem.hint));
    remarks
        .map(|remark| remark.text.clone())
        .chain(asked)
        .collect()
}

/// Words to choose from, with nothing as the first.
fn choice(
    name: &str,
    label: &str,
    words: &[(&'static str, String)],
    chosen: Option<&str>,
) -> Markup {
    html! {
        select name=(name) aria-label=(label) {
            @for (word, shown) in words {
                option value=(word) selected[chosen.unwrap_or_default() == *word] { (shown) }
            }
        }
    }
}

fn roles() -> Vec<(&'static str, String)> {
    let words = Role::ALL
        .iter()
        .map(|role| (role.name(), role.name().to_owned()));
    std::iter::once(("", "not described".to_owned()))
        .chain(words)
        .collect()
}

fn kinds(role: Option<Role>) -> Vec<(&'static str, String)> {
    let usual = role.map_or(Kind::Unordered, Role::default_kind);
    let words = Kind::ALL
        .iter()
        .map(|kind| (kind.name(), kind.name().to_owned()));
    std::iter::once(("", format!("as usual ({})", usual.name())))
        .chain(words)
        .collect()
}

/// Counts of a variable, none of fewer records than ten.
fn facts(profile: Option<&ColumnProfile>) -> Markup {
    let Some(profile) = profile else {
        return html! {};
    };
    html! {
        span class="soft" {
            (profile.n_distinct) " different"
            @match profile.n_missing { 0 => {}, n if n < 10 => ", few missing", n => { ", " (n) " missing" } }
        }
    }
}

/// What a person should look at, and why the proposal is what it is.
pub(crate) fn remarks(profile: Option<&ColumnProfile>) -> Markup {
    let Some(profile) = profile else {
        return html! {};
    };
    let flag = profile.proposal.flag.map(Flag::text);
    let warnings = flag.into_iter().chain(profile.warnings());
    html! {
        @for warning in warnings { p class="warning" { (warning) } }
        p class="soft" { (profile.proposal.reason) }
    }
}

/// Takes up what the form says of all variables.
pub(crate) async fn change(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let wanted: Vec<Wanted> = (0..).map_while(|idx| Wanted::read(&form, idx)).collect();
    let present = desk.present()?;
    let what = present
        .draft
        .as_ref()
        .map_or_else(String::new, |draft| told(&wanted, draft));
    let changed = desk.change(version_of(&form), &what, |draft| {
        for wanted in &wanted {
            wanted.put(draft);
        }
        Ok(())
    });
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "variables")))
}

/// What the form says of one variable.
struct Wanted {
    name: String,
    role: Option<Role>,
    kind: Option<Kind>,
    label: Option<String>,
}

impl Wanted {
    fn read(form: &Form, idx: usize) -> Option<Self> {
        let text = |field: &str| form.text(&format!("{field}.{idx}")).map(str::to_owned);
        Some(Self {
            name: form.get(&format!("name.{idx}"))?.to_owned(),
            role: text("role").and_then(|name| Role::from_name(&name)),
            kind: text("kind").and_then(|name| Kind::from_name(&name)),
            label: text("label"),
        })
    }

    /// What differs from the plan, in words; nothing if nothing does.
    fn difference(&self, draft: &Draft) -> Option<String> {
        let known = draft
            .variables
            .iter()
            .find(|one| one.name.value == self.name);
        let (role, kind, label) = match known {
            Some(known) => (
                Some(known.role),
                known.kind.as_ref().map(|kind| kind.value),
                known.label.clone(),
            ),
            None => (None, None, None),
        };
        let mut said = Vec::new();
        if role != self.role {
            said.push(self.role.map_or("not described", Role::name));
        }
        if kind != self.kind {
            said.push(self.kind.map_or("usual kind", Kind::name));
        }
        if label != self.label {
            said.push("name in words");
        }
        (!said.is_empty()).then(|| format!("{}: {}", self.name, said.join(", ")))
    }

    /// Writes it into a draft. What else the plan says of the variable stays.
    fn put(&self, draft: &mut Draft) {
        if self.difference(draft).is_none() {
            return;
        }
        let position = draft
            .variables
            .iter()
            .position(|one| one.name.value == self.name);
        let Some(role) = self.role else {
            if let Some(position) = position {
                draft.variables.remove(position);
            }
            return;
        };
        let position = position.unwrap_or_else(|| {
            draft
                .variables
                .push(VariableDraft::new(self.name.clone(), role));
            draft.variables.len() - 1
        });
        let variable = &mut draft.variables[position];
        variable.role = role;
        variable.kind = self.kind.map(Into::into);
        variable.label.clone_from(&self.label);
    }
}

/// All differences in one line of the history.
fn told(wanted: &[Wanted], draft: &Draft) -> String {
    let told: Vec<String> = wanted
        .iter()
        .filter_map(|one| one.difference(draft))
        .collect();
    match told.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.clone(),
        [first, rest @ ..] => format!("{first}; and {} more", rest.len()),
    }
}
