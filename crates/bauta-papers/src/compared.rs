//! How a table or figure of a paper compares with ours: counted once, written in texts and on pages.

use crate::{heading, row};

/// One line of the summary: a table or figure, and how many of its printed cells ours match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compared {
    /// The table or figure, such as "Table 1".
    pub table: String,
    /// What was compared, such as "figures" or "sentences".
    pub what: &'static str,
    /// How many of them.
    pub compared: usize,
    /// How many are as the paper has them, by the rule that the table states.
    pub matching: usize,
    /// By which rule, and why the others differ.
    pub why: String,
}

impl Compared {
    /// A line.
    pub(crate) fn new(
        table: impl Into<String>,
        what: &'static str,
        [matching, compared]: [usize; 2],
        why: impl Into<String>,
    ) -> Self {
        let why: String = why.into();
        // A bar would end the cell of the table that the line becomes.
        debug_assert!(!why.contains('|'), "{why}");
        Self {
            table: table.into(),
            what,
            compared,
            matching,
            why,
        }
    }

    /// How many are not as the paper has them.
    pub fn differing(&self) -> usize {
        self.compared - self.matching
    }

    /// How many of what were compared; a dash where there was nothing.
    pub fn counted(&self) -> String {
        match self.compared {
            0 => "–".to_owned(),
            1 => format!("1 {}", self.what.trim_end_matches('s')),
            n => format!("{n} {}", self.what),
        }
    }

    /// The cells of its row, in the order of [`COLUMNS`].
    pub(crate) fn cells(&self) -> Vec<String> {
        vec![
            self.table.clone(),
            self.counted(),
            self.matching.to_string(),
            self.differing().to_string(),
            self.why.clone(),
        ]
    }
}

/// The headings of a summary.
const COLUMNS: [&str; 5] = ["table", "compared", "matching", "differing", "rule and why"];

/// The summary as a table of a text.
pub(crate) fn summary_table(lines: &[Compared]) -> String {
    let mut text = heading(&COLUMNS);
    for line in lines {
        text += &row(&line.cells());
    }
    text
}

/// How near figures of ours come to printed ones, where the paper's own file is not at hand.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Nearness {
    n: usize,
    /// The same to the printed digits.
    n_same: usize,
    /// Not the same, but within a tenth of the printed figure.
    n_within_a_tenth: usize,
    sum: f64,
    largest: f64,
}

impl Nearness {
    /// Takes in a printed figure and ours. `printed_to` is half of the last printed digit.
    pub(crate) fn take(&mut self, printed: f64, found: f64, printed_to: f64) {
        // Halves of the last digit may be rounded either way.
        let off = (found - printed).abs();
        self.n += 1;
        if off <= printed_to * (1.0 + 1e-9) {
            self.n_same += 1;
        } else if off <= 0.1 * printed.abs() {
            self.n_within_a_tenth += 1;
        }
        self.sum += off;
        self.largest = self.largest.max(off);
    }

    /// Matching and compared.
    pub(crate) fn counts(&self) -> [usize; 2] {
        [self.n_same, self.n]
    }

    /// How far the others are, with the unit of the figures.
    pub(crate) fn told(&self, unit: &str) -> String {
        format!(
            "{} more within a tenth of the printed figure; off by {:.2}{unit} in the mean, {:.2}{unit} at the most",
            self.n_within_a_tenth,
            self.sum / self.n.max(1) as f64,
            self.largest,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_what_differs() {
        let line = Compared::new("Table 1", "figures", [104, 117], "13 misprints");
        assert_eq!(line.differing(), 13);
        let one = Compared::new("Figure 4.2", "sentences", [1, 1], "");
        assert_eq!(one.counted(), "1 sentence");
        let text = summary_table(&[line]);
        assert!(text.ends_with("| Table 1 | 117 figures | 104 | 13 | 13 misprints |\n"));
    }

    #[test]
    fn nearness_tells_equal_digits_from_a_tenth() {
        let mut near = Nearness::default();
        // 16.04 is printed 16.0; 17.5 is within a tenth of 16.0; 20 is not.
        for found in [16.04, 17.5, 20.0] {
            near.take(16.0, found, 0.05);
        }
        assert_eq!(near.counts(), [1, 3]);
        // (0.04 + 1.5 + 4) / 3 = 1.85.
        assert_eq!(
            near.told(" points"),
            "1 more within a tenth of the printed figure; off by 1.85 points in the mean, 4.00 points at the most"
        );
    }
}
