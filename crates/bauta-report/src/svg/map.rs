//! Points in the plane.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::Look;
use super::axes::{Axes, label_beside};
use super::frame::{LEGEND_ROW, SIZE, Words, dot, legend_name, picture, rows_of_names};
use super::scale::{Base, Scale};
use super::text::shortened;
use crate::number::{Unit, number};

/// Height of the drawing.
const HEIGHT: f64 = 260.0;
/// Room of a mark in the legend.
const SAMPLE: f64 = 12.0;
/// Most points that carry their names; of more, pointing at one shows it.
const MAX_NAMED: usize = 40;
/// Widest name of a point.
const MAX_NAME: f64 = 120.0;

/// Points in the plane.
#[derive(Clone, PartialEq, Debug)]
pub struct Map {
    /// Distinguishes the chart from others on the page; letters, digits and hyphens.
    pub id: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What lies below.
    pub across: String,
    /// What lies at the left.
    pub up: String,
    /// The points.
    pub points: Vec<MapPoint>,
}

/// A point of a map.
#[derive(Clone, PartialEq, Debug)]
pub struct MapPoint {
    /// What it is.
    pub name: String,
    /// What it belongs to.
    pub group: String,
    /// How its group is drawn.
    pub look: Look,
    /// Where it is.
    pub at: [f64; 2],
}

impl Map {
    fn description(&self) -> String {
        let mut out = format!(
            "Map of {} points: {} across, {} up.",
            self.points.len(),
            self.across,
            self.up
        );
        for point in &self.points {
            let [x, y] = point.at.map(number);
            let _ = write!(out, " {}: {x}, {y};", point.name);
        }
        if out.ends_with(';') {
            out.pop();
            out.push('.');
        }
        out
    }

    fn scale(&self, axis: usize, n_wanted: usize) -> Scale {
        let values = self.points.iter().map(|point| point.at[axis]);
        let values = values.filter(|value| value.is_finite());
        Scale::over(values, Base::Free, Unit::Number, n_wanted)
    }

    /// The groups, each with its look.
    fn groups(&self) -> Vec<(&str, Look)> {
        let mut groups: Vec<(&str, Look)> = Vec::new();
        for point in &self.points {
            if !groups.iter().any(|(name, _)| *name == point.group) {
                groups.push((&point.group, point.look));
            }
        }
        groups
    }
}

/// The map with its legend.
pub fn map(chart: &Map) -> Markup {
    let groups = chart.groups();
    let names = groups.iter().map(|(name, _)| *name);
    let legend = rows_of_names(names.filter(|_| groups.len() > 1), SAMPLE);
    let top = LEGEND_ROW * legend.len() as f64 + 28.0;
    let axes = Axes::new(chart.scale(0, 6), chart.scale(1, 5), top, HEIGHT);
    let places = legend.iter().enumerate().flat_map(|(row, starts)| {
        let y = LEGEND_ROW * row as f64 + 10.0;
        starts.iter().map(move |&x| (x, y))
    });
    let is_drawn = |point: &&MapPoint| point.at.iter().all(|value| value.is_finite());
    let drawing = html! {
        @for ((name, look), (x, y)) in groups.iter().zip(places) {
            (dot(*look, x + SAMPLE / 2.0, y, name))
            (legend_name(name, SAMPLE, x, y))
        }
        (axes.upright(&chart.up))
        (axes.lower(&chart.across))
        @for point in chart.points.iter().filter(is_drawn) {
            @let [x, y] = [axes.x_of(point.at[0]), axes.y_of(point.at[1])];
            @let [across, up] = point.at.map(number);
            (dot(point.look, x, y, &format!("{}: {across}, {up}", point.name)))
            @if chart.points.len() <= MAX_NAMED {
                (label_beside(&shortened(&point.name, SIZE, MAX_NAME), x, y + 4.0, 8.0))
            }
        }
    };
    let words = Words {
        id: &chart.id,
        title: &chart.title,
        description: &chart.description(),
    };
    picture(&words, axes.height(), &drawing)
}
