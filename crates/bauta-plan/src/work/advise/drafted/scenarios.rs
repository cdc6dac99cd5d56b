//! What each intruder is assumed to know.

use bauta_data::inspect::{ColumnProfile, FileProfile, Flag, Sign};
use bauta_data::{Kind, Role};

use crate::work::advise::questions::{Answers, Intruder, Recipient};
use crate::work::init::proposals::MANY_VALUES;
use crate::work::init::rules::{counted_keys, linked};

/// The keys of one or more intruders who know the same.
pub(super) struct Set<'p> {
    pub(super) name: String,
    pub(super) intruders: Vec<Intruder>,
    pub(super) keys: Vec<&'p str>,
    pub(super) why: String,
}

/// A set of keys for the intruders of the answers; those who know the same share one.
pub(super) fn sets<'p>(profile: &'p FileProfile, answers: &Answers) -> Vec<Set<'p>> {
    let mut intruders = answers.intruders().to_vec();
    // Among all who can download a file there is everybody.
    if answers.recipient() == Recipient::Public && !answers.fear(Intruder::WorstCase) {
        intruders.push(Intruder::WorstCase);
    }
    let mut out: Vec<Set<'p>> = Vec::new();
    for intruder in intruders {
        let keys = keys(profile, intruder);
        if keys.is_empty() {
            continue;
        }
        let option = intruder.option();
        if let Some(same) = out.iter_mut().find(|set| set.keys == keys) {
            same.name.push_str(&format!(", {}", option.id));
            same.why.push_str(&format!(" {}", option.means));
            same.intruders.push(intruder);
        } else {
            out.push(Set {
                name: option.id.to_owned(),
                intruders: vec![intruder],
                keys,
                why: option.means.to_owned(),
            });
        }
    }
    out
}

/// What an intruder knows: a neighbour what can be seen, all others every key.
fn keys(profile: &FileProfile, intruder: Intruder) -> Vec<&str> {
    let mut all = counted_keys(profile);
    if all.is_empty() && linked(profile).is_empty() {
        // Nothing else could lead to a record, and what is sensitive is known to somebody, too.
        all = sensitive_categories(profile);
    }
    let is_seen = |key: &&ColumnProfile| {
        let is_age = key.signs.contains(&Sign::AgeLike);
        let is_date = key.proposal.flag == Some(Flag::ExactDate);
        !is_date && (is_age || key.n_distinct <= MANY_VALUES)
    };
    let seen: Vec<&ColumnProfile> = all.iter().copied().filter(|key| is_seen(key)).collect();
    let knows_what_is_seen = matches!(intruder, Intruder::Neighbour | Intruder::Household);
    let known = if knows_what_is_seen && !seen.is_empty() {
        seen
    } else {
        all
    };
    known.iter().map(|key| key.name.as_str()).collect()
}

fn sensitive_categories(profile: &FileProfile) -> Vec<&ColumnProfile> {
    let columns = profile.columns.iter();
    let is_released = |column: &&ColumnProfile| {
        let proposal = &column.proposal;
        matches!(proposal.role, Role::Sensitive | Role::Other | Role::Stratum)
            && proposal.kind != Kind::Continuous
            && column.n_distinct > 1
    };
    columns.filter(is_released).collect()
}
