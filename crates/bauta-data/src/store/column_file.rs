//! The file of a column, and what is known of the column without a look at it.

mod read_cells;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::read_cells::{ReadCells, Wanted};
use super::StoreLost;
use super::block::{Section, Sections, damaged, put_codes, put_numbers, put_states, put_texts};
use super::counting::CountsClasses;
use super::folder::{Folder, Held};
use crate::codes::Codes;
use crate::column::{Categorical, Column, Content, NumberText, Values};
use crate::levels::Levels;
use crate::missing::{MissingCause, MissingCells, MissingMark};
use crate::number::DecimalMark;
use crate::text::TextArena;

/// Bytes that a text takes in memory besides its letters.
const TEXT_BYTES: u64 = 8;

/// What is known of a stored column without a look at its cells.
#[derive(Clone)]
pub(crate) struct Frame {
    pub(crate) values: FrameValues,
    pub(crate) marks: Vec<MissingMark>,
    pub(crate) n_missing: usize,
    pub(crate) n_suppressed: usize,
}

/// What the cells of a stored column are.
#[derive(Clone)]
pub(crate) enum FrameValues {
    Numbers {
        /// How they are written, without texts of their own.
        text: NumberText,
        /// Whether they have texts of their own. In blocks that hold none these are what numbers are written as.
        has_texts: bool,
        exact: ExactNumbers,
    },
    Categories {
        levels: Arc<Levels>,
        /// What stored codes stand for, where they are not those of the levels.
        translation: Option<Arc<Translation>>,
    },
    /// Texts, of which `Reader` makes the column.
    Texts(Arc<dyn TextReader>),
}

/// What is known of digits beyond those of doubles.
#[derive(Clone)]
pub(crate) enum ExactNumbers {
    None,
    /// The texts may have some.
    InTexts,
    /// Codes of these numbers are stored.
    Coded(Arc<Levels>),
}

/// What stored codes of categories stand for.
pub(crate) struct Translation {
    /// The code among the levels.
    pub(crate) codes: Vec<u32>,
    /// Why there is no value; 0 where there is one.
    pub(crate) states: Vec<u8>,
}

/// Makes the cells of a column from texts.
pub(crate) trait TextReader: Send + Sync {
    /// The cells of these texts.
    fn read(&self, texts: &TextArena) -> Content;

    /// The column of these texts as numbers, in a file.
    fn numbers(
        &self,
        blocks: &mut dyn Iterator<Item = io::Result<TextArena>>,
        mark: DecimalMark,
        writer: ColumnWriter,
    ) -> io::Result<TextsAsNumbers>;
}

/// What came of reading the texts of a column as numbers.
pub(crate) enum TextsAsNumbers {
    /// All values are numbers.
    All(Box<Column>),
    /// Some value is none.
    None,
    /// It takes a look at all values together.
    Unsure,
}

/// Texts that were read, and what makes cells of them.
pub(crate) struct StoredTexts {
    pub(crate) texts: TextArena,
    pub(crate) reader: Arc<dyn TextReader>,
}

impl Frame {
    /// What is known of a column in memory.
    pub(super) fn of(content: &Content) -> Self {
        let missing = content.missing.as_ref();
        let values = match &content.values {
            Values::Numeric(_) => FrameValues::Numbers {
                text: NumberText {
                    verbatim: None,
                    ..content.number_text
                },
                has_texts: content.number_text.verbatim.is_some(),
                exact: match &content.exact {
                    None => ExactNumbers::None,
                    Some(exact) => ExactNumbers::Coded(Arc::clone(&exact.levels)),
                },
            },
            Values::Categorical(categorical) => FrameValues::Categories {
                levels: Arc::clone(&categorical.levels),
                translation: None,
            },
        };
        Self {
            values,
            marks: missing.map_or_else(Vec::new, |cells| cells.marks().to_vec()),
            n_missing: missing.map_or(0, MissingCells::count),
            n_suppressed: missing.map_or(0, MissingCells::n_suppressed),
        }
    }
}

/// Where a block lies in its file.
struct BlockPlace {
    offset: u64,
    n_bytes: usize,
    /// Its first record.
    first: usize,
    n_records: usize,
    /// Decimals with which the texts of its numbers can be made again.
    decimals: u8,
}

