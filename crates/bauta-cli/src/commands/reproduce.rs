//! `bauta reproduce`: the tables and figures of the papers, published beside found.

use std::path::{Path, PathBuf};

use bauta_data::DataError;
use bauta_papers::{Paper, PaperError, Reproduction, Request};
use bauta_plan::output::{Access, Guard, write_files};

use crate::Outcome;
use crate::arguments::{Global, ReproduceArguments};
use crate::failure::Failure;
use crate::print::out;
use crate::progress::Progress;
use crate::recovery::recover_beside;

pub(crate) fn run(arguments: &ReproduceArguments, global: &Global) -> Result<Outcome, Failure> {
    let paper = Paper::of_id(&arguments.paper).ok_or_else(|| {
        Failure::mistake(
            format!("`{}` is not reproduced", arguments.paper),
            "the papers are yancey-2002, mateo-sanz-2004, truta-2004 and sebe-2002",
        )
    })?;
    let request = Request {
        paper,
        data: arguments.data.as_deref(),
        n_seeds: arguments.seeds,
        seed: arguments.seed,
        records: arguments.records as usize,
    };
    let progress = Progress::new(global.quiet || global.json);
    let found = bauta_papers::reproduce(&request, &progress).map_err(|error| match error {
        PaperError::NoData => Failure::mistake(
            error.to_string(),
            "give --data FOLDER, with the field's reference files",
        ),
        PaperError::Data(error) => error.into(),
        PaperError::Method(error) => error.into(),
    })?;
    drop(progress);
    match &arguments.output {
        Some(folder) => write(folder, &found, global)?,
        None => out!("{}", found.text),
    }
    Ok(Outcome::Fine)
}

fn write(folder: &Path, found: &Reproduction, global: &Global) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| DataError::io(folder, "make the folder", &error))?;
    let pictures = found.pictures.iter();
    let pictures = pictures.map(|(name, svg)| (folder.join(name), svg.as_bytes()));
    let text = (folder.join("README.md"), found.text.as_bytes());
    let files: Vec<(PathBuf, &[u8])> = pictures.chain([text]).collect();
    recover_beside([&files[0].0]);
    let guard = Guard::new::<&Path>([], global.replace());
    Ok(write_files(&files, Access::Usual, &guard)?)
}
