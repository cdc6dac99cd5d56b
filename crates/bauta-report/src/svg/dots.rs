//! Dots beside their labels, with whiskers where a figure has an interval: one row for each label, so that
//! every label can be read.

use crate::number::Written as _;
use maud::{Markup, html};

use super::Chart;
use super::bars::{LINE, lines_of_label};
use super::frame::{SIZE, Shape, WIDTH, at, dot, empty, framed, top_of};
use super::scale::{Base, Scale};
use super::text::{widest, width, wrapped};

/// Widest column of labels.
const MAX_LABEL: f64 = 200.0;
/// Most lines of a label.
const MAX_LINES: usize = 3;
/// Height of a row of one series.
const ROW: f64 = 12.0;
/// Room for the marks and the name of the axis.
const FOOT: f64 = 40.0;

/// The intervals of a series: lower and upper end for each category.
pub type Whiskers = Vec<Option<[f64; 2]>>;

/// A chart of dots, one row for each category; `whiskers` has the intervals of each series, or nothing.
/// Pointing at a dot shows its figure.
pub fn dots(chart: &Chart, whiskers: &[Whiskers]) -> Markup {
    if chart.values().next().is_none() {
        return empty(chart, Shape::Lines);
    }
    let drawn = Drawn::of(chart, whiskers);
    let zero = Some(0.0).filter(|zero| drawn.scale.low() < *zero && *zero < drawn.scale.high());
    let drawing = html! {
        (axis(chart, &drawn))
        @if let Some(zero) = zero {
            path class="axis" d=(format!("M{} {}V{}", at(drawn.x_of(zero)), at(drawn.top()), at(drawn.bottom())))
                stroke="currentColor" {}
        }
        @for (category, label) in chart.categories.iter().enumerate() {
            @let (start, height) = drawn.rows[category];
            (lines_of_label(label, MAX_LABEL, MAX_LINES, [drawn.left - 10.0, start + height / 2.0 + 4.0]))
            @for (idx, series) in chart.series.iter().enumerate() {
                @let n_series = chart.series.len() as f64;
                @let y = start + height / 2.0 + ROW * (idx as f64 - (n_series - 1.0) / 2.0);
                @if let Some(value) = series.value(category) {
                    @let ends = interval(whiskers, idx, category);
                    @let words = format!("{label}, {}: {}", series.name, said(chart, value, ends));
                    @if let Some([low, high]) = ends {
                        (whisker(series.look.class(), series.look.plain_colour(),
                            [drawn.x_of(low), drawn.x_of(high), y]))
                    }
                    (dot(series.look, drawn.x_of(value), y, &words))
                }
            }
        }
    };
    framed(chart, Shape::Dots, drawn.bottom() + FOOT, &drawing)
}

/// The interval of a figure, if it has two finite ends.
fn interval(whiskers: &[Whiskers], series: usize, category: usize) -> Option<[f64; 2]> {
    let ends = whiskers.get(series)?.get(category).copied().flatten()?;
    ends.iter().all(|end| end.is_finite()).then_some(ends)
}

fn said(chart: &Chart, value: f64, ends: Option<[f64; 2]>) -> String {
    let text = |value: f64| chart.unit.text(value);
    match ends {
        Some([low, high]) => format!("{}, from {} to {}", text(value), text(low), text(high)),
        None => text(value),
    }
}

/// Where everything stands.
struct Drawn {
    scale: Scale,
    left: f64,
    right: f64,
    /// Top and height of each row.
    rows: Vec<(f64, f64)>,
}

impl Drawn {
    fn of(chart: &Chart, whiskers: &[Whiskers]) -> Self {
        let lines = |label: &String| wrapped(label, SIZE, MAX_LABEL, MAX_LINES);
        let labels: Vec<Vec<String>> = chart.categories.iter().map(lines).collect();
        let left = widest(labels.iter().flatten().map(String::as_str), SIZE) + 14.0;
        let right = WIDTH - 14.0;
        let of_series = ROW * chart.series.len() as f64;
        let mut next = top_of(chart, Shape::Dots) + 4.0;
        let rows = labels.iter().map(|lines| {
            let height = of_series.max(LINE * lines.len() as f64) + 8.0;
            next += height;
            (next - height, height)
        });
        let rows = rows.collect();
        Self {
            scale: scale(chart, whiskers, right - left),
            left,
            right,
            rows,
        }
    }

    fn x_of(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.scale.position(value)
    }

    fn top(&self) -> f64 {
        self.rows.first().map_or(0.0, |(start, _)| *start)
    }

    fn bottom(&self) -> f64 {
        let last = self.rows.last();
        last.map_or(0.0, |(start, height)| start + height)
    }
}

/// The finest scale over figures and whiskers whose marks do not run into each other.
fn scale(chart: &Chart, whiskers: &[Whiskers], room: f64) -> Scale {
    let ends = (0..chart.series.len()).flat_map(|series| {
        let all = 0..chart.categories.len();
        all.filter_map(move |category| interval(whiskers, series, category))
    });
    let values: Vec<f64> = chart.values().chain(ends.flatten()).collect();
    let over = |n_wanted| Scale::over(values.iter().copied(), Base::Free, chart.unit, n_wanted);
    let fits = |scale: &Scale| {
        let texts: Vec<String> = scale
            .ticks
            .iter()
            .map(|&tick| scale.tick_text(tick))
            .collect();
        let gap = room / (texts.len() - 1) as f64;
        widest(texts.iter().map(String::as_str), SIZE) + 8.0 <= gap
    };
    let mut all = [5, 4, 3, 2].into_iter().map(over);
    all.find(fits).unwrap_or_else(|| over(1))
}

/// A line between two ends with a mark at each.
fn whisker(class: &str, colour: &str, [low, high, y]: [f64; 3]) -> Markup {
    let (low, high, up, down) = (at(low), at(high), at(y - 3.0), at(y + 3.0));
    let path = format!(
        "M{low} {}H{high}M{low} {up}V{down}M{high} {up}V{down}",
        at(y)
    );
    html! { path class={ "line-" (class) } d=(path) fill="none" stroke=(colour) stroke-width="1.4" {} }
}

fn axis(chart: &Chart, drawn: &Drawn) -> Markup {
    let (top, bottom) = (drawn.top(), drawn.bottom());
    let half = width(&chart.axis, SIZE) / 2.0;
    let middle = f64::midpoint(drawn.left, drawn.right);
    let middle = middle.max(half).min(WIDTH - half);
    html! {
        @for &tick in &drawn.scale.ticks {
            @let x = at(drawn.x_of(tick));
            path class="grid" d=(format!("M{x} {}V{}", at(top), at(bottom)))
                stroke="currentColor" stroke-opacity="0.18" {}
            text x=(x) y=(at(bottom + 15.0)) text-anchor="middle" { (drawn.scale.tick_text(tick)) }
        }
        text class="axis-name" x=(at(middle)) y=(at(bottom + 32.0)) text-anchor="middle" { (chart.axis) }
    }
}
