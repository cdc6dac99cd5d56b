//! A comparison as a page: one column for each run.

use bauta_plan::record::{GateRecord, MeasureFamily};
use maud::{Markup, html};

use super::map::map;
use super::shared::{JoinedSeries, Line, SharedMeasure, only_once, shared, title};
use super::{Comparison, Run, plans};
use crate::exhibits;
use crate::headline::{Headline, headlines, n_suppressed};
use crate::labels::Labels;
use crate::number::{NO_FIGURE, Unit, Written as _, count};
use crate::page::{Front, Section, chart_grid, hash, page, scrolling, scrolling_tall};
use crate::parts::written;
use crate::svg::{Chart, ChartSeries, Look, bars, dots, labels_fit, lines};
use crate::words::{
    capitalised, file_name, gate_condition, gate_found, gate_subject, listed, reading,
};

/// Longest table that stands open.
const MAX_OPEN_ROWS: usize = 15;
/// Most series of a measure that are drawn.
const MAX_CHARTS: usize = 12;
/// Looks of the runs beside the original.
const RUNS: [Look; 3] = [Look::Masked, Look::Third, Look::Fourth];

pub(super) fn page_of(comparison: &Comparison<'_>) -> Markup {
    let runs = &comparison.runs;
    let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
    let front = Front {
        title: &listed(&names),
        kind: "Runs side by side, for the release committee",
        mark: Some("Confidential: holds the risk figures"),
        block: inputs(comparison),
    };
    let sections = sections_of(runs);
    let foot = html! {
        p { "Written by Bauta from " (count(runs.len() as u64)) " run records. No figure was computed for this page." }
    };
    page(&front, &sections, &foot)
}

/// The page without its frame, and with what the plans say otherwise.
pub(super) fn fragment_of(comparison: &Comparison<'_>) -> Markup {
    let mut sections = sections_of(&comparison.runs);
    let after = sections.iter().position(|section| section.id == "runs");
    let heading = "What the plans say otherwise";
    let plans = Section::new("plans", heading, plans::differences(&comparison.runs));
    sections.insert(after.map_or(0, |at| at + 1), plans);
    html! { (inputs(comparison)) (written(&sections, "comparison")) }
}

fn sections_of(runs: &[Run<'_>]) -> Vec<Section> {
    let measures = shared(runs);
    let of = |family: MeasureFamily| {
        let group = measures.iter().enumerate();
        let group = group.filter(move |(_, measure)| measure.first.family == family);
        group.collect::<Vec<_>>()
    };
    let mut sections = vec![
        Section::new("glance", "Risk and loss of each run", glance(runs)),
        Section::new("runs", "What was done", overview(runs)),
    ];
    let has_gates = runs.iter().any(|run| !run.record.gates.is_empty());
    if has_gates {
        sections.push(Section::new(
            "gates",
            "Conditions of release (gates)",
            gates(runs),
        ));
    }
    if let Some(map) = map(runs) {
        sections.push(Section::new("map", "Risk and utility", map));
    }
    for (family, id, heading) in [
        (MeasureFamily::Risk, "risk", "Risk"),
        (MeasureFamily::Loss, "loss", "What an analyst loses"),
        (MeasureFamily::Score, "score", "Loss weighed against risk"),
    ] {
        let group = of(family);
        if !group.is_empty() {
            let body = html! { @for (idx, measure) in &group { (measured(measure, *idx)) } };
            sections.push(Section::new(id, heading, body));
        }
    }
    let alone = only_once(runs);
    if !alone.is_empty() {
        let body = html! {
            ul { @for (measure, run) in &alone { li { (title(measure)) ": " (run) } } }
        };
        sections.push(Section::new("alone", "Measured in one run only", body));
    }
    sections
}

/// Whether the runs can be compared at all.
fn inputs(comparison: &Comparison<'_>) -> Markup {
    html! {
        @if comparison.same_input() {
            p class="verdict good" { "The runs read the same file." }
        } @else {
            p class="verdict bad" {
                "The runs did not read the same file: their figures are not those of the same data."
            }
        }
    }
}

/// What a reader looks for first, a row for each run.
fn glance(runs: &[Run<'_>]) -> Markup {
    let all: Vec<(&str, Vec<Headline>)> = runs
        .iter()
        .map(|run| (run.name.as_str(), headlines(run.record)))
        .collect();
    let caption = "Records at risk, what was removed, loss and verdict of each run";
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Run" }
                    @for one in all.first().iter().flat_map(|(_, found)| found) {
                        th scope="col" class=[outcome(one)] { (one.name) }
                    }
                }
            }
            tbody {
                @for (name, found) in &all {
                    tr {
                        th scope="row" { (name) }
                        @for one in found {
                            td class=[outcome(one)] {
                                strong { (one.value) } br; span class="soft" { (one.below) }
                            }
                        }
                    }
                }
            }
        }
    };
    scrolling(caption, &body)
}

