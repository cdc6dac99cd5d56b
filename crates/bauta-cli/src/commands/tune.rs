//! `bauta tune`: the search for the variant of a plan that holds its conditions and loses least.

use std::path::{Path, PathBuf};

use bauta_methods::few_records::RULE_OF_TEN;
use bauta_plan::output::{Access, Guard, folder_of, write_files};
use bauta_plan::real_place;
use bauta_plan::sweep::{Grid, TradeOff, TradePoint};
use bauta_plan::tune::{
    AS_PLANNED, ChosenBy, Judged, Node, Request, Spread, Tuned, folder_of_plan, tune, tuned_plan,
};
use bauta_report::TunePage;
use serde_json::json;

use crate::Outcome;
use crate::arguments::{Global, TuneArguments};
use crate::commands::check::{read_plan, refused};
use crate::commands::sweep::check;
use crate::failure::Failure;
use crate::print::{object, out, say};
use crate::progress::Progress;
use crate::recovery::recover_beside;
use crate::tables::{figure, figure_text, number_cell, table, text};

pub(crate) fn run(arguments: &TuneArguments, global: &Global) -> Result<Outcome, Failure> {
    let plan = arguments.plan.as_path();
    let plan_text = read_plan(plan)?;
    let grid = load(plan, &plan_text, arguments.seed)?;
    let folder = arguments.records.clone();
    let folder = folder.unwrap_or_else(|| folder_of_plan(plan));
    let output = output_of(arguments)?;
    recover_beside([folder.join("table.csv"), output.clone()]);
    let reads = [plan.to_owned()];
    Guard::new(&reads, global.replace()).check(&[output.as_path()])?;
    let request = Request {
        grid: &grid,
        text: &plan_text,
        plan,
        folder: &folder,
        replace: global.replace(),
        memory: global.memory,
        figures: arguments.map.as_deref(),
        max_risk: arguments.max_risk,
        strategy: arguments.strategy.into(),
        runs: arguments.runs,
        seconds: arguments.seconds,
        again: arguments.again,
        may_fail: arguments.may_fail,
        suppressed: arguments.suppress,
    };
    let progress = Progress::new(global.quiet || global.json);
    let tuned = tune(&request, &progress)?;
    drop(progress);
    if tuned.n_kept() > 0 && !global.quiet {
        say!(
            "{} of {} runs were finished by an earlier search and were not done again",
            tuned.n_kept(),
            tuned.n_runs()
        );
    }
    let files = write(&tuned, plan, &folder, &output, global)?;
    if global.json {
        let mut all = tuned.evidence();
        // Screens and scripts are not shown what rests on few records; the evidence in the folder has it.
        hide_few(&mut all, &tuned);
        let files = files.iter().map(|(what, file)| {
            let name = what.trim_end().trim_end_matches(':').to_owned();
            (name, json!(file.display().to_string()))
        });
        all["files"] = serde_json::Value::Object(files.collect());
        object(&all);
    } else {
        print(&tuned);
        for (what, file) in &files {
            out!("{what} {} (confidential)", file.display());
        }
    }
    Ok(match tuned.chosen {
        Some(_) => Outcome::Fine,
        None => Outcome::Refused,
    })
}

/// Reads and checks the plan, or the grid that it is.
fn load(file: &Path, text: &str, seed: Option<u64>) -> Result<Grid, Failure> {
    let read = Grid::read(text);
    let grid = read.map_err(|problems| refused(file, text, problems))?;
    let grid = match seed {
        Some(seed) if grid.axes.iter().all(|axis| axis.name != "seed") => grid.with_seed(seed),
        _ => grid,
    };
    check(&grid, file, text)?;
    Ok(grid)
}

/// Where the chosen plan goes: into the folder of the plan, since its paths are relative to that.
fn output_of(arguments: &TuneArguments) -> Result<PathBuf, Failure> {
    let plan = arguments.plan.as_path();
    let Some(output) = &arguments.output else {
        return Ok(tuned_plan(plan));
    };
    let place = |file: &Path| real_place(folder_of(file));
    if place(output) == place(plan) {
        return Ok(output.clone());
    }
    Err(Failure::mistake(
        format!("{} is not in the folder of the plan", output.display()),
        "the paths in a plan are relative to its folder: name a file beside it",
    ))
}

