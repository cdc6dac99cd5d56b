//! The internal report: everything that a release committee needs to decide and to defend it.

mod done;
mod found;
mod listed;
mod provenance;
mod verdict;

use bauta_plan::RunRecord;
use bauta_plan::record::Purpose;
use maud::{Markup, html};

use crate::exhibits;
use crate::glossary::glossary;
use crate::page::{Front, Section, page};
use crate::words::{file_name, named};

/// The internal report.
pub(crate) fn report(record: &RunRecord) -> Markup {
    let front = Front {
        title: record
            .plan
            .title
            .as_deref()
            .unwrap_or_else(|| file_name(&record.input.file)),
        kind: "Report on disclosure control, for the release committee",
        mark: Some("Confidential: holds the seed, the parameters and the risk figures"),
        block: html! {
            (verdict::verdict(record))
            (verdict::key_figures(record))
        },
    };
    let risks = found::risks(record);
    let losses = found::losses(record);
    let mut sections = vec![
        Section::new(
            "gates",
            "Conditions of release (gates)",
            verdict::gates(record),
        ),
        Section::new("files", "Files", provenance::files(record)),
        Section::new("done", "What was done and why", done::steps(record)),
    ];
    sections.extend(exhibits::sections(record));
    sections.extend([
        Section::new(
            "scenarios",
            "What an intruder is assumed to know",
            done::scenarios(record),
        ),
        Section::new("risk", "Risk before and after", risks),
        Section::new("loss", "What an analyst loses", losses),
    ]);
    if let Some(scores) = found::scores(record) {
        sections.push(Section::new("score", "Loss weighed against risk", scores));
    }
    sections.push(Section::new(
        "variables",
        "Variables",
        done::variables(record),
    ));
    if has_measure_notes(record) {
        sections.push(Section::new(
            "notes",
            "Notes of the measures",
            measure_notes(record),
        ));
    }
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
        let decision = provenance::decision();
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
