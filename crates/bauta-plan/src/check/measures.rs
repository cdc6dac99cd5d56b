//! Checking what a plan measures.

use std::collections::BTreeMap;

use bauta_data::{Attribute, Condition};
use bauta_methods::measure::{Scope, Subject};
use bauta_methods::{Groups, Measure, Params, RawValue, registry};

use super::Checker;
use crate::draft::{GateDraft, MeasureDraft};
use crate::plan::{Asked, PlannedMeasure, Scenario};
use crate::prepare::{Prepared, prepare_measure};
use crate::problem::{Place, Problem, ProblemKind, Span, Spot};

/// Resolves every measure to its variables; without any in the plan, all that apply are taken.
pub(crate) fn check_measures(
    checker: &Checker<'_>,
    original: &BTreeMap<String, Attribute>,
    drafts: &[MeasureDraft],
    scenarios: &[Scenario],
) -> Vec<PlannedMeasure> {
    let resolver = Resolver {
        checker,
        original,
        scenarios,
    };
    if drafts.is_empty() {
        return resolver.all_that_apply();
    }
    drafts
        .iter()
        .flat_map(|draft| resolver.one(draft))
        .collect()
}

/// One measure that a section asks for.
struct Request<'a> {
    measure: &'static dyn Measure,
    draft: &'a MeasureDraft,
    name: &'a Spot<String>,
    condition: Option<&'a Spot<Condition>>,
}

struct Resolver<'a> {
    checker: &'a Checker<'a>,
    original: &'a BTreeMap<String, Attribute>,
    scenarios: &'a [Scenario],
}

