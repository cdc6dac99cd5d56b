//! Which character is the decimal mark of a file, as its numbers show it.
//!
//! `1,5` can only be one and a half, `1,234.5` only have a decimal point. `1,234` may be either, and to
//! guess would be wrong by a factor of a thousand.

use super::{DecimalMark, PlainNumber};

impl DecimalMark {
    /// The mark as it is written.
    pub const fn character(self) -> char {
        match self {
            Self::Point => '.',
            Self::Comma => ',',
        }
    }

    /// The other of the two: between thousands, where this one separates decimals.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Point => Self::Comma,
            Self::Comma => Self::Point,
        }
    }

    /// What the mark is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Comma => "comma",
        }
    }
}

/// What one text shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// No number under either mark.
    None,
    /// Digits before a point that start with a zero, as codes and days of a month do: 01.11.
    Code,
    /// A whole number without separators: whether it has more than three digits.
    Whole { long: bool },
    /// A number under this mark and no other.
    Shows(DecimalMark),
    /// This mark with one to three digits before it and three behind: decimals or thousands.
    Either(DecimalMark),
}

impl Form {
    /// A bit of its own.
    const fn bit(self) -> u8 {
        match self {
            Self::None => 64,
            Self::Code => 128,
            Self::Shows(DecimalMark::Point) => 1,
            Self::Shows(DecimalMark::Comma) => 2,
            Self::Either(DecimalMark::Point) => 4,
            Self::Either(DecimalMark::Comma) => 8,
            Self::Whole { long: false } => 16,
            Self::Whole { long: true } => 32,
        }
    }
}

/// What the numbers of one column show of the decimal mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MarkEvidence {
    /// The bits of the forms that were seen.
    forms: u8,
    /// Whether a number was seen that is no month of a year, such as 2003.02.
    any_but_months: bool,
}

/// What follows from all numbers of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ColumnMark {
    /// Either mark gives the same numbers.
    Any,
    /// Its numbers have this mark.
    Shows(DecimalMark),
    /// Some numbers have one mark, some the other.
    Both,
    /// This character stands where it may separate decimals or thousands, and nothing else decides.
    Either(DecimalMark),
    /// As before with the point, but every number has three decimals: the usual fixed format, unless the
    /// file has decimal commas.
    FixedPoint,
}

