//! Marks within a line: code, strong, emphasis, links to pages beside this one.

use maud::{Markup, html};

/// Says where a link leads that names this; none where its words stand alone.
pub(crate) type LinkTo<'l> = dyn Fn(&str) -> Option<String> + 'l;

/// What marks may be.
#[derive(Clone, Copy)]
pub(crate) struct Marks<'l> {
    /// Where links lead; to pages beside this one where nobody says.
    link: Option<&'l LinkTo<'l>>,
    within: Within,
}

/// Whether what is emphasised may have marks of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Within {
    Text,
    Marks,
}

impl Marks<'_> {
    /// Those of documents: links to pages beside this one, and nothing within emphasis.
    pub(crate) const PLAIN: Self = Self {
        link: None,
        within: Within::Text,
    };
}

impl<'l> Marks<'l> {
    /// With marks within emphasis, and links to wherever they are said to lead.
    pub(crate) fn linked(link: &'l LinkTo<'l>) -> Self {
        Self {
            link: Some(link),
            within: Within::Marks,
        }
    }

    fn inner(&self, text: &str) -> Markup {
        match self.within {
            Within::Text => html! { (text) },
            Within::Marks => inline_with(text, self),
        }
    }
}

/// A line with the marks of documents as markup.
pub(super) fn inline(text: &str) -> Markup {
    inline_with(text, &Marks::PLAIN)
}

/// A line with its marks as markup.
pub(crate) fn inline_with(text: &str, marks: &Marks<'_>) -> Markup {
    let mut rest = text;
    let mut parts: Vec<Markup> = Vec::new();
    let mut plain = String::new();
    while let Some(first) = rest.chars().next() {
        let before = plain.chars().next_back();
        let marked = match first {
            '`' => enclosed(rest, "`").map(|(inner, after)| (html! { code { (inner) } }, after)),
            '[' => link(rest, marks),
            // A star behind a letter or a digit is a mark of the text's own.
            '*' if before.is_none_or(|before| !before.is_alphanumeric()) => emphasis(rest, marks),
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

fn emphasis<'t>(text: &'t str, marks: &Marks<'_>) -> Option<(Markup, &'t str)> {
    if let Some((inner, after)) = enclosed(text, "**") {
        return Some((html! { strong { (marks.inner(inner)) } }, after));
    }
    let (inner, after) = enclosed(text, "*")?;
    Some((html! { em { (marks.inner(inner)) } }, after))
}

/// A link to a page beside this one: nothing outside is linked, unless somebody says where links lead.
fn link<'t>(text: &'t str, marks: &Marks<'_>) -> Option<(Markup, &'t str)> {
    let (words, after) = text.strip_prefix('[')?.split_once("](")?;
    let (page, after) = after.split_once(')')?;
    if let Some(link) = marks.link {
        // A bracket within the words begins the link itself.
        if words.contains('[') {
            return None;
        }
        let words = marks.inner(words);
        let markup = match link(page) {
            Some(leads_to) => html! { a href=(leads_to) { (words) } },
            None => words,
        };
        return Some((markup, after));
    }
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
