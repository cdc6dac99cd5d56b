//! What of a calibration screens and scripts are told: everything but names and figures that rest on few
//! records, which the run record and the internal report have.

use serde_json::{Value, json};

use crate::adjust::calibration::found::{
    Calibration, Distribution, MarginRow, QUANTILE_SHARES, ShareRow, Solution,
};
use crate::adjust::calibration::margins::in_place;
use crate::adjust::calibration::withheld::{Sum, is_of_few, withhold_with};
use crate::few_records::{RULE_OF_TEN, is_few};

/// The same of a calibration as evidence holds it; none if it is of another kind.
pub(crate) fn of_data(data: &Value) -> Option<Value> {
    let calibration: Calibration = serde_json::from_value(data.clone()).ok()?;
    Some(told(&calibration))
}

/// A calibration as scripts read it on a screen. Figures that are not told are null, names say where
/// the margin stands. Everything that can hold a name or a figure of few records is taken apart without
/// `..`: a field that is added stops the compiler here, and somebody has to decide.
fn told(calibration: &Calibration) -> Value {
    let Calibration {
        weight,
        start,
        unit,
        n_original,
        n_kept,
        scale,
        deletion,
        targets_from,
        margins,
        n_independent,
        redundant,
        solutions,
        histogram_from,
        histogram_step,
        bounds,
        shares,
        rounding,
    } = calibration;
    let enough = !is_few(*n_kept);
    // Where few records went, totals with and without them give those away.
    let few_went = is_of_few(n_original.abs_diff(*n_kept));
    let gives_ratios = margins
        .iter()
        .all(|row| row.told.before || !row.told.target);
    let named = |name: &String| calibration.told_name(name);
    json!({
        "weight": weight,
        "start": start,
        "unit": unit,
        "n_original": n_original,
        "n_kept": n_kept,
        "scale": (!few_went).then_some(scale),
        "deletion": deletion.as_ref().map(|deletion| json!({
            "rule": deletion.rule,
            "rounds": deletion.rounds,
            "by_category": deletion.by_category.iter().map(|row| json!({
                "variable": row.variable,
                "category": row.category.as_ref().filter(|_| !is_few(row.n_before)),
                "n_before": row.n_before,
                "n_deleted": row.n_deleted,
            })).collect::<Vec<_>>(),
        })),
        "targets_from": targets_from,
        "margins": margins.iter().map(|row| margin(calibration, row)).collect::<Vec<_>>(),
        "n_independent": n_independent,
        "redundant": redundant.iter().map(named).collect::<Vec<_>>(),
        "solutions": solutions.iter().map(|one| solution(calibration, one)).collect::<Vec<_>>(),
        "histogram_from": histogram_from,
        "histogram_step": histogram_step,
        // Bounds are ratios of targets to totals of starting weights.
        "bounds": bounds.as_ref().filter(|_| enough && gives_ratios),
        "shares": told_shares(shares, few_went),
        "rounding": rounding.as_ref().map(|rounding| json!({
            "to": rounding.to,
            "largest_change": rounding.largest_change,
            "margin": calibration.told_name(&rounding.margin),
        })),
    })
}

/// Shares of the variables that were not calibrated on. Those of a variable add up to 1.
fn told_shares(rows: &[ShareRow], few_went: bool) -> Vec<Value> {
    let of_variable = rows.chunk_by(|a, b| a.variable == b.variable);
    of_variable
        .flat_map(|rows| {
            let sum = [Sum::of((0..rows.len()).collect())];
            let shown = |of: fn(&ShareRow) -> u64| {
                let n_records: Vec<u64> = rows.iter().map(of).collect();
                let mut shown: Vec<bool> = n_records.iter().map(|&n| !is_few(n)).collect();
                withhold_with(&mut shown, &n_records, &sum);
                shown
            };
            let (original, left) = (shown(|row| row.n_before), shown(|row| row.n_after));
            let told = |(row, (original, left)): (&ShareRow, (bool, bool))| {
                let named = !is_few(row.n_before.max(row.n_after));
                json!({
                    "variable": row.variable,
                    "category": row.category.as_ref().filter(|_| named),
                    "n_before": row.n_before,
                    "n_after": row.n_after,
                    "original": original.then_some(row.original),
                    "uncalibrated": (left && !few_went).then_some(row.uncalibrated),
                    "calibrated": left.then_some(row.calibrated),
                })
            };
            let pairs = original.into_iter().zip(left);
            rows.iter().zip(pairs).map(told).collect::<Vec<_>>()
        })
        .collect()
}

