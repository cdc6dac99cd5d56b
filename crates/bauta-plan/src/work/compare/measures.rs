//! Taking the measures of two files.

use std::borrow::Cow;
use std::sync::Arc;

use bauta_data::number::DecimalMark;
use bauta_data::store::Store;
use bauta_data::{Codes, Column, Kind, Levels, Table, Watch};
use bauta_methods::Choice as _;
use bauta_methods::groups::not_measured;
use bauta_methods::keys::Semantics;
use bauta_methods::measure::CategoriesIn;
use bauta_methods::pair::Rows;
use bauta_methods::params::parse_text;
use bauta_methods::{Card, Files, MethodError, Pair, RawValue, RunContext, SharedFacts, Subject};

use super::choice::Chosen;
use super::stored::kept;
use super::{CompareRequest, ComparedMeasure, WorkError};
use crate::measure::ReadyMeasure;
use crate::within::caught;

/// What is asked of records that the files cannot give is one error, not one note per measure.
pub(super) fn refuse_wrong_records(
    pair: &Pair<'_>,
    request: &CompareRequest,
) -> Result<(), WorkError> {
    if pair.rows == Rows::Unrelated && request.correspondence.as_deref() == Some("own") {
        return Err(WorkError::mistake(
            "nobody knows which masked record came from which, so that none has an original of its own",
            "name an --id that both files have, or use --correspondence nearest",
        ));
    }
    let Some(condition) = &request.condition else {
        return Ok(());
    };
    let mut files = vec![(pair.original, &request.original)];
    if pair.rows == Rows::Unrelated {
        files.push((pair.masked, &request.masked));
    }
    for (table, file) in files {
        let holds = condition
            .holds(&table.view())
            .map_err(|problem| WorkError::mistake(problem.message, problem.hint))?;
        if !holds.contains(&true) {
            return Err(WorkError::mistake(
                format!("{file}: no record satisfies `{condition}`"),
                "widen the condition",
            ));
        }
    }
    Ok(())
}

/// All variables with missing values at once, instead of one by each measure.
pub(super) fn refuse_missing(
    pair: &Pair<'_>,
    on: &[String],
    request: &CompareRequest,
) -> Result<(), WorkError> {
    let mut problems = Vec::new();
    let files = [
        (pair.original, &request.original),
        (pair.masked, &request.masked),
    ];
    for (table, file) in files {
        for column in on.iter().filter_map(|name| table.column_named(name)) {
            if column.n_missing() > 0 {
                problems.push(format!(
                    "{}: `{}` has {} missing values",
                    file,
                    column.name(),
                    column.n_missing()
                ));
            }
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    Err(WorkError::mistake(
        problems.join("; "),
        "leave them out with --skip-missing, or leave the variables out of --on",
    ))
}

/// Takes a measure; what the data do not allow is said in its place, and the others are still taken.
pub(super) fn take(
    chosen: &Chosen,
    pair: Pair<'_>,
    request: &CompareRequest,
    facts: &SharedFacts,
    watch: &dyn Watch,
) -> Result<ComparedMeasure, WorkError> {
    let Chosen {
        measure,
        on,
        groups,
    } = chosen;
    // What is read of a store for one measure is given back after it.
    let original = pair.original.view();
    let masked = pair.masked.view_beside(pair.original, &original);
    let pair = Pair {
        original: &original,
        masked: &masked,
        ..pair
    };
    let card = measure.card();
    let given = given(card, request);
    let as_categories = named_categories(pair.original, measure.declared().categories_in, request);
    let [original, masked] =
        [pair.original, pair.masked].map(|table| with_categories(table, &as_categories));
    let pair = Pair {
        original: &original,
        masked: &masked,
        ..pair
    };
    let ready = ReadyMeasure::new(*measure, &given, on, groups.clone(), pair.original);
    let ready = ready.map_err(|problems| WorkError::Settings {
        measure: card.id,
        problems,
    })?;
    let context = RunContext::new(request.seed, card.id, watch).sharing(facts);
    let take = |files, original| caught(|| ready.take(files, original, &context));
    let taken = match measure.declared().subject {
        Subject::OneFile => {
            // Records that do not correspond are selected by their own file's values.
            let selector = match pair.rows {
                Rows::Correspond => pair.original,
                Rows::Unrelated => pair.masked,
            };
            take(Files::One(pair.original), pair.original)
                .and_then(|before| Ok((Some(before), take(Files::One(pair.masked), selector)?)))
        }
        Subject::Pair | Subject::CorrespondingPair => {
            take(Files::Both(pair), pair.original).map(|after| (None, after))
        }
    };
    let (before, after) = match taken {
        Ok((before, after)) => (before, Some(after)),
        Err(error @ (MethodError::Data { .. } | MethodError::Request { .. })) => {
            context.note(not_measured(card.id, &error.to_string()));
            (None, None)
        }
        Err(error) => return Err(error.into()),
    };
    Ok(ComparedMeasure {
        id: card.id,
        scenario: None,
        on: on.clone(),
        before,
        after,
        notes: context.into_notes(),
    })
}

/// The variables that settings name as categories and that were read as numbers: an answer of 0 and 1
/// was, since that is what its column could be.
fn named_categories(
    original: &Table,
    params: &[CategoriesIn],
    request: &CompareRequest,
) -> Vec<String> {
    let mut found = Vec::new();
    for CategoriesIn {
        param,
        most_numbers,
    } in params
    {
        let settings = request.set.iter().filter(|(name, _)| name == param);
        let names = settings.flat_map(|(_, names)| names.split(',').map(str::trim));
        let few = |name: &&str| {
            let column = original.column_named(name);
            column.is_some_and(|column| has_at_most(column, *most_numbers))
        };
        found.extend(names.filter(few).map(str::to_owned));
    }
    found
}

/// Whether a column has at most so many different numbers.
fn has_at_most(column: &Column, most: usize) -> bool {
    let Some(numbers) = column.as_numeric() else {
        return false;
    };
    let present = (0..numbers.len()).filter(|&record| !column.is_missing(record));
    let mut different: Vec<f64> = Vec::new();
    for record in present {
        if different.len() > most || most == usize::MAX {
            break;
        }
        if !different.contains(&numbers[record]) {
            different.push(numbers[record]);
        }
    }
    different.len() <= most
}

/// The table with these variables as categories.
fn with_categories<'t>(table: &'t Table, names: &[String]) -> Cow<'t, Table> {
    let mut table = Cow::Borrowed(table);
    for name in names {
        let Some(attr_idx) = table.index_of(name) else {
            continue;
        };
        if let Some(numbers) = table.column(attr_idx).as_numeric() {
            let column = as_categories(table.column(attr_idx), numbers);
            table = Cow::Owned(table.with_column(attr_idx, column));
        }
    }
    table
}

