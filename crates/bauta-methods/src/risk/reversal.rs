#![doc = include_str!("reversal.md")]

use std::sync::Arc;

use bauta_data::condition::Condition;
use bauta_data::missing::{MissingCells, MissingRules};
use bauta_data::{Column, Levels, Table, Values};

use crate::card::{Card, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::positions;
use crate::keys::classes::Classes;
use crate::keys::completions::{Audit, Finding, IMPOSSIBLE, conditions, impossible};
use crate::keys::{KeyColumns, Semantics};
use crate::measure::{
    MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, RawFiles, Series, Subject, Threat,
};
use crate::pair::Pair;
use crate::pair::records::check_rows;
use crate::params::{ParamProblem, Params};

/// Share of blanked records whose blanks can be worked out. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Reversal;

const K: ParamSpec = ParamSpec::new(
    "k",
    "class size that the suppression was to reach",
    ParamType::Integer {
        min: 2,
        max: u32::MAX as i64,
    },
)
.or_integer(3);

const SUPPRESSED: FigureSpec =
    FigureSpec::count("suppressed_records", "records with a suppressed key");
const SUPPRESSED_COMPLETE: FigureSpec = FigureSpec::count(
    "suppressed_records_with_all_keys",
    "records with a suppressed key and no other blank",
);
const WORKED_OUT: FigureSpec =
    FigureSpec::count("worked_out", "records worked out").lower_is_better();
const WORKED_OUT_COMPLETE: FigureSpec = FigureSpec::count(
    "worked_out_with_all_keys",
    "records worked out that have no other blank",
)
.lower_is_better();
const WORKED_OUT_RIGHTLY: FigureSpec =
    FigureSpec::count("worked_out_rightly", "records worked out rightly").lower_is_better();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "reversal",
        title: "Reversal audit",
        summary: "share of the records with a suppressed key whose blanks can be worked out by elimination",
        page: include_str!("reversal.md"),
        params: &[K, IMPOSSIBLE],
        references: &["bergeat2015"],
        ..MeasureCard::OF_KEYS.card
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("share worked out", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[
        SUPPRESSED,
        SUPPRESSED_COMPLETE,
        WORKED_OUT,
        WORKED_OUT_COMPLETE,
        WORKED_OUT_RIGHTLY,
    ],
    raw_files: RawFiles::Perfect,
    usual: false,
    by_variable: false,
    threat: Threat::Inference,
    ..MeasureCard::OF_KEYS
};

/// What the suppression was to reach, and what everybody knows.
pub struct Settings {
    k: u32,
    impossible: Vec<Condition>,
}

impl MeasureMethod for Reversal {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            k: u32::try_from(params.integer(K.name)).unwrap_or(u32::MAX),
            impossible: conditions(params)?,
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        context.go_on()?;
        let pair = task.both()?;
        check_rows(&pair)?;
        let table = with_blanks_known(&pair, task.on)?;
        let on = positions(&table, task.on)?;
        let rules = impossible(&table, &on, &settings.impossible)?;
        let keys = KeyColumns::of(&table, &on, Semantics::Original)?;
        let Classes { counts, of_record } = Classes::of(&keys, None, Semantics::Original);
        let findings = Audit::new(&counts, &counts.visible, settings.k, &rules).findings();
        let size = |finding: &Finding| u64::from(counts.sizes[finding.class as usize]);
        let records = |wanted: &dyn Fn(&Finding) -> bool| -> f64 {
            let found = findings.iter().filter(|finding| wanted(finding));
            found.map(size).sum::<u64>() as f64
        };
        let n_suppressed = records(&|_| true);
        let n_recovered = records(&|finding| finding.n_candidates == 1);
        let all_keys = (1_u64.checked_shl(counts.n_keys as u32).unwrap_or(0)).wrapping_sub(1);
        let complete = |finding: &Finding| counts.present[finding.class as usize] == all_keys;
        let mut found = Measurement {
            value: Some(if n_suppressed > 0.0 {
                n_recovered / n_suppressed
            } else {
                0.0
            }),
            ..Measurement::default()
        };
        found.give(&SUPPRESSED, n_suppressed);
        found.give(&SUPPRESSED_COMPLETE, records(&complete));
        found.give(&WORKED_OUT, n_recovered);
        found.give(
            &WORKED_OUT_COMPLETE,
            records(&|finding| finding.n_candidates == 1 && complete(finding)),
        );
        found.give(
            &WORKED_OUT_RIGHTLY,
            records(&|finding| finding.correct == Some(true)),
        );
        found.series.push(by_candidates(&findings, size));
        found.per_record = Some(per_record(&of_record, &findings));
        Ok(found)
    }
}

