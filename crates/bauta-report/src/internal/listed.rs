//! Records that a measure points at, with their keys where it looks at keys. For the committee only.

use bauta_methods::measure::{ListedRecord, Part};
use bauta_plan::record::MeasureRecord;
use maud::{Markup, html};

use crate::labels::Labels;
use crate::number::Written as _;
use crate::number::{NO_FIGURE, Unit, count};
use crate::page::scrolling;
use crate::words::named;

/// The listed records of a measure, of the masked file and of the input.
pub(super) fn tables(measure: &MeasureRecord, labels: &Labels<'_>) -> Markup {
    let of = |found: Option<&bauta_methods::Measurement>| {
        found.map_or_else(Vec::new, |found| found.listed.clone())
    };
    let (before, after) = (of(measure.before.as_ref()), of(measure.after.as_ref()));
    let files = if before == after {
        vec![("both files", after)]
    } else {
        vec![("the masked file", after), ("the input", before)]
    };
    let title = named(measure);
    html! {
        @for (file, records) in files.iter().filter(|(_, records)| !records.is_empty()) {
            (table(&format!("{title}: {}", said_of(records, file)), records, labels))
        }
    }
}

/// What the records are listed for.
fn said_of(records: &[ListedRecord], file: &str) -> String {
    if records.iter().all(|record| record.key.is_empty()) {
        return "records that were re-identified with the largest weight".to_owned();
    }
    format!(
        "the riskiest keys of {file}, one record each, with the records and the population that share the key"
    )
}

fn table(caption: &str, records: &[ListedRecord], labels: &Labels<'_>) -> Markup {
    let keys = records.first().map_or(&[][..], |record| &record.key);
    let figures = records.first().map_or(&[][..], |record| &record.figures);
    let body = html! {
        table class="listed" {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" class="number" { "Input row" }
                    @for (name, _) in keys { th scope="col" { (labels.cell(name)) } }
                    @for figure in figures { th scope="col" class="number" { (heading(&figure.name)) } }
                }
            }
            tbody {
                @for record in records {
                    tr {
                        th scope="row" class="number" { (count(record.row)) }
                        @for (_, value) in &record.key {
                            td { (value.as_deref().unwrap_or(NO_FIGURE)) }
                        }
                        @for figure in &record.figures {
                            td class="number" { (text(figure)) }
                        }
                    }
                }
            }
        }
    };
    scrolling(caption, &body)
}

fn heading(figure: &str) -> &str {
    match figure {
        "f" => "Records",
        "F" => "Population",
        "risk" => "Risk",
        "household_risk" => "Household risk",
        "weight" => "Weight",
        "posterior" => "Posterior",
        other => other,
    }
}

fn text(figure: &Part) -> String {
    let unit = match figure.name.as_str() {
        "risk" | "household_risk" | "posterior" => Unit::Share,
        _ => Unit::Number,
    };
    unit.text_or_dash(figure.value)
}