impl MarkEvidence {
    /// What some texts show.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut evidence = Self::default();
        for text in texts {
            evidence.see(text);
        }
        evidence
    }

    /// Takes in one text.
    pub fn see(&mut self, text: &str) {
        let form = form(text);
        self.forms |= form.bit();
        self.any_but_months |= form != Form::None && !is_month(text);
    }

    /// Takes in one text of a column whose texts must be numbers, so that another is told elsewhere.
    pub(crate) fn see_number(&mut self, text: &str) {
        // The usual file: decimal points everywhere, which the first number has shown.
        let point = Form::Shows(DecimalMark::Point);
        let bytes = text.as_bytes();
        let is_usual = bytes
            .first()
            .is_some_and(|first| (b'1'..=b'9').contains(first))
            && !bytes.contains(&b',');
        if !(is_usual && self.any_but_months && self.has(point)) {
            self.see(text);
        }
    }

    /// Takes in a number that was read with a decimal point: as [`MarkEvidence::see`] does with its text.
    pub(crate) fn see_plain(&mut self, number: &PlainNumber) {
        let form = if number.n_decimals == 0 {
            Form::Whole {
                long: number.n_whole > 3,
            }
        } else if number.n_decimals == 3 && number.n_whole <= 3 && !number.is_below_one() {
            Form::Either(DecimalMark::Point)
        } else {
            Form::Shows(DecimalMark::Point)
        };
        self.forms |= form.bit();
        self.any_but_months |= !number.is_month();
    }

    /// Whether a whole number of so many digits, or the same text meaning missing, adds nothing to what is known.
    pub(crate) const fn knows_whole(self, n_digits: usize) -> bool {
        self.any_but_months && self.has(Form::Whole { long: n_digits > 3 })
    }

    /// Whether no other text of a column that is not read as numbers changes what follows from its texts.
    pub(crate) const fn is_settled_for_texts(self) -> bool {
        self.has(Form::None)
    }

    const fn has(self, form: Form) -> bool {
        self.forms & form.bit() != 0
    }

    /// What follows from the texts of a column that is not read as numbers: the same as if it were, so
    /// that every reader of a file finds the same mark, and nothing where some are no numbers.
    pub const fn mark_of_texts(self) -> ColumnMark {
        let shows_both =
            self.has(Form::Shows(DecimalMark::Point)) && self.has(Form::Shows(DecimalMark::Comma));
        if self.has(Form::None) || shows_both {
            ColumnMark::Any
        } else {
            self.mark()
        }
    }

    /// What follows from the texts of a column that is read as numbers.
    pub const fn mark(self) -> ColumnMark {
        // Codes and months say nothing of the decimals of others, and have only one reading themselves.
        if self.has(Form::Code) || !self.any_but_months {
            return ColumnMark::Any;
        }
        let shown = (
            self.has(Form::Shows(DecimalMark::Point)),
            self.has(Form::Shows(DecimalMark::Comma)),
        );
        let either = (
            self.has(Form::Either(DecimalMark::Point)),
            self.has(Form::Either(DecimalMark::Comma)),
        );
        match (shown, either) {
            // 1,234 beside 1.234: whichever separates decimals, the other separates thousands.
            ((true, true), _) | ((false, false), (true, true)) => ColumnMark::Both,
            ((true, false), _) => ColumnMark::Shows(DecimalMark::Point),
            ((false, true), _) => ColumnMark::Shows(DecimalMark::Comma),
            ((false, false), (false, true)) => ColumnMark::Either(DecimalMark::Comma),
            ((false, false), (true, false)) => self.points_alone(),
            ((false, false), (false, false)) => ColumnMark::Any,
        }
    }

    /// What follows from numbers such as 1.234, where no other has a point or a comma.
    const fn points_alone(self) -> ColumnMark {
        if self.has(Form::Whole { long: true }) {
            // A column that writes 1500 does not write 1.500 for the same.
            ColumnMark::Shows(DecimalMark::Point)
        } else if self.has(Form::Whole { long: false }) {
            ColumnMark::Either(DecimalMark::Point)
        } else {
            ColumnMark::FixedPoint
        }
    }
}

/// What one column of a file shows of the decimal mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShownMark {
    /// The column.
    pub variable: String,
    /// What its texts show, whatever they are read as.
    pub mark: ColumnMark,
    /// What they are read as.
    pub read_as: ReadAs,
}

/// What the texts of a column are read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadAs {
    /// Numbers.
    Numbers,
    /// Texts: categories, names, whatever nobody described.
    Texts,
}

impl ShownMark {
    /// Whether the decimal mark decides what is read.
    pub fn depends_on_mark(&self) -> bool {
        self.read_as == ReadAs::Numbers && self.mark != ColumnMark::Any
    }
}

/// The decimal mark of a file, or why it is not clear.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileMark {
    /// This mark, and the columns in which the other character then separates thousands though they
    /// themselves do not show it.
    Found {
        /// The mark.
        mark: DecimalMark,
        /// Columns, by position among those looked at.
        by_others: Vec<usize>,
    },
    /// Columns that may be read either way, by position, each with the character in doubt.
    Doubtful(Vec<(usize, DecimalMark)>),
    /// Columns that show a point, and columns that show a comma.
    Contradicting {
        /// With a decimal point.
        point: Vec<usize>,
        /// With a decimal comma.
        comma: Vec<usize>,
    },
}

