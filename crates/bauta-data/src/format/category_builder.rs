//! Categories in the making, and what their texts are as dates.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::builder::{Place, Stored};
use super::decimal_marks::Marks;
use super::missing_matcher::MissingMatcher;
use super::number_builder::NumberBuilder;
use super::recent_texts::{RecentTexts, ShortText};
use crate::attribute::{Attribute, Kind};
use crate::codes::Codes;
use crate::column::{Column, Content};
use crate::date::{DateDoubt, DateEvidence, DateFormat, format_of};
use crate::levels::Levels;
use crate::number::{DecimalMark, MarkEvidence, PlainNumber, is_short_whole, parse_number_with};
use crate::problem::{DataProblem, ProblemList};
use crate::store::{
    ColumnWriter, Frame, FrameValues, Store, TextReader, TextsAsNumbers, Translation,
};
use crate::text::TextArena;

/// Categories in the making. Missing texts get codes like all others until the end, so that one
/// look-up per cell is enough.
#[derive(Clone)]
pub(super) struct CategoryBuilder {
    attribute: Arc<Attribute>,
    missing: MissingMatcher,
    order: LevelOrder,
    dates: DateReading,
    /// What the texts show of the decimal mark, where it is to be found.
    evidence: Option<MarkEvidence>,
    levels: Levels,
    recent: RecentTexts,
    /// Missing state of each level.
    states: Vec<u8>,
    codes: Codes,
    /// Records that the source has as "no value"; their codes mean nothing.
    nulls: Vec<u32>,
    /// Codes of texts that are no dates in a column of dates.
    refused: HashSet<u32, FixedState>,
    /// Cells that are in a file already and missing.
    n_stored_missing: usize,
}

impl CategoryBuilder {
    pub(super) fn new(
        attribute: Arc<Attribute>,
        missing: MissingMatcher,
        order: LevelOrder,
        marks: Marks,
    ) -> Self {
        Self {
            attribute,
            missing,
            order,
            dates: DateReading::Unsaid,
            evidence: (marks == Marks::Sought).then(MarkEvidence::default),
            levels: Levels::default(),
            recent: RecentTexts::default(),
            states: Vec::new(),
            codes: Codes::default(),
            nulls: Vec::new(),
            refused: HashSet::default(),
            n_stored_missing: 0,
        }
    }

    /// Adds a cell with its text, and returns its code.
    #[inline]
    pub(super) fn push(&mut self, text: &str) -> u32 {
        if let &[byte] = text.as_bytes()
            && let Some(code) = self.recent.code_of_byte(byte)
        {
            self.codes.push(code);
            return code;
        }
        self.push_longer(text)
    }

    /// Adds a cell whose text has several characters, or was not seen yet.
    fn push_longer(&mut self, text: &str) -> u32 {
        let short = ShortText::of(text.as_bytes());
        if let Some(code) = short.as_ref().and_then(|short| self.recent.code(short)) {
            self.codes.push(code);
            return code;
        }
        let code = self.levels.insert(text);
        if let Some(short) = short {
            self.recent.remember(short, code);
        }
        if code as usize == self.states.len() {
            let state = self.look_at(text);
            self.states.push(state);
        }
        self.codes.push(code);
        code
    }

    /// Adds a cell that the source has as "no value".
    pub(super) fn push_null(&mut self) {
        self.nulls.push(self.codes.len() as u32);
        self.codes.push(0);
    }

    /// Adds a cell with the code of one that was added before.
    pub(super) fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// Makes room for so many cells, as long as their codes take one byte.
    pub(super) fn reserve(&mut self, n_cells: usize) {
        self.codes.reserve(n_cells);
    }

    /// Adds cells with the codes of such that were added before.
    pub(super) fn push_codes(&mut self, codes: impl Iterator<Item = u32>) {
        let largest = self.states.len().saturating_sub(1) as u32;
        self.codes.extend_up_to(largest, codes);
    }

