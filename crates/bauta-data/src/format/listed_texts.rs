//! Texts that are given by their number in a list become categories: each text is looked at once.

use super::category_builder::CategoryBuilder;

/// Numbers that a byte holds: that many codes are kept at least, so that none of those is looked for beyond them.
const OF_BYTES: usize = 1 << u8::BITS;

/// The list of some records, and the codes of those of its texts that were seen.
pub(super) struct ListedTexts<'a> {
    categories: &'a mut CategoryBuilder,
    texts: &'a [Option<&'a str>],
    /// By number in the list; a category gets its code when its first record comes.
    codes: Vec<u32>,
    n_unseen: usize,
}

impl<'a> ListedTexts<'a> {
    /// No category has this code: each stands for a record, and there are fewer of those.
    const UNSEEN: u32 = u32::MAX;

    pub(super) fn new(categories: &'a mut CategoryBuilder, texts: &'a [Option<&'a str>]) -> Self {
        Self {
            categories,
            texts,
            codes: vec![Self::UNSEEN; texts.len().max(OF_BYTES)],
            n_unseen: texts.len(),
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

    /// Adds a cell with a value for each number in the list; none where a number is beyond it.
    pub(super) fn push_bytes(&mut self, numbers: &[u8]) -> Option<()> {
        // Few enough for the first record of a category to slow down no others than these.
        const TOGETHER: usize = 4096;
        for numbers in numbers.chunks(TOGETHER) {
            let largest = numbers
                .iter()
                .fold(0, |largest, &number| largest.max(number));
            if usize::from(largest) >= self.texts.len() {
                return None;
            }
            let known = &self.codes[..=usize::from(largest)];
            if known.iter().zip(0..).all(|(&code, number)| code == number) {
                self.categories.push_narrow_codes(numbers);
            } else if known.contains(&Self::UNSEEN) {
                self.push_run(numbers, usize::from);
            } else if let Some(codes) = self.codes.first_chunk::<OF_BYTES>() {
                let codes = numbers.iter().map(|&number| codes[usize::from(number)]);
                self.categories.push_codes(codes);
            }
        }
        Some(())
    }

    /// Adds cells without a value.
    pub(super) fn push_nulls(&mut self, n: usize) {
        (0..n).for_each(|_| self.categories.push_null());
    }

    /// Adds a cell with a value for each key.
    pub(super) fn push_run<K: Copy>(&mut self, mut keys: &[K], number: impl Fn(K) -> usize + Copy) {
        while self.n_unseen > 0 && !keys.is_empty() {
            let is_unseen = |&key: &K| self.codes[number(key)] == Self::UNSEEN;
            let n_known = keys.iter().position(is_unseen).unwrap_or(keys.len());
            let (known, rest) = keys.split_at(n_known);
            let codes = known.iter().map(|&key| self.codes[number(key)]);
            self.categories.push_codes(codes);
            let Some((&key, rest)) = rest.split_first() else {
                return;
            };
            match self.texts[number(key)] {
                Some(text) => {
                    self.codes[number(key)] = self.categories.push(text);
                    self.n_unseen -= 1;
                }
                None => self.categories.push_null(),
            }
            keys = rest;
        }
        let codes = keys.iter().map(|&key| self.codes[number(key)]);
        self.categories.push_codes(codes);
    }
}
