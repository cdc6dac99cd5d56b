//! Records as they are written, put together from short pieces.

use crate::number::{DecimalMark, ROOM_OF_A_NUMBER, put_number_in, write_number};

/// A text in the making. Its memory is longer than it and stays: pieces of a fixed length are put at its end and then
/// counted as long as they are, which is faster than to copy as many bytes as each has.
pub(super) struct TextBlock {
    /// One byte that is no part of the text, the text, and bytes that mean nothing.
    memory: Vec<u8>,
    /// Where the text ends in it.
    end: usize,
    /// For texts that others can only append to a string.
    spelled: String,
}

/// The longest piece that is put as one of a fixed length.
pub(super) const SHORT: usize = 16;

impl Default for TextBlock {
    fn default() -> Self {
        Self {
            memory: Vec::new(),
            end: 1,
            spelled: String::new(),
        }
    }
}

impl TextBlock {
    /// An empty text in the same memory.
    pub(super) fn clear(&mut self) {
        self.end = 1;
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.memory.get(1..self.end).unwrap_or_default()
    }

    /// Where a piece starts that is put now.
    pub(super) fn place(&self) -> usize {
        self.end
    }

    /// What was put from a place on.
    pub(super) fn from(&self, place: usize) -> &[u8] {
        self.memory.get(place..self.end).unwrap_or_default()
    }

    #[inline]
    pub(super) fn put_byte(&mut self, byte: u8) {
        self.room::<1>(self.end)[0] = byte;
        self.end += 1;
    }

    pub(super) fn put(&mut self, piece: &[u8]) {
        let end = self.end + piece.len();
        if self.memory.len() < end {
            self.grow_to(end);
        }
        self.memory[self.end..end].copy_from_slice(piece);
        self.end = end;
    }

    /// Puts as many bytes of these as are said, and an end.
    #[inline]
    pub(super) fn put_some(&mut self, bytes: &[u8; SHORT], n_bytes: usize, end: u8) {
        let n_bytes = n_bytes.min(SHORT);
        let room = self.room::<{ SHORT + 1 }>(self.end);
        room[..SHORT].copy_from_slice(bytes);
        room[n_bytes] = end;
        self.end += n_bytes + 1;
    }

    /// Puts a number as [`write_number`] spells it, and an end.
    #[inline]
    pub(super) fn put_number(&mut self, value: f64, decimals: u8, mark: DecimalMark, end: u8) {
        let before = self.end - 1;
        let room = self.room(before);
        // The most frequent amount in many files, and no product of two numbers.
        if value.to_bits() == 0 && decimals == 0 {
            room[1] = b'0';
            room[2] = end;
            self.end = before + 3;
        } else if let Some(length) = put_number_in(room, value, decimals, mark) {
            room[length] = end;
            self.end = before + length + 1;
        } else {
            self.put_spelled(|out| write_number(out, value, decimals, mark));
            self.put_byte(end);
        }
    }

    /// Puts what is appended to a string.
    pub(super) fn put_spelled(&mut self, append: impl FnOnce(&mut String)) {
        let mut spelled = std::mem::take(&mut self.spelled);
        spelled.clear();
        append(&mut spelled);
        self.put(spelled.as_bytes());
        self.spelled = spelled;
    }

    /// Puts what stands from a place on in quotes.
    pub(super) fn quote_from(&mut self, place: usize) {
        let field = self.from(place).to_vec();
        self.end = place;
        self.put(&quoted(&field));
    }

    /// Memory from a place in the text on.
    #[inline]
    fn room<const N: usize>(&mut self, place: usize) -> &mut [u8; N] {
        if self.memory.len() < place + N {
            self.grow_to(place + N);
        }
        let room = self.memory[place..].first_chunk_mut();
        room.expect("the memory was made to reach so far")
    }

    #[cold]
    fn grow_to(&mut self, length: usize) {
        let usual = length.max(2 * self.memory.len()).max(ROOM_OF_A_NUMBER);
        self.memory.resize(usual, 0);
    }
}

/// A field in quotes.
pub(super) fn quoted(field: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for &byte in field {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
    out
}
