//! What was added to the algorithm, against plain hill climbing on the same files with as many steps.

use std::fmt::Write as _;

use bauta_data::{Table, Watch};
use bauta_methods::{MethodError, RawValue};

use super::{Figures, Spread, TABLES, over_seeds, start};
use crate::{heading, row};

/// Steps of every search here.
const STEPS: i64 = 200_000;

/// Parameters by name.
type Given = Vec<(&'static str, RawValue)>;

fn options() -> Vec<(&'static str, Given)> {
    let word = |word: &str| RawValue::Text(word.to_owned());
    vec![
        ("plain (Algorithm 1)", Vec::new()),
        ("gradient", vec![("proposals", word("gradient"))]),
        ("annealing", vec![("acceptance", word("anneal"))]),
        ("projection", vec![("projection", RawValue::Flag(true))]),
        (
            "risk of intervals (weight_id = 0.1)",
            vec![("weight_id", RawValue::Number(0.1))],
        ),
        (
            "risk of intervals (weight_id = 1)",
            vec![("weight_id", RawValue::Number(1.0))],
        ),
        (
            "own originals (weight_dld = 1)",
            vec![("weight_dld", RawValue::Number(1.0))],
        ),
        (
            "gradient and weight_id = 1",
            vec![
                ("proposals", word("gradient")),
                ("weight_id", RawValue::Number(1.0)),
            ],
        ),
    ]
}

pub(super) fn compared(
    census: &Table,
    n_seeds: u32,
    watch: &dyn Watch,
) -> Result<String, MethodError> {
    let mut text = format!(
        "\n## What was added, at equal steps\n\n\
         p = 0.5, no target, {STEPS} steps by parts of the way to original values, the same {n_seeds} files and seeds for each \
         option. *Better* is the number of seeds on which the score is below that of plain hill climbing.\n"
    );
    for (table, published) in TABLES.iter().enumerate() {
        let _ = write!(text, "\n### From the start of {}\n\n", published.title);
        text += &heading(&[&["q", "option"][..], &Figures::NAMES[..], &["better"]].concat());
        let starts: Vec<Table> = (1..=u64::from(n_seeds))
            .map(|seed| start(table, census, seed, watch))
            .collect::<Result<_, _>>()?;
        for (q, _) in &published.rows {
            let mut plain: Vec<f64> = Vec::new();
            for (name, given) in options() {
                let usual = [
                    ("p", RawValue::Number(0.5)),
                    ("q", RawValue::Number(*q)),
                    ("iterations", RawValue::Integer(STEPS)),
                    ("patience", RawValue::Integer(STEPS)),
                ];
                let params: Given = usual.into_iter().chain(given).collect();
                let runs = over_seeds(census, &starts, &params, watch)?;
                let scores: Vec<f64> = runs.iter().map(|run| run.score).collect();
                if plain.is_empty() {
                    plain.clone_from(&scores);
                }
                let n_better = scores
                    .iter()
                    .zip(&plain)
                    .filter(|(score, plain)| score < plain);
                let mut cells = vec![q.to_string(), name.to_owned()];
                cells.extend(Spread::of(&runs).cells());
                cells.push(format!("{} of {n_seeds}", n_better.count()));
                text += &row(&cells);
            }
        }
    }
    text += "\nThe score compares each record with its nearest original, and so does `weight_id`: it holds down what the score \
             counts. `weight_dld` holds down the share of records whose nearest original is their own, which the score does \
             not count; `dld` and `pld` with the records' own originals do.\n";
    Ok(text)
}
