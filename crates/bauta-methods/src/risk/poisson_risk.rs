#![doc = include_str!("poisson_risk.md")]

pub mod loglinear;
mod poisson_inverse;

use bauta_data::{Attribute, Column, Table, near};
use rayon::prelude::*;

use crate::card::{Card, ParamSpec, ParamType};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::exact_sum::ExactSums;
use crate::kernel::numbers::sums::sum_by;
use crate::keys::asked::{positions, taken_for_population, weights_below_frequency};
use crate::keys::{check_number, check_weights};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::note::{Note, NoteRank};
use crate::params::{ParamProblem, Params, choices};
use crate::risk::poisson_risk::loglinear::cross::Cross;
use crate::risk::poisson_risk::loglinear::{Fit, Model, fit};
use crate::risk::poisson_risk::poisson_inverse::{expected_inverse, unique_in_population};

/// How many sample uniques are alone in the population, by a model of the keys. See the
/// [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct PoissonRisk;

choices! {
    /// Which effects of the keys the model has.
    enum Effects {
        Main = "main": "each key alone",
        TwoWay = "two-way": "all pairs of keys",
    }
}

choices! {
    /// How much of the population the sample holds.
    enum SamplingFraction {
        Constant = "constant": "records over the sum of weights, everywhere",
        Cell = "cell": "the same within each cell that the file has records of",
    }
}

const MODEL: ParamSpec =
    ParamSpec::choice::<Effects>("model", "which effects of the keys the model has")
        .or_word("main");
const INTERACTIONS: ParamSpec = ParamSpec::new(
    "interactions",
    "interactions that the model has besides, such as \"age:sex\"",
    ParamType::Texts,
)
.unset("none");
const SAMPLING: ParamSpec = ParamSpec::choice::<SamplingFraction>(
    "sampling_fraction",
    "how much of the population the sample holds",
)
.or_word("constant");
const MAX_CYCLES: ParamSpec = ParamSpec::new(
    "max_cycles",
    "cycles of corrections after which the fit is taken as it is, with a note",
    ParamType::Integer {
        min: 1,
        max: 1_000_000,
    },
)
.or_integer(1_000);

const RECORDS: FigureSpec = FigureSpec::count("records", "records with all keys");
const UNIQUES: FigureSpec =
    FigureSpec::count("uniques", "records alone in their class").lower_is_better();
const TAU1: FigureSpec =
    FigureSpec::number("tau1", "expected uniques that are unique in the population")
        .lower_is_better();
const TAU2: FigureSpec =
    FigureSpec::number("tau2", "expected correct matches of uniques").lower_is_better();
const EXPECTED: FigureSpec =
    FigureSpec::number("expected_reidentifications", "expected re-identifications")
        .lower_is_better();
const MAX: FigureSpec = FigureSpec::number("max", "largest risk")
    .within(0.0, 1.0)
    .lower_is_better();
const FRACTION: FigureSpec =
    FigureSpec::number("sampling_fraction", "sampling fraction").within(0.0, 1.0);
const CELLS: FigureSpec = FigureSpec::count("cells", "combinations of key values");
const DEVIANCE: FigureSpec = FigureSpec::number("deviance", "deviance of the model");
const CYCLES: FigureSpec = FigureSpec::count("cycles", "cycles of the fit");

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "poisson-risk",
        title: "Poisson log-linear risk",
        summary: "expected correct matches of sample uniques, by a log-linear model of the keys",
        page: include_str!("poisson_risk.md"),
        params: &[MODEL, INTERACTIONS, SAMPLING, MAX_CYCLES],
        references: &["skinner1998", "elamir2006", "deming1940"],
        ..MeasureCard::OF_KEYS.card
    },
    value: FigureSpec::value("expected correct matches of uniques", Unit::Number).lower_is_better(),
    figures: &[
        RECORDS, UNIQUES, TAU1, TAU2, EXPECTED, MAX, FRACTION, CELLS, DEVIANCE, CYCLES,
    ],
    usual: false,
    ..MeasureCard::OF_KEYS
};

/// The model, and how it is fitted.
pub struct Settings {
    effects: Effects,
    /// As they were written: only the keys tell what they mean.
    interactions: Vec<String>,
    sampling: SamplingFraction,
    max_cycles: usize,
}

