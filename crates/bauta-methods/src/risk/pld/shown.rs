//! What a linkage shows for itself: drawings, tables, and the records that were found first.

use crate::exhibit::{
    Cell, Column, Curve, Exhibit, Histogram, HistogramSeries, Shows, Spot, Table, Unit, View,
};
use crate::linkage::exposed::Exposure;
use crate::linkage::linked::{AgainstTruth, Linked};
use crate::measure::{ListedRecord, Part};
use crate::params::Choice as _;

/// Drawings and tables for the internal report.
pub(super) fn exhibits(linked: &Linked) -> Vec<Exhibit> {
    let mut views = Vec::new();
    if let Some(truth) = &linked.truth {
        views.extend(weights(truth));
        views.extend(precision(linked, truth));
    }
    views.push(by_variable(linked));
    vec![Exhibit {
        id: "linkage".to_owned(),
        title: "Links by weight".to_owned(),
        views,
        ..Exhibit::default()
    }]
}

/// Right and wrong links by weight.
fn weights(truth: &AgainstTruth) -> Option<View> {
    let [first, second, ..] = truth.by_weight[..] else {
        return None;
    };
    let series = |name: &str, column: usize| HistogramSeries {
        name: name.to_owned(),
        cells: Vec::new(),
        counts: truth
            .by_weight
            .iter()
            .map(|bin| bin[column].round() as u64)
            .collect(),
        density: Vec::new(),
        limits: Vec::new(),
    };
    let shown = Histogram {
        axis: "weight of the link".to_owned(),
        from: first[0],
        step: second[0] - first[0],
        headings: Vec::new(),
        series: vec![series("right links", 1), series("wrong links", 2)],
    };
    Some(View::new(
        "Right and wrong links by weight",
        Shows::Histogram(shown),
    ))
}

/// Precision against recall, from the top of the list of links down.
fn precision(linked: &Linked, truth: &AgainstTruth) -> Option<View> {
    if truth.precision.len() < 2 {
        return None;
    }
    let zone = truth.zone;
    let n = linked.n_masked.max(1) as f64;
    let spots = zone.lowest_weight.map(|_| Spot {
        name: "end of the zone".to_owned(),
        at: [zone.correct / n, zone.correct / zone.n_links],
    });
    let shown = Curve {
        across: "recall: share of the masked records that were found".to_owned(),
        up: "precision: share of the links that are right".to_owned(),
        points: truth
            .precision
            .iter()
            .map(|[links, share]| [links * share / n, *share])
            .collect(),
        spots: spots.into_iter().collect(),
    };
    Some(View::new(
        "Precision and recall, from the top of the list of links down",
        Shows::Curve(shown),
    ))
}

/// What each variable adds to a link.
fn by_variable(linked: &Linked) -> View {
    let contributions = linked.truth.as_ref().map(|truth| &truth.contributions);
    let rows = linked.parameters.iter().enumerate().map(|(j, one)| {
        let [right, wrong] = contributions.map_or([None; 2], |all| all[j]);
        vec![
            Cell::from(one.name.as_str()),
            Cell::from(one.comparator.name()),
            one.m.into(),
            one.u.into(),
            one.agree.into(),
            one.disagree.into(),
            right.into(),
            wrong.into(),
        ]
    });
    let number = |name: &str, label: &str| Column::of(Unit::Number, name, label).with_digits(4);
    let table = Table {
        columns: vec![
            Column::text("variable", "Variable"),
            Column::text("compared", "Compared by"),
            number("m", "m"),
            number("u", "u"),
            number("agree", "Agreement"),
            number("disagree", "Disagreement"),
            number("right", "In right links"),
            number("wrong", "In wrong links"),
        ],
        rows: rows.collect(),
        ..Table::default()
    };
    View::new("What each variable adds to the weight of a link", Shows::Table(table))
        .noted("m and u are shares of agreement among matches and among other pairs; the last two columns are means over links.")
        .filed("linkage-variables")
}

/// The masked records that are found most surely, by the rows of the original. Confidential.
pub(super) fn most_exposed(exposure: &Exposure) -> Vec<ListedRecord> {
    let told = exposure.most.iter().map(|one| ListedRecord {
        row: one.original as u64 + 1,
        key: Vec::new(),
        figures: vec![
            Part::new("found", one.found),
            Part::new("weight", one.weight),
            Part::new("outlier", one.is_outlier.map(|is| f64::from(u8::from(is)))),
        ],
    });
    told.collect()
}
