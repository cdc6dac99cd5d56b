//! Measures as tables: figures before and after masking, and how to read them.

use bauta_methods::{Better, FigureName, Measurement, Side, Unit};
use bauta_plan::judged::were_perturbed;
use bauta_plan::record::{GateRecord, MeasureRecord};
use maud::{Markup, html};

use crate::labels::Labels;
use crate::number::{NO_FIGURE, Written as _, settled};
use crate::page::scrolling;
use crate::words::{capitalised, named, reading, value_unit};

/// What a dash means, where tables hold one.
pub(crate) fn dash_explained(tables: &Markup) -> Markup {
    html! {
        @if tables.0.contains(&format!(">{NO_FIGURE}<")) { p class="soft" { (DASH) } }
    }
}

const DASH: &str = "– means that there is no such figure: it is not defined for these data, or the measure \
     compares the two files and so has nothing to say before masking.";

/// A figure of a measure, before and after.
struct Row {
    name: String,
    unit: Unit,
    before: Option<f64>,
    after: Option<f64>,
    /// Which end is good, for the measure's own value.
    better: Option<Better>,
    meaning: Meaning,
}

/// Whether the figure after masking can be held against the one before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Comparable,
    /// It counts keys that were perturbed.
    Perturbed,
}

impl Meaning {
    const fn of(measure: &MeasureRecord) -> Self {
        if measure.perturbed.is_empty() {
            Self::Comparable
        } else {
            Self::Perturbed
        }
    }
}

/// Which variables a measure looked at, where no scenario says so.
fn measured_on(measure: &MeasureRecord, labels: &Labels<'_>) -> String {
    match (&measure.scenario, measure.on.as_slice()) {
        (Some(_), _) | (None, []) => String::new(),
        (None, on) => format!(" Measured on {}.", labels.listed(on)),
    }
}

/// What a reader must know of counts of perturbed keys.
fn not_meaningful(measure: &MeasureRecord) -> String {
    format!(
        "Not meaningful after masking: {}, and whoever knows a true value looks for near records, not for equal ones.",
        were_perturbed(&measure.perturbed)
    )
}

/// The columns that a table of measures needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Columns {
    /// Each file was measured by itself.
    BeforeAndAfter,
    /// The files were compared, which gives one figure.
    Comparison,
}

impl Columns {
    /// How many there are, with that of the names.
    const fn number(self) -> u8 {
        match self {
            Self::BeforeAndAfter => 4,
            Self::Comparison => 2,
        }
    }
}

/// The measures of one scenario, or of the file, in one table. What gates judge has the digits that their
/// verdicts rest on.
pub(crate) fn table(
    caption: &str,
    measures: &[&MeasureRecord],
    gates: &[GateRecord],
    labels: &Labels<'_>,
) -> Markup {
    let has_before =
        |measure: &&MeasureRecord| rows(measure).iter().any(|row| row.before.is_some());
    let columns = if measures
        .iter()
        .any(|measure| measure.before.is_some() || has_before(measure))
    {
        Columns::BeforeAndAfter
    } else {
        Columns::Comparison
    };
    let body = html! {
        table class="figures" {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Figure" }
                    @match columns {
                        Columns::BeforeAndAfter => {
                            th scope="col" class="number" { "Before" }
                            th scope="col" class="number" { "After" }
                            th scope="col" class="number" { "Change" }
                        }
                        Columns::Comparison => {
                            th scope="col" class="number" { (capitalised(labels.after)) " against original" }
                        }
                    }
                }
            }
            @for measure in measures {
                tbody {
                    tr class="group" {
                        th scope="rowgroup" colspan=(columns.number()) {
                            (named(measure))
                            span class="reading" { (reading(measure)) (measured_on(measure, labels)) }
                            @if !measure.perturbed.is_empty() {
                                span class="reading amber" { (not_meaningful(measure)) }
                            }
                        }
                    }
                    @let limits = measure.limits(gates);
                    @for row in rows(measure) { (figure_row(&row, columns, &limits)) }
                }
            }
        }
    };
    scrolling(caption, &body)
}

fn figure_row(row: &Row, columns: Columns, limits: &[f64]) -> Markup {
    let both = columns == Columns::BeforeAndAfter;
    let text = |value: Option<f64>| row.unit.text_beside_or_dash(value, limits);
    html! {
        tr class=[row.better.map(|_| "value")] {
            th scope="row" { (capitalised(&row.name)) }
            @if both { td class="number" { (text(row.before)) } }
            td class="number" { (text(row.after)) }
            @if both { td class="number change" { (change(row)) } }
        }
    }
}

fn change(row: &Row) -> Markup {
    let (Some(before), Some(after)) = (row.before, row.after) else {
        return html! { (NO_FIGURE) };
    };
    if row.meaning == Meaning::Perturbed {
        return html! { span class="amber" { "not meaningful" } };
    }
    let verdict = match row.better {
        Some(Better::Lower) if after < before => Some(("good", "better")),
        Some(Better::Higher) if after > before => Some(("good", "better")),
        Some(Better::Lower) if after > before => Some(("bad", "worse")),
        Some(Better::Higher) if after < before => Some(("bad", "worse")),
        _ => None,
    };
    html! {
        (row.unit.change(before, after))
        @if let Some((class, word)) = verdict { ", " span class=(class) { (word) } }
    }
}

