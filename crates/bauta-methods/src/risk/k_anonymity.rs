#![doc = include_str!("k_anonymity.md")]

use crate::card::{Card, ConstValue, ParamSpec, ParamType, Scaling};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::{SEMANTICS, count};
use crate::keys::{Frequencies, Semantics};
use crate::mask::KeyClaim;
use crate::measure::{Bound, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::params::{ParamProblem, Params};

/// Smallest class of equal keys. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct KAnonymity;

const K: ParamSpec = ParamSpec::new(
    "k",
    "class sizes to report violations for: records whose class is smaller",
    ParamType::Integers {
        min: 2,
        max: i64::MAX,
    },
)
.or(ConstValue::Integers(&[2, 3, 5]));

const RECORDS: FigureSpec = FigureSpec::count("records", "records");
const CLASSES: FigureSpec = FigureSpec::count("classes", "classes of equal keys");
const UNIQUES: FigureSpec =
    FigureSpec::count("uniques", "records alone in their class").lower_is_better();
const BELOW: FigureSpec = FigureSpec::count("below_{}", "records in classes smaller than {}")
    .lower_is_better()
    .per_number()
    .headline();
const SHARE_BELOW: FigureSpec = FigureSpec::share(
    "share_below_{}",
    "share of records in classes smaller than {}",
)
.lower_is_better()
.per_number();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "k-anonymity",
        title: "k-anonymity",
        summary: "size of the smallest class of records that share their key",
        page: include_str!("k_anonymity.md"),
        params: &[SEMANTICS, K],
        scaling: Scaling::Class,
        references: &["sweeney2002", "bergeat2015"],
        ..MeasureCard::OF_KEYS.card
    },
    value: FigureSpec::value("smallest class", Unit::Number)
        .within(1.0, f64::INFINITY)
        .higher_is_better(),
    figures: &[RECORDS, CLASSES, UNIQUES, BELOW, SHARE_BELOW],
    ..MeasureCard::OF_KEYS
};

/// How to count, and the class sizes of interest.
pub struct Settings {
    semantics: Semantics,
    k: Vec<i64>,
}

impl MeasureMethod for KAnonymity {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            semantics: params.choice_of(SEMANTICS.name),
            k: params.integers(K.name).to_vec(),
        })
    }

    fn numbers_of(&self, _: &FigureSpec, settings: &Settings, _: &[String]) -> Vec<f64> {
        settings.k.iter().map(|&k| k as f64).collect()
    }

    fn claimed(&self, settings: &Settings, bound: &Bound<'_>) -> Option<KeyClaim> {
        let at_most = bound.at_most.unwrap_or(f64::INFINITY);
        let k = match bound.figure {
            None => bound.at_least.map(f64::ceil),
            Some(name) if name.id == UNIQUES.id => (at_most < 1.0).then_some(2.0),
            Some(name) if name.id == BELOW.id => name.at.filter(|_| at_most < 1.0),
            Some(name) if name.id == SHARE_BELOW.id => name.at.filter(|_| at_most <= 0.0),
            Some(_) => None,
        };
        // Every record is in a class of one at least.
        let k = k.map(|k| k as u32).filter(|&k| k > 1)?;
        let semantics = settings.semantics;
        Some(KeyClaim { k, semantics })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        let Frequencies { f, n_classes, .. } = count(table, task.on, settings.semantics, context)?;
        let n = table.n_records();
        let mut found = Measurement {
            value: f.iter().min().map(|&f| f64::from(f)),
            ..Measurement::default()
        };
        let below = |k: i64| f.iter().filter(|&&f| i64::from(f) < k).count() as f64;
        found.give(&RECORDS, n as f64);
        found.give(&CLASSES, n_classes as f64);
        found.give(&UNIQUES, below(2));
        for &k in &settings.k {
            found.give(BELOW.at(k as f64), below(k));
        }
        for &k in &settings.k {
            let share = (n > 0).then(|| below(k) / n as f64);
            found.give(SHARE_BELOW.at(k as f64), share);
        }
        found.series.push(class_sizes(&f));
        if context.wants_record_figures() {
            found.per_record = Some(f.iter().map(|&f| f64::from(f)).collect());
        }
        Ok(found)
    }
}

/// Records by the size of their class, in bands that do not depend on the file.
fn class_sizes(f: &[u32]) -> Series {
    const BANDS: [(u32, u32, &str); 8] = [
        (1, 1, "1"),
        (2, 2, "2"),
        (3, 4, "3-4"),
        (5, 9, "5-9"),
        (10, 19, "10-19"),
        (20, 49, "20-49"),
        (50, 99, "50-99"),
        (100, u32::MAX, "100+"),
    ];
    let points = BANDS.iter().map(|&(low, high, label)| {
        let n = f.iter().filter(|&&f| (low..=high).contains(&f)).count();
        Part::new(label, n as f64)
    });
    Series::new(
        "records by class size",
        "records",
        Unit::Count,
        points.collect(),
    )
}
