//! Which bounds on g the totals allow.

use bauta_methods::calibration::{Bounds, FrontierPoint, Solution};
use maud::{Markup, html};

use super::MAX_OPEN_ROWS;
use crate::number::{as_given, number};
use crate::page::{facts, scrolling, scrolling_tall};
use crate::svg::{Curve, Spot, curve};

/// Necessary, narrowest and smallest bounds, with those in use.
pub(super) fn bounds(found: &Bounds, solutions: &[Solution], id: &str) -> Markup {
    let mut rows = Vec::new();
    if let Some(lower) = found.necessary_lower {
        rows.push(("Necessary", html! { "L is at most " (number(lower)) }));
    }
    if let Some(upper) = found.necessary_upper {
        rows.push(("Necessary", html! { "U is at least " (number(upper)) }));
    }
    if let Some([lower, upper]) = found.narrowest {
        rows.push((
            "Narrowest",
            html! { "L = " (number(lower)) ", U = " (number(upper)) },
        ));
    }
    html! {
        @if !rows.is_empty() { (facts(&rows)) }
        p class="soft" {
            "Necessary: no bounds reach every total otherwise, but these alone may not do. "
            "Narrowest: the smallest U − L for which weights between L and U times the starting weights "
            "reach all totals."
        }
        @if !found.frontier.is_empty() {
            div class="charts" {
                (table(&found.frontier))
                (figure(found, solutions, id))
            }
        }
    }
}

fn table(frontier: &[FrontierPoint]) -> Markup {
    let caption = "The smallest upper bound for each lower bound";
    let body = html! {
        table class="narrow" {
            caption { (caption) }
            thead {
                tr {
                    th scope="col" class="number" { "L" }
                    th scope="col" class="number" { "Smallest U" }
                }
            }
            tbody {
                @for point in frontier {
                    tr {
                        th scope="row" class="number" { (as_given(point.lower)) }
                        td class="number" {
                            @if let Some(upper) = point.smallest_upper { (number(upper)) }
                            @else { "no U will do" }
                        }
                    }
                }
            }
        }
    };
    if frontier.len() > MAX_OPEN_ROWS {
        scrolling_tall(caption, &body)
    } else {
        scrolling(caption, &body)
    }
}

fn figure(found: &Bounds, solutions: &[Solution], id: &str) -> Markup {
    let points = found.frontier.iter();
    let points = points.filter_map(|point| Some([point.lower, point.smallest_upper?]));
    // The narrowest bounds lie on the curve as well, often at its bend.
    let mut points: Vec<[f64; 2]> = points.chain(found.narrowest).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut spots: Vec<Spot> = Vec::new();
    if let Some(at) = found.narrowest {
        spots.push(Spot {
            name: "narrowest".to_owned(),
            at,
        });
    }
    for solution in solutions {
        if let (Some(lower), Some(upper)) = (solution.lower, solution.upper)
            && !spots.iter().any(|spot| is_at(spot, [lower, upper]))
        {
            spots.push(Spot {
                name: match solution.failed {
                    None => solution.method.clone(),
                    Some(_) => format!("{} (fails)", solution.method),
                },
                at: [lower, upper],
            });
        }
    }
    let chart = Curve {
        id: format!("{id}-frontier"),
        title: "Feasible bounds: on the curve and above it".to_owned(),
        across: "lower bound L".to_owned(),
        up: "upper bound U".to_owned(),
        points,
        spots,
    };
    html! {
        @if chart.points.len() > 1 {
            figure {
                figcaption { (chart.title) small { "Diamonds: the narrowest bounds, and those in use" } }
                (curve(&chart))
            }
        }
    }
}

fn is_at(spot: &Spot, bounds: [f64; 2]) -> bool {
    let mut both = spot.at.iter().zip(bounds);
    both.all(|(a, b)| a.total_cmp(&b).is_eq())
}
