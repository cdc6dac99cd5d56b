//! One variable with all that the plan can say of it: missing codes, order, hierarchy, spellings.

use axum::body::Bytes;
use axum::extract::{Path, State};
use bauta_data::Spellings;
use bauta_data::inspect::ColumnProfile;
use bauta_plan::draft::{Draft, HierarchyDraft, VariableDraft};
use bauta_plan::problem::Place as Nowhere;
use bauta_plan::{Problem, ProblemKind};
use bauta_report::small_picture;
use maud::{Markup, html};

use super::layout::{Page, Place, at, hidden, segment};
use super::variables::{remarks, text_first};
use crate::app::{Answer, App, Shared, Unanswered, not_changed, see, version_of};
use crate::desk::{Desk, Present};
use crate::fields::sides;
use crate::form::{Form, items, lines};
use crate::looked::{Look, Seen};

/// How a hierarchy is written in the form.
const FORMS_OF_HIERARCHY: [(&str, &str); 6] = [
    ("", "none"),
    ("prefix", "by prefix: fewer characters at each level"),
    ("intervals", "intervals: breaks of each level, finest first"),
    ("dates", "dates: month, quarter, year …"),
    ("file", "a file of levels in the folder"),
    ("as-it-is", "as the plan's text says"),
];

/// The page.
pub(crate) async fn show(
    State(app): State<Shared>,
    Path((plan, name)): Path<(String, String)>,
) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::Variables,
        title: &format!("Variable {name}"),
    };
    let Some(draft) = &present.draft else {
        return Ok(page.with(&text_first()));
    };
    let seen = match app.looks.of(&app, &desk, &present) {
        Look::Done(seen) => Some(seen),
        _ => None,
    };
    let described = draft.variables.iter().find(|one| one.name.value == name);
    let column = seen.as_ref().and_then(|seen| column(seen, &name));
    if described.is_none() && column.is_none() {
        return Err(Unanswered::NotFound(
            "Neither the plan nor the file has such a variable.".to_owned(),
        ));
    }
    let about = html! {
        @if let Some((profile, picture)) = &column {
            div class="about" { (picture) (remarks(Some(profile))) }
        }
    };
    let body = match described {
        Some(described) => html! { (about) (form_of(&app, &desk, &present, described)) },
        None => {
            html! { (about) p { "The plan does not describe it yet: give it a role on the page before." } }
        }
    };
    let back = html! { p { a href=(at(&plan, "variables")) { "All variables" } } };
    Ok(page.with(&html! { (body) (back) }))
}

fn column<'s>(seen: &'s Seen, name: &str) -> Option<(&'s ColumnProfile, Markup)> {
    let position = seen
        .profile
        .columns
        .iter()
        .position(|one| one.name == name)?;
    let profile = seen.profile.columns.get(position)?;
    let picture = small_picture(seen.pictures.get(position)?, name);
    Some((profile, picture))
}

fn form_of(app: &App, desk: &Desk, present: &Present, variable: &VariableDraft) -> Markup {
    let action = at(
        &desk.name,
        &format!("variables/{}", segment(&variable.name)),
    );
    let order = variable.order.as_deref().map(|order| order.join("\n"));
    let codes = variable.missing_codes.as_deref().map(pairs_text);
    let (form, levels) = hierarchy_text(variable);
    html! {
        form method="post" action=(action) class="stacked-form" {
            (hidden(app, present.version))
            (area("missing_codes", "Codes that mean no value",
                "One in a line, with its meaning: 99 = refused. The cause stays with the released file.", codes.as_deref()))
            (area("missing", "Texts that mean no value, here only",
                "One in a line, (empty) for the empty text; without any, those of the whole file.", variable.missing.as_deref().map(missing_text).as_deref()))
            (area("order", "Categories from lowest to highest",
                "One in a line; without any, their natural order.", order.as_deref()))
            div class="field" {
                label for="hierarchy" { "How its categories become coarser" }
                select id="hierarchy" name="hierarchy" {
                    @for (word, shown) in FORMS_OF_HIERARCHY {
                        @if word != "as-it-is" || form == "as-it-is" {
                            option value=(word) selected[word == form] { (shown) }
                        }
                    }
                }
            }
            (area("levels", "Levels",
                "For a prefix: characters kept at each level, as 4, 2. For intervals: the breaks of a level in each line, as 18, 25, 65. For a file: its name.",
                levels.as_deref()))
            div class="field" {
                label for="spellings" { "Several spellings of one category" }
                select id="spellings" name="spellings" {
                    option value="" selected[variable.spellings != Some(Spellings::Fold)] { "stay as they are" }
                    option value="fold" selected[variable.spellings == Some(Spellings::Fold)] { "become one" }
                }
            }
            button type="submit" { "Save" }
        }
    }
}

