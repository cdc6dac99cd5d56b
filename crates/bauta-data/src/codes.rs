//! Codes of categories, each in as few bytes as the largest of them needs.

use std::ops::Range;

/// One code per record. Most variables have few categories, so that most codes take one byte.
#[derive(Clone, Debug)]
pub struct Codes(Width);

/// Codes by the bytes that each takes. None is wider than its first owner needed; a part of a column stays as wide as
/// the whole.
#[derive(Clone, Debug)]
enum Width {
    One(Vec<u8>),
    Two(Vec<u16>),
    Four(Vec<u32>),
}

/// Does the same with the codes of any width.
macro_rules! of_any_width {
    ($width:expr, $codes:ident => $result:expr) => {
        match $width {
            Width::One($codes) => $result,
            Width::Two($codes) => $result,
            Width::Four($codes) => $result,
        }
    };
}

impl Default for Codes {
    fn default() -> Self {
        Self(Width::One(Vec::new()))
    }
}

impl Codes {
    /// Codes made from numbers that go up to `largest`, one per record from 0 to `n`.
    pub fn from_fn(n: usize, largest: u32, code: impl Fn(usize) -> u32) -> Self {
        let code = |record| {
            let code = code(record);
            debug_assert!(code <= largest, "a code exceeds the largest");
            code
        };
        Self::collected(largest, (0..n).map(code))
    }

    /// Codes that go up to `largest`, in the bytes that it needs.
    fn collected(largest: u32, codes: impl Iterator<Item = u32>) -> Self {
        Self(if u8::try_from(largest).is_ok() {
            Width::One(codes.map(|code| code as u8).collect())
        } else if u16::try_from(largest).is_ok() {
            Width::Two(codes.map(|code| code as u16).collect())
        } else {
            Width::Four(codes.collect())
        })
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        of_any_width!(&self.0, codes => codes.len())
    }

    /// Whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of a record.
    #[inline]
    pub fn at(&self, record: usize) -> u32 {
        match &self.0 {
            Width::One(codes) => u32::from(codes[record]),
            Width::Two(codes) => u32::from(codes[record]),
            Width::Four(codes) => codes[record],
        }
    }

    /// The code of the last record.
    pub fn last(&self) -> Option<u32> {
        self.len().checked_sub(1).map(|record| self.at(record))
    }

