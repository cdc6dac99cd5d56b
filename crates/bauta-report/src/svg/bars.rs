//! Bar charts: upright where labels and figures fit, lying where they do not.

use crate::number::Written as _;
use maud::{Markup, html};

use super::Chart;
use super::frame::{SIZE, Shape, WIDTH, at, bar, empty, framed, top_of};
use super::scale::Scale;
use super::text::{widest, width, wrapped};

/// Height of the drawing of upright bars.
const UPRIGHT: f64 = 180.0;
/// Size of the figures on upright bars.
const FIGURE_SIZE: f64 = 11.0;
/// Widest column of labels beside lying bars.
const MAX_LABEL: f64 = 190.0;
/// Height of a line of a label.
pub(super) const LINE: f64 = 12.5;
/// Room for the marks and the name of the axis below the drawing.
const FOOT: f64 = 40.0;

/// A bar chart of one series or a few. Figures stand beside their bars, so that no bar needs to be
/// measured against the axis.
pub fn bars(chart: &Chart) -> Markup {
    if chart.values().next().is_none() {
        return empty(chart, Shape::Bars);
    }
    if upright_fits(chart) {
        upright(chart)
    } else {
        lying(chart)
    }
}

fn figures(chart: &Chart) -> Vec<Vec<String>> {
    chart
        .series
        .iter()
        .map(|series| {
            (0..chart.categories.len())
                .map(|category| chart.unit.text_or_dash(series.value(category)))
                .collect()
        })
        .collect()
}

/// Left end of the drawing of upright bars.
fn upright_left(scale: &Scale) -> f64 {
    let ticks: Vec<String> = scale
        .ticks
        .iter()
        .map(|&tick| scale.tick_text(tick))
        .collect();
    widest(ticks.iter().map(String::as_str), SIZE) + 8.0
}

/// Width per category and per bar.
fn upright_widths(chart: &Chart, left: f64) -> (f64, f64) {
    let slot = (WIDTH - left) / chart.categories.len() as f64;
    let bar_width = ((slot - 10.0) / chart.series.len() as f64).min(44.0);
    (slot, bar_width)
}

fn upright_fits(chart: &Chart) -> bool {
    let scale = Scale::of_counts(chart.values(), chart.unit, 4);
    let (slot, bar_width) = upright_widths(chart, upright_left(&scale));
    let labels = widest(chart.categories.iter().map(String::as_str), SIZE);
    let figures = figures(chart);
    let figures = widest(figures.iter().flatten().map(String::as_str), FIGURE_SIZE);
    bar_width >= 12.0 && labels <= slot - 6.0 && figures <= bar_width
}

fn upright(chart: &Chart) -> Markup {
    let scale = Scale::of_counts(chart.values(), chart.unit, 4);
    let left = upright_left(&scale);
    // Name of the axis, then room for the figure on the highest bar.
    let legend = top_of(chart, Shape::Bars);
    let top = legend + 30.0;
    let bottom = top + UPRIGHT;
    let y_of = |value: f64| bottom - UPRIGHT * scale.position(value);
    let (slot, bar_width) = upright_widths(chart, left);
    let first = |category: usize| {
        left + slot * (category as f64 + 0.5) - bar_width * chart.series.len() as f64 / 2.0
    };
    let base = y_of(scale.base());
    let drawing = html! {
        (side_axis(chart, &scale, [left, legend], &y_of))
        @for (series_idx, series) in chart.series.iter().enumerate() {
            @for category in 0..chart.categories.len() {
                @let x = first(category) + bar_width * series_idx as f64;
                @let value = series.value(category);
                @let end = value.map_or(base, y_of);
                @if value.is_some_and(|value| value != 0.0) {
                    (bar(chart, series.look, [x + 1.0, end.min(base), bar_width - 2.0, (end - base).abs()]))
                }
                @let label_y = if end > base { end + 12.0 } else { end - 4.0 };
                text class="figure" x=(at(x + bar_width / 2.0)) y=(at(label_y)) text-anchor="middle"
                    font-size=(at(FIGURE_SIZE)) { (chart.unit.text_or_dash(value)) }
            }
        }
        path class="axis" d=(format!("M{} {}H{}", at(left), at(base), at(WIDTH))) stroke="currentColor" {}
        @for (category, label) in chart.categories.iter().enumerate() {
            text x=(at(left + slot * (category as f64 + 0.5))) y=(at(bottom + 18.0))
                text-anchor="middle" { (label) }
        }
    };
    framed(chart, Shape::Bars, bottom + 26.0, &drawing)
}

/// Name, marks and grid of an upright axis.
pub(super) fn side_axis(
    chart: &Chart,
    scale: &Scale,
    [left, top]: [f64; 2],
    y_of: &dyn Fn(f64) -> f64,
) -> Markup {
    html! {
        text class="axis-name" x="0" y=(at(top + 10.0)) { (scale.name(&chart.axis)) }
        @for &tick in &scale.ticks {
            path class="grid" d=(format!("M{} {}H{}", at(left), at(y_of(tick)), at(WIDTH)))
                stroke="currentColor" stroke-opacity="0.18" {}
            text x=(at(left - 6.0)) y=(at(y_of(tick) + 4.0)) text-anchor="end" { (scale.tick_text(tick)) }
        }
    }
}

