//! The same file seen with one key less, or with one key coarser.
//!
//! Records are collapsed to classes once; each view counts classes, not records.

use std::collections::BTreeMap;

use bauta_data::Table;

use crate::error::MethodError;
use crate::kernel::numbers::exact_sum::ExactSums;
use crate::kernel::numbers::sums::sum_by;
use crate::keys::benedetti_franconi::expected_inverse;
use crate::keys::classes::Classes;
use crate::keys::packing::Packing;
use crate::keys::stored::Weighing;
use crate::keys::{KeyCounts, MAX_KEYS, Semantics};

/// A file's keys, collapsed to classes.
pub(crate) struct KeyViews {
    classes: KeyCounts,
    /// A record of each class.
    representatives: Vec<u32>,
}

/// How much risk a view leaves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Remaining {
    /// Records that share their key with fewer than k.
    pub(crate) below: u64,
    /// Records alone with their key.
    pub(crate) uniques: u64,
    /// Σ E(1/F | f) over records.
    pub(crate) expected: f64,
}

impl KeyViews {
    /// Collapses a file to its classes.
    pub(crate) fn of(
        table: &Table,
        keys: &[usize],
        semantics: Semantics,
    ) -> Result<Self, MethodError> {
        let classes = Classes::of_table(table, keys, Weighing::Weights, semantics)?;
        let Classes { counts, of_record } = classes;
        let mut representatives = vec![u32::MAX; counts.n_classes()];
        for (record, &class) in of_record.iter().enumerate() {
            let first = &mut representatives[class as usize];
            *first = (*first).min(record as u32);
        }
        Ok(Self {
            classes: counts,
            representatives,
        })
    }

    /// What there is with every key as it stands, and what is left when each key in turn is not
    /// known. Without any key everyone is equal.
    pub(crate) fn left_out(&self, k: i64) -> (Remaining, Vec<Remaining>) {
        let all = u64::MAX >> (MAX_KEYS - self.classes.n_keys);
        // Groups on fewer keys are made of groups on more: all views share them.
        let mut groups = GroupsOn::new(&self.classes);
        let as_it_is = self.remaining(&self.counted(all, &mut groups), k);
        let without = |key: usize| {
            let counted = self.counted(all & !(1 << key), &mut groups);
            self.remaining(&counted, k)
        };
        let left = (0..self.classes.n_keys).map(without).collect();
        (as_it_is, left)
    }

    /// What is left when the values of one key become coarser: `code_of` gives the new code, from
    /// 0 to `n_codes` - 1, of a record's value.
    pub(crate) fn recoded(
        &mut self,
        key: usize,
        n_codes: usize,
        code_of: impl Fn(usize) -> u32,
        k: i64,
    ) -> Remaining {
        let n_keys = self.classes.n_keys;
        let n_values = std::mem::replace(&mut self.classes.n_values[key], n_codes as u32);
        let mut finer = Vec::with_capacity(self.representatives.len());
        let codes = self.classes.codes.iter_mut().skip(key).step_by(n_keys);
        for (code, &record) in codes.zip(&self.representatives) {
            finer.push(*code);
            if *code != 0 {
                *code = code_of(record as usize) + 1;
            }
        }
        let all = u64::MAX >> (MAX_KEYS - n_keys);
        let counted = self.counted(all, &mut GroupsOn::new(&self.classes));
        let left = self.remaining(&counted, k);
        let codes = self.classes.codes.iter_mut().skip(key).step_by(n_keys);
        for (code, finer) in codes.zip(finer) {
            *code = finer;
        }
        self.classes.n_values[key] = n_values;
        left
    }

    /// f and F of each class on some of the keys.
    fn counted(&self, kept: u64, groups: &mut GroupsOn<'_>) -> Vec<(u32, f64)> {
        match self.classes.semantics {
            Semantics::Own => groups.totals(|_| kept),
            // Whoever equals a class on the keys that it shows has a value there too.
            Semantics::Visible | Semantics::Original => {
                groups.totals(|class| self.classes.visible[class] & kept)
            }
            Semantics::Wild => self.counted_wild(kept),
        }
    }

    fn counted_wild(&self, kept: u64) -> Vec<(u32, f64)> {
        let shown = |masks: &[u64]| masks.iter().map(|mask| mask & kept).collect();
        let part = KeyCounts {
            visible: shown(&self.classes.visible),
            present: shown(&self.classes.present),
            ..self.classes.clone()
        };
        part.count_wild()
    }

    fn remaining(&self, counted: &[(u32, f64)], k: i64) -> Remaining {
        let sizes = &self.classes.sizes;
        let below = |k: i64| {
            let classes = counted.iter().zip(sizes);
            classes
                .filter(|((f, _), _)| i64::from(*f) < k)
                .map(|(_, n_records)| u64::from(*n_records))
                .sum()
        };
        let risk = |class: usize| {
            let (f, big_f) = counted[class];
            f64::from(sizes[class]) * expected_inverse(f64::from(f), big_f)
        };
        Remaining {
            below: below(k),
            uniques: below(2),
            expected: sum_by(sizes.len(), risk),
        }
    }
}