/// The column that stays in sight.
fn outcome(one: &Headline) -> Option<&'static str> {
    (one.section == "gates").then_some("outcome")
}

type Fact = (&'static str, fn(&Run<'_>) -> Markup);

/// What went in and what was done.
fn facts_of_steps() -> [Fact; 5] {
    [
        ("Plan", |run| html! { (run.record.plan.file) }),
        ("Input", |run| html! { (file_name(&run.record.input.file)) }),
        ("SHA-256 of the input", |run| hash(&run.record.input.sha256)),
        (
            "Records read",
            |run| html! { (count(run.record.input.n_records)) },
        ),
        ("Steps", |run| steps(run)),
    ]
}

/// What came out.
fn facts_of_release() -> [Fact; 4] {
    [
        ("Released", |run| {
            let released = run.record.released.as_ref();
            html! {
                (released.map_or("nothing", |file| file_name(&file.file)))
                @if released.is_some() && run.record.ungated.is_some() {
                    ", " strong class="amber" { "nothing was judged" }
                }
            }
        }),
        ("Records released", |run| {
            let released = run.record.released.as_ref();
            html! { (released.map_or_else(|| NO_FIGURE.to_owned(), |file| count(file.n_records))) }
        }),
        (
            "Suppressed cells",
            |run| html! { (count(n_suppressed(run.record))) },
        ),
        ("Claims counted again", |run| {
            let claims = &run.record.claims;
            html! {
                @if claims.is_empty() { "none" }
                @else if claims.iter().all(|claim| claim.holds) { strong class="good" { "✓ hold" } }
                @else { strong class="bad" { "✗ do not hold" } }
            }
        }),
    ]
}

