//! Papers of the field: their tables and figures, published beside found, and their sentences, tested.
//!
//! A user of Bauta needs none of this; those who ask whether its figures can be trusted do. So it is a
//! crate apart, which builds on methods and charts as any caller would and on nothing of the command line.

use std::fmt::Write as _;
use std::path::Path;

use bauta_data::format::{ReadOptions, read};
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, DataError, Kind, Role, Schema, Table, Watch};
use bauta_methods::MethodError;

mod mateo_sanz_2004;
mod sebe_2002;
mod statements;
mod trial;
mod truta_2004;
mod yancey_2002;

/// A paper that is reproduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Paper {
    /// Tables 1-3: information loss and re-identification of masked CENSUS files; Tables 4-9 in form, on a
    /// generated income file.
    Yancey2002,
    /// Figures 1-10: masks on CENSUS and EIA, outliers against all.
    MateoSanz2004,
    /// Figures 4.1-4.3: global disclosure risk of simulated records.
    Truta2004,
    /// Tables 1 and 2: post-masking optimisation of two masked CENSUS files; §5.
    Sebe2002,
}

impl Paper {
    /// All of them, in the order in which people are told.
    pub const ALL: [Self; 4] = [
        Self::Yancey2002,
        Self::MateoSanz2004,
        Self::Truta2004,
        Self::Sebe2002,
    ];

    /// Its name on the command line and in `experiments/`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Yancey2002 => "yancey-2002",
            Self::MateoSanz2004 => "mateo-sanz-2004",
            Self::Truta2004 => "truta-2004",
            Self::Sebe2002 => "sebe-2002",
        }
    }

    /// The paper of a name.
    pub fn of_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|paper| paper.id() == id)
    }
}

/// How a paper is to be reproduced.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// Which one.
    pub paper: Paper,
    /// Folder with the field's reference files, for the papers that use them.
    pub data: Option<&'r Path>,
    /// Seeds to mask under, for tables of random masks.
    pub n_seeds: u32,
    /// Seed, for figures of one run.
    pub seed: u64,
    /// Records of a generated income file; those of the paper's are [`INCOME_RECORDS`].
    pub records: usize,
}

/// Records of the income file of Yancey, Winkler and Creecy (2002).
pub const INCOME_RECORDS: usize = yancey_2002::PAPER_RECORDS;

/// What a reproduction gives.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// The text, in Markdown.
    pub text: String,
    /// Pictures beside it: name and SVG.
    pub pictures: Vec<(String, String)>,
}

/// Why a paper could not be reproduced.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// The paper works on reference files and no folder was given.
    #[error("this paper needs its reference data")]
    NoData,
    /// A reference file cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A method failed.
    #[error(transparent)]
    Method(#[from] MethodError),
}

/// Reproduces a paper.
pub fn reproduce(request: &Request, watch: &dyn Watch) -> Result<Reproduction, PaperError> {
    let data = || request.data.ok_or(PaperError::NoData);
    let found = match request.paper {
        Paper::Yancey2002 => {
            let census = load(&data()?.join("census.csv"), 0, watch)?;
            yancey_2002::tables(&census, request, watch)?
        }
        Paper::MateoSanz2004 => {
            let census = load(&data()?.join("census.csv"), 0, watch)?;
            // The first five columns of EIA are identifiers (§4).
            let eia = load(&data()?.join("eia.csv"), 5, watch)?;
            mateo_sanz_2004::figures(&census, &eia, request.seed, watch)?
        }
        Paper::Truta2004 => truta_2004::figures(request.seed, watch)?,
        Paper::Sebe2002 => {
            let census = load(&data()?.join("census.csv"), 0, watch)?;
            sebe_2002::tables(&census, request.n_seeds, watch)?
        }
    };
    Ok(found)
}

/// Reads a reference file; every column from a position on is a continuous variable.
fn load(file: &Path, from: usize, watch: &dyn Watch) -> Result<Table, DataError> {
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
        decimal: Some(DecimalMark::Point),
        ..ReadOptions::default()
    };
    let table = read(file, &options, watch)?.table;
    let identifiers: Vec<usize> = (0..from).collect();
    Ok(table.without_columns(&identifiers))
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
