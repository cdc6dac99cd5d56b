//! The record's names and enumerations in words.

use std::fmt::Write as _;

use bauta_data::Kind;
use bauta_methods::{Better, Series, Unit, registry};
use bauta_plan::record::{Fate, GateRecord, MeasureFamily, MeasureRecord, Purpose, SeedSource};

use crate::labels::Labels;
use crate::number::Written as _;

/// A text with a capital.
pub(crate) fn capitalised(text: &str) -> String {
    let mut symbols = text.chars();
    symbols
        .next()
        .map(|first| first.to_uppercase().chain(symbols).collect())
        .unwrap_or_default()
}

/// A sentence: capital and full stop.
pub(crate) fn sentence(text: &str) -> String {
    let text = capitalised(text.trim());
    if text.is_empty() || text.ends_with(['.', '!', '?']) {
        text
    } else {
        text + "."
    }
}

/// "a", "a and b", "a, b and c".
pub(crate) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The last part of a path, whichever system wrote it.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

pub(crate) const fn fate(fate: Fate, purpose: Purpose) -> &'static str {
    match (fate, purpose) {
        (Fate::Untouched, _) => "unchanged",
        (Fate::Masked, Purpose::Release) => "masked",
        (Fate::Masked, Purpose::Calibration) => "given new values",
        (Fate::Dropped, _) => "removed",
    }
}

pub(crate) const fn seed_source(source: SeedSource) -> &'static str {
    match source {
        SeedSource::Plan => "given in the plan",
        SeedSource::CommandLine => "given on the command line",
        SeedSource::InputFile => "derived from the bytes of the input file",
    }
}

pub(crate) const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Continuous => "number",
        Kind::Ordered => "categories, ordered",
        Kind::Hierarchical => "categories, hierarchical",
        Kind::Unordered => "categories",
    }
}

/// The title of a measure, with the records it looked at if they are not all.
pub(crate) fn named(measure: &MeasureRecord) -> String {
    match &measure.condition {
        None => measure.title.clone(),
        Some(condition) => format!("{}, records with {condition}", measure.title),
    }
}

/// How a measure's figure is to be read: what it is, its range, which end is good.
pub(crate) fn reading(measure: &MeasureRecord) -> String {
    let mut out = String::new();
    if let Some(card) = registry::card(&measure.id) {
        out = sentence(card.summary);
    }
    let good_end = match (measure.value.better, measure.family) {
        (Better::Neither, _) => return out,
        (Better::Lower, MeasureFamily::Risk) => "lower is safer",
        (Better::Higher, MeasureFamily::Risk) => "higher is safer",
        (Better::Lower, MeasureFamily::Loss) => "lower is closer to the original",
        (Better::Higher, MeasureFamily::Loss) => "higher is closer to the original",
        (Better::Lower, MeasureFamily::Score) => "lower is the better trade-off",
        (Better::Higher, MeasureFamily::Score) => "higher is the better trade-off",
    };
    let range = range(measure);
    if !out.is_empty() {
        out.push(' ');
    }
    out + &sentence(&if range.is_empty() {
        good_end.to_owned()
    } else {
        format!("{range}; {good_end}")
    })
}

fn range(measure: &MeasureRecord) -> String {
    let Some(known) = registry::measure(&measure.id) else {
        return String::new();
    };
    let (reading, at_identity) = (&known.declared().value, known.declared().at_identity);
    let unit = value_unit(measure);
    let mut out = match (reading.min.is_finite(), reading.max.is_finite()) {
        (true, true) => format!(
            "from {} to {}",
            unit.text(reading.min),
            unit.text(reading.max)
        ),
        (true, false) => format!("{} or more", unit.text(reading.min)),
        (false, true) => format!("{} or less", unit.text(reading.max)),
        (false, false) => String::new(),
    };
    if let Some(value) = at_identity {
        let separator = if out.is_empty() { "" } else { ", " };
        let _ = write!(out, "{separator}{} if nothing is masked", unit.text(value));
    }
    out
}

/// What a series shows: the variable as it is spelled, or a title with a capital.
pub(crate) fn series_title(series: &Series, labels: &Labels<'_>) -> String {
    match &series.variable {
        Some(variable) => format!("{}: {}", labels.full(variable), series.name),
        None if series.verbatim => series.name.clone(),
        None => capitalised(&series.name),
    }
}

/// How a measure's value is written.
pub(crate) fn value_unit(measure: &MeasureRecord) -> Unit {
    measure.value.unit
}

/// What a gate looks at: measure, figure, scenario.
pub(crate) fn gate_subject(gate: &GateRecord, measures: &[MeasureRecord]) -> String {
    let measure = measures.iter().find(|measure| measure.id == gate.measure);
    let title = measure.map_or(gate.measure.as_str(), |measure| &measure.title);
    let figure = match gate.label.as_str() {
        "" => String::new(),
        label => format!(", {label}"),
    };
    let scenario = gate
        .scenario
        .as_ref()
        .map(|name| format!(" (scenario {name})"));
    let condition = gate
        .condition
        .as_ref()
        .map(|condition| format!(" (records with {condition})"));
    format!(
        "{title}{figure}{}{}",
        scenario.unwrap_or_default(),
        condition.unwrap_or_default()
    )
}

/// What a gate asks for.
pub(crate) fn gate_condition(gate: &GateRecord, unit: Unit) -> String {
    match (gate.at_least, gate.at_most) {
        (Some(low), Some(high)) => format!("{} to {}", unit.exact(low), unit.exact(high)),
        (Some(low), None) => format!("at least {}", unit.exact(low)),
        (None, Some(high)) => format!("at most {}", unit.exact(high)),
        (None, None) => "nothing".to_owned(),
    }
}

/// What was found, with the digits that show on which side of the limits it lies.
pub(crate) fn gate_found(gate: &GateRecord, unit: Unit) -> String {
    let Some(found) = gate.found else {
        return "no figure".to_owned();
    };
    let limits: Vec<f64> = [gate.at_least, gate.at_most]
        .into_iter()
        .flatten()
        .collect();
    unit.text_beside(found, &limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_sentences_and_names_lists() {
        assert_eq!(sentence("mean distance"), "Mean distance.");
        assert_eq!(sentence("Is it?"), "Is it?");
        assert_eq!(sentence(""), "");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(file_name("out/2026\\survey.csv"), "survey.csv");
    }

    #[test]
    fn a_gate_just_missed_does_not_read_as_met() {
        let gate = GateRecord {
            measure: "individual-risk".to_owned(),
            scenario: None,
            part: None,
            label: "mean risk".to_owned(),
            unit: Unit::Number,
            condition: None,
            at_least: None,
            at_most: Some(0.1),
            found: Some(0.100_001),
            few: false,
            perturbed: Vec::new(),
            although_perturbed: None,
            passed: false,
            why: None,
        };
        assert_eq!(gate_condition(&gate, Unit::Number), "at most 0.1");
        assert_eq!(gate_found(&gate, Unit::Number), "0.100001");
    }
}
