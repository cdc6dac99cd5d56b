//! Cells on their way from a file to memory.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::{BlockPlace, ColumnFile, ExactNumbers, FrameValues, Translation};
use crate::codes::Codes;
use crate::column::{Categorical, Content, Values, exact_numbers_coded};
use crate::levels::Levels;
use crate::missing::MissingCells;
use crate::number::write_number;
use crate::store::block::{Section, Sections};
use crate::text::TextArena;

/// What is read of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Values, and what else belongs to them; texts of numbers only where these have digits that doubles lack.
    Cells,
    /// Texts.
    Texts,
    /// Numbers, of columns that hold such.
    Numbers,
    /// Why cells have no value.
    States,
}

/// Cells that were read.
pub(super) struct ReadCells {
    wanted: Wanted,
    pub(super) n_records: usize,
    pub(super) numbers: Vec<f64>,
    codes: Codes,
    /// Up to the last block that has some.
    states: Vec<u8>,
    pub(super) texts: TextArena,
    exact: Codes,
    before: Vec<f64>,
}

impl ReadCells {
    pub(super) fn with_room(of: &ColumnFile, n: usize, wanted: Wanted) -> Self {
        let n_if = |condition: bool| if condition { n } else { 0 };
        let is_coded = of.levels().is_some();
        Self {
            wanted,
            n_records: 0,
            numbers: Vec::with_capacity(n_if(of.is_numeric())),
            codes: Codes::with_room(of.cells.width, n_if(is_coded)),
            states: Vec::new(),
            texts: TextArena::default(),
            exact: Codes::with_room(of.cells.exact_width, n_if(of.may_be_exact())),
            before: Vec::with_capacity(n_if(of.cells.has_before)),
        }
    }

    pub(super) fn add(
        &mut self,
        of: &ColumnFile,
        block: &BlockPlace,
        sections: &Sections<'_>,
        records: Range<usize>,
    ) -> io::Result<()> {
        match self.wanted {
            Wanted::Cells | Wanted::Texts => self.add_values(of, block, sections, &records)?,
            Wanted::Numbers => {
                sections.add_numbers(Section::Numbers, &records, &mut self.numbers)?;
            }
            Wanted::States => {}
        }
        if self.wanted != Wanted::Numbers && sections.section(Section::States).is_some() {
            self.states.resize(self.n_records, 0);
            let (_, states) = sections.of_records(Section::States, &records)?;
            self.states.extend_from_slice(states);
        }
        self.n_records += records.len();
        Ok(())
    }

    fn add_values(
        &mut self,
        of: &ColumnFile,
        block: &BlockPlace,
        sections: &Sections<'_>,
        records: &Range<usize>,
    ) -> io::Result<()> {
        match &of.frame.values {
            FrameValues::Numbers {
                text,
                has_texts,
                exact,
            } => {
                let needs_texts = *has_texts
                    && (self.wanted == Wanted::Texts || matches!(exact, ExactNumbers::InTexts));
                if self.wanted == Wanted::Texts {
                    // Only these are looked at, where they can be made again of them.
                    self.numbers.clear();
                }
                let n_before = self.numbers.len();
                sections.add_numbers(Section::Numbers, records, &mut self.numbers)?;
                if needs_texts && sections.section(Section::Texts).is_some() {
                    sections.add_texts(block.n_records, records, &mut self.texts)?;
                } else if needs_texts {
                    let mut written = String::new();
                    for &number in &self.numbers[n_before..] {
                        written.clear();
                        if !number.is_nan() {
                            write_number(&mut written, number, block.decimals, text.mark);
                        }
                        self.texts.push(&written);
                    }
                }
                if let ExactNumbers::Coded(_) = exact {
                    sections.add_codes(Section::Exact, records, &mut self.exact)?;
                }
                if of.cells.has_before {
                    sections.add_numbers(Section::Before, records, &mut self.before)?;
                }
            }
            FrameValues::Categories { .. } => {
                sections.add_codes(Section::Codes, records, &mut self.codes)?;
            }
            FrameValues::Texts(_) => {
                sections.add_texts(block.n_records, records, &mut self.texts)?;
            }
        }
        Ok(())
    }

    /// Those of all records that were read, if any has none.
    pub(super) fn all_states(mut self) -> Vec<u8> {
        if !self.states.is_empty() {
            self.states.resize(self.n_records, 0);
        }
        self.states
    }

    pub(super) fn content(mut self, of: &ColumnFile) -> Content {
        if !self.states.is_empty() {
            self.states.resize(self.n_records, 0);
        }
        let missing = |states: Vec<u8>| {
            if states.is_empty() {
                None
            } else {
                MissingCells::new(states, of.frame.marks.clone())
            }
        };
        match &of.frame.values {
            FrameValues::Numbers {
                text,
                has_texts,
                exact,
            } => {
                let mut number_text = text.clone();
                let exact = match exact {
                    ExactNumbers::None => None,
                    ExactNumbers::InTexts => {
                        number_text.verbatim = has_texts.then(|| Arc::new(self.texts));
                        exact_numbers_coded(&self.numbers, &number_text)
                    }
                    ExactNumbers::Coded(levels) => Some(Arc::new(Categorical {
                        codes: self.exact,
                        levels: Arc::clone(levels),
                    })),
                };
                Content {
                    values: Values::Numeric(self.numbers),
                    missing: missing(self.states),
                    number_text,
                    exact,
                    before_suppression: of.cells.has_before.then(|| Arc::new(self.before)),
                }
            }
            FrameValues::Categories {
                levels,
                translation,
            } => {
                let (codes, states) = match translation {
                    None => (self.codes, self.states),
                    Some(translation) => {
                        let (codes, mut states) = translation.translated(self.codes, levels);
                        // What the source had as "no value" has no code that means so.
                        if states.is_empty() {
                            states = self.states;
                        } else {
                            let nulls = states.iter_mut().zip(self.states);
                            nulls.for_each(|(state, null)| {
                                if null != 0 {
                                    *state = null;
                                }
                            });
                        }
                        (codes, states)
                    }
                };
                let levels = Arc::clone(levels);
                let values = Values::Categorical(Categorical { codes, levels });
                Content::of(values, missing(states))
            }
            FrameValues::Texts(reader) => reader.read(&self.texts),
        }
    }
}

impl Translation {
    /// The codes among the levels, and the states of the cells where any level means that there is no value.
    fn translated(&self, codes: Codes, levels: &Levels) -> (Codes, Vec<u8>) {
        let mut states = Vec::new();
        if self.states.iter().any(|&state| state != 0) {
            let state = |code: u32| self.states.get(code as usize).copied().unwrap_or(0);
            states.extend(codes.iter().map(state));
        }
        let largest = levels.len().saturating_sub(1) as u32;
        let is_same = self
            .codes
            .iter()
            .enumerate()
            .all(|(old, &new)| old as u32 == new);
        let codes = if is_same {
            codes
        } else {
            // The code of a missing cell means nothing.
            let new_code = |code: u32| self.codes.get(code as usize).copied().unwrap_or(0);
            codes.replaced(largest, new_code)
        };
        (codes, states)
    }
}
