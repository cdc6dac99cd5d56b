//! Two numeric axes and where a point lies between them.

use maud::{Markup, html};

use super::frame::{SIZE, WIDTH, at};
use super::scale::Scale;
use super::text::{widest, width};

/// Half of the last label fits beside the right end.
const RIGHT: f64 = 14.0;
/// Room for the marks and the name of the lower axis.
const FOOT: f64 = 40.0;

/// What lies above.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Upward {
    /// Larger figures.
    #[default]
    More,
    /// Smaller ones.
    Less,
}

/// Two numeric axes.
pub(super) struct Axes {
    across: Scale,
    up: Scale,
    upward: Upward,
    left: f64,
    /// Room beside the right end.
    right: f64,
    /// Upper end of the drawing.
    pub(super) top: f64,
    /// Lower end of the drawing.
    pub(super) bottom: f64,
}

impl Axes {
    /// Axes around a drawing of a height, below its name.
    pub(super) fn new(across: Scale, up: Scale, top: f64, height: f64) -> Self {
        let ticks: Vec<String> = up.ticks.iter().map(|&tick| up.tick_text(tick)).collect();
        Self {
            left: widest(ticks.iter().map(String::as_str), SIZE) + 8.0,
            across,
            up,
            upward: Upward::More,
            right: RIGHT,
            top,
            bottom: top + height,
        }
    }

    /// The same with these figures above.
    #[must_use]
    pub(super) fn upward(self, upward: Upward) -> Self {
        Self { upward, ..self }
    }

    /// The same with so much room beside the right end.
    #[must_use]
    pub(super) fn beside(self, right: f64) -> Self {
        Self { right, ..self }
    }

    /// Left end of the drawing.
    pub(super) fn left(&self) -> f64 {
        self.left
    }

    /// Height of the whole picture.
    pub(super) fn height(&self) -> f64 {
        self.bottom + FOOT
    }

    pub(super) fn x_of(&self, value: f64) -> f64 {
        self.left + (WIDTH - self.right - self.left) * self.across.position(value)
    }

    pub(super) fn y_of(&self, value: f64) -> f64 {
        let position = match self.upward {
            Upward::More => self.up.position(value),
            Upward::Less => 1.0 - self.up.position(value),
        };
        self.bottom - (self.bottom - self.top) * position
    }

    /// Name, marks and grid of the upright axis.
    pub(super) fn upright(&self, name: &str) -> Markup {
        html! {
            text class="axis-name" x="0" y=(at(self.top - 14.0)) { (name) }
            @for &tick in &self.up.ticks {
                @let y = self.y_of(tick);
                path class="grid" d=(format!("M{} {}H{}", at(self.left), at(y), at(WIDTH)))
                    stroke="currentColor" stroke-opacity="0.18" {}
                text x=(at(self.left - 6.0)) y=(at(y + 4.0)) text-anchor="end" { (self.up.tick_text(tick)) }
            }
        }
    }

    /// Line, marks and name of the lower axis.
    pub(super) fn lower(&self, name: &str) -> Markup {
        let bottom = self.bottom;
        html! {
            path class="axis" d=(format!("M{} {}H{}", at(self.left), at(bottom), at(WIDTH)))
                stroke="currentColor" {}
            @for &tick in &self.across.ticks {
                @let x = at(self.x_of(tick));
                path class="axis" d=(format!("M{x} {}v4", at(bottom))) stroke="currentColor" {}
                text x=(x) y=(at(bottom + 17.0)) text-anchor="middle" { (self.across.tick_text(tick)) }
            }
            text class="axis-name" x=(at(f64::midpoint(self.left, WIDTH))) y=(at(bottom + 34.0))
                text-anchor="middle" { (name) }
        }
    }
}

/// A label beside a place, on the side where there is room.
pub(super) fn label_beside(label: &str, x: f64, y: f64, gap: f64) -> Markup {
    html! {
        @if x + gap + width(label, SIZE) <= WIDTH {
            text class="figure" x=(at(x + gap)) y=(at(y)) { (label) }
        } @else {
            text class="figure" x=(at(x - gap)) y=(at(y)) text-anchor="end" { (label) }
        }
    }
}
