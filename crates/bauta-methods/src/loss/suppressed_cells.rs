#![doc = include_str!("suppressed_cells.md")]

use bauta_data::{Column, Kind, Role};
use rayon::prelude::*;

use crate::card::{Card, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{
    Afterwards, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Subject,
};
use crate::pair::Pair;
use crate::pair::records::check_rows;
use crate::pair::variables::TwoColumns;
use crate::params::{ParamProblem, Params};

/// Cells and records that masking took away. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct SuppressedCells;

const CELLS: FigureSpec = FigureSpec::count("cells", "suppressed cells").lower_is_better();
const OF_VARIABLE: FigureSpec = FigureSpec::count("suppressed", "suppressed cells")
    .lower_is_better()
    .per_variable();
const TOUCHED: FigureSpec =
    FigureSpec::count("records_touched", "records with a suppressed cell").lower_is_better();
const TOUCHED_SHARE: FigureSpec = FigureSpec::share(
    "records_touched_share",
    "share of records with a suppressed cell",
)
.lower_is_better();
const DELETED: FigureSpec =
    FigureSpec::count("records_deleted", "deleted records").lower_is_better();
const DELETED_SHARE: FigureSpec =
    FigureSpec::share("records_deleted_share", "share of deleted records").lower_is_better();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "suppressed-cells",
        title: "Suppressed cells",
        summary: "cells that lost their value, by variable and in all, with the records that lost one and those deleted",
        page: include_str!("suppressed_cells.md"),
        targets: EVERY_CONTENT,
        references: &["hundepool2012"],
        ..MeasureCard::LOSS.card
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("share of suppressed cells", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[
        CELLS,
        OF_VARIABLE,
        TOUCHED,
        TOUCHED_SHARE,
        DELETED,
        DELETED_SHARE,
    ],
    afterwards: Afterwards::AnyKind,
    ..MeasureCard::LOSS
};

/// Variables of any kind that are content, strata among them.
pub(crate) const EVERY_CONTENT: Targets = Targets {
    kinds: &Kind::ALL,
    default_roles: &[Role::Sensitive, Role::Key, Role::Stratum, Role::Other],
    ..Targets::CONTENT
};

impl MeasureMethod for SuppressedCells {
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
        let columns = task.on.iter().map(|name| TwoColumns::of(pair, name));
        let columns: Vec<TwoColumns<'_>> = columns.collect::<Result<_, _>>()?;
        context.go_on()?;
        let counts: Vec<[usize; 2]> = columns
            .par_iter()
            .map(|column| cells(column, pair))
            .collect();
        let by_variable = columns
            .iter()
            .zip(&counts)
            .map(|(column, [n_lost, n])| Part::new(column.name, share(*n_lost, *n)));
        let [n_lost, n] =
            [0, 1].map(|which: usize| counts.iter().map(|counts| counts[which]).sum());
        let mut found = Measurement {
            value: share(n_lost, n),
            by_variable: by_variable.collect(),
            ..Measurement::default()
        };
        found.give(&CELLS, n_lost as f64);
        for (column, [n_lost, _]) in columns.iter().zip(&counts) {
            found.give(OF_VARIABLE.of_variable(column.name), *n_lost as f64);
        }
        let n_masked = pair.masked.n_records();
        let lost_one = |record: &usize| columns.iter().any(|column| is_lost(column, pair, *record));
        let n_touched = (0..n_masked).into_par_iter().filter(lost_one).count();
        let n_deleted = n_deleted(pair);
        found.give(&TOUCHED, n_touched as f64);
        found.give(&TOUCHED_SHARE, share(n_touched, n_masked));
        found.give(&DELETED, n_deleted as f64);
        found.give(&DELETED_SHARE, share(n_deleted, pair.original.n_records()));
        Ok(found)
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Whether a cell of a masked record lost the value that it had.
fn is_lost(columns: &TwoColumns<'_>, pair: Pair<'_>, record: usize) -> bool {
    columns.masked.is_missing(record) && !columns.original.is_missing(pair.original_record(record))
}

/// Cells of a variable that lost their value, and those that had one, in the records that are left.
fn cells(columns: &TwoColumns<'_>, pair: Pair<'_>) -> [usize; 2] {
    let records = || 0..pair.masked.n_records();
    let had = |column: &Column, record: &usize| !column.is_missing(pair.original_record(*record));
    let lost = |record: &usize| is_lost(columns, pair, *record);
    [
        records().filter(lost).count(),
        records()
            .filter(|record| had(columns.original, record))
            .count(),
    ]
}

/// Original records that no masked one came from.
pub(crate) fn n_deleted(pair: Pair<'_>) -> usize {
    let mut is_left = vec![false; pair.original.n_records()];
    for record in 0..pair.masked.n_records() {
        if let Some(is_left) = is_left.get_mut(pair.original_record(record)) {
            *is_left = true;
        }
    }
    is_left.iter().filter(|is_left| !**is_left).count()
}
