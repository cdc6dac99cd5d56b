//! Reading a released file again, and counting its keys, before anyone says that it is safe.

use std::path::Path;

use bauta_data::format::{self, ReadOptions, TextStyle};
use bauta_data::missing::MissingRules;
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Column, DataError, DataProblem, Kind, Role, Schema, Table, Watch};
use bauta_methods::mask::KeyClaim;
use bauta_methods::stats::keys::{Semantics, frequencies};

use crate::plan::{Gate, Plan, PlannedMeasure};
use crate::record::ClaimRecord;
use crate::run::RunError;

/// What a step or a gate says of the keys of the released file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Claim {
    /// The step or gate.
    pub(crate) by: String,
    /// The keys.
    pub(crate) keys: Vec<String>,
    /// Smallest class and how missing values count.
    pub(crate) what: KeyClaim,
}

/// What the gates of a plan claim: a smallest class, no record below some size, or no unique one.
pub(crate) fn claims_of_gates(plan: &Plan) -> Vec<Claim> {
    let mut claims = Vec::new();
    for gate in &plan.gates {
        for &position in &gate.measures {
            let planned = &plan.measures[position];
            let claim = claimed_k(gate, planned).and_then(|k| {
                let semantics = Semantics::from_name(planned.params.choice("semantics"))?;
                Some(Claim {
                    by: match &planned.scenario {
                        Some(scenario) => format!("gate on k-anonymity ({scenario})"),
                        None => "gate on k-anonymity".to_owned(),
                    },
                    keys: planned.on.clone(),
                    what: KeyClaim { k, semantics },
                })
            });
            claims.extend(claim);
        }
    }
    claims
}

/// The smallest class that a gate asks for, if that is what it asks for.
fn claimed_k(gate: &Gate, planned: &PlannedMeasure) -> Option<u32> {
    if planned.measure.card().id != "k-anonymity" {
        return None;
    }
    let none_below = gate.at_most.is_some_and(|limit| limit < 1.0);
    match gate.part.as_deref() {
        None => gate.at_least.map(|k| k.ceil() as u32),
        Some("uniques") if none_below => Some(2),
        Some(part) if none_below => part.strip_prefix("below_")?.parse().ok(),
        Some(_) => None,
    }
}

/// Reads the released bytes again and counts what was claimed of them.
pub(crate) fn recount(
    plan: &Plan,
    style: &TextStyle,
    released: &Table,
    bytes: Vec<u8>,
    claims: Vec<Claim>,
    watch: &dyn Watch,
) -> Result<Vec<ClaimRecord>, RunError> {
    let path = &plan.output.file.path;
    let options = read_options(plan, style, released, &claims);
    let again = format::read_bytes(path, bytes, &options, watch)?.table;
    let keys = |claim: &Claim, table: &Table| -> Result<Vec<usize>, RunError> {
        let position = |name: &String| {
            table.index_of(name).ok_or_else(|| {
                let problem = DataProblem::file(
                    format!("the released file lacks the key `{name}` that was claimed to be safe"),
                    "do not drop keys that a gate counts",
                );
                RunError::Data(DataError::one(path, problem))
            })
        };
        claim.keys.iter().map(position).collect()
    };
    let mut records = Vec::new();
    for claim in claims {
        // What was there before suppression is not in the file: what it shows must be what was
        // counted, cell by cell, and then the count is of the table in memory.
        let counted = if claim.what.semantics == Semantics::Original {
            check_same(path, &again, released, &claim.keys)?;
            frequencies(released, &keys(&claim, released)?, Semantics::Original)
        } else {
            frequencies(&again, &keys(&claim, &again)?, claim.what.semantics)
        };
        let counted = counted.map_err(|error| RunError::Method {
            place: "counting the released file again".to_owned(),
            line: None,
            error: Box::new(error),
        })?;
        let n_below = counted.f.iter().filter(|&&f| f < claim.what.k).count() as u64;
        records.push(ClaimRecord {
            by: claim.by,
            keys: claim.keys,
            semantics: claim.what.semantics.name().to_owned(),
            k: u64::from(claim.what.k),
            smallest_class: counted.f.iter().min().map(|&f| u64::from(f)),
            n_below,
            holds: n_below == 0,
        });
    }
    Ok(records)
}

/// Keys as the reader of the released file would take them: numbers by value, others by text; what
/// was missing in the source and what was suppressed as missing.
fn read_options(plan: &Plan, style: &TextStyle, released: &Table, claims: &[Claim]) -> ReadOptions {
    let mut names: Vec<&str> = claims
        .iter()
        .flat_map(|claim| claim.keys.iter().map(String::as_str))
        .collect();
    names.sort_unstable();
    names.dedup();
    let attribute = |name: &&str| {
        let numeric = released
            .column_named(name)
            .is_some_and(|column| column.as_numeric().is_some());
        let kind = if numeric {
            Kind::Continuous
        } else {
            Kind::Unordered
        };
        let mut rules: MissingRules = plan.read.schema.missing_rules(name).clone();
        if !rules.texts.contains(&plan.output.suppressed) {
            rules.texts.push(plan.output.suppressed.clone());
        }
        Attribute {
            missing: Some(rules),
            ..Attribute::new(*name, Role::Key, kind)
        }
    };
    ReadOptions {
        schema: Schema {
            attributes: names.iter().map(attribute).collect(),
            missing: MissingRules::default(),
        },
        delimiter: Some(style.delimiter),
        decimal: style.decimal,
        encoding: style.encoding,
    }
}

/// Whether two tables show the same keys, record by record.
fn check_same(
    path: &Path,
    again: &Table,
    released: &Table,
    keys: &[String],
) -> Result<(), RunError> {
    let cell = |column: &Column, record: usize| {
        (!column.is_missing(record)).then(|| {
            let mut text = String::new();
            column.write_text(record, DecimalMark::Point, &mut text);
            text
        })
    };
    let same = |name: &String| match (again.column_named(name), released.column_named(name)) {
        (Some(a), Some(b)) => {
            a.len() == b.len() && (0..a.len()).all(|record| cell(a, record) == cell(b, record))
        }
        _ => false,
    };
    match keys.iter().find(|name| !same(name)) {
        None => Ok(()),
        Some(name) => {
            let problem = DataProblem::file(
                format!("read again, the key `{name}` does not show what was written"),
                "choose another text for suppressed cells in [output], or other missing texts in [data]",
            );
            Err(RunError::Data(DataError::one(path, problem)))
        }
    }
}
