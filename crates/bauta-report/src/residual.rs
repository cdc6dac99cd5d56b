//! The risk that remains, in plain words: what an intruder could still do, what was found about it, and who
//! answers for the release.

use bauta_methods::measure::Threat;
use bauta_methods::registry;
use bauta_plan::RunRecord;
use bauta_plan::record::{MeasureFamily, MeasureRecord, ReleaseRecord};
use maud::{Markup, html};

use crate::labels::Labels;
use crate::number::Written as _;
use crate::page::facts;
use crate::words::named;

/// What an intruder could do, in the order in which it is told.
pub(crate) const THREATS: [Threat; 3] = [Threat::SinglingOut, Threat::Linkage, Threat::Inference];

/// What the measure of this name looks for; none where it is of no risk.
pub(crate) fn threat_of(measure: &MeasureRecord) -> Option<Threat> {
    let card = registry::measure(&measure.id)?.declared();
    let is_risk = measure.family == MeasureFamily::Risk && card.threat != Threat::None;
    is_risk.then_some(card.threat)
}

/// Its name, and what it means for somebody in the file.
const fn in_words(threat: Threat) -> (&'static str, &'static str) {
    match threat {
        Threat::None => ("", ""),
        Threat::SinglingOut => (
            "Singling out",
            "Somebody who knows a few things of a person looks for the record that has them. If no other record \
             has the same, it is that person's, unless the person is not in the file. The more records share what \
             is known, the less it tells which is which.",
        ),
        Threat::Linkage => (
            "Linkage",
            "Somebody has a file of their own, with names, and looks for the nearest record of this file to each \
             of its entries. Values that were changed a little make this harder, not impossible.",
        ),
        Threat::Inference => (
            "Inference",
            "Somebody learns a thing that they did not know, without being sure of the record: because all \
             records that could be meant say the same, or because a changed value still tells nearly what it was.",
        ),
    }
}

/// The internal page: with the figures of the record.
pub(crate) fn internal(record: &RunRecord) -> Markup {
    let labels = Labels::of(record);
    html! {
        p {
            "No released file is without risk. This is what was found of the risk that remains, in the masked "
            "file and against the intruders that the plan describes; what was not measured is not known."
        }
        @for threat in THREATS {
            @let (name, meaning) = in_words(threat);
            @let found: Vec<&MeasureRecord> =
                record.measures.iter().filter(|measure| threat_of(measure) == Some(threat)).collect();
            h3 { (name) }
            p { (meaning) }
            @if found.is_empty() {
                p { strong class="amber" { "Not measured in this run." } }
            } @else {
                ul { @for measure in found { li { (found_in_words(measure, record, &labels)) } } }
            }
        }
        (agreed(record.plan.release.as_ref(), Asks::Internal))
    }
}

/// What a measure found, in a sentence or two.
fn found_in_words(measure: &MeasureRecord, record: &RunRecord, labels: &Labels<'_>) -> Markup {
    let limits = measure.limits(&record.gates);
    let text = |value| measure.value.unit.text_beside_or_dash(value, &limits);
    let before = measure.before.as_ref().and_then(|found| found.value);
    let after = measure.after.as_ref().and_then(|found| found.value);
    let scenario = measure.scenario.as_ref();
    let keys = scenario.and_then(|name| {
        let mut all = record.scenarios.iter();
        all.find(|one| one.name == *name).map(|one| &one.keys)
    });
    let label = &measure.value.label;
    html! {
        strong { (named(measure)) }
        @if let Some(scenario) = scenario {
            ", scenario " (scenario)
            @if let Some(keys) = keys { " (who knows " (labels.listed(keys)) ")" }
        }
        ": "
        @match (before, after) {
            (Some(_), Some(_)) => { (label) " was " (text(before)) " and is " strong { (text(after)) } "." }
            (None, Some(_)) => { (label) " is " strong { (text(after)) } "." }
            (_, None) => { "there is no figure." }
        }
        @if !measure.perturbed.is_empty() {
            " " span class="amber" { "A step perturbed what it counts, so that this is not what an intruder finds." }
        }
    }
}

/// Who asks what a plan does not say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// The committee: what is missing is named.
    Internal,
    /// The public: only what is there.
    External,
}

/// Purpose, recipients and day of the review.
fn agreed(release: Option<&ReleaseRecord>, asks: Asks) -> Markup {
    let purpose = release.and_then(|release| release.purpose.as_deref());
    let recipients: Vec<&str> = release
        .iter()
        .flat_map(|release| &release.recipients)
        .map(String::as_str)
        .collect();
    let review = release.and_then(|release| release.review.as_deref());
    terms(purpose, &recipients, review, asks)
}

/// The same from what the public may read.
pub(crate) fn terms(
    purpose: Option<&str>,
    recipients: &[&str],
    review: Option<&str>,
    asks: Asks,
) -> Markup {
    let missing = || (asks == Asks::Internal).then(|| html! { em { "not stated in the plan" } });
    let text = |text: Option<&str>| text.map(|text| html! { (text) }).or_else(missing);
    let many = if recipients.is_empty() {
        missing()
    } else {
        Some(html! {
            @for (idx, one) in recipients.iter().enumerate() { @if idx > 0 { br; } (one) }
        })
    };
    let rows = [
        ("Purpose", text(purpose)),
        ("Recipients", many),
        ("Looked at again by", text(review)),
    ];
    let rows: Vec<(&str, Markup)> = rows
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    html! {
        @if !rows.is_empty() {
            h3 { "What the release is for" }
            (facts(&rows))
        }
    }
}

/// The public page: in words, without a figure.
pub(crate) fn public(looked_at: &[Threat]) -> Markup {
    html! {
        p {
            "No file about people, households or firms is without risk. The steps above are meant to "
            "reduce it; they cannot make it nothing. Whoever uses the file must not try to find out who is in it."
        }
        @for threat in THREATS {
            @let (name, meaning) = in_words(threat);
            h3 { (name) }
            p {
                (meaning)
                @if looked_at.contains(&threat) {
                    " Something of this was measured before the file was released, not every variable and not every way."
                 }
            }
        }
    }
}
