#![doc = include_str!("global_risk.md")]

mod clusters;
mod factors;
mod inversions;
mod search;
mod size_weights;
mod weak_change;

use bauta_data::{Attribute, Column};

use crate::card::{Card, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::keys::check_number;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series, Subject};
use crate::note::Note;
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

const WCF: ParamSpec = ParamSpec::new(
    "wcf",
    "the owner's weak change factors: one row and one column for each of `wcf_values`",
    ParamType::NumberRows { min: 0.0, max: 1.0 },
)
.unset("the hierarchy gives them");
const WCF_VALUES: ParamSpec = ParamSpec::new(
    "wcf_values",
    "the values that rows and columns of `wcf` stand for",
    ParamType::Texts,
)
.unset("there is no table");
const WCF_OF: ParamSpec = ParamSpec::variables(
    "wcf_of",
    "the one variable that `wcf` is of",
    "there is no table",
);
const SUBSETS: ParamSpec = ParamSpec::integer(
    "subsets",
    "the most subsets of keys whose clusters are made; beyond, the best so far is given with a bound",
    0,
)
.or_integer(20_000);

/// The three risks, in the order of the search.
const RISKS: [FigureSpec; 3] = [
    risk("minimal", "minimal risk"),
    risk("maximal", "maximal risk"),
    risk("weighted", "weighted risk"),
];
const BOUNDS: [FigureSpec; 3] = [
    risk("minimal_bound", "bound of the minimal risk"),
    risk("maximal_bound", "bound of the maximal risk"),
    risk("weighted_bound", "bound of the weighted risk"),
];
const RECORDS: FigureSpec = FigureSpec::count("records", "records");
const RELEASED: FigureSpec = FigureSpec::count("released", "released records");

const fn risk(id: &'static str, label: &'static str) -> FigureSpec {
    FigureSpec::number(id, label)
        .within(0.0, 1.0)
        .lower_is_better()
}

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "global-risk",
        title: "Global disclosure risk",
        summary: "share of the records that an intruder links with the keys that serve him best, at least, at most and weighted",
        page: include_str!("global_risk.md"),
        params: &[
            size_weights::WEIGHTS,
            size_weights::A,
            size_weights::B,
            size_weights::UP_TO,
            size_weights::W,
            WCF_OF,
            WCF_VALUES,
            WCF,
            SUBSETS,
        ],
        references: &["truta2004"],
        ..MeasureCard::OF_KEYS.card
    },
    subject: Subject::CorrespondingPair,
    value: FigureSpec::value("maximal risk", Unit::Number)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[
        RISKS[MINIMAL],
        RISKS[MAXIMAL],
        RISKS[WEIGHTED],
        RECORDS,
        RELEASED,
        BOUNDS[MINIMAL],
        BOUNDS[MAXIMAL],
        BOUNDS[WEIGHTED],
    ],
    usual: false,
    by_variable: true,
    ..MeasureCard::OF_KEYS
};

/// What a record counts, how far values are apart, and how long to search.
pub struct Settings {
    weights: SizeWeights,
    /// The owner's weak change factors, and the key that they are of.
    own: Option<(String, OwnTable)>,
    most_subsets: usize,
}

