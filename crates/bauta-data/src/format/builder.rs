//! Columns in the making: cells come in record by record, from text or from Arrow arrays.

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashSet;

use super::decimal_marks::Marks;
use super::number_builder::NumberBuilder;
use super::recent_texts::{RecentTexts, ShortText};
use crate::attribute::{Attribute, Kind, Role};
use crate::column::Column;
use crate::date::{DateDoubt, DateEvidence, DateFormat, Dates, format_of};
use crate::levels::Levels;
use crate::missing::{MissingCause, MissingCells, MissingMark, MissingRules};
use crate::number::{
    DecimalMark, MarkEvidence, PlainNumber, ReadAs, ShownMark, number_text, parse_number,
};
use crate::problem::{DataProblem, ProblemList};

/// Where a cell stands in its source.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// A line of a text file, from 1.
    Line(u64),
    /// A record of a file without lines, from 1.
    Record(u64),
}

impl Place {
    /// The problem, with this place.
    pub(super) fn of(self, problem: DataProblem) -> DataProblem {
        match self {
            Self::Line(line) => problem.at_line(line),
            Self::Record(record) => DataProblem {
                message: format!("record {record}: {}", problem.message),
                ..problem
            },
        }
    }
}

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
    const MAX_MARKS: usize = 250;

    fn new(rules: &MissingRules) -> Self {
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
    fn text(&self, state: u8) -> &str {
        let mark = usize::from(state).checked_sub(1);
        mark.and_then(|mark| self.marks.get(mark))
            .map_or("", |mark| &mark.text)
    }

    /// The missing cells with these states.
    pub(super) fn cells(self, states: Vec<u8>) -> Option<MissingCells> {
        MissingCells::new(states, self.marks)
    }
}

fn length_bit(text: &str) -> u64 {
    1 << text.len().min(63)
}

/// A column in the making. Problems are gathered; a column with problems is never finished.
pub(super) struct ColumnBuilder {
    cells: CellBuilder,
    /// Whether its owner described it.
    declared: bool,
    kept: Kept,
    pub(super) problems: ProblemList,
}

/// What becomes of cells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Cells,
    /// Cells are only looked at for their decimal mark.
    Nothing,
}

enum CellBuilder {
    Numeric(NumberBuilder),
    Categorical(CategoryBuilder),
}

/// What is known of a column's texts as dates.
#[derive(Clone)]
enum DateReading {
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
enum LevelOrder {
    Found,
    Natural,
}

impl ColumnBuilder {
    /// A column with this description. `declared` says whether its owner described it.
    pub(super) fn new(
        attribute: Arc<Attribute>,
        declared: bool,
        rules: &MissingRules,
        marks: Marks,
    ) -> Self {
        let mut problems = ProblemList::default();
        if rules.texts.len() + rules.codes.len() > MissingMatcher::MAX_MARKS {
            problems.push_with(|| {
                DataProblem::file(
                    format!("more than {} texts mean missing", MissingMatcher::MAX_MARKS),
                    "declare fewer missing texts and codes",
                )
                .of_variable(&attribute.name)
            });
        }
        let missing = MissingMatcher::new(rules);
        // A weight is a number whatever kind was given.
        let is_weight = attribute.role == Role::Weight;
        let has_dates = attribute.date.is_some() && !is_weight;
        let numeric = attribute.kind == Kind::Continuous || is_weight;
        let cells = if has_dates {
            let dates = match attribute.date {
                Some(Dates::Spelled(format)) => DateReading::Known(format),
                Some(Dates::Sought) | None => DateReading::Sought(DateEvidence::default()),
            };
            let order = LevelOrder::Natural;
            let cells =
                CategoryBuilder::new(attribute, missing, order, Marks::Known(marks.read_with()));
            CellBuilder::Categorical(CategoryBuilder { dates, ..cells })
        } else if numeric {
            CellBuilder::Numeric(NumberBuilder::new(attribute, missing, marks))
        } else {
            let passes_through = matches!(attribute.role, Role::Identifier | Role::Other);
            let order = if declared && !passes_through {
                LevelOrder::Natural
            } else {
                LevelOrder::Found
            };
            CellBuilder::Categorical(CategoryBuilder::new(attribute, missing, order, marks))
        };
        Self {
            cells,
            declared,
            kept: Kept::Cells,
            problems,
        }
    }

    /// Whether the column will hold numbers.
    pub(super) fn is_numeric(&self) -> bool {
        matches!(self.cells, CellBuilder::Numeric(_))
    }

