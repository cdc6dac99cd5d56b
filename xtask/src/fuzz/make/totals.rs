//! Files of totals, in both forms.

use super::cells;
use super::table::MadeTable;
use crate::fuzz::draws::Draws;

/// A file of totals for a table; mostly one that can be read.
pub(crate) fn totals_file(draws: &mut Draws, table: &MadeTable) -> String {
    let odd = draws.one_in(4);
    let total = |draws: &mut Draws| match draws.below(6) {
        0 if odd => cells::odd_number(draws),
        1 if odd => cells::extreme_number(draws),
        _ => format!("{}.{}", draws.below(5_000), draws.below(10)),
    };
    let mut text = String::new();
    if draws.one_in(2) {
        text.push_str("margin,target\n");
        for column in &table.columns {
            for level in &column.levels {
                text.push_str(&format!("{}={level},{}\n", column.name, total(draws)));
            }
        }
        text.push_str(&format!("1,{}\n", total(draws)));
        return text;
    }
    text.push_str("var,n,mar1,mar2,mar3\n");
    for column in &table.columns {
        let n = column.levels.len();
        let totals: Vec<String> = (0..n.max(1)).map(|_| total(draws)).collect();
        text.push_str(&format!("{},{n},{}\n", column.name, totals.join(",")));
    }
    text
}
