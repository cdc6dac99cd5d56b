//! What makes a node safe, and which of it holds in every coarser node too.
//!
//! Let x be a node and y a coarser one. Each class of y is a union of classes of x.
//!
//! - **k and distinct answers.** A class with k records, or with l different answers, lies in a class of y
//!   with as many at least. A record that these rules let stay in x stays in y: the number of records to
//!   delete never grows upward. So a node in which too many break them is unsafe with all that are
//!   finer, and one in which few enough do has none coarser in which too many do.
//! - **k where keys are missing, under `visible`.** A record is matched by those who equal it on what it shows;
//!   deleting some may leave others with fewer than k, so that deletion goes on to the end. What stays is
//!   the largest set in which each is matched by k of the set: a union of such sets is one, and deletion never
//!   takes a record of any. Equal records of x are equal in y: the set that stays in x has the
//!   property in y, and lies in the largest there. Again the number to delete never grows upward.
//! - **Largest share of an answer.** The share in a union lies between those in its parts. Where no
//!   record may be deleted, all classes of x keep to the limit and so do those of y: it is monotone. With
//!   deletion it is not: a class that keeps to it may fall together with one that does not, and a few
//!   records to delete become many. Then nothing is pruned by it. What a share of at most c implies, 1/c
//!   different answers at least, is monotone and pruned by.

use super::counting::NodeClasses;
use super::{Lattice, LatticeAsked};
use crate::error::MethodError;
use crate::keys::codes::Coding;
use crate::keys::{KeyCounts, Semantics};

/// How many records may be deleted so that the others are safe.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum SuppressionLimit {
    /// So many.
    Records(u64),
    /// So large a share of the file, from 0 to 1.
    Share(f64),
}

/// What is asked of the answers to a sensitive variable in each class that stays.
#[derive(Clone, PartialEq, Debug)]
pub struct AnswerRule {
    /// Its position in the table; one of those that the lattice was made with.
    pub attr_idx: usize,
    /// Different answers, at least; 1 for any.
    pub distinct: u32,
    /// Share of the commonest answer, at most; 1 for any.
    pub largest_share: f64,
}

/// Rules for one lattice.
pub(super) struct Rules {
    k: u32,
    /// Records that may be deleted.
    pub(super) limit: u64,
    answers: Vec<OnAnswers>,
    /// Whether a node that is coarser than a safe one is safe.
    pub(super) monotone: bool,
}

struct OnAnswers {
    /// Which of the lattice's sensitive variables.
    variable: usize,
    distinct: u32,
    largest_share: f64,
}

/// What the rules say of the classes of a node.
pub(super) struct Verdict {
    /// For each class whether it is deleted.
    pub(super) suppressed: Vec<bool>,
    /// Records in those classes.
    pub(super) n_suppressed: u64,
    /// For each class whether its records are deleted in every finer node too.
    pub(super) below_too: Vec<bool>,
    /// Records in those classes.
    pub(super) n_below_too: u64,
    /// Whether the node is not safe, and no finer one is.
    pub(super) breaks: bool,
}

impl Rules {
    pub(super) fn new(
        asked: &LatticeAsked,
        n_records: u64,
        sensitive: &[usize],
    ) -> Result<Self, MethodError> {
        let limit = match asked.limit {
            SuppressionLimit::Records(n) => n.min(n_records),
            // A share such as 0.07 of 100 records is 7, whatever the last bit of the product.
            SuppressionLimit::Share(share) if (0.0..=1.0).contains(&share) => {
                (share * n_records as f64 + 1e-9) as u64
            }
            SuppressionLimit::Share(_) => {
                return Err(MethodError::request(
                    "the share of records that may be deleted is none from 0 to 1",
                    "give 0.01 for a hundredth",
                ));
            }
        };
        if asked.k == 0 {
            return Err(MethodError::request(
                "k of k-anonymity is 0",
                "give 1 for any class, 3 or more for safe ones",
            ));
        }
        let on_answers = |rule: &AnswerRule| {
            let position = sensitive.iter().position(|known| *known == rule.attr_idx);
            let variable = position.ok_or_else(|| {
                MethodError::Internal(
                    "a rule is on answers that the lattice was not made with".to_owned(),
                )
            })?;
            if rule.largest_share.is_nan() || rule.largest_share <= 0.0 {
                return Err(MethodError::request(
                    "no class has a commonest answer with a share of 0 or less",
                    "give a share above 0; 1 allows every class",
                ));
            }
            Ok(OnAnswers {
                variable,
                distinct: rule.distinct,
                largest_share: rule.largest_share,
            })
        };
        let answers: Vec<OnAnswers> = asked
            .answers
            .iter()
            .map(on_answers)
            .collect::<Result<_, _>>()?;
        Ok(Self {
            k: asked.k,
            limit,
            monotone: limit == 0 || answers.iter().all(|rule| rule.largest_share >= 1.0),
            answers,
        })
    }

