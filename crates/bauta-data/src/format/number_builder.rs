//! Numbers in the making, and whether their texts must be kept.

use std::io;
use std::sync::Arc;

use super::builder::{Place, Stored};
use super::decimal_marks::Marks;
use super::missing_matcher::MissingMatcher;
use crate::attribute::{Attribute, Role};
use crate::column::{Column, NumberText, has_exact_numbers};
use crate::date::DateEvidence;
use crate::number::{
    DecimalMark, MarkEvidence, PlainNumber, decimals_of, number_text, parse_number_with,
    write_number,
};
use crate::problem::{DataProblem, ProblemList};
use crate::store::{ColumnWriter, ExactNumbers, Frame, FrameValues};
use crate::text::TextArena;

/// What is known of the texts so far. Invariant: all texts can be made again from the values.
enum Spelling {
    /// No text yet.
    Unseen,
    /// Each is what `write_number` gives with this many decimals.
    Fixed {
        decimals: u8,
        /// … and with no demand on decimals too.
        shortest: bool,
    },
    /// Each is what `write_number` gives with no demand on decimals.
    Shortest,
    /// Some are not what `write_number` gives: all are kept.
    Verbatim(TextArena),
}

/// How one text compares with what `write_number` would make of its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Spelled {
    decimals: u8,
    /// Written so if `decimals` are demanded.
    fixed: bool,
    /// Written so if nothing is demanded; implies `fixed`.
    shortest: bool,
}

/// Decimals that all numbers share.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SharedDecimals {
    Unseen,
    All(u8),
    Varied,
}

impl SharedDecimals {
    /// Decimals that all numbers have; 0 if they vary.
    const fn shared(self) -> u8 {
        match self {
            Self::All(decimals) => decimals,
            Self::Unseen | Self::Varied => 0,
        }
    }
}

pub(super) struct NumberBuilder {
    attribute: Arc<Attribute>,
    missing: MissingMatcher,
    mark: DecimalMark,
    /// What the numbers show of the mark, where it is to be found.
    evidence: Option<MarkEvidence>,
    values: Vec<f64>,
    /// Missing states of the cells up to the last missing one: most columns have none, and need no room for them.
    states: Vec<u8>,
    spelling: Spelling,
    decimals: SharedDecimals,
    any_positive: bool,
    scratch: String,
    /// Cells that are in a file already, and how many of them are missing.
    n_stored: usize,
    n_stored_missing: usize,
    /// Whether one of them has digits that a double lacks.
    any_exact: bool,
}

impl NumberBuilder {
    pub(super) fn new(attribute: Arc<Attribute>, missing: MissingMatcher, marks: Marks) -> Self {
        Self {
            attribute,
            missing,
            mark: marks.read_with(),
            evidence: (marks == Marks::Sought).then(MarkEvidence::default),
            values: Vec::new(),
            states: Vec::new(),
            spelling: Spelling::Unseen,
            decimals: SharedDecimals::Unseen,
            any_positive: false,
            scratch: String::new(),
            n_stored: 0,
            n_stored_missing: 0,
            any_exact: false,
        }
    }

    /// Makes room for so many cells, if there is any; else it is asked for where they come.
    pub(super) fn reserve(&mut self, n_cells: usize) {
        let _ = self.values.try_reserve_exact(n_cells);
    }

    pub(super) fn attribute(&self) -> &Attribute {
        &self.attribute
    }

    /// What its numbers show of the decimal mark, if that is gathered.
    pub(super) fn evidence(&self) -> Option<MarkEvidence> {
        self.evidence
    }

    /// Adds a cell with its text.
    pub(super) fn push(
        &mut self,
        text: &str,
        problems: &mut ProblemList,
        place: impl Fn() -> Place,
    ) {
        let state = self.missing.state(text);
        if state != 0 {
            return self.push_missing(state, problems, place);
        }
        if let Some(plain) = &PlainNumber::of(text.as_bytes(), self.mark) {
            if let Some(evidence) = &mut self.evidence {
                evidence.see_plain(plain);
            }
            self.add(text, plain.value, Some(plain), problems, &place);
            return;
        }
        self.see(text);
        if let Some(value) = parse_number_with(text, self.mark) {
            self.add(text, value, None, problems, &place);
        } else {
            problems.push_with(|| {
                place()
                    .of(self.not_a_number(text))
                    .of_variable(&self.attribute.name)
            });
        }
    }

