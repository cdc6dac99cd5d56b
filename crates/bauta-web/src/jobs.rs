//! Work in the background: one queue for runs, and looks at files beside it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use bauta_data::Watch;
use bauta_plan::estimate::Stage;
use bauta_plan::run::RunWatch;
use rayon::ThreadPool;

/// Ended jobs that are remembered.
const MOST_ENDED: usize = 50;

/// What a job does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    /// Looks at the file of a plan.
    Look,
    /// Counts what an intruder finds.
    Count,
    /// Shows what a step does.
    Preview,
    /// Runs a plan without releasing anything.
    Try,
    /// Runs a plan and releases.
    Release,
}

impl Task {
    /// What is being done, for the list of jobs.
    pub(crate) const fn in_words(self) -> &'static str {
        match self {
            Self::Look => "look at the file",
            Self::Count => "count of the keys",
            Self::Preview => "preview of a step",
            Self::Try => "run",
            Self::Release => "release",
        }
    }
}

/// How far a job is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shown {
    /// What is being done.
    pub(crate) stage: String,
    /// How much of its time is over, if that can be said.
    pub(crate) percent: Option<u8>,
    /// What is left.
    pub(crate) left: String,
}

impl Shown {
    fn of(stage: &Stage, now: f64) -> Self {
        Self {
            stage: match stage.number() {
                0 => stage.name().to_owned(),
                number => format!("{number} of {}: {}", stage.total(), stage.name()),
            },
            // It is never all before it is.
            percent: stage
                .share(now)
                .map(|share| (100.0 * share).floor().clamp(0.0, 99.0) as u8),
            left: stage.left_in_words(now),
        }
    }

    /// Where it is and what is left.
    pub(crate) fn in_words(&self) -> String {
        if self.stage.is_empty() {
            self.left.clone()
        } else {
            format!("{} – {}", self.stage, self.left)
        }
    }
}

/// How a job stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// Others go first.
    Waiting,
    /// It is being done.
    Working(Shown),
    /// Somebody stopped it, and it has not noticed yet.
    Stopping,
    /// It is done; where its result is, below the plan's address.
    Done(String),
    /// It could not be done, and why.
    Failed(String),
    /// Somebody stopped it.
    Cancelled,
}

/// Why a job ends without a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// Somebody stopped it.
    Cancelled,
    /// It failed, and why.
    Failed(String),
}

/// One piece of work.
#[derive(Debug)]
pub(crate) struct Job {
    /// Its number.
    pub(crate) id: u64,
    /// The plan that it is about.
    pub(crate) plan: String,
    /// What it does.
    pub(crate) task: Task,
    /// When the work began, which may be long after it was asked for.
    began: OnceLock<Instant>,
    is_cancelled: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    Waiting,
    Working(Stage),
    Ended(Result<String, Ended>),
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked left nothing half done here.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Job {
    /// How it stands.
    pub(crate) fn standing(&self) -> Standing {
        match &*held(&self.state) {
            State::Waiting => Standing::Waiting,
            State::Working(_) if self.cancelled() => Standing::Stopping,
            State::Working(stage) => Standing::Working(Shown::of(stage, self.elapsed())),
            State::Ended(Ok(place)) => Standing::Done(place.clone()),
            State::Ended(Err(Ended::Failed(why))) => Standing::Failed(why.clone()),
            State::Ended(Err(Ended::Cancelled)) => Standing::Cancelled,
        }
    }

    /// Whether it waits or is being done.
    pub(crate) fn is_going_on(&self) -> bool {
        !matches!(&*held(&self.state), State::Ended(_))
    }

    /// Asks it to stop; one that waits is over at once.
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        let mut state = held(&self.state);
        if matches!(*state, State::Waiting) {
            *state = State::Ended(Err(Ended::Cancelled));
        }
    }

    fn elapsed(&self) -> f64 {
        self.began
            .get()
            .map_or(0.0, |began| began.elapsed().as_secs_f64())
    }

