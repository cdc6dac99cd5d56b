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

mod all;
mod bergeat_2015;
mod compared;
mod mateo_sanz_2004;
mod pace;
mod page;
mod sebe_2002;
mod statements;
mod trial;
mod truta_2004;
mod yancey_2002;

pub use all::{ALL_INCOME_RECORDS, ALL_SEEDS, AllRequest, reproduce_all};
pub use compared::Compared;
pub use page::{index_page, page};

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
    /// Figures 1-3 on the paper's nine records; Figures 4-8 in form, on the demonstration survey.
    Bergeat2015,
}

impl Paper {
    /// All of them, in the order in which people are told.
    pub const ALL: [Self; 5] = [
        Self::Yancey2002,
        Self::MateoSanz2004,
        Self::Truta2004,
        Self::Sebe2002,
        Self::Bergeat2015,
    ];

    /// The names of all, in the same order.
    pub const IDS: [&'static str; 5] = [
        Self::ALL[0].id(),
        Self::ALL[1].id(),
        Self::ALL[2].id(),
        Self::ALL[3].id(),
        Self::ALL[4].id(),
    ];

    /// Its name on the command line and in `experiments/`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Yancey2002 => "yancey-2002",
            Self::MateoSanz2004 => "mateo-sanz-2004",
            Self::Truta2004 => "truta-2004",
            Self::Sebe2002 => "sebe-2002",
            Self::Bergeat2015 => "bergeat-2015",
        }
    }

    /// Its authors, its year and what is shown of it.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Yancey2002 => {
                "Yancey, Winkler and Creecy (2002): information loss and re-identification"
            }
            Self::MateoSanz2004 => {
                "Mateo-Sanz, Sebé and Domingo-Ferrer (2004): outliers against all records"
            }
            Self::Truta2004 => {
                "Truta, Fotouhi and Barth-Jones (2004): global disclosure risk of billing records"
            }
            Self::Sebe2002 => {
                "Sebé, Domingo-Ferrer, Mateo-Sanz and Torra (2002): post-masking optimisation"
            }
            Self::Bergeat2015 => "Bergeat (2015): subsampling and calibration",
        }
    }

    /// The reference files that it needs.
    pub const fn files(self) -> &'static [&'static str] {
        match self {
            Self::Yancey2002 | Self::Sebe2002 => &["census.csv"],
            Self::MateoSanz2004 => &["census.csv", "eia.csv"],
            Self::Truta2004 | Self::Bergeat2015 => &[],
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
    /// The paper.
    pub paper: Paper,
    /// How each table or figure compares, in the order of the paper.
    pub summary: Vec<Compared>,
    /// The text below the summary, in Markdown.
    pub body: String,
    /// Pictures that the text names.
    pub pictures: Vec<Picture>,
}

impl Reproduction {
    /// The whole text, in Markdown: heading, summary, and what was found.
    pub fn text(&self) -> String {
        let (heading, rest) = self.body.split_once("\n\n").unwrap_or((&self.body, ""));
        let summary = compared::summary_table(&self.summary);
        format!("{heading}\n\n{summary}\n{rest}")
    }
}

/// A picture of a reproduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    /// Its file name.
    pub name: String,
    /// The drawing.
    pub svg: String,
    /// Pictures of the same row stand side by side, as the paper's do.
    pub row: String,
    /// What its axes are, with their units.
    pub axes: String,
}

impl Picture {
    /// A drawing as a file of its own.
    fn new(name: String, svg: &str, row: impl Into<String>, axes: impl Into<String>) -> Self {
        let svg = svg.replacen("<svg ", "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 1);
        Self {
            name,
            svg: format!("{svg}\n"),
            row: row.into(),
            axes: axes.into(),
        }
    }
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
        Paper::Bergeat2015 => bergeat_2015::figures(watch)?,
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
