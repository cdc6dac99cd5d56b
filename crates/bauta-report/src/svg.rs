//! Charts as inline SVG: bars and lines of a few series, histograms with densities, curves over
//! numbers, points in the plane, and maps of figures for pairs.
//!
//! Colours come from the page's CSS variables, so that charts follow light, dark and print; the
//! attributes beside them serve readers without style sheets. Colour is never the only cue: the
//! original is hatched or dashed, the masked file solid, and every bar and field carries its figure.

mod axes;
mod bars;
mod curve;
mod dots;
mod frame;
mod heat;
mod histogram;
mod labels;
mod lines;
mod map;
mod risk_utility;
mod scale;
mod text;

pub use bars::bars;
pub use curve::{Curve, Spot, curve};
pub use dots::{Whiskers, dots};
pub(crate) use frame::at;
pub use heat::heat_map;
pub use histogram::{Histogram, HistogramSeries, Limit, histogram};
pub(crate) use lines::labels_fit;
pub use lines::lines;
pub use map::{Map, MapPoint, map};
pub(crate) use risk_utility::MAX_NAMED;
pub use risk_utility::{MapOptions, risk_utility_map, risk_utility_svg};
pub(crate) use text::{shortened, width};

use std::fmt::Write as _;

use crate::number::Written as _;
use crate::number::{Unit, settled};

/// What a chart shows.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// Distinguishes the chart from others on the page; letters, digits and hyphens.
    pub id: String,
    /// What it shows, in a few words.
    pub title: String,
    /// What the figures are, such as "records".
    pub axis: String,
    /// How the figures are written.
    pub unit: Unit,
    /// The categories, in order.
    pub categories: Vec<String>,
    /// One series, or a few.
    pub series: Vec<ChartSeries>,
}

/// The figures of one file.
#[derive(Clone, PartialEq, Debug)]
pub struct ChartSeries {
    /// Its name in the legend.
    pub name: String,
    /// How it is drawn.
    pub look: Look,
    /// A figure per category; none where there is none.
    pub values: Vec<Option<f64>>,
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Hatched bars, dashed lines.
    Original,
    /// Solid bars and lines.
    Masked,
    /// Records that stand out: hatched and dashed like the original, in their own colour.
    Outliers,
    /// The other records: solid.
    Rest,
    /// Second of several: hatched and dashed.
    Second,
    /// Third of several: solid bars, dotted lines.
    Third,
    /// Fourth of several: hatched bars, lines of dashes and dots.
    Fourth,
}

impl Look {
    const fn class(self) -> &'static str {
        match self {
            Self::Original => "original",
            Self::Masked => "masked",
            Self::Outliers => "outliers",
            Self::Rest => "rest",
            Self::Second => "second",
            Self::Third => "third",
            Self::Fourth => "fourth",
        }
    }

    /// Colour for readers without style sheets.
    const fn plain_colour(self) -> &'static str {
        match self {
            Self::Original | Self::Second => "#a65e00",
            Self::Masked => "#0067a5",
            Self::Outliers | Self::Fourth => "#9c2f6e",
            Self::Rest | Self::Third => "#4d6b2f",
        }
    }

    /// Hatched bars, or solid ones.
    const fn is_hatched(self) -> bool {
        matches!(
            self,
            Self::Original | Self::Outliers | Self::Second | Self::Fourth
        )
    }

    /// Lengths of the dashes of a line; none for a solid one.
    const fn dashes(self) -> Option<&'static str> {
        match self {
            Self::Original | Self::Outliers | Self::Second => Some("6 4"),
            Self::Third => Some("2 3"),
            Self::Fourth => Some("10 3 2 3"),
            Self::Masked | Self::Rest => None,
        }
    }
}

impl ChartSeries {
    /// The figure of a category, if it is a number.
    fn value(&self, category: usize) -> Option<f64> {
        self.values
            .get(category)
            .copied()
            .flatten()
            .filter(|value| value.is_finite())
            // Differences of larger numbers would leave the range of floats.
            .map(|value| settled(value.clamp(-1e300, 1e300)))
    }
}

impl Chart {
    fn values(&self) -> impl Iterator<Item = f64> + Clone {
        self.series.iter().flat_map(move |series| {
            (0..self.categories.len()).filter_map(move |category| series.value(category))
        })
    }

    /// The chart in words, for readers who do not see it.
    fn description(&self, what: &str) -> String {
        let mut out = format!("{what} of {}.", self.axis);
        for (idx, category) in self.categories.iter().enumerate() {
            let figures: Vec<String> = self
                .series
                .iter()
                .map(|series| {
                    let figure = self.unit.text_or_dash(series.value(idx));
                    if self.series.len() == 1 {
                        figure
                    } else {
                        format!("{} {figure}", series.name)
                    }
                })
                .collect();
            let _ = write!(out, " {category}: {};", figures.join(", "));
        }
        if out.ends_with(';') {
            out.pop();
            out.push('.');
        }
        out
    }
}

#[cfg(test)]
mod tests;
