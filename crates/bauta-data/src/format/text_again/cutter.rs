//! Cuts text into records and fields and keeps the places of some.

/// Where a cell stands in its block, with its quotes.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// What was found from a place in a text on.
pub(super) enum Cut {
    /// A record with so many fields, up to where the next one starts.
    Record { end: usize, n_fields: usize },
    /// The text ends before the record does.
    Incomplete,
    /// Text behind a closing quote.
    Faulty,
}

/// Cuts text into records and fields, by the rules of every reader of delimited text.
pub(super) struct Cutter {
    pub(super) delimiter: u8,
    /// For each field of a record, which of the kept columns it belongs to.
    kept: Vec<Option<usize>>,
    n_kept: usize,
    /// Bytes that end a field without quotes.
    ends_field: [bool; 256],
}

impl Cutter {
    pub(super) fn new(delimiter: u8) -> Self {
        let mut ends_field = [false; 256];
        for byte in [delimiter, b'\n', b'\r'] {
            ends_field[usize::from(byte)] = true;
        }
        Self {
            delimiter,
            kept: Vec::new(),
            n_kept: 0,
            ends_field,
        }
    }

    /// Keeps these fields of records with so many.
    pub(super) fn keep(&mut self, n_fields: usize, wanted: &[usize]) {
        self.n_kept = wanted.len();
        self.kept = vec![None; n_fields];
        for (slot, &field) in wanted.iter().enumerate() {
            self.kept[field] = Some(slot);
        }
    }

    /// Notes the cells of all whole records of a text and returns where these end and how many they are;
    /// `None` if the text is not what was written.
    pub(super) fn cut(
        &self,
        text: &[u8],
        is_at_end: bool,
        cells: &mut Vec<Vec<Cell>>,
    ) -> Option<(usize, usize)> {
        u32::try_from(text.len()).ok()?;
        cells.resize_with(self.n_kept, Vec::new);
        cells.iter_mut().for_each(Vec::clear);
        let (mut start, mut n_records) = (0, 0);
        while start < text.len() {
            // Every reader skips a blank line, and no record is written as one.
            if matches!(text[start], b'\n' | b'\r') {
                return None;
            }
            let found = self.record(text, start, is_at_end, |field, cell| {
                if let Some(&Some(slot)) = self.kept.get(field) {
                    cells[slot].push(cell);
                }
            });
            match found {
                Cut::Record { end, n_fields } if n_fields == self.kept.len() => {
                    start = end;
                    n_records += 1;
                }
                Cut::Incomplete if !is_at_end => break,
                Cut::Record { .. } | Cut::Incomplete | Cut::Faulty => return None,
            }
        }
        // What was noted of a record that is not whole comes again with the next block.
        for cells in cells {
            cells.truncate(n_records);
        }
        Some((start, n_records))
    }

    /// Cuts the record that starts at a place.
    pub(super) fn record(
        &self,
        text: &[u8],
        start: usize,
        is_at_end: bool,
        mut note: impl FnMut(usize, Cell),
    ) -> Cut {
        let (mut at, mut n_fields) = (start, 0);
        loop {
            let from = at;
            if text.get(at) == Some(&b'"') {
                let Some(behind) = behind_quotes(text, at) else {
                    return Cut::Incomplete;
                };
                at = behind;
            } else {
                let rest = text[at..].iter();
                let length = rest.take_while(|&&byte| !self.ends_field[usize::from(byte)]);
                at += length.count();
            }
            note(
                n_fields,
                Cell {
                    start: from as u32,
                    end: at as u32,
                },
            );
            n_fields += 1;
            let end = match text.get(at) {
                None if is_at_end => at,
                None => return Cut::Incomplete,
                Some(&byte) if byte == self.delimiter => {
                    at += 1;
                    continue;
                }
                Some(b'\n') => at + 1,
                Some(b'\r') => match text.get(at + 1) {
                    None if !is_at_end => return Cut::Incomplete,
                    Some(b'\n') => at + 2,
                    _ => at + 1,
                },
                Some(_) => return Cut::Faulty,
            };
            return Cut::Record { end, n_fields };
        }
    }
}

/// Where the quoted field that starts at a place ends, if it does: behind a quote that is not doubled.
fn behind_quotes(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at += text[at..].iter().position(|&byte| byte == b'"')?;
        // The last byte that is known may be half of a doubled quote; whoever needs to know reads on.
        if text.get(at + 1) != Some(&b'"') {
            return Some(at + 1);
        }
        at += 2;
    }
}
