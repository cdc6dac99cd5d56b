//! The external report: what users of the released file need to know, and nothing that helps to
//! undo the masking. It is written from the [`PublicRecord`] alone.

use bauta_plan::Judged;
use bauta_plan::record::{Fate, Purpose};
use maud::{Markup, html};

use crate::charts::{captioned, variables_chart};
use crate::exhibits;
use crate::figures;
use crate::labels::Labels;
use crate::measures::{Column, by_variable};
use crate::number::{count, counted};
use crate::page::{Front, Section, chart_grid, facts, hash, page, scrolling};
use crate::public::{Changed, PublicFile, PublicLoss, PublicRecord, PublicStep, PublicVariable};
use crate::residual::{self, Asks};
use crate::svg::bars;
use crate::words::{fate, kind, listed, sentence};

/// The external report.
pub(crate) fn report(record: &PublicRecord<'_>) -> Markup {
    let Some(file) = &record.file else {
        return nothing_released(record);
    };
    let masked = record
        .variables
        .iter()
        .filter(|variable| variable.fate == Fate::Masked)
        .count();
    let front = Front {
        title: record.title.unwrap_or(file.name),
        kind: "What was done to this file, and why: notes for data users",
        mark: None,
        block: html! {
            p {
                @match record.judged {
                    Judged::Risk => {
                        "Conditions that protect the persons, households or firms in this file were set before it was released, and hold. "
                    }
                    Judged::PerturbedKeysOnly | Judged::LossOnly | Judged::Nothing => {
                        "Whether this file protects the persons, households or firms in it was not judged. "
                    }
                }
                @if masked == 0 {
                    "No value of a released variable was changed. "
                } @else {
                    "Of its variables, " (counted(masked as u64, "was", "were")) " masked. "
                }
                "This page says what was done, why, and what it means for an analysis."
            }
        },
    };
    let labels = labels(record);
    let mut sections = vec![
        Section::new("file", "The file", the_file(record, file)),
        Section::new(
            "done",
            "What was done and why",
            steps(&record.steps, &labels),
        ),
        Section::new(
            "variables",
            "Variables and what became of them",
            variables(record),
        ),
    ];
    if !record.losses.is_empty() {
        sections.push(Section::new(
            "loss",
            "What an analyst loses",
            losses(&record.losses, &labels),
        ));
    }
    sections.push(Section::new(
        "remaining",
        "What risk remains",
        remaining(record),
    ));
    page(&front, &sections, &foot(record))
}

/// What the plan calls the variables.
fn labels<'a>(record: &PublicRecord<'a>) -> Labels<'a> {
    let variables = record.variables.iter();
    Labels::from_pairs(variables.filter_map(|variable| Some((variable.name, variable.label?))))
}

/// The risk that remains, in words, and what the file is for.
fn remaining(record: &PublicRecord<'_>) -> Markup {
    let recipients = &record.recipients;
    html! {
        (residual::public(&record.threats))
        (residual::terms(record.purpose, recipients, record.review, Asks::External))
    }
}

fn nothing_released(record: &PublicRecord<'_>) -> Markup {
    let front = Front {
        title: record.title.unwrap_or("Data release"),
        kind: "Notes for data users",
        mark: None,
        block: html! { p { "No file has been released, so that there is nothing to describe." } },
    };
    page(&front, &[], &foot(record))
}

fn foot(record: &PublicRecord<'_>) -> Markup {
    html! {
        p {
            "Prepared with Bauta " (record.version)
            @if let Some(day) = record.day { " on " (day) }
            "."
        }
    }
}

/// What of the file was drawn anew. A record whose other values are those of somebody can still be
/// that person's, and nothing here may sound as if it could not.
fn origin(record: &PublicRecord<'_>) -> Option<String> {
    let drawn = &record.drawn_anew;
    let released = record
        .variables
        .iter()
        .filter(|variable| variable.fate != Fate::Dropped);
    match (drawn.len(), released.count()) {
        (0, _) => None,
        (n_drawn, n_released) if n_drawn == n_released => Some(
            "All values were drawn anew: the records do not correspond to those that were collected."
                .to_owned(),
        ),
        _ => Some(format!(
            "Values of {} were drawn anew and do not correspond to the records that were collected; \
             all other values stand in the records they came from.",
            listed(drawn)
        )),
    }
}

fn the_file(record: &PublicRecord<'_>, file: &PublicFile<'_>) -> Markup {
    let mut rows = vec![
        ("File", html! { (file.name) }),
        ("Records", html! { (count(file.n_records)) }),
        ("Variables", html! { (count(file.n_variables)) }),
        ("Bytes", html! { (count(file.n_bytes)) }),
        ("SHA-256", hash(file.sha256)),
    ];
    if let Some(origin) = origin(record) {
        rows.push(("Origin", html! { (origin) }));
    }
    if record.shuffled {
        rows.push((
            "Order",
            html! { "The records stand in a random order, which means nothing." },
        ));
    }
    html! {
        (facts(&rows))
        p class="soft" {
            "Compare the SHA-256 with what " code { "sha256sum" }
            " prints for your copy: if they are equal, you have the released file."
        }
    }
}

