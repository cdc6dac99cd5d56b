//! A variable as a small drawing beside its name: bars without axes, for the shape and not for the figures.

use std::fmt::Write as _;

use bauta_plan::work::pictures::ColumnPicture;
use maud::{Markup, html};

use crate::number::{count, number};
use crate::svg::{at, shortened};

/// Size of a picture in its own units.
const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 70.0;
/// Height of the line of words below the bars, and of their letters.
const WORDS: f64 = 16.0;
const LETTERS: f64 = 11.0;
/// Height of the mark of a bar that is not told.
const UNTOLD: f64 = 2.0;
/// Between two bars of categories.
const GAP: f64 = 2.0;

/// A picture of a variable as a small inline drawing that follows [`STYLE`](crate::STYLE). It has no anchors, so that
/// any number of them may stand on one page.
pub fn small_picture(picture: &ColumnPicture, name: &str) -> Markup {
    let drawing = Drawing::of(picture);
    html! {
        svg class="small-picture" viewBox=(format!("0 0 {} {}", at(WIDTH), at(HEIGHT))) width=(at(WIDTH))
            height=(at(HEIGHT)) role="img" aria-label={ (name) ": " (drawing.words) }
            font-family="system-ui, sans-serif" font-size=(at(LETTERS)) fill="currentColor" {
            title { (name) }
            desc { (drawing.words) }
            @for bar in &drawing.bars { (rect(bar)) }
            path class="axis" d=(format!("M0 {}H{}", at(HEIGHT - WORDS), at(WIDTH))) stroke="#545c66" fill="none" {}
            text class="axis-name" x="0" y=(at(HEIGHT - 4.0)) { (drawing.left) }
            text class="axis-name" x=(at(WIDTH)) y=(at(HEIGHT - 4.0)) text-anchor="end" { (drawing.right) }
        }
    }
}

/// What is drawn, and what is said of it.
struct Drawing {
    bars: Vec<Bar>,
    left: String,
    right: String,
    words: String,
}

/// A bar: from where, how wide, how high in [0, 1], and what it says. Without a height it is not told.
struct Bar {
    x: f64,
    width: f64,
    height: Option<f64>,
    says: String,
}

fn rect(bar: &Bar) -> Markup {
    let room = HEIGHT - WORDS - 2.0;
    let height = bar.height.map_or(UNTOLD, |share| (share * room).max(1.0));
    let class = if bar.height.is_some() {
        "bin"
    } else {
        "bin second"
    };
    let colour = if bar.height.is_some() {
        "#0067a5"
    } else {
        "#a65e00"
    };
    html! {
        rect class=(class) x=(at(bar.x)) y=(at(HEIGHT - WORDS - height)) width=(at(bar.width)) height=(at(height))
            fill=(colour) fill-opacity="0.22" { title { (bar.says) } }
    }
}

impl Drawing {
    fn of(picture: &ColumnPicture) -> Self {
        match picture {
            ColumnPicture::Categories {
                bars,
                n_withheld_categories,
                n_withheld_records,
                n_missing,
            } => Self::of_categories(
                bars,
                *n_withheld_categories,
                *n_withheld_records,
                *n_missing,
            ),
            ColumnPicture::Histogram {
                edges,
                counts,
                n_outside,
                n_missing,
            } => Self::of_histogram(edges, counts, *n_outside, *n_missing),
            ColumnPicture::Distinct {
                n_distinct,
                n_missing,
            } => {
                let said = format!("{} different values", count(*n_distinct));
                Self {
                    bars: Vec::new(),
                    words: format!("{said}.{}", missing_in_words(*n_missing)),
                    left: said,
                    right: missing(*n_missing),
                }
            }
        }
    }

    fn of_categories(
        categories: &[(String, u64)],
        n_withheld: usize,
        n_withheld_records: u64,
        n_missing: Option<u64>,
    ) -> Self {
        // Withheld ones together are a bar like others, at the end.
        let rest = (n_withheld > 0).then(|| others_in_words(n_withheld, n_withheld_records));
        let told = categories.iter().map(|(_, n_records)| *n_records);
        let highest = told.chain([n_withheld_records]).max().unwrap_or(0).max(1) as f64;
        let n_bars = categories.len() + usize::from(rest.is_some());
        let width = (WIDTH / n_bars.max(1) as f64 - GAP).min(WIDTH / 4.0);
        let place = |at: usize| at as f64 * (width + GAP);
        let share = |n_records: u64| n_records as f64 / highest;
        let mut words = match categories.len() {
            0 => "No category of ten records.".to_owned(),
            1 => "One category.".to_owned(),
            n => format!("{n} categories."),
        };
        let mut bars = Vec::with_capacity(n_bars);
        for (idx, (category, n_records)) in categories.iter().enumerate() {
            let says = format!("{category}: {}", count(*n_records));
            let _ = write!(words, " {says}.");
            bars.push(Bar {
                x: place(idx),
                width,
                height: Some(share(*n_records)),
                says,
            });
        }
        if let Some(says) = rest {
            let _ = write!(words, " {says}.");
            bars.push(Bar {
                x: place(categories.len()),
                width,
                height: Some(n_withheld_records).filter(|n| *n > 0).map(share),
                says,
            });
        }
        words.push_str(&missing_in_words(n_missing));
        let right = missing(n_missing);
        let room = WIDTH - 8.0 - crate::svg::width(&right, LETTERS);
        let names: Vec<&str> = categories
            .iter()
            .map(|(category, _)| category.as_str())
            .collect();
        Self {
            left: shortened(&names.join(", "), LETTERS, room),
            bars,
            right,
            words,
        }
    }

