//! Whether a condition on risk looks at the numbers that candidates mask. Where none does, all masks of them are as safe as
//! each other, and the weakest would be called the best.

use std::collections::BTreeSet;

use bauta_methods::Family;

use super::candidates::masks_numbers;
use super::search::Search;
use crate::draft::StepDraft;
use crate::plan::{Plan, PlannedMeasure, Step, StepMethod};
use crate::work::WorkError;

impl Search<'_> {
    /// Why masks of these numbers cannot be compared: no condition on risk looks at any of them.
    pub(super) fn why_unjudged(&self, masked: &BTreeSet<String>) -> Option<String> {
        let looks = |measure: &PlannedMeasure| {
            judges_risk(measure) && measure.on.iter().any(|name| masked.contains(name))
        };
        let gates = self.plan.gates.iter();
        let mut gated =
            gates.flat_map(|gate| gate.measures.iter().map(|&at| &self.plan.measures[at]));
        if masked.is_empty() || gated.any(looks) || self.tolerates_risk_of(&looks) {
            return None;
        }
        let names: Vec<&str> = masked.iter().map(String::as_str).collect();
        Some(format!(
            "no condition on risk looks at {}, so that the weakest mask would win",
            names.join(", ")
        ))
    }

    /// Whether the risk that `--max-risk` bounds is of such a measure.
    fn tolerates_risk_of(&self, looks: &dyn Fn(&PlannedMeasure) -> bool) -> bool {
        let Some([risk, _]) = self
            .figures
            .as_ref()
            .filter(|_| self.request.max_risk.is_some())
        else {
            return false;
        };
        let mut measures = self.plan.measures.iter();
        measures.any(|planned| planned.measure.card().id == risk.measure && looks(planned))
    }

    /// The refusal of a search that would compare masks by nothing.
    pub(super) fn unjudged(why: &str) -> WorkError {
        WorkError::mistake(
            why.to_owned(),
            "add a [[gate]] on dld, pld or interval-rank of these variables, or give --max-risk with such a --map",
        )
    }

    /// The numbers that axes mask in different ways.
    pub(super) fn numbers_of_axes(&self) -> Result<BTreeSet<String>, WorkError> {
        let grid = self.request.grid;
        let first = grid.variants.iter().take(1);
        let first = first.flat_map(|variant| &variant.draft.steps);
        let common: Vec<&StepDraft> = first
            .filter(|step| (grid.variants.iter()).all(|of| of.draft.steps.contains(step)))
            .collect();
        let mut masked = BTreeSet::new();
        let mut seen = BTreeSet::new();
        for variant in &grid.variants {
            let steps = variant.draft.steps.iter();
            let differing =
                steps.filter(|step| !step.off && masks_numbers(step.method.id().as_str()));
            let differing = differing.filter(|step| !common.contains(step));
            let ids: Vec<&str> = differing
                .filter(|step| seen.insert(what_it_masks(step)))
                .map(|step| step.method.id().as_str())
                .collect();
            if ids.is_empty() {
                continue;
            }
            // The variables of a step that names none are known to the checked plan.
            let plan = grid.plan(variant, self.origin);
            let plan = plan.map_err(WorkError::Problems)?;
            masked.extend(numbers_of(&plan, |step| ids.contains(&id_of(step))));
        }
        Ok(masked)
    }
}

/// The method of a step and the variables that it names.
fn what_it_masks(step: &StepDraft) -> (&str, Option<Vec<&str>>) {
    let on = step.on.as_ref();
    let on = on.map(|on| on.value.iter().map(|name| name.as_str()).collect());
    (step.method.id().as_str(), on)
}

/// Whether a measure is one of risk, or of risk and loss together.
pub(super) fn judges_risk(measure: &PlannedMeasure) -> bool {
    let family = measure.measure.declared().card.family;
    matches!(family, Family::Risk | Family::Score)
}

/// The variables that some steps of a plan mask as numbers.
pub(super) fn numbers_of(plan: &Plan, is_wanted: impl Fn(&Step) -> bool) -> BTreeSet<String> {
    let steps = plan.steps.iter();
    let masks = steps.filter(|step| masks_numbers(id_of(step)) && is_wanted(step));
    masks.flat_map(|step| step.on.iter().cloned()).collect()
}

fn id_of(step: &Step) -> &'static str {
    match step.method {
        StepMethod::Mask(mask) => mask.card().id,
        StepMethod::Adjuster(adjuster) => adjuster.card().id,
    }
}
