//! What no answer decides and only a person can.

use bauta_data::Role;
use bauta_data::inspect::ColumnProfile;

use super::{About, Drafted};
use crate::work::advise::questions::{Intruder, Need};
use crate::work::init::proposals::MOST_KEYS;
use crate::work::init::rules::{counted_keys, is_sample};

impl About<'_> {
    /// What no scenario has and only a person can judge.
    pub(super) fn what_nobody_looks_at(&self, drafted: &mut Drafted) {
        let known = self.known();
        let unknown: Vec<&str> = counted_keys(self.profile)
            .into_iter()
            .filter(|key| !known.iter().any(|known| known.name == key.name))
            .map(|key| key.name.as_str())
            .collect();
        if !unknown.is_empty() {
            drafted.look(
                "keys in no scenario",
                &format!(
                    "none of the intruders that you named knows {}: no gate looks at them. Choose `register` or \
                     `worst-case` as well if somebody could",
                    unknown.join(", ")
                ),
            );
        }
        for set in self.sets.iter().filter(|set| set.keys.len() > MOST_KEYS) {
            drafted.look(
                &format!("scenario {}", set.name),
                &format!(
                    "{} keys at once are more than anybody knows, and no suppression of single values can hide their \
                     combinations: write a scenario of a few keys for each kind of intruder",
                    set.keys.len()
                ),
            );
        }
        if self.is_too_small() {
            drafted.look(
                "few records",
                &format!(
                    "the file has fewer records than the {} that must share a key: nothing can be blanked until they do, \
                     and nothing is released",
                    self.rules.k
                ),
            );
        }
        self.needs_without_means(drafted);
    }

    /// Answers that the file, or the other answers, cannot serve.
    fn needs_without_means(&self, drafted: &mut Drafted) {
        let answers = self.answers;
        if answers.need(Need::Detail) && !answers.keeps_detail() {
            drafted.look(
                "detail for people whom nobody knows",
                "exact small areas and detailed categories are what finds people: they are made coarser here, and the \
                 gate on recoding-loss fails where that takes more than a tenth. Ask whether a second file, for \
                 researchers under contract, can have the detail",
            );
        }
        if answers.need(Need::Weights) && !is_sample(self.profile) {
            drafted.look(
                "totals of the population",
                "no weight was found, so that every record counts once: give the weight its role if there is one",
            );
        }
        let has_households = |column: &ColumnProfile| column.proposal.role == Role::Household;
        if answers.fear(Intruder::Household) && !self.profile.columns.iter().any(has_households) {
            drafted.look(
                "households",
                "no number of a household was found, so that records are judged one by one: give it its role if there is one",
            );
        }
    }
}
