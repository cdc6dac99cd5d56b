//! Maps of figures for pairs of variables: the triangle below the diagonal, one field per pair.

use maud::{Markup, html};

use super::frame::{SIZE, WIDTH, at};
use super::text::{shortened, widest};
use crate::number::Written as _;
use crate::number::{Unit, settled};

/// Widest column of names beside the fields.
const MAX_LABEL: f64 = 110.0;
/// Variables beyond which fields are too small to be read.
const MAX_VARIABLES: usize = 40;
/// Fields at least so wide carry their figure.
const WIDE_ENOUGH: f64 = 34.0;

/// A map of figures for pairs of variables; none for fewer than two or too many variables.
///
/// The colour's strength grows with the figure's size, and its hue says the sign; a sign and the
/// figure stand in the field where there is room, and in its tooltip always.
pub fn heat_map(
    id: &str,
    title: &str,
    variables: &[String],
    below_diagonal: &[Vec<Option<f64>>],
) -> Option<Markup> {
    let n = variables.len();
    if !(2..=MAX_VARIABLES).contains(&n) || below_diagonal.len() != n {
        return None;
    }
    let labels = widest(variables.iter().map(String::as_str), SIZE).min(MAX_LABEL);
    let left = labels + 8.0;
    let field = ((WIDTH - left) / (n - 1) as f64).min(56.0);
    let height = field.clamp(14.0, 30.0);
    let sizes = figures(below_diagonal).map(|value| settled(value).abs());
    let largest = sizes.fold(0.0, f64::max);
    let bottom = height * (n - 1) as f64;
    // Names below the columns stand upright, since most are longer than a field is wide.
    let total = bottom + labels + 16.0;
    let drawing = html! {
        @for j in 1..n {
            @let y = height * (j - 1) as f64;
            text x=(at(left - 6.0)) y=(at(y + height / 2.0 + 4.0)) text-anchor="end" {
                (shortened(&variables[j], SIZE, MAX_LABEL))
            }
            @for (k, value) in below_diagonal[j].iter().take(j).enumerate() {
                @let x = left + field * k as f64;
                (one_field(&variables[j], &variables[k], *value, largest, [x, y, field, height]))
            }
        }
        @for (k, name) in variables.iter().take(n - 1).enumerate() {
            @let x = left + field * (k as f64 + 0.5) + 4.0;
            text x=(at(x)) y=(at(bottom + 8.0)) text-anchor="end"
                transform=(format!("rotate(-90 {} {})", at(x), at(bottom + 8.0))) {
                (shortened(name, SIZE, MAX_LABEL))
            }
        }
    };
    Some(html! {
        svg viewBox=(format!("0 0 {} {}", at(WIDTH), at(total))) width=(at(WIDTH)) height=(at(total))
            role="img" aria-labelledby={ (id) "-title " (id) "-desc" }
            font-family="system-ui, sans-serif" font-size=(at(SIZE)) fill="currentColor" {
            title id={ (id) "-title" } { (title) }
            desc id={ (id) "-desc" } { (described(variables, below_diagonal)) }
            (drawing)
        }
    })
}

fn figures(below_diagonal: &[Vec<Option<f64>>]) -> impl Iterator<Item = f64> {
    let all = below_diagonal.iter().flatten().flatten().copied();
    all.filter(|value| value.is_finite())
}

fn one_field(
    row: &str,
    column: &str,
    value: Option<f64>,
    largest: f64,
    [x, y, w, h]: [f64; 4],
) -> Markup {
    let value = value.filter(|value| value.is_finite()).map(settled);
    let words = format!("{row} and {column}: {}", Unit::Number.text_or_dash(value));
    let strength = value.map_or(0.0, |value| {
        if largest > 0.0 {
            0.85 * value.abs() / largest
        } else {
            0.0
        }
    });
    let (class, colour) = if value.is_some_and(|value| value < 0.0) {
        ("heat-down", "#0067a5")
    } else {
        ("heat-up", "#a65e00")
    };
    html! {
        g {
            title { (words) }
            rect class=(class) x=(at(x)) y=(at(y)) width=(at(w)) height=(at(h)) fill=(colour)
                fill-opacity=(format!("{strength:.2}")) {}
            rect class="heat-edge" x=(at(x)) y=(at(y)) width=(at(w)) height=(at(h)) fill="none"
                stroke="currentColor" stroke-opacity="0.2" {}
            @if w >= WIDE_ENOUGH {
                text class="figure" x=(at(x + w / 2.0)) y=(at(y + h / 2.0 + 4.0)) text-anchor="middle"
                    font-size="10" { (short(value)) }
            }
        }
    }
}

/// Two decimals with a sign: a field has no room for more.
fn short(value: Option<f64>) -> String {
    match value.map(|value| format!("{value:+.2}")).as_deref() {
        None => "–".to_owned(),
        Some("+0.00" | "-0.00") => "0".to_owned(),
        Some(text) => text.replace('-', "−"),
    }
}

/// The largest figures in words, for readers who do not see the map.
fn described(variables: &[String], below_diagonal: &[Vec<Option<f64>>]) -> String {
    let mut pairs: Vec<(f64, String)> = Vec::new();
    for (j, row) in below_diagonal.iter().enumerate() {
        for (k, value) in row.iter().take(j).enumerate() {
            if let Some(value) = value.filter(|value| value.is_finite()) {
                pairs.push((value, format!("{} and {}", variables[j], variables[k])));
            }
        }
    }
    pairs.sort_by(|(a, _), (b, _)| b.abs().total_cmp(&a.abs()));
    let largest: Vec<String> = pairs
        .iter()
        .take(10)
        .map(|(value, names)| format!("{names}: {}", Unit::Number.text_or_dash(Some(*value))))
        .collect();
    format!(
        "Map of pairs of variables. Largest: {}.",
        largest.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> Vec<String> {
        (0..n).map(|j| format!("variable {j}")).collect()
    }

    #[test]
    fn every_pair_has_a_field_with_its_figure() {
        let rows = vec![vec![], vec![Some(0.25)], vec![Some(-0.5), None]];
        let svg = heat_map("h", "Differences", &names(3), &rows)
            .expect("a map")
            .0;
        assert_eq!(svg.matches("heat-edge").count(), 3);
        assert!(
            svg.contains("variable 2 and variable 0: −0.5")
                || svg.contains("variable 2 and variable 0: -0.5")
        );
        assert!(svg.contains("+0.25") && svg.contains("−0.50") && svg.contains(">–<"));
        // The largest figure has the strongest colour, half of it half as strong.
        assert!(svg.contains("fill-opacity=\"0.85\"") && svg.contains("fill-opacity=\"0.42\""));
    }

    #[test]
    fn what_cannot_be_read_is_not_drawn() {
        let full =
            |n: usize| -> Vec<Vec<Option<f64>>> { (0..n).map(|j| vec![Some(0.0); j]).collect() };
        assert!(heat_map("h", "t", &names(1), &full(1)).is_none());
        assert!(heat_map("h", "t", &names(41), &full(41)).is_none());
        let svg = heat_map("h", "t", &names(40), &full(40)).expect("a map").0;
        assert!(!svg.contains("NaN"));
    }
}
