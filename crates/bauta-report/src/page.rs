//! The page around the sections: head, style, title block, contents, foot.

use std::borrow::Cow;

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The style of all pages, for whoever puts parts of them on a page of its own.
pub const STYLE: &str = include_str!("page.css");
/// At the foot of every printed page of a report that must not leave the house.
const CONFIDENTIAL_FOOT: &str = "@page { @bottom-left { content: \"Confidential\"; \
    color: #a8201a; font: bold 8pt system-ui, sans-serif; } }";

/// A section of the page and its entry in the contents.
pub(crate) struct Section {
    /// Anchor; letters and hyphens.
    pub(crate) id: Cow<'static, str>,
    /// Heading.
    pub(crate) heading: Cow<'static, str>,
    /// What stands below the heading.
    pub(crate) body: Markup,
}

impl Section {
    pub(crate) fn new(
        id: impl Into<Cow<'static, str>>,
        heading: impl Into<Cow<'static, str>>,
        body: Markup,
    ) -> Self {
        Self {
            id: id.into(),
            heading: heading.into(),
            body,
        }
    }

    /// The section with its heading.
    pub(crate) fn written(&self) -> Markup {
        html! {
            section aria-labelledby=(self.id) {
                h2 id=(self.id) { (self.heading) }
                (self.body)
            }
        }
    }
}

/// What stands above the sections.
pub(crate) struct Front<'a> {
    /// Title of the page.
    pub(crate) title: &'a str,
    /// What kind of report it is.
    pub(crate) kind: &'a str,
    /// Handling mark of a confidential report.
    pub(crate) mark: Option<&'a str>,
    /// The title block below the heading.
    pub(crate) block: Markup,
}

/// The whole page.
pub(crate) fn page(front: &Front<'_>, sections: &[Section], foot: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                // Nothing is fetched and nothing runs, whatever a name in the data tries.
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'";
                @if front.mark.is_some() { meta name="robots" content="noindex"; }
                title { (front.title) " – " (front.kind) }
                style {
                    (PreEscaped(STYLE))
                    @if front.mark.is_some() { (PreEscaped(CONFIDENTIAL_FOOT)) }
                }
            }
            body {
                header {
                    @if let Some(mark) = front.mark { p class="mark" { (mark) } }
                    h1 { (front.title) }
                    p class="kind" { (front.kind) }
                    (front.block)
                }
                @if sections.len() > 3 { (contents(sections)) }
                main {
                    @for section in sections { (section.written()) }
                }
                footer { (foot) }
            }
        }
    }
}

fn contents(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Contents" {
            ol {
                @for section in sections {
                    li { a href={ "#" (section.id) } { (section.heading) } }
                }
            }
        }
    }
}

/// A table that scrolls in its own box where the screen is narrow.
pub(crate) fn scrolling(label: &str, table: &Markup) -> Markup {
    html! {
        div class="scroll" role="region" aria-label=(label) tabindex="0" { (table) }
    }
}

/// A long table that scrolls both ways in a box of its own, below its headings.
pub(crate) fn scrolling_tall(label: &str, table: &Markup) -> Markup {
    html! {
        div class="scroll tall" role="region" aria-label=(label) tabindex="0" { (table) }
    }
}

/// Rows of a name and what belongs to it.
pub(crate) fn facts(rows: &[(&str, Markup)]) -> Markup {
    html! {
        table class="facts" {
            tbody {
                @for (name, value) in rows {
                    tr { th scope="row" { (name) } td { (value) } }
                }
            }
        }
    }
}

/// Charts side by side where there is room.
pub(crate) fn chart_grid(figures: &[Markup]) -> Markup {
    html! {
        @if !figures.is_empty() {
            div class="charts" {
                @for figure in figures { (figure) }
            }
        }
    }
}

/// A SHA-256, which may break anywhere.
pub(crate) fn hash(sha256: &str) -> Markup {
    html! { code class="hash" { (sha256) } }
}
