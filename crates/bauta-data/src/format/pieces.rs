//! Cuts text into pieces of whole records, and pieces into fields, without copying any.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter};
use rayon::prelude::*;

/// Whether a text has carriage returns that end lines alone.
pub(super) fn has_lone_returns(text: &[u8]) -> bool {
    memchr_iter(b'\r', text).any(|at| text.get(at + 1) != Some(&b'\n'))
}

/// The parts of a text from an offset on, each of about `n_bytes` and of whole records. The offset must be
/// the start of a record, and no line may end with a carriage return alone.
pub(super) fn cut(text: &[u8], from: usize, n_bytes: usize, delimiter: u8) -> Vec<Range<usize>> {
    let mut cuts = vec![from];
    let mut last = from;
    while let Some(feed) = text
        .get(last + n_bytes..)
        .and_then(|rest| memchr(b'\n', rest))
    {
        last += n_bytes + feed + 1;
        cuts.push(last);
    }
    if last < text.len() {
        cuts.push(text.len());
    }
    let spans: Vec<Range<usize>> = cuts.windows(2).map(|pair| pair[0]..pair[1]).collect();
    // Where each span ends if it starts between records, and if it starts within quotes.
    let ends: Vec<[Place; 2]> = spans
        .par_iter()
        .map(|span| {
            let span = &text[span.clone()];
            [Place::Outside, Place::Quoted].map(|start| end_of(span, start, delimiter))
        })
        .collect();
    let mut pieces: Vec<Range<usize>> = Vec::with_capacity(spans.len());
    let mut place = Place::Outside;
    for (span, [if_outside, if_quoted]) in spans.into_iter().zip(ends) {
        match (place, pieces.last_mut()) {
            (Place::Quoted, Some(piece)) => {
                piece.end = span.end;
                place = if_quoted;
            }
            _ => {
                pieces.push(span);
                place = if_outside;
            }
        }
    }
    pieces
}

/// Whether the start of a line is the start of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Outside,
    Quoted,
}

/// Where a span of whole lines ends.
fn end_of(span: &[u8], start: Place, delimiter: u8) -> Place {
    let mut place = start;
    let mut at = 0;
    while let Some(quote) = memchr(b'"', &span[at..]).map(|quote| at + quote) {
        at = quote + 1;
        place = match place {
            Place::Quoted if span.get(at) == Some(&b'"') => {
                at += 1;
                Place::Quoted
            }
            Place::Quoted => Place::Outside,
            Place::Outside => {
                let before = quote.checked_sub(1).map(|before| span[before]);
                let starts_field = before
                    .is_none_or(|before| matches!(before, b'\n' | b'\r') || before == delimiter);
                if starts_field {
                    Place::Quoted
                } else {
                    Place::Outside
                }
            }
        };
    }
    place
}

/// Some records of a text, cut into fields.
#[derive(Default)]
pub(super) struct Piece {
    /// Where it lies in the text.
    pub(super) range: Range<usize>,
    n_fields: usize,
    /// Of each record with as many fields as the header: where it starts, then what follows each field's
    /// end, counted from the start of the piece.
    breaks: Vec<u32>,
    /// Number of its line ends.
    pub(super) n_lines: u64,
    /// Where text follows a closing quote: (offset in the text, position of the field).
    pub(super) stray: Vec<(usize, usize)>,
    /// Where the quoted field starts that never ends.
    pub(super) open: Option<usize>,
    /// Records with another number of fields, and the first of them: (offset in the text, fields).
    pub(super) n_irregular: u64,
    pub(super) irregular: Vec<(usize, usize)>,
}

impl Piece {
    /// Irregular records whose places are kept.
    const MOST_IRREGULAR: usize = super::faulty_records::Irregular::FEW;

    /// Cuts a part of a text. It must be shorter than 4 GiB.
    pub(super) fn of(text: &[u8], range: Range<usize>, n_fields: usize, delimiter: u8) -> Self {
        let bytes = &text[range.clone()];
        let mut piece = Self {
            n_fields,
            n_lines: memchr_iter(b'\n', bytes).count() as u64,
            range,
            ..Self::default()
        };
        let breaks = Breaks::new(delimiter);
        let mut at = 0;
        loop {
            at = behind_line_ends(bytes, at);
            if at == bytes.len() {
                return piece;
            }
            at = piece.add_record(bytes, at, &breaks);
        }
    }

