//! What every chart has: its size, its words, its legend, its pattern.

use maud::{Markup, html};

use super::text::{shortened, width};
use super::{Chart, Look};

/// Width of every chart in its own units; the page scales it.
pub(super) const WIDTH: f64 = 480.0;
/// Font size of labels, in the same units.
pub(super) const SIZE: f64 = 12.0;
/// Height of a row of the legend.
pub(super) const LEGEND_ROW: f64 = 18.0;

/// A coordinate: one decimal is finer than any screen.
pub(crate) fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0").unwrap_or(&text) {
        "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

/// Where the drawing begins below the legend.
pub(super) fn top_of(chart: &Chart, shape: Shape) -> f64 {
    match legend_rows(chart, shape).len() {
        0 => 6.0,
        n_rows => LEGEND_ROW * n_rows as f64 + 8.0,
    }
}

/// The chart around its drawing.
pub(super) fn framed(chart: &Chart, shape: Shape, height: f64, drawing: &Markup) -> Markup {
    let words = Words {
        id: &chart.id,
        title: &chart.title,
        description: &chart.description(shape.name()),
    };
    let drawing = html! {
        (pattern(chart))
        (legend(chart, shape))
        (drawing)
    };
    picture(&words, height, &drawing)
}

/// What a picture says to readers who do not see it.
pub(super) struct Words<'a> {
    /// Distinguishes it from others on the page.
    pub(super) id: &'a str,
    /// What it shows, in a few words.
    pub(super) title: &'a str,
    /// Its figures in words.
    pub(super) description: &'a str,
}

/// The picture around a drawing.
pub(super) fn picture(words: &Words<'_>, height: f64, drawing: &Markup) -> Markup {
    let id = words.id;
    html! {
        svg viewBox=(format!("0 0 {} {}", at(WIDTH), at(height))) width=(at(WIDTH)) height=(at(height))
            role="img" aria-labelledby={ (id) "-title " (id) "-desc" }
            font-family="system-ui, sans-serif" font-size=(at(SIZE)) fill="currentColor" {
            title id={ (id) "-title" } { (words.title) }
            desc id={ (id) "-desc" } { (words.description) }
            (drawing)
        }
    }
}

/// A chart without figures.
pub(super) fn empty(chart: &Chart, shape: Shape) -> Markup {
    let message = html! {
        text x=(at(WIDTH / 2.0)) y="34" text-anchor="middle" { "There are no figures to show." }
    };
    let bare = Chart {
        series: Vec::new(),
        ..chart.clone()
    };
    framed(&bare, shape, 60.0, &message)
}

fn pattern(chart: &Chart) -> Markup {
    let hatched = chart.series.iter().map(|series| series.look);
    let hatched: Vec<Look> = hatched.filter(|look| look.is_hatched()).collect();
    html! {
        @if !hatched.is_empty() {
            defs { @for &look in &hatched { (hatch(&chart.id, look)) } }
        }
    }
}

fn hatch(id: &str, look: Look) -> Markup {
    html! {
        pattern id=(hatch_id(id, look)) patternUnits="userSpaceOnUse" width="5" height="5"
            patternTransform={ "rotate(" (if look == Look::Fourth { -45 } else { 45 }) ")" } {
            path class={ "line-" (look.class()) } d="M0 0V5" stroke=(look.plain_colour())
                stroke-width="3.4" {}
        }
    }
}

fn hatch_id(id: &str, look: Look) -> String {
    match look {
        // Beside others of its kind it needs a name of its own.
        Look::Fourth => format!("{id}-hatch-back"),
        _ => format!("{id}-hatch"),
    }
}

/// Fill of a bar: a colour, or a hatch that also tells in grey.
fn fill(chart: &Chart, look: Look) -> String {
    if look.is_hatched() {
        format!("url(#{})", hatch_id(&chart.id, look))
    } else {
        look.plain_colour().to_owned()
    }
}

