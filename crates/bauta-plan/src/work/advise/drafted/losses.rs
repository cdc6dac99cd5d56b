//! What must be left for those who need the file.

use bauta_data::inspect::{ColumnProfile, FileProfile};

use super::{About, Changed, Deleted, Drafted, LOSS};
use crate::draft::{GateDraft, MeasureDraft};
use crate::work::advise::bar::{
    MAX_CORRELATION, MAX_DELETED, MAX_RECODED, MAX_RECODED_OF_DETAIL, MAX_RECODED_OF_ONE,
    MAX_TABLE, MAX_V, MIN_OVERLAP,
};
use crate::work::advise::questions::{Answers, Need};
use crate::work::init::rules::is_sample;

/// Gates on what the steps took away.
pub(super) fn judged(about: &About<'_>, changed: &Changed, drafted: &mut Drafted) {
    let (answers, profile) = (about.answers, about.profile);
    if changed.cells || changed.deleted == Deleted::Some {
        of_tables(answers, profile, drafted);
    }
    if changed.cells {
        of_categories(answers, drafted);
        of_each_key(about, drafted);
    }
    // Where cells certainly change, there is a figure of deleted records as well.
    let is_counted = changed.cells || changed.deleted == Deleted::Some;
    if changed.deleted != Deleted::None && is_counted {
        drafted.measure(MeasureDraft::of(["suppressed-cells"]));
        let deleted = GateDraft::on("suppressed-cells").part("records_deleted_share");
        drafted.gate(
            deleted.at_most(MAX_DELETED),
            "records are not deleted by chance: of a file that lost more of them, results speak of the rest",
            LOSS,
        );
    }
    if changed.numbers > 0 {
        of_numbers(answers, changed.numbers, drafted);
    }
}

/// Shares and associations.
fn of_tables(answers: &Answers, profile: &FileProfile, drafted: &mut Drafted) {
    let (tables, totals) = (answers.need(Need::Counts), answers.need(Need::Weights));
    let is_weighted = totals && is_sample(profile);
    if tables || answers.need(Need::Relations) {
        drafted.measure(MeasureDraft::of(["category-distance"]));
    }
    if totals && (is_weighted || !(tables || answers.need(Need::Relations))) {
        let measure = MeasureDraft::of(["category-distance"]);
        drafted.measure(measure.with("weighted", is_weighted));
    }
    let largest = GateDraft::on("category-distance").part("largest_distance");
    if tables || totals {
        drafted.gate(
            largest.at_most(MAX_TABLE),
            "a table of one variable has at most this share of its records in the wrong cells",
            LOSS,
        );
    }
    if answers.need(Need::Relations) {
        let change = GateDraft::on("category-distance").part("mean_v_change");
        drafted.gate(
            change.at_most(MAX_V),
            "how strongly categories go together must stay what it was",
            LOSS,
        );
    }
}

/// What recoding and blanks took.
fn of_categories(answers: &Answers, drafted: &mut Drafted) {
    drafted.measure(MeasureDraft::of(["recoding-loss"]));
    let (most, why) = if answers.need(Need::Detail) {
        (
            MAX_RECODED_OF_DETAIL,
            "detailed categories are what they need: coarser ones and blanks may take no more than this",
        )
    } else {
        (
            MAX_RECODED,
            "of a file that lost more of its categories there is little left to use",
        )
    };
    drafted.gate(GateDraft::on("recoding-loss").at_most(most), why, LOSS);
}

/// What recoding and blanks took of each key that a step works on.
fn of_each_key(about: &About<'_>, drafted: &mut Drafted) {
    let reached = about.reached();
    let recoded: Vec<String> = drafted.recoded();
    let is_worked_on = |key: &&ColumnProfile| {
        let name = &key.name;
        let is_reached = reached.iter().any(|set| set.keys.contains(&name.as_str()));
        let column = about.table.column_named(name);
        let holds_categories = column.is_some_and(|column| column.as_categorical().is_some());
        // Of one value there is nothing to lose, and so no figure.
        key.n_distinct > 1 && (recoded.contains(name) || (is_reached && holds_categories))
    };
    for key in about.known().into_iter().filter(is_worked_on) {
        drafted.gate(
            GateDraft::on("recoding-loss")
                .part(key.name.as_str())
                .at_most(MAX_RECODED_OF_ONE),
            "of a key that lost more only the name is left: drop it, and say so",
            LOSS,
        );
    }
}

/// Estimates and correlations.
fn of_numbers(answers: &Answers, n_masked: usize, drafted: &mut Drafted) {
    let (means, totals) = (answers.need(Need::Means), answers.need(Need::Weights));
    if means || totals {
        drafted.measure(MeasureDraft::of(["weighted-estimates"]).with("missing", "skip"));
    }
    let overlap = |part: &str| {
        GateDraft::on("weighted-estimates")
            .part(part)
            .at_least(MIN_OVERLAP)
    };
    if means {
        drafted.gate(
            overlap("overlap_of_means"),
            "a mean of the released file must say what that of the original says, within its own uncertainty",
            LOSS,
        );
    }
    if totals {
        drafted.gate(
            overlap("overlap_of_totals"),
            "a total of the population must say what that of the original says, within its own uncertainty",
            LOSS,
        );
    }
    if answers.need(Need::Relations) && n_masked > 1 {
        drafted.measure(MeasureDraft::of(["il5"]).with("missing", "skip"));
        drafted.gate(
            GateDraft::on("il5").at_most(MAX_CORRELATION),
            "regressions rest on correlations, and these may move by this much on average",
            LOSS,
        );
    }
}
