//! How a file is read, as the command line says it.

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
    /// Character encoding: `utf-8` or `latin1`
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST + 2, value_name = "NAME", value_parser = parse_encoding)]
    pub(crate) encoding: Option<Encoding>,
    /// Texts that mean "no value" (default: the empty field and NA)
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST + 3, value_name = "TEXTS", value_delimiter = ',')]
    pub(crate) missing_texts: Option<Vec<String>>,
    /// Variables in which spellings of one category that differ by case, blanks or the like become one
    #[arg(long, help_heading = FILES, display_order = FILES_FIRST + 4, value_name = "VARIABLES", value_delimiter = ',')]
    pub(crate) fold_spellings: Vec<String>,
}

impl FileOptions {
    /// What was said of a file's reading.
    pub(crate) fn reading(&self, global: &Global) -> Reading {
        Reading {
            memory: global.memory,
            delimiter: self.delimiter,
            decimal: self.decimal,
            encoding: self.encoding,
            missing_texts: self.missing_texts.clone(),
            fold_spellings: self.fold_spellings.clone(),
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
    match text {
        "utf-8" | "utf8" => Ok(Encoding::Utf8),
        "latin1" | "iso-8859-1" => Ok(Encoding::Latin1),
        _ => Err("use `utf-8` or `latin1`".to_owned()),
    }
}
