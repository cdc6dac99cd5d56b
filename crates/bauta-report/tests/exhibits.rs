//! What a step shows for itself is shown without knowing the method.

use bauta_methods::Evidence;
use bauta_methods::exhibit::{
    BarSeries, Bars, Cell, Column, Curve, Drawn, Exhibit, Fact, Map, MapPoint, Paragraph, Public,
    Shows, Table, Unit, View, Words,
};
use bauta_methods::measure::{ListedRecord, Part};
use bauta_methods::pair::Rows;
use bauta_plan::RunRecord;
use bauta_report::{Audience, csv_tables, html};

use crate::support;
use crate::support::pages::{elements, keep, section};

/// Evidence of a method that nobody has written yet.
fn evidence() -> Evidence {
    let point = |name: &str, group: &str, at| MapPoint {
        name: name.to_owned(),
        group: group.to_owned(),
        at,
    };
    let map = Map {
        across: "axis 1".to_owned(),
        up: "axis 2".to_owned(),
        points: vec![
            point("young", "age", [-0.4, 0.1]),
            point("old", "age", [0.7, -0.2]),
            point("north", "region", [0.2, 0.9]),
        ],
    };
    let bars = |drawn| Bars {
        axis: "share".to_owned(),
        unit: Unit::Share,
        categories: vec!["a".to_owned(), "b".to_owned()],
        series: vec![BarSeries {
            name: "linked".to_owned(),
            values: vec![Some(0.25), None],
        }],
        drawn,
    };
    let table = Table {
        columns: vec![
            Column::text("pair", "Pair"),
            Column::of(Unit::Count, "links", "Links"),
            Column::filed("secret-name"),
        ],
        rows: vec![vec!["a<b".into(), 7_771_u64.into(), Cell::None]],
        ..Table::default()
    };
    let curve = Curve {
        across: "threshold".to_owned(),
        up: "links".to_owned(),
        points: vec![[0.0, 9.0], [0.5, 4.0], [1.0, 1.0]],
        spots: Vec::new(),
    };
    Evidence {
        id: "linkage".to_owned(),
        title: "Links between the files".to_owned(),
        subject: "age".to_owned(),
        summary: Words::from("linked ").count(7_771),
        exhibits: vec![Exhibit {
            id: "links".to_owned(),
            title: "Who was linked".to_owned(),
            text: vec![Paragraph::of("Links were counted.")],
            views: vec![
                View::new(
                    "",
                    Shows::Facts(vec![Fact::new("Pairs", Words::new().count(12_345))]),
                ),
                View::new("Links by pair", Shows::Table(table)).filed("links"),
                View::new("Links by threshold", Shows::Curve(curve)).filed("thresholds"),
                View::new("A map", Shows::Map(map)).filed("../map"),
                View::new("Shares", Shows::Bars(bars(Drawn::Bars))).filed("shares-of-links"),
                View::new("Shares again", Shows::Bars(bars(Drawn::Dots))),
            ],
            public: Some(Public {
                text: vec![Paragraph::of("Links were looked for.")],
                views: Vec::new(),
            }),
        }],
        data: serde_json::Value::Null,
    }
}

fn linked() -> RunRecord {
    let mut record = support::passed();
    record.steps[0].evidence = Some(Box::new(evidence()));
    record
}

#[test]
fn the_committee_sees_every_view() {
    let page = html(&linked(), Audience::Internal);
    keep("report-exhibits-internal", &page);
    elements(&page);
    let shown = section(&page, "linkage");
    for text in [
        "Links between the files",
        "Who was linked",
        "Links were counted.",
        "12 345",
        "a&lt;b",
        "7 771",
        "Curve of links by threshold.",
        "Map of 3 points: axis 1 across, axis 2 up. young: −0.4, 0.1;",
        ">region</text>",
        "25 %",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("secret-name"));
}

#[test]
fn the_public_sees_what_the_method_declared() {
    let page = html(&linked(), Audience::External);
    elements(&page);
    assert!(page.contains("Links were looked for."));
    for secret in [
        "Links were counted",
        "Who was linked",
        "7\u{202f}771",
        "by threshold",
    ] {
        assert!(!page.contains(secret), "{secret}");
    }
}

