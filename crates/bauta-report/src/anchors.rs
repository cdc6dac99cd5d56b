//! Anchors of a part of a page, told apart from those of other parts.

use bauta_data::Fingerprint;
use maud::{Markup, PreEscaped};

/// Letters of a part's name: forty bits.
const LETTERS: usize = 10;
/// Attributes that name anchors, and what stands before each name.
const NAMING: [(&str, &str); 4] = [
    (" id=\"", ""),
    (" aria-labelledby=\"", ""),
    (" href=\"#", ""),
    ("=\"url(#", ")"),
];

/// The same with a name of the part before every anchor and before what refers to it. Parts that say different things, or
/// are `of` different things, have different names, in every run the same.
pub(crate) fn apart(part: &Markup, of: &str) -> Markup {
    let text = part.0.as_str();
    let hash = Fingerprint::of_bytes(format!("{of}\n{text}").as_bytes()).sha256;
    let name = format!("p{}-", &hash[..LETTERS]);
    let mut pieces = text.split('<');
    let mut out = String::with_capacity(text.len());
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        out.push('<');
        // Neither texts nor values have these marks but as entities.
        match piece.split_once('>') {
            Some((tag, after)) => {
                out.push_str(&renamed(tag, &name));
                out.push('>');
                out.push_str(after);
            }
            None => out.push_str(piece),
        }
    }
    PreEscaped(out)
}

fn renamed(tag: &str, name: &str) -> String {
    let mut tag = tag.to_owned();
    for (naming, end) in NAMING {
        let Some(at) = tag.find(naming) else {
            continue;
        };
        let start = at + naming.len();
        let end = if end.is_empty() { "\"" } else { end };
        let length = tag[start..].find(end).unwrap_or(0);
        let anchors = tag[start..start + length].split(' ');
        let anchors: Vec<String> = anchors.map(|anchor| format!("{name}{anchor}")).collect();
        tag.replace_range(start..start + length, &anchors.join(" "));
    }
    tag
}

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    fn part(says: &str) -> Markup {
        html! {
            section aria-labelledby="a" {
                h2 id="a" { "id=\"a\" url(#a) " (says) }
                svg aria-labelledby="a-title a-desc" {
                    title id="a-title" { (says) }
                    desc id="a-desc" {}
                    pattern id="a-hatch" {}
                    rect fill="url(#a-hatch)" stroke="#000" {}
                }
                a href="#a" data-id="a" { "there" }
            }
        }
    }

    #[test]
    fn anchors_and_what_refers_to_them_have_one_name() {
        let html = apart(&part("one"), "").into_string();
        let name = html
            .split(" id=\"")
            .nth(1)
            .unwrap()
            .split("a\"")
            .next()
            .unwrap();
        assert!(name.starts_with('p') && name.ends_with('-') && name.len() == LETTERS + 2);
        assert_eq!(html.replace(name, ""), part("one").into_string());
        assert_eq!(html.matches(name).count(), 9, "{html}");
    }

    #[test]
    fn parts_that_differ_have_no_anchor_in_common() {
        let [one, two] = ["one", "two"].map(|says| apart(&part(says), "").into_string());
        let anchors = |html: &str| -> Vec<String> {
            let after = html.split(" id=\"").skip(1);
            after
                .map(|rest| rest.split('"').next().unwrap().to_owned())
                .collect()
        };
        assert_eq!(anchors(&one).len(), 4);
        assert!(
            anchors(&one)
                .iter()
                .all(|anchor| !anchors(&two).contains(anchor))
        );
        assert_eq!(one, apart(&part("one"), "").into_string());
        let of_other = apart(&part("one"), "another run").into_string();
        assert!(
            anchors(&one)
                .iter()
                .all(|anchor| !anchors(&of_other).contains(anchor))
        );
    }
}
