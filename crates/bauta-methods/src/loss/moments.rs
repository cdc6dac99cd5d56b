#![doc = include_str!("moments.md")]

use bauta_data::Attribute;

use crate::card::Card;
use crate::context::RunContext;
use crate::error::MethodError;
use crate::figure::{FigureSpec, Unit};
use crate::kernel::numbers::complete::{complete_rows, taken};
use crate::kernel::numbers::moments::{finite_moments, is_constant};
use crate::kernel::numbers::sums::compensated;
use crate::measure::{MeasureCard, MeasureMethod, MeasureTask, Measurement};
use crate::missing::{MISSING, Missing};
use crate::optimise::moments::{MAX_ORDER, MOST_TERMS, Terms, n_terms};
use crate::optimise::settings::{ORDER, ORDER_WEIGHTS, weights_asked};
use crate::pair::variables::columns_of_both;
use crate::params::{ParamProblem, Params};

/// Distance between the moments of two files. See the [module page](self).
#[derive(Clone, Copy, Debug)]
pub struct Moments;

const OF_ORDER: FigureSpec =
    FigureSpec::number("order {}", "squared distance of the moments of order {}")
        .lower_is_better()
        .per_number();

static CARD: MeasureCard = MeasureCard {
    card: Card {
        id: "moments",
        title: "Distance of moments (E)",
        summary: "squared differences between the moments of the standardised files, summed up to an order",
        page: include_str!("moments.md"),
        params: &[ORDER, ORDER_WEIGHTS, MISSING],
        references: &["sebe2002"],
        ..MeasureCard::LOSS.card
    },
    value: FigureSpec::value("distance E", Unit::Number).lower_is_better(),
    figures: &[OF_ORDER],
    usual: false,
    by_variable: false,
    ..MeasureCard::LOSS
};

/// Which moments are compared.
pub struct Settings {
    order: usize,
    weights: Vec<f64>,
    missing: Missing,
}

impl MeasureMethod for Moments {
    type Settings = Settings;

    fn card(&self) -> &'static MeasureCard {
        &CARD
    }

    fn settings(&self, params: &Params) -> Result<Settings, Vec<ParamProblem>> {
        let order = params.count(ORDER.name);
        Ok(Settings {
            order,
            weights: weights_asked(params, order).map_err(|problem| vec![problem])?,
            missing: Missing::asked(params),
        })
    }

    fn check(&self, settings: &Settings, on: &[&Attribute]) -> Vec<ParamProblem> {
        let n = n_terms(on.len(), settings.order);
        let problem = (n > MOST_TERMS).then(|| {
            ParamProblem::of(
                ORDER.name,
                format!(
                    "{} variables have {n} moments up to this order, and {MOST_TERMS} are allowed",
                    on.len()
                ),
                "lower `order`, or name fewer variables",
            )
        });
        problem.into_iter().collect()
    }

    fn numbers_of(&self, _: &FigureSpec, settings: &Settings, _: &[String]) -> Vec<f64> {
        (1..=settings.order.min(MAX_ORDER))
            .map(|order| order as f64)
            .collect()
    }

    fn measure(
        &self,
        settings: &Settings,
        task: &MeasureTask<'_>,
        context: &RunContext<'_>,
    ) -> Result<Measurement, MethodError> {
        let columns = columns_of_both(task, settings.missing, context)?;
        let mut files: [Vec<&[f64]>; 2] = [Vec::new(), Vec::new()];
        let mut scales = Vec::new();
        for column in &columns {
            let (x, z) = column.numbers()?;
            if is_constant(x) {
                return Err(MethodError::data(
                    column.name,
                    "it has no two different values in the original file, so that it cannot be standardised",
                    "leave the variable out of this measure",
                ));
            }
            let moments = finite_moments(column.name, x)?;
            let is_number = |z: &f64| z.is_nan() || ((z - moments.mean) / moments.sd).is_finite();
            if moments.sd <= 0.0 || !z.iter().all(is_number) {
                return Err(MethodError::data(
                    column.name,
                    "its values cannot be stated in standard deviations of the original: they are too near to each other, or too far apart",
                    "state the variable in another unit, or leave it out of this measure",
                ));
            }
            scales.push((moments.mean, moments.sd));
            files[0].push(x);
            files[1].push(z);
        }
        let terms = Terms::up_to(scales.len(), settings.order);
        let means = files.map(|columns| of_file(&terms, &columns, &scales));
        let [Some(original), Some(masked)] = means else {
            return Ok(Measurement::default());
        };
        context.go_on()?;
        let squares = |order: usize| {
            let of_order = terms.terms.iter().zip(original.iter().zip(&masked));
            let of_order = of_order.filter(|(term, _)| usize::from(term.degree) == order);
            compensated(of_order.map(|(_, (x, z))| (z - x) * (z - x)))
        };
        let squares: Vec<f64> = (1..=settings.order).map(squares).collect();
        let weighed = squares.iter().zip(&settings.weights);
        let mut found = Measurement {
            value: Some(compensated(weighed.map(|(square, weight)| square * weight)))
                .filter(|e| e.is_finite()),
            ..Measurement::default()
        };
        for (order, square) in (1..).zip(squares) {
            found.give(OF_ORDER.at(f64::from(order)), square);
        }
        Ok(found)
    }
}

/// The moments of the complete records, standardised by the original; none without records or variables.
fn of_file(terms: &Terms, columns: &[&[f64]], scales: &[(f64, f64)]) -> Option<Vec<f64>> {
    let n = columns.first()?.len();
    let complete = complete_rows(n, columns);
    if complete.is_empty() {
        return None;
    }
    let columns: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| taken(column, &complete))
        .collect();
    let row = |record: usize| {
        let values = columns.iter().zip(scales);
        values.map(move |(column, (mean, sd))| (column[record] - mean) / sd)
    };
    let rows: Vec<f64> = (0..complete.len()).flat_map(row).collect();
    let sums = terms.sums(&rows, scales.len());
    Some(
        sums.into_iter()
            .map(|sum| sum / complete.len() as f64)
            .collect(),
    )
}