    /// All codes, in the order of the records.
    pub fn iter(&self) -> Iter<'_> {
        Iter(match &self.0 {
            Width::One(codes) => Narrowed::One(codes.iter()),
            Width::Two(codes) => Narrowed::Two(codes.iter()),
            Width::Four(codes) => Narrowed::Four(codes.iter()),
        })
    }

    /// All codes, four bytes each.
    pub fn to_vec(&self) -> Vec<u32> {
        self.iter().collect()
    }

    /// Goes through values together with the codes from a record on. The width is asked for once.
    #[inline]
    pub fn with_each<T>(&self, first: usize, values: &mut [T], mut with: impl FnMut(&mut T, u32)) {
        match &self.0 {
            Width::One(codes) => {
                let both = values.iter_mut().zip(&codes[first..]);
                both.for_each(|(value, &code)| with(value, u32::from(code)));
            }
            Width::Two(codes) => {
                let both = values.iter_mut().zip(&codes[first..]);
                both.for_each(|(value, &code)| with(value, u32::from(code)));
            }
            Width::Four(codes) => {
                let both = values.iter_mut().zip(&codes[first..]);
                both.for_each(|(value, &code)| with(value, code));
            }
        }
    }

    /// Adds a code, and widens all where it needs more bytes.
    #[inline]
    pub fn push(&mut self, code: u32) {
        match &mut self.0 {
            Width::One(codes) => match u8::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => self.widen_and_push(code),
            },
            Width::Two(codes) => match u16::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => self.widen_and_push(code),
            },
            Width::Four(codes) => codes.push(code),
        }
    }

    /// Adds codes that go up to `largest`, which the caller knows; a larger one would become another. The width is asked
    /// for once.
    #[inline]
    pub(crate) fn extend_up_to(&mut self, largest: u32, codes: impl Iterator<Item = u32>) {
        let codes = codes.inspect(|&code| debug_assert!(code <= largest, "a code is too large"));
        self.widen_to(largest);
        match &mut self.0 {
            Width::One(all) => all.extend(codes.map(|code| code as u8)),
            Width::Two(all) => all.extend(codes.map(|code| code as u16)),
            Width::Four(all) => all.extend(codes),
        }
    }

    /// Makes room for so many more codes, as long as one byte holds each of them, if there is that much memory.
    pub(crate) fn reserve(&mut self, n: usize) {
        if let Width::One(codes) = &mut self.0 {
            let _ = codes.try_reserve_exact(n);
        }
    }

    /// Bytes that each code takes.
    pub(crate) fn width(&self) -> usize {
        match &self.0 {
            Width::One(_) => 1,
            Width::Two(_) => 2,
            Width::Four(_) => 4,
        }
    }

    /// No codes yet, with room for `n` of this width.
    pub(crate) fn with_room(width: usize, n: usize) -> Self {
        Self(match width {
            1 => Width::One(Vec::with_capacity(n)),
            2 => Width::Two(Vec::with_capacity(n)),
            _ => Width::Four(Vec::with_capacity(n)),
        })
    }

    /// Appends the bytes of some codes, the lowest of each first.
    pub(crate) fn put_bytes(&self, records: Range<usize>, out: &mut Vec<u8>) {
        match &self.0 {
            Width::One(codes) => out.extend_from_slice(&codes[records]),
            Width::Two(codes) => {
                out.extend(codes[records].iter().flat_map(|code| code.to_le_bytes()));
            }
            Width::Four(codes) => {
                out.extend(codes[records].iter().flat_map(|code| code.to_le_bytes()));
            }
        }
    }

    /// Adds codes from their bytes, each of which took `width`, no more than those that are there.
    pub(crate) fn extend_from_bytes(&mut self, width: usize, bytes: &[u8]) {
        match (&mut self.0, width) {
            (Width::One(codes), 1) => codes.extend_from_slice(bytes),
            (_, 1) => self.extend_up_to(u32::from(u8::MAX), bytes.iter().copied().map(u32::from)),
            (_, 2) => {
                let codes = bytes.as_chunks::<2>().0.iter();
                let codes = codes.map(|&code| u32::from(u16::from_le_bytes(code)));
                self.extend_up_to(u32::from(u16::MAX), codes);
            }
            _ => {
                let codes = bytes.as_chunks::<4>().0.iter();
                self.extend_up_to(u32::MAX, codes.map(|&code| u32::from_le_bytes(code)));
            }
        }
    }

    #[cold]
    fn widen_and_push(&mut self, code: u32) {
        self.widen_to(code);
        self.push(code);
    }

    /// Gives each code the bytes that a code needs, if it has fewer.
    fn widen_to(&mut self, code: u32) {
        match &self.0 {
            Width::One(_) if u8::try_from(code).is_ok() => {}
            Width::Two(_) if u16::try_from(code).is_ok() => {}
            Width::Four(_) => {}
            _ if u16::try_from(code).is_ok() => {
                self.0 = Width::Two(self.iter().map(|code| code as u16).collect());
            }
            _ => self.0 = Width::Four(self.iter().collect()),
        }
    }

    /// Gives each code a new one, where none of the new ones exceeds `largest`.
    #[must_use]
    pub fn replaced(mut self, largest: u32, new: impl Fn(u32) -> u32) -> Self {
        match &mut self.0 {
            Width::One(codes) if u8::try_from(largest).is_ok() => {
                if codes.is_empty() {
                    return self;
                }
                let last = codes.iter().fold(0, |last, &code| last.max(code));
                // Each code is asked for once, and not each record.
                let mut table = [0; 1 << u8::BITS];
                for (code, entry) in (0..=u32::from(last)).zip(&mut table) {
                    *entry = new(code) as u8;
                }
                for code in codes.iter_mut() {
                    *code = table[usize::from(*code)];
                    debug_assert!(u32::from(*code) <= largest, "a code exceeds the largest");
                }
                self
            }
            _ => Self::from_fn(self.len(), largest, |record| new(self.at(record))),
        }
    }

    /// A new code for each, which may depend on what stands beside it; none of the new ones exceeds `largest`. The width is
    /// asked for once.
    #[must_use]
    pub fn replaced_beside<T: Copy>(
        &self,
        largest: u32,
        beside: &[T],
        new: impl Fn(u32, T) -> u32,
    ) -> Self {
        debug_assert_eq!(self.len(), beside.len(), "one for each record");
        let new = |code: u32, beside: T| {
            let new = new(code, beside);
            debug_assert!(new <= largest, "a code exceeds the largest");
            new
        };
        of_any_width!(&self.0, codes => {
            let both = codes.iter().zip(beside);
            #[allow(clippy::useless_conversion, reason = "the widest codes are numbers already")]
            Self::collected(largest, both.map(|(&code, &beside)| new(u32::from(code), beside)))
        })
    }

    /// The codes of some records, in their order.
    #[must_use]
    pub fn taken(&self, records: &[u32]) -> Self {
        fn of<T: Copy>(codes: &[T], records: &[u32]) -> Vec<T> {
            let records = records.iter();
            records.map(|&record| codes[record as usize]).collect()
        }
        Self(match &self.0 {
            Width::One(codes) => Width::One(of(codes, records)),
            Width::Two(codes) => Width::Two(of(codes, records)),
            Width::Four(codes) => Width::Four(of(codes, records)),
        })
    }
}

impl FromIterator<u32> for Codes {
    fn from_iter<I: IntoIterator<Item = u32>>(codes: I) -> Self {
        let codes = codes.into_iter();
        let mut all = Self(Width::One(Vec::with_capacity(codes.size_hint().0)));
        codes.for_each(|code| all.push(code));
        of_any_width!(&mut all.0, codes => codes.shrink_to_fit());
        all
    }
}

impl From<Vec<u32>> for Codes {
    fn from(codes: Vec<u32>) -> Self {
        let largest = codes.iter().copied().max().unwrap_or(0);
        if u16::try_from(largest).is_err() {
            return Self(Width::Four(codes));
        }
        Self::from_fn(codes.len(), largest, |record| codes[record])
    }
}

