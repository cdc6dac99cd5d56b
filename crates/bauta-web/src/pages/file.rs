//! The file and the release as a whole: how it is read, what is written, for whom.

use axum::body::Bytes;
use axum::extract::{Path, State};
use bauta_data::format::Encoding;
use bauta_data::number::DecimalMark;
use bauta_plan::Problem;
use bauta_plan::draft::Draft;
use maud::{Markup, html};

use super::layout::{Page, Place, at, hidden};
use super::steps::wrong;
use super::variable::{area, came_back, missing_of, missing_text, pairs_text};
use super::variables::text_first;
use crate::app::{Answer, App, Shared, not_changed, see, version_of};
use crate::desk::{Desk, Present};
use crate::form::{Form, lines};

/// The page.
pub(crate) async fn show(State(app): State<Shared>, Path(plan): Path<String>) -> Answer {
    let desk = app.desk(&plan)?;
    let present = desk.present()?;
    let page = Page {
        app: &app,
        desk: &desk,
        present: &present,
        place: Place::File,
        title: "File and release",
    };
    let Some(draft) = &present.draft else {
        return Ok(page.with(&text_first()));
    };
    Ok(page.with(&body(&app, &desk, &present, draft)))
}

fn body(app: &App, desk: &Desk, present: &Present, draft: &Draft) -> Markup {
    html! {
        form method="post" action=(at(&desk.name, "file")) class="stacked-form" {
            (hidden(app, present.version))
            h2 { "About the release" }
            (line("title", "Title", "Heading of the reports.", draft.plan.title.as_deref()))
            (line("purpose", "What the file is for", "Printed in both reports.", draft.release.purpose.as_ref().map(|one| one.value.as_str())))
            (area("recipients", "Who gets it", "One in a line; printed in both reports.",
                Some(&joined(draft.release.recipients.iter().map(|one| one.value.as_str())))))
            (line("review", "By when the release is looked at again", "As 2028-01-31.", draft.release.review.as_ref().map(|one| one.value.as_str())))
            h2 { "How the file is read" }
            (reading(draft))
            h2 { "What is written" }
            (writing(draft))
            h2 { "Chance" }
            (line("seed", "Seed", "A whole number that all random draws follow from. Without one it is derived from the file. Whoever has it can undo \
                the noise: it stands in the plan and the record, and in nothing that is published.",
                draft.plan.seed.map(|seed| seed.to_string()).as_deref()))
            button type="submit" { "Save" }
        }
    }
}

fn reading(draft: &Draft) -> Markup {
    let data = &draft.data;
    let decimal = data.decimal.map(|mark| match mark {
        DecimalMark::Point => ".",
        DecimalMark::Comma => ",",
    });
    let missing = data.missing.as_deref().map(missing_text);
    let codes = data.missing_codes.as_deref().map(pairs_text);
    html! {
        p { "File: " code { (data.file.as_ref().map_or("none", |file| file.value.as_str())) } }
        (area("missing", "Texts that mean no value",
            "One in a line; (empty) is the empty text. Without any line: the empty text and NA.", missing.as_deref()))
        (area("missing_codes", "Codes that mean no value", "One in a line, with its meaning: 99 = refused.", codes.as_deref()))
        div class="field" {
            label for="decimal" { "Decimal mark" }
            select id="decimal" name="decimal" {
                option value="" { "not stated" }
                option value="." selected[decimal == Some(".")] { "point: 1.5" }
                option value="," selected[decimal == Some(",")] { "comma: 1,5" }
            }
        }
        div class="field" {
            label for="encoding" { "Letters" }
            select id="encoding" name="encoding" {
                option value="" { "not stated: UTF-8" }
                @for encoding in Encoding::ALL {
                    option value=(encoding.name()) selected[data.encoding == Some(encoding)] { (encoding.in_words()) }
                }
            }
        }
    }
}

