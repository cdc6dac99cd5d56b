//! Many short texts in one allocation.

use std::ops::Range;

/// Texts addressed by index, stored end to end.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TextArena {
    bytes: String,
    ends: Vec<usize>,
}

impl TextArena {
    /// Appends a text and returns its index.
    pub fn push(&mut self, text: &str) -> usize {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
        self.ends.len() - 1
    }

    /// The text at an index.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The texts in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Some texts that follow each other.
    pub(crate) fn slice(&self, indices: Range<usize>) -> Self {
        let start = indices
            .start
            .checked_sub(1)
            .map_or(0, |last| self.ends[last]);
        let ends = &self.ends[indices];
        let end = ends.last().copied().unwrap_or(start);
        Self {
            bytes: self.bytes[start..end].to_owned(),
            ends: ends.iter().map(|end| end - start).collect(),
        }
    }

    /// Appends all texts of another arena.
    pub fn append(&mut self, other: &Self) {
        let offset = self.bytes.len();
        self.bytes.push_str(&other.bytes);
        self.ends.extend(other.ends.iter().map(|end| end + offset));
    }
}

impl<'a> FromIterator<&'a str> for TextArena {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut arena = Self::default();
        for text in texts {
            arena.push(text);
        }
        arena
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_went_in() {
        let arena: TextArena = ["007", "", "é"].into_iter().collect();
        assert_eq!(arena.iter().collect::<Vec<_>>(), ["007", "", "é"]);
        let mut twice = arena.clone();
        twice.append(&arena);
        assert_eq!(twice.get(3), "007");
        assert_eq!(twice.get(5), "é");
    }
}
