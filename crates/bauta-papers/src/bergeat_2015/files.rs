//! The demonstration survey and the files that the paper makes of its own.

use std::path::Path;

use bauta_data::format::{ReadOptions, read_bytes};
use bauta_data::number::DecimalMark;
use bauta_data::survey::{SURVEY_RECORDS, SURVEY_SEED, survey_csv};
use bauta_data::{Attribute, Kind, Role, Schema, Table, Watch};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::exhibit::{Histogram, Shows};
use bauta_methods::pair::Rows;
use bauta_methods::{
    Change, Files, MeasureTask, Measurement, MethodError, Pair, RawValue, RunContext, registry,
};

use super::published::FIGURE_4;
use crate::PaperError;
use crate::trial::{Method, checked, masked_on, unknown};

/// The delinquency acts of the correspondence analysis.
pub(super) const ACTS: [&str; 6] = [
    "theft_housing",
    "theft_vehicle",
    "theft_violence",
    "theft_noviolence",
    "phys_violence",
    "threat",
];
/// Variables whose margins, crossed with the indicator of victimisation, are calibrated on.
const MARGINS: [&str; 5] = ["gender*ind", "age*ind", "uu*ind", "qual*ind", "hsize*ind"];
/// Records that a key must have.
const K: i64 = 3;

/// The files of section 5.
pub(super) struct SurveyFiles {
    pub(super) original: Table,
    /// After local suppression as mu-Argus does it, which the paper used.
    pub(super) blanked: Table,
    /// After local suppression at the least cost, counted in the original; and in the released file.
    pub(super) exact: Table,
    pub(super) visible: Table,
    /// After subsampling, with the weights of the original, and with calibrated ones.
    pub(super) uncalibrated: Table,
    pub(super) calibrated: Table,
    /// Records deleted by the first look, and by all.
    pub(super) n_deleted: [usize; 2],
    /// Ratios of weights: raking, then logit.
    pub(super) ratios: Histogram,
}

impl SurveyFiles {
    /// Makes them.
    pub(super) fn make(watch: &dyn Watch) -> Result<Self, PaperError> {
        let original = survey(watch)?;
        let keys = positions(&original);
        let blanked = |search: &str, semantics: &str| {
            let step = suppression(search, semantics);
            masked_on(&keys, &original, &[step], 1, watch)
        };
        let (calibrated, change) = adjusted(&original, &keys, &calibration(), watch)?;
        let kept = change.kept.clone().unwrap_or_default();
        Ok(Self {
            blanked: blanked("mu-argus", "original")?,
            exact: blanked("exact", "original")?,
            visible: blanked("exact", "visible")?,
            uncalibrated: original.take(&kept),
            n_deleted: [
                n_at_risk(&original, watch)?,
                original.n_records() - kept.len(),
            ],
            ratios: ratios(&change)?,
            calibrated,
            original,
        })
    }
}

fn positions(table: &Table) -> Vec<usize> {
    let keys = FIGURE_4.iter();
    keys.filter_map(|key| table.index_of(key.variable))
        .collect()
}

/// The demonstration survey, the one that `bauta demo` makes.
fn survey(watch: &dyn Watch) -> Result<Table, PaperError> {
    let keys = FIGURE_4.iter();
    let keys = keys.map(|key| Attribute::new(key.variable, Role::Key, Kind::Unordered));
    let acts = ACTS.iter().chain(&["ind"]);
    let acts = acts.map(|&name| Attribute::new(name, Role::Sensitive, Kind::Unordered));
    let others = [
        Attribute::new("id", Role::Identifier, Kind::Unordered),
        Attribute::new("d_init", Role::Other, Kind::Continuous),
        Attribute::new("d_fin", Role::Weight, Kind::Continuous),
    ];
    let options = ReadOptions {
        schema: Schema {
            attributes: keys.chain(acts).chain(others).collect(),
            ..Schema::default()
        },
        decimal: Some(DecimalMark::Point),
        ..ReadOptions::default()
    };
    let bytes = survey_csv(SURVEY_RECORDS, SURVEY_SEED);
    Ok(read_bytes(Path::new("survey.csv"), bytes, &options, watch)?.table)
}