fn margin(calibration: &Calibration, row: &MarginRow) -> Value {
    let MarginRow {
        name,
        term,
        target,
        share,
        before,
        before_scaled,
        after,
        relative_error,
        n_before,
        n_after,
        place,
        told,
    } = row;
    json!({
        "name": calibration.told_name(name),
        "term": term,
        "target": told.target.then_some(target),
        "share": share.filter(|_| told.target),
        "before": told.before.then_some(before),
        "before_scaled": told.before.then_some(before_scaled),
        "after": told.reached.then_some(after),
        "relative_error": relative_error,
        "n_before": n_before,
        "n_after": n_after,
        "place": place,
        "told": told,
    })
}

fn solution(calibration: &Calibration, solution: &Solution) -> Value {
    let Solution {
        method,
        q,
        lower,
        upper,
        penalty,
        failed,
        iterations,
        multipliers,
        g,
        weights,
        histogram,
        density,
        kish_before,
        kish_after,
        n_negative,
        n_at_lower,
        n_at_upper,
        largest_error,
    } = solution;
    let n_kept = calibration.n_kept;
    let enough = !is_few(n_kept);
    let spread = |of: &Distribution, quantiles: Value| {
        let figures = json!({
            "mean": of.mean,
            "sd": of.sd,
            "quantiles": quantiles,
            "ends": of.ends,
        });
        enough.then_some(figures)
    };
    let quantiles = g.quantiles.iter().zip(QUANTILE_SHARES);
    let quantiles = quantiles.map(|(g, share)| tells_quantile(n_kept, share).then_some(g));
    let quantiles: Value = json!(quantiles.collect::<Vec<_>>());
    json!({
        "method": method,
        "q": q,
        "lower": lower,
        "upper": upper,
        "penalty": penalty,
        "failed": failed,
        "iterations": enough.then_some(iterations),
        "multipliers": multipliers.iter().map(|one| {
            let row = calibration.row(&one.margin);
            json!({
                "margin": calibration.told_name(&one.margin),
                "value": row.is_some_and(|row| row.told.reached && row.told.before).then_some(one.value),
            })
        }).collect::<Vec<_>>(),
        "g": spread(g, quantiles),
        // A quantile of the weights is the weight of some record.
        "weights": spread(weights, Value::Null),
        "histogram": histogram,
        "density": enough.then_some(density),
        "kish_before": enough.then_some(kish_before),
        "kish_after": enough.then_some(kish_after),
        "n_negative": n_negative,
        "n_at_lower": n_at_lower,
        "n_at_upper": n_at_upper,
        "largest_error": largest_error,
    })
}

/// Whether a quantile of g over records may be told: not the ends, nor what lies within ten records of
/// them.
pub fn tells_quantile(n_records: u64, share: f64) -> bool {
    n_records as f64 * share.min(1.0 - share) >= RULE_OF_TEN as f64
}

impl Calibration {
    /// The margin of this name.
    fn row(&self, name: &str) -> Option<&MarginRow> {
        self.margins.iter().find(|row| row.name == name)
    }

    /// What screens call the margin of this name.
    pub fn told_name(&self, name: &str) -> String {
        match self.row(name) {
            Some(row) if row.told.name => row.name.clone(),
            Some(row) => {
                let of_term = self.margins.iter().filter(|one| one.term == row.term);
                in_place(&row.term, row.place, of_term.count() as u64)
            }
            None => String::new(),
        }
    }
}
