//! Columns that a calibrated file does not keep unless asked to: identifiers, and weights beside the new one.

use std::fmt;

use bauta_data::Role;
use bauta_data::inspect::{ColumnProfile, FileProfile, Flag};

use super::CalibrateRequest;
use crate::work::WorkError;
use crate::work::inspect::column;

/// A column that is dropped, and why.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dropped {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.why)
    }
}

impl CalibrateRequest {
    /// The columns that are dropped, in the order of the file.
    pub fn dropped(&self, profile: &FileProfile) -> Result<Vec<Dropped>, WorkError> {
        for name in self.identifiers.iter().chain(&self.keep) {
            column(&self.file, profile, name)?;
        }
        self.refuse_contradictions()?;
        let stays =
            |column: &ColumnProfile| column.name == self.weight || self.keep.contains(&column.name);
        let mut dropped = Vec::new();
        for column in profile.columns.iter().filter(|column| !stays(column)) {
            if let Some(why) = self.why_dropped(column) {
                let name = column.name.clone();
                dropped.push(Dropped { name, why });
            }
        }
        self.refuse_taken_name(profile, &dropped)?;
        Ok(dropped)
    }

    /// Why a column is dropped, if it is.
    fn why_dropped(&self, column: &ColumnProfile) -> Option<String> {
        let name = &column.name;
        let is_other_weight =
            column.proposal.role == Role::Weight || column.proposal.flag == Some(Flag::OtherWeight);
        if self.listed("start").any(|start| start == name) {
            return Some(
                "the starting weight, which beside the new one tells how that was changed"
                    .to_owned(),
            );
        }
        if is_other_weight {
            let reason = one_phrase(&column.proposal.reason);
            return Some(format!(
                "looks like a weight ({reason}), which beside the new one tells how that was changed"
            ));
        }
        if self.identifiers.contains(name) {
            return Some("an identifier, as --identifiers says".to_owned());
        }
        let looks_identifying = column.proposal.role == Role::Identifier;
        (looks_identifying && !self.is_used(name)).then(|| {
            let reason = one_phrase(&column.proposal.reason);
            format!("looks like an identifier ({reason})")
        })
    }

    /// Whether the request says itself what a column is for.
    fn is_used(&self, name: &String) -> bool {
        self.keys.contains(name)
            || self.continuous.contains(name)
            || self.household.as_ref() == Some(name)
            || self.in_margins().contains(name)
            || self.listed("sensitive").any(|listed| listed == name)
            || self.listed("q_from").any(|listed| listed == name)
    }

    /// What is kept is no identifier to drop; neither is what the calibration needs afterwards.
    fn refuse_contradictions(&self) -> Result<(), WorkError> {
        for name in &self.identifiers {
            let used = if self.keep.contains(name) {
                "to be kept"
            } else if *name == self.weight {
                "the weight"
            } else if self.is_used(name) {
                "used"
            } else {
                continue;
            };
            let message = format!("`{name}` is to be dropped as an identifier, and {used}");
            let mistake = WorkError::of_variable(name, message, "say one of the two");
            return Err(mistake.in_file(&self.file));
        }
        Ok(())
    }

    /// The new weight must not be called like a column that stays.
    fn refuse_taken_name(
        &self,
        profile: &FileProfile,
        dropped: &[Dropped],
    ) -> Result<(), WorkError> {
        let Some(new) = &self.new_weight else {
            return Ok(());
        };
        let is_taken = |column: &ColumnProfile| column.name == *new && *new != self.weight;
        let is_dropped = dropped.iter().any(|dropped| dropped.name == *new);
        if is_dropped || !profile.columns.iter().any(is_taken) {
            return Ok(());
        }
        let message =
            format!("--new-weight `{new}` is the name of a column that stays in the file");
        let mistake = WorkError::of_variable(new, message, "choose another name");
        Err(mistake.in_file(&self.file))
    }
}

/// A reason without the marks that set the reasons of several columns apart.
fn one_phrase(reason: &str) -> String {
    reason.replace("; ", ", ")
}
