//! Runs between risk and utility, where they share a measure of each.

use bauta_methods::{Measurement, registry};
use bauta_plan::record::{GateRecord, MeasureRecord};
use bauta_plan::sweep::{FigureChoice, Measures, Side, TradeOff, tolerated};
use maud::{Markup, html};

use super::Run;
use crate::svg::{MapOptions, risk_utility_map};
use crate::sweep::how_to_read;

/// The map of the runs; none where fewer than two of them have a figure of risk and one of loss.
pub(super) fn map(runs: &[Run<'_>]) -> Option<Markup> {
    let trade = trade_off(runs)?;
    let names: Vec<String> = runs.iter().map(|run| run.name.clone()).collect();
    let options = MapOptions {
        id: "map-of-runs",
        title: "Runs between risk and utility",
        names: &names,
        chosen: None,
    };
    Some(html! {
        figure {
            figcaption { (options.title) small { (how_to_read(&trade)) } }
            (risk_utility_map(&trade, &options))
        }
    })
}

fn trade_off(runs: &[Run<'_>]) -> Option<TradeOff> {
    let shared = shared_measures(runs);
    // What only some runs measured, such as another scenario, is no part of what they are compared by.
    let is_of_shared = |gate: &&GateRecord| {
        let mut shared = shared.iter();
        shared.any(|of| of.id == gate.measure && of.scenario == gate.scenario)
    };
    let gates = runs.iter().flat_map(|run| &run.record.gates);
    let gates: Vec<GateRecord> = gates.filter(is_of_shared).cloned().collect();
    let risk = FigureChoice::usual(Side::Risk, &shared, &gates)?;
    let loss = FigureChoice::usual(Side::Loss, &shared, &gates)?;
    let of_runs = runs.iter().map(|run| {
        let measures = run.record.measures.iter();
        let measures = measures.filter(|measure| shared.iter().any(|of| is_same(of, measure)));
        measures.cloned().collect()
    });
    let of_runs: Vec<Vec<MeasureRecord>> = of_runs.collect();
    let compared: Vec<Measures<'_>> = (runs.iter().zip(&of_runs))
        .map(|(run, measures)| (run.name.clone(), &measures[..]))
        .collect();
    let original: Vec<MeasureRecord> = shared.iter().map(of_original).collect();
    let limit = tolerated(&risk, &shared, &gates);
    let trade = TradeOff::new([&risk, &loss], &compared, &original, limit)?;
    let drawn = trade.points.iter();
    let drawn = drawn.filter(|point| point.risk.is_some() && point.loss.is_some());
    (drawn.count() > 1).then_some(trade)
}

/// The measures of the first run that all others have, with the same variables and parameters.
fn shared_measures(runs: &[Run<'_>]) -> Vec<MeasureRecord> {
    let Some((first, others)) = runs.split_first() else {
        return Vec::new();
    };
    let everywhere = |measure: &&MeasureRecord| {
        let mut others = others.iter().map(|run| &run.record.measures);
        others.all(|measures| measures.iter().any(|other| is_same(measure, other)))
    };
    let measures = first.record.measures.iter();
    measures.filter(everywhere).cloned().collect()
}

/// Whether two measures are of the same thing.
fn is_same(a: &MeasureRecord, b: &MeasureRecord) -> bool {
    (&a.id, &a.scenario, &a.condition) == (&b.id, &b.scenario, &b.condition)
        && a.on == b.on
        && a.params == b.params
}

/// What the record says of the original: measured before, or what the measure declares of a file that nobody
/// masked. Nothing is computed here.
fn of_original(measure: &MeasureRecord) -> MeasureRecord {
    let at_identity = registry::measure(&measure.id);
    let at_identity = at_identity.and_then(|known| known.declared().at_identity);
    let declared = at_identity.map(|value| Measurement {
        value: Some(value),
        ..Measurement::default()
    });
    MeasureRecord {
        after: measure.before.clone().or(declared),
        ..measure.clone()
    }
}
