//! Frequency tables before and after, for the internal report.

use crate::exhibit::{Cell, Column, Exhibit, Shows, Table, Unit, View};
use crate::pair::categories::TwoCategories;
use crate::pair::margins::Margin;

/// A longer table is nobody's to read; the figures still rest on all categories.
const MAX_ROWS: usize = 200;

/// The frequency table of each variable, at the level at which it was compared. Confidential: it names categories
/// of few records.
pub(super) fn frequencies(variables: &[TwoCategories], margins: &[[Margin; 2]]) -> Vec<Exhibit> {
    let each = variables.iter().zip(margins);
    let views: Vec<View> = each
        .filter_map(|(variable, margins)| table(variable, margins))
        .collect();
    if views.is_empty() {
        return Vec::new();
    }
    vec![Exhibit {
        id: "frequencies".to_owned(),
        title: "Frequencies before and after".to_owned(),
        views,
        ..Exhibit::default()
    }]
}

/// The table of one variable; none where it has too many categories.
fn table(variable: &TwoCategories, margins: &[Margin; 2]) -> Option<View> {
    let [before, after] = margins.each_ref().map(|margin| &margin.records);
    let occurs = |code: &usize| before[*code] > 0.0 || after[*code] > 0.0;
    let codes: Vec<usize> = (0..variable.n_codes()).filter(occurs).collect();
    if codes.is_empty() || codes.len() > MAX_ROWS {
        return None;
    }
    let [n, m] = [before, after].map(|records| records.iter().sum::<f64>());
    let row = |&code: &usize| {
        let (f, g) = (before[code], after[code]);
        vec![
            Cell::from(variable.name.as_str()),
            Cell::from(variable.texts[code].as_str()),
            Cell::from(f),
            Cell::from(g),
            Cell::from(f / n),
            Cell::from(g / m),
            Cell::from(g / m - f / n),
        ]
    };
    let shown = Table {
        columns: vec![
            Column::filed("variable"),
            Column::text("category", "Category"),
            Column::of(Unit::Count, "records_before", "Records before"),
            Column::of(Unit::Count, "records_after", "Records after"),
            Column::of(Unit::Share, "share_before", "Share before"),
            Column::of(Unit::Share, "share_after", "Share after"),
            Column::of(Unit::Share, "difference", "Difference"),
        ],
        rows: codes.iter().map(row).collect(),
        ..Table::default()
    };
    let caption = format!("{}: records by category", variable.name);
    Some(
        View::new(caption, Shows::Table(shown))
            .filed("frequencies")
            .folded_if(codes.len() > 20),
    )
}
