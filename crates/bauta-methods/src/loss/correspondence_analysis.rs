#![doc = include_str!("correspondence_analysis.md")]

mod axes;

use bauta_data::{Attribute, Kind, Role};
use rayon::prelude::*;

use crate::card::{
    Card, ConstValue, Family, ParamDefault, ParamSpec, ParamType, Randomness, Targets,
};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::matrix::procrustes::procrustes_distance;
use crate::keys::check_weights;
use crate::loss::correspondence_analysis::axes::{Analysis, Point, Questions, Records};
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series};
use crate::note::KnownNote;
use crate::pair::Pair;
use crate::pair::categories::{FILES, MISSING_CATEGORY, TwoCategories};
use crate::pair::variables::TwoColumns;
use crate::params::{ParamProblem, Params, RawValue};

/// How far the maps of multiple correspondence analysis agree. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct CorrespondenceAnalysis;

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "correspondence-analysis",
        title: "Correspondence analysis",
        summary: "how far categories move on the map of a weighted multiple correspondence analysis",
        family: Family::Loss,
        page: include_str!("correspondence_analysis.md"),
        params: &[
            ParamSpec {
                name: "supplementary",
                meaning: "variables that are placed on the map and do not make it, even if `on` names them",
                ty: ParamType::Variables,
                default: ParamDefault::Unset("none: the active categories are compared"),
            },
            ParamSpec {
                name: "axes",
                meaning: "number of axes on which the maps are compared",
                ty: ParamType::Integer { min: 1, max: 10 },
                default: ParamDefault::Value(ConstValue::Integer(2)),
            },
            MISSING_CATEGORY,
        ],
        targets: Targets {
            kinds: &[Kind::Unordered, Kind::Ordered, Kind::Hierarchical],
            default_roles: &[Role::Key, Role::Sensitive],
            refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
        },
        randomness: Randomness::None,
        references: &[
            "bergeat2015",
            "greenacre2007",
            "benzecri1979",
            "lorenzoseva2006",
            "schoenemann1966",
        ],
    },
    value: FigureSpec::value("distance on the map", Unit::Number).lower_is_better(),
    usual: false,
    looks_at_untouched: true,
    ..MeasureCard::LOSS
};

impl MeasureMethod for CorrespondenceAnalysis {
    type Settings = Params;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Params, Vec<ParamProblem>> {
        Ok(params.clone())
    }

    /// A map of variables that nobody chose says little.
    /// An analyst's map is of the file, not of what a mask changed.
    fn example(&self) -> Vec<(&'static str, RawValue)> {
        let name = RawValue::Text("stratum".to_owned());
        vec![("supplementary", RawValue::List(vec![name]))]
    }

    fn check(&self, params: &Params, _on: &[&Attribute]) -> Vec<ParamProblem> {
        let named = params.texts("supplementary");
        let twice = (1..named.len()).find(|&at| named[..at].contains(&named[at]));
        let problem = twice.map(|at| {
            ParamProblem::of(
                "supplementary",
                format!("`{}` is named twice", named[at]),
                "name each variable once",
            )
        });
        problem.into_iter().collect()
    }

    fn measure(
        &self,
        _settings: &Params,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        context.progress(0, 2)?;
        let questions = questions(task, &pair)?;
        let kept = kept(&questions, &pair, context)?;
        let n_axes = task.params.integer("axes") as usize;
        let mut maps = Vec::new();
        for (file, table) in [pair.original, pair.masked].into_iter().enumerate() {
            context.progress(file, 2)?;
            let records = Records {
                file,
                kept: &kept[file],
                weights: table.weight().and_then(|column| column.as_numeric()),
            };
            maps.push(Analysis::of(&questions, &records, n_axes)?);
        }
        let [original, masked] = maps.as_mut_slice() else {
            return Err(MethodError::Internal("two files have two maps".to_owned()));
        };
        let mut found = compared(original, masked);
        for (map, file) in [original, masked].into_iter().zip(FILES) {
            describe(map, file, &mut found);
        }
        Ok(found)
    }
}

