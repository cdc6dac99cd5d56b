//! Line charts: figures along an ordered axis.

use crate::number::Written as _;
use std::fmt::Write as _;

use maud::{Markup, html};

use super::bars::side_axis;
use super::frame::{SIZE, Shape, WIDTH, at, dot, empty, framed, stroke, top_of};
use super::scale::{Base, Scale};
use super::text::{shortened, widest};
use super::{Chart, ChartSeries};

/// Height of the drawing.
const HEIGHT: f64 = 190.0;
/// Room beside the first and last mark for half of their labels.
const SIDE: f64 = 30.0;
/// Widest label below the axis.
const MAX_LABEL: f64 = 90.0;

/// A line chart of one series or a few. Pointing at a mark shows its figure.
pub fn lines(chart: &Chart) -> Markup {
    if chart.values().next().is_none() {
        return empty(chart, Shape::Lines);
    }
    let scale = Scale::over(chart.values(), Base::Free, chart.unit, 5);
    let ticks: Vec<String> = scale
        .ticks
        .iter()
        .map(|&tick| scale.tick_text(tick))
        .collect();
    let left = widest(ticks.iter().map(String::as_str), SIZE) + 8.0;
    let legend = top_of(chart, Shape::Lines);
    let top = legend + 26.0;
    let bottom = top + HEIGHT;
    let y_of = |value: f64| bottom - HEIGHT * scale.position(value);
    let n_categories = chart.categories.len();
    let slot = (WIDTH - 2.0 * SIDE - left) / (n_categories.max(2) - 1) as f64;
    let x_of = |category: usize| left + SIDE + slot * category as f64;
    let every = label_distance(chart, slot);
    let drawing = html! {
        (side_axis(chart, &scale, [left, legend], &y_of))
        @for (category, label) in chart.categories.iter().enumerate() {
            @let x = at(x_of(category));
            path class="axis" d=(format!("M{x} {}v4", at(bottom))) stroke="currentColor" {}
            @if category.is_multiple_of(every) {
                text x=(x) y=(at(bottom + 18.0)) text-anchor="middle" {
                    (shortened(label, SIZE, MAX_LABEL))
                }
            }
        }
        path class="axis" d=(format!("M{} {}H{}", at(left), at(bottom), at(WIDTH))) stroke="currentColor" {}
        @for series in &chart.series {
            (stroke(series.look, &path(chart, series, &x_of, &y_of)))
        }
        @for series in &chart.series {
            @for (category, label) in chart.categories.iter().enumerate() {
                @if let Some(value) = series.value(category) {
                    @let words = format!("{label}, {}: {}", series.name, chart.unit.text(value));
                    (dot(series.look, x_of(category), y_of(value), &words))
                }
            }
        }
    };
    framed(chart, Shape::Lines, bottom + 26.0, &drawing)
}

/// Whether a line chart shows all labels, each in full.
pub(crate) fn labels_fit(chart: &Chart) -> bool {
    let widest = widest(chart.categories.iter().map(String::as_str), SIZE);
    // The figures beside the axis take some of the room; their width is not known here.
    let room = WIDTH - 2.0 * SIDE - 50.0;
    let slot = room / (chart.categories.len().max(2) - 1) as f64;
    widest <= MAX_LABEL && widest + 8.0 <= slot
}

/// Every how many categories a label fits, preferably so that the last one has its label.
fn label_distance(chart: &Chart, slot: f64) -> usize {
    let n_categories = chart.categories.len();
    let widest = widest(chart.categories.iter().map(String::as_str), SIZE);
    let label = widest.min(MAX_LABEL) + 8.0;
    let needed = (label / slot).ceil().clamp(1.0, n_categories as f64) as usize;
    (needed..=2 * needed)
        .find(|every| (n_categories - 1).is_multiple_of(*every))
        .unwrap_or(needed)
}

/// The line, interrupted where there is no figure.
fn path(
    chart: &Chart,
    series: &ChartSeries,
    x_of: &dyn Fn(usize) -> f64,
    y_of: &dyn Fn(f64) -> f64,
) -> String {
    let mut out = String::new();
    let mut pen = 'M';
    for category in 0..chart.categories.len() {
        if let Some(value) = series.value(category) {
            let _ = write!(out, "{pen}{} {}", at(x_of(category)), at(y_of(value)));
            pen = 'L';
        } else {
            pen = 'M';
        }
    }
    out
}
