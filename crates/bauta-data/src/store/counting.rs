//! Classes of equal codes, counted elsewhere than in memory.

use std::path::Path;

use crate::codes::Codes;

/// Counts classes of equal codes of any number of records: an engine that puts aside what does not fit, or a cluster.
pub trait CountsClasses: Send + Sync {
    /// Begins a count. Codes of each column go up to `largest`; records have weights or none has. What has to be put aside
    /// may be in `folder`, which only its owner can read and which is removed with the store.
    fn begin(
        &self,
        folder: &Path,
        largest: &[u32],
        weighted: bool,
    ) -> Result<Box<dyn ClassCount + '_>, CountFailed>;

    /// Who it is, and what it did so far, for a record; no count depends on it.
    fn account(&self) -> Option<CountAccount> {
        None
    }
}

/// Who counted, and what went over disks for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountAccount {
    /// Who it is.
    pub by: &'static str,
    /// The version of what it counts with.
    pub version: &'static str,
    /// Pieces that were worked on at a time; none where others decide that.
    pub partitions: Option<u64>,
    /// Bytes of keys and weights that were given to it in files.
    pub bytes_handed_over: u64,
    /// Bytes that it put aside because they did not fit into memory; none where that is not known here.
    pub bytes_spilled: Option<u64>,
}

/// A count that was begun.
pub trait ClassCount {
    /// Adds the next records of the file: the codes of each column, and weights in whole units.
    fn add(&mut self, codes: &[Codes], weights: Option<&[i128]>) -> Result<(), CountFailed>;

    /// The classes, in the order in which they first occur.
    fn finish(self: Box<Self>) -> Result<CountedClasses, CountFailed>;
}

/// Classes of equal codes, in the order in which they first occur.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountedClasses {
    /// The codes of each column, one per class.
    pub codes: Vec<Codes>,
    /// Records of each class.
    pub n_records: Vec<u32>,
    /// Sums of their weights, in units; none where records have no weights.
    pub weights: Option<Vec<i128>>,
}

/// Why classes were not counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CountFailed {
    /// The watcher asked to stop.
    Cancelled,
    /// Something else, in words that show no value.
    Refused {
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: String,
    },
}
