//! Texts that are given by their number in a list become categories: each text is looked at once.

use super::category_builder::CategoryBuilder;

/// The list of some records, and the codes of those of its texts that were seen.
pub(super) struct ListedTexts<'a> {
    categories: &'a mut CategoryBuilder,
    texts: &'a [Option<&'a str>],
    /// By number in the list; a category gets its code when its first record comes.
    codes: Vec<u32>,
}

impl<'a> ListedTexts<'a> {
    /// No category has this code: each stands for a record, and there are fewer of those.
    const UNSEEN: u32 = u32::MAX;

    pub(super) fn new(categories: &'a mut CategoryBuilder, texts: &'a [Option<&'a str>]) -> Self {
        Self {
            categories,
            texts,
            codes: vec![Self::UNSEEN; texts.len()],
        }
    }

    /// Adds a cell for each key, which `number` makes a number in the list. Only those from the start to the end of a
    /// run have a value; runs follow each other.
    pub(super) fn push_all<K: Copy>(
        &mut self,
        keys: &[K],
        runs: &[(usize, usize)],
        number: impl Fn(K) -> usize + Copy,
    ) {
        let mut done = 0;
        for &(start, end) in runs {
            self.push_nulls(start - done);
            self.push_run(&keys[start..end], number);
            done = end;
        }
        self.push_nulls(keys.len() - done);
    }

    fn push_nulls(&mut self, n: usize) {
        (0..n).for_each(|_| self.categories.push_null());
    }

    fn push_run<K: Copy>(&mut self, mut keys: &[K], number: impl Fn(K) -> usize + Copy) {
        while !keys.is_empty() {
            let is_unseen = |&key: &K| self.codes[number(key)] == Self::UNSEEN;
            let n_known = keys.iter().position(is_unseen).unwrap_or(keys.len());
            let (known, rest) = keys.split_at(n_known);
            let codes = known.iter().map(|&key| self.codes[number(key)]);
            self.categories.push_codes(codes);
            let Some((&key, rest)) = rest.split_first() else {
                return;
            };
            match self.texts[number(key)] {
                Some(text) => self.codes[number(key)] = self.categories.push(text),
                None => self.categories.push_null(),
            }
            keys = rest;
        }
    }
}
