#![doc = include_str!("correspondence_analysis.md")]

mod axes;

use bauta_data::{Column, Kind, Role};

use crate::card::{Card, ParamSpec, ParamType, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::few_records::{MIN_RECORDS, min_records};
use crate::figure::{FigureSpec, Side, Unit};
use crate::kernel::matrix::procrustes::procrustes_distance;
use crate::keys::check_weights;
use crate::loss::correspondence_analysis::axes::{Analysis, Point, Questions, Records};
use crate::measure::{
    CategoriesIn, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part, Series,
};
use crate::pair::Pair;
use crate::pair::categories::{MISSING_CATEGORY, MissingCategory, TwoCategories};
use crate::pair::variables::entering_records;
use crate::params::{ParamProblem, Params, RawValue};

/// How far the maps of multiple correspondence analysis agree. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct CorrespondenceAnalysis;

const SUPPLEMENTARY: ParamSpec = ParamSpec::variables(
    "supplementary",
    "variables that are placed on the map and do not make it, even if `on` names them",
    "none: the active categories are compared",
);
const AXES: ParamSpec = ParamSpec::new(
    "axes",
    "number of axes on which the maps are compared",
    ParamType::Integer { min: 1, max: 10 },
)
.or_integer(2);

const PROCRUSTES: FigureSpec =
    FigureSpec::number("Procrustes distance", "Procrustes distance").lower_is_better();
const CONGRUENCE: FigureSpec = FigureSpec::number("congruence, axis {}", "congruence of axis {}")
    .within(-1.0, 1.0)
    .higher_is_better()
    .per_number();
const LARGEST: FigureSpec = FigureSpec::number(
    "largest difference of eigenvalues",
    "largest difference of eigenvalues",
)
.lower_is_better();
const COMPARED: FigureSpec = FigureSpec::count("categories compared", "categories compared");
const UNMATCHED: FigureSpec =
    FigureSpec::count("categories in one file only", "categories in one file only")
        .lower_is_better();
const RECORDS: FigureSpec = FigureSpec::count("records", "records in the analysis").per_side();
const INERTIA: FigureSpec = FigureSpec::number("total inertia", "total inertia").per_side();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "correspondence-analysis",
        title: "Correspondence analysis",
        summary: "how far categories move on the map of a weighted multiple correspondence analysis",
        page: include_str!("correspondence_analysis.md"),
        params: &[SUPPLEMENTARY, AXES, MISSING_CATEGORY, MIN_RECORDS],
        targets: Targets {
            kinds: &[Kind::Unordered, Kind::Ordered, Kind::Hierarchical],
            default_roles: &[Role::Key, Role::Sensitive],
            refused_roles: &[Role::Weight, Role::Household, Role::Identifier],
        },
        references: &[
            "bergeat2015",
            "greenacre2007",
            "benzecri1979",
            "lorenzoseva2006",
            "schoenemann1966",
        ],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("distance on the map", Unit::Number).lower_is_better(),
    figures: &[
        PROCRUSTES, CONGRUENCE, LARGEST, COMPARED, UNMATCHED, RECORDS, INERTIA,
    ],
    categories_in: &[CategoriesIn {
        param: SUPPLEMENTARY.name,
        most_numbers: usize::MAX,
    }],
    // A map of variables that nobody chose says little, and an analyst's map is of the file, not of
    // what a mask changed.
    usual: false,
    looks_at_untouched: true,
    by_variable: false,
    ..MeasureCard::LOSS
};

/// What the map is of.
pub struct Settings {
    supplementary: Vec<String>,
    n_axes: usize,
    missing: MissingCategory,
    /// Records that a category on the map has at least.
    min_records: u64,
}

impl MeasureMethod for CorrespondenceAnalysis {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let named = params.texts(SUPPLEMENTARY.name);
        if let Some(at) = (1..named.len()).find(|&at| named[..at].contains(&named[at])) {
            return Err(vec![ParamProblem::of(
                SUPPLEMENTARY.name,
                format!("`{}` is named twice", named[at]),
                "name each variable once",
            )]);
        }
        Ok(Settings {
            supplementary: named.to_vec(),
            n_axes: params.count(AXES.name),
            missing: MissingCategory::asked(params),
            min_records: min_records(params),
        })
    }

    fn numbers_of(&self, _: &FigureSpec, settings: &Settings, _: &[String]) -> Vec<f64> {
        (1..=settings.n_axes).map(|axis| axis as f64).collect()
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        context.progress(0, 2)?;
        let questions = settings.questions(&pair, task.on)?;
        let tables = [pair.original, pair.masked];
        for table in tables {
            check_weights(table)?;
        }
        let kept = entering_records(&pair, |file, record| questions.lack(file, record), context);
        let mut maps = Vec::new();
        for ((file, table), kept) in Side::BOTH.into_iter().zip(tables).zip(&kept) {
            context.progress(maps.len(), 2)?;
            let records = Records {
                file,
                kept,
                weights: table.weight().and_then(Column::as_numeric),
            };
            maps.push(Analysis::of(&questions, &records, settings.n_axes)?);
        }
        let [original, masked] = maps.as_mut_slice() else {
            return Err(MethodError::Internal("two files have two maps".to_owned()));
        };
        let mut found = compared(original, masked);
        for (map, file) in [original, masked].into_iter().zip(Side::BOTH) {
            describe(map, file, settings.min_records, &mut found);
        }
        Ok(found)
    }

    fn example(&self) -> Vec<(&'static str, RawValue)> {
        let name = RawValue::Text("stratum".to_owned());
        vec![("supplementary", RawValue::List(vec![name]))]
    }
}

