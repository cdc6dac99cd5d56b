//! Tables that fit the terminal, and figures that people read.

use bauta_data::number::number_text;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};

/// A table with these headings.
pub(crate) fn table<'h>(headings: impl IntoIterator<Item = &'h str>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::ASCII_MARKDOWN)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header(headings);
    if table.width().is_none() {
        // Not a terminal: a width that fits a page.
        table.set_width(100);
    }
    table
}

/// A cell of text.
pub(crate) fn text(content: impl Into<String>) -> Cell {
    Cell::new(content.into())
}

/// A cell with a figure, to the right.
pub(crate) fn figure(value: Option<f64>) -> Cell {
    number_cell(figure_text(value))
}

/// A cell with a number that is written already, to the right.
pub(crate) fn number_cell(text: String) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// A cell with a count, to the right.
pub(crate) fn count(value: usize) -> Cell {
    Cell::new(value.to_string()).set_alignment(CellAlignment::Right)
}

/// A figure in at most six significant digits; whole numbers whole.
pub(crate) fn figure_text(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| figure_with(value, 6))
}

/// A figure that is compared with limits: as many digits as show on which side of each it lies.
pub(crate) fn figure_beside(value: Option<f64>, limits: &[f64]) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    let shows_side = |text: &String| {
        let shown: f64 = text.parse().unwrap_or(f64::NAN);
        let same = |limit: &f64| value.total_cmp(limit) == shown.total_cmp(limit);
        limits.iter().all(same)
    };
    (6..=17)
        .map(|digits| figure_with(value, digits))
        .find(shows_side)
        .unwrap_or_else(|| number_text(value))
}

/// A figure in at most so many significant digits, which are six or more; whole numbers whole.
fn figure_with(value: f64, digits: i32) -> String {
    if value.fract().abs() < f64::MIN_POSITIVE && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let magnitude = value.abs();
    if (1e-4..1e9).contains(&magnitude) {
        let decimals = digits - 1 - magnitude.log10().floor() as i32;
        let text = format!("{value:.*}", decimals.max(0) as usize);
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        format!("{value:.*e}", (digits - 2) as usize)
    }
}

/// A fraction in percent, with two digits, or more where it is nearly everything.
pub(crate) fn percent(value: Option<f64>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    let percent = 100.0 * value;
    if value == 0.0 {
        "0 %".to_owned()
    } else if percent < 1e-6 {
        format!("{percent:.0e} %")
    } else if percent >= 99.0 && value < 1.0 {
        format!("{} %", figure_text(Some(percent)))
    } else {
        let digits = 1 - percent.log10().floor() as i32;
        let text = format!("{percent:.*}", digits.max(0) as usize);
        format!("{text} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let texts = [
            None,
            Some(3.0),
            Some(0.210_698_435),
            Some(12_901.5),
            Some(1.5e-7),
            Some(0.0),
            Some(196_039.81),
            Some(100_000.2),
        ];
        assert_eq!(
            texts.map(figure_text),
            [
                "-",
                "3",
                "0.210698",
                "12901.5",
                "1.5000e-7",
                "0",
                "196040",
                "100000"
            ]
        );
    }

    #[test]
    fn a_figure_beside_a_limit_shows_on_which_side_it_lies() {
        let cases = [
            (3.0, 3.0, "3"),
            (2.999_999_999_999_999_6, 3.0, "2.9999999999999996"),
            (0.1 + 0.2, 0.3, "0.30000000000000004"),
            (0.123_456_78, 0.123_456_79, "0.12345678"),
            (0.210_698_435, 0.1, "0.210698"),
            (1.000_000_01e-7, 1e-7, "1.00000001e-7"),
            (1e15 + 0.5, 1e15, "1000000000000000.5"),
        ];
        for (value, limit, expected) in cases {
            assert_eq!(figure_beside(Some(value), &[limit]), expected);
        }
        assert_eq!(figure_beside(None, &[1.0]), "-");
    }

    #[test]
    fn shares_have_two_digits_and_never_round_to_all() {
        let texts = [0.0, 0.000_232_54, 0.1, 0.5, 0.123_45, 0.999_99, 1.0, 2e-9];
        assert_eq!(
            texts.map(|share| percent(Some(share))),
            [
                "0 %", "0.023 %", "10 %", "50 %", "12 %", "99.999 %", "100 %", "2e-7 %"
            ]
        );
        assert_eq!(percent(None), "-");
    }
}