impl<const N: usize> From<[u32; N]> for Codes {
    fn from(codes: [u32; N]) -> Self {
        codes.into_iter().collect()
    }
}

/// Codes are equal by their values, however many bytes they take.
impl PartialEq for Codes {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Codes {}

impl<const N: usize> PartialEq<[u32; N]> for Codes {
    fn eq(&self, other: &[u32; N]) -> bool {
        self.iter().eq(other.iter().copied())
    }
}

impl<'a> IntoIterator for &'a Codes {
    type Item = u32;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Goes through codes.
#[derive(Clone, Debug)]
pub struct Iter<'a>(Narrowed<'a>);

#[derive(Clone, Debug)]
enum Narrowed<'a> {
    One(std::slice::Iter<'a, u8>),
    Two(std::slice::Iter<'a, u16>),
    Four(std::slice::Iter<'a, u32>),
}

impl Iterator for Iter<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        match &mut self.0 {
            Narrowed::One(codes) => codes.next().map(|&code| u32::from(code)),
            Narrowed::Two(codes) => codes.next().map(|&code| u32::from(code)),
            Narrowed::Four(codes) => codes.next().copied(),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n_left = match &self.0 {
            Narrowed::One(codes) => codes.len(),
            Narrowed::Two(codes) => codes.len(),
            Narrowed::Four(codes) => codes.len(),
        };
        (n_left, Some(n_left))
    }

    /// The width is asked for once, and not for each code.
    #[inline]
    fn fold<B, F: FnMut(B, u32) -> B>(self, start: B, mut with: F) -> B {
        match self.0 {
            Narrowed::One(codes) => codes.fold(start, |so_far, &code| with(so_far, code.into())),
            Narrowed::Two(codes) => codes.fold(start, |so_far, &code| with(so_far, code.into())),
            Narrowed::Four(codes) => codes.fold(start, |so_far, &code| with(so_far, code)),
        }
    }
}

impl ExactSizeIterator for Iter<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_take_as_few_bytes_as_the_largest_needs() {
        let bytes = |codes: &Codes| match codes.0 {
            Width::One(_) => 1,
            Width::Two(_) => 2,
            Width::Four(_) => 4,
        };
        for (largest, expected) in [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4)] {
            let codes = vec![1, largest, 0];
            assert_eq!(bytes(&Codes::from(codes.clone())), expected);
            assert_eq!(bytes(&codes.into_iter().collect()), expected);
        }
    }

    proptest! {
        #[test]
        fn codes_are_those_that_went_in(
            codes in prop::collection::vec(prop_oneof![0_u32..4, 0_u32..400, 0_u32..100_000, Just(u32::MAX)], 0..40),
            start in 0_usize..40,
        ) {
            let pushed: Codes = codes.iter().copied().collect();
            prop_assert_eq!(&pushed, &Codes::from(codes.clone()));
            prop_assert_eq!(pushed.iter().collect::<Vec<u32>>(), codes.clone());
            prop_assert_eq!(pushed.last(), codes.last().copied());
            let start = start.min(codes.len());
            let mut extended: Codes = codes[..start].iter().copied().collect();
            let largest = codes[start..].iter().copied().max().unwrap_or(0);
            extended.extend_up_to(largest, codes[start..].iter().copied());
            prop_assert_eq!(&extended, &pushed);
            prop_assert_eq!(pushed.iter().len(), codes.len());
            let mut one_by_one = Vec::new();
            for code in &pushed {
                one_by_one.push(code);
            }
            prop_assert_eq!(&one_by_one, &codes);
            let mut together = vec![0; codes.len() - start];
            pushed.with_each(start, &mut together, |value, code| *value = code);
            prop_assert_eq!(&together, &codes[start..]);
            let backwards: Vec<u32> = (0..codes.len() as u32).rev().collect();
            let taken = pushed.taken(&backwards);
            prop_assert!(taken.iter().eq(codes.iter().rev().copied()));
            let halved = pushed.clone().replaced(u32::MAX / 2, |code| code / 2);
            prop_assert!(halved.iter().eq(codes.iter().map(|code| code / 2)));
            let places: Vec<u32> = (0..codes.len() as u32).collect();
            let odd_ones = pushed.replaced_beside(u32::MAX, &places, |code, place| if place % 2 == 0 { 0 } else { code });
            let expected = codes.iter().zip(&places).map(|(&code, place)| code * (place % 2));
            prop_assert!(odd_ones.iter().eq(expected));
        }

        #[test]
        fn few_codes_are_replaced_by_many_and_by_few(codes in prop::collection::vec(0_u32..256, 0..40)) {
            let turned = Codes::from(codes.clone()).replaced(255, |code| 255 - code);
            prop_assert!(turned.iter().eq(codes.iter().map(|code| 255 - code)));
            let raised = Codes::from(codes.clone()).replaced(256, |code| code + 1);
            prop_assert!(raised.iter().eq(codes.iter().map(|code| code + 1)));
        }
    }
}
