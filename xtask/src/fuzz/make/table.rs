//! Tables: columns of every role and kind, and the many ways in which a file can spell them.

use bauta_data::format::Encoding;
use bauta_data::{Kind, Role};

use super::cells;
use crate::fuzz::draws::Draws;

/// A table that was made up.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MadeTable {
    /// Its columns.
    pub(crate) columns: Vec<MadeColumn>,
    /// Number of records.
    pub(crate) n_records: usize,
}

/// A column that was made up.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct MadeColumn {
    /// Its name.
    pub(crate) name: String,
    /// What it is for.
    pub(crate) role: Role,
    /// What it is.
    pub(crate) kind: Kind,
    /// The different texts that its cells were drawn from, where there are few.
    pub(crate) levels: Vec<String>,
    /// Its cells.
    pub(crate) cells: Vec<String>,
}

/// What the numbers of a table are like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbers {
    /// As in a survey.
    Usual,
    /// At the ends of what doubles can hold, all equal, or nearly so.
    Extreme,
}

impl MadeTable {
    /// A table of some columns with plain names, at least one of each of some roles.
    pub(crate) fn usual(draws: &mut Draws, n_records: usize, numbers: Numbers) -> Self {
        let roles = [
            (Role::Key, Kind::Unordered),
            (Role::Key, Kind::Ordered),
            (Role::Key, Kind::Hierarchical),
            (Role::Key, Kind::Continuous),
            (Role::Sensitive, Kind::Continuous),
            (Role::Sensitive, Kind::Continuous),
            (Role::Sensitive, Kind::Unordered),
            (Role::Sensitive, Kind::Ordered),
            (Role::Weight, Kind::Continuous),
            (Role::Household, Kind::Unordered),
            (Role::Stratum, Kind::Unordered),
            (Role::Identifier, Kind::Unordered),
            (Role::Other, Kind::Unordered),
            (Role::Other, Kind::Continuous),
        ];
        let mut chosen: Vec<(Role, Kind)> = draws.some(&roles, 2);
        if chosen.is_empty() {
            chosen.push(roles[0]);
        }
        // Some variables twice: methods that work on several need two of a kind.
        let more = draws.some(&chosen, 4);
        let once = [Role::Weight, Role::Household];
        chosen.extend(more.into_iter().filter(|(role, _)| !once.contains(role)));
        // Many methods refuse gaps, so that half of the tables have none; a weight seldom has one.
        let complete = draws.one_in(2);
        let columns = chosen.into_iter().enumerate();
        let columns = columns.map(|(position, (role, kind))| {
            let name = format!("{}{position}", &role.name()[..3]);
            let column = MadeColumn::usual(draws, name, role, kind, n_records, numbers);
            if complete || (role == Role::Weight && !draws.one_in(20)) {
                return column;
            }
            column.with_gaps(draws)
        });
        Self {
            columns: columns.collect(),
            n_records,
        }
    }

    /// A table with names and cells of any sort.
    pub(crate) fn odd(draws: &mut Draws) -> Self {
        let n_records = match draws.below(12) {
            0 => 0,
            1 => 1,
            2 => draws.between(100, 300),
            _ => draws.between(2, 20),
        };
        let n_columns = if draws.one_in(40) {
            draws.between(30, 120)
        } else {
            draws.between(1, 7)
        };
        let columns = (0..n_columns).map(|_| MadeColumn::odd(draws, n_records));
        Self {
            columns: columns.collect(),
            n_records,
        }
    }

    /// The text of the table.
    pub(crate) fn spelled(&self, spelling: &Spelling) -> Vec<u8> {
        let mut text = String::new();
        let names = self.columns.iter().map(|column| column.name.as_str());
        spelling.line(&mut text, names);
        for record in 0..self.n_records {
            let cells = self
                .columns
                .iter()
                .map(|column| column.cells[record].as_str());
            spelling.line(&mut text, cells);
        }
        if !spelling.last_line_ends {
            text.truncate(text.len() - spelling.line_end.len());
        }
        let mark = !spelling.byte_order_mark.is_empty();
        match spelling.encoding {
            Encoding::Utf8 => [spelling.byte_order_mark, text.as_bytes()].concat(),
            Encoding::Latin1 | Encoding::Windows1252 => [
                spelling.byte_order_mark,
                &in_bytes(&text, spelling.encoding),
            ]
            .concat(),
            // Without a mark nobody would take it for text.
            Encoding::Utf16Le => utf16(&text, u16::to_le_bytes),
            Encoding::Utf16Be if mark => utf16(&text, u16::to_be_bytes),
            Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }
}

/// The text in UTF-16 with its mark.
fn utf16(text: &str, bytes: impl Fn(u16) -> [u8; 2]) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units.flat_map(bytes).collect()
}

