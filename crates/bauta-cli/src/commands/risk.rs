//! `bauta risk`: what an intruder could re-identify by the keys, on one screen.

mod screen;

use std::fmt::Write as _;
use std::path::Path;

use bauta_data::format::read;
use bauta_data::{Attribute, Kind, Role, Schema, Table, Watch, near};
use bauta_methods::keys::unique_sets::unique_sets;
use bauta_methods::keys::{Semantics, frequencies};
use bauta_methods::measure::ListedRecord;
use bauta_methods::risk::key_contribution::{AS_IT_IS, BY_LEVEL, LEFT_OUT};
use bauta_methods::{
    Files, MeasureTask, Measurement, Note, Params, RawValue, RunContext, registry,
};
use bauta_plan::output::{Access, write_file};
use serde_json::{Map, json};

use crate::Outcome;
use crate::arguments::{Global, HierarchyArgument, RiskArguments};
use crate::commands::report::refuse_to_replace;
use crate::failure::Failure;
use crate::progress::Progress;

pub(crate) fn run(arguments: &RiskArguments, global: &Global) -> Result<Outcome, Failure> {
    let progress = Progress::new(global.quiet || global.json);
    let named = [arguments.weight.as_ref(), arguments.household.as_ref()];
    let named = named.into_iter().flatten().chain(&arguments.sensitive);
    refuse_repeats(arguments.keys.iter().chain(named))?;
    if let Some(file) = &arguments.per_record {
        refuse_to_replace(&arguments.file, file)?;
    }
    let options = arguments.reading.read_options(schema(arguments)?);
    let loaded = read(&arguments.file, &options, &progress)?;
    let found = Found::of(arguments, &loaded.table, &progress)?;
    drop(progress);
    if let Some(file) = &arguments.per_record {
        let rows = per_record(arguments, &loaded.table, &found.individual)?;
        write_file(file, rows.as_bytes(), Access::OwnerOnly)?;
    }
    if global.json {
        print_json(arguments, &loaded.table, &found);
    } else {
        screen::print(arguments, &loaded.table, &found);
        show_notes(&found.notes, global);
    }
    Ok(Outcome::Fine)
}

/// Roles and hierarchies of the columns named on the command line.
fn schema(arguments: &RiskArguments) -> Result<Schema, Failure> {
    let mut schema = key_schema(
        &arguments.keys,
        arguments.weight.as_deref(),
        arguments.household.as_deref(),
    );
    let sensitive = arguments.sensitive.iter();
    schema
        .attributes
        .extend(sensitive.map(|name| Attribute::new(name, Role::Sensitive, Kind::Unordered)));
    give_hierarchies(&mut schema, &arguments.hierarchy, &arguments.file)?;
    Ok(schema)
}

/// What was found of a file.
struct Found {
    counted: Measurement,
    individual: Measurement,
    contribution: Measurement,
    diversity: Option<Measurement>,
    riskiest: Vec<Riskiest>,
    notes: Vec<Note>,
}

/// A record at risk, without a value of its key.
struct Riskiest {
    row: u64,
    f: Option<f64>,
    big_f: Option<f64>,
    risk: Option<f64>,
    household_risk: Option<f64>,
    /// The smallest set of keys that nobody shares with it; empty where all are shared.
    enough: Vec<String>,
}

