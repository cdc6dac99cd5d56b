//! Fields that occur again and again, as they are written.

use super::block::{SHORT, TextBlock};

/// Fields by number, quoted where they must be.
pub(super) struct ReadyFields {
    /// One behind the other, and then enough for a short piece.
    bytes: Vec<u8>,
    /// Where each starts, and where the last ends.
    starts: Vec<usize>,
}

impl ReadyFields {
    /// Texts as `as_written` puts them.
    pub(super) fn of<'t>(
        texts: impl Iterator<Item = &'t str>,
        as_written: impl Fn(&str, &mut TextBlock),
    ) -> Self {
        let mut block = TextBlock::default();
        block.clear();
        let mut starts = vec![0];
        for text in texts {
            as_written(text, &mut block);
            starts.push(block.as_bytes().len());
        }
        let mut bytes = block.as_bytes().to_vec();
        bytes.resize(bytes.len() + SHORT, 0);
        Self { bytes, starts }
    }

    /// Puts the field of a number, and an end.
    #[inline]
    pub(super) fn put(&self, number: usize, end: u8, out: &mut TextBlock) {
        let range = self.starts[number]..self.starts[number + 1];
        match self.bytes[range.start..].first_chunk() {
            Some(bytes) if range.len() <= SHORT => out.put_some(bytes, range.len(), end),
            _ => {
                out.put(&self.bytes[range]);
                out.put_byte(end);
            }
        }
    }
}
