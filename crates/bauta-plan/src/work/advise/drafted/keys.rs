//! Keys: what makes them coarser, what blanks what still stands out, and what must be reached.

use bauta_data::Role;
use bauta_data::inspect::{ColumnProfile, Flag, Sign};

use super::{About, COUNTING, Drafted, STEPS};
use crate::draft::{GateDraft, MeasureDraft, StepDraft};
use crate::work::advise::bar::MAX_HITS;
use crate::work::advise::look::{has_rare_value, has_small_class};
use crate::work::advise::questions::Intruder;
use crate::work::init::proposals::{
    MOST_KEYS, Proposal, RARE_BELOW, household_keys, recoding, with_household_keys,
};
use crate::work::init::rules::is_sample;

impl About<'_> {
    /// Makes keys coarser where values single units out. Returns whether that certainly changes something.
    pub(super) fn recodings(&self, drafted: &mut Drafted) -> bool {
        let mut changes = false;
        for key in self.known() {
            let Some(Proposal { reason, step, .. }) = recoding(key, self.table) else {
                continue;
            };
            let is_date = key.proposal.flag == Some(Flag::ExactDate);
            let is_age = key.signs.contains(&Sign::AgeLike);
            if self.answers.keeps_detail() && !is_date && !is_age {
                continue;
            }
            let Some(step) = step else {
                drafted.look(&format!("variable {}", key.name), &reason);
                continue;
            };
            changes |= step.method.id().value == "recode"
                || has_rare_value(self.table, &key.name, RARE_BELOW);
            drafted.step(step, &reason, STEPS);
        }
        changes
    }

    /// Blanks what still stands out. Returns whether that certainly changes something.
    pub(super) fn suppression(&self, drafted: &mut Drafted) -> bool {
        let reached = self.reached();
        let Some(first) = reached.first() else {
            return false;
        };
        let known = self.known();
        let known: Vec<&ColumnProfile> = known
            .into_iter()
            .filter(|key| {
                reached
                    .iter()
                    .any(|set| set.keys.contains(&key.name.as_str()))
            })
            .collect();
        let mut step = StepDraft::mask("suppress-local");
        if self.sets.len() == 1 {
            step = step.on(first.keys.clone());
        } else if reached.len() < self.sets.len() {
            let names: Vec<&str> = reached.iter().map(|set| set.name.as_str()).collect();
            step = step.with("scenarios", names);
        }
        let of_households = household_keys(&known, self.profile, self.table);
        // More of them than this cannot be blanked for all members at once.
        let of_households = if of_households.len() > MOST_KEYS {
            &[]
        } else {
            &of_households[..]
        };
        step = with_household_keys(step, of_households).with("k", self.rules.k);
        if self.answers.keeps_detail() {
            // A blank of a detailed category costs more, so that coarse ones pay first.
            step = step.with("default_cost", "entropy");
        }
        if self.sets.len() == 1 && of_households.is_empty() {
            step = step.with("reversal", "blank");
        }
        let k = self.rules.k;
        drafted.step(
            step.because("records that stood out by a combination of values"),
            &format!(
                "what still stands out after recoding: single values are blanked until every record is one of {k} for \
                 every intruder above, at the least cost"
            ),
            STEPS,
        );
        let mut reached = reached.into_iter();
        reached.any(|set| has_small_class(self.table, &set.keys, k))
    }

    /// What counts of keys must reach.
    pub(super) fn key_gates(&self, drafted: &mut Drafted) {
        if self.sets.is_empty() {
            return;
        }
        let why = self.demand.why;
        drafted.measure(MeasureDraft::of(["k-anonymity", "individual-risk"]));
        drafted.gate(
            self.rules.k_gate(),
            &format!("whoever knows the keys is left with that many candidates: {why}"),
            COUNTING,
        );
        drafted.gate(
            self.rules.risk_gate(),
            "no single record may lead to its person more probably than this, by the population that it stands for",
            COUNTING,
        );
        for set in &self.sets {
            let gate = |part: &str| GateDraft {
                scenario: Some(set.name.clone().into()),
                ..GateDraft::on("individual-risk").part(part)
            };
            if set.intruders.contains(&Intruder::Register) {
                let mean = GateDraft {
                    part: None,
                    ..gate("max")
                };
                drafted.gate(
                    mean.at_most(self.rules.max_risk / 2.0),
                    "who tries every record of a list is right in this share of all cases at most",
                    COUNTING,
                );
            }
            if set.intruders.contains(&Intruder::Journalist) && is_sample(self.profile) {
                drafted.gate(
                    gate("expected_reidentifications").at_most(MAX_HITS),
                    "for somebody for whom any hit will do, it is the number of hits to be expected that counts",
                    COUNTING,
                );
            }
            let mut columns = self.profile.columns.iter();
            let has_households = columns.any(|column| column.proposal.role == Role::Household);
            if set.intruders.contains(&Intruder::Household) && has_households {
                drafted.gate(
                    gate("household_max").at_most(2.0 * self.rules.max_risk),
                    "one member who is found leads to all the others",
                    COUNTING,
                );
            }
        }
    }
}