/// A file, removed with the last column that needs it.
struct CellFile {
    folder: Arc<Folder>,
    path: PathBuf,
    blocks: Vec<BlockPlace>,
    n_records: usize,
    n_bytes: u64,
    /// Bytes of the widest code, and of the widest of exact numbers.
    width: usize,
    exact_width: usize,
    has_before: bool,
}

impl Drop for CellFile {
    fn drop(&mut self) {
        self.folder.shrank(self.n_bytes);
        // The folder goes with the store, and what is in it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Writes the file of a column, block by block.
pub(crate) struct ColumnWriter {
    cells: CellFile,
    bytes: Vec<u8>,
}

impl ColumnWriter {
    pub(super) fn new(folder: Arc<Folder>, path: PathBuf) -> Self {
        Self {
            cells: CellFile {
                folder,
                path,
                blocks: Vec::new(),
                n_records: 0,
                n_bytes: 0,
                width: 1,
                exact_width: 1,
                has_before: false,
            },
            bytes: Vec::new(),
        }
    }

    /// Records of a block.
    pub(crate) fn block_records(&self) -> usize {
        self.cells.folder.block_records
    }

    /// Adds all cells of a column in memory.
    pub(super) fn put_content(&mut self, content: &Content) -> io::Result<()> {
        let n = match &content.values {
            Values::Numeric(values) => values.len(),
            Values::Categorical(categorical) => categorical.codes.len(),
        };
        let states = content.missing.as_ref().map(MissingCells::states);
        let decimals = content.number_text.decimals;
        let block = self.block_records();
        for first in (0..n).step_by(block) {
            let records = first..n.min(first + block);
            match &content.values {
                Values::Numeric(values) => {
                    put_numbers(&mut self.bytes, Section::Numbers, &values[records.clone()]);
                }
                Values::Categorical(Categorical { codes, .. }) => {
                    self.cells.width = self.cells.width.max(codes.width());
                    put_codes(&mut self.bytes, Section::Codes, codes, records.clone());
                }
            }
            if let Some(states) = states {
                put_states(&mut self.bytes, &states[records.clone()]);
            }
            if let Some(texts) = &content.number_text.verbatim {
                let texts = records.clone().map(|record| texts.get(record));
                put_texts(&mut self.bytes, texts);
            }
            if let Some(exact) = &content.exact {
                self.cells.exact_width = self.cells.exact_width.max(exact.codes.width());
                put_codes(
                    &mut self.bytes,
                    Section::Exact,
                    &exact.codes,
                    records.clone(),
                );
            }
            if let Some(before) = &content.before_suppression {
                self.cells.has_before = true;
                put_numbers(&mut self.bytes, Section::Before, &before[records.clone()]);
            }
            self.end_block(records.len(), decimals)?;
        }
        Ok(())
    }

    /// Adds a block of numbers; `texts` where they have texts of their own, else those that this many decimals give.
    pub(crate) fn put_numbers(
        &mut self,
        numbers: &[f64],
        states: &[u8],
        texts: Option<&TextArena>,
        decimals: u8,
    ) -> io::Result<()> {
        put_numbers(&mut self.bytes, Section::Numbers, numbers);
        if !states.is_empty() {
            put_states(&mut self.bytes, states);
        }
        if let Some(texts) = texts {
            put_texts(&mut self.bytes, (0..texts.len()).map(|at| texts.get(at)));
        }
        self.end_block(numbers.len(), decimals)
    }

    /// Adds a block of categories by their codes.
    pub(crate) fn put_codes(
        &mut self,
        codes: &Codes,
        records: Range<usize>,
        states: &[u8],
    ) -> io::Result<()> {
        self.cells.width = self.cells.width.max(codes.width());
        put_codes(&mut self.bytes, Section::Codes, codes, records.clone());
        if !states.is_empty() {
            put_states(&mut self.bytes, states);
        }
        self.end_block(records.len(), 0)
    }

    /// Adds a block of texts.
    pub(crate) fn put_texts(&mut self, texts: &TextArena) -> io::Result<()> {
        put_texts(&mut self.bytes, (0..texts.len()).map(|at| texts.get(at)));
        self.end_block(texts.len(), 0)
    }

    fn end_block(&mut self, n_records: usize, decimals: u8) -> io::Result<()> {
        let cells = &mut self.cells;
        // Not kept open: a file may have more variables than a process may have open files.
        let mut file = OpenOptions::new().append(true).open(&cells.path)?;
        file.write_all(&self.bytes)?;
        cells.blocks.push(BlockPlace {
            offset: cells.n_bytes,
            n_bytes: self.bytes.len(),
            first: cells.n_records,
            n_records,
            decimals,
        });
        cells.n_records += n_records;
        cells.n_bytes += self.bytes.len() as u64;
        cells.folder.grew(self.bytes.len() as u64);
        self.bytes.clear();
        Ok(())
    }

    /// The column of what was written.
    pub(crate) fn finish(self, frame: Frame) -> ColumnFile {
        ColumnFile {
            frame: Arc::new(frame),
            cells: Arc::new(self.cells),
        }
    }
}

/// A column in a file.
#[derive(Clone)]
pub(crate) struct ColumnFile {
    frame: Arc<Frame>,
    cells: Arc<CellFile>,
}

impl ColumnFile {
    pub(crate) fn n_records(&self) -> usize {
        self.cells.n_records
    }

    pub(crate) fn n_missing(&self) -> usize {
        self.frame.n_missing
    }

    pub(crate) fn n_suppressed(&self) -> usize {
        self.frame.n_suppressed
    }

    pub(crate) fn marks(&self) -> &[MissingMark] {
        &self.frame.marks
    }

    pub(crate) fn is_numeric(&self) -> bool {
        matches!(self.frame.values, FrameValues::Numbers { .. })
    }

    /// The categories, if they are known without reading.
    pub(crate) fn levels(&self) -> Option<&Arc<Levels>> {
        match &self.frame.values {
            FrameValues::Categories { levels, .. } => Some(levels),
            FrameValues::Numbers { .. } | FrameValues::Texts(_) => None,
        }
    }

    /// Who counts classes of equal keys for the store, if that is not the caller.
    pub(crate) fn counter(&self) -> Option<Arc<dyn CountsClasses>> {
        self.cells.folder.counting.get().cloned()
    }

    /// Records of a block.
    pub(crate) fn block_records(&self) -> usize {
        self.cells.folder.block_records
    }

    /// The folder of the store.
    pub(crate) fn folder(&self) -> &Path {
        &self.cells.folder.path
    }

    /// Bytes that columns of the store may still take in memory.
    pub(crate) fn room(&self) -> u64 {
        self.cells.folder.room()
    }

    /// Whether cells have texts of their own besides their numbers.
    pub(crate) fn has_texts(&self) -> bool {
        matches!(
            self.frame.values,
            FrameValues::Numbers {
                has_texts: true,
                ..
            }
        )
    }

    /// How numbers are written that have no texts of their own.
    pub(crate) fn number_text(&self) -> &NumberText {
        match &self.frame.values {
            FrameValues::Numbers { text, .. } => text,
            FrameValues::Categories { .. } | FrameValues::Texts(_) => &NumberText::PLAIN,
        }
    }

    /// Whether numbers may have more digits than doubles.
    pub(crate) fn may_be_exact(&self) -> bool {
        match &self.frame.values {
            FrameValues::Numbers { exact, .. } => !matches!(exact, ExactNumbers::None),
            FrameValues::Categories { .. } | FrameValues::Texts(_) => false,
        }
    }

    /// Counts the memory of all cells, which are about to be read.
    pub(crate) fn hold(&self) -> Result<Held, StoreLost> {
        self.cells.folder.hold(self.n_bytes_in_memory())
    }

    /// The same of the texts that numbers have of their own.
    pub(crate) fn hold_texts(&self) -> Result<Held, StoreLost> {
        self.cells.folder.hold(self.n_text_bytes())
    }

    /// Bytes that texts take in memory, at the most.
    fn n_text_bytes(&self) -> u64 {
        TEXT_BYTES * self.n_records() as u64 + self.cells.n_bytes
    }

    /// How the numbers of some records are written, with the texts that they have of their own.
    pub(crate) fn read_number_text(&self, records: Range<usize>) -> io::Result<NumberText> {
        let texts = self.read_cells(records, Wanted::Texts)?.texts;
        Ok(NumberText {
            verbatim: Some(Arc::new(texts)),
            ..*self.number_text()
        })
    }

    /// Bytes that all cells take in memory.
    pub(crate) fn n_bytes_in_memory(&self) -> u64 {
        let n = self.n_records() as u64;
        let states = if self.frame.n_missing == 0 { 0 } else { n };
        states
            + match &self.frame.values {
                FrameValues::Numbers { exact, .. } => {
                    let exact = match exact {
                        ExactNumbers::None => 0,
                        ExactNumbers::InTexts => 4 * n + self.n_text_bytes(),
                        ExactNumbers::Coded(_) => 4 * n,
                    };
                    let before = if self.cells.has_before { 8 * n } else { 0 };
                    8 * n + exact + before
                }
                FrameValues::Categories { .. } => self.cells.width as u64 * n,
                FrameValues::Texts(_) => self.n_text_bytes(),
            }
    }

    /// The same column with another text for cells that masks suppressed.
    pub(crate) fn with_suppressed_text(&self, text: &str) -> Self {
        let mut frame = Frame::clone(&self.frame);
        for mark in &mut frame.marks {
            if mark.cause == MissingCause::Suppressed {
                text.clone_into(&mut mark.text);
            }
        }
        Self {
            frame: Arc::new(frame),
            cells: Arc::clone(&self.cells),
        }
    }

    /// The texts of some records, of a column that is kept as such.
    pub(crate) fn texts(&self, records: Range<usize>) -> io::Result<Option<StoredTexts>> {
        let FrameValues::Texts(reader) = &self.frame.values else {
            return Ok(None);
        };
        let texts = self.read_cells(records, Wanted::Texts)?.texts;
        let reader = Arc::clone(reader);
        Ok(Some(StoredTexts { texts, reader }))
    }

    /// The column of its texts as numbers, in another file; none where it is kept as something else.
    pub(crate) fn as_numbers(
        &self,
        mark: DecimalMark,
        writer: ColumnWriter,
    ) -> io::Result<Option<TextsAsNumbers>> {
        let FrameValues::Texts(reader) = &self.frame.values else {
            return Ok(None);
        };
        let mut blocks = self.cells.blocks.iter().map(|block| {
            let records = block.first..block.first + block.n_records;
            Ok(self.read_cells(records, Wanted::Texts)?.texts)
        });
        reader.numbers(&mut blocks, mark, writer).map(Some)
    }

    /// The cells of some records.
    pub(crate) fn read(&self, records: Range<usize>) -> io::Result<Content> {
        Ok(self.read_cells(records, Wanted::Cells)?.content(self))
    }

    /// A file for another column of the same store.
    pub(crate) fn writer_beside(&self) -> io::Result<ColumnWriter> {
        Folder::writer(&self.cells.folder)
    }

    /// Why cells of some records have no value, 0 where they have one; nothing where all have one.
    pub(crate) fn states(&self, records: Range<usize>) -> io::Result<Vec<u8>> {
        Ok(self.read_cells(records, Wanted::States)?.all_states())
    }

    /// The numbers of some records, and nothing else of them.
    pub(crate) fn numbers(&self, records: Range<usize>) -> io::Result<Vec<f64>> {
        Ok(self.read_cells(records, Wanted::Numbers)?.numbers)
    }

    fn read_cells(&self, records: Range<usize>, wanted: Wanted) -> io::Result<ReadCells> {
        let mut read = ReadCells::with_room(self, records.len(), wanted);
        let mut bytes = Vec::new();
        let mut file = File::open(&self.cells.path)?;
        let blocks = &self.cells.blocks;
        let start = blocks.partition_point(|block| block.first + block.n_records <= records.start);
        for block in blocks[start..]
            .iter()
            .take_while(|block| block.first < records.end)
        {
            bytes.resize(block.n_bytes, 0);
            file.seek(SeekFrom::Start(block.offset))?;
            file.read_exact(&mut bytes)?;
            let from = records.start.max(block.first) - block.first;
            let to = records.end.min(block.first + block.n_records) - block.first;
            read.add(self, block, &Sections::of(&bytes)?, from..to)?;
        }
        if read.n_records != records.len() {
            return Err(damaged());
        }
        Ok(read)
    }
}
