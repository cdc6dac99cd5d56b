//! The extensions of §5: synthetic files from random starts, and moments of order three.

use bauta_data::Table;
use bauta_methods::{MethodError, RawValue};

use super::{improved, judged, start};
use crate::pace::Pace;
use crate::trial::{Method, masked, measured};
use crate::{heading, row};

/// Steps of every search here.
const STEPS: i64 = 1_000_000;

/// The starts of synthetic files, and the parts of IL1 that are aimed at.
const STARTS: [&str; 4] = ["permutation", "normal", "uniform", "copula"];
const PARTS: [f64; 3] = [0.5, 0.1, 0.02];

/// How much work they are, in steps.
pub(super) fn pieces() -> u64 {
    (STARTS.len() * PARTS.len()) as u64 * STEPS as u64
}

pub(super) fn tried(census: &Table, watch: &Pace<'_>) -> Result<String, MethodError> {
    let mut text = synthetic(census, watch)?;
    text += &third_order(census, watch)?;
    Ok(text)
}

fn synthetic(census: &Table, watch: &Pace<'_>) -> Result<String, MethodError> {
    let mut text = format!(
        "\n## §5: synthetic files\n\n\
         `synthesize` on all variables, one seed, {STEPS} steps at the most, E below 0.04 aimed at. *IL1 reached* is IL1 of \
         the result over p times that of the start: 1 where the search got there.\n\n"
    );
    text += &heading(&["start", "p", "E", "IL1 reached", "Score", "IL", "DLD", "ID"]);
    for from in STARTS {
        for p in PARTS {
            let of = |p: f64, n_steps: i64| {
                let word = |word: &str| RawValue::Text(word.to_owned());
                Method::new(
                    "synthesize",
                    &[
                        ("start", word(from)),
                        ("p", RawValue::Number(p)),
                        ("target", RawValue::Number(0.04)),
                        ("iterations", RawValue::Integer(n_steps)),
                        ("patience", RawValue::Integer(n_steps)),
                    ],
                )
            };
            let file = masked(census, &[of(p, STEPS)], 1, watch)?;
            watch.done(STEPS as u64);
            // One step from the start, which may stay, and tells where it lies.
            let began = masked(census, &[of(1.0, 1)], 1, watch)?;
            let il1 = |file: &Table| {
                let nearest = RawValue::Text("nearest".to_owned());
                let measure = Method::new("il1", &[("correspondence", nearest)]);
                measured(
                    &measure,
                    census,
                    file,
                    &bauta_methods::Groups::default(),
                    watch,
                )
                .map(|found| found.value.unwrap_or(f64::NAN))
            };
            let reached = il1(&file)? / (p * il1(&began)?);
            let figures = judged(census, &file, watch)?;
            text += &row(&[
                from.to_owned(),
                p.to_string(),
                format!("{:.4}", figures.e),
                format!("{reached:.2}"),
                format!("{:.2}", figures.score),
                format!("{:.2}", figures.il),
                format!("{:.2}", figures.dld),
                format!("{:.2}", figures.id),
            ]);
        }
    }
    Ok(text)
}

fn third_order(census: &Table, watch: &Pace<'_>) -> Result<String, MethodError> {
    let mut text = String::from(
        "\n## §5: moments to order three\n\n\
         Rank swapping 14, q = 0.5, p = 0.5, 300,000 steps; squared distances of the moments of each order, unweighted.\n\n",
    );
    text += &heading(&["order", "weight of order 3", "orders 1 and 2", "order 3"]);
    let began = start(0, census, 1, watch)?;
    let distances = |file: &Table| {
        let measure = Method::new("moments", &[("order", RawValue::Integer(3))]);
        measured(
            &measure,
            census,
            file,
            &bauta_methods::Groups::default(),
            watch,
        )
        .map(|found| {
            let part = |id: &str| found.part(id).unwrap_or(f64::NAN);
            [part("order 1") + part("order 2"), part("order 3")]
        })
    };
    let mut told = |order: &str, weight: &str, file: &Table| -> Result<(), MethodError> {
        let [second, third] = distances(file)?;
        text += &row(&[
            order.to_owned(),
            weight.to_owned(),
            format!("{second:.4}"),
            format!("{third:.3}"),
        ]);
        Ok(())
    };
    told("the masked file", "-", &began)?;
    for (order, weight) in [(2, None), (3, Some(1.0)), (3, Some(0.1)), (3, Some(0.01))] {
        let mut params = vec![
            ("q", RawValue::Number(0.5)),
            ("iterations", RawValue::Integer(300_000)),
            ("patience", RawValue::Integer(300_000)),
            ("order", RawValue::Integer(order)),
        ];
        if let Some(weight) = weight {
            let weights = [1.0, 1.0, weight].map(RawValue::Number).to_vec();
            params.push(("order_weights", RawValue::List(weights)));
        }
        let file = improved(census, &began, &params, 1, watch)?;
        let weight = weight.map_or_else(|| "-".to_owned(), |weight| weight.to_string());
        told(&order.to_string(), &weight, &file)?;
    }
    Ok(text)
}
