//! Codes of short texts that were seen lately. Most columns have few categories with short texts, and are found here
//! without the table of all levels.

/// A text of at most 16 bytes, in a form that is compared at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ShortText {
    first: u64,
    last: u64,
    n_bytes: u32,
}

impl ShortText {
    /// The text, if it is short enough. Its two halves may overlap; with the length they are that text and no other.
    #[inline]
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let n_bytes = text.len();
        let (first, last) = match (text.first_chunk(), text.last_chunk()) {
            (Some(first), Some(last)) if n_bytes <= 16 => {
                (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
            }
            (Some(_), Some(_)) => return None,
            _ => match (text.first_chunk(), text.last_chunk()) {
                (Some(first), Some(last)) => (
                    u64::from(u32::from_le_bytes(*first)),
                    u64::from(u32::from_le_bytes(*last)),
                ),
                _ => {
                    let byte = |at: usize| text.get(at).copied().map_or(0, u64::from);
                    (byte(0) | byte(1) << 8 | byte(2) << 16, 0)
                }
            },
        };
        Some(Self {
            first,
            last,
            n_bytes: n_bytes as u32,
        })
    }

    /// A number below [`RecentTexts::SLOTS`] that few texts share.
    fn slot(&self) -> usize {
        let mixed = self.first ^ self.last.rotate_left(29) ^ u64::from(self.n_bytes) << 59;
        let scattered = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (scattered >> (64 - RecentTexts::SLOTS.ilog2())) as usize
    }
}

/// Codes of texts; of those that share a slot, the last one.
#[derive(Clone, Default)]
pub(super) struct RecentTexts {
    slots: Vec<Option<(ShortText, u32)>>,
    /// Codes of texts of one byte, by that byte: many codes of surveys are one digit.
    of_bytes: Vec<Option<u32>>,
}

impl RecentTexts {
    const SLOTS: usize = 512;

    /// The code of a text, if it is remembered.
    #[inline]
    pub(super) fn code(&self, text: &ShortText) -> Option<u32> {
        let (known, code) = (*self.slots.get(text.slot())?)?;
        (known == *text).then_some(code)
    }

    /// The code of a text of one byte, if such a text was remembered.
    #[inline]
    pub(super) fn code_of_byte(&self, byte: u8) -> Option<u32> {
        *self.of_bytes.get(usize::from(byte))?
    }

    /// Remembers the code of a text.
    pub(super) fn remember(&mut self, text: ShortText, code: u32) {
        if self.slots.is_empty() {
            self.slots = vec![None; Self::SLOTS];
            self.of_bytes = vec![None; 1 << u8::BITS];
        }
        if text.n_bytes == 1 {
            self.of_bytes[text.first as usize] = Some(code);
        }
        self.slots[text.slot()] = Some((text, code));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn different_texts_have_different_forms(a in "[ab\u{0}]{0,17}", b in "[ab\u{0}]{0,17}") {
            let (short_a, short_b) = (ShortText::of(a.as_bytes()), ShortText::of(b.as_bytes()));
            prop_assert_eq!(short_a.is_some(), a.len() <= 16);
            prop_assert_eq!(short_a.is_some() && short_a == short_b, a == b && a.len() <= 16);
        }
    }

    #[test]
    fn a_code_is_that_of_the_same_text() {
        let mut recent = RecentTexts::default();
        let texts: Vec<String> = (0..2000).map(|number| format!("t{number}")).collect();
        for (code, text) in (0..).zip(&texts) {
            let short = ShortText::of(text.as_bytes()).unwrap();
            recent.remember(short, code);
            assert_eq!(recent.code(&short), Some(code));
        }
        let found = (0..).zip(&texts).filter_map(|(code, text)| {
            let known = recent.code(&ShortText::of(text.as_bytes()).unwrap())?;
            Some(known == code)
        });
        assert!(found.clone().count() > 300 && found.clone().all(|same| same));
    }

    #[test]
    fn texts_of_one_byte_are_all_remembered() {
        let mut recent = RecentTexts::default();
        assert_eq!(recent.code_of_byte(b'7'), None);
        for byte in (0..128u8).rev() {
            recent.remember(ShortText::of(&[byte]).unwrap(), u32::from(byte) * 1000);
        }
        recent.remember(ShortText::of(b"77").unwrap(), 5);
        assert!((0..128u8).all(|byte| recent.code_of_byte(byte) == Some(u32::from(byte) * 1000)));
    }
}
