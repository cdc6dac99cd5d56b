#![doc = include_str!("il1.md")]

use bauta_data::Table;

use crate::card::{Card, Family, Randomness, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{Files, MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::MISSING;
use crate::note::KnownNote;
use crate::pair::Pair;
use crate::pair::cell_means::{mean_of_cells, too_far};
use crate::pair::records::{
    CORRESPONDENCE, Correspondence, compares_own, complete_records, matched,
};
use crate::params::{ParamProblem, Params};

/// Distance between original and masked values, relative to the original. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il1;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il1",
        title: "IL1",
        summary: "mean distance between original and masked values, relative to the original",
        family: Family::Loss,
        page: include_str!("il1.md"),
        params: &[CORRESPONDENCE, MISSING],
        targets: Targets::CONTENT,
        randomness: Randomness::None,
        references: &["mateo2004", "sebe2002"],
    },
    value: FigureSpec::value("relative distance", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

impl MeasureMethod for Il1 {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        of_matched(task, context)
    }
}

/// The loss against the records that the task's correspondence asks for.
pub(crate) fn of_matched(
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    let pair = task.both()?;
    let skips = task.params.choice("missing") == "skip";
    if compares_own(Correspondence::asked(task.params), &pair) || !skips {
        return matched(Correspondence::asked(task.params), task, context, |task| {
            of_traced(task, context)
        });
    }
    let originals = complete_records(pair.original, task.on);
    let masked = complete_records(pair.masked, task.on);
    if originals.is_none() && masked.is_none() {
        return matched(Correspondence::asked(task.params), task, context, |task| {
            of_traced(task, context)
        });
    }
    // A distance between records needs every value: those that lack one are left out.
    let n_left_out =
        |n: usize, complete: Option<&Vec<u32>>| complete.map_or(0, |all| n - all.len());
    context.note(KnownNote::IncompleteRecordsSkipped {
        n_original: n_left_out(pair.original.n_records(), originals.as_ref()),
        n_masked: n_left_out(pair.masked.n_records(), masked.as_ref()),
    });
    let part = |table: &Table, complete: Option<&Vec<u32>>| match complete {
        Some(complete) => table.take(complete).as_source(),
        None => table.clone(),
    };
    let (original, complete) = (
        part(pair.original, originals.as_ref()),
        part(pair.masked, masked.as_ref()),
    );
    let files = Files::Both(Pair {
        original: &original,
        masked: &complete,
        ..pair
    });
    let found = matched(
        Correspondence::asked(task.params),
        &MeasureTask { files, ..*task },
        context,
        |task| of_traced(task, context),
    )?;
    Ok(match masked {
        Some(records) => spread(found, &records, pair.masked.n_records()),
        None => found,
    })
}

/// The loss of a masked file whose records are traced to the originals that they are compared with.
pub(crate) fn of_traced(
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    mean_of_cells(
        task,
        context,
        |variable, first, figures| variable.fill(first, figures, relative),
        too_far,
    )
}

/// |x - z| / |x|; where x is 0, z takes its place as divisor, and where both are, nothing changed.
fn relative(x: f64, z: f64) -> f64 {
    let distance = (x - z).abs();
    if distance == 0.0 {
        return 0.0;
    }
    distance / if x == 0.0 { z.abs() } else { x.abs() }
}

/// Figures of some records as figures of all, not defined for the others.
fn spread(mut found: Measurement, records: &[u32], n_records: usize) -> Measurement {
    if let Some(figures) = found.per_record.take() {
        let mut all = vec![f64::NAN; n_records];
        for (&record, figure) in records.iter().zip(figures) {
            all[record as usize] = figure;
        }
        found.per_record = Some(all);
    }
    if let Some(cells) = found.cells_per_record.take() {
        let mut all = vec![0; n_records];
        for (&record, n) in records.iter().zip(cells) {
            all[record as usize] = n;
        }
        found.cells_per_record = Some(all);
    }
    found
}
