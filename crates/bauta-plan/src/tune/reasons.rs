//! What is said of a choice: made of what happened, and not of what usually does.

use super::{ChosenBy, Judged, Tuned};
use crate::sweep::VariantOutcome;

impl Tuned {
    /// Why the chosen one was chosen, and what is known of it under other seeds; none where nothing was. Confidential.
    pub fn why(&self) -> Option<[String; 2]> {
        let chosen = self.chosen?;
        let there = if self.may_fail > 0.0 {
            "fail on no more fresh seeds than may be"
        } else {
            "hold every condition there"
        };
        let draws = self.judged.iter().any(|judged| judged.draws);
        let by = match self.chosen_by {
            ChosenBy::Levels => {
                "the least loss by recoding of the levels that were run and hold every condition"
                    .to_owned()
            }
            ChosenBy::LossUnderOwnSeed => {
                "the least loss under the plan's own seed of the finalists that hold every condition under it"
                    .to_owned()
            }
            ChosenBy::MeanLoss if !draws => {
                "the least loss of the finalists that hold every condition".to_owned()
            }
            ChosenBy::MeanLoss => format!(
                "the least mean loss over fresh seeds of the finalists that were judged on them and {there}"
            ),
            ChosenBy::OwnLosesLess => {
                "the plan as it is: it holds every condition, and the file as a whole loses less by it than by the best \
                 that was found"
                    .to_owned()
            }
            ChosenBy::NothingElse => {
                "the plan as it is, since nothing at the best levels holds every condition".to_owned()
            }
        };
        let judged = self.judged_of(chosen);
        let seeds = match (&self.confirmed, judged) {
            (_, Some(judged)) if !judged.draws => {
                "it draws nothing: the same under every seed, and not judged again".to_owned()
            }
            (Some(confirmed), _) => self.confirmed_in_words(confirmed),
            _ => "it was not judged again: what held under one seed may fail under another"
                .to_owned(),
        };
        Some([by, seeds])
    }

    fn confirmed_in_words(&self, confirmed: &Judged) -> String {
        let n_seeds = confirmed.n_seeds;
        let found = match n_seeds - confirmed.n_held {
            0 => "the conditions held on all of them".to_owned(),
            n_failed => format!("a condition FAILED on {n_failed} of them"),
        };
        let verdict = if confirmed.holds(self.may_fail) {
            ""
        } else {
            ", more than may be: the seeds that it was chosen by were lucky"
        };
        format!("judged once more on {n_seeds} seeds that bore on no choice, {found}{verdict}")
    }

    /// Whether another run finds the same.
    pub fn is_repeatable(&self) -> bool {
        self.why_not_repeatable().is_empty()
    }

    /// Why another run may choose another variant, in sentences.
    pub fn why_not_repeatable(&self) -> Vec<&'static str> {
        let mut why = Vec::new();
        if self.clock_struck {
            why.push("the clock ended this search: another run may choose another variant");
        }
        let mut outcomes = self.stages.iter().flat_map(|stage| &stage.outcomes);
        if outcomes.any(VariantOutcome::is_timed) {
            why.push(
                "some variants have a limit of seconds, so that the clock ended them or could have: another run may \
                 find other figures",
            );
        }
        why
    }
}
