//! `bauta sweep`: every variant of a plan, and the trade-off between them.

use std::path::{Path, PathBuf};

use bauta_data::DataError;
use bauta_plan::output::{Access, Guard, write_files};
use bauta_plan::sweep::{Grid, Request, Swept, TradeOff, VariantOutcome, folder_of_plan, sweep};
use bauta_plan::work::Mistake;
use bauta_report::SweepPage;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, SweepArguments};
use crate::commands::check::{read_plan, refused};
use crate::failure::Failure;
use crate::print::{object, out, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::tables::{figure, table, text};

pub(crate) fn run(arguments: &SweepArguments, global: &Global) -> Result<Outcome, Failure> {
    let plan = arguments.plan.as_path();
    let grid = load(plan, arguments.seed)?;
    let folder = arguments.output.clone();
    let folder = folder.unwrap_or_else(|| folder_of_plan(plan));
    recover_beside([folder.join("table.csv")]);
    if !global.json {
        print_grid(&grid);
    }
    if arguments.dry_run {
        if global.json {
            object(&grid_object(&grid));
        }
        return Ok(Outcome::Fine);
    }
    let request = Request {
        grid: &grid,
        plan,
        folder: &folder,
        replace: global.replace(),
        memory: global.memory,
        figures: arguments.map.as_deref(),
    };
    let progress = Progress::new(global.quiet || global.json);
    let swept = sweep(&request, &progress)?;
    drop(progress);
    if swept.n_kept > 0 && !global.quiet {
        let n_variants = grid.variants.len();
        say!(
            "{} of {n_variants} variants were finished by an earlier sweep and were not run again",
            swept.n_kept
        );
    }
    let trade = swept.trade_off(arguments.max_risk);
    let page = SweepPage {
        plan: &plan.file_name().unwrap_or_default().to_string_lossy(),
        grid: &grid,
        outcomes: &swept.outcomes,
        trade: trade.as_ref(),
        chosen: chosen(arguments, &swept)?,
        why: arguments.why.as_deref(),
    };
    let files = write(&page, &folder, &swept, global)?;
    if global.json {
        print_json(&grid, &swept, trade.as_ref(), &files);
    } else {
        print_table(&grid, &swept, trade.as_ref());
        if trade.is_none() && swept.outcomes.iter().any(|of| of.found.is_ok()) {
            say!("no map: {}", swept.why_no_trade_off());
        }
        for (what, file) in &files {
            out!("{what} {} (confidential)", file.display());
        }
    }
    Ok(verdict(&swept))
}

/// Reads and checks the grid of a plan.
fn load(file: &Path, seed: Option<u64>) -> Result<Grid, Failure> {
    let text = read_plan(file)?;
    let read = Grid::read(&text);
    let grid = read.map_err(|problems| refused(file, &text, problems))?;
    if grid.axes.is_empty() {
        return Err(Failure::mistake(
            format!("{} has no axis: there is one plan to run", file.display()),
            "write `{ sweep = [v1, v2] }` in place of a value, or use `bauta run`",
        ));
    }
    let grid = match seed {
        Some(_) if grid.axes.iter().any(|axis| axis.name == "seed") => {
            return Err(Failure::mistake(
                "the plan sweeps over seeds, and --seed gives one",
                "leave out one of the two",
            ));
        }
        Some(seed) => grid.with_seed(seed),
        None => grid,
    };
    check(&grid, file, &text)?;
    Ok(grid)
}

/// Checks every variant.
pub(crate) fn check(grid: &Grid, file: &Path, text: &str) -> Result<(), Failure> {
    let checked = grid.check_in_folder(file);
    checked.map_err(|problems| refused(file, text, problems))
}

/// The size of a grid, as people read it.
pub(crate) fn print_grid(grid: &Grid) {
    for axis in &grid.axes {
        out!(
            "axis {}: {} ({} values)",
            axis.name,
            axis.values.join(", "),
            axis.values.len()
        );
    }
    let sizes: Vec<String> = (grid.axes.iter())
        .map(|axis| axis.values.len().to_string())
        .collect();
    let n_variants = grid.variants.len();
    if sizes.len() > 1 {
        out!("grid: {} = {n_variants} variants", sizes.join(" × "));
    } else {
        out!("grid: {n_variants} variants");
    }
}

/// The size of a grid, as scripts read it.
pub(crate) fn grid_object(grid: &Grid) -> serde_json::Value {
    let axes = grid.axes.iter();
    let axes = axes.map(|axis| json!({ "name": axis.name, "values": axis.values }));
    json!({
        "axes": axes.collect::<Vec<_>>(),
        "n_variants": grid.variants.len(),
    })
}

/// The position of the variant that is to be marked.
fn chosen(arguments: &SweepArguments, swept: &Swept) -> Result<Option<usize>, Failure> {
    let Some(id) = &arguments.chosen else {
        return Ok(None);
    };
    let mut ids = swept.outcomes.iter().map(|outcome| outcome.id.as_str());
    let found = ids.position(|other| other == id);
    found.map(Some).ok_or_else(|| {
        Failure::Mistake(Mistake {
            message: format!("there is no variant `{id}`"),
            hint: "the table of the sweep has their names".to_owned(),
            ..Mistake::default()
        })
    })
}

type Files = Vec<(&'static str, PathBuf)>;

/// Writes table, page and map, all or none.
fn write(
    page: &SweepPage<'_>,
    folder: &Path,
    swept: &Swept,
    global: &Global,
) -> Result<Files, DataError> {
    let map = page.svg();
    let texts = [
        ("table:", "table.csv", Some(page.csv())),
        ("page: ", "sweep.html", Some(page.html())),
        ("map:  ", "map.svg", map),
    ];
    let texts = texts.into_iter().filter_map(|(what, name, text)| {
        let text = text?;
        Some((what, folder.join(name), text))
    });
    let texts: Vec<(&'static str, PathBuf, String)> = texts.collect();
    let files: Vec<(PathBuf, &[u8])> = (texts.iter())
        .map(|(_, file, text)| (file.clone(), text.as_bytes()))
        .collect();
    let guard = Guard::new(&swept.reads, global.replace());
    write_files(&files, Access::OwnerOnly, &guard)?;
    let files = texts.into_iter().map(|(what, file, _)| (what, file));
    Ok(files.collect())
}

/// Fine where a variant holds what the plan asks for, or where there is one and nothing is asked.
fn verdict(swept: &Swept) -> Outcome {
    let holds = |outcome: &VariantOutcome| outcome.found.is_ok() && outcome.passed() != Some(false);
    if swept.outcomes.iter().any(holds) {
        Outcome::Fine
    } else {
        Outcome::Refused
    }
}

/// Variants that are printed; the table has all.
const MAX_ROWS: usize = 100;

fn print_table(grid: &Grid, swept: &Swept, trade: Option<&TradeOff>) {
    let mut headings = vec!["variant"];
    headings.extend(grid.axes.iter().map(|axis| axis.name.as_str()));
    let figures = trade.map(|trade| [trade.risk.figure.spelled(), trade.loss.figure.spelled()]);
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    headings.extend(figures.iter().map(String::as_str));
    headings.extend(["gates", "front"]);
    let mut shown = table(headings);
    let mut reasons: Vec<String> = Vec::new();
    let rows = grid.variants.iter().zip(&swept.outcomes).enumerate();
    for (position, (variant, outcome)) in rows.take(MAX_ROWS) {
        let mut row = vec![text(outcome.id.clone())];
        row.extend(variant.values.iter().map(text));
        let point = trade.and_then(|trade| trade.points.get(position));
        if trade.is_some() {
            let told = point.filter(|point| !point.few);
            row.push(figure(told.and_then(|point| point.risk)));
            row.push(figure(told.and_then(|point| point.loss)));
        }
        row.push(text(match outcome.conditions() {
            "fail" => "FAIL",
            conditions => conditions,
        }));
        let on_front = point.is_some_and(|point| point.on_front);
        row.push(text(if on_front { "yes" } else { "" }));
        shown.add_row(row);
        if let Err(reason) = &outcome.found {
            reasons.push(format!("- {} failed: {reason}", outcome.id));
        }
    }
    out!("{shown}");
    let n_more = swept.outcomes.len().saturating_sub(MAX_ROWS);
    if n_more > 0 {
        out!("- and {n_more} more, in the table");
    }
    for reason in reasons {
        out!("{reason}");
    }
    print_timed(&swept.outcomes);
    if let Some(trade) = trade {
        print_original(trade);
        let unmoved = trade.axes_without_risk(grid);
        if !unmoved.is_empty() {
            out!(
                "the same {} whatever {} is, so that it says nothing of the risk there; --map RISK,LOSS compares by \
                 another",
                trade.risk.figure.spelled(),
                unmoved.join(" and ")
            );
        }
    }
}

/// The variants that another run may find otherwise.
fn print_timed(outcomes: &[VariantOutcome]) {
    let timed = outcomes.iter().filter(|outcome| outcome.is_timed());
    let timed: Vec<&str> = timed.map(|outcome| outcome.id.as_str()).collect();
    if !timed.is_empty() {
        out!(
            "- cannot be repeated, since the clock ended a step or could have: {}",
            timed.join(", ")
        );
    }
}

/// What the original has, beside which the variants are read.
fn print_original(trade: &TradeOff) {
    let shown = |value: Option<f64>| crate::tables::figure_text(value);
    out!(
        "the original itself: {} {}, {} {}",
        trade.risk.figure.spelled(),
        shown(trade.risk.original),
        trade.loss.figure.spelled(),
        shown(trade.loss.original)
    );
    if let Some(tolerated) = trade.tolerated {
        out!(
            "tolerated: {} {}",
            trade.risk.figure.spelled(),
            shown(Some(tolerated))
        );
    }
}

fn print_json(grid: &Grid, swept: &Swept, trade: Option<&TradeOff>, files: &Files) {
    let mut all = grid_object(grid);
    let rows = grid.variants.iter().zip(&swept.outcomes).enumerate();
    let variants = rows.map(|(position, (variant, outcome))| {
        let names = grid.axes.iter().map(|axis| axis.name.clone());
        let values = variant.values.iter().map(|value| json!(value));
        let values: serde_json::Map<String, serde_json::Value> = names.zip(values).collect();
        let point = trade.and_then(|trade| trade.points.get(position));
        let told = point.filter(|point| !point.few);
        json!({
            "id": outcome.id,
            "values": values,
            "risk": told.and_then(|point| point.risk),
            "loss": told.and_then(|point| point.loss),
            "utility": told.and_then(|point| point.utility),
            "passed": outcome.passed(),
            "repeatable": outcome.found.is_ok().then(|| !outcome.is_timed()),
            "on_front": point.is_some_and(|point| point.on_front),
            "failed": outcome.found.as_ref().err(),
        })
    });
    all["variants"] = variants.collect();
    all["n_kept"] = json!(swept.n_kept);
    all["map"] = json!(trade.map(|trade| json!({
        "risk": trade.risk.figure.spelled(),
        "loss": trade.loss.figure.spelled(),
        "original": { "risk": trade.risk.original, "loss": trade.loss.original },
        "no_utility_at": trade.no_utility,
        "tolerated": trade.tolerated,
    })));
    let files = files.iter().map(|(what, file)| {
        let name = what.trim_end().trim_end_matches(':').to_owned();
        (name, json!(file.display().to_string()))
    });
    all["files"] = serde_json::Value::Object(files.collect());
    object(&all);
}