impl FileMark {
    /// What the columns of a file say together.
    pub fn of(columns: &[ColumnMark]) -> Self {
        let with = |wanted: &[ColumnMark]| -> Vec<usize> {
            let positions = 0..columns.len();
            positions
                .filter(|&position| wanted.contains(&columns[position]))
                .collect()
        };
        let point = with(&[ColumnMark::Shows(DecimalMark::Point), ColumnMark::Both]);
        let comma = with(&[ColumnMark::Shows(DecimalMark::Comma), ColumnMark::Both]);
        let separating = |mark: DecimalMark| match mark {
            DecimalMark::Point => with(&[ColumnMark::Either(DecimalMark::Comma)]),
            DecimalMark::Comma => with(&[
                ColumnMark::Either(DecimalMark::Point),
                ColumnMark::FixedPoint,
            ]),
        };
        let found = |mark| Self::Found {
            mark,
            by_others: separating(mark),
        };
        match (point.is_empty(), comma.is_empty()) {
            (false, false) => Self::Contradicting { point, comma },
            (false, true) => found(DecimalMark::Point),
            (true, false) => found(DecimalMark::Comma),
            (true, true) => {
                let doubt = |(position, mark): (usize, &ColumnMark)| match mark {
                    ColumnMark::Either(mark) => Some((position, *mark)),
                    _ => None,
                };
                let doubtful: Vec<_> = columns.iter().enumerate().filter_map(doubt).collect();
                if doubtful.is_empty() {
                    found(DecimalMark::Point)
                } else {
                    Self::Doubtful(doubtful)
                }
            }
        }
    }
}

fn form(text: &str) -> Form {
    let text = text.trim_matches(' ');
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
        None => (unsigned, None),
        Some((mantissa, power)) => (mantissa, Some(power)),
    };
    if power.is_some_and(|power| !is_power(power)) {
        return Form::None;
    }
    if is_code(mantissa) {
        return Form::Code;
    }
    let count = |mark: DecimalMark| mantissa.matches(mark.character()).count();
    let (n_points, n_commas) = (count(DecimalMark::Point), count(DecimalMark::Comma));
    match (n_points, n_commas) {
        (0, 0) if is_digits(mantissa) && !mantissa.is_empty() => {
            let digits = mantissa.trim_start_matches('0');
            let long = digits.len() > 3 || power.is_some();
            Form::Whole { long }
        }
        (1, 0) => one_mark(mantissa, DecimalMark::Point, power.is_some()),
        (0, 1) => one_mark(mantissa, DecimalMark::Comma, power.is_some()),
        // Thousands without decimals: the other character is the mark.
        (_, 0) if is_grouped(mantissa, DecimalMark::Point) => Form::Shows(DecimalMark::Comma),
        (0, _) if is_grouped(mantissa, DecimalMark::Comma) => Form::Shows(DecimalMark::Point),
        (1, _) if is_mixed(mantissa, DecimalMark::Point) => Form::Shows(DecimalMark::Point),
        (_, 1) if is_mixed(mantissa, DecimalMark::Comma) => Form::Shows(DecimalMark::Comma),
        _ => Form::None,
    }
}

fn one_mark(mantissa: &str, mark: DecimalMark, has_power: bool) -> Form {
    let (whole, decimals) = mantissa.split_once(mark.character()).unwrap_or_default();
    if !is_digits(whole) || !is_digits(decimals) || whole.len() + decimals.len() == 0 {
        return Form::None;
    }
    if !has_power && is_grouped(mantissa, mark) {
        Form::Either(mark)
    } else {
        Form::Shows(mark)
    }
}

/// Whether a text is thousands with decimals behind this mark: 1,234.5.
fn is_mixed(mantissa: &str, mark: DecimalMark) -> bool {
    let parts = mantissa.split_once(mark.character());
    parts.is_some_and(|(whole, decimals)| is_grouped(whole, mark.other()) && is_digits(decimals))
}

/// Whether digits start with a zero that no number needs, and have a point behind: 01.11, 007.5.
fn is_code(mantissa: &str) -> bool {
    let parts = mantissa.split_once(DecimalMark::Point.character());
    parts.is_some_and(|(whole, behind)| {
        let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
        has_leading_zero && is_digits(whole) && is_digits(behind)
    })
}

