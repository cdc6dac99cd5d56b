//! The command itself: its exit code is its verdict, whatever becomes of what it prints.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use bauta_plan::check_text;
use bauta_plan::execute::RunOptions;
use bauta_plan::run;
use bauta_report::HtmlRenderer;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Target;
use super::plans::{canaries, told};
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::finding::{Finding, Oracle, Outcome, Verdict};
use crate::fuzz::make::command_line::{self, UNKNOWN_OPTION};
use crate::fuzz::make::damage::damaged;
use crate::fuzz::make::plan::{self, About, DATA, PLAN};
use crate::fuzz::make::table::{MadeTable, Numbers};
use crate::fuzz::oracle::canaries::Canaries;
use crate::fuzz::world::{Patience, World};

/// Commands, one after the other in one folder.
pub(crate) struct Processes;

const COMMANDS: &str = "commands.json";

/// A command and what becomes of what it prints.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Asked {
    arguments: Vec<String>,
    out: Place,
    talk: Place,
}

/// Where a command prints to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Place {
    /// Someone reads it.
    Read,
    /// Nobody reads it.
    Closed,
    /// There is no room.
    Full,
}

/// After this long a command hangs.
const PATIENCE: Duration = Duration::from_mins(1);

impl Target for Processes {
    fn name(&self) -> &'static str {
        "processes"
    }

    fn share(&self) -> u32 {
        2
    }

    fn make(&self, draws: &mut Draws, world: &World) -> Case {
        let numbers = draws.pick(&[Numbers::Usual, Numbers::Usual, Numbers::Extreme]);
        let n_records = draws.pick(&[1, 5, 12, 30]);
        let table = MadeTable::usual(draws, n_records, numbers);
        let mut case = plan::case(draws, world, &table, About::Anything);
        if draws.one_in(8) {
            let name = draws.pick(&[DATA, PLAN]);
            let content = damaged(draws, case.get(name).unwrap_or_default(), b"a,b\n1,2\n");
            case.set(name, content);
        }
        let asked: Vec<Asked> = command_line::commands(draws, &table)
            .into_iter()
            .map(|arguments| Asked {
                arguments,
                out: place(draws),
                talk: place(draws),
            })
            .collect();
        let asked = serde_json::to_string_pretty(&asked).expect("commands are JSON");
        case.with(COMMANDS, asked + "\n")
    }

    fn run(&self, case: &Case, world: &World) -> Outcome {
        let Some(bauta) = &world.bauta else {
            return Err(Finding::new(
                Oracle::Law,
                "there is no `bauta` beside this program; build it first",
            ));
        };
        let asked: Vec<Asked> = serde_json::from_str(case.text(COMMANDS)).unwrap_or_default();
        let folder = world.empty_folder();
        case.unpack(folder.path()).expect("room in memory");
        let canaries = canaries(case);
        let mut worst = 0;
        for asked in &asked {
            // In a copy of the folder first, with someone who reads.
            let copy = world.empty_folder();
            copy_files(folder.path(), copy.path());
            let expected = verdict_of_plan(case, asked, folder.path(), world);
            let read = output(bauta, copy.path(), asked, Place::Read, Place::Read)?;
            let code = code(&read, asked)?;
            if let Some((expected, said)) = expected
                && expected != code
            {
                return Err(exit(
                    asked,
                    format!("ended with {code}, where the run says {expected}: {said}"),
                ));
            }
            looks_right(&canaries, asked, &read, code)?;
            let lost = output(bauta, folder.path(), asked, asked.out, asked.talk)?;
            follows_verdict(asked, &read, &lost, code)?;
            worst = worst.max(code);
        }
        Ok(if worst < 2 {
            Verdict::Accepted
        } else {
            Verdict::Refused
        })
    }
}

fn place(draws: &mut Draws) -> Place {
    draws.pick(&[Place::Read, Place::Read, Place::Closed, Place::Full])
}

fn exit(asked: &Asked, what: impl AsRef<str>) -> Finding {
    let message = format!("`bauta {}` {}", asked.arguments.join(" "), what.as_ref());
    Finding::new(Oracle::ExitCode, message)
}

/// The files of a folder, not those of folders in it.
fn copy_files(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from)
        .expect("the folder is ours")
        .flatten()
    {
        if entry.path().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).expect("room in memory");
        }
    }
}

