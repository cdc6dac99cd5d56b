//! A curve over a numeric axis, with spots beside it.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::axes::{Axes, label_beside};
use super::frame::{Words, at, picture};
use super::scale::{Base, Scale};
use crate::number::{Unit, number};

/// Height of the drawing.
const HEIGHT: f64 = 210.0;
/// Where the drawing begins below the name of the upright axis.
const TOP: f64 = 28.0;

/// A figure for each value of another.
#[derive(Clone, PartialEq, Debug)]
pub struct Curve {
    /// Distinguishes the chart from others on the page; letters, digits and hyphens.
    pub id: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What lies below.
    pub across: String,
    /// What the curve shows.
    pub up: String,
    /// Its points, from left to right.
    pub points: Vec<[f64; 2]>,
    /// Points beside it.
    pub spots: Vec<Spot>,
}

/// A point beside a curve.
#[derive(Clone, PartialEq, Debug)]
pub struct Spot {
    /// What it is.
    pub name: String,
    /// Where it is.
    pub at: [f64; 2],
}

impl Curve {
    fn description(&self) -> String {
        let mut out = format!("Curve of {} by {}.", self.up, self.across);
        for [x, y] in &self.points {
            let _ = write!(out, " {}: {};", number(*x), number(*y));
        }
        for spot in &self.spots {
            let [x, y] = spot.at.map(number);
            let _ = write!(out, " {}: {x}, {y};", spot.name);
        }
        if out.ends_with(';') {
            out.pop();
            out.push('.');
        }
        out
    }

    fn scale(&self, axis: usize, n_wanted: usize) -> Scale {
        let spots = self.spots.iter().map(|spot| spot.at[axis]);
        let values = self.points.iter().map(|point| point[axis]).chain(spots);
        let values = values.filter(|value| value.is_finite());
        Scale::over(values, Base::Free, Unit::Number, n_wanted)
    }
}

/// The curve and its spots.
pub fn curve(chart: &Curve) -> Markup {
    let axes = Axes::new(chart.scale(0, 6), chart.scale(1, 5), TOP, HEIGHT);
    let mut path = String::new();
    for (idx, [x, y]) in chart.points.iter().enumerate() {
        let pen = if idx == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{pen}{} {}", at(axes.x_of(*x)), at(axes.y_of(*y)));
    }
    let drawing = html! {
        (axes.upright(&chart.up))
        (axes.lower(&chart.across))
        path class="curve" d=(path) fill="none" stroke="#0067a5" stroke-width="2" {}
        @for [x, y] in &chart.points {
            circle class="dot-masked" cx=(at(axes.x_of(*x))) cy=(at(axes.y_of(*y))) r="2.6" fill="#0067a5" {
                title { (number(*x)) ": " (number(*y)) }
            }
        }
        @for spot in &chart.spots {
            @let [x, y] = [axes.x_of(spot.at[0]), axes.y_of(spot.at[1])];
            path class="spot" d=(format!("M{} {}l6 6l-6 6l-6 -6z", at(x), at(y - 6.0))) fill="#a8201a" {
                title { (spot.name) }
            }
            (label_beside(&spot.name, x, y + 4.0, 10.0))
        }
    };
    let words = Words {
        id: &chart.id,
        title: &chart.title,
        description: &chart.description(),
    };
    picture(&words, axes.height(), &drawing)
}
