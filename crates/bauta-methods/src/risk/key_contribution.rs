#![doc = include_str!("key_contribution.md")]

use std::borrow::Cow;

use bauta_data::Table;

use crate::card::{Card, ParamSpec};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::{SEMANTICS, note_empty_keys, positions};
use crate::keys::levels_above::LevelsAbove;
use crate::keys::views::{KeyViews, Remaining};
use crate::keys::{Semantics, check_weights};
use crate::measure::{
    MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series, SeriesTable,
};
use crate::note::Note;
use crate::params::{ParamProblem, Params, choices};

/// How much risk hangs on each key. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct KeyContribution;

/// The first point of each series: the file with all of its keys as they stand.
pub const AS_IT_IS: &str = "as it is";

/// Series that have a point for each key left out.
pub const LEFT_OUT: SeriesTable = SeriesTable {
    id: Cow::Borrowed("if a key is left out"),
    caption: Cow::Borrowed("What is left if one key is not known"),
    points: Cow::Borrowed("Key left out"),
    whole: Cow::Borrowed(AS_IT_IS),
};

/// Series that have a point for each level above the present one.
pub const BY_LEVEL: SeriesTable = SeriesTable {
    id: Cow::Borrowed("by level"),
    caption: Cow::Borrowed("What is left if one key is recoded to a higher level of its hierarchy"),
    points: Cow::Borrowed("Recoded to"),
    whole: Cow::Borrowed(AS_IT_IS),
};

/// Name of the note that the hierarchy of a key does not know the values that are there.
pub const HIERARCHY_UNFIT: &str = "hierarchy-unfit";

choices! {
    /// Which risk the shares are of.
    enum Risk {
        Records = "records": "records in classes smaller than k",
        Expected = "expected": "expected re-identifications",
    }
}

const K: ParamSpec =
    ParamSpec::integer("k", "class size below which a record is at risk", 2).or_integer(3);
const RISK: ParamSpec =
    ParamSpec::choice::<Risk>("risk", "which risk the shares are of").or_word("records");

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "key-contribution",
        title: "Contribution of keys",
        summary: "share of the risk that goes when a key is left out, and what coarser levels would leave",
        page: include_str!("key_contribution.md"),
        params: &[SEMANTICS, K, RISK],
        references: &["benedetti1998", "bergeat2015"],
        ..MeasureCard::OF_KEYS.card
    },
    value: FigureSpec::value("share of the risk", Unit::Share).within(0.0, 1.0),
    by_variable: true,
    ..MeasureCard::OF_KEYS
};

/// How to count, and which risk is looked at.
pub struct Settings {
    semantics: Semantics,
    k: i64,
    risk: Risk,
}

impl MeasureMethod for KeyContribution {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            semantics: params.choice_of(SEMANTICS.name),
            k: params.integer(K.name),
            risk: params.choice_of(RISK.name),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        check_weights(table)?;
        context.go_on()?;
        let keys = positions(table, task.on)?;
        note_empty_keys(table, &keys, context);
        let k = settings.k;
        let mut views = KeyViews::of(table, &keys, settings.semantics)?;
        let (all, left) = views.left_out(k);
        context.go_on()?;
        let left_out: Vec<(String, Remaining)> = task.on.iter().cloned().zip(left).collect();
        let levels = by_level(table, &keys, &mut views, k, context)?;
        let by_variable = left_out
            .iter()
            .map(|(name, left)| Part::new(name, share_gone(&all, left, settings.risk)));
        let mut found = Measurement {
            by_variable: by_variable.collect(),
            ..Measurement::default()
        };
        let shares = found.by_variable.iter().filter_map(|part| part.value);
        found.value = shares.reduce(f64::max);
        found.series = series(k, &LEFT_OUT, &all, &left_out);
        if !levels.is_empty() {
            found.series.extend(series(k, &BY_LEVEL, &all, &levels));
        }
        Ok(found)
    }
}

/// The share of a risk that a change takes away; none where there is no risk.
fn share_gone(all: &Remaining, left: &Remaining, risk: Risk) -> Option<f64> {
    let (all, left) = match risk {
        Risk::Expected => (all.expected, left.expected),
        Risk::Records => (all.below as f64, left.below as f64),
    };
    // A risk never grows when keys become fewer; 0 stands for last digits that say otherwise.
    (all > 0.0).then(|| (1.0 - left / all).clamp(0.0, 1.0))
}

/// What every level above the present one leaves, key by key.
fn by_level(
    table: &Table,
    keys: &[usize],
    views: &mut KeyViews,
    k: i64,
    context: &RunContext<'_>,
) -> Result<Vec<(String, Remaining)>, MethodError> {
    let mut points = Vec::new();
    for (key, &attr_idx) in keys.iter().enumerate() {
        let column = table.column(attr_idx);
        let levels = match LevelsAbove::of(column) {
            Ok(Some(levels)) => levels,
            Ok(None) => continue,
            // Masks may make values that the hierarchy does not know: a preview does not end a run.
            Err(error) => {
                let reason = match error {
                    MethodError::Data { message, .. } => message,
                    other => other.to_string(),
                };
                context.note(hierarchy_unfit(column.name(), &reason));
                continue;
            }
        };
        for level in levels.above() {
            context.go_on()?;
            let left = views.recoded(
                key,
                levels.n_categories(level),
                |record| levels.category(level, record),
                k,
            );
            points.push((format!("{}, level {level}", column.name()), left));
        }
    }
    Ok(points)
}

/// The hierarchy of a key does not know the values that are there; its levels were not tried.
fn hierarchy_unfit(variable: &str, reason: &str) -> Note {
    Note::new(
        HIERARCHY_UNFIT,
        format!("the levels of {variable} were not tried: {reason}"),
    )
    .with("variable", variable)
    .with("reason", reason)
}

/// One series for each figure, with the file as it is in front.
fn series(
    k: i64,
    table: &SeriesTable,
    all: &Remaining,
    changed: &[(String, Remaining)],
) -> Vec<Series> {
    let one = |name: &str, axis: &str, unit: Unit, figure: fn(&Remaining) -> f64| {
        let first = std::iter::once(Part::new(AS_IT_IS, figure(all)));
        let changed = changed.iter();
        let points = first.chain(changed.map(|(name, left)| Part::new(name, figure(left))));
        Series::new(name, axis, unit, points.collect()).in_table(table)
    };
    let expected = "expected re-identifications";
    vec![
        one(
            &format!("records below {k}"),
            "records",
            Unit::Count,
            |left| left.below as f64,
        ),
        one("uniques", "records", Unit::Count, |left| {
            left.uniques as f64
        }),
        one(expected, expected, Unit::Number, |left| left.expected),
    ]
}
