//! Tables that fit the terminal, and figures that people read.

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
    Cell::new(figure_text(value)).set_alignment(CellAlignment::Right)
}

/// A cell with a count, to the right.
pub(crate) fn count(value: usize) -> Cell {
    Cell::new(value.to_string()).set_alignment(CellAlignment::Right)
}

/// A figure in at most six significant digits; whole numbers whole.
pub(crate) fn figure_text(value: Option<f64>) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    if value.fract().abs() < f64::MIN_POSITIVE && value.abs() < 1e15 {
        return format!("{value:.0}");
    }
    let magnitude = value.abs();
    if (1e-4..1e9).contains(&magnitude) {
        let digits = 5 - magnitude.log10().floor() as i32;
        let text = format!("{value:.*}", digits.clamp(0, 9) as usize);
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    } else {
        format!("{value:.4e}")
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
