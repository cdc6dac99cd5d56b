//! Measures that several runs have, joined figure by figure.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};

use bauta_methods::measure::{Measurement, Part, Series};
use bauta_methods::{FigureName, Side, Unit};
use bauta_plan::record::MeasureRecord;

use super::Run;
use crate::labels::Labels;
use crate::words::{named, series_title};

/// A measure of at least two runs.
pub(super) struct SharedMeasure<'a> {
    /// As the first run that has it gives it.
    pub(super) first: &'a MeasureRecord,
    /// Headings: the original, or the originals where they differ, then the runs.
    pub(super) columns: Vec<String>,
    /// How many of the columns are originals.
    pub(super) n_originals: usize,
    /// Its value and the figures of the file.
    pub(super) figures: Vec<Line>,
    /// Its figures by variable.
    pub(super) by_variable: Vec<Line>,
    /// Its series.
    pub(super) series: Vec<JoinedSeries>,
    /// Bounds that gates of the runs set for its figures.
    pub(super) limits: Vec<f64>,
    /// What a reader must know before comparing.
    pub(super) remarks: Vec<String>,
}

/// A figure in every column.
pub(super) struct Line {
    /// Its name for people.
    pub(super) name: String,
    /// Its name for scripts.
    pub(super) spelled: String,
    /// How it is written.
    pub(super) unit: Unit,
    /// A figure for each column; none where there is none.
    pub(super) values: Vec<Option<f64>>,
}

/// A series in every column.
pub(super) struct JoinedSeries {
    /// What it shows, for scripts.
    pub(super) spelled: String,
    /// What it shows, for people.
    pub(super) title: String,
    /// What the figures are.
    pub(super) axis: String,
    /// How they are written.
    pub(super) unit: Unit,
    /// Its points.
    pub(super) points: Vec<Line>,
}

/// The measures of at least two runs, in the order of the first run that has each.
pub(super) fn shared<'a>(runs: &[Run<'a>]) -> Vec<SharedMeasure<'a>> {
    let groups = groups(runs);
    let several = groups.iter().filter(|group| n_runs(group) > 1);
    several.filter_map(|group| join(runs, group)).collect()
}

/// Measures that one run alone has, each with the name of the run.
pub(super) fn only_once<'a>(runs: &[Run<'a>]) -> Vec<(&'a MeasureRecord, String)> {
    let groups = groups(runs);
    let alone = groups.iter().filter(|group| n_runs(group) == 1);
    let named = alone.flat_map(|group| {
        let found = group.iter().zip(runs);
        found.filter_map(|(measure, run)| Some(((*measure)?, run.name.clone())))
    });
    named.collect()
}

/// A measure of each run that has it.
type Group<'a> = Vec<Option<&'a MeasureRecord>>;

fn n_runs(group: &Group<'_>) -> usize {
    group.iter().flatten().count()
}

/// Measures with the same method, scenario and condition belong together; of several such those
/// with the same variables and parameters, then in their order.
fn groups<'a>(runs: &[Run<'a>]) -> Vec<Group<'a>> {
    let mut left: Vec<Vec<&MeasureRecord>> = runs
        .iter()
        .map(|run| run.record.measures.iter().collect())
        .collect();
    let mut out = Vec::new();
    for idx in 0..runs.len() {
        while !left[idx].is_empty() {
            let head = left[idx].remove(0);
            let mut group: Group<'a> = vec![None; runs.len()];
            group[idx] = Some(head);
            for (other, measures) in left.iter_mut().enumerate().skip(idx + 1) {
                let exact = |one: &&MeasureRecord| is_same(head, one) && is_set_alike(head, one);
                let place = measures
                    .iter()
                    .position(exact)
                    .or_else(|| measures.iter().position(|one| is_same(head, one)));
                group[other] = place.map(|place| measures.remove(place));
            }
            out.push(group);
        }
    }
    out
}

fn is_same(a: &MeasureRecord, b: &MeasureRecord) -> bool {
    (&a.id, &a.scenario, &a.condition) == (&b.id, &b.scenario, &b.condition)
}

fn is_set_alike(a: &MeasureRecord, b: &MeasureRecord) -> bool {
    a.on == b.on && a.params == b.params
}

/// Where a figure stands in a measurement, whichever file it is of.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Place<'a> {
    Value,
    /// A declared figure by its spelling; the number that it is given for as bits.
    Figure {
        id: &'a str,
        at: Option<u64>,
        variable: Option<&'a str>,
    },
    Variable(&'a str),
    Point {
        series: SeriesKey<'a>,
        name: &'a str,
    },
}

