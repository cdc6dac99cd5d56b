//! What was added to the algorithm, against plain hill climbing on the same files with as many steps.

use std::fmt::Write as _;

use bauta_data::{Table, Watch};
use bauta_methods::{Groups, MethodError, RawValue};
use rayon::prelude::*;

use super::{Figures, Spread, TABLES, improved, judged, start};
use crate::pace::Pace;
use crate::trial::{Method, measured};
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

/// Measures that hold each record against its own original.
const OWN: [(&str, &str); 3] = [
    ("dld", "DLD, own"),
    ("interval-rank", "ID, own"),
    ("il1s", "IL1s, own"),
];

fn against_own(census: &Table, file: &Table, watch: &dyn Watch) -> Result<[f64; 3], MethodError> {
    let mut found = [0.0; 3];
    for (place, (id, _)) in found.iter_mut().zip(OWN) {
        let method = Method::new(id, &[]);
        let measured = measured(&method, census, file, &Groups::default(), watch)?;
        *place = 100.0 * measured.value.unwrap_or(f64::NAN);
    }
    Ok(found)
}

/// Means of the columns, as cells.
fn means(runs: &[[f64; 3]]) -> [String; 3] {
    std::array::from_fn(|at| {
        let sum: f64 = runs.iter().map(|run| run[at]).sum();
        format!("{:.2}", sum / runs.len() as f64)
    })
}

/// How much work they are, in steps.
pub(super) fn pieces(n_seeds: u32) -> u64 {
    let n_searches = TABLES.len() * TABLES[0].rows.len() * options().len() * n_seeds as usize;
    n_searches as u64 * STEPS as u64
}

pub(super) fn compared(
    census: &Table,
    n_seeds: u32,
    watch: &Pace<'_>,
) -> Result<String, MethodError> {
    let mut text = format!(
        "\n## What was added, at equal steps\n\n\
         p = 0.5, no target, {STEPS} steps by parts of the way to original values, the same {n_seeds} files and seeds for each \
         option. *Better* is the number of seeds on which the score is below that of plain hill climbing. The last columns hold \
         each record against its own original, which nobody outside can: DLD, rank intervals and IL1s, in percent.\n"
    );
    for (table, published) in TABLES.iter().enumerate() {
        let _ = write!(text, "\n### From the start of {}\n\n", published.title);
        let head = [
            &["q", "option"][..],
            &Figures::NAMES,
            &["better"],
            &OWN.map(|(_, name)| name),
        ];
        text += &heading(&head.concat());
        let starts: Vec<Table> = (1..=u64::from(n_seeds))
            .map(|seed| start(table, census, seed, watch))
            .collect::<Result<_, _>>()?;
        let owns = starts
            .par_iter()
            .map(|file| against_own(census, file, watch));
        let mut cells = vec!["-".to_owned(), "before".to_owned()];
        cells.extend(vec![String::from("-"); Figures::NAMES.len() + 1]);
        cells.extend(means(&owns.collect::<Result<Vec<_>, _>>()?));
        text += &row(&cells);
        for (q, _) in &published.rows {
            text += &rows_of(*q, census, &starts, watch)?;
        }
    }
    text += "\nThe score compares each record with its nearest original, and so does `weight_id`: it holds down what the score \
             counts. How far that helps a record against who knows its own original is in the last columns; annealing holds \
             down nothing but E. `weight_dld` holds down the share of records whose nearest original is their own, which the \
             score does not count.\n";
    Ok(text)
}

/// The options at one q.
fn rows_of(
    q: f64,
    census: &Table,
    starts: &[Table],
    watch: &Pace<'_>,
) -> Result<String, MethodError> {
    let mut text = String::new();
    let mut plain: Vec<f64> = Vec::new();
    for (name, given) in options() {
        let usual = [
            ("p", RawValue::Number(0.5)),
            ("q", RawValue::Number(q)),
            ("iterations", RawValue::Integer(STEPS)),
            ("patience", RawValue::Integer(STEPS)),
        ];
        let params: Given = usual.into_iter().chain(given).collect();
        let both = starts.par_iter().enumerate().map(|(at, file)| {
            let file = improved(census, file, &params, at as u64 + 1, watch)?;
            watch.done(STEPS as u64);
            Ok((
                judged(census, &file, watch)?,
                against_own(census, &file, watch)?,
            ))
        });
        let both: Vec<(Figures, [f64; 3])> = both.collect::<Result<_, MethodError>>()?;
        let (runs, owns): (Vec<Figures>, Vec<[f64; 3]>) = both.into_iter().unzip();
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
        cells.push(format!("{} of {}", n_better.count(), starts.len()));
        cells.extend(means(&owns));
        text += &row(&cells);
    }
    Ok(text)
}
