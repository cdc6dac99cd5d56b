//! Conditions on records, from their grammar.

use super::cells;
use super::params::{level, variable};
use super::table::MadeTable;
use crate::fuzz::draws::Draws;

/// A condition on the records of a table, nested so deep at most.
pub(crate) fn condition(draws: &mut Draws, table: &MadeTable, depth: usize) -> String {
    let inner = |draws: &mut Draws| condition(draws, table, depth.saturating_sub(1));
    match draws.below(if depth == 0 { 5 } else { 9 }) {
        0 | 1 => {
            let sign = draws.pick(&["=", "==", "!=", "<>", "<", "<=", ">", ">="]);
            format!("{} {sign} {}", name(draws, table), literal(draws, table))
        }
        2 => {
            let n = draws.between(1, 4);
            let values: Vec<String> = (0..n).map(|_| literal(draws, table)).collect();
            format!("{} in ({})", name(draws, table), values.join(", "))
        }
        3 => format!("{} is missing", name(draws, table)),
        4 => format!("{} is not missing", name(draws, table)),
        5 => format!("not {}", inner(draws)),
        6 => format!("({})", inner(draws)),
        7 => format!("{} and {}", inner(draws), inner(draws)),
        _ => format!("{} or {}", inner(draws), inner(draws)),
    }
}

fn name(draws: &mut Draws, table: &MadeTable) -> String {
    let name = variable(draws, table);
    let plain = name
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if plain && !draws.one_in(4) {
        name
    } else {
        format!("`{name}`")
    }
}

fn literal(draws: &mut Draws, table: &MadeTable) -> String {
    match draws.below(6) {
        0 => draws.below(100).to_string(),
        1 => cells::extreme_number(draws),
        2 => cells::odd_number(draws),
        3 => format!("\"{}\"", level(draws, table)),
        _ => format!("'{}'", level(draws, table)),
    }
}