fn writing(draft: &Draft) -> Markup {
    let output = &draft.output;
    let name = |spot: &Option<bauta_plan::problem::Spot<String>>| {
        spot.as_ref().map(|one| one.value.clone())
    };
    html! {
        (line("output", "Released file", "CSV, TSV or Parquet, by its extension.", name(&output.file).as_deref()))
        (line("report", "Internal report", "Confidential: risk figures, seed and parameters. HTML.", name(&output.report).as_deref()))
        (line("external_report", "External report", "For everybody who gets the file. HTML.", name(&output.external_report).as_deref()))
        (line("record", "Run record", "Confidential. Without a name it lies beside the released file.", name(&output.record).as_deref()))
        div class="field" {
            label for="shuffle" { "Order of the released records" }
            select id="shuffle" name="shuffle" aria-describedby="shuffle-help" {
                option value="no" { "as in the input" }
                option value="yes" selected[output.shuffle == Some(true)] { "a new, random order" }
            }
            p class="soft" id="shuffle-help" { "The order of a file can tell where a record came from." }
        }
        (line("suppressed", "Text for cells that were blanked", "Without one they are empty.", output.suppressed.as_deref()))
    }
}

fn line(name: &str, label: &str, help: &str, text: Option<&str>) -> Markup {
    html! {
        div class="field" {
            label for=(name) { (label) }
            input id=(name) name=(name) type="text" value=[text] aria-describedby=(format!("{name}-help")) size="48" autocomplete="off";
            p class="soft" id=(format!("{name}-help")) { (help) }
        }
    }
}

fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    texts.collect::<Vec<_>>().join("\n")
}

/// Takes up what the form says.
pub(crate) async fn change(
    State(app): State<Shared>,
    Path(plan): Path<String>,
    body: Bytes,
) -> Answer {
    let (form, desk) = (Form::from(&body), app.desk(&plan)?);
    let changed = desk.change(version_of(&form), "file and release", |draft| {
        put(&form, draft)
    });
    changed.map_err(|why| not_changed(&desk, why))?;
    Ok(see(&at(&plan, "file")))
}

fn put(form: &Form, draft: &mut Draft) -> Result<(), Problem> {
    let text = |field: &str| form.text(field).map(str::to_owned);
    let list = |field: &str| -> Vec<String> {
        lines(form.get(field).unwrap_or_default())
            .map(str::to_owned)
            .collect()
    };
    draft.plan.title = text("title");
    draft.plan.seed = match form.text("seed") {
        None => None,
        Some(seed) => Some(
            seed.parse()
                .map_err(|_| wrong("the seed is no whole number", "write it as 20150129"))?,
        ),
    };
    draft.release.purpose = text("purpose").map(Into::into);
    draft.release.recipients = list("recipients").into_iter().map(Into::into).collect();
    draft.release.review = text("review").map(Into::into);
    // What came back as it was shown is left alone: a text can say less than a plan.
    if !came_back(
        form,
        "missing",
        draft.data.missing.as_deref().map(missing_text),
    ) {
        let missing = list("missing").into_iter().map(missing_of);
        draft.data.missing =
            Some(missing.collect()).filter(|texts: &Vec<String>| !texts.is_empty());
    }
    if !came_back(
        form,
        "missing_codes",
        draft.data.missing_codes.as_deref().map(pairs_text),
    ) {
        draft.data.missing_codes = super::variable::codes(form)?;
    }
    draft.data.decimal = match form.text("decimal") {
        Some(".") => Some(DecimalMark::Point),
        Some(",") => Some(DecimalMark::Comma),
        _ => None,
    };
    let encoding = form.text("encoding");
    draft.data.encoding =
        encoding.and_then(|name| Encoding::ALL.into_iter().find(|one| one.name() == name));
    draft.output.file = text("output").map(Into::into);
    draft.output.report = text("report").map(Into::into);
    draft.output.external_report = text("external_report").map(Into::into);
    draft.output.record = text("record").map(Into::into);
    let shuffle = form.text("shuffle") == Some("yes");
    if shuffle != draft.output.shuffle.unwrap_or(false) {
        draft.output.shuffle = shuffle.then_some(true);
    }
    draft.output.suppressed = text("suppressed");
    Ok(())
}
