//! Kills of commands that publish, at random moments: the next command must find what was there before
//! or what was to be there, whole. Tests of the command line end it at every step of publishing; here
//! the system ends it, wherever it is.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::chores::build_as_tests_do;
use crate::workspace::Workspace;

/// How long to go on, and from which random numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    duration: Duration,
    seed: u64,
}

impl Options {
    /// As part of the tests.
    pub(crate) const SHORT: Self = Self {
        duration: Duration::from_secs(45),
        seed: 1,
    };

    /// What `--minutes N` and `--seed S` say.
    pub(crate) fn read(words: &[&str]) -> Result<Self, String> {
        let mut options = Self {
            duration: Duration::from_mins(5),
            ..Self::SHORT
        };
        for pair in words.chunks(2) {
            match pair {
                ["--minutes", minutes] => {
                    let minutes: f64 = parsed(minutes)?;
                    let seconds = Duration::try_from_secs_f64(60.0 * minutes);
                    options.duration = seconds.map_err(|error| format!("--minutes: {error}"))?;
                }
                ["--seed", seed] => options.seed = parsed(seed)?,
                other => return Err(format!("kill knows no option `{}`", other.join(" "))),
            }
        }
        Ok(options)
    }
}

fn parsed<T: std::str::FromStr>(word: &str) -> Result<T, String> {
    word.parse().map_err(|_| format!("`{word}` is no number"))
}

/// Builds the command as the tests do, and kills it.
pub(crate) fn run(workspace: &Workspace, options: Options) -> Result<(), String> {
    build_as_tests_do(workspace, &["bauta"])?;
    // It was built beside this program.
    let here = std::env::current_exe().map_err(|error| format!("where am I: {error}"))?;
    let bauta = here.with_file_name(format!("bauta{}", std::env::consts::EXE_SUFFIX));
    let folder = std::env::temp_dir().join(format!("bauta-kill-{}", std::process::id()));
    let done = Kills::new(bauta, &folder, options.seed).and_then(|kills| kills.go_on(options));
    // What is left behind by a failure is for whoever looks into it.
    if done.is_ok() {
        let _ = std::fs::remove_dir_all(&folder);
    }
    done.map_err(|message| format!("{message}\nthe files are in {}", folder.display()))
}

const PLAN: &str = "[data]\nfile = \"x.csv\"\n[variables]\n\
    a = { role = \"sensitive\", kind = \"continuous\" }\nb = { role = \"key\" }\nw = { role = \"weight\" }\n\
    [[step]]\nmask = \"rank-swap\"\non = [\"a\"]\nwindow = 0.1\n\
    [[measure]]\nuse = [\"k-anonymity\"]\n[[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n\
    [output]\nfile = \"out/released.csv\"\nrecord = \"run.json\"\nreport = \"report.html\"\n\
    external_report = \"out/public.html\"\nshuffle = true\n";

/// A command that publishes, in two versions, 1 and 2, and what tells them apart.
struct Case {
    name: &'static str,
    arguments: fn(&str) -> Vec<String>,
    /// The record that is verified afterwards; none where files are compared byte by byte.
    record: Option<&'static str>,
    files: &'static [&'static str],
}

const CASES: [Case; 4] = [
    Case {
        name: "run",
        arguments: |seed| words(&format!("run plan.toml --seed {seed}")),
        record: Some("run.json"),
        files: &[],
    },
    Case {
        name: "mask",
        arguments: |seed| {
            words(&format!(
                "mask rank-swap x.csv --on a --window 0.1 --seed {seed} -o out/masked.csv --record mask.json"
            ))
        },
        record: Some("mask.json"),
        files: &[],
    },
    Case {
        name: "calibrate",
        arguments: |seed| {
            words(&format!(
                "calibrate x.csv --weight w --margins b --new-weight w{seed} -o out/weights.csv --record weights.json --report weights.html"
            ))
        },
        record: Some("weights.json"),
        files: &[],
    },
    Case {
        name: "report",
        arguments: |seed| {
            words(&format!(
                "report of-{seed}.json -o page.html --tables tables"
            ))
        },
        record: None,
        files: &["page.html", "tables/measures.csv", "tables/series.csv"],
    },
];

fn words(command: &str) -> Vec<String> {
    command.split(' ').map(str::to_owned).collect()
}

/// Which of two versions is there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Version {
    Before,
    After,
}

struct Kills {
    bauta: PathBuf,
    folder: PathBuf,
    random: u64,
}