    /// Which classes have to go.
    pub(super) fn judge(&self, lattice: &Lattice, classes: &NodeClasses) -> Verdict {
        let mut below_too: Vec<bool> = match lattice.semantics {
            Semantics::Visible => self.unmatched(lattice, classes),
            Semantics::Own | Semantics::Original | Semantics::Wild => {
                classes.sizes.iter().map(|size| *size < self.k).collect()
            }
        };
        let mut breaks_share = vec![false; below_too.len()];
        for rule in &self.answers {
            rule.mark(classes, &mut below_too, &mut breaks_share);
        }
        let records = |flags: &[bool]| -> u64 {
            let sizes = classes.sizes.iter().zip(flags);
            sizes
                .filter(|(_, flag)| **flag)
                .map(|(size, _)| u64::from(*size))
                .sum()
        };
        let n_below_too = records(&below_too);
        let mut suppressed = breaks_share;
        for (suppressed, below_too) in suppressed.iter_mut().zip(&below_too) {
            *suppressed |= below_too;
        }
        let n_suppressed = records(&suppressed);
        // Where nobody may be deleted, one class that breaks the share makes every finer node unsafe.
        let breaks = n_below_too > self.limit || (self.limit == 0 && n_suppressed > 0);
        Verdict {
            suppressed,
            n_suppressed,
            below_too,
            n_below_too,
            breaks,
        }
    }

    /// Classes that fewer than k match on what they show, when those before them went already.
    fn unmatched(&self, lattice: &Lattice, classes: &NodeClasses) -> Vec<bool> {
        let counts = shown_counts(lattice, classes);
        let groups = counts.by_visibility();
        let mut held: Vec<Option<u64>> = counts.present.iter().copied().map(Some).collect();
        loop {
            let mut gone = Vec::new();
            for (mask, seekers) in &groups {
                let left = seekers.iter().copied();
                let left: Vec<u32> = left
                    .filter(|&class| held[class as usize].is_some())
                    .collect();
                let counted = counts.count_holders(*mask, &left, &held);
                let few = left.iter().zip(counted).filter(|(_, f)| *f < self.k);
                gone.extend(few.map(|(&class, _)| class as usize));
            }
            if gone.is_empty() {
                return held.iter().map(Option::is_none).collect();
            }
            for class in gone {
                held[class] = None;
            }
        }
    }
}

impl OnAnswers {
    /// Marks the classes with too few different answers, and those with one that is too common.
    fn mark(&self, classes: &NodeClasses, few: &mut [bool], breaks_share: &mut [bool]) {
        let mut n_distinct = vec![0_u32; few.len()];
        let mut commonest = vec![0_u32; few.len()];
        for answer in &classes.answers[self.variable] {
            let class = answer.class as usize;
            n_distinct[class] += 1;
            commonest[class] = commonest[class].max(answer.n);
        }
        // Rounded down a little: a class may not be pruned for the last bit of 1/c.
        let implied = (1.0 / self.largest_share - 1e-9).ceil() as u32;
        let distinct = self.distinct.max(implied);
        for (class, &size) in classes.sizes.iter().enumerate() {
            few[class] |= n_distinct[class] < distinct;
            let share = f64::from(commonest[class]) / f64::from(size);
            breaks_share[class] |= share > self.largest_share;
        }
    }
}

/// The classes of a node as counts of keys, some of them missing.
fn shown_counts(lattice: &Lattice, classes: &NodeClasses) -> KeyCounts {
    let keys = || lattice.keys.iter().zip(&classes.node);
    let codes: Vec<u32> = classes
        .combinations
        .iter()
        .flat_map(|&combination| {
            let values = lattice.base.combination(combination).iter();
            let at_levels = keys().zip(values);
            at_levels.map(|((key, &place), &value)| key.code_at[usize::from(place)][value as usize])
        })
        .collect();
    let shown = |codes: &[u32]| {
        let bits = codes.iter().enumerate();
        bits.fold(0, |mask, (bit, &code)| mask | u64::from(code != 0) << bit)
    };
    let visible: Vec<u64> = codes.chunks(lattice.keys.len()).map(shown).collect();
    let n_codes = |(key, &place): (&super::KeyLevels, &u8)| {
        key.n_records[usize::from(place)].len() as u32 - 1
    };
    KeyCounts {
        semantics: Semantics::Visible,
        sizes: classes.sizes.clone(),
        weights: None,
        n_keys: lattice.keys.len(),
        n_values: keys().map(n_codes).collect(),
        present: visible.clone(),
        visible,
        codes,
        coding: Coding::Own,
    }
}
