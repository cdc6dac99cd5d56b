//! One column: its description, its values, its missing cells, and the text it came as.

mod exact;
mod new_numbers;
mod stored;
mod unread;

use std::sync::Arc;

pub use self::exact::Limit;
pub(crate) use self::exact::{exact_numbers_coded, has_exact_numbers};
use self::exact::{exact_of, exact_taken, taken};
pub use self::new_numbers::NewNumbers;
use self::stored::Stored;
use self::unread::Unread;
pub(crate) use self::unread::{CellSource, Texts};
use crate::attribute::{Attribute, Kind};
use crate::codes::Codes;
use crate::date::{DateFormat, Dates};
use crate::decimal::Decimal;
use crate::levels::Levels;
use crate::missing::{MissingCause, MissingCells, MissingMark};
use crate::number::{DecimalMark, number_text, parse_number_with, write_number};
use crate::text::TextArena;

/// Categories by code.
#[derive(Clone, Debug)]
pub struct Categorical {
    /// Code of each record; meaningless where the cell is missing. Under a *suppressed* cell the
    /// code before suppression stays, for counting under the semantics `original`; nothing writes
    /// it.
    pub codes: Codes,
    /// What the codes stand for.
    pub levels: Arc<Levels>,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum Values {
    /// Numbers; NaN where the cell is missing, and nowhere else.
    Numeric(Vec<f64>),
    /// Categories.
    Categorical(Categorical),
}

/// How numbers are written again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberText {
    /// Decimals that every number of the source had; 0 if they varied.
    pub decimals: u8,
    /// The source's own texts, where they are not what [`write_number`] would write.
    pub verbatim: Option<Arc<TextArena>>,
    /// The decimal mark of those texts; the other one may separate thousands in them.
    pub mark: DecimalMark,
    /// The numbers are days since 1 January 1970, and their texts dates of this spelling.
    pub date: Option<DateFormat>,
}

impl NumberText {
    /// No decimals, no texts of their own.
    pub(crate) const PLAIN: Self = Self {
        decimals: 0,
        verbatim: None,
        mark: DecimalMark::Point,
        date: None,
    };
}

/// A column of a [`Table`](crate::Table).
///
/// Columns are values: a mask makes a new one from an old one and never changes it in place, so
/// that original and masked table share what was not touched.
#[derive(Clone, Debug)]
pub struct Column {
    attribute: Arc<Attribute>,
    cells: Cells,
    arrow_type: Option<arrow_schema::DataType>,
    source_type: Option<arrow_schema::DataType>,
}

/// The cells of a column, or what they are read from when somebody looks at them.
#[derive(Clone, Debug)]
enum Cells {
    Read(Content),
    Unread(Arc<Unread>),
    Stored(Arc<Stored>),
}

/// Values, which cells have none, and what else is known cell by cell.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub(crate) values: Values,
    pub(crate) missing: Option<MissingCells>,
    pub(crate) number_text: NumberText,
    /// The numbers with all their digits, where doubles lack some.
    pub(crate) exact: Option<Arc<Categorical>>,
    /// The numbers with those that masks suppressed, as far as they are known.
    pub(crate) before_suppression: Option<Arc<Vec<f64>>>,
}

impl Content {
    /// Values that have no text of their own.
    pub(crate) fn of(values: Values, missing: Option<MissingCells>) -> Self {
        Self {
            values,
            missing,
            number_text: NumberText::default(),
            exact: None,
            before_suppression: None,
        }
    }
}

/// What is known of the texts of numbers where there are none.
static NO_NUMBER_TEXT: NumberText = NumberText::PLAIN;

impl Column {
    /// A numeric column. Cells that `missing` marks must be NaN, all others finite.
    pub fn numeric(
        attribute: Arc<Attribute>,
        values: Vec<f64>,
        missing: Option<MissingCells>,
        number_text: NumberText,
    ) -> Self {
        debug_assert!(
            missing
                .as_ref()
                .is_none_or(|cells| cells.states().len() == values.len())
        );
        let content = Content {
            exact: exact_of(&values, &number_text),
            number_text,
            ..Content::of(Values::Numeric(values), missing)
        };
        Self::of_content(attribute, content)
    }

