//! What intruders find by one set of keys or another: counted once, and kept while the file and the plan's words about
//! its variables stay the same.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use bauta_data::Watch as _;
use bauta_plan::Plan;
use bauta_plan::work::Planned;
use bauta_plan::work::risk::{KeptKeys, RiskFound, RiskRequest};
use rayon::ThreadPool;

use crate::app::App;
use crate::desk::Desk;
use crate::jobs::{Ended, Job, Standing, Task};
use crate::looked::ended;

/// How long a page waits for figures before it says that they are being counted.
const PATIENCE: Duration = Duration::from_millis(700);
/// Between two looks whether they are there.
const PAUSE: Duration = Duration::from_millis(10);
/// Counts of a plan that go on at the same time; those asked for before are stopped.
const MOST_GOING: usize = 2;
/// Answers that are kept for a plan.
const MOST_KEPT: usize = 100;

/// What was found for one set of keys.
#[derive(Debug)]
pub(crate) struct Counted {
    /// What was asked, with what the plan says.
    pub(crate) request: RiskRequest,
    /// What was found.
    pub(crate) found: RiskFound,
    /// Records of the file.
    pub(crate) n_records: usize,
}

/// How a count stands.
pub(crate) enum Risk {
    /// It is done.
    Done(Arc<Counted>),
    /// It is going on.
    Going,
    /// It failed, and why.
    Failed(String),
    /// Somebody stopped it.
    Stopped,
}

/// What the columns of a plan's file depend on.
#[derive(Clone, PartialEq, Debug)]
struct OfFile {
    file: PathBuf,
    changed: Option<(u64, SystemTime)>,
    planned: Planned,
}

struct Answer {
    request: RiskRequest,
    job: Arc<Job>,
    counted: Arc<OnceLock<Arc<Counted>>>,
}

/// The columns of a plan's file, once somebody has read them.
type Columns = Arc<Mutex<Option<Arc<KeptKeys>>>>;

struct OfPlan {
    of_file: OfFile,
    columns: Columns,
    answers: Vec<Answer>,
}

/// What was counted for all plans.
#[derive(Default)]
pub(crate) struct Risks(Mutex<HashMap<String, OfPlan>>);

impl Risks {
    /// What an intruder finds who knows some keys of a plan's file. A count that takes long goes on behind the page.
    pub(crate) async fn of(
        &self,
        app: &App,
        desk: &Desk,
        plan: &Plan,
        request: &RiskRequest,
    ) -> Risk {
        let started = Instant::now();
        loop {
            match self.look(app, desk, plan, request) {
                Risk::Going if started.elapsed() < PATIENCE => tokio::time::sleep(PAUSE).await,
                risk => return risk,
            }
        }
    }

    fn look(&self, app: &App, desk: &Desk, plan: &Plan, request: &RiskRequest) -> Risk {
        let Some(of_file) = OfFile::of(plan) else {
            return Risk::Failed("the plan names no file that is there".to_owned());
        };
        let mut all = held(&self.0);
        let known = all
            .get(&desk.name)
            .is_some_and(|one| one.of_file == of_file);
        if !known {
            // The columns of one plan are enough to hold.
            all.clear();
            let fresh = OfPlan {
                of_file: of_file.clone(),
                columns: Columns::default(),
                answers: Vec::new(),
            };
            all.insert(desk.name.clone(), fresh);
        }
        let Some(of_plan) = all.get_mut(&desk.name) else {
            return Risk::Going;
        };
        if let Some(answer) = of_plan.answers.iter().find(|one| one.request == *request) {
            return answer.standing();
        }
        // Whoever ticks one key after the other waits for the last count, not for all of them.
        let going = of_plan.answers.iter().filter(|one| one.job.is_going_on());
        let going: Vec<Arc<Job>> = going.map(|one| Arc::clone(&one.job)).collect();
        for job in going.iter().rev().skip(MOST_GOING - 1) {
            job.cancel();
        }
        of_plan.answers.retain(Answer::is_wanted);
        if of_plan.answers.len() >= MOST_KEPT {
            of_plan.answers.remove(0);
        }
        let answer = begin(app, desk, &of_file, &of_plan.columns, request);
        of_plan.answers.push(answer);
        Risk::Going
    }

    /// Forgets counts that failed or were stopped.
    pub(crate) fn forget(&self, plan: &str) {
        if let Some(of_plan) = held(&self.0).get_mut(plan) {
            of_plan
                .answers
                .retain(|answer| answer.counted.get().is_some());
        }
    }
}

impl OfFile {
    fn of(plan: &Plan) -> Option<Self> {
        let file = plan.input.as_ref()?.path.clone();
        let facts = file.metadata().ok()?;
        Some(Self {
            changed: facts.modified().ok().map(|time| (facts.len(), time)),
            planned: Planned::of(plan),
            file,
        })
    }
}

impl Answer {
    /// Whether it is there or on its way.
    fn is_wanted(&self) -> bool {
        self.counted.get().is_some() || (self.job.is_going_on() && !self.job.cancelled())
    }

    fn standing(&self) -> Risk {
        if let Some(counted) = self.counted.get() {
            return Risk::Done(Arc::clone(counted));
        }
        match self.job.standing() {
            Standing::Failed(why) => Risk::Failed(why),
            Standing::Cancelled => Risk::Stopped,
            Standing::Waiting | Standing::Working(_) | Standing::Stopping | Standing::Done(_) => {
                Risk::Going
            }
        }
    }
}

fn begin(
    app: &App,
    desk: &Desk,
    of_file: &OfFile,
    columns: &Columns,
    request: &RiskRequest,
) -> Answer {
    let counted = Arc::new(OnceLock::new());
    let (found, columns, of_file, asked) = (
        Arc::clone(&counted),
        Arc::clone(columns),
        of_file.clone(),
        request.clone(),
    );
    let pool = Arc::clone(&app.pool);
    let work = move |job: &Job| {
        let kept = kept(&columns, &of_file, &asked.keys, &pool, job)?;
        let risk = pool.install(|| kept.risk(asked, job));
        let (request, risk) = risk.map_err(|error| ended(&error))?;
        let _ = found.set(Arc::new(Counted {
            request,
            found: risk,
            n_records: kept.n_records(),
        }));
        Ok("scenarios".to_owned())
    };
    Answer {
        request: request.clone(),
        job: (app.jobs).begin(&desk.name, Task::Count, Box::new(work)),
        counted,
    }
}

/// The columns, read if nobody has yet. Others who need them wait, on threads of their own: one that waited on a thread of
/// the pool could be waited for by the reading.
fn kept(
    columns: &Columns,
    of_file: &OfFile,
    keys: &[String],
    pool: &ThreadPool,
    job: &Job,
) -> Result<Arc<KeptKeys>, Ended> {
    let mut columns = loop {
        match columns.try_lock() {
            Ok(columns) => break columns,
            Err(TryLockError::Poisoned(poisoned)) => break poisoned.into_inner(),
            Err(TryLockError::WouldBlock) if job.cancelled() => return Err(Ended::Cancelled),
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    };
    if let Some(kept) = columns.as_ref().filter(|kept| kept.has(keys)) {
        return Ok(Arc::clone(kept));
    }
    let read = pool.install(|| KeptKeys::read(&of_file.file, &of_file.planned, keys, job));
    let kept = Arc::new(read.map_err(|error| ended(&error))?);
    *columns = Some(Arc::clone(&kept));
    Ok(kept)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is kept is put there whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