fn suppression(search: &str, semantics: &str) -> Method {
    let word = |word: &str| RawValue::Text(word.to_owned());
    let costs = FIGURE_4.iter();
    let costs = costs.map(|key| (key.variable.to_owned(), RawValue::Number(key.cost)));
    Method::new(
        "suppress-local",
        &[
            ("k", RawValue::Integer(K)),
            ("search", word(search)),
            ("semantics", word(semantics)),
            ("costs", RawValue::Map(costs.collect())),
        ],
    )
}

fn calibration() -> Method {
    let word = |word: &str| RawValue::Text(word.to_owned());
    Method::new(
        "subsample-calibrate",
        &[
            ("k", RawValue::Integer(K)),
            ("start", word("d_init")),
            ("margins", words(&MARGINS)),
            ("method", word("raking")),
            ("lower", RawValue::Number(0.25)),
            ("upper", RawValue::Number(3.0)),
            ("also", words(&["logit"])),
        ],
    )
}

/// Records whose key fewer than three have.
fn n_at_risk(original: &Table, watch: &dyn Watch) -> Result<usize, MethodError> {
    let visible = RawValue::Text("visible".to_owned());
    let measure = Method::new("k-anonymity", &[("semantics", visible)]);
    let keys = FIGURE_4.map(|key| key.variable.to_owned());
    let found = found(&keys, &measure, Files::One(original), watch)?;
    let frequencies = found.per_record.unwrap_or_default();
    Ok(frequencies.iter().filter(|f| **f < K as f64).count())
}

/// The histogram that the calibration shows for itself.
fn ratios(change: &Change) -> Result<Histogram, MethodError> {
    let exhibits = change.evidence.iter().flat_map(|all| &all.exhibits);
    let mut views = exhibits.flat_map(|exhibit| &exhibit.views);
    let found = views.find_map(|view| match &view.shows {
        Shows::Histogram(histogram) => Some(histogram.clone()),
        _ => None,
    });
    found.ok_or_else(|| MethodError::Internal("the calibration shows no ratios".to_owned()))
}

/// Several texts as the value of a parameter.
pub(super) fn words(texts: &[&str]) -> RawValue {
    let texts = texts.iter().map(|text| RawValue::Text((*text).to_owned()));
    RawValue::List(texts.collect())
}

/// A file after an adjuster that sees no other, and what the adjuster said of it.
pub(super) fn adjusted(
    original: &Table,
    on: &[usize],
    step: &Method,
    watch: &dyn Watch,
) -> Result<(Table, Change), MethodError> {
    let adjuster = registry::adjuster(step.id).ok_or_else(|| unknown(step.id))?;
    let params = checked(adjuster.card(), step)?;
    let pair = Pair {
        original,
        masked: original,
        rows: Rows::Correspond,
    };
    let context = RunContext::new(1, step.id, watch);
    let change = adjuster.adjust(&params, &AdjustTask { pair, on }, &context)?;
    Ok((change.clone().apply_to(original), change))
}

/// What a measure finds of one file or of two.
pub(super) fn found(
    on: &[String],
    measure: &Method,
    files: Files<'_>,
    watch: &dyn Watch,
) -> Result<Measurement, MethodError> {
    let method = registry::measure(measure.id).ok_or_else(|| unknown(measure.id))?;
    let params = checked(method.card(), measure)?;
    let task = MeasureTask::new(files, on);
    method.measure(&params, &task, &RunContext::new(1, measure.id, watch))
}

/// Two files for a measure. Those of the survey are compared as an analyst would, who cannot pair their records.
pub(super) fn both<'t>(original: &'t Table, masked: &'t Table, rows: Rows) -> Files<'t> {
    Files::Both(Pair {
        original,
        masked,
        rows,
    })
}
