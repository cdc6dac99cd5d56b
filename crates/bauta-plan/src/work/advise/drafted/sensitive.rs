//! Sensitive answers: whether a class tells too much, and what goes if it does.

use bauta_data::inspect::ColumnProfile;
use bauta_data::{Kind, Role};

use super::scenarios::Set;
use super::{About, Deleted, Drafted, SENSITIVE};
use crate::draft::{GateDraft, MeasureDraft, StepDraft};
use crate::work::advise::bar::DIVERSE;
use crate::work::advise::look::{farthest_class, share_of_diverse, share_of_most_frequent};

impl About<'_> {
    /// Conditions on sensitive categories, and the deletion of records whose class tells too much.
    pub(super) fn sensitive(&self, drafted: &mut Drafted) -> Deleted {
        let Some(max_distance) = self.demand.max_distance else {
            return Deleted::None;
        };
        if self.sets.is_empty() {
            return Deleted::None;
        }
        let (usual, varied) = self.sensitive_categories(max_distance);
        let of_usual = self.usual(&usual, max_distance, drafted);
        let of_varied = self.varied(&varied, drafted);
        if of_usual == Deleted::None {
            of_varied
        } else if of_varied == Deleted::Some {
            Deleted::Some
        } else {
            of_usual
        }
    }

    /// A class must not tell that its people gave another answer than most.
    fn usual(&self, usual: &[&str], max_distance: f64, drafted: &mut Drafted) -> Deleted {
        if usual.is_empty() {
            return Deleted::None;
        }
        let step = |step: StepDraft| step.with("closeness", max_distance);
        self.deletions(
            usual,
            "an answer that few give would be known of a whole class",
            step,
            drafted,
        );
        drafted.measure(MeasureDraft::of(["t-closeness"]).with("sensitive", usual.to_vec()));
        drafted.gate(
            GateDraft::on("t-closeness").at_most(max_distance),
            &format!(
                "{} have one usual answer: who finds a class must not learn that its people gave another ({})",
                usual.join(", "),
                self.demand.why
            ),
            SENSITIVE,
        );
        // Of ordered answers distances are smaller than this: their gate on losses may then lack a figure, and keeps
        // a file that nothing happened to in the house.
        let is_far = |set: &&Set<'_>| {
            let mut names = usual.iter();
            names.any(|name| farthest_class(self.table, &set.keys, name) > max_distance + 1e-9)
        };
        self.deleted(is_far)
    }

    /// A class must not tell what everybody in it answered.
    fn varied(&self, varied: &[&str], drafted: &mut Drafted) -> Deleted {
        if varied.is_empty() {
            return Deleted::None;
        }
        let is_reachable = self.sets.iter().all(|set| {
            let mut names = varied.iter();
            names.all(|name| share_of_diverse(self.table, &set.keys, name) >= MOSTLY)
        });
        if is_reachable {
            let step = |step: StepDraft| step.with("diversity", DIVERSE);
            self.deletions(
                varied,
                "a whole class would have one and the same answer",
                step,
                drafted,
            );
        }
        drafted.measure(MeasureDraft::of(["l-diversity"]).with("sensitive", varied.to_vec()));
        drafted.gate(
            GateDraft::on("l-diversity").at_least(DIVERSE as f64),
            &format!(
                "{} have no usual answer: who finds a class must not learn from it what everybody in it said",
                varied.join(", ")
            ),
            SENSITIVE,
        );
        if !is_reachable {
            return Deleted::None;
        }
        let is_uniform = |set: &&Set<'_>| {
            let mut names = varied.iter();
            names.any(|name| share_of_diverse(self.table, &set.keys, name) < 1.0)
        };
        self.deleted(is_uniform)
    }

    /// Whether the records of a raw file go.
    fn deleted(&self, tells_too_much: impl Fn(&&Set<'_>) -> bool) -> Deleted {
        let reached = self.reached();
        if reached.is_empty() {
            Deleted::None
        } else if reached.iter().any(tells_too_much) {
            Deleted::Some
        } else {
            Deleted::Perhaps
        }
    }

    /// Sensitive categories with an answer so usual that a class which all gave it tells nothing, and the others.
    fn sensitive_categories(&self, max_distance: f64) -> (Vec<&str>, Vec<&str>) {
        let columns = self.profile.columns.iter();
        let is_category = |column: &&ColumnProfile| {
            column.proposal.role == Role::Sensitive
                && column.proposal.kind != Kind::Continuous
                && column.n_distinct > 1
        };
        let names = columns
            .filter(is_category)
            .map(|column| column.name.as_str());
        // A scenario may have them as its keys where a file has no others.
        let names = names.filter(|name| !self.sets.iter().any(|set| set.keys.contains(name)));
        names.partition(|name| share_of_most_frequent(self.table, name) >= 1.0 - max_distance)
    }

    /// A deletion for each scenario, those of few keys first: the last ones mend what is left of the others' classes.
    fn deletions(
        &self,
        sensitive: &[&str],
        why: &str,
        with: impl Fn(StepDraft) -> StepDraft,
        drafted: &mut Drafted,
    ) {
        let mut sets = self.reached();
        sets.sort_by_key(|set| set.keys.len());
        for set in sets {
            let step = StepDraft::mask("suppress-records").on(set.keys.clone());
            let step = with(step.with("k", self.rules.k)).with("sensitive", sensitive.to_vec());
            let reason = format!("{why} (intruder: {})", set.name);
            drafted.step(
                step.because("classes that told too much"),
                &reason,
                SENSITIVE,
            );
        }
    }
}

/// Share of records in classes of different answers from which on those of the others are deleted: where there are
/// fewer, it is the keys that must become coarser.
const MOSTLY: f64 = 0.5;
