//! What an optimisation shows for itself: where it began and ended, and how it went.

use super::{Distance, Optimised};
use crate::exhibit::{
    Cell, Column, Curve, Evidence, Exhibit, Fact, Shows, Table, Unit, View, Words,
};

/// The evidence of a step. Nothing of it is for the public: it says how near the file is to the original.
pub(crate) fn evidence(found: &Optimised, names: &[&str]) -> Evidence {
    let summary = Words::new()
        .text("E from ")
        .digits(found.before.e, 3)
        .text(" to ")
        .digits(found.after.e, 3)
        .text(", IL1 from ")
        .digits(found.before.il1, 3)
        .text(" to ")
        .digits(found.after.il1, 3);
    let data = serde_json::json!({
        "before": of_distance(found.before),
        "after": of_distance(found.after),
        "il1_target": found.il1_target,
        "open_records": found.n_open,
        "steps": found.course.n_steps,
        "accepted": found.course.n_accepted,
        "end": found.course.end.in_words(),
        "ends": found.ends,
    });
    Evidence {
        id: "optimisation".to_owned(),
        title: "Post-masking optimisation".to_owned(),
        subject: names.join(", "),
        summary,
        exhibits: exhibits(Some(found)),
        data,
    }
}

fn of_distance(distance: Distance) -> serde_json::Value {
    serde_json::json!({ "e": distance.e, "il1": distance.il1 })
}

/// What is shown, or the same without any figure.
pub(crate) fn exhibits(found: Option<&Optimised>) -> Vec<Exhibit> {
    let trace = found.map_or(&[][..], |found| &found.course.trace[..]);
    let mut views = Vec::new();
    if let Some(found) = found {
        views.push(View::new("", Shows::Facts(facts(found))));
        views.push(curve("E by steps", "E", trace, 1));
        views.push(curve("IL1 by steps", "IL1", trace, 2));
    }
    let number = |name: &str, label: &str| Column::of(Unit::Number, name, label).with_digits(6);
    let rows = trace.iter().map(|[steps, e, il1, stayed]| {
        vec![
            Cell::from(*steps),
            Cell::from(*e),
            Cell::from(*il1),
            Cell::from(*stayed),
        ]
    });
    let table = Table {
        columns: vec![
            Column::of(Unit::Count, "steps", "Steps"),
            number("e", "E"),
            number("il1", "IL1"),
            Column::of(Unit::Share, "stayed", "Changes that stayed"),
        ],
        rows: rows.collect(),
        ..Table::default()
    };
    let table = View::new("How the search went", Shows::Table(table));
    views.push(table.filed("optimisation-trace").folded_if(true));
    vec![Exhibit {
        id: "trace".to_owned(),
        title: "Moments and distance".to_owned(),
        views,
        ..Exhibit::default()
    }]
}

fn facts(found: &Optimised) -> Vec<Fact> {
    let from_to = |before: f64, after: f64| {
        Words::new()
            .digits(before, 4)
            .text(" before, ")
            .digits(after, 4)
            .text(" after")
    };
    vec![
        Fact::new(
            "Records that could change",
            Words::new().count(found.n_open as u64),
        ),
        Fact::new(
            "Distance of moments E",
            from_to(found.before.e, found.after.e),
        ),
        Fact::new(
            "IL1 against the nearest originals",
            from_to(found.before.il1, found.after.il1)
                .text("; aimed at ")
                .digits(found.il1_target, 4),
        ),
        Fact::new(
            "Steps",
            Words::new()
                .count(found.course.n_steps as u64)
                .text(", of which ")
                .count(found.course.n_accepted as u64)
                .text(" stayed; ")
                .text(found.course.end.in_words()),
        ),
    ]
}

fn curve(caption: &str, up: &str, trace: &[[f64; 4]], column: usize) -> View {
    let shown = Curve {
        across: "steps".to_owned(),
        up: up.to_owned(),
        points: trace.iter().map(|at| [at[0], at[column]]).collect(),
        spots: Vec::new(),
    };
    View::new(caption, Shows::Curve(shown))
}
