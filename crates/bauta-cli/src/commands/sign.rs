//! `bauta sign`: a signature that lets others trust a record.

use bauta_plan::sign::{sign, sign_with_new_key};
use bauta_plan::verify::RecordPlaces;
use bauta_plan::work::read_record;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, SignArguments};
use crate::failure::Failure;
use crate::print::{object, out};
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &SignArguments, global: &Global) -> Result<Outcome, Failure> {
    recover_beside([&arguments.record, &arguments.key]);
    let record = read_record(&arguments.record)?;
    let given = arguments.folder.clone();
    let places = match &given {
        Some(folder) => RecordPlaces::in_folder(folder),
        None => RecordPlaces::of_record(&record, &arguments.record),
    };
    let (file, key, replace) = (&arguments.record, &arguments.key, global.replace());
    let (signature, public_key) = if arguments.new_key {
        let (signature, public_key) = sign_with_new_key(file, key, &places, replace)?;
        (signature, Some(public_key))
    } else {
        (sign(file, key, &places, replace)?, None)
    };
    if global.json {
        let public_key = public_key.map(|file| file.display().to_string());
        let signature = signature.display().to_string();
        object(&json!({ "signature": signature, "public_key": public_key }));
        return Ok(Outcome::Fine);
    }
    if let Some(public_key) = public_key {
        out!(
            "made a key: {} (secret, for those who sign), {} (for those who check)",
            arguments.key.display(),
            public_key.display()
        );
    }
    out!("signed:   {}", arguments.record.display());
    let covered = record.released.iter().map(|file| &file.file);
    let covered = covered.chain(record.reports.iter().map(|report| &report.file));
    for file in covered {
        out!("covers:   {file}");
    }
    if record.released.is_none() {
        out!("          no file was released by this run");
    }
    out!("wrote {}", signature.display());
    Ok(Outcome::Fine)
}