    /// What it shows of the decimal mark, if that is gathered.
    pub(super) fn shown_mark(&self) -> Option<ShownMark> {
        let (mark, read_as) = match &self.cells {
            CellBuilder::Numeric(numbers) => (numbers.evidence()?.mark(), ReadAs::Numbers),
            CellBuilder::Categorical(categories) => {
                (categories.evidence?.mark_of_texts(), ReadAs::Texts)
            }
        };
        Some(ShownMark {
            variable: self.name().to_owned(),
            mark,
            read_as,
        })
    }

    /// The variable's name.
    pub(super) fn name(&self) -> &str {
        match &self.cells {
            CellBuilder::Numeric(numbers) => &numbers.attribute().name,
            CellBuilder::Categorical(categories) => &categories.attribute.name,
        }
    }

    /// From here on cells are only looked at for their decimal mark, and not kept.
    pub(super) fn look_at_marks_only(&mut self) {
        self.kept = Kept::Nothing;
    }

    /// Adds a cell with its text.
    pub(super) fn push(&mut self, text: &str, place: impl Fn() -> Place) {
        self.turn_to_dates_at(text);
        match &mut self.cells {
            CellBuilder::Numeric(numbers) if self.kept == Kept::Nothing => numbers.look_at(text),
            CellBuilder::Categorical(categories) if self.kept == Kept::Nothing => {
                categories.look_at(text);
            }
            CellBuilder::Numeric(numbers) => numbers.push(text, &mut self.problems, place),
            CellBuilder::Categorical(categories) => {
                categories.push_checked(text, &mut self.problems, place);
            }
        }
    }

    /// Whether the cells of this column can be read later: nobody described it, so that it is categories in the order
    /// in which they are found, and no cell of it can be wrong.
    pub(super) fn can_wait(&self) -> bool {
        !self.declared && self.kept == Kept::Cells && !self.is_numeric()
    }

    /// The categories, none of which is there yet, of a column that can wait.
    pub(super) fn into_waiting(self) -> CategoryBuilder {
        match self.cells {
            CellBuilder::Categorical(categories) => CategoryBuilder {
                evidence: None,
                ..categories
            },
            CellBuilder::Numeric(numbers) => CategoryBuilder::of_dates(numbers),
        }
    }

    /// A column of these categories, which waited.
    pub(super) fn of_waiting(categories: CategoryBuilder) -> Self {
        Self {
            cells: CellBuilder::Categorical(categories),
            declared: false,
            kept: Kept::Cells,
            problems: ProblemList::default(),
        }
    }

    /// The categories, if each is a text and nothing else.
    pub(super) fn plain_categories(&mut self) -> Option<&mut CategoryBuilder> {
        match &mut self.cells {
            CellBuilder::Categorical(categories) if self.kept == Kept::Cells => {
                matches!(categories.dates, DateReading::Unsaid).then_some(categories)
            }
            CellBuilder::Categorical(_) | CellBuilder::Numeric(_) => None,
        }
    }

    /// Looks at cells for their decimal mark, as far as that is sought.
    pub(super) fn look_at_all<'t>(&mut self, texts: impl Iterator<Item = Cow<'t, str>>) {
        if let CellBuilder::Categorical(categories) = &mut self.cells {
            categories.look_at_all(texts);
        }
    }