/// Records by the number of completions that are left.
fn by_candidates(findings: &[Finding], size: impl Fn(&Finding) -> u64) -> Series {
    // None is left where a rule blanked records that were safe.
    let mut counts = [0_u64; 7];
    for finding in findings {
        counts[finding.n_candidates.min(6) as usize] += size(finding);
    }
    let points = counts.iter().enumerate().map(|(n, &count)| {
        let label = if n < 6 {
            n.to_string()
        } else {
            "6+".to_owned()
        };
        Part::new(label, count as f64)
    });
    Series::new(
        "suppressed records by completions left",
        "records",
        Unit::Count,
        points.collect(),
    )
}

/// 1 for a record whose blanks can be worked out, 0 for others.
fn per_record(of_record: &[u32], findings: &[Finding]) -> Vec<f64> {
    let n_classes = of_record.iter().max().map_or(0, |&last| last as usize + 1);
    let mut of_class = vec![0.0; n_classes];
    for finding in findings.iter().filter(|finding| finding.n_candidates == 1) {
        of_class[finding.class as usize] = 1.0;
    }
    of_record
        .iter()
        .map(|&class| of_class[class as usize])
        .collect()
}

/// The masked keys with what their blanks hide: as the mask that blanked them remembers it, or, for
/// a file that was read, from the original.
fn with_blanks_known(pair: &Pair<'_>, on: &[String]) -> Result<Table, MethodError> {
    let masked = pair.masked;
    let known = positions(masked, on)?
        .into_iter()
        .any(|attr_idx| masked.column(attr_idx).n_suppressed() > 0);
    let mut table = masked.clone();
    if known {
        return Ok(table);
    }
    for attr_idx in positions(masked, on)? {
        let column = masked.column(attr_idx);
        let original = pair.original.column_named(column.name());
        if let Some(original) = original.filter(|_| column.n_missing() > 0) {
            table = table.with_column(attr_idx, restored(pair, original, column)?);
        }
    }
    Ok(table)
}

/// A masked column with its blanks as suppressed cells that hold the original's value.
fn restored(pair: &Pair<'_>, original: &Column, masked: &Column) -> Result<Column, MethodError> {
    let (Values::Categorical(before), Values::Categorical(after)) =
        (original.values(), masked.values())
    else {
        return Err(MethodError::data(
            masked.name(),
            "completions are worked out for categories, and this key is a number",
            "give it the kind ordered",
        ));
    };
    let shown = |record: &usize| !masked.is_missing(*record);
    let recoded = (0..masked.len()).filter(shown).any(|record| {
        before
            .levels
            .code(after.levels.text(after.codes.at(record)))
            .is_none()
    });
    if recoded {
        return Err(MethodError::data(
            masked.name(),
            "its categories are not those of the original, so that its blanks cannot be completed",
            "audit it in the plan that recodes and suppresses it",
        ));
    }
    let mut levels: Levels = (*before.levels).clone();
    let mut blanked = Vec::new();
    let mut states = vec![0; masked.len()];
    let mut codes = vec![0; masked.len()];
    for record in 0..masked.len() {
        let source = pair.original_record(record);
        if !masked.is_missing(record) {
            codes[record] = levels.insert(after.levels.text(after.codes.at(record)));
        } else if original.is_missing(source) {
            states[record] = 1;
        } else {
            codes[record] = before.codes.at(source);
            blanked.push(record as u32);
        }
    }
    let missing = MissingCells::new(states, MissingRules::default().marks());
    let attribute = Arc::new(masked.attribute().clone());
    let column = Column::categorical(attribute, codes, Arc::new(levels), missing);
    Ok(column.suppress(&blanked))
}
