//! The course of the solver and the figures of each solution.

use bauta_methods::Calibration;
use bauta_methods::calibration::{Iteration, Multiplier, Solution};
use maud::{Markup, html};

use super::{MAX_OPEN_ROWS, solution_name, solved};
use crate::number::Written as _;
use crate::number::{NO_FIGURE, Unit, count, number, significant};
use crate::page::{scrolling, scrolling_tall};
use crate::words::capitalised;

/// Figures of the solutions side by side, then steps and multipliers of each.
pub(super) fn solver(calibration: &Calibration) -> Markup {
    let solutions = solved(calibration);
    html! {
        @if !solutions.is_empty() { (side_by_side(&solutions)) }
        @for (idx, solution) in solutions.iter().enumerate() {
            @let is_open = idx == 0 && solution.iterations.len() <= MAX_OPEN_ROWS;
            (iterations(solution, is_open))
            (multipliers(solution))
        }
    }
}

type Figure = (&'static str, fn(&Solution) -> String);

fn figures_of() -> [Figure; 10] {
    fn extreme(found: Option<&f64>) -> String {
        Unit::Number.text_or_dash(found.copied())
    }
    fn at_bound(bound: Option<f64>, n_records: u64) -> String {
        bound.map_or_else(|| NO_FIGURE.to_owned(), |_| count(n_records))
    }
    [
        ("Steps", |one| count(one.iterations.len() as u64)),
        ("Largest relative error of a total", |one| {
            significant(one.largest_error, 3)
        }),
        ("Kish's 1 + cv² before", |one| number(one.kish_before)),
        ("Kish's 1 + cv² after", |one| number(one.kish_after)),
        ("Smallest weight", |one| {
            extreme(one.weights.quantiles.first())
        }),
        ("Largest weight", |one| {
            extreme(one.weights.quantiles.last())
        }),
        ("Records with a negative weight", |one| {
            count(one.n_negative)
        }),
        ("Records at the lower bound", |one| {
            at_bound(one.lower, one.n_at_lower)
        }),
        ("Records at the upper bound", |one| {
            at_bound(one.upper, one.n_at_upper)
        }),
        ("q weights", |one| one.q.clone()),
    ]
}

fn side_by_side(solutions: &[&Solution]) -> Markup {
    let caption = "What each solution costs";
    let body = html! {
        table class="narrow" {
            caption { (caption) }
            thead {
                tr {
                    td {}
                    @for (idx, solution) in solutions.iter().enumerate() {
                        th scope="col" class="number" {
                            (capitalised(&solution_name(solution)))
                            @if idx == 0 && solutions.len() > 1 { " (taken)" }
                        }
                    }
                }
            }
            tbody {
                @for (name, text) in figures_of() {
                    tr {
                        th scope="row" { (name) }
                        @for solution in solutions {
                            td class="number" { (text(solution)) }
                        }
                    }
                }
            }
        }
    };
    html! {
        (scrolling(caption, &body))
        p class="soft" {
            "1 + cv² is the factor by which unequal weights raise the variance of a mean, the least "
            "being 1; before, it is that of the starting weights of the records left."
        }
    }
}

fn iterations(solution: &Solution, is_open: bool) -> Markup {
    let caption = format!("Steps of the solver: {}", solution_name(solution));
    let body = html! {
        table class="narrow" {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" class="number" { "Step" }
                    th scope="col" class="number" { "Largest change of g" }
                    th scope="col" class="number" { "Largest relative error" }
                    th scope="col" class="number" { "Length" }
                    th scope="col" class="number" { "Negative weights" }
                }
            }
            tbody {
                @for (idx, step) in solution.iterations.iter().enumerate() { (iteration_row(idx, step)) }
            }
        }
    };
    html! {
        @if solution.iterations.is_empty() {
            p { (capitalised(&solution_name(solution))) ": no step was needed; the starting weights reach the totals." }
        } @else if is_open { (scrolling(&caption, &body)) }
        @else {
            details {
                summary { (caption) " (" (count(solution.iterations.len() as u64)) ")" }
                (scrolling_tall(&caption, &body))
            }
        }
    }
}

fn iteration_row(idx: usize, step: &Iteration) -> Markup {
    html! {
        tr {
            th scope="row" class="number" { (idx + 1) }
            td class="number" { (significant(step.largest_change, 3)) }
            td class="number" { (significant(step.largest_error, 3)) }
            td class="number" { (number(step.step)) }
            td class="number" { (count(step.n_negative)) }
        }
    }
}

fn multipliers(solution: &Solution) -> Markup {
    let all = &solution.multipliers;
    let caption = format!("Lagrange multipliers: {}", solution_name(solution));
    let body = html! {
        table class="narrow" {
            caption { (caption) }
            thead {
                tr { th scope="col" { "Total" } th scope="col" class="number" { "λ" } }
            }
            tbody { @for one in all { (multiplier_row(one)) } }
        }
    };
    html! {
        @if !all.is_empty() {
            details {
                summary { (caption) " (" (count(all.len() as u64)) ")" }
                (scrolling_tall(&caption, &body))
            }
        }
    }
}

fn multiplier_row(one: &Multiplier) -> Markup {
    html! {
        tr { th scope="row" { (one.margin) } td class="number" { (number(one.value)) } }
    }
}
