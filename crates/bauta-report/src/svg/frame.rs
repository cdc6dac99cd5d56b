//! What every chart has: its size, its words, its legend, its pattern.

use maud::{Markup, html};

use super::text::width;
use super::{Chart, Look};

/// Width of every chart in its own units; the page scales it.
pub(super) const WIDTH: f64 = 480.0;
/// Font size of labels, in the same units.
pub(super) const SIZE: f64 = 12.0;
/// Height of the legend, where there is one.
const LEGEND: f64 = 26.0;

/// A coordinate: one decimal is finer than any screen.
pub(super) fn at(value: f64) -> String {
    let text = format!("{value:.1}");
    match text.strip_suffix(".0").unwrap_or(&text) {
        "-0" => "0".to_owned(),
        short => short.to_owned(),
    }
}

/// Where the drawing begins below the legend.
pub(super) fn top_of(chart: &Chart) -> f64 {
    if chart.series.len() > 1 { LEGEND } else { 6.0 }
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
}

impl Shape {
    const fn name(self) -> &'static str {
        match self {
            Self::Bars => "Bar chart",
            Self::Lines => "Line chart",
        }
    }

    /// Width of the sample beside a name in the legend.
    const fn sample_width(self) -> f64 {
        match self {
            Self::Bars => 18.0,
            Self::Lines => 28.0,
        }
    }
}

fn legend(chart: &Chart, shape: Shape) -> Markup {
    let mut x = 2.0;
    let starts: Vec<f64> = chart
        .series
        .iter()
        .map(|series| {
            let start = x;
            x += shape.sample_width() + 6.0 + width(&series.name, SIZE) + 20.0;
            start
        })
        .collect();
    html! {
        @if chart.series.len() > 1 {
            @for (series, &start) in chart.series.iter().zip(&starts) {
                @match shape {
                    Shape::Bars => (bar(chart, series.look, [start, 4.0, 18.0, 11.0])),
                    Shape::Lines => {
                        (stroke(series.look, &format!("M{} 10h28", at(start))))
                        (dot(series.look, start + 14.0, 10.0, &series.name))
                    },
                }
                text x=(at(start + shape.sample_width() + 6.0)) y="14" { (series.name) }
            }
        }
    }
}
