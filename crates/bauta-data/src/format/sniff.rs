//! What a text file is spelled with, and whether it is a text file at all.

use std::path::Path;

use csv::ByteRecord;
use memchr::{memchr, memchr_iter};

use super::encoding::BYTE_ORDER_MARK;
use super::{Encoding, ReadOptions};
use crate::problem::DataProblem;

/// Delimiters that are looked for, the more usual first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// How much of a file is looked at to find its delimiter.
const SAMPLE_BYTES: usize = 1 << 16;
const SAMPLE_RECORDS: usize = 100;

/// The delimiter that the extension prescribes.
pub fn delimiter_of_extension(path: &Path) -> Option<u8> {
    matches!(super::extension(path).as_str(), "tsv" | "tab").then_some(b'\t')
}

/// The delimiter of a text file: stated, prescribed by its extension, or found in it.
pub(super) fn delimiter(path: &Path, text: &[u8], options: &ReadOptions) -> u8 {
    options
        .delimiter
        .or_else(|| delimiter_of_extension(path))
        .unwrap_or_else(|| find_delimiter(text))
}

/// The delimiter with which the first records have the same number of fields as the header.
///
/// A candidate that does not split the header is out. Of the others the one with the most regular
/// records wins, then the one with the most fields, then the more usual one. A file that no
/// candidate splits has one column, and any delimiter will do.
pub(super) fn find_delimiter(text: &[u8]) -> u8 {
    let mut best = (b',', 0, 1);
    for delimiter in DELIMITERS {
        let found = regularity(text, delimiter);
        if found.fields > 1 && (found.regular, found.fields) > (best.1, best.2) {
            best = (delimiter, found.regular, found.fields);
        }
    }
    best.0
}

/// Why a byte cannot separate fields, if it cannot.
pub(super) fn unusable_delimiter(delimiter: u8) -> Option<DataProblem> {
    let unusable = !delimiter.is_ascii() || matches!(delimiter, b'"' | b'\n' | b'\r' | 0);
    unusable.then(|| {
        DataProblem::file(
            "the delimiter is a quote, a line end or not ASCII",
            "set the delimiter to a comma, a semicolon, a tab or another single character",
        )
    })
}

/// How evenly a delimiter cuts the first records.
pub(super) struct Regularity {
    pub(super) records: usize,
    /// Records with as many fields as the header.
    pub(super) regular: usize,
    /// Fields of the header.
    pub(super) fields: usize,
}

/// The first records of a text, the header among them. The last may be cut off.
pub(super) fn first_records(text: &[u8], delimiter: u8) -> Vec<ByteRecord> {
    let sample = &text[..text.len().min(SAMPLE_BYTES)];
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(sample);
    let records = reader.byte_records().map_while(Result::ok);
    records.take(SAMPLE_RECORDS).collect()
}

/// How many of the first records have as many fields as the header, and how many that are.
pub(super) fn regularity(text: &[u8], delimiter: u8) -> Regularity {
    let records = first_records(text, delimiter);
    let n_fields = records.first().map_or(0, ByteRecord::len);
    // The sample may end within a record; that one counts for nobody in particular.
    let n_regular = records.iter().filter(|record| record.len() == n_fields);
    Regularity {
        regular: n_regular.count(),
        records: records.len(),
        fields: n_fields,
    }
}

/// A delimiter in a sentence.
pub(super) fn delimiter_name(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "tab".to_owned(),
        other => format!("`{}`", char::from(other)),
    }
}

/// Why these bytes are no text that we can read, if they are not.
pub(super) fn not_text(bytes: &[u8], encoding: Encoding) -> Option<DataProblem> {
    let known: [(&[u8], &str, &str); 3] = [
        (
            b"PAR1",
            "is a Parquet file",
            "give it the extension .parquet",
        ),
        (
            b"PK\x03\x04",
            "is a ZIP archive or a spreadsheet",
            "unpack it, or export it as CSV",
        ),
        (
            b"\x1f\x8b",
            "is compressed with gzip",
            "decompress it first",
        ),
    ];
    let magic = known.iter().find(|(magic, ..)| bytes.starts_with(magic));
    if let Some(&(_, message, hint)) = magic {
        return Some(DataProblem::file(message, hint));
    }
    let of_bytes = matches!(encoding, Encoding::Latin1 | Encoding::Windows1252);
    // The marks of UTF-16 are letters that a header may start with, but never with a zero byte behind them.
    let of_utf16 = Encoding::of_byte_order_mark(bytes).filter(|_| bytes.contains(&0));
    let marked = if bytes.starts_with(BYTE_ORDER_MARK) {
        Some(Encoding::Utf8)
    } else {
        of_utf16
    };
    if let Some(marked) = marked.filter(|_| of_bytes) {
        return Some(DataProblem::file(
            format!(
                "starts with the byte-order mark of {}, but is to be read as {}",
                marked.in_words(),
                encoding.in_words()
            ),
            format!("remove encoding = \"{}\"", encoding.name()),
        ));
    }
    let is_utf16 = matches!(encoding, Encoding::Utf16Le | Encoding::Utf16Be)
        || (encoding == Encoding::Utf8 && Encoding::of_byte_order_mark(bytes).is_some());
    let nul = memchr(0, bytes).filter(|_| !is_utf16)?;
    let head = &bytes[..bytes.len().min(1024)];
    let n_zero = |offset: usize| {
        head.iter()
            .skip(offset)
            .step_by(2)
            .filter(|&&b| b == 0)
            .count()
    };
    let mostly = head.len() / 4;
    if nul < head.len() && (n_zero(0) > mostly) != (n_zero(1) > mostly) {
        let low_first = n_zero(1) > mostly;
        let likely = if low_first {
            Encoding::Utf16Le
        } else {
            Encoding::Utf16Be
        };
        let message = "seems to be UTF-16 text without a byte-order mark";
        return Some(DataProblem::file(message, state(likely)));
    }
    let problem = DataProblem::file(
        "holds a NUL byte: it is damaged or not a text file",
        "export the data as CSV again",
    );
    Some(problem.at_line(1 + count_lines(&bytes[..nul])))
}