/// Measures of lying bars.
struct Lying {
    scale: Scale,
    left: f64,
    right: f64,
    top: f64,
    bar_height: f64,
    group_height: f64,
}

impl Lying {
    fn of(chart: &Chart) -> Self {
        let labels = widest(chart.categories.iter().map(String::as_str), SIZE).min(MAX_LABEL);
        let figures = figures(chart);
        let figures = widest(figures.iter().flatten().map(String::as_str), SIZE);
        let (left, right) = (labels + 10.0, WIDTH - figures - 10.0);
        let bar_height = if chart.series.len() > 1 { 15.0 } else { 16.0 };
        Self {
            scale: scale_that_fits(chart, right - left),
            left,
            right,
            top: top_of(chart, Shape::Bars),
            bar_height,
            group_height: bar_height * chart.series.len() as f64 + 9.0,
        }
    }

    fn x_of(&self, value: f64) -> f64 {
        self.left + (self.right - self.left) * self.scale.position(value)
    }

    /// Figures stand at the end of their bar; where bars run both ways, in a column of their own.
    fn figure_x(&self, value: Option<f64>) -> f64 {
        if self.scale.one_way() {
            self.x_of(value.unwrap_or(0.0)) + 6.0
        } else {
            WIDTH
        }
    }

    fn figure_anchor(&self) -> &'static str {
        if self.scale.one_way() { "start" } else { "end" }
    }

    fn bottom(&self, chart: &Chart) -> f64 {
        self.top + self.group_height * chart.categories.len() as f64
    }
}

/// The finest scale whose marks do not run into each other.
fn scale_that_fits(chart: &Chart, room: f64) -> Scale {
    for n_wanted in [5, 4, 3, 2] {
        let scale = Scale::of_counts(chart.values(), chart.unit, n_wanted);
        let texts: Vec<String> = scale
            .ticks
            .iter()
            .map(|&tick| scale.tick_text(tick))
            .collect();
        let gap = room / (texts.len() - 1) as f64;
        if widest(texts.iter().map(String::as_str), SIZE) + 8.0 <= gap {
            return scale;
        }
    }
    Scale::of_counts(chart.values(), chart.unit, 1)
}

fn lying(chart: &Chart) -> Markup {
    let lying = Lying::of(chart);
    let bottom = lying.bottom(chart);
    let base = lying.x_of(lying.scale.base());
    let drawing = html! {
        (lying_axis(chart, &lying))
        @for (category, label) in chart.categories.iter().enumerate() {
            @let y = lying.top + lying.group_height * category as f64 + 4.0;
            @let middle = y + lying.bar_height * chart.series.len() as f64 / 2.0;
            (lying_label(label, lying.left - 8.0, middle + 4.0))
            @for (idx, series) in chart.series.iter().enumerate() {
                @let y = y + lying.bar_height * idx as f64;
                @let value = series.value(category);
                @if let Some(value) = value.filter(|value| *value != 0.0) {
                    @let end = lying.x_of(value);
                    (bar(chart, series.look, [
                        end.min(base), y + 0.8, (end - base).abs(), lying.bar_height - 1.6,
                    ]))
                }
                text class="figure" x=(at(lying.figure_x(value))) y=(at(y + lying.bar_height / 2.0 + 4.2))
                    text-anchor=(lying.figure_anchor()) {
                    (chart.unit.text_or_dash(value))
                }
            }
        }
        path class="axis" d=(format!("M{} {}V{}", at(base), at(lying.top), at(bottom)))
            stroke="currentColor" {}
    };
    framed(chart, Shape::Bars, bottom + FOOT, &drawing)
}

/// A label beside its bars, in two lines where one is too short for it.
fn lying_label(label: &str, x: f64, middle: f64) -> Markup {
    lines_of_label(label, MAX_LABEL, 2, [x, middle])
}

/// A label that ends at a place, its lines around the middle.
pub(super) fn lines_of_label(
    label: &str,
    room: f64,
    max_lines: usize,
    [x, middle]: [f64; 2],
) -> Markup {
    let lines = wrapped(label, SIZE, room, max_lines);
    let is_cut = lines.join(" ") != label;
    let first = middle - LINE * (lines.len().saturating_sub(1)) as f64 / 2.0;
    html! {
        @for (idx, line) in lines.iter().enumerate() {
            text x=(at(x)) y=(at(first + LINE * idx as f64)) text-anchor="end" {
                @if is_cut { title { (label) } }
                (line)
            }
        }
    }
}

fn lying_axis(chart: &Chart, lying: &Lying) -> Markup {
    let bottom = lying.bottom(chart);
    let middle = f64::midpoint(lying.left, lying.right);
    // A name wider than the drawing starts at the chart's edge instead of leaving it.
    let name = lying.scale.name(&chart.axis);
    let half = width(&name, SIZE) / 2.0;
    let middle = middle.max(half).min(WIDTH - half);
    html! {
        @for &tick in &lying.scale.ticks {
            @let x = at(lying.x_of(tick));
            path class="grid" d=(format!("M{x} {}V{}", at(lying.top), at(bottom)))
                stroke="currentColor" stroke-opacity="0.18" {}
            text x=(x) y=(at(bottom + 15.0)) text-anchor="middle" { (lying.scale.tick_text(tick)) }
        }
        text class="axis-name" x=(at(middle)) y=(at(bottom + 32.0)) text-anchor="middle" { (name) }
    }
}
