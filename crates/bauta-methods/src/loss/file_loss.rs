#![doc = include_str!("file_loss.md")]

use std::f64::consts::SQRT_2;

use bauta_data::{Column, Role};

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::listed;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::moments::{finite_moments, is_constant};
use crate::kernel::numbers::sums::sum_by;
use crate::loss::suppressed_cells::{EVERY_CONTENT, n_deleted};
use crate::measure::{
    Afterwards, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Subject,
};
use crate::note::{Note, NoteRank};
use crate::pair::Pair;
use crate::pair::recoding::Recoding;
use crate::pair::records::check_rows;
use crate::pair::variables::TwoColumns;
use crate::params::{ParamProblem, Params};

/// The loss of the file as a whole. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct FileLoss;

const OF_LEFT: FigureSpec =
    FigureSpec::share("loss_of_records_left", "loss of the records that are left")
        .lower_is_better();
const DELETED: FigureSpec =
    FigureSpec::share("records_deleted", "share of deleted records").lower_is_better();
const COVERED: FigureSpec = FigureSpec::count("covered", "masked variables covered");
const NOT_COVERED: FigureSpec = FigureSpec::count(
    "not_covered",
    "changed or dropped variables that are not covered",
);

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "file-loss",
        title: "Loss of the file",
        summary: "one loss from 0 to 1 over all masked variables, numbers and categories, and deleted records",
        page: include_str!("file_loss.md"),
        targets: EVERY_CONTENT,
        scaling: Scaling::Variable,
        references: &["yancey2002", "gionis2009"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("mean of its masked variables", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better()
        .headline(),
    figures: &[OF_LEFT, DELETED, COVERED, NOT_COVERED],
    afterwards: Afterwards::AnyKind,
    ..MeasureCard::LOSS
};

impl MeasureMethod for FileLoss {
    type Settings = ();

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, _: &Params) -> Result<(), Vec<ParamProblem>> {
        Ok(())
    }

    fn measure(
        &self,
        (): &(),
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        check_rows(&pair)?;
        let mut losses = Vec::new();
        for (done, name) in task.on.iter().enumerate() {
            context.progress(done, task.on.len())?;
            let of_variable = pair.given_back(|pair| {
                let columns = TwoColumns::of(pair, name)?;
                Ok::<_, MethodError>(OfVariable {
                    name,
                    loss: loss_of(&columns, pair)?,
                    is_masked: is_changed(columns.original, columns.masked, pair),
                })
            });
            losses.push(of_variable?);
        }
        let n = pair.original.n_records();
        let deleted = (n > 0).then(|| n_deleted(pair) as f64 / n as f64);
        let mut found = measurement(&losses, deleted.unwrap_or(0.0));
        let covered = covered(&losses);
        found.give(&OF_LEFT, mean(&covered));
        found.give(&COVERED, covered.len() as f64);
        found.give(&DELETED, deleted);
        let left_out = NotCovered::of(pair, task.on);
        found.give(&NOT_COVERED, left_out.n_variables() as f64);
        context.go_on()?;
        if let Some(note) = left_out.told() {
            context.note(note);
        }
        Ok(found)
    }
}

/// What a variable lost in the records that are left.
struct OfVariable<'a> {
    name: &'a str,
    /// None without a cell that had a value.
    loss: Option<f64>,
    /// Whether a cell is not what it was.
    is_masked: bool,
}