impl Kills {
    fn new(bauta: PathBuf, folder: &Path, seed: u64) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(folder.join("out")).map_err(failed)?;
        let rows = (0..20_000_u64).map(|i| {
            let (a, b) = (i * 7919 % 20_011, i % 50);
            format!("{a},k{b},{}\n", 1 + i % 3)
        });
        let rows: String = rows.collect();
        let write = |name: &str, text: String| std::fs::write(folder.join(name), text);
        write("x.csv", format!("a,b,w\n{rows}")).map_err(failed)?;
        write("plan.toml", PLAN.to_owned()).map_err(failed)?;
        let kills = Self {
            bauta,
            folder: folder.to_owned(),
            random: seed.max(1),
        };
        for seed in ["1", "2"] {
            kills.finish(&(CASES[0].arguments)(seed), 0)?;
            std::fs::copy(
                folder.join("run.json"),
                folder.join(format!("of-{seed}.json")),
            )
            .map_err(failed)?;
        }
        Ok(kills)
    }

    /// Kills until the time is over, and says how often.
    fn go_on(mut self, options: Options) -> Result<(), String> {
        let until = Instant::now() + options.duration;
        let mut found: BTreeMap<(&str, Version), u32> = BTreeMap::new();
        let mut n_finished = 0;
        while Instant::now() < until {
            for case in &CASES {
                match self.kill(case)? {
                    Some(version) => *found.entry((case.name, version)).or_default() += 1,
                    None => n_finished += 1,
                }
            }
        }
        let mut table = String::from("command    killed, as before    killed, as after\n");
        for case in &CASES {
            let n = |version| found.get(&(case.name, version)).copied().unwrap_or(0);
            let (before, after) = (n(Version::Before), n(Version::After));
            let _ = writeln!(table, "{:10} {before:>17} {after:>19}", case.name);
        }
        let n_killed: u32 = found.values().sum();
        println!(
            "{table}{n_killed} kills, {n_finished} came too late; nothing in between was found"
        );
        if n_killed == 0 {
            return Err("no kill came in time".to_owned());
        }
        Ok(())
    }

    /// Kills a command at a random moment; which version the next command finds, or none if the kill
    /// came too late.
    fn kill(&mut self, case: &Case) -> Result<Option<Version>, String> {
        self.finish(&(case.arguments)("1"), 0)?;
        let old = self.content(case);
        let start = Instant::now();
        self.finish(&(case.arguments)("2"), 0)?;
        let whole = start.elapsed();
        let new = self.content(case);
        self.finish(&(case.arguments)("1"), 0)?;
        // Publishing is at the end: most kills come there.
        let moment = whole.mul_f64(0.3 + 0.75 * self.share());
        let mut child = self.command(&(case.arguments)("2"));
        let mut child = child
            .spawn()
            .map_err(|error| format!("cannot start: {error}"))?;
        std::thread::sleep(moment);
        let was_running = matches!(child.try_wait(), Ok(None));
        let _ = child.kill();
        let _ = child.wait();
        let found = match case.record {
            Some(record) => {
                self.finish(&words(&format!("verify {record}")), 0)?;
                self.version_of(record)?
            }
            None => {
                self.finish(&words("inspect tables/measures.csv"), 0)?;
                let there = self.content(case);
                if there == old {
                    Version::Before
                } else if there == new {
                    Version::After
                } else {
                    return Err(format!("{}: neither version after {moment:?}", case.name));
                }
            }
        };
        self.refuse_leftovers()?;
        Ok(was_running.then_some(found))
    }

    fn command(&self, arguments: &[String]) -> Command {
        let mut command = Command::new(&self.bauta);
        command
            .args(arguments)
            .current_dir(&self.folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    /// Runs a command that must end with a code.
    fn finish(&self, arguments: &[String], code: i32) -> Result<(), String> {
        let output = self
            .command(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .output()
            .map_err(|error| format!("cannot start bauta: {error}"))?;
        if output.status.code() == Some(code) {
            return Ok(());
        }
        Err(format!(
            "bauta {} ended with {:?}\n{}{}",
            arguments.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        ))
    }

    /// The files of a case that are compared byte by byte.
    fn content(&self, case: &Case) -> Vec<Vec<u8>> {
        let read = |name: &&str| std::fs::read(self.folder.join(name)).unwrap_or_default();
        case.files.iter().map(read).collect()
    }

    /// The version of a record, by its seed or, where nothing is drawn, by the name of the new weight.
    fn version_of(&self, record: &str) -> Result<Version, String> {
        let text = std::fs::read_to_string(self.folder.join(record)).unwrap_or_default();
        let named = |version: &str| text.contains(&format!("weight = \\\"w{version}\\\""));
        match (named("1"), named("2")) {
            (true, false) => return Ok(Version::Before),
            (false, true) => return Ok(Version::After),
            _ => {}
        }
        let seed = text
            .lines()
            .find_map(|line| line.trim().strip_prefix("\"seed\": "));
        match seed.map(|seed| seed.trim_end_matches(',')) {
            Some("1") => Ok(Version::Before),
            Some("2") => Ok(Version::After),
            other => Err(format!("{record} has the seed {other:?}")),
        }
    }

    /// Nothing hidden may be left but the lists of what was written.
    fn refuse_leftovers(&self) -> Result<(), String> {
        for folder in [
            &self.folder,
            &self.folder.join("out"),
            &self.folder.join("tables"),
        ] {
            if let Some(name) = hidden(folder).into_iter().next() {
                return Err(format!("{name} was left in {}", folder.display()));
            }
        }
        Ok(())
    }

    /// The next random share, from 0 to 1.
    fn share(&mut self) -> f64 {
        // Xorshift: kills need no better numbers.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn hidden(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names
        .filter(|name| name.starts_with('.') && name != ".bauta-written")
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_minutes_and_a_seed() {
        let options = Options::read(&["--minutes", "0.5", "--seed", "7"]).unwrap();
        assert_eq!(options.duration, Duration::from_secs(30));
        assert_eq!(options.seed, 7);
        assert!(Options::read(&["--minutes"]).is_err());
        assert!(Options::read(&["--minutes", "-1"]).is_err());
    }
}
