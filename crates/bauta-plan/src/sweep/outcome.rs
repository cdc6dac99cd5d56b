//! Running variants in memory, several at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bauta_data::format::Loaded;
use bauta_data::{Fingerprint, Watch};
use bauta_methods::optimise::TIME_LIMITED;
use bauta_methods::{Measurement, MethodError};

use super::grid::{Grid, Origin, Variant};
use super::name::Names;
use super::not_fine;
use crate::error::RunError;
use crate::execute::{RunOptions, execute};
use crate::plan::Plan;
use crate::record::RunRecord;
use crate::stages::RunWatch;
use crate::verify::release_again;

/// What came of a variant.
#[derive(Clone, PartialEq, Debug)]
pub struct VariantOutcome {
    /// Its name: a hash of its plan, of all files that it reads, and of the version of Bauta.
    pub id: String,
    /// What was found, without times, series, drawings and records that deserve a look; or why there is nothing.
    pub found: Result<Box<RunRecord>, String>,
}

impl VariantOutcome {
    pub(super) fn of(id: String, ran: Ran) -> Self {
        let found = match ran {
            Ok(record) => Ok(Box::new(figures_of(record))),
            Err(failed) => Err(failed.reason),
        };
        Self { id, found }
    }

    /// Whether every gate and every claim holds; none where there is neither, or nothing was found.
    pub fn passed(&self) -> Option<bool> {
        let record = self.found.as_ref().ok()?;
        let is_judged = !record.gates.is_empty() || !record.claims.is_empty();
        is_judged.then(|| record.passed())
    }

    /// Whether its conditions hold, in one word.
    pub fn conditions(&self) -> &'static str {
        match (&self.found, self.passed()) {
            (Err(_), _) => "failed",
            (Ok(_), None) => "none",
            (Ok(_), Some(true)) => "hold",
            (Ok(_), Some(false)) => "fail",
        }
    }

    /// Whether the clock ended one of its steps, or could have: another run may find other figures.
    pub fn is_timed(&self) -> bool {
        let steps = self.found.iter().flat_map(|record| &record.steps);
        let mut notes = steps.flat_map(|step| &step.notes);
        notes.any(|note| note.id == TIME_LIMITED)
    }
}

/// Runs variants on data in memory, on as many threads as the caller has, and one variant on each, so that no
/// more than so many masked tables are in memory at a time. What comes out does not depend on the number.
/// A variant that cannot be run is an outcome with its reason; only being cancelled ends the work.
pub fn run_variants(
    loaded: &Loaded,
    grid: &Grid,
    origin: &Origin<'_>,
    watch: &dyn Watch,
) -> Result<Vec<VariantOutcome>, RunError> {
    let variants: Vec<&Variant> = grid.variants.iter().collect();
    let names = Names::new(origin, &loaded.fingerprint.sha256);
    run_each(loaded, &variants, grid, origin, watch, &|variant, ran| {
        Ok(VariantOutcome::of(names.id(variant), ran))
    })
}

/// What a variant's run gave, or why it gave nothing.
pub(crate) type Ran = Result<RunRecord, Failed>;

/// Why a variant could not be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Failed {
    pub(super) reason: String,
    /// Whether the same plan on the same data must fail again. Another day there is memory, or the file can be read.
    pub(super) lasts: bool,
}

impl Failed {
    fn of(error: &RunError) -> Self {
        let lasts = match error {
            RunError::Method { error, .. } => matches!(
                **error,
                MethodError::Request { .. } | MethodError::Data { .. }
            ),
            RunError::Data(_) | RunError::NothingJudged | RunError::NotWritten { .. } => false,
        };
        Self {
            reason: error.to_string(),
            lasts,
        }
    }
}

/// Runs variants and hands each on as soon as it is finished.
pub(crate) fn run_each(
    loaded: &Loaded,
    variants: &[&Variant],
    grid: &Grid,
    origin: &Origin<'_>,
    watch: &dyn Watch,
    hand_on: &(dyn Fn(&Variant, Ran) -> Result<VariantOutcome, RunError> + Sync),
) -> Result<Vec<VariantOutcome>, RunError> {
    let n_threads = rayon::current_num_threads();
    let n_workers = n_threads.min(variants.len()).max(1);
    let work = Work {
        loaded,
        variants,
        grid,
        origin,
        watch: &Silent { watch },
        hand_on,
        next: AtomicUsize::new(0),
        done: Mutex::new((0, vec![None; variants.len()])),
        failed: Mutex::new(None),
    };
    watch.progress(0, variants.len() as u64);
    // A pool for each worker: on one pool, a thread that waits for a part of its variant would take up another
    // variant meanwhile, and there would be no bound to how many are in memory.
    std::thread::scope(|scope| {
        for worker in 0..n_workers {
            let n_own = n_threads / n_workers + usize::from(worker < n_threads % n_workers);
            let work = &work;
            scope.spawn(move || {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(n_own).build();
                match pool {
                    Ok(pool) => pool.install(|| work.until_done()),
                    Err(error) => work.fail(RunError::internal("sweep", error.to_string())),
                }
            });
        }
    });
    let failed = work.failed.into_inner();
    if let Some(error) = failed.unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let (_, done) = work
        .done
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    Ok(done.into_iter().flatten().collect())
}

