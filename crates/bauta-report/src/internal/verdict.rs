//! Whether the release holds what was asked of it.

use bauta_plan::judged::were_perturbed;
use bauta_plan::record::{ClaimRecord, Counted, GateRecord, Purpose, Ungated};
use bauta_plan::{Judged, RunRecord};
use maud::{Markup, html};

use crate::exhibits;
use crate::headline::{Headline, conditions as conditions_that_hold, headlines, of_calibration};
use crate::labels::Labels;
use crate::page::scrolling;
use crate::words::{file_name, gate_condition, gate_found, gate_subject, sentence};

/// The outcome in one sentence.
pub(super) fn verdict(record: &RunRecord) -> Markup {
    html! {
        p class={ "verdict " (colour(record)) } { (outcome(record)) }
        @if let Some(missing) = not_judged(record) { p { (missing) } }
    }
}

/// Green is for a file whose risk was judged and found small enough, amber for one that went without.
fn colour(record: &RunRecord) -> &'static str {
    let went = record.passed() && record.released.is_some();
    let judged = record.purpose() == Purpose::Release && not_judged(record).is_none();
    match (went, judged) {
        (false, _) => "bad",
        (true, true) => "good",
        (true, false) => "amber",
    }
}

/// What a reader could believe to have been judged and was not.
fn not_judged(record: &RunRecord) -> Option<&'static str> {
    record.released.as_ref()?;
    match record.purpose() {
        Purpose::Release => Judged::of(record).missing(),
        // The verdict says so itself.
        Purpose::Calibration => None,
    }
}

fn outcome(record: &RunRecord) -> String {
    let failed: Vec<&GateRecord> = record.gates.iter().filter(|gate| !gate.passed).collect();
    let released = record.released.as_ref().map(|file| file_name(&file.file));
    let conditions = match record.gates.len() {
        0 => "No condition of release was set, and nothing was judged".to_owned(),
        1 => "The one condition of release holds".to_owned(),
        n => format!("All {n} conditions of release hold"),
    };
    if record.purpose() == Purpose::Calibration {
        return calibrated(record, released);
    }
    if record.claims.iter().any(|claim| !claim.holds) {
        return "The file, read again, is not as safe as claimed. Therefore no file was released."
            .to_owned();
    }
    match (failed.is_empty(), released) {
        (true, Some(file)) => format!("{conditions}; {file} was released."),
        (true, None) => format!("{conditions}, but no file was released."),
        (false, None) => format!(
            "{}. Therefore no file was released.",
            failures(record, &failed)
        ),
        (false, Some(file)) => format!(
            "{}, and yet {file} was released.",
            failures(record, &failed)
        ),
    }
}

/// What became of a file whose weights were calibrated.
fn calibrated(record: &RunRecord, file: Option<&str>) -> String {
    match file {
        Some(file) if record.passed() => format!(
            "{file} has calibrated weights. It was not judged for release: other variables are as they were."
        ),
        _ => "The file, read again, is not as safe as claimed. Therefore no file was written."
            .to_owned(),
    }
}

fn failures(record: &RunRecord, failed: &[&GateRecord]) -> String {
    let each: Vec<String> = failed
        .iter()
        .map(|gate| {
            let unit = gate.unit;
            let subject = gate_subject(gate, &record.measures);
            if gate.perturbed.is_empty() || gate.although_perturbed.is_some() {
                format!(
                    "{subject} is {}, where {} is asked for",
                    gate_found(gate, unit),
                    gate_condition(gate, unit)
                )
            } else {
                format!(
                    "{subject} counts keys that a step perturbed ({}), which is not what an intruder finds",
                    gate.perturbed.join(", ")
                )
            }
        })
        .collect();
    match failed.len() {
        1 => format!("A condition of release fails: {}", each[0]),
        n => format!(
            "{n} of {} conditions of release fail: {}",
            record.gates.len(),
            each.join("; ")
        ),
    }
}

/// Whether figures are ways to where they stand again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Links {
    /// They are: the page has the sections.
    ToSections,
    /// They are not.
    None,
}

/// The figures that a reader looks for first, each a way to where it stands again.
pub(super) fn key_figures(record: &RunRecord, links: Links) -> Markup {
    match record.purpose() {
        Purpose::Release => tiles(&headlines(record), "tiles", links),
        Purpose::Calibration => html! {
            @for evidence in record.steps.iter().filter_map(|step| step.evidence.as_deref()) {
                p { (exhibits::words(&evidence.summary)) }
            }
            (tiles(&of_calibration(record), "tiles words", links))
        },
    }
}

