//! A plan that somebody works on: its text, what it says, what is wrong with it, and its history.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bauta_plan::draft::Draft;
use bauta_plan::output::folder_of;
use bauta_plan::{Plan, Problem, ProblemKind, check_text_in, toml};

use crate::folder::{Folder, HISTORIES, Inside};
use crate::history::{History, Version, Way};
use crate::lock::{Lock, NotLocked, make_folder};
use crate::runs::clear_unfinished;

/// A plan that somebody works on.
#[derive(Debug)]
pub(crate) struct Desk {
    /// Its path below the folder that is served.
    pub(crate) name: String,
    /// Its file.
    pub(crate) file: PathBuf,
    folder: Folder,
    history: Mutex<History>,
    _lock: Lock,
}

/// The plan as it is now.
#[derive(Clone)]
pub(crate) struct Present {
    /// The number of its version.
    pub(crate) version: u64,
    /// Its text.
    pub(crate) text: String,
    /// What it says; none where it cannot be read.
    pub(crate) draft: Option<Draft>,
    /// What is wrong with it.
    pub(crate) problems: Vec<Problem>,
    /// The plan, if nothing is wrong.
    pub(crate) plan: Option<Plan>,
    /// What going back would take back, if there is anything.
    pub(crate) undo: Option<String>,
    /// What going forth would do again.
    pub(crate) redo: Option<String>,
}

impl Present {
    /// Those of some problems that the plan has not got now.
    pub(crate) fn new_among(&self, problems: Vec<Problem>) -> Vec<Problem> {
        let is_new = |problem: &Problem| {
            let mut known = self.problems.iter();
            !known.any(|known| known.message == problem.message)
        };
        problems.into_iter().filter(is_new).collect()
    }
}

/// Why a plan was not changed.
#[derive(Debug)]
pub(crate) enum NotChanged {
    /// Somebody changed it in the meantime, in another tab or by hand.
    Stale,
    /// The text cannot be read, so that there is nothing to change.
    Unreadable,
    /// The change makes no sense; what is wrong and what to do.
    Refused(Vec<Problem>),
    /// The disk failed.
    Disk(io::Error),
}

impl From<io::Error> for NotChanged {
    fn from(error: io::Error) -> Self {
        Self::Disk(error)
    }
}

/// Why a plan cannot be worked on.
#[derive(Debug)]
pub(crate) enum NotOpened {
    /// Somebody else works on it.
    Taken,
    /// The disk failed.
    Disk(io::Error),
}

impl Desk {
    /// Opens a plan with its history.
    pub(crate) fn open(folder: &Folder, name: &str, file: &Path) -> Result<Self, NotOpened> {
        let beside = history_folder(file);
        make_folder(folder_of(&beside)).map_err(NotOpened::Disk)?;
        let lock = Lock::of(&beside).map_err(|error| match error {
            NotLocked::Taken => NotOpened::Taken,
            NotLocked::Failed(error) => NotOpened::Disk(error),
        })?;
        clear_unfinished(&beside);
        let history = History::open(file, &beside).map_err(NotOpened::Disk)?;
        Ok(Self {
            name: name.to_owned(),
            file: file.to_owned(),
            folder: folder.clone(),
            history: Mutex::new(history),
            _lock: lock,
        })
    }

    /// Where runs and versions of the plan lie.
    pub(crate) fn history_folder(&self) -> PathBuf {
        history_folder(&self.file)
    }

    /// The plan as it is now, also if somebody changed the file by hand.
    pub(crate) fn present(&self) -> Result<Present, io::Error> {
        let mut history = self.held();
        history.look_outside()?;
        Ok(self.seen(&history))
    }

    /// Changes what the plan says, by a form that was made for a version of it. What nobody asked to change stays as it
    /// is written, comments and all.
    pub(crate) fn change(
        &self,
        made_for: u64,
        what: &str,
        change: impl FnOnce(&mut Draft) -> Result<(), Problem>,
    ) -> Result<(), NotChanged> {
        let mut history = self.held_at(made_for)?;
        let (mut draft, problems) = toml::read(history.text());
        if !problems.is_empty() {
            return Err(NotChanged::Unreadable);
        }
        change(&mut draft).map_err(|problem| NotChanged::Refused(vec![problem]))?;
        let text = toml::edit(history.text(), &draft).map_err(NotChanged::Refused)?;
        history.change(text, what)?;
        Ok(())
    }

