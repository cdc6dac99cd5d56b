//! What a linkage states: how links were chosen and why so, what weights rest on, what to doubt.

use super::comparators::ComparedVariable;
use super::em::EmCourse;
use super::linked::Linked;
use super::settings::{Choosing, Settings};
use crate::context::RunContext;
use crate::note::{Note, NoteRank};
use crate::params::Choice as _;

/// States how links were chosen and what weights rest on.
pub(crate) fn state(linked: &Linked, settings: &Settings, context: &RunContext<'_>) {
    context.note(way(linked));
    let n_not = linked
        .truth
        .as_ref()
        .and_then(|truth| truth.n_not_candidates);
    // A record whose partner is not even among its best is hard to find in any case; a tenth of them is
    // enough to doubt the figure.
    let n_partners = linked.truth.as_ref().map_or(0, |truth| truth.n_partners);
    if let Some(n_not) = n_not.filter(|n| *n as f64 > 0.1 * n_partners as f64) {
        context.note(few_candidates(n_not, linked));
    }
    if linked.links.is_empty() && linked.n_original > 0 && linked.n_masked > 0 {
        context.note(
            Note::new(
                "no-links",
                "no pair of records weighs more than one that agrees in nothing, so that none was linked: this says that these weights tell no records apart, and not that the file is safe (compare with `equal`)",
            )
            .ranked(NoteRank::Warning),
        );
    }
    if let Some(used) = linked.used {
        let what = if used.all { "all" } else { "some" };
        context.note(
            Note::new(
                "linkage-estimated",
                format!(
                    "weights by `{}` were estimated from {what} pairs with masked records (original records: {}, pairs: {})",
                    settings.estimation.name(),
                    used.n_original,
                    used.n_pairs
                ),
            )
            .with("n_original", used.n_original)
            .with("n_pairs", used.n_pairs)
            .with("all", used.all),
        );
    }
    if let Some(course) = linked.course {
        state_em(course, linked, context);
    }
}

/// How EM went, and whether it took too many pairs for matches.
fn state_em(course: EmCourse, linked: &Linked, context: &RunContext<'_>) {
    context.note(
        Note::new(
            "em",
            format!(
                "EM took {} rounds; it takes {:.4e} of the pairs for matches",
                course.rounds, course.proportion
            ),
        )
        .with("rounds", course.rounds)
        .with("converged", course.converged)
        .with("log_likelihood", course.log_likelihood)
        .with("proportion", course.proportion),
    );
    // One partner for each record; many more are pairs that are merely alike.
    let per_record = linked.used.map_or(0.0, |used| {
        course.proportion * used.n_pairs / used.n_original.max(1) as f64
    });
    if per_record > 2.0 {
        context.note(
            Note::new(
                "em-many-matches",
                format!(
                    "EM takes {per_record:.1} masked records for matches of each original one: it has told pairs that are alike from others, and not the true ones; its weights say little (compare with `refined`)"
                ),
            )
            .with("matches_per_record", per_record)
            .ranked(NoteRank::Warning),
        );
    }
}

/// Warns of variables that no pair can agree in: what was recoded looks like something else, and the risk
/// would be taken for small.
pub(crate) fn state_idle(variables: &[ComparedVariable], context: &RunContext<'_>) {
    for one in variables.iter().filter(|one| one.never_agrees()) {
        context.note(
            Note::new(
                "never-agrees",
                format!(
                    "no masked value of `{}` agrees with an original one, so that it helps nobody to link; if it was recoded, describe its hierarchy: an intruder can recode his own file too",
                    one.name
                ),
            )
            .with("variable", one.name.as_str())
            .ranked(NoteRank::Warning),
        );
    }
}

/// Few of the true partners were candidates: what was found is less than there may be.
fn few_candidates(n_not: u64, linked: &Linked) -> Note {
    Note::new(
        "true-partners-not-candidates",
        format!(
            "{n_not} of {} masked records that have an original were not among its candidates, and could not be found: the share is likely too low; raise `candidates`, `extensions`, `looked_at` or `memory` if it decides anything",
            linked.truth.as_ref().map_or(0, |truth| truth.n_partners)
        ),
    )
    .with("n_not_candidates", n_not)
    .ranked(NoteRank::Warning)
}

/// How links were chosen, why so, and what is proved of them.
fn way(linked: &Linked) -> Note {
    let chosen = match linked.way {
        Choosing::Dense => "one-to-one links were chosen among all pairs",
        Choosing::Sparse => "one-to-one links were chosen among the best candidates of each record",
        Choosing::Greedy | Choosing::Automatic => {
            "each original record was linked with its best, without assignment"
        }
    };
    let mut text = format!("{chosen} ({})", linked.why);
    let mut note = Note::new("assignment", "")
        .with("assignment", linked.way.name())
        .with("why", linked.why.as_str());
    if let Some(certificate) = linked.certificate {
        if certificate.proves_the_best() {
            let gap = match certificate.gap().max(0.0) {
                gap if gap > 0.0 => format!("gap {gap:.1e}"),
                _ => "gap 0".to_owned(),
            };
            text.push_str(&format!("; no others of them weigh more ({gap})"));
        } else {
            text.push_str(&format!(
                "; that no others of them weigh more is NOT proved (gap {:.1e}, {} wrong): please report this",
                certificate.gap(),
                certificate.n_wrong
            ));
            note = note.ranked(NoteRank::Warning);
        }
        note = note
            .with("gap", certificate.gap())
            .with("n_wrong", certificate.n_wrong)
            .with("largest_violation", certificate.largest_violation)
            .with("dual_total", certificate.dual_total);
    }
    if let Some(beyond) = linked.beyond {
        text.push_str(&format!(
            "; pairs that were no candidates could add {beyond:.3} at the most"
        ));
        note = note.with("beyond_candidates", beyond);
    }
    if let Some(looked_at) = linked.looked_at {
        text.push_str(&format!(
            "; for each original record {looked_at} masked ones were looked at, those that promised most"
        ));
        note = note.with("looked_at", looked_at);
    }
    note.text = text;
    note
}
