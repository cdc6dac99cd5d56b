#![doc = include_str!("key_contribution.md")]

use bauta_data::Table;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::{SEMANTICS, note_empty_keys, positions};
use crate::keys::check_weights;
use crate::keys::levels_above::LevelsAbove;
use crate::keys::views::{KeyViews, Remaining};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::note::KnownNote;
use crate::params::{ParamProblem, Params};

/// How much risk hangs on each key. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct KeyContribution;

/// The first point of each series: the file with all of its keys as they stand.
pub const AS_IT_IS: &str = "as it is";

/// How the names of series end that have a point for each key left out.
pub const LEFT_OUT: &str = " if a key is left out";

/// How the names of series end that have a point for each level above the present one.
pub const BY_LEVEL: &str = " by level";

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "key-contribution",
        title: "Contribution of keys",
        summary: "share of the risk that goes when a key is left out, and what coarser levels would leave",
        family: Family::Risk,
        page: include_str!("key_contribution.md"),
        params: &[
            SEMANTICS,
            ParamSpec {
                name: "k",
                meaning: "class size below which a record is at risk",
                ty: ParamType::Integer {
                    min: 2,
                    max: i64::MAX,
                },
                default: ParamDefault::Value(ConstValue::Integer(3)),
            },
            ParamSpec {
                name: "risk",
                meaning: "which risk the shares are of",
                ty: ParamType::Choice(&[
                    ("records", "records in classes smaller than k"),
                    ("expected", "expected re-identifications"),
                ]),
                default: ParamDefault::Value(ConstValue::Text("records")),
            },
        ],
        targets: Targets::KEYS,
        randomness: Randomness::None,
        references: &["benedetti1998", "bergeat2015"],
    },
    value: FigureSpec::value("share of the risk", Unit::Share).within(0.0, 1.0),
    ..MeasureCard::OF_KEYS
};

impl MeasureMethod for KeyContribution {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        check_weights(table)?;
        context.go_on()?;
        let keys = positions(table, task.on)?;
        note_empty_keys(table, &keys, context);
        let k = task.params.integer("k");
        let mut views = KeyViews::of(table, &keys, task.params.choice_of(SEMANTICS.name))?;
        let (all, left) = views.left_out(k);
        context.go_on()?;
        let left_out: Vec<(String, Remaining)> = task.on.iter().cloned().zip(left).collect();
        let levels = by_level(table, &keys, &mut views, k, context)?;
        let of_expected = task.params.choice("risk") == "expected";
        let by_variable = left_out.iter().map(|(name, left)| Part {
            name: name.clone(),
            value: share_gone(&all, left, of_expected),
        });
        let mut found = Measurement {
            by_variable: by_variable.collect(),
            ..Measurement::default()
        };
        let shares = found.by_variable.iter().filter_map(|part| part.value);
        found.value = shares.reduce(f64::max);
        found.series = series(k, LEFT_OUT, &all, &left_out);
        if !levels.is_empty() {
            found.series.extend(series(k, BY_LEVEL, &all, &levels));
        }
        Ok(found)
    }
}

/// The share of a risk that a change takes away; none where there is no risk.
fn share_gone(all: &Remaining, left: &Remaining, of_expected: bool) -> Option<f64> {
    let (all, left) = if of_expected {
        (all.expected, left.expected)
    } else {
        (all.below as f64, left.below as f64)
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
                context.note(KnownNote::HierarchyUnfit {
                    variable: column.name().to_owned(),
                    reason: match error {
                        MethodError::Data { message, .. } => message,
                        other => other.to_string(),
                    },
                });
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

/// One series for each figure, with the file as it is in front.
fn series(k: i64, end: &str, all: &Remaining, changed: &[(String, Remaining)]) -> Vec<Series> {
    let one = |name: String, unit: &str, figure: fn(&Remaining) -> f64| {
        let point = |name: &str, left: &Remaining| Part {
            name: name.to_owned(),
            value: Some(figure(left)),
        };
        let first = std::iter::once(point(AS_IT_IS, all));
        let points = first.chain(changed.iter().map(|(name, left)| point(name, left)));
        Series {
            name: format!("{name}{end}"),
            axis: unit.to_owned(),
            unit: Unit::Number,
            file: None,
            variable: None,
            points: points.collect(),
        }
    };
    vec![
        one(format!("records below {k}"), "records", |left| {
            left.below as f64
        }),
        one("uniques".to_owned(), "records", |left| left.uniques as f64),
        one(
            "expected re-identifications".to_owned(),
            "expected re-identifications",
            |left| left.expected,
        ),
    ]
}
