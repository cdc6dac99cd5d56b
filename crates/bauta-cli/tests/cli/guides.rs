//! Every command of the README and of the guides runs, in order, on the file that its page names.
//!
//! A page says in comments, which no reader sees, what its blocks are: `<!-- writes: FILE -->` and
//! `<!-- appends: FILE -->` before a file or a part of one, `<!-- prints -->` before commands whose output the block
//! goes on to show, `<!-- data: FILE -->` for a file of the field's own data.

use std::path::{Path, PathBuf};

use crate::support::{run_expecting, shared, stdout};

/// What a block of a page is, by the comment before it.
#[derive(Clone, PartialEq, Debug)]
enum Use {
    /// Commands, if it begins with one; otherwise it is shown for its reader.
    Shown,
    /// Commands, and what the last of them prints.
    Prints,
    /// A file.
    Writes(String),
    /// A part of a file.
    Appends(String),
}

/// Walks through a page.
struct Walk {
    root: tempfile::TempDir,
    folder: PathBuf,
    /// The folder of the field's own data.
    data: Option<String>,
    n_run: usize,
}

impl Walk {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        Self {
            folder: root.path().to_owned(),
            root,
            data: None,
            n_run: 0,
        }
    }

    fn block(&mut self, usage: &Use, lines: &[String]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        match usage {
            Use::Writes(file) => {
                let path = self.folder.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            Use::Appends(file) => {
                let path = self.folder.join(file);
                let before = std::fs::read_to_string(&path).unwrap();
                std::fs::write(path, format!("{before}\n{text}")).unwrap();
            }
            Use::Shown | Use::Prints => {
                let first = lines.iter().find(|line| !line.is_empty());
                if first.is_some_and(|line| is_command(line)) {
                    self.commands(&joined(lines), *usage == Use::Prints);
                }
            }
        }
    }

    fn commands(&mut self, lines: &[String], prints: bool) {
        let mut printed = String::new();
        let mut expected: Vec<&str> = Vec::new();
        for line in lines {
            if let Some(folder) = line.strip_prefix("cd ") {
                self.folder = self.folder.join(folder.trim());
            } else if line.starts_with("bauta ") {
                printed = self.command(line);
            } else if !line.is_empty() {
                expected.push(line);
            }
        }
        if !prints {
            return;
        }
        // The lines in their order; a line of three dots stands for any number of others.
        let mut rest = printed.as_str();
        for line in expected.into_iter().filter(|line| *line != "…") {
            let found = rest.find(line);
            let at = found.unwrap_or_else(|| panic!("not printed: {line}\nin\n{printed}"));
            rest = &rest[at + line.len()..];
        }
    }

    fn command(&mut self, line: &str) -> String {
        let (command, remark) = line.split_once(" #").unwrap_or((line, ""));
        let code = match remark.split_once("exit code ") {
            Some((_, code)) => code[..1].parse().expect("an exit code"),
            None => 0,
        };
        let mut words = words(command);
        for word in words.iter_mut().filter(|word| *word == "FOLDER") {
            // Where the field's own data are.
            *word = self.data.clone().unwrap_or_default();
        }
        let arguments: Vec<&str> = words[1..].iter().map(String::as_str).collect();
        let output = run_expecting(&self.folder, &arguments, code);
        self.n_run += 1;
        stdout(&output)
    }
}

fn is_command(line: &str) -> bool {
    line.starts_with("bauta ") || line.starts_with("cd ")
}

/// Lines that end with a backslash go on in the next.
fn joined(lines: &[String]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut open = false;
    for line in lines {
        let (text, goes_on) = match line.strip_suffix('\\') {
            Some(text) => (text.trim_end(), true),
            None => (line.as_str(), false),
        };
        match out.last_mut().filter(|_| open) {
            Some(last) => {
                last.push(' ');
                last.push_str(text.trim_start());
            }
            None => out.push(text.to_owned()),
        }
        open = goes_on;
    }
    out
}

/// The words of a command as a shell takes them apart.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for sign in command.trim().chars() {
        match (quote, sign) {
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), _) if open == sign => quote = None,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().unwrap().push(sign),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a comment says of the next block.
fn usage_of(comment: &str) -> Option<Use> {
    let text = comment.trim().strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    match text.split_once(": ") {
        Some(("writes", file)) => Some(Use::Writes(file.to_owned())),
        Some(("appends", file)) => Some(Use::Appends(file.to_owned())),
        None if text == "prints" => Some(Use::Prints),
        _ => None,
    }
}