    fn of_histogram(
        edges: &[f64],
        counts: &[Option<u64>],
        n_outside: u64,
        n_missing: Option<u64>,
    ) -> Self {
        let highest = counts.iter().flatten().max().copied().unwrap_or(0).max(1) as f64;
        let width = WIDTH / counts.len().max(1) as f64;
        let mut words = match (edges.first(), edges.last()) {
            (Some(first), Some(last)) => {
                format!("Histogram from {} to {}.", number(*first), number(*last))
            }
            _ => "Too few records for a histogram.".to_owned(),
        };
        let mut bars = Vec::with_capacity(counts.len());
        for (idx, (ends, n_records)) in edges.windows(2).zip(counts).enumerate() {
            let records = n_records.map_or_else(|| FEWER.to_owned(), count);
            let says = format!("{} to {}: {records}", number(ends[0]), number(ends[1]));
            if n_records.is_some() {
                let _ = write!(words, " {says}.");
            }
            bars.push(Bar {
                x: idx as f64 * width,
                width,
                height: n_records.map(|n_records| n_records as f64 / highest),
                says,
            });
        }
        if n_outside > 0 {
            let _ = write!(words, " Beyond: {}.", count(n_outside));
        }
        words.push_str(&missing_in_words(n_missing));
        let end = |edge: Option<&f64>| edge.map_or_else(String::new, |edge| number(*edge));
        Self {
            bars,
            left: end(edges.first()),
            right: end(edges.last()),
            words,
        }
    }
}

/// What stands for a count that is not told.
const FEWER: &str = "fewer than ten";

fn others_in_words(n_categories: usize, n_records: u64) -> String {
    let others = match n_categories {
        1 => "one other category".to_owned(),
        n => format!("{} other categories", count(n as u64)),
    };
    match n_records {
        0 => format!("{others}: {FEWER}"),
        n => format!("{others}: {}", count(n)),
    }
}

fn missing(n_missing: Option<u64>) -> String {
    n_missing.map_or_else(String::new, |n| format!("{} missing", count(n)))
}

fn missing_in_words(n_missing: Option<u64>) -> String {
    n_missing.map_or_else(String::new, |n| format!(" {} without a value.", count(n)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(picture: &ColumnPicture) -> String {
        small_picture(picture, "region <1>").into_string()
    }

    #[test]
    fn categories_are_bars_and_those_withheld_one_together() {
        let svg = drawn(&ColumnPicture::Categories {
            bars: vec![("north & east".to_owned(), 1200), ("south".to_owned(), 600)],
            n_withheld_categories: 3,
            n_withheld_records: 40,
            n_missing: Some(12),
        });
        assert_eq!(svg.matches("<rect").count(), 3);
        assert!(svg.contains("<title>region &lt;1&gt;</title>"), "{svg}");
        assert!(
            svg.contains("2 categories. north &amp; east: 1\u{202f}200. south: 600."),
            "{svg}"
        );
        assert!(svg.contains("3 other categories: 40.") && svg.contains("12 without a value."));
        // The room of 52 units for the most frequent, half of it for one of half as many.
        assert!(
            svg.contains("height=\"52\"") && svg.contains("height=\"26\""),
            "{svg}"
        );
    }

    #[test]
    fn bars_that_are_not_told_are_marks() {
        let svg = drawn(&ColumnPicture::Histogram {
            edges: vec![0.0, 500.0, 1000.0],
            counts: vec![Some(30), None],
            n_outside: 0,
            n_missing: None,
        });
        assert!(
            svg.contains("Histogram from 0 to 1\u{202f}000. 0 to 500: 30.</desc>"),
            "{svg}"
        );
        assert!(svg.contains("height=\"2\"") && svg.contains("fewer than ten"));
    }

    #[test]
    fn every_picture_works_without_style_and_anchors() {
        let all = [
            ColumnPicture::Distinct {
                n_distinct: 2000,
                n_missing: None,
            },
            ColumnPicture::Categories {
                bars: Vec::new(),
                n_withheld_categories: 1,
                n_withheld_records: 0,
                n_missing: None,
            },
            ColumnPicture::Histogram {
                edges: Vec::new(),
                counts: Vec::new(),
                n_outside: 0,
                n_missing: Some(10),
            },
        ];
        for picture in &all {
            let svg = drawn(picture);
            for never in [" style=", "<style", "<script", " id=", "NaN", "inf"] {
                assert!(!svg.contains(never), "{never}: {svg}");
            }
        }
        assert!(drawn(&all[0]).contains("2\u{202f}000 different values"));
    }
}