    /// Adds cells with their texts; `place` tells where each of them stands.
    pub(super) fn push_all<'t>(
        &mut self,
        texts: impl Iterator<Item = Cow<'t, str>>,
        place: impl Fn(usize) -> Place,
    ) {
        let mut texts = texts.enumerate();
        // Until the first number, a column of numbers may turn out to be one of dates.
        while !self.is_settled() {
            let Some((index, text)) = texts.next() else {
                return;
            };
            self.push(&text, || place(index));
        }
        match &mut self.cells {
            CellBuilder::Numeric(numbers) => {
                for (index, text) in texts {
                    numbers.push(&text, &mut self.problems, || place(index));
                }
            }
            CellBuilder::Categorical(categories) => {
                for (index, text) in texts {
                    categories.push_checked(&text, &mut self.problems, || place(index));
                }
            }
        }
    }

    /// Whether cells are kept, and in a column whose sort no cell changes any more.
    fn is_settled(&self) -> bool {
        let is_settled = match &self.cells {
            CellBuilder::Numeric(numbers) => numbers.has_begun(),
            CellBuilder::Categorical(_) => true,
        };
        is_settled && self.kept == Kept::Cells
    }

    /// Makes a column that was to hold numbers one of dates, if this is its first text and a date.
    fn turn_to_dates_at(&mut self, text: &str) {
        match &self.cells {
            CellBuilder::Numeric(numbers) if numbers.begins_with_date(text) => {}
            CellBuilder::Numeric(_) | CellBuilder::Categorical(_) => return,
        }
        let nothing = CategoryBuilder::new(
            Arc::new(Attribute::undeclared("")),
            MissingMatcher::new(&MissingRules::default()),
            LevelOrder::Natural,
            Marks::Known(DecimalMark::Point),
        );
        let cells = std::mem::replace(&mut self.cells, CellBuilder::Categorical(nothing));
        if let CellBuilder::Numeric(numbers) = cells {
            self.cells = CellBuilder::Categorical(CategoryBuilder::of_dates(numbers));
        }
    }

    /// Adds a cell with a number that is a whole number below 2^53 or has no text of its own.
    pub(super) fn push_number(&mut self, value: f64, place: impl Fn() -> Place) {
        match &mut self.cells {
            CellBuilder::Numeric(numbers) => {
                numbers.push_number(value, &mut self.problems, place);
            }
            CellBuilder::Categorical(categories) => {
                categories.push_checked(&number_text(value), &mut self.problems, place);
            }
        }
    }

    /// Adds cells that are numbers as for [`Self::push_number`], or that the source has as "no value".
    pub(super) fn push_numbers(
        &mut self,
        cells: impl Iterator<Item = Option<f64>>,
        place: impl Fn(usize) -> Place,
    ) {
        match &mut self.cells {
            CellBuilder::Numeric(numbers) => {
                for (index, cell) in cells.enumerate() {
                    match cell {
                        Some(value) => {
                            numbers.push_number(value, &mut self.problems, || place(index));
                        }
                        None => numbers.push_null(&mut self.problems, || place(index)),
                    }
                }
            }
            CellBuilder::Categorical(_) => {
                for (index, cell) in cells.enumerate() {
                    match cell {
                        Some(value) => self.push_number(value, || place(index)),
                        None => self.push_null(|| place(index)),
                    }
                }
            }
        }
    }

    /// Adds a cell that the source has as "no value".
    pub(super) fn push_null(&mut self, place: impl Fn() -> Place) {
        match &mut self.cells {
            CellBuilder::Numeric(numbers) => numbers.push_null(&mut self.problems, place),
            CellBuilder::Categorical(categories) => categories.push_null(),
        }
    }

    /// Notes a problem of a cell; the cell itself is left out.
    pub(super) fn refuse(&mut self, place: impl Fn() -> Place, message: &str, hint: &str) {
        let name = match &self.cells {
            CellBuilder::Numeric(numbers) => &numbers.attribute().name,
            CellBuilder::Categorical(categories) => &categories.attribute.name,
        };
        self.problems.push_with(|| {
            place()
                .of(DataProblem::file(message, hint))
                .of_variable(name)
        });
    }

    /// Notes the problems that show only when all cells are there.
    pub(super) fn close(&mut self) {
        match &mut self.cells {
            CellBuilder::Numeric(numbers) => numbers.close(&mut self.problems),
            CellBuilder::Categorical(categories) => categories.close(&mut self.problems),
        }
    }

    /// The column.
    pub(super) fn finish(self) -> Column {
        match self.cells {
            CellBuilder::Numeric(numbers) => numbers.finish(),
            CellBuilder::Categorical(categories) => categories.finish(),
        }
    }
}

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
    codes: Vec<u32>,
    /// Codes of texts that are no dates in a column of dates.
    refused: HashSet<u32, FixedState>,
}

impl CategoryBuilder {
    /// Stands for a cell without text.
    const NULL: u32 = u32::MAX;

