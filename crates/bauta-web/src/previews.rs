//! Previews of steps: what each does, kept while the plan stays as it is.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::SystemTime;

use bauta_plan::Plan;
use bauta_plan::work::preview::{Preview, preview};

use crate::app::App;
use crate::desk::{Desk, Present};
use crate::jobs::{Job, Standing, Task};
use crate::looked::ended;

/// Records of a sample.
pub(crate) const N_SAMPLED: usize = 2_000;
/// Previews that are kept.
const MOST_KEPT: usize = 20;

/// What a preview is of.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Asked {
    plan: String,
    version: u64,
    step: usize,
    extent: Extent,
    /// The data file as it was.
    file: Option<(u64, SystemTime)>,
}

/// How the data file of a plan is now.
fn stamp(plan: Option<&Plan>) -> Option<(u64, SystemTime)> {
    let facts = plan?.input.as_ref()?.path.metadata().ok()?;
    Some((facts.len(), facts.modified().ok()?))
}

/// Which records a preview looks at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// Some.
    Sample,
    /// All.
    Whole,
}

struct Entry {
    asked: Asked,
    job: Arc<Job>,
    found: Arc<OnceLock<Preview>>,
}

/// How a preview stands.
pub(crate) enum Previewed {
    /// It is there.
    Done(Arc<OnceLock<Preview>>),
    /// It is being made.
    Going,
    /// It could not be made, and why.
    Failed(String),
    /// Nobody asked for it, or somebody stopped it.
    None,
}

/// All previews.
#[derive(Default)]
pub(crate) struct Previews(Mutex<Vec<Entry>>);

impl Previews {
    /// Begins a preview of a step, by its position among those that are carried out.
    pub(crate) fn begin(
        &self,
        app: &App,
        desk: &Desk,
        (version, plan): (u64, Plan),
        step: usize,
        extent: Extent,
    ) {
        let asked = Asked {
            plan: desk.name.clone(),
            version,
            step,
            extent,
            file: stamp(Some(&plan)),
        };
        let found = Arc::new(OnceLock::new());
        let kept = Arc::clone(&found);
        let n_sampled = (extent == Extent::Sample).then_some(N_SAMPLED);
        let pool = Arc::clone(&app.pool);
        let work = move |job: &Job| {
            let made = pool.install(|| preview(&plan, step, n_sampled, job));
            let made = made.map_err(|error| ended(&error))?;
            let _ = kept.set(made);
            Ok("steps".to_owned())
        };
        let job = (app.jobs).begin(&desk.name, Task::Preview, Box::new(work));
        let mut all = self.held();
        // One at a time: each holds the records that it looks at.
        for entry in all.iter().filter(|entry| entry.asked.plan == asked.plan) {
            entry.job.cancel();
        }
        all.retain(|entry| entry.asked != asked);
        if all.len() >= MOST_KEPT {
            all.remove(0);
        }
        all.push(Entry { asked, job, found });
    }

    /// How the preview of a step of a version stands; that of the whole file, where there is one.
    pub(crate) fn of(&self, desk: &Desk, present: &Present, step: usize) -> Previewed {
        let file = stamp(present.plan.as_ref());
        let all = self.held();
        let of_step = |extent: Extent| {
            let asked = Asked {
                plan: desk.name.clone(),
                version: present.version,
                step,
                extent,
                file,
            };
            all.iter().find(|entry| entry.asked == asked)
        };
        let there = |entry: &&Entry| entry.found.get().is_some() || entry.job.is_going_on();
        let entry = of_step(Extent::Whole).filter(there);
        let entry = entry.or_else(|| of_step(Extent::Sample));
        entry.map_or(Previewed::None, |entry| {
            if entry.found.get().is_some() {
                return Previewed::Done(Arc::clone(&entry.found));
            }
            match entry.job.standing() {
                Standing::Failed(why) => Previewed::Failed(why),
                Standing::Cancelled => Previewed::None,
                _ => Previewed::Going,
            }
        })
    }

    fn held(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