/// The text in one byte for each letter; letters without one stay as the bytes of UTF-8.
fn in_bytes(text: &str, encoding: Encoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    for letter in text.chars() {
        match (u8::try_from(u32::from(letter)), letter) {
            (_, '€') if encoding == Encoding::Windows1252 => bytes.push(0x80),
            (Ok(0x80..=0x9f), _) if encoding == Encoding::Windows1252 => bytes.push(b'?'),
            (Ok(byte), _) => bytes.push(byte),
            (Err(_), _) => bytes.extend(letter.to_string().as_bytes()),
        }
    }
    bytes
}

impl MadeColumn {
    fn usual(
        draws: &mut Draws,
        name: String,
        role: Role,
        kind: Kind,
        n_records: usize,
        numbers: Numbers,
    ) -> Self {
        let levels: Vec<String> = match (role, kind) {
            (Role::Identifier, _) => Vec::new(),
            (Role::Household, _) => (0..n_records.div_ceil(2))
                .map(|_| cells::token(draws))
                .collect(),
            (_, Kind::Hierarchical) => {
                let stem = 10_000 + draws.below(80_000);
                let n = draws.between(1, 8);
                (0..n)
                    .map(|_| format!("{}{:04}", stem, draws.below(10_000)))
                    .collect()
            }
            (_, Kind::Ordered) if draws.one_in(2) => (1..=draws.between(1, 9))
                .map(|level| level.to_string())
                .collect(),
            (_, Kind::Ordered | Kind::Unordered) => {
                let n = draws.between(1, 6);
                (0..n).map(|_| cells::token(draws)).collect()
            }
            (_, Kind::Continuous) => Vec::new(),
        };
        let mut number = number_maker(draws, role, numbers);
        let cells = (0..n_records).map(|_| match (role, kind) {
            (Role::Identifier, _) => cells::token(draws),
            (_, Kind::Continuous) => number(draws),
            _ => draws.pick(&levels),
        });
        let cells = cells.collect();
        Self {
            name,
            role,
            kind,
            levels,
            cells,
        }
    }

    /// The column with some cells, or all, without a value.
    fn with_gaps(mut self, draws: &mut Draws) -> Self {
        let one_in = [1_000, 1_000, 20, 5, 1][draws.below(5)];
        let all = one_in == 1 && !draws.one_in(6);
        for cell in &mut self.cells {
            if !all && draws.one_in(one_in) {
                draws.pick(&cells::MISSING[..2]).clone_into(cell);
            }
        }
        self
    }

    fn odd(draws: &mut Draws, n_records: usize) -> Self {
        let name = cells::name(draws);
        let role = draws.pick(&Role::ALL);
        let kind = draws.pick(&Kind::ALL);
        let sort = draws.below(5);
        let levels: Vec<String> = (0..draws.between(1, 5))
            .map(|_| cells::odd_text(draws))
            .collect();
        let cells = (0..n_records).map(|_| match (draws.below(12), sort) {
            (0, _) => draws.pick(cells::MISSING).to_owned(),
            (1, _) | (_, 0) => cells::odd_text(draws),
            (2, 1..=3) | (_, 1) => cells::odd_number(draws),
            (_, 2) => cells::telling_number(draws),
            (_, 3) => cells::extreme_number(draws),
            _ => draws.pick(&levels),
        });
        let cells = cells.collect();
        Self {
            name,
            role,
            kind,
            levels,
            cells,
        }
    }
}

