//! What the paper observes in its tables, held against ours.

use std::fmt::Write as _;

use super::{Found, Spread, TABLES, WAYS};
use crate::{heading, row};

/// A sentence, and whether it holds for what was found in one way.
struct Observation {
    text: &'static str,
    holds: fn(&Found, usize) -> bool,
    table: usize,
}

/// The score of each q, in the order of the tables: 0.5, 0.3, 0.1.
fn scores(found: &Found, way: usize) -> Vec<f64> {
    found.rows.iter().map(|ways| ways[way].mean.score).collect()
}

fn of(found: &Found, way: usize, pick: fn(&Spread) -> f64) -> Vec<f64> {
    found.rows.iter().map(|ways| pick(&ways[way])).collect()
}

fn risks(spread: &Spread) -> f64 {
    spread.mean.dld + spread.mean.id
}

const OBSERVATIONS: [Observation; 7] = [
    Observation {
        text: "the score improves substantially (by 1 and more) for every q",
        holds: |found, way| {
            scores(found, way)
                .iter()
                .all(|score| found.start.mean.score - score >= 1.0)
        },
        table: 0,
    },
    Observation {
        text: "the lower q, the better the score",
        holds: |found, way| scores(found, way).is_sorted_by(|a, b| a >= b),
        table: 0,
    },
    Observation {
        text: "DLD and ID grow, taken together",
        holds: |found, way| {
            of(found, way, risks)
                .iter()
                .all(|risk| *risk > risks(&found.start))
        },
        table: 0,
    },
    Observation {
        text: "the lower q, the less they grow",
        holds: |found, way| of(found, way, risks).is_sorted_by(|a, b| a >= b),
        table: 0,
    },
    Observation {
        text: "the score improves substantially (by 1 and more) for every q",
        holds: |found, way| {
            scores(found, way)
                .iter()
                .all(|score| found.start.mean.score - score >= 1.0)
        },
        table: 1,
    },
    Observation {
        text: "the higher q, the better the score",
        holds: |found, way| scores(found, way).is_sorted_by(|a, b| a <= b),
        table: 1,
    },
    Observation {
        text: "DLD and ID stay at their level (within 3 points, taken together) or fall",
        holds: |found, way| {
            of(found, way, risks)
                .iter()
                .all(|risk| risk - risks(&found.start) <= 3.0)
        },
        table: 1,
    },
];

/// The observations of §4, and in which way of perturbing they hold.
pub(super) fn told(found: &[Found]) -> (String, [usize; 2]) {
    let mut text = String::from("\n## What §4 observes\n\n");
    let names = WAYS.map(|(perturbation, scale)| format!("{perturbation}, {scale}"));
    let mut columns = vec!["table", "observation"];
    columns.extend(names.iter().map(String::as_str));
    text += &heading(&columns);
    let (mut n_hold, mut n_all) = (0, 0);
    for one in &OBSERVATIONS {
        let mut cells = vec![(one.table + 1).to_string(), one.text.to_owned()];
        for way in 0..WAYS.len() {
            let holds = (one.holds)(&found[one.table], way);
            n_hold += usize::from(holds);
            n_all += 1;
            cells.push(if holds { "holds" } else { "**does not**" }.to_owned());
        }
        text += &row(&cells);
    }
    let printed = TABLES.len();
    let _ = write!(
        text,
        "\n{n_hold} of {n_all} hold, over {printed} tables and {} ways.\n",
        WAYS.len()
    );
    (text, [n_hold, n_all])
}
