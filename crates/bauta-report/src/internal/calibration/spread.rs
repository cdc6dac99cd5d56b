//! How ratios and weights are distributed, as tables and as a figure.

use std::ops::Range;

use bauta_methods::Calibration;
use bauta_methods::calibration::{Distribution, QUANTILE_SHARES, Solution};
use maud::{Markup, html};

use super::{solution_name, solved};
use crate::number::Written as _;
use crate::number::{Unit, number, percent};
use crate::page::{chart_grid, scrolling};
use crate::svg::{Histogram, HistogramSeries, Limit, Look, histogram};

/// Looks of solutions, the one that was taken first.
const LOOKS: [Look; 5] = [
    Look::Masked,
    Look::Second,
    Look::Third,
    Look::Fourth,
    Look::Rest,
];

/// Tables of g and of the weights, and the histograms of g.
pub(super) fn spread(calibration: &Calibration, id: &str) -> Markup {
    let solutions = solved(calibration);
    html! {
        p {
            "g is a record's new weight divided by its "
            @if calibration.scale.total_cmp(&1.0).is_ne() { "scaled " }
            "starting weight."
        }
        (failures(calibration))
        @if solutions.is_empty() { p { "There is no solution to show." } }
        @else {
            (table("g = new weight / starting weight, over records", &solutions, |solution| &solution.g))
            (table("New weights, over records", &solutions, |solution| &solution.weights))
            (chart_grid(&figures(calibration, &solutions, id)))
        }
    }
}

/// Comparisons that came to nothing, with the reason.
fn failures(calibration: &Calibration) -> Markup {
    html! {
        @for solution in &calibration.solutions {
            @if let Some(reason) = &solution.failed {
                p { strong class="bad" { "✗ " (solution_name(solution)) } " has no solution: " (full_stop(reason)) }
            }
        }
    }
}

fn full_stop(reason: &str) -> String {
    format!("{}.", reason.trim_end_matches('.'))
}

fn table(caption: &str, solutions: &[&Solution], of: fn(&Solution) -> &Distribution) -> Markup {
    let body = html! {
        table {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" { "Solution" }
                    th scope="col" class="number" { "Mean" }
                    th scope="col" class="number" { "Standard" br; "deviation" }
                    @for share in QUANTILE_SHARES {
                        th scope="col" class="number" { (quantile_name(share)) }
                    }
                }
            }
            tbody {
                @for (idx, solution) in solutions.iter().enumerate() {
                    @let found = of(solution);
                    tr class=[(idx == 0 && solutions.len() > 1).then_some("value")] {
                        th scope="row" {
                            (solution_name(solution))
                            @if idx == 0 && solutions.len() > 1 { " (taken)" }
                        }
                        td class="number" { (number(found.mean)) }
                        td class="number" { (number(found.sd)) }
                        @for idx in 0..QUANTILE_SHARES.len() {
                            td class="number" { (Unit::Number.text_or_dash(found.quantiles.get(idx).copied())) }
                        }
                    }
                }
            }
        }
    };
    scrolling(caption, &body)
}

fn quantile_name(share: f64) -> String {
    if share <= 0.0 {
        "Smallest".to_owned()
    } else if share >= 1.0 {
        "Largest".to_owned()
    } else if (share - 0.5).abs() < 1e-9 {
        "Median".to_owned()
    } else {
        percent(share)
    }
}

/// All densities over the bins of the solution that was taken; then each solution by itself.
fn figures(calibration: &Calibration, solutions: &[&Solution], id: &str) -> Vec<Markup> {
    let Some(bins) = occupied(solutions) else {
        return Vec::new();
    };
    let chart = |suffix: &str, title: String, shown: &[(usize, &Solution)]| Histogram {
        id: format!("{id}-{suffix}"),
        title,
        axis: "g".to_owned(),
        from: calibration.histogram_from + calibration.histogram_step * bins.start as f64,
        step: calibration.histogram_step,
        series: shown
            .iter()
            .map(|(idx, solution)| series(*idx, solution, &bins))
            .collect(),
        limits: limits(shown),
        at_least_high: 0.0,
        at_least_wide: Vec::new(),
    };
    let numbered: Vec<(usize, &Solution)> = solutions.iter().copied().enumerate().collect();
    let all = chart("g", "Histogram and density of g".to_owned(), &numbered);
    let highest = all.highest();
    let mut out = Vec::new();
    if let [_, _, ..] = solutions {
        let below = format!(
            "Bins of {}, densities of all solutions",
            solution_name(solutions[0])
        );
        out.push(captioned(&all, &below));
    }
    for (idx, solution) in &numbered {
        let name = solution_name(solution);
        let title = format!("Histogram and density of g: {name}");
        let mut one = chart(&format!("g-{idx}"), title, &[(*idx, solution)]);
        one.at_least_high = highest;
        one.at_least_wide = all.limits.iter().map(|limit| limit.value).collect();
        out.push(captioned(
            &one,
            "Number of records, with the smoothed density",
        ));
    }
    out
}

fn captioned(chart: &Histogram, below: &str) -> Markup {
    html! {
        figure {
            figcaption { (chart.title) small { (below) } }
            (histogram(chart))
        }
    }
}

/// From the first bin with a record of any solution to the last.
fn occupied(solutions: &[&Solution]) -> Option<Range<usize>> {
    let holds = |solution: &&Solution, idx: usize| solution.histogram.get(idx) > Some(&0);
    let n_bins = solutions.iter().map(|solution| solution.histogram.len());
    let n_bins = n_bins.max()?;
    let is_used = |idx: &usize| solutions.iter().any(|solution| holds(solution, *idx));
    let first = (0..n_bins).find(is_used)?;
    let last = (0..n_bins).rfind(is_used)?;
    Some(first..last + 1)
}

fn series(idx: usize, solution: &Solution, bins: &Range<usize>) -> HistogramSeries {
    HistogramSeries {
        name: solution_name(solution),
        look: LOOKS[idx % LOOKS.len()],
        counts: bins
            .clone()
            .map(|bin| solution.histogram.get(bin).copied().unwrap_or(0))
            .collect(),
        density: bins
            .clone()
            .map_while(|bin| solution.density.get(bin).copied())
            .collect(),
    }
}

/// The bounds of the solutions, each once.
fn limits(shown: &[(usize, &Solution)]) -> Vec<Limit> {
    let mut out: Vec<Limit> = Vec::new();
    for (_, solution) in shown {
        for (name, bound) in [("L", solution.lower), ("U", solution.upper)] {
            let Some(value) = bound.filter(|value| value.is_finite()) else {
                continue;
            };
            let is_there =
                |limit: &Limit| limit.name == name && limit.value.total_cmp(&value).is_eq();
            if !out.iter().any(is_there) {
                out.push(Limit {
                    name: name.to_owned(),
                    value,
                });
            }
        }
    }
    out
}