/// A series, whichever file it is of.
#[derive(Clone, Copy)]
struct SeriesKey<'a>(&'a Series);

impl SeriesKey<'_> {
    /// How scripts spell it, without the file.
    fn spelled(self) -> String {
        let series = Series {
            file: None,
            spelling: None,
            ..self.0.clone()
        };
        series.spelled()
    }

    fn parts(&self) -> (&str, Option<&str>, Option<&str>, &str, Unit) {
        let Series {
            name,
            variable,
            table,
            axis,
            unit,
            ..
        } = self.0;
        let table = table.as_ref().map(|table| &*table.id);
        (name, variable.as_deref(), table, axis, *unit)
    }
}

impl PartialEq for SeriesKey<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }
}

impl Eq for SeriesKey<'_> {}

impl Hash for SeriesKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.parts().hash(state);
    }
}

/// The figures of one file, and their order.
#[derive(Default)]
struct Sheet<'a> {
    places: Vec<Place<'a>>,
    values: HashMap<Place<'a>, Option<f64>>,
}

impl<'a> Sheet<'a> {
    fn set(&mut self, place: Place<'a>, value: Option<f64>) {
        if self.values.insert(place.clone(), value).is_none() {
            self.places.push(place);
        }
    }

    fn get(&self, place: &Place<'a>) -> Option<f64> {
        self.values.get(place).copied().flatten()
    }

    /// Whether two agree on what both have.
    fn agrees(&self, other: &Self) -> bool {
        self.places.iter().all(|place| {
            let found = other.values.get(place);
            found.is_none_or(|value| *value == self.get(place))
        })
    }
}

/// The original and the masked file of a measure.
fn sheets(measure: &MeasureRecord) -> [Sheet<'_>; 2] {
    let mut out = [Sheet::default(), Sheet::default()];
    if let Some(before) = &measure.before {
        fill(&mut out, before, Side::Original, measure);
    }
    if let Some(after) = &measure.after {
        fill(&mut out, after, Side::Masked, measure);
    }
    out
}

/// A figure belongs to the file that its name says, or else to the file that was measured.
fn fill<'a>(
    sheets: &mut [Sheet<'a>; 2],
    found: &'a Measurement,
    measured: Side,
    measure: &MeasureRecord,
) {
    let mut set = |side: Side, place: Place<'a>, value: Option<f64>| {
        sheets[usize::from(side == Side::Masked)].set(place, value);
    };
    if !measure.value.label.is_empty() {
        set(measured, Place::Value, found.value);
    }
    for figure in &found.figures {
        let place = Place::Figure {
            id: &figure.name.id,
            at: figure.name.at.map(f64::to_bits),
            variable: figure.name.variable.as_deref(),
        };
        set(figure.name.file.unwrap_or(measured), place, figure.value);
    }
    for Part { name, value, .. } in &found.by_variable {
        set(measured, Place::Variable(name), *value);
    }
    for series in &found.series {
        for Part { name, value, .. } in &series.points {
            let place = Place::Point {
                series: SeriesKey(series),
                name,
            };
            set(series.file.unwrap_or(measured), place, *value);
        }
    }
}

