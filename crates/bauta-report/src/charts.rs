//! Which charts a record gives, by general rules: every series that a measure reports becomes a
//! chart, counts as bars and other figures as lines; figures of variables become bars.

use bauta_methods::measure::{IntervalEnd, Measurement, Part, Series};
use bauta_methods::{Side, Unit};
use bauta_plan::record::{Fate, MeasureFamily, MeasureRecord, VariableRecord};
use maud::{Markup, html};

use crate::labels::Labels;
use crate::number::{counted, settled};
use crate::svg::{Chart, ChartSeries, Look, Whiskers, bars, dots, heat_map, labels_fit, lines};
use crate::tabulated::is_tabulated;
use crate::words::{listed, named, series_title, value_unit};

/// Most charts that one measure draws.
const MAX_CHARTS: usize = 12;
/// Most bars of a chart by variable; the table beside it has all.
const MAX_VARIABLES: usize = 40;

/// The charts of a measure and what was left out.
#[derive(Default)]
pub(crate) struct Drawn {
    /// Each a figure with its caption.
    pub(crate) figures: Vec<Markup>,
    /// What the reader must know about charts that are not there.
    pub(crate) remarks: Vec<String>,
}

/// The charts of a measure. `id` distinguishes its charts from others on the page.
pub(crate) fn of_measure(measure: &MeasureRecord, id: &str, labels: &Labels<'_>) -> Drawn {
    let mut drawn = Drawn::default();
    let mut unchanged: Vec<String> = Vec::new();
    let mut zeros: Vec<String> = Vec::new();
    let mut n_left_out = 0;
    for (idx, (before, after)) in paired_series(measure).into_iter().enumerate() {
        let is_drawn = |series: &&Series| !is_tabulated(series) && series.bounds.is_none();
        let Some(named) = after.or(before).filter(is_drawn) else {
            continue;
        };
        let same = before
            .zip(after)
            .is_some_and(|(before, after)| before.points == after.points);
        let nothing = before.is_none() && after.is_some_and(is_nothing);
        if same && measure.family == MeasureFamily::Loss {
            unchanged.push(about(named));
        } else if nothing && measure.family == MeasureFamily::Loss {
            zeros.push(about(named));
        } else if drawn.figures.len() == MAX_CHARTS {
            n_left_out += 1;
        } else {
            let mut chart = series_chart(
                &format!("{id}-{idx}"),
                series_title(named, labels),
                before,
                after,
                named,
                labels,
            );
            let whiskers = whiskers(measure, &chart, [before, after]);
            let shape = shape_of(&chart, &whiskers);
            if shape == Shape::Dots {
                let terms = chart.categories.iter().map(|term| labels.term(term));
                chart.categories = terms.collect();
            }
            drawn
                .figures
                .push(figure(&chart, measure, shape, &whiskers));
        }
    }
    for (why, names) in [
        ("The same before and after", &unchanged),
        ("0 throughout", &zeros),
    ] {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if !names.is_empty() {
            let names = listed(&names);
            let remark = format!("{why}, and therefore not drawn: {names}.");
            drawn.remarks.push(remark);
        }
    }
    if n_left_out > 0 {
        drawn.remarks.push(format!(
            "{} not drawn; the run record has the figures.",
            counted(
                n_left_out,
                "more chart of this kind is",
                "more charts of this kind are"
            )
        ));
    }
    by_variable(measure, id, labels, &mut drawn);
    maps(measure, id, labels, &mut drawn);
    drawn
}

/// Figures for pairs of variables as maps.
fn maps(measure: &MeasureRecord, id: &str, labels: &Labels<'_>, drawn: &mut Drawn) {
    let matrices = measure.after.iter().flat_map(|found| &found.matrices);
    for (idx, matrix) in matrices.enumerate() {
        let title = format!("{}: {}", named(measure), matrix.name);
        let chart_id = format!("{id}-m{idx}");
        let names: Vec<String> = matrix
            .variables
            .iter()
            .map(|name| labels.short(name))
            .collect();
        match heat_map(&chart_id, &title, &names, &matrix.below_diagonal) {
            Some(map) => drawn.figures.push(html! {
                figure { figcaption { (title) small { (matrix.unit) } } (map) }
            }),
            None if matrix.variables.len() > 1 => drawn.remarks.push(format!(
                "{title}: not drawn for {} variables; the run record has the figures.",
                matrix.variables.len()
            )),
            None => {}
        }
    }
}

