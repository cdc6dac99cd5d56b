#![doc = include_str!("il1.md")]

use bauta_data::Table;

use crate::card::{Card, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::measure::{Files, MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::{MISSING, Missing};
use crate::pair::Pair;
use crate::pair::cell_means::mean_of_cells;
use crate::pair::records::{
    CORRESPONDENCE, Correspondence, compares_own, complete_records, incomplete_skipped, matched,
};
use crate::params::{ParamProblem, Params};

/// Distance between original and masked values, relative to the original. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Il1;

pub(crate) static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "il1",
        title: "IL1",
        summary: "mean distance between original and masked values, relative to the original",
        page: include_str!("il1.md"),
        params: &[CORRESPONDENCE, MISSING],
        scaling: Scaling::Record,
        references: &["mateo2004", "sebe2002"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("relative distance", Unit::Number).lower_is_better(),
    ..MeasureCard::LOSS
};

/// Which records are compared, and what is done with missing values.
pub struct Settings {
    /// Which original record a masked one is compared with, if that was said.
    pub correspondence: Option<Correspondence>,
    /// What to do with missing values.
    pub missing: Missing,
}

impl MeasureMethod for Il1 {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            correspondence: Correspondence::asked(params),
            missing: Missing::asked(params),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        let of = |task: &MeasureTask<'_>| {
            matched(settings.correspondence, task, context, |task| {
                of_traced(settings.missing, task, context)
            })
        };
        match settings.missing {
            Missing::Skip if !compares_own(settings.correspondence, &pair) => {
                of_complete(&pair, task, context, of)
            }
            Missing::Skip | Missing::Refuse => of(task),
        }
    }
}

/// The loss of the records that have every value: a distance between records needs them all.
fn of_complete(
    pair: &Pair<'_>,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
    of: impl FnOnce(&MeasureTask<'_>) -> Result<Measurement, MethodError>,
) -> Result<Measurement, MethodError> {
    let originals = complete_records(pair.original, task.on);
    let masked = complete_records(pair.masked, task.on);
    if originals.is_none() && masked.is_none() {
        return of(task);
    }
    let part = |table: &Table, complete: Option<&Vec<u32>>| match complete {
        Some(complete) => table.take(complete).as_source(),
        None => table.clone(),
    };
    let (original, complete) = (
        part(pair.original, originals.as_ref()),
        part(pair.masked, masked.as_ref()),
    );
    context.note(incomplete_skipped(
        pair.original.n_records() - original.n_records(),
        pair.masked.n_records() - complete.n_records(),
    ));
    let files = Files::Both(Pair {
        original: &original,
        masked: &complete,
        ..*pair
    });
    let found = of(&MeasureTask { files, ..*task })?;
    Ok(match masked {
        Some(records) => spread(found, &records, pair.masked.n_records()),
        None => found,
    })
}

/// The loss of a masked file whose records are traced to the originals that they are compared with.
pub(crate) fn of_traced(
    missing: Missing,
    task: &MeasureTask<'_>,
    context: &RunContext<'_>,
) -> Result<Measurement, MethodError> {
    mean_of_cells(missing, task, context, &relative)
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
