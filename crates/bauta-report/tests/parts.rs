//! Parts of reports on pages of others.

use std::collections::BTreeSet;

use bauta_plan::RunRecord;
use bauta_plan::work::pictures::ColumnPicture;
use bauta_report::{Audience, Comparison, html, markdown, parts, small_picture};

use crate::support;
use support::calibration::calibrated;
use support::pages::{elements, section};

fn all(record: &RunRecord) -> [String; 4] {
    [
        parts::verdict(record),
        parts::headline(record),
        parts::measures(record),
        parts::steps(record),
    ]
    .map(maud::Markup::into_string)
}

fn records() -> [RunRecord; 3] {
    [support::passed(), support::failed(), calibrated()]
}

/// The values of an attribute.
fn values<'h>(html: &'h str, attribute: &str) -> Vec<&'h str> {
    let after = html.split(attribute).skip(1);
    after.map(|rest| rest.split('"').next().unwrap()).collect()
}

/// What is said without the names of anchors, as [`section`] has it.
fn without_anchors(html: &str) -> String {
    let mut out = html.to_owned();
    for id in values(html, " id=\"") {
        if let Some((name, _)) = id.split_once('-') {
            out = out.replace(&format!("{name}-"), "");
        }
    }
    out.replace('\u{202f}', " ").replace("><", ">\n<")
}

#[test]
fn parts_say_what_the_report_says() {
    for record in records() {
        let page = html(&record, Audience::Internal);
        for (part, ids) in [
            (
                parts::measures(&record),
                &["risk", "loss", "score", "notes"][..],
            ),
            (parts::steps(&record), &["done"]),
        ] {
            let part = without_anchors(&part.into_string());
            let mut n_found = 0;
            for id in ids
                .iter()
                .filter(|id| page.contains(&format!("<h2 id=\"{id}\">")))
            {
                n_found += 1;
                let wanted = section(&page, id);
                assert!(part.contains(&wanted), "{id}: {wanted}");
            }
            assert!(n_found > 0);
        }
        let verdict = parts::verdict(&record).into_string();
        assert!(page.contains(&verdict), "{verdict}");
        let headline = parts::headline(&record).into_string();
        assert!(
            headline.contains("<dd>") && !headline.contains("href"),
            "{headline}"
        );
        for figure in values(
            &headline.replace("<dd>", "\u{1}\"").replace('<', "\""),
            "\u{1}\"",
        ) {
            assert!(page.contains(&format!("<dd>{figure}")), "{figure}");
        }
    }
}

#[test]
fn parts_need_neither_style_nor_script_of_their_own() {
    let [passed, failed, calibrated] = records();
    let pair = [("a.json", &passed), ("b.json", &failed)];
    let compared = Comparison::new(&pair);
    let mut fragments: Vec<String> = [&passed, &failed, &calibrated]
        .into_iter()
        .flat_map(all)
        .collect();
    fragments.push(compared.sections().into_string());
    fragments.extend(compared.map().map(maud::Markup::into_string));
    fragments.push(markdown("# A\n\n| a | b |\n|---|---|\n| 1 | 2 |\n").into_string());
    let picture = ColumnPicture::Categories {
        bars: vec![("x".to_owned(), 10)],
        n_withheld_categories: 0,
        n_withheld_records: 0,
        n_missing: None,
    };
    fragments.push(small_picture(&picture, "sex").into_string());
    for fragment in &fragments {
        let names = elements(&format!("<!DOCTYPE html>{fragment}"));
        for never in [
            "style", "script", "link", "html", "head", "body", "iframe", "object",
        ] {
            assert!(!names.iter().any(|name| name == never), "{never}");
        }
        for tag in fragment
            .split('<')
            .map(|piece| piece.split('>').next().unwrap_or(""))
        {
            // Names of attributes stand between values.
            let mut names = tag.split('"').step_by(2).map(str::trim_start);
            assert!(
                !names.any(|name| name.starts_with("on") || name.starts_with("style=")),
                "{tag}"
            );
        }
        // What refers to an anchor finds it in the same part.
        let anchors: BTreeSet<&str> = values(fragment, " id=\"").into_iter().collect();
        for named in values(fragment, " aria-labelledby=\"") {
            assert!(named.split(' ').all(|one| anchors.contains(one)), "{named}");
        }
        for filled in values(fragment, "=\"url(#") {
            let anchor = filled.trim_end_matches(')');
            assert!(anchors.contains(anchor), "{anchor}");
        }
        for leads_to in values(fragment, " href=\"") {
            assert!(
                leads_to
                    .strip_prefix('#')
                    .is_some_and(|to| anchors.contains(to)),
                "{leads_to}"
            );
        }
    }
}

#[test]
fn several_parts_stand_on_one_page() {
    let [passed, failed, _] = records();
    let pair = [("a.json", &passed), ("b.json", &failed)];
    let compared = Comparison::new(&pair);
    let mut page: Vec<String> = [&passed, &failed].into_iter().flat_map(all).collect();
    page.push(compared.sections().into_string());
    page.extend(compared.map().map(maud::Markup::into_string));
    let page = page.concat();
    let anchors = values(&page, " id=\"");
    let different: BTreeSet<&&str> = anchors.iter().collect();
    assert!(anchors.len() > 10);
    assert_eq!(anchors.len(), different.len());
}

#[test]
fn a_comparison_has_its_page_and_what_the_plans_say_otherwise() {
    let [passed, failed, _] = records();
    let mut other = passed.clone();
    other.plan.text = format!("{}# again\n", passed.plan.text);
    let pair = [("a.json", &passed), ("b.json", &other)];
    let compared = Comparison::new(&pair);
    let (page, part) = (compared.html(), compared.sections().into_string());
    let told = without_anchors(&part);
    for id in values(&page, "<h2 id=\"") {
        assert!(told.contains(&section(&page, id)), "{id}");
    }
    assert!(
        part.contains("<ins>+ # again</ins>") && !page.contains("# again"),
        "{part}"
    );
    assert!(part.contains("The runs read the same file."));
    // Both have risk and loss: each is a point with its name.
    let map = compared
        .map()
        .expect("both have risk and loss")
        .into_string();
    for run in compared.runs() {
        assert!(map.contains(&run.name), "{}", run.name);
    }
    let one = [("a.json", &failed)];
    assert!(Comparison::new(&one).map().is_none());
}