/// Classes that are equal on some keys, missing as a value of its own, for one choice of keys after
/// another. Each is made of the smallest one on more keys.
struct GroupsOn<'a> {
    classes: &'a KeyCounts,
    made: Vec<Groups>,
    /// Where the groups on some keys are.
    at: BTreeMap<u64, usize>,
    /// Rows of the groups that were made.
    n_rows: usize,
}

/// Most rows of groups that are kept for each class.
const MAX_ROWS_PER_CLASS: usize = 32;

struct Groups {
    keys: u64,
    /// The groups that these are made of, and the group that each of those is in.
    made_of: Option<(usize, Vec<u32>)>,
    /// A class of each group.
    first: Vec<u32>,
    /// Records of each group.
    sizes: Vec<u32>,
    /// Sums of their weights, as those of the classes.
    weights: Option<ExactSums>,
}

impl<'a> GroupsOn<'a> {
    fn new(classes: &'a KeyCounts) -> Self {
        let finest = Groups {
            keys: u64::MAX,
            made_of: None,
            first: (0..classes.sizes.len() as u32).collect(),
            sizes: classes.sizes.clone(),
            weights: classes.weights.clone(),
        };
        Self {
            classes,
            made: vec![finest],
            at: BTreeMap::new(),
            n_rows: 0,
        }
    }

    /// Records and weight of each class's group on the keys that `keys_of` gives for it.
    fn totals(&mut self, keys_of: impl Fn(usize) -> u64) -> Vec<(u32, f64)> {
        let mut wanted: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
        for class in 0..self.classes.sizes.len() {
            wanted.entry(keys_of(class)).or_default().push(class as u32);
        }
        let mut choices: Vec<u64> = wanted.keys().copied().collect();
        choices.sort_by_key(|keys| (std::cmp::Reverse(keys.count_ones()), *keys));
        let mut totals = vec![(0, 0.0); self.classes.sizes.len()];
        for keys in choices {
            let made = match self.at.get(&keys) {
                Some(_) => None,
                None => Some(self.merged(self.smallest_on_more(keys), keys)),
            };
            let groups = match (&made, self.at.get(&keys)) {
                (Some(made), _) => made,
                (None, at) => &self.made[at.copied().unwrap_or(0)],
            };
            for &class in &wanted[&keys] {
                let group = self.group_of(groups, class) as usize;
                let (n, weights) = (groups.sizes[group], groups.weights.as_ref());
                let weight = weights.map_or(f64::from(n), |weights| weights.nearest(group));
                totals[class as usize] = (n, weight);
            }
            if let Some(made) = made {
                self.keep(made);
            }
        }
        totals
    }

    /// Where the fewest groups are that these can be made of.
    fn smallest_on_more(&self, keys: u64) -> usize {
        let on_more = (0..self.made.len()).filter(|&at| self.made[at].keys & keys == keys);
        let smallest = on_more.min_by_key(|&at| self.made[at].first.len());
        smallest.unwrap_or(0)
    }

    /// Keeps groups for those that can be made of them, while they are not too many: with many keys
    /// and many patterns of missing values, few groups merge.
    fn keep(&mut self, groups: Groups) {
        let finer = groups.made_of.as_ref().map_or(0, |(_, of)| of.len());
        let n_rows = finer + groups.first.len();
        if self.n_rows + n_rows <= MAX_ROWS_PER_CLASS * self.classes.sizes.len() {
            self.n_rows += n_rows;
            self.at.insert(groups.keys, self.made.len());
            self.made.push(groups);
        }
    }

    fn merged(&self, from: usize, keys: u64) -> Groups {
        let finer = &self.made[from];
        let n_keys = self.classes.n_keys;
        let mut packing = Packing::new(finer.first.len());
        for key in (0..n_keys).filter(|key| keys >> key & 1 == 1) {
            packing.add(self.classes.n_values[key], |group| {
                self.classes.codes[finer.first[group] as usize * n_keys + key]
            });
        }
        let (of_finer, first) = packing.classes();
        let groups = || of_finer.iter().map(|&group| group as usize);
        let mut sizes = vec![0; first.len()];
        for (group, size) in groups().zip(&finer.sizes) {
            sizes[group] += size;
        }
        let of_finer_ones = finer.weights.as_ref();
        let weights = of_finer_ones.map(|weights| weights.grouped(first.len(), groups().zip(0..)));
        Groups {
            keys,
            first: first
                .iter()
                .map(|&group| finer.first[group as usize])
                .collect(),
            made_of: Some((from, of_finer)),
            sizes,
            weights,
        }
    }

    /// The group that a class is in.
    fn group_of(&self, groups: &Groups, class: u32) -> u32 {
        match &groups.made_of {
            None => class,
            Some((finer, of_finer)) => of_finer[self.group_of(&self.made[*finer], class) as usize],
        }
    }
}
