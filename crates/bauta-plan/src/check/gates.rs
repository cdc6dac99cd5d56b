//! Checking what a plan demands of its figures.

use bauta_data::number::number_text;
use bauta_data::{Condition, near};
use bauta_methods::figure::FigureSpec;
use bauta_methods::{Better, Family, FigureName};

use super::Checker;
use crate::draft::{Draft, GateDraft};
use crate::gate::GateFigure;
use crate::plan::{Gate, PlannedMeasure};
use crate::problem::{Problem, ProblemKind, Spot};

/// Resolves every gate to the measures it looks at.
pub(super) fn check_gates(
    checker: &Checker<'_>,
    plan: &Draft,
    measures: &[PlannedMeasure],
) -> Vec<Gate> {
    let asked_for = |measure: &str| {
        let mut methods = plan.measures.iter().flat_map(|measure| &measure.methods);
        methods.any(|method| method.value == measure)
    };
    let gates = plan.gates.iter().map(|draft| {
        let search = Search {
            draft,
            condition: checker.condition(draft.condition.as_ref()),
            measures,
        };
        let found = search.found();
        // A measure that is asked for and could not be resolved has its own problem.
        let told = asked_for(&draft.measure) && !search.is_measured();
        if found.is_empty() && !told {
            checker.push(search.not_found());
        }
        if let (Some(low), Some(high)) = (draft.at_least, draft.at_most)
            && low > high
        {
            let message = "no figure is at least the one and at most the other";
            let hint = "exchange at_least and at_most";
            let place = &draft.measure.place;
            checker.push(Problem::at(ProblemKind::Plan, place, message, hint));
        }
        let figure = search.figure(checker, &found);
        let looked_at = found.first().map(|&position| &measures[position]);
        if let (Ok(figure), Some(planned)) = (&figure, looked_at) {
            tell_idle_bounds(checker, draft, figure, planned);
        }
        let figure = figure.unwrap_or_else(|problem| {
            checker.push(problem);
            GateFigure::Value
        });
        if draft
            .although_perturbed
            .as_ref()
            .is_some_and(|why| why.trim().is_empty())
        {
            let message = "`although_perturbed` gives no reason";
            let hint = "say why counts of perturbed keys may be judged, or leave it out";
            let place = &draft.measure.place;
            checker.push(Problem::at(ProblemKind::Plan, place, message, hint));
        }
        checker.tell_untraced_gate(draft, measures);
        Gate {
            measures: found,
            figure,
            at_least: draft.at_least,
            at_most: draft.at_most,
            why: draft.why.clone(),
            although_perturbed: draft.although_perturbed.clone(),
        }
    });
    gates.collect()
}

/// Reports bounds that every file satisfies, or files at risk do.
fn tell_idle_bounds(
    checker: &Checker<'_>,
    draft: &GateDraft,
    figure: &GateFigure,
    planned: &PlannedMeasure,
) {
    let problem = |message: String, hint: &str| {
        let place = &draft.measure.place;
        checker.push(Problem::at(ProblemKind::Plan, place, message, hint));
    };
    if let Some(bound) = idle_bound(draft, figure, planned) {
        let message = format!("every file satisfies this gate: its figure is never {bound}");
        problem(
            message,
            "choose a bound that a file can fail, or leave the gate out",
        );
    } else if let Some(side) = wrong_side(draft, figure, planned) {
        let message = format!("this gate holds for files that are at risk: {side}");
        problem(message, "exchange at_least and at_most");
    }
}

/// What no figure that a gate looks at can be, where its bounds ask for nothing more; none for a gate that can fail.
fn idle_bound(draft: &GateDraft, figure: &GateFigure, planned: &PlannedMeasure) -> Option<String> {
    let spec = spec_of(figure, planned)?;
    // What is not asked is as idle as what every figure is.
    let low = draft.at_least.filter(|&low| low > spec.min);
    let high = draft.at_most.filter(|&high| high < spec.max);
    match (low, high, draft.at_least, draft.at_most) {
        (Some(_), _, _, _) | (_, Some(_), _, _) | (None, None, None, None) => None,
        (None, None, Some(low), None) => Some(format!("below {}", number_text(low))),
        (None, None, None, Some(high)) => Some(format!("above {}", number_text(high))),
        (None, None, Some(low), Some(high)) => Some(format!(
            "below {} or above {}",
            number_text(low),
            number_text(high)
        )),
    }
}

/// What is wrong with a gate on a risk that bounds it on the side of the danger alone.
fn wrong_side(
    draft: &GateDraft,
    figure: &GateFigure,
    planned: &PlannedMeasure,
) -> Option<&'static str> {
    if planned.measure.card().family != Family::Risk {
        return None;
    }
    match (
        spec_of(figure, planned)?.better,
        draft.at_least,
        draft.at_most,
    ) {
        (Better::Lower, Some(_), None) => Some("the figure is better the lower it is"),
        (Better::Higher, None, Some(_)) => Some("the figure is better the higher it is"),
        _ => None,
    }
}

