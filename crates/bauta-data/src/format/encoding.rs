//! How the characters of a text file are stored, and how that is told.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the characters of a text file are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub enum Encoding {
    /// UTF-8, with or without byte-order mark.
    #[default]
    #[serde(rename = "utf-8")]
    Utf8,
    /// ISO 8859-1.
    #[serde(rename = "latin1")]
    Latin1,
    /// Windows-1252: Latin-1 with a euro sign, dashes and curly quotes.
    #[serde(rename = "windows-1252")]
    Windows1252,
    /// UTF-16, the low byte first; found by itself where a byte-order mark shows it.
    #[serde(rename = "utf-16le")]
    Utf16Le,
    /// UTF-16, the high byte first; found by itself where a byte-order mark shows it.
    #[serde(rename = "utf-16be")]
    Utf16Be,
}

/// What the bytes 80 to 9f mean in Windows-1252. Five of them mean nothing; they stand for themselves, so that
/// what was read can be written again.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// UTF-8 byte-order mark.
pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// A text as UTF-8, and what was found on the way.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, [u8]>,
    pub(super) encoding: Encoding,
    pub(super) byte_order_mark: bool,
    /// Where in the text something stands that is no character; in UTF-8 this is found field by field.
    pub(super) fault: Option<usize>,
}

impl Encoding {
    /// All of them, in the order in which people are told.
    pub const ALL: [Self; 5] = [
        Self::Utf8,
        Self::Windows1252,
        Self::Latin1,
        Self::Utf16Le,
        Self::Utf16Be,
    ];

