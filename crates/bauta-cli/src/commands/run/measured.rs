//! The figures of a run, before and after.

use std::borrow::Cow;
use std::fmt::Write as _;

use bauta_data::number::number_text;
use bauta_methods::figure::Declared;
use bauta_methods::note::NoteRank;
use bauta_methods::{Better, FigureName, Measurement, Unit};
use bauta_plan::record::{MeasureRecord, RunRecord};

use crate::tables::{Shown, figure_beside, number_cell, table, text};

/// Every measure with its figures; one that a gate judges has the digits that its verdict rests on.
pub(super) fn measures_table(record: &RunRecord) -> Shown {
    let mut shown = table(["measure", "before", "after"]);
    for measure in &record.measures {
        let (name, rows) = (called(measure), rows(measure, record));
        let mut add = |label: String, before: &str, after: &str| {
            let figures = [before, after].map(|figure| number_cell(figure.to_owned()));
            let [before, after] = figures;
            shown.add_row([text(label), before, after]);
        };
        match rows.as_slice() {
            [] => {}
            [one] => add(format!("{name}: {}", one.label), &one.before, &one.after),
            several => {
                add(name, "", "");
                for row in several {
                    add(format!("- {}", row.label), &row.before, &row.after);
                }
            }
        }
    }
    shown
}

/// A line of the table.
struct Row {
    label: String,
    before: String,
    after: String,
}

fn rows(measure: &MeasureRecord, record: &RunRecord) -> Vec<Row> {
    let limits = measure.limits(&record.gates);
    let before = measure.before.as_ref().map(Measurement::told);
    let after = measure.after.as_ref().map(Measurement::told);
    let row = |label: String, of: &dyn Fn(&Measurement) -> Option<f64>| {
        let figure = |found: &Option<Cow<'_, Measurement>>| {
            figure_beside(found.as_deref().and_then(of), &limits)
        };
        let after_text = figure(&after);
        // In brackets: a note below the table says what it does not mean.
        let is_bracketed = !measure.perturbed.is_empty() && after_text != "-";
        Row {
            label,
            before: figure(&before),
            after: if is_bracketed {
                format!("({after_text})")
            } else {
                after_text
            },
        }
    };
    let mut rows = Vec::new();
    if measure.value.label.is_empty() {
        return rows;
    }
    let is_largest = measure.value.label.starts_with("largest") || measure.id == MOST_OF_ONE;
    let of_one = after
        .as_deref()
        .filter(|_| is_largest)
        .and_then(of_one_variable);
    let label = match of_one {
        Some(variable) => format!("{}, of {variable}", measure.value.label),
        None => measure.value.label.to_string(),
    };
    rows.push(row(label, &|found| found.value));
    if let (Some(_), Some(found)) = (measure.outliers, &after)
        && (found.outliers.is_some() || found.rest.is_some())
    {
        rows.push(row("outliers".to_owned(), &|found| found.outliers));
        rows.push(row("rest".to_owned(), &|found| found.rest));
    }
    let figures = headline_figures(measure, record);
    for (position, (name, declared)) in figures.iter().enumerate() {
        if name.at.is_none() {
            rows.push(row(declared.describe(name), &|found| {
                found.figure(name.clone())
            }));
            continue;
        }
        // One line for all numbers that a figure is given for.
        let of_same = |(other, _): &&(FigureName, &Declared)| other.id == name.id;
        if figures[..position].iter().any(|other| of_same(&other)) {
            continue;
        }
        let series = figures.iter().filter(of_same);
        let series =
            series.map(|(name, _)| row(String::new(), &|found| found.figure(name.clone())));
        let series: Vec<Row> = series.collect();
        rows.push(Row {
            label: label_of_series(declared, figures.iter().filter(of_same)),
            before: joined(series.iter().map(|row| row.before.as_str())),
            after: joined(series.iter().map(|row| row.after.as_str())),
        });
    }
    rows
}

/// The measure whose value is that of the key with the largest share.
const MOST_OF_ONE: &str = "key-contribution";

