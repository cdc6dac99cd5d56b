//! Conditions on records: whatever the text, logic holds.

use std::path::Path;

use bauta_data::condition::ConditionProblem;
use bauta_data::format::{self, ReadOptions};
use bauta_data::{Attribute, Condition, Schema, Table};

use super::Target;
use crate::fuzz::case::Case;
use crate::fuzz::draws::Draws;
use crate::fuzz::finding::{Finding, Oracle, Outcome, Verdict};
use crate::fuzz::make::cells;
use crate::fuzz::make::condition::condition;
use crate::fuzz::make::damage::damaged;
use crate::fuzz::make::table::{MadeTable, Numbers, Spelling};
use crate::fuzz::oracle::canaries::Canaries;
use crate::fuzz::world::{Patience, World};

/// Texts of `where`.
pub(crate) struct Conditions;

const CONDITION: &str = "condition.txt";
const DATA: &str = "x.csv";
/// Kinds of the variables, in their order.
const KINDS: &str = "kinds.json";

impl Target for Conditions {
    fn name(&self) -> &'static str {
        "conditions"
    }

    fn make(&self, draws: &mut Draws, _world: &World) -> Case {
        let numbers = draws.pick(&[Numbers::Usual, Numbers::Extreme]);
        let table = MadeTable::usual(draws, 12, numbers);
        let mut text = match draws.below(12) {
            0 => deep(draws, &table),
            1 => long(draws, &table),
            2 => cells::odd_text(draws),
            _ => condition(draws, &table, 4),
        };
        if draws.one_in(3) {
            let other = condition(draws, &table, 3);
            let bytes = damaged(draws, text.as_bytes(), other.as_bytes());
            text = String::from_utf8_lossy(&bytes).into_owned();
        }
        let kinds: Vec<_> = table
            .columns
            .iter()
            .map(|column| (&column.name, column.role, column.kind))
            .collect();
        let kinds = serde_json::to_string(&kinds).expect("kinds are JSON");
        Case::default()
            .with(CONDITION, text)
            .with(KINDS, kinds + "\n")
            .with(DATA, table.spelled(&Spelling::PLAIN))
    }

    fn run(&self, case: &Case, _world: &World) -> Outcome {
        let text = case.text(CONDITION);
        let data = case.text(DATA);
        let header = data.lines().next().unwrap_or_default();
        let canaries = Canaries::of([data], [text, header]);
        let refused = |problem: &ConditionProblem| {
            let told = format!("{} ({})", problem.message, problem.hint);
            canaries
                .look_for("the problem", &told)
                .map(|()| Verdict::Refused)
        };
        let read = match Condition::parse(text) {
            Ok(read) => read,
            Err(problem) => return refused(&problem),
        };
        let shown = read.to_string();
        let again = Condition::parse(&shown)
            .map_err(|_| law("what it shows of itself cannot be read", &shown))?;
        if again.variables() != read.variables() {
            return Err(law("read again, it names other variables", text));
        }
        let Some(table) = table(case) else {
            return Ok(Verdict::Refused);
        };
        match read.holds(&table) {
            Ok(holds) => logic(&table, text, &holds).map(|()| Verdict::Accepted),
            Err(problem) => refused(&problem),
        }
    }
}

/// Brackets and negations as deep as one likes.
fn deep(draws: &mut Draws, table: &MadeTable) -> String {
    let n = draws.pick(&[10, 48, 49, 50, 51, 52, 1_000, 20_000]);
    let inner = condition(draws, table, 0);
    if draws.one_in(2) {
        format!("{}{inner}{}", "(".repeat(n), ")".repeat(n))
    } else {
        format!("{}{inner}", "not ".repeat(n))
    }
}

/// A row of comparisons as long as one likes.
fn long(draws: &mut Draws, table: &MadeTable) -> String {
    let n = draws.pick(&[2, 10, 100, 1_000]);
    let word = draws.pick(&[" and ", " or ", ", ", " "]);
    let terms: Vec<String> = (0..n).map(|_| condition(draws, table, 0)).collect();
    terms.join(word)
}

fn table(case: &Case) -> Option<Table> {
    let kinds: Vec<(String, bauta_data::Role, bauta_data::Kind)> =
        serde_json::from_str(case.text(KINDS)).ok()?;
    let attributes = kinds
        .into_iter()
        .map(|(name, role, kind)| Attribute::new(name, role, kind));
    let options = ReadOptions {
        schema: Schema {
            attributes: attributes.collect(),
            ..Schema::default()
        },
        ..ReadOptions::default()
    };
    let bytes = case.get(DATA)?;
    Some(
        format::read_bytes(Path::new(DATA), bytes, &options, &Patience)
            .ok()?
            .table,
    )
}

fn law(what: &str, text: &str) -> Finding {
    let text: String = text.chars().take(200).collect();
    Finding::new(Oracle::Law, format!("{what}: `{text}`"))
}

/// What holds of any condition c, whatever it says, unless it is too deep already.
fn logic(table: &Table, text: &str, holds: &[bool]) -> Result<(), Finding> {
    if holds.len() != table.n_records() {
        return Err(law("there is not one answer for each record", text));
    }
    let of = |text: String| {
        Condition::parse(&text)
            .ok()
            .and_then(|read| read.holds(table).ok())
    };
    let whole = format!("({text})");
    if let Some(bracketed) = of(whole.clone())
        && bracketed != holds
    {
        return Err(law("brackets around it change it", text));
    }
    if let Some(not) = of(format!("not {whole}"))
        && not.iter().zip(holds).any(|(not, holds)| *not && *holds)
    {
        return Err(law("it holds and does not hold", text));
    }
    if let Some(twice) = of(format!("not not {whole}"))
        && twice != holds
    {
        return Err(law("denied twice, it is another one", text));
    }
    for joined in [
        format!("{whole} and {whole}"),
        format!("{whole} or {whole}"),
    ] {
        if of(joined).is_some_and(|found| found != holds) {
            return Err(law("joined with itself, it is another one", text));
        }
    }
    let names = table.names();
    let other = names
        .last()
        .map_or_else(|| whole.clone(), |name| format!("`{name}` is missing"));
    let sides = (
        of(format!("not ({whole} and {other})")),
        of(format!("not {whole} or not {other}")),
    );
    match sides {
        (Some(left), Some(right)) if left != right => Err(law("De Morgan does not hold", text)),
        _ => Ok(()),
    }
}