/// Outliers against the rest, a chart for all measures of a group whose figures are of one unit.
pub(crate) fn outliers(group: &[&MeasureRecord], id: &str) -> Vec<Markup> {
    let units = [Unit::Share, Unit::Number];
    let charts = units.into_iter().enumerate().filter_map(|(idx, unit)| {
        let apart: Vec<(&MeasureRecord, &Measurement)> = group
            .iter()
            .filter(|measure| value_unit(measure) == unit)
            .filter_map(|measure| Some((*measure, measure.after.as_ref()?)))
            .filter(|(_, found)| found.outliers.is_some())
            .collect();
        let series = |name: &str, look: Look, value: fn(&Measurement) -> Option<f64>| ChartSeries {
            name: name.to_owned(),
            look,
            values: apart.iter().map(|(_, found)| value(found)).collect(),
        };
        let chart = Chart {
            id: format!("{id}-o{idx}"),
            title: "Outliers against the rest".to_owned(),
            axis: match unit {
                Unit::Share => "share".to_owned(),
                Unit::Number | Unit::Count => "figure".to_owned(),
            },
            unit,
            categories: apart.iter().map(|(measure, _)| named(measure)).collect(),
            series: vec![
                series("outliers", Look::Outliers, |found| found.outliers),
                series("rest", Look::Rest, |found| found.rest),
            ],
        };
        (!apart.is_empty()).then(|| captioned(&chart, None, &bars(&chart)))
    });
    charts.collect()
}

/// Series of the same name before and after; those of the original alone only where there is
/// no masked file to compare with. A measure that compares has both in one measurement.
fn paired_series(measure: &MeasureRecord) -> Vec<(Option<&Series>, Option<&Series>)> {
    let before = measure
        .before
        .as_ref()
        .map_or(&[][..], |found| &found.series);
    let Some(after) = &measure.after else {
        return before.iter().map(|series| (Some(series), None)).collect();
    };
    let twin = |series: &Series, side: Side| {
        let mut all = after.series.iter();
        all.find(|other| is_same(other, series) && other.file == Some(side))
    };
    let pairs = after.series.iter().filter_map(|series| {
        let same = |other: &&Series| is_same(other, series) && other.file == series.file;
        let in_before = before.iter().find(same);
        match series.file.filter(|_| in_before.is_none()) {
            Some(Side::Original) => Some((Some(series), twin(series, Side::Masked))),
            Some(Side::Masked) if twin(series, Side::Original).is_some() => None,
            _ => Some((in_before, Some(series))),
        }
    });
    pairs.collect()
}

/// Whether two series show the same, whichever file they are of.
fn is_same(a: &Series, b: &Series) -> bool {
    (&a.name, &a.variable) == (&b.name, &b.variable)
}

/// Whether there is nothing to see in a series: every figure is 0.
fn is_nothing(series: &Series) -> bool {
    let is_zero = |part: &Part| part.value.is_some_and(|value| settled(value) == 0.0);
    series.points.iter().all(is_zero)
}

/// What a series shows, whichever file it is of.
fn about(series: &Series) -> String {
    let series = Series {
        file: None,
        spelling: None,
        ..series.clone()
    };
    series.spelled()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Bars,
    Lines,
    Dots,
}

/// Counts add up and become bars; means and shares along an axis become lines. Figures with intervals, and
/// those whose labels would not all fit below a line, become dots beside their labels.
fn shape_of(chart: &Chart, whiskers: &[Whiskers]) -> Shape {
    match chart.unit {
        Unit::Count => Shape::Bars,
        Unit::Number | Unit::Share if !whiskers.is_empty() => Shape::Dots,
        Unit::Number | Unit::Share if labels_fit(chart) || is_scale(chart) => Shape::Lines,
        Unit::Number | Unit::Share => Shape::Dots,
    }
}

