//! From the two files to what agreement weighs.

use super::classes::{ClassModel, LevelCounts};
use super::comparators::{Comparator, ComparedVariable, Scale};
use super::em::{EmCourse, em};
use super::error_bounds::State;
use super::model::{Levels, Linear, Model, N_LEVELS, Term};
use super::pairs::{Collapsed, MOST_VARIABLES, PairsUsed};
use super::settings::{Dependence, MissingRule, Settings, share_of};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::note::{Note, NoteRank};

/// Lowest level that counts as agreement where m and u are told: half of the tolerance.
const AGREEMENT: usize = 3;
/// m and u are kept so far from 0 and 1.
const EDGE: f64 = 1e-9;
/// Added to counts of levels: half a pair.
const HALF: f64 = 0.5;

/// What was found of a variable.
#[derive(Clone, PartialEq, Debug)]
pub struct VariableParameters {
    /// Its name.
    pub name: String,
    /// How it was compared.
    pub comparator: Comparator,
    /// Share of agreements among matches; none where nothing was estimated.
    pub m: Option<f64>,
    /// Share of agreements among other pairs.
    pub u: Option<f64>,
    /// Weight of full agreement.
    pub agree: f64,
    /// Weight of disagreement.
    pub disagree: f64,
}

/// A model with where it comes from.
pub(crate) struct Estimated {
    pub(crate) model: Model,
    pub(crate) parameters: Vec<VariableParameters>,
    pub(crate) used: Option<PairsUsed>,
    pub(crate) course: Option<EmCourse>,
    /// What each variable may weigh, and how likely; none where weights are no likelihoods of independent variables.
    pub(crate) states: Option<Vec<Vec<State>>>,
}

/// Every variable counts the same: 1 in agreement, 0 in disagreement.
pub(crate) fn equal(files: &Collapsed) -> Estimated {
    let of = |variable: &ComparedVariable| {
        // Agreement of a match counts 1 on average over the records.
        let by_code = rarity(files, variable).map(|rare| {
            let mean = mean_of_records(files, variable, &rare);
            let scaled = |log: &f64| if mean > 0.0 { log / mean } else { 1.0 };
            rare.iter().map(scaled).collect()
        });
        Linear {
            agree: 1.0,
            disagree: 0.0,
            by_code,
            missing: 0.0,
        }
    };
    let variables: Vec<Linear> = files.variables.iter().map(of).collect();
    let parameters = told(files, &variables, |_| None);
    Estimated {
        model: Model::Linear(variables),
        parameters,
        used: None,
        course: None,
        states: None,
    }
}

/// m and u as they were given.
pub(crate) fn given(files: &Collapsed, settings: &Settings) -> Result<Estimated, MethodError> {
    let mut shares = Vec::new();
    for variable in &files.variables {
        let both = share_of(&settings.m, &variable.name).zip(share_of(&settings.u, &variable.name));
        let (m, u) = both.ok_or_else(|| {
            MethodError::request(
                format!("`{}` has no given m and u", variable.name),
                "give both for every variable that is compared",
            )
        })?;
        shares.push([m, u]);
    }
    Ok(weighed(files, settings, &shares))
}

