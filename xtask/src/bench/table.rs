//! The one table that a run prints and a full run publishes.

use std::fmt::Write as _;

use super::figures::Figures;
use super::peers::{PeerFigures, Published, SOURCE};

/// What a work took, and what peers took in the same run.
pub(super) struct Outcome {
    /// Ours.
    pub(super) own: Figures,
    /// Our seconds on one thread, where they were taken.
    pub(super) one_thread: Option<f64>,
    /// The peers'.
    pub(super) peers: Vec<PeerFigures>,
}

/// Why there are no figures.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Lack {
    /// It was not tried, and why.
    NotRun(String),
    /// It was tried.
    Failed(String),
}

/// One work at one size.
pub(super) struct Row {
    /// The work.
    pub(super) work: String,
    /// Published figures of a peer.
    pub(super) published: Option<&'static Published>,
    /// Number of rows.
    pub(super) n: usize,
    /// What came of it.
    pub(super) outcome: Result<Outcome, Lack>,
}

const HEADER: [&str; 10] = [
    "work",
    "rows",
    "seconds",
    "CPU s",
    "peak MB",
    "input MB",
    "growth",
    "one thread / all",
    "sdcMicro / ours",
    "same run / ours",
];
/// Growth between times that are too short says nothing.
const SHORTEST: f64 = 0.001;

/// The table with what is needed to read it.
pub(super) fn report(rows: &[Row], whole: Option<&Result<Figures, String>>, tools: &str) -> String {
    let mut lines: Vec<[String; 10]> = vec![HEADER.map(str::to_owned)];
    for (position, row) in rows.iter().enumerate() {
        let before = position
            .checked_sub(1)
            .map(|before| &rows[before])
            .filter(|before| before.work == row.work);
        lines.push(cells(row, before));
    }
    let mut report = aligned(&lines);
    let _ = writeln!(report, "\n{tools}");
    report.push_str(&lacks(rows));
    if let Some(whole) = whole {
        report.push_str(&end_to_end(whole));
    }
    let jobs = compared_jobs(rows);
    if !jobs.is_empty() {
        let _ = write!(
            report,
            "\nsdcMicro's jobs, where they are not quite ours:\n\n{jobs}"
        );
    }
    report
}

/// What has no figures, and why.
fn lacks(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let _ = match &row.outcome {
            Ok(_) => Ok(()),
            Err(Lack::Failed(message)) => {
                writeln!(text, "\nFAILED: {} on {} rows: {message}", row.work, row.n)
            }
            Err(Lack::NotRun(why)) => {
                writeln!(text, "\nNot run: `{}` on {} rows: {why}.", row.work, row.n)
            }
        };
    }
    text
}

fn cells(row: &Row, before: Option<&Row>) -> [String; 10] {
    let mut cells = std::array::from_fn(|_| "-".to_owned());
    row.work.clone_into(&mut cells[0]);
    cells[1] = row.n.to_string();
    let outcome = match &row.outcome {
        Ok(outcome) => outcome,
        Err(lack) => {
            let word = match lack {
                Lack::NotRun(_) => "not run",
                Lack::Failed(_) => "FAILED",
            };
            word.clone_into(&mut cells[2]);
            return cells;
        }
    };
    let own = &outcome.own;
    cells[2] = time_text(own.seconds);
    let shown =
        |value: Option<f64>, text: fn(f64) -> String| value.map_or_else(|| "-".to_owned(), text);
    cells[3] = shown(own.cpu_seconds, time_text);
    cells[4] = shown(own.peak_mb, |mb| format!("{mb:.0}"));
    cells[5] = shown(own.input_mb, |mb| format!("{mb:.0}"));
    if let Some((n, seconds)) =
        before.and_then(|before| Some((before.n, before.outcome.as_ref().ok()?.own.seconds)))
    {
        cells[6] = shown(growth((n, seconds), (row.n, own.seconds)), |exponent| {
            format!("{exponent:.2}")
        });
    }
    let speed_up = outcome.one_thread.map(|seconds| seconds / own.seconds);
    cells[7] = shown(speed_up, ratio_text);
    let published = row
        .published
        .zip(own.cpu_seconds)
        .and_then(|(published, cpu)| published.ratio(row.n, cpu));
    if let Some(ratio) = published {
        cells[8] = format!("**{ratio}**");
    }
    if !outcome.peers.is_empty() {
        let ratio = |peer: &PeerFigures| {
            let ratio = ratio_text(peer.seconds / own.seconds);
            format!("**{ratio}** ({})", peer.tool)
        };
        let ratios: Vec<String> = outcome.peers.iter().map(ratio).collect();
        cells[9] = ratios.join(", ");
    }
    cells
}

