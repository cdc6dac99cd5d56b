//! `bauta reproduce`: the tables and figures of the papers, published beside found.

use std::path::Path;

use bauta_papers::{Paper, PaperError, Reproduction, Request};

use crate::Outcome;
use crate::arguments::{Global, ReproduceArguments};
use crate::failure::Failure;
use crate::progress::Progress;

pub(crate) fn run(arguments: &ReproduceArguments, global: &Global) -> Result<Outcome, Failure> {
    let paper = Paper::of_id(&arguments.paper).ok_or_else(|| {
        Failure::mistake(
            format!("`{}` is not reproduced", arguments.paper),
            "the papers are yancey-2002, mateo-sanz-2004 and truta-2004",
        )
    })?;
    let request = Request {
        paper,
        data: arguments.data.as_deref(),
        n_seeds: arguments.seeds,
        seed: arguments.seed,
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
        Some(folder) => write(folder, &found)?,
        None => println!("{}", found.text),
    }
    Ok(Outcome::Fine)
}

fn write(folder: &Path, found: &Reproduction) -> Result<(), Failure> {
    let save = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, text))
            .map_err(|error| {
                Failure::mistake(
                    format!("{}: {error}", path.display()),
                    "name a folder that can be written",
                )
            })
    };
    for (name, svg) in &found.pictures {
        save(name, svg)?;
    }
    save("README.md", &found.text)
}
