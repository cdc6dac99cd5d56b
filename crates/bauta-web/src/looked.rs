//! What a first look at the file of a plan finds: what each variable seems to be, and a small picture of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use bauta_data::inspect::FileProfile;
use bauta_data::{DataErrorKind, Watch};
use bauta_plan::draft::Draft;
use bauta_plan::work::inspect::{Inspected, inspect};
use bauta_plan::work::pictures::{ColumnPicture, pictures};
use bauta_plan::work::{Reading, WorkError};

use crate::app::App;
use crate::desk::{Desk, Present};
use crate::failure::in_words;
use crate::jobs::{Ended, Job, Standing, Task};

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Seen {
    /// What each variable seems to be.
    pub(crate) profile: FileProfile,
    /// A picture of each, in file order.
    pub(crate) pictures: Vec<ColumnPicture>,
}

/// How a look stands.
pub(crate) enum Look {
    /// It is done.
    Done(Arc<Seen>),
    /// It is going on.
    Going,
    /// It failed, and why.
    Failed(String),
    /// Somebody stopped it.
    Stopped,
    /// The plan names no file that could be looked at.
    NoFile,
}

/// What a look depends on.
#[derive(Clone, PartialEq, Debug)]
struct Asked {
    file: PathBuf,
    n_bytes: u64,
    changed: Option<SystemTime>,
    reading: Reading,
}

struct Entry {
    asked: Asked,
    job: Arc<Job>,
    seen: Arc<OnceLock<Arc<Seen>>>,
}

/// The looks at all plans' files.
#[derive(Default)]
pub(crate) struct Looks(Mutex<HashMap<String, Entry>>);

impl Looks {
    /// What was found in the file of a plan; begins to look if nobody has since the file was changed.
    pub(crate) fn of(&self, app: &App, desk: &Desk, present: &Present) -> Look {
        let Some(asked) = asked(app, desk, present) else {
            return Look::NoFile;
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(&desk.name).filter(|entry| entry.asked == asked);
        if let Some(entry) = known {
            return entry.standing();
        }
        let seen = Arc::new(OnceLock::new());
        let (file, reading, found) = (asked.file.clone(), asked.reading.clone(), Arc::clone(&seen));
        let pool = Arc::clone(&app.pool);
        let work = move |job: &Job| {
            let seen = pool.install(|| look(&file, &reading, job));
            let seen = seen.map_err(|error| ended(&error))?;
            let _ = found.set(Arc::new(seen));
            Ok("variables".to_owned())
        };
        let job = (app.jobs).begin(&desk.name, Task::Look, Box::new(work));
        if let Some(before) = all.insert(desk.name.clone(), Entry { asked, job, seen }) {
            // Nobody waits for what the old file holds.
            before.job.cancel();
        }
        Look::Going
    }

    /// Forgets a look that failed or was stopped, so that the next page begins another.
    pub(crate) fn forget(&self, plan: &str) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all
            .get(plan)
            .is_some_and(|entry| entry.seen.get().is_none())
        {
            all.remove(plan);
        }
    }
}

impl Entry {
    fn standing(&self) -> Look {
        if let Some(seen) = self.seen.get() {
            return Look::Done(Arc::clone(seen));
        }
        match self.job.standing() {
            Standing::Failed(why) => Look::Failed(why),
            Standing::Cancelled => Look::Stopped,
            Standing::Waiting | Standing::Working(_) | Standing::Stopping | Standing::Done(_) => {
                Look::Going
            }
        }
    }
}

fn asked(app: &App, desk: &Desk, present: &Present) -> Option<Asked> {
    let draft = present.draft.as_ref()?;
    let given = draft.data.file.as_ref()?;
    let file = bauta_plan::output::folder_of(&desk.file).join(given.as_str());
    let facts = file.metadata().ok()?;
    (app.folder.holds(&file) && facts.is_file()).then(|| Asked {
        n_bytes: facts.len(),
        changed: facts.modified().ok(),
        reading: reading_of(draft),
        file,
    })
}

/// How a plan reads its file.
pub(crate) fn reading_of(draft: &Draft) -> Reading {
    let delimiter = draft.data.delimiter.as_ref();
    Reading {
        delimiter: delimiter.and_then(|one| u8::try_from(one.value).ok()),
        decimal: draft.data.decimal,
        encoding: draft.data.encoding,
        missing_texts: draft.data.missing.clone(),
        ..Reading::default()
    }
}

fn look(file: &Path, reading: &Reading, watch: &dyn Watch) -> Result<Seen, WorkError> {
    let Inspected { loaded, profile } = inspect(file, reading, watch)?;
    Ok(Seen {
        pictures: pictures(&loaded.table, &profile, watch)?,
        profile,
    })
}

/// Why work ended, for whoever looks at the list of jobs.
pub(crate) fn ended(error: &WorkError) -> Ended {
    let is_cancelled = match error {
        WorkError::Data(error) => error.kind == DataErrorKind::Cancelled,
        WorkError::Run(error) => error.is_cancelled(),
        _ => false,
    };
    if is_cancelled {
        Ended::Cancelled
    } else {
        Ended::Failed(in_words(error))
    }
}
