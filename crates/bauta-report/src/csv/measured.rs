//! What was measured, figure by figure.

use bauta_methods::measure::{Measurement, Part, Series};
use bauta_plan::RunRecord;
use bauta_plan::record::MeasureRecord;

use super::{Sheet, figure};

/// What tells the measures of a record apart.
pub(super) const MEASURE: [&str; 3] = ["measure", "scenario", "condition"];

pub(super) fn measure_cells(measure: &MeasureRecord) -> Vec<String> {
    vec![
        measure.id.clone(),
        measure.scenario.clone().unwrap_or_default(),
        measure.condition.clone().unwrap_or_default(),
    ]
}

/// Names in the order of their first occurrence, with the figures before and after.
fn joined(before: &[Part], after: &[Part]) -> Vec<(String, Option<f64>, Option<f64>)> {
    let find = |parts: &[Part], name: &str| {
        let found = parts.iter().find(|part| part.name == name);
        found.and_then(|part| part.value)
    };
    let mut names: Vec<&str> = Vec::new();
    for part in before.iter().chain(after) {
        if !names.contains(&part.name.as_str()) {
            names.push(&part.name);
        }
    }
    let rows = names.into_iter();
    rows.map(|name| (name.to_owned(), find(before, name), find(after, name)))
        .collect()
}

/// Every figure before and after.
pub(super) fn measures(record: &RunRecord) -> Sheet {
    let own = ["what", "figure", "before", "after"];
    let mut rows = Sheet::new("measures", MEASURE.into_iter().chain(own));
    for measure in &record.measures {
        let nothing = Measurement::default();
        let before = measure.before.as_ref().unwrap_or(&nothing);
        let after = measure.after.as_ref().unwrap_or(&nothing);
        let mut push = |what: &str, (name, before, after): (String, Option<f64>, Option<f64>)| {
            let mut row = measure_cells(measure);
            row.extend([what.to_owned(), name, figure(before), figure(after)]);
            rows.push(row);
        };
        if !measure.value.label.is_empty() {
            push(
                "value",
                (measure.value.label.to_string(), before.value, after.value),
            );
        }
        for (name, value) in [("outliers", after.outliers), ("rest", after.rest)] {
            if value.is_some() {
                push(name, (measure.value.label.to_string(), None, value));
            }
        }
        for row in joined(&parts(before), &parts(after)) {
            push("part", row);
        }
        for row in joined(&before.by_variable, &after.by_variable) {
            push("variable", row);
        }
    }
    rows
}

/// The figures of a measurement as scripts spell them.
fn parts(found: &Measurement) -> Vec<Part> {
    let parts = found.parts();
    parts.map(|(name, value)| Part::new(name, value)).collect()
}

fn series_of(found: Option<&Measurement>) -> &[Series] {
    found.map_or(&[][..], |found| &found.series)
}

/// Every point of a series before and after.
pub(super) fn series(record: &RunRecord) -> Sheet {
    let own = ["series", "unit", "point", "before", "after"];
    let mut rows = Sheet::new("series", MEASURE.into_iter().chain(own));
    for measure in &record.measures {
        let before = series_of(measure.before.as_ref());
        let after = series_of(measure.after.as_ref());
        let mut names: Vec<(String, &str)> = Vec::new();
        for one in before.iter().chain(after) {
            let name = (one.spelled(), one.axis.as_str());
            if !names.contains(&name) {
                names.push(name);
            }
        }
        for (name, unit) in names {
            let points = |series: &[Series]| {
                let found = series.iter().find(|one| one.spelled() == name);
                found.map_or_else(Vec::new, |one| one.points.clone())
            };
            for (point, before, after) in joined(&points(before), &points(after)) {
                let mut row = measure_cells(measure);
                row.extend([name.clone(), unit.to_owned(), point]);
                row.extend([figure(before), figure(after)]);
                rows.push(row);
            }
        }
    }
    rows
}
