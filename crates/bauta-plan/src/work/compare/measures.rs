//! Taking the measures of two files.

use bauta_data::number::DecimalMark;
use bauta_data::{Column, Kind, Table, Watch, near};
use bauta_methods::Choice as _;
use bauta_methods::groups::not_measured;
use bauta_methods::keys::Semantics;
use bauta_methods::pair::Rows;
use bauta_methods::params::parse_text;
use bauta_methods::{
    Card, Files, Groups, Measure, MethodError, Pair, ParamDefault, ParamSpec, ParamType, RawValue,
    RunContext, Scope, Subject, registry,
};

use super::{CompareRequest, ComparedMeasure, WorkError};
use crate::measure::ReadyMeasure;

/// Whether a measure looks at variables that hold categories, and at no others.
fn of_categories_only(measure: &dyn Measure) -> bool {
    let kinds = measure.card().targets.kinds;
    measure.declared().scope == Scope::Variables && !kinds.contains(&Kind::Continuous)
}

/// Every measure of categories, on the keys and the sensitive answers.
pub(super) fn of_categories(
    pair: Pair<'_>,
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<Vec<ComparedMeasure>, WorkError> {
    let on: Vec<String> = [&request.keys[..], &request.sensitive].concat();
    if on.is_empty() {
        return Ok(Vec::new());
    }
    let groups = Groups {
        outliers: None,
        condition: request.condition.clone(),
    };
    let measures = registry::MEASURES.iter();
    measures
        .filter(|measure| of_categories_only(**measure))
        .map(|measure| of_one(*measure, pair, &on, &groups, request, watch))
        .collect()
}

/// Every measure of variables that takes numbers.
pub(super) fn of_variables(
    pair: Pair<'_>,
    on: &[String],
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<Vec<ComparedMeasure>, WorkError> {
    if on.is_empty() {
        return Ok(Vec::new());
    }
    if !request.skip_missing {
        refuse_missing(&pair, on, request)?;
    }
    refuse_wrong_records(&pair, request)?;
    refuse_unknown_settings(request)?;
    let groups = Groups {
        outliers: request.outliers,
        condition: request.condition.clone(),
    };
    let mut found = Vec::new();
    for measure in registry::MEASURES.iter().filter(|measure| {
        measure.declared().scope == Scope::Variables && !of_categories_only(**measure)
    }) {
        if pair.rows == Rows::Unrelated && measure.declared().subject == Subject::CorrespondingPair
        {
            continue;
        }
        if !is_asked_for(*measure, pair, on, request) {
            continue;
        }
        found.push(of_one(*measure, pair, on, &groups, request, watch)?);
    }
    Ok(found)
}

/// Whether a measure has what it must be told, and variables of a kind that it knows: one that no
/// plan takes unasked is not missed where it has not.
fn is_asked_for(
    measure: &dyn Measure,
    pair: Pair<'_>,
    on: &[String],
    request: &CompareRequest,
) -> bool {
    let card = measure.card();
    let set = |spec: &ParamSpec| request.set.iter().any(|(name, _)| name == spec.name);
    let told = card
        .params
        .iter()
        .all(|spec| spec.default != ParamDefault::Required || set(spec));
    let mut columns = on
        .iter()
        .filter_map(|name| pair.original.column_named(name));
    let knows = columns.any(|column| card.targets.kinds.contains(&column.attribute().kind));
    told && (measure.declared().usual || knows)
}

/// What is asked of records that the files cannot give is one error, not one note per measure.
fn refuse_wrong_records(pair: &Pair<'_>, request: &CompareRequest) -> Result<(), WorkError> {
    if pair.rows == Rows::Unrelated && request.correspondence.as_deref() == Some("own") {
        return Err(WorkError::mistake(
            "the files differ in length, so that no masked record has an original of its own",
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
            .holds(table)
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

/// A setting that no measure knows would be ignored.
fn refuse_unknown_settings(request: &CompareRequest) -> Result<(), WorkError> {
    let known = || {
        let measures = registry::MEASURES.iter();
        measures.flat_map(|measure| measure.card().params)
    };
    for (name, _) in &request.set {
        if !known().any(|spec| spec.name == name) {
            return Err(WorkError::mistake(
                format!("no measure has the parameter `{name}`"),
                near::hint(name, known().map(|spec| spec.name)),
            ));
        }
    }
    Ok(())
}

/// All variables with missing values at once, instead of one by each measure.
fn refuse_missing(
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

fn of_one(
    measure: &'static dyn Measure,
    pair: Pair<'_>,
    on: &[String],
    groups: &Groups,
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<ComparedMeasure, WorkError> {
    let card = measure.card();
    let given = given(card, request);
    let ready = ReadyMeasure::new(measure, &given, on, groups.clone(), pair.original);
    let ready = ready.map_err(|problems| WorkError::Settings {
        measure: card.id,
        problems,
    })?;
    let context = RunContext::new(request.seed, card.id, watch);
    let take = |files, original| ready.take(files, original, &context);
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
        // What the data do not allow is said in its place; the other measures are still taken.
        Err(error @ (MethodError::Data { .. } | MethodError::Request { .. })) => {
            context.note(not_measured(card.id, &error.to_string()));
            (None, None)
        }
        Err(error) => return Err(error.into()),
    };
    Ok(ComparedMeasure {
        id: card.id,
        before,
        after,
        notes: context.into_notes(),
    })
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

/// Every measure of keys, before and after.
pub(super) fn of_keys(
    pair: Pair<'_>,
    request: &CompareRequest,
    watch: &dyn Watch,
) -> Result<Vec<ComparedMeasure>, WorkError> {
    // Under `original`, masked records are counted in the file before suppression.
    let restored = match request.semantics {
        Semantics::Original => Some(suppressed_version(pair, request)?),
        Semantics::Own | Semantics::Visible | Semantics::Wild => None,
    };
    let pair = Pair {
        masked: restored.as_ref().unwrap_or(pair.masked),
        ..pair
    };
    let scenario = registry::MEASURES
        .iter()
        .filter(|measure| measure.declared().scope == Scope::Scenario);
    let mut found = Vec::new();
    for measure in scenario {
        found.push(if offers(measure.card(), request.semantics.name()) {
            of_one(
                *measure,
                pair,
                &request.keys,
                &Groups::default(),
                request,
                watch,
            )?
        } else {
            let id = measure.card().id;
            ComparedMeasure {
                id,
                before: None,
                after: None,
                notes: vec![not_measured(
                    id,
                    &format!(
                        "it does not know the semantics `{}`",
                        request.semantics.name()
                    ),
                )],
            }
        });
    }
    Ok(found)
}

/// Whether a measure can count missing keys in this way, or does not ask.
fn offers(card: &Card, semantics: &str) -> bool {
    match card.param("semantics").map(|spec| spec.ty) {
        Some(ParamType::Choice(choices)) => choices.iter().any(|(name, _)| *name == semantics),
        _ => true,
    }
}

/// The original with the cells suppressed that the masked file has lost: what a mask would have
/// made of it, with the values before suppression still known.
fn suppressed_version(pair: Pair<'_>, request: &CompareRequest) -> Result<Table, WorkError> {
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
        let mut lost = Vec::new();
        for record in 0..masked.n_records() {
            let row = masked.source_row(record);
            if after.is_missing(record) {
                lost.push(row as u32);
            } else if before.is_missing(row) || cell(before, row) != cell(after, record) {
                return refuse(format!(
                    "`{name}` was recoded or perturbed, and not only suppressed"
                ));
            }
        }
        restored = restored.with_column(attr_idx, before.suppress(&lost));
    }
    Ok(restored)
}

/// The text of a cell, for comparing only.
pub(super) fn cell(column: &Column, record: usize) -> String {
    let mut text = String::new();
    column.write_text(record, DecimalMark::Point, &mut text);
    text
}
