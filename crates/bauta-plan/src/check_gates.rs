//! Checking what a plan demands of the figures: every gate looks at a measure that is taken and at a
//! figure that this measure declares.

use bauta_data::near;

use crate::draft::{Draft, GateDraft};
use crate::fields::Problems;
use crate::gate::GateFigure;
use crate::plan::{Gate, PlannedMeasure};
use crate::problem::{Problem, ProblemKind, Span, Spot};

/// Resolves every gate to the measures and the figure it looks at.
pub(crate) fn check_gates(
    plan: &Draft,
    measures: &[PlannedMeasure],
    problems: &Problems,
) -> Vec<Gate> {
    let check = GateCheck {
        plan,
        measures,
        problems,
    };
    plan.gates.iter().map(|draft| check.gate(draft)).collect()
}

struct GateCheck<'a> {
    plan: &'a Draft,
    measures: &'a [PlannedMeasure],
    problems: &'a Problems,
}

impl GateCheck<'_> {
    fn gate(&self, draft: &GateDraft) -> Gate {
        let found: Vec<usize> = (0..self.measures.len())
            .filter(|&position| looks_at(draft, &self.measures[position]))
            .collect();
        if found.is_empty() {
            self.tell_not_measured(draft);
        }
        if let (Some(low), Some(high)) = (draft.at_least, draft.at_most)
            && low > high
        {
            self.tell(
                &draft.measure.span,
                "no figure is at least the one and at most the other",
                "exchange at_least and at_most",
            );
        }
        Gate {
            figure: self.figure(draft, &found),
            measures: found,
            at_least: draft.at_least,
            at_most: draft.at_most,
            why: draft.why.clone(),
        }
    }

    /// The figure that a gate names; told if a measure that it looks at has none of that name.
    fn figure(&self, draft: &GateDraft, found: &[usize]) -> GateFigure {
        let Some(part) = &draft.part else {
            return GateFigure::Value;
        };
        let mut figure = None;
        for &position in found {
            let planned = &self.measures[position];
            match figure_named(planned, &part.value) {
                Some(named) => figure = Some(named),
                None => {
                    let message = format!(
                        "`{}` gives no figure `{}` here",
                        draft.measure.value, part.value
                    );
                    let known = figures_of(planned);
                    let hint = near::hint(&part.value, known.iter().map(String::as_str));
                    self.tell(&part.span, &message, &hint);
                    return GateFigure::Value;
                }
            }
        }
        figure.unwrap_or(GateFigure::Value)
    }

    fn tell(&self, span: &Span, message: &str, hint: &str) {
        let problem = Problem::at(ProblemKind::Plan, span, message, hint);
        self.problems.borrow_mut().push(problem);
    }

    /// Says why a gate looks at nothing.
    fn tell_not_measured(&self, draft: &GateDraft) {
        let measure = &draft.measure.value;
        let of_measure = |planned: &PlannedMeasure| planned.measure.card().id == measure;
        let is_measured = self.measures.iter().any(of_measure);
        let mut methods = self.plan.measures.iter().flat_map(|draft| &draft.methods);
        // A measure that is asked for and could not be resolved has its own problem.
        if methods.any(|method| method.value == *measure) && !is_measured {
            return;
        }
        let (spot, message) = why_nothing(draft, is_measured);
        let ids = self.measures.iter().map(|one| one.measure.card().id);
        let hint = near::hint(measure, ids);
        let hint = format!("{hint}; add it to a [[measure]], or correct its name");
        self.tell(&spot.span, &message, &hint);
    }
}

/// Whether a gate looks at a measure. Without a condition of its own it looks at the whole file.
fn looks_at(draft: &GateDraft, planned: &PlannedMeasure) -> bool {
    let scenario = draft.scenario.as_ref().map(|scenario| &scenario.value);
    let condition = draft.condition.as_ref().map(|condition| &condition.value);
    planned.measure.card().id == draft.measure.value
        && scenario.is_none_or(|scenario| planned.scenario.as_ref() == Some(scenario))
        && planned.groups.condition.as_ref() == condition
        && (!looks_apart(draft) || planned.groups.outliers.is_some())
}

/// Whether a gate looks at outliers apart from the rest.
fn looks_apart(draft: &GateDraft) -> bool {
    let part = draft.part.as_ref().map(|part| part.value.as_str());
    matches!(part, Some(OUTLIERS | REST))
}

const OUTLIERS: &str = "outliers";
const REST: &str = "rest";

fn why_nothing(draft: &GateDraft, is_measured: bool) -> (&Spot<String>, String) {
    let measure = &draft.measure.value;
    let message = match (&draft.scenario, &draft.condition) {
        _ if !is_measured => format!("the plan does not measure `{measure}`"),
        (Some(scenario), _) => {
            let message = format!(
                "`{measure}` is not measured for the scenario `{}`",
                scenario.value
            );
            return (scenario, message);
        }
        _ if looks_apart(draft) => {
            format!("the plan does not measure `{measure}` for outliers apart from the rest")
        }
        (None, Some(condition)) => {
            format!(
                "the plan does not measure `{measure}` where {}",
                condition.value
            )
        }
        (None, None) => {
            format!("the plan measures `{measure}` on subpopulations only, and the gate names none")
        }
    };
    (&draft.measure, message)
}

/// The figure of a measure that a plan spells so.
fn figure_named(planned: &PlannedMeasure, spelled: &str) -> Option<GateFigure> {
    if planned.groups.outliers.is_some() {
        match spelled {
            OUTLIERS => return Some(GateFigure::Outliers),
            REST => return Some(GateFigure::Rest),
            _ => {}
        }
    }
    let declared = planned.measure.figures(&planned.params, &planned.on);
    let mut declared = declared.into_iter();
    if let Some(name) = declared.find(|name| name.spelled() == spelled) {
        return Some(GateFigure::Declared(name));
    }
    let is_variable = planned.on.iter().any(|name| name == spelled);
    is_variable.then(|| GateFigure::OfVariable(spelled.to_owned()))
}

/// Every figure that a gate on a measure can name.
fn figures_of(planned: &PlannedMeasure) -> Vec<String> {
    let declared = planned.measure.figures(&planned.params, &planned.on);
    let declared = declared.iter().map(|name| name.spelled());
    let apart = planned.groups.outliers.map(|_| [OUTLIERS, REST]);
    let apart = apart.into_iter().flatten().map(str::to_owned);
    declared.chain(apart).chain(planned.on.clone()).collect()
}
