//! What is read from pages is what the decoder of Arrow reads, and what is damaged is told as it was without them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use proptest::prelude::*;

use super::*;
use crate::format::arrow_in::TableBuilder;
use crate::format::parquet::{READ_BATCH_RECORDS, in_memory, read, with_lists_of_texts};
use crate::format::{ReadOptions, Variables};
use crate::problem::DataError;
use crate::table::Table;
use crate::watch::Unwatched;

const PATH: &str = "x.parquet";
const VERSIONS: [WriterVersion; 2] = [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0];

/// How a file is written.
#[derive(Clone, Copy, Debug)]
struct Written {
    version: WriterVersion,
    compression: Compression,
    group_records: usize,
    page_records: usize,
    list_bytes: usize,
}

impl Written {
    /// All records in one page.
    fn whole(version: WriterVersion) -> Self {
        Self {
            version,
            compression: Compression::UNCOMPRESSED,
            group_records: 1 << 20,
            page_records: 1 << 20,
            list_bytes: 1 << 20,
        }
    }

    fn properties(self) -> WriterProperties {
        WriterProperties::builder()
            .set_writer_version(self.version)
            .set_compression(self.compression)
            .set_max_row_group_row_count(Some(self.group_records))
            .set_data_page_row_count_limit(self.page_records)
            // Limits are looked at after each batch.
            .set_write_batch_size(self.page_records.min(64))
            .set_dictionary_page_size_limit(self.list_bytes)
            .set_statistics_enabled(EnabledStatistics::None)
            .build()
    }
}

type Cells = Vec<Option<String>>;

/// A file of these columns; one without an empty cell is stored as required if `may_lack` does not say otherwise.
fn written(columns: &[Cells], may_lack: bool, how: Written) -> Vec<u8> {
    let fields = columns.iter().enumerate().map(|(at, cells)| {
        let lacks = may_lack || cells.iter().any(Option::is_none);
        Field::new(format!("c{at}"), DataType::Utf8, lacks)
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays = columns
        .iter()
        .map(|cells| Arc::new(cells.iter().cloned().collect::<StringArray>()) as ArrayRef);
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays.collect()).unwrap();
    let mut writer = ArrowWriter::try_new(Vec::new(), schema, Some(how.properties())).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// Everything that is told of a table.
fn told(table: &Table) -> Vec<String> {
    let columns = table.columns().iter().map(|column| {
        let categories = column.as_categorical().expect("texts are categories");
        let levels: Vec<&str> = categories.levels.iter().collect();
        let codes: Vec<u32> = categories.codes.iter().collect();
        let (missing, arrow_type) = (column.missing(), column.arrow_type());
        let attribute = column.attribute();
        format!("{attribute:?} {levels:?} {codes:?} {missing:?} {arrow_type:?}")
    });
    let n_records = format!("{} records", table.n_records());
    std::iter::once(n_records).chain(columns).collect()
}

/// The table as the decoder gives it; none where it cannot.
fn decoded(bytes: &[u8]) -> Option<Vec<String>> {
    let read = || {
        let file = in_memory(bytes.to_vec());
        let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).ok()?;
        let options = ReadOptions::default();
        let mut table = TableBuilder::new(Path::new(PATH), footer.schema(), &options).ok()?;
        let footer = with_lists_of_texts(&footer);
        let decoder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, footer);
        let batches = decoder.with_batch_size(READ_BATCH_RECORDS).build().ok()?;
        for batch in batches {
            table.push(&batch.ok()?).ok()?;
        }
        table.finish().ok().map(|table| told(&table))
    };
    catch_unwind(AssertUnwindSafe(read)).ok().flatten()
}

/// The table as users get it.
fn given(bytes: &[u8]) -> Result<Vec<String>, DataError> {
    let file = in_memory(bytes.to_vec());
    let options = ReadOptions::default();
    let path = Path::new(PATH);
    read(path, &file, Variables::All, &options, &Unwatched).map(|table| told(&table))
}

/// The columns that pages do not tell, and the table if there is none.
fn from_pages(bytes: &[u8]) -> (Vec<usize>, Option<Vec<String>>) {
    let file = in_memory(bytes.to_vec());
    let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).unwrap();
    let (metadata, schema) = (footer.metadata(), footer.schema());
    let options = ReadOptions::default();
    let mut table = TableBuilder::new(Path::new(PATH), schema, &options).unwrap();
    let pages = ListedPages::of(&file, metadata, schema.fields().len()).unwrap();
    let n_records = metadata.file_metadata().num_rows() as u64;
    let left = table.fill_texts(n_records, |column, categories| {
        pages.push_column(column, categories, |_| true)
    });
    let table = left.is_empty().then(|| told(&table.finish().unwrap()));
    (left, table)
}