    /// The same with codes of a byte.
    pub(super) fn push_narrow_codes(&mut self, codes: &[u8]) {
        self.codes.extend_from_bytes(1, codes);
    }

    /// Adds a cell whose text must be a date, if the column is one of dates. A text that is none is told wherever it
    /// stands.
    pub(super) fn push_checked(
        &mut self,
        text: &str,
        problems: &mut ProblemList,
        place: impl Fn() -> Place,
    ) {
        let n_before = self.states.len();
        let code = self.push(text);
        let is_new_value = self.states.len() > n_before && self.states[n_before] == 0;
        if is_new_value && !self.dates.accepts(text) {
            self.refused.insert(n_before as u32);
        }
        if self.refused.contains(&code) {
            problems.push_with(|| {
                let problem = place().of(self.dates.refusal());
                problem.of_variable(&self.attribute.name)
            });
        }
    }

    /// Dates that come where numbers were expected. Cells without a value came before them.
    pub(super) fn of_dates(numbers: NumberBuilder) -> Self {
        let (attribute, missing, states) = numbers.into_missing_texts();
        let marks = Marks::Known(DecimalMark::Point);
        let mut cells = Self {
            dates: DateReading::Sought(DateEvidence::default()),
            ..Self::new(attribute, missing, LevelOrder::Natural, marks)
        };
        for state in states {
            let text = cells.missing.text(state).to_owned();
            // A cell that its source has as "no value" need not have a text that means so.
            if cells.missing.state(&text) == state {
                cells.push(&text);
            } else {
                cells.push_null();
            }
        }
        cells
    }

    /// Settles how its dates are spelled, or asks.
    pub(super) fn close(&mut self, problems: &mut ProblemList) {
        let is_of_dates = !matches!(self.dates, DateReading::Unsaid);
        let found = match &self.dates {
            DateReading::Known(format) => Ok(*format),
            DateReading::Sought(evidence) => evidence.format(),
            DateReading::Unsaid => self.unsaid_dates(),
        };
        match found {
            Ok(format) => {
                self.attribute = Arc::new(Attribute::clone(&self.attribute).with_dates(format));
                self.dates = DateReading::Known(format);
            }
            Err(DateDoubt::NoDate) => {}
            // Two digits of a year may as well be no year, where nobody said that these are dates.
            Err(DateDoubt::Century(..)) if !is_of_dates => {}
            Err(doubt) => {
                problems.push_with(|| doubt.problem().of_variable(&self.attribute.name));
            }
        }
    }

    /// How the ordered categories are spelled, if all of them are dates although nobody said so: the order of the
    /// calendar is meant then, and not that of their letters.
    fn unsaid_dates(&self) -> Result<DateFormat, DateDoubt> {
        let is_calendar =
            self.attribute.kind == Kind::Ordered || self.attribute.has_levels_of_dates();
        let is_ordered =
            is_calendar && self.attribute.order.is_none() && self.order == LevelOrder::Natural;
        let values = || {
            let levels = self.levels.iter().zip(&self.states);
            levels.filter(|&(_, &state)| state == 0)
        };
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_ordered || values().any(|(text, _)| is_number(text)) {
            return Err(DateDoubt::NoDate);
        }
        format_of(values().map(|(text, _)| text))
    }

