//! Several runs side by side: what each did, what it left, and every measure that they share.

mod json;
mod map;
mod page;
mod plans;
mod shared;

use bauta_plan::RunRecord;
use maud::Markup;

use crate::anchors::apart;
use crate::words::file_name;

/// One of several runs.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Its name at the head of its column.
    pub name: String,
    /// What it did and found.
    pub record: &'a RunRecord,
}

/// Several runs to be compared.
#[derive(Clone, Debug)]
pub struct Comparison<'a> {
    runs: Vec<Run<'a>>,
}

impl<'a> Comparison<'a> {
    /// Runs with the files that they were read from. A run is called by the title of its plan, or
    /// by its file; where two have the same title, by both.
    pub fn new(records: &[(&'a str, &'a RunRecord)]) -> Self {
        let title = |record: &'a RunRecord| record.plan.title.as_deref();
        let same_title = |record: &'a RunRecord| {
            let same = records
                .iter()
                .filter(|(_, other)| title(other) == title(record));
            same.count() > 1
        };
        let mut runs: Vec<Run<'a>> = Vec::new();
        for (file, record) in records {
            let file = file_name(file);
            let name = match title(record) {
                None => file.to_owned(),
                Some(title) if same_title(record) => format!("{title} ({file})"),
                Some(title) => title.to_owned(),
            };
            let n_same = runs.iter().filter(|run| run.name == name).count();
            runs.push(Run {
                name: if n_same > 0 {
                    format!("{name} ({})", runs.len() + 1)
                } else {
                    name
                },
                record,
            });
        }
        Self { runs }
    }

    /// The runs, in the order given.
    pub fn runs(&self) -> &[Run<'a>] {
        &self.runs
    }

    /// Whether all runs read the same bytes.
    pub fn same_input(&self) -> bool {
        let mut hashes = self.runs.iter().map(|run| &run.record.input.sha256);
        let first = hashes.next();
        hashes.all(|hash| Some(hash) == first)
    }

    /// One page without scripts or links to anything outside it. Confidential.
    pub fn html(&self) -> String {
        page::page_of(self).into_string()
    }

    /// The same for a page of others, without head and frame, and with what the plans say otherwise. Follows
    /// [`STYLE`](crate::STYLE); its anchors are its own. Confidential.
    pub fn sections(&self) -> Markup {
        page::fragment_of(self)
    }

    /// The map of risk and utility alone, each run a point with its name; none where fewer than two of the runs have a
    /// figure of risk and one of loss that all measured. Confidential.
    pub fn map(&self) -> Option<Markup> {
        map::map(&self.runs).map(|map| apart(&map, "map"))
    }

    /// The same as one object.
    pub fn json(&self) -> serde_json::Value {
        json::object(self)
    }
}