/// Where the pages of the only column stand in a file.
fn place_of_pages(bytes: &[u8]) -> std::ops::Range<usize> {
    let file = in_memory(bytes.to_vec());
    let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).unwrap();
    let (start, n_bytes) = footer.metadata().row_group(0).column(0).byte_range();
    start as usize..(start + n_bytes) as usize
}

/// Text number `at`: empty ones, some that mean a missing value, and some of several bytes.
fn text(at: usize) -> String {
    match at {
        0 => String::new(),
        1 => "NA".to_owned(),
        2 => "é".to_owned(),
        _ => format!("{at}"),
    }
}

/// Cells whose texts differ from stretch to stretch, one in `one_in` of which is empty.
fn cells(n: usize, n_texts: usize, one_in: usize) -> Cells {
    let cell = |row: usize| {
        let is_there = one_in == 0 || !(row * 7 + row / 13).is_multiple_of(one_in);
        is_there.then(|| text((row * row + row / 100) % n_texts))
    };
    (0..n).map(cell).collect()
}

#[test]
fn pages_of_both_versions_tell_what_the_decoder_does() {
    const N: usize = 6000;
    let columns = [
        cells(N, 1, 0),
        cells(N, 2, 3),
        cells(N, 12, 25),
        cells(N, 30, 0),
        cells(N, 30, 2),
        // Nothing but empty cells in whole pages.
        (0..N)
            .map(|row| (row > 2500).then(|| text(row % 5)))
            .collect(),
        vec![None; N],
    ];
    let zstd = Compression::ZSTD(ZstdLevel::default());
    for version in VERSIONS {
        for compression in [Compression::UNCOMPRESSED, Compression::SNAPPY, zstd] {
            for (group_records, page_records) in [(N, N), (N, 700), (2500, 640), (2010, 2010)] {
                for may_lack in [false, true] {
                    let how = Written {
                        version,
                        compression,
                        group_records,
                        page_records,
                        ..Written::whole(version)
                    };
                    let bytes = written(&columns, may_lack, how);
                    let expected = decoded(&bytes);
                    assert!(expected.is_some());
                    let (left, table) = from_pages(&bytes);
                    assert_eq!(left, [0; 0], "{how:?}");
                    assert_eq!(table, expected, "{how:?}");
                    assert_eq!(given(&bytes).ok(), expected, "{how:?}");
                }
            }
        }
    }
}

#[test]
fn groups_have_as_many_pages_as_their_limit_asks_for() {
    // Otherwise the test above would not see several.
    let how = Written {
        group_records: 2500,
        page_records: 640,
        ..Written::whole(WriterVersion::PARQUET_1_0)
    };
    let bytes = written(&[cells(6000, 12, 25)], true, how);
    let file = in_memory(bytes);
    let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).unwrap();
    let mut n_pages = Vec::new();
    for group in footer.metadata().row_groups() {
        let n_records = group.num_rows() as usize;
        let file = Arc::new(file.clone());
        let pages = SerializedPageReader::new(file, group.column(0), n_records, None);
        n_pages.push(pages.unwrap().count());
    }
    // The list, and 2500 = 3 x 640 + 580, 1000 = 640 + 360.
    assert_eq!(n_pages, [5, 5, 3]);
}

#[test]
fn texts_beyond_the_limit_of_a_list_are_left_to_the_decoder() {
    // Three texts for long, and then more than 64 bytes of different ones: those stand for themselves.
    let early = (0..6000).map(|row| Some(text(row % 3)));
    let late = (0..150).map(|row| Some(text(row)));
    let mixed: Cells = early.chain(late).collect();
    for version in VERSIONS {
        let how = Written {
            list_bytes: 64,
            ..Written::whole(version)
        };
        let bytes = written(&[cells(6150, 5, 9), mixed.clone()], true, how);
        let file = in_memory(bytes.clone());
        let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).unwrap();
        let chunk = footer.metadata().row_group(0).column(1);
        assert!(is_list(chunk), "its size alone does not tell");
        assert_eq!(from_pages(&bytes).0, [1], "{version:?}");
        let expected = decoded(&bytes);
        assert!(expected.is_some());
        assert_eq!(given(&bytes).ok(), expected, "{version:?}");
    }
}

#[test]
fn more_texts_than_a_byte_numbers_are_left_to_the_decoder() {
    // Runs of one text are short, so that 257 texts could be a list by their size.
    let runs = |n_texts: usize| -> Cells {
        (0..25_700)
            .map(|row| Some(text(row * n_texts / 25_700)))
            .collect()
    };
    for version in VERSIONS {
        let bytes = written(&[runs(256), runs(257)], false, Written::whole(version));
        assert_eq!(from_pages(&bytes).0, [1], "{version:?}");
        assert_eq!(given(&bytes).ok(), decoded(&bytes), "{version:?}");
    }
}

