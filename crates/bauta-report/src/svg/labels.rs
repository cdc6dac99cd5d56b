//! Labels beside marks, where they lie on nothing else.

use maud::{Markup, html};

use super::frame::{SIZE, at};
use super::text::width;

/// Left, top, right and bottom.
pub(super) type Area = [f64; 4];

/// Labels that lie on nothing else.
pub(super) struct Labels {
    /// What they must lie within.
    within: Area,
    /// Marks and lines.
    drawn: Vec<Area>,
    /// Other labels.
    written: Vec<Area>,
}

/// Half of the room that a mark takes.
const MARK: f64 = 5.0;

impl Labels {
    /// Labels within an area, off marks.
    pub(super) fn new(within: Area, marks: impl Iterator<Item = [f64; 2]>) -> Self {
        let drawn = marks.map(|[x, y]| [x - MARK, y - MARK, x + MARK, y + MARK]);
        Self {
            within,
            drawn: drawn.collect(),
            written: Vec::new(),
        }
    }

    /// Nothing is written on these lines, which run up and across.
    pub(super) fn keep_off(&mut self, corners: &[[f64; 2]]) {
        let lines = corners.iter().zip(corners.iter().skip(1));
        let areas = lines.map(|(a, b)| {
            let (left, right) = (a[0].min(b[0]), a[0].max(b[0]));
            let (top, bottom) = (a[1].min(b[1]), a[1].max(b[1]));
            [left - 1.0, top - 1.0, right + 1.0, bottom + 1.0]
        });
        self.drawn.extend(areas);
    }

    /// Puts a text beside a place, or a little above it, even if something is drawn there.
    pub(super) fn must_put(&mut self, place: [f64; 2], text: &str) -> Option<Markup> {
        let [x, y] = place;
        let above = [[x, y], [x, y - SIZE], [x, y - 2.0 * SIZE]];
        let put = (above.into_iter()).find_map(|place| self.put(place, &[text]));
        put.or_else(|| {
            let drawn = std::mem::take(&mut self.drawn);
            let put = self.put(place, &[text]);
            self.drawn = drawn;
            put
        })
    }

    /// Puts the first of several texts beside a mark for which there is room anywhere around it.
    pub(super) fn put(&mut self, [x, y]: [f64; 2], texts: &[&str]) -> Option<Markup> {
        for text in texts {
            let wide = width(text, SIZE);
            let near = [
                [x + 8.0, y - 6.0],
                [x - 8.0 - wide, y - 6.0],
                [x + 6.0, y - 18.0],
                [x + 6.0, y + 6.0],
                [x - 6.0 - wide, y - 18.0],
                [x - 6.0 - wide, y + 6.0],
                [x - wide / 2.0, y - 20.0],
                [x - wide / 2.0, y + 8.0],
            ];
            for [left, top] in near {
                let area = [left, top, left + wide, top + SIZE];
                if self.is_free(area) {
                    self.written.push(area);
                    return Some(html! {
                        text class="figure" x=(at(left)) y=(at(top + SIZE - 2.0)) { (text) }
                    });
                }
            }
        }
        None
    }

    fn is_free(&self, [left, top, right, bottom]: Area) -> bool {
        let [first, high, last, low] = self.within;
        let is_apart = |other: &Area| {
            right <= other[0] || left >= other[2] || bottom <= other[1] || top >= other[3]
        };
        let is_inside = left >= first && right <= last && top >= high && bottom <= low;
        is_inside && self.drawn.iter().chain(&self.written).all(is_apart)
    }
}
