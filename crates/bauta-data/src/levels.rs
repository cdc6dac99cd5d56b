//! The categories of a categorical column: code 0, 1, 2 … and the text of each.

use std::cmp::Ordering;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use crate::decimal::Decimal;
use crate::number::parse_label;
use crate::text::TextArena;

/// Distinct texts with their codes, in the order of their codes.
#[derive(Clone, Debug)]
pub struct Levels {
    texts: TextArena,
    codes: HashTable<u32>,
    hasher: FixedState,
}

impl Default for Levels {
    fn default() -> Self {
        Self {
            texts: TextArena::default(),
            codes: HashTable::new(),
            // A fixed seed: the order of codes must not depend on the run.
            hasher: FixedState::with_seed(0x0062_6175_7461),
        }
    }
}

impl PartialEq for Levels {
    fn eq(&self, other: &Self) -> bool {
        self.texts == other.texts
    }
}

impl Levels {
    /// Levels with these texts as codes 0, 1, 2 …; a text that occurs again is ignored.
    pub fn from_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut levels = Self::default();
        for text in texts {
            levels.insert(text);
        }
        levels
    }

    /// The code of a text, new if it was not there.
    pub fn insert(&mut self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text);
        let texts = &self.texts;
        if let Some(&code) = self
            .codes
            .find(hash, |&code| texts.get(code as usize) == text)
        {
            return code;
        }
        let code = u32::try_from(self.texts.len()).expect("fewer than 2^32 distinct texts");
        self.texts.push(text);
        let (texts, hasher) = (&self.texts, &self.hasher);
        self.codes.insert_unique(hash, code, |&other| {
            hasher.hash_one(texts.get(other as usize))
        });
        code
    }

    /// The code of a text, if it is a level.
    pub fn code(&self, text: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(text);
        self.codes
            .find(hash, |&code| self.texts.get(code as usize) == text)
            .copied()
    }

    /// The text of a code.
    pub fn text(&self, code: u32) -> &str {
        self.texts.get(code as usize)
    }

    /// Number of levels.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no level.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The texts in the order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter()
    }

    /// The same levels in natural order (as numbers if all are numbers, to the last digit, else as
    /// text), with the new code of each old one.
    pub fn naturally_ordered(&self) -> (Self, Vec<u32>) {
        let numbers: Option<Vec<f64>> = self.iter().map(parse_label).collect();
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let by_number = numbers.as_ref().map_or(Ordering::Equal, |values| {
                let by_double = values[a as usize].total_cmp(&values[b as usize]);
                by_double
                    .then_with(|| Decimal::parse(self.text(a)).cmp(&Decimal::parse(self.text(b))))
            });
            by_number.then_with(|| self.text(a).cmp(self.text(b)))
        });
        self.reordered(&order)
    }

    /// The same levels in rising order of a number of each, and of their texts where it is the same.
    pub fn ordered_by(&self, number: impl Fn(&str) -> f64) -> (Self, Vec<u32>) {
        let numbers: Vec<f64> = self.iter().map(number).collect();
        let mut order: Vec<u32> = (0..self.len() as u32).collect();
        order.sort_by(|&a, &b| {
            let by_number = numbers[a as usize].total_cmp(&numbers[b as usize]);
            by_number.then_with(|| self.text(a).cmp(self.text(b)))
        });
        self.reordered(&order)
    }

    /// The same levels with those in `first` in front in that order, the rest after them.
    pub fn ordered_as(&self, first: &[String]) -> (Self, Vec<u32>) {
        let mut placed = vec![false; self.len()];
        let mut order: Vec<u32> = first.iter().filter_map(|text| self.code(text)).collect();
        // A text that is given twice has the place that it was given first.
        order.retain(|&code| !std::mem::replace(&mut placed[code as usize], true));
        order.extend((0..self.len() as u32).filter(|&code| !placed[code as usize]));
        self.reordered(&order)
    }

    fn reordered(&self, order: &[u32]) -> (Self, Vec<u32>) {
        let levels = Self::from_texts(order.iter().map(|&code| self.text(code)));
        let mut new_code = vec![0; self.len()];
        for (new, &old) in order.iter().enumerate() {
            new_code[old as usize] = new as u32;
        }
        (levels, new_code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_as_numbers_and_keep_their_text() {
        let levels = Levels::from_texts(["10", "007", "9"]);
        let (ordered, new_code) = levels.naturally_ordered();
        assert_eq!(ordered.iter().collect::<Vec<_>>(), ["007", "9", "10"]);
        assert_eq!(new_code, [2, 0, 1]);
        // Both are read as 2^53, and by text the second would come first.
        let levels = Levels::from_texts(["9007199254740992.5", "09007199254740993"]);
        let (ordered, _) = levels.naturally_ordered();
        assert_eq!(ordered.text(0), "9007199254740992.5");
    }

    #[test]
    fn a_given_order_comes_first() {
        let levels = Levels::from_texts(["mid", "low", "odd", "high"]);
        let given = ["low", "mid", "high", "absent"].map(str::to_owned);
        let (ordered, _) = levels.ordered_as(&given);
        assert_eq!(
            ordered.iter().collect::<Vec<_>>(),
            ["low", "mid", "high", "odd"]
        );
    }

    #[test]
    fn a_text_that_is_given_twice_has_one_place() {
        let levels = Levels::from_texts(["a", "b"]);
        let given = ["b", "a", "b"].map(str::to_owned);
        let (ordered, new_codes) = levels.ordered_as(&given);
        assert_eq!(ordered.iter().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(new_codes, [1, 0]);
    }

    #[test]
    fn equal_texts_share_a_code() {
        let mut levels = Levels::default();
        assert_eq!(levels.insert("a"), 0);
        assert_eq!(levels.insert("b"), 1);
        assert_eq!(levels.insert("a"), 0);
        assert_eq!(levels.code("c"), None);
    }
}
