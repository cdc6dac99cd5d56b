//! Command lines that somebody might type, well and badly.

use bauta_data::{Attribute, Kind, Role};
use bauta_methods::{RawValue, registry};

use super::cells;
use super::condition::condition;
use super::params::{self, Fit};
use super::plan::{DATA, PLAN};
use super::table::MadeTable;
use crate::fuzz::draws::Draws;

/// An option that no command has.
pub(crate) const UNKNOWN_OPTION: &str = "--nothing";

/// One to three commands on the files of a plan.
pub(crate) fn commands(draws: &mut Draws, table: &MadeTable) -> Vec<Vec<String>> {
    let mut commands = vec![first(draws, table)];
    if commands[0][0] == "run" {
        let record = draws.pick(&["out.record.json", "run.json"]);
        let after: [&[&str]; 6] = [
            &["verify", record],
            &["report", record, "--external"],
            &["report", record],
            &["report", record, "-o", "page.html"],
            &["report", record, "--tables", "tables"],
            &["compare", DATA, "out.csv"],
        ];
        for command in draws.some(&after, 3) {
            commands.push(command.iter().map(|&word| word.to_owned()).collect());
        }
    }
    for command in &mut commands {
        if draws.one_in(4) {
            command.push("--json".to_owned());
        }
        if draws.one_in(6) {
            command.extend(["--threads".to_owned(), draws.between(1, 4).to_string()]);
        }
        if draws.one_in(12) {
            command.push(
                draws
                    .pick(&["--quiet", "--force", UNKNOWN_OPTION])
                    .to_owned(),
            );
        }
    }
    commands
}

fn first(draws: &mut Draws, table: &MadeTable) -> Vec<String> {
    let words =
        |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.to_owned()).collect() };
    match draws.below(16) {
        0 => words(&["check", PLAN]),
        1 => words(&["inspect", DATA]),
        2 => words(&["init", DATA, "-o", "new.toml"]),
        3 | 4 => risk(draws, table),
        5 => {
            let mut command = words(&[
                "explain-record",
                DATA,
                "--keys",
                &names(draws, table, &[Role::Key]),
            ]);
            command.extend([
                "--row".to_owned(),
                draws.below(table.n_records + 2).to_string(),
            ]);
            command
        }
        6 | 7 => compare(draws, table),
        8 | 9 => calibrate(draws, table),
        10 | 11 => mask(draws, table),
        _ => words(&["run", PLAN]),
    }
}

/// Names of variables with some roles, by commas.
fn names(draws: &mut Draws, table: &MadeTable, roles: &[Role]) -> String {
    let fitting = table
        .columns
        .iter()
        .filter(|column| roles.contains(&column.role));
    let fitting: Vec<String> = fitting.map(|column| column.name.clone()).collect();
    let mut chosen = draws.some(&fitting, 2);
    if chosen.is_empty() {
        chosen.push(params::variable(draws, table));
    }
    chosen.join(",")
}

fn one_of(draws: &mut Draws, table: &MadeTable, role: Role) -> Option<String> {
    let fitting = table.columns.iter().filter(|column| column.role == role);
    let fitting: Vec<String> = fitting.map(|column| column.name.clone()).collect();
    (!fitting.is_empty()).then(|| draws.pick(&fitting))
}

fn risk(draws: &mut Draws, table: &MadeTable) -> Vec<String> {
    let keys = names(draws, table, &[Role::Key]);
    let mut command: Vec<String> = ["risk", DATA, "--keys", &keys].map(str::to_owned).to_vec();
    for (option, role) in [
        ("--weight", Role::Weight),
        ("--household", Role::Household),
        ("--sensitive", Role::Sensitive),
    ] {
        if draws.one_in(3)
            && let Some(name) = one_of(draws, table, role)
        {
            command.extend([option.to_owned(), name]);
        }
    }
    if draws.one_in(3) {
        let form = draws.pick(&["prefix", "prefix:4,2", "intervals:1,5/5", "levels.csv"]);
        let key = keys.split(',').next().unwrap_or_default();
        command.extend(["--hierarchy".to_owned(), format!("{key}={form}")]);
    }
    if draws.one_in(4) {
        let semantics = draws.pick(&["own", "visible", "original", "wild", "none"]);
        command.extend(["--semantics".to_owned(), semantics.to_owned()]);
    }
    if draws.one_in(5) {
        command.extend(["--per-record".to_owned(), "records.csv".to_owned()]);
    }
    command
}