/// A field of several lines.
pub(crate) fn area(name: &str, label: &str, help: &str, text: Option<&str>) -> Markup {
    let text = text.unwrap_or_default();
    let n_lines = text.lines().count().clamp(2, 10);
    html! {
        div class="field" {
            label for=(name) { (label) }
            textarea id=(name) name=(name) rows=(n_lines) aria-describedby=(format!("{name}-help")) spellcheck="false" { (text) }
            p class="soft" id=(format!("{name}-help")) { (help) }
        }
    }
}

/// What stands for the empty text in a list of texts, one in a line.
const EMPTY: &str = "(empty)";

/// Texts that mean no value, as a field shows them.
pub(crate) fn missing_text(texts: &[String]) -> String {
    let shown = texts
        .iter()
        .map(|text| if text.is_empty() { EMPTY } else { text });
    shown.collect::<Vec<_>>().join("\n")
}

/// A text that means no value, as a field has it.
pub(crate) fn missing_of(text: String) -> String {
    if text == EMPTY { String::new() } else { text }
}

/// Whether a field holds what it was shown with.
pub(crate) fn came_back(form: &Form, field: &str, shown: Option<String>) -> bool {
    form.get(field).unwrap_or_default().trim() == shown.unwrap_or_default().trim()
}

/// Codes with their meanings, as a field shows them.
pub(crate) fn pairs_text(pairs: &[(String, String)]) -> String {
    let lines: Vec<String> = pairs
        .iter()
        .map(|(code, what)| format!("{code} = {what}"))
        .collect();
    lines.join("\n")
}

/// The form of a hierarchy and its levels, as the fields show them.
fn hierarchy_text(variable: &VariableDraft) -> (&'static str, Option<String>) {
    let Some(hierarchy) = &variable.hierarchy else {
        return ("", None);
    };
    let numbers = |numbers: &[f64]| -> String {
        let texts: Vec<String> = numbers.iter().map(f64::to_string).collect();
        texts.join(", ")
    };
    match &hierarchy.value {
        HierarchyDraft::Prefix(None) => ("prefix", None),
        HierarchyDraft::Prefix(Some(keep)) => {
            let keep: Vec<String> = keep.iter().map(usize::to_string).collect();
            ("prefix", Some(keep.join(", ")))
        }
        HierarchyDraft::Intervals(levels) => {
            let levels: Vec<String> = levels.iter().map(|level| numbers(level)).collect();
            ("intervals", Some(levels.join("\n")))
        }
        HierarchyDraft::Dates(None) => ("dates", None),
        HierarchyDraft::Dates(Some(units)) => ("dates", Some(units.join(", "))),
        HierarchyDraft::File(file) => ("file", Some(file.clone())),
        // Trees and ages have more to them than this form shows.
        HierarchyDraft::Tree(_) | HierarchyDraft::Ages { .. } => ("as-it-is", None),
    }
}

/// Takes up what the form says.
pub(crate) async fn change(
    State(app): State<Shared>,
    Path((plan, name)): Path<(String, String)>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let changed = desk.change(version_of(&form), &format!("details of {name}"), |draft| {
        put(&form, &name, draft)
    });
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, &format!("variables/{}", segment(&name)))))
}