#[test]
fn a_reading_that_is_stopped_gives_no_column() {
    let bytes = written(
        &[cells(900, 5, 9)],
        true,
        Written::whole(WriterVersion::PARQUET_1_0),
    );
    let file = in_memory(bytes);
    let footer = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new()).unwrap();
    let options = ReadOptions::default();
    let mut table = TableBuilder::new(Path::new(PATH), footer.schema(), &options).unwrap();
    let pages = ListedPages::of(&file, footer.metadata(), 1).unwrap();
    let left = table.fill_texts(900, |column, categories| {
        pages.push_column(column, categories, |_| false)
    });
    assert_eq!(left, [0]);
}

/// Every byte of the pages of a file, changed in three ways: an error where there was one, and otherwise the same cells.
#[test]
fn damaged_pages_are_told_as_the_decoder_tells_them() {
    for version in VERSIONS {
        for one_in in [0, 6] {
            let sound = written(&[cells(600, 5, one_in)], false, Written::whole(version));
            assert_eq!(from_pages(&sound).0, [0; 0], "{version:?}");
            let (mut n_errors, mut n_others) = (0, 0);
            for at in place_of_pages(&sound) {
                for change in [0x01, 0x80, 0xff] {
                    let mut bytes = sound.clone();
                    bytes[at] ^= change;
                    let (found, expected) = (given(&bytes), decoded(&bytes));
                    assert_eq!(
                        found.as_ref().ok(),
                        expected.as_ref(),
                        "{version:?}, byte {at} ^ {change}"
                    );
                    match found {
                        Err(error) => {
                            assert!(error.to_string().contains("damaged"), "{error}");
                            n_errors += 1;
                        }
                        Ok(_) => n_others += 1,
                    }
                }
            }
            // Sizes and numbers beyond the list are found, other texts are not.
            assert!(n_errors > 20 && n_others > 20, "{n_errors}, {n_others}");
        }
    }
}

/// The same of every byte of the footer: what both ways read, they read alike, and nothing panics.
#[test]
fn damaged_footers_make_nothing_panic() {
    for version in VERSIONS {
        let sound = written(&[cells(600, 5, 6)], true, Written::whole(version));
        for at in place_of_pages(&sound).end..sound.len() {
            for change in [0x01, 0x40, 0xff] {
                let mut bytes = sound.clone();
                bytes[at] ^= change;
                // A type that is no text is none of what is compared here.
                let found = catch_unwind(AssertUnwindSafe(|| {
                    let file = in_memory(bytes.clone());
                    let options = ReadOptions::default();
                    read(Path::new(PATH), &file, Variables::All, &options, &Unwatched)
                }));
                assert!(found.is_ok(), "{version:?}, byte {at} ^ {change}");
            }
        }
    }
}

#[test]
fn lists_in_other_encodings_have_no_texts() {
    let page = |encoding, num_values| Page::DictionaryPage {
        buf: vec![1, 0, 0, 0, b'a'].into(),
        num_values,
        encoding,
        is_sorted: false,
    };
    assert_eq!(texts_of(&page(Encoding::PLAIN, 1)), Some(vec![Some("a")]));
    assert_eq!(
        texts_of(&page(Encoding::PLAIN, 2)),
        None,
        "a text is lacking"
    );
    assert_eq!(texts_of(&page(Encoding::RLE, 1)), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_cells_are_what_the_decoder_makes_of_them(
        columns in (1_usize..900).prop_flat_map(|n| {
            let cell = (1_usize..40, 0_u8..4).prop_flat_map(move |(n_texts, lacking)| {
                prop::collection::vec((0..n_texts, 0_u8..4), n).prop_map(move |cells| {
                    let cell = |(at, dice): (usize, u8)| (dice >= lacking).then(|| text(at));
                    cells.into_iter().map(cell).collect::<Cells>()
                })
            });
            prop::collection::vec(cell, 1..4)
        }),
        version in 0_usize..2,
        group_records in 1_usize..1200,
        page_records in 1_usize..600,
        list_bytes in 1_usize..400,
        may_lack: bool,
    ) {
        let version = VERSIONS[version];
        let how = Written { group_records, page_records, list_bytes, ..Written::whole(version) };
        let bytes = written(&columns, may_lack, how);
        let expected = decoded(&bytes);
        prop_assert!(expected.is_some());
        if let (_, Some(table)) = from_pages(&bytes) {
            prop_assert_eq!(Some(table), expected.clone());
        }
        prop_assert_eq!(given(&bytes).ok(), expected);
    }
}
