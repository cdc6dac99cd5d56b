//! Marks within a line: code, strong, emphasis, links to pages beside this one.

use maud::{Markup, html};

/// A line with its marks as markup.
pub(super) fn inline(text: &str) -> Markup {
    let mut rest = text;
    let mut parts: Vec<Markup> = Vec::new();
    let mut plain = String::new();
    while let Some(first) = rest.chars().next() {
        let before = plain.chars().next_back();
        let marked = match first {
            '`' => enclosed(rest, "`").map(|(inner, after)| (html! { code { (inner) } }, after)),
            '[' => link(rest),
            // A star behind a letter or a digit is a mark of the text's own.
            '*' if before.is_none_or(|before| !before.is_alphanumeric()) => emphasis(rest),
            _ => None,
        };
        if let Some((markup, after)) = marked {
            parts.push(html! { (plain) });
            parts.push(markup);
            plain.clear();
            rest = after;
        } else {
            plain.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    html! { @for part in &parts { (part) } (plain) }
}

/// What stands between a mark and the next one of its kind, and what follows.
fn enclosed<'t>(text: &'t str, mark: &str) -> Option<(&'t str, &'t str)> {
    let (inner, after) = text.strip_prefix(mark)?.split_once(mark)?;
    let is_tight = !inner.is_empty() && inner.trim() == inner;
    is_tight.then_some((inner, after))
}

fn emphasis(text: &str) -> Option<(Markup, &str)> {
    if let Some((inner, after)) = enclosed(text, "**") {
        return Some((html! { strong { (inner) } }, after));
    }
    let (inner, after) = enclosed(text, "*")?;
    Some((html! { em { (inner) } }, after))
}

/// A link to a page beside this one: nothing outside is linked.
fn link(text: &str) -> Option<(Markup, &str)> {
    let (words, after) = text.strip_prefix('[')?.split_once("](")?;
    let (page, after) = after.split_once(')')?;
    let is_page = page.rsplit_once('.').is_some_and(|(_, end)| end == "html");
    let is_beside = is_page && !page.contains([':', '/']);
    is_beside.then(|| (html! { a href=(page) { (words) } }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_markup_and_stars_of_numbers_stay() {
        let html = inline("**a** b *c d* `e*` 1.2* [p](q.html) [x](https://y.html)").into_string();
        assert_eq!(
            html,
            "<strong>a</strong> b <em>c d</em> <code>e*</code> 1.2* <a href=\"q.html\">p</a> [x](https://y.html)"
        );
    }
}