/// The exponent b of time ~ n^b between two sizes.
pub(super) fn growth(before: (usize, f64), after: (usize, f64)) -> Option<f64> {
    let rows = after.0 as f64 / before.0 as f64;
    (before.1 >= SHORTEST).then(|| (after.1 / before.1).ln() / rows.ln())
}

/// A ratio with two or three figures.
fn ratio_text(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 10.0 => format!("{ratio:.0}"),
        ratio if ratio >= 1.0 => format!("{ratio:.1}"),
        ratio => format!("{ratio:.2}"),
    }
}

/// Seconds with three figures.
fn time_text(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 100.0 => format!("{seconds:.0}"),
        seconds if seconds >= 10.0 => format!("{seconds:.1}"),
        seconds if seconds >= 1.0 => format!("{seconds:.2}"),
        seconds if seconds >= 0.0001 => format!("{seconds:.4}"),
        _ => "<0.0001".to_owned(),
    }
}

/// A Markdown table whose columns are aligned, for terminals too.
fn aligned(lines: &[[String; 10]]) -> String {
    let width = |column: usize| {
        lines
            .iter()
            .map(|line| line[column].len())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEADER.len()).map(width).collect();
    let mut table = String::new();
    for (position, line) in lines.iter().enumerate() {
        for (column, cell) in line.iter().enumerate() {
            let width = widths[column];
            let _ = if column == 0 {
                write!(table, "| {cell:<width$} ")
            } else {
                write!(table, "| {cell:>width$} ")
            };
        }
        table.push_str("|\n");
        if position == 0 {
            for (column, width) in widths.iter().enumerate() {
                let mark = if column == 0 { '-' } else { ':' };
                let _ = write!(table, "|{}{mark}", "-".repeat(width + 1));
            }
            table.push_str("|\n");
        }
    }
    table
}

fn end_to_end(whole: &Result<Figures, String>) -> String {
    let own = match whole {
        Ok(own) => own,
        Err(message) => return format!("\nFAILED: end-to-end: {message}\n"),
    };
    let stages: Vec<String> = own
        .stages
        .iter()
        .map(|(stage, seconds)| format!("{stage} {} s", time_text(*seconds)))
        .collect();
    let memory = own
        .peak_mb
        .map_or_else(|| "not known here".to_owned(), |mb| format!("{mb:.0} MB"));
    let file_mb = own.file_mb.unwrap_or(0.0);
    format!(
        "\nFrom file to file: a CSV file of {file_mb:.0} MB and 15 columns read, two columns masked (rank-swap, \
         noise-additive), k-anonymity over 7 keys, written: **{} s**, **{:.0} MB/s**, peak memory {memory} ({}).\n",
        time_text(own.seconds),
        file_mb / own.seconds,
        stages.join(", ")
    )
}

/// What the peer did for each work with published figures.
fn compared_jobs(rows: &[Row]) -> String {
    let mut jobs: Vec<String> = Vec::new();
    for row in rows {
        let job = row
            .published
            .map(|published| format!("- `{}`: {}\n", row.work, published.job));
        jobs.extend(job.filter(|job| !jobs.contains(job)));
    }
    jobs.concat()
}

