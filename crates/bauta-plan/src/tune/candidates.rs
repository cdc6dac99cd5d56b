//! The built-in candidates for a plan without axes: what stands in place of the steps that mask numbers.
//!
//! The table below is all there is. A mask is tried with each of its `values`; those of its values that are listed in
//! `improved` are tried again with `post-mask` behind them, in each of the ways of [`POST_MASK`]. Masks that keep moments
//! themselves have nothing to gain from that and are tried alone. Parameters of the plan's own step that a mask knows, such
//! as `missing`, `strata` or `round`, are kept.

use std::collections::BTreeSet;

use bauta_methods::{RawValue, registry};

use crate::draft::{Draft, StepDraft};
use crate::problem::Spot;
use crate::sweep::{Axis, Grid, Variant};

/// A mask and the values of its one parameter that are tried.
struct Family {
    mask: &'static str,
    param: &'static str,
    values: &'static [f64],
    /// Of them, those that are tried with `post-mask` behind them too.
    improved: &'static [f64],
}

const fn family(
    mask: &'static str,
    param: &'static str,
    values: &'static [f64],
    improved: &'static [f64],
) -> Family {
    Family {
        mask,
        param,
        values,
        improved,
    }
}

/// The masks of numbers that are tried. Window: share of the ranks; k and samples: records; share: standard deviations;
/// level: covariances.
const FAMILIES: &[Family] = &[
    family(
        "rank-swap",
        "window",
        &[0.02, 0.05, 0.08, 0.1, 0.14, 0.2, 0.3],
        &[0.05, 0.08, 0.1, 0.14, 0.2],
    ),
    family("mdav", "k", &[3.0, 5.0, 10.0, 20.0], &[5.0, 10.0]),
    family("max-distance", "k", &[5.0, 10.0], &[]),
    family("individual-ranking", "k", &[5.0, 10.0, 20.0], &[10.0]),
    family(
        "noise-additive",
        "share",
        &[0.05, 0.1, 0.2, 0.5],
        &[0.1, 0.2],
    ),
    family("noise-correlated", "level", &[0.01, 0.05, 0.1, 0.2], &[]),
    family("noise-mixture", "level", &[0.05, 0.1, 0.2], &[]),
    family("noise-multiplicative", "share", &[0.1, 0.2], &[]),
    family("resample", "samples", &[1.0, 3.0], &[3.0]),
];

/// p, q and `weight_id` of the ways in which `post-mask` is tried.
const POST_MASK: &[[f64; 3]] = &[
    [0.5, 0.3, 0.0],
    [0.5, 0.3, 0.1],
    [0.5, 0.3, 1.0],
    [0.5, 0.5, 0.0],
    [0.5, 0.5, 0.1],
    [0.5, 0.5, 1.0],
    [0.8, 0.5, 1.0],
    [0.25, 0.5, 1.0],
];

const POST: &str = "post-mask";

/// The masks that candidates are put in place of, beside those of the table.
const OTHER_MASKS_OF_NUMBERS: &[&str] = &["noise-swap", "scale-back", "jpeg", "projection"];

/// What a variant is called that does as the plan says.
pub const AS_PLANNED: &str = "as the plan has it";

/// Whether a step masks numbers in a way that a candidate can take the place of.
fn is_of_numbers(step: &StepDraft) -> bool {
    !step.off && masks_numbers(step.method.id().as_str())
}

/// Whether a method is one that candidates take the place of.
pub(super) fn masks_numbers(id: &str) -> bool {
    let mut families = FAMILIES.iter();
    families.any(|family| family.mask == id) || OTHER_MASKS_OF_NUMBERS.contains(&id) || id == POST
}

/// The names of the masks that are tried.
pub(super) fn masks() -> Vec<&'static str> {
    FAMILIES.iter().map(|family| family.mask).collect()
}

/// What a variant is called that masks numbers as the plan does, at the levels that were found to be the best.
const AT_BEST_LEVELS: &str = "as the plan has it, at the best levels";

