//! Tables that fit the terminal, and figures that people read.

use std::fmt;

use bauta_data::number::number_text;
use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets,
};

use crate::screen;

/// A table that breaks no word: where not even the longest words fit side by side, its rows stand below each other.
pub(crate) struct Shown {
    headings: Vec<String>,
    rows: Vec<Vec<Cell>>,
    width: usize,
}

/// A table with these headings.
pub(crate) fn table<'h>(headings: impl IntoIterator<Item = &'h str>) -> Shown {
    Shown {
        headings: headings.into_iter().map(str::to_owned).collect(),
        rows: Vec::new(),
        width: screen::width(),
    }
}

impl Shown {
    /// Adds a row.
    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = Cell>) -> &mut Self {
        self.rows.push(cells.into_iter().collect());
        self
    }

    /// Whether it has no row.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The longest word of each column.
    fn longest_words(&self) -> Vec<usize> {
        let longest = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let texts = cells.map(Cell::content);
            let texts = texts.chain([self.headings[column].clone()]);
            let words = texts.map(|text| longest_word(&text));
            words.max().unwrap_or(0)
        };
        (0..self.headings.len()).map(longest).collect()
    }

    /// The columns side by side.
    fn side_by_side(&self, longest: &[usize]) -> Table {
        let mut table = Table::new();
        table
            .load_style(presets::ASCII_MARKDOWN)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_header(self.headings.iter())
            .set_width(u16::try_from(self.width).unwrap_or(u16::MAX));
        for row in &self.rows {
            table.add_row(row.iter().cloned());
        }
        for (column, word) in table.column_iter_mut().zip(longest) {
            let least = u16::try_from(word + PADDING).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(least)));
        }
        table
    }

    /// A block of lines for each row: the first cell, and below it the others under their headings.
    fn one_below_the_other(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut between = "";
        for row in &self.rows {
            let mut cells = row.iter().map(Cell::content);
            write!(out, "{between}{}", cells.next().unwrap_or_default())?;
            for (heading, cell) in self.headings.iter().skip(1).zip(cells) {
                if !cell.is_empty() {
                    let line = format!("  {heading}: {}", cell.replace('\n', ", "));
                    write!(out, "\n{}", screen::wrapped(&line, self.width))?;
                }
            }
            between = "\n";
        }
        Ok(())
    }
}

/// Blanks on both sides of a cell.
const PADDING: usize = 2;

impl fmt::Display for Shown {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let longest = self.longest_words();
        let bars = longest.len() + 1;
        let least: usize = longest.iter().map(|word| word + PADDING).sum();
        if least + bars > self.width {
            return self.one_below_the_other(out);
        }
        write!(out, "{}", self.side_by_side(&longest))
    }
}

fn longest_word(text: &str) -> usize {
    let words = text.split([' ', '\n']).map(|word| word.chars().count());
    words.max().unwrap_or(0)
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
    number_cell(count_text(value as u64))
}

/// A number of records, cells or the like: 12,901.
pub(crate) fn count_text(value: u64) -> String {
    grouped(&value.to_string())
}

/// Significant digits of a figure that nobody judges, and of one that is nearly nothing.
const DIGITS: i32 = 4;
const DIGITS_OF_LITTLE: i32 = 2;
/// Where a figure is nearly nothing.
const LITTLE: f64 = 1e-4;

/// A figure as people write it: about four digits, whole numbers whole, thousands apart.
pub(crate) fn figure_text(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), usual)
}

fn usual(value: f64) -> String {
    let is_little = value.abs() < LITTLE;
    figure_with(value, if is_little { DIGITS_OF_LITTLE } else { DIGITS })
}

/// A total: whole where it is but for the noise of adding up, and with two decimals at the most where it is large.
pub(crate) fn total_text(value: f64) -> String {
    let nearest = value.round();
    if (value - nearest).abs() <= 1e-9 * value.abs().max(1.0) {
        return figure_with(nearest, DIGITS);
    }
    if value.abs() < 100.0 {
        return usual(value);
    }
    let decimals = format!("{value:.2}");
    let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
    grouped(decimals)
}

/// A figure that is compared with limits: as many digits as show on which side of each it lies.
pub(crate) fn figure_beside(value: Option<f64>, limits: &[f64]) -> String {
    let Some(value) = value else {
        return "-".to_owned();
    };
    let shows_side = |text: &String| {
        let shown: f64 = text.replace(',', "").parse().unwrap_or(f64::NAN);
        let same = |limit: &f64| value.total_cmp(limit) == shown.total_cmp(limit);
        limits.iter().all(same)
    };
    std::iter::once(usual(value))
        .chain((DIGITS..=17).map(|digits| figure_with(value, digits)))
        .find(shows_side)
        .unwrap_or_else(|| number_text(value))
}