/// A column of numbers as one of categories, each number one.
fn as_categories(column: &Column, numbers: &[f64]) -> Column {
    let text = |number: &f64| column.text_of_number(*number);
    let texts: Vec<String> = match column.exact() {
        Some(exact) => {
            let codes = exact.codes.iter();
            codes
                .map(|code| exact.levels.text(code).to_owned())
                .collect()
        }
        None => numbers.iter().map(text).collect(),
    };
    let present = |record: &usize| !column.is_missing(*record);
    let shown = (0..texts.len())
        .filter(present)
        .map(|record| texts[record].as_str());
    let (levels, _) = Levels::from_texts(shown).naturally_ordered();
    let codes = texts.iter().map(|text| levels.code(text).unwrap_or(0));
    let mut attribute = column.attribute().clone();
    attribute.kind = Kind::Unordered;
    Column::categorical(
        Arc::new(attribute),
        codes.collect::<Codes>(),
        Arc::new(levels),
        column.missing().cloned(),
    )
}

/// The parameters of the request that a measure knows.
fn given(card: &Card, request: &CompareRequest) -> Vec<(String, RawValue)> {
    let skip = request
        .skip_missing
        .then(|| ("missing", RawValue::Text("skip".to_owned())));
    let correspondence = request
        .correspondence
        .as_ref()
        .map(|name| ("correspondence", RawValue::Text(name.clone())));
    let sample = request
        .sample
        .map(|n| ("sample", RawValue::Integer(i64::from(n))));
    // One statistic that is 0 must not take the others with it; a note names it.
    let zero = Some(("zero", RawValue::Text("exclude".to_owned())));
    let semantics = Some((
        "semantics",
        RawValue::Text(request.semantics.name().to_owned()),
    ));
    let mut given: Vec<(String, RawValue)> = [skip, zero, correspondence, sample, semantics]
        .into_iter()
        .flatten()
        .filter(|(name, _)| card.param(name).is_some())
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    for (name, text) in &request.set {
        if let Some(spec) = card.param(name) {
            given.retain(|(known, _)| known != name);
            given.push((name.clone(), parse_text(spec.ty, text)));
        }
    }
    given
}

/// The masked file as measures of keys look at it: under `original`, records are counted in the file
/// before suppression.
pub(super) fn masked_keys<'t>(
    pair: Pair<'t>,
    request: &CompareRequest,
    store: Option<&Store>,
) -> Result<Cow<'t, Table>, WorkError> {
    Ok(match request.semantics {
        Semantics::Original => Cow::Owned(suppressed_version(pair, request, store)?),
        Semantics::Own | Semantics::Visible | Semantics::Wild => Cow::Borrowed(pair.masked),
    })
}

/// The original with the cells suppressed that the masked file has lost: what a mask would have
/// made of it, with the values before suppression still known.
fn suppressed_version(
    pair: Pair<'_>,
    request: &CompareRequest,
    store: Option<&Store>,
) -> Result<Table, WorkError> {
    let Pair {
        original,
        masked,
        rows,
    } = pair;
    let refuse = |message: String| {
        let hint = "use another --semantics, or compare with the file before suppression";
        Err(WorkError::mistake(message, hint))
    };
    if rows == Rows::Unrelated || masked.n_records() != original.n_records() {
        return refuse("`original` needs two files with the same records".to_owned());
    }
    let mut restored = original.clone();
    for name in &request.keys {
        let (Some(attr_idx), Some(after)) = (original.index_of(name), masked.column_named(name))
        else {
            return refuse(format!("`{name}` is not in both files"));
        };
        let before = original.column(attr_idx);
        let suppressed = before.looked_at(|before| {
            let lost = after.looked_at(|after| lost(before, after, masked))?;
            Some(before.suppress(&lost))
        });
        let Some(suppressed) = suppressed else {
            return refuse(format!(
                "`{name}` was recoded or perturbed, and not only suppressed"
            ));
        };
        restored = restored.with_column(attr_idx, kept(suppressed, store)?);
    }
    Ok(restored)
}

/// The original rows whose cell the masked file has lost; none where it has another value in some.
fn lost(before: &Column, after: &Column, masked: &Table) -> Option<Vec<u32>> {
    let mut lost = Vec::new();
    for record in 0..masked.n_records() {
        let row = masked.source_row(record);
        if after.is_missing(record) {
            lost.push(row as u32);
        } else if before.is_missing(row) || cell(before, row) != cell(after, record) {
            return None;
        }
    }
    Some(lost)
}

/// The text of a cell, for comparing only.
pub(super) fn cell(column: &Column, record: usize) -> String {
    let mut text = String::new();
    column.write_text(record, DecimalMark::Point, &mut text);
    text
}
