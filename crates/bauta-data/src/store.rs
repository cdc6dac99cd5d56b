//! Columns in files, for tables that are larger than memory.
//!
//! A [`Store`] is a folder that only its owner can read. A column that is put there comes back as a column whose cells
//! lie in a file: it can be asked what it is without a look at the file, and is read as a whole when somebody looks at its
//! values, or some records at a time. The files hold plain numbers and codes, block after block, and no format that
//! others read: each is read by the process that wrote it, and goes with the last column that needs it.

mod block;
mod column_file;
mod counting;
mod folder;
mod numbers;

use std::io;

pub(crate) use column_file::{
    ColumnFile, ColumnWriter, ExactNumbers, Frame, FrameValues, StoredTexts, TextReader,
    TextsAsNumbers, Translation,
};
pub use counting::{ClassCount, CountAccount, CountFailed, CountedClasses, CountsClasses};
pub(crate) use folder::Held;
pub use folder::{ENGINE_PREFIX, LOCK, Leftover, Store};

/// Records of a block, unless a store was made with others: what is read of a column at the least.
pub const BLOCK_RECORDS: usize = 1 << 16;

/// Why a column of a store could not be read while somebody looked at it. Columns have no way to say so: this is what an
/// unwinding thread carries, and whoever started the work makes an error of it.
#[derive(Debug)]
pub enum StoreLost {
    /// The disk failed.
    Disk(io::Error),
    /// The columns that are looked at together need more memory than there may be.
    Memory {
        /// Bytes that they need.
        needed: u64,
        /// Bytes that they may have.
        allowed: u64,
    },
}
