//! Which texts and numbers of a column mean that there is no value.

use crate::missing::{MissingCause, MissingCells, MissingMark, MissingRules};
use crate::number::{number_text, parse_number};

/// Tells which texts of one column mean that there is no value.
#[derive(Clone)]
pub(super) struct MissingMatcher {
    marks: Vec<MissingMark>,
    /// For each mark whose text is just a number as we write it: that number.
    numbers: Vec<Option<f64>>,
    any_number: bool,
    /// Bit n is set if some mark has n bytes (bit 63: 63 or more). Most cells fail this test.
    lengths: u64,
    /// Whether some mark starts with this byte: cells with numbers pass most marks by that.
    first_bytes: [bool; 256],
}

impl MissingMatcher {
    /// States are bytes; room is left for marks that readers and masks add.
    pub(super) const MAX_MARKS: usize = 250;

    pub(super) fn new(rules: &MissingRules) -> Self {
        let mut marks = rules.marks();
        marks.truncate(Self::MAX_MARKS);
        let numbers: Vec<Option<f64>> = marks
            .iter()
            .map(|mark| parse_number(&mark.text).filter(|&value| number_text(value) == mark.text))
            .collect();
        let lengths = marks
            .iter()
            .fold(0, |bits, mark| bits | length_bit(&mark.text));
        let mut first_bytes = [false; 256];
        for first in marks.iter().filter_map(|mark| mark.text.bytes().next()) {
            first_bytes[usize::from(first)] = true;
        }
        Self {
            any_number: numbers.iter().any(Option::is_some),
            marks,
            numbers,
            lengths,
            first_bytes,
        }
    }

    /// The state of a cell with this text: 0 where it holds a value. A code with a meaning wins
    /// over a text without.
    #[inline]
    pub(super) fn state(&self, text: &str) -> u8 {
        if self.lengths & length_bit(text) == 0 {
            return 0;
        }
        let first = text.as_bytes().first();
        if first.is_some_and(|&first| !self.first_bytes[usize::from(first)]) {
            return 0;
        }
        let position = self.marks.iter().rposition(|mark| mark.text == text);
        position.map_or(0, |position| (position + 1) as u8)
    }

    /// The state of a cell with this number.
    pub(super) fn state_of_number(&self, value: f64) -> u8 {
        if !self.any_number {
            return 0;
        }
        let position = self
            .numbers
            .iter()
            .rposition(|&number| number == Some(value));
        position.map_or(0, |position| (position + 1) as u8)
    }

    /// Whether some number means that there is no value.
    pub(super) fn knows_numbers(&self) -> bool {
        self.any_number
    }

    /// The state of a cell that its source has as "no value", written as `text`.
    pub(super) fn source_state(&mut self, text: &str) -> u8 {
        let wanted = |mark: &MissingMark| mark.text == text && mark.cause == MissingCause::Source;
        let position = self.marks.iter().position(wanted).unwrap_or_else(|| {
            self.marks.push(MissingMark {
                text: text.to_owned(),
                cause: MissingCause::Source,
            });
            self.numbers.push(None);
            self.marks.len() - 1
        });
        (position + 1) as u8
    }

    /// The text of a cell in this state.
    pub(super) fn text(&self, state: u8) -> &str {
        let mark = usize::from(state).checked_sub(1);
        mark.and_then(|mark| self.marks.get(mark))
            .map_or("", |mark| &mark.text)
    }

    /// The marks that states point to.
    pub(super) fn into_marks(self) -> Vec<MissingMark> {
        self.marks
    }

    /// The missing cells with these states.
    pub(super) fn cells(self, states: Vec<u8>) -> Option<MissingCells> {
        MissingCells::new(states, self.marks)
    }
}

fn length_bit(text: &str) -> u64 {
    1 << text.len().min(63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_matches_the_mark_that_is_written_like_it() {
        let rules = MissingRules {
            texts: vec!["-9".to_owned(), "07".to_owned()],
            codes: Vec::new(),
        };
        let matcher = MissingMatcher::new(&rules);
        assert_eq!(matcher.state_of_number(-9.0), 1);
        assert_eq!(matcher.state_of_number(7.0), 0);
    }
}
