//! Reading a released file again, and counting its keys, before anyone says that it is safe.

use std::io::{self, Read};
use std::path::Path;

use bauta_data::date::Dates;
use bauta_data::format::{self, ReadOptions, TextStyle};
use bauta_data::missing::MissingRules;
use bauta_data::number::DecimalMark;
use bauta_data::{Attribute, Column, DataError, DataProblem, Kind, Role, Schema, Table, Watch};
use bauta_methods::Choice;
use bauta_methods::keys::{Semantics, combinations_of, frequencies};
use bauta_methods::mask::KeyClaim;
use rayon::prelude::*;

use crate::claims::Claim;
use crate::error::RunError;
use crate::plan::Plan;
use crate::record::{ClaimRecord, Counted, ShownRecord};

/// A file that was written, from its first byte on, as often as it is asked for.
pub(crate) trait Written {
    /// A reader of its bytes.
    fn reader(&self) -> io::Result<Box<dyn Read + Send + '_>>;
}

impl Written for Vec<u8> {
    fn reader(&self) -> io::Result<Box<dyn Read + Send + '_>> {
        Ok(Box::new(self.as_slice()))
    }
}

/// Reads the released bytes again and counts what was claimed of them.
///
/// What is certified is what the public can read: every cell that is counted is read from the bytes that
/// get the released file's name, by the same rules by which any file is read, and none is taken from the
/// table that they were written from. Only the columns of the keys are read.
pub(crate) fn recount(
    plan: &Plan,
    path: &Path,
    style: TextStyle,
    released: &Table,
    bytes: &dyn Written,
    claims: &[Claim],
    watch: &dyn Watch,
) -> Result<Vec<ClaimRecord>, RunError> {
    let read = |literal: Literal| -> Result<Table, RunError> {
        let options = read_options(plan, style, released, claims, literal);
        if options.schema.attributes.is_empty() {
            // No key is released, so that all records are alike.
            return Ok(Table::new(Vec::new(), released.n_records()));
        }
        let reader = bytes.reader();
        let reader = reader.map_err(|error| DataError::io(path, "read back", &error))?;
        let again = format::read_again(path, reader, &options, watch)?;
        if again.n_records() != released.n_records() {
            let message = "the released file has another number of records than were written";
            return Err(RunError::internal(PLACE, message));
        }
        Ok(again)
    };
    let is_own = |claim: &Claim| claim.what.semantics == Semantics::Own;
    // What is missing is a value under `own`, and its spelling is what a reader has to go by.
    let by_text = if claims.iter().any(is_own) {
        Some(read(Literal::Everything)?)
    } else {
        None
    };
    let by_value = if claims.iter().all(is_own) {
        None
    } else {
        Some(read(Literal::Values)?)
    };
    let mut records = Vec::new();
    for claim in claims {
        let again = if is_own(claim) { &by_text } else { &by_value };
        let again = again.as_ref().ok_or_else(|| {
            RunError::internal(PLACE, "a claim is to be counted in what was not read again")
        })?;
        // A key that is not released tells nobody anything.
        let keys: Vec<String> = claim
            .keys
            .iter()
            .filter(|name| released.index_of(name).is_some())
            .cloned()
            .collect();
        records.push(recounted(claim, keys, path, again, released)?);
    }
    Ok(records)
}

/// Where it is that something failed.
const PLACE: &str = "counting the released file again";

/// What the reader of a file takes for missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Literal {
    /// Nothing: every text is a value.
    Everything,
    /// What the plan says, and suppressed cells.
    Values,
}

fn recounted(
    claim: &Claim,
    keys: Vec<String>,
    path: &Path,
    again: &Table,
    released: &Table,
) -> Result<ClaimRecord, RunError> {
    // Of each record the smallest class on any combination of keys that is claimed.
    let combinations = match claim.subsets {
        Some(m) => combinations_of(&keys, m),
        None => vec![keys.clone()],
    };
    let sizes = |table: &Table, semantics: Semantics| -> Result<Vec<u32>, RunError> {
        let mut smallest = vec![u32::MAX; table.n_records()];
        for keys in &combinations {
            let f = sizes_on(table, keys, semantics)?;
            for (smallest, f) in smallest.iter_mut().zip(f) {
                *smallest = f.min(*smallest);
            }
        }
        Ok(smallest)
    };
    let n_smaller = |f: &[u32], k: u32| f.iter().filter(|&&f| f < k).count() as u64;
    let KeyClaim { k, semantics } = claim.what;
    let (f, counted, shown) = if semantics == Semantics::Original {
        // What was there before suppression is not in the file: what the file shows must be what was
        // counted, cell by cell, and then the count is of the table in memory. What a reader counts is
        // told beside it.
        check_same(path, again, released, &keys)?;
        let shown = sizes(again, Semantics::Visible)?;
        let shown = ShownRecord {
            n_below: n_smaller(&shown, k),
            n_alone: n_smaller(&shown, 2),
        };
        let f = sizes(&released.view(), Semantics::Original)?;
        (f, Counted::BeforeSuppression, Some(shown))
    } else {
        (sizes(again, semantics)?, Counted::ReleasedFile, None)
    };
    let n_below = n_smaller(&f, k);
    Ok(ClaimRecord {
        by: claim.by.clone(),
        semantics: semantics.name().to_owned(),
        k: u64::from(k),
        smallest_class: f.iter().min().map(|&f| u64::from(f)),
        n_below,
        holds: n_below == 0,
        counted,
        shown,
        subsets: claim.subsets.map(|m| m as u64),
        perturbed: claim.perturbed.clone(),
        keys,
    })
}

