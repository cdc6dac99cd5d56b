//! Which bounds on g the totals allow.

use crate::adjust::calibration::found::{Bounds, Solution};
use crate::exhibit::{Cell, Column, Curve, Exhibit, Fact, Shows, Spot, Table, Unit, View, Words};

/// Necessary, narrowest and smallest bounds, with those in use.
pub(super) fn exhibit(found: Option<&Bounds>, solutions: &[Solution]) -> Exhibit {
    let table = View::new(
        "The smallest upper bound for each lower bound",
        Shows::Table(found.map_or_else(|| table(&[]), |found| table(&rows(found, solutions)))),
    );
    let mut views = vec![table.filed("bounds")];
    if let Some(found) = found {
        let note = "Necessary: no bounds reach every total otherwise, but these alone may not do. \
            Narrowest: the smallest U − L for which weights between L and U times the starting \
            weights reach all totals.";
        views.insert(0, View::new("", Shows::Facts(facts(found))).noted(note));
        let drawn = View::new(
            "Feasible bounds: on the curve and above it",
            Shows::Curve(curve(found, solutions)),
        );
        views.push(drawn.noted("Diamonds: the narrowest bounds, and those in use"));
    }
    Exhibit {
        id: "bounds".to_owned(),
        title: "Bounds that the totals allow".to_owned(),
        text: Vec::new(),
        views,
        public: None,
    }
}

fn facts(found: &Bounds) -> Vec<Fact> {
    let mut facts = Vec::new();
    if let Some(lower) = found.necessary_lower {
        let value = Words::from("L is at most ").number(lower);
        facts.push(Fact::new("Necessary", value));
    }
    if let Some(upper) = found.necessary_upper {
        let value = Words::from("U is at least ").number(upper);
        facts.push(Fact::new("Necessary", value));
    }
    if let Some([lower, upper]) = found.narrowest {
        let value = Words::from("L = ").number(lower).text(", U = ");
        facts.push(Fact::new("Narrowest", value.number(upper)));
    }
    facts
}

/// What a pair of bounds is, and the pair.
type Named = (&'static str, Option<f64>, Option<f64>);

fn rows(found: &Bounds, solutions: &[Solution]) -> Vec<Named> {
    let mut rows = vec![("necessary", found.necessary_lower, found.necessary_upper)];
    if let Some([lower, upper]) = found.narrowest {
        rows.push(("narrowest", Some(lower), Some(upper)));
    }
    for point in &found.frontier {
        rows.push((FRONTIER, Some(point.lower), point.smallest_upper));
    }
    let in_use = |one: &&Solution| one.lower.is_some() || one.upper.is_some();
    let in_use = solutions.iter().filter(in_use);
    rows.extend(in_use.map(|one| ("in use", one.lower, one.upper)));
    rows
}

const FRONTIER: &str = "frontier";

/// All bounds in the file, the frontier on the page.
fn table(rows: &[Named]) -> Table {
    let row = |&(what, lower, upper): &Named| -> Vec<Cell> {
        let on_page = |bound: Option<f64>| bound.filter(|_| what == FRONTIER).into();
        vec![
            what.into(),
            lower.into(),
            upper.into(),
            on_page(lower),
            on_page(upper),
        ]
    };
    Table {
        columns: vec![
            Column::filed("what"),
            Column::filed("lower"),
            Column::filed("upper"),
            Column::of(Unit::Number, "", "L").with_digits(12).on_page(),
            Column::of(Unit::Number, "", "Smallest U")
                .or("no U will do")
                .on_page(),
        ],
        rows: rows.iter().map(row).collect(),
        ..Table::default()
    }
}

fn curve(found: &Bounds, solutions: &[Solution]) -> Curve {
    let points = found.frontier.iter();
    let points = points.filter_map(|point| Some([point.lower, point.smallest_upper?]));
    // The narrowest bounds lie on the curve as well, often at its bend.
    let mut points: Vec<[f64; 2]> = points.chain(found.narrowest).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut spots: Vec<Spot> = Vec::new();
    if let Some(at) = found.narrowest {
        let name = "narrowest".to_owned();
        spots.push(Spot { name, at });
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
    Curve {
        across: "lower bound L".to_owned(),
        up: "upper bound U".to_owned(),
        points,
        spots,
    }
}

fn is_at(spot: &Spot, bounds: [f64; 2]) -> bool {
    let mut both = spot.at.iter().zip(bounds);
    both.all(|(a, b)| a.total_cmp(&b).is_eq())
}