impl Resolver<'_> {
    fn all_that_apply(&self) -> Vec<PlannedMeasure> {
        let mut planned = Vec::new();
        for &measure in registry::MEASURES
            .iter()
            .filter(|measure| measure.declared().usual)
        {
            // Nobody asked for these measures, so that what the data lack must not stop them.
            let lenient = [("missing", "skip"), ("zero", "exclude")]
                .into_iter()
                .filter(|(name, _)| measure.card().param(name).is_some())
                .map(|(name, way)| (name.to_owned(), RawValue::Text(way.to_owned())));
            let given: Vec<_> = lenient.collect();
            let Ok(params) = prepare_measure(measure, &given, &[]).ready() else {
                continue;
            };
            match measure.declared().scope {
                Scope::Scenario => {
                    planned.extend(self.scenarios.iter().map(|scenario| {
                        of_scenario(measure, scenario, &params, Asked::ByDefault, None)
                    }));
                }
                Scope::Variables => {
                    let on = self.default_variables(measure);
                    if !on.is_empty() {
                        planned.push(PlannedMeasure {
                            measure,
                            scenario: None,
                            on,
                            params,
                            groups: Groups::default(),
                            asked: Asked::ByDefault,
                            span: None,
                        });
                    }
                }
            }
        }
        planned
    }

    fn one(&self, draft: &MeasureDraft) -> Vec<PlannedMeasure> {
        let mut planned = Vec::new();
        let condition = self.checker.condition(draft.condition.as_ref());
        self.check_groups(draft, condition.as_ref());
        for name in &draft.methods {
            let Some(measure) = registry::measure(&name.value) else {
                let ids = registry::MEASURES.iter().map(|measure| measure.card().id);
                self.checker.unknown_method(name, "measure", ids);
                continue;
            };
            let asked = Request {
                measure,
                draft,
                name,
                condition: condition.as_ref(),
            };
            planned.extend(self.prepared(&asked));
        }
        planned
    }

    /// A measure with its variables and parameters; reports what is wrong with them. What it looks at
    /// is known by then, so that the measure itself can say whether they go together.
    fn prepared(&self, asked: &Request<'_>) -> Vec<PlannedMeasure> {
        let given = &asked.draft.params;
        let plain = given.plain();
        let card = asked.measure.card();
        let place = &asked.draft.place.0;
        let Some(params) = prepare_measure(asked.measure, &plain, &[]).params else {
            // Not accepted whatever it looks at.
            let prepared = prepare_measure(asked.measure, &plain, &[]);
            self.checker.accepted(card, prepared, given, place);
            return Vec::new();
        };
        let planned = self.resolved(asked, &params);
        let mut told = Vec::new();
        for one in &planned {
            let on = one.on.iter().filter_map(|name| self.original.get(name));
            let prepared = prepare_measure(asked.measure, &plain, &on.collect::<Vec<_>>());
            let news = prepared.problems.into_iter();
            told.extend(
                news.filter(|problem| !told.contains(problem))
                    .collect::<Vec<_>>(),
            );
        }
        if told.is_empty() {
            return planned;
        }
        // A measure that cannot be taken gives no figure, which no gate on it need be told as well.
        let prepared = Prepared {
            params: Some(params),
            problems: told,
        };
        self.checker.accepted(card, prepared, given, place);
        Vec::new()
    }

    fn resolved(&self, asked: &Request<'_>, params: &Params) -> Vec<PlannedMeasure> {
        let Request {
            measure,
            draft,
            name,
            ..
        } = *asked;
        if let Some(problem) = self.checker.untraced(measure, &name.place) {
            self.checker.push(problem);
        }
        let keyed = measure.declared().scope == Scope::Scenario && draft.on.is_none();
        if let (false, Some([scenario, ..])) = (keyed, draft.scenarios.as_deref()) {
            let message = format!("`{}` does not look at a scenario here", name.value);
            let hint = "leave out `scenario`, or `on` if the keys of the scenario are meant";
            let problem = Problem::at(ProblemKind::Plan, &scenario.place, message, hint);
            self.checker.push(problem);
        }
        let groups = self.groups(asked);
        let on = match &draft.on {
            Some(on) => Some(self.named_variables(measure, &on.value)),
            None if measure.declared().scope == Scope::Variables => {
                Some(self.default_variables(measure))
            }
            None => None,
        };
        if let Some(on) = on {
            return vec![PlannedMeasure {
                measure,
                scenario: None,
                on,
                params: params.clone(),
                groups,
                asked: Asked::ByName,
                span: name.place.span().cloned(),
            }];
        }
        let scenarios = match &draft.scenarios {
            None => self.scenarios.iter().collect(),
            Some(names) => self.named_scenarios(names),
        };
        if scenarios.is_empty() && draft.scenarios.is_none() {
            let message = format!(
                "`{}` looks at the keys of a scenario, and there is none",
                name.value
            );
            let hint = "add a [[scenario]], or give variables the role key";
            self.checker
                .push(Problem::at(ProblemKind::Plan, &name.place, message, hint));
        }
        scenarios
            .into_iter()
            .map(|scenario| {
                let span = name.place.span().cloned();
                of_scenario(measure, scenario, params, Asked::ByName, span)
            })
            .collect()
    }

    /// Reports what is wrong with the records that a draft asks for.
    fn check_groups(&self, draft: &MeasureDraft, condition: Option<&Spot<Condition>>) {
        if let Some(share) = &draft.outliers
            && !(share.value > 0.0 && share.value < 1.0)
        {
            self.checker.push(Problem::at(
                ProblemKind::Plan,
                &share.place,
                "`outliers` is a share of the records between 0 and 1",
                "write outliers = 0.05 for the farthest twentieth",
            ));
        }
        if let Some(condition) = condition {
            for variable in condition.value.variables() {
                let spot = Spot::new(variable.to_owned(), condition.place.clone());
                self.checker.known(&spot);
                let described = self.original.get(variable);
                if let Some(unfit) = described.and_then(|one| condition.value.unfit_for(one)) {
                    let (message, hint) = (unfit.message, unfit.hint);
                    self.checker.push(Problem::at(
                        ProblemKind::Plan,
                        &condition.place,
                        message,
                        hint,
                    ));
                }
            }
        }
    }

    /// The records that a draft asks for; reports it if the measure counts keys, and so looks at the
    /// whole file.
    fn groups(&self, asked: &Request<'_>) -> Groups {
        let outliers = asked.draft.outliers.as_ref();
        let places = outliers.map(|share| &share.place);
        let grouped = places.or(asked.condition.map(|condition| &condition.place));
        if let (Scope::Scenario, Some(place)) = (asked.measure.declared().scope, grouped) {
            let message = format!(
                "`{}` counts keys in the whole file, without outliers or subpopulations",
                asked.name.value
            );
            let hint = "measure it in a [[measure]] of its own, without `outliers` and `where`";
            self.checker
                .push(Problem::at(ProblemKind::Plan, place, message, hint));
        }
        Groups {
            outliers: outliers.map(|share| share.value),
            condition: asked.condition.map(|condition| condition.value.clone()),
        }
    }

    fn named_scenarios(&self, names: &[Spot<String>]) -> Vec<&Scenario> {
        let named = names.iter().filter_map(|name| {
            let scenarios = self.scenarios;
            self.checker
                .scenario_named(&name.value, scenarios, &name.place)
        });
        named.collect()
    }

    fn named_variables(
        &self,
        measure: &'static dyn Measure,
        names: &[Spot<String>],
    ) -> Vec<String> {
        let on = self.checker.known_list(names);
        for name in names {
            let Some(attribute) = self
                .original
                .get(&name.value)
                .filter(|_| on.contains(&name.value))
            else {
                continue;
            };
            // Clusters of equal keys can be compared whatever a key was recoded to.
            let compares = measure.declared().subject != Subject::OneFile
                && measure.declared().scope == Scope::Variables;
            let suits = self.checker.suits(measure.card(), attribute, name);
            if suits && compares && !self.comparable(measure, &name.value) {
                let message = format!(
                    "`{}` is not comparable after the steps: it was dropped or recoded",
                    name.value
                );
                self.checker.push(Problem::at(
                    ProblemKind::Plan,
                    &name.place,
                    message,
                    "take it out of `on`",
                ));
            }
        }
        on
    }

    /// Whether a variable is there at the end, of a kind that the measure compares with that at the start.
    fn comparable(&self, measure: &'static dyn Measure, name: &str) -> bool {
        let kind = |attributes: &BTreeMap<String, Attribute>| {
            attributes.get(name).map(|attribute| attribute.kind)
        };
        let both = kind(self.original).zip(kind(&self.checker.live));
        both.is_some_and(|(start, end)| measure.declared().afterwards.accepts(start, end))
    }

    /// Variables that the card's roles and kinds select. A comparison looks at those that a step
    /// masked, so that untouched variables do not dilute it, and at none where there is none; at all if
    /// records or weights are others, or if the measure says that an intruder would.
    fn default_variables(&self, measure: &'static dyn Measure) -> Vec<String> {
        let targets = measure.card().targets;
        let fits = |attribute: &&Attribute| {
            targets.default_roles.contains(&attribute.role)
                && targets.kinds.contains(&attribute.kind)
        };
        let all = self
            .original
            .values()
            .filter(fits)
            .map(|attribute| attribute.name.clone());
        if measure.declared().subject == Subject::OneFile {
            return self.checker.in_file_order(all.collect());
        }
        let comparable: Vec<String> = all.filter(|name| self.comparable(measure, name)).collect();
        let masked: Vec<String> = comparable
            .iter()
            .filter(|name| self.checker.touched.contains(*name))
            .cloned()
            .collect();
        self.checker.in_file_order(
            if measure.declared().looks_at_untouched
                || (masked.is_empty()
                    && self.checker.chosen_or_weighted
                    && measure.declared().sees_deletion())
            {
                comparable
            } else {
                masked
            },
        )
    }
}