fn overview(runs: &[Run<'_>]) -> Markup {
    let caption = "The runs";
    let body = html! {
        table {
            caption { (caption) }
            (head("", runs.iter().map(|run| run.name.as_str()), ""))
            tbody {
                (rows(runs, &facts_of_steps()))
                @for kind in exhibits::kinds(runs.iter().map(|run| run.record)) {
                    tr {
                        th scope="row" { (kind.title) }
                        @for run in runs { td { (summaries(run, &kind.id)) } }
                    }
                }
                (rows(runs, &facts_of_release()))
            }
        }
    };
    html! { (scrolling(caption, &body)) (suppressed(runs)) }
}

fn rows(runs: &[Run<'_>], facts: &[Fact]) -> Markup {
    html! {
        @for (name, text) in facts {
            tr {
                th scope="row" { (name) }
                @for run in runs { td { (text(run)) } }
            }
        }
    }
}

fn head<'n>(first: &str, names: impl Iterator<Item = &'n str>, class: &str) -> Markup {
    html! {
        thead {
            tr {
                @if first.is_empty() { td {} } @else { th scope="col" { (first) } }
                @for name in names {
                    th scope="col" class=[(!class.is_empty()).then_some(class)] { (name) }
                }
            }
        }
    }
}

fn steps(run: &Run<'_>) -> Markup {
    let labels = Labels::of(run.record);
    html! {
        @if run.record.steps.is_empty() { "none" }
        @else {
            ol class="plain" {
                @for step in &run.record.steps {
                    li { (step.title) @if !step.on.is_empty() { ": " (labels.listed(&step.on)) } }
                }
            }
        }
    }
}

/// The evidence of one kind in a run, each in one sentence.
fn summaries(run: &Run<'_>, kind: &str) -> Markup {
    let steps = run.record.steps.iter();
    let found = steps.filter_map(|step| step.evidence.as_deref());
    let found: Vec<_> = found.filter(|evidence| evidence.id == kind).collect();
    html! {
        @if found.is_empty() { "none" }
        @for evidence in found { p { (exhibits::words(&evidence.summary)) } }
    }
}

fn suppressed(runs: &[Run<'_>]) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for variable in runs.iter().flat_map(|run| &run.record.variables) {
        if variable.n_suppressed > 0 && !names.contains(&variable.name.as_str()) {
            names.push(&variable.name);
        }
    }
    let of = |run: &Run<'_>, name: &str| {
        let mut variables = run.record.variables.iter();
        let found = variables.find(|variable| variable.name == name);
        found.map_or_else(
            || NO_FIGURE.to_owned(),
            |variable| count(variable.n_suppressed),
        )
    };
    let labels = Labels::of_variables(runs.iter().flat_map(|run| &run.record.variables));
    let caption = "Suppressed cells by variable";
    let body = html! {
        table class="narrow" {
            caption { (caption) }
            (head("Variable", runs.iter().map(|run| run.name.as_str()), "number"))
            tbody {
                @for name in &names {
                    tr {
                        th scope="row" { (labels.cell(name)) }
                        @for run in runs { td class="number" { (of(run, name)) } }
                    }
                }
            }
        }
    };
    html! { @if !names.is_empty() { (scrolling(caption, &body)) } }
}

fn gates(runs: &[Run<'_>]) -> Markup {
    let subject = |run: &Run<'_>, gate: &GateRecord| gate_subject(gate, &run.record.measures);
    let mut subjects: Vec<String> = Vec::new();
    for run in runs {
        for gate in &run.record.gates {
            let name = subject(run, gate);
            if !subjects.contains(&name) {
                subjects.push(name);
            }
        }
    }
    let caption = "What each run asked for and found";
    let body = html! {
        table {
            caption { (caption) }
            (head("Condition", runs.iter().map(|run| run.name.as_str()), ""))
            tbody {
                @for name in &subjects {
                    tr {
                        th scope="row" { (name) }
                        @for run in runs {
                            td {
                                @let of: Vec<_> =
                                    run.record.gates.iter().filter(|gate| subject(run, gate) == *name).collect();
                                @if of.is_empty() { "not asked for" }
                                @for gate in of { p { (gate_cell(gate)) } }
                            }
                        }
                    }
                }
            }
        }
    };
    scrolling(caption, &body)
}

fn gate_cell(gate: &GateRecord) -> Markup {
    let unit = gate.unit;
    html! {
        @if gate.passed { strong class="good" { "✓ " (gate_found(gate, unit)) } }
        @else { strong class="bad" { "✗ " (gate_found(gate, unit)) } }
        span class="soft" { ", " (gate_condition(gate, unit)) }
    }
}

/// One measure: its figures, by variable, and its series.
fn measured(measure: &SharedMeasure<'_>, idx: usize) -> Markup {
    let whole = Group {
        name: None,
        lines: &measure.figures,
    };
    let by_variable = Group {
        name: None,
        lines: &measure.by_variable,
    };
    let series: Vec<Group<'_>> = measure
        .series
        .iter()
        .map(|one| Group {
            name: Some(series_name(one)),
            lines: &one.points,
        })
        .collect();
    html! {
        h3 { (title(measure.first)) }
        p class="reading" { (reading(measure.first)) }
        @for remark in &measure.remarks { p { strong { (remark) } } }
        (table(measure, ["Figures of the whole file", "Figure"], &[whole], capitalised))
        (table(measure, ["Figures by variable", "Variable"], &[by_variable], str::to_owned))
        (chart_grid(&charts(measure, idx)))
        (table(measure, ["Figures in detail", ""], &series, str::to_owned))
    }
}

fn series_name(one: &JoinedSeries) -> String {
    if one.spelled.contains(one.axis.as_str()) {
        one.title.clone()
    } else {
        format!("{} ({})", one.title, one.axis)
    }
}

/// Lines that belong together, below a name if there are others.
struct Group<'a> {
    name: Option<String>,
    lines: &'a [Line],
}

