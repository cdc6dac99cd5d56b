//! Works on the weights of a survey: calibration of three quarters of its records on the totals of
//! all, and what an analyst would fit to both files.

use bauta_data::{Column, Table, Unwatched};
use bauta_methods::adjust::AdjustTask;
use bauta_methods::pair::{Pair, Rows};
use bauta_methods::params::RawValue;
use bauta_methods::{Params, RunContext, registry};

use super::figures::Figures;
use super::inputs::{KEYS, WEIGHT};
use super::resources::measured;
use super::work::{Input, SIZES, Work};

/// The 63 margins of the victimisation survey.
const MARGINS_63: [&str; 5] = ["gender*ind", "age*ind", "uu*ind", "qual*ind", "hsize*ind"];
/// A hundred and one: those, and 38 more.
const MARGINS_100: [&str; 8] = [
    "gender*ind",
    "age*ind",
    "uu*ind",
    "qual*ind",
    "hsize*ind",
    "couple*ind",
    "gender*age",
    "uu*qual",
];
/// Records of the published comparison, and of the larger one.
const PUBLISHED_SIZES: &[usize] = &[9_640, 160_000];
const MILLION: &[usize] = &[1_000_000];
/// Twelve variables of a map.
const TWELVE: [&str; 12] = [
    "gender",
    "age",
    "uu",
    "qual",
    "couple",
    "hsize",
    "theft_housing",
    "theft_vehicle",
    "theft_violence",
    "theft_noviolence",
    "phys_violence",
    "threat",
];

/// Parameters by name.
type Given = Vec<(String, RawValue)>;

fn text(text: &str) -> RawValue {
    RawValue::Text(text.to_owned())
}

fn texts(texts: &[&str]) -> RawValue {
    RawValue::List(texts.iter().map(|one| text(one)).collect())
}

fn named(params: Vec<(&str, RawValue)>) -> Given {
    params
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Every adjuster, then calibration where the peer was timed and beyond.
pub(super) fn works() -> Vec<Work> {
    let Some(card) = registry::card("calibrate") else {
        return Vec::new();
    };
    let calibrate = |name: &str, margins: &[&str], method: &str, sizes: &'static [usize]| {
        let params = named(vec![
            ("margins", texts(margins)),
            ("method", text(method)),
            ("lower", RawValue::Number(0.1)),
            ("upper", RawValue::Number(6.0)),
            ("frontier", RawValue::Flag(false)),
        ]);
        let on = names(&[WEIGHT]);
        Work {
            sizes,
            ..Work::of(card, name, Input::Survey, on, params)
        }
    };
    let whole = Work::of(
        card,
        card.id,
        Input::Survey,
        names(&[WEIGHT]),
        named(vec![("margins", texts(&MARGINS_63[..1]))]),
    );
    let mut works = vec![whole];
    if let Some(card) = registry::card("subsample-calibrate") {
        let params = named(vec![
            ("k", RawValue::Integer(3)),
            ("margins", texts(&MARGINS_63[..1])),
            ("frontier", RawValue::Flag(false)),
        ]);
        // Of a thousand records nearly all are at risk.
        works.push(Work {
            sizes: &SIZES[1..],
            ..Work::of(card, card.id, Input::Survey, names(&KEYS), params)
        });
    }
    for method in ["linear", "raking", "logit"] {
        let name = format!("calibrate/63-{method}");
        works.push(calibrate(&name, &MARGINS_63, method, PUBLISHED_SIZES));
        let name = format!("calibrate/100-{method}");
        works.push(calibrate(&name, &MARGINS_100, method, MILLION));
    }
    // A number among the margins leaves no two records alike: nothing collapses.
    let mut numbers = MARGINS_100.to_vec();
    numbers.push("d_init");
    for method in ["linear", "raking", "logit"] {
        let name = format!("calibrate/number-{method}");
        works.push(calibrate(&name, &numbers, method, MILLION));
    }
    works
}

/// What the measures that fit models run on: variables and parameters by their card.
pub(super) fn of_model(id: &str) -> Option<(Vec<String>, Given)> {
    let of_victims = || {
        named(vec![
            ("response", text("ind")),
            ("event", texts(&["1", "2"])),
        ])
    };
    match id {
        "logistic-regression" => Some((names(&KEYS), of_victims())),
        "linear-regression" => Some((names(&KEYS), named(vec![("response", text("d_init"))]))),
        "correspondence-analysis" => Some((names(&TWELVE), Vec::new())),
        _ => None,
    }
}

/// The logistic model with a number among its predictors: no two records are alike.
pub(super) fn model_of_numbers() -> Option<Work> {
    let card = registry::card("logistic-regression")?;
    let (mut on, params) = of_model(card.id)?;
    on.push("d_init".to_owned());
    let name = "logistic-regression/number";
    Some(Work::of(card, name, Input::SurveyAndMasked, on, params))
}

/// Runs an adjuster on three of four records, and counts the first margins again.
pub(super) fn run(work: &Work, table: &Table, params: &Params) -> Result<Figures, String> {
    let adjuster = registry::adjuster(work.card.id).ok_or("not an adjuster")?;
    let kept: Vec<u32> = (0..table.n_records() as u32)
        .filter(|i| i % 4 != 3)
        .collect();
    let masked = table.take(&kept);
    let on: Vec<usize> = work
        .on
        .iter()
        .filter_map(|name| masked.index_of(name))
        .collect();
    let (figures, released) = measured(|| {
        let context = RunContext::new(7, work.card.id, &Unwatched);
        let pair = Pair {
            original: table,
            masked: &masked,
            rows: Rows::Correspond,
        };
        let task = AdjustTask { pair, on: &on };
        let adjusted = adjuster
            .adjust(params, &task, &context)
            .map_err(|error| error.to_string())?;
        Ok(adjusted.apply_to(&masked))
    })?;
    let (wanted, got) = (margin(table)?, margin(&released)?);
    let reached = wanted
        .iter()
        .zip(&got)
        .all(|(wanted, got)| (wanted - got).abs() <= 1e-9 * wanted.abs());
    if !reached || wanted.len() != got.len() {
        return Err(format!("{}: a plain sum gives another margin", work.name));
    }
    Ok(Figures {
        answer: got.first().copied(),
        ..figures
    })
}

/// Weighted totals of gender by outcome, in the order of their categories.
fn margin(table: &Table) -> Result<Vec<f64>, String> {
    let codes = |name: &str| {
        let column = table.column_named(name);
        let categories = column.and_then(Column::as_categorical);
        categories.ok_or_else(|| format!("there is no {name}"))
    };
    let (gender, outcome) = (codes("gender")?, codes("ind")?);
    let weights = table.weight().and_then(Column::as_numeric);
    let weights = weights.ok_or("there is no weight")?;
    let n_outcomes = outcome.levels.len();
    let mut sums = vec![0.0; gender.levels.len() * n_outcomes];
    for (record, weight) in weights.iter().enumerate() {
        let cell =
            gender.codes.at(record) as usize * n_outcomes + outcome.codes.at(record) as usize;
        sums[cell] += weight;
    }
    Ok(sums)
}