/// The variable whose figure is that of all, if it is just one of several: the key that contributes most.
fn of_one_variable(found: &Measurement) -> Option<&str> {
    let value = found.value?;
    let mut same = found
        .by_variable
        .iter()
        .filter(|part| part.value == Some(value));
    let (first, second) = (same.next()?, same.next());
    (second.is_none() && found.by_variable.len() > 1).then_some(first.name.as_str())
}

/// Measures that have no line in the table: what they found is by variable or by class.
pub(super) fn only_in_report(record: &RunRecord) -> Vec<&str> {
    let measured = record.measures.iter().filter(|one| one.after.is_some());
    let without = measured.filter(|one| one.value.label.is_empty());
    let mut ids: Vec<&str> = without.map(|one| one.id.as_str()).collect();
    ids.dedup();
    ids
}

/// The label of a figure with all its numbers: "records in classes smaller than 2 / 3 / 5".
fn label_of_series<'f>(
    declared: &Declared,
    figures: impl Iterator<Item = &'f (FigureName, &'f Declared)>,
) -> String {
    let numbers = figures.filter_map(|(name, _)| name.at).map(number_text);
    let numbers: Vec<String> = numbers.collect();
    declared.label.replace("{}", &numbers.join(" / "))
}

/// Figures of a series; one dash where there is none at all. Thousands have commas already.
fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let texts: Vec<&str> = texts.collect();
    if texts.iter().all(|text| *text == "-") {
        return "-".to_owned();
    }
    texts.join(" / ")
}

/// Names of variables that fit into a table.
const MAX_NAMES: usize = 3;

/// A measure and what it looked at: a scenario, or variables and the records of a subpopulation.
fn called(measure: &MeasureRecord) -> String {
    if let Some(scenario) = &measure.scenario {
        return format!("{} ({scenario})", measure.id);
    }
    let mut called = measure.id.clone();
    match measure.on.get(..MAX_NAMES) {
        Some(first) if measure.on.len() > MAX_NAMES + 1 => {
            let n_more = measure.on.len() - MAX_NAMES;
            let _ = write!(called, " of {} and {n_more} more", first.join(", "));
        }
        _ if measure.on.is_empty() => {}
        _ => {
            let _ = write!(called, " of {}", measure.on.join(", "));
        }
    }
    if let Some(condition) = &measure.condition {
        let _ = write!(called, " where {condition}");
    }
    called
}

/// Figures worth a line: those of measures with a value that have a good end or that a gate judges, but not the shares
/// that stand beside numbers of records. Where a figure is given for several numbers, it says what others of counts
/// would say again. The report has them all.
fn headline_figures<'m>(
    measure: &'m MeasureRecord,
    record: &RunRecord,
) -> Vec<(FigureName, &'m Declared)> {
    let found = measure.after.as_ref().or(measure.before.as_ref());
    let figures: Vec<&FigureName> = found
        .into_iter()
        .flat_map(|found| found.figures.iter().map(|figure| &figure.name))
        .collect();
    let has_series = figures.iter().any(|name| name.at.is_some());
    let is_judged = |name: &FigureName| {
        let mut gates = record.gates.iter().filter(|gate| {
            gate.measure == measure.id
                && gate.scenario == measure.scenario
                && gate.condition == measure.condition
        });
        gates.any(|gate| gate.part.as_deref() == Some(name.spelled().as_str()))
    };
    let headline = |name: &&FigureName| {
        let declared = measure.declared(name)?;
        let is_worth_it = declared.better != Better::Neither && declared.unit != Unit::Share;
        let says_it_again = has_series && name.at.is_none() && declared.unit == Unit::Count;
        let is_shown = is_judged(name) || (is_worth_it && !says_it_again);
        is_shown.then(|| ((*name).clone(), declared))
    };
    figures.iter().filter_map(headline).collect()
}

/// What a reader of the figures must know of them, each once: why there is none, and what they do not mean.
pub(super) fn warnings(record: &RunRecord) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for measure in &record.measures {
        let notes = measure.notes.iter();
        let warnings = notes.filter(|note| note.rank == NoteRank::Warning);
        out.extend(warnings.map(|note| match &measure.scenario {
            Some(scenario) => format!("{} ({scenario}): {}", measure.id, note.text),
            None => note.text.clone(),
        }));
    }
    out.dedup();
    out
}