    /// Adds the record that starts here, and says where it ends.
    fn add_record(&mut self, bytes: &[u8], start: usize, breaks: &Breaks) -> usize {
        let n_before = self.breaks.len();
        self.breaks.push(start as u32);
        let (mut at, mut n_found) = (start, 0);
        loop {
            if bytes.get(at) == Some(&b'"') {
                match closing_quote(bytes, at) {
                    Some(close) => {
                        let behind = bytes.get(close + 1);
                        if behind.is_some_and(|&byte| !breaks.contain(byte)) {
                            self.stray.push((self.range.start + close + 1, n_found));
                        }
                        at = close + 1;
                    }
                    None => {
                        self.open = Some(self.range.start + at);
                        at = bytes.len();
                    }
                }
            }
            let end = breaks.next(bytes, at);
            self.breaks.push(end as u32 + 1);
            n_found += 1;
            at = end + 1;
            if bytes.get(end) != Some(&breaks.delimiter) {
                break;
            }
        }
        let is_sound = self.open.is_none() && n_found == self.n_fields;
        if !is_sound {
            self.breaks.truncate(n_before);
        }
        if self.open.is_none() && n_found != self.n_fields {
            self.n_irregular += 1;
            if self.irregular.len() < Self::MOST_IRREGULAR {
                self.irregular.push((self.range.start + start, n_found));
            }
        }
        at.min(bytes.len())
    }

    /// Number of records with as many fields as the header.
    pub(super) fn n_records(&self) -> usize {
        self.breaks.len() / (self.n_fields + 1)
    }

    /// Where the record at a position starts in the text.
    pub(super) fn record_start(&self, record: usize) -> usize {
        self.range.start + self.breaks[record * (self.n_fields + 1)] as usize
    }

    /// Where the fields at one position start, from the start of the piece.
    pub(super) fn starts(&self, position: usize) -> impl Iterator<Item = u32> {
        let records = self.breaks.chunks_exact(self.n_fields + 1);
        records.map(move |breaks| breaks[position])
    }

    /// The fields at one position, as they stand in the piece.
    pub(super) fn fields<'t>(
        &self,
        text: &'t str,
        position: usize,
    ) -> impl Iterator<Item = &'t str> {
        let text = &text[self.range.clone()];
        let records = self.breaks.chunks_exact(self.n_fields + 1);
        records
            .map(move |breaks| &text[breaks[position] as usize..breaks[position + 1] as usize - 1])
    }
}

/// The field that starts here.
pub(super) fn field_at(bytes: &[u8], start: usize, delimiter: u8) -> &[u8] {
    let inner = match bytes.get(start) {
        Some(b'"') => closing_quote(bytes, start).map_or(bytes.len(), |close| close + 1),
        _ => start,
    };
    let end = Breaks::new(delimiter).next(bytes, inner);
    bytes.get(start..end).unwrap_or_default()
}

/// The content of a field that may be quoted.
pub(super) fn content(field: &str) -> Cow<'_, str> {
    let Some(inner) = field.strip_prefix('"') else {
        return Cow::Borrowed(field);
    };
    match memchr(b'"', inner.as_bytes()) {
        None => Cow::Borrowed(inner),
        Some(close) if close + 1 == inner.len() => Cow::Borrowed(&inner[..close]),
        Some(_) => Cow::Owned(without_doubled_quotes(inner)),
    }
}

/// What a quoted field says, from behind its first quote on. Text behind the closing quote is taken as it is, as
/// the tokeniser does.
fn without_doubled_quotes(mut rest: &str) -> String {
    let mut said = String::with_capacity(rest.len());
    while let Some((before, behind)) = rest.split_once('"') {
        said.push_str(before);
        let Some(more) = behind.strip_prefix('"') else {
            return said + behind;
        };
        said.push('"');
        rest = more;
    }
    said + rest
}