    /// Adds a number with its text.
    fn add(
        &mut self,
        text: &str,
        value: f64,
        plain: Option<&PlainNumber>,
        problems: &mut ProblemList,
        place: &impl Fn() -> Place,
    ) {
        self.check(value, problems, place);
        self.note_spelling(text, value, plain);
        self.values.push(value);
    }

    /// Whether a value was seen, so that the column holds numbers.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.spelling, Spelling::Unseen) || self.any_positive
    }

    /// Whether a text is the first that is not missing, and no number but a date. The column is one of dates then.
    pub(super) fn begins_with_date(&self, text: &str) -> bool {
        !self.has_begun()
            && self.attribute.role != Role::Weight
            && self.missing.state(text) == 0
            && parse_number_with(text, self.mark).is_none()
            && DateEvidence::default().see(text)
    }

    /// What the column is described as, and the texts of its cells so far, all of which are missing.
    pub(super) fn into_missing_texts(self) -> (Arc<Attribute>, MissingMatcher, Vec<u8>) {
        (self.attribute, self.missing, self.states)
    }

    /// Looks at a cell without keeping it.
    pub(super) fn look_at(&mut self, text: &str) {
        if self.missing.state(text) == 0 {
            self.see(text);
        }
    }

    fn see(&mut self, text: &str) {
        if let Some(evidence) = &mut self.evidence {
            evidence.see_number(text);
        }
    }

    /// Adds a cell with a number whose text is the shortest that reads back.
    pub(super) fn push_number(
        &mut self,
        value: f64,
        problems: &mut ProblemList,
        place: impl Fn() -> Place,
    ) {
        if value.is_nan() {
            let state = self.missing.source_state("NaN");
            return self.push_missing(state, problems, place);
        }
        let state = self.missing.state_of_number(value);
        if state != 0 {
            return self.push_missing(state, problems, place);
        }
        self.check(value, problems, &place);
        match &mut self.spelling {
            Spelling::Verbatim(texts) => {
                texts.push(&number_text(value));
            }
            Spelling::Fixed { decimals: 0, .. } | Spelling::Shortest => {}
            Spelling::Unseen => self.spelling = Spelling::Shortest,
            Spelling::Fixed { .. } => self.keep_all_texts_and(&number_text(value)),
        }
        self.decimals = SharedDecimals::Varied;
        self.values.push(value);
    }

    /// Adds numbers as [`Self::push_number`] does, if none of them is anything but a number to keep; else adds none and
    /// says so.
    pub(super) fn push_sound(&mut self, numbers: impl ExactSizeIterator<Item = f64>) -> bool {
        let is_written_shortest = match self.spelling {
            Spelling::Fixed { decimals, .. } => decimals == 0,
            Spelling::Unseen | Spelling::Shortest => true,
            Spelling::Verbatim(_) => false,
        };
        let lowest = match self.attribute.role {
            Role::Weight => 0.0,
            _ => f64::MIN,
        };
        let is_sound = |value: f64| value >= lowest && value <= f64::MAX;
        if !is_written_shortest || self.missing.knows_numbers() {
            return false;
        }
        let n_before = self.values.len();
        self.values.extend(numbers);
        let added = &self.values[n_before..];
        // All are looked at, because a loop that may stop looks at one after the other.
        let are_sound = (added.iter()).fold(true, |all, &value| all & is_sound(value));
        if !are_sound {
            self.values.truncate(n_before);
            return false;
        }
        if !added.is_empty() {
            self.any_positive = self.any_positive || added.iter().any(|&value| value > 0.0);
            self.decimals = SharedDecimals::Varied;
            if matches!(self.spelling, Spelling::Unseen) {
                self.spelling = Spelling::Shortest;
            }
        }
        true
    }

    /// Adds a cell that the source has as "no value".
    pub(super) fn push_null(&mut self, problems: &mut ProblemList, place: impl Fn() -> Place) {
        let state = self.missing.source_state("");
        self.push_missing(state, problems, place);
    }

    fn push_missing(&mut self, state: u8, problems: &mut ProblemList, place: impl Fn() -> Place) {
        if self.attribute.role == Role::Weight {
            problems.push_with(|| {
                let problem = DataProblem::file(
                    "the weight is missing",
                    "give every record a weight, or remove the record",
                );
                place().of(problem).of_variable(&self.attribute.name)
            });
        }
        if let Spelling::Verbatim(texts) = &mut self.spelling {
            texts.push("");
        }
        self.states.resize(self.values.len(), 0);
        self.states.push(state);
        self.values.push(f64::NAN);
    }

    fn check(&mut self, value: f64, problems: &mut ProblemList, place: &impl Fn() -> Place) {
        if value > 0.0 {
            self.any_positive = true;
        }
        let problem = if value.is_infinite() {
            (
                "the number is infinite",
                "replace it by a finite number or by a missing value",
            )
        } else if value < 0.0 && self.attribute.role == Role::Weight {
            (
                "the weight is negative",
                "a weight is the number of units a record stands for",
            )
        } else {
            return;
        };
        problems.push_with(|| {
            place()
                .of(DataProblem::file(problem.0, problem.1))
                .of_variable(&self.attribute.name)
        });
    }

    /// Says that a text is no number, without showing it.
    fn not_a_number(&self, text: &str) -> DataProblem {
        let other = self.mark.other();
        let looks_grouped = text.contains(other.character())
            && text.bytes().any(|byte| byte.is_ascii_digit())
            && !text.bytes().any(|byte| byte.is_ascii_alphabetic());
        let is_weight = self.attribute.role == Role::Weight;
        let hint = match (parse_number_with(text, other), self.mark) {
            (Some(_), DecimalMark::Point) => {
                "the file seems to have decimal commas: set decimal = \",\""
            }
            (Some(_), DecimalMark::Comma) => {
                "the file seems to have decimal points: set decimal = \".\""
            }
            (None, DecimalMark::Point) if looks_grouped => {
                "with a decimal point, commas may only separate thousands: 1,234,567.5"
            }
            (None, DecimalMark::Comma) if looks_grouped => {
                "with a decimal comma, points may only separate thousands: 1.234.567,5"
            }
            (None, _) if is_weight => "give every record a weight that is a number",
            (None, _) => {
                "correct it, declare it as a missing code, or declare the variable with another \
                 kind than continuous"
            }
        };
        DataProblem::file("is not a number", hint)
    }

    fn note_spelling(&mut self, text: &str, value: f64, plain: Option<&PlainNumber>) {
        if let Spelling::Verbatim(texts) = &mut self.spelling {
            texts.push(text);
            let decimals = plain.map(|plain| plain.n_decimals);
            self.note_decimals(decimals.unwrap_or_else(|| decimals_of(text, self.mark)));
            return;
        }
        let spelled = match plain {
            Some(plain) => Spelled::of_plain(plain),
            None => Spelled::of(text, value, self.mark, &mut self.scratch),
        };
        self.note_decimals(spelled.decimals);
        match &mut self.spelling {
            Spelling::Unseen if spelled.fixed => {
                self.spelling = Spelling::Fixed {
                    decimals: spelled.decimals,
                    shortest: spelled.shortest,
                };
            }
            Spelling::Fixed { decimals, shortest }
                if spelled.fixed && *decimals == spelled.decimals =>
            {
                *shortest &= spelled.shortest;
            }
            Spelling::Fixed { shortest: true, .. } if spelled.shortest => {
                self.spelling = Spelling::Shortest;
            }
            Spelling::Shortest if spelled.shortest => {}
            _ => self.keep_all_texts_and(text),
        }
    }

    /// Makes the texts of all cells so far again and keeps them from here on, with `text` next.
    fn keep_all_texts_and(&mut self, text: &str) {
        let decimals = match self.spelling {
            Spelling::Fixed { decimals, .. } => decimals,
            _ => 0,
        };
        let mut texts = TextArena::default();
        for &value in &self.values {
            self.scratch.clear();
            if !value.is_nan() {
                write_number(&mut self.scratch, value, decimals, self.mark);
            }
            texts.push(&self.scratch);
        }
        texts.push(text);
        self.spelling = Spelling::Verbatim(texts);
    }

    fn note_decimals(&mut self, decimals: u8) {
        self.decimals = match self.decimals {
            SharedDecimals::Unseen => SharedDecimals::All(decimals),
            SharedDecimals::All(all) if all == decimals => SharedDecimals::All(all),
            _ => SharedDecimals::Varied,
        };
    }

    /// Notes the problems that show only when all cells are there.
    pub(super) fn close(&mut self, problems: &mut ProblemList) {
        let is_weight = self.attribute.role == Role::Weight;
        let has_cells = !self.values.is_empty() || self.n_stored > 0;
        if is_weight && problems.is_empty() && !self.any_positive && has_cells {
            problems.push_with(|| {
                DataProblem::file(
                    "all weights are 0",
                    "weights sum to the population; leave the weight out for a census",
                )
                .of_variable(&self.attribute.name)
            });
        }
    }

    /// Moves cells to a file, in whole blocks as long as more may come.
    pub(super) fn store(&mut self, writer: &mut ColumnWriter, cells: Stored) -> io::Result<()> {
        let block = writer.block_records();
        let n_moved = cells.of(self.values.len(), block);
        let decimals = match self.spelling {
            Spelling::Fixed { decimals, .. } => decimals,
            Spelling::Unseen | Spelling::Shortest | Spelling::Verbatim(_) => 0,
        };
        for first in (0..n_moved).step_by(block) {
            let records = first..n_moved.min(first + block);
            let mut states = (self.states.get(first..self.states.len().min(records.end)))
                .map_or_else(Vec::new, <[u8]>::to_vec);
            if !states.is_empty() {
                states.resize(records.len(), 0);
            }
            self.n_stored_missing += states.iter().filter(|&&state| state != 0).count();
            let texts = match &self.spelling {
                Spelling::Verbatim(texts) => Some(texts.slice(records.clone())),
                Spelling::Unseen | Spelling::Fixed { .. } | Spelling::Shortest => None,
            };
            if let Some(texts) = &texts {
                let values = &self.values[records.clone()];
                self.any_exact |= has_exact_numbers(values, texts, self.mark);
            }
            writer.put_numbers(&self.values[records], &states, texts.as_ref(), decimals)?;
        }
        self.values.drain(..n_moved);
        self.states.drain(..n_moved.min(self.states.len()));
        if let Spelling::Verbatim(texts) = &mut self.spelling {
            *texts = texts.slice(n_moved..texts.len());
        }
        self.n_stored += n_moved;
        Ok(())
    }

    /// The column, all of whose cells are in a file.
    pub(super) fn finish_stored(self, writer: ColumnWriter) -> Column {
        let has_texts = matches!(self.spelling, Spelling::Verbatim(_));
        let frame = Frame {
            values: FrameValues::Numbers {
                text: NumberText {
                    decimals: self.decimals.shared(),
                    verbatim: None,
                    mark: self.mark,
                    date: None,
                },
                has_texts,
                exact: if self.any_exact {
                    ExactNumbers::InTexts
                } else {
                    ExactNumbers::None
                },
            },
            marks: self.missing.into_marks(),
            n_missing: self.n_stored_missing,
            n_suppressed: 0,
        };
        Column::stored(self.attribute, writer.finish(frame))
    }

    pub(super) fn finish(mut self) -> Column {
        let decimals = self.decimals.shared();
        let verbatim = match self.spelling {
            Spelling::Verbatim(texts) => Some(Arc::new(texts)),
            _ => None,
        };
        let number_text = NumberText {
            decimals,
            verbatim,
            mark: self.mark,
            date: None,
        };
        if !self.states.is_empty() {
            self.states.resize(self.values.len(), 0);
        }
        let cells = self.missing.cells(self.states);
        Column::numeric(self.attribute, self.values, cells, number_text)
    }
}

