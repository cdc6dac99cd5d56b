//! Records of variants on the disk: written as soon as a variant is finished, found by the next sweep.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use bauta_data::{DataError, Fingerprint};
use serde::{Deserialize, Serialize};

use super::grid::Variant;
use super::make_folder;
use super::name::Names;
use super::outcome::{Ran, VariantOutcome, figures_of};
use crate::error::RunError;
use crate::output::{Access, Guard, write_file};
use crate::publish::record_json;
use crate::record::RunRecord;

/// What a variant leaves that could not be run.
#[derive(Serialize, Deserialize)]
struct FailureRecord {
    format: String,
    bauta_version: String,
    plan_sha256: String,
    input_sha256: String,
    reason: String,
}

const FAILURE_FORMAT: &str = "bauta-sweep-failure/1";

/// Keeps the records of variants of one file of data.
pub(crate) struct Keeper<'a> {
    folder: &'a Path,
    guard: &'a Guard,
    names: Names<'a>,
    /// Files of one folder are published one after the other.
    writing: Mutex<()>,
}

impl<'a> Keeper<'a> {
    /// A keeper of records in a folder, which is made if it is not there.
    pub(crate) fn new(
        folder: &'a Path,
        guard: &'a Guard,
        names: Names<'a>,
    ) -> Result<Self, DataError> {
        make_folder(folder)?;
        Ok(Self {
            folder,
            guard,
            names,
            writing: Mutex::new(()),
        })
    }

    /// What an earlier sweep kept of a variant: the same plan on the same files by the same version.
    pub(crate) fn found(&self, variant: &Variant) -> Option<VariantOutcome> {
        let text = variant.text();
        let plan_sha256 = Fingerprint::of_bytes(text.as_bytes()).sha256;
        let id = self.names.id(variant);
        let [record, failure] = self.files(&id);
        let is_this = |version: &str, plan: &str, input: &str| {
            version == env!("CARGO_PKG_VERSION")
                && plan == plan_sha256
                && input == self.names.input_sha256
        };
        let record = std::fs::read(record).ok();
        let record = record.and_then(|bytes| RunRecord::read(&bytes).ok());
        let record = record.filter(|record| {
            let (plan, input) = (&record.plan.sha256, &record.input.sha256);
            is_this(&record.bauta_version, plan, input) && record.plan.text == text
        });
        if let Some(record) = record {
            let found = Ok(Box::new(figures_of(record)));
            return Some(VariantOutcome { id, found });
        }
        let bytes = std::fs::read(failure).ok()?;
        let failure: FailureRecord = serde_json::from_slice(&bytes).ok()?;
        let (plan, input) = (&failure.plan_sha256, &failure.input_sha256);
        let is_valid = failure.format == FAILURE_FORMAT;
        (is_valid && is_this(&failure.bauta_version, plan, input)).then(|| VariantOutcome {
            id,
            found: Err(failure.reason),
        })
    }

    /// Whether the records of these variants may be written; before hours of work, not after them.
    pub(crate) fn check(&self, variants: &[&Variant]) -> Result<(), DataError> {
        let ids = variants.iter();
        let ids = ids.map(|variant| self.names.id(variant));
        let files: Vec<PathBuf> = ids.flat_map(|id| self.files(&id)).collect();
        let there = files.iter().filter(|file| file.exists());
        let there: Vec<&Path> = there.map(PathBuf::as_path).collect();
        self.guard.check(&there)
    }

    /// Keeps what came of a variant, but for a failure that another try may not meet.
    pub(crate) fn keep(&self, variant: &Variant, ran: Ran) -> Result<VariantOutcome, RunError> {
        let text = variant.text();
        let id = self.names.id(variant);
        let [record_file, failure_file] = self.files(&id);
        let (file, bytes) = match &ran {
            Ok(record) => (record_file, record_json(record)?),
            Err(failed) if !failed.lasts => return Ok(VariantOutcome::of(id, ran)),
            Err(failed) => {
                let failure = FailureRecord {
                    format: FAILURE_FORMAT.to_owned(),
                    bauta_version: env!("CARGO_PKG_VERSION").to_owned(),
                    plan_sha256: Fingerprint::of_bytes(text.as_bytes()).sha256,
                    input_sha256: self.names.input_sha256.to_owned(),
                    reason: failed.reason.clone(),
                };
                let json = serde_json::to_vec_pretty(&failure);
                let json = json.map_err(|error| RunError::NotWritten {
                    what: "reason of a failure",
                    reason: error.to_string(),
                })?;
                (failure_file, json)
            }
        };
        let writing = self.writing.lock();
        let _writing = writing.unwrap_or_else(PoisonError::into_inner);
        write_file(&file, &bytes, Access::OwnerOnly, self.guard)?;
        Ok(VariantOutcome::of(id, ran))
    }

    /// Where the record of a variant is, or the reason why there is none.
    fn files(&self, id: &str) -> [PathBuf; 2] {
        ["record", "failed"].map(|what| self.folder.join(format!("{id}.{what}.json")))
    }
}
