//! The evidence of a search: every variant that was tried, at every stage, and what was found. Confidential.

use serde_json::{Value, json};

use super::{Judged, Stage, Tuned};
use crate::sweep::{MapFigure, VariantOutcome};

/// What the format is called.
const FORMAT: &str = "bauta-tune/1";

impl Tuned {
    /// All of it, for scripts. Holds risk figures.
    pub fn evidence(&self) -> Value {
        let stages = self.stages.iter().map(|stage| {
            let runs = stage.candidates.iter().zip(&stage.outcomes);
            let runs = runs.map(|(&candidate, outcome)| {
                let [risk, loss] = self.figures_of(outcome);
                json!({
                    "id": outcome.id,
                    "values": self.grid.variants[candidate].values,
                    "risk": risk,
                    "loss": loss,
                    "passed": outcome.passed(),
                    "repeatable": outcome.found.is_ok().then(|| !outcome.is_timed()),
                    "failed": outcome.found.as_ref().err(),
                })
            });
            json!({ "n_records": stage.n_records, "variants": runs.collect::<Vec<_>>() })
        });
        let ids = |finalists: &[usize]| -> Vec<&str> {
            let outcomes = finalists.iter().map(|&at| self.outcomes()[at].id.as_str());
            outcomes.collect()
        };
        let judged = self.judged.iter().map(|judged| self.judged_object(judged));
        let axes = self.grid.axes.iter().map(|axis| axis.name.as_str());
        json!({
            "format": FORMAT,
            "bauta_version": env!("CARGO_PKG_VERSION"),
            "repeatable": self.is_repeatable(),
            "searched": self.searched,
            "not_searched": self.not_searched,
            "axes": axes.collect::<Vec<_>>(),
            "n_candidates": self.grid.variants.len(),
            "n_runs": self.n_runs(),
            "risk": self.trade.as_ref().map(|trade| trade.risk.figure.spelled()),
            "loss": self.trade.as_ref().map(|trade| trade.loss.figure.spelled()),
            "tolerated": self.trade.as_ref().and_then(|trade| trade.tolerated),
            "stages": stages.collect::<Vec<_>>(),
            "levels": self.levels.as_ref().map(super::LevelsFound::evidence),
            "fresh_seeds": judged.collect::<Vec<_>>(),
            "passed_over": ids(&self.passed_over),
            "chosen": self.chosen.map(|chosen| self.outcomes()[chosen].id.as_str()),
            "chosen_by": self.chosen.map(|_| self.chosen_by),
            "confirmed": self.confirmed.as_ref().map(|judged| self.judged_object(judged)),
        })
    }

    fn judged_object(&self, judged: &Judged) -> Value {
        json!({
            "id": self.outcomes()[judged.finalist].id,
            "draws": judged.draws,
            "n_seeds": judged.n_seeds,
            "n_held": judged.n_held,
            "own_seed_lucky": self.is_lucky(judged),
            "risk": judged.risk,
            "loss": judged.loss,
        })
    }

    /// Risk and loss of an outcome of any stage.
    pub fn figures_of(&self, outcome: &VariantOutcome) -> [Option<f64>; 2] {
        self.found_of(outcome)
            .map(|found| found.and_then(|figure| figure.value))
    }

    /// Whether risk or loss of an outcome rests on few records, so that screens are not shown them.
    pub fn is_few(&self, outcome: &VariantOutcome) -> bool {
        let found = self.found_of(outcome);
        found.iter().flatten().any(|figure| figure.few)
    }

    fn found_of(&self, outcome: &VariantOutcome) -> [Option<MapFigure>; 2] {
        let Some(trade) = &self.trade else {
            return [None, None];
        };
        let measures = outcome.found.as_ref().map(|record| &record.measures[..]);
        let measures = measures.unwrap_or_default();
        [&trade.risk.figure, &trade.loss.figure].map(|figure| figure.find(measures))
    }

    /// A row for each run of the search: what, on how many records, and what came of it.
    pub fn rows(&self) -> Vec<(&Stage, usize, &VariantOutcome)> {
        let mut rows = Vec::new();
        for stage in &self.stages {
            let runs = stage.candidates.iter().zip(&stage.outcomes);
            rows.extend(runs.map(|(&candidate, outcome)| (stage, candidate, outcome)));
        }
        rows
    }
}
