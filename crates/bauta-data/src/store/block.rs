//! The bytes of some cells: sections, each with what it is and how long.

use std::io;
use std::ops::Range;

use crate::codes::Codes;
use crate::text::TextArena;

/// What a section holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Section {
    Numbers,
    Codes,
    /// Why cells have no value.
    States,
    /// Texts of cells.
    Texts,
    /// Numbers with all their digits, by code.
    Exact,
    /// Numbers that masks suppressed.
    Before,
}

/// Bytes before a section: what it is, bytes of a code, and its length.
const HEAD_BYTES: usize = 10;

/// Appends a section whose bytes `put` appends.
fn put_section(out: &mut Vec<u8>, section: Section, width: usize, put: impl FnOnce(&mut Vec<u8>)) {
    out.push(section as u8);
    out.push(width as u8);
    let place = out.len();
    out.extend_from_slice(&[0; 8]);
    put(out);
    let n_bytes = (out.len() - place - 8) as u64;
    out[place..place + 8].copy_from_slice(&n_bytes.to_le_bytes());
}

pub(super) fn put_numbers(out: &mut Vec<u8>, section: Section, numbers: &[f64]) {
    put_section(out, section, 8, |out| {
        out.reserve(numbers.len() * 8);
        out.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    });
}

pub(super) fn put_codes(out: &mut Vec<u8>, section: Section, codes: &Codes, records: Range<usize>) {
    put_section(out, section, codes.width(), |out| {
        codes.put_bytes(records, out);
    });
}

pub(super) fn put_states(out: &mut Vec<u8>, states: &[u8]) {
    put_section(out, Section::States, 1, |out| out.extend_from_slice(states));
}

/// Appends texts: the length of each, then all of them.
pub(super) fn put_texts<'t>(out: &mut Vec<u8>, texts: impl Iterator<Item = &'t str> + Clone) {
    put_section(out, Section::Texts, 4, |out| {
        for text in texts.clone() {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        }
        for text in texts {
            out.extend_from_slice(text.as_bytes());
        }
    });
}

/// The sections of a block.
pub(super) struct Sections<'b> {
    found: Vec<(u8, usize, &'b [u8])>,
}

impl<'b> Sections<'b> {
    pub(super) fn of(mut bytes: &'b [u8]) -> io::Result<Self> {
        let mut found = Vec::new();
        while !bytes.is_empty() {
            let (head, rest) = bytes.split_at_checked(HEAD_BYTES).ok_or_else(damaged)?;
            let n_bytes = head[2..].first_chunk::<8>().ok_or_else(damaged)?;
            let n_bytes = u64::from_le_bytes(*n_bytes) as usize;
            let (section, rest) = rest.split_at_checked(n_bytes).ok_or_else(damaged)?;
            found.push((head[0], usize::from(head[1]), section));
            bytes = rest;
        }
        Ok(Self { found })
    }

    /// Bytes of a code and those of a section, if the block has it.
    pub(super) fn section(&self, section: Section) -> Option<(usize, &'b [u8])> {
        let mut found = self.found.iter();
        let found = found.find(|(known, _, _)| *known == section as u8);
        found.map(|&(_, width, bytes)| (width, bytes))
    }

    /// The same of a section that must be there, as far as it is of some records.
    pub(super) fn of_records(
        &self,
        section: Section,
        records: &Range<usize>,
    ) -> io::Result<(usize, &'b [u8])> {
        let (width, bytes) = self.section(section).ok_or_else(damaged)?;
        let bytes = bytes.get(records.start * width..records.end * width);
        Ok((width, bytes.ok_or_else(damaged)?))
    }

    /// Appends the numbers of some records.
    pub(super) fn add_numbers(
        &self,
        section: Section,
        records: &Range<usize>,
        numbers: &mut Vec<f64>,
    ) -> io::Result<()> {
        let (_, bytes) = self.of_records(section, records)?;
        let read = bytes.as_chunks::<8>().0.iter();
        numbers.extend(read.map(|&number| f64::from_le_bytes(number)));
        Ok(())
    }

    /// Appends the codes of some records.
    pub(super) fn add_codes(
        &self,
        section: Section,
        records: &Range<usize>,
        codes: &mut Codes,
    ) -> io::Result<()> {
        let (width, bytes) = self.of_records(section, records)?;
        codes.extend_from_bytes(width, bytes);
        Ok(())
    }

    /// Goes through the texts of some of `n` records.
    pub(super) fn texts(
        &self,
        n: usize,
        records: &Range<usize>,
        mut each: impl FnMut(&str),
    ) -> io::Result<()> {
        let (_, bytes) = self.section(Section::Texts).ok_or_else(damaged)?;
        let (lengths, mut texts) = bytes.split_at_checked(n * 4).ok_or_else(damaged)?;
        for (record, &length) in lengths.as_chunks::<4>().0.iter().enumerate() {
            if record == records.end {
                break;
            }
            let length = u32::from_le_bytes(length) as usize;
            let (text, rest) = texts.split_at_checked(length).ok_or_else(damaged)?;
            if records.contains(&record) {
                each(std::str::from_utf8(text).map_err(|_| damaged())?);
            }
            texts = rest;
        }
        Ok(())
    }

    /// Appends the texts of some of `n` records.
    pub(super) fn add_texts(
        &self,
        n: usize,
        records: &Range<usize>,
        arena: &mut TextArena,
    ) -> io::Result<()> {
        self.texts(n, records, |text| {
            arena.push(text);
        })
    }
}

/// What a store wrote does not come back.
pub(super) fn damaged() -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        "a file of the store is not what was written to it",
    )
}