impl MeasureMethod for PoissonRisk {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            effects: params.choice_of(MODEL.name),
            interactions: params.texts(INTERACTIONS.name).to_vec(),
            sampling: params.choice_of(SAMPLING.name),
            max_cycles: params.count(MAX_CYCLES.name),
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let names: Vec<&str> = on.iter().map(|attribute| attribute.name.as_str()).collect();
        let interactions = settings.interactions.iter();
        interactions
            .filter_map(|text| interaction(text, &names).err())
            .collect()
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
        let model = model(settings, task.on)?;
        let cross = Cross::of_table(table, &keys)?;
        let n_incomplete = table.n_records() - cross.n_complete();
        if n_incomplete > 0 {
            context.note(incomplete_left_out(n_incomplete, table.n_records()));
        }
        let sampling = Sampling::new(table, &cross, settings.sampling, context)?;
        let max_cycles = settings.max_cycles;
        let fit = fit(&cross, &model, task.on, max_cycles, |cycle| {
            context.progress(cycle, max_cycles)
        })?;
        if !fit.has_settled() {
            context.note(not_settled(&fit));
        }
        Ok(report(&cross, &fit, &sampling))
    }
}

/// Records that lack a key and were left out of a model of all keys together.
fn incomplete_left_out(n_records: usize, n_all: usize) -> Note {
    let note = Note::new(
        "incomplete-keys-left-out",
        format!(
            "{n_records} of {n_all} records lack a key and were left out of the model: its figures are of the others alone"
        ),
    )
    .with("n_records", n_records);
    if n_records * FEW_LEFT_OUT > n_all {
        note.ranked(NoteRank::Warning)
    } else {
        note
    }
}

/// Of so many records one may be left out before a user is warned.
const FEW_LEFT_OUT: usize = 20;

/// A fit by rounds of corrections was stopped before it had settled.
fn not_settled(fit: &Fit) -> Note {
    let (n_cycles, largest_correction) = (fit.n_cycles, fit.largest_correction);
    Note::new(
        "fit-not-settled",
        format!(
            "the fit had not settled after {n_cycles} cycles: a margin was still corrected by {largest_correction:.1e} of itself"
        ),
    )
    .with("n_cycles", n_cycles)
    .with("largest_correction", largest_correction)
}

/// The model that is asked for.
fn model(settings: &Settings, on: &[String]) -> Result<Model, MethodError> {
    check_number(on.len())?;
    let mut model = match settings.effects {
        Effects::TwoWay => Model::two_way(on.len()),
        Effects::Main => Model::main_effects(on.len()),
    };
    let names: Vec<&str> = on.iter().map(String::as_str).collect();
    for text in &settings.interactions {
        let term = interaction(text, &names)
            .map_err(|problem| MethodError::request(problem.message, problem.hint))?;
        model.add(term);
    }
    Ok(model)
}

/// The keys that an interaction such as `age:sex` names, a bit each.
fn interaction(text: &str, names: &[&str]) -> Result<u64, ParamProblem> {
    let problem =
        |message: String, hint: String| ParamProblem::of(INTERACTIONS.name, message, hint);
    let mut term = 0;
    for name in text.split(':').map(str::trim) {
        let Some(position) = names.iter().position(|known| *known == name) else {
            return Err(problem(
                format!("`{text}`: `{name}` is none of the keys"),
                near::hint(name, names.iter().copied()),
            ));
        };
        // More keys than bits are refused where they are counted.
        let bit = 1_u64.checked_shl(position as u32).unwrap_or(0);
        if term & bit != 0 {
            return Err(problem(
                format!("`{text}` names `{name}` twice"),
                "name each key once".to_owned(),
            ));
        }
        term |= bit;
    }
    if term.count_ones() < 2 && !text.contains(':') {
        return Err(problem(
            format!("`{text}` is one key, and each has its effect already"),
            "name two keys or more, with colons between".to_owned(),
        ));
    }
    Ok(term)
}

/// What share of the population is in the sample.
enum Sampling {
    Constant(f64),
    ByCell(Vec<f64>),
}

impl Sampling {
    fn new(
        table: &Table,
        cross: &Cross,
        fraction: SamplingFraction,
        context: &RunContext<'_>,
    ) -> Result<Self, MethodError> {
        let Some(weights) = table.weight().and_then(Column::as_numeric) else {
            context.note(taken_for_population());
            return Ok(Self::Constant(1.0));
        };
        let records = cross.cell_of_record.iter().zip(weights);
        let complete = records.filter_map(|(cell, &weight)| Some(((*cell)? as usize, weight)));
        let of_cells = ExactSums::of_terms(cross.counts.len(), complete);
        let big_n = of_cells.nearest_to_sum_of(0..of_cells.len());
        let big_f = of_cells.all_nearest();
        if !big_n.is_finite() {
            return Err(MethodError::request(
                "the weights are too large to be summed",
                "divide them by a constant",
            ));
        }
        let note_short = |n_records: usize| {
            if n_records > 0 {
                context.note(weights_below_frequency(n_records));
            }
        };
        let n = cross.n_complete() as f64;
        Ok(match fraction {
            SamplingFraction::Cell => {
                let both = cross.counts.iter().zip(&big_f);
                let short = both.clone().filter(|(f, big_f)| f64::from(**f) > **big_f);
                note_short(short.map(|(&f, _)| f as usize).sum());
                let shares = both.map(|(&f, &big_f)| share(f64::from(f), big_f));
                Self::ByCell(shares.collect())
            }
            SamplingFraction::Constant => {
                note_short(if n > big_n { cross.n_complete() } else { 0 });
                Self::Constant(share(n, big_n))
            }
        })
    }

