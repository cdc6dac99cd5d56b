#![doc = include_str!("category_distance.md")]

mod shown;
mod two_way;

use bauta_data::Kind;

use crate::card::{Card, ParamSpec, Targets};
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::sums::compensated;
use crate::keys::check_weights;
use crate::loss::category_distance::two_way::{MAX_CELLS, OfPair, TwoWay};
use crate::measure::{Matrix, MeasureCard, MeasureMethod, MeasureTask, Measurement, Part};
use crate::note::Note;
use crate::pair::Pair;
use crate::pair::categories::{MISSING_CATEGORY, MissingCategory, TwoCategories};
use crate::pair::coarser::at_coarser_level;
use crate::pair::margins::{Margin, Weights};
use crate::pair::variables::{TwoColumns, mean_of_variables};
use crate::params::{ParamProblem, Params};

/// Distances of distributions and of two-way tables. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct CategoryDistance;

const MISSING: ParamSpec = MISSING_CATEGORY.or_word("skip");
const WEIGHTED: ParamSpec = ParamSpec::flag(
    "weighted",
    "count each record by the weight of its file instead of once",
);

const LARGEST: FigureSpec =
    FigureSpec::share("largest_distance", "largest distance of a variable").lower_is_better();
const MEAN_OF_PAIRS: FigureSpec =
    FigureSpec::share("mean_pair_distance", "mean distance of two-way tables").lower_is_better();
const LARGEST_OF_PAIRS: FigureSpec = FigureSpec::share(
    "largest_pair_distance",
    "largest distance of a two-way table",
)
.lower_is_better();
const MEAN_V_CHANGE: FigureSpec = FigureSpec::number("mean_v_change", "mean change of Cramér's V")
    .within(0.0, 1.0)
    .lower_is_better();
const LARGEST_V_CHANGE: FigureSpec =
    FigureSpec::number("largest_v_change", "largest change of Cramér's V")
        .within(0.0, 1.0)
        .lower_is_better();
const PAIRS: FigureSpec = FigureSpec::count("pairs", "two-way tables compared");

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "category-distance",
        title: "Distance of categories",
        summary: "total variation between original and masked shares of categories, one-way and two-way, and the change of Cramér's V",
        page: include_str!("category_distance.md"),
        params: &[WEIGHTED, MISSING],
        targets: Targets {
            kinds: &[Kind::Ordered, Kind::Hierarchical, Kind::Unordered],
            ..Targets::CONTENT
        },
        references: &["cramer1946", "gomatam2003"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("mean distance", Unit::Share)
        .within(0.0, 1.0)
        .lower_is_better(),
    figures: &[
        LARGEST,
        MEAN_OF_PAIRS,
        LARGEST_OF_PAIRS,
        MEAN_V_CHANGE,
        LARGEST_V_CHANGE,
        PAIRS,
    ],
    ..MeasureCard::LOSS
};

/// Of more variables nobody reads the pairs: there are 435 of 30.
const MAX_IN_PAIRS: usize = 30;

/// How records are counted.
pub struct Settings {
    weighted: bool,
    missing: MissingCategory,
}

impl MeasureMethod for CategoryDistance {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        Ok(Settings {
            weighted: params.flag(WEIGHTED.name),
            missing: MissingCategory::asked(params),
        })
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let pair = task.both()?;
        let weights = weights(settings, pair)?;
        let (mut variables, mut margins) = (Vec::new(), Vec::new());
        for (done, name) in task.on.iter().enumerate() {
            context.progress(done, task.on.len())?;
            let columns = TwoColumns::of(pair, name)?;
            let mut variable = at_coarser_level(&columns, pair, context)?;
            margins.push(Margin::of_both(&variable, weights));
            if done >= MAX_IN_PAIRS {
                // Its codes are not needed any more.
                variable.codes = [Vec::new(), Vec::new()];
            }
            variables.push(variable);
        }
        let by_variable = variables.iter().zip(&margins).map(|(variable, margins)| {
            let [p, q] =
                [0, 1].map(|file: usize| &margins[file].weight[..n_counted(settings, variable)]);
            Part::new(variable.name.as_str(), total_variation(p, q))
        });
        let mut found = mean_of_variables(by_variable.collect());
        let figures = found.by_variable.iter().filter_map(|part| part.value);
        let largest = figures.reduce(f64::max);
        found.give(&LARGEST, largest);
        let pairs = compare_pairs(settings, &variables, weights, context)?;
        give_pairs(&mut found, &pairs);
        let names: Vec<&str> = variables
            .iter()
            .map(|variable| variable.name.as_str())
            .collect();
        let names = &names[..pairs.len()];
        if names.len() > 1 {
            found.matrices = matrices(names, &pairs);
        }
        found.exhibits = shown::exhibits(&variables, &margins, &pairs);
        Ok(found)
    }
}

fn weights<'a>(settings: &Settings, pair: Pair<'a>) -> Result<[Weights<'a>; 2], MethodError> {
    if !settings.weighted {
        return Ok([Weights::alike(); 2]);
    }
    check_weights(pair.original)?;
    check_weights(pair.masked)?;
    Ok([Weights::of(pair.original), Weights::of(pair.masked)])
}