    fn new(
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
            codes: Vec::new(),
            refused: HashSet::default(),
        }
    }

    /// Adds a cell with its text, and returns its code.
    pub(super) fn push(&mut self, text: &str) -> u32 {
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
        self.codes.push(Self::NULL);
    }

    /// Adds a cell with the code of one that was added before.
    pub(super) fn push_code(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// Adds a cell whose text must be a date, if the column is one of dates. A text that is none is told wherever it
    /// stands.
    fn push_checked(&mut self, text: &str, problems: &mut ProblemList, place: impl Fn() -> Place) {
        let n_before = self.states.len();
        self.push(text);
        let is_new_value = self.states.len() > n_before && self.states[n_before] == 0;
        if is_new_value && !self.dates.accepts(text) {
            self.refused.insert(n_before as u32);
        }
        let is_refused = |code: &u32| self.refused.contains(code);
        if !self.refused.is_empty() && self.codes.last().is_some_and(is_refused) {
            problems.push_with(|| {
                let problem = place().of(self.dates.refusal());
                problem.of_variable(&self.attribute.name)
            });
        }
    }

    /// Dates that come where numbers were expected. Cells without a value came before them.
    fn of_dates(numbers: NumberBuilder) -> Self {
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
                cells.codes.push(Self::NULL);
            }
        }
        cells
    }

    /// Settles how its dates are spelled, or asks.
    fn close(&mut self, problems: &mut ProblemList) {
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
    fn look_at_all<'t>(&mut self, texts: impl Iterator<Item = Cow<'t, str>>) {
        let Some(mut evidence) = self.evidence else {
            return;
        };
        for text in texts {
            if evidence.is_settled_for_texts() {
                break;
            }
            if self.missing.state(&text) == 0 {
                match PlainNumber::of(text.as_bytes(), DecimalMark::Point) {
                    Some(number) => evidence.see_plain(&number),
                    None => evidence.see(&text),
                }
            }
        }
        self.evidence = Some(evidence);
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

    /// The missing state of a text; if it holds a value, what it shows of the decimal mark is taken in.
    fn look_at(&mut self, text: &str) -> u8 {
        let state = self.missing.state(text);
        if let (0, Some(evidence)) = (state, &mut self.evidence) {
            evidence.see(text);
        }
        state
    }

    fn finish(mut self) -> Column {
        let (levels, new_codes) = self.ordered_levels();
        let has_nulls = self.codes.contains(&Self::NULL);
        let cells = if has_nulls || self.states.iter().any(|&state| state != 0) {
            let null_state = if has_nulls {
                self.missing.source_state("")
            } else {
                0
            };
            let state = |&code: &u32| {
                self.states
                    .get(code as usize)
                    .copied()
                    .unwrap_or(null_state)
            };
            let states = self.codes.iter().map(state).collect();
            self.missing.cells(states)
        } else {
            None
        };
        for code in &mut self.codes {
            // The code of a missing cell means nothing; 0 keeps it within most tables.
            *code = new_codes.get(*code as usize).copied().unwrap_or(0);
        }
        let as_numbers = self.attribute.kind == Kind::Continuous;
        let column = Column::categorical(self.attribute, self.codes, Arc::new(levels), cells);
        match self.dates {
            // Every text was found to be a date of this spelling.
            DateReading::Known(format) if as_numbers => {
                column.parsed_as_dates(format).unwrap_or(column)
            }
            // Without any value there is no spelling, and no number either.
            DateReading::Sought(_) if as_numbers => {
                let numbers = column.parsed_as_numbers(DecimalMark::Point);
                numbers.unwrap_or(column)
            }
            DateReading::Known(_) | DateReading::Sought(_) | DateReading::Unsaid => column,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn build(attribute: Attribute, declared: bool, texts: &[&str]) -> Column {
        let rules = MissingRules {
            texts: vec![String::new(), "8".to_owned()],
            codes: vec![
                ("9".to_owned(), "refused".to_owned()),
                ("8".to_owned(), "none".to_owned()),
            ],
        };
        let attribute = Arc::new(attribute);
        let mut builder = ColumnBuilder::new(
            attribute,
            declared,
            &rules,
            Marks::Known(DecimalMark::Point),
        );
        for text in texts {
            builder.push(text, || Place::Line(1));
        }
        builder.push_null(|| Place::Line(1));
        builder.finish()
    }

    fn levels(column: &Column) -> Vec<&str> {
        column.as_categorical().unwrap().levels.iter().collect()
    }

    #[test]
    fn missing_texts_are_no_levels_and_keep_their_meaning() {
        let column = build(
            Attribute::undeclared("a"),
            false,
            &["9", "2", "", "10", "8", "2"],
        );
        assert_eq!(levels(&column), ["2", "10"]);
        assert_eq!(column.n_missing(), 4);
        let refused = MissingCause::User("refused".to_owned());
        assert_eq!(column.missing_mark(0).unwrap().cause, refused);
        assert_eq!(column.missing_mark(2).unwrap().cause, MissingCause::Source);
        // 8 is both a text and a code: the code says more.
        let none = MissingCause::User("none".to_owned());
        assert_eq!(column.missing_mark(4).unwrap().cause, none);
        assert_eq!(column.missing_mark(6).unwrap().text, "");
        let codes = &column.as_categorical().unwrap().codes;
        assert_eq!((codes[1], codes[3], codes[5]), (0, 1, 0));
    }

    #[test]
    fn declared_categories_are_ordered_and_passengers_are_not() {
        let texts = ["10", "9", "2"];
        let key = Attribute::new("a", Role::Key, Kind::Ordered);
        assert_eq!(levels(&build(key.clone(), true, &texts)), ["2", "10"]);
        assert_eq!(levels(&build(key.clone(), false, &texts)), ["10", "2"]);
        let id = Attribute::new("a", Role::Identifier, Kind::Unordered);
        assert_eq!(levels(&build(id, true, &texts)), ["10", "2"]);
        let given = Attribute {
            order: Some(vec!["10".to_owned(), "2".to_owned()]),
            ..key
        };
        assert_eq!(levels(&build(given, true, &["2", "10"])), ["10", "2"]);
    }

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