/// How the figure of a gate is declared.
fn spec_of<'m>(figure: &GateFigure, planned: &'m PlannedMeasure) -> Option<&'m FigureSpec> {
    let declared = planned.measure.declared();
    match figure {
        GateFigure::Declared(name) => declared.figures.iter().find(|spec| spec.id == name.id),
        GateFigure::Value | GateFigure::Outliers | GateFigure::Rest | GateFigure::OfVariable(_) => {
            Some(&declared.value)
        }
    }
}

/// A gate that looks for its measures.
struct Search<'a> {
    draft: &'a GateDraft,
    condition: Option<Spot<Condition>>,
    measures: &'a [PlannedMeasure],
}

impl Search<'_> {
    fn of_measure(&self, planned: &PlannedMeasure) -> bool {
        planned.measure.card().id == self.draft.measure.value
    }

    fn is_measured(&self) -> bool {
        self.measures.iter().any(|planned| self.of_measure(planned))
    }

    /// Whether it looks at outliers or at the rest.
    fn is_apart(&self) -> bool {
        let part = self.draft.part.as_ref();
        part.is_some_and(|part| matches!(part.value.as_str(), OUTLIERS | REST))
    }

    /// Without a condition of its own a gate looks at the whole file.
    fn of_records(&self, planned: &PlannedMeasure) -> bool {
        let wanted = self.condition.as_ref().map(|condition| &condition.value);
        planned.groups.condition.as_ref() == wanted
            && (!self.is_apart() || planned.groups.outliers.is_some())
    }

    fn of_scenario(&self, planned: &PlannedMeasure) -> bool {
        let scenario = self.draft.scenario.as_ref();
        scenario.is_none_or(|scenario| planned.scenario.as_ref() == Some(&scenario.value))
    }

    /// Positions of the measures that it looks at.
    fn found(&self) -> Vec<usize> {
        let positions = 0..self.measures.len();
        positions
            .filter(|&position| {
                let planned = &self.measures[position];
                self.of_measure(planned) && self.of_scenario(planned) && self.of_records(planned)
            })
            .collect()
    }

    /// The figure that it names, or that a measure which it looks at has none of that name.
    fn figure(&self, checker: &Checker<'_>, found: &[usize]) -> Result<GateFigure, Problem> {
        let Some(part) = &self.draft.part else {
            return Ok(GateFigure::Value);
        };
        let mut figure = GateFigure::Value;
        for &position in found {
            let planned = &self.measures[position];
            figure = figure_named(checker, planned, &part.value).ok_or_else(|| {
                let measure = &self.draft.measure.value;
                let message = format!("`{measure}` gives no figure `{}` here", part.value);
                let known = figures_of(planned);
                let hint = near::hint(&part.value, known.iter().map(String::as_str));
                Problem::at(ProblemKind::Plan, &part.place, message, hint)
            })?;
        }
        Ok(figure)
    }

    /// What it looks for and the plan does not measure.
    fn not_found(&self) -> Problem {
        let measure = &self.draft.measure;
        let (spot, message) = match (&self.draft.scenario, &self.condition) {
            _ if !self.is_measured() => (
                measure,
                format!("the plan does not measure `{}`", measure.value),
            ),
            (Some(scenario), _) => (
                scenario,
                format!(
                    "`{}` is not measured for the scenario `{}`",
                    measure.value, scenario.value
                ),
            ),
            _ if self.is_apart() => (
                measure,
                format!(
                    "the plan does not measure `{}` for outliers apart from the rest",
                    measure.value
                ),
            ),
            (None, Some(condition)) => (
                measure,
                format!(
                    "the plan does not measure `{}` where {}",
                    measure.value, condition.value
                ),
            ),
            (None, None) => (
                measure,
                format!(
                    "the plan measures `{}` on subpopulations only, and the gate names none",
                    measure.value
                ),
            ),
        };
        let measured = self
            .measures
            .iter()
            .map(|planned| planned.measure.card().id);
        let hint = near::hint(measure, measured);
        let hint = format!("{hint}; add it to a [[measure]], or correct its name");
        Problem::at(ProblemKind::Plan, &spot.place, message, hint)
    }
}

const OUTLIERS: &str = "outliers";
const REST: &str = "rest";

/// The figure of a measure that a plan spells so.
fn figure_named(
    checker: &Checker<'_>,
    planned: &PlannedMeasure,
    spelled: &str,
) -> Option<GateFigure> {
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
    // Which variables have a figure of their own, such as the answers of l-diversity, the data decide.
    let is_given = planned.measure.declared().by_variable && checker.has_variable(spelled);
    is_given.then(|| GateFigure::OfVariable(spelled.to_owned()))
}

/// Every figure that a gate on a measure can name.
fn figures_of(planned: &PlannedMeasure) -> Vec<String> {
    let declared = planned.measure.figures(&planned.params, &planned.on);
    let declared = declared.iter().map(FigureName::spelled);
    let apart = planned.groups.outliers.map(|_| [OUTLIERS, REST]);
    let apart = apart.into_iter().flatten().map(str::to_owned);
    let by_variable = planned.measure.declared().by_variable;
    let variables = planned.on.iter().filter(|_| by_variable).cloned();
    declared.chain(apart).chain(variables).collect()
}
