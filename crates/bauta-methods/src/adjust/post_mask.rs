#![doc = include_str!("post_mask.md")]

use bauta_data::Attribute;

use crate::adjust::{AdjustMethod, AdjustTask};
use crate::card::{Card, ConstValue, Family, ParamSpec, Randomness};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::exhibit::Exhibit;
use crate::kernel::numbers::complete::{complete_rows, taken};
use crate::kernel::numbers::moments::is_constant;
use crate::mask::constant_variable;
use crate::mask::continuous::{OF_NUMBERS, numbers};
use crate::mask::{Change, StepFacts};
use crate::missing::{MISSING, Missing};
use crate::optimise::settings::{P, Q, Rounding, SHARED, Settings as Search, WEIGHT_DLD};
use crate::optimise::{Start, optimise, shown};
use crate::pair::Rows;
use crate::pair::records::{incomplete_skipped, numeric};
use crate::params::{ParamProblem, Params, RawValue};

/// Improves a masked file after the fact. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct PostMask;

const ROUND: ParamSpec = ParamSpec::flag(
    "round",
    "round new values to the decimals that the masked file has: others would show which records were changed",
)
.or(ConstValue::Flag(true));

const PARAMS: [ParamSpec; 5 + SHARED.len()] = {
    let mut all = [P; 5 + SHARED.len()];
    all[0] = P.or_number(0.5);
    all[1] = Q.or_number(0.3);
    all[2] = WEIGHT_DLD;
    let mut at = 0;
    while at < SHARED.len() {
        all[3 + at] = SHARED[at];
        at += 1;
    }
    all[3 + SHARED.len()] = ROUND;
    all[4 + SHARED.len()] = MISSING;
    all
};

static CARD: Card = Card {
    id: "post-mask",
    title: "Post-masking optimisation",
    summary: "changes some records of a masked file so that its moments are those of the original again",
    family: Family::Adjuster,
    page: include_str!("post_mask.md"),
    params: &PARAMS,
    randomness: Randomness::Seeded,
    references: &["sebe2002"],
    ..OF_NUMBERS
};

/// How to search, and what becomes of records without all values.
pub struct Settings {
    search: Search,
    missing: Missing,
}

impl AdjustMethod for PostMask {
    type Settings = Settings;

    fn card(&self) -> &'static Card {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let (q, weight_dld) = (params.number(Q.name), params.number(WEIGHT_DLD.name));
        let rounding = if params.flag(ROUND.name) {
            Rounding::AsMasked
        } else {
            Rounding::None
        };
        Ok(Settings {
            search: Search::asked(params, q, weight_dld, rounding)?,
            missing: Missing::asked(params),
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.search.check(on.len()).into_iter().collect()
    }

    fn facts(&self, settings: &Settings) -> StepFacts {
        StepFacts {
            timed: settings.search.is_timed(),
            ..StepFacts::JOINTLY
        }
    }

    fn adjust(
        &self,
        settings: &Settings,
        task: &AdjustTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Change, MethodError> {
        let files = Complete::of(settings, task, context)?;
        if files.positions.is_empty() || files.records.is_empty() {
            return Ok(Change::default());
        }
        let [original, masked] = files.columns();
        let own = files.own(task);
        let start = Start {
            names: &files.names,
            original: &original,
            masked: &masked,
            own: own.as_deref(),
        };
        if settings.search.weight_dld > 0.0 && own.is_none() {
            return Err(MethodError::request(
                "`weight_dld` needs to know which original each record came from, and a step before left nobody able to tell",
                "leave it out, or weigh `weight_id` instead",
            ));
        }
        let found = optimise(&start, &settings.search, context)?;
        let evidence = shown::evidence(&found, &files.names);
        let columns = files.positions.iter().zip(found.columns);
        let columns = columns.map(|(&position, new)| {
            let column = task.pair.masked.column(position);
            let mut values = column.as_numeric().unwrap_or_default().to_vec();
            for (&record, value) in files.records.iter().zip(new) {
                values[record as usize] = value;
            }
            (position, column.with_numbers(values))
        });
        Ok(Change {
            evidence: Some(Box::new(evidence)),
            ..Change::of_columns(columns.collect())
        })
    }

    fn shows(&self) -> Vec<Exhibit> {
        shown::exhibits(None)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        vec![("p", RawValue::Number(0.5)), ("q", RawValue::Number(0.5))]
    }
}

/// The variables that vary, and the records of both files that have a value in all of them.
struct Complete<'a> {
    names: Vec<&'a str>,
    /// Positions of the variables in the masked file.
    positions: Vec<usize>,
    /// Complete records of the masked file.
    records: Vec<u32>,
    originals: Vec<u32>,
    values: [Vec<Vec<f64>>; 2],
}

impl<'a> Complete<'a> {
    fn of(
        settings: &Settings,
        task: &AdjustTask<'a>,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        let pair = task.pair;
        let mut positions: Vec<usize> = task.on.to_vec();
        positions.sort_unstable();
        positions.dedup();
        let mut names = Vec::new();
        let mut columns: [Vec<&[f64]>; 2] = [Vec::new(), Vec::new()];
        let mut varying = Vec::new();
        for position in positions {
            let column = pair.masked.column(position);
            let x = numeric(
                pair.original.column_named(column.name()),
                column.name(),
                "original",
            )?;
            let z = numbers(column, settings.missing, context)?;
            if is_constant(x) {
                context.note(constant_variable(column.name()));
                continue;
            }
            names.push(column.name());
            varying.push(position);
            columns[0].push(x);
            columns[1].push(z);
        }
        let [originals, records] = [
            complete_rows(pair.original.n_records(), &columns[0]),
            complete_rows(pair.masked.n_records(), &columns[1]),
        ];
        let left_out = [
            pair.original.n_records() - originals.len(),
            pair.masked.n_records() - records.len(),
        ];
        if left_out != [0, 0] {
            context.note(incomplete_skipped(left_out[0], left_out[1]));
        }
        let kept = |columns: &[&[f64]], rows: &[u32]| -> Vec<Vec<f64>> {
            columns.iter().map(|column| taken(column, rows)).collect()
        };
        Ok(Self {
            values: [kept(&columns[0], &originals), kept(&columns[1], &records)],
            names,
            positions: varying,
            records,
            originals,
        })
    }

    fn columns(&self) -> [Vec<&[f64]>; 2] {
        [0, 1].map(|file| self.values[file].iter().map(Vec::as_slice).collect())
    }

    /// The complete original of each complete masked record; `u32::MAX` where it is not complete.
    fn own(&self, task: &AdjustTask<'_>) -> Option<Vec<u32>> {
        if task.pair.rows != Rows::Correspond {
            return None;
        }
        let place = |&record: &u32| {
            let original = task.pair.original_record(record as usize) as u32;
            self.originals
                .binary_search(&original)
                .map_or(u32::MAX, |place| place as u32)
        };
        Some(self.records.iter().map(place).collect())
    }
}
