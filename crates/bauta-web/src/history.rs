//! Every version of a plan, so that nothing is lost by going back.
//!
//! A version is a text and the version that it was made of; the plan file holds one of them. Going back and forth moves
//! along these, and a change after going back begins a branch: what was there before stays in the list. The journal is
//! only ever added to, a line at a time, and a line that a crash cut off is as if it had not been written.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use bauta_plan::now_utc;
use serde::{Deserialize, Serialize};

use crate::lock::{make_folder, own_file, read_own};

const JOURNAL: &str = "journal.jsonl";
const VERSIONS: &str = "versions";

/// What the first version is called.
const OPENED: &str = "opened";
/// What a version is called that somebody else wrote into the plan file.
const OUTSIDE: &str = "changed outside the app";

/// One version of a plan.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Version {
    /// Its number, from 1.
    pub(crate) n: u64,
    /// The version that it was made of; none for the first.
    pub(crate) parent: Option<u64>,
    /// What was done.
    pub(crate) what: String,
    /// When.
    pub(crate) at: String,
}

/// A line of the journal.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// A new version, which is then the present one.
    Made(Version),
    /// An older or newer version became the present one.
    Moved(u64),
}

/// All versions of a plan.
#[derive(Debug)]
pub(crate) struct History {
    plan_file: PathBuf,
    folder: PathBuf,
    journal: File,
    versions: Vec<Version>,
    present: u64,
    text: String,
}

/// Which way to go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// To the version that this one was made of.
    Back,
    /// To the newest version that was made of this one.
    Forth,
}

impl History {
    /// The history of a plan in a folder; what the plan file says is its present version.
    pub(crate) fn open(plan_file: &Path, folder: &Path) -> io::Result<Self> {
        make_folder(folder)?;
        make_folder(&folder.join(VERSIONS))?;
        let mut journal = own_file().open(folder.join(JOURNAL))?;
        let mut lines = String::new();
        journal.read_to_string(&mut lines)?;
        // What a crash cut off has no end of line.
        let whole = lines.rfind('\n').map_or(0, |end| end + 1);
        journal.set_len(whole as u64)?;
        journal.seek(io::SeekFrom::End(0))?;
        let mut history = Self {
            plan_file: plan_file.to_owned(),
            folder: folder.to_owned(),
            journal,
            versions: Vec::new(),
            present: 0,
            text: String::new(),
        };
        for line in lines[..whole].lines() {
            history.take_up(line);
        }
        if history.present > 0 {
            // A version whose text is gone is taken up again from the plan file.
            history.text = history.text_of(history.present).unwrap_or_default();
        }
        history.look_outside()?;
        Ok(history)
    }

    /// A line that a full disk cut off says nothing; those after it do.
    fn take_up(&mut self, line: &str) {
        match serde_json::from_str(line) {
            Ok(Line::Made(version)) => {
                self.present = version.n;
                self.versions.push(version);
            }
            Ok(Line::Moved(to)) if self.version(to).is_some() => self.present = to,
            Ok(Line::Moved(_)) | Err(_) => {}
        }
    }

    /// Takes up what somebody else wrote into the plan file.
    pub(crate) fn look_outside(&mut self) -> io::Result<()> {
        let text = std::fs::read_to_string(&self.plan_file)?;
        if self.present == 0 {
            self.put_down(text, OPENED)
        } else if text != self.text {
            self.put_down(text, OUTSIDE)
        } else {
            Ok(())
        }
    }

    /// The number of the present version.
    pub(crate) const fn present(&self) -> u64 {
        self.present
    }

    /// The text of the present version.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// All versions, oldest first.
    pub(crate) fn versions(&self) -> &[Version] {
        &self.versions
    }

    /// The text of any version.
    pub(crate) fn text_of(&self, n: u64) -> io::Result<String> {
        read_own(&self.version_file(n))
    }

    /// A new version, made of the present one. A text that says the same is none.
    pub(crate) fn change(&mut self, text: String, what: &str) -> io::Result<()> {
        if text == self.text {
            return Ok(());
        }
        // The plan file first: after a crash in between it is taken up as a change from outside, and nothing is lost.
        self.write_plan(&text)?;
        self.put_down(text, what)
    }

    /// The version that lies in a direction, if there is one.
    pub(crate) fn towards(&self, way: Way) -> Option<&Version> {
        match way {
            Way::Back => {
                let parent = self.version(self.present)?.parent?;
                self.version(parent)
            }
            Way::Forth => {
                let mut newest_first = self.versions.iter().rev();
                newest_first.find(|version| version.parent == Some(self.present))
            }
        }
    }

    /// Goes to another version. Returns whether there is one.
    pub(crate) fn go(&mut self, way: Way) -> io::Result<bool> {
        match self.towards(way).map(|version| version.n) {
            Some(n) => self.go_to(n),
            None => Ok(false),
        }
    }

    /// Makes a version the present one. Returns whether there is such a version.
    pub(crate) fn go_to(&mut self, n: u64) -> io::Result<bool> {
        if self.version(n).is_none() {
            return Ok(false);
        }
        let text = self.text_of(n)?;
        self.write_plan(&text)?;
        self.write_line(&Line::Moved(n))?;
        self.present = n;
        self.text = text;
        Ok(true)
    }

    /// What was done to make a version.
    pub(crate) fn version(&self, n: u64) -> Option<&Version> {
        self.versions.iter().find(|version| version.n == n)
    }

