//! What others take for the same job: published figures of sdcMicro, and numpy, polars, scipy or
//! scikit-learn in the same run where Python has them.

use std::path::Path;
use std::process::Command;

use bauta_data::{Column, Table};
use serde::Deserialize;

use super::figures::Figures;
use super::inputs::{self, EIGHTH_KEY, KEYS};
use super::work::{Input, Work};
use crate::workspace::Workspace;

/// Where the published figures come from.
pub(super) const SOURCE: &str = "sdcMicro 5.8.1 on R 4.2, one thread, CPU seconds, measured on a two-core machine under \
    load with the household survey and the CENSUS file resampled to each size (spec/07 of the project's \
    specification)";

/// A time that was measured elsewhere.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Time {
    /// So many CPU seconds.
    Seconds(f64),
    /// Stopped after so many.
    Over(f64),
}

/// A peer's times.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Published {
    /// The work that does the same.
    work: &'static str,
    /// What the peer did, and how it differs from what we do.
    pub(super) job: &'static str,
    /// Numbers of rows, and what they took.
    times: &'static [(usize, Time)],
}

/// Times at 10^3, 10^4, 10^5 and 10^6 rows.
const fn seconds(a: f64, b: f64, c: f64, d: f64) -> [(usize, Time); 4] {
    [
        (1_000, Time::Seconds(a)),
        (10_000, Time::Seconds(b)),
        (100_000, Time::Seconds(c)),
        (1_000_000, Time::Seconds(d)),
    ]
}

const INTERVAL: [(usize, Time); 4] = seconds(0.0, 0.02, 0.47, 3.26);
const MDAV: [(usize, Time); 4] = [
    (1_000, Time::Seconds(0.02)),
    (10_000, Time::Seconds(0.95)),
    (20_000, Time::Seconds(3.9)),
    (50_000, Time::Seconds(28.4)),
];

const PUBLISHED: [Published; 19] = [
    Published {
        work: "calibrate/63-linear",
        job: "R survey 4.1.1 on the same margins, of which it is given the 51 independent ones",
        times: &[(9_640, Time::Seconds(0.10)), (160_000, Time::Seconds(2.3))],
    },
    Published {
        work: "calibrate/63-raking",
        job: "R survey 4.1.1 on the same margins, of which it is given the 51 independent ones",
        times: &[(9_640, Time::Seconds(0.45)), (160_000, Time::Seconds(6.2))],
    },
    Published {
        work: "calibrate/63-logit",
        job: "R survey 4.1.1 on the same margins, of which it is given the 51 independent ones",
        times: &[(9_640, Time::Seconds(0.45)), (160_000, Time::Seconds(5.9))],
    },
    Published {
        work: "k-anonymity",
        job: "frequencies of 7 keys without missing values; ours have 4 % missing in one key",
        times: &seconds(0.01, 0.02, 0.16, 2.11),
    },
    Published {
        work: "k-anonymity/wild-8-keys",
        job: "frequencies of 8 keys with 2 % missing, a missing value matching every value",
        times: &[
            (1_000, Time::Seconds(0.38)),
            (10_000, Time::Seconds(3.69)),
            (100_000, Time::Seconds(31.1)),
        ],
    },
    Published {
        work: "l-diversity",
        job: "l-diversity of the household survey; ours are 7 keys and one answer, and the classes are counted too",
        times: &seconds(0.0, 0.01, 0.04, 0.82),
    },
    Published {
        work: "individual-risk",
        job: "individual and household risk together; ours is individual risk alone",
        times: &seconds(0.03, 0.12, 1.02, 12.2),
    },
    Published {
        work: "individual-risk/households",
        job: "individual and household risk together",
        times: &seconds(0.03, 0.12, 1.02, 12.2),
    },
    Published {
        work: "suppress-local",
        job: "local suppression, k = 3, 7 keys of the household survey, by a heuristic; ours is exact",
        times: &seconds(0.56, 0.99, 1.96, 5.70),
    },
    Published {
        work: "suppress-local/survey",
        job: "local suppression, k = 3, on the victimisation survey: 48 to 102 seconds; the shorter is taken",
        times: &[(12_901, Time::Seconds(48.0))],
    },
    Published {
        work: "suppress-local/8-keys",
        job: "local suppression, k = 3, 8 keys of the household survey, by a heuristic; ours is exact",
        times: &[(1_000, Time::Seconds(3.1)), (10_000, Time::Seconds(26.0))],
    },
    Published {
        work: "rank-swap",
        job: "rank swapping of numeric columns",
        times: &[
            (1_000, Time::Seconds(0.0)),
            (10_000, Time::Seconds(0.04)),
            (100_000, Time::Seconds(2.77)),
            (1_000_000, Time::Over(240.0)),
        ],
    },
    Published {
        work: "noise-correlated",
        job: "correlated noise on 13 numeric columns",
        times: &seconds(0.01, 0.03, 0.35, 3.07),
    },
    Published {
        work: "mdav",
        job: "MDAV, k = 3, on 13 columns of CENSUS; ours are the amounts, which are harder for a tree",
        times: &MDAV,
    },
    Published {
        work: "mdav/census",
        job: "MDAV, k = 3, on 13 columns of CENSUS, resampled with noise as ours are",
        times: &MDAV,
    },
    Published {
        work: "individual-ranking",
        job: "individual ranking of 13 numeric columns",
        times: &seconds(0.02, 0.13, 1.52, 13.6),
    },
    Published {
        work: "interval-rank",
        job: "interval risk (dRisk), whose intervals are in standard deviations: the same job without ranks",
        times: &INTERVAL,
    },
    Published {
        work: "interval-sd",
        job: "interval risk (dRisk) of 13 numeric columns",
        times: &INTERVAL,
    },
    Published {
        work: "il1s",
        job: "IL1s of 13 numeric columns",
        times: &seconds(0.0, 0.0, 0.03, 0.32),
    },
];