/// What to say so that a file is read with this encoding.
pub(super) fn state(encoding: Encoding) -> String {
    let name = encoding.name();
    format!(
        "state it in [data] or with --encoding: encoding = \"{name}\"; or save the file as UTF-8"
    )
}

/// What is wrong with bytes that are not UTF-8, once for the whole file.
pub(super) fn not_utf8(bytes: &[u8], text: &[u8], delimiter: u8) -> Option<DataProblem> {
    let fault = std::str::from_utf8(text).err()?.valid_up_to();
    let is_bad = |line: &&[u8]| std::str::from_utf8(line).is_err();
    let n_lines = text.split(|&byte| byte == b'\n').filter(is_bad).count();
    let others = match n_lines {
        0 | 1 => String::new(),
        2 => ", as is one more line".to_owned(),
        n => format!(", as are {} more lines", n - 1),
    };
    let problem = match Encoding::likely_of(bytes) {
        Some(likely) => DataProblem::file(
            format!(
                "is not valid UTF-8{others}; it is likely to be {}",
                likely.in_words()
            ),
            state(likely),
        ),
        None => DataProblem::file(
            format!("is not valid UTF-8{others}, while the rest of the file is: it is damaged"),
            "export the file again, or mend these bytes",
        ),
    };
    let problem = problem.at_line(1 + count_lines(&text[..fault]));
    Some(match variable_at(text, fault, delimiter) {
        Some(name) => problem.of_variable(name),
        None => problem,
    })
}

/// The variable in whose field a place of the text lies; none in the header.
fn variable_at(text: &[u8], place: usize, delimiter: u8) -> Option<String> {
    let line = text[..place].rsplit(|&byte| byte == b'\n').next()?;
    let header = text.split(|&byte| matches!(byte, b'\n' | b'\r')).next()?;
    if line.len() == place {
        return None;
    }
    let (mut quoted, mut position) = (false, 0);
    for &byte in line {
        quoted ^= byte == b'"';
        position += usize::from(byte == delimiter && !quoted);
    }
    let names = first_records(header, delimiter);
    let name = names.first()?.get(position)?;
    Some(std::str::from_utf8(name).ok()?.to_owned())
}

/// Number of line ends: LF, CR LF, or CR alone.
pub(super) fn count_lines(text: &[u8]) -> u64 {
    let n_feeds = memchr_iter(b'\n', text).count();
    let n_lone_returns = if text.contains(&b'\r') {
        let lone = |pair: &&[u8]| pair[0] == b'\r' && pair[1] != b'\n';
        text.windows(2).filter(lone).count()
    } else {
        0
    };
    (n_feeds + n_lone_returns) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_the_one_that_gives_regular_records() {
        let cases: [(&str, u8); 9] = [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n3,5;4,5\n", b';'),
            ("a\tb\n1,5\t2\n", b'\t'),
            ("a|b|c\n1|2|3\n", b'|'),
            ("\"x;y;z\",b\n1,2\n", b','),
            ("a,b\n\"1;2\n3;4\",5\n", b','),
            ("first;second, or third\n1;2\n3;4\n", b';'),
            ("a,b,c\n1,2,3\n1,2\n4,5,6\n", b','),
            ("alone\n1\n", b','),
        ];
        for (text, delimiter) in cases {
            assert_eq!(find_delimiter(text.as_bytes()), delimiter, "{text:?}");
        }
        assert_eq!(delimiter_of_extension(Path::new("x.TAB")), Some(b'\t'));
        assert_eq!(delimiter_of_extension(Path::new("x.csv")), None);
    }

    #[test]
    fn other_files_are_recognised() {
        let message = |bytes: &[u8]| not_text(bytes, Encoding::Utf8).map(|problem| problem.message);
        assert_eq!(message(b"a,b\n1,2\n"), None);
        assert!(message(b"PAR1\0\0").unwrap().contains("Parquet"));
        assert_eq!(message(b"\xff\xfea\0,\0b\0"), None);
        assert!(
            message(b"a\0,\0b\0\n\0x\0,\0y\0")
                .unwrap()
                .contains("UTF-16")
        );
        assert!(message(b"\0a\0,\0b\0\n").unwrap().contains("UTF-16"));
        let nul = not_text(b"a,b\n1,\0\n", Encoding::Utf8).unwrap();
        assert_eq!(nul.line, Some(2));
        assert!(not_text(b"\xff\xfe,b\n", Encoding::Latin1).is_none());
        assert!(not_text(b"\xef\xbb\xbfa\n", Encoding::Latin1).is_some());
    }

    #[test]
    fn every_line_end_counts_once() {
        assert_eq!(count_lines(b"a\nb\r\nc\rd\r\r\n"), 5);
        assert_eq!(count_lines(b"a\r\n"), 1);
    }
}