fn put(form: &Form, name: &str, draft: &mut Draft) -> Result<(), Problem> {
    let variable = draft
        .variables
        .iter_mut()
        .find(|one| one.name.value == name);
    let variable =
        variable.ok_or_else(|| wrong("the plan does not describe it", "give it a role first"))?;
    let list = |field: &str| -> Option<Vec<String>> {
        let texts: Vec<String> = lines(form.get(field)?).map(str::to_owned).collect();
        (!texts.is_empty()).then_some(texts)
    };
    // What came back as it was shown is left alone: a text can say less than a plan.
    if !came_back(
        form,
        "order",
        variable.order.as_deref().map(|order| order.join("\n")),
    ) {
        variable.order = list("order");
    }
    if !came_back(
        form,
        "missing",
        variable.missing.as_deref().map(missing_text),
    ) {
        variable.missing = list("missing").map(|texts| texts.into_iter().map(missing_of).collect());
    }
    if !came_back(
        form,
        "missing_codes",
        variable.missing_codes.as_deref().map(pairs_text),
    ) {
        variable.missing_codes = codes(form)?;
    }
    variable.spellings = (form.text("spellings") == Some("fold")).then_some(Spellings::Fold);
    let kind = form.text("hierarchy").unwrap_or_default();
    if kind != "as-it-is" {
        let wanted = hierarchy(kind, form.get("levels").unwrap_or_default())?;
        let known = variable.hierarchy.as_ref().map(|known| &known.value);
        if known != wanted.as_ref() {
            variable.hierarchy = wanted.map(Into::into);
        }
    }
    Ok(())
}

/// Missing codes with their meanings, one in a line.
pub(crate) fn codes(form: &Form) -> Result<Option<Vec<(String, String)>>, Problem> {
    let given = lines(form.get("missing_codes").unwrap_or_default());
    let pairs: Result<Vec<(String, String)>, Problem> = given
        .map(|line| {
            let (code, what) = sides(line).ok_or_else(|| {
                wrong(
                    "a missing code has no meaning",
                    "write each as: code = meaning, one in a line",
                )
            })?;
            Ok((code.to_owned(), what.to_owned()))
        })
        .collect();
    Ok(Some(pairs?).filter(|pairs| !pairs.is_empty()))
}

fn hierarchy(kind: &str, levels: &str) -> Result<Option<HierarchyDraft>, Problem> {
    let words = items(levels);
    Ok(match kind {
        "prefix" if words.is_empty() => Some(HierarchyDraft::Prefix(None)),
        "prefix" => {
            let keep: Result<Vec<usize>, _> = words.iter().map(|word| word.parse()).collect();
            let keep = keep.map_err(|_| {
                wrong(
                    "the levels of a prefix are whole numbers",
                    "write them as 4, 2",
                )
            })?;
            Some(HierarchyDraft::Prefix(Some(keep)))
        }
        "intervals" => {
            let breaks: Result<Vec<Vec<f64>>, _> = lines(levels)
                .map(|line| items(line).iter().map(|word| word.parse()).collect())
                .collect();
            let breaks = breaks.ok().filter(|levels| !levels.is_empty());
            let breaks = breaks.ok_or_else(|| {
                wrong(
                    "intervals need breaks",
                    "write the breaks of a level in each line, as 18, 25, 65",
                )
            })?;
            Some(HierarchyDraft::Intervals(breaks))
        }
        "dates" if words.is_empty() => Some(HierarchyDraft::Dates(None)),
        "dates" => Some(HierarchyDraft::Dates(Some(words))),
        "file" => match lines(levels).next() {
            Some(file) => Some(HierarchyDraft::File(file.to_owned())),
            None => return Err(wrong("the file of levels has no name", "write its name")),
        },
        _ => None,
    })
}

fn wrong(message: &str, hint: &str) -> Problem {
    Problem::at(ProblemKind::Plan, &Nowhere::NOWHERE, message, hint)
}