/// Shorter times are mostly the start of the interpreter.
const WORTH_COMPARING: f64 = 0.1;

/// The published figures for a work.
pub(super) fn published(work: &str) -> Option<&'static Published> {
    PUBLISHED.iter().find(|published| published.work == work)
}

impl Published {
    /// How many times longer the peer took, in words; none where there is nothing to compare.
    pub(super) fn ratio(&self, n: usize, cpu_seconds: f64) -> Option<String> {
        let (_, time) = self.times.iter().find(|(size, _)| *size == n)?;
        match *time {
            Time::Seconds(peer) if peer >= WORTH_COMPARING => {
                Some(format!("{:.0}", peer / cpu_seconds))
            }
            Time::Seconds(_) => None,
            Time::Over(peer) => Some(format!("over {:.0}", peer / cpu_seconds)),
        }
    }
}

/// A peer's answer in the same run.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct PeerFigures {
    /// Its name and version.
    pub(super) tool: String,
    /// Best wall-clock time of one run, in seconds.
    pub(super) seconds: f64,
    /// A figure that must be ours too.
    answer: Option<f64>,
}

/// What Python has.
pub(super) struct Tools {
    scripts: std::path::PathBuf,
    /// Packages and their versions, if they are there.
    versions: Vec<(&'static str, Option<String>)>,
}

/// Packages that scripts import, by the name that they import.
const PACKAGES: [&str; 4] = ["numpy", "polars", "scipy", "sklearn"];

impl Tools {
    /// Asks Python for the packages.
    pub(super) fn find(workspace: &Workspace) -> Self {
        Self {
            scripts: workspace.path("xtask/peers"),
            versions: PACKAGES.map(|name| (name, version_of(name))).to_vec(),
        }
    }

    /// What there is, in words.
    pub(super) fn describe(&self) -> String {
        let say = |(name, version): &(&str, Option<String>)| match version {
            Some(version) => format!("{name} {version}"),
            None => format!("not run: {name} is absent"),
        };
        let all: Vec<String> = self.versions.iter().map(say).collect();
        format!("Peers in the same run: {}.", all.join("; "))
    }