fn steps(steps: &[PublicStep<'_>], labels: &Labels<'_>) -> Markup {
    html! {
        @if steps.is_empty() { p { "Nothing was changed." } }
        @else {
            ol class="steps" {
                @for (idx, step) in steps.iter().enumerate() {
                    li {
                        h3 { (step.title) }
                        @if let Some(card) = bauta_methods::registry::card(step.method) {
                            p { (sentence(card.summary)) }
                        }
                        @if !step.on.is_empty() { p { "Variables: " (labels.listed(&step.on)) "." } }
                        @if step.changed == Changed::Nothing { p { "It changed no value." } }
                        @if let Some(why) = step.why { p class="why" { "Why: " (why) } }
                        @for (position, shown) in step.exhibits.iter().enumerate() {
                            @for one in &shown.text { (exhibits::paragraph(one)) }
                            (exhibits::views(&shown.views, &format!("step-{idx}-{position}")))
                        }
                        @if !step.notes.is_empty() {
                            ul class="notes" { @for note in &step.notes { li { (note) } } }
                        }
                    }
                }
            }
        }
    }
}

fn variables(record: &PublicRecord<'_>) -> Markup {
    let caption = "The variables of the collected file";
    let methods = |variable: &PublicVariable<'_>| {
        let titles: Vec<&str> = record
            .steps
            .iter()
            .filter(|step| step.on.contains(&variable.name))
            .map(|step| step.title)
            .collect();
        titles.join(", then ")
    };
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Variable" }
                    th scope="col" { "Meaning" }
                    th scope="col" { "Kind" }
                    th scope="col" { "What became of it" }
                    th scope="col" { "Methods" }
                }
            }
            tbody {
                @for variable in &record.variables {
                    tr {
                        th scope="row" { (variable.name) }
                        td {
                            (meaning(variable))
                        }
                        td { (variable.kind.map_or("not described", kind)) }
                        td { (fate(variable.fate, Purpose::Release)) }
                        td { (methods(variable)) }
                    }
                }
            }
        }
    };
    scrolling(caption, &body)
}

/// The variable's label, and what it is for in the design unless the label says so.
fn meaning(variable: &PublicVariable<'_>) -> String {
    match (variable.label, variable.design_use) {
        (Some(label), Some(design_use)) if !label.to_lowercase().contains(design_use) => {
            format!("{label} ({design_use})")
        }
        (Some(text), _) | (None, Some(text)) => text.to_owned(),
        (None, None) => String::new(),
    }
}

fn losses(losses: &[PublicLoss<'_>], labels: &Labels<'_>) -> Markup {
    let columns: Vec<&Column> = losses
        .iter()
        .filter_map(|loss| loss.column.as_ref())
        .collect();
    let mut withheld: Vec<&str> = Vec::new();
    for name in losses.iter().flat_map(|loss| &loss.withheld) {
        if !withheld.contains(name) {
            withheld.push(name);
        }
    }
    html! {
        p {
            "Results computed from this file differ from those of the original. These figures say by "
            "how much, file and variable taken as a whole."
        }
        dl class="glossary" {
            @for loss in losses { dt { (loss.title) } dd { (loss.reading) } }
        }
        (by_variable("Loss by variable", &columns, labels))
        (chart_grid(&charts(losses, labels)))
        @for loss in losses {
            (figures::tables(&loss.figures, labels))
            @if !loss.notes.is_empty() {
                ul class="notes" { @for note in &loss.notes { li { (note) } } }
            }
        }
        @if !withheld.is_empty() {
            p class="soft" {
                "Not shown, since the figure could be traced to few records: " (labels.listed(&withheld)) "."
            }
        }
    }
}

fn charts(losses: &[PublicLoss<'_>], labels: &Labels<'_>) -> Vec<Markup> {
    let with_columns = losses
        .iter()
        .filter_map(|loss| Some((loss, loss.column.as_ref()?)));
    with_columns
        .filter(|(_, column)| column.figures.len() > 1 && column.is_seen())
        .enumerate()
        .map(|(idx, (loss, column))| {
            let title = format!("{}: {} by variable", column.title, loss.value_name);
            let figures = column.figures.iter();
            let figures = figures.map(|(name, value)| (labels.short(name), *value));
            let chart = variables_chart(
                &format!("loss-{idx}"),
                title,
                loss.value_name,
                column.unit,
                figures.collect(),
            );
            captioned(&chart, None, &bars(&chart))
        })
        .collect()
}