/// Tiles of a name, a figure and what it counts.
fn tiles(all: &[Headline], class: &str, links: Links) -> Markup {
    html! {
        dl class=(class) {
            @for one in all {
                div {
                    dt {
                        @if links == Links::ToSections { a href={ "#" (one.section) } { (one.name) } }
                        @else { (one.name) }
                    }
                    dd { (one.value) @if !one.below.is_empty() { small { (one.caption()) } } }
                }
            }
        }
    }
}

/// The conditions, what was found, and whether they hold; and what counting again showed.
pub(super) fn gates(record: &RunRecord) -> Markup {
    html! {
        @if !record.gates.is_empty() { p { (sentence(&conditions_that_hold(record))) } }
        @if record.purpose() == Purpose::Release { (conditions(record)) }
        (claims(record, Counted::ReleasedFile))
        (claims(record, Counted::BeforeSuppression))
    }
}

/// The claims that were counted in the file, or in what it does not show.
fn claims(record: &RunRecord, counted: Counted) -> Markup {
    let labels = Labels::of(record);
    let claims = record.claims.iter();
    let claims: Vec<&ClaimRecord> = claims.filter(|claim| claim.counted == counted).collect();
    let introduction = match counted {
        Counted::ReleasedFile => {
            "The file was read again after it was written, and what was claimed of its keys counted:"
        }
        Counted::BeforeSuppression => {
            "This was counted in the values before suppression, which the file does not show. It is no \
             statement about the released file, in which smaller classes may be found:"
        }
    };
    html! {
        @if !claims.is_empty() {
            p { (introduction) }
            ul { @for claim in claims { li { (counted_again(claim, &labels)) } } }
        }
    }
}

fn counted_again(claim: &ClaimRecord, labels: &Labels<'_>) -> Markup {
    // Where only some keys are known at a time, the record says which.
    let keys = match claim.subsets {
        Some(_) => claim.keys_in_words(),
        None => labels.listed(&claim.keys),
    };
    html! {
        (keys) " (" (claim.semantics) "; " (claim.by) "): "
        @if claim.holds && (claim.counted == Counted::BeforeSuppression || !claim.perturbed.is_empty()) {
            // No tick: it is not the file that was counted, or not what an intruder finds.
            strong { (claim.in_words()) }
        } @else if claim.holds {
            strong class="good" { "✓ " (claim.in_words()) }
        } @else {
            strong class="bad" { "✗ " (claim.in_words()) }
        }
    }
}

fn conditions(record: &RunRecord) -> Markup {
    if record.gates.is_empty() {
        let by = match record.ungated {
            Some(Ungated::CommandLine) => "the command line let the file go without any",
            Some(Ungated::Plan) | None => "the plan lets the file go without any",
        };
        return html! {
            p { "There is no condition: " (by) ", whatever the figures below say." }
        };
    }
    let caption = "A file is released only if every condition holds";
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Condition" }
                    th scope="col" class="number" { "Asked for" }
                    th scope="col" class="number" { "Found" }
                    th scope="col" class="outcome" { "Outcome" }
                    th scope="col" { "Why" }
                }
            }
            tbody { @for gate in &record.gates { (gate_row(gate, record)) } }
        }
    };
    scrolling(caption, &body)
}

/// What a perturbed key means for a condition.
fn perturbed(gate: &GateRecord) -> String {
    let perturbed = were_perturbed(&gate.perturbed);
    match &gate.although_perturbed {
        None => format!("not meaningful: {perturbed}"),
        Some(why) => format!("though {perturbed}: {why}"),
    }
}

fn gate_row(gate: &GateRecord, record: &RunRecord) -> Markup {
    let unit = gate.unit;
    html! {
        tr {
            th scope="row" { (gate_subject(gate, &record.measures)) }
            td class="number" { (gate_condition(gate, unit)) }
            td class="number" { (gate_found(gate, unit)) }
            td class="outcome" {
                @if gate.passed { strong class="good" { "✓ holds" } }
                @else { strong class="bad" { "✗ fails" } }
                @if !gate.perturbed.is_empty() { ", " (perturbed(gate)) }
            }
            td { (gate.why.as_deref().unwrap_or_default()) }
        }
    }
}