impl MeasureMethod for GlobalRisk {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        match (SizeWeights::asked(params), own_table(params)) {
            (Ok(weights), Ok(own)) => Ok(Settings {
                weights,
                own,
                most_subsets: params.count(SUBSETS.name),
            }),
            (weights, own) => Err(weights.err().into_iter().chain(own.err()).collect()),
        }
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let is_key = |name: &String| on.iter().any(|attribute| attribute.name == *name);
        let mut of = settings.own.iter().map(|(of, _)| of);
        let no_key = of.find(|of| !on.is_empty() && !is_key(of));
        no_key.map(|_| not_one_key()).into_iter().collect()
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        check_rows(&pair)?;
        let keys = Keys::of(&pair, task, context)?;
        let released = Released::of(&pair)?;
        let (mut codes, mut factors): (Vec<KeyCodes>, Vec<f64>) = (Vec::new(), Vec::new());
        for &name in &keys.names {
            context.go_on()?;
            let (original, masked) = columns(&pair, name)?;
            let own = settings.own.as_ref().filter(|(of, _)| of == name);
            let own = own.map(|(_, table)| table);
            let (key, factor) = key_and_factor(original, masked, &released, own)?;
            codes.push(key);
            factors.push(factor);
        }
        let profiles = Profiles::new(&codes, &released.is_there);
        drop(codes);
        let problem = Problem {
            profiles: &profiles,
            factors: &factors,
            n: pair.original.n_records(),
            weights: &settings.weights,
            most_subsets: settings.most_subsets,
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
            context.note(gone_from_file(&gone));
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
        for (risk, best) in RISKS.iter().zip(best) {
            found.give(risk, defined.then_some(best.value));
        }
        found.give(&RECORDS, problem.n as f64);
        found.give(&RELEASED, pair.masked.n_records() as f64);
        if best.iter().any(|best| best.bound > best.value) {
            for (bound, best) in BOUNDS.iter().zip(best) {
                found.give(bound, best.bound);
            }
            context.note(subsets_not_all(problem.most_subsets, best[MAXIMAL].bound));
        }
        let factors = self.names.iter().zip(problem.factors);
        found.by_variable = factors
            .map(|(&name, &factor)| Part::new(name, factor))
            .collect();
        for (risk, best) in RISKS.iter().zip(best) {
            self.note_keys(risk.id, best, &mut found, context);
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
        let points = names
            .clone()
            .map(|(key, &name)| Part::new(name, f64::from(u8::from(is_taken(key)))));
        found.series.push(Series::new(
            format!("keys of the {risk} risk"),
            "1 if taken",
            Unit::Number,
            points.collect(),
        ));
        if best.keys != 0 {
            let taken = names.filter(|(key, _)| is_taken(*key));
            let taken: Vec<&str> = taken.map(|(_, &name)| name).collect();
            context.note(riskiest_keys(risk, &taken));
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
                points.push(Part::new(format!("{masked} of {original}"), n as f64));
            }
        }
        Some(Series::new(
            "records by cluster size, masked of original",
            "records",
            Unit::Count,
            points,
        ))
    }
}

/// A key in both files.
fn columns<'t>(pair: &Pair<'t>, name: &str) -> Result<(&'t Column, &'t Column), MethodError> {
    let original = pair.original.column_named(name);
    original
        .zip(pair.masked.column_named(name))
        .ok_or_else(|| MethodError::Internal("a key is no longer there".to_owned()))
}

/// The owner's table of weak change factors and the key that it is of, if there is one.
fn own_table(params: &Params) -> Result<Option<(String, OwnTable)>, ParamProblem> {
    let names = [WCF_OF.name, WCF_VALUES.name, WCF.name];
    let n_given = names.iter().filter(|name| params.is_set(name)).count();
    if n_given == 0 {
        return Ok(None);
    }
    if n_given < names.len() {
        return Err(ParamProblem::together(
            "a table of weak change factors needs `wcf_of`, `wcf_values` and `wcf`",
            "give all three of them, or none",
        ));
    }
    let [of] = params.texts(WCF_OF.name) else {
        return Err(not_one_key());
    };
    let table = OwnTable {
        values: params.texts(WCF_VALUES.name).to_vec(),
        rows: params.number_rows(WCF.name).to_vec(),
    };
    match table_problem(&table) {
        None => Ok(Some((of.clone(), table))),
        Some(problem) => Err(problem),
    }
}

fn not_one_key() -> ParamProblem {
    ParamProblem::of(
        WCF_OF.name,
        "`wcf_of` must name one of the keys",
        "name the one key that the table is of",
    )
}

/// What is wrong with the owner's table of weak change factors.
fn table_problem(OwnTable { values, rows }: &OwnTable) -> Option<ParamProblem> {
    let m = values.len();
    let twice = (0..m).any(|value| values[..value].contains(&values[value]));
    if twice || rows.len() != m || rows.iter().any(|row| row.len() != m) {
        return Some(ParamProblem::of(
            WCF.name,
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
            WCF.name,
            message,
            "the table is symmetric, with 0 on the diagonal",
        )
    })
}

/// Variables that were to be measured and are no longer in the file; the others were measured.
fn gone_from_file(variables: &[&String]) -> Note {
    let names: Vec<&str> = variables.iter().map(|name| name.as_str()).collect();
    Note::new(
        "variables-gone",
        format!(
            "no longer in the file, and so left out: {}",
            names.join(", ")
        ),
    )
    .with("variables", names)
}

/// Not all subsets of the keys were looked at: the risk found is a lower limit.
fn subsets_not_all(n_subsets: usize, bound: f64) -> Note {
    Note::new(
        "subsets-not-all",
        format!(
            "the search stopped after {n_subsets} subsets of the keys: the maximal risk is at most {bound:.6}"
        ),
    )
    .with("n_subsets", n_subsets)
    .with("bound", bound)
}

/// The keys that serve an intruder best.
fn riskiest_keys(risk: &str, variables: &[&str]) -> Note {
    Note::new(
        "riskiest-keys",
        format!("keys that give the {risk} risk: {}", variables.join(", ")),
    )
    .with("risk", risk)
    .with("variables", variables)
}
