//! Looking at pages.

/// Elements that have no end tag.
const VOID: [&str; 3] = ["meta", "br", "wbr"];

/// Checks that every tag is closed in the order of opening, and returns the names of all elements.
pub(crate) fn elements(html: &str) -> Vec<String> {
    let mut open: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("doctype");
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert!(!tag.contains('<'), "a bare < in {tag}");
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "</{name}> closes another element");
            continue;
        }
        let name = tag.split_whitespace().next().expect("a tag has a name");
        assert_eq!(
            tag.matches('"').count() % 2,
            0,
            "unbalanced quotes in {tag}"
        );
        all.push(name.to_owned());
        if name == "style" {
            rest = &rest[rest.find("</style>").expect("style ends")..];
        }
        if !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
    all
}

/// Writes the pages to the build folder, where a person can look at them.
pub(crate) fn keep(name: &str, html: &str) {
    let folder = env!("CARGO_TARGET_TMPDIR");
    std::fs::write(format!("{folder}/{name}.html"), html).expect("the build folder can be written");
}

/// The section of a page below a heading.
pub(crate) fn section(page: &str, id: &str) -> String {
    let start = page
        .find(&format!("<h2 id=\"{id}\""))
        .expect("the section is there");
    let end = start + page[start..].find("</section>").expect("it ends");
    page[start..end]
        .replace('\u{202f}', " ")
        .replace("><", ">\n<")
}
