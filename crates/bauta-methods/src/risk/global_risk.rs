#![doc = include_str!("global_risk.md")]

mod clusters;
mod factors;
mod inversions;
mod search;
mod size_weights;
mod weak_change;

use bauta_data::{Attribute, Column};

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::check_number;
use crate::measure::{
    MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Scope, Series, Subject,
};
use crate::note::KnownNote;
use crate::pair::Pair;
use crate::pair::records::check_rows;
use crate::params::{ParamProblem, Params};
use crate::risk::global_risk::clusters::{
    Clusters, KeyCodes, MASKED, Profiles, classification, crossed,
};
use crate::risk::global_risk::factors::{Released, key_and_factor};
use crate::risk::global_risk::search::{Best, MAXIMAL, MINIMAL, Problem, WEIGHTED, search};
use crate::risk::global_risk::size_weights::SizeWeights;
use crate::risk::global_risk::weak_change::OwnTable;

/// Minimal, maximal and weighted disclosure risk of the whole file. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct GlobalRisk;

const WEIGHTS: ParamSpec = ParamSpec {
    name: "weights",
    meaning: "how much a record counts in the weighted risk, by the sizes of its two clusters",
    ty: ParamType::Choice(&[
        ("inverse", "1 / (1 + a |i - j| + b (min(i, j) - 1))"),
        ("equal", "1 for all, which gives the maximal risk"),
        (
            "small",
            "1 where neither cluster is larger than `up_to`, 0 elsewhere",
        ),
        ("matrix", "the matrix `w`"),
    ]),
    default: ParamDefault::Value(ConstValue::Text("inverse")),
};

const A: ParamSpec = ParamSpec {
    name: "a",
    meaning: "what a difference of the two sizes takes away, with inverse weights",
    ty: ParamType::Number {
        min: 0.0,
        max: f64::INFINITY,
    },
    default: ParamDefault::Value(ConstValue::Number(0.5)),
};

const B: ParamSpec = ParamSpec {
    name: "b",
    meaning: "what the smaller of the two sizes takes away, with inverse weights; at most `a`",
    ty: ParamType::Number {
        min: 0.0,
        max: f64::INFINITY,
    },
    default: ParamDefault::Value(ConstValue::Number(0.3)),
};

const UP_TO: ParamSpec = ParamSpec {
    name: "up_to",
    meaning: "largest cluster that counts, with small weights",
    ty: ParamType::Integer {
        min: 1,
        max: i64::MAX,
    },
    default: ParamDefault::Value(ConstValue::Integer(2)),
};

const W: ParamSpec = ParamSpec {
    name: "w",
    meaning: "the weights: row i for clusters of i records in the masked file, column j in the original",
    ty: ParamType::NumberRows {
        min: 0.0,
        max: f64::INFINITY,
    },
    default: ParamDefault::Unset("weights come from a formula"),
};

const WCF: ParamSpec = ParamSpec {
    name: "wcf",
    meaning: "the owner's weak change factors: one row and one column for each of `wcf_values`",
    ty: ParamType::NumberRows { min: 0.0, max: 1.0 },
    default: ParamDefault::Unset("the hierarchy gives them"),
};

const WCF_VALUES: ParamSpec = ParamSpec {
    name: "wcf_values",
    meaning: "the values that rows and columns of `wcf` stand for",
    ty: ParamType::Texts,
    default: ParamDefault::Unset("there is no table"),
};

const WCF_OF: ParamSpec = ParamSpec {
    name: "wcf_of",
    meaning: "the one variable that `wcf` is of",
    ty: ParamType::Variables,
    default: ParamDefault::Unset("there is no table"),
};

const SUBSETS: ParamSpec = ParamSpec {
    name: "subsets",
    meaning: "the most subsets of keys whose clusters are made; beyond, the best so far is given with a bound",
    ty: ParamType::Integer {
        min: 0,
        max: i64::MAX,
    },
    default: ParamDefault::Value(ConstValue::Integer(20_000)),
};

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "global-risk",
        title: "Global disclosure risk",
        summary: "share of the records that an intruder links with the keys that serve him best, at least, at most and weighted",
        family: Family::Risk,
        page: include_str!("global_risk.md"),
        params: &[WEIGHTS, A, B, UP_TO, W, WCF_OF, WCF_VALUES, WCF, SUBSETS],
        targets: Targets::KEYS,
        randomness: Randomness::None,
        references: &["truta2004"],
    },
    subject: Subject::CorrespondingPair,
    scope: Scope::Scenario,
    at_identity: None,
    value: FigureSpec::value("maximal risk", Unit::Number)
        .within(0.0, 1.0)
        .lower_is_better(),
    usual: false,
    ..MeasureCard::LOSS
};