/// The losses that the figure of the file is the mean of: what steps left as it was would dilute them. All where
/// nothing was changed.
fn covered(losses: &[OfVariable<'_>]) -> Vec<f64> {
    let any_is_masked = losses.iter().any(|of| of.is_masked);
    let covered = losses.iter().filter(|of| of.is_masked || !any_is_masked);
    covered.filter_map(|of| of.loss).collect()
}

fn mean(figures: &[f64]) -> Option<f64> {
    (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
}

/// The loss of each variable and of the file. The cells of deleted records are lost with them.
fn measurement(losses: &[OfVariable<'_>], deleted: f64) -> Measurement {
    let with_deleted = |loss: f64| (deleted + (1.0 - deleted) * loss).min(1.0);
    let each = losses.iter();
    let each = each.map(|of| Part::new(of.name, of.loss.map(with_deleted)));
    // Without a cell that is left nothing but the deleted records can be lost.
    let of_file = mean(&covered(losses)).map(with_deleted);
    Measurement {
        value: of_file.or((deleted > 0.0).then_some(deleted)),
        by_variable: each.collect(),
        ..Measurement::default()
    }
}

/// The loss of a variable over the cells that had a value, in the records that are left; none without such a cell.
fn loss_of(columns: &TwoColumns<'_>, pair: Pair<'_>) -> Result<Option<f64>, MethodError> {
    if let (Some(x), Some(z)) = (columns.original.as_numeric(), columns.masked.as_numeric()) {
        return loss_of_numbers(columns.name, x, z, pair);
    }
    let of = Recoding::of(columns, pair);
    // A single value has no entropy to lose, but its cells can be taken away.
    Ok(of.entropy.or_else(|| of.cells_lost()))
}

/// The mean over cells of |x - z| / (√2 S), as in `il1s`, and of 1 where that is more or the value is gone.
fn loss_of_numbers(
    name: &str,
    x: &[f64],
    z: &[f64],
    pair: Pair<'_>,
) -> Result<Option<f64>, MethodError> {
    let sd = finite_moments(name, x)?.sd;
    // The mean of equal values can be rounded, so that their standard deviation is not quite 0.
    let unit = if is_constant(x) { 0.0 } else { SQRT_2 * sd };
    let original = |record: usize| x[pair.original_record(record)];
    let n_had = (0..z.len())
        .filter(|&record| !original(record).is_nan())
        .count();
    let lost = sum_by(z.len(), |record| {
        cell_loss(original(record), z[record], unit)
    });
    Ok((n_had > 0).then(|| (lost / n_had as f64).min(1.0)))
}

/// What a cell lost: nothing if there was no value or it is the same, all if it is gone or farther than a unit.
fn cell_loss(x: f64, z: f64, unit: f64) -> f64 {
    if x.is_nan() {
        return 0.0;
    }
    let distance = (x - z).abs();
    if distance == 0.0 {
        return 0.0;
    }
    // Neither a value that is gone nor one that is infinitely far is below the unit.
    if distance < unit {
        distance / unit
    } else {
        1.0
    }
}

/// Whether a cell of a variable is not what it was, in the records that are left.
fn is_changed(original: &Column, masked: &Column, pair: Pair<'_>) -> bool {
    let differs =
        |record: usize| !masked.same_value(record, original, pair.original_record(record));
    (0..masked.len()).any(differs)
}

/// Variables that are not what they were and that the loss does not look at.
struct NotCovered<'a> {
    dropped: Vec<&'a Column>,
    changed: Vec<&'a Column>,
}

impl<'a> NotCovered<'a> {
    fn of(pair: Pair<'a>, on: &[String]) -> Self {
        let columns = pair.original.columns().iter().map(AsRef::as_ref);
        let others =
            columns.filter(|column: &&Column| !on.iter().any(|name| name == column.name()));
        let others: Vec<&Column> = others.collect();
        let masked = |column: &Column| pair.masked.column_named(column.name());
        let is_changed = |column: &&&Column| {
            masked(column).is_some_and(|masked| is_changed(column, masked, pair))
        };
        Self {
            dropped: others
                .iter()
                .filter(|column| masked(column).is_none())
                .copied()
                .collect(),
            changed: others.iter().filter(is_changed).copied().collect(),
        }
    }

    fn n_variables(&self) -> usize {
        self.dropped.len() + self.changed.len()
    }

    /// What is not covered and why, if anything is not.
    fn told(&self) -> Option<Note> {
        if self.n_variables() == 0 {
            return None;
        }
        let named = |columns: &[&Column], why: &dyn Fn(&Column) -> &'static str| -> Vec<String> {
            let each = columns.iter();
            each.map(|column| format!("{} ({})", column.name(), why(column)))
                .collect()
        };
        let mut all = named(&self.dropped, &|_| "dropped");
        all.extend(named(&self.changed, &|column| why_not(column)));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let names = |columns: &[&Column]| -> Vec<String> {
            columns
                .iter()
                .map(|column| column.name().to_owned())
                .collect()
        };
        let content = [Role::Key, Role::Sensitive, Role::Stratum, Role::Other];
        let mut left_out = self.dropped.iter().chain(&self.changed);
        let is_content = left_out.any(|column| content.contains(&column.attribute().role));
        let note = Note::new(
            "not-covered",
            format!("the loss of the file does not cover {}", listed(&all)),
        );
        let note = note
            .with("dropped", names(&self.dropped))
            .with("changed", names(&self.changed));
        Some(note.ranked(if is_content {
            NoteRank::Warning
        } else {
            NoteRank::Fact
        }))
    }
}

/// Why a variable that was changed is not looked at.
fn why_not(column: &Column) -> &'static str {
    match column.attribute().role {
        Role::Weight => "a weight, changed",
        Role::Household => "a household number, changed",
        Role::Identifier => "an identifier, changed",
        Role::Key | Role::Sensitive | Role::Stratum | Role::Other => {
            "changed, and not among its variables"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_loses_at_most_all() {
        let of = |x: f64, z: f64| cell_loss(x, z, 4.0);
        let found = [
            of(1.0, 3.0),
            of(3.0, 3.0),
            of(1.0, 9.0),
            of(1.0, f64::NAN),
            of(f64::NAN, 1.0),
        ];
        let expected: [f64; 5] = [0.5, 0.0, 1.0, 1.0, 0.0];
        assert_eq!(found.map(f64::to_bits), expected.map(f64::to_bits));
        // The difference of numbers at the ends of doubles is infinite.
        assert_eq!(of(-1.7e308, 1.7e308).to_bits(), 1.0_f64.to_bits());
        // Of equal originals every change is a whole loss.
        assert_eq!(cell_loss(2.0, 2.5, 0.0).to_bits(), 1.0_f64.to_bits());
    }
}
