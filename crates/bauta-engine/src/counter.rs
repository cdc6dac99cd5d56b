//! Counts classes of keys for a store: what comes block by block is written to parts, which a session counts.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{ArrayRef, Decimal128Array, RecordBatch, UInt8Array, UInt16Array, UInt32Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bauta_data::store::{ClassCount, CountAccount, CountFailed, CountedClasses, CountsClasses};
use bauta_data::{Codes, Watch};
use datafusion::DATAFUSION_VERSION;
use tempfile::TempDir;

use crate::error::EngineError;
use crate::parts::{Layout, PartsWriter, ROW};
use crate::session::Session;

/// The column of weights.
const WEIGHT: &str = "weight";

/// Counts by a session, on this machine or on a cluster. Parts lie in the folder of the store, which all who count must
/// be able to read and only their owner can.
pub struct Counter {
    session: Session,
    layout: Layout,
    watch: Box<dyn Watch + Send>,
    n_handed_over: AtomicU64,
}

impl Counter {
    /// Counts by a session; parts are removed when they were counted.
    pub fn new(session: Session, watch: Box<dyn Watch + Send>) -> Self {
        Self {
            session,
            layout: Layout::default(),
            watch,
            n_handed_over: AtomicU64::new(0),
        }
    }

    /// The same with parts of another form.
    #[must_use]
    pub fn with_layout(self, layout: Layout) -> Self {
        Self { layout, ..self }
    }

    /// Bytes that the session put aside so far.
    pub fn spilled(&self) -> u64 {
        self.session.spilled()
    }
}

impl CountsClasses for Counter {
    fn begin(
        &self,
        folder: &Path,
        largest: &[u32],
        weighted: bool,
    ) -> Result<Box<dyn ClassCount + '_>, CountFailed> {
        let mut own = tempfile::Builder::new();
        own.prefix("parts-");
        #[cfg(unix)]
        own.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        // All who count must find the parts under the same path.
        let folder = std::path::absolute(folder).and_then(|folder| own.tempdir_in(folder));
        let folder = folder.map_err(|error| CountFailed::Refused {
            message: format!("no folder for parts can be made: {error}"),
            hint: "name another folder: --spill DIR".to_owned(),
        })?;
        let names: Vec<String> = (0..largest.len()).map(|at| format!("key_{at}")).collect();
        let mut fields = vec![Field::new(ROW, DataType::UInt32, false)];
        let of_key = |(name, &largest): (&String, &u32)| Field::new(name, type_of(largest), false);
        fields.extend(names.iter().zip(largest).map(of_key));
        if weighted {
            fields.push(Field::new(WEIGHT, DataType::Decimal128(38, 0), false));
        }
        let schema = Arc::new(Schema::new(fields));
        let writer = PartsWriter::new(folder.path(), Arc::clone(&schema), self.layout);
        Ok(Box::new(Begun {
            counter: self,
            writer,
            schema,
            names,
            weighted,
            n_records: 0,
            folder,
        }))
    }

    fn account(&self) -> Option<CountAccount> {
        let partitions = self.session.partitions();
        Some(CountAccount {
            by: if partitions.is_some() {
                "datafusion"
            } else {
                "ballista"
            },
            version: DATAFUSION_VERSION,
            partitions: partitions.map(|n| n as u64),
            bytes_handed_over: self.n_handed_over.load(Ordering::Relaxed),
            bytes_spilled: partitions.map(|_| self.session.spilled()),
        })
    }
}

/// Bytes of the files in a folder.
fn bytes_in(folder: &Path) -> u64 {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let lengths = files.filter_map(|file| file.metadata().ok());
    lengths.map(|file| file.len()).sum()
}

/// The narrowest type of codes that go up to `largest`.
fn type_of(largest: u32) -> DataType {
    if u8::try_from(largest).is_ok() {
        DataType::UInt8
    } else if u16::try_from(largest).is_ok() {
        DataType::UInt16
    } else {
        DataType::UInt32
    }
}

/// A count that was begun.
struct Begun<'c> {
    counter: &'c Counter,
    writer: PartsWriter,
    schema: SchemaRef,
    names: Vec<String>,
    weighted: bool,
    n_records: u32,
    /// Removed when the count is done or given up; last, when nobody writes there any more.
    folder: TempDir,
}

impl ClassCount for Begun<'_> {
    fn add(&mut self, codes: &[Codes], weights: Option<&[i128]>) -> Result<(), CountFailed> {
        if self.counter.watch.cancelled() {
            return Err(CountFailed::Cancelled);
        }
        let n = codes.first().map_or(0, Codes::len) as u32;
        let rows = UInt32Array::from_iter_values(self.n_records..self.n_records + n);
        let mut arrays: Vec<ArrayRef> = vec![Arc::new(rows)];
        for (at, codes) in codes.iter().enumerate() {
            arrays.push(array_of(codes, self.schema.field(at + 1).data_type()));
        }
        if let Some(weights) = weights {
            let weights = Decimal128Array::from_iter_values(weights.iter().copied());
            let weights = weights
                .with_precision_and_scale(38, 0)
                .map_err(|_| unwritten())?;
            arrays.push(Arc::new(weights));
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays);
        let batch = batch.map_err(|_| unwritten())?;
        self.writer.write(&batch).map_err(|error| failed(&error))?;
        self.n_records += n;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<CountedClasses, CountFailed> {
        let Self {
            counter,
            writer,
            names,
            weighted,
            folder,
            ..
        } = *self;
        let parts = writer.finish().map_err(|error| failed(&error))?;
        let n_bytes = bytes_in(folder.path());
        counter.n_handed_over.fetch_add(n_bytes, Ordering::Relaxed);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let weight = weighted.then_some(WEIGHT);
        let counted = counter
            .session
            .count(&parts, &names, weight, &*counter.watch);
        let counted = counted.map_err(|error| failed(&error))?;
        Ok(CountedClasses {
            codes: counted.codes().to_vec(),
            n_records: counted.sizes().to_vec(),
            weights: counted.weights().map(<[i128]>::to_vec),
        })
    }
}

/// Codes as an array of a type.
fn array_of(codes: &Codes, data_type: &DataType) -> ArrayRef {
    match data_type {
        DataType::UInt8 => Arc::new(UInt8Array::from_iter_values(
            codes.iter().map(|code| code as u8),
        )),
        DataType::UInt16 => Arc::new(UInt16Array::from_iter_values(
            codes.iter().map(|code| code as u16),
        )),
        _ => Arc::new(UInt32Array::from_iter_values(codes.iter())),
    }
}

/// A batch does not fit its own schema.
fn unwritten() -> CountFailed {
    CountFailed::Refused {
        message: "the keys could not be written to parts".to_owned(),
        hint: "this is a fault of Bauta: please report it".to_owned(),
    }
}

fn failed(error: &EngineError) -> CountFailed {
    if error.is_cancelled() {
        return CountFailed::Cancelled;
    }
    CountFailed::Refused {
        message: error.to_string(),
        hint: "allow more memory with --memory, or look after the folder of --spill".to_owned(),
    }
}
