//! The report of a run: one HTML file that needs nothing else to be read, printed and signed.
//!
//! Everything comes from the [`RunRecord`]; this crate never recomputes a statistic. The external
//! version is written from an extract of the record that names every field that may be published,
//! so that a field that is added to the record stays inside until somebody decides otherwise.

mod anchors;
mod charts;
mod comparison;
mod csv;
mod document;
mod exhibits;
mod external;
mod figures;
mod glossary;
mod headline;
mod internal;
mod labels;
mod markdown;
mod measures;
mod number;
mod page;
mod params;
pub mod parts;
mod public;
mod residual;
mod small_picture;
pub mod svg;
mod sweep;
mod tabulated;
mod tune;
mod words;

use bauta_plan::RunRecord;
use bauta_plan::publish::Renderer;

pub use comparison::{Comparison, Run};
pub use csv::{CsvTable, csv_tables};
pub use document::{DOCUMENT_STYLE, Document, DocumentPicture, document};
pub use markdown::{markdown, markdown_with};
pub use number::{Unit, Written};
pub use page::STYLE;
pub use small_picture::small_picture;
pub use sweep::SweepPage;
pub use tune::TunePage;

/// Who reads the report.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Audience {
    /// The release committee. Holds the seed, the parameters and the risk figures.
    Internal,
    /// Users of the released file. Holds none of them.
    External,
}

/// The report of a run as one HTML file without scripts or links to anything outside it.
pub fn html(record: &RunRecord, audience: Audience) -> String {
    match audience {
        Audience::Internal => internal::report(record),
        Audience::External => external::report(&public::PublicRecord::of(record)),
    }
    .into_string()
}

/// Reports as HTML, for [`publish`](bauta_plan::publish::publish) and [`run`](bauta_plan::run::run).
#[derive(Clone, Copy, Debug, Default)]
pub struct HtmlRenderer;

impl Renderer for HtmlRenderer {
    fn internal(&self, record: &RunRecord) -> String {
        html(record, Audience::Internal)
    }

    fn external(&self, record: &RunRecord) -> String {
        html(record, Audience::External)
    }
}
