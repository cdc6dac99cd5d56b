//! Peak memory of every command that reads a file, as the system counts it, on files of different sorts.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::chores::cargo;
use crate::workspace::Workspace;

/// The page that the figures are written to.
const PAGE: &str = "docs/benchmarks/memory.md";
/// How often a command's largest memory is looked at. It never falls, so only what grows in the last moment of
/// a command could be overlooked.
const PAUSE: Duration = Duration::from_millis(1);

/// A file to work on.
struct Input {
    name: &'static str,
    what: &'static str,
    file: &'static str,
    write: fn(&mut dyn std::io::Write) -> std::io::Result<()>,
}

const INPUTS: [Input; 3] = [
    Input {
        name: "survey",
        what: "600,000 records: a number, six keys of 2 to 400 categories, a weight, four amounts",
        file: "survey.csv",
        write: write_survey,
    },
    Input {
        name: "digits",
        what: "400,000 records of 50 numbers of one digit: two bytes a cell, where memory takes eight",
        file: "digits.csv",
        write: write_digits,
    },
    Input {
        name: "text",
        what: "400,000 records with a different text of 80 letters each, and two amounts",
        file: "text.csv",
        write: write_text,
    },
];

fn write_survey(out: &mut dyn std::io::Write) -> std::io::Result<()> {
    writeln!(out, "id,sex,age,region,job,town,house,w,a,b,c,d")?;
    for i in 0..600_000_u64 {
        let at = |factor: u64, n: u64| i.wrapping_mul(factor) % 1_000_003 % n;
        write!(out, "{i},s{},{},", at(7, 2), at(11, 90))?;
        write!(out, "r{},j{},", at(13, 20), at(17, 100))?;
        write!(out, "t{},h{},{}.5,", at(19, 400), at(23, 8), 1 + at(29, 50))?;
        let amount = |factor| format!("{}.{:02}", at(factor, 90_000), at(factor + 1, 100));
        let amounts = [31, 37, 41, 43].map(amount);
        writeln!(out, "{}", amounts.join(","))?;
    }
    Ok(())
}

fn write_digits(out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let names: Vec<String> = (0..50).map(|column| format!("x{column}")).collect();
    writeln!(out, "{}", names.join(","))?;
    for i in 0..400_000_u64 {
        let digits: Vec<String> = (0..50)
            .map(|column| (i * (column + 7) % 1_009 % 10).to_string())
            .collect();
        writeln!(out, "{}", digits.join(","))?;
    }
    Ok(())
}

fn write_text(out: &mut dyn std::io::Write) -> std::io::Result<()> {
    writeln!(out, "text,a,b")?;
    for i in 0..400_000_u64 {
        let noise = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let line = format!("{noise:020}").repeat(4);
        writeln!(out, "{line},{},{}", i % 9_973, noise % 1_000)?;
    }
    Ok(())
}