impl Spelled {
    fn of(text: &str, value: f64, mark: DecimalMark, scratch: &mut String) -> Self {
        let decimals = decimals_of(text, mark);
        let mut is_written = |min_decimals| {
            scratch.clear();
            write_number(scratch, value, min_decimals, mark);
            scratch == text
        };
        Self {
            decimals,
            fixed: is_written(decimals),
            shortest: is_written(0),
        }
    }

    /// The answer without writing: both ways of writing give the digits of a plain number again.
    fn of_plain(number: &PlainNumber) -> Self {
        Self {
            decimals: number.n_decimals,
            fixed: true,
            shortest: number.n_decimals == 0 || !number.ends_with_zero,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attribute::Kind;
    use crate::format::builder::ColumnBuilder;
    use crate::missing::MissingRules;
    use proptest::prelude::*;

    fn build(texts: &[&str], mark: DecimalMark) -> Column {
        let attribute = Arc::new(Attribute::new("x", Role::Sensitive, Kind::Continuous));
        let rules = MissingRules::default();
        let mut builder = ColumnBuilder::new(attribute, true, &rules, Marks::Known(mark));
        for text in texts {
            builder.push(text, || Place::Line(1));
        }
        assert!(builder.problems.is_empty());
        builder.finish()
    }

    fn texts(column: &Column, mark: DecimalMark) -> Vec<String> {
        let text = |record| {
            let mut out = String::new();
            column.write_text(record, mark, &mut out);
            out
        };
        (0..column.len()).map(text).collect()
    }

    #[test]
    fn texts_are_kept_only_where_they_must_be() {
        // (texts, decimals, whether the texts are kept)
        let cases: [(&[&str], u8, bool); 12] = [
            (&["1", "-20", "NA", "300"], 0, false),
            (&["1.50", "2.25", "-0.00"], 2, false),
            (&["1.5", "2.25", "7"], 0, false),
            (&["1.50", "2.5"], 0, true),
            (&["1.5", "2.50"], 0, true),
            (&["7", "007"], 0, true),
            (&["", "5."], 0, true),
            (&["+5"], 0, true),
            (&[" 5"], 0, true),
            (&["1e3"], 0, true),
            (&["9007199254740993"], 0, true),
            (&["0.00000001"], 8, true),
        ];
        for (source, decimals, kept) in cases {
            let column = build(source, DecimalMark::Point);
            assert_eq!(column.number_text().decimals, decimals, "{source:?}");
            assert_eq!(column.number_text().verbatim.is_some(), kept, "{source:?}");
            assert_eq!(texts(&column, DecimalMark::Point), source);
        }
    }

    #[test]
    fn decimal_commas_come_back() {
        let source = ["1,50", "2,25", "", "-0,10"];
        let column = build(&source, DecimalMark::Comma);
        assert!(column.number_text().verbatim.is_none());
        assert_eq!(texts(&column, DecimalMark::Comma), source);
        let kept = build(&["1,50", "01,5"], DecimalMark::Comma);
        assert_eq!(texts(&kept, DecimalMark::Point), ["1.50", "01.5"]);
    }

    proptest! {
        #[test]
        fn any_numbers_come_back(
            source in prop::collection::vec("-?[0-9]{1,17}(\\.[0-9]{0,9})?([eE]-?[0-9]{1,2})?|", 0..12)
        ) {
            let source: Vec<&str> = source.iter().map(String::as_str).collect();
            prop_assert_eq!(texts(&build(&source, DecimalMark::Point), DecimalMark::Point), source);
        }

        #[test]
        fn the_short_cut_agrees_with_writing(text in "-?[0-9]{1,16}(\\.[0-9]{1,12})?") {
            let value = parse_number_with(&text, DecimalMark::Point).unwrap();
            if let Some(plain) = PlainNumber::of(text.as_bytes(), DecimalMark::Point) {
                let spelled = Spelled::of_plain(&plain);
                let mut out = String::new();
                write_number(&mut out, value, spelled.decimals, DecimalMark::Point);
                prop_assert_eq!(&out, &text);
                prop_assert_eq!(number_text(value) == text, spelled.shortest);
                prop_assert_eq!(decimals_of(&text, DecimalMark::Point), spelled.decimals);
            }
        }
    }
}
