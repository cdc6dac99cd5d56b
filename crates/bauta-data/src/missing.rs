//! Why a cell is empty, and how empty cells count.

use crate::number::parse_label;

/// Why a cell holds no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MissingCause {
    /// The source had no value.
    Source,
    /// The source had a code that its owner declared as missing (refused, not applicable).
    User(String),
    /// A mask removed the value.
    Suppressed,
}

/// A text that stands for "no value" in one column, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingMark {
    /// The text in the file, kept so that it is written as it was read.
    pub text: String,
    /// Why there is no value.
    pub cause: MissingCause,
}

/// Which texts of a file mean "no value".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingRules {
    /// Texts that mean that the source has no value.
    pub texts: Vec<String>,
    /// Codes with a meaning of their own: (text in the file, what it means).
    pub codes: Vec<(String, String)>,
}

impl Default for MissingRules {
    /// The empty field and `NA`, which no survey uses for anything else.
    fn default() -> Self {
        Self {
            texts: vec![String::new(), "NA".to_owned()],
            codes: Vec::new(),
        }
    }
}

impl MissingRules {
    /// The rules without texts that are numbers: what means refused in an answer is a number like any other in a
    /// weight, or the number of a household.
    #[must_use]
    pub fn without_numbers(&self) -> Self {
        let is_word = |text: &str| parse_label(text).is_none();
        let texts = self.texts.iter().filter(|text| is_word(text));
        let codes = self.codes.iter().filter(|(text, _)| is_word(text));
        Self {
            texts: texts.cloned().collect(),
            codes: codes.cloned().collect(),
        }
    }

    /// The marks that these rules give, in a fixed order: texts first, then codes.
    pub fn marks(&self) -> Vec<MissingMark> {
        let texts = self.texts.iter().map(|text| MissingMark {
            text: text.clone(),
            cause: MissingCause::Source,
        });
        let codes = self.codes.iter().map(|(text, meaning)| MissingMark {
            text: text.clone(),
            cause: MissingCause::User(meaning.clone()),
        });
        texts.chain(codes).collect()
    }
}

/// Which cells of a column are missing. Cell state 0 is present; state m > 0 is `marks[m - 1]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingCells {
    states: Vec<u8>,
    marks: Vec<MissingMark>,
}

impl MissingCells {
    /// Cells with the given states; `None` when every cell is present.
    pub fn new(states: Vec<u8>, marks: Vec<MissingMark>) -> Option<Self> {
        assert!(
            states
                .iter()
                .all(|&state| usize::from(state) <= marks.len())
        );
        states
            .iter()
            .any(|&state| state != 0)
            .then_some(Self { states, marks })
    }

    /// Whether the cell of this record holds no value.
    pub fn is_missing(&self, record: usize) -> bool {
        self.states[record] != 0
    }

    /// Why the cell of this record holds no value, if it holds none.
    pub fn mark(&self, record: usize) -> Option<&MissingMark> {
        match self.states[record] {
            0 => None,
            state => Some(&self.marks[usize::from(state) - 1]),
        }
    }

    /// State per record: 0 is present.
    pub fn states(&self) -> &[u8] {
        &self.states
    }

    /// The marks that states above 0 point to.
    pub fn marks(&self) -> &[MissingMark] {
        &self.marks
    }

    /// Number of cells without a value.
    pub fn count(&self) -> usize {
        self.states.iter().filter(|&&state| state != 0).count()
    }

    /// Number of cells whose value a mask removed.
    pub fn n_suppressed(&self) -> usize {
        let is_suppressed = |&&state: &&u8| {
            let mark = usize::from(state).checked_sub(1);
            mark.is_some_and(|mark| self.marks[mark].cause == MissingCause::Suppressed)
        };
        self.states.iter().filter(is_suppressed).count()
    }

    /// Whether a mask may have removed values: there is a mark for it.
    pub fn knows_suppression(&self) -> bool {
        let mut marks = self.marks.iter();
        marks.any(|mark| mark.cause == MissingCause::Suppressed)
    }

    /// Sets the text that suppressed cells are written as.
    pub fn set_suppressed_text(&mut self, text: &str) {
        for mark in &mut self.marks {
            if mark.cause == MissingCause::Suppressed {
                text.clone_into(&mut mark.text);
            }
        }
    }

    /// The same cells for a choice of records, in that order.
    pub fn take(&self, records: &[u32]) -> Option<Self> {
        let states = records
            .iter()
            .map(|&record| self.states[record as usize])
            .collect();
        Self::new(states, self.marks.clone())
    }

    /// Adds suppressed cells. Cells that are missing already keep their own cause.
    pub fn suppress(existing: Option<&Self>, records: &[u32], n_records: usize) -> Option<Self> {
        let mut states = existing.map_or_else(|| vec![0; n_records], |cells| cells.states.clone());
        let mut marks = existing.map_or_else(Vec::new, |cells| cells.marks.clone());
        let position = marks
            .iter()
            .position(|mark| mark.cause == MissingCause::Suppressed)
            .unwrap_or_else(|| {
                marks.push(MissingMark {
                    text: String::new(),
                    cause: MissingCause::Suppressed,
                });
                marks.len() - 1
            });
        let suppressed = u8::try_from(position + 1).expect("a column has fewer than 255 marks");
        for &record in records {
            let state = &mut states[record as usize];
            if *state == 0 {
                *state = suppressed;
            }
        }
        Self::new(states, marks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suppression_keeps_the_cause_of_cells_that_were_missing_before() {
        let marks = MissingRules::default().marks();
        let cells = MissingCells::new(vec![0, 1, 0], marks);
        let after = MissingCells::suppress(cells.as_ref(), &[0, 1], 3).unwrap();
        assert_eq!(after.mark(0).unwrap().cause, MissingCause::Suppressed);
        assert_eq!(after.mark(1).unwrap().cause, MissingCause::Source);
        assert!(!after.is_missing(2));
        assert_eq!((after.count(), after.n_suppressed()), (2, 1));
    }

    #[test]
    fn numbers_of_units_and_weights_are_no_codes() {
        let rules = MissingRules {
            texts: ["", "NA", "99", "-1"].map(str::to_owned).to_vec(),
            codes: vec![
                ("98".to_owned(), "refused".to_owned()),
                ("R".to_owned(), "refused".to_owned()),
            ],
        };
        let left = rules.without_numbers();
        assert_eq!(left.texts, ["", "NA"]);
        assert_eq!(left.codes, [("R".to_owned(), "refused".to_owned())]);
    }

    #[test]
    fn a_column_without_missing_cells_needs_no_states() {
        assert!(MissingCells::new(vec![0, 0], Vec::new()).is_none());
    }
}
