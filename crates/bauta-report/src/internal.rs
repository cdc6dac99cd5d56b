//! The internal report: everything that a release committee needs to decide and to defend it.

mod done;
mod found;
mod listed;
mod provenance;
mod verdict;

use bauta_plan::RunRecord;
use bauta_plan::record::{MeasureFamily, Purpose};
use maud::{Markup, html};

use crate::exhibits;
use crate::glossary::glossary;
use crate::page::{Front, Section, page};
use crate::residual;
use crate::words::{file_name, named};
use verdict::Links;

/// The internal report.
pub(crate) fn report(record: &RunRecord) -> Markup {
    let (kind, mark) = match record.purpose() {
        Purpose::Release => (
            "Report on disclosure control, for the release committee",
            "Confidential: holds the seed, the parameters and the risk figures",
        ),
        Purpose::Calibration => (
            "Report on the calibration of weights",
            "Confidential: holds the seed, the totals and how weights were changed",
        ),
    };
    let front = Front {
        title: record
            .plan
            .title
            .as_deref()
            .unwrap_or_else(|| file_name(&record.input.file)),
        kind,
        mark: Some(mark),
        block: html! {
            (verdict::verdict(record))
            (verdict::key_figures(record, Links::ToSections))
        },
    };
    let mut sections = match record.purpose() {
        Purpose::Release => of_release(record),
        Purpose::Calibration => of_calibration(record),
    };
    sections.push(Section::new(
        "variables",
        "Variables",
        done::variables(record),
    ));
    sections.extend(notes(record));
    let steps = record.steps.iter().map(|step| step.method.as_str());
    let measures = record.measures.iter().map(|measure| measure.id.as_str());
    sections.extend([
        Section::new("provenance", "Provenance", provenance::provenance(record)),
        Section::new("plan", "The plan", provenance::plan(record)),
        Section::new(
            "glossary",
            "Methods named in this report",
            glossary(steps.chain(measures)),
        ),
    ]);
    // Nobody decides on the release of a file that was only calibrated.
    if record.purpose() == Purpose::Release {
        let decision = provenance::decision(record);
        sections.push(Section::new("decision", "Decision", decision));
    }
    let foot = html! {
        p {
            "Written by Bauta " (record.bauta_version) " from the run record of "
            (record.times.started) ". No figure was computed for this report."
        }
    };
    page(&front, &sections, &foot)
}

/// The outcome in one sentence.
pub(crate) fn verdict(record: &RunRecord) -> Markup {
    verdict::verdict(record)
}

/// The figures that a reader looks for first, before and after; on a page that may not have the sections they are of.
pub(crate) fn headline(record: &RunRecord) -> Markup {
    verdict::key_figures(record, Links::None)
}

/// What was done, and what steps show for themselves.
pub(crate) fn steps(record: &RunRecord) -> Vec<Section> {
    match record.purpose() {
        Purpose::Release => {
            let mut sections = vec![done(record)];
            sections.extend(exhibits::sections(record));
            sections
        }
        Purpose::Calibration => {
            let mut sections = exhibits::sections(record);
            sections.push(done(record));
            sections
        }
    }
}

/// What was measured, and what the measures noted.
pub(crate) fn measures(record: &RunRecord) -> Vec<Section> {
    let mut sections = match record.purpose() {
        Purpose::Release => {
            let mut sections = vec![risk(record), loss(record)];
            sections.extend(score(record));
            sections
        }
        Purpose::Calibration => of_calibrated(record),
    };
    sections.extend(notes(record));
    sections
}

fn done(record: &RunRecord) -> Section {
    let heading = match record.purpose() {
        Purpose::Release => "What was done and why",
        Purpose::Calibration => "How it was done",
    };
    Section::new("done", heading, done::steps(record))
}

fn risk(record: &RunRecord) -> Section {
    let heading = match record.purpose() {
        Purpose::Release => "Risk before and after",
        Purpose::Calibration => "Keys before and after",
    };
    Section::new("risk", heading, found::risks(record))
}

fn loss(record: &RunRecord) -> Section {
    let heading = match record.purpose() {
        Purpose::Release => "What an analyst loses",
        Purpose::Calibration => "What differs from the input",
    };
    Section::new("loss", heading, found::losses(record))
}

fn score(record: &RunRecord) -> Option<Section> {
    let scores = found::scores(record)?;
    Some(Section::new("score", "Loss weighed against risk", scores))
}

fn notes(record: &RunRecord) -> Option<Section> {
    has_measure_notes(record)
        .then(|| Section::new("notes", "Notes of the measures", measure_notes(record)))
}

/// What a committee reads that decides on a release.
fn of_release(record: &RunRecord) -> Vec<Section> {
    let mut sections = vec![
        Section::new(
            "gates",
            "Conditions of release (gates)",
            verdict::gates(record),
        ),
        Section::new("files", "Files", provenance::files(record)),
        done(record),
    ];
    sections.extend(exhibits::sections(record));
    sections.extend([
        Section::new(
            "scenarios",
            "What an intruder is assumed to know",
            done::scenarios(record),
        ),
        risk(record),
        loss(record),
        Section::new("remaining", "What risk remains", residual::internal(record)),
    ]);
    sections.extend(score(record));
    sections
}

/// What somebody reads who calibrated weights: nothing is decided, and only what was measured is told.
fn of_calibration(record: &RunRecord) -> Vec<Section> {
    let mut sections = exhibits::sections(record);
    sections.extend([
        Section::new("files", "Files", provenance::files(record)),
        done(record),
    ]);
    if !record.claims.is_empty() {
        let heading = "What was counted again";
        sections.push(Section::new("gates", heading, verdict::gates(record)));
    }
    sections.extend(of_calibrated(record));
    sections
}

/// What was measured of a file whose weights were calibrated.
fn of_calibrated(record: &RunRecord) -> Vec<Section> {
    let has = |family: MeasureFamily| {
        let mut measures = record.measures.iter();
        measures.any(|measure| measure.family == family)
    };
    let mut sections = Vec::new();
    if has(MeasureFamily::Risk) {
        sections.push(risk(record));
    }
    if has(MeasureFamily::Loss) {
        sections.push(loss(record));
    }
    sections
}

fn has_measure_notes(record: &RunRecord) -> bool {
    record
        .measures
        .iter()
        .any(|measure| !measure.notes.is_empty())
}

fn measure_notes(record: &RunRecord) -> Markup {
    html! {
        dl class="glossary" {
            @for measure in record.measures.iter().filter(|measure| !measure.notes.is_empty()) {
                dt {
                    (named(measure))
                    @if let Some(scenario) = &measure.scenario { ", scenario " (scenario) }
                }
                dd {
                    ul class="notes" {
                        @for note in &measure.notes { li { (note.in_full()) } }
                    }
                }
            }
        }
    }
}
