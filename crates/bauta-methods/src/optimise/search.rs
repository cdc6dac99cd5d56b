//! Algorithm 1 of Sebé 2002, with what was added to it.

use std::sync::atomic::{AtomicU64, Ordering};

use rand_chacha::rand_core::Rng;

use super::ground::Ground;
use super::propose::proposed;
use super::settings::{Acceptance, Settings};
use super::state::State;
use crate::context::{Draws, RunContext, unit_interval};
use crate::error::MethodError;

/// When a search ends, and what it aims at.
pub(super) struct Search {
    pub(super) il1_target: f64,
    pub(super) iterations: usize,
    pub(super) patience: usize,
    /// Seconds of the watcher at which time is up.
    pub(super) until: Option<f64>,
}

/// How a search went.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Course {
    /// Changes that were tried.
    pub(crate) n_steps: usize,
    /// Those that stayed.
    pub(crate) n_accepted: usize,
    /// Now and then: steps so far, E, IL1, and the share of the steps since the last time that stayed.
    pub(crate) trace: Vec<[f64; 4]>,
    /// Why it ended.
    pub(crate) end: End,
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum End {
    /// All steps were made.
    #[default]
    Iterations,
    /// E is below the target and IL1 where it should be.
    Target,
    /// No change stayed for long.
    Patience,
    /// Time was up.
    Time,
}

impl End {
    /// In words.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Self::Iterations => "all steps were made",
            Self::Target => "E fell below the target",
            Self::Patience => "no change stayed for long",
            Self::Time => "time was up",
        }
    }
}

/// Points of a trace.
const N_TRACED: usize = 200;
/// Steps between looks at the clock and the watcher.
const LOOK: usize = 4096;
/// Steps from which mean changes of the objective are taken for the first temperature.
const WARMING: usize = 1_000;
/// Share of the steps over which it is cooled.
const COOLING: f64 = 0.8;

/// Changes records until the end.
pub(super) fn search(
    state: &mut State,
    ground: &Ground,
    settings: &Settings,
    limits: &Search,
    draws: &Draws,
    done: &AtomicU64,
    context: &RunContext<'_>,
) -> Result<Course, MethodError> {
    let mut rng = draws.stream();
    let mut course = Course::default();
    let mut room = Vec::new();
    let (low, high) = (
        (1.0 - settings.within) * limits.il1_target,
        (1.0 + settings.within) * limits.il1_target,
    );
    let first_temperature = match settings.acceptance {
        Acceptance::Climb => 0.0,
        Acceptance::Anneal => settings.temperature * mean_change(state, ground, settings, &mut rng),
    };
    let every = limits.iterations.div_ceil(N_TRACED).max(1);
    let (mut n_idle, mut n_accepted_before) = (0, 0);
    course.trace.push(point(state, ground, 0, 0.0));
    if state.n_open() == 0 {
        return Ok(course);
    }
    while course.n_steps < limits.iterations {
        let now = state.distance(ground);
        let is_there = now.il1 >= low && now.il1 <= high;
        if is_there && settings.target.is_some_and(|target| now.e < target) {
            course.end = End::Target;
            break;
        }
        if course.n_steps % LOOK == LOOK - 1 {
            state.settle(ground);
            let before = done.fetch_add(LOOK as u64, Ordering::Relaxed);
            let total = limits.iterations.saturating_mul(settings.restarts);
            context.progress((before as usize).min(total), total)?;
            if limits
                .until
                .is_some_and(|until| context.watch().seconds() >= Some(until))
            {
                course.end = End::Time;
                break;
            }
        }
        course.n_steps += 1;
        let temperature = cooled(first_temperature, course.n_steps, limits.iterations);
        // (a): a random value of a record of M.
        let (open, variable, x) = proposed(state, ground, settings, &mut rng);
        let trial = state.trial(ground, open, variable, x);
        let may_rise = if temperature > 0.0 {
            -temperature * libm::log(unit_interval(rng.next_u64()))
        } else {
            0.0
        };
        // (g): what raises E is undone. It costs little to know, so that it comes before the search for the
        // nearest record.
        let mut stays = trial.e - state.exposure_at(open) < may_rise;
        if stays {
            let outcome = state.outcome(ground, &trial, &mut room);
            let il1 = state.il1_after(ground, &trial, &outcome);
            // (h): IL1 stays in its interval or comes nearer to it.
            let is_nearer = (il1 - limits.il1_target).abs() < (now.il1 - limits.il1_target).abs();
            stays = state.change(&trial, &outcome) < may_rise
                && (is_nearer || (il1 >= low && il1 <= high));
            if stays {
                state.accept(ground, &trial, &outcome);
            }
        }
        if stays {
            course.n_accepted += 1;
            n_idle = 0;
        } else {
            n_idle += 1;
        }
        if course.n_steps % every == 0 {
            let stayed = (course.n_accepted - n_accepted_before) as f64 / every as f64;
            n_accepted_before = course.n_accepted;
            course
                .trace
                .push(point(state, ground, course.n_steps, stayed));
        }
        if n_idle >= limits.patience {
            course.end = End::Patience;
            break;
        }
    }
    state.settle(ground);
    Ok(course)
}

fn point(state: &State, ground: &Ground, n_steps: usize, stayed: f64) -> [f64; 4] {
    let now = state.distance(ground);
    [n_steps as f64, now.e, now.il1, stayed]
}

/// The mean size of changes of E at the start.
fn mean_change(
    state: &State,
    ground: &Ground,
    settings: &Settings,
    rng: &mut rand_chacha::ChaCha8Rng,
) -> f64 {
    if state.n_open() == 0 {
        return 0.0;
    }
    let mut sum = 0.0;
    for _ in 0..WARMING {
        let (open, variable, x) = proposed(state, ground, settings, rng);
        sum += state.trial(ground, open, variable, x).e.abs();
    }
    sum / WARMING as f64
}

fn cooled(first: f64, n_steps: usize, n_all: usize) -> f64 {
    let left = 1.0 - n_steps as f64 / (COOLING * n_all as f64);
    if left > 0.0 { first * left * left } else { 0.0 }
}
