//! How ratios and weights are distributed, as a table and as histograms.

use bauta_data::number::number_text;

use super::{SOLUTION, is_scaled, marked_name, solution_cells, solution_columns, solution_name};
use crate::adjust::calibration::found::{Calibration, Distribution, QUANTILE_SHARES, Solution};
use crate::exhibit::{
    Cell, Column, Exhibit, Histogram, HistogramSeries, Limit, Paragraph, Shows, Table, Unit,
    Verdict, View, Words,
};

/// Distributions of g and of the weights, and the histograms of g.
pub(super) fn exhibit(calibration: &Calibration) -> Exhibit {
    let explained = Words::from("g is a record's new weight divided by its ")
        .text_if(is_scaled(calibration.scale), "scaled ")
        .text("starting weight.");
    let mut text = vec![Paragraph::of(explained)];
    text.extend(calibration.solutions.iter().filter_map(failure));
    if calibration.solutions.iter().all(|one| one.failed.is_some()) {
        text.push(Paragraph::of("There is no solution to show."));
    }
    let table = View::new(
        "How ratios and weights are distributed over records",
        Shows::Table(distributions(&calibration.solutions)),
    );
    let drawn = View::new(
        "Histogram and density of g",
        Shows::Histogram(histogram(calibration)),
    );
    Exhibit {
        id: "weights".to_owned(),
        title: "By how much weights changed".to_owned(),
        text,
        views: vec![table.filed("weights"), drawn.filed("histogram")],
        public: None,
    }
}

/// A comparison that came to nothing, with the reason.
fn failure(solution: &Solution) -> Option<Paragraph> {
    let reason = solution.failed.as_ref()?.trim_end_matches('.');
    Some(Paragraph {
        verdict: Some(Verdict::Bad(solution_name(solution).into())),
        ..Paragraph::of(format!(" has no solution: {reason}."))
    })
}

/// Two rows for each solution: its ratios and its weights.
fn distributions(solutions: &[Solution]) -> Table {
    let mut columns = solution_columns();
    columns.extend([
        Column::filed("figure"),
        Column::text("what", "").on_page(),
        Column::text("name", "Solution").on_page(),
        Column::of(Unit::Number, "mean", "Mean"),
        Column::of(Unit::Number, "sd", "Standard deviation"),
    ]);
    columns.extend(QUANTILE_SHARES.map(quantile_column));
    let solved = solutions.iter().enumerate();
    let solved: Vec<_> = solved.filter(|(_, one)| one.failed.is_none()).collect();
    let mut table = Table {
        columns,
        group: Some("what".to_owned()),
        ..Table::default()
    };
    for &(idx, solution) in &solved {
        let is_taken = idx == 0 && solved.len() > 1;
        let of = [
            (
                "g",
                "g = new weight / scaled starting weight, over records",
                &solution.g,
            ),
            ("weight", "New weights, over records", &solution.weights),
        ];
        for (figure, what, found) in of {
            let mut row = solution_cells(idx, solution);
            row.extend([figure.into(), what.into()]);
            row.push(marked_name(solution, is_taken).into());
            row.extend(distribution_cells(found));
            if is_taken {
                table.marked.push(table.rows.len());
            }
            table.rows.push(row);
        }
    }
    table
}

fn distribution_cells(found: &Distribution) -> Vec<Cell> {
    let quantiles = (0..QUANTILE_SHARES.len()).map(|idx| found.quantiles.get(idx).copied());
    let all = [Some(found.mean), Some(found.sd)]
        .into_iter()
        .chain(quantiles);
    all.map(Cell::from).collect()
}

fn quantile_column(share: f64) -> Column {
    let percent = number_text((100.0 * share).round());
    let label = match percent.as_str() {
        "0" => "Smallest".to_owned(),
        "50" => "Median".to_owned(),
        "100" => "Largest".to_owned(),
        // Thin, and never the end of a line.
        other => format!("{other}\u{202f}%"),
    };
    Column::of(Unit::Number, &format!("q{percent}"), &label)
}

fn histogram(calibration: &Calibration) -> Histogram {
    let solved = calibration.solutions.iter().enumerate();
    let solved = solved.filter(|(_, one)| one.failed.is_none());
    Histogram {
        axis: "g".to_owned(),
        from: calibration.histogram_from,
        step: calibration.histogram_step,
        headings: SOLUTION.map(str::to_owned).to_vec(),
        series: solved
            .map(|(idx, solution)| HistogramSeries {
                name: solution_name(solution),
                cells: solution_cells(idx, solution),
                counts: solution.histogram.clone(),
                density: solution.density.clone(),
                limits: limits(solution),
            })
            .collect(),
    }
}

fn limits(solution: &Solution) -> Vec<Limit> {
    let bounds = [("L", solution.lower), ("U", solution.upper)].into_iter();
    bounds
        .filter_map(|(name, bound)| {
            Some(Limit {
                name: name.to_owned(),
                value: bound.filter(|value| value.is_finite())?,
            })
        })
        .collect()
}