fn of_scenario(
    measure: &'static dyn Measure,
    scenario: &Scenario,
    params: &Params,
    asked: Asked,
    span: Option<Span>,
) -> PlannedMeasure {
    PlannedMeasure {
        measure,
        scenario: Some(scenario.name.clone()),
        on: scenario.keys.clone(),
        params: params.clone(),
        groups: Groups::default(),
        asked,
        span,
    }
}

impl Checker<'_> {
    /// What is wrong with asking for a measure that needs to know which record came from which, after
    /// a step that leaves nobody able to tell.
    fn untraced(&self, measure: &dyn Measure, place: &Place) -> Option<Problem> {
        let step = self.untraced_by.as_ref()?;
        let id = measure.card().id;
        (measure.declared().subject == Subject::CorrespondingPair).then(|| {
            let message = format!(
                "`{id}` compares each record with its original, and `{step}` makes records that have none"
            );
            let hint = "take a measure that looks for the nearest record, such as `dld` or `il1`, or one \
                of the whole file, such as `hellinger`";
            Problem::at(ProblemKind::Plan, place, message, hint)
        })
    }

    /// Reports a gate on a measure that no one asked for and that cannot be taken.
    pub(super) fn tell_untraced_gate(&self, gate: &GateDraft, measures: &[PlannedMeasure]) {
        let named = |planned: &&PlannedMeasure| planned.measure.card().id == gate.measure.value;
        let by_default = |planned: &&PlannedMeasure| planned.asked == Asked::ByDefault;
        let found = measures.iter().filter(by_default).find(named);
        let problem = found.and_then(|found| self.untraced(found.measure, &gate.measure.place));
        if let Some(problem) = problem {
            self.push(problem);
        }
    }
}
