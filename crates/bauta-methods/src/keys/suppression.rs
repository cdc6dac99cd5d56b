//! Which key cells to blank so that the key of every record occurs at least k times.
//!
//! All work is on classes of records with equal keys: what is best for one is best for all of them.
//! A set of keys is a bit mask, bit v for the v-th key.

mod counts;
mod deep;
mod homes;
mod join;
mod key_sets;
mod mu_argus;
mod own;
mod partition;
mod search;
mod subsets;

pub(crate) use counts::Counts;
pub(crate) use homes::{Homes, MAX_KEYS as MAX_KEYS_OF_HOMES, blanks as of_homes};
pub use key_sets::combinations_of;
pub(crate) use key_sets::{KeySets, combinations, n_combinations};
pub(crate) use search::{Ended, improve};
pub(crate) use subsets::Tiers;

use rayon::prelude::*;

use crate::context::RunContext;
use crate::error::MethodError;
use crate::keys::KeyCounts;

/// Classes that one piece of parallel work covers at least.
const MIN_CLASSES: usize = 256;
/// Sets of keys that are tried by rising cost before a class is looked at by what it can keep.
const MAX_BY_COST: usize = 4096;
/// Counts that are asked for at once.
const MAX_ASKED: usize = 1 << 22;

/// What is to be solved.
#[derive(Clone, Copy)]
pub(crate) struct Problem<'a> {
    /// Records with equal keys.
    pub(crate) classes: &'a KeyCounts,
    /// Which sets of keys have to be safe, each by itself.
    pub(crate) sets: &'a KeySets,
    /// Cost of blanking a cell of each key; infinite where it must not be blanked.
    pub(crate) costs: &'a [f64],
    /// Smallest class that is safe.
    pub(crate) k: u32,
}

/// Blanks by class, and for single records that do not follow their class.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Blanks {
    /// Keys to blank in each class.
    pub(crate) of_class: Vec<u64>,
    /// Records that blank other keys than their class, each once.
    pub(crate) of_record: Vec<Apart>,
    /// How many times the output was counted and mended; 0 where no count depends on the output.
    pub(crate) rounds: u32,
    /// No blanks that are safe cost less: the cost of the exact ones under `original`.
    pub(crate) lower_bound: f64,
}

/// A record that does not follow its class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Apart {
    pub(crate) record: u32,
    pub(crate) class: u32,
    /// Keys to blank in it.
    pub(crate) mask: u64,
}

impl Blanks {
    /// Keys to blank in each record, given the class of each.
    pub(crate) fn by_record(&self, classes: &[u32]) -> Vec<u64> {
        let of_class = |&class: &u32| self.of_class[class as usize];
        let mut masks: Vec<u64> = classes.iter().map(of_class).collect();
        for apart in &self.of_record {
            masks[apart.record as usize] = apart.mask;
        }
        masks
    }

    /// Cost of the blanks, cells by key, and records with a blank.
    pub(crate) fn totals(&self, classes: &KeyCounts, costs: &[f64]) -> Totals {
        let mut by_key = vec![0_u64; costs.len()];
        let mut n_records = 0;
        let mut add = |mask: u64, n: u64| {
            n_records += n * u64::from(mask != 0);
            bits(mask).for_each(|key| by_key[key] += n);
        };
        let mut n_of_class: Vec<u64> = classes.sizes.iter().map(|size| u64::from(*size)).collect();
        for apart in &self.of_record {
            n_of_class[apart.class as usize] -= 1;
            add(apart.mask, 1);
        }
        for (&mask, &n) in self.of_class.iter().zip(&n_of_class) {
            add(mask, n);
        }
        let blanked = by_key.iter().zip(costs).filter(|(n, _)| **n > 0);
        Totals {
            // A sum of nothing would be -0.
            cost: blanked.fold(0.0, |sum, (&n, cost)| sum + n as f64 * cost),
            n_records,
            by_key,
        }
    }
}

/// What a solution amounts to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Totals {
    /// Sum of the costs of all blanked cells.
    pub(crate) cost: f64,
    /// Records with a blanked cell.
    pub(crate) n_records: u64,
    /// Blanked cells by key.
    pub(crate) by_key: Vec<u64>,
}

/// The keys of a mask, from the lowest.
pub(crate) fn bits(mask: u64) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let key = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(key)
    })
}

/// The cheapest blanks under `original`: each class by itself, since its counts are those of the
/// file before any suppression.
pub(crate) fn exact(problem: Problem<'_>, context: &RunContext<'_>) -> Result<Blanks, MethodError> {
    let classes = problem.classes;
    let held = held_before(classes);
    let counts = Counts::of(classes, &held);
    let failing = problem.failing(&counts, &classes.visible);
    let seekers = failing.into_iter().map(|class| (class, 0)).collect();
    let mut of_class = vec![0; classes.sizes.len()];
    problem.resolve(&counts, seekers, &mut of_class, context)?;
    let mut blanks = Blanks {
        of_class,
        of_record: Vec::new(),
        rounds: 0,
        lower_bound: 0.0,
    };
    blanks.lower_bound = blanks.totals(classes, problem.costs).cost;
    Ok(blanks)
}

