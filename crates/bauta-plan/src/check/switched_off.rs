//! Checking a step that is switched off: its method and its parameters, and that the file has its variables.
//!
//! Whether these suit it depends on what the steps before it leave, and those may be switched, too.

use bauta_data::Attribute;

use super::Checker;
use super::step_scenarios::Known;
use crate::draft::StepDraft;
use crate::prepare::{Prepared, prepare_step};
use crate::problem::Span;

impl Checker<'_> {
    /// The method of a step that is not carried out, and where the plan says it; none where it could not be either.
    pub(super) fn switched_off(
        &mut self,
        draft: &StepDraft,
        known: Known<'_>,
    ) -> Option<(&'static str, Option<Span>)> {
        let method = self.method(draft)?;
        // Nothing is known of the variables but their names, so that none can be unfit or dropped.
        let (live, dropped) = (
            std::mem::take(&mut self.live),
            std::mem::take(&mut self.dropped),
        );
        let (on, given) = self.works_on(method, draft, known);
        let plain = given.plain();
        let by_role = |of: &&Attribute| method.card().targets.default_roles.contains(&of.role);
        let attributes: Vec<&Attribute> = if draft.on.is_none() && on.is_empty() {
            live.values().filter(by_role).collect()
        } else {
            on.iter().filter_map(|name| live.get(name)).collect()
        };
        let Prepared {
            params,
            mut problems,
        } = prepare_step(method, &plain, &attributes);
        // What is wrong without any variable, too, is wrong with the parameters.
        let without = prepare_step(method, &plain, &[]).problems;
        problems.retain(|problem| without.contains(problem));
        let prepared = Prepared { params, problems };
        let accepted = self.accepted(method.card(), prepared, &given, &draft.place.0);
        self.live = live;
        self.dropped = dropped;
        accepted?;
        Some((method.card().id, draft.place.0.span().cloned()))
    }
}
