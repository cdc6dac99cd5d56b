//! A text of ours in Markdown as a part of a page: methods' pages beside forms, the grammar of plans.
//!
//! Headings, paragraphs, lists within lists, tables, blocks of code, and the marks of lines. Whatever it is not, stays text.

use maud::{Markup, html};

use crate::document::inline::{Marks, inline_with};
use crate::document::table::table;

/// Lists and blocks within lists up to this depth; beyond, lines are text.
const DEEPEST: usize = 8;
/// What begins and ends a block of code.
const FENCE: &str = "```";

/// A text as HTML; its links are words.
pub fn markdown(text: &str) -> Markup {
    markdown_with(text, &|_| None)
}

/// The same, with links that lead where `link` says of what they name, such as `rank_swap.md`; where it says nothing, they
/// are words. Headings begin with `h2`. Follows [`STYLE`](crate::STYLE) and [`DOCUMENT_STYLE`](crate::DOCUMENT_STYLE).
pub fn markdown_with(text: &str, link: &dyn Fn(&str) -> Option<String>) -> Markup {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let marks = Marks::linked(link);
    html! { div class="document" { @for block in blocks(&lines, 0) { (written(&block, &marks)) } } }
}

/// A piece of a text.
#[derive(Clone, PartialEq, Debug)]
enum Block<'t> {
    Heading(usize, &'t str),
    Paragraph(String),
    List(Numbers, Vec<Vec<Block<'t>>>),
    Table(Vec<&'t str>),
    Code(String),
}

/// Whether the items of a list are numbered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Numbers {
    None,
    From(u32),
}

/// The mark of an item: what kind of list it is of, and how many letters it takes.
fn item_mark(line: &str) -> Option<(Numbers, usize)> {
    if line.starts_with("- ") || line.starts_with("* ") {
        return Some((Numbers::None, 2));
    }
    let (number, _) = line.split_once(". ")?;
    let is_number =
        (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    let first = number.parse().ok().filter(|_| is_number)?;
    Some((Numbers::From(first), number.len() + 2))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|&mark| mark == b'#').count();
    let words = line.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then(|| (level, words.trim()))
}

/// Whether a line begins something other than a paragraph.
fn begins(line: &str) -> bool {
    line.starts_with('|')
        || line.starts_with(FENCE)
        || heading(line).is_some()
        || item_mark(line).is_some()
}

/// The pieces of some lines.
fn blocks<'t>(lines: &[&'t str], depth: usize) -> Vec<Block<'t>> {
    let mut found = Vec::new();
    let mut rest = lines;
    while let Some((&line, after)) = rest.split_first() {
        let n_lines = if line.is_empty() {
            1
        } else if line.starts_with(FENCE) {
            let inner = after
                .iter()
                .take_while(|line| !line.starts_with(FENCE))
                .count();
            found.push(Block::Code(after[..inner].join("\n")));
            // Without an end, all that follows is code.
            (inner + 2).min(rest.len())
        } else if let Some((level, words)) = heading(line) {
            found.push(Block::Heading(level, words));
            1
        } else if line.starts_with('|') {
            let n_lines = rest.iter().take_while(|line| line.starts_with('|')).count();
            found.push(Block::Table(rest[..n_lines].to_vec()));
            n_lines
        } else if let Some((numbers, _)) = item_mark(line).filter(|_| depth < DEEPEST) {
            let (items, n_lines) = items(rest, numbers, depth);
            found.push(Block::List(numbers, items));
            n_lines
        } else {
            let goes_on = |line: &&&str| !line.is_empty() && !begins(line);
            let n_lines = 1 + after.iter().take_while(goes_on).count();
            let words = rest[..n_lines].iter().map(|line| line.trim());
            found.push(Block::Paragraph(words.collect::<Vec<_>>().join(" ")));
            n_lines
        };
        rest = &rest[n_lines..];
    }
    found
}

/// The items of the list that begins, and how many lines they take.
fn items<'t>(lines: &[&'t str], numbers: Numbers, depth: usize) -> (Vec<Vec<Block<'t>>>, usize) {
    let is_same_kind = |other: Numbers| {
        matches!(
            (numbers, other),
            (Numbers::None, Numbers::None) | (Numbers::From(_), Numbers::From(_))
        )
    };
    let (mut items, mut at) = (Vec::new(), 0);
    while let Some((_, width)) = lines
        .get(at)
        .and_then(|line| item_mark(line))
        .filter(|(other, _)| is_same_kind(*other))
    {
        let mut inner = vec![&lines[at][width..]];
        at += 1;
        while let Some(line) = lines.get(at) {
            let indented = line.bytes().take_while(|&byte| byte == b' ').count();
            let next = lines.get(at + 1);
            let goes_on = if line.is_empty() {
                // A blank line is within the item where what follows it is indented.
                next.is_some_and(|next| next.starts_with("  "))
            } else {
                indented >= 2 || !begins(line) && !lines[at - 1].is_empty()
            };
            if !goes_on {
                break;
            }
            inner.push(&line[indented.min(width)..]);
            at += 1;
        }
        items.push(blocks(&inner, depth + 1));
        // Items may stand apart.
        let is_next = |line: &&str| item_mark(line).is_some_and(|(other, _)| is_same_kind(other));
        if lines.get(at).is_some_and(|line| line.is_empty())
            && lines.get(at + 1).is_some_and(is_next)
        {
            at += 1;
        }
    }
    (items, at)
}

