//! Parts of the internal report, for pages of others: the same words, figures and charts.
//!
//! They follow [`STYLE`](crate::STYLE), have neither style nor script of their own, and may stand several on one page:
//! their anchors are told apart by what the part says. Like the report, they are confidential.

use bauta_plan::RunRecord;
use maud::{Markup, html};

use crate::anchors::apart;
use crate::internal;
use crate::page::Section;

/// The outcome in one sentence, and what a reader could believe to have been judged and was not.
pub fn verdict(record: &RunRecord) -> Markup {
    internal::verdict(record)
}

/// The figures that a reader looks for first: risk before and after, what was removed, loss and verdict.
pub fn headline(record: &RunRecord) -> Markup {
    internal::headline(record)
}

/// All measures, with their charts and notes.
pub fn measures(record: &RunRecord) -> Markup {
    written(&internal::measures(record), &run(record))
}

/// What was done and why, and what steps show for themselves.
pub fn steps(record: &RunRecord) -> Markup {
    written(&internal::steps(record), &run(record))
}

/// What tells a run from others of the same plan, whose parts may say the same.
fn run(record: &RunRecord) -> String {
    let times = &record.times;
    let outcome = internal::verdict(record).into_string();
    format!("{} {} {outcome}", times.started, times.seconds)
}

/// Sections with their headings, of something that others are not of.
pub(crate) fn written(sections: &[Section], of: &str) -> Markup {
    apart(
        &html! { @for section in sections { (section.written()) } },
        of,
    )
}