/// A bar.
pub(super) fn bar(chart: &Chart, look: Look, [x, y, w, h]: [f64; 4]) -> Markup {
    html! {
        rect class={ "bar-" (look.class()) } x=(at(x)) y=(at(y)) width=(at(w)) height=(at(h))
            fill=(fill(chart, look)) stroke=(look.plain_colour()) {}
    }
}

/// A line's class, colour and dashes.
pub(super) fn stroke(look: Look, path: &str) -> Markup {
    html! {
        path class={ "line-" (look.class()) } d=(path) fill="none" stroke=(look.plain_colour())
            stroke-width="2" stroke-dasharray=[look.dashes()] {}
    }
}

/// A mark on a line. The original's ring stays visible around the masked file's dot.
pub(super) fn dot(look: Look, x: f64, y: f64, words: &str) -> Markup {
    let colour = look.plain_colour();
    html! {
        @if look.is_hatched() {
            circle class={ "ring-" (look.class()) } cx=(at(x)) cy=(at(y)) r="5" fill="none"
                stroke=(colour) stroke-width="1.8" { title { (words) } }
        } @else {
            circle class={ "dot-" (look.class()) } cx=(at(x)) cy=(at(y)) r="2.8" fill=(colour) {
                title { (words) }
            }
        }
    }
}

/// What a chart is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    /// Bars.
    Bars,
    /// Lines with marks.
    Lines,
    /// Marks beside their labels.
    Dots,
}

impl Shape {
    const fn name(self) -> &'static str {
        match self {
            Self::Bars => "Bar chart",
            Self::Lines => "Line chart",
            Self::Dots => "Dot chart",
        }
    }

    /// Width of the sample beside a name in the legend.
    const fn sample_width(self) -> f64 {
        match self {
            Self::Bars => 18.0,
            Self::Lines => 28.0,
            Self::Dots => 12.0,
        }
    }
}

/// Where the entries of a legend begin, row by row: as many in each as fit.
pub(super) fn rows_of_names<'a>(
    names: impl Iterator<Item = &'a str>,
    sample_width: f64,
) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut x = WIDTH;
    for name in names {
        let room = WIDTH - sample_width - 8.0;
        let needed = sample_width + 6.0 + width(&shortened(name, SIZE, room), SIZE);
        if rows.is_empty() || x + needed > WIDTH {
            rows.push(Vec::new());
            x = 2.0;
        }
        if let Some(row) = rows.last_mut() {
            row.push(x);
        }
        x += needed + 20.0;
    }
    rows
}

/// The name in a legend, behind its sample.
pub(super) fn legend_name(name: &str, sample_width: f64, x: f64, y: f64) -> Markup {
    let short = shortened(name, SIZE, WIDTH - sample_width - 8.0);
    html! { text x=(at(x + sample_width + 6.0)) y=(at(y + 4.0)) { (short) } }
}

fn legend_rows(chart: &Chart, shape: Shape) -> Vec<Vec<f64>> {
    let names = chart.series.iter().map(|series| series.name.as_str());
    let names = names.filter(|_| chart.series.len() > 1);
    rows_of_names(names, shape.sample_width())
}

fn legend(chart: &Chart, shape: Shape) -> Markup {
    let rows = legend_rows(chart, shape);
    let places = rows.iter().enumerate().flat_map(|(row, starts)| {
        let y = LEGEND_ROW * row as f64 + 10.0;
        starts.iter().map(move |&x| (x, y))
    });
    html! {
        @for (series, (x, y)) in chart.series.iter().zip(places) {
            @match shape {
                Shape::Bars => (bar(chart, series.look, [x, y - 6.0, 18.0, 11.0])),
                Shape::Lines => {
                    (stroke(series.look, &format!("M{} {}h28", at(x), at(y))))
                    (dot(series.look, x + 14.0, y, &series.name))
                },
                Shape::Dots => (dot(series.look, x + 6.0, y, &series.name)),
            }
            (legend_name(&series.name, shape.sample_width(), x, y))
        }
    }
}
