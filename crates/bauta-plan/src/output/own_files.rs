//! Which files Bauta wrote: a list beside them that only their owner can read, and run records.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use bauta_data::Fingerprint;
use serde::{Deserialize, Serialize};

use super::folder_of;
use crate::check::real_place;

/// Name of the list in each folder that something was written to.
const LIST: &str = ".bauta-written";
/// What its format is called.
const FORMAT: &str = "bauta-written/1";
/// Versions of one file that are remembered: someone may put an earlier one back.
const MAX_VERSIONS: usize = 8;
/// Records that are looked at in a folder for the hash of a file.
const MAX_RECORDS: usize = 100;

/// The files of a folder that Bauta wrote, by their hashes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct OwnFiles {
    format: String,
    /// Hashes of each file by its name, the newest last.
    files: BTreeMap<String, Vec<String>>,
}

impl Default for OwnFiles {
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            files: BTreeMap::new(),
        }
    }
}

impl OwnFiles {
    /// The list of a folder; an empty one where there is none that can be read.
    pub(super) fn of_folder(folder: &Path) -> Self {
        let read = std::fs::read(Self::path(folder)).ok();
        let list = read.and_then(|bytes| serde_json::from_slice::<Self>(&bytes).ok());
        list.filter(|list| list.format == FORMAT)
            .unwrap_or_default()
    }

    /// Where the list of a folder is. In a folder that several people write to, each has one: nobody can
    /// read or replace another's.
    pub(super) fn path(folder: &Path) -> PathBuf {
        let usual = folder.join(LIST);
        match owner_if_another(&usual) {
            None => usual,
            Some(me) => folder.join(format!("{LIST}-{me}")),
        }
    }

    /// Adds a file.
    pub(super) fn add(&mut self, target: &Path, sha256: &str) {
        let versions = self.files.entry(name_of(target)).or_default();
        versions.retain(|known| known != sha256);
        versions.push(sha256.to_owned());
        let n_too_many = versions.len().saturating_sub(MAX_VERSIONS);
        versions.drain(..n_too_many);
    }

    /// The list as it is written.
    pub(super) fn to_json(&self) -> Vec<u8> {
        // A map of texts always has a spelling.
        let mut json = serde_json::to_vec_pretty(self).unwrap_or_default();
        json.push(b'\n');
        json
    }

    fn has(&self, target: &Path, sha256: &str) -> bool {
        let versions = self.files.get(&name_of(target));
        versions.is_some_and(|versions| versions.iter().any(|known| known == sha256))
    }
}

fn name_of(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Whether Bauta wrote this file, and nobody has changed it since.
pub(super) fn is_own(target: &Path) -> io::Result<bool> {
    let sha256 = Fingerprint::of(File::open(target)?)?.sha256;
    Ok(OwnFiles::of_folder(folder_of(target)).has(target, &sha256)
        || stands_in_a_record(target, &sha256))
}

/// The number of our user, if a file belongs to another one.
#[cfg(unix)]
fn owner_if_another(file: &Path) -> Option<u32> {
    use std::os::unix::fs::MetadataExt as _;
    let me = rustix::process::geteuid().as_raw();
    let owner = std::fs::symlink_metadata(file).ok()?.uid();
    (owner != me).then_some(me)
}

#[cfg(not(unix))]
fn owner_if_another(_file: &Path) -> Option<u32> {
    None
}

/// Whether a run record in the folder says that it wrote this file, and that it has this hash. A release that
/// nothing changed has the hash of its input, so that the hash alone says nothing.
fn stands_in_a_record(target: &Path, sha256: &str) -> bool {
    let place = real_place(target);
    let entries = std::fs::read_dir(folder_of(target));
    let entries = entries.into_iter().flatten().flatten();
    let records = entries.filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().ends_with(".record.json")
    });
    records.take(MAX_RECORDS).any(|entry| {
        let bytes = std::fs::read(entry.path()).unwrap_or_default();
        let record = serde_json::from_slice::<WrittenFiles>(&bytes);
        record.is_ok_and(|record| record.wrote(&place, sha256))
    })
}

/// What a run record says of the files that it read and wrote.
#[derive(Deserialize)]
struct WrittenFiles {
    input: NamedFile,
    released: Option<NamedFile>,
    #[serde(default)]
    reports: Vec<NamedFile>,
}

#[derive(Deserialize)]
struct NamedFile {
    file: PathBuf,
    sha256: String,
}

impl WrittenFiles {
    /// Whether one of its files may have this place and had this hash, and its input may not.
    fn wrote(&self, place: &Path, sha256: &str) -> bool {
        let mut written = self.released.iter().chain(&self.reports);
        written.any(|file| {
            let is_its = file.sha256 == sha256 && place.ends_with(&file.file);
            let length = |file: &NamedFile| file.file.components().count();
            let is_input = place.ends_with(&self.input.file) && length(&self.input) >= length(file);
            is_its && !is_input
        })
    }
}