    /// A column of these cells.
    fn of_content(attribute: Arc<Attribute>, content: Content) -> Self {
        Self {
            attribute,
            cells: Cells::Read(content),
            arrow_type: None,
            source_type: None,
        }
    }

    /// The column with other cells; it is no longer of the type that its source had.
    fn with_content(&self, content: Content) -> Self {
        Self {
            source_type: self.source_type.clone(),
            ..Self::of_content(Arc::clone(&self.attribute), content)
        }
    }

    /// A categorical column.
    pub fn categorical(
        attribute: Arc<Attribute>,
        codes: impl Into<Codes>,
        levels: Arc<Levels>,
        missing: Option<MissingCells>,
    ) -> Self {
        let codes = codes.into();
        debug_assert!(
            missing
                .as_ref()
                .is_none_or(|cells| cells.states().len() == codes.len())
        );
        let values = Values::Categorical(Categorical { codes, levels });
        Self::of_content(attribute, Content::of(values, missing))
    }

    /// Notes the Arrow type that the column had in its source, so that it is written as the same.
    #[must_use]
    pub fn with_arrow_type(mut self, arrow_type: arrow_schema::DataType) -> Self {
        self.arrow_type = Some(arrow_type.clone());
        self.source_type = Some(arrow_type);
        self
    }

    /// The Arrow type in the source; `None` for text files and for columns that were masked.
    pub fn arrow_type(&self) -> Option<&arrow_schema::DataType> {
        self.arrow_type.as_ref()
    }

    /// The Arrow type in the source, also of a column that was masked since: masked whole numbers
    /// stay whole numbers in the released file.
    pub fn source_type(&self) -> Option<&arrow_schema::DataType> {
        self.source_type.as_ref()
    }

    /// What its owner says of the variable.
    pub fn attribute(&self) -> &Attribute {
        &self.attribute
    }