/// The candidates in place of the steps of a plan that mask numbers: the plan as it is, then `base`, which is the plan at
/// the best levels, then the table on that. None where the plan has no such step.
pub(super) fn of_numbers(own_plan: &Draft, base: &Draft) -> Option<Grid> {
    let place = base
        .steps
        .iter()
        .position(|step| is_of_numbers(step) && !is_post(step))?;
    let own: Vec<&StepDraft> = base
        .steps
        .iter()
        .filter(|step| is_of_numbers(step))
        .collect();
    // Where both are the same plan, the first stays.
    let as_they_are = [(AS_PLANNED, own_plan), (AT_BEST_LEVELS, base)];
    let mut candidates: Vec<Candidate> = (as_they_are.into_iter())
        .map(|(name, draft)| Candidate {
            values: [name.to_owned(), String::new()],
            draft: draft.clone(),
        })
        .collect();
    let on = variables(&own);
    let put = |values: [String; 2], steps: Vec<StepDraft>| {
        let mut draft = base.clone();
        draft.steps.retain(|step| !is_of_numbers(step));
        let place = base.steps[..place]
            .iter()
            .filter(|step| !is_of_numbers(step))
            .count();
        draft.steps.splice(place..place, steps);
        Candidate { values, draft }
    };
    let template = &base.steps[place];
    for family in FAMILIES {
        for &value in family.values {
            let step = family.step(value, template, on.as_ref());
            let name = step_in_words(&step, &[family.param]);
            candidates.push(put([name.clone(), String::new()], vec![step.clone()]));
            if !family.improved.contains(&value) {
                continue;
            }
            for &[p, q, weight_id] in POST_MASK {
                let post = post_mask([p, q, weight_id], template, on.as_ref());
                let then = step_in_words(&post, &["p", "q", "weight_id"]);
                candidates.push(put([name.clone(), then], vec![step.clone(), post]));
            }
        }
    }
    Some(grid_of(candidates))
}

struct Candidate {
    values: [String; 2],
    draft: Draft,
}

/// The candidates as a grid, each plan once.
fn grid_of(candidates: Vec<Candidate>) -> Grid {
    let mut seen = BTreeSet::new();
    let mut variants: Vec<Variant> = Vec::new();
    for candidate in candidates {
        let variant = Variant {
            values: candidate.values.to_vec(),
            draft: candidate.draft,
        };
        if seen.insert(variant.text()) {
            variants.push(variant);
        }
    }
    let axes = ["mask", "then"]
        .into_iter()
        .enumerate()
        .map(|(axis, name)| {
            let mut values: Vec<String> = Vec::new();
            for variant in &variants {
                if !values.contains(&variant.values[axis]) {
                    values.push(variant.values[axis].clone());
                }
            }
            values.retain(|value| !value.is_empty());
            Axis {
                name: name.to_owned(),
                values,
            }
        });
    Grid::of_variants(axes.collect(), variants)
}

impl Family {
    fn step(&self, value: f64, own: &StepDraft, on: Option<&Spot<Vec<Spot<String>>>>) -> StepDraft {
        let mut step = StepDraft::mask(self.mask);
        step.on = on.cloned();
        step.params
            .push(self.param, as_written(self.mask, self.param, value));
        keep_params(&mut step, own);
        step
    }
}

fn post_mask(
    [p, q, weight_id]: [f64; 3],
    own: &StepDraft,
    on: Option<&Spot<Vec<Spot<String>>>>,
) -> StepDraft {
    let mut step = StepDraft::adjust(POST);
    step.on = on.cloned();
    step.params.push("p", p);
    step.params.push("q", q);
    step.params.push("weight_id", weight_id);
    keep_params(&mut step, own);
    step
}

/// Parameters of the plan's own step that say how to work and not how much, where the method knows them.
const KEPT_PARAMS: [&str; 5] = ["missing", "strata", "round", "clamp", "households"];

fn keep_params(step: &mut StepDraft, own: &StepDraft) {
    let Some(card) = registry::card(step.method.id()) else {
        return;
    };
    for (name, value) in &own.params.0 {
        if KEPT_PARAMS.contains(&name.as_str()) && card.param(name).is_some() {
            step.params.0.push((name.clone(), value.clone()));
        }
    }
}

/// Whole numbers as such where the method takes them so.
fn as_written(mask: &str, param: &str, value: f64) -> RawValue {
    use bauta_methods::ParamType;
    let spec = registry::card(mask).and_then(|card| card.param(param));
    match spec.map(|spec| spec.ty) {
        Some(ParamType::Integer { .. }) => RawValue::Integer(value as i64),
        _ => RawValue::Number(value),
    }
}