    /// The text that a change would give, and what would be wrong with it; nothing is written.
    pub(crate) fn if_changed(
        &self,
        change: impl FnOnce(&mut Draft) -> Result<(), Problem>,
    ) -> Result<(String, Vec<Problem>), NotChanged> {
        let text = self.held().text().to_owned();
        let (mut draft, problems) = toml::read(&text);
        if !problems.is_empty() {
            return Err(NotChanged::Unreadable);
        }
        change(&mut draft).map_err(|problem| NotChanged::Refused(vec![problem]))?;
        let text = toml::edit(&text, &draft).map_err(NotChanged::Refused)?;
        let problems = self.problems_of(&text);
        Ok((text, problems))
    }

    /// Puts another text in place of the plan's. One that is not finished is kept like any other: what is wrong with it
    /// stands on every page until it is mended.
    pub(crate) fn write(&self, made_for: u64, text: String, what: &str) -> Result<(), NotChanged> {
        let mut history = self.held_at(made_for)?;
        history.change(text, what)?;
        Ok(())
    }

    /// What is wrong with a text, were it this plan's.
    pub(crate) fn problems_of(&self, text: &str) -> Vec<Problem> {
        self.checked(text).err().unwrap_or_default()
    }

    /// Goes back or forth.
    pub(crate) fn go(&self, way: Way) -> Result<bool, io::Error> {
        let mut history = self.held();
        history.look_outside()?;
        history.go(way)
    }

    /// Goes to any version.
    pub(crate) fn go_to(&self, n: u64) -> Result<bool, io::Error> {
        let mut history = self.held();
        history.look_outside()?;
        history.go_to(n)
    }

    /// All versions, oldest first, and the number of the present one.
    pub(crate) fn versions(&self) -> (Vec<Version>, u64) {
        let history = self.held();
        (history.versions().to_vec(), history.present())
    }

    /// The text of a version.
    pub(crate) fn text_of(&self, n: u64) -> Option<String> {
        let history = self.held();
        history.version(n)?;
        history.text_of(n).ok()
    }

    /// The plan that a text says, were it this plan's.
    pub(crate) fn checked(&self, text: &str) -> Result<Plan, Vec<Problem>> {
        let file = self.file.file_name().unwrap_or_default().to_string_lossy();
        let inside = Inside::new(&self.folder, &self.file);
        let plan = check_text_in(text, &file, &inside)?;
        let spill = plan.engine.spill.iter();
        if spill.clone().all(|spill| self.folder.holds(spill)) {
            return Ok(plan);
        }
        let problem = Problem::at(
            ProblemKind::Plan,
            &bauta_plan::problem::Place::NOWHERE,
            "[engine] spill lies outside the folder that is served",
            "name a folder below it",
        );
        Err(vec![problem])
    }

    fn seen(&self, history: &History) -> Present {
        let text = history.text().to_owned();
        let (draft, unread) = toml::read(&text);
        let draft = unread.is_empty().then_some(draft);
        let (plan, problems) = match self.checked(&text) {
            Ok(plan) => (Some(plan), Vec::new()),
            Err(problems) => (None, problems),
        };
        let here = history.version(history.present());
        let back = history.towards(Way::Back).and(here);
        Present {
            version: history.present(),
            text,
            draft,
            problems,
            plan,
            undo: back.map(|version| version.what.clone()),
            redo: (history.towards(Way::Forth)).map(|version| version.what.clone()),
        }
    }

    fn held(&self) -> MutexGuard<'_, History> {
        // Every change of a history is whole on the disk before it is in memory.
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn held_at(&self, made_for: u64) -> Result<MutexGuard<'_, History>, NotChanged> {
        let mut history = self.held();
        history.look_outside()?;
        if history.present() == made_for {
            Ok(history)
        } else {
            Err(NotChanged::Stale)
        }
    }
}

/// Where runs and versions of a plan lie.
pub(crate) fn history_folder(plan_file: &Path) -> PathBuf {
    let name = plan_file.file_name().unwrap_or_default();
    folder_of(plan_file).join(HISTORIES).join(name)
}

/// Desks that are open, by their names.
#[derive(Debug, Default)]
pub(crate) struct Desks(Mutex<Vec<Arc<Desk>>>);

impl Desks {
    /// The desk of a plan; it stays open until the server ends.
    pub(crate) fn of(
        &self,
        folder: &Folder,
        name: &str,
        file: &Path,
    ) -> Result<Arc<Desk>, NotOpened> {
        let mut desks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(desk) = desks.iter().find(|desk| desk.file == file) {
            return Ok(Arc::clone(desk));
        }
        let desk = Arc::new(Desk::open(folder, name, file)?);
        desks.push(Arc::clone(&desk));
        Ok(desk)
    }
}
