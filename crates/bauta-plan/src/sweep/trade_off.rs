//! Variants as points between risk and utility.

use std::collections::HashMap;

use bauta_methods::{Better, Unit};

use super::Grid;
use super::figure::{FigureChoice, MapFigure};
use super::front::pareto_front;
use super::outcome::VariantOutcome;
use crate::record::{GateRecord, MeasureRecord};

/// One of the two axes of a trade-off.
#[derive(Clone, PartialEq, Debug)]
pub struct TradeAxis {
    /// The figure, as the command line names it.
    pub figure: FigureChoice,
    /// What people call it.
    pub label: String,
    /// How it is written.
    pub unit: Unit,
    /// Which end is good.
    pub better: Better,
    /// The least and the largest that it can be.
    pub range: [f64; 2],
    /// That of the original; none where it could not be measured.
    pub original: Option<f64>,
}

/// A variant, or a run, between risk and utility.
#[derive(Clone, PartialEq, Debug)]
pub struct TradePoint {
    /// What it is called.
    pub name: String,
    /// Its figure of risk; none where it is not defined.
    pub risk: Option<f64>,
    /// Its figure of loss.
    pub loss: Option<f64>,
    /// Its utility: 1 at the loss of the original, 0 at that of no data.
    pub utility: Option<f64>,
    /// Whether no other one has both less risk and less loss.
    pub on_front: bool,
    /// Whether its figures rest on few records, so that screens are not shown them.
    pub few: bool,
}

/// Several releases of the same data between risk and utility.
#[derive(Clone, PartialEq, Debug)]
pub struct TradeOff {
    /// Risk.
    pub risk: TradeAxis,
    /// Loss.
    pub loss: TradeAxis,
    /// The loss at which utility is 0.
    pub no_utility: f64,
    /// The risk that is tolerated.
    pub tolerated: Option<f64>,
    /// The points, in the order given.
    pub points: Vec<TradePoint>,
}

/// What is to be compared: the name of each, and what was measured of it; nothing of what failed.
pub type Measures<'a> = (String, &'a [MeasureRecord]);

impl TradeOff {
    /// Why releases cannot be put between these figures: one of them is not of the same thing everywhere.
    pub fn why_not_comparable(
        figures: [&FigureChoice; 2],
        compared: &[Measures<'_>],
    ) -> Option<String> {
        let differs = |figure: &&FigureChoice| {
            let bases = compared.iter().map(|(_, measures)| figure.basis(measures));
            let mut bases = bases.filter(|basis| !basis.is_empty());
            let first = bases.next();
            bases.any(|basis| Some(&basis) != first.as_ref())
        };
        let figure = figures.into_iter().find(differs)?;
        Some(format!(
            "{} is not of the same variables, scenarios and parameters everywhere, so that its figures cannot be compared",
            figure.spelled()
        ))
    }

    /// Puts releases between a figure of risk and one of loss. None where nobody measured them, where one of
    /// them has no good end, or where they cannot be compared.
    pub fn new(
        [risk, loss]: [&FigureChoice; 2],
        compared: &[Measures<'_>],
        original: &[MeasureRecord],
        tolerated: Option<f64>,
    ) -> Option<Self> {
        if Self::why_not_comparable([risk, loss], compared).is_some() {
            return None;
        }
        let axis = |choice: &FigureChoice| {
            let mut found = compared.iter();
            let found = found.find_map(|(_, measures)| choice.find(measures))?;
            (found.better != Better::Neither).then(|| TradeAxis {
                figure: choice.clone(),
                label: found.label,
                unit: found.unit,
                better: found.better,
                range: found.range,
                original: choice.find(original).and_then(|of| of.value),
            })
        };
        let (risk_axis, loss_axis) = (axis(risk)?, axis(loss)?);
        let found: Vec<[Option<MapFigure>; 2]> = (compared.iter())
            .map(|(_, measures)| [risk.find(measures), loss.find(measures)])
            .collect();
        let bad = |found: &Option<MapFigure>| found.as_ref().and_then(MapFigure::badness);
        let places: Vec<[f64; 2]> = (found.iter())
            .map(|[risk, loss]| [risk, loss].map(|of| bad(of).unwrap_or(f64::NAN)))
            .collect();
        let front = pareto_front(&places);
        let losses = found.iter().filter_map(|[_, loss]| loss.as_ref()?.value);
        let no_utility = no_utility(&loss_axis, losses);
        let origin = loss_axis.origin();
        let points = compared.iter().zip(&found).enumerate();
        let points = points.map(|(position, ((name, _), [risk, loss]))| {
            let value = |of: &Option<MapFigure>| of.as_ref().and_then(|of| of.value);
            let is_few = |of: &Option<MapFigure>| of.as_ref().is_some_and(|of| of.few);
            let utility = |loss: f64| 1.0 - (loss - origin) / (no_utility - origin);
            TradePoint {
                name: name.clone(),
                risk: value(risk),
                loss: value(loss),
                utility: value(loss).map(utility),
                on_front: front.binary_search(&position).is_ok(),
                few: is_few(risk) || is_few(loss),
            }
        });
        Some(Self {
            points: points.collect(),
            risk: risk_axis,
            loss: loss_axis,
            no_utility,
            tolerated,
        })
    }

    /// The outcomes of a sweep; those that failed have no figures.
    pub fn of_outcomes(
        figures: [&FigureChoice; 2],
        outcomes: &[VariantOutcome],
        original: &[MeasureRecord],
        max_risk: Option<f64>,
    ) -> Option<Self> {
        let compared = measures_of(outcomes);
        let better = compared
            .iter()
            .find_map(|(_, measures)| figures[0].find(measures))
            .map(|figure| figure.better);
        let gates = outcomes.iter().filter_map(|outcome| {
            let record = outcome.found.as_ref().ok()?;
            tolerated(figures[0], &record.measures, &record.gates)
        });
        let tolerated = max_risk.or_else(|| strictest(better?, gates));
        Self::new(figures, &compared, original, tolerated)
    }
}

/// What was measured of each outcome; nothing of those that failed.
pub(super) fn measures_of(outcomes: &[VariantOutcome]) -> Vec<Measures<'_>> {
    let measures = outcomes.iter().map(|outcome| {
        let measures = outcome.found.as_ref().map(|record| &record.measures[..]);
        (outcome.id.clone(), measures.unwrap_or_default())
    });
    measures.collect()
}

/// The bound that all others allow too.
fn strictest(better: Better, bounds: impl Iterator<Item = f64>) -> Option<f64> {
    bounds.reduce(match better {
        Better::Higher => f64::max,
        Better::Lower | Better::Neither => f64::min,
    })
}

/// The risk that gates on this figure tolerate; of several the strictest.
pub fn tolerated(
    risk: &FigureChoice,
    measures: &[MeasureRecord],
    gates: &[GateRecord],
) -> Option<f64> {
    let better = risk.find(measures)?.better;
    let of_figure = gates.iter().filter(|gate| {
        gate.measure == risk.measure
            && gate.part == risk.part
            && gate.condition.is_none()
            && (risk.scenario.is_none() || gate.scenario == risk.scenario)
    });
    let bounds = of_figure.filter_map(|gate| match better {
        Better::Higher => gate.at_least,
        Better::Lower | Better::Neither => gate.at_most,
    });
    strictest(better, bounds)
}

impl TradeAxis {
    /// The figure of a file that nobody masked: as measured, or else the good end of what it can be.
    pub fn origin(&self) -> f64 {
        self.original.unwrap_or(match self.better {
            Better::Higher => self.range[1],
            Better::Lower | Better::Neither => self.range[0],
        })
    }