    /// Looks at texts as [`Self::look_at`] does, as long as they can tell something.
    pub(super) fn look_at_all<'t>(&mut self, texts: impl Iterator<Item = Cow<'t, str>>) {
        let Some(mut evidence) = self.evidence else {
            return;
        };
        for text in texts {
            if evidence.is_settled_for_texts() {
                break;
            }
            // Whole numbers are the most frequent texts, and the first of them have said it.
            let bytes = text.as_bytes();
            if evidence.knows_whole(bytes.len()) && is_short_whole(bytes) {
                continue;
            }
            if self.missing.state(&text) == 0 {
                match &PlainNumber::of(bytes, DecimalMark::Point) {
                    Some(number) => evidence.see_plain(number),
                    None => evidence.see(&text),
                }
            }
        }
        self.evidence = Some(evidence);
    }

    /// Whether a text means that there is no value.
    pub(super) fn means_missing(&self, text: &str) -> bool {
        self.missing.state(text) != 0
    }

    /// The same with what is known of its dates.
    #[must_use]
    pub(super) fn with_dates(self, dates: DateReading) -> Self {
        Self { dates, ..self }
    }

    /// The same without gathering what texts show of the decimal mark.
    #[must_use]
    pub(super) fn without_evidence(self) -> Self {
        Self {
            evidence: None,
            ..self
        }
    }

    /// What its texts show of the decimal mark, if that is gathered.
    pub(super) fn evidence(&self) -> Option<MarkEvidence> {
        self.evidence
    }

    /// Whether nobody said that its texts are dates, so that none of them can be wrong.
    pub(super) fn takes_any_text(&self) -> bool {
        matches!(self.dates, DateReading::Unsaid)
    }

    /// What it is described as.
    pub(super) fn attribute(&self) -> &Arc<Attribute> {
        &self.attribute
    }

    /// The column with these texts.
    pub(super) fn finish_with<'t>(mut self, texts: impl Iterator<Item = Cow<'t, str>>) -> Column {
        for text in texts {
            self.push(&text);
        }
        self.finish()
    }

    /// The column with these texts as numbers, as if it had been described as one of numbers, if all values are.
    pub(super) fn numbers<'t>(
        &self,
        texts: impl Iterator<Item = Cow<'t, str>>,
        n_texts: usize,
        mark: DecimalMark,
    ) -> Option<Column> {
        let mut numbers = self.as_numbers(mark)?;
        numbers.reserve(n_texts);
        let mut problems = ProblemList::default();
        for text in texts {
            // What is no number is told by nobody: the column stays one of categories.
            numbers.push(&text, &mut problems, || Place::Line(0));
            if !problems.is_empty() {
                return None;
            }
        }
        Some(numbers.finish())
    }

    /// The same column of numbers without any cell, if its texts need be nothing else.
    fn as_numbers(&self, mark: DecimalMark) -> Option<NumberBuilder> {
        let attribute = Attribute {
            kind: Kind::Continuous,
            ..Attribute::clone(&self.attribute)
        };
        let missing = self.missing.clone();
        self.takes_any_text()
            .then(|| NumberBuilder::new(Arc::new(attribute), missing, Marks::Known(mark)))
    }

    /// The missing state of a text; if it holds a value, what it shows of the decimal mark is taken in.
    pub(super) fn look_at(&mut self, text: &str) -> u8 {
        let state = self.missing.state(text);
        if let (0, Some(evidence)) = (state, &mut self.evidence) {
            evidence.see(text);
        }
        state
    }

    /// Whether its cells can be kept as texts: none of them can be wrong, and they have no order but that in which they
    /// are found.
    pub(super) fn can_stay_text(&self) -> bool {
        self.takes_any_text() && self.order == LevelOrder::Found && self.attribute.order.is_none()
    }

    /// Moves cells to a file, in whole blocks as long as more may come.
    pub(super) fn store(&mut self, writer: &mut ColumnWriter, cells: Stored) -> io::Result<()> {
        let block = writer.block_records();
        let n_moved = cells.of(self.codes.len(), block);
        let null_state = if self.nulls.is_empty() {
            0
        } else {
            self.missing.source_state("")
        };
        for first in (0..n_moved).step_by(block) {
            let records = first..n_moved.min(first + block);
            let mut states = Vec::new();
            let nulls = self.nulls.iter().map(|&null| null as usize);
            for null in nulls.filter(|null| records.contains(null)) {
                states.resize(records.len(), 0);
                states[null - first] = null_state;
            }
            writer.put_codes(&self.codes, records.clone(), &states)?;
            let is_null = |at: usize| states.get(at).is_some_and(|&state| state != 0);
            let is_missing = |at: &usize| {
                let state = self.states.get(self.codes.at(first + at) as usize);
                is_null(*at) || state.is_some_and(|&state| state != 0)
            };
            if !states.is_empty() || self.states.iter().any(|&state| state != 0) {
                self.n_stored_missing += (0..records.len()).filter(is_missing).count();
            }
        }
        let n = self.codes.len();
        let rest: Vec<u32> = (n_moved as u32..n as u32).collect();
        self.codes = self.codes.taken(&rest);
        self.nulls.retain(|&null| null as usize >= n_moved);
        self.nulls
            .iter_mut()
            .for_each(|null| *null -= n_moved as u32);
        Ok(())
    }

    /// The column, all of whose cells are in a file. One of dates that are numbers is read and written again.
    pub(super) fn finish_stored(
        mut self,
        writer: ColumnWriter,
        store: &Store,
    ) -> io::Result<Column> {
        let (levels, codes) = self.ordered_levels();
        let states = std::mem::take(&mut self.states);
        let frame = Frame {
            values: FrameValues::Categories {
                levels: Arc::new(levels),
                translation: Some(Arc::new(Translation { codes, states })),
            },
            marks: self.missing.into_marks(),
            n_missing: self.n_stored_missing,
            n_suppressed: 0,
        };
        let as_numbers = self.attribute.kind == Kind::Continuous;
        let column = Column::stored(self.attribute, writer.finish(frame));
        match as_dates(column.clone(), &self.dates, as_numbers) {
            numbers if numbers.is_numeric() => store.moved(&numbers),
            _ => Ok(column),
        }
    }

    /// The column of texts that are in a file.
    pub(super) fn finish_texts(self, writer: ColumnWriter, n_missing: usize) -> Column {
        let attribute = Arc::clone(&self.attribute);
        let frame = Frame {
            // The marks are those of the column that is made of the texts.
            marks: Vec::new(),
            n_missing,
            n_suppressed: 0,
            values: FrameValues::Texts(Arc::new(self)),
        };
        Column::stored(attribute, writer.finish(frame))
    }

    pub(super) fn finish(mut self) -> Column {
        let (levels, new_codes) = self.ordered_levels();
        let cells = if !self.nulls.is_empty() || self.states.iter().any(|&state| state != 0) {
            let state = |code: u32| self.states.get(code as usize).copied().unwrap_or(0);
            let mut states: Vec<u8> = if self.states.iter().all(|&state| state == 0) {
                vec![0; self.codes.len()]
            } else {
                self.codes.iter().map(state).collect()
            };
            if !self.nulls.is_empty() {
                let null_state = self.missing.source_state("");
                for &record in &self.nulls {
                    states[record as usize] = null_state;
                }
            }
            self.missing.cells(states)
        } else {
            None
        };
        // The code of a missing cell means nothing; 0 keeps it within most tables.
        let new_code = |code: u32| new_codes.get(code as usize).copied().unwrap_or(0);
        let codes = (self.codes).replaced(levels.len().saturating_sub(1) as u32, new_code);
        let as_numbers = self.attribute.kind == Kind::Continuous;
        let column = Column::categorical(self.attribute, codes, Arc::new(levels), cells);
        as_dates(column, &self.dates, as_numbers)
    }

    /// The levels that are values, in their order, and the new code of each old one.
    fn ordered_levels(&mut self) -> (Levels, Vec<u32>) {
        let found = std::mem::take(&mut self.levels);
        let n_found = found.len();
        let present: Vec<u32> = (0..n_found as u32)
            .filter(|&code| self.states[code as usize] == 0)
            .collect();
        let values = if present.len() == n_found {
            found
        } else {
            Levels::from_texts(present.iter().map(|&code| found.text(code)))
        };
        let (values, new_codes) = match (&self.attribute.order, self.order) {
            (Some(order), _) => values.ordered_as(order),
            (None, LevelOrder::Natural) => match &self.dates {
                DateReading::Known(format) => {
                    values.ordered_by(|text| format.days(text).unwrap_or(f64::INFINITY))
                }
                DateReading::Sought(_) | DateReading::Unsaid => values.naturally_ordered(),
            },
            (None, LevelOrder::Found) => {
                let unchanged = (0..values.len() as u32).collect();
                (values, unchanged)
            }
        };
        let mut all_codes = vec![0; n_found];
        for (&old, &new) in present.iter().zip(&new_codes) {
            all_codes[old as usize] = new;
        }
        (values, all_codes)
    }
}