fn compare(draws: &mut Draws, table: &MadeTable) -> Vec<String> {
    let mut command = ["compare", DATA, DATA].map(str::to_owned).to_vec();
    if draws.one_in(2) {
        command.extend(["--keys".to_owned(), names(draws, table, &[Role::Key])]);
    }
    if draws.one_in(3) {
        command.push("--skip-missing".to_owned());
    }
    if draws.one_in(4) {
        command.extend(["--where".to_owned(), condition(draws, table, 1)]);
    }
    if draws.one_in(4) {
        command.extend([
            "--outliers".to_owned(),
            draws.pick(&["0.05", "0.5", "0"]).to_owned(),
        ]);
    }
    command
}

fn calibrate(draws: &mut Draws, table: &MadeTable) -> Vec<String> {
    let weight =
        one_of(draws, table, Role::Weight).unwrap_or_else(|| params::variable(draws, table));
    let categories = table
        .columns
        .iter()
        .filter(|column| column.kind != Kind::Continuous);
    let categories: Vec<String> = categories.map(|column| column.name.clone()).collect();
    let margins = draws.some(&categories, 2).join(",");
    let mut command = [
        "calibrate",
        DATA,
        "--weight",
        &weight,
        "--margins",
        &margins,
        "-o",
        "calibrated.csv",
    ]
    .map(str::to_owned)
    .to_vec();
    if draws.one_in(3) {
        command.extend(["--totals".to_owned(), "totals.csv".to_owned()]);
    }
    if draws.one_in(3) {
        command.extend([
            "--keys".to_owned(),
            names(draws, table, &[Role::Key]),
            "--k".to_owned(),
            "2".to_owned(),
        ]);
    }
    command
}

fn mask(draws: &mut Draws, table: &MadeTable) -> Vec<String> {
    let mask = draws.pick(registry::MASKS);
    let card = mask.card();
    let accepted = table.columns.iter().filter(|column| {
        let attribute = Attribute::new(column.name.clone(), column.role, column.kind);
        card.targets.problem(card.id, &attribute).is_none()
    });
    let accepted: Vec<String> = accepted.map(|column| column.name.clone()).collect();
    let mut on = draws.some(&accepted, 2);
    if on.is_empty() {
        on.push(params::variable(draws, table));
    }
    let mut command = [
        "mask",
        card.id,
        DATA,
        "--on",
        &on.join(","),
        "-o",
        "masked.csv",
    ]
    .map(str::to_owned)
    .to_vec();
    let fit = Fit::any(draws);
    for (name, value) in params::for_card(draws, card, &mask.example(), table, fit) {
        if card.param(&name).is_some() {
            command.extend([format!("--{name}"), typed(&value)]);
        }
    }
    if draws.one_in(20) {
        command.push(cells::odd_text(draws).replace('\0', ""));
    }
    command
}

/// A value as one types it.
fn typed(value: &RawValue) -> String {
    let text = match value {
        RawValue::Integer(number) => number.to_string(),
        RawValue::Number(number) => number.to_string(),
        RawValue::Flag(flag) => flag.to_string(),
        RawValue::Text(text) => text.clone(),
        RawValue::List(items) => items.iter().map(typed).collect::<Vec<_>>().join(","),
        RawValue::Map(pairs) => {
            let pairs = pairs
                .iter()
                .map(|(name, value)| format!("{name}={}", typed(value)));
            pairs.collect::<Vec<_>>().join(",")
        }
    };
    // No argument of a command can hold it.
    text.replace('\0', "")
}
