//! Where everything came from and how to repeat it.

use bauta_plan::RunRecord;
use bauta_plan::record::{FileRecord, Purpose, SignatoryRecord};
use maud::{Markup, html};

use crate::headline::n_records_removed;
use crate::number::{count, seconds};
use crate::page::{facts, hash, scrolling};
use crate::words::{capitalised, seed_source};

/// What a file for release is called, and one whose weights were calibrated.
const RELEASED: &str = "Released";
const CALIBRATED: &str = "Calibrated";

/// The files of the run.
pub(super) fn files(record: &RunRecord) -> Markup {
    let (caption, written) = match record.purpose() {
        Purpose::Release => ("What was read and what was released", RELEASED),
        Purpose::Calibration => ("What was read and what was calibrated", CALIBRATED),
    };
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    td {}
                    th scope="col" { "Input" }
                    th scope="col" { (written) }
                }
            }
            tbody {
                @for (name, text) in file_facts() {
                    tr {
                        th scope="row" { (name) }
                        td { (text(&record.input)) }
                        td {
                            @if let Some(released) = &record.released { (text(released)) }
                            @else { "none" }
                        }
                    }
                }
            }
        }
    };
    html! {
        (scrolling(caption, &body))
        @if let Some(n_removed) = n_records_removed(record) {
            p { "Records removed: " (count(n_removed)) " of " (count(record.input.n_records)) " read." }
        }
        @if !record.notes.is_empty() {
            p { "To know about the data as they were read:" }
            ul class="notes" { @for note in &record.notes { li { (note.text) } } }
        }
    }
}

type FileFact = fn(&FileRecord) -> Markup;

fn file_facts() -> [(&'static str, FileFact); 5] {
    [
        ("File", |file| html! { (file.file) }),
        ("Records", |file| html! { (count(file.n_records)) }),
        ("Variables", |file| html! { (count(file.n_variables)) }),
        ("Bytes", |file| html! { (count(file.n_bytes)) }),
        ("SHA-256", |file| hash(&file.sha256)),
    ]
}

/// Versions, hashes, seed, times.
pub(super) fn provenance(record: &RunRecord) -> Markup {
    let times = &record.times;
    let released = record.released.as_ref();
    let written = match record.purpose() {
        Purpose::Release => RELEASED,
        Purpose::Calibration => CALIBRATED,
    };
    let rows = [
        ("Bauta", html! { (record.bauta_version) }),
        ("Record", html! { (record.format) }),
        (
            "Plan",
            html! { (record.plan.file) " " (hash(&record.plan.sha256)) },
        ),
        (
            "Input",
            html! { (record.input.file) " " (hash(&record.input.sha256)) },
        ),
        (
            written,
            html! {
                @if let Some(file) = released { (file.file) " " (hash(&file.sha256)) } @else { "none" }
            },
        ),
        (
            "Seed",
            html! { code { (record.seed) } ", " (seed_source(record.seed_source)) },
        ),
        ("Started", html! { (times.started) }),
        (
            "Time",
            html! { (seconds(times.seconds)) " on " (count(times.threads)) " threads" },
        ),
    ];
    html! {
        (facts(&rows))
        p {
            "To repeat the run and compare the hashes: " code { "bauta verify RECORD" }
            ", where RECORD is the run record that this report was written from. The same plan on the "
            "same file with the same seed gives the same bytes on any number of threads."
        }
        @if record.purpose() == Purpose::Release {
            p class="soft" {
                "Whoever knows the seed can undo random masking. It stays in the record and in this report."
            }
        }
        @if !times.stages.is_empty() { (stages(record)) }
    }
}

fn stages(record: &RunRecord) -> Markup {
    let caption = "Time by stage";
    let body = html! {
        table class="facts" {
            caption { (caption) }
            thead {
                tr { th scope="col" { "Stage" } th scope="col" class="number" { "Time" } }
            }
            tbody {
                @for stage in &record.times.stages {
                    tr {
                        th scope="row" { (capitalised(&stage.stage)) }
                        td class="number" { (seconds(stage.seconds)) }
                    }
                }
            }
        }
    };
    scrolling(caption, &body)
}

/// The plan's text.
pub(super) fn plan(record: &RunRecord) -> Markup {
    html! {
        p { "The text of " (record.plan.file) ", as it was read." }
        details {
            summary { "Show the plan" }
            pre { code { (record.plan.text) } }
        }
    }
}

/// Where the committee signs: a line for each whom the plan names, or one for whoever it is.
pub(super) fn decision(record: &RunRecord) -> Markup {
    let release = record.plan.release.iter();
    let signatories: Vec<&SignatoryRecord> =
        release.flat_map(|release| &release.signatories).collect();
    html! {
        ul class="choice" {
            li { "The file is released as described above." }
            li { "The file is not released. Reason:" }
        }
        @if signatories.is_empty() {
            ul class="sign" {
                li { "Name and function" }
                li { "Place and date" }
                li { "Signature" }
            }
        }
        @for signatory in signatories {
            ul class="sign" {
                li class="named" {
                    strong { (signatory.name) }
                    @if let Some(role) = &signatory.role { br; (role) }
                }
                li { "Place and date" }
                li { "Signature" }
            }
        }
    }
}
