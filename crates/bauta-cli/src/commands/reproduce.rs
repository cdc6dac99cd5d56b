//! `bauta reproduce`: the tables and figures of the papers, published beside found.

use std::path::{Path, PathBuf};

use bauta_data::DataError;
use bauta_papers::{
    ALL_INCOME_RECORDS, ALL_SEEDS, AllRequest, INCOME_RECORDS, Paper, PaperError, Reproduction,
    Request, index_page, page, reproduce, reproduce_all,
};
use bauta_plan::output::{Access, Guard, write_files};
use bauta_plan::run::RunWatch as _;

use crate::Outcome;
use crate::arguments::{ALL_PAPERS, Global, ReproduceArguments};
use crate::failure::Failure;
use crate::print::{out, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;

/// Seeds of one paper, unless they are given.
const SEEDS: u32 = 100;
/// Folder of all papers, unless it is given.
const FOLDER: &str = "papers";

pub(crate) fn run(arguments: &ReproduceArguments, global: &Global) -> Result<Outcome, Failure> {
    if arguments.paper == ALL_PAPERS {
        return run_all(arguments, global);
    }
    let paper = Paper::of_id(&arguments.paper).ok_or_else(|| {
        Failure::mistake(
            format!("`{}` is not reproduced", arguments.paper),
            format!("the papers are {}", Paper::IDS.join(", ")),
        )
    })?;
    let request = Request {
        paper,
        data: arguments.data.as_deref(),
        n_seeds: arguments.seeds.unwrap_or(SEEDS),
        seed: arguments.seed,
        records: arguments.records.map_or(INCOME_RECORDS, |n| n as usize),
    };
    let progress = Progress::new(global.quiet || global.json);
    progress.stage(paper.id(), 1, 1);
    let found = reproduce(&request, &progress).map_err(|error| failure(error, &[paper]))?;
    drop(progress);
    match &arguments.output {
        Some(folder) => write_one(folder, &found, global)?,
        None => out!("{}", found.text()),
    }
    Ok(Outcome::Fine)
}

fn failure(error: PaperError, papers: &[Paper]) -> Failure {
    match error {
        PaperError::NoData => no_data(papers),
        PaperError::Data(error) => error.into(),
        PaperError::Method(error) => error.into(),
    }
}

fn no_data(papers: &[Paper]) -> Failure {
    let needy = papers.iter().filter(|paper| !paper.files().is_empty());
    let needy: Vec<String> = needy
        .map(|paper| format!("{} needs {}", paper.id(), paper.files().join(" and ")))
        .collect();
    let free = Paper::ALL.iter().filter(|paper| paper.files().is_empty());
    let free: Vec<&str> = free.map(|paper| paper.id()).collect();
    Failure::mistake(
        format!(
            "no folder with the field's reference files was given: {}",
            needy.join(", ")
        ),
        format!(
            "give --data FOLDER with these files of the CASC project; {} need none",
            free.join(" and ")
        ),
    )
}

/// All papers: a page each, and an index.
fn run_all(arguments: &ReproduceArguments, global: &Global) -> Result<Outcome, Failure> {
    let request = AllRequest {
        data: (arguments.data.as_deref()).ok_or_else(|| no_data(&Paper::ALL))?,
        n_seeds: arguments.seeds.unwrap_or(ALL_SEEDS),
        seed: arguments.seed,
        records: arguments.records.map_or(ALL_INCOME_RECORDS, |n| n as usize),
    };
    let progress = Progress::new(global.quiet || global.json);
    let begun = |paper: Paper| {
        let number = Paper::ALL.iter().position(|&one| one == paper);
        progress.name(paper.id(), number.map_or(1, |at| at + 1), Paper::ALL.len());
    };
    let all =
        reproduce_all(&request, &progress, &begun).map_err(|error| failure(error, &Paper::ALL))?;
    drop(progress);
    let folder = arguments.output.as_deref();
    let folder = folder.unwrap_or_else(|| Path::new(FOLDER));
    let pages = all.iter().map(|found| {
        let name = format!("{}.html", found.paper.id());
        (folder.join(name), page(found))
    });
    let index = (
        folder.join("index.html"),
        index_page(&all, &made_by(&request)),
    );
    let files: Vec<(PathBuf, String)> = pages.chain([index]).collect();
    write(folder, &files, global)?;
    for found in &all {
        out!("{}", found.paper.id());
        for line in &found.summary {
            out!(
                "  {}: {} compared, {} matching, {} differing",
                line.table,
                line.counted(),
                line.matching,
                line.differing()
            );
        }
    }
    out!(
        "\nOpen {} in a browser.",
        folder.join("index.html").display()
    );
    Ok(Outcome::Fine)
}

/// How the pages were made, for the index.
fn made_by(request: &AllRequest<'_>) -> String {
    let (seeds, records) = (request.n_seeds, request.records);
    let mut text = format!(
        "Made by `bauta reproduce all --data FOLDER --seeds {seeds} --seed {} --records {records}`.",
        request.seed
    );
    if seeds < SEEDS || records < INCOME_RECORDS {
        text += &format!(
            " So few seeds and records take two or three minutes on two cores; `--seeds {SEEDS} --records {INCOME_RECORDS}` \
             gives means over more runs and an income file of the paper's size, and takes far longer."
        );
    }
    text
}

/// One paper: its page, its text and its pictures.
fn write_one(folder: &Path, found: &Reproduction, global: &Global) -> Result<(), Failure> {
    let pictures = found.pictures.iter();
    let pictures = pictures.map(|picture| (folder.join(&picture.name), picture.svg.clone()));
    let text = (folder.join("README.md"), found.text());
    let page_file = folder.join(format!("{}.html", found.paper.id()));
    let told = page_file.display().to_string();
    let both = [text, (page_file, page(found))];
    let files: Vec<(PathBuf, String)> = pictures.chain(both).collect();
    write(folder, &files, global)?;
    if !global.quiet {
        say!("wrote {told}, and its text and pictures beside it");
    }
    Ok(())
}

fn write(folder: &Path, files: &[(PathBuf, String)], global: &Global) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)
        .map_err(|error| DataError::io(folder, "make the folder", &error))?;
    let files: Vec<(PathBuf, &[u8])> = files
        .iter()
        .map(|(file, text)| (file.clone(), text.as_bytes()))
        .collect();
    recover_beside([&files[0].0]);
    let guard = Guard::new::<&Path>([], global.replace());
    Ok(write_files(&files, Access::Usual, &guard)?)
}