fn table(
    measure: &SharedMeasure<'_>,
    [caption, first]: [&str; 2],
    groups: &[Group<'_>],
    name: fn(&str) -> String,
) -> Markup {
    let lines = || groups.iter().flat_map(|group| group.lines);
    // Measures that compare have nothing to say of the original in some of their tables.
    let is_shown = |column: &usize| {
        *column >= measure.n_originals || lines().any(|line| line.values[*column].is_some())
    };
    let shown: Vec<usize> = (0..measure.columns.len()).filter(is_shown).collect();
    let body = html! {
        table class="narrow" {
            caption { (caption) }
            (head(first, shown.iter().map(|&column| measure.columns[column].as_str()), "number wrap"))
            @for group in groups {
                tbody {
                    @if let Some(name) = &group.name {
                        tr class="group" { th scope="rowgroup" colspan=(shown.len() + 1) { (name) } }
                    }
                    @for line in group.lines {
                        tr {
                            th scope="row" { (name(&line.name)) }
                            @for &column in &shown {
                                td class="number" {
                                    (line.unit.text_beside_or_dash(line.values[column], &measure.limits))
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    match lines().count() {
        0 => html! {},
        n_lines if n_lines > MAX_OPEN_ROWS => scrolling_tall(caption, &body),
        _ => scrolling(caption, &body),
    }
}

/// The series as charts, where the columns can be told apart in one and the runs differ at all.
fn charts(measure: &SharedMeasure<'_>, idx: usize) -> Vec<Markup> {
    let n_runs = measure.columns.len() - measure.n_originals;
    if measure.n_originals > 1 || n_runs > RUNS.len() {
        return Vec::new();
    }
    let drawn = measure.series.iter().enumerate();
    let drawn = drawn.filter(|(_, one)| one.points.len() > 1);
    drawn
        .take(MAX_CHARTS)
        .map(|(position, one)| figure(measure, one, &format!("m{idx}-{position}")))
        .collect()
}

fn figure(measure: &SharedMeasure<'_>, one: &JoinedSeries, id: &str) -> Markup {
    let looks = [Look::Original]
        .into_iter()
        .take(measure.n_originals)
        .chain(RUNS);
    let series = measure.columns.iter().zip(looks).enumerate();
    let series = series.map(|(column, (name, look))| ChartSeries {
        name: name.clone(),
        look,
        values: one
            .points
            .iter()
            .map(|point| point.values.get(column).copied().flatten())
            .collect(),
    });
    // A run that has no figure of this series needs no entry in the legend.
    let series = series.filter(|series| series.values.iter().any(Option::is_some));
    let chart = Chart {
        id: id.to_owned(),
        title: one.title.clone(),
        axis: one.axis.clone(),
        unit: one.unit,
        categories: one.points.iter().map(|point| point.name.clone()).collect(),
        series: series.collect(),
    };
    html! {
        figure {
            figcaption { (chart.title) }
            @if one.unit == Unit::Count { (bars(&chart)) }
            @else if labels_fit(&chart) { (lines(&chart)) }
            @else { (dots(&chart, &[])) }
        }
    }
}