/// Names of the three risks, in the order of the search.
const NAMES: [&str; 3] = ["minimal", "maximal", "weighted"];

impl MeasureMethod for GlobalRisk {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    fn check(&self, params: &Params, on: &[&Attribute]) -> Vec<ParamProblem> {
        let mut problems = SizeWeights::problems(params);
        problems.extend(table_problem(params, on));
        problems
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        check_rows(&pair)?;
        let keys = Keys::of(&pair, task, context)?;
        let released = Released::of(&pair)?;
        let own = OwnTable {
            values: task.params.texts("wcf_values"),
            rows: task.params.number_rows("wcf"),
        };
        let (mut codes, mut factors): (Vec<KeyCodes>, Vec<f64>) = (Vec::new(), Vec::new());
        for &name in &keys.names {
            context.go_on()?;
            let has_table = task.params.texts("wcf_of").iter().any(|of| of == name);
            let (original, masked) = columns(&pair, name)?;
            let own = has_table.then_some(&own);
            let (key, factor) = key_and_factor(original, masked, &released, own)?;
            codes.push(key);
            factors.push(factor);
        }
        let profiles = Profiles::new(&codes, &released.is_there);
        drop(codes);
        let weights = SizeWeights::of(task.params);
        let problem = Problem {
            profiles: &profiles,
            factors: &factors,
            n: pair.original.n_records(),
            weights: &weights,
            most_subsets: usize::try_from(task.params.integer("subsets")).unwrap_or(usize::MAX),
        };
        let best = search(&problem, &|| context.go_on())?;
        Ok(keys.measurement(&pair, &problem, &best, context))
    }
}

/// The keys that both files have.
struct Keys<'a> {
    names: Vec<&'a str>,
}

impl<'a> Keys<'a> {
    /// A key that the masked file lacks is of no use to an intruder, and left out.
    fn of(
        pair: &Pair<'_>,
        task: &MeasureTask<'a>,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        let unknown = task
            .on
            .iter()
            .find(|name| pair.original.index_of(name).is_none());
        if let Some(name) = unknown {
            return Err(MethodError::request(
                format!("the original file has no variable `{name}`"),
                "name keys of the original file",
            ));
        }
        check_number(task.on.len())?;
        let is_there = |name: &&String| pair.masked.index_of(name).is_some();
        let (there, gone): (Vec<&String>, Vec<&String>) = task.on.iter().partition(is_there);
        if !gone.is_empty() {
            context.note(KnownNote::VariablesGone {
                variables: gone.into_iter().cloned().collect(),
            });
        }
        Ok(Self {
            names: there.into_iter().map(String::as_str).collect(),
        })
    }

    fn measurement(
        &self,
        pair: &Pair<'_>,
        problem: &Problem<'_>,
        best: &[Best; 3],
        context: &RunContext<'_>,
    ) -> Measurement {
        let defined = problem.n > 0;
        let mut found = Measurement {
            value: defined.then_some(best[MAXIMAL].value),
            ..Measurement::default()
        };
        for (name, best) in NAMES.iter().zip(best) {
            found.push_part(*name, defined.then_some(best.value));
        }
        found.push_part("records", problem.n as f64);
        found.push_part("released", pair.masked.n_records() as f64);
        if best.iter().any(|best| best.bound > best.value) {
            for (name, best) in NAMES.iter().zip(best) {
                found.push_part(format!("{name}_bound"), best.bound);
            }
            context.note(KnownNote::SubsetsNotAll {
                n_subsets: problem.most_subsets,
                bound: best[MAXIMAL].bound,
            });
        }
        let factors = self.names.iter().zip(problem.factors);
        found.by_variable = factors.map(|(name, &factor)| part(*name, factor)).collect();
        for risk in [MINIMAL, MAXIMAL, WEIGHTED] {
            self.note_keys(NAMES[risk], &best[risk], &mut found, context);
        }
        found
            .series
            .extend(self.classified(problem, &best[MAXIMAL]));
        found
    }