/// m and u of a latent class model.
pub(crate) fn by_em(
    files: &Collapsed,
    settings: &Settings,
    proportion: f64,
    context: &RunContext<'_>,
) -> Result<Estimated, MethodError> {
    if files.variables.len() > MOST_VARIABLES {
        return Err(MethodError::request(
            format!(
                "EM takes at most {MOST_VARIABLES} variables, and {} are compared",
                files.variables.len()
            ),
            "name fewer, or take parameters = \"refined\" or \"equal\"",
        ));
    }
    let (patterns, used) = files.patterns(settings.pairs, &|| context.go_on())?;
    let fixed = settings.overlap.is_some();
    let found = em(&patterns, proportion, fixed, settings.dependence, || {
        context.go_on()
    })?;
    if !found.course.converged {
        context.note(not_converged(found.course.rounds));
    }
    let mut estimated = match settings.dependence {
        Dependence::None => weighed(files, settings, &in_range(files, &found.shares, context)),
        Dependence::Tree => {
            let parameters = files.variables.iter().zip(&found.shares);
            let parameters =
                parameters.map(|(variable, [m, u])| told_of(variable, Some([*m, *u]), None));
            Estimated {
                model: Model::Levels(two_levels(&found.matches, &found.others, files, settings)),
                parameters: parameters.collect(),
                used: None,
                course: None,
                states: None,
            }
        }
    };
    for (told, shares) in estimated.parameters.iter_mut().zip(&found.shares) {
        if shares[0].is_nan() {
            (told.m, told.u) = (None, None);
        }
    }
    estimated.used = Some(used);
    estimated.course = Some(found.course);
    Ok(estimated)
}

/// m from links or true pairs, u from all pairs, by levels of agreement.
pub(crate) fn by_levels(
    files: &Collapsed,
    settings: &Settings,
    matches: &LevelCounts,
    all: &LevelCounts,
    used: PairsUsed,
) -> Estimated {
    let terms = terms_of_levels(files.variables.len(), settings, matches, all);
    let states = (settings.dependence == Dependence::None && !by_frequency(files))
        .then(|| states_of_levels(&terms, matches, all));
    let parameters = files.variables.iter().enumerate().map(|(j, variable)| {
        let alone = terms
            .iter()
            .filter(|term| term.variable == j && term.given.is_none());
        let ends = alone
            .map(|term| [term.weights[N_LEVELS - 1], term.weights[0]])
            .next();
        let shares = [matches, all].map(|counts| counts.share_from(j, AGREEMENT));
        told_of(
            variable,
            Some(shares),
            ends.filter(|_| settings.dependence == Dependence::None),
        )
    });
    let parameters = parameters.collect();
    let model = Model::Levels(Levels {
        terms,
        by_code: more_by_code(files),
    });
    Estimated {
        model,
        parameters,
        used: Some(used),
        course: None,
        states,
    }
}

/// Weights of levels: the logarithm of how much more often matches have them than all pairs.
fn terms_of_levels(
    n_variables: usize,
    settings: &Settings,
    matches: &LevelCounts,
    all: &LevelCounts,
) -> Vec<Term> {
    match settings.dependence {
        Dependence::None => {
            let (m, u) = (
                ClassModel::independent(matches, HALF),
                ClassModel::independent(all, HALF),
            );
            let of = |j: usize| {
                let logs = m
                    .of(j)
                    .unwrap_or_default()
                    .iter()
                    .zip(u.of(j).unwrap_or_default());
                let mut weights: Vec<f64> = logs.map(|(m, u)| m - u).collect();
                // What no pair shows says nothing, whatever is added to the counts.
                for (level, weight) in weights.iter_mut().enumerate().take(N_LEVELS) {
                    if !all.occurs(j, level) && !matches.occurs(j, level) {
                        *weight = 0.0;
                    }
                }
                weights[N_LEVELS] = of_missing(settings, weights[0]);
                Term::new(j, None, weights)
            };
            (0..n_variables).map(of).collect()
        }
        Dependence::Tree => {
            let (m, u) = (ClassModel::tree(matches, HALF), ClassModel::tree(all, HALF));
            let terms = m.terms(1.0).chain(u.terms(-1.0));
            let seen = |level: usize| match settings.missing {
                MissingRule::Disagree if level == N_LEVELS => 0,
                _ => level,
            };
            terms.map(|term| term.seen_as(seen)).collect()
        }
    }
}

