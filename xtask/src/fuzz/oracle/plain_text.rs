//! Delimited text, read plainly: an independent reader, slow and short, for files that the product has read or
//! written.

use bauta_data::format::Encoding;

/// The letter of a byte, for the bytes that the made files use.
fn windows_1252(byte: u8) -> char {
    match byte {
        0x80 => '€',
        0x93 => '“',
        0x94 => '”',
        0x96 => '–',
        other => char::from(other),
    }
}

/// The rows of a delimited text, the header first, as texts. Blank lines are no rows.
pub(crate) fn rows(bytes: &[u8], delimiter: u8, encoding: Encoding) -> Vec<Vec<String>> {
    let text = match encoding {
        Encoding::Latin1 => bytes.iter().map(|&byte| char::from(byte)).collect(),
        Encoding::Windows1252 => bytes.iter().map(|&byte| windows_1252(byte)).collect(),
        Encoding::Utf16Le | Encoding::Utf16Be => {
            let unit = |pair: &[u8]| match encoding {
                Encoding::Utf16Le => u16::from(pair[0]) + 256 * u16::from(pair[1]),
                _ => u16::from(pair[1]) + 256 * u16::from(pair[0]),
            };
            let units: Vec<u16> = bytes.chunks_exact(2).map(unit).collect();
            let text = String::from_utf16_lossy(&units);
            text.trim_start_matches('\u{feff}').to_owned()
        }
        Encoding::Utf8 => {
            let text = String::from_utf8_lossy(bytes);
            text.trim_start_matches('\u{feff}').to_owned()
        }
    };
    let delimiter = char::from(delimiter);
    let mut rows = Vec::new();
    let mut letters = text.chars().peekable();
    while letters.peek().is_some() {
        let mut row: Vec<String> = Vec::new();
        let mut quoted = false;
        loop {
            let (field, was_quoted) = field(&mut letters, delimiter);
            row.push(field);
            quoted |= was_quoted;
            match letters.next() {
                Some(letter) if letter == delimiter => {}
                Some('\r') => {
                    letters.next_if_eq(&'\n');
                    break;
                }
                _ => break,
            }
        }
        if row.len() > 1 || quoted || !row[0].is_empty() {
            rows.push(row);
        }
    }
    rows
}

/// The next field, up to the delimiter or line end, and whether it stands in quotes.
fn field(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    delimiter: char,
) -> (String, bool) {
    let mut field = String::new();
    let quoted = letters.next_if_eq(&'"').is_some();
    if quoted {
        while let Some(letter) = letters.next() {
            if letter != '"' {
                field.push(letter);
            } else if letters.next_if_eq(&'"').is_some() {
                field.push('"');
            } else {
                break;
            }
        }
    }
    // Behind a closing quote nothing should follow; where something does, it belongs to the field.
    while let Some(letter) =
        letters.next_if(|&letter| letter != delimiter && letter != '\n' && letter != '\r')
    {
        field.push(letter);
    }
    (field, quoted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_line_ends_and_blank_lines_are_read() {
        let read = |text: &str| rows(text.as_bytes(), b',', Encoding::Utf8);
        assert_eq!(
            read("a,b\r\n1,\"x\"\"y,\nz\"\r\r\n\n3,"),
            [["a", "b"], ["1", "x\"y,\nz"], ["3", ""]]
        );
        assert_eq!(read("a\n\"\"\n\n5\" pipe\n"), [["a"], [""], ["5\" pipe"]]);
        assert_eq!(rows(b"a\n\xe9\n", b',', Encoding::Latin1), [["a"], ["é"]]);
    }
}