/// A column of categories as numbers of days, if they are dates and meant as numbers.
fn as_dates(column: Column, dates: &DateReading, as_numbers: bool) -> Column {
    match dates {
        // Every text was found to be a date of this spelling.
        DateReading::Known(format) if as_numbers => {
            column.parsed_as_dates(*format).unwrap_or(column)
        }
        // Without any value there is no spelling, and no number either.
        DateReading::Sought(_) if as_numbers => {
            let numbers = column.parsed_as_numbers(DecimalMark::Point);
            numbers.unwrap_or(column)
        }
        DateReading::Known(_) | DateReading::Sought(_) | DateReading::Unsaid => column,
    }
}

impl TextReader for CategoryBuilder {
    fn read(&self, texts: &TextArena) -> Content {
        let cells = self.clone().finish_with(texts.iter().map(Cow::Borrowed));
        cells.into_content()
    }

    fn numbers(
        &self,
        blocks: &mut dyn Iterator<Item = io::Result<TextArena>>,
        mark: DecimalMark,
        mut writer: ColumnWriter,
    ) -> io::Result<TextsAsNumbers> {
        let Some(mut numbers) = self.as_numbers(mark) else {
            return Ok(TextsAsNumbers::Unsure);
        };
        let mut problems = ProblemList::default();
        for texts in blocks {
            for text in texts?.iter() {
                numbers.push(text, &mut problems, || Place::Line(0));
                if problems.is_empty() {
                    continue;
                }
                // An infinite one is a number that this builder does not take.
                return Ok(match parse_number_with(text, mark) {
                    Some(_) => TextsAsNumbers::Unsure,
                    None => TextsAsNumbers::None,
                });
            }
            numbers.store(&mut writer, Stored::Blocks)?;
        }
        numbers.store(&mut writer, Stored::All)?;
        Ok(TextsAsNumbers::All(Box::new(numbers.finish_stored(writer))))
    }
}