/// Commands, by the file that they work on. Each finds what those before it wrote.
const COMMANDS: [(&str, &str, &[&str]); 16] = [
    ("survey", "inspect", &["inspect", "survey.csv"]),
    (
        "survey",
        "init",
        &["init", "survey.csv", "--output", "proposed.toml"],
    ),
    (
        "survey",
        "risk",
        &[
            "risk",
            "survey.csv",
            "--keys",
            "sex,age,region,job",
            "--weight",
            "w",
        ],
    ),
    (
        "survey",
        "mask rank-swap",
        &[
            "mask",
            "rank-swap",
            "survey.csv",
            "--on",
            "a,b,c,d",
            "--window",
            "0.05",
            "--seed",
            "1",
            "--output",
            "masked.csv",
        ],
    ),
    (
        "survey",
        "mask to Parquet",
        &[
            "mask",
            "rank-swap",
            "survey.csv",
            "--on",
            "a",
            "--window",
            "0.05",
            "--seed",
            "1",
            "--output",
            "masked.parquet",
        ],
    ),
    (
        "survey",
        "compare",
        &["compare", "survey.csv", "masked.csv", "--on", "a,b"],
    ),
    (
        "survey",
        "calibrate",
        &[
            "calibrate",
            "survey.csv",
            "--weight",
            "w",
            "--keys",
            "sex,age,region,job",
            "--k",
            "3",
            "--margins",
            "sex,region,age",
            "--output",
            "weighted.csv",
        ],
    ),
    ("survey", "run", &["run", "plan.toml"]),
    ("survey", "verify", &["verify", "released.record.json"]),
    ("survey", "report", &["report", "released.record.json"]),
    (
        "survey, as Parquet",
        "risk",
        &["risk", "masked.parquet", "--keys", "sex,age,region,job"],
    ),
    ("digits", "inspect", &["inspect", "digits.csv"]),
    (
        "digits",
        "mask rank-swap",
        &[
            "mask",
            "rank-swap",
            "digits.csv",
            "--on",
            "x0,x1",
            "--window",
            "0.05",
            "--seed",
            "1",
            "--output",
            "masked-digits.csv",
        ],
    ),
    (
        "digits",
        "run, all of them numbers",
        &["run", "digits.toml"],
    ),
    ("text", "inspect", &["inspect", "text.csv"]),
    (
        "text",
        "mask rank-swap",
        &[
            "mask",
            "rank-swap",
            "text.csv",
            "--on",
            "a,b",
            "--window",
            "0.05",
            "--seed",
            "1",
            "--output",
            "masked-text.csv",
        ],
    ),
];

const PLAN: &str = "[data]\nfile = \"survey.csv\"\n[output]\nfile = \"released.csv\"\n[variables]\n\
    id = { role = \"identifier\" }\nsex = { role = \"key\" }\nage = { role = \"key\", kind = \"ordered\" }\n\
    region = { role = \"key\" }\njob = { role = \"key\" }\nw = { role = \"weight\" }\n\
    a = { role = \"sensitive\", kind = \"continuous\" }\nb = { role = \"sensitive\", kind = \"continuous\" }\n\
    [[step]]\nmask = \"recode\"\non = [\"age\"]\nbreaks = [20, 40, 60, 80]\n\
    [[step]]\nmask = \"rank-swap\"\non = [\"a\", \"b\"]\nwindow = 0.05\n\
    [[measure]]\nuse = [\"k-anonymity\", \"individual-risk\", \"il1s\"]\n\
    [[gate]]\nmeasure = \"k-anonymity\"\nat_least = 2\n";

/// A plan that reads all the digits as numbers.
fn plan_of_digits() -> String {
    let variable =
        |column| format!("x{column} = {{ role = \"sensitive\", kind = \"continuous\" }}\n");
    let variables: String = (0..50).map(variable).collect();
    format!(
        "[data]\nfile = \"digits.csv\"\n[output]\nfile = \"released-digits.csv\"\n[variables]\n{variables}\
        [[step]]\nmask = \"rank-swap\"\non = [\"x0\", \"x1\"]\nwindow = 0.05\n\
        [[measure]]\nuse = [\"il1s\"]\non = [\"x0\", \"x1\"]\n[[gate]]\nmeasure = \"il1s\"\nat_most = 9\n"
    )
}

/// Measures in release mode and writes the page.
pub(crate) fn run(workspace: &Workspace) -> Result<(), String> {
    cargo(workspace, &["build", "--release", "--bin", "bauta"])?;
    let bauta = workspace.path("target/release/bauta");
    let folder = std::env::temp_dir().join(format!("bauta-memory-{}", std::process::id()));
    let done = std::fs::create_dir_all(&folder)
        .map_err(|error| format!("{}: {error}", folder.display()))
        .and_then(|()| measured(&bauta, &folder));
    let _ = std::fs::remove_dir_all(&folder);
    let page = done?;
    let path = workspace.path(PAGE);
    std::fs::write(&path, page).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("wrote {PAGE}");
    Ok(())
}