/// What the library says of `run PLAN`: 0 released, 1 refused, 2 an error and which; none for other commands.
fn verdict_of_plan(
    case: &Case,
    asked: &Asked,
    folder: &Path,
    world: &World,
) -> Option<(i32, String)> {
    let [command, file, options @ ..] = &asked.arguments[..] else {
        return None;
    };
    // The library knows no option that does not exist.
    if command != "run" || file != PLAN || options.iter().any(|option| option == UNKNOWN_OPTION) {
        return None;
    }
    let copy = world.empty_folder();
    copy_files(folder, copy.path());
    let Ok(text) = std::str::from_utf8(case.get(PLAN)?) else {
        return Some((2, "the plan is no text".to_owned()));
    };
    let Ok(plan) = check_text(text, PLAN, copy.path()) else {
        return Some((2, "the plan has problems".to_owned()));
    };
    // What the clock ends may end elsewhere, and who has patience has no clock.
    if text.contains("seconds") {
        return None;
    }
    let record = run::run(&plan, RunOptions::default(), &Patience, &HtmlRenderer);
    Some(match record {
        Ok(record) => (i32::from(!record.passed()), "no error".to_owned()),
        Err(error) => (2, error.to_string()),
    })
}

fn output(
    bauta: &Path,
    folder: &Path,
    asked: &Asked,
    out: Place,
    talk: Place,
) -> Result<Output, Finding> {
    let stdio = |place: Place| match place {
        Place::Full => File::options()
            .write(true)
            .open("/dev/full")
            .map_or_else(|_| Stdio::null(), Stdio::from),
        Place::Read => Stdio::piped(),
        // The reader is gone before there is a writer.
        Place::Closed => {
            std::io::pipe().map_or_else(|_| Stdio::null(), |(_, writer)| Stdio::from(writer))
        }
    };
    let child = Command::new(bauta)
        .args(&asked.arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(stdio(out))
        .stderr(stdio(talk))
        .spawn()
        .map_err(|error| exit(asked, format!("cannot be started: {error}")))?;
    let start = Instant::now();
    std::thread::scope(|scope| {
        let id = child.id();
        let waits = scope.spawn(|| child.wait_with_output());
        while !waits.is_finished() {
            if start.elapsed() > PATIENCE {
                end_process(id);
                return Err(Finding::new(
                    Oracle::Time,
                    format!("`bauta {}` hangs", asked.arguments.join(" ")),
                ));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let ended = waits.join().expect("waiting does not panic");
        ended.map_err(|error| exit(asked, format!("cannot be waited for: {error}")))
    })
}

#[cfg(unix)]
fn end_process(id: u32) {
    use rustix::process::{Pid, Signal, kill_process};
    if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        // Whoever ended in the meantime needs no ending.
        let _ = kill_process(pid, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn end_process(_id: u32) {}

fn code(output: &Output, asked: &Asked) -> Result<i32, Finding> {
    match output.status.code() {
        Some(code @ 0..=2) => Ok(code),
        _ => {
            let talk = String::from_utf8_lossy(&output.stderr);
            Err(exit(asked, format!("ended with {}: {talk}", output.status)))
        }
    }
}

fn looks_right(
    canaries: &Canaries,
    asked: &Asked,
    read: &Output,
    code: i32,
) -> Result<(), Finding> {
    let (out, talk) = (
        String::from_utf8_lossy(&read.stdout),
        String::from_utf8_lossy(&read.stderr),
    );
    // What the user typed may be said back.
    let typed = canaries.without(asked.arguments.iter().map(String::as_str));
    told(&typed, "what was printed to standard error", &talk)?;
    // Records and confidential reports hold keys of the riskiest records.
    let confidential = asked
        .arguments
        .first()
        .is_some_and(|command| command == "report");
    if !confidential {
        told(&typed, "what was printed", &out)?;
    }
    let as_json = asked.arguments.iter().any(|argument| argument == "--json");
    if as_json && serde_json::from_str::<Value>(&out).is_err() {
        return Err(exit(
            asked,
            format!("ended with {code} and printed no JSON: {out}"),
        ));
    }
    if code == 2 && !as_json && talk.trim().is_empty() {
        return Err(exit(asked, "failed without a word"));
    }
    Ok(())
}

/// A refusal and an error stay what they are; what would be fine is not if something was lost.
fn follows_verdict(
    asked: &Asked,
    read: &Output,
    lost: &Output,
    verdict: i32,
) -> Result<(), Finding> {
    let is_lost = |place: Place, said: &[u8]| place != Place::Read && !said.is_empty();
    let something_lost = is_lost(asked.out, &read.stdout) || is_lost(asked.talk, &read.stderr);
    let expected = if verdict == 0 && something_lost {
        2
    } else {
        verdict
    };
    let found = code(lost, asked)?;
    if found == expected {
        return Ok(());
    }
    let (out, talk) = (asked.out, asked.talk);
    Err(exit(
        asked,
        format!("ended with {found} and not {expected} (out {out:?}, talk {talk:?})"),
    ))
}