/// How many codes of a variable are counted: those of its categories, and that of missing cells where they are one.
fn n_counted(settings: &Settings, variable: &TwoCategories) -> usize {
    match settings.missing {
        MissingCategory::Skip => variable.n_categories(),
        MissingCategory::Category => variable.n_codes(),
    }
}

/// ½ Σ |p - q| of two tables; none where one of them is empty.
fn total_variation(original: &[f64], masked: &[f64]) -> Option<f64> {
    let total = |cells: &[f64]| compensated(cells.iter().copied());
    let (n, m) = (total(original), total(masked));
    if !(n > 0.0 && m > 0.0) {
        return None;
    }
    let cells = original.iter().zip(masked);
    let gaps = cells.map(|(f, g)| (f / n - g / m).abs());
    // Rounding must not take the largest possible distance beyond 1.
    Some((0.5 * compensated(gaps)).min(1.0))
}

/// What the two-way tables of all pairs of variables have in common: row j has those of variable j with those before it.
fn compare_pairs(
    settings: &Settings,
    variables: &[TwoCategories],
    weights: [Weights<'_>; 2],
    context: &RunContext<'_>,
) -> Result<Vec<Vec<OfPair>>, MethodError> {
    let taken = &variables[..variables.len().min(MAX_IN_PAIRS)];
    if taken.len() < variables.len() {
        context.note(pairs_of_the_first(variables.len()));
    }
    let (mut pairs, mut n_too_large) = (Vec::new(), 0);
    for (row, variable) in taken.iter().enumerate() {
        context.progress(row, taken.len())?;
        let mut of_row = Vec::new();
        for other in &taken[..row] {
            context.go_on()?;
            let shape = [n_counted(settings, variable), n_counted(settings, other)];
            if shape[0].saturating_mul(shape[1]) > MAX_CELLS {
                n_too_large += 1;
                of_row.push(OfPair::default());
            } else {
                of_row.push(TwoWay::new([variable, other], shape, weights).compared());
            }
        }
        pairs.push(of_row);
    }
    if n_too_large > 0 {
        context.note(tables_too_large(n_too_large));
    }
    Ok(pairs)
}

/// The figures of all pairs together.
fn give_pairs(found: &mut Measurement, pairs: &[Vec<OfPair>]) {
    let of = |figure: fn(&OfPair) -> Option<f64>| -> Vec<f64> {
        pairs.iter().flatten().filter_map(figure).collect()
    };
    let mean = |figures: &[f64]| {
        let n = figures.len() as f64;
        (n > 0.0).then(|| compensated(figures.iter().copied()) / n)
    };
    let largest = |figures: &[f64]| figures.iter().copied().reduce(f64::max);
    let distances = of(|pair| pair.distance);
    let changes = of(|pair| pair.v_change().map(f64::abs));
    found.give(&MEAN_OF_PAIRS, mean(&distances));
    found.give(&LARGEST_OF_PAIRS, largest(&distances));
    found.give(&MEAN_V_CHANGE, mean(&changes));
    found.give(&LARGEST_V_CHANGE, largest(&changes));
    found.give(&PAIRS, distances.len() as f64);
}

fn matrices(names: &[&str], pairs: &[Vec<OfPair>]) -> Vec<Matrix> {
    let matrix = |name: &str, unit: &str, figure: &dyn Fn(&OfPair) -> Option<f64>| Matrix {
        name: name.to_owned(),
        unit: unit.to_owned(),
        variables: names.iter().map(|name| (*name).to_owned()).collect(),
        below_diagonal: pairs
            .iter()
            .map(|row| row.iter().map(figure).collect())
            .collect(),
    };
    vec![
        matrix("distance of two-way tables", "total variation", &|pair| {
            pair.distance
        }),
        matrix(
            "change of Cramér's V",
            "masked less original",
            &OfPair::v_change,
        ),
    ]
}

/// There are more variables than pairs are looked at of.
fn pairs_of_the_first(n_variables: usize) -> Note {
    Note::new(
        "pairs-of-the-first",
        format!(
            "two-way tables were compared of the first {MAX_IN_PAIRS} of {n_variables} variables; name those that matter in `on`"
        ),
    )
    .with("n_variables", n_variables)
    .with("n_in_pairs", MAX_IN_PAIRS)
}

/// Two-way tables that are nobody's to read.
fn tables_too_large(n_tables: usize) -> Note {
    let text = match n_tables {
        1 => format!("1 two-way table has more than {MAX_CELLS} cells and was left out"),
        n => format!("{n} two-way tables have more than {MAX_CELLS} cells and were left out"),
    };
    Note::new("tables-too-large", text).with("n_tables", n_tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_variation_by_hand() {
        // p = (3/4, 1/4, 0), q = (1/4, 1/4, 1/2): ½ (1/2 + 0 + 1/2) = 1/2.
        assert_eq!(
            total_variation(&[3.0, 1.0, 0.0], &[2.0, 2.0, 4.0]),
            Some(0.5)
        );
        assert_eq!(total_variation(&[3.0, 0.0], &[0.0, 5.0]), Some(1.0));
        assert_eq!(total_variation(&[3.0, 1.0], &[0.0, 0.0]), None);
        assert_eq!(total_variation(&[], &[]), None);
    }
}