/// Whether the categories are numbers along an axis, of which some can go without a label.
fn is_scale(chart: &Chart) -> bool {
    let is_number = |label: &String| label.trim_end_matches('%').trim().parse::<f64>().is_ok();
    chart.categories.iter().all(is_number)
}

/// The intervals of the series of a chart, where the measure gives bounds for them; else nothing.
fn whiskers(measure: &MeasureRecord, chart: &Chart, pair: [Option<&Series>; 2]) -> Vec<Whiskers> {
    let found = [&measure.before, &measure.after];
    let all: Vec<&Series> = found
        .into_iter()
        .flatten()
        .flat_map(|found| &found.series)
        .collect();
    let bound = |series: &Series, end: IntervalEnd| {
        let is_it = |other: &&&Series| {
            let of = other.bounds.as_ref();
            other.file == series.file
                && other.variable == series.variable
                && of.is_some_and(|bounds| bounds.of == series.name && bounds.end == end)
        };
        all.iter().find(is_it).copied()
    };
    let drawn = pair.into_iter().flatten();
    let ends = drawn.map(|series| {
        let low = bound(series, IntervalEnd::Lower)?;
        let high = bound(series, IntervalEnd::Upper)?;
        let of = |label: &String| {
            let low = value_of(&low.points, label)?;
            Some([low, value_of(&high.points, label)?])
        };
        Some(chart.categories.iter().map(of).collect())
    });
    ends.collect::<Option<Vec<Whiskers>>>().unwrap_or_default()
}

fn series_chart(
    id: &str,
    title: String,
    before: Option<&Series>,
    after: Option<&Series>,
    named: &Series,
    labels: &Labels<'_>,
) -> Chart {
    let mut categories: Vec<String> = Vec::new();
    for point in [before, after]
        .into_iter()
        .flatten()
        .flat_map(|series| &series.points)
    {
        if !categories.contains(&point.name) {
            categories.push(point.name.clone());
        }
    }
    let of = |series: &Series, name: &str, look: Look| ChartSeries {
        name: name.to_owned(),
        look,
        values: categories
            .iter()
            .map(|category| value_of(&series.points, category))
            .collect(),
    };
    let series = [
        before.map(|series| of(series, "original", Look::Original)),
        after.map(|series| of(series, labels.after, Look::Masked)),
    ];
    Chart {
        id: id.to_owned(),
        title,
        axis: named.axis.clone(),
        unit: named.unit,
        series: series.into_iter().flatten().collect(),
        categories,
    }
}

fn value_of(points: &[Part], name: &str) -> Option<f64> {
    points
        .iter()
        .find(|point| point.name == name)
        .and_then(|point| point.value)
}

fn by_variable(measure: &MeasureRecord, id: &str, labels: &Labels<'_>, drawn: &mut Drawn) {
    let Some(found) = measure.after.as_ref() else {
        return;
    };
    // Where nothing is lost, the table says it.
    let is_seen = |part: &&Part| part.value.is_some_and(|value| settled(value) != 0.0);
    let n_figures = found.by_variable.iter().filter(is_seen);
    if found.by_variable.len() < 2 || n_figures.count() == 0 {
        return;
    }
    let figures = found
        .by_variable
        .iter()
        .map(|part| (labels.short(&part.name), part.value))
        .collect();
    let title = format!("{}: {} by variable", named(measure), measure.value.label);
    let chart = variables_chart(
        &format!("{id}-v"),
        title,
        &measure.value.label,
        value_unit(measure),
        figures,
    );
    drawn
        .figures
        .push(figure(&chart, measure, Shape::Bars, &[]));
}