/// All variables that the plan's own steps mask; none where one of them takes the usual ones.
fn variables(own: &[&StepDraft]) -> Option<Spot<Vec<Spot<String>>>> {
    let mut all: Vec<Spot<String>> = Vec::new();
    for step in own {
        for name in &step.on.as_ref()?.value {
            if !all.contains(name) {
                all.push(name.clone());
            }
        }
    }
    Some(all.into())
}

fn is_post(step: &StepDraft) -> bool {
    step.method.id().as_str() == POST
}

/// A step with some of its parameters, as tables show it.
fn step_in_words(step: &StepDraft, shown: &[&str]) -> String {
    let mut words = vec![step.method.id().value.clone()];
    for (name, value) in &step.params.0 {
        if shown.contains(&name.as_str()) {
            let value = match &value.value {
                RawValue::Integer(value) => value.to_string(),
                RawValue::Number(value) => value.to_string(),
                _ => continue,
            };
            words.push(format!("{}={value}", name.value));
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> Draft {
        Draft::default()
            .step(StepDraft::mask("recode").on(["age"]).with("level", 1))
            .step(
                StepDraft::mask("mdav")
                    .on(["a", "b"])
                    .with("k", 4)
                    .with("missing", "skip"),
            )
            .step(StepDraft::mask("round").on(["c"]).with("base", 5))
            .step(StepDraft::adjust("post-mask").on(["a", "b"]))
    }

    #[test]
    fn every_method_and_parameter_of_the_table_is_in_the_registry() {
        for family in FAMILIES {
            let card = registry::mask(family.mask).map(bauta_methods::Mask::card);
            assert!(
                card.is_some_and(|card| card.param(family.param).is_some()),
                "{}",
                family.mask
            );
            assert!(
                family
                    .improved
                    .iter()
                    .all(|value| family.values.contains(value))
            );
        }
        let post = registry::adjuster(POST).unwrap().card();
        assert!(
            ["p", "q", "weight_id"]
                .iter()
                .all(|name| post.param(name).is_some())
        );
    }

    #[test]
    fn candidates_take_the_place_of_what_masks_numbers_and_leave_the_rest() {
        let grid = of_numbers(&base(), &base()).unwrap();
        assert_eq!(grid.variants[0].values, [AS_PLANNED, ""]);
        let alone = FAMILIES
            .iter()
            .map(|family| family.values.len())
            .sum::<usize>();
        let improved = FAMILIES
            .iter()
            .map(|family| family.improved.len() * POST_MASK.len());
        assert_eq!(grid.variants.len(), 1 + alone + improved.sum::<usize>());
        for variant in &grid.variants[1..] {
            let ids: Vec<&str> = (variant.draft.steps.iter())
                .map(|step| step.method.id().as_str())
                .collect();
            assert_eq!((ids[0], *ids.last().unwrap()), ("recode", "round"));
            let text = variant.text();
            assert!(text.contains("on = [\"a\", \"b\"]"), "{text}");
            let n_skipped = text.matches("missing = \"skip\"").count();
            assert_eq!(n_skipped, ids.len() - 2, "{text}");
        }
        assert!(of_numbers(&Draft::default(), &Draft::default()).is_none());
    }

    #[test]
    fn the_plan_as_it_is_comes_before_the_plan_at_the_best_levels() {
        let own = base();
        let mut best = base();
        best.steps.remove(0);
        let grid = of_numbers(&own, &best).unwrap();
        assert_eq!(grid.variants[0].values, [AS_PLANNED, ""]);
        assert_eq!(grid.variants[0].draft, own);
        assert_eq!(grid.variants[1].values, [AT_BEST_LEVELS, ""]);
        assert_eq!(grid.variants[1].draft, best);
        let of_table = &grid.variants[2].draft.steps;
        assert_eq!(of_table[0].method.id().as_str(), "rank-swap");
    }

    /// What dominates the best single mask of Sebé's Table 1 on CENSUS.
    #[test]
    fn rank_swapping_improved_with_a_term_of_risk_is_among_them() {
        let grid = of_numbers(&base(), &base()).unwrap();
        let wanted = ["rank-swap window=0.14", "post-mask p=0.5 q=0.5 weight_id=1"];
        assert!(grid.variants.iter().any(|variant| variant.values == wanted));
    }
}