/// What each independent variable may weigh, and how likely.
fn states_of_levels(terms: &[Term], matches: &LevelCounts, all: &LevelCounts) -> Vec<Vec<State>> {
    let [m, u] = [matches, all].map(|counts| ClassModel::independent(counts, HALF));
    let of = |term: &Term| {
        let logs = [&m, &u].map(|class| class.of(term.variable).unwrap_or_default());
        let state = |level: usize| State {
            weight: term.weights[level],
            m: libm::exp(logs[0][level]),
            u: libm::exp(logs[1][level]),
        };
        (0..N_LEVELS).map(state).collect()
    };
    terms.iter().map(of).collect()
}

/// Whether agreement weighs by the value that is agreed on.
fn by_frequency(files: &Collapsed) -> bool {
    let mut variables = files.variables.iter();
    variables.any(|variable| variable.comparator == Comparator::Frequency)
}

fn of_missing(settings: &Settings, disagree: f64) -> f64 {
    match settings.missing {
        MissingRule::Neutral => 0.0,
        MissingRule::Disagree => disagree,
    }
}

/// The linear model of some shares: `w_agr` = ln(m / u), `w_dis` = ln((1 - m) / (1 - u)).
fn weighed(files: &Collapsed, settings: &Settings, shares: &[[f64; 2]]) -> Estimated {
    let of = |(variable, &[m, u]): (&ComparedVariable, &[f64; 2])| {
        if m <= u {
            return Linear {
                agree: 0.0,
                disagree: 0.0,
                by_code: None,
                missing: 0.0,
            };
        }
        let disagree = libm::log((1.0 - m) / (1.0 - u));
        // Agreement on a value: ln(m / share of the masked records that have it).
        let by_code = rarity(files, variable);
        let by_code = by_code.map(|rare| rare.iter().map(|log| libm::log(m) + log).collect());
        Linear {
            agree: libm::log(m / u),
            disagree,
            by_code,
            missing: of_missing(settings, disagree),
        }
    };
    let variables: Vec<Linear> = files.variables.iter().zip(shares).map(of).collect();
    let parameters = told(files, &variables, |j| Some(shares[j]));
    let states = variables.iter().zip(shares).map(|(one, &[m, u])| {
        let state = |weight: f64, m: f64, u: f64| State { weight, m, u };
        vec![
            state(one.agree, m, u),
            state(one.disagree, 1.0 - m, 1.0 - u),
        ]
    });
    let states = (!by_frequency(files)).then(|| states.collect());
    Estimated {
        model: Model::Linear(variables),
        parameters,
        used: None,
        course: None,
        states,
    }
}

/// Shares that EM found, kept off 0 and 1. A variable on which matches agree no more than other pairs
/// says nothing, and a note says so.
fn in_range(files: &Collapsed, shares: &[[f64; 2]], context: &RunContext<'_>) -> Vec<[f64; 2]> {
    let clamp = |share: f64| {
        if share.is_nan() {
            0.5
        } else {
            share.clamp(EDGE, 1.0 - EDGE)
        }
    };
    let shares: Vec<[f64; 2]> = shares.iter().map(|both| both.map(clamp)).collect();
    let idle = files
        .variables
        .iter()
        .zip(&shares)
        .filter(|(_, [m, u])| m <= u);
    let names: Vec<&str> = idle.map(|(variable, _)| variable.name.as_str()).collect();
    if !names.is_empty() {
        context.note(
            Note::new(
                "m-not-above-u",
                format!(
                    "what EM takes for matches agrees no more often than other pairs on {}: no weight was given to it",
                    names.join(", ")
                ),
            )
            .with("variables", names)
            .ranked(NoteRank::Warning),
        );
    }
    shares
}

/// EM did not come to an end.
fn not_converged(n_rounds: usize) -> Note {
    Note::new(
        "em-not-converged",
        format!(
            "EM had not converged after {n_rounds} rounds: its weights are those of the last one"
        ),
    )
    .with("n_rounds", n_rounds)
    .ranked(NoteRank::Warning)
}

