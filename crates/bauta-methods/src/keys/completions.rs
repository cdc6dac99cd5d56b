//! Which suppressed cells can be worked out by elimination.
//!
//! Whoever knows that only records at risk were blanked can strike out every completion of a blanked
//! key that is published often enough to have been safe. Where one completion is left, the blank
//! hides nothing.

mod impossible;

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};

pub(crate) use impossible::{IMPOSSIBLE, Impossible, conditions, impossible};

use crate::keys::counts::{KeyCounts, on_mask};
use crate::keys::suppression::bits;

/// Completions that are tried one by one against declared impossible combinations; a record with
/// more than that is not pinned down by them.
const MAX_TRIED: u64 = 1 << 16;

/// A key: its codes, 0 where it is not looked at.
type Key = Box<[u32]>;

/// Keys and how many safe ones are published that complete them.
type Struck = HashMap<Key, u64, FixedState>;

/// What the published file tells about its blanks.
pub(crate) struct Audit<'a> {
    classes: &'a KeyCounts,
    /// Keys that each class shows in the published file.
    shown: &'a [u64],
    /// Categories of each key that occur.
    domain: Arc<[Vec<u32>]>,
    /// A key that is published this often would not have been blanked.
    n_safe: u32,
    impossible: &'a [Impossible],
    /// Keys that are published often enough, by the keys that are compared.
    safe: HashMap<u64, HashSet<Key, FixedState>, FixedState>,
    /// The same, counted by what is shown of them.
    struck: HashMap<(u64, u64), Struck, FixedState>,
}

/// What is known of one blanked class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Finding {
    /// The class.
    pub(crate) class: u32,
    /// Completions that are left.
    pub(crate) n_candidates: u64,
    /// Whether the one that is left is the true one; none if more are left.
    pub(crate) correct: Option<bool>,
}

impl<'a> Audit<'a> {
    /// Looks at a file in which each class shows the given keys, made safe for k.
    pub(crate) fn new(
        classes: &'a KeyCounts,
        shown: &'a [u64],
        k: u32,
        impossible: &'a [Impossible],
    ) -> Self {
        let domain = (0..classes.n_keys)
            .map(|key| {
                let mut codes: Vec<u32> = classes
                    .codes
                    .iter()
                    .skip(key)
                    .step_by(classes.n_keys)
                    .copied()
                    .filter(|&code| code != 0)
                    .collect();
                codes.sort_unstable();
                codes.dedup();
                codes
            })
            .collect();
        Self {
            classes,
            shown,
            domain,
            n_safe: k.saturating_sub(1).max(1),
            impossible,
            safe: HashMap::default(),
            struck: HashMap::default(),
        }
    }

    /// What is known of every class with a blank.
    pub(crate) fn findings(&mut self) -> Vec<Finding> {
        let classes = self.classes;
        let blanked = |class: &u32| {
            let class = *class as usize;
            classes.present[class] & !self.shown[class] != 0
        };
        let blanked: Vec<u32> = (0..classes.sizes.len() as u32).filter(blanked).collect();
        let mut findings = Vec::with_capacity(blanked.len());
        for class in blanked {
            let shown = self.shown[class as usize];
            let n_candidates = self.n_candidates(class, shown);
            let correct = (n_candidates == 1).then(|| self.leaves_the_truth(class));
            findings.push(Finding {
                class,
                n_candidates,
                correct,
            });
        }
        findings
    }

    /// Completions that are left for a class if it shows the keys of `shown`.
    pub(crate) fn n_candidates(&mut self, class: u32, shown: u64) -> u64 {
        let compared = self.classes.present[class as usize];
        let blank = compared & !shown;
        let n_all = bits(blank).fold(1_u64, |n, key| {
            n.saturating_mul(self.domain[key].len() as u64)
        });
        if !self.impossible.is_empty() && n_all <= MAX_TRIED {
            return self.try_all(class, blank, compared);
        }
        let own = self.classes.key_on(class, shown & compared);
        let struck = self.struck_out(compared, shown & compared);
        n_all - struck.get(&own).copied().unwrap_or(0)
    }

    /// Whether the true key of a class is not struck out.
    fn leaves_the_truth(&mut self, class: u32) -> bool {
        let compared = self.classes.present[class as usize];
        let truth = self.classes.key_on(class, compared);
        let impossible = self.impossible;
        let possible = !impossible.iter().any(|rule| rule.forbids(&truth));
        !self.safe_on(compared).contains(&truth) && possible
    }

    /// Keys published at least `n_safe` times, among records that show all compared keys.
    fn safe_on(&mut self, compared: u64) -> &HashSet<Key, FixedState> {
        let (classes, shown, n_safe) = (self.classes, self.shown, self.n_safe);
        self.safe.entry(compared).or_insert_with(|| {
            let mut published: HashMap<Key, u32, FixedState> = HashMap::default();
            for (class, (&mask, &size)) in shown.iter().zip(&classes.sizes).enumerate() {
                if mask & compared == compared {
                    let key = classes.key_on(class as u32, compared);
                    *published.entry(key).or_default() += size;
                }
            }
            let safe = published.into_iter().filter(|&(_, n)| n >= n_safe);
            safe.map(|(key, _)| key).collect()
        })
    }

    fn struck_out(&mut self, compared: u64, shown: u64) -> &Struck {
        if !self.struck.contains_key(&(compared, shown)) {
            let mut struck = Struck::default();
            for key in self.safe_on(compared) {
                *struck.entry(on_mask(key, shown)).or_default() += 1;
            }
            self.struck.insert((compared, shown), struck);
        }
        &self.struck[&(compared, shown)]
    }

    /// Completions that are neither published as safe nor impossible, one by one.
    fn try_all(&mut self, class: u32, blank: u64, compared: u64) -> u64 {
        let mut key = self.classes.key_on(class, compared);
        let open: Vec<usize> = bits(blank).collect();
        let domain = Arc::clone(&self.domain);
        let impossible = self.impossible;
        let safe = self.safe_on(compared);
        let mut chosen = vec![0_usize; open.len()];
        let mut n_left = 0;
        loop {
            for (&v, &choice) in open.iter().zip(&chosen) {
                key[v] = domain[v][choice];
            }
            let excluded = safe.contains(&key) || impossible.iter().any(|rule| rule.forbids(&key));
            n_left += u64::from(!excluded);
            let next = (0..open.len()).find(|&i| chosen[i] + 1 < domain[open[i]].len());
            let Some(next) = next else { return n_left };
            chosen[next] += 1;
            chosen[..next].fill(0);
        }
    }
}
