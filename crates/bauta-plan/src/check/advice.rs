//! What a plan that is fine could still do: nothing here is an error.

use std::collections::{BTreeMap, BTreeSet};

use bauta_data::{Attribute, Kind, Role};
use bauta_methods::mask::{Effect, Truth};
use bauta_methods::measure::Seeks;
use bauta_methods::risk::dld::linked_by;

use super::Checker;
use crate::draft::{Draft, GateDraft, MeasureDraft};
use crate::plan::{Advice, Asked, PlannedMeasure, Scenario, Step};
use crate::toml::write;

/// The largest share of records that may be linked, where a plan is told to judge it; for a house to set.
pub(crate) const MAX_LINKED: f64 = 0.1;

/// What a plan is advised to do.
pub(super) fn advice(
    checker: &Checker<'_>,
    original: &BTreeMap<String, Attribute>,
    draft: &Draft,
    parts: &Parts<'_>,
) -> Vec<Advice> {
    linkage(checker, original, draft, parts)
        .into_iter()
        .collect()
}

/// What was checked of a plan so far.
pub(super) struct Parts<'a> {
    pub(super) scenarios: &'a [Scenario],
    pub(super) steps: &'a [Step],
    pub(super) measures: &'a [PlannedMeasure],
}

/// Where keys or amounts are perturbed and released, that somebody should look for their records by near
/// values: counts of equal ones say nothing of them.
fn linkage(
    checker: &Checker<'_>,
    original: &BTreeMap<String, Attribute>,
    draft: &Draft,
    parts: &Parts<'_>,
) -> Option<Advice> {
    let is_of_interest = |name: &str| {
        // Without a record of its own no category has an original that could be looked for.
        let numbers_only = checker.untraced_by.is_some();
        original
            .get(name)
            .is_some_and(|variable| match variable.role {
                Role::Key => !numbers_only || variable.kind == Kind::Continuous,
                Role::Sensitive => variable.kind == Kind::Continuous,
                _ => false,
            })
    };
    let is_comparable = |name: &str| {
        let kind = |of: &BTreeMap<String, Attribute>| of.get(name).map(|variable| variable.kind);
        kind(&checker.live).is_some_and(|end| kind(original) == Some(end))
    };
    let (mut perturbed, mut by) = (BTreeSet::new(), Vec::new());
    for (position, step) in parts.steps.iter().enumerate() {
        let facts = step.facts();
        if facts.truth != Truth::Perturbed || facts.effect == Effect::Nothing {
            continue;
        }
        let on = step.on.iter().filter(|name| {
            is_of_interest(name) && is_comparable(name) && !is_linked(name, parts.measures)
        });
        let n_before = perturbed.len();
        perturbed.extend(on.cloned());
        if perturbed.len() > n_before {
            by.push(format!("step {}, {}", position + 1, step.method.card().id));
        }
    }
    if perturbed.is_empty() {
        return None;
    }
    // Whoever knows a perturbed key knows the others of the scenario too.
    let is_known = |scenario: &&Scenario| scenario.keys.iter().any(|key| perturbed.contains(key));
    let known = parts
        .scenarios
        .iter()
        .filter(is_known)
        .flat_map(|scenario| &scenario.keys);
    let known = known.filter(|key| is_of_interest(key) && is_comparable(key));
    let on: BTreeSet<String> = known.chain(&perturbed).cloned().collect();
    let on = checker.in_file_order(on.into_iter().collect());
    let perturbed = checker.in_file_order(perturbed.into_iter().collect());
    let measure = if checker.untraced_by.is_some() {
        "dld"
    } else {
        "pld"
    };
    Some(Advice {
        id: "measure-linkage",
        text: text(&perturbed, &by, measure, draft),
        lines: lines(measure, &on, draft, parts.measures),
        variables: perturbed,
        steps: by,
    })
}

/// Whether a measure looks for the original of each record by a variable, in the whole file.
fn is_linked(name: &str, measures: &[PlannedMeasure]) -> bool {
    measures.iter().any(|planned| {
        let known = linked_by(&planned.params, &planned.on);
        planned.measure.declared().seeks == Seeks::Originals
            && planned.groups.condition.is_none()
            && known.iter().any(|known| known == name)
    })
}

fn text(perturbed: &[String], by: &[String], measure: &str, draft: &Draft) -> String {
    let verb = if perturbed.len() == 1 { "is" } else { "are" };
    let mut text = format!(
        "{} {verb} perturbed ({}), and nothing measures linkage: counts of equal values say nothing of them, and whoever \
         knows the true ones looks for near records. Add `{measure}` and a gate on it",
        perturbed.join(", "),
        by.join("; "),
    );
    if draft.measures.is_empty() {
        text.push_str(
            "; the plan names no measure and takes the usual ones, which it then has to name, too",
        );
    }
    text
}

/// The lines that could be added to the plan.
fn lines(measure: &str, on: &[String], draft: &Draft, measures: &[PlannedMeasure]) -> String {
    // A plan that names a measure takes no other, and its gates need theirs.
    let is_usual = |id: &&str| {
        let mut usual = measures
            .iter()
            .filter(|planned| planned.asked == Asked::ByDefault);
        usual.any(|planned| planned.measure.card().id == *id)
    };
    let judged = draft.gates.iter().map(|gate| gate.measure.value.as_str());
    let judged: BTreeSet<&str> = judged.filter(is_usual).collect();
    let mut sections = Vec::new();
    if !judged.is_empty() {
        sections.push(write::measure(&MeasureDraft::of(judged)));
    }
    let names = on.iter().map(String::as_str);
    let linked = MeasureDraft::of([measure]).on(names).with("links", "all");
    sections.push(write::measure(&linked));
    sections.push(write::gate(&GateDraft::on(measure).at_most(MAX_LINKED)));
    sections.join("\n")
}