/// The variables of the analysis.
fn questions(task: &MeasureTask<'_>, pair: &Pair<'_>) -> Result<Questions, MethodError> {
    let named = task.params.texts("supplementary");
    let read = |name: &String| TwoCategories::new(&TwoColumns::of(*pair, name)?);
    let active = task.on.iter().filter(|name| !named.contains(name));
    let active: Vec<TwoCategories> = active.map(read).collect::<Result<_, _>>()?;
    if active.len() < 2 {
        return Err(MethodError::request(
            "an analysis of correspondences needs two active variables at least",
            "name them in `on`",
        ));
    }
    Ok(Questions {
        active,
        supplementary: named.iter().map(read).collect::<Result<_, _>>()?,
        skips_missing: task.params.choice(MISSING_CATEGORY.name) == "skip",
    })
}

/// The records of each file that enter: those that weigh and, under `skip`, lack no active value.
fn kept(
    questions: &Questions,
    pair: &Pair<'_>,
    context: &RunContext<'_>,
) -> Result<[Vec<u32>; 2], MethodError> {
    let mut kept = [Vec::new(), Vec::new()];
    let mut n_lacking = [0, 0];
    for (file, table) in [pair.original, pair.masked].into_iter().enumerate() {
        check_weights(table)?;
        let lacks = |record: usize| {
            let mut active = questions.active.iter();
            questions.skips_missing && active.any(|of| of.codes[file][record] == of.missing())
        };
        let n = table.n_records();
        kept[file] = (0..n as u32)
            .into_par_iter()
            .with_min_len(4096)
            .filter(|&record| !lacks(record as usize))
            .collect();
        n_lacking[file] = n - kept[file].len();
        if let Some(weights) = table.weight().and_then(|column| column.as_numeric()) {
            kept[file].retain(|&record| weights[record as usize] > 0.0);
        }
    }
    if n_lacking != [0, 0] {
        context.note(KnownNote::IncompleteRecordsSkipped {
            n_original: n_lacking[0],
            n_masked: n_lacking[1],
        });
    }
    Ok(kept)
}

/// Categories that both files have, but for missing values, which are of other causes in each.
fn in_both<'a>(original: &'a [Point], masked: &'a [Point]) -> Vec<(&'a Point, &'a Point)> {
    let pairs = original.iter().filter(|point| !point.is_missing);
    let pairs = pairs.filter_map(|point| {
        // Both are sorted by variable and code.
        let at = masked.binary_search_by_key(&point.category, |other| other.category);
        Some((point, &masked[at.ok()?]))
    });
    pairs.collect()
}

/// Turns the masked file's axes as the original's, and compares the maps.
fn compared(original: &Analysis, masked: &mut Analysis) -> Measurement {
    let n_axes = original.n_axes().min(masked.n_axes());
    for axis in 0..n_axes {
        let pairs = in_both(&original.active, &masked.active);
        let products = pairs
            .iter()
            .map(|(o, m)| o.coordinates[axis] * m.coordinates[axis]);
        if products.sum::<f64>() < 0.0 {
            masked.flip(axis);
        }
    }
    let active = in_both(&original.active, &masked.active);
    let of_maps = |map: &Analysis| map.active.len() + map.supplementary.len();
    let placed = in_both(&original.supplementary, &masked.supplementary);
    let missing = |points: &[Point]| points.iter().filter(|point| point.is_missing).count();
    let n_missing =
        [original, &*masked].map(|map| missing(&map.active) + missing(&map.supplementary));
    let n_unmatched = of_maps(original) + of_maps(masked)
        - n_missing[0]
        - n_missing[1]
        - 2 * (active.len() + placed.len());
    let placed = if original.supplementary.is_empty() {
        &active
    } else {
        &placed
    };
    let mut found = Measurement {
        value: distance(placed, n_axes),
        ..Measurement::default()
    };
    let x: Vec<&[f64]> = placed
        .iter()
        .map(|(_, m)| &m.coordinates[..n_axes])
        .collect();
    let y: Vec<&[f64]> = placed
        .iter()
        .map(|(o, _)| &o.coordinates[..n_axes])
        .collect();
    let mass: Vec<f64> = placed.iter().map(|(o, _)| o.mass).collect();
    found.push_part("Procrustes distance", procrustes_distance(&x, &y, &mass));
    for axis in 0..n_axes {
        let name = format!("congruence, axis {}", axis + 1);
        found.push_part(name, congruence(&active, axis));
    }
    let both = original.eigenvalues.iter().zip(&masked.eigenvalues);
    let differences: Vec<f64> = both.map(|(o, m)| m - o).collect();
    let largest = differences
        .iter()
        .fold(0.0, |largest: f64, x| largest.max(x.abs()));
    found.push_part("largest difference of eigenvalues", largest);
    found.push_part("categories compared", placed.len() as f64);
    found.push_part("categories in one file only", n_unmatched as f64);
    found.series.push(by_axis(
        "difference of eigenvalues",
        "inertia",
        &differences,
    ));
    found
}