/// A model of agreement and disagreement, as one of levels.
fn two_levels(
    matches: &ClassModel,
    others: &ClassModel,
    files: &Collapsed,
    settings: &Settings,
) -> Levels {
    let seen = |level: usize| match level {
        N_LEVELS => match settings.missing {
            MissingRule::Neutral => N_LEVELS,
            MissingRule::Disagree => 0,
        },
        level if level >= AGREEMENT => N_LEVELS - 1,
        _ => 0,
    };
    Levels {
        terms: matches
            .terms(1.0)
            .chain(others.terms(-1.0))
            .map(|term| term.seen_as(seen))
            .collect(),
        by_code: more_by_code(files),
    }
}

/// ln(1 / share of the masked records that have it), by code, of a variable on which agreement on a rare
/// value weighs more. A value that no masked record has weighs as one that one has.
fn rarity(files: &Collapsed, variable: &ComparedVariable) -> Option<Vec<f64>> {
    if variable.comparator != Comparator::Frequency {
        return None;
    }
    let highest = variable.original.iter().chain(&variable.masked);
    let highest = highest
        .copied()
        .filter(|code| !code.is_nan())
        .fold(0.0, f64::max);
    let mut counts = vec![0.0; highest as usize + 1];
    for (code, &size) in variable.masked.iter().zip(&files.masked.sizes) {
        if !code.is_nan() {
            counts[*code as usize] += f64::from(size);
        }
    }
    let total: f64 = counts.iter().sum();
    if let Scale::Table(table) = &variable.scale {
        // Codes of the original are numbered apart from those of the masked file.
        counts = table.shares(&counts);
    }
    let rarity = |count: &f64| libm::log(total.max(1.0) / count.max(1.0));
    Some(counts.iter().map(rarity).collect())
}

/// The mean of a figure by code over the original records.
fn mean_of_records(files: &Collapsed, variable: &ComparedVariable, by_code: &[f64]) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for (code, &size) in variable.original.iter().zip(&files.original.sizes) {
        if !code.is_nan() {
            sum += f64::from(size) * by_code[*code as usize];
            n += f64::from(size);
        }
    }
    if n > 0.0 { sum / n } else { 0.0 }
}

/// What agreement on a value weighs more than agreement on any: ln(u / share of the value).
fn more_by_code(files: &Collapsed) -> Vec<Option<Vec<f64>>> {
    let of = |variable: &ComparedVariable| {
        let rare = rarity(files, variable)?;
        // u is the share of pairs that agree: the mean over the originals of the value's share.
        let share: Vec<f64> = rare.iter().map(|log| libm::exp(-log)).collect();
        let u = mean_of_records(files, variable, &share);
        Some(
            rare.iter()
                .map(|log| libm::log(u.max(EDGE)) + log)
                .collect(),
        )
    };
    files.variables.iter().map(of).collect()
}

fn told(
    files: &Collapsed,
    weights: &[Linear],
    shares: impl Fn(usize) -> Option<[f64; 2]>,
) -> Vec<VariableParameters> {
    let both = files.variables.iter().zip(weights).enumerate();
    both.map(|(j, (variable, one))| told_of(variable, shares(j), Some([one.agree, one.disagree])))
        .collect()
}

fn told_of(
    variable: &ComparedVariable,
    shares: Option<[f64; 2]>,
    ends: Option<[f64; 2]>,
) -> VariableParameters {
    let of_shares = |[m, u]: [f64; 2]| [libm::log(m / u), libm::log((1.0 - m) / (1.0 - u))];
    let [agree, disagree] = ends.or(shares.map(of_shares)).unwrap_or([f64::NAN; 2]);
    VariableParameters {
        name: variable.name.clone(),
        comparator: variable.comparator,
        // No pair has a value: nothing was estimated.
        m: shares.map(|[m, _]| m).filter(|m| !m.is_nan()),
        u: shares.map(|[_, u]| u).filter(|u| !u.is_nan()),
        agree,
        disagree,
    }
}
