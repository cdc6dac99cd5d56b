//! `cargo xtask fuzz`: cases made from the grammar of plans, files and records, and from the cards of the methods,
//! run in processes of their own and looked at by oracles.
//!
//! A case depends on (seed, target, number) and nothing else. Start with `targets.rs`; a new method in the registry
//! is fuzzed without anything here.

mod attendant;
mod board;
mod case;
mod corpus;
mod draws;
mod finding;
mod fuzzer;
mod make;
mod oracle;
mod shrink;
mod targets;
mod worker;
mod world;

use std::path::PathBuf;
use std::time::Duration;

use fuzzer::Fuzzer;

pub(crate) use attendant::WORKER;
pub(crate) use worker::work;

use crate::workspace::Workspace;

/// What was asked for.
#[derive(Clone, PartialEq, Debug)]
struct Options {
    minutes: f64,
    seed: u64,
    only: Option<String>,
    case: Option<u64>,
    file: Option<PathBuf>,
}

const MINUTES: f64 = 5.0;

impl Options {
    fn parse(options: &[&str]) -> Result<Self, String> {
        // Without a seed, another one each time: the same cases find nothing new.
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let mut parsed = Self {
            minutes: MINUTES,
            seed: now.map_or(0, |now| now.as_secs()),
            only: None,
            case: None,
            file: None,
        };
        let mut rest = options.iter();
        while let Some(option) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{option} needs a value"));
            match *option {
                "--minutes" => parsed.minutes = number(option, value()?)?,
                "--seed" => parsed.seed = number(option, value()?)?,
                "--case" => parsed.case = Some(number(option, value()?)?),
                "--only" => parsed.only = Some((*value()?).to_owned()),
                "--file" => parsed.file = Some(PathBuf::from(value()?)),
                other => {
                    return Err(format!(
                        "fuzz has no option `{other}`; there are --minutes N, --seed S, --only TARGET, --case N and --file FILE"
                    ));
                }
            }
        }
        if let Some(only) = &parsed.only {
            targets::named(only)?;
        } else if parsed.case.is_some() || parsed.file.is_some() {
            return Err("say with --only TARGET what the case is of".to_owned());
        }
        Ok(parsed)
    }
}

fn number<T: std::str::FromStr>(option: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{option} needs a number, not `{text}`"))
}

/// Runs what was asked for; an error if anything was found.
pub(crate) fn run(workspace: &Workspace, options: &[&str]) -> Result<(), String> {
    let options = Options::parse(options)?;
    let time = Duration::try_from_secs_f64(options.minutes * 60.0);
    let time = time.map_err(|_| "--minutes needs a number of at least 0".to_owned())?;
    println!("seed {}", options.seed);
    let fuzzer = Fuzzer::new(workspace, options.seed, options.only.as_deref(), time);
    match (&options.only, &options.file, options.case) {
        (Some(only), Some(file), _) => fuzzer.run_file(only, &file.display().to_string())?,
        (Some(only), None, Some(case)) => fuzzer.run_case(only, case)?,
        _ => {
            for (target, file) in corpus::files(workspace, options.only.as_deref())? {
                fuzzer.run_file(target, &file)?;
            }
            // What was done is told, also where something stopped it.
            let ended = fuzzer.run_until_time_is_up();
            return fuzzer.finish().and(ended);
        }
    }
    fuzzer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_or_refused() {
        let parsed = Options::parse(&["--minutes", "0.5", "--seed", "7", "--only", "csv"]).unwrap();
        assert_eq!((parsed.seed, parsed.only.as_deref()), (7, Some("csv")));
        for wrong in [
            &["--case", "3"][..],
            &["--only", "nothing"],
            &["--seed"],
            &["--minutes", "long"],
            &["--fast"],
        ] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
        assert!(Options::parse(&["--only", "csv", "--case", "3"]).is_ok());
    }
}