impl Found {
    fn of(arguments: &RiskArguments, table: &Table, watch: &dyn Watch) -> Result<Self, Failure> {
        let semantics = ("semantics", RawValue::Text(arguments.semantics.clone()));
        let sizes = arguments.k.iter().map(|&k| RawValue::Integer(k)).collect();
        let mut notes = Vec::new();
        let mut measured = |id, params| {
            let (found, more) = measure(id, table, &arguments.keys, params, watch)?;
            notes.extend(more);
            Ok::<_, Failure>(found)
        };
        let counted = vec![semantics.clone(), ("k", RawValue::List(sizes))];
        let counted = measured("k-anonymity", counted)?;
        let mut individual = vec![
            semantics.clone(),
            ("threshold", RawValue::Number(arguments.threshold)),
            ("riskiest", RawValue::Integer(arguments.riskiest.into())),
        ];
        individual.extend(arguments.rate.map(|rate| ("rate", RawValue::Number(rate))));
        let individual = measured("individual-risk", individual)?;
        let k = ("k", RawValue::Integer(k_of_contribution(arguments)));
        let contribution = measured("key-contribution", vec![semantics.clone(), k])?;
        // A blank record would lend its answer to every class: `wild` has no l-diversity.
        let wild = arguments.semantics == Semantics::Wild.name();
        let diversity = (!arguments.sensitive.is_empty() && !wild).then(|| {
            let names = arguments.sensitive.iter().cloned();
            let names = names.map(RawValue::Text).collect();
            let given = vec![semantics, ("sensitive", RawValue::List(names))];
            measured("l-diversity", given)
        });
        let diversity = diversity.transpose()?;
        refuse_unfit_hierarchies(arguments, &notes)?;
        let riskiest = individual.listed.iter();
        Ok(Self {
            diversity,
            riskiest: riskiest
                .map(|listed| Riskiest::of(arguments, table, listed))
                .collect::<Result<_, _>>()?,
            counted,
            individual,
            contribution,
            notes,
        })
    }
}

/// A hierarchy that was given here and fits no value is a mistake of the command line.
fn refuse_unfit_hierarchies(arguments: &RiskArguments, notes: &[Note]) -> Result<(), Failure> {
    let unfit = notes.iter().find_map(|note| match note {
        Note::HierarchyUnfit { variable, reason } => Some((variable, reason)),
        _ => None,
    });
    match unfit {
        None => Ok(()),
        Some((variable, reason)) => Err(Failure::of_variable(
            &arguments.file,
            variable,
            format!("its hierarchy cannot be used: {reason}"),
            "see `bauta risk --help` for the forms of --hierarchy",
        )),
    }
}

/// The class size that contributions are told for.
fn k_of_contribution(arguments: &RiskArguments) -> i64 {
    let usual = arguments.k.iter().copied().find(|&k| k == 3);
    usual.or(arguments.k.first().copied()).unwrap_or(3)
}

impl Riskiest {
    fn of(
        arguments: &RiskArguments,
        table: &Table,
        listed: &ListedRecord,
    ) -> Result<Self, Failure> {
        let figure = |name: &str| {
            let part = listed.figures.iter().find(|part| part.name == name);
            part.and_then(|part| part.value)
        };
        let record = (listed.row - 1) as usize;
        let semantics = semantics_of(&arguments.semantics);
        let sets = unique_sets(
            table,
            &positions(table, &arguments.keys),
            record,
            2,
            semantics,
        )?;
        let smallest = sets.sets.into_iter().next().unwrap_or_default();
        let enough = smallest.into_iter().map(|key| arguments.keys[key].clone());
        Ok(Self {
            row: listed.row,
            f: figure("f"),
            big_f: figure("F"),
            risk: figure("risk"),
            household_risk: figure("household_risk"),
            enough: enough.collect(),
        })
    }
}

/// The semantics of this name; the command line knows no others.
pub(crate) fn semantics_of(name: &str) -> Semantics {
    Semantics::from_name(name).unwrap_or(Semantics::Visible)
}

/// Positions of the named columns; reading refused names that the file has not.
pub(crate) fn positions(table: &Table, names: &[String]) -> Vec<usize> {
    names
        .iter()
        .filter_map(|name| table.index_of(name))
        .collect()
}

/// The three figures of the file with a key left out or recoded.
struct Left<'a> {
    /// The key, or the key and the level.
    name: &'a str,
    below: Option<f64>,
    uniques: Option<f64>,
    expected: Option<f64>,
}