    /// Does the work, if nobody has stopped it meanwhile.
    fn carry_out(&self, work: Work) {
        {
            let mut state = held(&self.state);
            if !matches!(*state, State::Waiting) {
                return;
            }
            let _ = self.began.set(Instant::now());
            *state = State::Working(Stage::default());
        }
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self)));
        let done = done.unwrap_or_else(|_| {
            Err(Ended::Failed(
                "this is a mistake of ours, and nothing was written".to_owned(),
            ))
        });
        *held(&self.state) = State::Ended(done);
    }
}

impl Watch for Job {
    fn progress(&self, done: u64, total: u64) {
        let now = self.elapsed();
        if let State::Working(stage) = &mut *held(&self.state) {
            stage.progress(done, total, now);
        }
    }

    fn cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    fn seconds(&self) -> Option<f64> {
        Some(self.elapsed())
    }
}

impl RunWatch for Job {
    fn stage(&self, name: &str, number: usize, total: usize) {
        let now = self.elapsed();
        if let State::Working(stage) = &mut *held(&self.state) {
            *stage = Stage::begin(name, number, total, now);
        }
    }
}

/// What a job does when its turn comes: where its result is, or why there is none.
pub(crate) type Work = Box<dyn FnOnce(&Job) -> Result<String, Ended> + Send>;

/// All jobs of a server.
#[derive(Default)]
pub(crate) struct Jobs {
    last_id: AtomicU64,
    all: Mutex<Vec<Arc<Job>>>,
    queue: Mutex<VecDeque<(Arc<Job>, Work)>>,
    more: Condvar,
    is_closed: AtomicBool,
}

impl Jobs {
    /// A job that begins when those before it are done.
    pub(crate) fn queue(&self, plan: &str, task: Task, work: Work) -> Arc<Job> {
        let job = self.enter(plan, task);
        held(&self.queue).push_back((Arc::clone(&job), work));
        self.more.notify_one();
        job
    }

    /// A job that begins at once, beside the queue, on a thread of its own. What it does on all cores it does on a pool
    /// that is not the queue's: a run that waits there for a moment would take it up, and be over only after it.
    pub(crate) fn begin(&self, plan: &str, task: Task, work: Work) -> Arc<Job> {
        let job = self.enter(plan, task);
        let here = Arc::clone(&job);
        std::thread::spawn(move || here.carry_out(work));
        job
    }

    fn enter(&self, plan: &str, task: Task) -> Arc<Job> {
        let job = Arc::new(Job {
            id: self.last_id.fetch_add(1, Ordering::Relaxed) + 1,
            plan: plan.to_owned(),
            task,
            began: OnceLock::new(),
            is_cancelled: AtomicBool::new(false),
            state: Mutex::new(State::Waiting),
        });
        let mut all = held(&self.all);
        let n_ended = all.iter().filter(|job| !job.is_going_on()).count();
        if n_ended >= MOST_ENDED
            && let Some(oldest) = all.iter().position(|job| !job.is_going_on())
        {
            all.remove(oldest);
        }
        all.push(Arc::clone(&job));
        job
    }

    /// The jobs of a plan, oldest first.
    pub(crate) fn of_plan(&self, plan: &str) -> Vec<Arc<Job>> {
        let all = held(&self.all);
        all.iter().filter(|job| job.plan == plan).cloned().collect()
    }

    /// The plans that have jobs.
    pub(crate) fn plans(&self) -> BTreeSet<String> {
        held(&self.all).iter().map(|job| job.plan.clone()).collect()
    }

    /// A job by its number.
    pub(crate) fn job(&self, id: u64) -> Option<Arc<Job>> {
        held(&self.all).iter().find(|job| job.id == id).cloned()
    }

    /// Works off the queue, on the calling thread and those of the pool, until it is closed.
    pub(crate) fn work(&self, pool: &ThreadPool) {
        let mut queue = held(&self.queue);
        loop {
            if self.is_closed.load(Ordering::Relaxed) {
                return;
            }
            let Some((job, work)) = queue.pop_front() else {
                queue = (self.more.wait(queue)).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(queue);
            pool.install(|| job.carry_out(work));
            queue = held(&self.queue);
        }
    }

    /// Stops all jobs.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        for job in held(&self.all).iter() {
            job.cancel();
        }
        // Whoever waits for more must not have looked before and wait after this.
        let _queue = held(&self.queue);
        self.more.notify_all();
    }
}
