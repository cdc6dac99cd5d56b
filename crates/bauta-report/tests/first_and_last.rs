//! What a reader sees first and last: tiles whose figures stand again below, labels, and the risk that remains.

use crate::support;

use bauta_methods::measure::{IntervalEnd, Measurement, Part, Series};
use bauta_methods::{Side, Unit};
use bauta_plan::RunRecord;
use bauta_plan::record::{MeasureFamily, MeasureRecord};
use bauta_report::{Audience, Comparison, html};

use support::calibration::calibrated;
use support::pages::{elements, section};

/// The text of a piece of a page, without its tags and with plain blanks.
fn text_of(html: &str) -> String {
    let mut out = String::new();
    for part in html.split('<') {
        let text = part.split_once('>').map_or(part, |(_, text)| text);
        out.push_str(text);
        out.push(' ');
    }
    out.replace('\u{202f}', " ")
}

/// The tiles of a page: the section they point at, and the figure.
fn tiles(page: &str) -> Vec<(String, String)> {
    let start = page.find("<dl class=\"tiles").expect("tiles");
    let end = start + page[start..].find("</dl>").expect("they end");
    let tiles = page[start..end].split("<div>").skip(1);
    tiles
        .map(|tile| {
            let target = tile.split("href=\"#").nth(1).expect("a way below");
            let target = target.split('"').next().unwrap_or_default();
            let value = tile.split("<dd>").nth(1).expect("a figure");
            (target.to_owned(), text_of(value).trim().to_owned())
        })
        .collect()
}

/// The numbers in a text: digits with thin groups, a point, an exponent.
fn numbers(text: &str) -> Vec<String> {
    let is_part = |symbol: char| symbol.is_ascii_digit() || symbol == '.' || symbol == '×';
    let joined = text.replace(" ×", "×").replace("× ", "×");
    let words = joined.split(|symbol: char| !is_part(symbol));
    let found = words.map(|word| word.trim_matches('.'));
    let found = found.filter(|word| word.chars().any(|symbol| symbol.is_ascii_digit()));
    found.map(str::to_owned).collect()
}

#[test]
fn every_number_of_the_first_tiles_stands_again_in_its_section() {
    for record in [support::passed(), support::failed()] {
        let page = html(&record, Audience::Internal);
        let tiles = tiles(&page);
        assert_eq!(tiles.len(), 5, "{tiles:?}");
        let order: Vec<&str> = tiles.iter().map(|(section, _)| section.as_str()).collect();
        assert_eq!(order, ["risk", "files", "variables", "loss", "gates"]);
        let mut n_numbers = 0;
        for (id, value) in &tiles {
            let below = numbers(&text_of(&section(&page, id)));
            for number in numbers(value) {
                n_numbers += 1;
                assert!(below.contains(&number), "{number} of {value:?} in #{id}");
            }
        }
        assert!(n_numbers >= 6, "{tiles:?}");
    }
}

#[test]
fn tiles_say_records_at_risk_before_and_after_and_the_verdict() {
    let mut record = support::passed();
    let page = html(&record, Audience::Internal);
    let all = tiles(&page);
    assert!(all[0].1.contains('→'), "{all:?}");
    assert!(
        all[4].1.starts_with("Released") && all[4].1.contains("4 of 4"),
        "{all:?}"
    );
    record.gates[0].passed = false;
    record.released = None;
    let all = tiles(&html(&record, Audience::Internal));
    assert!(
        all[4].1.starts_with("Not released") && all[4].1.contains("3 of 4"),
        "{all:?}"
    );
    assert!(all[1].1.starts_with('–'), "{all:?}");
    record.measures.clear();
    let all = tiles(&html(&record, Audience::Internal));
    assert!(
        all[0].1.contains("not measured") && all[3].1.contains("not measured"),
        "{all:?}"
    );
}

#[test]
fn labels_stand_wherever_variables_are_named() {
    let page = html(&support::passed(), Audience::Internal);
    let known = section(&page, "scenarios");
    assert!(known.contains("Age in years (age)"), "{known}");
    let loss = section(&page, "loss");
    assert!(loss.contains("income <span class=\"soft\">Monthly income, euros</span>"));
    assert!(section(&page, "done").contains("Monthly income, euros (income)"));
    let public = html(&support::passed(), Audience::External);
    assert!(section(&public, "done").contains("Monthly income, euros (income)"));
}

#[test]
fn the_risk_that_remains_is_told_in_words_with_the_figures_of_the_record() {
    let record = support::passed();
    let shown = section(&html(&record, Audience::Internal), "remaining");
    for text in [
        "Singling out",
        "Linkage",
        "Inference",
        "smallest class was",
        "Research on victims of crime",
        "Accredited institutes",
        "Ministries",
        "2028-02-29",
    ] {
        assert!(shown.contains(text), "{text}");
    }
    let mut bare = record;
    bare.measures.clear();
    bare.plan.release = None;
    let shown = section(&html(&bare, Audience::Internal), "remaining");
    assert_eq!(shown.matches("Not measured in this run.").count(), 3);
    assert_eq!(shown.matches("not stated in the plan").count(), 3);
}