/// What is left for each key left out, or for each level, after what there is.
fn left<'a>(contribution: &'a Measurement, end: &str) -> Vec<Left<'a>> {
    let series: Vec<_> = contribution
        .series
        .iter()
        .filter(|series| series.name.ends_with(end))
        .collect();
    let [below, uniques, expected] = series.as_slice() else {
        return Vec::new();
    };
    let points = below
        .points
        .iter()
        .zip(&uniques.points)
        .zip(&expected.points);
    points
        .map(|((below, uniques), expected)| Left {
            name: &below.name,
            below: below.value,
            uniques: uniques.value,
            expected: expected.value,
        })
        .collect()
}

/// Whether a key is left out or recoded, and the figures are not those of the file itself.
fn is_changed(left: &Left<'_>) -> bool {
    left.name != AS_IT_IS
}

/// The key and the level that a point is named by.
fn key_and_level(name: &str) -> (&str, &str) {
    name.rsplit_once(", level ").unwrap_or((name, ""))
}

/// Refuses a variable that is named for two purposes.
pub(crate) fn refuse_repeats<'n>(names: impl Iterator<Item = &'n String>) -> Result<(), Failure> {
    let mut seen: Vec<&String> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Failure::mistake(
                format!("`{name}` is named twice"),
                "name each variable once, for one purpose",
            ));
        }
        seen.push(name);
    }
    Ok(())
}

/// Facts that the measures state, on standard error.
pub(crate) fn show_notes(notes: &[Note], global: &Global) {
    let mut texts: Vec<String> = Vec::new();
    for text in notes.iter().map(Note::text) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    for text in texts.iter().filter(|_| !global.quiet) {
        eprintln!("note: {text}");
    }
}

/// Roles for the columns named on the command line.
pub(crate) fn key_schema(keys: &[String], weight: Option<&str>, household: Option<&str>) -> Schema {
    let keys = keys
        .iter()
        .map(|name| Attribute::new(name, Role::Key, Kind::Unordered));
    let weight = weight.map(|name| Attribute::new(name, Role::Weight, Kind::Continuous));
    let household = household.map(|name| Attribute::new(name, Role::Household, Kind::Unordered));
    Schema {
        attributes: keys.chain(weight).chain(household).collect(),
        ..Schema::default()
    }
}

/// Gives keys the hierarchies of the command line.
pub(crate) fn give_hierarchies(
    schema: &mut Schema,
    hierarchies: &[HierarchyArgument],
    file: &Path,
) -> Result<(), Failure> {
    for hierarchy in hierarchies {
        let name = &hierarchy.variable;
        let keys = || {
            let keys = schema.attributes.iter();
            keys.filter(|attribute| attribute.role == Role::Key)
        };
        let hint = near::hint(name, keys().map(|key| key.name.as_str()));
        let key = schema
            .attributes
            .iter_mut()
            .find(|attribute| attribute.name == *name && attribute.role == Role::Key);
        let Some(key) = key else {
            return Err(Failure::of_variable(
                file,
                name,
                format!("`{name}` has a hierarchy and is not among the keys"),
                hint,
            ));
        };
        if key.hierarchy.is_some() {
            return Err(Failure::mistake(
                format!("`{name}` has two hierarchies"),
                "give each key one",
            ));
        }
        key.kind = Kind::Hierarchical;
        key.hierarchy = Some(hierarchy.spec()?);
    }
    Ok(())
}