/// The blanks that mu-Argus would choose, under `original`.
pub(crate) fn mu_argus(
    problem: Problem<'_>,
    context: &RunContext<'_>,
) -> Result<Blanks, MethodError> {
    let blanks = exact(problem, context)?;
    Ok(Blanks {
        of_class: mu_argus::blanks(problem, context)?,
        ..blanks
    })
}

/// Blanks that are safe under `visible`: classes that fail in the output blank more than the given ones,
/// until none fails.
pub(crate) fn visible_from(
    problem: Problem<'_>,
    mut blanks: Blanks,
    context: &RunContext<'_>,
) -> Result<Blanks, MethodError> {
    let classes = problem.classes;
    loop {
        let shown = shown(classes, &blanks.of_class);
        let held: Vec<Option<u64>> = shown.iter().copied().map(Some).collect();
        let counts = Counts::of(classes, &held);
        let failing = problem.failing(&counts, &shown);
        if failing.is_empty() {
            return Ok(blanks);
        }
        blanks.rounds += 1;
        let seekers = failing
            .into_iter()
            .map(|class| (class, blanks.of_class[class as usize]))
            .collect();
        problem.resolve(&counts, seekers, &mut blanks.of_class, context)?;
    }
}

/// Blanks that are safe under `own`, given the class of each record; the cheapest ones in a small file.
pub(crate) fn own(
    problem: Problem<'_>,
    of_record: &[u32],
    context: &RunContext<'_>,
) -> Result<Blanks, MethodError> {
    let is_small = of_record.len() <= partition::MAX_RECORDS;
    let Some(masks) = is_small
        .then(|| partition::blanks(problem, of_record))
        .flatten()
    else {
        return own_by_rounds(problem, of_record, context);
    };
    let apart = (0..).zip(of_record.iter().zip(masks));
    let apart = apart.map(|(record, (&class, mask))| Apart {
        record,
        class,
        mask,
    });
    let mut blanks = Blanks {
        of_class: vec![0; problem.classes.n_classes()],
        of_record: apart.collect(),
        rounds: 0,
        lower_bound: 0.0,
    };
    blanks.lower_bound = blanks.totals(problem.classes, problem.costs).cost;
    Ok(blanks)
}

/// Blanks that are safe under `own` by a heuristic, whatever the size of the file.
pub(crate) fn own_by_rounds(
    problem: Problem<'_>,
    of_record: &[u32],
    context: &RunContext<'_>,
) -> Result<Blanks, MethodError> {
    own::blanks(problem, of_record, context)
}

/// The keys that each class holds in the file before suppression.
fn held_before(classes: &KeyCounts) -> Vec<Option<u64>> {
    classes.present.iter().copied().map(Some).collect()
}

/// The keys that each class shows after its blanks.
pub(crate) fn shown(classes: &KeyCounts, blanks: &[u64]) -> Vec<u64> {
    let pairs = classes.visible.iter().zip(blanks);
    pairs.map(|(visible, blank)| visible & !blank).collect()
}

