//! Amounts: whether they are masked, how, and what linkage may find of them.

use bauta_data::inspect::ColumnProfile;
use bauta_data::{Kind, Role};

use super::{About, Drafted, LINKING, STEPS};
use crate::draft::StepDraft;
use crate::work::advise::bar::{MOST_SWAPPED, group_size};
use crate::work::init::proposals::{WINDOW, names};
use crate::work::init::rules::{distances, is_soon_linked, linkage, linked};

/// Masks the numbers that somebody could know and says what linkage may find. Returns how many are masked.
pub(super) fn masked(about: &About<'_>, drafted: &mut Drafted) -> usize {
    let masked = to_mask(about);
    if masked.is_empty() {
        exact_amounts(about, drafted);
        return 0;
    }
    let complete = masked
        .iter()
        .copied()
        .filter(|column| column.n_missing == 0);
    let complete: Vec<&ColumnProfile> = complete.collect();
    let has_gaps = complete.len() < masked.len();
    let size = group_size(about.rules.max_linked);
    // One group of all would leave one value.
    let is_large = i64::try_from(about.profile.n_records).is_ok_and(|n| n >= 2 * size);
    let is_averaged = (about.answers.averages() || masked.len() > MOST_SWAPPED) && is_large;
    let step = if is_averaged {
        let step = StepDraft::mask("mdav").on(names(&masked));
        let step = step.with("k", size);
        if has_gaps {
            step.with("missing", "available")
        } else {
            step
        }
    } else {
        let step = StepDraft::mask("rank-swap").on(names(&masked));
        let step = step.with("window", WINDOW);
        if has_gaps {
            step.with("missing", "skip")
        } else {
            step
        }
    };
    let why = if is_averaged && about.answers.averages() {
        "a number that is released as it is leads to its record: groups of records get their mean, which keeps means as \
         they are and relations nearly so"
    } else if is_averaged {
        "so many numbers lead to their record together, even if each is swapped: groups of records get their mean"
    } else {
        "a number that is released as it is leads to its record: neighbours by size are exchanged, which keeps every \
         distribution"
    };
    drafted.step(
        step.because("exact amounts lead to those who have them"),
        why,
        STEPS,
    );
    let profile = about.profile;
    if !complete.is_empty() {
        drafted.measure(distances(profile, names(&complete)));
        drafted.gate(
            about.rules.distance_gate(),
            &format!(
                "who has the true numbers looks for the nearest record, and may be right in this share of the file: {}",
                about.demand.why
            ),
            LINKING,
        );
    }
    // Of many records it takes minutes; where numbers have gaps, nothing else can tell.
    if is_soon_linked(profile) || complete.is_empty() {
        drafted.measure(linkage(profile, names(&masked)));
        drafted.gate(
            about.rules.linkage_gate(),
            "the same by probabilities, one to one, which uses that no two records are of one person",
            LINKING,
        );
    }
    masked.len()
}

/// Numbers that an outside file may hold, and amounts that somebody could know.
fn to_mask<'a>(about: &About<'a>) -> Vec<&'a ColumnProfile> {
    let linked = linked(about.profile);
    let columns = about.profile.columns.iter();
    let is_masked = |column: &&ColumnProfile| {
        let proposal = &column.proposal;
        let is_key =
            proposal.role == Role::Key || linked.iter().any(|other| other.name == column.name);
        let is_amount = proposal.role == Role::Sensitive;
        proposal.kind == Kind::Continuous
            && column.n_distinct > 1
            && (is_key || (is_amount && about.answers.masks_amounts()))
    };
    columns.filter(is_masked).collect()
}

/// Amounts that go as they are.
fn exact_amounts(about: &About<'_>, drafted: &mut Drafted) {
    let columns = about.profile.columns.iter();
    let is_amount = |column: &&ColumnProfile| {
        column.proposal.role == Role::Sensitive && column.proposal.kind == Kind::Continuous
    };
    let amounts: Vec<&ColumnProfile> = columns.filter(is_amount).collect();
    if !amounts.is_empty() {
        drafted.look(
            "exact amounts",
            &format!(
                "{} go as they are: nobody among the intruders that you named knows them, or nobody can bring a list \
                 to where they are. Choose `register` outside a supervised room if somebody could",
                names(&amounts).join(", ")
            ),
        );
    }
}
