//! Histograms of one figure, with the smoothed densities of several ways of getting it.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::Look;
use super::axes::{Axes, label_beside};
use super::frame::{LEGEND_ROW, Words, at, legend_name, picture, rows_of_names, stroke};
use super::scale::{Base, Scale};
use crate::number::{Unit, count, number};

/// Height of the drawing.
const HEIGHT: f64 = 200.0;
/// Length of a line in the legend.
const SAMPLE: f64 = 28.0;

/// Records by a figure, in bins of equal width.
#[derive(Clone, PartialEq, Debug)]
pub struct Histogram {
    /// Distinguishes the chart from others on the page; letters, digits and hyphens.
    pub id: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What the figure is.
    pub axis: String,
    /// Left end of the first bin.
    pub from: f64,
    /// Width of a bin.
    pub step: f64,
    /// The bins of the first are drawn, the densities of all.
    pub series: Vec<HistogramSeries>,
    /// Where the figure had to stop.
    pub limits: Vec<Limit>,
    /// A height that the upright axis reaches, so that charts can be compared.
    pub at_least_high: f64,
    /// Values that the lower axis reaches, for the same reason.
    pub at_least_wide: Vec<f64>,
}

/// One way of getting the figure.
#[derive(Clone, PartialEq, Debug)]
pub struct HistogramSeries {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    pub look: Look,
    /// Records in each bin.
    pub counts: Vec<u64>,
    /// Density at the middle of each bin.
    pub density: Vec<f64>,
}

impl HistogramSeries {
    fn n_records(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The density on the scale of the bins: records that a bin would have.
    fn heights(&self, step: f64) -> Vec<f64> {
        let factor = self.n_records() as f64 * step;
        let heights = self.density.iter().map(|density| density * factor);
        heights
            .map(|height| if height.is_finite() { height } else { 0.0 })
            .collect()
    }
}

/// A vertical line.
#[derive(Clone, PartialEq, Debug)]
pub struct Limit {
    /// What it is called, such as "L".
    pub name: String,
    /// Where it is.
    pub value: f64,
}

impl Limit {
    fn label(&self) -> String {
        format!("{} = {}", self.name, number(self.value))
    }
}

impl Histogram {
    /// Highest bin or density of all series.
    pub fn highest(&self) -> f64 {
        let bins = self.series.iter().flat_map(|series| &series.counts);
        let bins = bins.map(|&count| count as f64);
        let curves = self
            .series
            .iter()
            .flat_map(|series| series.heights(self.step));
        bins.chain(curves).fold(0.0, f64::max)
    }

    fn n_bins(&self) -> usize {
        self.series.first().map_or(0, |series| series.counts.len())
    }

    fn end(&self, idx: usize) -> f64 {
        self.from + self.step * idx as f64
    }

    /// The chart in words: the bins that hold records.
    fn description(&self) -> String {
        let mut out = format!("Histogram of {}.", self.axis);
        for limit in &self.limits {
            let _ = write!(out, " {}.", limit.label());
        }
        for series in &self.series {
            let _ = write!(out, " {}:", series.name);
            let bins = series.counts.iter().enumerate();
            for (idx, &records) in bins.filter(|(_, records)| **records > 0) {
                let (low, high) = (number(self.end(idx)), number(self.end(idx + 1)));
                let _ = write!(out, " {low} to {high}: {};", count(records));
            }
            if out.ends_with(';') {
                out.pop();
                out.push('.');
            }
        }
        out
    }
}

/// The histogram of the first series under the densities of all.
pub fn histogram(chart: &Histogram) -> Markup {
    let axes = axes(chart);
    let drawing = html! {
        (legend(chart))
        (axes.upright("records"))
        @if let Some(first) = chart.series.first() {
            @for (idx, &records) in first.counts.iter().enumerate().filter(|(_, records)| **records > 0) {
                (bin(chart, &axes, first.look, idx, records))
            }
        }
        @for series in &chart.series {
            (stroke(series.look, &density(chart, &axes, series)))
        }
        (limits(chart, &axes))
        (axes.lower(&chart.axis))
    };
    let words = Words {
        id: &chart.id,
        title: &chart.title,
        description: &chart.description(),
    };
    picture(&words, axes.height(), &drawing)
}

fn axes(chart: &Histogram) -> Axes {
    let limits = chart.limits.iter().map(|limit| limit.value);
    let ends = [chart.from, chart.end(chart.n_bins())];
    let across = ends.into_iter().chain(limits);
    let across = across.chain(chart.at_least_wide.iter().copied());
    let across: Vec<f64> = across.filter(|value| value.is_finite()).collect();
    let [low, high] = [f64::min, f64::max].map(|of| across.iter().copied().fold(f64::NAN, of));
    let across = Scale::over(across.into_iter(), Base::Free, Unit::Number, 8).cut_to(low, high);
    let highest = chart.highest().max(chart.at_least_high);
    let up = Scale::over([highest].into_iter(), Base::Zero, Unit::Count, 4);
    let top = LEGEND_ROW * legend_rows(chart).len() as f64 + 34.0;
    Axes::new(across, up, top, HEIGHT)
}

fn bin(chart: &Histogram, axes: &Axes, look: Look, idx: usize, records: u64) -> Markup {
    let (low, high) = (chart.end(idx), chart.end(idx + 1));
    let (x, y) = (axes.x_of(low), axes.y_of(records as f64));
    let words = format!("{} to {}: {}", number(low), number(high), count(records));
    html! {
        rect class={ "bin " (look.class()) } x=(at(x)) y=(at(y)) width=(at(axes.x_of(high) - x))
            height=(at(axes.bottom - y)) fill=(look.plain_colour()) fill-opacity="0.22" {
            title { (words) }
        }
    }
}

fn density(chart: &Histogram, axes: &Axes, series: &HistogramSeries) -> String {
    let mut out = String::new();
    for (idx, &height) in series.heights(chart.step).iter().enumerate() {
        let middle = chart.from + chart.step * (idx as f64 + 0.5);
        let pen = if idx == 0 { 'M' } else { 'L' };
        let (x, y) = (axes.x_of(middle), axes.y_of(height));
        let _ = write!(out, "{pen}{} {}", at(x), at(y));
    }
    out
}

fn limits(chart: &Histogram, axes: &Axes) -> Markup {
    html! {
        @for limit in &chart.limits {
            @let x = axes.x_of(limit.value);
            path class="limit" d=(format!("M{} {}V{}", at(x), at(axes.top - 4.0), at(axes.bottom)))
                stroke="currentColor" stroke-dasharray="4 3" {}
            (label_beside(&limit.label(), x, axes.top + 6.0, 4.0))
        }
    }
}

/// Where the names in the legend stand; the title names an only one.
fn legend_rows(chart: &Histogram) -> Vec<Vec<f64>> {
    let names = chart.series.iter().map(|series| series.name.as_str());
    rows_of_names(names.filter(|_| chart.series.len() > 1), SAMPLE)
}

fn legend(chart: &Histogram) -> Markup {
    let rows = legend_rows(chart);
    let places = rows.iter().enumerate().flat_map(|(row, starts)| {
        let y = LEGEND_ROW * row as f64 + 10.0;
        starts.iter().map(move |&x| (x, y))
    });
    html! {
        @for (series, (x, y)) in chart.series.iter().zip(places) {
            (stroke(series.look, &format!("M{} {}h{}", at(x), at(y), at(SAMPLE))))
            (legend_name(&series.name, SAMPLE, x, y))
        }
    }
}