impl Problem<'_> {
    /// For each class and what it shows, the records that show the same on the keys of a set; of all
    /// sets the fewest.
    fn fewest(&self, counts: &Counts<'_>, asked: &[(u32, u64)]) -> Vec<u32> {
        let sets = self.sets.masks();
        let mut found = Vec::with_capacity(asked.len());
        for chunk in asked.chunks((MAX_ASKED / sets.len().max(1)).max(1)) {
            let on_sets: Vec<(u32, u64)> = chunk
                .iter()
                .flat_map(|&(class, shown)| sets.iter().map(move |set| (class, shown & set)))
                .collect();
            let counted = counts.matching(&on_sets);
            let fewest = |of_sets: &[u32]| of_sets.iter().copied().min().unwrap_or(u32::MAX);
            found.extend(counted.chunks(sets.len().max(1)).map(fewest));
        }
        found
    }

    /// Classes whose shown key occurs fewer than k times on one of the sets.
    fn failing(&self, counts: &Counts<'_>, shown: &[u64]) -> Vec<u32> {
        let asked: Vec<(u32, u64)> = shown
            .iter()
            .enumerate()
            .map(|(class, &mask)| (class as u32, mask))
            .collect();
        let found = self.fewest(counts, &asked);
        let failing = asked.iter().zip(found).filter(|(_, n)| *n < self.k);
        failing.map(|(&(class, _), _)| class).collect()
    }

    /// For each seeking class with what it blanks already, the cheapest superset whose key occurs at
    /// least k times on every set. Among equal cost: fewer cells, then the larger count, then the smaller mask.
    fn resolve(
        &self,
        counts: &Counts<'_>,
        mut seekers: Vec<(u32, u64)>,
        of_class: &mut [u64],
        context: &RunContext<'_>,
    ) -> Result<(), MethodError> {
        self.refuse_unsolvable(counts, &seekers)?;
        let mut n_tried = 0;
        for tier in Tiers::new(self.costs) {
            n_tried += tier.len();
            if seekers.is_empty() || n_tried > MAX_BY_COST {
                break;
            }
            context.go_on()?;
            let best = self.best_of(&tier, counts, &seekers);
            for &(class, _, mask) in &best {
                of_class[class as usize] = mask;
            }
            let mut solved = best.iter().map(|&(class, ..)| class).peekable();
            seekers.retain(|&(class, _)| solved.next_if_eq(&class).is_none());
        }
        for chunk in seekers.chunks(MIN_CLASSES) {
            context.go_on()?;
            let held = counts.held();
            let cheapest = |&seeker: &(u32, u64)| deep::cheapest(*self, held, seeker);
            let found: Vec<Option<u64>> = chunk.par_iter().map(cheapest).collect();
            for (&(class, _), mask) in chunk.iter().zip(found) {
                of_class[class as usize] = mask.ok_or_else(|| {
                    MethodError::Internal("blanking every key was not enough".to_owned())
                })?;
            }
        }
        Ok(())
    }

    /// For each seeker that one of the sets is enough for: the best of them, and its count.
    fn best_of(
        &self,
        tier: &[u64],
        counts: &Counts<'_>,
        seekers: &[(u32, u64)],
    ) -> Vec<(u32, u32, u64)> {
        let visible = &self.classes.visible;
        let allowed = |&(class, base): &(u32, u64)| {
            tier.iter()
                .filter(move |&&mask| mask & !visible[class as usize] == 0 && base & !mask == 0)
                .map(move |&mask| (class, visible[class as usize] & !mask))
        };
        let asked: Vec<(u32, u64)> = seekers.iter().flat_map(allowed).collect();
        let found = self.fewest(counts, &asked);
        let mut best: Vec<(u32, u32, u64)> = Vec::new();
        for (&(class, shown), n) in asked.iter().zip(found) {
            if n < self.k {
                continue;
            }
            let mask = visible[class as usize] & !shown;
            match best.last_mut() {
                Some((last, most, _)) if *last == class && *most >= n => {}
                Some(last) if last.0 == class => *last = (class, n, mask),
                _ => best.push((class, n, mask)),
            }
        }
        best
    }

    /// Keys of infinite cost can set a record apart by themselves: then nothing helps.
    fn refuse_unsolvable(
        &self,
        counts: &Counts<'_>,
        seekers: &[(u32, u64)],
    ) -> Result<(), MethodError> {
        let fixed = self.costs.iter().enumerate().fold(0, |mask, (key, cost)| {
            mask | u64::from(cost.is_infinite()) << key
        });
        let asked: Vec<(u32, u64)> = seekers
            .iter()
            .map(|&(class, base)| (class, self.classes.visible[class as usize] & fixed & !base))
            .collect();
        let found = self.fewest(counts, &asked);
        let sizes = &self.classes.sizes;
        let n_records: u64 = asked
            .iter()
            .zip(found)
            .filter(|(_, n)| *n < self.k)
            .map(|(&(class, _), _)| u64::from(sizes[class as usize]))
            .sum();
        if n_records == 0 {
            return Ok(());
        }
        Err(self.unsolved(n_records))
    }

    /// Cost of blanking these keys in one record.
    fn cost_of(&self, mask: u64) -> f64 {
        bits(mask).map(|key| self.costs[key]).sum()
    }

    fn unsolved(&self, n_records: u64) -> MethodError {
        let n_fixed = self.costs.iter().filter(|cost| cost.is_infinite()).count();
        let keys = match n_fixed {
            1 => "the key with infinite cost alone sets".to_owned(),
            n => format!("the {n} keys with infinite cost alone set"),
        };
        MethodError::request(
            format!("{n_records} records cannot be made safe: {keys} them apart"),
            "give one of those keys a finite cost, or recode it first",
        )
    }
}

/// The counts of the keys that classes ask for, in parallel.
fn in_parallel(asked: &[(u32, u64)], count: impl Fn(u32, u64) -> u32 + Sync) -> Vec<u32> {
    asked
        .par_iter()
        .with_min_len(MIN_CLASSES)
        .map(|&(class, mask)| count(class, mask))
        .collect()
}
