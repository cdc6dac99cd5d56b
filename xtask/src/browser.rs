//! The web app in a browser: its tests, and the pictures of its guide. Both drive Debian's Chromium from node, with
//! packages that are installed into the build folder.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::chores::{build_as_tests_do, cargo};
use crate::workspace::Workspace;

/// The tests and what they need, in the sources.
const TESTS: &str = "crates/bauta-web/tests/browser";
/// Where their packages are installed.
const PACKAGES: &str = "target/browser";
/// The file with a million records, which is tested only when somebody asks for it.
const LARGE: &str = "large.test.mjs";
/// Where the guide's pictures lie.
const PICTURES: &str = "docs/guide/pictures";
/// Names of Chromium and its kin on the path.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// The oldest node that the packages run on.
const OLDEST_NODE: u32 = 20;

/// Which tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Which {
    /// All but the large one.
    Usual,
    /// The large one, of the command in release mode.
    Large,
}

/// Runs the browser tests. Where a program is absent that they need, says so and passes.
pub(crate) fn test(workspace: &Workspace, which: Which) -> Result<(), String> {
    let means = match Means::find(workspace) {
        Ok(means) => means,
        Err(absent) => {
            println!("browser tests: not run, because {absent}");
            return Ok(());
        }
    };
    let bauta = match which {
        Which::Usual => built_for_tests(workspace)?,
        Which::Large => built_for_release(workspace)?,
    };
    let files = test_files(workspace, which)?;
    let mut node = means.node(workspace, &bauta);
    // One file after the other: some of them measure how long an answer takes.
    node.args(["--test", "--test-concurrency=1", "--test-reporter=spec"])
        .args(files);
    succeed(node, "the browser tests")
}

/// Makes the pictures of the guide anew.
pub(crate) fn pictures(workspace: &Workspace) -> Result<(), String> {
    let means =
        Means::find(workspace).map_err(|absent| format!("no pictures, because {absent}"))?;
    let bauta = built_for_tests(workspace)?;
    let mut node = means.node(workspace, &bauta);
    node.arg(workspace.path(TESTS).join("pictures.mjs"))
        .arg(workspace.path(PICTURES));
    succeed(node, "the pictures")
}

fn succeed(mut command: Command, what: &str) -> Result<(), String> {
    let status = command
        .status()
        .map_err(|error| format!("cannot start node: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{what} failed; see above"))
    }
}

/// The command, built as the other tests build it.
fn built_for_tests(workspace: &Workspace) -> Result<PathBuf, String> {
    build_as_tests_do(workspace, &["bauta"])?;
    // It was built beside this program.
    let here = std::env::current_exe().map_err(|error| format!("where am I: {error}"))?;
    Ok(here.with_file_name(format!("bauta{}", std::env::consts::EXE_SUFFIX)))
}

fn built_for_release(workspace: &Workspace) -> Result<PathBuf, String> {
    cargo(workspace, &["build", "--release", "--package", "bauta-cli"])?;
    let here = std::env::current_exe().map_err(|error| format!("where am I: {error}"))?;
    let profiles = here.parent().and_then(Path::parent);
    let profiles = profiles.ok_or("this program lies in no build folder")?;
    Ok(profiles.join(format!("release/bauta{}", std::env::consts::EXE_SUFFIX)))
}

fn test_files(workspace: &Workspace, which: Which) -> Result<Vec<PathBuf>, String> {
    let folder = workspace.path(TESTS);
    let entries = std::fs::read_dir(&folder)
        .map_err(|error| format!("{} cannot be read: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| is_asked_for(file, which))
        .collect();
    files.sort();
    Ok(files)
}

fn is_asked_for(file: &Path, which: Which) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_large = name == LARGE;
    name.ends_with(".test.mjs") && is_large == (which == Which::Large)
}

/// The programs and packages that a browser is driven with.
struct Means {
    node: PathBuf,
    browser: PathBuf,
}

impl Means {
    /// Finds them, and installs the packages; or says in words what is absent.
    fn find(workspace: &Workspace) -> Result<Self, String> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let stated = std::env::var_os("BAUTA_CHROMIUM");
        let browser = browser(&path, stated.as_deref().map(Path::new))?;
        let node = on_path(&path, "node").ok_or("node is not on the path")?;
        let version = node_version(&node)?;
        if version < OLDEST_NODE {
            return Err(format!(
                "node is version {version}, and {OLDEST_NODE} is the oldest that will do"
            ));
        }
        let npm = on_path(&path, "npm").ok_or("npm is not on the path")?;
        install(workspace, &npm)?;
        Ok(Self { node, browser })
    }

    /// node with what the tests want to know.
    fn node(&self, workspace: &Workspace, bauta: &Path) -> Command {
        let mut node = Command::new(&self.node);
        node.current_dir(workspace.root())
            .env("BAUTA_BIN", bauta)
            .env("BAUTA_CHROMIUM", &self.browser)
            .env("BAUTA_BROWSER_PACKAGES", workspace.path(PACKAGES));
        node
    }
}

