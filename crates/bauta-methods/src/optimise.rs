//! Post-masking optimisation: changing some records of a masked file so that its moments become those of the
//! original, while it stays as far from it as it should (Sebé 2002, §3).
//!
//! [`optimise`] is the way in. `settings` reads the parameters, `moments` knows the objective E and what one new
//! value does to it, `ground` is what does not move, `state` what does, `propose` where a value could go, `search`
//! tries and decides, `projection` meets means and covariances at once, and `shown` says what came of it.

mod ground;
pub(crate) mod moments;
mod projection;
mod propose;
mod search;
pub mod settings;
pub(crate) mod shown;
mod state;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicU64;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::kernel::parallel::each;
use crate::note::{Note, NoteRank};
use ground::Ground;
use search::{Course, Search, search};
use settings::Settings;
use state::State;

/// The two files, each variable as a column of complete records.
pub(crate) struct Start<'a> {
    /// Names of the variables.
    pub(crate) names: &'a [&'a str],
    /// Original values.
    pub(crate) original: &'a [&'a [f64]],
    /// Masked values.
    pub(crate) masked: &'a [&'a [f64]],
    /// The original record that each masked one came from, by position; none where nobody knows.
    pub(crate) own: Option<&'a [u32]>,
}

/// What came of it.
pub(crate) struct Optimised {
    /// New values by variable, for all records.
    pub(crate) columns: Vec<Vec<f64>>,
    /// Before the search.
    pub(crate) before: Distance,
    /// After it, found anew from the values.
    pub(crate) after: Distance,
    /// The same as it was kept up to date, step by step.
    pub(crate) kept: Distance,
    /// IL1 that was aimed at.
    pub(crate) il1_target: f64,
    /// Records that could change.
    pub(crate) n_open: usize,
    /// How the search that was taken went.
    pub(crate) course: Course,
    /// E that each of the searches ended at.
    pub(crate) ends: Vec<f64>,
}

/// How far a masked file is from the original one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Distance {
    /// E, equation (7).
    pub(crate) e: f64,
    /// IL1 against the nearest originals, equation (6), as a share.
    pub(crate) il1: f64,
}

/// The note on a file that is the original.
pub const NOT_MASKED: &str = "not-masked";

/// The note on a search that the clock may have ended.
pub const TIME_LIMITED: &str = "time-limited";

/// Improves a masked file.
pub(crate) fn optimise(
    start: &Start<'_>,
    settings: &Settings,
    context: &RunContext<'_>,
) -> Result<Optimised, MethodError> {
    let ground = Ground::of(start, settings, context)?;
    let began = State::of(start, &ground, settings, context)?;
    let before = began.distance(&ground);
    refuse_beyond_doubles(start, &ground, before)?;
    let il1_target = settings.p * before.il1;
    let mut state = began.clone();
    if settings.projection {
        projection::project(&mut state, &ground);
    }
    // Nothing lies away from the original, so that no share of its distance can be kept.
    let n_values = if before.il1 > 0.0 {
        state.n_open() * ground.n_variables()
    } else {
        0
    };
    let limits = Search {
        il1_target,
        iterations: settings
            .iterations
            .map_or(100 * n_values, |n| if n_values == 0 { 0 } else { n }),
        patience: settings.patience.unwrap_or(20 * n_values).max(1),
        until: until(settings, context)?,
    };
    let done = AtomicU64::new(0);
    let ended: Vec<Result<(State, Course), MethodError>> = each(settings.restarts, &|restart| {
        let draws = context.draws(&format!("search {restart}"));
        let mut state = state.clone();
        let course = search(
            &mut state, &ground, settings, &limits, &draws, &done, context,
        )?;
        Ok((state, course))
    });
    let ended: Vec<(State, Course)> = ended.into_iter().collect::<Result<_, _>>()?;
    let ends = ended.iter().map(|(state, _)| state.distance(&ground).e);
    let ends: Vec<f64> = ends.collect();
    let (best, course) = best_of(ended, &ground, il1_target, settings.within)
        .ok_or_else(|| MethodError::Internal("no search was made".to_owned()))?;
    let found = Optimised {
        columns: best.columns(start),
        before,
        after: best.recomputed(&ground),
        kept: best.distance(&ground),
        il1_target,
        n_open: best.n_open(),
        course,
        ends,
    };
    refuse_beyond_doubles(start, &ground, found.after)?;
    state_of(&found, settings, context);
    Ok(found)
}

