//! Running a record's plan again and comparing what comes out.

use std::path::{Path, PathBuf};

use bauta_data::format;

use crate::error::RunError;
use crate::execute::{Executed, RunOptions, execute_in};
use crate::plan::Plan;
use crate::publish::release_style;
use crate::record::{RunRecord, SeedSource};
use crate::recount::recount;
use crate::run::{read, stages_of};
use crate::stages::RunWatch;

/// One thing that a repeated run was compared on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    /// What was compared.
    pub what: String,
    /// Whether it is the same.
    pub same: bool,
    /// What differs, in words; without any figure of the data.
    pub detail: String,
}

impl Comparison {
    fn new(what: &str, same: bool, detail: impl Into<String>) -> Self {
        Self {
            what: what.to_owned(),
            same,
            detail: if same { String::new() } else { detail.into() },
        }
    }
}

/// Runs the plan of a record again, without writing anything, and compares.
///
/// `plan` is the record's own plan text, checked anew; `released` the released file as it lies on
/// the disk, if it is there.
pub fn verify(
    record: &RunRecord,
    plan: &Plan,
    released: Option<&Path>,
    watch: &dyn RunWatch,
) -> Result<Vec<Comparison>, RunError> {
    let mut stages = stages_of(plan, watch);
    let loaded = stages.time("read", || read(plan, watch))?;
    let mut found = vec![Comparison::new(
        "input file",
        loaded.fingerprint.sha256 == record.input.sha256,
        "its bytes are not those of the run; everything below may differ for that reason",
    )];
    // A seed that came from the command line or the input is not in the plan's text.
    let seed = (record.seed_source != SeedSource::Plan).then_some(record.seed);
    let executed = execute_in(plan, &loaded, RunOptions { seed }, &mut stages)?;
    let again = &executed.record;
    found.push(Comparison::new(
        "seed",
        again.seed == record.seed,
        "the plan gives another seed",
    ));
    found.push(Comparison::new(
        "notes on the data",
        again.notes == record.notes,
        "the data are read in another way; the version of Bauta may have changed",
    ));
    found.push(Comparison::new(
        "steps",
        again.steps == record.steps,
        differing(again, record),
    ));
    found.push(Comparison::new(
        "measures",
        again.measures == record.measures,
        "figures differ; the version of Bauta may have changed (see Results changed in its change log)",
    ));
    found.push(Comparison::new(
        "gates",
        again.gates == record.gates,
        "the verdict differs",
    ));
    found.extend(release_again(record, plan, &executed, watch)?);
    if let (Some(expected), Some(file)) = (&record.released, released) {
        found.push(on_disk(file, &expected.sha256));
    }
    Ok(found)
}

/// Makes the released file again, in memory, and counts its keys.
fn release_again(
    record: &RunRecord,
    plan: &Plan,
    executed: &Executed,
    watch: &dyn RunWatch,
) -> Result<Vec<Comparison>, RunError> {
    let (Some(expected), Some(release)) = (&record.released, &plan.output.release) else {
        return Ok(Vec::new());
    };
    let style = release_style(plan, release, executed.style);
    let (path, table) = (&release.file.path, &executed.released);
    let mut bytes = Vec::new();
    let print = format::write(&mut bytes, path, table, release.format, &style, watch)?;
    let mut found = Vec::new();
    if !executed.claims.is_empty() {
        let counted = recount(plan, path, style, table, &bytes, &executed.claims, watch)?;
        found.push(Comparison::new(
            "keys of the released file, counted again",
            counted == record.claims,
            "the count differs from the record",
        ));
    }
    found.push(Comparison::new(
        "released file, made again",
        print.sha256 == expected.sha256,
        "its hash differs from the record",
    ));
    Ok(found)
}

fn differing(again: &RunRecord, record: &RunRecord) -> String {
    let pairs = again.steps.iter().zip(&record.steps);
    let names: Vec<&str> = pairs
        .filter(|(a, b)| a != b)
        .map(|(a, _)| a.key.as_str())
        .collect();
    if names.is_empty() {
        "the number of steps differs".to_owned()
    } else {
        format!("these differ: {}", names.join(", "))
    }
}

fn on_disk(file: &Path, expected: &str) -> Comparison {
    let print = std::fs::File::open(file).and_then(bauta_data::Fingerprint::of);
    match print {
        Ok(print) => Comparison::new(
            "released file, on disk",
            print.sha256 == expected,
            "it was changed since the run",
        ),
        Err(error) => Comparison::new(
            "released file, on disk",
            false,
            format!("it cannot be read: {error}"),
        ),
    }
}

/// Where the released file of a record lies, if it is there.
pub fn released_path(record: &RunRecord, folder: &Path) -> Option<PathBuf> {
    let path = folder.join(&record.released.as_ref()?.file);
    path.is_file().then_some(path)
}