/// Root of the mean squared distance, weighted by the original's masses; none without categories.
fn distance(placed: &[(&Point, &Point)], n_axes: usize) -> Option<f64> {
    let total: f64 = placed.iter().map(|(o, _)| o.mass).sum();
    let squares = placed.iter().map(|(o, m)| {
        let off = (0..n_axes).map(|axis| o.coordinates[axis] - m.coordinates[axis]);
        o.mass * off.map(|off| off * off).sum::<f64>()
    });
    let squares: f64 = squares.sum();
    (total > 0.0).then(|| (squares / total).sqrt())
}

/// Tucker's coefficient Σ x y / √(Σ x² Σ y²) over active categories.
fn congruence(active: &[(&Point, &Point)], axis: usize) -> Option<f64> {
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        let places = active
            .iter()
            .map(|(o, m)| (o.coordinates[axis], m.coordinates[axis]));
        places.map(|(o, m)| of(o, m)).sum()
    };
    let sizes = sum(&|o, _| o * o) * sum(&|_, m| m * m);
    (sizes > 0.0).then(|| sum(&|o, m| o * m) / sizes.sqrt())
}

fn by_axis(name: &str, unit: &str, figures: &[f64]) -> Series {
    let point = |(axis, &value): (usize, &f64)| Part {
        name: format!("axis {}", axis + 1),
        value: Some(value),
    };
    Series {
        name: name.to_owned(),
        axis: unit.to_owned(),
        unit: Unit::Number,
        file: None,
        variable: None,
        table: None,
        points: figures.iter().enumerate().map(point).collect(),
    }
}

/// The figures of one file's analysis.
fn describe(map: &Analysis, file: &str, found: &mut Measurement) {
    let inertia: f64 = map.eigenvalues.iter().sum();
    found.push_part(format!("records, {file}"), map.n_records as f64);
    found.push_part(format!("total inertia, {file}"), inertia);
    let shares: Vec<f64> = map
        .eigenvalues
        .iter()
        .map(|lambda| lambda / inertia)
        .collect();
    let corrected = map.eigenvalues.iter().map(|&lambda| map.corrected(lambda));
    let corrected: Vec<f64> = corrected.collect();
    for (name, unit, figures) in [
        ("eigenvalue", "inertia", &map.eigenvalues),
        ("share of inertia", "share", &shares),
        ("corrected eigenvalue", "inertia", &corrected),
    ] {
        found
            .series
            .push(by_axis(&format!("{name}, {file}"), unit, figures));
    }
    let mut add =
        |name: String, unit: &str, points: &[Point], figure: &dyn Fn(&Point) -> Option<f64>| {
            if points.is_empty() {
                return;
            }
            let part = |point: &Point| Part {
                name: point.label.clone(),
                value: figure(point),
            };
            found.series.push(Series {
                name,
                axis: unit.to_owned(),
                unit: Unit::Number,
                file: None,
                variable: None,
                table: None,
                points: points.iter().map(part).collect(),
            });
        };
    let (active, placed) = (&map.active, &map.supplementary);
    add(format!("mass, {file}"), "share of weight", active, &|of| {
        Some(of.mass)
    });
    let name = format!("mass of supplementary categories, {file}");
    add(name, "share of weight", placed, &|of| Some(of.mass));
    for axis in 0..map.n_axes() {
        let number = axis + 1;
        let place = |of: &Point| Some(of.coordinates[axis]);
        add(
            format!("axis {number}, {file}"),
            "coordinate",
            active,
            &place,
        );
        let name = format!("supplementary categories on axis {number}, {file}");
        add(name, "coordinate", placed, &place);
        let name = format!("test value on axis {number}, {file}");
        add(name, "standard deviations", placed, &|of| {
            map.test_value(of, axis)
        });
        let name = format!("contribution to axis {number}, {file}");
        add(name, "share of inertia", active, &|of| {
            Some(map.contribution(of, axis))
        });
        let name = format!("squared cosine with axis {number}, {file}");
        add(name, "share of distance", active, &|of| {
            map.squared_cosine(of, axis)
        });
    }
}
