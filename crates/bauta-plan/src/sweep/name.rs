//! Names of variants: the same for what must give the same figures, and for nothing else.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bauta_data::Fingerprint;

use super::grid::{Origin, Variant};
use crate::check::files_read;

/// Letters of a variant's name: forty bits, so that ten thousand variants have one each.
const ID_LETTERS: usize = 10;

/// Names variants of plans on one file of data.
pub(crate) struct Names<'a> {
    origin: &'a Origin<'a>,
    pub(super) input_sha256: &'a str,
    /// Hashes of the other files that plans read, each taken once.
    hashes: Mutex<BTreeMap<PathBuf, String>>,
}

impl<'a> Names<'a> {
    /// Of plans of this origin, on data with this hash.
    pub(crate) fn new(origin: &'a Origin<'a>, input_sha256: &'a str) -> Self {
        Self {
            origin,
            input_sha256,
            hashes: Mutex::default(),
        }
    }

    /// The name of a variant: a hash of its text, the data, whatever else it reads, and the version of Bauta.
    pub(super) fn id(&self, variant: &Variant) -> String {
        let version = env!("CARGO_PKG_VERSION");
        let text = variant.text();
        let mut named = format!("{version}\n{}\n{text}", self.input_sha256);
        for file in self.others(variant) {
            named.push('\n');
            named.push_str(&self.hash(&file));
        }
        let mut id = Fingerprint::of_bytes(named.as_bytes()).sha256;
        id.truncate(ID_LETTERS);
        id
    }

    /// The files that a variant reads beside its data: hierarchies and totals.
    fn others(&self, variant: &Variant) -> Vec<PathBuf> {
        let surroundings = self.origin.surroundings;
        let data = variant.draft.data.file.as_ref();
        let data = data.map(|file| surroundings.path(file.value.as_str()));
        let mut files = files_read(&variant.draft, "", surroundings);
        files.retain(|file| Some(file) != data.as_ref());
        files
    }

    /// The hash of a file; what cannot be read has none, and the run will say so.
    fn hash(&self, file: &Path) -> String {
        let mut hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = hashes.entry(file.to_owned()).or_insert_with(|| {
            let print = File::open(file).and_then(Fingerprint::of);
            print.map_or_else(|_| String::new(), |print| print.sha256)
        });
        known.clone()
    }
}