    /// Its name in plans and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Latin1 => "latin1",
            Self::Windows1252 => "windows-1252",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
        }
    }

    /// The encoding with this name, or with another that people use for it.
    pub fn from_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "utf8" => Some(Self::Utf8),
            "latin-1" | "iso-8859-1" => Some(Self::Latin1),
            "cp1252" | "windows1252" => Some(Self::Windows1252),
            other => Self::ALL
                .into_iter()
                .find(|encoding| encoding.name() == other),
        }
    }

    /// What it is called in a sentence.
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Latin1 => "Latin-1",
            Self::Windows1252 => "Windows-1252",
            Self::Utf16Le | Self::Utf16Be => "UTF-16",
        }
    }

    /// The encoding that a byte-order mark of UTF-16 shows.
    pub(super) fn of_byte_order_mark(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xfe, ..] => Some(Self::Utf16Le),
            [0xfe, 0xff, ..] => Some(Self::Utf16Be),
            _ => None,
        }
    }

    /// What bytes that are not UTF-8 most likely are; none if they are UTF-8 with a few bytes damaged. Latin-1 has control characters where Windows-1252 has curly
    /// quotes and the euro sign, and what both have they have in common: so it is the one of the two to try.
    pub(super) fn likely_of(bytes: &[u8]) -> Option<Self> {
        let (mut n_letters, mut n_faults) = (0, 0);
        for chunk in bytes.utf8_chunks() {
            n_letters += chunk
                .valid()
                .chars()
                .filter(|letter| !letter.is_ascii())
                .count();
            n_faults += usize::from(!chunk.invalid().is_empty());
        }
        // In the other encodings, letters beyond ASCII follow each other in the way of UTF-8 by rare chance only.
        if n_letters > n_faults {
            return None;
        }
        let meaningless = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
        let is_latin1 = bytes.iter().any(|byte| meaningless.contains(byte));
        Some(if is_latin1 {
            Self::Latin1
        } else {
            Self::Windows1252
        })
    }

    /// The text of bytes, without its byte-order mark.
    pub(super) fn decode(self, bytes: &[u8]) -> Decoded<'_> {
        let plain = |text, byte_order_mark| Decoded {
            text,
            encoding: self,
            byte_order_mark,
            fault: None,
        };
        match self {
            Self::Utf8 => {
                if let Some(found) = Self::of_byte_order_mark(bytes) {
                    return found.decode(bytes);
                }
                // Files that were joined or saved again may begin with several.
                let mut rest = bytes;
                while let Some(after) = rest.strip_prefix(BYTE_ORDER_MARK) {
                    rest = after;
                }
                plain(Cow::Borrowed(rest), rest.len() < bytes.len())
            }
            Self::Latin1 | Self::Windows1252 if bytes.is_ascii() => {
                plain(Cow::Borrowed(bytes), false)
            }
            Self::Latin1 | Self::Windows1252 => {
                let text: String = bytes.iter().map(|&byte| self.letter(byte)).collect();
                plain(Cow::Owned(text.into_bytes()), false)
            }
            Self::Utf16Le | Self::Utf16Be => self.decode_utf16(bytes),
        }
    }

    /// What a byte means in an encoding of one byte for each letter.
    fn letter(self, byte: u8) -> char {
        match byte {
            0x80..=0x9f if self == Self::Windows1252 => WINDOWS_1252[usize::from(byte - 0x80)],
            _ => char::from(byte),
        }
    }

    fn decode_utf16(self, bytes: &[u8]) -> Decoded<'_> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        let unit = |pair: &[u8; 2]| match self {
            Self::Utf16Be => u16::from_be_bytes(*pair),
            _ => u16::from_le_bytes(*pair),
        };
        let mut text = String::with_capacity(bytes.len() / 2);
        let mut fault = None;
        for letter in char::decode_utf16(pairs.iter().map(unit)) {
            let letter = letter.unwrap_or_else(|_| {
                fault.get_or_insert(text.len());
                char::REPLACEMENT_CHARACTER
            });
            text.push(letter);
        }
        if !rest.is_empty() {
            fault.get_or_insert(text.len());
        }
        let n_marks = text.len() - text.trim_start_matches('\u{feff}').len();
        text.drain(..n_marks);
        Decoded {
            byte_order_mark: n_marks > 0,
            text: Cow::Owned(text.into_bytes()),
            encoding: self,
            fault,
        }
    }

    /// The bytes of a text, every letter of which can be [written](Self::can_write).
    pub(super) fn encode(self, text: &str) -> Vec<u8> {
        match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Latin1 | Self::Windows1252 if text.is_ascii() => text.as_bytes().to_vec(),
            Self::Latin1 | Self::Windows1252 => {
                let byte = |letter| self.byte(letter).unwrap_or(b'?');
                text.chars().map(byte).collect()
            }
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        }
    }

    /// Whether every letter of a text has bytes in this encoding.
    pub(super) fn can_write(self, text: &str) -> bool {
        match self {
            Self::Utf8 | Self::Utf16Le | Self::Utf16Be => true,
            Self::Latin1 | Self::Windows1252 => {
                text.is_ascii() || text.chars().all(|letter| self.byte(letter).is_some())
            }
        }
    }

    /// The byte of a letter in an encoding of one byte for each.
    fn byte(self, letter: char) -> Option<u8> {
        let same = u8::try_from(u32::from(letter)).ok();
        match self {
            Self::Windows1252 => match same {
                Some(byte) if self.letter(byte) == letter => Some(byte),
                _ => {
                    let position = WINDOWS_1252.iter().position(|&other| other == letter)?;
                    u8::try_from(0x80 + position).ok()
                }
            },
            _ => same,
        }
    }

    /// What the byte-order mark of UTF-8 reads as in this encoding: a name that begins so is quoted.
    pub(super) const fn look_of_mark(self) -> &'static str {
        match self {
            Self::Utf8 | Self::Utf16Le | Self::Utf16Be => "\u{feff}",
            Self::Latin1 | Self::Windows1252 => "\u{ef}\u{bb}\u{bf}",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_of_windows_1252_comes_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        for encoding in [Encoding::Windows1252, Encoding::Latin1] {
            let text = String::from_utf8(encoding.decode(&bytes).text.into_owned()).unwrap();
            assert!(encoding.can_write(&text));
            assert_eq!(encoding.encode(&text), bytes);
        }
        let quotes = Encoding::Windows1252.decode(b"\x80 \x93a\x94 \x96");
        assert_eq!(std::str::from_utf8(&quotes.text), Ok("€ “a” –"));
        assert!(!Encoding::Latin1.can_write("€") && !Encoding::Windows1252.can_write("ł"));
    }

    #[test]
    fn a_byte_order_mark_shows_utf16() {
        let text = "naïve 😀,b\n";
        for (encoding, mark) in [
            (Encoding::Utf16Le, [0xff, 0xfe]),
            (Encoding::Utf16Be, [0xfe, 0xff]),
        ] {
            let mut bytes = mark.to_vec();
            bytes.extend(encoding.encode(text));
            let decoded = Encoding::Utf8.decode(&bytes);
            assert_eq!(
                (decoded.encoding, decoded.byte_order_mark),
                (encoding, true)
            );
            assert_eq!(std::str::from_utf8(&decoded.text), Ok(text));
            assert_eq!(decoded.fault, None);
            bytes.pop();
            assert!(Encoding::Utf8.decode(&bytes).fault.is_some());
        }
        let lone = [0xff, 0xfe, b'a', 0, 0x00, 0xd8, b'b', 0];
        assert_eq!(Encoding::Utf8.decode(&lone).fault, Some(4));
    }

    #[test]
    fn names_read_back() {
        for encoding in Encoding::ALL {
            assert_eq!(Encoding::from_name(encoding.name()), Some(encoding));
        }
        assert_eq!(Encoding::from_name("CP1252"), Some(Encoding::Windows1252));
        assert_eq!(Encoding::from_name("ebcdic"), None);
    }
}