/// Variants that are being run.
struct Work<'a> {
    loaded: &'a Loaded,
    variants: &'a [&'a Variant],
    grid: &'a Grid,
    origin: &'a Origin<'a>,
    watch: &'a Silent<'a>,
    hand_on: &'a (dyn Fn(&Variant, Ran) -> Result<VariantOutcome, RunError> + Sync),
    next: AtomicUsize,
    done: Mutex<(u64, Vec<Option<VariantOutcome>>)>,
    failed: Mutex<Option<RunError>>,
}

impl Work<'_> {
    /// Takes up one variant after the other until there is none.
    fn until_done(&self) {
        loop {
            let position = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(variant) = self.variants.get(position) else {
                return;
            };
            let outcome = self.ran(variant);
            let outcome = outcome.and_then(|ran| (self.hand_on)(variant, ran));
            match outcome {
                Ok(outcome) => {
                    let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.1[position] = Some(outcome);
                    done.0 += 1;
                    self.watch
                        .watch
                        .progress(done.0, self.variants.len() as u64);
                }
                Err(error) => return self.fail(error),
            }
        }
    }

    /// Ends the work of all.
    fn fail(&self, error: RunError) {
        self.next.store(self.variants.len(), Ordering::Relaxed);
        let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.get_or_insert(error);
    }

    fn ran(&self, variant: &Variant) -> Result<Ran, RunError> {
        let plan = match self.grid.plan(variant, self.origin) {
            Ok(plan) => plan,
            // It was checked before: a file that it names has changed or gone.
            Err(problems) => {
                return Ok(Err(Failed {
                    reason: not_fine(problems).to_string(),
                    lasts: false,
                }));
            }
        };
        match carry_out(variant, &plan, self.loaded, self.watch) {
            Ok(record) => Ok(Ok(record)),
            Err(error) if error.is_cancelled() => Err(error),
            Err(error) => Ok(Err(Failed::of(&error))),
        }
    }
}

/// Carries out a variant as `run` does, but for the files.
fn carry_out(
    variant: &Variant,
    plan: &Plan,
    loaded: &Loaded,
    watch: &dyn RunWatch,
) -> Result<RunRecord, RunError> {
    let executed = execute(plan, loaded, RunOptions::default(), watch)?;
    let mut record = executed.record.clone();
    // What steps and gates claim of the keys is counted in the bytes that would be released.
    release_again(plan, &executed, &mut record, watch)?;
    record.released = None;
    let text = variant.text();
    record.plan.sha256 = Fingerprint::of_bytes(text.as_bytes()).sha256;
    record.plan.text = text;
    Ok(record)
}

/// The record without what is not compared, such as times: thousands of them are in memory together.
pub(super) fn figures_of(mut record: RunRecord) -> RunRecord {
    for measure in &mut record.measures {
        measure.before = None;
        measure.notes.clear();
        if let Some(found) = &mut measure.after {
            *found = Measurement {
                value: found.value,
                outliers: found.outliers,
                rest: found.rest,
                few: found.few,
                figures: std::mem::take(&mut found.figures),
                by_variable: std::mem::take(&mut found.by_variable),
                ..Measurement::default()
            };
        }
    }
    for step in &mut record.steps {
        step.evidence = None;
    }
    record.variables.clear();
    record.notes.clear();
    record.plan.text.clear();
    record.without_times()
}

/// Whoever watches the grid is not told of the stages of its variants.
struct Silent<'a> {
    watch: &'a dyn Watch,
}

impl Watch for Silent<'_> {
    fn progress(&self, _done: u64, _total: u64) {}

    fn cancelled(&self) -> bool {
        self.watch.cancelled()
    }

    fn seconds(&self) -> Option<f64> {
        self.watch.seconds()
    }
}

impl RunWatch for Silent<'_> {
    fn stage(&self, _name: &str, _number: usize, _total: usize) {}
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use bauta_data::{DataError, DataErrorKind};

    use super::*;

    #[test]
    fn only_what_the_plan_and_the_data_bring_about_lasts() {
        let method = |error: MethodError| RunError::Method {
            place: "step".to_owned(),
            line: None,
            error: Box::new(error),
        };
        let asked = MethodError::Request {
            variable: None,
            message: "too large".to_owned(),
            hint: "less".to_owned(),
        };
        assert!(Failed::of(&method(asked)).lasts);
        assert!(!Failed::of(&method(MethodError::Internal(String::new()))).lasts);
        for kind in [DataErrorKind::Io, DataErrorKind::Memory] {
            let error = DataError {
                kind,
                ..DataError::cancelled(Path::new("x.csv"))
            };
            assert!(!Failed::of(&RunError::Data(error)).lasts);
        }
    }
}
