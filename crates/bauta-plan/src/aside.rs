//! Looking at files that need not fit into memory: `risk` and `compare` read them into a store then, which is gone when they
//! have looked.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bauta_data::store::{Leftover, Store};

use crate::output::folder_of;
use crate::record::StoreRecord;
use crate::within::{error_of, fits, of_columns, store_record};
use crate::work::{Reading, WorkError};

/// Does work on files that need so many bytes in memory: in memory where they fit, else in a store, which is removed after the
/// work, whatever came of it. A folder that is named for the store is used whatever they need; the usual one is that of
/// the file. Nothing that lies in the store may come out of the work.
pub(crate) fn in_memory_or_aside<T>(
    reading: &Reading,
    file: &Path,
    needed: impl FnOnce() -> Result<u64, WorkError>,
    work: impl FnOnce(Option<&Store>) -> Result<T, WorkError>,
) -> Result<(T, Option<StoreRecord>), WorkError> {
    let is_aside = match (reading.memory, &reading.spill) {
        (_, Some(_)) => true,
        (Some(memory), None) => !fits(memory, needed()?),
        (None, None) => false,
    };
    if !is_aside {
        return Ok((work(None)?, None));
    }
    let folder = reading.spill.as_deref().unwrap_or_else(|| folder_of(file));
    let Leftover { n_folders } = Store::remove_leftover(folder);
    let store = Store::create(folder)?;
    if let Some(memory) = reading.memory {
        store.allow(of_columns(memory));
    }
    let done = catch_unwind(AssertUnwindSafe(|| work(Some(&store))));
    let done = done.unwrap_or_else(|cause| Err(WorkError::from(error_of(cause))))?;
    let mut told = store_record(&store, reading.memory);
    told.n_removed = n_folders as u64;
    Ok((done, Some(told)))
}