#[test]
fn rows_go_to_files_that_stay_in_their_folder() {
    let tables = csv_tables(&linked());
    let text = |file: &str| {
        let found = tables.iter().find(|table| table.file == file);
        found.map(|table| table.text.clone())
    };
    let step = &linked().steps[0].key;
    let links = format!("step,pair,links,secret-name\n{step},a<b,7771,\n");
    assert_eq!(text("links.csv"), Some(links));
    let thresholds = format!("step,x,y\n{step},0,9\n{step},0.5,4\n{step},1,1\n");
    assert_eq!(text("thresholds.csv"), Some(thresholds));
    let shares = format!("step,category,linked\n{step},a,0.25\n{step},b,\n");
    assert_eq!(text("shares-of-links.csv"), Some(shares));
    // A record from elsewhere cannot name a place outside.
    assert!(tables.iter().all(|table| !table.file.contains("map")));
    // What calibrations show has its headings without any.
    assert!(text("margins.csv").is_some_and(|text| text.lines().count() == 1));
}

#[test]
fn both_reports_say_that_records_do_not_correspond() {
    let mut record = support::passed();
    let [internal, external] = [Audience::Internal, Audience::External];
    let said = "do not correspond";
    assert!(!html(&record, internal).contains(said) && !html(&record, external).contains(said));
    record.rows = Rows::Unrelated;
    let step = record.steps.last_mut().expect("a step");
    step.rows = Rows::Unrelated;
    for variable in &mut record.variables {
        variable.n_changed = None;
    }
    for audience in [internal, external] {
        let page = html(&record, audience);
        elements(&page);
        assert!(page.contains(said), "{audience:?}");
    }
    // Only what was drawn anew is said to be: the keys are still those of somebody.
    let page = html(&record, external);
    assert!(page.contains("Values of income, rent and hours were drawn anew"));
    assert!(page.contains("all other values stand in the records they came from"));
}

/// A run whose measures show the evidence of that method too, even with a version for the public, and list records
/// without keys.
fn measured() -> RunRecord {
    let mut record = support::passed();
    for id in ["interval-sd", "il1s"] {
        let mut measures = record.measures.iter_mut();
        let measure = measures.find(|measure| measure.id == id).expect("measured");
        let found = measure.after.as_mut().expect("measured after masking");
        found.exhibits = evidence().exhibits;
        found.listed = vec![ListedRecord {
            row: 86_421,
            key: Vec::new(),
            figures: vec![Part::new("weight", 17.25), Part::new("posterior", 0.875)],
        }];
    }
    record
}

#[test]
fn what_measures_show_is_for_the_committee_alone() {
    let page = html(&measured(), Audience::Internal);
    keep("report-measured-exhibits-internal", &page);
    elements(&page);
    let (risk, loss) = (section(&page, "risk"), section(&page, "loss"));
    for text in ["Who was linked", "Links were counted.", "12 345", "a&lt;b"] {
        assert!(risk.contains(text) && loss.contains(text), "{text}");
    }
    for text in [
        "records that were re-identified with the largest weight",
        ">Weight<",
        ">Posterior<",
        ">17.25<",
        "87.5 %",
        "86 421",
    ] {
        assert!(risk.contains(text), "{text}: {risk}");
    }

    // Nothing of it is published, not even what a step could publish: nobody has decided that.
    let with = html(&measured(), Audience::External);
    assert_eq!(with, html(&support::passed(), Audience::External));
}

#[test]
fn tables_of_measures_say_whose_they_are() {
    let tables = csv_tables(&measured());
    let found = tables.iter().find(|table| table.file == "links.csv");
    let expected = "measure,scenario,condition,on,pair,links,secret-name\n\
        interval-sd,,,income rent hours,a<b,7771,\nil1s,,,income rent hours,a<b,7771,\n";
    assert_eq!(found.map(|table| table.text.as_str()), Some(expected));
}
