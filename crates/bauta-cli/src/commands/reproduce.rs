//! `bauta reproduce`: the tables and figures of the papers, published beside found.

use std::fmt::Write as _;
use std::path::Path;

use bauta_data::format::{ReadOptions, read};
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Kind, Role, Schema, Table};

use crate::Outcome;
use crate::arguments::{Global, ReproduceArguments};
use crate::failure::Failure;
use crate::progress::Progress;

mod mateo_sanz_2004;
mod statements;
mod trial;
mod truta_2004;
mod yancey_2002;

/// What a reproduction gives.
struct Reproduction {
    /// The text, in Markdown.
    text: String,
    /// Pictures beside it: name and SVG.
    pictures: Vec<(String, String)>,
}

pub(crate) fn run(arguments: &ReproduceArguments, global: &Global) -> Result<Outcome, Failure> {
    let progress = Progress::new(global.quiet || global.json);
    let data = || {
        let hint = "give --data FOLDER, with the field's reference files";
        let missing = || Failure::mistake("this paper needs its reference data", hint);
        arguments.data.as_deref().ok_or_else(missing)
    };
    let found = match arguments.paper.as_str() {
        "yancey-2002" => {
            let census = load(&data()?.join("census.csv"), 0, &progress)?;
            yancey_2002::table_1(&census, arguments.seeds, &progress)?
        }
        "mateo-sanz-2004" => {
            let census = load(&data()?.join("census.csv"), 0, &progress)?;
            // The first five columns of EIA are identifiers (§4).
            let eia = load(&data()?.join("eia.csv"), 5, &progress)?;
            mateo_sanz_2004::figures(&census, &eia, arguments.seed, &progress)?
        }
        "truta-2004" => truta_2004::figures(arguments.seed, &progress)?,
        other => {
            return Err(Failure::mistake(
                format!("`{other}` is not reproduced"),
                "the papers are yancey-2002, mateo-sanz-2004 and truta-2004",
            ));
        }
    };
    drop(progress);
    match &arguments.output {
        Some(folder) => write(folder, &found)?,
        None => println!("{}", found.text),
    }
    Ok(Outcome::Fine)
}

/// Reads a reference file; every column from a position on is a continuous variable.
fn load(file: &Path, from: usize, progress: &Progress) -> Result<Table, Failure> {
    let names = bauta_data::format::column_names(file, &ReadOptions::default())?;
    let attributes = names
        .iter()
        .skip(from)
        .map(|name| Attribute::new(name, Role::Sensitive, Kind::Continuous));
    let options = ReadOptions {
        schema: Schema {
            attributes: attributes.collect(),
            ..Schema::default()
        },
        decimal: DecimalMark::Point,
        ..ReadOptions::default()
    };
    let table = read(file, &options, progress)?.table;
    let identifiers: Vec<usize> = (0..from).collect();
    Ok(table.without_columns(&identifiers))
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

/// A row of a Markdown table.
fn row(cells: &[String]) -> String {
    let mut out = String::from("|");
    for cell in cells {
        let _ = write!(out, " {cell} |");
    }
    out.push('\n');
    out
}

/// The heading of a Markdown table.
fn heading(cells: &[&str]) -> String {
    let names: Vec<String> = cells.iter().map(|&cell| cell.to_owned()).collect();
    row(&names) + &format!("|{}\n", "---|".repeat(cells.len()))
}
