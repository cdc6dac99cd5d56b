#![doc = include_str!("reversal.md")]

use std::sync::Arc;

use bauta_data::missing::{MissingCells, MissingRules};
use bauta_data::{Attribute, Column, Levels, Table, Values};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::positions;
use crate::keys::completions::{Audit, Finding, impossible};
use crate::keys::{KeyColumns, Semantics};
use crate::mask::suppress_local::{IMPOSSIBLE, check_impossible};
use crate::measure::{
    MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Scope, Series, Subject,
};
use crate::pair::Pair;
use crate::pair::records::check_rows;
use crate::params::{ParamProblem, Params};

/// Share of blanked records whose blanks can be worked out. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Reversal;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "reversal",
        title: "Reversal audit",
        summary: "share of the records with a suppressed key whose blanks can be worked out by elimination",
        family: Family::Risk,
        page: include_str!("reversal.md"),
        params: &[
            ParamSpec {
                name: "k",
                meaning: "class size that the suppression was to reach",
                ty: ParamType::Integer {
                    min: 2,
                    max: u32::MAX as i64,
                },
                default: ParamDefault::Value(ConstValue::Integer(3)),
            },
            IMPOSSIBLE,
        ],
        targets: Targets::KEYS,
        randomness: Randomness::None,
        references: &["bergeat2015"],
    },
    subject: Subject::CorrespondingPair,
    scope: Scope::Scenario,
    at_identity: None,
    value: FigureSpec::value("share worked out", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    usual: false,
    ..MeasureCard::LOSS
};

impl MeasureMethod for Reversal {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        check_impossible(params)
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        context.go_on()?;
        let pair = task.both()?;
        check_rows(&pair)?;
        let table = with_blanks_known(&pair, task.on)?;
        let on = positions(&table, task.on)?;
        let rules = impossible(&table, &on, task.params.texts("impossible"))?;
        let keys = KeyColumns::of(&table, &on, Semantics::Original)?;
        let classes = keys.classes(None, Semantics::Original);
        let k = u32::try_from(task.params.integer("k")).unwrap_or(u32::MAX);
        let findings = Audit::new(&classes, &classes.visible, k, &rules).findings();
        let size = |finding: &Finding| u64::from(classes.sizes[finding.class as usize].0);
        let records = |wanted: &dyn Fn(&Finding) -> bool| -> f64 {
            let found = findings.iter().filter(|finding| wanted(finding));
            found.map(size).sum::<u64>() as f64
        };
        let n_suppressed = records(&|_| true);
        let n_recovered = records(&|finding| finding.n_candidates == 1);
        let all_keys = (1_u64.checked_shl(classes.n_keys as u32).unwrap_or(0)).wrapping_sub(1);
        let complete = |finding: &Finding| classes.present[finding.class as usize] == all_keys;
        let mut found = Measurement {
            value: Some(if n_suppressed > 0.0 {
                n_recovered / n_suppressed
            } else {
                0.0
            }),
            ..Measurement::default()
        };
        found.push_part("suppressed_records", n_suppressed);
        found.push_part("suppressed_records_with_all_keys", records(&complete));
        found.push_part("worked_out", n_recovered);
        found.push_part(
            "worked_out_with_all_keys",
            records(&|finding| finding.n_candidates == 1 && complete(finding)),
        );
        found.push_part(
            "worked_out_rightly",
            records(&|finding| finding.correct == Some(true)),
        );
        found.series.push(by_candidates(&findings, size));
        found.per_record = Some(per_record(&classes.of_record, &findings));
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
    let points = counts.iter().enumerate().map(|(n, &count)| Part {
        name: if n < 6 {
            n.to_string()
        } else {
            "6+".to_owned()
        },
        value: Some(count as f64),
    });
    Series {
        name: "suppressed records by completions left".to_owned(),
        axis: "records".to_owned(),
        unit: Unit::Count,
        file: None,
        variable: None,
        points: points.collect(),
    }
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
            .code(after.levels.text(after.codes[record]))
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
            codes[record] = levels.insert(after.levels.text(after.codes[record]));
        } else if original.is_missing(source) {
            states[record] = 1;
        } else {
            codes[record] = before.codes[source];
            blanked.push(record as u32);
        }
    }
    let missing = MissingCells::new(states, MissingRules::default().marks());
    let attribute = Arc::new(masked.attribute().clone());
    let column = Column::categorical(attribute, codes, Arc::new(levels), missing);
    Ok(column.suppress(&blanked))
}