/// A figure in at most so many significant digits; whole numbers whole.
fn figure_with(value: f64, digits: i32) -> String {
    if value.fract().abs() < f64::MIN_POSITIVE && value.abs() < 1e15 {
        return grouped(&format!("{value:.0}"));
    }
    let magnitude = value.abs();
    if !(1e-6..1e9).contains(&magnitude) {
        let text = format!("{value:.*e}", (digits - 1).max(0) as usize);
        return match text.split_once('e') {
            Some((number, exponent)) => format!("{}e{exponent}", without_zeros(number)),
            None => text,
        };
    }
    let decimals = digits - 1 - magnitude.log10().floor() as i32;
    let text = format!("{value:.*}", decimals.max(0) as usize);
    // Zeros that are left say that it is not the whole number that it is nearly.
    match without_zeros(&text) {
        whole if !whole.contains('.') => grouped(&text),
        short => grouped(short),
    }
}

fn without_zeros(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}

/// The digits before the point in threes.
fn grouped(text: &str) -> String {
    let (whole, rest) = match text.find('.') {
        Some(point) => text.split_at(point),
        None => (text, ""),
    };
    let (sign, digits) = match whole.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", whole),
    };
    let mut out = String::from(sign);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
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
        let short = (DIGITS..=17).map(|digits| figure_with(percent, digits));
        let mut short = short.filter(|text| text.parse::<f64>().is_ok_and(|shown| shown < 100.0));
        format!("{} %", short.next().unwrap_or_else(|| number_text(percent)))
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
    fn figures_are_as_people_write_them() {
        let cases = [
            (None, "-"),
            (Some(3.0), "3"),
            (Some(0.210_698_435), "0.2107"),
            (Some(12_901.0), "12,901"),
            (Some(12_901.5), "12,902"),
            (Some(-1_234_567.0), "-1,234,567"),
            (Some(8.7883e-6), "0.0000088"),
            (Some(9.611e-5), "0.000096"),
            (Some(1.5e-7), "1.5e-7"),
            (Some(0.0), "0"),
            (Some(196_039.81), "196,040"),
            (Some(0.99996), "1.0000"),
            (Some(2.5), "2.5"),
            (Some(1e300), "1e300"),
        ];
        for (value, expected) in cases {
            assert_eq!(figure_text(value), expected);
        }
    }

    #[test]
    fn a_figure_beside_a_limit_shows_on_which_side_it_lies() {
        let cases = [
            (3.0, 3.0, "3"),
            (2.999_999_999_999_999_6, 3.0, "2.9999999999999996"),
            (0.1 + 0.2, 0.3, "0.30000000000000004"),
            (0.123_456_78, 0.123_456_79, "0.12345678"),
            (0.210_698_435, 0.1, "0.2107"),
            (0.000_050_4, 0.000_05, "0.0000504"),
            (1_234.4, 1_234.2, "1,234.4"),
            (1.000_000_01e-7, 1e-7, "1.00000001e-7"),
            (1e15 + 0.5, 1e15, "1.0000000000000005e15"),
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

    fn printed(width: usize, rows: &[[&str; 3]]) -> String {
        let mut shown = table(["variable", "figure", "what it means"]);
        shown.width = width;
        for row in rows {
            shown.add_row(row.map(text));
        }
        shown.to_string()
    }

    #[test]
    fn no_word_is_broken_and_no_line_is_too_long() {
        let meaning =
            "records in classes smaller than the prescribed one, before and after masking";
        let rows = [
            ["a_variable_with_a_rather_long_name", "0.5", meaning],
            ["b", "12,901", "re-identifications"],
        ];
        let words: Vec<&str> = rows
            .iter()
            .flatten()
            .flat_map(|cell| cell.split(' '))
            .collect();
        for width in [120, 80, 70, 60, 50] {
            let shown = printed(width, &rows);
            assert!(
                shown.lines().all(|line| line.chars().count() <= width),
                "{shown}"
            );
            assert!(
                words.iter().all(|word| shown.contains(word)),
                "{width}:\n{shown}"
            );
        }
        assert!(
            printed(50, &rows).starts_with("a_variable_with_a_rather_long_name\n  figure: 0.5\n")
        );
        assert!(printed(80, &rows).starts_with("| variable"));
    }
}
