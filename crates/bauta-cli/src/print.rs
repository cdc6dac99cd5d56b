//! Printing: data to standard output, talk to standard error.
//!
//! What becomes of the printing does not decide how a command ends; what was lost is remembered, and
//! `main` says so. Names and texts of users come through here on their way to a terminal, which must
//! not obey what stands in them.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write};
use std::sync::{Mutex, PoisonError};

use crate::screen;

/// Prints a line of data.
macro_rules! out {
    () => { $crate::print::line("") };
    ($($text:tt)*) => { $crate::print::line(&format!($($text)*)) };
}

/// Prints a line of talk.
macro_rules! say {
    ($($text:tt)*) => { $crate::print::talk(&format!($($text)*)) };
}

pub(crate) use {out, say};

/// The first thing that could not be printed to each stream.
static LOST: Mutex<Lost> = Mutex::new(Lost {
    out: None,
    talk: None,
});

/// What could not be printed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lost {
    /// Why standard output failed.
    pub(crate) out: Option<(io::ErrorKind, String)>,
    /// Why standard error failed.
    pub(crate) talk: Option<(io::ErrorKind, String)>,
}

/// Prints a line of data as a person reads it; a terminal would break it anywhere, and so it is broken between words.
pub(crate) fn line(line: &str) {
    let line = harmless(line);
    if io::stdout().is_terminal() {
        exactly(&format!("{}\n", screen::wrapped(&line, screen::width())));
    } else {
        exactly(&format!("{line}\n"));
    }
}

/// Prints one object for scripts.
pub(crate) fn object(object: &serde_json::Value) {
    exactly(&format!("{object}\n"));
}

/// Prints a text to standard output as it is.
pub(crate) fn exactly(text: &str) {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    if lost.out.is_none() {
        lost.out = failure(&mut io::stdout().lock(), text);
    }
}

/// Prints a line of talk.
pub(crate) fn talk(line: &str) {
    let line = harmless(line);
    if io::stderr().is_terminal() {
        let width = screen::width_of_talk();
        say_exactly(&format!("{}\n", screen::wrapped(&line, width)));
    } else {
        say_exactly(&format!("{line}\n"));
    }
}

/// Prints talk that was made for a terminal, colours and all.
pub(crate) fn say_exactly(text: &str) {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    if lost.talk.is_none() {
        lost.talk = failure(&mut io::stderr().lock(), text);
    }
}

/// What was lost so far.
pub(crate) fn lost() -> Lost {
    LOST.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn failure(stream: &mut impl Write, text: &str) -> Option<(io::ErrorKind, String)> {
    let printed = stream.write_all(text.as_bytes());
    let printed = printed.and_then(|()| stream.flush());
    printed.err().map(|error| (error.kind(), error.to_string()))
}

/// The text without anything that a terminal would obey or that would reorder what is read.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_harmful(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// The same with as many bytes, so that places in the text stay where they are.
pub(crate) fn harmless_in_place(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let letters = text.chars().map(|letter| {
        if is_harmful(letter) {
            "?".repeat(letter.len_utf8())
        } else {
            letter.to_string()
        }
    });
    Cow::Owned(letters.collect())
}

/// Control characters but for line ends and tabs, and marks that turn the direction of writing.
fn is_harmful(letter: char) -> bool {
    let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (letter.is_control() && !matches!(letter, '\n' | '\t'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_that_stands_in_a_name() {
        assert_eq!(harmless("age\n\tkept"), "age\n\tkept");
        assert_eq!(harmless("a\u{1b}[2Jb\u{7}"), "a\\u{1b}[2Jb\\u{7}");
        assert_eq!(harmless("\u{9b}31m\u{202e}"), "\\u{9b}31m\\u{202e}");
        assert_eq!(harmless_in_place("a\u{1b}b\u{9b}c\u{202e}"), "a?b??c???");
    }
}