    /// Expected records of the population in a cell that are not in the sample.
    fn others(&self, cell: usize, mu: f64) -> f64 {
        let pi = match self {
            Self::Constant(pi) => *pi,
            Self::ByCell(pi) => pi[cell],
        };
        mu * (1.0 - pi) / pi
    }
}

/// A sample is no larger than its population.
fn share(n: f64, big_n: f64) -> f64 {
    if n < big_n { n / big_n } else { 1.0 }
}

fn report(cross: &Cross, fit: &Fit, sampling: &Sampling) -> Measurement {
    let n_cells = cross.counts.len();
    let (mu, m): (Vec<f64>, Vec<f64>) = (0..n_cells)
        .into_par_iter()
        .map(|cell| {
            let mu = fit.expected(cross.codes(cell));
            (mu, sampling.others(cell, mu))
        })
        .unzip();
    let risk: Vec<f64> = cross
        .counts
        .par_iter()
        .zip(&m)
        .map(|(&f, &m)| expected_inverse(f, m))
        .collect();
    let of_uniques = |figure: &(dyn Fn(usize) -> f64 + Sync)| {
        sum_by(n_cells, |cell| {
            if cross.counts[cell] == 1 {
                figure(cell)
            } else {
                0.0
            }
        })
    };
    let tau2 = of_uniques(&|cell| risk[cell]);
    let is_any = cross.n_complete() > 0;
    let mut found = Measurement {
        value: is_any.then_some(tau2),
        ..Measurement::default()
    };
    found.give(&RECORDS, cross.n_complete() as f64);
    // Of nobody nothing is known, and a gate on it must not hold.
    let if_any = |figure: f64| is_any.then_some(figure);
    found.give(&UNIQUES, if_any(of_uniques(&|_| 1.0)));
    found.give(
        &TAU1,
        if_any(of_uniques(&|cell| unique_in_population(m[cell]))),
    );
    found.give(&TAU2, if_any(tau2));
    found.give(
        &EXPECTED,
        if_any(sum_by(n_cells, |cell| {
            f64::from(cross.counts[cell]) * risk[cell]
        })),
    );
    found.give(&MAX, risk.iter().copied().reduce(f64::max));
    found.give(
        &FRACTION,
        match sampling {
            Sampling::Constant(pi) => is_any.then_some(*pi),
            Sampling::ByCell(_) => None,
        },
    );
    let cells: f64 = cross.n_levels.iter().map(|&n| f64::from(n)).product();
    found.give(&CELLS, cells.is_finite().then_some(cells));
    let deviance = 2.0
        * sum_by(n_cells, |cell| {
            let f = f64::from(cross.counts[cell]);
            f * libm::log(f / mu[cell])
        });
    // Rounding may leave a saturated model a little below 0.
    found.give(&DEVIANCE, is_any.then_some(deviance.max(0.0)));
    found.give(&CYCLES, fit.n_cycles as f64);
    let of_record = |cell: &Option<u32>| cell.map_or(f64::NAN, |cell| risk[cell as usize]);
    found.per_record = Some(cross.cell_of_record.iter().map(of_record).collect());
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interactions_name_keys_by_their_bits() {
        let names = ["age", "sex", "region"];
        assert_eq!(interaction("age:sex", &names), Ok(0b011));
        assert_eq!(interaction("region : age", &names), Ok(0b101));
        for (text, says) in [
            ("age", "one key"),
            ("age:age", "twice"),
            ("age:sexx", "none of the keys"),
            ("", "none of the keys"),
            ("age:", "none of the keys"),
        ] {
            let problem = interaction(text, &names).expect_err(text);
            assert!(
                problem.message.contains(says),
                "{text}: {}",
                problem.message
            );
        }
    }

    #[test]
    fn a_sample_is_at_most_its_population() {
        assert!((share(2.0, 8.0) - 0.25).abs() < 1e-16);
        assert!((share(2.0, 1.0) - 1.0).abs() < 1e-16);
        assert!((share(0.0, 0.0) - 1.0).abs() < 1e-16);
    }
}
