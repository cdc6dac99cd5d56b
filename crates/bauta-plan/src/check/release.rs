//! Checking what a plan says of its release: days that there are, and nothing left empty.

use crate::clock::is_day;
use crate::draft::ReleaseDraft;
use crate::problem::{Problem, ProblemKind, Spot};
use crate::record::{ReleaseRecord, SignatoryRecord};
use crate::toml::Problems;

/// What the record keeps of `[release]`; none where the plan says nothing.
pub(super) fn check_release(draft: &ReleaseDraft, problems: &Problems) -> Option<ReleaseRecord> {
    let refuse = |spot: &Spot<String>, message: String, hint: &str| {
        let problem = Problem::at(ProblemKind::Plan, &spot.place, message, hint);
        problems.borrow_mut().push(problem);
    };
    let named = |what: &str, spot: &Spot<String>| {
        if spot.trim().is_empty() {
            let message = format!("{what} is empty");
            refuse(spot, message, "write it, or leave the line out");
        }
        spot.value.trim().to_owned()
    };
    let purpose = draft.purpose.as_ref();
    let purpose = purpose.map(|purpose| named("the purpose", purpose));
    let recipients = draft.recipients.iter();
    let recipients = recipients.map(|one| named("a recipient", one)).collect();
    let review = draft.review.as_ref().map(|review| {
        if !is_day(review) {
            let message = "the day of the review is no day of the calendar".to_owned();
            refuse(review, message, "write year, month and day: \"2028-01-31\"");
        }
        review.value.clone()
    });
    let signatories = draft.signatories.iter();
    let signatories = signatories.map(|one| SignatoryRecord {
        name: named("the name of a signatory", &one.name),
        role: one.role.clone(),
    });
    let release = ReleaseRecord {
        purpose,
        recipients,
        review,
        signatories: signatories.collect(),
    };
    (release != ReleaseRecord::default()).then_some(release)
}
