//! How a file is read, as the command line says it.

use bauta_data::date::Dates;
use bauta_data::format::Encoding;
use bauta_data::number::DecimalMark;
use bauta_plan::work::Reading;
use clap::Args;

use super::Global;
use super::order::{FILES, FILES_FIRST};

/// How a file is to be read.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FileOptions {
    /// Field separator (one character, or `tab`); found in the file if not given
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST, value_name = "CHAR", value_parser = parse_delimiter)]
    pub(crate) delimiter: Option<u8>,
    /// Decimal mark, `.` or `,`; found in the file if not given, and asked for where its numbers do not show it
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST + 1, value_name = "MARK", value_parser = parse_decimal)]
    pub(crate) decimal: Option<DecimalMark>,
    /// Character encoding: utf-8, windows-1252, latin1, utf-16le or utf-16be; UTF-16 with a byte-order mark is found
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST + 2, value_name = "NAME", value_parser = parse_encoding)]
    pub(crate) encoding: Option<Encoding>,
    /// Texts that mean "no value" (default: the empty field and NA)
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST + 3, value_name = "TEXTS", value_delimiter = ',')]
    pub(crate) missing_texts: Option<Vec<String>>,
    /// Variables in which spellings of one category that differ by case, blanks or the like become one
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST + 4, value_name = "VARIABLES", value_delimiter = ',')]
    pub(crate) fold_spellings: Vec<String>,
    /// How the dates of a variable are spelled: born=dd/mm/yyyy, seen="d.m.yyyy HH:MM", born="dd/mm/yy from 1930";
    /// may be repeated
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST + 5, value_name = "NAME=SPELLING", value_parser = parse_dates)]
    pub(crate) dates: Vec<(String, Dates)>,
}

impl FileOptions {
    /// What was said of a file's reading.
    pub(crate) fn reading(&self, global: &Global) -> Reading {
        Reading {
            memory: global.memory,
            spill: global.spill.clone(),
            delimiter: self.delimiter,
            decimal: self.decimal,
            encoding: self.encoding,
            missing_texts: self.missing_texts.clone(),
            fold_spellings: self.fold_spellings.clone(),
            dates: self.dates.clone(),
        }
    }
}

fn parse_delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [one] => Ok(*one),
        _ => Err("a delimiter is one character, or `tab`".to_owned()),
    }
}

fn parse_decimal(text: &str) -> Result<DecimalMark, String> {
    match text {
        "." => Ok(DecimalMark::Point),
        "," => Ok(DecimalMark::Comma),
        _ => Err("use `.` or `,`".to_owned()),
    }
}

fn parse_encoding(text: &str) -> Result<Encoding, String> {
    Encoding::from_name(text).ok_or_else(|| {
        let names = Encoding::ALL.map(|encoding| format!("`{}`", encoding.name()));
        format!("use one of {}", names.join(", "))
    })
}

fn parse_dates(text: &str) -> Result<(String, Dates), String> {
    let (name, spelling) = text.split_once('=').unwrap_or((text, ""));
    match Dates::parse(spelling) {
        Some(dates) if !name.is_empty() => Ok((name.to_owned(), dates)),
        _ => Err(
            "a variable, = and a spelling such as dd/mm/yyyy, yyyy-mm-dd or ddMMMyyyy".to_owned(),
        ),
    }
}