/// The published page.
pub(super) fn page(report: &str, date: Option<&str>, load: Option<f64>) -> String {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let date = date.map_or_else(String::new, |date| format!(", source of {date}"));
    let load = load.map_or_else(String::new, |load| {
        format!(
            " Others had work there too: the load was {load:.1} when the run began, so that *CPU s* says more than \
             *seconds*."
        )
    });
    format!(
        "<!-- Written by a full run of `cargo xtask bench`. -->\n\
         # Benchmarks\n\n\
         Measured on a machine with {cores} cores{date}.{load} Ratios travel better than seconds; run \
         `cargo xtask bench` to see your own.\n\n\
         - *seconds*: best wall-clock time of one run, all cores; *CPU s*: least processor time over all threads.\n\
         - *peak MB*: largest memory of a process that does this work alone, *input MB* of it before the work began.\n\
         - *growth*: b in time ~ rows^b since the size above; not stated for times under {SHORTEST} s.\n\
         - *one thread / all*: how many times longer one thread takes than all cores, at the largest size of what takes a \
         tenth of a second there, and not over 100 processor seconds.\n\
         - *sdcMicro / ours*: CPU seconds of the peer divided by ours, where it takes at least a tenth of a second. \
         Its figures are not of this run: {SOURCE}.\n\
         - *same run / ours*: wall-clock time of the named tool on the same input in the same run, divided by ours. \
         Its answer is compared with ours to 1e-9, except where each draws its own random numbers.\n\
         - Every timed result is checked: swaps keep the multiset, noise has its size and covariances, groups have at \
         least k members and their mean, measures are recounted the plain way (linkage, rank intervals and key counts \
         on records spread over the file; nearest-record losses in full up to 1,000 rows), and the groups of \
         `mdav/plain` are those of `mdav`.\n\n\
         Inputs are made from a fixed seed: the demonstration survey (7 keys, weight); 13 correlated log-normal \
         amounts, which fill all 13 dimensions and are hard for trees; measures of two files compare them with \
         amounts that are changed by up to 5 %. `mdav/census` runs on data like those of sdcMicro's figures: the \
         1,080 records of CENSUS drawn with replacement, with normal noise of 3 % of each column's standard deviation \
         so that no two are equal. `nearest-record` searches 11 of the amounts for each record of a masked copy \
         (`masked`) or for as many other records of the same distribution (`independent`), the making of the tree \
         included, beside the trees of scipy and scikit-learn on all cores.\n\n{report}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: usize, seconds: f64) -> Row {
        let own = Figures {
            seconds,
            cpu_seconds: Some(2.0 * seconds),
            peak_mb: Some(12.4),
            ..Figures::default()
        };
        Row {
            work: "rank-swap".to_owned(),
            published: super::super::peers::published("rank-swap"),
            n,
            outcome: Ok(Outcome {
                own,
                one_thread: Some(1.7 * seconds),
                peers: Vec::new(),
            }),
        }
    }

    #[test]
    fn growth_is_the_exponent_of_the_rows() {
        // Ten times the rows, a hundred times the time: exponent 2.
        assert!((growth((1_000, 0.01), (10_000, 1.0)).unwrap() - 2.0).abs() < 1e-12);
        assert_eq!(growth((1_000, 0.0001), (10_000, 1.0)), None);
    }

    #[test]
    fn the_table_states_growth_and_ratio_and_hides_no_failure() {
        let mut broken = row(1_000_000, 1.0);
        broken.outcome = Err(Lack::Failed(
            "a plain recount gives another answer".to_owned(),
        ));
        let mut left_out = row(2_000_000, 1.0);
        left_out.outcome = Err(Lack::NotRun("it would take an hour".to_owned()));
        let rows = [row(10_000, 0.01), row(100_000, 0.1), broken, left_out];
        let text = report(&rows, None, "Peers: none.");
        let line = |n: &str| {
            text.lines()
                .find(|line| line.contains(n))
                .unwrap()
                .to_owned()
        };
        // Time and rows both times ten; 2.77 s of sdcMicro against 0.2 CPU seconds.
        assert!(line(" 100000 |").contains("1.00"), "{text}");
        assert!(line(" 100000 |").contains("**14**"), "{text}");
        assert!(line(" 100000 |").contains(" 1.7 |"), "{text}");
        assert!(line(" 1000000 |").contains("FAILED"));
        assert!(text.contains("FAILED: rank-swap on 1000000 rows: a plain recount"));
        assert!(line(" 2000000 |").contains("not run"));
        assert!(text.contains("Not run: `rank-swap` on 2000000 rows: it would take an hour."));
        let widths: Vec<usize> = text.lines().take(5).map(str::len).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
    }

    #[test]
    fn times_have_about_three_figures() {
        let texts = [123.4, 12.34, 1.234, 0.1234, 0.000_01].map(time_text);
        assert_eq!(texts, ["123", "12.3", "1.23", "0.1234", "<0.0001"]);
    }

    #[test]
    fn the_page_names_cores_date_and_load() {
        let text = page("| table |\n", Some("2026-11-16"), Some(1.26));
        assert!(text.contains("cores, source of 2026-11-16. Others"));
        assert!(text.contains("the load was 1.3 when"));
        let quiet = page("| table |\n", None, None);
        assert!(quiet.contains("cores. Ratios"));
        assert!(text.ends_with("\n\n| table |\n"));
    }
}