/// Bars by variable, in the given order; the largest if there are too many.
pub(crate) fn variables_chart(
    id: &str,
    mut title: String,
    axis: &str,
    unit: Unit,
    mut figures: Vec<(String, Option<f64>)>,
) -> Chart {
    if figures.len() > MAX_VARIABLES {
        let size = |value: Option<f64>| value.unwrap_or(f64::NEG_INFINITY);
        figures.sort_by(|(_, a), (_, b)| size(*b).total_cmp(&size(*a)));
        figures.truncate(MAX_VARIABLES);
        title = format!("{title} (the {MAX_VARIABLES} largest)");
    }
    let (categories, values) = figures.into_iter().unzip();
    Chart {
        id: id.to_owned(),
        title,
        axis: axis.to_owned(),
        unit,
        categories,
        series: vec![ChartSeries {
            name: "masked".to_owned(),
            look: Look::Masked,
            values,
        }],
    }
}

/// Share of the records whose value changed, for each masked variable.
pub(crate) fn changed_cells(variables: &[VariableRecord], n_records: u64) -> Option<Markup> {
    let labels = Labels::of_variables(variables);
    let figures: Vec<(String, Option<f64>)> = variables
        .iter()
        .filter(|variable| variable.fate == Fate::Masked)
        .filter_map(|variable| Some((labels.short(&variable.name), variable.n_changed?)))
        .map(|(name, n_changed)| {
            (
                name,
                (n_records > 0).then(|| n_changed as f64 / n_records as f64),
            )
        })
        .collect();
    (figures.len() > 1).then(|| {
        let title = "Changed values by variable".to_owned();
        let chart = variables_chart("changed", title, "share of records", Unit::Share, figures);
        captioned(&chart, None, &bars(&chart))
    })
}

/// Values that steps removed, for each variable that lost any.
pub(crate) fn suppressed_cells(variables: &[VariableRecord]) -> Option<Markup> {
    let labels = Labels::of_variables(variables);
    let figures: Vec<(String, Option<f64>)> = variables
        .iter()
        .filter(|variable| variable.n_suppressed > 0)
        .map(|variable| {
            (
                labels.short(&variable.name),
                Some(variable.n_suppressed as f64),
            )
        })
        .collect();
    (!figures.is_empty()).then(|| {
        let title = "Suppressed values by variable".to_owned();
        let chart = variables_chart("suppressed", title, "records", Unit::Count, figures);
        captioned(&chart, None, &bars(&chart))
    })
}

fn figure(chart: &Chart, measure: &MeasureRecord, shape: Shape, whiskers: &[Whiskers]) -> Markup {
    let drawing = match shape {
        Shape::Bars => bars(chart),
        Shape::Lines => lines(chart),
        Shape::Dots => dots(chart, whiskers),
    };
    // Two measures may have a chart of the same name.
    let below = match &measure.scenario {
        Some(scenario) => Some(format!("Scenario {scenario}")),
        None => Some(named(measure)).filter(|name| !chart.title.starts_with(name.as_str())),
    };
    let below = match (below, whiskers.is_empty()) {
        (Some(below), false) => Some(format!("{below}; {WHISKERS}")),
        (None, false) => Some(WHISKERS.to_owned()),
        (below, true) => below,
    };
    captioned(chart, below.as_deref(), &drawing)
}

/// What the lines through dots are.
const WHISKERS: &str = "whiskers are confidence intervals";

/// A chart with its caption.
pub(crate) fn captioned(chart: &Chart, below: Option<&str>, drawing: &Markup) -> Markup {
    html! {
        figure {
            figcaption {
                (chart.title)
                @if let Some(below) = below { small { (below) } }
            }
            (drawing)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_variables_leave_the_largest_and_the_title_says_so() {
        let figures = |n: u32| {
            (0..n)
                .map(|idx| (format!("x{idx}"), Some(f64::from(idx))))
                .collect()
        };
        let all = variables_chart("c", "Loss".to_owned(), "loss", Unit::Number, figures(40));
        assert_eq!((all.title.as_str(), all.categories.len()), ("Loss", 40));
        let cut = variables_chart("c", "Loss".to_owned(), "loss", Unit::Number, figures(41));
        assert_eq!(cut.title, "Loss (the 40 largest)");
        assert_eq!(
            (cut.categories.len(), cut.categories[0].as_str()),
            (40, "x40")
        );
        assert!(!cut.categories.contains(&"x0".to_owned()));
    }
}