    /// The bad end of what it can be, if it has one.
    pub fn worst(&self) -> Option<f64> {
        let end = match self.better {
            Better::Higher => self.range[0],
            Better::Lower | Better::Neither => self.range[1],
        };
        end.is_finite().then_some(end)
    }
}

impl TradeOff {
    /// Axes of a grid that change nothing of the risk: variants that differ in nothing else have the same.
    pub fn axes_without_risk<'g>(&self, grid: &'g Grid) -> Vec<&'g str> {
        let changes_nothing = |axis: &usize| {
            let mut found: HashMap<Vec<&str>, Option<f64>> = HashMap::new();
            let points = grid.variants.iter().zip(&self.points);
            let measured: Vec<_> = points.filter(|(_, point)| point.risk.is_some()).collect();
            measured.len() > 1
                && measured.into_iter().all(|(variant, point)| {
                    let others = variant.values.iter().enumerate();
                    let others = others
                        .filter(|(at, _)| at != axis)
                        .map(|(_, value)| value.as_str());
                    let known = *found.entry(others.collect()).or_insert(point.risk);
                    known.map(f64::to_bits) == point.risk.map(f64::to_bits)
                })
        };
        let axes = (0..grid.axes.len()).filter(|&axis| grid.axes[axis].values.len() > 1);
        axes.filter(changes_nothing)
            .map(|axis| grid.axes[axis].name.as_str())
            .collect()
    }
}

/// The loss at which utility is 0: all that there is to lose; of a loss without end the largest that was found, rounded
/// up.
fn no_utility(axis: &TradeAxis, found: impl Iterator<Item = f64>) -> f64 {
    let origin = axis.origin();
    if let Some(end) = axis.worst().filter(|end| (end - origin).abs() > 0.0) {
        return end;
    }
    let found = found.filter(|value| value.is_finite());
    let farthest = found
        .map(|value| (value - origin).abs())
        .fold(0.0, f64::max);
    let distance = if farthest > 0.0 {
        rounded_up(farthest)
    } else {
        1.0
    };
    match axis.better {
        Better::Higher => origin - distance,
        Better::Lower | Better::Neither => origin + distance,
    }
}

/// The least number of one or two digits that is not below a positive one.
fn rounded_up(value: f64) -> f64 {
    let Ok(exponent) = format!("{value:e}")
        .split_once('e')
        .map_or("0", |(_, exponent)| exponent)
        .parse::<i32>()
    else {
        return value;
    };
    let unit: f64 = format!("1e{}", exponent - 1).parse().unwrap_or(1.0);
    let steps = (value / unit - 1e-9).ceil();
    let text = format!("{steps}e{}", exponent - 1);
    text.parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(better: Better, range: [f64; 2], original: Option<f64>) -> TradeAxis {
        TradeAxis {
            figure: FigureChoice::value_of("x"),
            label: "x".to_owned(),
            unit: Unit::Number,
            better,
            range,
            original,
        }
    }

    #[test]
    fn no_utility_is_the_end_of_a_loss_or_what_was_nearly_found() {
        let lower = axis(Better::Lower, [0.0, f64::INFINITY], Some(0.0));
        let is = |axis: &TradeAxis, found: &[f64], expected: f64| {
            let value = no_utility(axis, found.iter().copied());
            assert!((value - expected).abs() < 1e-12, "{value} {expected}");
        };
        // 23.83 is 2.383e1: the least of two digits above it is 24.
        is(&lower, &[3.0, 23.83], 24.0);
        is(&lower, &[0.04], 0.04);
        is(&lower, &[], 1.0);
        let share = axis(Better::Lower, [0.0, 1.0], Some(0.0));
        is(&share, &[0.2], 1.0);
        let overlap = axis(Better::Higher, [0.0, 1.0], Some(1.0));
        is(&overlap, &[0.8, 0.37], 0.0);
    }
}
