#![doc = include_str!("t_closeness.md")]

use bauta_data::Attribute;

use crate::card::{Card, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::positions;
use crate::keys::closeness::{ClosenessAsked, Distance, closeness};
use crate::keys::sensitive::{MATCHING, MISSING_SENSITIVE, Questions, SENSITIVE};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series, Threat};
use crate::params::{ParamProblem, Params};

/// How far the sensitive values of a class are from those of the file. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct TCloseness;

/// The distances to report violations for where none are given.
const USUAL_T: [f64; 3] = [0.1, 0.2, 0.3];

const DISTANCE: ParamSpec =
    ParamSpec::choice::<Distance>("distance", "how far two values are apart").or_word("by-kind");
const WEIGHTED: ParamSpec = ParamSpec::flag(
    "weighted",
    "whether records count by their weights, in classes and in the file",
);
const T: ParamSpec = ParamSpec::new(
    "t",
    "distances to report violations for: records whose class is farther",
    ParamType::Numbers { min: 0.0, max: 1.0 },
)
.unset("0.1, 0.2 and 0.3");

const ABOVE: FigureSpec = FigureSpec::count("above_{}", "records in classes farther than {}")
    .lower_is_better()
    .per_number();
const SHARE_ABOVE: FigureSpec = FigureSpec::share(
    "share_above_{}",
    "share of records in classes farther than {}",
)
.lower_is_better()
.per_number();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "t-closeness",
        title: "t-closeness",
        summary: "largest distance between the sensitive values of a class and those of the file",
        page: include_str!("t_closeness.md"),
        params: &[
            SENSITIVE,
            MISSING_SENSITIVE,
            MATCHING,
            DISTANCE,
            WEIGHTED,
            T,
        ],
        references: &["li2007"],
        ..MeasureCard::OF_KEYS.card
    },
    value: FigureSpec::value("largest distance", Unit::Number)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[ABOVE, SHARE_ABOVE],
    usual: false,
    by_variable: true,
    threat: Threat::Inference,
    ..MeasureCard::OF_KEYS
};

/// Which distance, of whose answers, and the distances of interest.
pub struct Settings {
    asked: ClosenessAsked,
    t: Vec<f64>,
}

impl MeasureMethod for TCloseness {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let t = if params.is_set(T.name) {
            params.numbers(T.name)
        } else {
            &USUAL_T
        };
        Ok(Settings {
            asked: ClosenessAsked {
                questions: Questions::asked(params)?,
                distance: params.choice_of(DISTANCE.name),
                weighted: params.flag(WEIGHTED.name),
            },
            t: t.to_vec(),
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.asked.questions.sensitive.problems(on)
    }

    fn numbers_of(&self, _: &FigureSpec, settings: &Settings, _: &[String]) -> Vec<f64> {
        settings.t.clone()
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        let keys = positions(table, task.on)?;
        let questions = &settings.asked.questions;
        questions.note_spellings(table, &keys, context)?;
        let found = closeness(table, &keys, &settings.asked, context)?;
        let (n, t) = (found.t.len(), found.t);
        let mut found = Measurement {
            value: t.iter().copied().filter(|t| !t.is_nan()).reduce(f64::max),
            by_variable: found.by_variable,
            ..Measurement::default()
        };
        let above = |limit: f64| t.iter().filter(|t| **t > limit).count() as f64;
        for &limit in &settings.t {
            found.give(ABOVE.at(limit), above(limit));
        }
        for &limit in &settings.t {
            let share = (n > 0).then(|| above(limit) / n as f64);
            found.give(SHARE_ABOVE.at(limit), share);
        }
        found.series.push(bands(&t));
        found.per_record = Some(t);
        Ok(found)
    }
}

/// Records by the distance of their class, in bands that do not depend on the file.
fn bands(t: &[f64]) -> Series {
    const BANDS: [(f64, f64, &str); 6] = [
        (0.0, 0.05, "0 to 0.05"),
        (0.05, 0.1, "0.05 to 0.1"),
        (0.1, 0.2, "0.1 to 0.2"),
        (0.2, 0.3, "0.2 to 0.3"),
        (0.3, 0.5, "0.3 to 0.5"),
        (0.5, f64::INFINITY, "0.5 to 1"),
    ];
    let points = BANDS
        .iter()
        .map(|&(low, high, label)| {
            let n = t.iter().filter(|t| (low..high).contains(*t)).count();
            Part::new(label, n as f64)
        })
        .collect();
    Series::new("records by distance", "records", Unit::Count, points)
}