fn written(block: &Block<'_>, marks: &Marks<'_>) -> Markup {
    let inline = |text: &str| inline_with(text, marks);
    match block {
        Block::Heading(1, words) => html! { h2 { (inline(words)) } },
        Block::Heading(2, words) => html! { h3 { (inline(words)) } },
        Block::Heading(_, words) => html! { h4 { (inline(words)) } },
        Block::Paragraph(words) => html! { p { (inline(words)) } },
        Block::Code(lines) => html! { pre { code { (lines) } } },
        Block::Table(lines) => table(lines, marks),
        Block::List(Numbers::None, items) => {
            html! { ul { @for item in items { (written_item(item, marks)) } } }
        }
        Block::List(Numbers::From(first), items) => {
            let start = Some(*first).filter(|first| *first != 1);
            html! { ol start=[start] { @for item in items { (written_item(item, marks)) } } }
        }
    }
}

fn written_item(item: &[Block<'_>], marks: &Marks<'_>) -> Markup {
    // Words alone are no paragraph.
    let (words, rest) = match item {
        [Block::Paragraph(words), rest @ ..] => (Some(words), rest),
        rest => (None, rest),
    };
    html! {
        li {
            @if let Some(words) = words { (inline_with(words, marks)) }
            @for block in rest { (written(block, marks)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use bauta_methods::registry;
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str) -> String {
        let html = markdown(text).into_string();
        let inner = html.strip_prefix("<div class=\"document\">").unwrap();
        inner.strip_suffix("</div>").unwrap().to_owned()
    }

    #[test]
    fn blocks_are_told_apart() {
        let html = of(
            "# Title\n\n## What it does\nOne\ntwo `a*b*`.\n\n```text\nx <- 1\n\n- no list\n```\n- a\n  b\n- c\n\n3. d\n4. e\n",
        );
        assert_eq!(
            html,
            "<h2>Title</h2><h3>What it does</h3><p>One two <code>a*b*</code>.</p>\
             <pre><code>x &lt;- 1\n\n- no list</code></pre><ul><li>a b</li><li>c</li></ul>\
             <ol start=\"3\"><li>d</li><li>e</li></ol>"
        );
    }

    #[test]
    fn lists_and_emphasis_may_hold_others() {
        assert_eq!(
            of("- a\n  - b\n    1. c\n- **d *e* `f`**\n\n  g\n"),
            "<ul><li>a<ul><li>b<ol><li>c</li></ol></li></ul></li>\
             <li><strong>d <em>e</em> <code>f</code></strong><p>g</p></li></ul>"
        );
    }

    #[test]
    fn links_lead_where_they_are_said_to() {
        let text = "See [*rank* swap](rank_swap.md), [that](https://a.b/c.html) and `[mateo2004]`.";
        let link = |page: &str| {
            page.strip_suffix(".md")
                .map(|id| format!("/methods/{id}?a&b"))
        };
        let html = markdown_with(text, &link).into_string();
        assert!(
            html.contains(
                "See <a href=\"/methods/rank_swap?a&amp;b\"><em>rank</em> swap</a>, that and <code>[mateo2004]</code>."
            ),
            "{html}"
        );
        assert!(!markdown(text).into_string().contains("<a "));
    }

    #[test]
    fn every_page_of_a_method_is_told_whole() {
        let words = |text: &str| -> String {
            text.chars()
                .filter(|letter| letter.is_alphanumeric())
                .collect()
        };
        for card in registry::cards() {
            let html = markdown(card.page).into_string();
            for heading in ["What it does", "Parameters", "References"] {
                assert!(
                    html.contains(&format!("<h3>{heading}</h3>")),
                    "{}: {heading}",
                    card.id
                );
            }
            for never in [
                "```", "|---", "<p># ", "<p>| ", "<p>- ", " style=", "<script",
            ] {
                assert!(!html.contains(never), "{}: {never}", card.id);
            }
            // Every letter of the page stands in the text, in its order but for the tags.
            let mut text = String::new();
            for piece in html.split('<') {
                text.push_str(piece.split_once('>').map_or(piece, |(_, after)| after));
            }
            let text = ["&lt;", "&gt;", "&amp;", "&quot;"]
                .iter()
                .fold(text, |text, entity| text.replace(entity, ""));
            let page = words(card.page.replace("```text", "").as_str());
            let numbers = |text: &str| -> String {
                text.chars()
                    .filter(|letter| !letter.is_ascii_digit())
                    .collect()
            };
            assert_eq!(numbers(&words(&text)), numbers(&page), "{}", card.id);
        }
    }

    proptest! {
        #[test]
        fn whatever_the_text_it_is_safe_markup(text in "([-#|`* \\[\\](){}<>&\"'a1.\n]{0,4}(- |1\\. |  |```|\n)){0,30}") {
            let html = markdown_with(&text, &|page| Some(page.to_owned())).into_string();
            // Tags are ours, each closed in its order.
            let mut open: Vec<&str> = Vec::new();
            for piece in html.split('<').skip(1) {
                let (tag, after) = piece.split_once('>').expect("a tag ends");
                prop_assert!(!after.contains('>'));
                match tag.strip_prefix('/') {
                    Some(name) => prop_assert_eq!(open.pop(), Some(name)),
                    None => open.push(tag.split(' ').next().unwrap()),
                }
            }
            prop_assert!(open.is_empty());
            let known = ["div", "h2", "h3", "h4", "p", "ul", "ol", "li", "pre", "code", "strong", "em", "a", "table", "thead",
                "tbody", "tr", "th", "td"];
            for piece in html.split('<').skip(1).filter(|piece| !piece.starts_with('/')) {
                let name = piece.split([' ', '>']).next().unwrap();
                prop_assert!(known.contains(&name), "{}", name);
            }
        }
    }
}
