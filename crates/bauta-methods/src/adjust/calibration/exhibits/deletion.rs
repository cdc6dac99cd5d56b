//! Who was deleted, round by round and category by category.

use crate::adjust::calibration::found::{DeletedRow, Deletion};
use crate::exhibit::{
    Cell, Column, Exhibit, Layout, Paragraph, Shows, Table, Unit, View, sentence,
};

/// The deletion of records at risk.
pub(super) fn exhibit(found: Option<&Deletion>) -> Exhibit {
    let nothing = Deletion::default();
    let deletion = found.unwrap_or(&nothing);
    Exhibit {
        id: "deletion".to_owned(),
        title: "Records deleted because they were at risk".to_owned(),
        text: found
            .map(|found| Paragraph::of(sentence(&found.rule)))
            .into_iter()
            .collect(),
        views: vec![rounds(&deletion.rounds), by_category(&deletion.by_category)],
        public: None,
    }
}

fn rounds(rounds: &[u64]) -> View {
    let row = |(idx, &n_at_risk): (usize, &u64)| -> Vec<Cell> {
        let round = (idx as u64 + 1).into();
        vec![round, Cell::None, Cell::None, Cell::None, n_at_risk.into()]
    };
    let table = Table {
        columns: vec![
            Column::of(Unit::Count, "round", "Round"),
            Column::filed("variable"),
            Column::filed("category"),
            Column::filed("n_before"),
            Column::of(Unit::Count, "n_deleted", "Records at risk"),
        ],
        rows: rounds.iter().enumerate().map(row).collect(),
        layout: Layout::Across,
        ..Table::default()
    };
    let caption = "Records at risk found in each round; deleting them may put others at risk";
    View::new(caption, Shows::Table(table)).filed("deletion")
}

fn by_category(rows: &[DeletedRow]) -> View {
    let row = |row: &DeletedRow| -> Vec<Cell> {
        let share = (row.n_before > 0).then(|| row.n_deleted as f64 / row.n_before as f64);
        vec![
            Cell::None,
            row.variable.as_str().into(),
            row.category.as_deref().into(),
            row.n_before.into(),
            row.n_deleted.into(),
            share.into(),
        ]
    };
    let table = Table {
        columns: vec![
            Column::filed("round"),
            Column::filed("variable"),
            Column::text("category", "Category").or("missing"),
            Column::of(Unit::Count, "n_before", "Records"),
            Column::of(Unit::Count, "n_deleted", "Deleted"),
            Column::of(Unit::Share, "share", "Share deleted").on_page(),
        ],
        rows: rows.iter().map(row).collect(),
        group: Some("variable".to_owned()),
        ..Table::default()
    };
    let caption = "Deleted records by key and category";
    View::new(caption, Shows::Table(table)).filed("deletion")
}
