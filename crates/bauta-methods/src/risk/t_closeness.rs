#![doc = include_str!("t_closeness.md")]

mod answer_distance;

use bauta_data::{Attribute, Column, Kind, Table};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::asked::positions;
use crate::keys::check_weights;
use crate::keys::matching::MatchingSets;
use crate::keys::sensitive::{self, Answers, ClassAnswers};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::params::{ParamProblem, Params};
use crate::risk::t_closeness::answer_distance::{FileAnswers, Ground};

/// How far the sensitive values of a class are from those of the file. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct TCloseness;

/// The distances to report violations for where none are given.
const USUAL_T: [f64; 3] = [0.1, 0.2, 0.3];

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "t-closeness",
        title: "t-closeness",
        summary: "largest distance between the sensitive values of a class and those of the file",
        family: Family::Risk,
        page: include_str!("t_closeness.md"),
        params: &[
            sensitive::SENSITIVE,
            sensitive::MISSING_SENSITIVE,
            sensitive::MATCHING,
            ParamSpec {
                name: "distance",
                meaning: "how far two values are apart",
                ty: ParamType::Choice(&[
                    (
                        "by-kind",
                        "nominal for unordered and hierarchical variables, ordered for ordered ones, ranks for continuous ones",
                    ),
                    ("nominal", "any two values equally far: total variation"),
                    ("ordered", "as many steps as there are values between"),
                    ("ranks", "as many records as there are between"),
                ]),
                default: ParamDefault::Value(ConstValue::Text("by-kind")),
            },
            ParamSpec {
                name: "weighted",
                meaning: "whether records count by their weights, in classes and in the file",
                ty: ParamType::Flag,
                default: ParamDefault::Value(ConstValue::Flag(false)),
            },
            ParamSpec {
                name: "t",
                meaning: "distances to report violations for: records whose class is farther",
                ty: ParamType::Numbers { min: 0.0, max: 1.0 },
                default: ParamDefault::Unset("0.1, 0.2 and 0.3"),
            },
        ],
        targets: Targets::KEYS,
        randomness: Randomness::None,
        references: &["li2007"],
    },
    value: FigureSpec::value("largest distance", Unit::Number)
        .within(0.0, 1.0)
        .lower_is_better(),
    usual: false,
    ..MeasureCard::OF_KEYS
};

impl MeasureMethod for TCloseness {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        sensitive::problems(params, on)
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let table = task.one()?;
        context.go_on()?;
        let keys = positions(table, task.on)?;
        let variables = sensitive::positions(table, &keys, task.params)?;
        let weights = weights(table, task.params)?;
        let sets = MatchingSets::new(table, &keys, sensitive::semantics(task.params)?)?;
        let mut found = Measurement::default();
        let mut t = vec![f64::NAN; table.n_records()];
        for (done, &attr_idx) in variables.iter().enumerate() {
            context.progress(done, variables.len())?;
            let column = table.column(attr_idx);
            let answers = Answers::new(column, task.params, context);
            let ground = ground(task.params.choice("distance"), column.attribute().kind);
            let of_sets = distances(&answers, &sets, weights, ground);
            for (record, t) in t.iter_mut().enumerate() {
                // NaN where there is none yet: the other one is taken.
                let distance = of_sets[sets.set_of_record(record)];
                *t = t.max(distance.unwrap_or(f64::NAN));
            }
            found.by_variable.push(Part {
                name: column.name().to_owned(),
                value: of_sets.into_iter().flatten().reduce(f64::max),
            });
        }
        report(t, task.params, &mut found);
        Ok(found)
    }
}

fn weights<'a>(table: &'a Table, params: &Params) -> Result<Option<&'a [f64]>, MethodError> {
    if !params.flag("weighted") {
        return Ok(None);
    }
    check_weights(table)?;
    match table.weight().and_then(Column::as_numeric) {
        None => Err(MethodError::request(
            "there is no weight to count records by",
            "give a variable the role weight, or leave out `weighted`",
        )),
        weights => Ok(weights),
    }
}

fn ground(choice: &str, kind: Kind) -> Ground {
    match (choice, kind) {
        ("ordered", _) | ("by-kind", Kind::Ordered) => Ground::Ordered,
        ("ranks", _) | ("by-kind", Kind::Continuous) => Ground::Ranks,
        _ => Ground::Nominal,
    }
}

/// Distance of each set; none where no record of it has a value or a weight.
fn distances(
    answers: &Answers,
    sets: &MatchingSets,
    weights: Option<&[f64]>,
    ground: Ground,
) -> Vec<Option<f64>> {
    let counted = ClassAnswers::new(answers, sets, weights);
    match FileAnswers::new(ground, &counted.of_file(answers.n_values)) {
        None => vec![None; sets.n_sets()],
        Some(file) => counted.per_set(sets, |answers| file.distance(answers)),
    }
}

fn report(t: Vec<f64>, params: &Params, found: &mut Measurement) {
    let n = t.len();
    let limits = if params.is_set("t") {
        params.numbers("t")
    } else {
        &USUAL_T
    };
    found.value = t.iter().copied().filter(|t| !t.is_nan()).reduce(f64::max);
    let above = |limit: f64| t.iter().filter(|t| **t > limit).count() as f64;
    for &limit in limits {
        found.push_part(format!("above_{limit}"), above(limit));
    }
    for &limit in limits {
        found.push_part(
            format!("share_above_{limit}"),
            (n > 0).then(|| above(limit) / n as f64),
        );
    }
    found.series.push(bands(&t));
    found.per_record = Some(t);
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
        .map(|&(low, high, label)| Part {
            name: label.to_owned(),
            value: Some(t.iter().filter(|t| (low..high).contains(*t)).count() as f64),
        })
        .collect();
    Series {
        name: "records by distance".to_owned(),
        axis: "records".to_owned(),
        unit: Unit::Count,
        file: None,
        variable: None,
        points,
    }
}
