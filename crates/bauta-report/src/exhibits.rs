//! What steps and measures show for themselves, whatever the method: words, facts, tables and drawings.

mod drawings;
mod tables;
mod words;

use bauta_methods::exhibit::{Evidence, Exhibit, Shows, View};
use bauta_plan::RunRecord;
use bauta_plan::record::MeasureRecord;
use maud::{Markup, html};

use crate::page::{Section, chart_grid, facts};
use crate::words::named;

pub(crate) use words::{paragraph, plain, words};

/// A section for each kind of evidence, in the order of the steps.
pub(crate) fn sections(record: &RunRecord) -> Vec<Section> {
    let kinds = kinds([record]).into_iter();
    kinds
        .map(|kind| {
            let steps = record.steps.iter();
            let shown = steps.filter_map(|step| Some((step, step.evidence.as_deref()?)));
            let shown = shown.filter(|(_, evidence)| evidence.id == kind.id);
            let body = html! {
                @for (idx, (step, evidence)) in shown.enumerate() {
                    h3 { (step.title) @if !evidence.subject.is_empty() { ": " (evidence.subject) } }
                    @for exhibit in &evidence.exhibits {
                        (one(exhibit, &format!("{}-{idx}-{}", kind.id, exhibit.id)))
                    }
                }
            };
            Section::new(kind.id.clone(), kind.title.clone(), body)
        })
        .collect()
}

/// The kinds of evidence in some runs, each as it first occurs.
pub(crate) fn kinds<'a>(records: impl IntoIterator<Item = &'a RunRecord>) -> Vec<&'a Evidence> {
    let steps = records.into_iter().flat_map(|record| &record.steps);
    let mut kinds: Vec<&Evidence> = Vec::new();
    for evidence in steps.filter_map(|step| step.evidence.as_deref()) {
        if !kinds.iter().any(|kind| kind.id == evidence.id) {
            kinds.push(evidence);
        }
    }
    kinds
}

/// What a measure shows for itself of the masked file, under its name.
pub(crate) fn of_measure(measure: &MeasureRecord, id: &str) -> Markup {
    let shown = measure.after.iter().flat_map(|found| &found.exhibits);
    let title = named(measure);
    html! {
        @for exhibit in shown {
            (titled(exhibit, &format!("{title}: {}", exhibit.title), &format!("{id}-{}", exhibit.id)))
        }
    }
}

/// An exhibit under its own title.
fn one(exhibit: &Exhibit, id: &str) -> Markup {
    titled(exhibit, &exhibit.title, id)
}

/// An exhibit; nothing where all its views are empty.
fn titled(exhibit: &Exhibit, title: &str, id: &str) -> Markup {
    html! {
        @if !exhibit.views.iter().all(is_empty) {
            @if !title.is_empty() { h4 { (title) } }
            @for one in &exhibit.text { (paragraph(one)) }
            (views(&exhibit.views, id))
        }
    }
}

/// Facts and tables one below the other, drawings side by side where there is room, and a table of
/// two columns beside the drawing that follows it.
pub(crate) fn views(views: &[View], id: &str) -> Markup {
    let shown: Vec<&View> = views.iter().filter(|view| !is_empty(view)).collect();
    let mut out = Vec::new();
    let mut beside: Vec<Markup> = Vec::new();
    for (idx, view) in shown.iter().enumerate() {
        let body = match &view.shows {
            Shows::Facts(rows) => {
                let rows = rows.iter();
                let rows = rows.map(|fact| (fact.label.as_str(), words(&fact.value)));
                facts(&rows.collect::<Vec<_>>())
            }
            Shows::Table(table) => tables::table(view, table),
            Shows::Curve(_) | Shows::Histogram(_) | Shows::Bars(_) | Shows::Map(_) => {
                beside.extend(drawings::figures(view, &format!("{id}-{idx}")));
                continue;
            }
        };
        out.push(chart_grid(&std::mem::take(&mut beside)));
        let body = html! { (body) (note(view)) };
        let is_slim = matches!(&view.shows, Shows::Table(table) if tables::is_slim(table));
        if is_slim && shown.get(idx + 1).is_some_and(|next| is_drawn(next)) {
            beside.push(html! { div { (body) } });
        } else {
            out.push(body);
        }
    }
    html! { @for part in &out { (part) } (chart_grid(&beside)) }
}

/// Small print below facts and tables; drawings have theirs in the caption.
fn note(view: &View) -> Markup {
    html! { @if !view.note.is_empty() { p class="soft" { (words(&view.note)) } } }
}

const fn is_drawn(view: &View) -> bool {
    match view.shows {
        Shows::Facts(_) | Shows::Table(_) => false,
        Shows::Curve(_) | Shows::Histogram(_) | Shows::Bars(_) | Shows::Map(_) => true,
    }
}

fn is_empty(view: &View) -> bool {
    match &view.shows {
        Shows::Facts(facts) => facts.is_empty(),
        Shows::Table(table) => tables::n_rows(table) == 0,
        Shows::Curve(curve) => curve.points.len() < 2,
        Shows::Histogram(histogram) => drawings::occupied(histogram).is_none(),
        Shows::Bars(bars) => bars.categories.is_empty(),
        Shows::Map(map) => map.points.is_empty(),
    }
}
