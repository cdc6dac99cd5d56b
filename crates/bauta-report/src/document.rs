//! A text of our own as a page in the look of the reports: a few marks of Markdown, tables, and pictures inline.

pub(crate) mod inline;
pub(crate) mod table;

use maud::{Markup, PreEscaped, html};

use crate::page::{Front, Section, page};
use inline::{Marks, inline};
use table::table;

/// A text with pictures. What the marks of its Markdown do not know (headings, paragraphs, lists, tables, pictures;
/// code, emphasis, links to other pages) stands as it is.
#[derive(Clone, Debug)]
pub struct Document<'a> {
    /// Its title; a first heading of the text with the same words is left out.
    pub title: &'a str,
    /// What kind of page it is.
    pub kind: &'a str,
    /// What stands at its head, in Markdown.
    pub head: &'a str,
    /// The text, in Markdown.
    pub text: &'a str,
    /// Pictures that the text names.
    pub pictures: Vec<DocumentPicture<'a>>,
}

/// A picture of a document.
#[derive(Clone, Copy, Debug)]
pub struct DocumentPicture<'a> {
    /// The name by which the text has it.
    pub name: &'a str,
    /// The drawing, made by this crate.
    pub svg: &'a str,
    /// Pictures of the same row stand side by side.
    pub row: &'a str,
    /// What its axes are, with their units.
    pub axes: &'a str,
}

