//! What one measure found serves another, and changes none of its figures.

use bauta_data::{Table, Unwatched};
use bauta_methods::pair::Rows;
use bauta_methods::{Files, MeasureTask, Note, Pair, RawValue, RunContext, SharedFacts, registry};

use crate::support::{numbers, params, scatter, table};

const MEASURES: [&str; 7] = [
    "dld",
    "il",
    "score",
    "il1",
    "interval-rank",
    "a-score",
    "d-score",
];

/// Three amounts with ties, moved by up to `most`.
fn file(most: u64) -> Table {
    let cell = |i: usize, j: u64| {
        let moved = if most == 0 {
            0
        } else {
            scatter(i, 90 + j) % (2 * most + 1)
        };
        (10 + scatter(i, j) % 40 + moved) as f64 / 4.0 - most as f64 / 4.0
    };
    let column = |j: u64| (0..400).map(|i| cell(i, j)).collect::<Vec<f64>>();
    let columns = (1..=3).map(|j| numbers(&format!("x{j}"), &column(j)));
    table(columns.collect())
}

/// All that a measure says, to the last bit; an error is something said too.
fn said(
    id: &str,
    pair: Pair<'_>,
    on: &[String],
    facts: Option<&SharedFacts>,
) -> (String, Vec<Note>) {
    let measure = registry::measure(id).expect("it is registered");
    let nearest = ("correspondence", RawValue::Text("nearest".to_owned()));
    let given = match (id, pair.rows) {
        ("il1" | "interval-rank", Rows::Correspond) => vec![nearest],
        _ => Vec::new(),
    };
    let params = params(measure.card(), &given);
    let mut context = RunContext::new(1, id, &Unwatched);
    if let Some(facts) = facts {
        context = context.sharing(facts);
    }
    let task = MeasureTask::new(Files::Both(pair), on);
    let found = measure.measure(&params, &task, &context);
    (format!("{found:?}"), context.into_notes())
}

#[test]
fn measures_that_share_facts_say_what_each_says_alone() {
    let (original, masked) = (file(0), file(3));
    let shuffled: Vec<u32> = (0..400).map(|i| (i * 7 + 3) % 400).collect();
    let chosen = masked.take(&shuffled[..250]);
    let on = ["x1", "x2", "x3"].map(str::to_owned);
    for rows in [Rows::Correspond, Rows::Unrelated] {
        // One run looks at several files, at all of their variables and at some.
        let facts = SharedFacts::default();
        for masked in [&masked, &chosen, &masked, &original] {
            for on in [&on[..], &on[1..], &on[..]] {
                let pair = Pair {
                    original: &original,
                    masked,
                    rows,
                };
                for id in MEASURES.iter().chain(MEASURES.iter().rev()) {
                    let alone = said(id, pair, on, None);
                    assert_eq!(said(id, pair, on, Some(&facts)), alone, "{id} {rows:?}");
                }
            }
        }
    }
}

#[test]
fn columns_that_are_gone_are_not_taken_for_new_ones() {
    let original = file(0);
    let facts = SharedFacts::default();
    let on = ["x1", "x2", "x3"].map(str::to_owned);
    for most in 1..20 {
        // Each is dropped before the next is made, perhaps at the same place.
        let masked = file(most);
        let pair = Pair {
            original: &original,
            masked: &masked,
            rows: Rows::Correspond,
        };
        for id in ["il", "dld", "score"] {
            assert_eq!(said(id, pair, &on, Some(&facts)), said(id, pair, &on, None));
        }
    }
}
