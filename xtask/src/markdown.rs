//! As much of Markdown as checking and moving pages needs: headings, anchors and links.

use std::collections::HashMap;
use std::ops::Range;

/// A heading of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Heading {
    /// 1 for the title, 2 for a section.
    pub(crate) level: usize,
    /// Its words.
    pub(crate) text: String,
    /// Line from 1.
    pub(crate) line: usize,
}

/// A link of a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Link {
    /// Where it points, as written.
    pub(crate) target: String,
    /// Line from 1.
    pub(crate) line: usize,
    /// Bytes of the target in the page.
    pub(crate) range: Range<usize>,
}

/// A line outside code blocks, with inline code blanked out.
struct ProseLine {
    number: usize,
    start: usize,
    text: String,
}

/// The headings of a page, in order.
pub(crate) fn headings(page: &str) -> Vec<Heading> {
    let lines: Vec<&str> = page.lines().collect();
    prose(page)
        .into_iter()
        .filter_map(|prose| {
            // Inline code belongs to a heading's words, so they come from the line itself.
            let text = lines[prose.number - 1];
            let level = text.bytes().take_while(|&byte| byte == b'#').count();
            let words = text.get(level..)?.strip_prefix(' ')?;
            (1..=6).contains(&level).then(|| Heading {
                level,
                text: words.trim().to_owned(),
                line: prose.number,
            })
        })
        .collect()
}

/// The names by which the headings of a page can be linked to.
pub(crate) fn anchors(page: &str) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    headings(page)
        .into_iter()
        .map(|heading| {
            let slug = slug(&heading.text);
            let n_before = seen.entry(slug.clone()).or_default();
            *n_before += 1;
            match *n_before {
                1 => slug,
                n => format!("{slug}-{}", n - 1),
            }
        })
        .collect()
}

/// The anchor of a heading: small letters, hyphens for blanks, no punctuation.
fn slug(heading: &str) -> String {
    heading
        .to_lowercase()
        .chars()
        .filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            letter if letter.is_alphanumeric() => Some(letter),
            _ => None,
        })
        .collect()
}

/// The links of a page, in order.
pub(crate) fn links(page: &str) -> Vec<Link> {
    let mut found = Vec::new();
    for line in prose(page) {
        let mut ranges = inline_targets(&line.text);
        ranges.extend(definition_target(&line.text));
        ranges.extend(attribute_targets(&line.text, "href=\""));
        ranges.extend(attribute_targets(&line.text, "src=\""));
        ranges.sort_by_key(|range| range.start);
        found.extend(ranges.into_iter().map(|range| Link {
            target: line.text[range.clone()].to_owned(),
            line: line.number,
            range: line.start + range.start..line.start + range.end,
        }));
    }
    found
}

/// The page with each link's target replaced by what `new_target` makes of it, if anything.
pub(crate) fn retarget(page: &str, new_target: impl Fn(&str) -> Option<String>) -> String {
    let mut changed = page.to_owned();
    for link in links(page).iter().rev() {
        if let Some(target) = new_target(&link.target) {
            changed.replace_range(link.range.clone(), &target);
        }
    }
    changed
}

fn prose(page: &str) -> Vec<ProseLine> {
    let mut lines = Vec::new();
    let mut fence: Option<&str> = None;
    let mut start = 0;
    for (index, line) in page.split_inclusive('\n').enumerate() {
        let trimmed = line.trim_start();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| trimmed.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (None, None) => lines.push(ProseLine {
                number: index + 1,
                start,
                text: without_code(line),
            }),
            (Some(_), _) => {}
        }
        start += line.len();
    }
    lines
}

/// The line with inline code replaced by blanks of the same length.
fn without_code(line: &str) -> String {
    let mut blanked = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(open) = rest.find('`') {
        let ticks = rest[open..]
            .bytes()
            .take_while(|&byte| byte == b'`')
            .count();
        let inside = open + ticks;
        let Some(length) = rest[inside..].find(&rest[open..inside]) else {
            break;
        };
        let end = inside + length + ticks;
        blanked.push_str(&rest[..open]);
        blanked.extend(std::iter::repeat_n(' ', end - open));
        rest = &rest[end..];
    }
    blanked.push_str(rest);
    blanked
}

/// Targets of `[text](target)` and `![text](target "title")`.
fn inline_targets(line: &str) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut from = 0;
    while let Some(found) = line[from..].find("](") {
        let start = from + found + 2;
        let mut depth = 1;
        let end = line[start..].char_indices().find_map(|(offset, letter)| {
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            (depth == 0).then_some(start + offset)
        });
        let Some(end) = end else { break };
        let inside = &line[start..end];
        let length = inside.find(char::is_whitespace).unwrap_or(inside.len());
        ranges.push(start..start + length);
        from = end;
    }
    ranges
}

/// Target of `[label]: target`.
fn definition_target(line: &str) -> Option<Range<usize>> {
    if !line.starts_with('[') || line.starts_with("[^") {
        return None;
    }
    let start = line.find("]: ")? + 3;
    let length = line[start..].find(char::is_whitespace)?;
    Some(start..start + length)
}

/// Targets of HTML attributes.
fn attribute_targets(line: &str, attribute: &str) -> Vec<Range<usize>> {
    line.match_indices(attribute)
        .filter_map(|(at, _)| {
            let start = at + attribute.len();
            let length = line[start..].find('"')?;
            Some(start..start + length)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "\
# Rank `swap`: a page

See [the *plan*](../plan.md#steps \"title\") and ![a chart](chart.svg); not `[this](code.md)`.

```text
# no heading
[no](link.md)
```

## Data
## Data
[bib]: ../references.bib
<img src=\"logo.svg\">
";

    #[test]
    fn headings_are_found_outside_code() {
        let found = headings(PAGE);
        let texts: Vec<&str> = found.iter().map(|heading| heading.text.as_str()).collect();
        assert_eq!(texts, ["Rank `swap`: a page", "Data", "Data"]);
        assert_eq!((found[0].level, found[1].level, found[1].line), (1, 2, 10));
        assert_eq!(anchors(PAGE), ["rank-swap-a-page", "data", "data-1"]);
    }

    #[test]
    fn links_are_found_outside_code() {
        let found = links(PAGE);
        let targets: Vec<&str> = found.iter().map(|link| link.target.as_str()).collect();
        let expected = [
            "../plan.md#steps",
            "chart.svg",
            "../references.bib",
            "logo.svg",
        ];
        assert_eq!(targets, expected);
        for link in &found {
            assert_eq!(PAGE[link.range.clone()], link.target);
        }
        assert_eq!(found[0].line, 3);
    }

    #[test]
    fn targets_can_be_changed() {
        let moved = retarget(PAGE, |target| target.strip_prefix("../").map(str::to_owned));
        assert!(moved.contains("[the *plan*](plan.md#steps \"title\")"));
        assert!(moved.contains("[bib]: references.bib"));
        assert!(moved.contains("(chart.svg)"));
    }

    #[test]
    fn an_unclosed_tick_hides_nothing() {
        assert_eq!(links("a ` and [b](c.md)\n").len(), 1);
    }
}
