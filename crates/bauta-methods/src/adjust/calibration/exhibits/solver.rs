//! The course of the solver and the figures of each solution.

use super::{LONG, capitalised, marked_name, solution_cells, solution_columns, solution_name};
use crate::adjust::calibration::found::{Calibration, Solution};
use crate::exhibit::{Cell, Column, Exhibit, Layout, Paragraph, Shows, Table, Unit, View};

/// Figures of the solutions side by side, then steps and multipliers of each.
pub(super) fn exhibit(calibration: &Calibration) -> Exhibit {
    let solved = calibration.solutions.iter();
    let solved: Vec<&Solution> = solved.filter(|one| one.failed.is_none()).collect();
    let without_steps = solved.iter().filter(|one| one.iterations.is_empty());
    let text = without_steps.map(|one| {
        let name = capitalised(&solution_name(one));
        let said = "no step was needed; the starting weights reach the totals.";
        Paragraph::of(format!("{name}: {said}"))
    });
    let note = "1 + cv² is the factor by which unequal weights raise the variance of a mean, the \
        least being 1; before, it is that of the starting weights of the records left.";
    let costs = View::new(
        "What each solution costs",
        Shows::Table(side_by_side(&calibration.solutions)),
    );
    let mut views = vec![costs.noted(note).filed("solutions")];
    for (idx, solution) in solved.iter().enumerate() {
        let is_long = solution.iterations.len() > LONG;
        views.push(iterations(solution).folded_if(idx > 0 || is_long));
        views.push(multipliers(solution).folded_if(true));
    }
    Exhibit {
        id: "solutions".to_owned(),
        title: "How the weights were found".to_owned(),
        text: text.collect(),
        views,
        public: None,
    }
}

/// One row for each solution; those that failed stand in files only.
fn side_by_side(solutions: &[Solution]) -> Table {
    let mut columns = solution_columns();
    columns.extend(["failed", "steps", "largest_error"].map(Column::filed));
    columns.extend(["kish_before", "kish_after", "n_negative"].map(Column::filed));
    columns.extend(["n_at_lower", "n_at_upper"].map(Column::filed));
    columns.extend(
        [
            Column::text("name", ""),
            Column::of(Unit::Count, "", "Steps"),
            Column::of(Unit::Number, "", "Largest relative error of a total").with_digits(3),
            Column::of(Unit::Number, "", "Kish's 1 + cv² before"),
            Column::of(Unit::Number, "", "Kish's 1 + cv² after"),
            Column::of(Unit::Number, "", "Smallest weight"),
            Column::of(Unit::Number, "", "Largest weight"),
            Column::of(Unit::Count, "", "Records with a negative weight"),
            Column::of(Unit::Count, "", "Records at the lower bound"),
            Column::of(Unit::Count, "", "Records at the upper bound"),
            Column::text("", "q weights"),
        ]
        .map(Column::on_page),
    );
    let n_solved = solutions.iter().filter(|one| one.failed.is_none()).count();
    let row = |(idx, solution): (usize, &Solution)| -> Vec<Cell> {
        let mut row = solution_cells(idx, solution);
        row.push(solution.failed.as_deref().into());
        if solution.failed.is_some() {
            row.resize(columns.len(), Cell::None);
            return row;
        }
        row.extend(figures_in_files(solution));
        let name = marked_name(solution, idx == 0 && n_solved > 1);
        row.push(capitalised(&name).into());
        row.extend(figures_on_pages(solution));
        row
    };
    Table {
        rows: solutions.iter().enumerate().map(row).collect(),
        columns,
        layout: Layout::Across,
        ..Table::default()
    }
}

fn figures_in_files(solution: &Solution) -> [Cell; 7] {
    [
        (solution.iterations.len() as u64).into(),
        solution.largest_error.into(),
        solution.kish_before.into(),
        solution.kish_after.into(),
        solution.n_negative.into(),
        solution.n_at_lower.into(),
        solution.n_at_upper.into(),
    ]
}

/// With the extremes of the weights, and without counts at bounds that there are not.
fn figures_on_pages(solution: &Solution) -> [Cell; 10] {
    let [
        steps,
        error,
        kish_before,
        kish_after,
        n_negative,
        at_lower,
        at_upper,
    ] = figures_in_files(solution);
    let weights = &solution.weights.quantiles;
    [
        steps,
        error,
        kish_before,
        kish_after,
        weights.first().copied().into(),
        weights.last().copied().into(),
        n_negative,
        solution.lower.map(|_| at_lower).into(),
        solution.upper.map(|_| at_upper).into(),
        solution.q.as_str().into(),
    ]
}

fn iterations(solution: &Solution) -> View {
    let steps = solution.iterations.iter().enumerate();
    let table = Table {
        columns: vec![
            Column::of(Unit::Count, "step", "Step"),
            Column::of(Unit::Number, "largest_change", "Largest change of g").with_digits(3),
            Column::of(Unit::Number, "largest_error", "Largest relative error").with_digits(3),
            Column::of(Unit::Number, "length", "Length"),
            Column::of(Unit::Count, "n_negative", "Negative weights"),
        ],
        rows: steps
            .map(|(idx, step)| {
                vec![
                    (idx as u64 + 1).into(),
                    step.largest_change.into(),
                    step.largest_error.into(),
                    step.step.into(),
                    step.n_negative.into(),
                ]
            })
            .collect(),
        ..Table::default()
    };
    let caption = format!("Steps of the solver: {}", solution_name(solution));
    View::new(caption, Shows::Table(table))
}

fn multipliers(solution: &Solution) -> View {
    let table = Table {
        columns: vec![
            Column::text("margin", "Total"),
            Column::of(Unit::Number, "lambda", "λ"),
        ],
        rows: solution
            .multipliers
            .iter()
            .map(|one| vec![one.margin.as_str().into(), one.value.into()])
            .collect(),
        ..Table::default()
    };
    let caption = format!("Lagrange multipliers: {}", solution_name(solution));
    View::new(caption, Shows::Table(table))
}