/// How many records of a table share the key of each.
fn sizes_on(table: &Table, keys: &[String], semantics: Semantics) -> Result<Vec<u32>, RunError> {
    if keys.is_empty() {
        let n = table.n_records();
        return Ok(vec![u32::try_from(n).unwrap_or(u32::MAX); n]);
    }
    let position = |name: &String| {
        table.index_of(name).ok_or_else(|| {
            let message = format!("the released file has no variable `{name}`");
            RunError::internal(PLACE, message)
        })
    };
    let positions: Vec<usize> = keys.iter().map(position).collect::<Result<_, _>>()?;
    let counted = frequencies(table, &positions, semantics);
    let counted = counted.map_err(|error| RunError::Method {
        place: PLACE.to_owned(),
        line: None,
        error: Box::new(error),
    })?;
    Ok(counted.f)
}

/// Keys as the reader of the released file would take them: numbers by value, others by text; what
/// was missing in the source and what was suppressed as missing.
fn read_options(
    plan: &Plan,
    style: TextStyle,
    released: &Table,
    claims: &[Claim],
    literal: Literal,
) -> ReadOptions {
    let mut names: Vec<&str> = claims
        .iter()
        .flat_map(|claim| claim.keys.iter().map(String::as_str))
        .collect();
    names.retain(|name| released.index_of(name).is_some());
    names.sort_unstable();
    names.dedup();
    let attribute = |name: &&str| {
        let numeric = released
            .column_named(name)
            .filter(|column| column.is_numeric());
        if literal == Literal::Everything {
            let rules = MissingRules {
                texts: Vec::new(),
                codes: Vec::new(),
            };
            return Attribute {
                missing: Some(rules),
                ..Attribute::new(*name, Role::Key, Kind::Unordered)
            };
        }
        let kind = if numeric.is_some() {
            Kind::Continuous
        } else {
            Kind::Unordered
        };
        let mut rules: MissingRules = plan.read.schema.missing_rules(name).clone();
        if !rules.texts.contains(&plan.output.suppressed) {
            rules.texts.push(plan.output.suppressed.clone());
        }
        // Masked dates need not show any more how they are spelled.
        let date = numeric.and_then(Column::date_format);
        Attribute {
            missing: Some(rules),
            date: date.map(Dates::Spelled),
            ..Attribute::new(*name, Role::Key, kind)
        }
    };
    ReadOptions {
        schema: Schema {
            attributes: names.iter().map(attribute).collect(),
            missing: MissingRules::default(),
        },
        delimiter: Some(style.delimiter),
        decimal: Some(style.decimal),
        encoding: style.encoding,
        memory: plan.read.memory,
    }
}

/// Whether two tables show the same keys, record by record.
fn check_same(
    path: &Path,
    again: &Table,
    released: &Table,
    keys: &[String],
) -> Result<(), RunError> {
    let same = |name: &String| match (again.column_named(name), released.column_named(name)) {
        (Some(a), Some(b)) => a.len() == b.len() && b.looked_at(|b| same_cells(a, b)),
        _ => false,
    };
    // Of columns in a store one is read at a time.
    let same: Vec<bool> = if released.is_stored() {
        keys.iter().map(same).collect()
    } else {
        keys.par_iter().map(same).collect()
    };
    let mut found = keys.iter().zip(same);
    match found.find_map(|(name, same)| (!same).then_some(name)) {
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

/// Whether two columns hold the same values, as numbers or else as texts.
fn same_cells(a: &Column, b: &Column) -> bool {
    let both_alike = a.as_numeric().is_some() == b.as_numeric().is_some();
    if both_alike {
        return (0..a.len()).all(|record| a.same_value(record, b, record));
    }
    let (mut a_text, mut b_text) = (String::new(), String::new());
    (0..a.len()).all(
        |record| match (a.is_missing(record), b.is_missing(record)) {
            (false, false) => {
                a_text.clear();
                b_text.clear();
                a.write_text(record, DecimalMark::Point, &mut a_text);
                b.write_text(record, DecimalMark::Point, &mut b_text);
                a_text == b_text
            }
            (a, b) => a && b,
        },
    )
}
