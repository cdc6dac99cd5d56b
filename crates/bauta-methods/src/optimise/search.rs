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
    let first_temperature = match settings.acceptance {
        Acceptance::Climb => 0.0,
        Acceptance::Anneal => settings.temperature * mean_change(state, ground, settings, &mut rng),
    };
    let mut walk = Walk {
        state,
        ground,
        settings,
        limits,
        rng,
        room: Vec::new(),
        course: Course::default(),
        first_temperature,
        share_of_time: 0.0,
        n_idle: 0,
        n_accepted_before: 0,
    };
    walk.trace(0);
    if walk.state.n_open() == 0 {
        return Ok(walk.course);
    }
    let every = limits.iterations.div_ceil(N_TRACED).max(1);
    while walk.course.n_steps < limits.iterations {
        if walk.is_at_target() {
            walk.course.end = End::Target;
            break;
        }
        if walk.course.n_steps % LOOK == LOOK - 1 {
            walk.state.settle(ground);
            let before = done.fetch_add(LOOK as u64, Ordering::Relaxed);
            let total = limits.iterations.saturating_mul(settings.restarts);
            context.progress((before as usize).min(total), total)?;
            walk.share_of_time = share_of_time(settings.seconds, limits.until, context);
            if walk.share_of_time >= 1.0 {
                walk.course.end = End::Time;
                break;
            }
        }
        walk.step();
        if walk.course.n_steps.is_multiple_of(every) {
            walk.trace(every);
        }
        if walk.n_idle >= limits.patience {
            walk.course.end = End::Patience;
            break;
        }
    }
    walk.state.settle(ground);
    // The end is a point of the trace wherever it comes.
    let n_since = walk.course.n_steps % every;
    if n_since > 0 {
        walk.trace(n_since);
    }
    Ok(walk.course)
}

/// How much of the time is over; 0 where time does not end the search.
fn share_of_time(seconds: Option<f64>, until: Option<f64>, context: &RunContext<'_>) -> f64 {
    let Some((seconds, until)) = seconds.zip(until) else {
        return 0.0;
    };
    let now = context.watch().seconds();
    now.map_or(0.0, |now| (1.0 - (until - now) / seconds).max(0.0))
}

/// A search on its way.
struct Walk<'a> {
    state: &'a mut State,
    ground: &'a Ground,
    settings: &'a Settings,
    limits: &'a Search,
    rng: rand_chacha::ChaCha8Rng,
    room: Vec<f64>,
    course: Course,
    first_temperature: f64,
    share_of_time: f64,
    /// Steps since the last that stayed.
    n_idle: usize,
    n_accepted_before: usize,
}

impl Walk<'_> {
    fn is_there(&self, il1: f64) -> bool {
        let (target, within) = (self.limits.il1_target, self.settings.within);
        il1 >= (1.0 - within) * target && il1 <= (1.0 + within) * target
    }

    fn is_at_target(&self) -> bool {
        let now = self.state.distance(self.ground);
        let target = self.settings.target;
        self.is_there(now.il1) && target.is_some_and(|target| now.e < target)
    }

    /// Tries one new value.
    fn step(&mut self) {
        let ground = self.ground;
        let now = self.state.distance(ground);
        self.course.n_steps += 1;
        let share_of_steps = self.course.n_steps as f64 / self.limits.iterations as f64;
        let temperature = cooled(
            self.first_temperature,
            share_of_steps.max(self.share_of_time),
        );
        // (a): a random value of a record of M.
        let (open, variable, x) = proposed(self.state, ground, self.settings, &mut self.rng);
        let trial = self.state.trial(ground, open, variable, x);
        let may_rise = if temperature > 0.0 {
            -temperature * libm::log(unit_interval(self.rng.next_u64()))
        } else {
            0.0
        };
        // (g): what raises E is undone. It costs little to know, so that it comes before the search for the
        // nearest record.
        let mut stays = trial.e - self.state.exposure_at(open) < may_rise;
        if stays {
            let outcome = self.state.outcome(ground, &trial, &mut self.room);
            let il1 = self.state.il1_after(ground, &trial, &outcome);
            // (h): IL1 stays in its interval or comes nearer to it.
            let target = self.limits.il1_target;
            let is_nearer = (il1 - target).abs() < (now.il1 - target).abs();
            stays =
                self.state.change(&trial, &outcome) < may_rise && (is_nearer || self.is_there(il1));
            if stays {
                self.state.accept(ground, &trial, &outcome);
            }
        }
        if stays {
            self.course.n_accepted += 1;
            self.n_idle = 0;
        } else {
            self.n_idle += 1;
        }
    }

    /// A point of the trace, so many steps after the last.
    fn trace(&mut self, n_since: usize) {
        let now = self.state.distance(self.ground);
        let n_stayed = self.course.n_accepted - self.n_accepted_before;
        self.n_accepted_before = self.course.n_accepted;
        let stayed = n_stayed as f64 / n_since.max(1) as f64;
        let point = [self.course.n_steps as f64, now.e, now.il1, stayed];
        self.course.trace.push(point);
    }
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

/// The temperature when such a share of the steps or of the time is over.
fn cooled(first: f64, share: f64) -> f64 {
    let left = 1.0 - share / COOLING;
    if left > 0.0 { first * left * left } else { 0.0 }
}