/// The offset of the first byte from here on that ends no line.
fn behind_line_ends(bytes: &[u8], from: usize) -> usize {
    let ends = bytes[from..].iter();
    from + ends
        .take_while(|&&byte| matches!(byte, b'\n' | b'\r'))
        .count()
}

/// Where the quote closes that opens here.
fn closing_quote(bytes: &[u8], open: usize) -> Option<usize> {
    let mut at = open + 1;
    loop {
        let quote = at + memchr(b'"', &bytes[at..])?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        at = quote + 2;
    }
}

/// What ends a field that is not quoted. Eight bytes are looked at together: fields are short.
struct Breaks {
    delimiter: u8,
    delimiters: u64,
}

impl Breaks {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGH: u64 = Self::ONES << 7;
    const FEEDS: u64 = Self::ONES * b'\n' as u64;
    const RETURNS: u64 = Self::ONES * b'\r' as u64;

    fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            delimiters: Self::ONES * u64::from(delimiter),
        }
    }

    fn contain(&self, byte: u8) -> bool {
        byte == self.delimiter || matches!(byte, b'\n' | b'\r')
    }

    /// The offset of the first of them from `from` on; the end of the bytes if there is none.
    fn next(&self, bytes: &[u8], from: usize) -> usize {
        let mut at = from;
        while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
            let word = u64::from_le_bytes(*word);
            // The lowest high bit that is set is that of the first byte that is zero; bits above it may lie.
            let zeros = |bytes: u64| bytes.wrapping_sub(Self::ONES) & !bytes;
            let found = zeros(word ^ self.delimiters)
                | zeros(word ^ Self::FEEDS)
                | zeros(word ^ Self::RETURNS);
            let found = found & Self::HIGH;
            if found != 0 {
                return at + (found.trailing_zeros() / 8) as usize;
            }
            at += 8;
        }
        let rest = bytes.get(at..).unwrap_or_default();
        let n_inside = rest.iter().take_while(|&&byte| !self.contain(byte)).count();
        at + n_inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_cut_between_records_and_not_within_quotes() {
        let text = b"1,\"a\nb\"\n2,5\" x\n3,\"c\"\"\n\"\n4,d";
        let cuts = cut(text, 0, 1, b',');
        let pieces: Vec<&[u8]> = cuts.iter().map(|range| &text[range.clone()]).collect();
        let expected: [&[u8]; 4] = [b"1,\"a\nb\"\n", b"2,5\" x\n", b"3,\"c\"\"\n\"\n", b"4,d"];
        assert_eq!(pieces, expected);
        assert!(cut(b"a,b\n", 4, 1, b',').is_empty());
    }

    #[test]
    fn fields_are_found_where_they_stand() {
        let text = "1,,\"x,y\"\r\n\n\"\"\"q\"\"\",é,3\n4,5\n6,7,\"8\"9";
        let piece = Piece::of(text.as_bytes(), 0..text.len(), 3, b',');
        let column =
            |position| -> Vec<Cow<'_, str>> { piece.fields(text, position).map(content).collect() };
        assert_eq!(column(0), ["1", "\"q\"", "6"]);
        assert_eq!(column(1), ["", "é", "7"]);
        assert_eq!(column(2), ["x,y", "3", "89"]);
        let fourth = text.find("4,5").unwrap();
        assert_eq!(piece.irregular, [(fourth, 2)]);
        assert_eq!(piece.stray, [(text.len() - 1, 2)]);
        let starts: Vec<u32> = piece.starts(2).collect();
        let again: Vec<&[u8]> = starts
            .iter()
            .map(|&start| field_at(text.as_bytes(), start as usize, b','))
            .collect();
        let expected: [&[u8]; 3] = [b"\"x,y\"", b"3", b"\"8\"9"];
        assert_eq!(again, expected);
    }

    #[test]
    fn a_quote_that_stays_open_is_told() {
        let piece = Piece::of(b"1,2\n3,\"4\n5,6\n", 0..13, 2, b',');
        assert_eq!(piece.open, Some(6));
        assert_eq!(piece.n_records(), 1);
    }
}
