//! What deletion and calibration did to variables that were not calibrated on.

use crate::adjust::calibration::found::ShareRow;
use crate::exhibit::{Cell, Column, Exhibit, Paragraph, Shows, Table, Unit, View};

/// Weighted shares of categories: original, as it was left, calibrated.
pub(super) fn exhibit(rows: &[ShareRow]) -> Exhibit {
    let row = |row: &ShareRow| -> Vec<Cell> {
        vec![
            row.variable.as_str().into(),
            row.category.as_deref().into(),
            row.original.into(),
            row.uncalibrated.into(),
            row.calibrated.into(),
        ]
    };
    let compared = |name: &str, label: &str| Column {
        differs_from: Some("original".to_owned()),
        ..Column::of(Unit::Share, name, label)
    };
    let table = Table {
        columns: vec![
            Column::filed("variable"),
            Column::text("category", "Category").or("missing"),
            Column::of(Unit::Share, "original", "Original"),
            compared("uncalibrated", "Starting weights"),
            compared("calibrated", "Calibrated"),
        ],
        rows: rows.iter().map(row).collect(),
        group: Some("variable".to_owned()),
        ..Table::default()
    };
    let caption = "Weighted shares of variables that were not calibrated on";
    let said = "Differences are from the original, in points of percent.";
    Exhibit {
        id: "shares".to_owned(),
        title: "Variables that were not calibrated on".to_owned(),
        text: vec![Paragraph::of(said)],
        views: vec![View::new(caption, Shows::Table(table)).filed("shares")],
        public: None,
    }
}