/// What is known of a column's texts as dates.
#[derive(Clone)]
pub(super) enum DateReading {
    /// Nobody said that they are dates.
    Unsaid,
    /// They are; how they are spelled is being found.
    Sought(DateEvidence),
    /// They are, and are spelled like this.
    Known(DateFormat),
}

impl DateReading {
    /// Whether a value may stand in the column.
    fn accepts(&mut self, text: &str) -> bool {
        match self {
            Self::Unsaid => true,
            Self::Sought(evidence) => evidence.see(text),
            Self::Known(format) => format.days(text).is_some(),
        }
    }

    /// What is wrong with a value that may not.
    fn refusal(&self) -> DataProblem {
        let spelled = match self {
            Self::Known(format) => Some(*format),
            Self::Sought(evidence) => match evidence.format() {
                Ok(format) | Err(DateDoubt::Either(format, _) | DateDoubt::Century(format, _)) => {
                    Some(format)
                }
                Err(DateDoubt::NoDate) => None,
            },
            Self::Unsaid => None,
        };
        match spelled {
            Some(format) => DataProblem::file(
                format!(
                    "the value is no day of the calendar in the spelling {format} of the others"
                ),
                "mend it, or declare it as missing",
            ),
            None => DataProblem::file(
                "the value is no date",
                "mend it, declare it as missing, or state how dates are spelled: date = \"dd/mm/yyyy\"",
            ),
        }
    }
}

/// How the levels of a categorical column are put in order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LevelOrder {
    Found,
    Natural,
}
