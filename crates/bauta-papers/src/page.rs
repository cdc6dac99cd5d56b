//! Reproductions as pages: each paper one HTML file, and an index of all.

use bauta_report::{Document, DocumentPicture, document};

use crate::compared::summary_table;
use crate::{Compared, Paper, Reproduction, heading, row};

/// A paper's page: one HTML file that needs nothing else.
pub fn page(found: &Reproduction) -> String {
    let pictures = found.pictures.iter().map(|picture| DocumentPicture {
        name: &picture.name,
        svg: &picture.svg,
        row: &picture.row,
        axes: &picture.axes,
    });
    document(&Document {
        title: found.paper.title(),
        kind: "Published tables and figures beside those of Bauta",
        head: &summary_table(&found.summary),
        text: &found.body,
        pictures: pictures.collect(),
    })
}

/// The index of all papers: what was compared in each, with a link to its page. `made_by` says how.
pub fn index_page(all: &[Reproduction], made_by: &str) -> String {
    let mut head = heading(&["paper", "compared", "matching", "differing"]);
    let mut text = String::new();
    for found in all {
        let sum = |of: fn(&Compared) -> usize| found.summary.iter().map(of).sum::<usize>();
        head += &row(&[
            format!("[{}]({})", found.paper.title(), page_name(found.paper)),
            sum(|line| line.compared).to_string(),
            sum(|line| line.matching).to_string(),
            sum(Compared::differing).to_string(),
        ]);
        text += &format!(
            "## {}\n\n[The page]({})\n\n{}\n",
            found.paper.title(),
            page_name(found.paper),
            summary_table(&found.summary)
        );
    }
    document(&Document {
        title: "Papers reproduced",
        kind: "Published tables and figures beside those of Bauta",
        head: &head,
        text: &format!("{made_by}\n\n{text}"),
        pictures: Vec::new(),
    })
}

/// The name of a paper's page.
fn page_name(paper: Paper) -> String {
    format!("{}.html", paper.id())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Picture;

    fn found() -> Reproduction {
        Reproduction {
            paper: Paper::Truta2004,
            summary: vec![Compared::new("Figure 1", "sentences", [2, 3], "one run")],
            body: "# Heading\n\nSome *text* & more.\n\n## Figures\n\n![One](one.svg)\n\n![Two](two.svg)\n".to_owned(),
            pictures: ["one", "two"]
                .map(|name| {
                    let svg = format!("<svg id=\"{name}\"></svg>");
                    Picture::new(format!("{name}.svg"), &svg, "Figure 1", "Up: a share.")
                })
                .to_vec(),
        }
    }

    #[test]
    fn a_page_has_its_summary_its_text_and_its_pictures() {
        let html = page(&found());
        assert!(
            html.contains("<td class=\"number\" data-label=\"matching\">2</td>"),
            "{html}"
        );
        assert!(html.contains("Some <em>text</em> &amp; more."), "{html}");
        // Both pictures of a row stand in one grid.
        assert_eq!(html.matches("<div class=\"charts").count(), 1, "{html}");
        assert_eq!(html.matches("<figcaption>").count(), 2);
        assert!(html.contains("<svg id=\"two\"") || html.contains("id=\"two\""));
    }

    #[test]
    fn the_index_links_every_page_and_sums_its_lines() {
        let html = index_page(&[found()], "Made by `bauta reproduce all`.");
        assert!(html.contains("href=\"truta-2004.html\""), "{html}");
        assert!(html.contains("<code>bauta reproduce all</code>"), "{html}");
    }

    #[test]
    fn a_text_has_its_summary_below_its_heading() {
        let text = found().text();
        assert!(text.starts_with("# Heading\n\n| table |"), "{text}");
        assert!(text.contains("| one run |\n\nSome *text*"), "{text}");
    }
}