    /// The variable's name.
    pub fn name(&self) -> &str {
        &self.attribute.name
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        match &self.cells {
            Cells::Unread(unread) => unread.n_records(),
            Cells::Stored(stored) => stored.file.n_records(),
            Cells::Read(content) => match &content.values {
                Values::Numeric(values) => values.len(),
                Values::Categorical(categorical) => categorical.codes.len(),
            },
        }
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The values.
    pub fn values(&self) -> &Values {
        &self.content().values
    }

    fn content(&self) -> &Content {
        match &self.cells {
            Cells::Read(content) => content,
            Cells::Unread(unread) => unread.content(),
            Cells::Stored(stored) => stored.content(),
        }
    }

    /// Whether it holds numbers; nothing is read for that.
    pub fn is_numeric(&self) -> bool {
        match &self.cells {
            Cells::Read(content) => matches!(content.values, Values::Numeric(_)),
            Cells::Unread(_) => false,
            Cells::Stored(stored) => stored.file.is_numeric(),
        }
    }

    /// The numbers, if the column is numeric. Missing cells are NaN.
    pub fn as_numeric(&self) -> Option<&[f64]> {
        match self.values() {
            Values::Numeric(values) => Some(values),
            Values::Categorical(_) => None,
        }
    }

    /// The categories, if the column is categorical.
    pub fn as_categorical(&self) -> Option<&Categorical> {
        match self.values() {
            Values::Numeric(_) => None,
            Values::Categorical(categorical) => Some(categorical),
        }
    }

    /// Missing cells, if there are any.
    pub fn missing(&self) -> Option<&MissingCells> {
        self.content().missing.as_ref()
    }

    /// Whether the cell of this record holds no value.
    pub fn is_missing(&self, record: usize) -> bool {
        self.missing().is_some_and(|cells| cells.is_missing(record))
    }

    /// Number of cells without a value.
    pub fn n_missing(&self) -> usize {
        let unread = match &self.cells {
            Cells::Unread(unread) => unread.n_missing(),
            Cells::Stored(stored) => Some(stored.file.n_missing()),
            Cells::Read(_) => None,
        };
        unread.unwrap_or_else(|| self.missing().map_or(0, MissingCells::count))
    }

    /// Number of cells whose value a mask removed.
    pub fn n_suppressed(&self) -> usize {
        match &self.cells {
            // No mask touched it.
            Cells::Unread(_) => 0,
            Cells::Stored(stored) => stored.file.n_suppressed(),
            Cells::Read(content) => {
                let missing = content.missing.as_ref();
                missing.map_or(0, MissingCells::n_suppressed)
            }
        }
    }

    /// The mark of a cell without a value.
    pub fn missing_mark(&self, record: usize) -> Option<&MissingMark> {
        self.missing().and_then(|cells| cells.mark(record))
    }

    /// How its numbers are written.
    pub fn number_text(&self) -> &NumberText {
        match &self.cells {
            Cells::Stored(stored) => stored.number_text(),
            Cells::Read(_) | Cells::Unread(_) => self.spelled(),
        }
    }

    /// The same without texts of their own, where these lie in a file.
    fn spelled(&self) -> &NumberText {
        match &self.cells {
            Cells::Read(content) => &content.number_text,
            // Categories.
            Cells::Unread(_) => &NO_NUMBER_TEXT,
            Cells::Stored(stored) => stored.file.number_text(),
        }
    }

    /// The column with other numbers in the same records; missing cells stay missing.
    ///
    /// All numbers are written anew, the unchanged ones too: a released file must not show by its
    /// spelling which cells were changed. For the same reason all numbers are the doubles that are
    /// given here, also where the column had more digits; a mask that moves values, or sets some to a
    /// stated number, keeps them with [`Column::moved`] and [`Column::with_numbers_where`].
    #[must_use]
    pub fn with_numbers(&self, values: Vec<f64>) -> Self {
        assert_eq!(
            values.len(),
            self.len(),
            "a mask keeps the number of records"
        );
        self.numbered(values, self.missing().cloned())
    }

    /// The column with these numbers, and these cells missing.
    fn numbered(&self, mut values: Vec<f64>, missing: Option<MissingCells>) -> Self {
        if let Some(format) = self.spelled().date {
            // What is measured is what a reader of the released file finds.
            for value in &mut values {
                *value = format.round(*value);
            }
        }
        if let Some(cells) = &missing {
            for (value, &state) in values.iter_mut().zip(cells.states()) {
                if state != 0 {
                    *value = f64::NAN;
                }
            }
        }
        self.with_content(Content {
            number_text: NumberText {
                verbatim: None,
                ..*self.spelled()
            },
            ..Content::of(Values::Numeric(values), missing)
        })
    }

    /// The column with other categories in the same records; missing cells stay missing.
    #[must_use]
    pub fn with_codes(&self, codes: impl Into<Codes>, levels: Arc<Levels>) -> Self {
        let codes = codes.into();
        assert_eq!(
            codes.len(),
            self.len(),
            "a mask keeps the number of records"
        );
        let values = Values::Categorical(Categorical { codes, levels });
        self.with_content(Content::of(values, self.missing().cloned()))
    }

    /// The column read as numbers, if every value is one; its texts are kept.
    pub fn parsed_as_numbers(&self, mark: DecimalMark) -> Option<Self> {
        let Values::Categorical(categories) = self.values() else {
            return Some(self.clone());
        };
        let numbers: Vec<f64> = categories
            .levels
            .iter()
            .map(|text| parse_number_with(text, mark))
            .collect::<Option<_>>()?;
        let value = |record: usize| {
            if self.is_missing(record) {
                f64::NAN
            } else {
                numbers[categories.codes.at(record) as usize]
            }
        };
        let text = |record: usize| {
            if self.is_missing(record) {
                ""
            } else {
                categories.levels.text(categories.codes.at(record))
            }
        };
        let attribute = Attribute {
            kind: Kind::Continuous,
            ..Attribute::clone(&self.attribute)
        };
        let number_text = NumberText {
            decimals: 0,
            verbatim: Some(Arc::new((0..self.len()).map(text).collect())),
            mark,
            date: None,
        };
        let values = (0..self.len()).map(value).collect();
        Some(Self::numeric(
            Arc::new(attribute),
            values,
            self.missing().cloned(),
            number_text,
        ))
    }

    /// The column read as dates, in numbers of days, if every value is one in this spelling; its texts are kept.
    pub fn parsed_as_dates(&self, format: DateFormat) -> Option<Self> {
        let Values::Categorical(categories) = self.values() else {
            return (self.spelled().date == Some(format)).then(|| self.clone());
        };
        let days: Vec<f64> = categories
            .levels
            .iter()
            .map(|text| format.days(text))
            .collect::<Option<_>>()?;
        let is_plain = categories
            .levels
            .iter()
            .zip(&days)
            .all(|(text, &days)| format.text(days) == text);
        let present = |record: usize| {
            let code = categories.codes.at(record) as usize;
            (!self.is_missing(record)).then_some(code)
        };
        let texts =
            |record: usize| present(record).map_or("", |code| categories.levels.text(code as u32));
        let number_text = NumberText {
            verbatim: (!is_plain).then(|| Arc::new((0..self.len()).map(texts).collect())),
            date: Some(format),
            ..NumberText::default()
        };
        let attribute = Attribute {
            kind: Kind::Continuous,
            ..Attribute::clone(&self.attribute).with_dates(format)
        };
        let value = |record: usize| present(record).map_or(f64::NAN, |code| days[code]);
        let values = (0..self.len()).map(value).collect();
        let missing = self.missing().cloned();
        Some(Self {
            arrow_type: self.arrow_type.clone(),
            source_type: self.source_type.clone(),
            ..Self::numeric(Arc::new(attribute), values, missing, number_text)
        })
    }

    /// How its dates are spelled, if its values are dates: as numbers of days, or as categories in the order of the
    /// calendar.
    pub fn date_format(&self) -> Option<DateFormat> {
        if self.is_numeric() {
            self.spelled().date
        } else {
            self.attribute.date.and_then(Dates::format)
        }
    }

    /// The text of a number among the values of this column where it is not that of a record: a date where it holds
    /// dates.
    pub fn text_of_number(&self, value: f64) -> String {
        match self.date_format() {
            Some(format) => format.text(value),
            // Adding 0 gives zero one spelling: -0 and 0 are the same number.
            None => number_text(value + 0.0),
        }
    }

    /// The column described in another way (a recoded number is a category from then on).
    #[must_use]
    pub fn with_attribute(mut self, attribute: Arc<Attribute>) -> Self {
        self.attribute = attribute;
        self
    }

    /// The column without the values of these records; what was missing before keeps its cause.
    #[must_use]
    pub fn suppress(&self, records: &[u32]) -> Self {
        let missing = MissingCells::suppress(self.missing(), records, self.len());
        match self.values() {
            Values::Numeric(values) => {
                let before = self.numbers_before_suppression();
                let before_suppression = before.map(|numbers| Arc::new(numbers.to_vec()));
                let exact = self.content().exact.clone();
                let masked = self.numbered(values.clone(), missing);
                masked.with_beside(exact, before_suppression)
            }
            Values::Categorical(categorical) => self.with_content(Content::of(
                Values::Categorical(categorical.clone()),
                missing,
            )),
        }
    }

    /// The column with numbers known beside its own.
    fn with_beside(
        mut self,
        exact: Option<Arc<Categorical>>,
        before_suppression: Option<Arc<Vec<f64>>>,
    ) -> Self {
        if let Cells::Read(content) = &mut self.cells {
            content.exact = exact;
            content.before_suppression = before_suppression;
        }
        self
    }

    /// The numbers as they were before masks suppressed some, NaN where the source had none; `None`
    /// for categories, and where that is not known: a mask that came after the suppression gave the
    /// others new values. As with categories, nothing writes what is under a suppressed cell.
    pub fn numbers_before_suppression(&self) -> Option<&[f64]> {
        match (self.values(), &self.content().before_suppression) {
            (Values::Numeric(_), Some(numbers)) => Some(numbers),
            (Values::Numeric(values), None) => {
                let cells = self.missing();
                let lost = cells.is_some_and(MissingCells::knows_suppression);
                (!lost).then_some(values)
            }
            (Values::Categorical(_), _) => None,
        }
    }

    /// Whether cells that masks suppressed, if there are any, have this text.
    pub fn spells_suppressed(&self, text: &str) -> bool {
        match &self.cells {
            // No mask touched it.
            Cells::Unread(_) => true,
            Cells::Stored(stored) => all_spelled(stored.file.marks().iter(), text),
            Cells::Read(content) => {
                all_spelled(content.missing.iter().flat_map(MissingCells::marks), text)
            }
        }
    }

    /// The column with another text for cells that masks suppressed.
    #[must_use]
    pub fn with_suppressed_text(&self, text: &str) -> Self {
        let mut column = self.clone();
        match &mut column.cells {
            Cells::Read(content) => {
                if let Some(cells) = &mut content.missing {
                    cells.set_suppressed_text(text);
                }
            }
            Cells::Stored(stored) => {
                *stored = Stored::new(stored.file.with_suppressed_text(text));
            }
            // No mask touched a column that is not read.
            Cells::Unread(_) => {}
        }
        column
    }

    /// A choice of records, in that order. The texts of untouched cells come along.
    #[must_use]
    pub fn take(&self, records: &[u32]) -> Self {
        let values = match self.values() {
            Values::Numeric(values) => Values::Numeric(taken(values, records)),
            Values::Categorical(categorical) => Values::Categorical(Categorical {
                codes: categorical.codes.taken(records),
                levels: Arc::clone(&categorical.levels),
            }),
        };
        let Content {
            missing,
            exact,
            before_suppression,
            ..
        } = self.content();
        let number_text = self.number_text();
        let verbatim = number_text.verbatim.as_ref().map(|texts| {
            Arc::new(
                records
                    .iter()
                    .map(|&record| texts.get(record as usize))
                    .collect(),
            )
        });
        let content = Content {
            values,
            missing: missing.as_ref().and_then(|cells| cells.take(records)),
            number_text: NumberText {
                verbatim,
                ..*number_text
            },
            exact: exact.as_ref().map(|exact| exact_taken(exact, records)),
            before_suppression: (before_suppression.as_ref())
                .map(|numbers| Arc::new(taken(numbers, records))),
        };
        Self {
            attribute: Arc::clone(&self.attribute),
            cells: Cells::Read(content),
            arrow_type: self.arrow_type.clone(),
            source_type: self.source_type.clone(),
        }
    }

    /// Appends the text of a cell as it stands in a file.
    pub fn write_text(&self, record: usize, mark: DecimalMark, out: &mut String) {
        if let Cells::Unread(unread) = &self.cells
            && let Some(text) = unread.text(record)
        {
            out.push_str(&text);
            return;
        }
        if let Some(missing) = self.missing_mark(record) {
            out.push_str(&missing.text);
            return;
        }
        let Content { values, exact, .. } = self.content();
        let spelled = self.number_text();
        match (values, &spelled.verbatim) {
            (Values::Numeric(_), Some(texts)) => {
                let text = texts.get(record);
                if mark == spelled.mark || spelled.date.is_some() {
                    out.push_str(text);
                } else {
                    write_with(out, text, spelled.mark, mark);
                }
            }
            (Values::Numeric(_), None) if exact.is_some() => {
                let text = exact
                    .as_ref()
                    .map(|exact| exact.levels.text(exact.codes.at(record)));
                if let Some(number) = text.and_then(Decimal::parse) {
                    number.write(out, spelled.decimals, mark);
                }
            }
            (Values::Numeric(values), None) if spelled.date.is_some() => {
                if let Some(format) = spelled.date {
                    format.write(values[record], out);
                }
            }
            (Values::Numeric(values), None) => {
                write_number(out, values[record], spelled.decimals, mark);
            }
            (Values::Categorical(categorical), _) => {
                out.push_str(categorical.levels.text(categorical.codes.at(record)));
            }
        }
    }
}

/// Whether the marks of suppressed cells, if there are any, have this text.
fn all_spelled<'a>(marks: impl Iterator<Item = &'a MissingMark>, text: &str) -> bool {
    let mut suppressed = marks.filter(|mark| mark.cause == MissingCause::Suppressed);
    suppressed.all(|mark| mark.text == text)
}

/// Appends a number with another decimal mark than it was read with, and without what separates its
/// thousands.
fn write_with(out: &mut String, text: &str, read: DecimalMark, wanted: DecimalMark) {
    for letter in text.chars() {
        if letter == read.character() {
            out.push(wanted.character());
        } else if letter != wanted.character() {
            out.push(letter);
        }
    }
}
