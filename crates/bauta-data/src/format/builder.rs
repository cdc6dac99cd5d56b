//! Columns in the making: cells come in record by record, from text or from Arrow arrays.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use super::category_builder::{CategoryBuilder, DateReading, LevelOrder};
use super::decimal_marks::Marks;
use super::missing_matcher::MissingMatcher;
use super::number_builder::NumberBuilder;
use crate::attribute::{Attribute, Role};
use crate::column::Column;
use crate::date::{DateEvidence, Dates};
use crate::missing::MissingRules;
use crate::number::{DecimalMark, ReadAs, ShownMark, number_text};
use crate::problem::{DataProblem, ProblemList};
use crate::store::{ColumnWriter, Store};

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

/// Which cells are moved to a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stored {
    /// As many as make whole blocks: others follow.
    Blocks,
    All,
}

impl Stored {
    /// How many of `n`, with blocks of so many.
    pub(super) fn of(self, n: usize, block: usize) -> usize {
        match self {
            Self::Blocks => n / block * block,
            Self::All => n,
        }
    }
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
        let has_dates = attribute.date.is_some() && attribute.role != Role::Weight;
        let cells = if has_dates {
            let dates = match attribute.date {
                Some(Dates::Spelled(format)) => DateReading::Known(format),
                Some(Dates::Sought) | None => DateReading::Sought(DateEvidence::default()),
            };
            let order = LevelOrder::Natural;
            let cells =
                CategoryBuilder::new(attribute, missing, order, Marks::Known(marks.read_with()));
            CellBuilder::Categorical(cells.with_dates(dates))
        } else if attribute.is_of_numbers() {
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
                (categories.evidence()?.mark_of_texts(), ReadAs::Texts)
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
            CellBuilder::Categorical(categories) => &categories.attribute().name,
        }
    }

    /// From here on cells are only looked at for their decimal mark, and not kept.
    pub(super) fn look_at_marks_only(&mut self) {
        self.kept = Kept::Nothing;
    }

    /// Whether cells are kept.
    pub(super) fn is_kept(&self) -> bool {
        self.kept == Kept::Cells
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
            CellBuilder::Categorical(categories) => categories.without_evidence(),
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
                categories.takes_any_text().then_some(categories)
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
        if self.kept == Kept::Nothing
            && let CellBuilder::Categorical(categories) = &mut self.cells
        {
            return categories.look_at_all(texts);
        }
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
                // Inner iteration: the fields are cut in the loop itself.
                texts.for_each(|(index, text)| {
                    numbers.push(&text, &mut self.problems, || place(index));
                });
            }
            CellBuilder::Categorical(categories) if categories.takes_any_text() => {
                texts.for_each(|(_, text)| {
                    categories.push(&text);
                });
            }
            CellBuilder::Categorical(categories) => {
                texts.for_each(|(index, text)| {
                    categories.push_checked(&text, &mut self.problems, || place(index));
                });
            }
        }
    }

    /// Whether cells are kept, and in a column whose sort no cell changes any more.
    fn is_settled(&self) -> bool {
        let is_settled = match &self.cells {
            CellBuilder::Numeric(numbers) => numbers.has_begun(),
            CellBuilder::Categorical(_) => true,
        };
        is_settled && self.is_kept()
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

    /// Makes room for so many cells, where they are numbers.
    pub(super) fn reserve(&mut self, n_cells: usize) {
        if let CellBuilder::Numeric(numbers) = &mut self.cells {
            numbers.reserve(n_cells);
        }
    }

    /// Adds numbers as [`Self::push_number`] does, if the column holds numbers and nothing is to be said of any of them;
    /// else adds none and says so.
    pub(super) fn push_sound(&mut self, numbers: impl ExactSizeIterator<Item = f64>) -> bool {
        match &mut self.cells {
            CellBuilder::Numeric(builder) => builder.push_sound(numbers),
            CellBuilder::Categorical(_) => false,
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
            CellBuilder::Categorical(categories) => &categories.attribute().name,
        };
        self.problems.push_with(|| {
            place()
                .of(DataProblem::file(message, hint))
                .of_variable(name)
        });
    }

    /// Whether its cells can be kept as texts in a file until somebody looks at them.
    pub(super) fn can_stay_text(&self) -> bool {
        match &self.cells {
            CellBuilder::Categorical(categories) => self.is_kept() && categories.can_stay_text(),
            CellBuilder::Numeric(_) => false,
        }
    }

    /// Whether a text means that there is no value, in a column of categories.
    pub(super) fn means_missing(&self, text: &str) -> bool {
        match &self.cells {
            CellBuilder::Categorical(categories) => categories.means_missing(text),
            CellBuilder::Numeric(_) => false,
        }
    }

    /// Moves cells to a file.
    pub(super) fn store(&mut self, writer: &mut ColumnWriter, cells: Stored) -> io::Result<()> {
        match &mut self.cells {
            // Cells that are missing so far may turn out to stand before dates.
            CellBuilder::Numeric(numbers) if !numbers.has_begun() && cells == Stored::Blocks => {
                Ok(())
            }
            CellBuilder::Numeric(numbers) => numbers.store(writer, cells),
            CellBuilder::Categorical(categories) => categories.store(writer, cells),
        }
    }

    /// The column, all of whose cells are in a file.
    pub(super) fn finish_stored(self, writer: ColumnWriter, store: &Store) -> io::Result<Column> {
        match self.cells {
            CellBuilder::Numeric(numbers) => Ok(numbers.finish_stored(writer)),
            CellBuilder::Categorical(categories) => categories.finish_stored(writer, store),
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::Kind;
    use crate::missing::MissingCause;

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
        assert_eq!((codes.at(1), codes.at(3), codes.at(5)), (0, 1, 0));
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
}
