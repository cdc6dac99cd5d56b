//! Others that read and write files.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use super::{Form, Job};
use crate::bench::figures::Figures;
use crate::workspace::Workspace;

/// Their names; the last one needs R.
const TOOLS: [&str; 3] = ["polars", "duckdb", DATA_TABLE];
const DATA_TABLE: &str = "data.table";

/// A tool that is there.
pub(super) struct Peer {
    tool: &'static str,
    scripts: PathBuf,
}

/// What it took.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct PeerTime {
    pub(super) tool: String,
    /// The first time in its process.
    pub(super) first_cpu_seconds: f64,
    /// The least time, with memory that the times before left it.
    pub(super) cpu_seconds: f64,
    answer: Option<f64>,
}

impl Peer {
    /// Those that are installed.
    pub(super) fn find(workspace: &Workspace) -> Vec<Self> {
        let is_there = |tool: &&str| {
            let mut asked = if *tool == DATA_TABLE {
                let mut asked = Command::new("Rscript");
                asked.args(["-e", "library(data.table)"]);
                asked
            } else {
                let mut asked = Command::new("python3");
                asked.args(["-c", &format!("import {tool}")]);
                asked
            };
            asked.output().is_ok_and(|output| output.status.success())
        };
        let there = TOOLS.into_iter().filter(is_there);
        there
            .map(|tool| Self {
                tool,
                scripts: workspace.path("xtask/peers"),
            })
            .collect()
    }

    /// Those that are not.
    pub(super) fn lacking(found: &[Self]) -> Vec<&'static str> {
        let is_lacking = |tool: &&str| found.iter().all(|peer| peer.tool != *tool);
        TOOLS.into_iter().filter(is_lacking).collect()
    }

    /// Its least times for a job in some processes, if it does that job.
    pub(super) fn least_time(
        &self,
        job: Job,
        form: Form,
        folder: &Path,
        n: usize,
        n_threads: usize,
    ) -> Result<Option<PeerTime>, String> {
        let mut least: Option<PeerTime> = None;
        for _ in 0..super::n_runs(n) {
            let Some(time) = self.time(job, form, folder, n, n_threads)? else {
                return Ok(None);
            };
            least = Some(match least {
                None => time,
                Some(before) => PeerTime {
                    first_cpu_seconds: time.first_cpu_seconds.min(before.first_cpu_seconds),
                    cpu_seconds: time.cpu_seconds.min(before.cpu_seconds),
                    ..time
                },
            });
        }
        Ok(least)
    }

    /// Its time for a job, if it does that job.
    fn time(
        &self,
        job: Job,
        form: Form,
        folder: &Path,
        n: usize,
        n_threads: usize,
    ) -> Result<Option<PeerTime>, String> {
        let Some(name) = job.of_peers().filter(|name| self.does(name, form)) else {
            return Ok(None);
        };
        let source = form.file(folder, job.stem(), n);
        let output = form.file(folder, "theirs", n);
        let mut command = if self.tool == DATA_TABLE {
            let mut command = Command::new("Rscript");
            command.arg(self.scripts.join("files.R"));
            command
        } else {
            let mut command = Command::new("python3");
            command.arg(self.scripts.join("files.py")).arg(self.tool);
            command
        };
        let ran = command
            .arg(name)
            .args([source.as_os_str(), output.as_os_str()])
            .arg(n_threads.to_string())
            .output()
            .map_err(|error| format!("cannot start {}: {error}", self.tool))?;
        let _ = std::fs::remove_file(&output);
        if !ran.status.success() {
            let said = String::from_utf8_lossy(&ran.stderr);
            return Err(format!("{} failed: {}", self.tool, said.trim()));
        }
        let printed = String::from_utf8_lossy(&ran.stdout);
        let time = serde_json::from_str(printed.trim())
            .map_err(|error| format!("{} printed no figures: {error}", self.tool))?;
        Ok(Some(time))
    }

    fn does(&self, job: &str, form: Form) -> bool {
        match self.tool {
            DATA_TABLE => form == Form::Csv && job != "mask",
            "duckdb" => job != "mask",
            _ => true,
        }
    }
}

impl PeerTime {
    /// Its answer is ours, where both have one.
    pub(super) fn check(&self, own: &Figures) -> Result<(), String> {
        match (self.answer, own.answer) {
            (Some(theirs), Some(ours)) if (theirs - ours).abs() > 0.5 => Err(format!(
                "the answer of {} differs: {theirs} and ours {ours}",
                self.tool
            )),
            _ => Ok(()),
        }
    }
}
