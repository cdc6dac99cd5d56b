//! The totals that weights had to reach, before and after.

use super::{LONG, is_scaled};
use crate::adjust::calibration::found::{Calibration, MarginRow};
use crate::exhibit::{
    Cell, Column, Exhibit, Paragraph, Shows, Table, Unit, Verdict, View, Words, listed,
};

/// Largest |relative error| of a total that counts as reached.
const REACHED: f64 = 1e-6;

/// The table of totals, by term, and what is to be said about it.
pub(super) fn exhibit(calibration: &Calibration) -> Exhibit {
    let mut text = vec![verdict(calibration)];
    text.extend(rank_note(calibration));
    let unit = match calibration.unit.as_str() {
        "household" => "households",
        _ => "records",
    };
    let note = format!(
        "Relative error: (after − target) / max(1, |target|); marked ✗ where it is above 10⁻⁶. \
         Share: of the target in its term. \
         n: the {unit} that a total rests on, in the original and among those left."
    );
    let view = View::new(
        "Totals by term of the plan",
        Shows::Table(table(calibration)),
    );
    Exhibit {
        id: "margins".to_owned(),
        title: "Totals that the weights had to reach".to_owned(),
        text,
        views: vec![view.noted(note).filed("margins")],
        public: None,
    }
}

fn verdict(calibration: &Calibration) -> Paragraph {
    let n_margins = calibration.margins.len() as u64;
    // An error that is no number is no total reached.
    let is_missed =
        |row: &&MarginRow| row.relative_error.is_nan() || row.relative_error.abs() > REACHED;
    let n_missed = calibration.margins.iter().filter(is_missed).count() as u64;
    if n_missed == 0 {
        let reached = Words::new().counted(n_margins, "total is reached", "totals are reached");
        return Paragraph {
            verdict: Some(Verdict::Good(reached)),
            ..Paragraph::of(", each to within a millionth.")
        };
    }
    let taken = calibration.solutions.first();
    let missed = Words::new().counted(n_missed, "total is missed", "totals are missed");
    let words = Words::from(" by more than a millionth, of ")
        .count(n_margins)
        .text(".")
        .text_if(
            taken.is_some_and(|taken| taken.penalty.is_some()),
            " The plan sets a penalty, so that totals are reached only nearly.",
        );
    Paragraph {
        verdict: Some(Verdict::Bad(missed)),
        ..Paragraph::of(words)
    }
}

/// How many margins are independent, and which follow from others.
fn rank_note(calibration: &Calibration) -> Vec<Paragraph> {
    let redundant: Vec<&str> = calibration.redundant.iter().map(String::as_str).collect();
    let n_margins = calibration.margins.len() as u64;
    if redundant.is_empty() {
        let words = Words::from("All ").count(n_margins);
        return vec![Paragraph::of(
            words.text(" totals are independent of each other."),
        )];
    }
    let words = Words::from("Of ")
        .count(n_margins)
        .text(" totals ")
        .count(calibration.n_independent)
        .text(" are independent of each other; ")
        .counted(
            redundant.len() as u64,
            "follows from the others and was left out of the equations: ",
            "follow from the others and were left out of the equations: ",
        );
    let names = format!("{}.", listed(&redundant));
    if redundant.len() <= LONG {
        return vec![Paragraph::of(words.text(names))];
    }
    let folded = Paragraph {
        folded_as: Some("Show the totals that follow from others".to_owned()),
        ..Paragraph::of(names)
    };
    vec![Paragraph::of(words), folded]
}

fn table(calibration: &Calibration) -> Table {
    let row = |row: &MarginRow| -> Vec<Cell> {
        vec![
            row.term.as_str().into(),
            row.name.as_str().into(),
            row.target.into(),
            row.share.into(),
            row.before.into(),
            row.before_scaled.into(),
            row.after.into(),
            row.relative_error.into(),
            row.n_before.into(),
            row.n_after.into(),
            calibration.redundant.contains(&row.name).to_string().into(),
        ]
    };
    Table {
        columns: vec![
            Column::filed("term"),
            Column::text("margin", "Total"),
            Column::of(Unit::Number, "target", "Target"),
            Column::of(Unit::Share, "share", "Share"),
            Column::of(Unit::Number, "before", "Before"),
            if is_scaled(calibration.scale) {
                Column::of(Unit::Number, "before_scaled", "Before, scaled")
            } else {
                Column::filed("before_scaled")
            },
            Column::of(Unit::Number, "after", "After"),
            Column {
                limit: Some(REACHED),
                ..Column::of(Unit::Number, "relative_error", "Relative error").with_digits(2)
            },
            Column::of(Unit::Count, "n_before", "n before"),
            Column::of(Unit::Count, "n_after", "n after"),
            Column::filed("redundant"),
        ],
        rows: calibration.margins.iter().map(row).collect(),
        group: Some("term".to_owned()),
        ..Table::default()
    }
}