    /// Runs the script of a work, if it has one and its packages are there, and compares answers.
    pub(super) fn run(
        &self,
        work: &Work,
        n: usize,
        folder: &Path,
        own: &Figures,
    ) -> Result<Vec<PeerFigures>, String> {
        let script = self
            .scripts
            .join(format!("{}.py", work.name.replace(['-', '/'], "_")));
        let Ok(text) = std::fs::read_to_string(&script) else {
            return Ok(Vec::new());
        };
        // Every script reads its input with numpy, and names what else it needs.
        let is_needed = |name: &str| name == "numpy" || text.contains(name);
        let is_lacking =
            |(name, version): &(&str, Option<String>)| version.is_none() && is_needed(name);
        if self.versions.iter().any(is_lacking) {
            return Ok(Vec::new());
        }
        write_input(work.input, n, folder)?;
        let output = Command::new("python3")
            .arg(&script)
            .arg(folder)
            .arg(n.to_string())
            .output()
            .map_err(|error| format!("cannot start python3: {error}"))?;
        if !output.status.success() {
            return Err(format!(
                "the peer failed: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            ));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        printed.lines().map(|line| compared(line, own)).collect()
    }
}

/// A line that a peer printed, if its answer is ours.
fn compared(line: &str, own: &Figures) -> Result<PeerFigures, String> {
    let peer: PeerFigures = serde_json::from_str(line)
        .map_err(|error| format!("the peer printed no figures: {error}"))?;
    if same_answer(own.answer, peer.answer) {
        return Ok(peer);
    }
    Err(format!(
        "the answer of {} differs: {:?} and ours {:?}",
        peer.tool, peer.answer, own.answer
    ))
}

fn same_answer(own: Option<f64>, peer: Option<f64>) -> bool {
    match (own, peer) {
        (Some(own), Some(peer)) => (own - peer).abs() <= 1e-9 * peer.abs().max(1e-300),
        // A peer that draws its own random numbers gives no answer to compare.
        (_, None) => true,
        (None, Some(_)) => false,
    }
}

fn version_of(package: &str) -> Option<String> {
    let code = format!("import {package}; print({package}.__version__)");
    let output = Command::new("python3").args(["-c", &code]).output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !version.is_empty()).then_some(version)
}

/// Writes the input of a work as plain arrays, column after column, for Python to read.
fn write_input(input: Input, n: usize, folder: &Path) -> Result<(), String> {
    match input {
        Input::Amounts => {
            write_once(&folder.join(format!("amounts-{n}.f64")), || {
                numbers(&inputs::amounts(n))
            })?;
            write_once(&folder.join(format!("changed-{n}.f64")), || {
                numbers(&inputs::changed_amounts(n))
            })
        }
        Input::Census => write_once(&folder.join(format!("census-{n}.f64")), || {
            inputs::census(n).map_or_else(|_| Vec::new(), |table| numbers(&table))
        }),
        Input::Search(queries) => {
            write_once(&folder.join(format!("searched-{n}.f64")), || {
                numbers(&inputs::searched(n))
            })?;
            write_once(&folder.join(format!("{}-{n}.f64", queries.name())), || {
                numbers(&inputs::queries(queries, n))
            })
        }
        Input::Survey => write_once(&folder.join(format!("keys-{n}.u8")), || {
            key_bytes(&inputs::survey(n), &KEYS)
        }),
        // No peer reads it.
        Input::SurveyAndMasked | Input::SurveyAndSuppressed | Input::SurveyWithHouseholds => Ok(()),
        Input::SurveyWithMissing => {
            let mut keys = KEYS.to_vec();
            keys.push(EIGHTH_KEY);
            let table = || inputs::survey_with_missing(n);
            write_once(&folder.join(format!("keys-missing-{n}.u8")), || {
                key_bytes(&table(), &keys)
            })
        }
    }
}

fn write_once(path: &Path, bytes: impl FnOnce() -> Vec<u8>) -> Result<(), String> {
    if path.exists() {
        return Ok(());
    }
    std::fs::write(path, bytes())
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn numbers(table: &Table) -> Vec<u8> {
    let columns = table
        .columns()
        .iter()
        .filter_map(|column| column.as_numeric());
    columns
        .flatten()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// Codes from 1, one byte each; 0 is missing.
fn key_bytes(table: &Table, keys: &[&str]) -> Vec<u8> {
    let columns = keys.iter().filter_map(|name| table.column_named(name));
    let codes = |column: &Column| -> Vec<u8> {
        let codes = column.as_categorical().map(|all| &all.codes);
        let code = |(record, code): (usize, u32)| {
            if column.is_missing(record) {
                0
            } else {
                code as u8 + 1
            }
        };
        codes.into_iter().flatten().enumerate().map(code).collect()
    };
    columns.flat_map(codes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_stated_only_where_the_peer_takes_long() {
        let swap = published("rank-swap").unwrap();
        assert_eq!(swap.ratio(1_000, 0.001), None);
        // 2.77 / 0.1 = 27.7.
        assert_eq!(swap.ratio(100_000, 0.1).as_deref(), Some("28"));
        assert_eq!(swap.ratio(1_000_000, 2.0).as_deref(), Some("over 120"));
        assert_eq!(swap.ratio(500, 1.0), None);
        // 28.4 / 0.5 = 56.8.
        let mdav = published("mdav").unwrap();
        assert_eq!(mdav.ratio(50_000, 0.5).as_deref(), Some("57"));
        assert_eq!(mdav.ratio(1_000_000, 0.5), None);
        assert_eq!(
            published("k-anonymity/wild-8-keys")
                .unwrap()
                .ratio(1_000_000, 1.0),
            None
        );
    }

    #[test]
    fn published_figures_belong_to_works_that_exist() {
        let names = crate::bench::names();
        for published in &PUBLISHED {
            assert!(
                names.iter().any(|name| name == published.work),
                "{}",
                published.work
            );
        }
    }

    #[test]
    fn answers_are_compared_where_both_have_one() {
        assert!(same_answer(Some(1.0), Some(1.0 + 1e-12)));
        assert!(!same_answer(Some(1.0), Some(1.001)));
        assert!(same_answer(Some(1.0), None));
        assert!(!same_answer(None, Some(1.0)));
    }

    #[test]
    fn keys_are_written_one_byte_each_with_0_for_missing() {
        let table = inputs::survey(200);
        let bytes = key_bytes(&table, &KEYS);
        assert_eq!(bytes.len(), 7 * 200);
        let zeros: Vec<&u8> = bytes.iter().filter(|byte| **byte == 0).collect();
        assert_eq!(
            zeros.len(),
            table.column_named("income").unwrap().n_missing()
        );
    }
}