    fn put_down(&mut self, text: String, what: &str) -> io::Result<()> {
        let n = self.versions.last().map_or(1, |version| version.n + 1);
        let version = Version {
            n,
            parent: (self.present > 0).then_some(self.present),
            what: what.to_owned(),
            at: now_utc(),
        };
        let mut file = own_file().open(self.version_file(n))?;
        file.set_len(0)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        self.write_line(&Line::Made(version.clone()))?;
        self.versions.push(version);
        self.present = n;
        self.text = text;
        Ok(())
    }

    fn write_line(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line).map_err(io::Error::from)?;
        text.push('\n');
        let before = self.journal.metadata()?.len();
        let written = self.journal.write_all(text.as_bytes());
        if written.is_err() {
            // Half a line must not spoil the next one.
            self.journal.set_len(before)?;
            self.journal.seek(io::SeekFrom::End(0))?;
        }
        written?;
        self.journal.sync_data()
    }

    fn version_file(&self, n: u64) -> PathBuf {
        self.folder.join(VERSIONS).join(format!("{n:06}.toml"))
    }

    /// The whole plan file at once, with the rights that it had.
    fn write_plan(&self, text: &str) -> io::Result<()> {
        let beside = bauta_plan::output::folder_of(&self.plan_file);
        let mut fresh = tempfile::Builder::new()
            .prefix(".bauta-web-")
            .tempfile_in(beside)?;
        fresh.write_all(text.as_bytes())?;
        if let Ok(facts) = self.plan_file.metadata() {
            fresh.as_file().set_permissions(facts.permissions())?;
        }
        fresh.as_file().sync_all()?;
        fresh.persist(&self.plan_file)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opened(folder: &Path) -> History {
        let plan = folder.join("plan.toml");
        if !plan.exists() {
            std::fs::write(&plan, "one").unwrap();
        }
        make_folder(&folder.join(".bauta-web")).unwrap();
        History::open(&plan, &folder.join(".bauta-web/plan.toml")).unwrap()
    }

    fn in_file(folder: &Path) -> String {
        std::fs::read_to_string(folder.join("plan.toml")).unwrap()
    }

    #[test]
    fn twenty_changes_go_back_and_forth() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = opened(folder.path());
        for n in 0..20 {
            history.change(format!("text {n}"), "a change").unwrap();
        }
        for n in (0..19).rev() {
            assert!(history.go(Way::Back).unwrap());
            assert_eq!(in_file(folder.path()), format!("text {n}"));
        }
        assert!(history.go(Way::Back).unwrap());
        assert_eq!(in_file(folder.path()), "one");
        assert!(!history.go(Way::Back).unwrap());
        for n in 0..20 {
            assert!(history.go(Way::Forth).unwrap());
            assert_eq!(history.text(), format!("text {n}"));
        }
        assert!(!history.go(Way::Forth).unwrap());
    }

    #[test]
    fn a_change_after_going_back_leaves_the_other_branch_in_the_list() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = opened(folder.path());
        history.change("two".to_owned(), "b").unwrap();
        history.go(Way::Back).unwrap();
        history.change("three".to_owned(), "c").unwrap();
        assert_eq!(history.towards(Way::Forth), None);
        assert_eq!(history.text_of(2).unwrap(), "two");
        assert!(history.go_to(2).unwrap());
        assert_eq!(in_file(folder.path()), "two");
        assert!(!history.go_to(9).unwrap());
    }

    #[test]
    fn it_is_there_after_a_crash_in_the_middle_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = opened(folder.path());
        history.change("two".to_owned(), "b").unwrap();
        history.change("three".to_owned(), "c").unwrap();
        history.go(Way::Back).unwrap();
        drop(history);
        let journal = folder.path().join(".bauta-web/plan.toml").join(JOURNAL);
        let mut lines = std::fs::read_to_string(&journal).unwrap();
        lines.push_str("{\"made\":{\"n\":4,\"par");
        std::fs::write(&journal, lines).unwrap();
        let mut again = opened(folder.path());
        assert_eq!((again.present(), again.text()), (2, "two"));
        assert!(again.go(Way::Forth).unwrap());
        assert_eq!(again.text(), "three");
        again.change("four".to_owned(), "d").unwrap();
        drop(again);
        assert_eq!(opened(folder.path()).text(), "four");
    }

    #[test]
    fn what_others_write_is_a_version_too() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = opened(folder.path());
        std::fs::write(folder.path().join("plan.toml"), "by hand").unwrap();
        history.look_outside().unwrap();
        assert_eq!(history.text(), "by hand");
        assert_eq!(history.version(2).unwrap().what, OUTSIDE);
        assert!(history.go(Way::Back).unwrap());
        assert_eq!(in_file(folder.path()), "one");
    }

    #[test]
    fn the_same_text_is_no_new_version() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = opened(folder.path());
        history.change("one".to_owned(), "nothing").unwrap();
        assert_eq!(history.versions().len(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn the_plan_file_keeps_its_rights() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let mut history = opened(folder.path());
        let plan = folder.path().join("plan.toml");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        std::fs::set_permissions(&plan, std::fs::Permissions::from_mode(0o640)).unwrap();
        history.change("two".to_owned(), "b").unwrap();
        assert_eq!(mode(&plan), 0o640);
    }
}
