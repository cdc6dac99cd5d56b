//! Frequency tables before and after, and pairs of variables, for the internal report.

use crate::exhibit::{Cell, Column, Exhibit, Shows, Table, Unit, View};
use crate::few_records::is_few;
use crate::loss::category_distance::two_way::OfPair;
use crate::pair::categories::TwoCategories;
use crate::pair::margins::Margin;

/// A longer table is nobody's to read; the figures still rest on all categories.
const MAX_ROWS: usize = 200;

/// The frequency table of each variable, at the level at which it was compared, and a row for each pair. Categories of few
/// records are not named: a value that one record has is that record's, and reports are read by many.
pub(super) fn exhibits(
    variables: &[TwoCategories],
    margins: &[[Margin; 2]],
    pairs: &[Vec<OfPair>],
) -> Vec<Exhibit> {
    let each = variables.iter().zip(margins);
    let frequencies = each.filter_map(|(variable, margins)| table(variable, margins));
    let exhibit = |id: &str, title: &str, views: Vec<View>| {
        (!views.is_empty()).then(|| Exhibit {
            id: id.to_owned(),
            title: title.to_owned(),
            views,
            ..Exhibit::default()
        })
    };
    let all = [
        exhibit(
            "frequencies",
            "Frequencies before and after",
            frequencies.collect(),
        ),
        exhibit(
            "pairs",
            "Variables two by two",
            table_of_pairs(variables, pairs).into_iter().collect(),
        ),
    ];
    all.into_iter().flatten().collect()
}

/// What became of every pair of variables; none where there is no pair.
fn table_of_pairs(variables: &[TwoCategories], pairs: &[Vec<OfPair>]) -> Option<View> {
    let mut rows = Vec::new();
    for (row, of_row) in pairs.iter().enumerate() {
        for (column, pair) in of_row.iter().enumerate() {
            rows.push(vec![
                Cell::from(variables[column].name.as_str()),
                Cell::from(variables[row].name.as_str()),
                Cell::from(pair.distance),
                Cell::from(pair.v[0]),
                Cell::from(pair.v[1]),
                Cell::from(pair.v_change()),
            ]);
        }
    }
    let is_long = rows.len() > 20;
    let shown = Table {
        columns: vec![
            Column::text("variable", "Variable"),
            Column::text("with", "With"),
            Column::of(Unit::Share, "distance", "Distance of the tables"),
            Column::of(Unit::Number, "v_before", "Cramér's V before"),
            Column::of(Unit::Number, "v_after", "Cramér's V after"),
            Column::of(Unit::Number, "v_change", "Change"),
        ],
        rows,
        ..Table::default()
    };
    let view = View::new("Two-way tables and associations", Shows::Table(shown));
    (!pairs.iter().all(Vec::is_empty)).then(|| view.filed("pairs").folded_if(is_long))
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
    let is_rare = |records: f64| records > 0.0 && is_few(records as u64);
    let (rare, named): (Vec<usize>, Vec<usize>) = codes
        .iter()
        .partition(|&&code| is_rare(before[code]) || is_rare(after[code]));
    let row = |category: &str, f: f64, g: f64| {
        vec![
            Cell::from(variable.name.as_str()),
            Cell::from(category),
            Cell::from(f),
            Cell::from(g),
            Cell::from(f / n),
            Cell::from(g / m),
            Cell::from(g / m - f / n),
        ]
    };
    let of_code = |&code: &usize| row(&variable.texts[code], before[code], after[code]);
    let mut rows: Vec<Vec<Cell>> = named.iter().map(of_code).collect();
    if !rare.is_empty() {
        let sum = |records: &[f64]| rare.iter().map(|&code| records[code]).sum::<f64>();
        let name = match rare.len() {
            1 => "1 category of few records".to_owned(),
            n => format!("{n} categories of few records"),
        };
        rows.push(row(&name, sum(before), sum(after)));
    }
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
        rows,
        ..Table::default()
    };
    let caption = format!("{}: records by category", variable.name);
    Some(
        View::new(caption, Shows::Table(shown))
            .filed("frequencies")
            .folded_if(codes.len() > 20),
    )
}
