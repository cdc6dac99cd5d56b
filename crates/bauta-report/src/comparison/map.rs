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
    let gates: Vec<GateRecord> = (runs.iter())
        .flat_map(|run| run.record.gates.iter().cloned())
        .collect();
    let risk = FigureChoice::usual(Side::Risk, &shared, &gates)?;
    let loss = FigureChoice::usual(Side::Loss, &shared, &gates)?;
    let compared: Vec<Measures<'_>> = (runs.iter())
        .map(|run| (run.name.clone(), &run.record.measures[..]))
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
    let is_same = |a: &MeasureRecord, b: &MeasureRecord| {
        let of = |measure: &MeasureRecord| {
            let condition = measure.condition.clone();
            (measure.id.clone(), measure.scenario.clone(), condition)
        };
        of(a) == of(b) && a.on == b.on && a.params == b.params
    };
    let everywhere = |measure: &&MeasureRecord| {
        let mut others = others.iter().map(|run| &run.record.measures);
        others.all(|measures| measures.iter().any(|other| is_same(measure, other)))
    };
    let measures = first.record.measures.iter();
    measures.filter(everywhere).cloned().collect()
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