fn join<'a>(runs: &[Run<'a>], group: &Group<'a>) -> Option<SharedMeasure<'a>> {
    let first = *group.iter().flatten().next()?;
    let found: Vec<Option<[Sheet<'a>; 2]>> =
        group.iter().map(|measure| measure.map(sheets)).collect();
    let original = |idx: usize| found[idx].as_ref().map(|[original, _]| original);
    let with_original: Vec<usize> = (0..runs.len())
        .filter(|&idx| original(idx).is_some_and(|sheet| !sheet.places.is_empty()))
        .collect();
    let all_agree = with_original.iter().all(|&a| {
        let agrees = |b: &usize| {
            original(a)
                .zip(original(*b))
                .is_some_and(|(a, b)| a.agrees(b))
        };
        with_original.iter().all(agrees)
    });
    let shown = if all_agree {
        // Once; the first run that has a figure gives it.
        vec![with_original.clone()]
    } else {
        with_original.iter().map(|&idx| vec![idx]).collect()
    };
    let originals: Vec<Vec<usize>> = shown.into_iter().filter(|of| !of.is_empty()).collect();
    let mut columns: Vec<String> = originals
        .iter()
        .map(|of| match (all_agree, of.first()) {
            (false, Some(&idx)) => format!("Original of {}", runs[idx].name),
            _ => "Original".to_owned(),
        })
        .collect();
    columns.extend(runs.iter().map(|run| run.name.clone()));
    let line = |place: &Place<'a>, [name, spelled]: [String; 2], unit: Unit| Line {
        name,
        spelled,
        unit,
        values: originals
            .iter()
            .map(|of| of.iter().find_map(|&idx| original(idx)?.get(place)))
            .chain(found.iter().map(|sheets| sheets.as_ref()?[1].get(place)))
            .collect(),
    };
    let mut out = SharedMeasure {
        first,
        n_originals: originals.len(),
        columns,
        figures: Vec::new(),
        by_variable: Vec::new(),
        series: Vec::new(),
        limits: (runs.iter())
            .flat_map(|run| first.limits(&run.record.gates))
            .collect(),
        remarks: remarks(runs, group, first),
    };
    let labels = Labels::of_variables(runs.iter().flat_map(|run| &run.record.variables));
    for place in &places(&found) {
        match place {
            Place::Value => {
                let label = first.value.label.to_string();
                let names = [label.clone(), label];
                out.figures.push(line(place, names, first.value.unit));
            }
            Place::Figure { id, at, variable } => {
                let (names, unit) = named_figure(group, id, *at, *variable);
                out.figures.push(line(place, names, unit));
            }
            Place::Variable(name) => {
                let names = [labels.full(name), (*name).to_owned()];
                out.by_variable.push(line(place, names, first.value.unit));
            }
            Place::Point { series, name } => {
                let names = [(*name).to_owned(), (*name).to_owned()];
                let point = line(place, names, series.0.unit);
                let spelled = series.spelled();
                match out.series.iter_mut().find(|one| one.spelled == spelled) {
                    Some(joined) => joined.points.push(point),
                    None => out.series.push(JoinedSeries {
                        spelled,
                        title: series_title(series.0, &labels),
                        axis: series.0.axis.clone(),
                        unit: series.0.unit,
                        points: vec![point],
                    }),
                }
            }
        }
    }
    Some(out)
}

/// The names of a declared figure for people and for scripts, and how it is written.
fn named_figure(
    group: &Group<'_>,
    id: &str,
    at: Option<u64>,
    variable: Option<&str>,
) -> ([String; 2], Unit) {
    let name = FigureName {
        id: id.to_owned().into(),
        at: at.map(f64::from_bits),
        file: None,
        variable: variable.map(str::to_owned),
    };
    let spelled = name.spelled();
    let declared = group.iter().flatten().find_map(|one| one.declared(&name));
    let Some(declared) = declared else {
        return ([spelled.clone(), spelled], Unit::Number);
    };
    let label = match variable {
        Some(variable) => format!("{variable}: {}", declared.label_of(&name)),
        None => declared.label_of(&name),
    };
    ([label, spelled], declared.unit)
}

/// All places of all files: the value, then in the order of their first occurrence.
fn places<'a>(found: &[Option<[Sheet<'a>; 2]>]) -> Vec<Place<'a>> {
    let mut all: Sheet<'a> = Sheet::default();
    let sheets = found.iter().flatten().flatten();
    for place in sheets.flat_map(|sheet| &sheet.places) {
        all.set(place.clone(), None);
    }
    // Stable, so that the others stay as they are.
    all.places.sort_by_key(|place| *place != Place::Value);
    all.places
}

fn remarks(runs: &[Run<'_>], group: &Group<'_>, first: &MeasureRecord) -> Vec<String> {
    let mut out = Vec::new();
    let others = group.iter().flatten();
    if others.clone().any(|other| other.on != first.on) {
        out.push("The runs measured it on different variables.".to_owned());
    }
    if others.clone().any(|other| other.params != first.params) {
        out.push("The runs measured it with different parameters.".to_owned());
    }
    for (run, _) in runs.iter().zip(group).filter(|(_, found)| found.is_none()) {
        out.push(format!("{} does not measure it.", run.name));
    }
    let found = |(run, found): (&Run<'_>, Option<&MeasureRecord>)| {
        let perturbed = &found?.perturbed;
        (!perturbed.is_empty()).then(|| {
            format!(
                "{}: not meaningful after masking, since keys were perturbed ({}).",
                run.name,
                perturbed.join(", ")
            )
        })
    };
    out.extend(runs.iter().zip(group.iter().copied()).filter_map(found));
    out
}

/// The title of a measure with its scenario.
pub(super) fn title(measure: &MeasureRecord) -> String {
    match &measure.scenario {
        None => named(measure),
        Some(scenario) => format!("{}, scenario {scenario}", named(measure)),
    }
}