fn browser(path: &OsString, stated: Option<&Path>) -> Result<PathBuf, String> {
    if let Some(stated) = stated {
        let is_there = stated.is_file();
        let absent = || format!("BAUTA_CHROMIUM names no file: {}", stated.display());
        return is_there.then(|| stated.to_owned()).ok_or_else(absent);
    }
    let found = BROWSERS.iter().find_map(|name| on_path(path, name));
    found.ok_or_else(|| {
        format!(
            "none of {} is on the path, and BAUTA_CHROMIUM names none",
            BROWSERS.join(", ")
        )
    })
}

fn on_path(path: &OsString, program: &str) -> Option<PathBuf> {
    let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(path)
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
}

fn node_version(node: &Path) -> Result<u32, String> {
    let said = Command::new(node)
        .arg("--version")
        .output()
        .map_err(|error| format!("node does not start: {error}"))?;
    major(&String::from_utf8_lossy(&said.stdout))
        .ok_or_else(|| "node does not say its version".to_owned())
}

/// 20 of `v20.11.1`.
fn major(version: &str) -> Option<u32> {
    version
        .trim()
        .strip_prefix('v')?
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// Installs the packages that the lock file names, unless they are there.
fn install(workspace: &Workspace, npm: &Path) -> Result<(), String> {
    let (from, to) = (workspace.path(TESTS), workspace.path(PACKAGES));
    let lock = "package-lock.json";
    let wanted = std::fs::read(from.join(lock))
        .map_err(|error| format!("{lock} cannot be read: {error}"))?;
    let is_there = std::fs::read(to.join(lock)).is_ok_and(|there| there == wanted);
    // npm writes this file when all else is in place.
    if is_there && to.join("node_modules/.package-lock.json").is_file() {
        return Ok(());
    }
    let copied = std::fs::create_dir_all(&to).and_then(|()| {
        for file in ["package.json", lock] {
            std::fs::copy(from.join(file), to.join(file))?;
        }
        Ok(())
    });
    copied.map_err(|error| format!("{} cannot be written: {error}", to.display()))?;
    let done = Command::new(npm)
        .args([
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ])
        .current_dir(&to)
        .status()
        .map_err(|error| format!("npm does not start: {error}"))?;
    if done.success() {
        Ok(())
    } else {
        Err("npm could not install the packages of the tests".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_large_test_is_run_alone_and_only_when_asked_for() {
        let asked = |name: &str, which| is_asked_for(Path::new(name), which);
        assert!(asked("a/way.test.mjs", Which::Usual) && !asked("a/way.test.mjs", Which::Large));
        assert!(
            asked("a/large.test.mjs", Which::Large) && !asked("a/large.test.mjs", Which::Usual)
        );
        assert!(!asked("a/app.mjs", Which::Usual) && !asked("a/package.json", Which::Usual));
    }

    #[test]
    fn a_browser_is_taken_from_the_path_in_order_and_a_stated_one_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = OsString::from(folder.path());
        let absent = browser(&path, None).unwrap_err();
        assert!(absent.contains("chromium-browser"), "{absent}");
        let place = |name: &str| {
            folder
                .path()
                .join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
        };
        std::fs::write(place("google-chrome"), "").unwrap();
        assert_eq!(browser(&path, None), Ok(place("google-chrome")));
        std::fs::write(place("chromium"), "").unwrap();
        assert_eq!(browser(&path, None), Ok(place("chromium")));
        let stated = folder.path().join("mine");
        assert!(
            browser(&path, Some(&stated))
                .unwrap_err()
                .contains("BAUTA_CHROMIUM")
        );
        std::fs::write(&stated, "").unwrap();
        assert_eq!(browser(&path, Some(&stated)), Ok(stated));
    }

    #[test]
    fn node_says_its_version() {
        assert_eq!(major("v20.11.1\n"), Some(20));
        assert_eq!(major("nonsense"), None);
    }
}