type Files = Vec<(&'static str, PathBuf)>;

/// Writes the chosen plan, the evidence, table, page and map, all or none.
fn write(
    tuned: &Tuned,
    plan: &Path,
    folder: &Path,
    output: &Path,
    global: &Global,
) -> Result<Files, Failure> {
    let name = plan.file_name().unwrap_or_default().to_string_lossy();
    let page = TunePage { plan: &name, tuned };
    let evidence = serde_json::to_string_pretty(&tuned.evidence());
    let evidence = evidence.map_err(|error| Failure::bug(error.to_string()))?;
    let texts = [
        ("plan: ", output.to_owned(), tuned.text.clone()),
        ("evidence:", folder.join("tune.json"), Some(evidence)),
        ("table:", folder.join("table.csv"), Some(page.csv())),
        ("page: ", folder.join("tune.html"), Some(page.html())),
        ("map:  ", folder.join("map.svg"), page.svg()),
    ];
    let texts = texts
        .into_iter()
        .filter_map(|(what, file, text)| Some((what, file, text?)));
    let texts: Vec<(&'static str, PathBuf, String)> = texts.collect();
    let files: Vec<(PathBuf, &[u8])> = (texts.iter())
        .map(|(_, file, text)| (file.clone(), text.as_bytes()))
        .collect();
    let guard = Guard::new(&tuned.reads, global.replace()).and(plan);
    write_files(&files, Access::OwnerOnly, &guard)?;
    let files = texts.into_iter().map(|(what, file, _)| (what, file));
    Ok(files.collect())
}

/// Takes out of what scripts are given the figures that rest on few records.
fn hide_few(all: &mut serde_json::Value, tuned: &Tuned) {
    let levels = &mut all["levels"];
    if !levels.is_null() {
        let mut nodes = levels["nodes"].as_array().cloned().unwrap_or_default();
        let mut own = levels["own"].clone();
        for node in nodes.iter_mut().chain([&mut own]) {
            let n_suppressed = node["n_suppressed"].as_u64();
            if n_suppressed.is_some_and(|n| (1..RULE_OF_TEN).contains(&n)) {
                node["n_suppressed"] = serde_json::Value::Null;
            }
        }
        levels["nodes"] = nodes.into();
        levels["own"] = own;
    }
    let hide = |object: &mut serde_json::Value, few: bool| {
        if few && !object.is_null() {
            object["risk"] = serde_json::Value::Null;
            object["loss"] = serde_json::Value::Null;
        }
    };
    // In a sample a figure may rest on few records that rests on many in full.
    for (number, stage) in tuned.stages.iter().enumerate() {
        for (at, outcome) in stage.outcomes.iter().enumerate() {
            let variant = &mut all["stages"][number]["variants"][at];
            hide(variant, tuned.is_few(outcome));
        }
    }
    for (at, judged) in tuned.judged.iter().enumerate() {
        hide(&mut all["fresh_seeds"][at], judged.few);
    }
    if let Some(confirmed) = &tuned.confirmed {
        hide(&mut all["confirmed"], confirmed.few);
    }
}

fn print(tuned: &Tuned) {
    for searched in &tuned.searched {
        out!("searched: {searched}");
    }
    for not_searched in &tuned.not_searched {
        out!("not searched: {not_searched}");
    }
    let n_left_out = tuned.grid.variants.len() - tuned.n_tried();
    if n_left_out > 0 {
        let why = match (tuned.chosen_by, tuned.chosen) {
            (ChosenBy::Levels, Some(_)) => "which lose more than what was chosen",
            _ => "for want of runs or time",
        };
        out!("not tried: {n_left_out} candidates, {why}");
    }
    let stages = tuned.stages.iter().map(|stage| {
        let n_failed = stage.outcomes.iter().filter(|of| of.found.is_err()).count();
        let failed = match n_failed {
            0 => String::new(),
            n => format!(" ({n} could not be run)"),
        };
        format!(
            "{} on {} records{failed}",
            stage.candidates.len(),
            stage.n_records
        )
    });
    let stages: Vec<String> = stages.collect();
    out!("runs: {}, that is {}", tuned.n_runs(), stages.join(", "));
    for why in tuned.why_not_repeatable() {
        out!("{why}");
    }
    print_failures(tuned);
    print_levels(tuned);
    print_front(tuned);
    print_judged(tuned);
    print_choice(tuned);
}

/// What the search of levels found.
fn print_levels(tuned: &Tuned) {
    let Some(levels) = &tuned.levels else {
        return;
    };
    let shown = |value: f64| figure_text(Some(value));
    out!(
        "levels at k = {}, what stands out treated by {}; loss `{}`, 0 nothing and 1 everything:",
        levels.k,
        levels.suppression,
        levels.loss
    );
    let line = |what: &str, node: &Node| {
        let of_keys = node
            .levels
            .iter()
            .map(|(name, level)| format!("{name} {level}"));
        let of_keys: Vec<String> = of_keys.collect();
        let beyond = if node.safe { "" } else { " (more than may)" };
        let gone = match node.gone.as_slice() {
            [] => String::new(),
            gone => format!(" (one value is left of {})", gone.join(", ")),
        };
        out!(
            "  {what}: {}{gone}; loss {}, {} records stand out{beyond}",
            of_keys.join(", "),
            shown(node.loss),
            match node.n_suppressed {
                0 => "no".to_owned(),
                n if n < RULE_OF_TEN => format!("fewer than {RULE_OF_TEN}"),
                n => n.to_string(),
            }
        );
    };
    line("the plan's own", &levels.own);
    if let Some(best) = levels.nodes.first() {
        line("the best", best);
    }
    out!("  the choice among levels is by this loss; the figures below are the plan's own");
}

/// Finalists that are printed; the table has all.
const MAX_ROWS: usize = 20;

/// The finalists on the front, the chosen one and the plan's own.
fn print_front(tuned: &Tuned) {
    let Some(trade) = &tuned.trade else {
        out!("no map: the plan measures no risk, or no loss, that has a good end");
        return;
    };
    let figures = [trade.risk.figure.spelled(), trade.loss.figure.spelled()];
    let mut headings = vec!["variant"];
    headings.extend(tuned.grid.axes.iter().map(|axis| axis.name.as_str()));
    headings.extend(figures.iter().map(String::as_str));
    headings.extend(["holds", "front", "choice"]);
    let mut shown = table(headings);
    let is_shown =
        |at: usize, point: &TradePoint| point.on_front || at == 0 || tuned.chosen == Some(at);
    let mut rows: Vec<(usize, &TradePoint)> = (trade.points.iter().enumerate())
        .filter(|(at, point)| is_shown(*at, point))
        .collect();
    rows.sort_by(|(a, point_a), (b, point_b)| {
        let loss = |point: &TradePoint| point.utility.unwrap_or(f64::NEG_INFINITY);
        loss(point_a).total_cmp(&loss(point_b)).then(a.cmp(b))
    });
    let n_more = rows.len().saturating_sub(MAX_ROWS);
    for (at, point) in rows.into_iter().take(MAX_ROWS) {
        let mut row = vec![text(tuned.outcomes()[at].id.clone())];
        row.extend(tuned.finalists.variants[at].values.iter().map(text));
        let told = Some(point).filter(|point| !point.few);
        row.push(figure(told.and_then(|point| point.risk)));
        row.push(figure(told.and_then(|point| point.loss)));
        row.push(text(if tuned.holds[at] { "yes" } else { "NO" }));
        row.push(text(if point.on_front { "yes" } else { "" }));
        row.push(text(if tuned.chosen == Some(at) {
            "chosen"
        } else {
            ""
        }));
        shown.add_row(row);
    }
    out!("{shown}");
    if n_more > 0 {
        out!("- and {n_more} more on the front, in the page");
    }
    if let Some(tolerated) = trade.tolerated {
        out!("tolerated: {} {}", figures[0], figure_text(Some(tolerated)));
    }
}

/// What finalists were on fresh seeds.
fn print_judged(tuned: &Tuned) {
    let Some(trade) = &tuned.trade else {
        return;
    };
    let drawn = tuned.judged.iter().filter(|judged| judged.n_seeds > 0);
    let drawn = drawn.map(|judged| (judged, ""));
    let confirmed = tuned.confirmed.iter();
    let confirmed = confirmed.map(|judged| (judged, ", once more"));
    let drawn: Vec<(&Judged, &str)> = drawn.chain(confirmed).collect();
    if drawn.is_empty() {
        return;
    }
    let [risk, loss] = [trade.risk.figure.spelled(), trade.loss.figure.spelled()];
    let risk = format!("{risk}: mean, sd, least to largest");
    let loss = format!("{loss}: mean, sd, least to largest");
    let mut shown = table(["on fresh seeds", "held", risk.as_str(), loss.as_str()]);
    for (judged, which) in drawn {
        let spread = |of: Option<Spread>| {
            let of = of.filter(|_| !judged.few);
            let [mean, sd, min, max] = [
                of.map(|of| of.mean),
                of.map(|of| of.sd),
                of.map(|of| of.min),
                of.map(|of| of.max),
            ]
            .map(short);
            number_cell(format!("{mean}, {sd}, {min} to {max}"))
        };
        shown.add_row([
            text(format!("{}{which}", tuned.outcomes()[judged.finalist].id)),
            number_cell(format!("{} of {}", judged.n_held, judged.n_seeds)),
            spread(judged.risk),
            spread(judged.loss),
        ]);
    }
    out!("{shown}");
}

/// A figure among others, in four digits or so.
fn short(value: Option<f64>) -> String {
    value.map_or_else(
        || "-".to_owned(),
        |value| figure_text(Some((value * 1e5).round() / 1e5)),
    )
}

fn print_choice(tuned: &Tuned) {
    for &finalist in &tuned.passed_over {
        let id = &tuned.outcomes()[finalist].id;
        if let Some(judged) = tuned.judged_of(finalist) {
            out!(
                "passed over: {id} held under its own seed and failed on {} of {} fresh ones",
                judged.n_seeds - judged.n_held,
                judged.n_seeds
            );
        }
    }
    let Some(chosen) = tuned.chosen else {
        let n_holding = tuned.holds.iter().filter(|holds| **holds).count();
        out!(
            "nothing was chosen: {}",
            if n_holding == 0 {
                "no finalist holds every condition"
            } else {
                "no finalist that holds every condition does so on fresh seeds"
            }
        );
        return;
    };
    let id = &tuned.outcomes()[chosen].id;
    let values = tuned.finalists.variants[chosen].values.iter();
    let values: Vec<&str> = values
        .map(String::as_str)
        .filter(|value| !value.is_empty())
        .collect();
    out!("chosen: {id}, {}", values.join(", "));
    if let Some(trade) = &tuned.trade {
        print_figures(tuned, trade, chosen);
    }
    for why in tuned.why().into_iter().flatten() {
        out!("  {why}");
    }
    if tuned
        .judged_choice()
        .is_some_and(|judged| tuned.is_lucky(judged))
    {
        out!("  its own seed gave less loss than every fresh one: expect the loss of those");
    }
}

/// Risk and loss of the choice, beside those of the plan as it is.
fn print_figures(tuned: &Tuned, trade: &TradeOff, chosen: usize) {
    let values = tuned.grid.variants[0].values.first();
    let has_own = values.is_some_and(|value| value == AS_PLANNED) && chosen != 0;
    let points = |of: fn(&TradePoint) -> Option<f64>| {
        let told = |at: usize| trade.points.get(at).filter(|point| !point.few).and_then(of);
        (told(chosen), told(0).filter(|_| has_own))
    };
    for (axis, (found, own)) in [
        (&trade.risk, points(|point| point.risk)),
        (&trade.loss, points(|point| point.loss)),
    ] {
        let beside = own.map_or_else(String::new, |own| {
            format!(" (the plan as it is: {})", figure_text(Some(own)))
        });
        let found = figure_text(found);
        out!("  {} {found}{beside}", axis.figure.spelled());
    }
}

/// Reasons why variants could not be run that are printed; the table has all.
const MAX_REASONS: usize = 5;

fn print_failures(tuned: &Tuned) {
    let outcomes = tuned.stages.iter().flat_map(|stage| &stage.outcomes);
    let mut reasons: Vec<&str> = Vec::new();
    for reason in outcomes.filter_map(|of| of.found.as_ref().err()) {
        if !reasons.contains(&reason.as_str()) {
            reasons.push(reason);
        }
    }
    for reason in reasons.iter().take(MAX_REASONS) {
        out!("- could not be run: {reason}");
    }
    let n_more = reasons.len().saturating_sub(MAX_REASONS);
    if n_more > 0 {
        out!("- and for {n_more} more reasons, in the table");
    }
}
