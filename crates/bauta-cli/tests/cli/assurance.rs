//! Ways in which a careless user could be told that something is safe, or shown what must stay inside.
//! The next such finding goes here, too.

mod calibrated;
mod collapsed;
mod data_as_plan;
mod hospital;
mod perturbed;
mod shuffled;
mod ungated;
mod vacuous;

pub(crate) use hospital::with_proposals;
