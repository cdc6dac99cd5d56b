#![doc = include_str!("l_diversity.md")]

use bauta_data::Attribute;

use crate::card::{Card, ConstValue, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::positions;
use crate::keys::diversity::{Diversities, DiversityAsked, DiversityKind, USUAL_C, diversities};
use crate::keys::sensitive::{MATCHING, MISSING_SENSITIVE, Questions, SENSITIVE};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series, Threat};
use crate::params::{ParamProblem, Params};

/// How different the sensitive values of a class are. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct LDiversity;

const KIND: ParamSpec =
    ParamSpec::choice::<DiversityKind>("kind", "which l is the measure's value")
        .or_word("distinct");
const C: ParamSpec = ParamSpec::new(
    "c",
    "c of the recursive l",
    ParamType::Number { min: 0.0, max: 1e6 },
)
.or_number(USUAL_C);
const L: ParamSpec = ParamSpec::new(
    "l",
    "diversities to report violations for: records whose class has a smaller one",
    ParamType::Integers {
        min: 2,
        max: i64::MAX,
    },
)
.or(ConstValue::Integers(&[2, 3, 5]));
const MULTI: ParamSpec = ParamSpec::flag(
    "multi",
    "whether the intruder knows the other sensitive variables, as if they were keys",
);

const DISTINCT: FigureSpec = FigureSpec::number("smallest_distinct", "smallest distinct l")
    .within(1.0, f64::INFINITY)
    .higher_is_better();
const ENTROPY: FigureSpec = FigureSpec::number("smallest_entropy", "smallest entropy l")
    .within(1.0, f64::INFINITY)
    .higher_is_better();
const RECURSIVE: FigureSpec = FigureSpec::number("smallest_recursive", "smallest recursive l")
    .within(1.0, f64::INFINITY)
    .higher_is_better();
const DISCLOSED: FigureSpec =
    FigureSpec::count("group_disclosure", "records in classes with one answer").lower_is_better();
const SHARE_DISCLOSED: FigureSpec = FigureSpec::share(
    "share_group_disclosure",
    "share of records in classes with one answer",
)
.lower_is_better();
const BELOW: FigureSpec = FigureSpec::count("records_with_l_below_{}", "records with l below {}")
    .lower_is_better()
    .per_number();
const SHARE_BELOW: FigureSpec =
    FigureSpec::share("share_with_l_below_{}", "share of records with l below {}")
        .lower_is_better()
        .per_number();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "l-diversity",
        title: "l-diversity",
        summary: "how many different sensitive values the least diverse class has",
        page: include_str!("l_diversity.md"),
        params: &[SENSITIVE, MISSING_SENSITIVE, MATCHING, KIND, C, L, MULTI],
        references: &["machanavajjhala2007", "bergeat2015"],
        ..MeasureCard::OF_KEYS.card
    },
    value: FigureSpec::value("smallest l", Unit::Number)
        .within(1.0, f64::INFINITY)
        .higher_is_better(),
    figures: &[
        DISTINCT,
        ENTROPY,
        RECURSIVE,
        DISCLOSED,
        SHARE_DISCLOSED,
        BELOW,
        SHARE_BELOW,
    ],
    usual: false,
    by_variable: true,
    threat: Threat::Inference,
    ..MeasureCard::OF_KEYS
};

/// Which l, of whose answers, and the diversities of interest.
pub struct Settings {
    asked: DiversityAsked,
    l: Vec<i64>,
}

impl MeasureMethod for LDiversity {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            asked: DiversityAsked {
                questions: Questions::asked(params)?,
                kind: params.choice_of(KIND.name),
                c: params.number(C.name),
                knows_others: params.flag(MULTI.name),
            },
            l: params.integers(L.name).to_vec(),
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        settings.asked.questions.sensitive.problems(on)
    }

    fn numbers_of(&self, _: &FigureSpec, settings: &Settings, _: &[String]) -> Vec<f64> {
        settings.l.iter().map(|&l| l as f64).collect()
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
        let found = diversities(table, &keys, &settings.asked, context)?;
        Ok(report(found, settings))
    }
}

fn report(records: Diversities, settings: &Settings) -> Measurement {
    let n = records.l.len();
    let share = |count: f64| (n > 0).then(|| count / n as f64);
    let smallest = records.smallest;
    let mut found = Measurement {
        value: smallest.map(|l| l.chosen(settings.asked.kind)),
        by_variable: records.by_variable,
        ..Measurement::default()
    };
    found.give(&DISTINCT, smallest.map(|l| l.distinct));
    found.give(&ENTROPY, smallest.map(|l| l.entropy));
    found.give(&RECURSIVE, smallest.map(|l| l.recursive));
    let n_disclosed = records.is_disclosed.iter().filter(|is| **is).count() as f64;
    found.give(&DISCLOSED, n_disclosed);
    found.give(&SHARE_DISCLOSED, share(n_disclosed));
    let limits = settings.l.iter().map(|&l| l as f64);
    let below: Vec<(f64, f64)> = limits.map(|l| (l, below(&records.l, l))).collect();
    for &(l, below) in &below {
        found.give(BELOW.at(l), below);
    }
    for &(l, below) in &below {
        found.give(SHARE_BELOW.at(l), share(below));
    }
    found.series.push(bands(&records.l));
    found.per_record = Some(records.l);
    found
}

/// How many are below a limit; those that are not numbers are not.
fn below(l: &[f64], limit: f64) -> f64 {
    l.iter().filter(|l| **l < limit).count() as f64
}

/// Records by the diversity of their class, in bands that do not depend on the file.
fn bands(l: &[f64]) -> Series {
    const BANDS: [(f64, &str); 5] = [
        (2.0, "1 to < 2"),
        (3.0, "2 to < 3"),
        (5.0, "3 to < 5"),
        (10.0, "5 to < 10"),
        (f64::INFINITY, "10+"),
    ];
    let mut counted = 0.0;
    let mut points = Vec::new();
    for (high, label) in BANDS {
        let up_to = below(l, high);
        points.push(Part::new(label, up_to - counted));
        counted = up_to;
    }
    Series::new("records by l", "records", Unit::Count, points)
}