#[test]
fn the_public_reads_purpose_and_day_and_no_figure_and_no_name_of_who_signs() {
    let page = html(&support::passed(), Audience::External);
    let shown = section(&page, "remaining");
    for text in [
        "Singling out",
        "Linkage",
        "Inference",
        "Research on victims of crime",
        "2028-02-29",
    ] {
        assert!(shown.contains(text), "{text}");
    }
    let (words, _) = shown.split_once("What the release is for").expect("terms");
    let words = text_of(words);
    let words = words
        .split_once("id")
        .map_or(words.as_str(), |(_, rest)| rest);
    assert!(numbers(words).is_empty(), "{words}");
    assert!(!page.contains("Signer") && !page.contains("Head of methods"));
    let mut bare = support::passed();
    bare.plan.release = None;
    let page = html(&bare, Audience::External);
    assert!(!page.contains("What the release is for"));
}

#[test]
fn those_whom_the_plan_names_have_a_line_to_sign_on() {
    let shown = section(&html(&support::passed(), Audience::Internal), "decision");
    assert_eq!(shown.matches("class=\"sign\"").count(), 2);
    assert!(shown.contains("Ada Signer") && shown.contains("Head of methods"));
    let mut bare = support::passed();
    bare.plan.release = None;
    let shown = section(&html(&bare, Audience::Internal), "decision");
    assert_eq!(shown.matches("Name and function").count(), 1);
}

#[test]
fn runs_side_by_side_begin_with_risk_and_loss_of_each() {
    let (a, b) = (support::passed(), support::failed());
    let page = Comparison::new(&[("a.json", &a), ("b.json", &b)]).html();
    elements(&page);
    let first = page.find("<h2 id=\"glance\"").expect("at a glance");
    assert_eq!(page.find("<h2"), Some(first));
    let shown = section(&page, "glance");
    assert_eq!(
        shown.matches('→').count(),
        3,
        "a heading and a row for each run"
    );
    assert!(shown.contains("Released") && shown.contains("Not released"));
}

#[test]
fn a_calibration_has_words_of_its_own() {
    let mut record = calibrated();
    "bauta calibrate".clone_into(&mut record.plan.file);
    let page = html(&record, Audience::Internal);
    elements(&page);
    assert!(page.contains("Report on the calibration of weights"));
    for absent in [
        "Conditions of release",
        "release committee",
        "as it would be released",
        "What risk remains",
        ">masked<",
        "Loss</a>",
    ] {
        assert!(!page.contains(absent), "{absent}");
    }
    let first = page
        .find("<h2 id=\"calibration\"")
        .expect("the calibration");
    assert_eq!(page.find("<h2"), Some(first));
}

/// A record whose only measure gives coefficients with intervals.
fn with_coefficients() -> RunRecord {
    let mut record = support::passed();
    let template = record.measures.iter();
    let template = template
        .clone()
        .find(|one| one.family == MeasureFamily::Loss);
    let mut measure: MeasureRecord = template.expect("a loss").clone();
    let series = |name: &str, shift: f64, file: Side| {
        let points = (0..15).map(|idx| {
            let name = format!("a coefficient with a long name, category {idx}");
            Part::new(name, f64::from(idx) + shift)
        });
        Series::new(name, "units", Unit::Number, points.collect()).of_side(file)
    };
    let mut found = Measurement::default();
    for file in Side::BOTH {
        let lower = series("lower", -0.5, file).bounding("coefficient", IntervalEnd::Lower);
        let upper = series("upper", 0.5, file).bounding("coefficient", IntervalEnd::Upper);
        let shift = if file == Side::Masked { 0.1 } else { 0.0 };
        found
            .series
            .extend([series("coefficient", shift, file), lower, upper]);
    }
    (measure.before, measure.after) = (None, Some(found));
    record.measures = vec![measure];
    record
}

#[test]
fn coefficients_are_dots_with_whiskers_and_every_label() {
    let page = html(&with_coefficients(), Audience::Internal);
    elements(&page);
    let loss = section(&page, "loss");
    let start = loss.find("Dot chart of units").expect("dots");
    assert!(loss.contains("whiskers are confidence intervals"));
    let end = start + loss[start..].find("</svg>").expect("it ends");
    let chart = text_of(&loss[start..end]);
    for idx in 0..15 {
        assert!(chart.contains(&format!("category {idx}")), "{idx}");
    }
    assert_eq!(
        chart.matches(", from ").count(),
        30,
        "an interval for each dot"
    );
    // The ends of intervals are no charts of their own.
    assert_eq!(loss.matches("<svg").count(), 1);
}

#[test]
fn what_rounding_left_of_nothing_reads_as_zero() {
    let mut record = support::passed();
    let mut loss = with_coefficients().measures.remove(0);
    let found = Measurement {
        value: Some(4.8e-16),
        ..Measurement::default()
    };
    loss.after = Some(found);
    record.measures = vec![loss];
    let page = html(&record, Audience::Internal);
    assert!(!page.contains("10⁻¹⁶"));
    let all = tiles(&page);
    assert!(all[3].1.starts_with('0'), "{all:?}");
}