/// Runs one measure of one file.
pub(crate) fn measure(
    id: &'static str,
    table: &Table,
    on: &[String],
    params: Vec<(&'static str, RawValue)>,
    watch: &dyn Watch,
) -> Result<(Measurement, Vec<Note>), Failure> {
    let measure =
        registry::measure(id).ok_or_else(|| Failure::bug(format!("there is no measure `{id}`")))?;
    let given: Vec<(String, RawValue)> = params
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    let params = Params::check(measure.card(), &given).map_err(|problems| {
        let texts: Vec<String> = problems
            .into_iter()
            .map(|problem| problem.message)
            .collect();
        Failure::mistake(texts.join("; "), "see --help")
    })?;
    let context = RunContext::new(0, id, watch);
    let task = MeasureTask::new(Files::One(table), on, &params);
    let found = measure.measure(&task, &context)?;
    Ok((found, context.into_notes()))
}

/// One row per record; rows count from 1, without the header.
fn per_record(
    arguments: &RiskArguments,
    table: &Table,
    individual: &Measurement,
) -> Result<String, Failure> {
    let keys = positions(table, &arguments.keys);
    let counted = frequencies(table, &keys, semantics_of(&arguments.semantics))?;
    let risk = individual.per_record.as_deref().unwrap_or_default();
    let mut out = String::from("row,f,F,risk\n");
    for (record, risk) in risk.iter().enumerate() {
        let _ = writeln!(
            out,
            "{},{},{},{risk}",
            record + 1,
            counted.f[record],
            counted.big_f[record]
        );
    }
    Ok(out)
}

fn print_json(arguments: &RiskArguments, table: &Table, found: &Found) {
    let counted = &found.counted;
    let violations: Map<String, serde_json::Value> = arguments
        .k
        .iter()
        .map(|k| (k.to_string(), json!(counted.part(&format!("below_{k}")))))
        .collect();
    let mut measures = vec![
        measure_json("k-anonymity", counted),
        measure_json("individual-risk", &found.individual),
        measure_json("key-contribution", &found.contribution),
    ];
    let diversity = found.diversity.iter();
    measures.extend(diversity.map(|diversity| measure_json("l-diversity", diversity)));
    println!(
        "{}",
        json!({
            "file": arguments.file.display().to_string(),
            "n_records": table.n_records(),
            "keys": arguments.keys,
            "semantics": arguments.semantics,
            "k": violations,
            "uniques": counted.part("uniques"),
            "smallest_class": counted.value,
            "expected_reidentifications": found.individual.part("expected_reidentifications"),
            "contributions": contributions_json(&found.contribution),
            "levels": levels_json(&found.contribution),
            "riskiest": found.riskiest.iter().map(riskiest_json).collect::<Vec<_>>(),
            "measures": measures,
            "notes": found.notes,
        })
    );
}

/// For each key what is left without it, and the share of the records below k that goes.
fn contributions_json(contribution: &Measurement) -> Vec<serde_json::Value> {
    let shares = &contribution.by_variable;
    let left = left(contribution, LEFT_OUT).into_iter().filter(is_changed);
    let left = left.zip(shares);
    left.map(|(left, share)| {
        json!({
            "left_out": left.name,
            "share": share.value,
            "below_k": left.below,
            "uniques": left.uniques,
            "expected_reidentifications": left.expected,
        })
    })
    .collect()
}

/// For each level above the present one what recoding to it would leave.
fn levels_json(contribution: &Measurement) -> Vec<serde_json::Value> {
    let levels = left(contribution, BY_LEVEL).into_iter();
    levels
        .filter(is_changed)
        .map(|left| {
            let (key, level) = key_and_level(left.name);
            json!({
                "key": key,
                "level": level.parse::<u64>().ok(),
                "below_k": left.below,
                "uniques": left.uniques,
                "expected_reidentifications": left.expected,
            })
        })
        .collect()
}

fn riskiest_json(riskiest: &Riskiest) -> serde_json::Value {
    json!({
        "row": riskiest.row,
        "f": riskiest.f,
        "F": riskiest.big_f,
        "risk": riskiest.risk,
        "household_risk": riskiest.household_risk,
        "enough": riskiest.enough,
    })
}

/// A measurement as scripts read it.
pub(crate) fn measure_json(id: &str, found: &Measurement) -> serde_json::Value {
    let named = |parts: &[bauta_methods::Part]| -> Map<String, serde_json::Value> {
        parts
            .iter()
            .map(|part| (part.name.clone(), json!(part.value)))
            .collect()
    };
    let mut object = json!({ "id": id, "value": found.value, "parts": named(&found.parts) });
    if !found.by_variable.is_empty() {
        object["by_variable"] = json!(named(&found.by_variable));
    }
    object
}