/// Refuses a masked file so far from the original that its distance is no number: there is nothing to compare by.
fn refuse_beyond_doubles(
    start: &Start<'_>,
    ground: &Ground,
    distance: Distance,
) -> Result<(), MethodError> {
    if distance.e.is_finite() && distance.il1.is_finite() {
        return Ok(());
    }
    let farthest = |at: usize| {
        let deviations = start.masked[at].iter();
        let deviations = deviations.map(|&z| ground.variables[at].standardised(z).abs());
        deviations.fold(0.0, f64::max)
    };
    let worst = (0..start.names.len()).max_by(|&a, &b| farthest(a).total_cmp(&farthest(b)));
    Err(MethodError::data(
        worst.map_or("", |at| start.names[at]),
        "its masked values lie so many standard deviations from the original ones that the moments are beyond all doubles",
        "mask it less in the step before, or leave it out of this one",
    ))
}

/// The best of some searches: IL1 where it should be comes first, then the objective; of equals the first.
fn best_of(
    ended: Vec<(State, Course)>,
    ground: &Ground,
    il1_target: f64,
    within: f64,
) -> Option<(State, Course)> {
    let rank = |(state, _): &(State, Course)| {
        let apart = (state.distance(ground).il1 - il1_target).abs();
        let miss = apart / il1_target.max(f64::MIN_POSITIVE);
        (if miss <= within { 0.0 } else { miss }, state.objective())
    };
    ended.into_iter().min_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
    })
}

/// When time is up, by the clock of whoever watches.
fn until(settings: &Settings, context: &RunContext<'_>) -> Result<Option<f64>, MethodError> {
    let Some(seconds) = settings.seconds else {
        return Ok(None);
    };
    let now = context.watch().seconds().ok_or_else(|| {
        MethodError::request(
            "`seconds` needs a clock, and whoever runs this has none",
            "set `iterations` instead",
        )
    })?;
    Ok(Some(now + seconds))
}

/// States what was reached, and what was not.
fn state_of(found: &Optimised, settings: &Settings, context: &RunContext<'_>) {
    context.note(course_of(found));
    let warn = |id: &'static str, text: &'static str| {
        context.note(Note::new(id, text).ranked(NoteRank::Warning));
    };
    let (il1, aimed_at) = (found.after.il1, found.il1_target);
    let within = 1.001 * settings.within * aimed_at;
    if found.before.il1 <= 0.0 {
        warn(
            NOT_MASKED,
            "every record is an original one in these variables: the file was not masked, or only put into another order, and nothing was improved",
        );
    } else if il1 < aimed_at - within {
        warn(
            "nearer-than-asked",
            "IL1 is below what was aimed at: the file is NEARER to the original than it was to be, and risks more; raise p or `iterations`, and measure the risk before anybody gets it",
        );
    } else if il1 > aimed_at + within {
        warn(
            "il1-not-reached",
            "IL1 is above what was aimed at: the search ended too early, or p cannot be reached with so few records (raise `iterations`, or q)",
        );
    }
    if found.before.il1 > 0.0 && found.after.e >= found.before.e {
        warn(
            "e-did-not-fall",
            "E did not fall: the moments are no nearer to the original's than before (raise `iterations`, lower `temperature`, or weigh risk less)",
        );
    }
    if settings
        .target
        .is_some_and(|target| found.after.e >= target)
    {
        warn(
            "target-not-reached",
            "E is not below the target: with so few records it may be out of reach (raise `iterations`, or q)",
        );
    }
    if settings.is_timed() {
        warn(
            TIME_LIMITED,
            "the search was ended by the clock or could have been: another run may end elsewhere, and nobody can repeat this one",
        );
    }
}

/// How the search went.
fn course_of(found: &Optimised) -> Note {
    let text = format!(
        "{} records could change; E went from {:.4} to {:.4}, IL1 from {:.4} to {:.4} (aimed at {:.4}), in {} steps of which {} stayed",
        found.n_open,
        found.before.e,
        found.after.e,
        found.before.il1,
        found.after.il1,
        found.il1_target,
        found.course.n_steps,
        found.course.n_accepted
    );
    Note::new("optimised", text)
        .with("e_before", found.before.e)
        .with("e_after", found.after.e)
        .with("e_kept", found.kept.e)
        .with("il1_before", found.before.il1)
        .with("il1_after", found.after.il1)
        .with("il1_target", found.il1_target)
        .with("n_steps", found.course.n_steps)
        .with("n_accepted", found.course.n_accepted)
}