/// Charts in rows of three, tables of words on narrow screens (a block for each row), and tables of many columns on paper.
/// Pages of others that show [`markdown`](crate::markdown()) have it beside [`STYLE`](crate::STYLE).
pub const DOCUMENT_STYLE: &str = "\
.three { grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); }
.document td:last-child, .document th:last-child { min-width: 6rem; }
.document .words { min-width: 14rem; }
.document thead .number { white-space: normal; }
@media screen and (max-width: 40rem) {
  .document .scroll > .stacked { min-width: 0; }
  .document .scroll:has(> .stacked)::before { display: none; }
  .document .stacked, .stacked tbody, .stacked tr, .stacked td { display: block; width: auto; min-width: 0; }
  .stacked thead { display: none; }
  .stacked tr { padding: .5rem 0; border-bottom: 1px solid var(--rule); }
  .document .stacked td { padding: .1rem 0; border: 0; min-width: 0; text-align: left; white-space: normal; }
  .stacked td:first-child { font-weight: 600; }
  .stacked td:not(:first-child)::before { content: attr(data-label) \": \"; color: var(--soft); }
}
@media print {
  .three { grid-template-columns: 1fr 1fr 1fr; gap: .8rem; }
  .document .words { min-width: 0; }
  .document td:last-child, .document th:last-child { min-width: 0; }
  .many { font-size: .72rem; } .many th, .many td { padding: .15rem .2rem; font-size: inherit; }
  .most { font-size: .58rem; } .most th, .most td { padding: .12rem .12rem; font-size: inherit; }
}";

/// The page as one HTML file without scripts or anything outside it.
pub fn document(document: &Document<'_>) -> String {
    let mut sections = Vec::new();
    let mut opening: Vec<Markup> = Vec::new();
    let mut current: Option<(String, Vec<Markup>)> = None;
    let blocks = blocks(document.text);
    let mut rest = blocks.as_slice();
    while let Some((block, after)) = rest.split_first() {
        rest = after;
        let markup = match block {
            Block::Heading(1 | 2, words) if *words == document.title => continue,
            Block::Heading(1 | 2, words) => {
                sections.extend(
                    current
                        .take()
                        .map(|section| closed(section, sections.len())),
                );
                current = Some(((*words).to_owned(), Vec::new()));
                continue;
            }
            Block::Picture { .. } => {
                let n_more = after
                    .iter()
                    .take_while(|other| goes_on(block, other, document));
                let n_more = n_more.count();
                rest = &after[n_more..];
                let row = std::iter::once(block).chain(&after[..n_more]);
                row_of_pictures(row, document)
            }
            other => written(other),
        };
        match &mut current {
            Some((_, body)) => body.push(markup),
            None => opening.push(markup),
        }
    }
    sections.extend(current.map(|section| closed(section, sections.len())));
    let head = blocks_written(document.head);
    let block = html! {
        div class="document" { (head) @for markup in &opening { (markup) } }
    };
    let front = Front {
        title: document.title,
        kind: document.kind,
        mark: None,
        block,
    };
    let foot = html! { "Written by Bauta " (env!("CARGO_PKG_VERSION")) "." };
    let page = page(&front, &sections, &foot).into_string();
    // Behind the style of all pages, of which there is one.
    page.replacen("</style>", &format!("{DOCUMENT_STYLE}</style>"), 1)
}

fn closed((heading, body): (String, Vec<Markup>), position: usize) -> Section {
    let body = html! { div class="document" { @for markup in &body { (markup) } } };
    Section::new(format!("part-{}", position + 1), heading, body)
}

fn blocks_written(text: &str) -> Markup {
    html! { @for block in blocks(text) { (written(&block)) } }
}

/// A piece of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Block<'t> {
    Heading(usize, &'t str),
    Paragraph(String),
    Items(Vec<&'t str>),
    Table(Vec<&'t str>),
    Picture { title: &'t str, name: &'t str },
}

/// The pieces of a text.
fn blocks(text: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let mut follows = false;
    for line in text.lines() {
        let line = line.trim_end();
        let n_marks = line.chars().take_while(|&mark| mark == '#').count();
        match found.last_mut() {
            _ if line.is_empty() => {
                follows = false;
                continue;
            }
            Some(Block::Table(lines)) if follows && line.starts_with('|') => lines.push(line),
            Some(Block::Items(items)) if line.starts_with("- ") => items.push(&line[2..]),
            Some(Block::Paragraph(words)) if follows && !line.starts_with(['|', '#', '!']) => {
                words.push(' ');
                words.push_str(line);
            }
            _ if line.starts_with('|') => found.push(Block::Table(vec![line])),
            _ if line.starts_with("- ") => found.push(Block::Items(vec![&line[2..]])),
            _ if (1..=4).contains(&n_marks) && line[n_marks..].starts_with(' ') => {
                found.push(Block::Heading(n_marks, line[n_marks..].trim()));
            }
            _ => found.push(picture_of(line).unwrap_or_else(|| Block::Paragraph(line.to_owned()))),
        }
        follows = true;
    }
    found
}

fn picture_of(line: &str) -> Option<Block<'_>> {
    let (title, name) = line
        .strip_prefix("![")?
        .strip_suffix(')')?
        .split_once("](")?;
    Some(Block::Picture { title, name })
}

fn written(block: &Block<'_>) -> Markup {
    match block {
        Block::Heading(_, words) => html! { h3 { (inline(words)) } },
        Block::Paragraph(words) => html! { p { (inline(words)) } },
        Block::Items(items) => html! { ul { @for item in items { li { (inline(item)) } } } },
        Block::Table(lines) => table(lines, &Marks::PLAIN),
        // Pictures are taken by rows.
        Block::Picture { title, .. } => html! { p { (title) } },
    }
}

fn picture<'d>(block: &Block<'_>, document: &'d Document<'_>) -> Option<&'d DocumentPicture<'d>> {
    let Block::Picture { name, .. } = block else {
        return None;
    };
    let mut pictures = document.pictures.iter();
    pictures.find(|picture| picture.name == *name)
}

/// Whether a block is a picture of the same row as another.
fn goes_on(first: &Block<'_>, other: &Block<'_>, document: &Document<'_>) -> bool {
    let [first, other] = [first, other].map(|block| picture(block, document));
    first.is_some_and(|first| other.is_some_and(|other| first.row == other.row))
}

fn row_of_pictures<'b>(
    row: impl Iterator<Item = &'b Block<'b>>,
    document: &Document<'_>,
) -> Markup {
    let drawn: Vec<Markup> = row
        .filter_map(|block| {
            let Block::Picture { title, .. } = block else {
                return None;
            };
            let picture = picture(block, document)?;
            Some(html! {
                figure {
                    figcaption { (title) small { (picture.axes) } }
                    (PreEscaped(picture.svg))
                }
            })
        })
        .collect();
    let class = if drawn.len() == 3 {
        "charts three"
    } else {
        "charts"
    };
    html! { div class=(class) { @for figure in &drawn { (figure) } } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(text: &str) -> String {
        document(&Document {
            title: "Title",
            kind: "kind",
            head: "| a | why |\n|---|---|\n| 1 | b |\n",
            text,
            pictures: vec![DocumentPicture {
                name: "x.svg",
                svg: "<svg></svg>",
                row: "1",
                axes: "Up: a share.",
            }],
        })
    }

    #[test]
    fn headings_make_sections_and_the_title_is_said_once() {
        let html = page_of(
            "# Title\n\nOne\ntwo.\n\n## Part <1>\n\n- a\n- `b`\n\n### Smaller\n\n![X](x.svg)\n",
        );
        assert_eq!(html.matches(">Title</h1>").count(), 1);
        assert!(html.contains("<p>One two.</p>"), "{html}");
        assert!(html.contains("Part &lt;1&gt;</h2>"), "{html}");
        assert!(html.contains("<li>a</li><li><code>b</code></li>"), "{html}");
        assert!(html.contains("<h3>Smaller</h3>"), "{html}");
        assert!(html.contains("<figcaption>X<small>Up: a share.</small></figcaption><svg>"));
    }

    #[test]
    fn text_that_looks_like_markup_stays_text() {
        let html = page_of("A <script> & 0.096* and 5 * 3 * 2.\n");
        assert!(
            html.contains("A &lt;script&gt; &amp; 0.096* and 5 * 3 * 2."),
            "{html}"
        );
    }
}
