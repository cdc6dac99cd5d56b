//! Counts that were made elsewhere.

use crate::error::MethodError;
use crate::kernel::numbers::exact_sum::ExactSums;
use crate::keys::Semantics;
use crate::keys::codes::{Coding, check_number};
use crate::keys::counts::{KeyCounts, add_visibility, held_by};
use crate::keys::packing::Packing;

/// Classes of equal keys as an engine counted them, in the order in which they first occur in the file.
#[derive(Clone, PartialEq, Debug)]
pub struct GivenClasses {
    /// Codes of each key go up to this.
    pub n_values: Vec<u32>,
    /// Codes of each class, class by class, a key each; 0 is missing.
    pub codes: Vec<u32>,
    /// Keys that each class shows, a bit each, under `original`; elsewhere a class shows what it holds, and there
    /// are none.
    pub visible: Option<Vec<u64>>,
    /// Records of each class.
    pub n_records: Vec<u32>,
    /// Sums of their weights; none where each record weighs 1.
    pub weights: Option<ExactSums>,
    /// Whether codes mean the same in other parts of the file.
    pub coding: Coding,
}

impl KeyCounts {
    /// Takes classes over from an engine; the same file counted here gives the very same.
    pub fn from_classes(given: GivenClasses, semantics: Semantics) -> Result<Self, MethodError> {
        check_number(given.n_values.len())?;
        check_lengths(&given, semantics)?;
        let present = held_by(&given.codes, given.n_values.len());
        let counts = Self {
            semantics,
            sizes: given.n_records,
            weights: given.weights,
            n_keys: given.n_values.len(),
            codes: given.codes,
            n_values: given.n_values,
            visible: given.visible.unwrap_or_else(|| present.clone()),
            present,
            coding: given.coding,
        };
        counts.check_classes()?;
        Ok(counts)
    }

    fn check_classes(&self) -> Result<(), MethodError> {
        if self.sizes.contains(&0) {
            return Err(refused("a class holds no record"));
        }
        if u32::try_from(self.n_records()).is_err() {
            return Err(MethodError::request(
                format!("keys are counted for up to {} records", u32::MAX),
                "count a part of the file",
            ));
        }
        let mut codes = self.codes.chunks(self.n_keys);
        if codes.any(|codes| {
            codes
                .iter()
                .zip(&self.n_values)
                .any(|(code, max)| code > max)
        }) {
            return Err(refused("a code is larger than the largest of its key"));
        }
        let mut shown = self.visible.iter().zip(&self.present);
        if shown.any(|(visible, present)| visible & !present != 0) {
            return Err(refused("a class shows a key that it does not hold"));
        }
        let mut packing = Packing::new(self.n_classes());
        for (key, &max) in self.n_values.iter().enumerate() {
            packing.add(max, |class| self.codes[class * self.n_keys + key]);
        }
        add_visibility(&mut packing, self.semantics, self.n_keys, |class, key| {
            self.visible[class] >> key & 1 == 1
        });
        if packing.classes().1.len() < self.n_classes() {
            return Err(refused("two classes have the same keys"));
        }
        Ok(())
    }
}

fn check_lengths(given: &GivenClasses, semantics: Semantics) -> Result<(), MethodError> {
    let n_classes = given.n_records.len();
    let n_visible = given.visible.as_ref().map(Vec::len);
    let expected = (semantics == Semantics::Original).then_some(n_classes);
    if n_visible != expected {
        return Err(refused(
            "what classes show is to be given for each under `original`, and not elsewhere",
        ));
    }
    let n_weights = given.weights.as_ref().map_or(n_classes, ExactSums::len);
    if given.codes.len() != n_classes * given.n_values.len() || n_weights != n_classes {
        return Err(refused(
            "codes, records and weights are of different classes",
        ));
    }
    Ok(())
}

/// Whoever counts is a program of ours.
fn refused(what: &str) -> MethodError {
    MethodError::Internal(format!("classes were given that cannot be: {what}"))
}