/// The value first, then the parts that do not belong to a single variable.
fn rows(measure: &MeasureRecord) -> Vec<Row> {
    let (before, after) = (measure.before.as_ref(), measure.after.as_ref());
    let value = |measurement: Option<&Measurement>| measurement.and_then(|found| found.value);
    let mut out = Vec::new();
    if !measure.value.label.is_empty() {
        out.push(Row {
            name: measure.value.label.to_string(),
            unit: value_unit(measure),
            before: value(before),
            after: value(after),
            better: Some(measure.value.better),
            meaning: Meaning::of(measure),
        });
    }
    if let Some(share) = measure.outliers
        && let Some(found) = after.filter(|found| found.outliers.is_some() || found.rest.is_some())
    {
        let share = Unit::Share.text_or_dash(Some(share));
        for (name, value) in [
            (
                format!("of the outliers (the farthest {share})"),
                found.outliers,
            ),
            ("of the rest".to_owned(), found.rest),
        ] {
            out.push(Row {
                name,
                unit: value_unit(measure),
                before: None,
                after: value,
                better: None,
                meaning: Meaning::Comparable,
            });
        }
    }
    let mut names: Vec<FigureName> = Vec::new();
    for found in [before, after]
        .into_iter()
        .flatten()
        .flat_map(|found| &found.figures)
    {
        let name = FigureName {
            file: None,
            ..found.name.clone()
        };
        if name.variable.is_none() && !names.contains(&name) {
            names.push(name);
        }
    }
    out.extend(names.into_iter().filter_map(|name| {
        let declared = measure.declared(&name)?;
        let of = |found: Option<&Measurement>, file: Option<Side>| {
            let file_of = FigureName {
                file,
                ..name.clone()
            };
            found.and_then(|found| found.figure(file_of))
        };
        Some(Row {
            name: declared.label_of(&name),
            unit: declared.unit,
            before: of(before, None).or_else(|| of(after, Some(Side::Original))),
            after: of(after, None).or_else(|| of(after, Some(Side::Masked))),
            better: None,
            meaning: Meaning::of(measure),
        })
    }));
    out
}

/// Whether a measure has figures of its own, beside those of the variables.
pub(crate) fn has_rows(measure: &MeasureRecord) -> bool {
    !rows(measure).is_empty()
}

/// A measure's figure for each variable.
pub(crate) struct Column {
    /// The measure's title.
    pub(crate) title: String,
    /// How its figures are written.
    pub(crate) unit: Unit,
    /// The figure of the whole file; none where it is not defined or not shown.
    pub(crate) overall: Option<f64>,
    /// Bounds of gates for it, where their verdicts are told.
    pub(crate) limits: Vec<f64>,
    /// Variables and their figures.
    pub(crate) figures: Vec<(String, Option<f64>)>,
}

impl Column {
    /// Whether a chart of it would show anything: a figure other than 0.
    pub(crate) fn is_seen(&self) -> bool {
        let mut figures = self.figures.iter().filter_map(|(_, value)| *value);
        figures.any(|value| settled(value) != 0.0)
    }

    /// The column of a measure that has a figure for each variable.
    pub(crate) fn of(measure: &MeasureRecord, gates: &[GateRecord]) -> Option<Self> {
        let found = measure.after.as_ref()?;
        (!found.by_variable.is_empty()).then(|| Self {
            title: named(measure),
            unit: value_unit(measure),
            overall: found.value,
            limits: measure.limits(gates),
            figures: found
                .by_variable
                .iter()
                .map(|part| (part.name.clone(), part.value))
                .collect(),
        })
    }
}

/// Columns of figures that fit beside a name on a narrow screen.
const MAX_NARROW: usize = 2;

/// Variables down, measures across, the whole file on top.
pub(crate) fn by_variable(caption: &str, columns: &[&Column], labels: &Labels<'_>) -> Markup {
    let mut variables: Vec<&str> = Vec::new();
    for (name, _) in columns.iter().flat_map(|column| &column.figures) {
        if !variables.contains(&name.as_str()) {
            variables.push(name);
        }
    }
    let figure = |column: &Column, variable: &str| {
        let entry = column.figures.iter().find(|(name, _)| name == variable);
        column
            .unit
            .text_or_dash(entry.and_then(|(_, value)| *value))
    };
    let body = html! {
        table class=(if columns.len() > MAX_NARROW { "narrow wide" } else { "narrow" }) {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Variable" }
                    @for column in columns { th scope="col" class="number" { (column.title) } }
                }
            }
            tbody {
                tr class="value" {
                    th scope="row" { "All together" }
                    @for column in columns {
                        td class="number" {
                            (column.unit.text_beside_or_dash(column.overall, &column.limits))
                        }
                    }
                }
                @for variable in variables {
                    tr {
                        th scope="row" { (labels.cell(variable)) }
                        @for column in columns { td class="number" { (figure(column, variable)) } }
                    }
                }
            }
        }
    };
    html! { @if !columns.is_empty() { (scrolling(caption, &body)) } }
}