impl Settings {
    /// The variables of the analysis.
    fn questions(&self, pair: &Pair<'_>, on: &[String]) -> Result<Questions, MethodError> {
        let read = |name: &String| TwoCategories::of(*pair, name);
        let active = on.iter().filter(|name| !self.supplementary.contains(name));
        let active: Vec<TwoCategories> = active.map(read).collect::<Result<_, _>>()?;
        if active.len() < 2 {
            return Err(MethodError::request(
                "an analysis of correspondences needs two active variables at least",
                "name them in `on`",
            ));
        }
        let supplementary = self.supplementary.iter().map(read);
        Ok(Questions {
            active,
            supplementary: supplementary.collect::<Result<_, _>>()?,
            missing: self.missing,
        })
    }
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
    found.give(&PROCRUSTES, procrustes_distance(&x, &y, &mass));
    for axis in 0..n_axes {
        found.give(CONGRUENCE.at((axis + 1) as f64), congruence(&active, axis));
    }
    let both = original.eigenvalues.iter().zip(&masked.eigenvalues);
    let differences: Vec<f64> = both.map(|(o, m)| m - o).collect();
    let largest = differences
        .iter()
        .fold(0.0, |largest: f64, x| largest.max(x.abs()));
    found.give(&LARGEST, largest);
    found.give(&COMPARED, placed.len() as f64);
    found.give(&UNMATCHED, n_unmatched as f64);
    let name = "difference of eigenvalues";
    let series = by_axis(name, "inertia", Unit::Number, &differences);
    found.series.push(series);
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

fn by_axis(name: &str, axis: &str, unit: Unit, figures: &[f64]) -> Series {
    let point = |(number, &figure): (usize, &f64)| Part::new(format!("axis {number}"), figure);
    Series::new(name, axis, unit, (1..).zip(figures).map(point).collect())
}

/// The figures of one file's analysis.
fn describe(map: &Analysis, file: Side, min_records: u64, found: &mut Measurement) {
    let lambda = &map.eigenvalues;
    let inertia: f64 = lambda.iter().sum();
    found.give(RECORDS.of_side(file), map.n_records as f64);
    found.give(INERTIA.of_side(file), inertia);
    let shares: Vec<f64> = lambda.iter().map(|lambda| lambda / inertia).collect();
    let corrected: Vec<f64> = lambda.iter().map(|&lambda| map.corrected(lambda)).collect();
    for series in [
        by_axis("eigenvalue", "inertia", Unit::Number, lambda),
        by_axis("share of inertia", "share", Unit::Share, &shares),
        by_axis("corrected eigenvalue", "inertia", Unit::Number, &corrected),
    ] {
        found.series.push(series.of_side(file));
    }
    describe_points(map, file, min_records, &mut found.series);
}

/// Masses and places of one file's categories. A category of few records stands where their other
/// answers are.
fn describe_points(map: &Analysis, file: Side, min_records: u64, found: &mut Vec<Series>) {
    let mut add = |name: String,
                   (axis, unit): (&str, Unit),
                   points: &[Point],
                   figure: &dyn Fn(&Point) -> Option<f64>| {
        if !points.is_empty() {
            let part = |point: &Point| {
                let figure = figure(point).filter(|_| point.n_records >= min_records);
                Part::new(point.label.as_str(), figure).of_records(point.n_records)
            };
            let series = Series::new(name, axis, unit, points.iter().map(part).collect());
            found.push(series.of_side(file));
        }
    };
    let (active, placed) = (&map.active, &map.supplementary);
    let (of_weight, of_inertia) = (
        ("share of weight", Unit::Share),
        ("share of inertia", Unit::Share),
    );
    let mass = |of: &Point| Some(of.mass);
    add("mass".to_owned(), of_weight, active, &mass);
    let name = "mass of supplementary categories".to_owned();
    add(name, of_weight, placed, &mass);
    for axis in 0..map.n_axes() {
        let number = axis + 1;
        let coordinate = ("coordinate", Unit::Number);
        let place = |of: &Point| Some(of.coordinates[axis]);
        add(format!("axis {number}"), coordinate, active, &place);
        let name = format!("supplementary categories on axis {number}");
        add(name, coordinate, placed, &place);
        let name = format!("test value on axis {number}");
        let deviations = ("standard deviations", Unit::Number);
        add(name, deviations, placed, &|of| map.test_value(of, axis));
        let name = format!("contribution to axis {number}");
        let contribution = |of: &Point| Some(map.contribution(of, axis));
        add(name, of_inertia, active, &contribution);
        let name = format!("squared cosine with axis {number}");
        let of_distance = ("share of distance", Unit::Share);
        add(name, of_distance, active, &|of| {
            map.squared_cosine(of, axis)
        });
    }
}