/// The file of the field's own data that a page needs.
fn data_of(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("<!-- data: ")?;
    Some(rest.split_once(" -->")?.0)
}

/// Runs a page; nothing where its data are absent.
fn run_page(path: &Path) -> Option<usize> {
    let page = std::fs::read_to_string(path).unwrap();
    let mut walk = Walk::new();
    if let Some(name) = data_of(&page) {
        let Some(data) = shared(&format!("data/{name}")) else {
            eprintln!("not run: {}", path.display());
            return None;
        };
        walk.data = data.parent().and_then(Path::to_str).map(str::to_owned);
        std::fs::copy(data, walk.root.path().join(name)).unwrap();
    }
    let mut usage = Use::Shown;
    let mut block: Option<(usize, Vec<String>)> = None;
    for line in page.lines() {
        let indent = line.len() - line.trim_start().len();
        match (&mut block, line.trim_start().starts_with("```")) {
            (None, true) => block = Some((indent, Vec::new())),
            (Some((_, lines)), true) => {
                walk.block(&usage, lines);
                (block, usage) = (None, Use::Shown);
            }
            (Some((indent, lines)), false) => {
                lines.push(line.get(*indent..).unwrap_or("").to_owned());
            }
            (None, false) => usage = usage_of(line).unwrap_or(usage),
        }
    }
    assert!(block.is_none(), "{}: a block does not end", path.display());
    Some(walk.n_run)
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

macro_rules! pages {
    ($($name:ident: $path:literal)*) => {
        const PAGES: &[&str] = &[$($path),*];
        $(
            #[test]
            fn $name() {
                if let Some(n_run) = run_page(&repository().join($path)) {
                    assert!(n_run > 0, "{} has no command", $path);
                }
            }
        )*
    };
}

pages! {
    readme: "README.md"
    first_release: "docs/guide/first-release.md"
    keys: "docs/guide/keys.md"
    continuous: "docs/guide/continuous.md"
    calibration: "docs/guide/calibration.md"
    linking: "docs/guide/linking.md"
    sweep: "docs/guide/sweep.md"
    tune: "docs/guide/tune.md"
    evidence: "docs/guide/evidence.md"
    coming_from: "docs/guide/coming-from.md"
    large_files: "docs/guide/large-files.md"
}

#[test]
fn every_guide_is_run() {
    let folder = repository().join("docs/guide");
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        // Pictures are made by a chore, and a server does not end: the browser tests go the way of its page.
        if entry.file_type().unwrap().is_dir() || name == "web.md" {
            continue;
        }
        let path = format!("docs/guide/{name}");
        assert!(PAGES.contains(&path.as_str()), "{path} is not run");
    }
}

/// Commands in the middle of a sentence are not run, but they and their options exist.
#[test]
fn commands_in_sentences_exist() {
    let here = tempfile::tempdir().unwrap();
    for page in PAGES {
        let text = std::fs::read_to_string(repository().join(page)).unwrap();
        for span in text.split('`').skip(1).step_by(2) {
            let Some(command) = span.strip_prefix("bauta ").filter(|_| !span.contains('\n')) else {
                continue;
            };
            let words = words(command);
            let name = words[0].as_str();
            let help = match name {
                "help" | "METHOD" => continue,
                "mask" if words.len() > 1 && words[1] != "METHOD" => {
                    run_expecting(here.path(), &["mask", &words[1], "--help"], 0)
                }
                _ => run_expecting(here.path(), &[name, "--help"], 0),
            };
            let help = stdout(&help);
            for option in words.iter().filter(|word| word.starts_with("--")) {
                assert!(
                    help.contains(option.as_str()),
                    "{page}: bauta {command}: {option}"
                );
            }
        }
    }
}

/// The README is read in three minutes.
#[test]
fn the_readme_is_short() {
    let text = std::fs::read_to_string(repository().join("README.md")).unwrap();
    let n_words = text.split_whitespace().count();
    assert!(n_words < 1_050, "{n_words} words");
}