    /// The keys that give a risk, in words and as a series.
    fn note_keys(
        &self,
        risk: &str,
        best: &Best,
        found: &mut Measurement,
        context: &RunContext<'_>,
    ) {
        let is_taken = |key: usize| best.keys >> key & 1 == 1;
        let names = self.names.iter().enumerate();
        found.series.push(Series {
            name: format!("keys of the {risk} risk"),
            axis: "1 if taken".to_owned(),
            unit: Unit::Number,
            file: None,
            variable: None,
            points: names
                .clone()
                .map(|(key, &name)| part(name, f64::from(u8::from(is_taken(key)))))
                .collect(),
        });
        if best.keys != 0 {
            context.note(KnownNote::RiskiestKeys {
                risk: risk.to_owned(),
                variables: names
                    .filter(|(key, _)| is_taken(*key))
                    .map(|(_, &name)| name.to_owned())
                    .collect(),
            });
        }
    }

    /// The classification matrix of the keys that give the maximal risk, in bands that do not
    /// depend on the file.
    fn classified(&self, problem: &Problem<'_>, best: &Best) -> Option<Series> {
        const BANDS: [(u32, u32, &str); 4] = [
            (1, 1, "1"),
            (2, 2, "2"),
            (3, 9, "3-9"),
            (10, u32::MAX, "10+"),
        ];
        let profiles = problem.profiles;
        let mut clusters: Option<[Clusters; 2]> = None;
        for key in (0..self.names.len()).filter(|key| best.keys >> key & 1 == 1) {
            let alone = &profiles.keys[key];
            clusters = Some(match clusters {
                None => alone.clone(),
                Some(before) => crossed(&before, alone, &profiles.n_records),
            });
        }
        let c = classification(&clusters?, &profiles.n_records[MASKED]);
        let mut points = Vec::new();
        for (low, high, masked) in BANDS {
            for (from, to, original) in BANDS {
                let inside = c
                    .iter()
                    .filter(|(i, j, _)| (low..=high).contains(i) && (from..=to).contains(j));
                let n: u64 = inside.map(|(_, _, n)| n).sum();
                points.push(part(format!("{masked} of {original}"), n as f64));
            }
        }
        Some(Series {
            name: "records by cluster size, masked of original".to_owned(),
            axis: "records".to_owned(),
            unit: Unit::Count,
            file: None,
            variable: None,
            points,
        })
    }
}

/// A key in both files.
fn columns<'t>(pair: &Pair<'t>, name: &str) -> Result<(&'t Column, &'t Column), MethodError> {
    let original = pair.original.column_named(name);
    original
        .zip(pair.masked.column_named(name))
        .ok_or_else(|| MethodError::Internal("a key is no longer there".to_owned()))
}

fn part(name: impl Into<String>, value: f64) -> Part {
    Part {
        name: name.into(),
        value: Some(value),
    }
}

/// What is wrong with the owner's table of weak change factors.
fn table_problem(params: &Params, on: &[&Attribute]) -> Option<ParamProblem> {
    let names = ["wcf_of", "wcf_values", "wcf"];
    let n_given = names.iter().filter(|name| params.is_set(name)).count();
    if n_given == 0 {
        return None;
    }
    if n_given < names.len() {
        return Some(ParamProblem::together(
            "a table of weak change factors needs `wcf_of`, `wcf_values` and `wcf`",
            "give all three of them, or none",
        ));
    }
    let of = params.texts("wcf_of");
    let is_key = |name: &String| on.iter().any(|attribute| attribute.name == *name);
    if of.len() != 1 || !on.is_empty() && !of.iter().all(is_key) {
        return Some(ParamProblem::of(
            "wcf_of",
            "`wcf_of` must name one of the keys",
            "name the one key that the table is of",
        ));
    }
    let (values, rows) = (params.texts("wcf_values"), params.number_rows("wcf"));
    let m = values.len();
    let twice = (0..m).any(|value| values[..value].contains(&values[value]));
    if twice || rows.len() != m || rows.iter().any(|row| row.len() != m) {
        return Some(ParamProblem::of(
            "wcf",
            "`wcf` must have one row and one column for each of `wcf_values`, which are different",
            "write the table in the order of `wcf_values`",
        ));
    }
    // Exactly: the owner writes both halves.
    let wrong = |i: usize, j: usize| {
        let expected = if i == j { 0.0 } else { rows[j][i] };
        (rows[i][j] - expected).abs() > 0.0
    };
    let found = (0..m).find_map(|i| (0..=i).find(|&j| wrong(i, j)).map(|j| (i + 1, j + 1)));
    found.map(|(i, j)| {
        let message = if i == j {
            format!("row {i} of `wcf` is not 0 on the diagonal")
        } else {
            format!("row {i}, column {j} of `wcf` differs from row {j}, column {i}")
        };
        ParamProblem::of(
            "wcf",
            message,
            "the table is symmetric, with 0 on the diagonal",
        )
    })
}