fn measured(bauta: &Path, folder: &Path) -> Result<String, String> {
    for input in &INPUTS {
        let path = folder.join(input.file);
        write_input(input, &path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    for (name, plan) in [("plan.toml", PLAN), ("digits.toml", &plan_of_digits())] {
        std::fs::write(folder.join(name), plan).map_err(|error| error.to_string())?;
    }
    let mut page = "# Memory by command\n\n\
        Largest resident memory of a process, as Linux counts it (`VmHWM`), release build, two threads. Written by\n\
        `cargo xtask memory`; the files are made by it.\n\n"
        .to_owned();
    for input in &INPUTS {
        let _ = writeln!(page, "- *{}*: {}.", input.name, input.what);
    }
    page.push_str(
        "\n| file | MB on disk | command | peak MB | times the file |\n|---|---:|---|---:|---:|\n",
    );
    for (input, command, words) in COMMANDS {
        let peak = peak_mb_of(bauta, folder, words)?;
        let on_disk = size_of(folder, input, words)? as f64 / 1e6;
        let ratio = peak / on_disk;
        let row = format!("| {input} | {on_disk:.0} | `{command}` | {peak:.0} | {ratio:.1} |");
        println!("{row}");
        let _ = writeln!(page, "{row}");
    }
    page.push_str(
        "\nA table is held whole: eight bytes for a number, one, two or four for a category by how many there are and one copy of their texts, and while\n\
        a text file is read its bytes as well. `mask`, `run` and `verify` hold the original and the columns that\n\
        changed, `compare` two tables and what its measures sort, `calibrate` the records of the margins. A column that\n\
        is read as numbers takes eight bytes a cell, however short its text; Parquet is packed on the disk and not in\n\
        memory. `--memory SIZE` refuses a file before memory is taken ([how](../concepts/memory.md)).\n",
    );
    Ok(page)
}

fn write_input(input: &Input, path: &Path) -> std::io::Result<()> {
    let mut out = std::io::BufWriter::new(std::fs::File::create(path)?);
    (input.write)(&mut out)?;
    out.flush()
}

/// The bytes of the data that a command works on: those of the input of this name, or what its words name.
fn size_of(folder: &Path, name: &str, words: &[&str]) -> Result<u64, String> {
    let of_name = INPUTS.iter().find(|input| input.name == name);
    let file = of_name.map(|input| input.file).or(words.get(1).copied());
    let path: PathBuf = folder.join(file.unwrap_or_default());
    let metadata = std::fs::metadata(&path);
    metadata
        .map(|metadata| metadata.len())
        .map_err(|error| format!("{}: {error}", path.display()))
}

/// Runs a command and looks at its largest memory until it ends.
fn peak_mb_of(bauta: &Path, folder: &Path, words: &[&str]) -> Result<f64, String> {
    let mut child = Command::new(bauta)
        .args(words)
        .args(["--threads", "2", "--quiet"])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot start {}: {error}", bauta.display()))?;
    let mut peak = None;
    loop {
        peak = status_of(&child).and_then(|text| peak_mb(&text)).or(peak);
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break,
            Ok(None) => std::thread::sleep(PAUSE),
            Ok(Some(_)) | Err(_) => {
                let said = child.wait_with_output().map(|output| output.stderr);
                let said = String::from_utf8_lossy(&said.unwrap_or_default()).into_owned();
                return Err(format!("`bauta {}` failed: {said}", words.join(" ")));
            }
        }
    }
    peak.ok_or_else(|| "this system does not tell the memory of a process".to_owned())
}

fn status_of(child: &Child) -> Option<String> {
    std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()
}

fn peak_mb(status: &str) -> Option<f64> {
    kilobytes(status, "VmHWM:").map(|kilobytes| kilobytes * 1024.0 / 1e6)
}

/// A figure of the status file, which counts in units of 1024 bytes.
pub(crate) fn kilobytes(status: &str, field: &str) -> Option<f64> {
    let line = status.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_file_is_read() {
        let status = "Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(
            kilobytes(status, "VmHWM:").map(f64::to_bits),
            Some(2048.0_f64.to_bits())
        );
        assert_eq!(kilobytes(status, "VmSwap:"), None);
    }
}
