//! Canaries: cells that occur nowhere by chance, and so must not occur in a message at all.

use std::collections::{BTreeMap, BTreeSet};

use crate::fuzz::finding::{Finding, Oracle};
use crate::fuzz::make::cells::EXTREME;

/// A run of letters and digits shorter than this may occur by chance.
const SHORTEST: usize = 8;

/// What as many records have in common may show.
const SHARED_BY: usize = 10;

/// Numbers that messages give as examples.
const EXAMPLES: [&str; 2] = ["1,234,567.5", "1.234.567,5"];

/// Cells that must not show.
#[derive(Clone, Debug, Default)]
pub(crate) struct Canaries(BTreeSet<String>);

impl Canaries {
    /// The telling pieces of some cells, but for those that stand in public texts: names of variables, and what
    /// the user wrote into a plan.
    pub(crate) fn of<'a>(
        cells: impl IntoIterator<Item = &'a str>,
        public: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut found = BTreeSet::new();
        for cell in cells {
            found.extend(
                runs(&closed_up(cell))
                    .filter(|run| is_telling(run))
                    .map(start_of),
            );
        }
        let known = EXTREME.iter().chain(&EXAMPLES).copied();
        Self(found).without(public.into_iter().chain(known))
    }

    /// The canaries of a file of data, a record on a line. What so many records share may be named: who is to merge
    /// categories must know which.
    pub(crate) fn of_data<'a>(data: &str, public: impl IntoIterator<Item = &'a str>) -> Self {
        let mut n_lines: BTreeMap<String, usize> = BTreeMap::new();
        for line in data.lines() {
            // By cells: digits of neighbours are no number.
            for canary in Self::of(line.split([',', ';', '\t', '|', '"']), []).0 {
                *n_lines.entry(canary).or_default() += 1;
            }
        }
        let few = n_lines
            .into_iter()
            .filter(|(_, n_lines)| *n_lines < SHARED_BY);
        Self(few.map(|(canary, _)| canary).collect()).without(public)
    }

    /// Looks for canaries in what people or scripts are told.
    pub(crate) fn look_for(&self, what: &str, message: &str) -> Result<(), Finding> {
        let message_runs = closed_up(message);
        // Runs start with a canary, or hold it after letters that a message put before it.
        if let Some(canary) = starts(&message_runs).find_map(|start| self.0.get(start)) {
            let shown = format!("{what} shows a cell value, `{canary}`: {message}");
            return Err(Finding::new(Oracle::Canary, shown));
        }
        Ok(())
    }

    /// The same but for those that stand in more public texts.
    pub(crate) fn without<'a>(&self, public: impl IntoIterator<Item = &'a str>) -> Self {
        let mut left = self.0.clone();
        for text in public {
            let text = closed_up(text);
            for start in starts(&text) {
                left.remove(start);
            }
        }
        Self(left)
    }
}

/// The text without what people put between digits.
fn closed_up(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let between = |at: usize| {
        let digit = |at: Option<usize>| {
            at.and_then(|at| letters.get(at))
                .is_some_and(char::is_ascii_digit)
        };
        digit(at.checked_sub(1)) && digit(at.checked_add(1))
    };
    let separates = |letter: char| {
        matches!(
            letter,
            '.' | ',' | '\'' | '_' | ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}'
        )
    };
    let kept = letters.iter().enumerate();
    let kept = kept.filter(|&(at, &letter)| !(separates(letter) && between(at)));
    kept.map(|(_, letter)| letter).collect()
}

/// Runs of plain letters and digits that are long enough.
fn runs(text: &str) -> impl Iterator<Item = &str> {
    let runs = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    runs.filter(|run| run.len() >= SHORTEST)
}

/// All places of a text where a canary could stand. Digits after a digit are the rest of another number.
fn starts(text: &str) -> impl Iterator<Item = &str> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    runs(text).flat_map(move |run| {
        let bytes = run.as_bytes();
        let places = (0..=run.len() - SHORTEST).filter(move |&at| {
            at == 0 || !(is_digit(bytes.get(at)) && is_digit(bytes.get(at - 1)))
        });
        places.map(move |at| &run[at..at + SHORTEST])
    })
}

/// Whether a run is nothing that anybody writes: digits and consonants, or many digits that differ.
fn is_telling(run: &str) -> bool {
    let start = start_of(run);
    let n_digits = start.bytes().filter(u8::is_ascii_digit).count();
    let different: BTreeSet<u8> = start.bytes().collect();
    n_digits >= 2 && different.len() >= 4 && (n_digits < start.len() || !start.starts_with('0'))
}

/// What a canary is known by: figures are shown with fewer digits than they have.
fn start_of(run: &str) -> String {
    run[..SHORTEST].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canaries_are_seen_however_they_are_written() {
        let canaries = Canaries::of(
            ["kq3xv7bz", "123456.789", "age 5", "town2pq9x"],
            ["where t = 'town2pq9x'"],
        );
        assert_eq!(canaries.0.len(), 2);
        for shown in [
            "category kq3xv7bz is empty",
            "`akq3xv7bz`",
            "income 123,456.789",
            "income 123\u{202f}456.78",
        ] {
            assert!(canaries.look_for("note", shown).is_err(), "{shown}");
        }
        for silent in [
            "line 12345",
            "variable `age`",
            "town2pq9x",
            "123456.5",
            "9123456.789",
        ] {
            assert!(canaries.look_for("note", silent).is_ok(), "{silent}");
        }
    }

    #[test]
    fn what_ten_records_share_may_be_named() {
        let nine = "kq3xv7bz,1\n".repeat(9);
        let numbers = "5,285142137\n-,285142137\n".repeat(5);
        assert!(
            Canaries::of_data(&numbers, [])
                .look_for("note", "k=285142137 is rare")
                .is_ok()
        );
        assert!(
            Canaries::of_data(&nine, [])
                .look_for("note", "kq3xv7bz is rare")
                .is_err()
        );
        let ten = format!("{nine}kq3xv7bz,2\n");
        assert!(
            Canaries::of_data(&ten, [])
                .look_for("note", "kq3xv7bz is rare")
                .is_ok()
        );
    }
}