/// What makes the numbers of one column.
fn number_maker(
    draws: &mut Draws,
    role: Role,
    numbers: Numbers,
) -> impl FnMut(&mut Draws) -> String + use<> {
    let sort = draws.below(8);
    let constant = cells::extreme_number(draws);
    let telling: Vec<String> = (0..3).map(|_| cells::telling_number(draws)).collect();
    move |draws: &mut Draws| match (numbers, role) {
        (Numbers::Usual, Role::Weight) => format!("{}.{}", draws.between(1, 300), draws.below(100)),
        (Numbers::Extreme, Role::Weight) if sort > 1 => {
            let weights = ["1", "0", "1e300", "1e-300", "1e15", "0.5", "-1", "1e308"];
            draws.pick(&weights[..2 + sort.min(6)]).to_owned()
        }
        (Numbers::Usual, _) => match sort {
            0 => draws.pick(&telling),
            1 => draws.below(10).to_string(),
            _ => cells::telling_number(draws),
        },
        (Numbers::Extreme, _) => match sort {
            0 => constant.clone(),
            1 => ["0", "-0", "0.0"][draws.below(3)].to_owned(),
            2 => ["5e-324", "1e-323", "0", "-5e-324"][draws.below(4)].to_owned(),
            3 => (9_007_199_254_740_990_u64 + draws.below(6) as u64).to_string(),
            4 => ["1e200", "1", "-1e-200"][draws.below(3)].to_owned(),
            5 => cells::telling_number(draws),
            _ => cells::extreme_number(draws),
        },
    }
}

/// The mark that some programs put before UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// How a file spells a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spelling {
    /// Field separator.
    pub(crate) delimiter: char,
    line_end: &'static str,
    /// Empty where there is none.
    byte_order_mark: &'static [u8],
    /// How its letters are stored.
    pub(crate) encoding: Encoding,
    last_line_ends: bool,
    /// Quotes go around every n-th field that needs none; 0 for none.
    quote_every: usize,
    /// Whether fields that need quotes go without.
    careless: bool,
}

impl Spelling {
    /// Comma, line feeds, quotes where they are needed.
    pub(crate) const PLAIN: Self = Self {
        delimiter: ',',
        line_end: "\n",
        byte_order_mark: b"",
        encoding: Encoding::Utf8,
        last_line_ends: true,
        quote_every: 0,
        careless: false,
    };

    /// Any spelling; mostly one that can be read.
    pub(crate) fn any(draws: &mut Draws) -> Self {
        Self {
            delimiter: draws.pick(&[',', ',', ',', ';', '\t', '|', ' ', ':']),
            line_end: draws.pick(&["\n", "\n", "\r\n", "\r"]),
            byte_order_mark: draws.pick(&[b"", b"", b"", b"", b"", MARK]),
            encoding: if draws.one_in(5) {
                draws.pick(&[
                    Encoding::Latin1,
                    Encoding::Windows1252,
                    Encoding::Utf16Le,
                    Encoding::Utf16Be,
                ])
            } else {
                Encoding::Utf8
            },
            last_line_ends: !draws.one_in(5),
            quote_every: draws.pick(&[0, 0, 1, 3]),
            careless: draws.one_in(12),
        }
    }

    /// Another spelling than the plain one that can be read.
    pub(crate) fn readable(draws: &mut Draws) -> Self {
        Self {
            delimiter: draws.pick(&[',', ';', '\t', '|']),
            line_end: draws.pick(&["\n", "\r\n"]),
            byte_order_mark: draws.pick(&[b"", b"", b"", MARK]),
            careless: false,
            encoding: draws.pick(&[
                Encoding::Utf8,
                Encoding::Utf8,
                Encoding::Windows1252,
                Encoding::Utf16Le,
            ]),
            ..Self::any(draws)
        }
    }

    fn line<'a>(&self, text: &mut String, cells: impl Iterator<Item = &'a str>) {
        let start = text.len();
        for (position, cell) in cells.enumerate() {
            if position > 0 {
                text.push(self.delimiter);
            }
            let needs = cell.contains([self.delimiter, '"', '\n', '\r']) && !self.careless;
            let wants = self.quote_every > 0 && position % self.quote_every == 0;
            if needs || wants {
                text.push('"');
                text.push_str(&cell.replace('"', "\"\""));
                text.push('"');
            } else {
                text.push_str(cell);
            }
        }
        // An empty line is no record: the one empty cell of a file with one column stands in quotes.
        if text.len() == start && !self.careless {
            text.push_str("\"\"");
        }
        text.push_str(self.line_end);
    }
}