/// Whether a text is a month as some write it: 2003.02.
fn is_month(text: &str) -> bool {
    let parts = text
        .trim_matches(' ')
        .split_once(DecimalMark::Point.character());
    parts.is_some_and(|(year, month)| {
        let is_year = year.len() == 4 && is_digits(year) && ("1800".."2200").contains(&year);
        is_year && month.len() == 2 && is_digits(month) && ("01"..="12").contains(&month)
    })
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_power(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && is_digits(digits)
}

/// Whether digits stand in well-formed groups of thousands: one to three that do not start with 0,
/// then groups of three, at least one.
pub(super) fn is_grouped(text: &str, separator: DecimalMark) -> bool {
    let mut groups = text.split(separator.character());
    let first = groups.next().unwrap_or_default();
    let starts_well = (1..=3).contains(&first.len()) && !first.starts_with('0');
    let mut n_more = 0;
    let all_well = groups.all(|group| {
        n_more += 1;
        group.len() == 3 && is_digits(group)
    });
    starts_well && is_digits(first) && all_well && n_more > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use DecimalMark::{Comma, Point};

    #[test]
    fn each_form_shows_what_it_can() {
        let cases: [(&[&str], Form); 7] = [
            (
                &[
                    "1.5",
                    "0.123",
                    "1234.567",
                    ".5",
                    "5.",
                    "-1,234.5",
                    "1,234,567",
                    "1.234e3",
                    "12.3456",
                ],
                Form::Shows(Point),
            ),
            (
                &[
                    "1,5",
                    "0,123",
                    "1234,567",
                    ",5",
                    "5,",
                    "+1.234,5",
                    "1.234.567",
                    "1,234e3",
                    "1.234.567,89",
                ],
                Form::Shows(Comma),
            ),
            (&["1.234", "-999.000", "12.345"], Form::Either(Point)),
            (&["1,234", " 12,345", "100,000"], Form::Either(Comma)),
            (&["0", "999", "-7", "007"], Form::Whole { long: false }),
            (&["1000", "12345678", "1e3"], Form::Whole { long: true }),
            (
                &[
                    "",
                    "x",
                    "1,23,456",
                    "1.2.3",
                    "12,34.5",
                    "1,2345,678",
                    "1e",
                    ".",
                    ",",
                    "1 000",
                    "1.5x",
                ],
                Form::None,
            ),
        ];
        for (texts, expected) in cases {
            for text in texts {
                assert_eq!(form(text), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn a_column_is_doubtful_only_where_nothing_decides() {
        let mark = |texts: &[&str]| MarkEvidence::of(texts.iter().copied()).mark();
        assert_eq!(mark(&["1,234", "5", "12,000"]), ColumnMark::Either(Comma));
        assert_eq!(
            mark(&["1,234", "12,000", "900,000"]),
            ColumnMark::Either(Comma)
        );
        assert_eq!(mark(&["1,234", "1,5"]), ColumnMark::Shows(Comma));
        assert_eq!(mark(&["1,234", "7.5"]), ColumnMark::Shows(Point));
        assert_eq!(mark(&["1.234", "5", "12.000"]), ColumnMark::Either(Point));
        assert_eq!(mark(&["1.234", "12.000"]), ColumnMark::FixedPoint);
        assert_eq!(mark(&["1.234", "12.000", "1500"]), ColumnMark::Shows(Point));
        assert_eq!(mark(&["1.234", "0.500", "7"]), ColumnMark::Shows(Point));
        assert_eq!(mark(&["1.5", "1,5"]), ColumnMark::Both);
        assert_eq!(mark(&["1.234", "1,234"]), ColumnMark::Both);
        assert_eq!(mark(&["1", "2000", "x"]), ColumnMark::Any);
        assert_eq!(mark(&[]), ColumnMark::Any);
    }

    #[test]
    fn texts_show_a_mark_only_where_all_are_numbers_of_one_convention() {
        let mark = |texts: &[&str]| MarkEvidence::of(texts.iter().copied()).mark_of_texts();
        assert_eq!(mark(&["1,5", "2"]), ColumnMark::Shows(Comma));
        assert_eq!(mark(&["1.5", "2"]), ColumnMark::Shows(Point));
        assert_eq!(mark(&["1.234", "12.000"]), ColumnMark::FixedPoint);
        assert_eq!(mark(&["1,234", "12,000"]), ColumnMark::Either(Comma));
        // Either mark makes numbers of these, and not the same.
        assert_eq!(mark(&["1.234", "1,234"]), ColumnMark::Both);
        // Dates, versions, codes, months, and texts with numbers among them.
        let others: [&[&str]; 7] = [
            &["01.02.2003", "24.12.2003"],
            &["1.2", "1.2.3"],
            &["01.11", "10.12"],
            &["2003.01", "2003.12"],
            &["1,5", "x"],
            &["1,5", "1.5"],
            &["1.5", "", "2"],
        ];
        for texts in others {
            assert_eq!(mark(texts), ColumnMark::Any, "{texts:?}");
        }
        // The thirteenth month is a number like any other.
        assert_eq!(mark(&["2003.01", "2003.13"]), ColumnMark::Shows(Point));
    }

    #[test]
    fn numbers_are_seen_alike_with_and_without_the_short_way() {
        let texts = [
            "2003.01", "1.5", "7", "01.11", "1,234", "2003.02", "-3.25", "0.5",
        ];
        for first in 0..texts.len() {
            let turned = texts.iter().cycle().skip(first).take(texts.len());
            let mut quick = MarkEvidence::default();
            for (n_seen, text) in turned.clone().enumerate() {
                quick.see_number(text);
                let all = MarkEvidence::of(turned.clone().take(n_seen + 1).copied());
                assert_eq!(quick.mark(), all.mark(), "{first} {n_seen}");
            }
        }
    }

    #[test]
    fn one_column_decides_for_the_file_and_two_can_contradict() {
        let any = ColumnMark::Any;
        let found = |mark, by_others: &[usize]| FileMark::Found {
            mark,
            by_others: by_others.to_vec(),
        };
        assert_eq!(FileMark::of(&[any]), found(Point, &[]));
        let columns = [any, ColumnMark::Shows(Comma), ColumnMark::FixedPoint];
        assert_eq!(FileMark::of(&columns), found(Comma, &[2]));
        let columns = [ColumnMark::Either(Comma), ColumnMark::Shows(Comma)];
        assert_eq!(FileMark::of(&columns), found(Comma, &[]));
        let columns = [ColumnMark::Either(Comma), ColumnMark::Shows(Point)];
        assert_eq!(FileMark::of(&columns), found(Point, &[0]));
        let columns = [ColumnMark::Either(Comma), any, ColumnMark::Either(Point)];
        let doubtful = FileMark::Doubtful(vec![(0, Comma), (2, Point)]);
        assert_eq!(FileMark::of(&columns), doubtful);
        let columns = [
            ColumnMark::Shows(Comma),
            ColumnMark::Shows(Point),
            ColumnMark::Both,
        ];
        let contradicting = FileMark::Contradicting {
            point: vec![1, 2],
            comma: vec![0, 2],
        };
        assert_eq!(FileMark::of(&columns), contradicting);
    }

    proptest::proptest! {
        #[test]
        fn plain_numbers_show_what_their_texts_show(
            text in "-?[0-9]{1,5}(\\.[0-9]{1,4})?|(17|18|21|22)[0-9]{2}\\.[01][0-9]"
        ) {
            if let Some(number) = PlainNumber::of(text.as_bytes(), Point) {
                let mut evidence = MarkEvidence::default();
                evidence.see_plain(&number);
                proptest::prop_assert_eq!(evidence, MarkEvidence::of([text.as_str()]));
            }
        }
    }
}
